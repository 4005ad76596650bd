"""The bracket holds the truth on everything that can be counted, and is as narrow as the atoms of the law allow."""

import math
from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest

from exactperm.engines import bracket_bounds, bracket_frequencies, bracket_selberg
from exactperm.engines.base import Options, Question, log_fraction
from exactperm.engines.bracket import Bracket, _lump
from exactperm.engines.bracket_bounds import Bounds
from exactperm.engines.bracket_dominant import Problem, toss_dominating
from exactperm.engines.bracket_frequencies import Search, Signs
from exactperm.engines.bracket_selberg import WrappedLaw, _bounds
from exactperm.engines.bracket_tilt import Tilted, solve
from exactperm.lattice import Lattice
from exactperm.region import Runs
from sloppy import WAYS, spoil


def lattice_of(effects, rounding=0):
    steps, counts = np.unique(np.array(effects), return_counts=True)
    basis = np.array([[1]], dtype=steps.dtype)
    return Lattice(steps[:, None], counts, basis, (0,), rounding)


def upper_tail(lattice, threshold, tolerance=1e-3, mirrored=False):
    region = Runs(((threshold, lattice.span[0]),), mirrored)
    question = Question(lattice, region, Options(tolerance=tolerance))
    assert Bracket().obstacle(question) is None
    return Bracket().answer(question)


def subset_sums(effects):
    sums = np.zeros(1, dtype=np.int64)
    for effect in effects:
        sums = np.concatenate([sums, sums + effect])
    return np.sort(sums)


def count_at_least(left, right, threshold):
    """How many pairs of half-sums reach the threshold: exact integers."""
    return int((len(right) - np.searchsorted(right, threshold - left)).sum())


@pytest.mark.parametrize("n", [80, 250])
@pytest.mark.parametrize("share", [0.5, 0.52, 0.6, 0.8])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-6])
def test_agrees_with_exact_convolution(n, share, tolerance):
    effects = np.random.default_rng(n).integers(1, 20, n)
    counts = [1]
    for effect in effects.tolist():  # polynomial in 2^(n+1): big-integer convolution
        counts = [counts[0] + (counts[0] << ((n + 1) * effect))]
    packed, mask, span = counts[0], (1 << (n + 1)) - 1, int(effects.sum())
    threshold = int(share * span) + 1
    numerator = sum((packed >> ((n + 1) * x)) & mask for x in range(threshold, span + 1))
    tail = upper_tail(lattice_of(effects), threshold, tolerance)
    truth = math.log(numerator) - n * math.log(2)
    assert tail.log_low <= truth <= tail.log_high
    at_threshold = (packed >> ((n + 1) * threshold)) & mask
    atom = at_threshold / numerator  # the bracket holds P(X > t) too
    assert tail.details["reached"] <= 1.3 * (tolerance + atom)


def test_far_tail_of_many_effects_against_the_middle_of_a_finer_bracket():
    effects = np.random.default_rng(5).integers(1, 2**60, 5000)
    lattice = lattice_of(effects)
    spread = math.sqrt(float((effects.astype(float) ** 2).sum())) / 2
    for z in (0.0, 1.0, 5.0, 20.0, 40.0):
        threshold = int(lattice.span[0] / 2 + z * spread) + 1
        wide, narrow = (upper_tail(lattice, threshold, t) for t in (1e-2, 1e-5))
        assert wide.log_low <= narrow.log_low <= narrow.log_high <= wide.log_high
        assert wide.details["reached"] <= 1e-2
        assert narrow.details["reached"] <= 1e-5


def test_one_dominating_effect_among_many():
    rng = np.random.default_rng(6)
    small = rng.integers(2**20, 2**21, 24)
    effects = np.concatenate([small, [2**58, 2**59]])
    lattice = lattice_of(effects)
    threshold = 2**59 + int(small.sum()) * 6 // 10
    left, right = subset_sums(effects[:13]), subset_sums(effects[13:])
    truth = count_at_least(left, right, threshold) / 2**26
    tail = upper_tail(lattice, threshold)
    assert tail.log_low <= math.log(truth) <= tail.log_high
    assert tail.details["reached"] <= 1.1e-3


