"""Samples of lm-evaluation-harness, small and written by the test that needs them."""

import json
import random
import re

import pytest
from typer.testing import CliRunner

from exactperm.cli.app import app


@pytest.fixture
def samples(tmp_path):
    """Write the samples of a system that gets a share right, and more on request."""

    def write(name, share=0.5, items=80, **fields):
        draw = random.Random(name)
        path = tmp_path / f"{name}.jsonl"
        rows = [
            {
                "doc_id": i,
                "doc": {"subject": f"s{i // 4}"},
                "resps": [[""]],
                "filter": "none",
                "metrics": ["exact_match", "length"],
                "exact_match": float(draw.random() < share),
                "length": draw.randint(1, 9),
                **{key: value(i) if callable(value) else value for key, value in fields.items()},
            }
            for i in range(items)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def invoke():
    """Run a command in this process; whatever is no answer to bad input is raised."""

    def run(*arguments, columns=80, **options):
        environment = {"COLUMNS": str(columns), "NO_COLOR": "1", "FORCE_COLOR": None, "TERM": "xterm"}
        return CliRunner(env=environment).invoke(app, [*map(str, arguments)], catch_exceptions=False, **options)

    return run


@pytest.fixture
def refuses(invoke):
    """Run a command that is refused: exit code 2, nothing on standard output, one line on standard error."""

    def check(*arguments, match, **options):
        done = invoke(*arguments, **options)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert re.search(match, done.stderr), done.stderr

    return check
