"""The examples are what their scripts write, and the commands that are shown for them run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import exactperm as xp
from exactperm.cli.app import app

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = sorted(path.stem.removeprefix("make_") for path in EXAMPLES.glob("make_*.py"))
COMMANDS = re.findall(r"^exactperm (.+)$", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_what_its_script_writes(name, tmp_path):
    subprocess.run([sys.executable, EXAMPLES / f"make_{name}.py", tmp_path], check=True)
    made = files(tmp_path / name)
    assert made
    assert made == files(EXAMPLES / name)


def test_every_example_is_shown():
    assert {re.match(r"compare (\w+)/", command)[1] for command in COMMANDS} == set(NAMES)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs(command, monkeypatch):
    if "bleu" in command:
        pytest.importorskip("sacrebleu")
    monkeypatch.chdir(EXAMPLES)
    outcome = CliRunner().invoke(app, [*shlex.split(command), "--samples", "999", "--quiet"])
    assert outcome.exit_code == 0, outcome.output


@pytest.mark.parametrize(
    ("paths", "options", "items", "groups", "better"),
    [
        (["pos/perceptron.conllu", "pos/biaffine.conllu"], {"gold": "pos/gold.conllu"}, 109, None, "biaffine"),
        (["ner/crf.txt", "ner/transformer.txt"], {"gold": "ner/gold.txt", "group": "document"}, 139, 25, "transformer"),
        (["lm_eval/*tiny*/*.jsonl", "lm_eval/*large*/*.jsonl"], {"filter": "strict-match"}, 80, None, "acme__large-7b"),
        (["wide/scores.csv"], {"group": "passage", "a": "base", "b": "base-tuned"}, 219, 60, "base-tuned"),
    ],
    ids=["pos", "ner", "lm_eval", "wide"],
)
def test_an_example_is_read_and_compared(paths, options, items, groups, better, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    scores = xp.read(*paths, **options)
    assert len(scores.items) == items
    assert (None if scores.groups is None else len(set(scores.groups))) == groups
    [pair] = xp.compare(scores).pairs
    assert (pair.better, pair.exact) == (better, True)


def test_translations_are_read(monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    scores = xp.read("mt/phrases.txt", "mt/neural.txt", gold="mt/reference.txt")
    assert xp.compare(scores, metric="wer").ranking == ("neural", "phrases")
