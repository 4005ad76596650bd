"""Examples in texts, executed: what a page shows is what the code does."""

import doctest
import re
from pathlib import Path

from typer.testing import CliRunner

from exactperm.cli.app import app

ROOT = Path(__file__).parents[1]


def fenced(text: str, language: str, before: str = "") -> list[str]:
    return re.findall(rf"{before}^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def failures(text: str, name: str) -> str:
    """What the examples of a text give that is not what it shows."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    report = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    return "".join(report)


def answer(block: str) -> tuple[str, str]:
    """What a command prints on a terminal of 80 columns, and what the text shows."""
    command, _, shown = block.partition("\n")
    assert command.startswith("$ exactperm ")
    words = [path for word in command.split()[2:] for path in expanded(word)]
    done = CliRunner(env={"COLUMNS": "80"}).invoke(app, words, catch_exceptions=False)
    return done.stdout, shown


def expanded(word: str) -> list[str]:
    """What a shell makes of a pattern."""
    return sorted(str(path) for path in Path().glob(word)) if "*" in word else [word]