def test_equal_effects_that_dominate():
    rng = np.random.default_rng(16)
    small = rng.integers(2**40, 2**41, 20)
    effects = np.concatenate([small, [2**58] * 3])
    left, right = subset_sums(effects[:12]), subset_sums(effects[12:])
    for lumps in (1, 2, 3):
        threshold = lumps * 2**58 + int(small.sum()) * 6 // 10
        tail = upper_tail(lattice_of(effects), threshold)
        assert tail.log_low <= math.log(count_at_least(left, right, threshold) / 2**23) <= tail.log_high
        assert tail.details["reached"] <= 1.1e-3


def test_wild_magnitudes_never_give_a_wrong_digit():
    rng = np.random.default_rng(7)
    effects = [int(x) for x in rng.integers(1, 2**52, 12)] + [int(x) << 1990 for x in rng.integers(1, 2**52, 12)]
    lattice = lattice_of(np.array(effects, dtype=object))
    sums = [0]
    for effect in effects[12:]:
        sums += [s + effect for s in sums]
    small = [0]
    for effect in effects[:12]:
        small += [s + effect for s in small]
    threshold = sorted(sums)[2700] + sorted(small)[1000]
    truth = sum(sum(s + t >= threshold for t in small) for s in sums) / 2**24
    tail = upper_tail(lattice, threshold)
    assert tail.log_low <= math.log(truth) <= tail.log_high


@pytest.mark.parametrize("seed", range(4))
def test_rounding_moves_the_threshold_outward(seed):
    rng = np.random.default_rng(seed)
    effects = rng.integers(1, 2**52, 24)
    left, right = subset_sums(effects[:12]), subset_sums(effects[12:])
    observed = int(effects[rng.random(24) < 0.7].sum())
    threshold = int(effects.sum()) // 2 + 1 if seed % 2 else observed  # in the middle nothing is tilted
    exact = upper_tail(lattice_of(effects), threshold, 1e-3)
    for rounding in (2**46, 2**50):
        tail = upper_tail(lattice_of(effects, rounding), threshold, 1e-3)
        for moved in (threshold - rounding, threshold, threshold + rounding):
            truth = count_at_least(left, right, moved) / 2**24
            assert tail.log_low <= math.log(truth) <= tail.log_high
        assert exact.log_high - exact.log_low < tail.log_high - tail.log_low


@pytest.mark.parametrize("length", [None, 0.8])
@pytest.mark.parametrize("cut", [0.0, 0.3])
def test_the_theorem_at_low_degree_on_laws_of_few_atoms(cut, length):
    """Where the polynomials touch what they bound: at atoms, and at multiples of 1 / (degree + 1) beside them."""
    rng = np.random.default_rng(13)
    tight = 0.0
    for _ in range(300):
        n = int(rng.integers(1, 5))
        weights = np.append(np.sort(rng.random(n - 1)), 1.0)
        signs = 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        sums = signs @ weights
        s = float(rng.choice([abs(rng.choice(sums)), rng.random() * sums.max()]))
        tilted = Tilted(weights, np.ones(n, dtype=np.int64), float(rng.choice([0.0, 0.3, 2.0])), s)
        law = WrappedLaw.around(tilted, 0.0, 1e-12)
        probability = np.prod((1.0 + signs * tilted.tanh) / 2.0, axis=1)
        if length is not None:  # a circle too short for the law, which the mass outside has to make up for
            short = length * law.length
            beta = short * law.beta_1024 / 1024.0
            outside = float(probability[(sums - s >= beta) | (sums - s < beta - short)].sum())
            law = replace(law, length=short, mass=outside)
        above = np.exp(-tilted.theta * (sums - s)) * probability
        including, excluding = (float(above[sums - s >= x].sum()) for x in (-1e-12, 1e-12))
        for degree in (1, 2, 5, 23, 200):
            k = np.arange(1, degree + 1, dtype=np.uint64)
            value = law.signs.characteristic(k)
            kept = np.abs(value) > cut
            low, high = _bounds(law, cut, degree, k[kept], value[kept])
            assert low <= excluding + 1e-12
            assert including <= high + 1e-12
            tight = max(tight, excluding - low < 1e-9, high - including < 1e-9)
    assert tight or cut or length  # the bounds are attained


