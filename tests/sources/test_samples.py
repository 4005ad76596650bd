"""Samples and reports as JSON of tools that have no tests of their own: what is left out, and what is refused."""

import json

import pytest
from written import read, refused

EVERY = {
    "schema_version": "0.2", "evaluation_id": "e", "model_id": "m", "sample_id": 1, "evaluation_name": "n",
    "evaluation": {"score": 1},
}  # fmt: skip
LM_EVAL = {"doc_id": 1, "doc": {"subject": "law"}, "resps": [], "filter": "none", "metrics": ["em"], "em": 1}


def lines(first, *changes):
    """A file of a sample, and of the same with other fields."""
    return "".join(json.dumps({**first, **change}) + "\n" for change in ({}, *changes))


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ([{"model_id": "o"}], {}, "a.txt:2: the model is 'o' and not 'm'; give each its own file"),
        ([{"evaluation_name": "q"}], {}, "a.txt:2: there are several results, n and q; choose one with --filter"),
        ([], {"filter": "q"}, "a.txt: there is no result 'q'; there is n"),
        ([{"sample_id": 2, "evaluation": 1}], {}, "a.txt:2: a sample has no evaluation; is the file complete?"),
    ],
)
def test_every_eval_ever_refused(tmp_path, changes, options, message):
    refused(message, tmp_path, a=lines(EVERY, *changes), b=lines(EVERY), options=options)


def test_every_eval_ever_has_no_value_of_a_sample_with_an_error(tmp_path):
    failed = lines(EVERY, {"sample_id": 2, "error": "timeout"})
    scores = read(tmp_path, a=failed, b=lines(EVERY, {"sample_id": 2}))
    assert scores.measures["score"].columns == {"a": [1, None], "b": [1, 1]}


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ([{"doc_id": 2, "metrics": "em"}], {}, "a.txt:2: metrics must be a list of names, not 'em'; is the file"),
        ([{"filter": "strict"}], {}, "a.txt:2: there are several filters, none and strict; choose one with --filter"),
        ([], {"filter": "strict"}, "a.txt: there is no filter 'strict'; there is none"),
        ([], {"group": "doc"}, "a.txt:1: the field 'doc' must hold a text or a number, not {'subject': 'law'}"),
        ([], {"group": "doc.topic"}, "a.txt:1: no field 'doc.topic' here; there is subject"),
    ],
)
def test_lm_eval_refused(tmp_path, changes, options, message):
    refused(message, tmp_path, a=lines(LM_EVAL, *changes), b=lines(LM_EVAL), options=options)


def test_lm_eval_leaves_out_what_no_metric_is_made_of(tmp_path):
    odd = {"metrics": ["em", "said", "pair", "three", "f1"], "said": "yes", "pair": [0, 1], "three": [1, 2, 3]}
    text = lines({**LM_EVAL, **odd, "f1": [["x"], "x"]})
    assert read(tmp_path, a=text, b=text).metrics == ("em",)


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ([], "a.txt: a report is one JSON object; is the file complete?"),
        ({"resolved_ids": 3}, "a.txt: resolved_ids must be a list of ids; make the report again with a newer version"),
        ({"resolved_ids": []}, "a.txt: completed_ids must be a list of ids; make the report again"),
    ],
)
def test_swe_bench_refused(tmp_path, report, message):
    refused(message, tmp_path, a=json.dumps(report), b="{}", options={"format": "swe-bench"})
