"""What a result offers: forms to report it in, words, the exact fraction, the null law."""

import concurrent.futures
import dataclasses
import json
import math
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest

import problems
from exactperm import Effects, Metric, paired_test
from exactperm.engines.auto import METHODS
from exactperm.result import Interval, TestResult, apart, format_pvalue
from exactperm.signature import line_of, parts_of

A = [12, 9, 15, 11, 8, 14, 10, 13]
B = [11, 9, 12, 10, 8, 11, 9, 12]
R = paired_test(A, B)
DEEP = paired_test(Effects.from_counts({1: 5000, -1: 20}))
EMPTY = paired_test([], [])


def test_unpacks_and_is_frozen():
    statistic, pvalue = R
    assert (statistic, pvalue) == (R.statistic, R.pvalue)
    with pytest.raises(dataclasses.FrozenInstanceError):
        R.pvalue = 0.0


@pytest.mark.parametrize("method", METHODS)
def test_pickles_whatever_answered(method):
    r = paired_test(A, B, method=method, rng=0)
    again = pickle.loads(pickle.dumps(r))
    assert isinstance(again, TestResult)
    assert again.to_json() == r.to_json()
    assert again.as_fraction() == r.as_fraction()
    assert (again.null_distribution().probabilities == r.null_distribution().probabilities).all()


@pytest.mark.parametrize(
    ("metric", "a", "b"),
    [
        ("accuracy", [1, 1, 0], [0, 1, 1]),
        ("f1", [[3, 1], [2, 0], [4, 1]], [[4, 1], [2, 0], [3, 1]]),
        ("fbeta(beta=2)", [[3, 1, 1], [2, 0, 1]], [[2, 0, 2], [3, 1, 0]]),
        ("mcc", [[3, 1, 1, 5], [2, 0, 1, 6]], [[2, 0, 2, 6], [3, 1, 0, 5]]),
    ],
)
def test_pickles_with_metrics_of_the_registry(metric, a, b):
    r = paired_test(a, b, metric=metric)
    assert pickle.loads(pickle.dumps(r)).as_fraction() == r.as_fraction()


@pytest.mark.parametrize(
    "r", [R, DEEP, EMPTY, paired_test([[1, 2]], [[0, 0]]), paired_test(Effects.from_counts({1: 3}))]
)
def test_json(r):
    text = r.to_json()
    assert not re.search(r"NaN|Infinity", text)
    back = json.loads(text)
    assert back["schema"] == 1
    assert set(back) >= {f.name for f in dataclasses.fields(TestResult)} - {"problem"}
    assert back["pvalue"] == (r.pvalue.tolist() if np.ndim(r.pvalue) else r.pvalue)
    assert set(back["pvalue_interval"]) == {"low", "high"}
    assert back["signature"] == r.signature
    assert ("verdict" in back) == (np.ndim(r.pvalue) == 0)
    assert json.loads(r.to_json(indent=2)) == back


def test_json_has_null_for_what_is_no_number():
    assert json.loads(EMPTY.to_json())["statistic"] is None
    wide = dataclasses.replace(R, log_pvalue_interval=Interval(-math.inf, 0.0))
    assert json.loads(wide.to_json())["log_pvalue_interval"] == {"low": None, "high": 0.0}
    assert R.to_dict()["scores"] == [11.5, 10.25]


def test_markdown():
    head, rule, row = R.to_markdown().split("\n")
    assert head == "| A | B | A - B | p |"
    assert rule == "| --- | --- | --- | --- |"
    assert row == "| 11.5 | 10.25 | +1.25 | 0.031 |"
    assert paired_test(Effects.from_counts({1: 3})).to_markdown().startswith("| A - B | p |")


