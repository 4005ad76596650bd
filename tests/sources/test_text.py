"""Plain text: the last resort, and only with references."""

import pytest
from written import read, refused, written

import exactperm as xp

TEXT = "a cat sees\n\nthe dog runs\n"


def test_metrics_of_one_reference(tmp_path):
    scores = read(tmp_path, TEXT, a=TEXT, b=TEXT.replace("dog", "cat"))
    assert xp.compare(scores, metric="wer").scores["b"] == pytest.approx(1 / 6)
    assert xp.compare(scores, metric="exact_match").scores["b"] == pytest.approx(2 / 3)


def test_lines_end_only_where_they_do(tmp_path):
    odd = "a\u2028b\x0bc\x85d\ne\n"
    assert read(tmp_path, odd, a=odd, b=odd).items == (1, 2)


def test_is_not_recognised_without_references(tmp_path):
    refused("text: needs a gold standard (--gold)", tmp_path, a=TEXT, b=TEXT)


def test_one_segment_a_line(tmp_path):
    refused("a.txt:4: the references end after 3 lines", tmp_path, TEXT, a=TEXT + "x\n", b=TEXT)
    refused("b.txt:2: the file ends here, and the references have 3 lines", tmp_path, TEXT, a=TEXT, b="x\ny\n")
    refused("there are none; leave out --group", tmp_path, TEXT, a=TEXT, b=TEXT, options={"group": "document"})


def test_references_of_different_length(tmp_path):
    paths = written(tmp_path, a=TEXT, b=TEXT, one=TEXT, two="x\n")
    with pytest.raises(xp.sources.SourceError, match=r"two.txt: there are 1 lines here and 3 in the reference before"):
        xp.read(paths["a"], paths["b"], gold=[paths["one"], paths["two"]])


def test_one_gold_standard_means_one_format(tmp_path):
    tagged = "EU O\nrejects O\n"
    refused("b.txt: this file is in the format bio, and", tmp_path, TEXT, a=TEXT, b=tagged)
