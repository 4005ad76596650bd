"""Predictions for GLUE: items by index, labels of two kinds, and what is refused."""

import pytest
from written import read, refused

import exactperm as xp

GOLD = "index\tsentence\tgold_label\n0\ta\tentailment\n1\tb\tneutral\n"
RIGHT = "index\tprediction\n1\tneutral\n0\tentailment\n"
NUMBERS = "sentence\tlabel\na\t1\nb\t0\n"


def test_items_are_matched_by_index(tmp_path):
    other = RIGHT.replace("neutral", "contradiction")
    assert dict(xp.compare(read(tmp_path, GOLD, a=other, b=RIGHT)).scores) == {"a": 0.5, "b": 1}


def test_without_an_index_they_are_numbered_from_0(tmp_path):
    same = "index\tprediction\n0\t1\n1\t0\n"
    scores = read(tmp_path, NUMBERS, a=same, b=same.replace("1\t0", "1\t01"))
    assert dict(xp.compare(scores, metric="f1").scores) == {"a": 1, "b": pytest.approx(2 / 3)}


def test_items_without_a_prediction(tmp_path):
    some = "index\tprediction\n1\tneutral\n"
    refused("a.txt: a has no label for 1 of 2 items: '0'", tmp_path, GOLD, a=some, b=RIGHT)
    assert read(tmp_path, GOLD, a=some, b=RIGHT, options={"missing": "omit"}).items == ("1",)


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (GOLD, RIGHT + "2\tneutral\n", "a.txt:4: item '2' is not in the gold standard"),
        (GOLD, RIGHT + "1\tneutral\n", "a.txt:4: item '1' of a is there twice"),
        (GOLD, RIGHT + "1\n", "a.txt:4: a line holds an index and a prediction"),
        (NUMBERS, RIGHT, "a.txt:2: the prediction 'neutral' is not an integer"),
        (GOLD + "1\tc\tneutral\n", RIGHT, "gold.txt:4: there are two labels for '1'"),
        (GOLD + "1\tneutral\n", RIGHT, "gold.txt:4: there are 2 columns, and 3 in the header"),
        (NUMBERS.replace("label", "x"), RIGHT, "gold.txt:1: the first line names no column gold_label or label"),
        ("index\tgold_label\n", RIGHT, "gold.txt: there is no label in this gold standard; is the file complete?"),
        (NUMBERS.replace("1", "1.5"), RIGHT, "gold.txt: the labels are numbers with decimals"),
    ],
)
def test_refused(tmp_path, gold, predicted, message):
    refused(message, tmp_path, gold, a=predicted, b=RIGHT)