@pytest.mark.parametrize(
    ("r", "p"),
    [
        (R, "0.031"),
        (paired_test(Effects.from_counts({1: 100, -1: 30})), r"$5.4\cdot 10^{-10}$"),
        (DEEP, rf"$10^{{{DEEP.log_pvalue / math.log(10):.1f}}}$"),
    ],
)
def test_latex(r, p):
    lines = r.to_latex().split("\n")
    assert lines[0].startswith(r"\begin{tabular}{r")
    assert lines[-1] == r"\end{tabular}"
    columns = lines[0].count("r}") and re.search(r"\{(r+)\}", lines[0]).group(1)
    body = [line for line in lines if line.endswith(r"\\")]
    assert all(line.count("&") == len(columns) - 1 for line in body)
    assert body[1].removesuffix(r" \\").split(" & ")[-1] == p
    assert r.to_latex().count("{") == r.to_latex().count("}")
    assert r.to_latex().count("$") % 2 == 0


def test_repr_in_a_terminal():
    lines = repr(R).split("\n")
    assert [line.split()[0] for line in lines] == ["p", "statistic", "scores", "data", "verdict", "signature"]
    assert "0.031 (two-sided, exact)" in lines[0]
    assert "+1.25" in lines[1]
    assert "8 items, 2 tied" in lines[3]
    sampled = repr(paired_test(A, B, method="monte-carlo", rng=1))
    assert re.search(r"between 0\.0\d+ and 0\.0\d+", sampled)
    assert "8 items in 4 groups" in repr(paired_test(A, B, groups=[0, 0, 1, 1, 2, 2, 3, 3]))
    assert "scores" not in repr(paired_test(Effects.from_counts({1: 3})))


def test_repr_in_a_notebook_escapes():
    evil = Metric("<script>&", sums=("x",), value=lambda x: x)
    html = paired_test({"x": [1, 2]}, {"x": [0, 1]}, metric=evil)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;&amp;" in html
    assert html.count("<tr>") == html.count("</tr>") == 5


@pytest.mark.parametrize(
    ("r", "start"),
    [
        (paired_test(Effects.from_counts({1: 20, -1: 3})), "A is better than B (p = 0.00049, exact two-sided"),
        (paired_test(Effects.from_counts({1: 3, -1: 20})), "B is better than A (p = 0.00049, exact two-sided"),
        (paired_test(Effects.from_counts({1: 20, -1: 3}), alternative="greater"), "A is better than B (p = 0.00024"),
        (paired_test(Effects.from_counts({1: 3, -1: 20}), alternative="less"), "A is worse than B (p = 0.00024"),
        (paired_test(Effects.from_counts({1: 9, -1: 8})), "The data do not show a difference between A and B (p = 1"),
        (
            paired_test(Effects.from_counts({1: 9, -1: 8}), alternative="greater"),
            "The data do not show that A is better than B (p = 0.5",
        ),
        (
            paired_test(Effects.from_counts({1: 9, -1: 8}), alternative="less"),
            "The data do not show that A is worse than B (p = 0.685",
        ),
        (paired_test([2, 2, 2], [1, 1, 1]), "Not testable: with 3 pairs that differ no result could be below p = 0.25"),
        (paired_test([1, 1], [1, 1]), "A and B are tied on every item; there is nothing to test (p = 1, 2 pairs)."),
        (EMPTY, "A and B are tied on every item; there is nothing to test"),
        (
            paired_test(Effects.from_counts({1: 20, -1: 9}), method="monte-carlo", n_resamples=99, rng=0),
            "Undecided at the 5 % level: the p-value is known only to be in [",
        ),
    ],
)
def test_verdicts(r, start):
    assert r.verdict.startswith(start), r.verdict
    assert r.verdict.endswith(".")


def test_verdict_where_lower_is_better():
    worse = {"errors": [3] * 20, "ref_length": [9] * 20}, {"errors": [1] * 20, "ref_length": [9] * 20}
    assert paired_test(*worse, metric="wer").verdict.startswith("B is better than A")
    assert paired_test(*worse, metric="wer", alternative="less").verdict.startswith("A is worse than B")


