"""The engine in r >= 2 dimensions against exact counts, on ordinary and on nasty problems."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from exactperm.effects import Effects
from exactperm.engines import torus, torus_dominant, torus_half_lines, torus_slabs, torus_support, torus_tilt
from exactperm.engines.base import Question, Tail
from exactperm.engines.torus import Torus, _tail
from exactperm.engines.torus_point import dominating_tilt
from exactperm.engines.torus_support import live_support
from exactperm.engines.torus_tilt import TiltedCoins
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs
from sloppy import WAYS, spoil

# -- the oracle ----------------------------------------------------------------------------------


def law(lattice):
    """All points X can reach and how many of the 2^n assignments lead there, in exact integers.

    The generating polynomial is evaluated at a power of two so large that its coefficients do not
    run into each other (Kronecker substitution): one big integer, one shift and add for each coin.
    """
    low = lattice.counts @ np.minimum(lattice.steps, 0)
    shape = tuple((lattice.counts @ np.abs(lattice.steps) + 1).tolist())
    limbs = lattice.n // 32 + 1  # of 32 bits, for each coefficient
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    total, origin = 1, sum(int(a) * s for a, s in zip(low, strides, strict=True))
    for step, count in zip(lattice.steps.tolist(), lattice.counts.tolist(), strict=True):
        jump = sum(y * s for y, s in zip(step, strides, strict=True))
        for _ in range(count):
            if jump >= 0:
                total += total << (32 * limbs * jump)
            else:  # the other way round, from an origin that moves
                total = (total << (32 * limbs * -jump)) + total
                origin -= jump
    total = total >> (32 * limbs * origin) if origin >= 0 else total << (-32 * limbs * origin)
    cells = math.prod(shape)
    table = np.frombuffer(total.to_bytes(cells * limbs * 4, "little"), dtype="<u4")
    table = table.reshape(cells, limbs)
    reached = np.flatnonzero(table.any(axis=1))
    points = np.stack(np.unravel_index(reached, shape), axis=1) + low
    return points, table[reached]


def probability(lattice, chosen):
    """The exact probability of a predicate."""
    points, table = law(lattice)
    sums = table[chosen(points)].astype(np.uint64).sum(axis=0)
    return Fraction(sum(int(s) << (32 * i) for i, s in enumerate(sums)), 1 << lattice.n)


def test_the_oracle_counts_what_enumeration_counts():
    steps = np.array([[1, -2], [3, 1], [0, 1]])
    lattice = Lattice(steps, np.array([2, 1, 3]), np.eye(2, dtype=np.int64), (0, 0))
    coins = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1).T
    x = coins @ np.repeat(steps, lattice.counts, axis=0)
    for threshold in range(-5, 10):
        expected = Fraction(int((x @ [1, 2] >= threshold).sum()), 64)
        assert probability(lattice, lambda p, t=threshold: p @ [1, 2] >= t) == expected


# -- problems ------------------------------------------------------------------------------------


def f_region(effects, lattice, beta2=1, *, increasing=True):
    """F_beta(A) - F_beta(B) >= |observed|, ties exact, from the sums tp, fp, fn."""
    basis = lattice.basis
    origin = np.array(effects.totals_a) - np.array(lattice.observed) @ basis
    both = np.array(effects.totals_a) + np.array(effects.totals_b)

    def ratio(sums):
        top = (1 + beta2) * sums[:, 0]
        return top, top + sums[:, 1] + beta2 * sums[:, 2]

    def fraction(sums):
        top, bottom = ratio(np.array([sums]))
        return Fraction(int(top[0]), int(bottom[0])) if bottom[0] else Fraction(0)

    def sums_at(x):  # where the law has no points a metric may have no value; stay monotone there
        return np.clip(origin + x @ basis, 0, both)

    observed = abs(fraction(effects.totals_a) - fraction(effects.totals_b))

    def value(x):
        a = sums_at(x)
        (p, q), (s, t) = ratio(a), ratio(both - a)
        return p / np.where(q == 0, 1, q) - s / np.where(t == 0, 1, t) - float(observed)

    def contains(x):
        approximate = value(x)
        inside = approximate >= 0
        for i in np.flatnonzero(np.abs(approximate) < 1e-12):
            a = sums_at(x[i])
            inside[i] = fraction(a.tolist()) - fraction((both - a).tolist()) >= observed
        return inside

    return Region(contains, increasing, mirrored=False, value=value)


def counted(a, b):
    """The lattice of F_beta, monotone in tp along its last basis vector."""
    effects = Effects.from_sums(a, b, ("tp", "fp", "fn"))
    return effects, Lattice.of(effects, order=(1, 0, 2))


def sentences(n, seed, gap=0.0, longest=12):
    """Counts tp, fp, fn of two taggers on n sentences; the second one loses `gap` of its hits."""
    rng = np.random.default_rng(seed)
    length = rng.integers(1, longest + 1, n)
    systems = []
    for _ in range(2):
        tp = rng.binomial(length, rng.beta(12, 1.5, n))
        systems.append(np.stack([tp, rng.binomial(length, 0.1), length - tp], axis=1))
    lost = rng.binomial(systems[1][:, 0], gap)
    systems[1] += np.stack([-lost, rng.binomial(lost, 0.5), lost], axis=1)
    return systems


def half_space(normal, threshold, *, increasing=True):
    """normal . x >= threshold, all integers."""
    normal = np.asarray(normal)
    return Region(
        lambda x: x @ normal >= threshold,
        increasing,
        value=lambda x: (x @ normal - threshold).astype(np.float64),
    )


def lattice_of(steps, counts):
    steps = np.asarray(steps, dtype=np.int64)
    identity = np.eye(steps.shape[1], dtype=np.int64)
    return Lattice(steps, np.asarray(counts, dtype=np.int64), identity, (0,) * steps.shape[1])


def assert_right(tail, exact, *, error=1e-11, width=1e-10):
    """The truth inside the interval, the estimate near it, the interval narrow."""
    log_exact = math.log(exact.numerator) - math.log(exact.denominator)
    last = 4 * 2.0**-52 * max(abs(math.log(exact.denominator)), 1)  # of the two logarithms
    assert tail.log_low - last <= log_exact <= tail.log_high + last
    assert abs(tail.log_estimate - log_exact) <= error
    assert tail.log_high - tail.log_low <= width


def assert_honest(tail, exact):
    """The truth inside the interval, whatever its width."""
    assert_right(tail, exact, error=math.inf, width=math.inf)


def both_ways(lattice, region):
    """The same question by half-lines and by slabs, before whole counts are used."""
    coins = TiltedCoins.of(lattice, dominating_tilt(lattice, region))
    for increasing in {region.increasing, False}:
        yield _tail(coins, Region(region.contains, increasing, value=region.value))


# -- right and honest ----------------------------------------------------------------------------


@pytest.mark.parametrize("beta2", [0, 1, 4])
def test_random_small_problems(beta2):
    for seed in range(350):
        rng = np.random.default_rng([seed, beta2])
        n = int(rng.integers(1, 17))
        a, b = sentences(n, [seed, beta2], gap=float(rng.choice([0, 0.1, 0.5])), longest=5)
        effects, lattice = counted(a, b)
        if lattice.rank < 2:
            continue
        region = f_region(effects, lattice, beta2)
        exact = probability(lattice, region.contains)
        assert_right(Torus().answer(Question(lattice, region)), exact)
        for tail in both_ways(lattice, region):
            assert_honest(tail, exact)


@pytest.mark.parametrize("n", [50, 120, 300])
@pytest.mark.parametrize("gap", [0.0, 0.03, 0.1, 0.4])
def test_against_an_exact_dynamic_program(n, gap):
    effects, lattice = counted(*sentences(n, n, gap))
    region = f_region(effects, lattice)
    exact = probability(lattice, region.contains)
    assert_right(Torus().answer(Question(lattice, region)), exact)
    for tail in both_ways(lattice, region):
        assert_right(tail, exact)


def test_a_probability_of_ten_to_the_minus_fifty():
    effects, lattice = counted(*sentences(330, 1, 0.5))
    region = f_region(effects, lattice)
    exact = probability(lattice, region.contains)
    assert exact < Fraction(1, 10**50)
    for tail in both_ways(lattice, region):
        assert_right(tail, exact, error=1e-12)


def test_three_dimensions():
    rng = np.random.default_rng(5)
    steps = np.unique(rng.integers(-2, 3, (12, 3)), axis=0)
    steps = steps[steps.any(axis=1)]
    lattice = lattice_of(steps, rng.integers(1, 8, len(steps)))
    assert lattice.n < 64
    for normal in ([1, -1, 2], [0, 1, 1], [3, 2, 0]):
        top = int(np.maximum(lattice.steps @ normal, 0) @ lattice.counts)
        middle = sum(x * y for x, y in zip(lattice.span, normal, strict=True)) // 2
        for threshold in (middle + 1, (top + middle) // 2, top - 1):
            region = half_space(normal, threshold)
            exact = probability(lattice, region.contains)
            assert_right(Torus().answer(Question(lattice, region)), exact)
            for tail in both_ways(lattice, region):
                assert_right(tail, exact, width=2e-9)


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
def test_three_dimensions_in_blocks(monkeypatch, block):
    monkeypatch.setattr(torus_half_lines, "BLOCK", block)
    monkeypatch.setattr(torus_slabs, "BLOCK", block)
    monkeypatch.setattr(torus_support, "BLOCK", block)
    lattice = lattice_of([[1, 0, 2], [0, 1, -1], [1, 1, 1], [2, 0, 1]], [5, 4, 5, 3])
    for normal in ([1, -1, 2], [3, 2, 1]):
        middle = sum(x * y for x, y in zip(lattice.span, normal, strict=True)) // 2
        region = half_space(normal, middle + 5)
        exact = probability(lattice, region.contains)
        for tail in both_ways(lattice, region):
            assert_right(tail, exact)


NASTY = {
    "resonant": ([[5, 0], [10, 5], [5, -5], [1, 0], [0, 1]], [25, 25, 25, 1, 2]),
    "one dominating": ([[300, 170], [1, 0], [0, 1], [1, 1]], [1, 40, 40, 40]),
    "two scales": ([[50, 1], [1, 50], [1, -1], [0, 1]], [4, 4, 90, 90]),
    "one coin a side": ([[1, 0], [0, 1]], [1, 1]),
    "many equal": ([[1, 0], [0, 1]], [150, 150]),
    "nearly a line": ([[9, 8], [8, 7], [10, 9], [1, 1]], [20, 20, 20, 1]),
    "backwards": ([[-3, -2], [-1, -4], [2, -1]], [30, 30, 30]),
}


@pytest.mark.parametrize("name", NASTY)
def test_nasty_problems(name):
    lattice = lattice_of(*NASTY[name])
    for normal in ([0, 1], [1, 1], [-2, 3], [1, 0]):
        middle = sum(x * y for x, y in zip(lattice.span, normal, strict=True)) // 2
        top = int(np.maximum(lattice.steps @ normal, 0) @ lattice.counts)
        for part in (0.0, 0.2, 0.6, 0.95, 1.0):
            region = half_space(normal, middle + math.ceil(part * (top - middle)))
            exact = probability(lattice, region.contains)
            assert_right(Torus().answer(Question(lattice, region)), exact)
            for tail in both_ways(lattice, region):
                assert_honest(tail, exact)


@pytest.mark.parametrize("name", NASTY)
def test_a_region_of_any_shape(name):
    lattice = lattice_of(*NASTY[name])
    span = np.array(lattice.span)
    for part in (0.05, 0.5):
        size = (part * int(lattice.counts @ np.abs(lattice.steps).sum(axis=1))) ** 2

        def ring(x, size=size):
            return ((2 * x - span) ** 2).sum(axis=1) >= size

        region = Region(ring, value=lambda x, s=size: ((2 * x - span) ** 2).sum(axis=1) - s)
        exact = probability(lattice, ring)
        tail = Torus().answer(Question(lattice, region))
        assert_right(tail, exact, width=1e-10 if part == 0.05 else 1e-8)  # far out several tilts share the work


@pytest.mark.parametrize("bend", [-1, 1])
def test_a_region_that_bends(bend):
    """Away from the centre, and around it, where the tilt finds a saddle of the rate only."""
    lattice = lattice_of([[1, 2], [2, 1], [1, -1], [3, 0]], [25, 25, 25, 25])
    span = np.array(lattice.span)
    for threshold in (20, 60):

        def value(x, threshold=threshold):
            u, v = (2 * x - span).T
            return v + bend * u * u / 256 - threshold

        region = Region(lambda x, f=value: f(x) >= 0, increasing=True, value=value)
        exact = probability(lattice, region.contains)
        tail = Torus().answer(Question(lattice, region))
        assert_right(tail, exact)


# -- identities ----------------------------------------------------------------------------------


def test_every_tilt_gives_the_same_probability():
    effects, lattice = counted(*sentences(10_000, 3, 0.004, longest=30))
    region = f_region(effects, lattice)
    best = dominating_tilt(lattice, region)
    tails = [_tail(TiltedCoins.of(lattice, best * f), region) for f in (1.0, 0.97, 1.05)]
    for tail in tails[1:]:
        assert max(tail.log_low, tails[0].log_low) <= min(tail.log_high, tails[0].log_high)
        assert abs(tail.log_estimate - tails[0].log_estimate) < 1e-10


def test_half_lines_and_slabs_agree_where_no_oracle_reaches():
    effects, lattice = counted(*sentences(3_000, 4, 0.02))
    region = f_region(effects, lattice)
    tails = list(both_ways(lattice, region))
    assert abs(tails[0].log_estimate - tails[1].log_estimate) < 1e-12


def test_the_order_of_the_data_and_of_the_systems_changes_no_bit():
    a, b = sentences(500, 8, 0.02)
    rng = np.random.default_rng(1)
    answers = set()
    for first, second in ((a, b), (b, a)):
        for _ in range(3):
            order = rng.permutation(len(a))
            effects, lattice = counted(first[order], second[order])
            tail = Torus().answer(Question(lattice, f_region(effects, lattice)))
            answers.add((tail.log_low, tail.log_estimate, tail.log_high))
    assert len(answers) == 1


def test_mirrored_regions_count_twice():
    effects, lattice = counted(*sentences(100, 9, 0.03))
    region = f_region(effects, lattice)
    twice = Region(region.contains, increasing=True, mirrored=True, value=region.value)
    one, two = (Torus().answer(Question(lattice, r)) for r in (region, twice))
    assert two.log_estimate == one.log_estimate + math.log(2)


# -- edges ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("increasing", [True, False])
def test_everything_and_nothing(increasing):
    lattice = lattice_of([[1, 0], [1, 2], [0, 1]], [30, 40, 50])
    everything = half_space([0, 1], -1, increasing=increasing)
    tail = Torus().answer(Question(lattice, everything))
    assert tail.log_high == 0
    assert tail.log_low > -1e-11
    nothing = half_space([0, 1], 10**6, increasing=increasing)
    tail = Torus().answer(Question(lattice, nothing))
    assert tail.log_low == -math.inf
    assert tail.log_high < -lattice.n * math.log(2) or tail.log_high == -math.inf


def test_the_one_point_at_the_end():
    lattice = lattice_of([[1, 0], [1, 2], [0, 1]], [300, 400, 500])
    top = sum(lattice.span)
    tail = Torus().answer(Question(lattice, half_space([1, 1], top)))
    assert_right(tail, Fraction(1, 2**1200), error=2e-13, width=1e-11)


@pytest.mark.parametrize("increasing", [True, False])
def test_without_a_guide_the_interval_is_honest(increasing):
    effects, lattice = counted(*sentences(60, 2, 0.2))
    region = f_region(effects, lattice)
    exact = probability(lattice, region.contains)
    blind = Region(region.contains, increasing)
    tail = Torus().answer(Question(lattice, blind))
    assert tail.log_low <= math.log(exact) <= tail.log_high
    misled = Region(region.contains, increasing, value=lambda x: -region.value(x) - 0.3)
    tail = Torus().answer(Question(lattice, misled))
    assert tail.log_low <= math.log(exact) <= tail.log_high


# -- parts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.02, 0.05), (-1.5, 2.0)])
def test_windows_leave_no_more_outside_than_they_say(name, tilt):
    lattice = lattice_of(*NASTY[name])
    coins = TiltedCoins.of(lattice, np.array(tilt))
    points, table = law(lattice)
    weight = table.astype(object) @ [1 << (32 * i) for i in range(table.shape[1])]
    logs = np.array([math.log(w) for w in weight.tolist()]) + points @ coins.tilt
    mass = np.exp(logs - logs.max())
    mass /= mass.sum()
    for log_mass in (-2.0, -10.0, -25.0):
        window = coins.box(log_mass)
        for axis, (low, high) in enumerate(window):
            x = points[:, axis]
            assert mass[x < low].sum() <= math.exp(log_mass)
            assert mass[x > high].sum() <= math.exp(log_mass)
        inside = np.all([(x >= a) & (x <= b) for x, (a, b) in zip(points.T, window, strict=True)], axis=0)
        assert mass[~inside].sum() <= math.exp(coins.log_mass_outside(window))


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.03, -0.2), (1.0, 2.0)])
def test_the_characteristic_function_against_ball_arithmetic(name, tilt):
    flint = pytest.importorskip("flint")
    lattice = lattice_of(*NASTY[name])
    coins = TiltedCoins.of(lattice, np.array(tilt))
    window = coins.box(math.log(1e-6))
    support = live_support(coins, window)
    flint.ctx.prec = 300
    rng = np.random.default_rng(0)
    for i in rng.choice(len(support.k), min(60, len(support.k)), replace=False):
        exact = flint.acb(1)
        for step, count in zip(lattice.steps.tolist(), lattice.counts.tolist(), strict=True):
            angle = sum(flint.fmpq(int(k) * y, p) for k, y, p in zip(support.k[i], step, support.periods, strict=True))
            tanh = sum(flint.arb(t) * y for t, y in zip(coins.tilt.tolist(), step, strict=True)) / 2
            angle = flint.arb(angle)
            factor = flint.acb(angle.cos_pi(), tanh.tanh() * angle.sin_pi())
            exact *= factor**count
        off = abs(exact - flint.acb(support.phi[i].real, support.phi[i].imag))
        assert float(off) <= support.error[i] + 2e-16 * abs(support.phi[i])


@pytest.mark.parametrize("name", NASTY)
def test_what_the_search_drops_is_bounded(name):
    lattice = lattice_of(*NASTY[name])
    coins = TiltedCoins.of(lattice, np.array([0.01, 0.03]))
    support = live_support(coins, coins.box(math.log(1e-4)))
    grids = np.meshgrid(*map(np.arange, support.periods), indexing="ij")
    turns = np.stack([g.ravel() / p for g, p in zip(grids, support.periods, strict=True)], axis=1)
    sine2 = np.sin(np.pi * (turns @ coins.steps.T)) ** 2
    size = np.exp(np.log1p(-coins.sech2 * np.minimum(sine2, 1)) @ coins.counts / 2)
    live = np.zeros(len(size), dtype=bool)
    for sign in (1, -1):
        live[np.ravel_multi_index((sign * support.k % support.periods).T, support.periods)] = True
    assert size[~live].sum() <= support.dropped * (1 + 1e-6)
    assert float(support.multiplicity @ np.abs(support.phi)) == pytest.approx(size[live].sum())


def test_the_exponent_keeps_its_digits():
    flint = pytest.importorskip("flint")
    flint.ctx.prec = 200
    lattice = lattice_of([[1, 0], [3, -2], [1, 5], [40, 7]], [10**6, 10**5, 10**5, 3])
    for tilt in ([1e-5, -2e-5], [1e-3, 2e-3], [0.3, 0.1], [5.0, 9.0]):
        coins = TiltedCoins.of(lattice, np.array(tilt))
        value, error = coins.exponent
        exact = flint.arb(0)
        tau = [flint.arb(t) for t in coins.tilt.tolist()]
        for step, count in zip(lattice.steps.tolist(), lattice.counts.tolist(), strict=True):
            exact += count * ((tau[0] * step[0] + tau[1] * step[1]) / 2).cosh().log()
        for t, x, s in zip(tau, coins.reference, coins.span, strict=True):
            exact -= t * (2 * x - s) / 2
        exact -= flint.arb(coins.level)
        assert abs(float(exact - flint.arb(value))) <= error
        assert error <= 1e-12 * max(abs(value), 1)


MODULES = [torus, torus_dominant, torus_half_lines, torus_slabs, torus_support, torus_tilt]


@pytest.mark.parametrize("way", WAYS)
def test_the_bounds_of_rounding_hold_with_any_functions_within_four_ulp(monkeypatch, way):
    spoil(monkeypatch, way, MODULES)
    test_the_exponent_keeps_its_digits()
    for name in ("resonant", "two scales", "many equal"):
        for tilt in ((0.0, 0.0), (0.03, -0.2), (1.0, 2.0)):
            test_the_characteristic_function_against_ball_arithmetic(name, tilt)


@cache
def small_problems():
    """Half-spaces of small laws, and what they have of them exactly."""
    shapes = [
        ([[1, 0], [0, 1]], [60, 60]),
        ([[5, 0], [10, 5], [5, -5], [1, 0], [0, 1]], [6, 7, 6, 1, 2]),
        ([[9, 8], [8, 7], [1, 1]], [9, 9, 1]),
    ]
    found = []
    for lattice in (lattice_of(*shape) for shape in shapes):
        points, table = law(lattice)
        ways = [sum(int(x) << (32 * i) for i, x in enumerate(row)) for row in table]
        for normal in ([0, 1], [-2, 3]):
            middle = sum(x * y for x, y in zip(lattice.span, normal, strict=True)) // 2
            top = int(np.maximum(lattice.steps @ normal, 0) @ lattice.counts)
            for part in (0.1, 0.7):
                region = half_space(normal, middle + math.ceil(part * (top - middle)))
                inside = np.flatnonzero(region.contains(points)).tolist()
                found.append((lattice, region, Fraction(sum(ways[i] for i in inside), 2**lattice.n)))
    return found


@pytest.mark.parametrize("way", WAYS)
def test_intervals_hold_the_truth_with_any_functions_within_four_ulp(monkeypatch, way):
    known = small_problems()
    spoil(monkeypatch, way, MODULES)
    for lattice, region, exact in known:
        for tail in both_ways(lattice, region):
            assert_honest(tail, exact)


@pytest.mark.parametrize("tiny", [0.1, 1e-3, 1e-6])
@pytest.mark.parametrize("negligible", [1e-18, 1e-3, 1e-6])
def test_what_is_left_out_is_in_the_interval_however_much_it_is(monkeypatch, tiny, negligible):
    """Usually 1e-18, which rounding hides: here points, lines and frequencies left out are most of the error."""
    known = small_problems()
    monkeypatch.setattr(torus_half_lines, "LOG_TINY", math.log(tiny))
    monkeypatch.setattr(torus_slabs, "LOG_TINY", math.log(tiny))
    monkeypatch.setattr(torus_slabs, "MOST_POINTS", 10**5)  # what a slab leaves out is LOG_TINY over this
    monkeypatch.setattr(torus_support, "LOG_NEGLIGIBLE", math.log(negligible))
    widths = []
    for lattice, region, exact in known:
        for tail in both_ways(lattice, region):
            assert_honest(tail, exact)
            widths.append(tail.log_high - tail.log_low)
    assert np.median(widths) > 1e-3 * max(tiny, negligible)


@pytest.mark.parametrize("way", WAYS)
def test_weighted_sums_of_islands_are_rounded_outward(monkeypatch, way):
    flint = pytest.importorskip("flint")
    spoil(monkeypatch, way, [torus_dominant])
    rng = np.random.default_rng(3)
    for _ in range(100):
        number = int(rng.integers(2, 17))
        logs = -math.log(number) - rng.random(number) * float(rng.choice([0, 1e-9, 1, 50, 900]))
        widths = rng.choice([0, 1e-14, 1e-6, 1], number)
        tails = [Tail(x - 1 - w, x - 1 - w / 2, x - 1) for x, w in zip(logs.tolist(), widths.tolist(), strict=True)]
        if rng.random() < 0.3:
            tails[0] = Tail(-math.inf, -math.inf, -math.inf)
        weights = (rng.random(number) - 1).tolist()
        parts = [torus_dominant.Island(w, None, None) for w in weights]
        found = torus_dominant.weighted_sum(parts, tails)
        with flint.ctx.workprec(400):
            for end, side in (("log_low", -1), ("log_high", 1)):
                ends = [(w, getattr(t, end)) for w, t in zip(weights, tails, strict=True)]
                exact = sum(((flint.arb(w) + x).exp() for w, x in ends if x > -math.inf), flint.arb(0)).log()
                distance = side * (flint.arb(float(getattr(found, end))) - exact)
                assert distance >= 0
                assert distance <= 1e-12
        assert found.log_low <= found.log_estimate <= found.log_high <= 0
    nothing = Tail(-math.inf, -math.inf, -math.inf)
    assert torus_dominant.weighted_sum(parts, [nothing] * len(parts)) == nothing
    assert torus_dominant.weighted_sum(parts[:1], [nothing]) is nothing


def test_the_only_whole_count_in_an_interval_is_the_answer():
    for n in (1, 5, 40, 200):
        for count in (0, 1, 2, 1000, 10**9, 2**n):
            if count > 2**n or count > 10**14:
                continue
            log = math.log(count) - n * math.log(2) if count else -math.inf
            wide = Tail(log - 0.2 / (count or 1), log, min(log + 0.2 / (count or 1), 0.0))
            sure = torus._whole_count(wide, n)
            if count:
                assert sure.fraction == Fraction(count, 2**n)
                none = math.log(count + 0.3) - n * math.log(2), math.log(count + 0.7) - n * math.log(2)
                two = Tail(log, log, math.log(count + 1) - n * math.log(2))
                assert torus._whole_count(two, n) is two
                between = Tail(none[0], none[0], none[1])
                assert torus._whole_count(between, n) is between
    far = Tail(-1.0, -0.9, -0.8)
    assert torus._whole_count(far, 60) is far


def test_two_intervals_together():
    a, b = Tail(-3.0, -2.5, -2.0), Tail(-2.6, -2.4, -1.0)
    for one, other in ((a, b), (b, a)):
        both = torus._intersection(one, other)
        assert (both.log_low, both.log_estimate, both.log_high) == (-2.6, -2.5, -2.0)
    narrow = Tail(-2.2, -2.1, -2.05)
    assert torus._intersection(a, narrow) == torus._intersection(narrow, a) == narrow


# -- what it cannot do ---------------------------------------------------------------------------


def test_obstacles_name_the_way_out():
    engine, yes = Torus(), lambda x: x[:, 0] >= 0
    flat = lattice_of([[1, 0], [0, 1]], [5, 5])
    assert engine.obstacle(Question(flat, Region(yes))) is None
    assert "one dimension" in engine.obstacle(Question(flat, Runs(((0, 3),))))
    deep = lattice_of(np.eye(5), [9] * 5)
    assert "5 free dimensions" in engine.obstacle(Question(deep, Region(yes)))
    big = Lattice(np.array([[2**70, 1], [0, 1]], dtype=object), np.array([5, 5]), flat.basis, (0, 0))
    assert "too large" in engine.obstacle(Question(big, Region(yes)))
    rng = np.random.default_rng(0)
    few = lattice_of(rng.integers(1, 30_000, (30, 2)), np.ones(30))
    assert "unrelated" in engine.obstacle(Question(few, Region(yes, increasing=True)))
    wide = lattice_of(rng.integers(1, 30_000, (3000, 2)), np.ones(3000))
    assert "monte-carlo" in engine.obstacle(Question(wide, Region(yes)))
    assert engine.cost(Question(flat, Region(yes))) < 0.1
