"""The exact engine in one dimension against exact integers: it is right, and its intervals hold the truth."""

import json
import math
import threading
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import flint
import numpy as np
import pytest

import problems
from claims import (
    assert_converged,
    assert_honest,
    assert_result_converged,
    assert_result_honest,
    inside,
    relative_error,
)
from exactperm.api import paired_test
from exactperm.effects import Effects
from exactperm.engines import characteristic as characteristic_module
from exactperm.engines import conditioning as conditioning_module
from exactperm.engines import fourier
from exactperm.engines import support as support_module
from exactperm.engines import tilt as tilt_module
from exactperm.engines.base import CannotAnswer, Question
from exactperm.engines.characteristic import characteristic
from exactperm.engines.fourier import Fourier
from exactperm.engines.support import Circle, live_frequencies, residue, times_modulo
from exactperm.engines.tilt import Coins, Tilt
from exactperm.lattice import Lattice
from exactperm.region import Runs
from problems import ALTERNATIVES, BITS, FAMILIES, TABLE, Problem
from sloppy import WAYS, spoil

DATA = Path(__file__).parents[1] / "data"

#: random problems, in chunks: 12 families x 17 chunks x 10 = 2,040
CHUNKS, CHUNK = 17, 10


def answer(lattice, *intervals, mirrored=False):
    return Fourier().answer(Question(lattice, Runs(intervals, mirrored)))


# -- the oracle itself -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [p for p in TABLE if p.n <= 12], ids=lambda p: p.name)
def test_the_table_against_every_assignment(problem):
    ways, d = problems.enumerate_ways(problem.counts), problem.difference
    total = 2**problem.n
    assert sum(ways.values()) == total
    assert problem.exact("greater") == Fraction(sum(w for x, w in ways.items() if x >= d), total)
    assert problem.exact("less") == Fraction(sum(w for x, w in ways.items() if x <= d), total)
    assert problem.exact("two-sided") == Fraction(sum(w for x, w in ways.items() if abs(x) >= abs(d)), total)


@pytest.mark.parametrize("seed", range(20))
def test_the_polynomial_against_every_assignment(seed):
    counts = {v: c for v, c in problems.random_problem("few items", seed).counts.items() if c}
    law, ways = problems.Law.of(counts), problems.enumerate_ways(counts)
    assert {x: int(w) for x, w in enumerate(law.ways) if w} == {law.point(d): w for d, w in ways.items()}


@pytest.mark.parametrize(
    ("number", "effect", "others", "above"),
    [(50, 1, {}, 3), (400, 1, {3: 2, 100: 1}, 0), (300, 5, {1: 3, 3: 2}, 200), (90, 2, {1: 1}, 80), (60, 1, {}, -9)],
)
def test_binomial_tails_in_balls_against_the_polynomial(number, effect, others, above):
    law = problems.Law.of({effect: number} | others)
    a = law.span // 2 + above
    ball = problems.log_tail_of_many_equal(number, effect, others, a)
    with flint.ctx.workprec(BITS):
        assert ball.overlaps(problems.log_ball(law.probability([(a, law.span)])))
    assert ball.rad() < 1e-60


# -- the two claims --------------------------------------------------------------------------------------------


@cache
def answers(family: str, chunk: int) -> list[tuple[Problem, str, object, Fraction]]:
    """One alternative of each of some random problems, and the exact p-value."""
    found = []
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        problem = problems.random_problem(family, seed)
        alternative = ALTERNATIVES[seed % 3]
        result = paired_test(problem.effects, alternative=alternative, method="fourier")
        found.append((problem, alternative, result, problem.exact(alternative)))
    return found


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("family", FAMILIES)
def test_random_problems_converged(family, chunk):
    for _, _, result, exact in answers(family, chunk):
        assert result.method == "fourier"
        assert_result_converged(result, exact)


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("family", FAMILIES)
def test_random_problems_honest(family, chunk):
    for _, _, result, exact in answers(family, chunk):
        assert_result_honest(result, exact)


