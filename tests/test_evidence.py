"""The pages of evidence: their tables are filled, and our answers in them are the exact ones."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from twelve import MAKERS  # noqa: E402 - found on the path just set


@pytest.mark.parametrize("make", MAKERS)
def test_twelve_problems(make):
    problem = make()
    assert problem.ours() == pytest.approx(float(problem.exact), rel=1e-12, abs=0)


@pytest.mark.parametrize("page", ["reproduction", "peers"])
def test_tables_are_filled(page):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    begun, ended = (re.findall(rf"<!-- {word}:(\w+) -->", text) for word in ("begin", "end"))
    filled = dict(re.findall(r"<!-- begin:(\w+) -->\n(.+?)\n<!-- end:\1 -->", text, re.DOTALL))
    assert begun == ended == list(filled) != []
    assert "begin:" not in "".join(filled.values())