def test_all_effects_one_way_is_a_closed_form_even_if_rounded():
    lattice = lattice_of(np.random.default_rng(9).integers(1, 2**60, 3000), rounding=10)
    tail = upper_tail(lattice, lattice.span[0])
    assert tail.log_estimate == pytest.approx(-3000 * math.log(2), rel=1e-15)
    assert tail.details["reached"] < 1e-11
    assert tail.log_low < -3000 * math.log(2) < tail.log_high


def test_half_lines_on_either_side_and_their_mirror_image():
    effects = np.random.default_rng(10).integers(1, 2**50, 300)
    lattice = lattice_of(effects)
    span = lattice.span[0]
    high = int(0.53 * span)
    one = upper_tail(lattice, high)
    assert upper_tail(lattice, high, mirrored=True) == one.doubled()
    below = Question(lattice, Runs(((0, span - high),)), Options(tolerance=1e-3))
    assert Bracket().answer(below) == one
    both = Question(lattice, Runs(((0, span - high), (high, span))), Options(tolerance=1e-3))
    assert Bracket().answer(both).log_estimate == pytest.approx(one.doubled().log_estimate, abs=1e-12)
    beyond = Question(lattice, Runs(((-9, -5), (high, span), (span + 2, span + 3))), Options(tolerance=1e-3))
    assert Bracket().answer(beyond) == one
    rest = upper_tail(lattice, span - high + 1)
    assert math.exp(rest.log_estimate) == pytest.approx(1 - math.exp(one.log_estimate), abs=1e-3)
    assert upper_tail(lattice, 0).log_low == 0
    assert upper_tail(lattice, span + 1).log_high == -math.inf


def test_what_cannot_be_met_is_said():
    effects = np.repeat(np.arange(3, 11), 4)  # an atom of 2 % at the threshold
    tail = upper_tail(lattice_of(effects), 110, 1e-6)
    truth = count_at_least(subset_sums(effects[:16]), subset_sums(effects[16:]), 110)
    assert tail.details["reached"] > 0.01
    assert tail.log_low <= math.log(truth / 2**32) <= tail.log_high


def test_where_rounding_leaves_nothing_certain_all_that_can_be_is_in_the_bracket():
    tail = upper_tail(lattice_of([10, 1000], rounding=3), 1000)  # 1000 may have been reached or not
    assert math.exp(tail.log_low) == pytest.approx(1 / 4, rel=1e-12)
    assert math.exp(tail.log_high) == pytest.approx(1 / 2, rel=1e-12)


def test_equal_effects():
    tail = upper_tail(lattice_of([7] * 2000), 7 * 1060, 1e-4)  # more copies than are tossed
    least, more = (Fraction(sum(math.comb(2000, k) for k in range(a, 2001)), 2**2000) for a in (1060, 1061))
    assert tail.log_low <= log_fraction(more) < log_fraction(least) <= tail.log_high
    assert tail.log_high - tail.log_low <= 1.01 * log_fraction(least / more) + 1e-3


@pytest.mark.parametrize("base", [2, 3, 10**6])
@pytest.mark.parametrize("wins", [0, 25, 298])
def test_effects_over_hundreds_of_orders_are_decided_coin_by_coin(base, wins):
    steps = [base**k for k in range(300)]
    lost = 299 - wins  # the largest that is not won
    tail = upper_tail(lattice_of(np.array(steps, dtype=object)), sum(steps) - steps[lost], 1e-2)
    # it alone may be lost, or any of the smaller ones, which together are less
    truth = log_fraction(Fraction(2**lost + 1, 2**300))
    assert tail.log_low <= truth <= tail.log_high
    assert tail.details["reached"] < 1e-11