def test_the_random_problems_reach_from_one_to_the_far_tail():
    """What the bar asks for: at least 2,000 problems, p from 1 down to 1e-300."""
    assert len(FAMILIES) * CHUNKS * CHUNK >= 2000
    depth = [
        r.log_pvalue / math.log(10) for f in ("far tail", "all equal") for c in range(4) for *_, r, _ in answers(f, c)
    ]
    assert min(depth) < -200
    assert sum(-150 < d < -50 for d in depth) >= 3
    assert sum(d > -2 for d in depth) >= 10


@pytest.mark.parametrize("family", ["paper-like", "multiples but a few", "one dominating effect"])
@pytest.mark.parametrize("n", [3_000, 10_000])
def test_thousands_of_items(family, n):
    for large in (p for p in problems.many_items(n, 0) if family in p.tags):
        for alternative in ALTERNATIVES:
            result = paired_test(large.effects, alternative=alternative, method="fourier")
            exact = large.exact(alternative)
            assert_result_converged(result, exact)
            assert_result_honest(result, exact)


@pytest.mark.parametrize("number", [10**5, 10**6, 10**9])
@pytest.mark.parametrize(
    ("effect", "others"), [(1, {}), (1, {3: 1, 1000: 2}), (1, {2: 8, 7: 1}), (5, {1: 3, 3: 2}), (2, {1: 1})]
)
def test_up_to_a_billion_items(number, effect, others):
    lattice = Lattice.of(Effects.from_counts({effect: number} | others))
    (span,) = lattice.span
    for deviations in (0, 0.1, 8, 36):
        a = span // 2 + 1 + int(deviations * lattice.deviation)
        exact = problems.log_tail_of_many_equal(number, effect, others, a)
        tail = answer(lattice, (a, span))
        assert_converged(tail.log_estimate, exact)
        assert_honest(tail, exact)


def log_binomial_tail(n, a):
    """log P(Binomial(n, 1/2) >= a) to 1e-14, for n so large that its terms are smooth.

    Euler and Maclaurin: the integral from a on, half the first term, a twelfth of its slope; the next is (9 / sigma)^3
    of the first. The integral by Gauss and Legendre, each term from gamma functions in balls.
    """
    with flint.ctx.workprec(BITS):
        sigma = math.isqrt(n) / 2
        whole = flint.arb(n + 1).lgamma() - n * flint.arb(2).log()

        def log_term(x):
            return whole - (x + 1).lgamma() - (n + 1 - x).lgamma()

        first = log_term(flint.arb(a))
        integral = flint.arb(0)
        for node, weight in zip(*np.polynomial.legendre.leggauss(20), strict=True):
            for i in range(40):
                t = (i + (node + 1) / 2) / 4
                integral += weight / 8 * (log_term(a + flint.arb(sigma) * t) - first).exp() * sigma
        slope = flint.arb(n - a + 1).digamma() - flint.arb(a + 1).digamma()
        return first + (integral + 0.5 - slope / 12).log()


@pytest.mark.parametrize("z", [0.001, 1, 8, 30])
@pytest.mark.parametrize("number", [10**9, 10**12, 3 * 10**15])
def test_as_many_items_as_can_be_counted(number, z):
    """Counts of a query over everything there is; turns of the characteristic function are then counted modulo P."""
    a = number // 2 + 1 + int(z * math.isqrt(number) / 2)
    tail = answer(Lattice.of(Effects.from_counts({1: number})), (a, number))
    exact = log_binomial_tail(number, a)
    assert_converged(tail.log_estimate, exact)
    assert_honest(tail, exact)


def test_more_items_than_that_are_refused():
    lattice = Lattice.of(Effects.from_counts({1: 2**52}))
    assert "too many for 64-bit arithmetic" in Fourier().obstacle(Question(lattice, Runs(((2**51, 2**52),))))


@pytest.mark.parametrize("p", [p for p in TABLE if all(abs(d) < 10**6 for d in p.counts)], ids=lambda p: p.name)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_table(p, alternative):
    result = paired_test(p.effects, alternative=alternative, method="fourier")
    assert_result_converged(result, p.exact(alternative))
    # most of the frequencies of a few unrelated effects are alive: wider, but as honest
    assert_result_honest(result, p.exact(alternative), 1e-9 if "every sum once" in p.tags else 2e-11)


