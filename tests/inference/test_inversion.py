"""The interval by inversion is the set of shifts that the exact test does not reject."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactperm as xp
from exactperm.engines.base import CannotAnswer
from exactperm.inference import inversion, shifted
from shift_model import data, pvalue

LEVELS = (0.0625, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95)


def candidates(d, m):
    """The shifts at which p may jump, and one between any two of them, and beyond."""
    sets = [s for size in range(1, len(d) + 1) for s in itertools.combinations(range(len(d)), size)]
    means = sorted({Fraction(sum(d[i] for i in s), sum(m[i] for i in s)) for s in sets})
    between = [(x + y) / 2 for x, y in itertools.pairwise(means)]
    return sorted([means[0] - 1, *means, *between, means[-1] + 1])


def check(d, m, level, alternative):
    interval = xp.paired_test(*data(d, m)[:2], groups=data(d, m)[2], alternative=alternative).confidence_interval(level)
    alpha = 1 - Fraction(str(level))
    shifts = candidates(d, m)
    kept = [shift for shift in shifts if pvalue(d, m, shift, alternative) > alpha]
    # one interval without gaps
    assert kept == shifts[shifts.index(kept[0]) : shifts.index(kept[-1]) + 1]
    # its ends, rounded outward and by no more than that
    for end, last, beyond, sign in ((interval.low, kept[0], shifts[0], -1), (interval.high, kept[-1], shifts[-1], 1)):
        if last == beyond:
            assert end == sign * math.inf
        else:
            assert sign * (Fraction(end) - last) >= 0
            assert abs(Fraction(end) - last) <= Fraction(math.ulp(float(last)))
    return interval


differences = st.lists(st.integers(-6, 6), min_size=2, max_size=6).filter(lambda d: len(set(d)) > 1)
sides = st.sampled_from(["two-sided", "greater", "less"])


@settings(max_examples=60, deadline=None)
@given(differences, st.sampled_from(LEVELS), sides)
def test_equals_the_set_of_shifts_not_rejected(d, level, alternative):
    assert check(d, [1] * len(d), level, alternative).exact


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-6, 6), st.integers(1, 3)), min_size=2, max_size=6), st.sampled_from(LEVELS), sides
)
def test_groups_of_unequal_size(groups, level, alternative):
    d, m = zip(*groups, strict=True)
    if len({Fraction(x, size) for x, size in groups}) > 1:
        assert check(d, m, level, alternative).exact


@pytest.mark.parametrize(
    "d",
    [
        [2**61, -(2**60)],
        [3 * 10**25 + 1, -2 * 10**25, 10**25 - 2, 0, 0],
        [10**6, 10**6 + 1, 10**6, 10**6, 10**6 + 1],
        [0, 0, 0, 0, 3],
        [7, -7, 7, 0, -7],
    ],
    ids=["huge", "huge and odd", "far from zero", "ties but one", "two magnitudes"],
)
@pytest.mark.parametrize("level", [0.0625, 0.5, 0.9])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_awkward_differences(d, level, alternative):
    assert check(d, [1] * len(d), level, alternative).exact
    assert check(d, [1, 3, 2, 1, 2][: len(d)], level, alternative).exact


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", [0.25, 0.8, 0.9])
@pytest.mark.parametrize("m", [[1] * 7, [1, 3, 2, 1, 2, 4, 1]], ids=["items", "groups"])
@pytest.mark.parametrize("limit", ["inference.shifted.SMALL", "engines.torus.MOST_LINES", None])
def test_between_two_bounds_the_whole_set_is_held(level, alternative, m, limit, monkeypatch):
    """With the bracket alone, which knows p between two bounds: the torus is not asked, or gives up."""

    def give_up(*_):
        assert limit is None
        raise CannotAnswer

    monkeypatch.setattr(shifted, "QUICK", 0.0)
    monkeypatch.setattr(shifted.Torus, "answer", give_up)
    if limit is not None:
        monkeypatch.setattr(f"exactperm.{limit}", 0)
    d = [3, -1, 0, 9, 4, -2, 6]
    a, b, groups = data(d, m)
    interval = xp.paired_test(a, b, groups=groups, alternative=alternative).confidence_interval(level)
    assert interval.exact == (interval.tolerance == 0)
    alpha = 1 - Fraction(str(level))
    kept = [shift for shift in candidates(d, m) if pvalue(d, m, shift, alternative) > alpha]
    for end, last, sign in ((interval.low, kept[0], -1), (interval.high, kept[-1], 1)):
        if math.isfinite(end):
            assert 0 <= sign * (Fraction(end) - last) <= interval.tolerance + math.ulp(end)
    assert interval.tolerance < 1


@pytest.mark.parametrize("d", [[3, -1, 0, 4, 4, -2, 6], [0, 0, 1, 1, 1, 1], [5, 5, -2, 1, 0]])
@pytest.mark.parametrize("level", [0.5, 0.8])
def test_the_torus_finds_the_same(d, level, monkeypatch):
    monkeypatch.setattr(shifted, "QUICK", 0.0)
    assert check(d, [1] * len(d), level, "two-sided").exact


def test_the_ends_divide_rejected_from_accepted():
    """Past brute force: shift the data to just inside and outside of the ends, and test them."""
    d = np.random.default_rng(1).integers(-9, 10, 60) + 1
    interval = xp.paired_test(d, np.zeros_like(d)).confidence_interval(0.9)
    assert interval.exact
    for end, sign in ((interval.low, 1), (interval.high, -1)):
        inside, outside = Fraction(end + sign * 1e-12), Fraction(end - sign * 1e-12)
        assert shifted_test(d, inside).pvalue > 0.1 >= shifted_test(d, outside).pvalue


def test_the_bracket_reaches_outward_and_says_how_far():
    d = np.random.default_rng(1).integers(-90_000, 100_000, 100)
    interval = xp.paired_test(d, np.zeros_like(d)).confidence_interval(0.9)
    assert not interval.exact
    assert 0 < interval.tolerance < 1e-3 * (interval.high - interval.low)
    for end, sign in ((interval.low, 1), (interval.high, -1)):
        inside, outside = Fraction(end + sign * 1.01 * interval.tolerance), Fraction(end)
        assert shifted_test(d, inside).pvalue_interval.high > 0.1
        assert shifted_test(d, outside).pvalue_interval.low <= 0.1
        # and not by chance: well outside of the bracket of p
        assert shifted_test(d, Fraction(end - sign * interval.tolerance)).pvalue_interval.high <= 0.1
        assert shifted_test(d, Fraction(end + sign * 2 * interval.tolerance)).pvalue_interval.low > 0.1


def shifted_test(d, shift):
    moved = [int(x) * shift.denominator - shift.numerator for x in d]
    few = len(d) <= 60
    method = "meet-in-the-middle" if few else "bracket"
    return xp.paired_test(np.array(moved, dtype=object), np.zeros(len(d), dtype=int), method=method)


def test_ten_thousand_items_are_exact():
    rng = np.random.default_rng(0)
    a, b = rng.binomial(4, 0.5, 10_000), rng.binomial(4, 0.49, 10_000)
    interval = xp.paired_test(a, b).confidence_interval()
    assert interval.exact
    error = (a - b).std() / 100
    assert interval.low == pytest.approx(interval.estimate - 1.96 * error, abs=0.02 * error)
    assert interval.high == pytest.approx(interval.estimate + 1.96 * error, abs=0.02 * error)


def test_real_scores_off_any_grid():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    interval = xp.paired_test(a, b).confidence_interval()
    assert not interval.exact
    assert 0 < interval.tolerance < 1e-3 * (interval.high - interval.low)
    few = xp.paired_test(a[:12], b[:12]).confidence_interval()
    assert few.exact
    # the k-th smallest of the means of all sets, k = 0.025 * 2^12
    d = a[:12] - b[:12]
    sets = (np.arange(1, 2**12)[:, None] >> np.arange(12)) & 1
    means = np.sort(sets @ d / sets.sum(axis=1))
    assert few.low == pytest.approx(means[102 - 1], rel=1e-12)
    assert few.high == pytest.approx(means[-102], rel=1e-12)


def test_real_scores_in_groups_of_unequal_size():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 30))
    groups = np.repeat(np.arange(12), [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4])
    interval = xp.paired_test(a, b, groups=groups).confidence_interval()
    sets = (np.arange(1, 2**12)[:, None] >> np.arange(12)) & 1
    means = np.sort(sets @ np.bincount(groups, a - b) / (sets @ np.bincount(groups)))
    assert interval.low == pytest.approx(means[102 - 1], rel=1e-12)
    assert interval.high == pytest.approx(means[-102], rel=1e-12)


def test_units_and_direction():
    a, b = [0.3, 0.5, 0.1, 0.7, 0.9, 0.2, 0.6], [0.1, 0.6, 0.1, 0.3, 0.2, 0.1, 0.2]
    whole = [round(10 * x) for x in a], [round(10 * x) for x in b]
    fine, coarse = xp.paired_test(a, b).confidence_interval(), xp.paired_test(*whole).confidence_interval()
    assert fine == pytest.approx((coarse.low / 10, coarse.high / 10), rel=1e-15)
    mirrored = xp.paired_test(b, a).confidence_interval()
    assert tuple(mirrored) == (-fine.high, -fine.low)
    lower = xp.metrics.get("mean", higher_is_better=False)
    better = xp.paired_test(a, b, metric=lower, alternative="greater").confidence_interval()
    assert better == xp.paired_test(a, b, alternative="less").confidence_interval()
    assert better.low == -math.inf


def test_one_sided_ends_leave_the_whole_of_alpha():
    a, b = [3, 5, 1, 7, 9, 2, 6, 4], [1, 6, 1, 3, 2, 1, 2, 4]
    one = xp.paired_test(a, b, alternative="greater").confidence_interval(0.95)
    two = xp.paired_test(a, b).confidence_interval(0.9)
    assert one == (two.low, math.inf)


def test_an_end_at_zero_has_no_sign():
    assert "(low=0, " in repr(xp.paired_test([1, 1, 1, 0, 0, 0, 0], [0] * 7).confidence_interval(0.9))


def test_too_few_items_for_a_bound():
    assert xp.paired_test([1, 2, 3], [0, 0, 5]).confidence_interval(0.95) == (-math.inf, math.inf)


@pytest.mark.parametrize(("a", "b"), [([1, 2, 3], [1, 2, 3]), ([2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6])])
@pytest.mark.parametrize("method", ["inversion", "BCa", "percentile"])
def test_all_differences_alike(a, b, method):
    with pytest.raises(ValueError, match="no interval is defined: the difference is the same on every item"):
        xp.paired_test(a, b).confidence_interval(method=method)


def test_not_for_ratios():
    a, b = {"tp": [5, 3], "fp": [1, 0], "fn": [0, 2]}, {"tp": [4, 3], "fp": [2, 1], "fn": [1, 2]}
    with pytest.raises(ValueError, match=r"method='inversion' is for means.*'f1' use method='BCa'"):
        xp.paired_test(a, b, metric="f1").confidence_interval(method="inversion")


def test_compare_is_decided_outside_the_rounding_only():
    from exactperm.engines.base import Tail

    half = Fraction(1, 2)
    assert inversion.compare(Tail.from_fraction(half), half) == -1
    log = math.log(0.5)
    assert inversion.compare(Tail(log - 1e-3, log, log + 1e-3), half) == 0
    assert inversion.compare(Tail(log + 1e-3, log + 2e-3, log + 3e-3), half) == 1
    assert inversion.compare(Tail(log - 3e-3, log - 2e-3, log - 1e-3), half) == -1
