"""`paired_test` as users call it."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from exactperm import Effects, Metric, SamplingWarning, paired_test

A = [12, 9, 15, 11, 8, 14, 10, 13]
B = [11, 9, 12, 10, 8, 11, 9, 12]


def test_fields():
    r = paired_test(A, B)
    assert r.statistic == 1.25
    assert r.scores == (11.5, 10.25)
    assert (r.n_items, r.n_groups, r.n_tied) == (8, 8, 2)
    assert r.pvalue == 1 / 32
    assert r.min_pvalue == 1 / 32
    assert r.as_fraction() == Fraction(1, 32)
    assert r.pvalue_interval.low <= 1 / 32 <= r.pvalue_interval.high
    assert (r.exact, r.alternative, r.metric) == (True, "two-sided", "mean")


@pytest.mark.parametrize(
    ("a", "b", "items"), [([], [], 0), ([4], [4], 1), ([1, 2, 3], [1, 2, 3], 3), (np.zeros(0), np.zeros(0), 0)]
)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", ["auto", "exact", "fourier", "monte-carlo"])
def test_nothing_to_test(a, b, items, alternative, method):
    r = paired_test(a, b, alternative=alternative, method=method)
    assert (r.pvalue, r.log_pvalue, r.min_pvalue, r.exact) == (1.0, 0.0, 1.0, True)
    assert r.pvalue_interval == (1.0, 1.0)
    assert (r.n_items, r.n_tied) == (items, items)
    assert r.as_fraction() == 1
    assert math.isnan(r.statistic) if items == 0 else r.statistic == 0.0


@pytest.mark.parametrize(("alternative", "p"), [("two-sided", 1.0), ("greater", 0.5), ("less", 1.0)])
def test_one_item(alternative, p):
    r = paired_test([5], [3], alternative=alternative)
    assert r.pvalue == p
    assert r.min_pvalue == (1.0 if alternative == "two-sided" else 0.5)


@pytest.mark.parametrize("n", [1, 2, 20, 1000, 2000, 100_000])
@pytest.mark.parametrize("method", ["auto", "fourier"])
def test_all_one_way(n, method):
    two_sided = paired_test(Effects.from_counts({3: n}), method=method)
    assert two_sided.log_pvalue == pytest.approx((1 - n) * math.log(2), rel=1e-14, abs=1e-14)
    greater = paired_test(Effects.from_counts({3: n}), alternative="greater", method=method)
    assert greater.log_pvalue == pytest.approx(-n * math.log(2), rel=1e-14)
    assert paired_test(Effects.from_counts({3: n}), alternative="less", method=method).pvalue == 1.0
    least = two_sided.pvalue_interval
    assert least.low <= two_sided.pvalue <= least.high
    if n > 1100:
        assert (two_sided.pvalue, least, two_sided.min_pvalue) == (0.0, (0.0, 5e-324), 0.0)


def test_effects_beyond_the_largest_double():
    """The p-value is as exact as any other; only the means cannot be said."""
    effects = Effects.from_counts({10**400: 1, -4: 1, 1: 1}, totals_b=14)
    result = paired_test(effects)
    assert result.as_fraction() == Fraction(3, 4)
    assert (result.statistic, result.scores) == (math.inf, (math.inf, 14 / 3))
    assert paired_test(effects.exchanged()).statistic == -math.inf
    assert json.loads(result.to_json())["statistic"] is None
    assert "A is better" in repr(paired_test(Effects.from_counts({10**400: 9})))


def test_statistic_zero():
    r = paired_test([1, 2, 3, 4], [2, 1, 4, 3])
    assert (r.statistic, r.pvalue) == (0.0, 1.0)
    assert paired_test([1, 2, 3, 4], [2, 1, 4, 3], alternative="greater").pvalue == 11 / 16


@pytest.mark.parametrize("metric", ["wer", "mean"])
def test_greater_means_better(metric):
    counts = {"errors": [1, 2, 0, 1], "ref_length": [9, 9, 9, 9]}, {"errors": [3, 3, 1, 2], "ref_length": [9, 9, 9, 9]}
    if metric == "mean":
        better = paired_test(counts[0]["errors"], counts[1]["errors"], alternative="greater")
        assert better.pvalue == 1.0
        return
    better = paired_test(*counts, metric="wer", alternative="greater")
    assert better.statistic < 0
    assert better.pvalue == 1 / 16
    assert not better.higher_is_better
    assert better.verdict.startswith("Not testable")


def test_effects_alone_give_the_same():
    a, b = np.array(A), np.array(B)
    assert paired_test(Effects.from_scores(a, b)).to_dict() == paired_test(A, B).to_dict()
    only_differences = paired_test(Effects.from_counts({1: 4, 3: 2, 0: 2}))
    assert only_differences.pvalue == paired_test(A, B).pvalue
    assert only_differences.scores == (None, None)


def test_counts_of_a_metric():
    x, y = np.array([[3, 1], [2, 2], [0, 1]]), np.array([[2, 1], [1, 2], [0, 2]])
    array = paired_test(x, y, metric="f1")
    mapping = paired_test({"tp": x[:, 0], "incorrect": x[:, 1]}, {"tp": y[:, 0], "incorrect": y[:, 1]}, metric="f1")
    assert array.to_dict() == mapping.to_dict()
    batch = paired_test(np.stack([x, x]), np.stack([y, x]), metric="f1", groups=[0, 0, 1], axis=-1)
    assert batch.pvalue.tolist() == [paired_test(x, y, metric="f1", groups=[0, 0, 1]).pvalue, 1.0]
    mine = Metric("mine", sums=("hits", "cost"), value=lambda hits, cost: hits / (1 + cost))
    r = paired_test({"hits": [3, 1], "cost": [0, 1]}, {"hits": [1, 1], "cost": [1, 2]}, metric=mine)
    assert (r.statistic, r.metric) == (1.5, "mine")


def test_axes():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, (2, 3, 7, 4))
    last = paired_test(a, b, axis=1)
    assert last.pvalue.shape == (3, 4)
    for i in range(3):
        for j in range(4):
            assert last.pvalue[i, j] == paired_test(a[i, :, j], b[i, :, j]).pvalue
    assert (paired_test(a, b, axis=-2).pvalue == last.pvalue).all()
    assert (paired_test(np.moveaxis(a, 1, 2), np.moveaxis(b, 1, 2)).pvalue == last.pvalue).all()
    assert paired_test(a[0, :, 0], b[0, :, 0], axis=0).pvalue == last.pvalue[0, 0]


def test_batches():
    batch = paired_test([[1, 2, 3], [1, 1, 1]], [[0, 0, 0], [1, 1, 1]])
    statistic, pvalue = batch
    assert statistic.tolist() == [2.0, 0.0]
    assert pvalue.tolist() == [0.25, 1.0]
    assert batch.signature.startswith("metric:mean|alternative:two-sided|method:")
    assert "tests:2" in batch.signature
    assert "batch of shape (2,)" in repr(batch)
    assert "<pre>" in batch._repr_html_()
    for ask in (lambda: batch.verdict, batch.as_fraction, batch.null_distribution, batch.to_markdown, batch.to_latex):
        with pytest.raises(ValueError, match="this is a batch of tests; ask for one test at a time"):
            ask()
    empty_tests = paired_test(np.zeros((2, 0), int), np.zeros((2, 0), int))
    assert empty_tests.pvalue.tolist() == [1.0, 1.0]


def test_sampling_is_never_silent():
    rng = np.random.default_rng(0)
    gold, a, b = rng.integers(0, 9, (3, 200))
    hits = [np.eye(9, dtype=int)[x] * np.eye(9, dtype=int)[gold] for x in (a, b)]
    names = tuple(f"s{i}" for i in range(9))
    mine = Metric("roots", sums=names, value=lambda *s: sum(np.sqrt(x) for x in s))
    with pytest.warns(SamplingWarning, match="no exact engine"):
        r = paired_test(*hits, metric=mine, rng=1)
    assert not r.exact
    assert r.method in r.signature
    assert "confidence:0.95" in r.signature
    assert r.pvalue_interval.low < r.pvalue < r.pvalue_interval.high


def test_the_signature_repeats_a_sampled_test():
    first = paired_test(A, B, method="monte-carlo", n_resamples=999)
    parts = dict(part.split(":", 1) for part in first.signature.split("|"))
    again = paired_test(A, B, method="monte-carlo", n_resamples=int(parts["n_resamples"]), rng=int(parts["seed"]))
    assert again.pvalue == first.pvalue
    assert parts["method"] == "monte-carlo"
    assert parts["items"] == "8"


def test_the_signature_of_an_exact_test():
    from exactperm import __version__

    parts = dict(part.split(":", 1) for part in paired_test(A, B, groups=[0, 0, 1, 1, 2, 2, 3, 3]).signature.split("|"))
    assert parts == {
        "metric": "mean",
        "alternative": "two-sided",
        "method": "meet-in-the-middle",
        "items": "8",
        "groups": "4",
        "tied": "0",
        "exactperm": __version__,
    }
    assert "unit:1/10" in paired_test([0.3, 0.5], [0.1, 0.2]).signature