@pytest.mark.parametrize("base", [1.35, 1.7])
@pytest.mark.parametrize(("share", "rounding"), [(0.3, 0), (0.8, 2**14), (0.97, 2**10), (0.97, 0)])
def test_coins_that_dominate_a_little(base, share, rounding):
    steps = np.array([int(base**k * 2**30) for k in range(24)])
    left, right = subset_sums(steps[::2]), subset_sums(steps[1::2])
    threshold = int(share * int(steps.sum()))
    tail = upper_tail(lattice_of(steps, rounding), threshold, 1e-2)
    for moved in (threshold - rounding, threshold, threshold + rounding):
        assert tail.log_low <= math.log(count_at_least(left, right, moved) / 2**24) <= tail.log_high
    near = count_at_least(left, right, threshold - 2 * rounding) - count_at_least(left, right, threshold + 2 * rounding)
    assert tail.details["reached"] <= 2e-2 + 2 * (near + 1) / count_at_least(left, right, threshold)


def test_tossing_keeps_every_outcome():
    rng = np.random.default_rng(17)
    for _ in range(400):
        n, rounding = int(rng.integers(1, 9)), int(rng.integers(0, 4))
        steps = np.unique(rng.integers(1, 10 ** int(rng.integers(1, 6)), n))
        counts = rng.integers(1, 4, len(steps))
        problem = Problem(steps, counts, rounding)
        threshold = int(rng.integers(0, problem.span + 2))
        tossed = toss_dominating(problem, threshold)
        sums = subset_sums(np.repeat(steps[: tossed.size], counts[: tossed.size]))
        assert 2**tossed.coins * len(sums) == 2 ** int(counts.sum())
        for move in (-rounding, 0, rounding):
            reached = sum(k * int((sums >= t + move).sum()) for t, k in tossed.left.items())
            every = subset_sums(np.repeat(steps, counts))
            assert tossed.sure * len(sums) + reached == int((every >= threshold + move).sum())


def test_obstacles_and_bad_tolerance():
    lattice = lattice_of(np.arange(1, 40))
    inside = Question(lattice, Runs(((10, 20),)))
    assert "half-lines" in Bracket().obstacle(inside)
    with pytest.raises(ValueError, match="tolerance must be a positive number"):
        upper_tail(lattice, 400, -1.0)


@pytest.mark.parametrize("number", [1, 2, 3, 100, 511, 512, 513, 700, 1023, 5000, 100_000])
def test_every_sign_comes_once_and_strong_ones_do_not_turn_in_step(number):
    weights = np.linspace(0.2, 1.0, number) if number > 1 else np.ones(1)
    turns = np.rint(weights * 2.0**53).astype(np.uint64)
    signs = Signs.ordered(turns, np.zeros(number), np.ones(number), np.ones(number, dtype=np.int64))
    np.testing.assert_array_equal(np.sort(signs.turns), turns)
    if number >= 512:  # evenly spaced weights: a progression among them would be in step somewhere
        first = signs.turns[:64].astype(np.float64) * 2.0**-64
        k = np.arange(2000, 400_000, 7)[:, None]
        assert np.prod(np.cos(2 * np.pi * (k * first % 1.0)) ** 2, axis=1).max() < 1e-6


def test_tilted_and_repeated_signs_keep_their_own_variance():
    turns = np.array([1, 2, 3, 4], dtype=np.uint64) << np.uint64(50)
    tanh, counts = np.array([0.1, 0.2, 0.3, 0.4]), np.array([900, 1, 30, 2])
    signs = Signs.ordered(turns, tanh, 1 - tanh**2, counts)
    assert signs.turns[0] == turns[0]
    order = np.searchsorted(turns, signs.turns)
    np.testing.assert_array_equal(signs.tanh, tanh[order])
    np.testing.assert_array_equal(signs.sech2, (1 - tanh**2)[order])
    np.testing.assert_array_equal(signs.counts, counts[order])
    assert order.tolist() == [0, 2, 3, 1]


