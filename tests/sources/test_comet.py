"""What COMET prints and the WMT metrics task keeps: nothing is lost on the way."""

import re

import pytest
from written import read, refused, written

import exactperm as xp

TEXT = "a\tSegment 0\tscore: 0.5000\nb\tSegment 0\tscore: 0.2500\na\tscore: 0.5000\nb\tscore: 0.2500\n"


def read_one(folder, text):
    return xp.read(written(folder, out=text)["out"])


def test_what_is_printed(tmp_path):
    scores = read_one(tmp_path, TEXT + "Predictions saved in: x.json.\n")
    assert (scores.systems, scores.items) == (("a", "b"), (0,))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("b\tscore: 0.2500\n", ""), "there is no line with the mean of b"),
        (TEXT.replace("a\tscore: 0.5000", "a\tscore: 0.5002"), "a have the mean 0.5000, and the file says 0.5002"),
        (TEXT.replace("b\tSegment 0\tscore: 0.2500", "b\tSegm"), r"out.txt:2: 'b\\tSegm' is not a line of comet-score"),
    ],
)
def test_lost_lines(tmp_path, text, message):
    with pytest.raises(xp.sources.SourceError, match=message):
        read_one(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "out.txt: this must be a JSON object with a list of segments for each system"),
        ('{"a": 1}', "out.txt: this must be a JSON object with a list of segments for each system"),
        (
            '{"a": [{"mt": "x", "COMET": 0.5}], "b": [{"mt": 3}]}',
            "segment 1 of b has no text mt; is the file complete?",
        ),
        ('{"a": [{"mt": "x"}, 1], "b": []}', "segment 2 of a has no text mt; is the file complete?"),
    ],
)
def test_json_that_is_refused(tmp_path, text, message):
    with pytest.raises(xp.sources.SourceError, match=re.escape(message)):
        xp.read(written(tmp_path, out=text)["out"], format="comet-json")


def test_a_score_that_is_too_large(tmp_path):
    with pytest.raises(xp.sources.SourceError, match=r"out.txt:2: the score 1e999 is too large for a floating-point"):
        read_one(tmp_path, "A\t0.5\nA\t1e999\nB\t1\nB\t2\n")


def test_missing_scores_of_segments(tmp_path):
    scores = read_one(tmp_path, "A\t0.5\nA\tNone\nB\t-1e-3\nB\t2\n")
    assert scores.measures["score"].columns == {"A": [0.5, None], "B": [-0.001, 2.0]}


def test_names_that_cannot_be_shown(tmp_path):
    long = "x" * 251
    with pytest.raises(xp.sources.SourceError, match=r"out.txt:1: .* is no name of a system"):
        read_one(tmp_path, f"{long}\t0.5\n{long}\t0.2\nB\t1\nB\t2\n")


def test_numbers_are_not_systems(tmp_path):
    refused("wmt-seg: the first column holds numbers", tmp_path, a="0\t1\n1\t3\n", b="0\t1\n1\t3\n")
    with pytest.raises(xp.sources.SourceError, match="wmt-seg: no system has two lines"):
        read(tmp_path, a="x\t2\ny\t3\n", b="x\t2\ny\t3\n")
