"""Effect sizes: by their definitions, their intervals against SciPy's, and what is not defined says why."""

import dataclasses
import inspect
import math

import numpy as np
import pytest
from scipy import stats

import exactperm as xp
from exactperm import metrics

NAMES = (
    "difference",
    "relative_error_reduction",
    "win_rate",
    "loss_rate",
    "tie_rate",
    "standardized_difference",
    "probability_of_superiority",
)


def right_or_wrong(n=150, seed=0):
    rng = np.random.default_rng(seed)
    return rng.binomial(1, 0.8, n), rng.binomial(1, 0.7, n)


def drawn_by_scipy(columns, statistic, seed=1):
    found = stats.bootstrap(columns, statistic, paired=True, vectorized=True, n_resamples=9999, method="BCa", rng=seed)
    return tuple(found.confidence_interval)


def close(interval, theirs, share=0.05):
    width = interval.high - interval.low
    return tuple(interval) == pytest.approx(theirs, abs=share * width)


def test_by_definition():
    a, b = right_or_wrong()
    found = xp.paired_test(a, b, metric="accuracy").effect_sizes()
    assert found.difference.estimate == pytest.approx(a.mean() - b.mean())
    assert found.relative_error_reduction.estimate == pytest.approx(1 - (1 - a.mean()) / (1 - b.mean()))
    rates = found.win_rate.estimate, found.loss_rate.estimate, found.tie_rate.estimate
    assert rates == pytest.approx(((a > b).mean(), (a < b).mean(), (a == b).mean()))
    assert found.standardized_difference.estimate == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
    assert found.probability_of_superiority.estimate == pytest.approx((a > b).mean() + (a == b).mean() / 2)
    assert (found.n_units, found.units, found.confidence_level) == (150, "items", 0.95)
    assert all(getattr(found, name).reason is None for name in NAMES)


def test_the_difference_has_the_interval_of_the_result():
    a, b = right_or_wrong()
    result = xp.paired_test(a, b)
    assert result.effect_sizes(0.9).difference.interval == result.confidence_interval(0.9)
    one_sided = xp.paired_test(a, b, alternative="greater")
    assert one_sided.effect_sizes(0.9).difference.interval == result.confidence_interval(0.9)


def test_rates_have_the_exact_binomial_interval():
    a, b = right_or_wrong()
    found = xp.paired_test(a, b, metric="accuracy").effect_sizes(0.9)
    sizes, hits = (found.win_rate, found.loss_rate, found.tie_rate), (a > b, a < b, a == b)
    for size, hit in zip(sizes, hits, strict=True):
        assert tuple(size.interval) == pytest.approx(tuple(stats.binomtest(int(hit.sum()), 150).proportion_ci(0.9)))
        assert size.interval.exact


def test_relative_error_reduction_within_the_noise_of_scipy():
    a, b = right_or_wrong()
    found = xp.paired_test(a, b, metric="accuracy").effect_sizes().relative_error_reduction
    theirs = drawn_by_scipy((a, b), lambda x, y, axis=-1: 1 - (1 - x.mean(axis)) / (1 - y.mean(axis)))
    assert close(found.interval, theirs)
    assert (found.interval.n_resamples, found.interval.seed) == (9999, 0)


def test_relative_error_reduction_of_error_rates():
    rng = np.random.default_rng(0)
    length = rng.integers(5, 30, 80)
    a, b = rng.binomial(length, 0.1), rng.binomial(length, 0.15)
    result = xp.paired_test({"errors": a, "ref_length": length}, {"errors": b, "ref_length": length}, metric="wer")
    found = result.effect_sizes().relative_error_reduction
    assert found.estimate == pytest.approx(1 - a.sum() / b.sum())
    assert close(found.interval, drawn_by_scipy((a, b), lambda x, y, axis=-1: 1 - x.sum(axis) / y.sum(axis)))
    assert result.effect_sizes().win_rate.estimate == (a < b).mean()  # fewer errors are better


def test_relative_error_reduction_in_groups_and_percent():
    a, b = right_or_wrong()
    groups = np.repeat(np.arange(30), 5)
    grouped = xp.paired_test(a, b, metric="squad_em", groups=groups).effect_sizes()
    single = xp.paired_test(a, b, metric="accuracy").effect_sizes()
    assert grouped.relative_error_reduction.estimate == pytest.approx(single.relative_error_reduction.estimate)
    assert grouped.difference.estimate == pytest.approx(100 * single.difference.estimate)
    assert (grouped.n_units, grouped.units) == (30, "groups")
    x, y = np.bincount(groups, a), np.bincount(groups, b)
    theirs = drawn_by_scipy((x, y), lambda x, y, axis=-1: 1 - (5 - x.mean(axis)) / (5 - y.mean(axis)))
    assert close(grouped.relative_error_reduction.interval, theirs)