@pytest.mark.parametrize("alternative", problems.ALTERNATIVES)
@pytest.mark.parametrize("p", problems.TABLE, ids=lambda p: p.name)
def test_as_fraction_is_the_exact_answer(p, alternative):
    span = sum(abs(v) * c for v, c in p.counts.items())
    r = paired_test(p.effects, alternative=alternative)
    if span <= 10**6 or "common divisor" in p.tags:
        assert r.as_fraction() == p.exact(alternative)
        assert r.pvalue == pytest.approx(float(p.exact(alternative)), rel=1e-14)
    assert Fraction(r.pvalue_interval.low) <= p.exact(alternative) <= Fraction(r.pvalue_interval.high)


@pytest.mark.parametrize("seed", range(12))
def test_null_distribution_by_enumeration(seed):
    p = problems.random_problem("few items", seed)
    r = paired_test(p.effects)
    support, probabilities = r.null_distribution()
    exact = {d / p.n: Fraction(w, 2**p.n) for d, w in problems.enumerate_ways(p.counts).items()}
    assert (np.diff(support) > 0).all()
    found = dict(zip(support.tolist(), probabilities.tolist(), strict=True))
    assert set(exact) <= set(found)
    for value, probability in found.items():
        assert abs(probability - float(exact.get(value, 0))) <= 1e-15
    tail = math.fsum(q for x, q in found.items() if abs(x) >= abs(r.statistic))
    assert tail == pytest.approx(r.pvalue, abs=1e-14)


def test_null_distribution_of_nothing_and_of_too_much():
    law = paired_test([1, 1], [1, 1]).null_distribution()
    assert (law.support.tolist(), law.probabilities.tolist()) == ([0.0], [1.0])
    same = {"tp": [1, 2], "fp": [0, 1], "fn": [1, 0]}
    law = paired_test(same, same, metric="f1").null_distribution()
    assert (law.support.tolist(), law.probabilities.tolist()) == ([0.0], [1.0])
    with pytest.raises(ValueError, match="points; at most 1e"):
        paired_test(Effects.from_counts({10**9: 1, 1: 30})).null_distribution()
    in_space = paired_test([[3, 1], [2, 0], [4, 1], [1, 5]], [[1, 1], [2, 4], [0, 0], [3, 3]], metric="f1")
    with pytest.raises(ValueError, match="in 2 dimensions"):
        in_space.null_distribution()


def test_a_result_without_its_data_says_so():
    bare = dataclasses.replace(R, problem=None)
    for ask in (bare.as_fraction, bare.null_distribution):
        with pytest.raises(ValueError, match="does not hold the data of its test"):
            ask()


def test_a_line_is_taken_apart_as_it_was_put_together():
    parts = {"metric": "f1(pos_label='a|b:c')", "alternative": "two-sided", "items": "3"}
    assert parts_of(line_of(parts)) == parts
    assert line_of(parts).count("|") == 2


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "1.000"),
        (0.5, "0.500"),
        (0.1, "0.100"),
        (0.0082094, "0.0082"),
        (0.0204, "0.020"),
        (0.0598, "0.060"),
        (0.00012, "0.00012"),
        (4.5e-06, "4.5e-06"),
        (1e-299, "1.0e-299"),
    ],
)
def test_format_pvalue(p, text):
    assert format_pvalue(math.log(p)) == text


def test_format_pvalue_far_down():
    assert format_pvalue(-4512.3 * math.log(10)) == "10^-4512.3"
    assert format_pvalue(-math.inf) == "0"


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.04, 0.0400001, ("0.04", "0.0400001")),
        (0.25, 0.25, ("0.25", "0.25")),
        (1e-310, 1e-305, ("10^-310.0", "10^-305.0")),
    ],
)
def test_bounds_are_told_apart(low, high, shown):
    assert apart(math.log(low), math.log(high)) == shown


def test_threads_give_the_same_bits():
    rng = np.random.default_rng(0)
    data = [rng.integers(0, 9, (2, 300)) for _ in range(40)]

    def run(pair):
        r = paired_test(*pair)
        return r.pvalue, r.log_pvalue, r.pvalue_interval, tuple(r.null_distribution().probabilities)

    expected = [run(pair) for pair in data]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, data)) == expected
