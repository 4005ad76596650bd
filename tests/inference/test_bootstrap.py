"""Bootstrap intervals: exact against all resamples and against SciPy's, sampled against the exact ones."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import exactperm as xp
from exactperm.inference import bootstrap, exact_bootstrap, multinomial_bootstrap
from exactperm.inference.exact_bootstrap import ResampledSum

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


def all_sums(d):
    """The sums of all N^N resamples, in increasing order."""
    sums = np.zeros(1, dtype=np.int64)
    for _ in d:
        sums = (sums[:, None] + np.array(d)).ravel()
    return np.sort(sums)


def expected(d, level, method):
    """The interval from all resamples, with SciPy's half-tie bias and jackknife."""
    sums, n = all_sums(d), len(d)
    tail = (1 - Fraction(str(level))) / 2
    levels = [tail, 1 - tail]
    if method == "BCa":
        share = Fraction(int((sums < sum(d)).sum() + (sums <= sum(d)).sum()), 2 * len(sums))
        z0 = stats.norm.ppf(float(share))
        left = np.array([(sum(d) - x) / (n - 1) for x in d])
        u = left.mean() - left
        a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
        z = z0 + stats.norm.ppf([float(x) for x in levels])
        levels = stats.norm.cdf(z0 + z / (1 - a * z))
    # the smallest with P(S <= x) >= level, and the largest with P(S >= x) >= 1 - level
    low = sums[max(math.ceil(levels[0] * len(sums) - 1e-9), 1) - 1]
    high = sums[::-1][max(math.ceil((1 - levels[1]) * len(sums) - 1e-9), 1) - 1]
    return low / n, high / n


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-5, 5), min_size=2, max_size=6).filter(lambda d: len(set(d)) > 1),
    st.sampled_from(LEVELS),
    st.sampled_from(["percentile", "BCa"]),
)
def test_equals_all_resamples(d, level, method):
    interval = xp.bootstrap(d, [0] * len(d), confidence_level=level, method=method)
    assert interval.exact
    assert tuple(interval) == pytest.approx(expected(d, level, method), rel=1e-14, abs=1e-300)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_equals_all_resamples_of_seven_items(method):
    d = [3, -1, 0, 4, 4, -2, 9]
    interval = xp.bootstrap(d, [0] * 7, method=method)
    assert tuple(interval) == pytest.approx(expected(d, 0.95, method), rel=1e-14)


@pytest.mark.parametrize("d", [[3, -1, 0, 4, 4], [0, 0, 1], [7, -7], [100, 1, 1, 1, 1, 1]])
def test_the_law_is_that_of_all_resamples(d):
    values, counts = np.unique(d, return_counts=True)
    law = ResampledSum.of(values, counts)
    sums = all_sums(d)
    for total in range(int(sums[0]) - 1, int(sums[-1]) + 2):
        low, high = law.share_below(total)
        assert low == high
        true = ((sums < total).mean() + (sums <= total).mean()) / 2
        assert abs(low - true) <= law.error < 1e-12


@pytest.fixture(scope="module")
def million():
    """Skewed differences and a million resamples of their mean by SciPy."""
    rng = np.random.default_rng(3)
    d = rng.negative_binomial(3, 0.3, 40) - 5
    return d, stats.bootstrap((d,), np.mean, n_resamples=10**6, method="percentile", rng=rng, batch=10**5)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_within_the_noise_of_scipy(million, method, alternative):
    d, drawn = million
    theirs = stats.bootstrap(
        (d,), np.mean, n_resamples=0, bootstrap_result=drawn, method=method, alternative=alternative
    ).confidence_interval
    mine = xp.bootstrap(d, np.zeros_like(d), method=method, alternative=alternative)
    # a quantile at level q of R draws is off by sqrt(q (1 - q) / R) / density, and by a step of the law
    noise = 5 * drawn.standard_error * math.sqrt(0.05 * 0.95 / 10**6) / 0.05 + 1 / 40
    for x, y in zip(mine, theirs, strict=True):
        assert x == y or abs(x - y) <= noise


def test_coarse_law_holds_the_fine_one(monkeypatch):
    rng = np.random.default_rng(0)
    d = rng.integers(-1000, 1000, 300)
    fine = {m: xp.bootstrap(d, np.zeros_like(d), method=m) for m in ("percentile", "BCa")}
    monkeypatch.setattr(exact_bootstrap, "MOST_POINTS", 20_000)
    for method, exact in fine.items():
        coarse = xp.bootstrap(d, np.zeros_like(d), method=method)
        assert exact.exact
        assert not coarse.exact
        assert coarse.low <= exact.low <= coarse.low + coarse.tolerance
        assert coarse.high >= exact.high >= coarse.high - coarse.tolerance
        assert coarse.tolerance < 0.2 * (exact.high - exact.low)


def test_real_scores_off_any_grid_say_so():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 400))
    interval = xp.bootstrap(a, b)
    assert not interval.exact
    assert 0 < interval.tolerance < 0.01 * (interval.high - interval.low)
    theirs = stats.bootstrap((a - b,), np.mean, n_resamples=10_000, rng=1).confidence_interval
    assert tuple(interval) == pytest.approx(tuple(theirs), abs=0.03 * (interval.high - interval.low))