def test_standardized_difference_within_the_noise_of_scipy():
    rng = np.random.default_rng(0)
    d = rng.geometric(0.3, 80) - 2
    found = xp.paired_test(d, np.zeros_like(d)).effect_sizes().standardized_difference
    theirs = drawn_by_scipy((d,), lambda x, axis=-1: x.mean(axis) / x.std(axis, ddof=1))
    assert close(found.interval, theirs)


@pytest.mark.parametrize("factor", [1, 10**30, 2.0**-40])
@pytest.mark.parametrize("away", [0, 10**6])
def test_standardized_difference_has_no_unit(factor, away):
    d = [3, -1, 0, 4, 4, -2, 9, 1]
    b = [(x + away) * factor for x in range(8)]
    a = [(x + away + y) * factor for x, y in zip(range(8), d, strict=True)]
    plain = xp.paired_test(d, [0] * 8).effect_sizes().standardized_difference
    found = xp.paired_test(a, b).effect_sizes().standardized_difference
    assert found.estimate == pytest.approx(plain.estimate)
    assert tuple(found.interval) == pytest.approx(tuple(plain.interval))


def test_probability_of_superiority_is_the_exact_bootstrap_of_signs():
    a, b = right_or_wrong()
    found = xp.paired_test(3 * a, b).effect_sizes().probability_of_superiority
    sign = np.sign(3 * a - b)
    low, high = xp.bootstrap(sign, np.zeros_like(sign))
    assert tuple(found.interval) == pytest.approx(((1 + low) / 2, (1 + high) / 2))
    assert found.interval.exact
    assert close(found.interval, drawn_by_scipy((sign,), lambda x, axis=-1: (1 + x.mean(axis)) / 2))


def test_counts_alone():
    table = {-1: 31, 0: 900, 2: 47}
    d = np.repeat(list(table), list(table.values()))
    whole = xp.paired_test(d, np.zeros_like(d), metric="accuracy").effect_sizes()
    counted = xp.paired_test(xp.Effects.from_counts(table, totals_b=0), metric="accuracy").effect_sizes()
    for name in set(NAMES) - {"relative_error_reduction"}:
        assert getattr(counted, name) == getattr(whole, name)
    size = counted.relative_error_reduction
    assert size.estimate == pytest.approx(whole.relative_error_reduction.estimate)
    assert size.interval is None
    assert "needs the single items" in size.reason
    unknown = xp.paired_test(xp.Effects.from_counts(table), metric="accuracy").effect_sizes()
    assert unknown.relative_error_reduction == dataclasses.replace(
        size, estimate=None, reason="the values of both systems are not known"
    )


def test_ratios_say_what_is_not_defined():
    rng = np.random.default_rng(0)
    a, b = ({"tp": rng.integers(1, 5, 40), "fp": rng.integers(0, 3, 40), "fn": np.zeros(40, int)} for _ in range(2))
    b["fn"], b["tp"] = a["tp"] - np.minimum(a["tp"], b["tp"]), np.minimum(a["tp"], b["tp"])
    found = xp.paired_test(a, b, metric="f1").effect_sizes()
    assert found.difference.interval.method == "BCa"
    assert found.relative_error_reduction.interval is not None
    for size in (found.win_rate, found.loss_rate, found.tie_rate, found.probability_of_superiority):
        assert (size.estimate, size.interval) == (None, None)
        assert size.reason == "by f1 a unit alone does not say who is better on it"
    assert "f1 is no mean" in found.standardized_difference.reason


@pytest.mark.parametrize("n", [2, 7])
def test_all_ties_and_all_alike(n):
    tied = xp.paired_test([1] * n, [1] * n).effect_sizes()
    assert tied.difference.estimate == 0.0
    assert tied.difference.reason.startswith("no interval is defined: the difference is the same on every item")
    assert tied.standardized_difference.estimate is None
    assert tied.probability_of_superiority.estimate == 0.5
    assert tied.probability_of_superiority.interval is None
    assert tied.tie_rate.interval.high == 1.0
    ahead = xp.paired_test([2] * n, [1] * n).effect_sizes()
    assert (ahead.win_rate.estimate, ahead.probability_of_superiority.estimate) == (1.0, 1.0)
    assert ahead.standardized_difference.estimate is None
    assert not [x for x in flat(ahead.to_dict()) if isinstance(x, float) and math.isnan(x)]


