"""Answers to SQuAD: which questions count, and what is refused."""

import json

import pytest
from written import read, refused

import exactperm as xp


def dataset(**answers):
    questions = [{"id": name, "answers": [{"text": text} for text in texts]} for name, texts in answers.items()]
    return json.dumps({"data": [{"paragraphs": [{"qas": [question]} for question in questions]}]})


GOLD = dataset(x=["the river", "a small river"], y=[], z=["..."])
RIGHT = json.dumps({"x": "River", "y": "", "z": ""})


def test_scores(tmp_path):
    other = json.dumps({"x": "small rivers in the small river", "y": "no", "z": "."})
    scores = read(tmp_path, GOLD, a=other, b=RIGHT)
    assert xp.compare(scores, metric="squad_em").scores["a"] == pytest.approx(100 / 3)
    assert scores.measures["squad_f1"].columns == {"a": [200 * 2 / 7, 0, 100], "b": [100, 100, 100]}


def test_groups(tmp_path):
    assert len(set(read(tmp_path, GOLD, a=RIGHT, b=RIGHT, options={"group": "paragraph"}).groups)) == 3
    assert len(set(read(tmp_path, GOLD, a=RIGHT, b=RIGHT, options={"group": "article"}).groups)) == 1


def test_unanswered_questions(tmp_path):
    some = json.dumps({"x": "River", "y": ""})
    refused("a.txt: a has no answer for 1 of 3 items: 'z'; --missing omit", tmp_path, GOLD, a=some, b=RIGHT)
    assert read(tmp_path, GOLD, a=some, b=RIGHT, options={"missing": "omit"}).items == ("x", "y")
    other, omit = json.dumps({"z": ""}), {"missing": "omit"}
    refused("a and b have no complete item in common; are", tmp_path, GOLD, a=some, b=other, options=omit)


@pytest.mark.parametrize(
    ("gold", "answers", "message"),
    [
        (GOLD, '{"x": "", "q": ""}', "a.txt: question 'q' is not in the data set"),
        (GOLD, '{"x": 1}', "a.txt: an id and an answer are texts; 'x' has 1"),
        (GOLD, '[{"id": "x", "prediction_text": ""}, {"id": "x", "prediction_text": "y"}]', "'x' is answered twice"),
        (GOLD.replace('"y"', '"x"'), RIGHT, "gold.txt: there are two questions 'x'"),
        ('{"data": [{"paragraphs": 1}]}', RIGHT, "gold.txt: the data set must hold data"),
        ('{"data": []}', RIGHT, "gold.txt: there is no question"),
        (GOLD.replace('"x"', "3"), RIGHT, "gold.txt: the data set must hold data"),
        (GOLD, "3", "a.txt: answers are one object of texts by id, or a list of objects with id and prediction_text"),
        (
            GOLD,
            '["x"]',
            "a.txt: answers are one object of texts by id, or a list of objects with id and prediction_text",
        ),
    ],
)
def test_refused(tmp_path, gold, answers, message):
    refused(message, tmp_path, gold, a=answers, b=RIGHT, options={"format": "squad"})


def test_gold_answers_of_punctuation_do_not_count_beside_others(tmp_path):
    gold = dataset(x=["...", "river"])
    scores = read(tmp_path, gold, a=json.dumps({"x": ""}), b=json.dumps({"x": "river"}))
    assert dict(xp.compare(scores, metric="squad_em").scores) == {"a": 0, "b": 100}
    assert scores.measures["squad_f1"].columns == {"a": [0], "b": [100]}