def test_on_a_grid_real_scores_are_exact():
    a, b = [0.3, 0.5, 0.1, 0.7], [0.1, 0.6, 0.1, 0.3]
    interval = xp.bootstrap(a, b)
    assert interval.exact
    whole = xp.bootstrap([round(10 * x) for x in a], [round(10 * x) for x in b])
    assert tuple(interval) == pytest.approx((whole.low / 10, whole.high / 10), rel=1e-14)


def test_exchange_of_the_systems_mirrors_the_interval():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (2, 50))
    assert tuple(xp.bootstrap(b, a)) == pytest.approx(tuple(-x for x in xp.bootstrap(a, b)[::-1]), rel=1e-13)


def test_counts_alone_are_enough_for_means():
    table = {-1: 31, 0: 900, 2: 47}
    d = np.repeat(list(table), list(table.values()))
    assert xp.bootstrap(xp.Effects.from_counts(table)) == xp.bootstrap(d, np.zeros_like(d))


# -- what has to be sampled ------------------------------------------------------------------------------------


def f1_counts(n, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 6, n)
    systems = []
    for share in (0.8, 0.7):
        tp = rng.binomial(gold, share)
        systems.append({"tp": tp, "fp": rng.poisson(0.8, n), "fn": gold - tp})
    return systems


def f1(tp, fp, fn):
    return 2 * tp / (2 * tp + fp + fn)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_ratio_within_the_noise_of_scipy(method):
    a, b = f1_counts(100)
    columns = [*a.values(), *b.values()]

    def difference(*sums, axis=-1):
        totals = [x.sum(axis=axis) for x in sums]
        return f1(*totals[:3]) - f1(*totals[3:])

    theirs = stats.bootstrap(
        columns, difference, paired=True, vectorized=True, n_resamples=20_000, method=method, rng=0, batch=2000
    )
    mine = xp.paired_test(a, b, metric="f1").confidence_interval(method=method, n_resamples=20_000, rng=1)
    width = mine.high - mine.low
    assert tuple(mine) == pytest.approx(tuple(theirs.confidence_interval), abs=0.04 * width)
    assert mine.estimate == pytest.approx(difference(*columns), rel=1e-12)
    assert not mine.exact
    assert (mine.n_resamples, mine.seed) == (20_000, 1)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_sampled_agrees_with_exact_where_both_can(method):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (2, 100))
    exact = xp.bootstrap(a, b, method=method)
    groups = np.arange(100)
    problem = xp.paired_test(a, b, groups=groups).problem
    drawn = bootstrap._sampled(problem, 0.95, method, 40_000, 0)
    assert tuple(drawn) == pytest.approx(tuple(exact), abs=0.03 * (exact.high - exact.low))


def test_groups_are_drawn_whole():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), rng.integers(1, 8, 40))
    d = np.random.default_rng(1).integers(-3, 4, 40)[groups]  # all items of a group alike
    grouped = xp.bootstrap(d, np.zeros_like(d), groups=groups, rng=0)
    single = xp.bootstrap(d, np.zeros_like(d))
    assert not grouped.exact  # the mean over groups of unequal size is a ratio
    assert grouped.high - grouped.low > 1.5 * (single.high - single.low)
    sums, sizes = np.bincount(groups, d), np.bincount(groups)
    theirs = stats.bootstrap(
        (sums, sizes), lambda s, m, axis=-1: s.sum(axis) / m.sum(axis), paired=True, vectorized=True, rng=0
    ).confidence_interval
    assert tuple(grouped) == pytest.approx(tuple(theirs), abs=0.05 * (grouped.high - grouped.low))


def test_groups_of_one_size_are_exact():
    a, b = np.random.default_rng(0).integers(0, 5, (2, 30))
    groups = np.repeat(np.arange(10), 3)
    d = np.bincount(groups, a - b).astype(int)
    grouped, summed = xp.bootstrap(a, b, groups=groups), xp.bootstrap(d, np.zeros_like(d))
    assert grouped.exact
    assert tuple(grouped) == pytest.approx((summed.low / 3, summed.high / 3), rel=1e-14)


@pytest.mark.parametrize("distinct", ["few", "many"])
def test_order_of_items_and_exchange(distinct):
    a, b = f1_counts(200) if distinct == "many" else ({k: v % 2 + 1 for k, v in x.items()} for x in f1_counts(600))
    order = np.random.default_rng(9).permutation(len(a["tp"]))
    shuffled = ({k: v[order] for k, v in x.items()} for x in (a, b))
    options = {"metric": xp.Metric("mine", ("tp", "fp", "fn"), value=f1), "n_resamples": 500, "rng": 5}
    interval = xp.bootstrap(a, b, **options)
    assert xp.bootstrap(*shuffled, **options) == interval
    assert xp.bootstrap(b, a, **options) == (-interval.high, -interval.low)


