"""Word errors of Kaldi: counts with and without the words they count."""

import pytest
from written import read, refused

from exactperm import sources
from exactperm.sources import SourceError

FULL = "A-1 ref  a  ***  c   e \nA-1 hyp  a   b   d  ***\nA-1 op   C   I   S   D \nA-1 #csid 1 1 1 1\n"


def test_counts_alone_are_enough(tmp_path):
    scores = read(tmp_path, a="u1 #csid 5 1 2 3\nu2 #csid 4 0 0 0\n", b="u2 #csid 3 1 0 0\nu1 #csid 9 0 0 0\n")
    assert scores.items == ("u1", "u2")
    assert scores.measures["wer"].columns["a"].tolist() == [[6, 9], [0, 4]]
    assert scores.measures["wer"].columns["b"].tolist() == [[0, 9], [1, 4]]


def test_signs_for_inserted_words_are_no_words_of_the_reference(tmp_path):
    other = "A-1 ref a c e\nA-1 hyp a c e\nA-1 op C C C\nA-1 #csid 3 0 0 0\n"
    assert read(tmp_path, a=FULL, b=other).measures["wer"].columns["b"].tolist() == [[0, 3]]


def test_other_references_are_refused(tmp_path):
    with pytest.raises(SourceError, match="is not the same question"):
        read(tmp_path, a=FULL, b=FULL.replace("ref  a", "ref  x"))


def test_the_system_is_the_folder_of_the_model_or_the_file(tmp_path):
    paths = [
        tmp_path / "tdnn" / "decode_test" / "scoring_kaldi" / "wer_details" / "per_utt",
        tmp_path / "exp" / "lstm.txt",
    ]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text(FULL)
    assert sources.read(*paths).systems == ("tdnn", "lstm")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FULL.replace("1 1 1 1", "2 1 1 1"), "a.txt:4: #csid 2 1 1 1 does not count the operations 'C   I   S   D'"),
        (FULL.replace("1 1 1 1", "1 1 1"), "a.txt:4: after #csid there are four numbers, not '1 1 1'"),
        (FULL + FULL, "item 'A-1' of a is there twice"),
        (FULL + "word\n", "a.txt:5: a line holds an utterance and ref, hyp, op or #csid, not 'word'"),
    ],
)
def test_what_is_refused(tmp_path, text, message):
    refused(message, tmp_path, a=text, b=FULL, options={"format": "kaldi"})