@pytest.mark.parametrize("file", ["paper_like_1000.csv", "paper_like_10000_gap2.csv", "paper_like_10000_gap5.csv"])
def test_reference_values(file):
    known = json.loads((DATA / "exact.json").read_text(encoding="utf-8"))[file]
    a, b = np.loadtxt(DATA / file, delimiter=",", dtype=np.int64, ndmin=2, skiprows=0).T[-2:]
    assert int(a.sum() - b.sum()) == known["difference"]
    for alternative, key in (("two-sided", "two_sided"), ("greater", "greater")):
        found = paired_test(a, b, alternative=alternative, method="fourier")
        assert abs(Fraction(found.pvalue) / Fraction(known[key]) - 1) < Fraction(1, 10**12)


# -- below the smallest double ---------------------------------------------------------------------------------


@pytest.mark.parametrize("against", [0, 1, 10, 1000])
def test_log_pvalue_against_the_exact_binomial(against):
    n = 100_000
    ways, term = 1, 1
    for k in range(against):
        term = term * (n - k) // (k + 1)
        ways += term
    exact = problems.log_ball(Fraction(2 * ways, 2**n))
    result = paired_test(Effects.from_counts({1: n - against, -1: against}), method="fourier")
    assert math.isfinite(result.log_pvalue)
    with flint.ctx.workprec(BITS):
        assert abs(float(flint.arb(result.log_pvalue) / exact - 1)) <= 1e-12
    assert inside(*(float(x) for x in result.log_pvalue_interval[:1]), exact, result.log_pvalue_interval.high)
    assert result.pvalue == 0.0
    assert result.pvalue_interval == (0.0, 5e-324)