def test_none_draws_a_seed_that_repeats():
    a, b = f1_counts(30)
    first = xp.bootstrap(a, b, metric="f1", n_resamples=200)
    assert xp.bootstrap(a, b, metric="f1", n_resamples=200, rng=first.seed) == first


# -- the interval itself, and bad input ------------------------------------------------------------------------


def test_unpacks_pickles_and_says_what_it_is():
    interval = xp.bootstrap([1, 2, 3, 5], [0, 0, 4, 1])
    low, high = interval
    assert isinstance(interval, xp.Interval)
    assert (low, high) == (interval.low, interval.high)
    again = pickle.loads(pickle.dumps(interval))
    assert again == interval
    assert again.__dict__ == interval.__dict__
    assert (again.method, again.confidence_level, again.estimate) == ("BCa", 0.95, 1.5)
    assert repr(again).startswith("ConfidenceInterval(low=")


@pytest.mark.parametrize("level", [0, 1, 95, -0.1, math.nan, True])
@pytest.mark.parametrize("method", ["inversion", "BCa"])
def test_levels_that_are_none(level, method):
    with pytest.raises(ValueError, match="confidence_level must be a number between 0 and 1, not"):
        xp.bootstrap([1, 2, 3], [0, 0, 4], confidence_level=level, method=method)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="method must be one of auto, inversion, BCa, percentile; not 'basic'"):
        xp.bootstrap([1, 2], [0, 0], method="basic")
    with pytest.raises(ValueError, match='alternative must be "two-sided", "greater" or "less"'):
        xp.bootstrap([1, 2], [0, 0], alternative="larger")
    with pytest.raises(ValueError, match="no interval is defined for 1 item"):
        xp.bootstrap([1], [0])
    with pytest.raises(ValueError, match="no interval is defined for 1 group"):
        xp.bootstrap([1, 2], [0, 0], groups=["x", "x"])
    with pytest.raises(ValueError, match="a batch of shape"):
        xp.bootstrap(np.ones((3, 2)), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="a and b must hold the same items"):
        xp.bootstrap([1, 2, 3], [0, 0])
    with pytest.raises(ValueError, match="missing values"):
        xp.bootstrap([1, 2, math.nan], [0, 0, 1])
    with pytest.raises(ValueError, match="n_resamples must be a positive integer"):
        xp.bootstrap(*f1_counts(9), metric="f1", n_resamples=0)
    with pytest.raises(TypeError, match="b is missing"):
        xp.bootstrap([1, 2])


ALIKE = {"tp": [1, 1], "fp": [1, 1], "fn": [0, 0]}


@pytest.mark.parametrize(
    ("a", "b", "options", "why"),
    [
        (ALIKE, {**ALIKE, "tp": [0, 0], "fn": [1, 1]}, {}, "all items are alike"),
        (
            {**ALIKE, "tp": [1, 3]},
            {**ALIKE, "tp": [1, 3]},
            {"method": "BCa"},
            "the statistic is the same whichever item",
        ),
        (*f1_counts(9), {"method": "BCa", "n_resamples": 1}, "the estimate lies beyond all of its bootstrap law"),
        ([9] + [0] * 30, [0] * 31, {"method": "BCa", "confidence_level": 1 - 1e-11}, "the acceleration 0.158 is too"),
    ],
)
def test_where_there_is_no_interval_it_says_why(a, b, options, why):
    metric = "f1" if isinstance(a, dict) else None
    with pytest.raises(ValueError, match=f"no (BCa )?interval is defined: {why}"):
        xp.paired_test(a, b, metric=metric).confidence_interval(**{"confidence_level": 0.95, "rng": 0, **options})


def test_resamples_that_tie_with_an_estimate_of_zero_count_by_half():
    drawn = multinomial_bootstrap.Resampled(0.0, np.array([-1.0, 0.0, 0.0, 2.0, 3.0]), np.zeros(2), np.ones(2), 0)
    assert drawn._share_below() == 2 / 5


def test_ratio_of_counts_only_needs_the_items():
    effects = xp.Effects.from_counts({(1, 0): 5, (0, 1): 3}, totals_a=(9, 9), names=("correct", "total"))
    with pytest.raises(ValueError, match="needs the single items"):
        xp.bootstrap(effects, metric=xp.Metric("mine", ("correct", "total"), value=lambda c, t: c / t))


def test_batches_have_no_interval():
    with pytest.raises(ValueError, match="batch"):
        xp.paired_test(np.ones((3, 4)), np.zeros((3, 4))).confidence_interval()


def test_resamples_without_a_value():
    a, b = {"hits": [1, 0, 0], "shots": [1, 0, 0]}, {"hits": [0, 1, 0], "shots": [0, 1, 0]}
    share = xp.Metric("share", ("hits", "shots"), value=lambda hits, shots: hits / shots)
    with pytest.raises(ValueError, match=r"no interval is defined: the statistic has no value on \d+ of 500 resamples"):
        xp.bootstrap(a, b, metric=share, n_resamples=500, method="percentile", rng=0)
