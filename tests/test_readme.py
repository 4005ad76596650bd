"""The README is executed: its examples here, its commands by the continuous integration."""

import re
from pathlib import Path

import pytest

from shown import answer, failures, fenced

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_examples_give_the_output_shown():
    blocks = fenced(README, "python")
    assert blocks, "README.md shows no example"
    assert failures("\n".join(blocks), "README.md") == ""


def test_commands_give_the_output_shown(monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[1])
    blocks = fenced(README, "console")
    assert blocks, "README.md shows no command"
    for block in blocks:
        given, shown = answer(block)
        assert given == shown


def test_every_python_block_is_executed():
    assert [block for block in fenced(README, "python") if ">>> " not in block] == []


@pytest.mark.parametrize(
    ("marker", "command"),
    [
        ("demo", r"python3 -m venv .+ pip install .+ exactperm demo"),
        ("test", r"python3 -m venv .+ pip install .+\[test\].+ pytest"),
    ],
)
def test_one_command_follows_its_marker(marker, command):
    blocks = fenced(README, "sh", before=rf"^<!-- ci:{marker} -->\n")
    assert len(blocks) == 1
    assert re.search(command.replace(" ", r"\W"), blocks[0].replace(".venv/bin/", ""), re.DOTALL)