# -- runs that are not half-lines ------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_runs_anywhere(family):
    """Honest always; the width is relative to the half-lines outward, as a run in a gap has probability zero.

    It may be wider than for a p-value: a run that ends in two gaps of the law keeps many frequencies alive.
    """
    rng = np.random.default_rng(5)
    for seed in range(8):
        problem = problems.random_problem(family, 500 + seed)
        lattice, law = Lattice.of(problem.effects), problem.law
        middle = -(-law.span // 2)
        ends = np.sort(rng.choice(law.span + 1, min(4, law.span + 1), replace=False)).tolist()
        point = ends[len(ends) // 2]
        asked = [[(low, high)] for low, high in zip(ends[::2], ends[1::2], strict=False)]
        asked += [[(point, point)], list(pairwise(ends))[::2], [(-9, ends[0])], [(ends[-1], law.span + 9)]]
        for runs in asked:
            tail = answer(lattice, *runs)
            exact = law.probability(runs)
            assert_honest(tail, exact, width=math.inf)
            outward = [(max(low, middle), law.span) for low, high in runs if high >= middle]
            outward += [(0, min(high, middle - 1)) for low, high in runs if low < middle]
            whole = float(sum(law.probability([x]) for x in outward))
            if whole > 1e-290:
                assert math.exp(tail.log_high) - math.exp(tail.log_low) <= 1e-9 * whole, (problem.counts, runs)


def test_runs_beyond_the_range_are_empty_and_the_whole_range_is_certain():
    lattice = Lattice.of(Effects.from_counts({2: 30, 3: 30}))
    span = lattice.span[0]
    assert answer(lattice, (span + 1, span + 5)).log_high == -math.inf
    assert answer(lattice, (-7, -1)).log_high == -math.inf
    assert_honest(answer(lattice, (0, span)), Fraction(1))
    assert_honest(answer(lattice, (-5, span + 5)), Fraction(1))
    assert answer(lattice, (span - 1, span - 1)).log_high == -math.inf  # no assignment lacks one
    assert answer(lattice, (span, span)).log_estimate == pytest.approx(-60 * math.log(2), rel=1e-15)


def test_tails_add_to_one():
    for family in FAMILIES:
        problem = problems.random_problem(family, 77)
        lattice = Lattice.of(problem.effects)
        span = lattice.span[0]
        for part in (0.0, 0.2, 0.5, 0.51, 0.7):
            s = int(part * span) + 1
            above, below = answer(lattice, (s, span)), answer(lattice, (0, s - 1))
            assert math.exp(above.log_low) + math.exp(below.log_low) <= 1 + 2e-16
            assert math.exp(above.log_high) + math.exp(below.log_high) >= 1 - 2e-16


# -- the bounds are bounds -------------------------------------------------------------------------------------


def laid_out(counts, threshold):
    """One sum with its tilt, circle and the live frequencies."""
    lattice = Lattice.of(Effects.from_counts(counts))
    coins = Coins.of([(lattice.steps[:, 0], lattice.counts)], [threshold])
    tilt = Tilt.to_thresholds(coins)
    below, above = tilt.windows(coins, fourier.LOG_CUT)
    circle = Circle.of(coins, below + above + 1)
    return coins, tilt, circle, (int(below[0]), int(above[0]))


NASTY = {
    "all equal": ({1: 300}, 200),
    "resonant": ({5: 60, 10: 30, 1: 1}, 400),
    "ranks": (dict.fromkeys(range(1, 61), 1), 1100),
    "dominating": ({1: 40, 60: 1}, 75),
    "far": ({1: 200, 3: 50}, 345),
}


def check_characteristic_function(name, part):
    """Modulus and phase differ from the true ones by less than a part of the bound."""
    coins, tilt, circle, _ = laid_out(*NASTY[name])
    sums, k = live_frequencies(coins, tilt, circle, -fourier.LOG_CUT, fourier.LIMIT)
    log_modulus, phase, error = characteristic(coins, tilt, circle, sums, k)
    size, a = int(circle.size[0]), int(coins.a[0])
    with flint.ctx.workprec(BITS):
        tau = flint.arb(float(tilt.tau[0]))
        for i in range(0, len(k), max(1, len(k) // 60)):
            turn = flint.arb(2 * int(k[i])) / size
            true = (flint.acb(0, -1) * flint.arb.pi() * turn * a).exp()
            for v, c in zip(coins.v.tolist(), coins.c.tolist(), strict=True):
                p = 1 / (1 + (-tau * v).exp())
                true *= (1 - p + p * (flint.acb(0, 1) * flint.arb.pi() * turn * v).exp()) ** c
            shape = (flint.acb(0, 1) * flint.arb(float(phase[i]))).exp() * flint.arb(float(log_modulus[i])).exp()
            distance = float(abs(shape / true - 1).upper())
            assert distance <= part * math.expm1(float(error[i])) + 1e-15


@pytest.mark.parametrize("name", NASTY)
def test_no_frequency_that_matters_is_left_out(name):
    """Every frequency outside the certified support is below the cut, by direct evaluation."""
    coins, tilt, circle, _ = laid_out(*NASTY[name])
    _, k = live_frequencies(coins, tilt, circle, -fourier.LOG_CUT, fourier.LIMIT)
    size = int(circle.size[0])
    left_out = np.setdiff1d(np.arange(size // 2 + 1), k)
    sine = np.sin(np.pi * (np.outer(left_out, coins.v) % size) / size)
    with np.errstate(divide="ignore"):
        log_square = np.log1p(-np.minimum(4 * tilt.p * tilt.q * sine**2, 1.0)) @ coins.c.astype(float)
    assert (log_square / 2 <= -fourier.LOG_CUT + 1e-6).all()
    assert np.unique(k).size == k.size


@pytest.mark.parametrize("name", NASTY)
def test_the_window_holds_all_but_the_stated_mass(name):
    """By the exact law, tilted in ball arithmetic."""
    counts, _ = NASTY[name]
    coins, tilt, _, (below, above) = laid_out(*NASTY[name])
    ways, a = problems.multiply_out(counts), int(coins.a[0])
    with flint.ctx.workprec(BITS):
        ratio = flint.arb(float(tilt.tau[0])).exp()
        weights = [w * ratio ** (x - a) for x, w in enumerate(ways)]
        total = sum(weights, flint.arb(0))
        cut = (-flint.arb(fourier.LOG_CUT)).exp()
        assert sum(weights[: max(a - below, 0)], flint.arb(0)) / total <= cut
        assert sum(weights[a + above + 1 :], flint.arb(0)) / total <= cut


def check_exponent(name, part):
    """K(tau) - tau a at the double tau, within a part of its own bound."""
    coins, tilt, _, _ = laid_out(*NASTY[name])
    with flint.ctx.workprec(BITS):
        tau = flint.arb(float(tilt.tau[0]))
        true = -tau * int(coins.a[0])
        for v, c in zip(coins.v.tolist(), coins.c.tolist(), strict=True):
            true += c * ((1 + (tau * v).exp()) / 2).log()
        assert abs(float(true - flint.arb(float(tilt.exponent[0])))) <= part * float(tilt.exponent_error[0])


@pytest.mark.parametrize("name", NASTY)
def test_characteristic_function_against_balls(name):
    check_characteristic_function(name, 1.5)


@pytest.mark.parametrize("name", NASTY)
def test_exponent_against_balls(name):
    check_exponent(name, 1.0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NASTY)
def test_the_bounds_of_rounding_hold_with_any_functions_within_four_ulp(monkeypatch, name, way):
    """Errors that all go one way use up a part of the bounds; what room there is must not get less unseen."""
    spoil(monkeypatch, way, [characteristic_module, tilt_module])
    check_characteristic_function(name, 0.2)
    check_exponent(name, 0.35)


@pytest.mark.parametrize("way", WAYS)
def test_intervals_hold_the_truth_with_any_functions_within_four_ulp(monkeypatch, way):
    spoil(monkeypatch, way, [fourier, characteristic_module, tilt_module, conditioning_module])
    for family in FAMILIES:
        for seed in range(3):
            problem = problems.random_problem(family, 40 + seed)
            lattice = Lattice.of(problem.effects)
            for part in (0.5, 0.6, 0.9):
                a = min(lattice.span[0] * part // 1 + 1, lattice.span[0])
                tail = answer(lattice, (int(a), lattice.span[0]))
                assert_honest(tail, problem.law.probability([(int(a), lattice.span[0])]), 1e-9)


@pytest.mark.parametrize("log_cut", [5.0, 8.0, 16.0])
def test_what_is_left_out_is_in_the_interval_however_much_it_is(monkeypatch, log_cut):
    """With the cut at 1e-20 rounding hides the rest: here what is left out is most of the error."""
    monkeypatch.setattr(fourier, "LOG_CUT", log_cut)
    wide = 0
    for family in FAMILIES:
        for seed in range(4):
            problem = problems.random_problem(family, 60 + seed)
            (span,) = (lattice := Lattice.of(problem.effects)).span
            for part in (0.5, 0.55, 0.7, 0.9):
                a = min(int(span * part) + 1, span)
                for low, high in ((a, span), (a, min(a + 3, span))):
                    tail = answer(lattice, (low, high))
                    assert_honest(tail, problem.law.probability([(low, high)]), math.inf)
                    wide += tail.log_high - tail.log_low > 1e-3 * math.exp(-log_cut)
    assert wide


@pytest.mark.parametrize("log_cut", [-0.05, -0.7, -3.0, -12.0, -46.0])
@pytest.mark.parametrize("batch", [1, 2, 5])
def test_no_frequency_above_any_cut_is_left_out_alone_or_in_a_batch(monkeypatch, log_cut, batch):
    monkeypatch.setattr(support_module, "FEW", 2)  # so that the factors are needed
    monkeypatch.setattr(support_module, "ROWS", 64)
    monkeypatch.setattr(support_module, "MOST_FACTORS", 12)
    rng = np.random.default_rng(8)
    for _ in range(10 // batch):
        sums = []
        for _ in range(batch):
            v = np.unique(rng.integers(1, int(rng.choice([4, 40, 300])), int(rng.choice([1, 4, 30, 60]))))
            sums.append((v, rng.integers(1, 4, v.size)))
        spans = [int(v @ c) for v, c in sums]
        coins = Coins.of(sums, [min(span // 2 + 1 + int(rng.integers(0, span // 3 + 1)), span - 1) for span in spans])
        tilt = Tilt.to_thresholds(coins)
        below, above = tilt.windows(coins, 10.0)
        circle = Circle.of(coins, below + above + 1)
        owner, k = live_frequencies(coins, tilt, circle, log_cut, fourier.LIMIT)
        for i, (v, c) in enumerate(sums):
            size, mine = int(circle.size[i]), coins.owner == i
            everywhere = np.arange(size // 2 + 1)
            sine = np.sin(np.pi * (np.outer(everywhere, v) % size) / size)
            with np.errstate(divide="ignore"):
                log_square = np.log1p(-np.minimum(4 * tilt.p[mine] * tilt.q[mine] * sine**2, 1.0)) @ c.astype(float)
            found = k[owner == i]
            assert (np.diff(found) > 0).all()
            assert np.isin(everywhere[log_square / 2 > log_cut + 1e-9], found).all()


@pytest.mark.parametrize("log_mass", [0.5, 2.0, 5.0, 20.0, 46.0])
@pytest.mark.parametrize("name", NASTY)
def test_windows_of_any_mass_hold_all_but_that(name, log_mass):
    counts, _ = NASTY[name]
    ways = problems.multiply_out(counts)
    for part in (0.5, 0.6, 0.85, 0.99):
        lattice = Lattice.of(Effects.from_counts(counts))
        threshold = min(int(lattice.span[0] * part) + 1, lattice.span[0] - 1)
        coins = Coins.of([(lattice.steps[:, 0], lattice.counts)], [threshold])
        tilt = Tilt.to_thresholds(coins)
        (below,), (above,) = (x.tolist() for x in tilt.windows(coins, log_mass))
        tau = float(tilt.tau[0])
        logs = [math.log(w) + tau * (x - threshold) if w else -math.inf for x, w in enumerate(ways)]
        largest = max(logs)
        weights = [math.exp(x - largest) for x in logs]
        total = math.fsum(weights)
        for outside in (weights[: max(threshold - below, 0)], weights[threshold + above + 1 :]):
            assert math.fsum(outside) <= total * math.exp(-log_mass) * (1 + 1e-12)


@pytest.mark.parametrize("bits", [10, 26, 31, 33, 45, 52])
def test_residues_are_exact(bits):
    rng = np.random.default_rng(bits)
    size = rng.integers(2 ** (bits - 1), 2**bits, 300)
    k = rng.integers(0, size // 2 + 1)
    step = rng.integers(-(2 ** min(bits - 1, 62 - bits)), 2 ** min(bits - 1, 62 - bits), 300)
    for i, half in enumerate((size // 2).tolist()[:100]):  # quotients next to a half
        k[i] = max(half // max(abs(int(step[i])), 1), 1) if i % 2 else half
    kinds = [np.int64] + [np.float64] * (2 ** (bits - 1) * 2 ** min(bits - 1, 62 - bits) < 2**51)
    for kind in kinds:
        found = residue(k.astype(kind), step.astype(kind), size)
        for x, a, b, p in zip(found.tolist(), k.tolist(), step.tolist(), size.tolist(), strict=True):
            assert (int(x) - a * b) % p == 0
            assert 2 * abs(x) <= p
    # a product so long that the quotient is rounded to a half and then to the other side
    own = size | 1
    wide = 2**61 // own
    for odd, above in ((0, 0), (0, 1), (1, 0), (1, 1)):
        for sign in (1, -1):
            product = sign * ((wide - wide % 2 - odd) * own + own // 2 + above)
            found = residue(product, np.ones(300, dtype=np.int64), own)
            assert all(
                (int(x) - y) % p == 0 for x, y, p in zip(found.tolist(), product.tolist(), own.tolist(), strict=True)
            )
            assert (2 * np.abs(found) <= own).all()
    a = rng.integers(0, 2**62, 300)
    expected = [x * y % p for x, y, p in zip(k.tolist(), a.tolist(), size.tolist(), strict=True)]
    assert times_modulo(k, a, size).tolist() == expected


@pytest.mark.parametrize("counts", [{1: 40}, {1: 20, 3: 6}, {2: 8, 5: 7, 7: 1}])
def test_runs_across_the_mean(counts):
    law, lattice = problems.Law.of(counts), Lattice.of(Effects.from_counts(counts))
    for below in (0, 1, 5):
        for above in (0, 1, 4):
            run = (law.span // 2 - below, -(-law.span // 2) + above)
            assert_honest(answer(lattice, run), law.probability([run]), 1e-10)


@pytest.mark.parametrize("width", [1, 2, 8, 64])
def test_bounds_over_intervals_of_frequencies_are_bounds(width):
    """From moments and from factors, over every interval, against every frequency in it."""
    rng = np.random.default_rng(width)
    for _ in range(5):
        sums = []
        for size in (4, 30, 300):
            v = np.unique(rng.integers(1, size, 12))
            sums.append((v, rng.integers(1, 4, v.size)))
        spans = [int(v @ c) for v, c in sums]
        coins = Coins.of(sums, [span // 2 + 1 + (span - span // 2) // 4 for span in spans])
        tilt = Tilt.to_thresholds(coins)
        circle = Circle.of(coins, np.array([span + 1 for span in spans]))
        strength = coins.c * (4 * tilt.p * tilt.q)
        widths = np.full(3, width)
        low = [np.arange(0, max(int(size) // 2 - width + 2, 1)) for size in circle.size]
        owner, low = np.arange(3).repeat([len(x) for x in low]), np.concatenate(low)
        moments = support_module._moments(coins, circle, strength)
        by_moments = support_module._by_moments(moments, owner, low, widths)
        factors = support_module._Factors.strongest(coins, tilt, circle, strength, widths)
        rank = np.arange(int(factors.number.max()))
        by_factors = support_module._bound(factors, circle, owner, low, widths[owner], rank)
        for i in range(3):
            mine = coins.owner == i
            k = np.arange(int(circle.size[i]) // 2 + width + 1)
            sine = np.sin(np.pi * (np.outer(k, coins.v[mine]) % circle.size[i]) / circle.size[i])
            weight = 4 * tilt.p[mine] * tilt.q[mine]
            true = np.log1p(-np.minimum(weight * sine**2, 1 - 1e-16)) @ coins.c[mine].astype(float)
            for j in np.flatnonzero(owner == i):
                most = true[low[j] : low[j] + width].max() - 1e-9
                assert by_moments[j] >= most or low[j] + width > int(circle.size[i]) // 2 + 1
                assert by_factors[j] >= most


@pytest.mark.parametrize("bits", [3, 20, 26, 29, 30])
def test_steps_on_a_circle_are_centred_and_doubles_only_where_products_are_exact(bits):
    rng = np.random.default_rng(bits)
    for _ in range(20):
        sums = [(np.unique(rng.integers(1, 2**bits, 9)), np.ones(9, dtype=np.int64)) for _ in range(2)]
        sums = [(v, c[: v.size]) for v, c in sums]
        coins = Coins.of(sums, [1, 1])
        circle = Circle.of(coins, rng.integers(1, 2**bits, 2))
        own = circle.size[coins.owner]
        assert ((circle.step.astype(np.int64) - coins.v) % own == 0).all()
        assert (2 * np.abs(circle.step) <= own).all()
        assert circle.step.dtype == np.int64 or (own // 2 * np.abs(circle.step) < 2**52).all()
        assert circle.step.dtype == np.float64 or bits >= 26


@pytest.mark.parametrize("counts", [{1: 300}, {1: 200, 3: 60}, {2: 80, 5: 70, 7: 1}])
def test_lower_half_lines_keep_their_digits(counts):
    law = problems.Law.of(counts)
    lattice = Lattice.of(Effects.from_counts(counts))
    for part in (0.05, 0.26, 0.34, 0.4, 0.49):
        high = int(law.span * part)
        for low in (0, 1, high // 2):
            exact = law.probability([(low, high)])
            assert_converged(answer(lattice, (low, high)).log_estimate, exact)
            assert_honest(answer(lattice, (low, high)), exact)
            mirror = answer(lattice, (law.span - high, law.span - low))
            assert mirror.log_estimate == pytest.approx(answer(lattice, (low, high)).log_estimate, rel=1e-13)


def test_steps_in_pieces_give_the_same(monkeypatch):
    """Sums of more steps than fit in a block are cut in pieces."""
    lattice = Lattice.of(Effects.from_counts(dict.fromkeys(range(1, 120), 2)))
    asked = [Question(lattice, Runs(((a, lattice.span[0]),))) for a in (7200, 13000)]
    asked.append(Question(Lattice.of(Effects.from_counts({1: 40, 2: 30})), Runs(((70, 100),))))
    whole = Fourier().answer_all(asked)
    for block in (40, 119):
        monkeypatch.setattr(characteristic_module, "BLOCK", block)
        for tail, other in zip(Fourier().answer_all(asked), whole, strict=True):
            assert tail.log_estimate == pytest.approx(other.log_estimate, rel=1e-13)
            assert tail.log_low <= other.log_estimate <= tail.log_high


@pytest.mark.parametrize("way", WAYS)
def test_an_estimate_of_which_no_digit_is_certain_is_still_a_bound(monkeypatch, way):
    spoil(monkeypatch, way, [fourier, conditioning_module])
    for exponent in (-1e-3, -5.0, -800.0):
        for value in (1e-19, 3e-18, 2e-17, 1e-9, 0.3):
            for absolute in (1e-20, 2e-18, 1e-12):
                for found in (value, -value / 2):
                    tail = fourier._estimate(found, absolute, exponent, 1e-13)
                    with flint.ctx.workprec(BITS):
                        high = exponent + flint.arb(1e-13) + (flint.arb(max(found, 0.0)) + absolute).log()
                        assert flint.arb(float(tail.log_high)) >= min(high, flint.arb(0))
                        assert float(tail.log_high - high) <= 1e-14 * (60 - exponent)
                        if found > absolute:
                            low = exponent - flint.arb(1e-13) + (flint.arb(found) - absolute).log()
                            assert flint.arb(float(tail.log_low)) <= low
                        else:
                            assert tail.log_low == -math.inf
                    assert tail.log_low <= tail.log_estimate <= tail.log_high
                    assert (tail.log_estimate == -math.inf) == (found <= 0)


# -- refusals, batches, threads --------------------------------------------------------------------------------


def test_what_cannot_be_done_is_refused_with_what_would_do():
    rng = np.random.default_rng(0)
    for bits, number in ((24, 40), (31, 40), (58, 12), (62, 5), (100, 9)):
        unrelated = {int(x) << (bits - 24) | int(y): 1 for x, y in rng.integers(2**23, 2**24, (number, 2))}
        with pytest.raises(CannotAnswer, match=r"method='fourier' cannot do this: .*'bracket' would do"):
            paired_test(Effects.from_counts(unrelated), method="fourier")
        other = paired_test(Effects.from_counts(unrelated), tolerance=1e-3)
        assert other.method in ("meet-in-the-middle", "bracket")


def test_too_many_live_frequencies_are_given_up(monkeypatch):
    monkeypatch.setattr(fourier, "LIMIT", 1)
    with pytest.raises(CannotAnswer, match="frequencies stay alive; method="):
        paired_test(Effects.from_counts({1: 300, -2: 310, 5: 200, -5: 90}), method="fourier")


def test_bits_do_not_depend_on_what_else_is_in_the_batch():
    questions = []
    for family in FAMILIES:
        for seed in range(4):
            problem = problems.random_problem(family, 900 + seed)
            lattice = Lattice.of(problem.effects)
            questions.append(Question(lattice, Runs(((lattice.span[0] * 5 // 9, lattice.span[0]),), seed % 2 == 0)))
    together = Fourier().answer_all(questions)
    backwards = Fourier().answer_all(questions[::-1])[::-1]
    assert together == [Fourier().answer(question) for question in questions]
    assert together == backwards


def test_threads_get_the_same_bits():
    effects = [problems.random_problem(family, 31).effects for family in FAMILIES]
    expected = [paired_test(e, method="fourier").log_pvalue for e in effects]
    found = {}

    def work(i):
        found[i] = [paired_test(e, method="fourier").log_pvalue for e in effects]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(found.values()) == [expected] * 8


def test_claims_can_fail():
    """A check that cannot fail proves nothing: an answer off by a little is caught by each."""
    problem = problems.random_problem("paper-like", 3)
    result, exact = paired_test(problem.effects), problem.exact()
    off = result.log_pvalue + 2e-11
    with pytest.raises(AssertionError, match="relative error"):
        assert_converged(off, exact)
    low, high = result.log_pvalue_interval
    shifted = type("T", (), {"log_low": low + 2e-11, "log_estimate": off, "log_high": high + 2e-11})
    with pytest.raises(AssertionError, match="misses"):
        assert_honest(shifted, exact)
    wide = type("T", (), {"log_low": low - 3e-11, "log_estimate": result.log_pvalue, "log_high": high})
    with pytest.raises(AssertionError, match="wide"):
        assert_honest(wide, exact)
    assert relative_error(result.log_pvalue, problems.log_ball(exact)) < 1e-12