def flat(value):
    return [y for x in value.values() for y in flat(x)] if isinstance(value, dict) else [value]


def test_no_error_to_reduce_and_none_known():
    a, b = [1, 0, 1, 1], [1, 1, 1, 1]
    size = xp.paired_test(a, b, metric="accuracy").effect_sizes().relative_error_reduction
    assert (size.estimate, size.reason) == (None, "B makes no error that could be less")
    size = xp.paired_test(a, b).effect_sizes().relative_error_reduction
    assert size.reason == "nothing says what value of mean is without error; Metric(..., perfect=...) does"
    own = xp.Metric("stars", ("stars",), additive=True, perfect=5)
    size = xp.paired_test([5, 4, 4], [4, 3, 3], metric=own).effect_sizes().relative_error_reduction
    assert size.estimate == pytest.approx(1 - (5 - 13 / 3) / (5 - 10 / 3))


def test_what_is_perfect():
    """1 where more is better, 0 for error rates, 100 for scores in percent that are not scaled."""
    given = {"labels": ["x", "y"], "beta": 2}
    others = {"mean": None, "bleu": 100, "chrf": 100, "chrf++": 100}
    for name in metrics.names():
        metric = metrics.get(name, **{key: given[key] for key in required(name)})
        for form in (metric, *metric.forms):
            assert form.perfect == others.get(name, 1 if metric.higher_is_better else 0), name


def required(name):
    return {key for key, default in metrics.options(name).items() if default is inspect.Parameter.empty}


def test_repr_and_dictionary():
    a, b = right_or_wrong(40)
    found = xp.paired_test(a, b, metric="mean").effect_sizes(n_resamples=200)
    lines = repr(found).splitlines()
    assert lines[0].split() == ["40", "items", "estimate", "low", "high", "method"]
    assert [line.split("  ")[0] for line in lines[1:8]] == [name.replace("_", " ") for name in NAMES]
    assert lines[8] == f"relative error reduction: {found.relative_error_reduction.reason}"
    plain = found.to_dict()
    assert plain["difference"] == {
        "estimate": found.difference.estimate,
        "low": found.difference.interval.low,
        "high": found.difference.interval.high,
        "method": "inversion",
        "reason": None,
    }
    assert (plain["schema"], plain["n_units"], plain["units"]) == (1, 40, "items")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.units = "groups"


def test_the_seed_is_fixed_and_can_be_given():
    a, b = right_or_wrong(150)
    result = xp.paired_test(a, b)
    assert result.effect_sizes() == result.effect_sizes()
    drawn = result.effect_sizes(n_resamples=300, rng=None).standardized_difference.interval
    again = result.effect_sizes(n_resamples=300, rng=drawn.seed).standardized_difference.interval
    assert again == drawn
    assert again.n_resamples == 300


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_levels_that_are_none(level):
    with pytest.raises(ValueError, match="confidence_level must be a number between 0 and 1"):
        xp.paired_test([1, 2, 3], [0, 0, 4]).effect_sizes(level)


def test_a_margin_changes_no_effect_size_and_tasks_have_their_own():
    a, b = right_or_wrong(40)
    moved = xp.paired_test(a, b, margin=0.1, alternative="greater").effect_sizes(n_resamples=99)
    assert moved == xp.paired_test(a, b).effect_sizes(n_resamples=99)
    tasks = xp.macro_test({"x": (a, b), "y": (b, a)})
    with pytest.raises(ValueError, match="effect sizes are of one task"):
        tasks.effect_sizes()


def test_bad_input():
    result = xp.paired_test([1, 2, 3], [0, 0, 4])
    with pytest.raises(ValueError, match="n_resamples must be a positive integer"):
        result.effect_sizes(n_resamples=0)
    with pytest.raises(ValueError, match="batch"):
        xp.paired_test(np.ones((3, 4)), np.zeros((3, 4))).effect_sizes()
    with pytest.raises(ValueError, match="effect sizes are not defined without items"):
        xp.paired_test([], []).effect_sizes()
