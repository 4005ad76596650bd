"""The page on large data is executed, but for what needs a cluster or an account."""

import doctest
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "scale.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^(?P<mark><!-- not executed: [^>]+ -->\n)?```python\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.filterwarnings("ignore")  # of the libraries
def test_examples_give_the_output_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = [block["code"] for block in BLOCK.finditer(PAGE) if not block["mark"]]
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "scale.md", "scale.md", 0)
    assert len(test.examples) > 20
    report = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert failed == 0, "".join(report)


def test_every_block_is_executed_or_says_why_not():
    for block in BLOCK.finditer(PAGE):
        assert (">>> " in block["code"]) != bool(block["mark"])
        if block["mark"]:
            compile(block["code"], "scale.md", "exec")
