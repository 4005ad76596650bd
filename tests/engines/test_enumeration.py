import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactperm.effects import Effects
from exactperm.engines import base
from exactperm.engines.base import Question, Tail, log_fraction
from exactperm.engines.enumeration import Enumeration, count_assignments
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs
from sloppy import WAYS, spoil

ENGINE = Enumeration()


def sums_of_all_assignments(lattice):
    coins = [
        tuple(step)
        for step, count in zip(lattice.steps.tolist(), lattice.counts.tolist(), strict=True)
        for _ in range(count)
    ]
    for heads in itertools.product((0, 1), repeat=len(coins)):
        yield tuple(sum(b * step[i] for b, step in zip(heads, coins, strict=True)) for i in range(lattice.rank))


vectors = st.tuples(*[st.integers(-9, 9) | st.sampled_from([10**18, -(10**30)])] * 2)


@settings(deadline=None)
@given(st.dictionaries(vectors, st.integers(1, 2), max_size=4), vectors, st.booleans())
def test_counts_like_itertools_in_two_dimensions(counts, weights, mirrored):
    lattice = Lattice.of(Effects.from_counts(counts, names=("x", "y")))
    weights = weights[: lattice.rank]

    def contains(points):
        rows = points.tolist()
        return np.array([sum(map(int.__mul__, weights, row)) > 1 for row in rows], dtype=bool)

    expected = sum(
        sum(w * x for w, x in zip(weights, point, strict=True)) > 1 for point in sums_of_all_assignments(lattice)
    )
    question = Question(lattice, Region(contains, mirrored=mirrored))
    assert count_assignments(question) == (2 if mirrored else 1) * expected


@pytest.mark.parametrize("unit", [1, 3 * 10**18, 10**30])
def test_ties_at_the_threshold_count_whatever_the_size(unit):
    lattice = Lattice.of(Effects.from_counts({unit: 1, 2 * unit + 1: 1, -3 * unit - 1: 1}))
    question = Question(lattice, Runs(((3 * unit + 1, 3 * unit + 1),)))
    assert count_assignments(question) == 2


def test_more_coins_than_the_table_holds():
    lattice = Lattice.of(Effects.from_counts({1: 20}))
    question = Question(lattice, Runs(((0, 3), (19, 25))))
    expected = sum(math.comb(20, k) for k in (0, 1, 2, 3, 19, 20))
    assert count_assignments(question) == expected


def test_steps_whose_sum_leaves_int64():
    lattice = Lattice.of(Effects.from_counts({2**61 + 1: 3, 2**61: 5}))
    assert lattice.steps.dtype == np.int64
    question = Question(lattice, Runs(((2**63, 2**70),)))
    assert count_assignments(question) == sum(
        math.comb(3, i) * math.comb(5, j) for i in range(4) for j in range(6) if i * (2**61 + 1) + j * 2**61 >= 2**63
    )


@pytest.mark.parametrize(("low", "p"), [(0, 1.0), (1, 0.0)])
def test_no_effects_leave_the_point_zero(low, p):
    lattice = Lattice.of(Effects.from_counts({0: 7}))
    tail = ENGINE.answer(Question(lattice, Runs(((low, 5),))))
    assert math.exp(tail.log_low) == math.exp(tail.log_high) == p


def test_no_effects_in_several_dimensions():
    lattice = Lattice.of(Effects.from_counts({(0, 0): 7}))
    everything = Region(lambda points: np.ones(len(points), dtype=bool))
    assert count_assignments(Question(lattice, everything)) == 1


def test_obstacle_only_beyond_its_limit():
    def obstacle(n):
        lattice = Lattice.of(Effects.from_counts({1: n}))
        return ENGINE.obstacle(Question(lattice, Runs(((0, 1),))))

    assert obstacle(24) is None
    assert "n = 25" in obstacle(25)
    assert "method='exact'" in obstacle(25)


def test_cost_doubles_with_every_effect():
    few, many = (ENGINE.cost(Question(Lattice.of(Effects.from_counts({1: n})), Runs(()))) for n in (20, 24))
    assert 14 < many / few < 17