def test_search_stops_within_its_budget_where_every_frequency_lives():
    n = 2000
    turns = np.rint(np.linspace(0.2, 1.0, n) * 2.0**53).astype(np.uint64)
    signs = Signs.ordered(turns, np.ones(n), np.full(n, 1e-9), np.ones(n, dtype=np.int64))  # nearly all one way
    search = Search(signs, 1e-6, 1e6)
    degree, k, value = search.up_to(1 << 13)
    np.testing.assert_array_equal(k, np.arange(1, degree + 1))  # none left out below where it stopped
    assert 64 <= degree < 1000
    assert search.work < 3e7  # of which evaluating all that live would take 1e8
    np.testing.assert_allclose(np.abs(value), 1.0, atol=1e-5)


@pytest.mark.parametrize("block", [1, 5, 64])
def test_steps_and_frequencies_in_blocks_give_the_same(monkeypatch, block):
    rng = np.random.default_rng(5)
    weights = np.append(np.sort(rng.random(70)), 1.0)
    tilted = solve(weights, rng.integers(1, 4, 71), 12.0)
    signs = WrappedLaw.around(tilted, 0.0, 1e-9).signs
    k = np.arange(1, 40, dtype=np.uint64)
    value, found = signs.characteristic(k), Search(signs, 1e-6, math.inf).up_to(300)
    monkeypatch.setattr(bracket_frequencies, "BLOCK", block)
    monkeypatch.setattr(bracket_frequencies, "FACTORS", 10)
    np.testing.assert_allclose(signs.characteristic(k), value, rtol=1e-12, atol=1e-300)
    again = Search(signs, 1e-6, math.inf).up_to(300)
    assert again[0] == found[0]
    np.testing.assert_array_equal(again[1], found[1])
    np.testing.assert_allclose(again[2], found[2], rtol=1e-12)


def test_search_misses_no_live_frequency():
    rng = np.random.default_rng(11)
    for n in (3, 12, 60, 400):
        weights = np.sort(rng.random(n))
        weights[-1] = 1.0
        tilted = solve(weights, rng.integers(1, 4, n), 0.3 * n)
        signs = WrappedLaw.around(tilted, 0.0, 1e-9).signs
        everywhere = np.arange(1, 5001, dtype=np.uint64)
        angle = (everywhere[:, None] * signs.turns).view(np.int64) * (math.pi / 2.0**63)
        factor = (np.cos(angle) + 1j * signs.tanh * np.sin(angle)) ** signs.counts
        value = factor.prod(axis=1)
        search = Search(signs, 1e-6, math.inf)
        for last in (37, 4993, 5000):  # no further than asked, whatever was searched
            degree, k, found = search.up_to(last)
            assert degree == last
            live = np.flatnonzero(np.abs(value[:last]) > 1e-6)
            np.testing.assert_array_equal(k, everywhere[live])
            np.testing.assert_allclose(found, value[live], rtol=0, atol=1e-13)


def beside(found, exact, side):
    """Whether a bound lies on its side of the exact logarithm, no further than the rounding of a few operations."""
    distance = side * (flint.arb(found) - exact)
    return distance >= 0 and distance <= 1e-14 * (1 + abs(exact))


