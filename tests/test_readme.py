"""The README is executed: its examples here, its commands by the continuous integration."""

import doctest
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from exactperm.cli.app import app

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def fenced(language: str, before: str = "") -> list[str]:
    return re.findall(rf"{before}^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def test_examples_give_the_output_shown():
    blocks = fenced("python")
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    assert test.examples, "README.md shows no example"
    report = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert failed == 0, "".join(report)


def test_commands_give_the_output_shown(monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[1])
    blocks = fenced("console")
    assert blocks, "README.md shows no command"
    for block in blocks:
        command, _, shown = block.partition("\n")
        assert command.startswith("$ exactperm ")
        done = CliRunner(env={"COLUMNS": "80"}).invoke(app, command.split()[2:], catch_exceptions=False)
        assert done.stdout == shown


def test_every_python_block_is_executed():
    assert [block for block in fenced("python") if ">>> " not in block] == []


@pytest.mark.parametrize(
    ("marker", "command"),
    [
        ("demo", r"python3 -m venv .+ pip install .+ exactperm demo"),
        ("test", r"python3 -m venv .+ pip install .+\[test\].+ pytest"),
    ],
)
def test_one_command_follows_its_marker(marker, command):
    blocks = fenced("sh", before=rf"^<!-- ci:{marker} -->\n")
    assert len(blocks) == 1
    assert re.search(command.replace(" ", r"\W"), blocks[0].replace(".venv/bin/", ""), re.DOTALL)