# -- the logarithm of a fraction -----------------------------------------------------------------


def true_log(x):
    """The logarithm by ball arithmetic, as a fraction, and a bound on its error."""
    flint = pytest.importorskip("flint")
    with flint.ctx.workprec(3000 + x.denominator.bit_length()):
        ball = flint.fmpq(x.numerator, x.denominator)
        ball = flint.arb(ball).log()
        mantissa, exponent = ball.mid().man_exp()
        radius = Fraction(float(ball.rad()))
        return Fraction(int(mantissa)) * Fraction(2) ** int(exponent), radius


fractions = st.builds(
    lambda n, d, e: Fraction(n, d) * Fraction(2) ** e,
    st.integers(1, 10**40),
    st.integers(1, 10**40),
    st.integers(-4000, 4000),
)
near_one = st.builds(
    lambda sign, n, e: 1 + sign * Fraction(n, 2**60) * Fraction(2) ** -e,
    st.sampled_from([-1, 1]),
    st.integers(1, 2**58),
    st.integers(0, 1500),
)


@settings(deadline=None)
@given(fractions | near_one)
def test_log_fraction_is_within_two_ulp(x):
    if x == 1:
        return
    truth, radius = true_log(x)
    log = log_fraction(x)
    assert abs(Fraction(log) - truth) + radius <= 2 * Fraction(math.ulp(log))


@settings(deadline=None)
@given(fractions.filter(lambda x: x < 1) | near_one.filter(lambda x: x < 1))
def test_tail_of_a_fraction_contains_it_and_is_narrow(x):
    truth, radius = true_log(x)
    tail = Tail.from_fraction(x)
    assert Fraction(tail.log_low) <= truth - radius
    assert truth + radius <= Fraction(tail.log_high)
    assert tail.log_low <= tail.log_estimate <= tail.log_high <= 0
    log = tail.log_estimate
    assert tail.log_high - tail.log_low <= 1e-14 * min(1.0, -log) + 6 * math.ulp(log)


@pytest.mark.parametrize("way", WAYS)
def test_tails_of_fractions_hold_them_with_any_logarithm_within_four_ulp(monkeypatch, way):
    spoil(monkeypatch, way, [base])
    rng = np.random.default_rng(0)
    for _ in range(100):
        n, d = (int(x) for x in rng.integers(1, 2**60, 2))
        for x in (
            Fraction(min(n, d), 2 * max(n, d)) / 2 ** int(rng.integers(3000)),
            1 - Fraction(n, 2 ** int(rng.integers(61, 400))),
        ):
            truth, radius = true_log(x)
            tail = Tail.from_fraction(x)
            assert Fraction(float(tail.log_low)) <= truth - radius
            assert truth + radius <= Fraction(float(tail.log_high))


def test_twice_a_tail_keeps_what_is_known_of_it():
    tail = Tail(-3.0, -2.0, -1.0, {"seed": 1}, 0.9)
    two = math.log(2)
    assert tail.doubled() == Tail(-3.0 + two, -2.0 + two, -1.0 + two, {"seed": 1}, 0.9)
    counted = Tail.from_fraction(Fraction(3, 8)).doubled()
    assert (counted.fraction, counted.log_high >= math.log(3 / 4)) == (Fraction(3, 4), True)
    most = Tail(-0.2, -0.1, 0.0).doubled()
    assert (most.log_low, most.log_estimate, most.log_high, most.confidence) == (0.0, 0.0, 0.0, None)


def test_tail_of_zero_and_of_one_are_exact():
    zero, one = Tail.from_fraction(Fraction(0)), Tail.from_fraction(Fraction(1))
    assert (zero.log_low, zero.log_high) == (-math.inf, -math.inf)
    assert (one.log_low, one.log_high) == (0.0, 0.0)


@pytest.mark.parametrize("x", [Fraction(0), Fraction(-1, 2)])
def test_log_fraction_refuses_what_has_no_logarithm(x):
    with pytest.raises(ValueError, match="positive fraction"):
        log_fraction(x)