@pytest.mark.parametrize("way", WAYS)
def test_arithmetic_of_bounds_rounds_outward(monkeypatch, way):
    spoil(monkeypatch, way, [bracket_bounds])
    rng = np.random.default_rng(2)
    for _ in range(200):
        x, y = (
            Bounds(high - float(rng.choice([0, 1e-15, 1e-3, 2])), high, int(rng.integers(9)))
            for high in -0.7 - rng.choice([0, 1e-9, 0.5, 40, 600], 2) * rng.random(2)
        )
        with flint.ctx.workprec(400):
            low = [flint.arb(float(bounds.log_low)) for bounds in (x, y)]
            high = [flint.arb(float(bounds.log_high)) for bounds in (x, y)]
            both, product, rest = x.plus(y), x.times(y), x.complement()
            assert beside(both.log_low, (low[0].exp() + low[1].exp()).log(), -1)
            assert both.log_high == 0 or beside(both.log_high, (high[0].exp() + high[1].exp()).log(), 1)
            assert beside(product.log_low, low[0] + low[1], -1)
            assert beside(product.log_high, high[0] + high[1], 1)
            assert beside(rest.log_low, (1 - high[0].exp()).log(), -1)
            assert rest.log_high == 0 or beside(rest.log_high, (1 - low[0].exp()).log(), 1)
            n = int(rng.integers(1, 10**6))
            one_way = Bounds.all_one_way(n)
            assert beside(one_way.log_low, -n * flint.arb(2).log(), -1)
            assert beside(one_way.log_high, -n * flint.arb(2).log(), 1)
            known = Bounds.of(Fraction(3, 2**60 + n))
            assert beside(known.log_low, (flint.arb(3) / (2**60 + n)).log(), -1)
            assert beside(known.log_high, (flint.arb(3) / (2**60 + n)).log(), 1)
        assert both.degree == max(x.degree, y.degree)
        assert product.degree == rest.degree == x.degree
        tail = x.as_tail(0.25)
        assert (tail.log_low, tail.log_high) == (x.log_low, x.log_high)
        assert tail.log_low <= tail.log_estimate <= tail.log_high
        a, b = math.exp(x.log_low - x.log_high), 1.0
        assert math.exp(tail.log_estimate - x.log_high) == pytest.approx((a + b) / 2, rel=1e-12)
        assert tail.details["reached"] == pytest.approx((b - a) / (b + a), rel=1e-6, abs=1e-15)
        assert (tail.details["tolerance"], tail.details["degree"]) == (0.25, x.degree)


def test_bounds_of_nothing_and_of_all():
    nothing, all_of_it, some = Bounds(-math.inf, -math.inf), Bounds(0.0, 0.0), Bounds(-2.0, -1.0, 7)
    assert nothing.plus(some) == some.plus(nothing) == some
    assert nothing.plus(nothing) == nothing
    unknown = Bounds(-math.inf, -1.0)
    assert unknown.plus(unknown).log_low == -math.inf
    assert unknown.complement().log_high == 0.0
    assert all_of_it.complement() == nothing
    assert nothing.complement().log_high == 0.0
    assert -1e-14 <= nothing.complement().log_low <= 0.0
    assert all_of_it.plus(some).log_high == 0.0
    assert nothing.reached == all_of_it.reached == 0.0
    assert unknown.reached == 1.0
    assert some.at_least(Bounds(-1.5, -1.5)) == Bounds(-1.5, -1.0, 7)
    assert some.at_least(Bounds(-0.5, -0.5)) == Bounds(-0.5, -0.5, 7)
    assert some.at_least(Bounds(-3.0, -3.0)) == some
    assert Bounds(-2.0, -2.0).as_tail(0.1).log_estimate == -2.0


@pytest.mark.parametrize("first", [1, 5, 40])
@pytest.mark.parametrize("share", [0.05, 0.6])
def test_brackets_of_any_width_hold_the_truth(monkeypatch, first, share):
    """Few frequencies, and much that is left out or outside: then the terms that pay for it are most of the width."""
    monkeypatch.setattr(bracket_selberg, "FIRST", first)
    monkeypatch.setattr(bracket_selberg, "LEFT_OUT", share)
    monkeypatch.setattr(bracket_selberg, "OUTSIDE", share)
    rng = np.random.default_rng(first)
    widths = []
    for _ in range(25):
        effects = rng.integers(1, 2 ** int(rng.choice([3, 12, 40])), int(rng.integers(3, 14)), endpoint=True)
        sums, rounding = subset_sums(effects), int(rng.choice([0, 2]))
        steps, counts = np.unique(effects, return_counts=True)
        for threshold in (*rng.choice(sums, 2).tolist(), int(rng.integers(1, sums[-1] + 1))):
            found = _lump(Problem(steps, counts, rounding), threshold, 0.5, math.inf)  # no coin is tossed first
            for moved in (threshold - rounding, threshold + rounding):
                truth = Fraction(int((sums >= moved).sum()), len(sums))
                assert math.exp(found.log_low) <= truth * (1 + Fraction(1, 10**14))
                assert math.exp(found.log_high) * (1 + 1e-14) >= truth
            widths.append(found.reached)
    assert np.median(widths) > 1e-3
