"""Results as tables for notebooks: everything is in them, nothing of it runs, and no colour is set."""

import html
import re
from html.parser import HTMLParser

import pytest

import exactperm as xp
from report_pages import ODD, answers


class Outline(HTMLParser):
    """Which elements there are, and whether they are closed."""

    def __init__(self):
        super().__init__()
        self.seen, self.open = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.open.append(tag)
        assert [name for name, _ in attrs if name != "style"] == []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def tags(text):
    outline = Outline()
    outline.feed(text)
    outline.close()
    assert outline.open == []
    return set(outline.seen)


def words(text):
    return html.unescape(re.sub("<[^>]*>", " ", text))


def results():
    comparison = xp.compare(answers(ODD, 90))
    one = xp.compare(answers(["a < b", "c & d"], 30))
    counts = {"tp": [5, 3, 4], "fp": [1, 0, 1], "fn": [0, 2, 0]}, {"tp": [4, 3, 3], "fp": [2, 1, 1], "fn": [1, 2, 1]}
    several = xp.compare(dict(zip("AB", counts, strict=True)), metric=["f1", "precision"])
    return [comparison, one, one.pairs[0], several, xp.paired_test([3, 1, 2, 5], [1, 1, 0, 2])]


@pytest.mark.parametrize("result", results(), ids=lambda result: type(result).__name__)
def test_everything_is_there_as_text(result):
    text = result._repr_html_()
    assert tags(text) <= {"div", "table", "thead", "tbody", "tr", "th", "td", "bdi", "code"}
    shown = " ".join(words(text).split())
    for cell in re.split(r"\n|  +", repr(result)):
        if cell != "verdict":  # the sentence itself comes first
            assert re.sub("^(f1|precision): ", "", " ".join(cell.split())) in shown
    for comparison in list(result.values()) if hasattr(result, "values") else [result]:
        assert comparison.verdict in shown
        assert comparison.signature in shown


def test_colours_are_those_of_the_notebook():
    for result in results():
        styles = " ".join(re.findall('style="([^"]*)"', result._repr_html_()))
        assert set(re.findall(r"(?<![-\w])color:(\w+)", styles)) == {"inherit"}
        assert set(re.findall(r"background:(\w+)", styles)) <= {"transparent"}


def test_many_pairs_are_cut_and_say_so():
    text = xp.compare(answers([f"s{i}" for i in range(12)], 40))._repr_html_()
    assert "and 36 more pairs: to_frame() has all of them" in text
    assert text.count("<tr>") == 13 + 31


def test_a_batch_is_a_line():
    batch = xp.paired_test([[1, 2, 3], [3, 2, 1]], [[0, 0, 1], [1, 1, 1]])
    assert batch._repr_html_() == f"<pre>{html.escape(repr(batch))}</pre>"
