"""Columns of tags: one file or two, and what is refused."""

import pytest
from written import read, refused

import exactperm as xp

GOLD = "-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\n-DOCSTART- -X- O O\nPeter NNP B-NP B-PER\n"
#: seqeval reads I-ORG after O as a span unless a strict scheme is given
OTHER = GOLD.replace("B-ORG", "I-ORG")
BOTH = "EU B-ORG B-ORG\nrejects O O\n\nPeter B-PER B-PER\n"


def test_schemes(tmp_path):
    scores = read(tmp_path, GOLD, a=OTHER, b=GOLD)
    assert xp.compare(scores).scores["a"] == 1
    assert xp.compare(scores, scheme="IOB2").scores["a"] == pytest.approx(2 / 3)


def test_a_measure_by_its_own_name(tmp_path):
    scores = read(tmp_path, GOLD, a=OTHER, b=GOLD)
    assert xp.compare(scores, metric="tags").metric == "span_f1"


def test_documents(tmp_path):
    assert read(tmp_path, GOLD, a=OTHER, b=GOLD, options={"group": "document"}).groups == (1, 2)
    assert read(tmp_path, GOLD, a=OTHER, b=GOLD).groups is None


def test_gold_and_prediction_in_one_file(tmp_path):
    scores = read(tmp_path, a=BOTH, b=BOTH.replace("O O", "O B-PER"))
    assert dict(xp.compare(scores).scores) == {"a": 1, "b": pytest.approx(4 / 5)}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            OTHER.replace("EU", "UE"),
            "a.txt:3: the tokens 'UE rejects' are not those of the gold standard, 'EU rejects'",
        ),
        (OTHER.replace("B-PER", "PER"), "a.txt:7: 'PER' is not a tag"),
        (OTHER.partition("\n-DOCSTART- -X- O O\nP")[0], "the gold standard goes on"),
        (OTHER + "\nx O\n", "a.txt:9: this file goes on"),
        (OTHER + "y\n", "a.txt:8: a line needs 2 columns or more, not 'y'"),
    ],
)
def test_refused(tmp_path, other, message):
    refused(message, tmp_path, GOLD, a=other, b=GOLD, options={"format": "bio"})


def test_other_columns_are_not_a_gold_standard(tmp_path):
    refused("a.txt: the predicted labels (ORG, PER) and those of the gold standard (NP, VP)", tmp_path, a=GOLD, b=OTHER)


def test_different_gold_standards(tmp_path):
    refused("b was scored on another gold standard", tmp_path, a=BOTH, b=BOTH.replace("EU B-ORG", "EU B-PER"))
    refused("is not the same question", tmp_path, a=BOTH, b=BOTH.replace("EU", "UE"))
