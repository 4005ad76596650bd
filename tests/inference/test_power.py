"""Power against enumeration of all tables, and against simulations with a test of their own."""

import json
import math
import pickle
from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest

import exactperm as xp
from exactperm.engines.base import Tail
from exactperm.inference import plan, power_simulation
from exactperm.inference.crossing import crossing
from exactperm.inference.pair_law import PairLaw
from exactperm.inference.power_binary import BinaryTest, binomial_window, critical, stays_above
from exactperm.inference.power_simulation import LinePopulation, Rejections

TABLES = [(Fraction(3, 10), Fraction(1, 10)), (Fraction(1, 2), Fraction(1, 2)), (Fraction(1), Fraction(0))]
LEVELS = [Fraction(1, 20), Fraction(1, 16), Fraction(1, 2), Fraction(9, 10)]


def sign_test(wins, losses, side):
    """The exact p-value in fractions."""
    m = wins + losses
    most = {"both": min(wins, losses), "above": losses, "below": wins}[side]
    tail = Fraction(sum(comb(m, i) for i in range(most + 1)), 2**m)
    return min(2 * tail, Fraction(1)) if side == "both" else tail


def enumerated(n, win, loss, side, alpha):
    """The power as a sum over all tables of wins, losses and ties."""
    tie = 1 - win - loss
    return sum(
        comb(n, w) * comb(n - w, lost) * win**w * loss**lost * tie ** (n - w - lost)
        for w in range(n + 1)
        for lost in range(n + 1 - w)
        if sign_test(w, lost, side) <= alpha
    )


@pytest.mark.parametrize(("win", "loss"), [*TABLES, (Fraction(1, 100), Fraction(3, 10))])
@pytest.mark.parametrize("side", ["both", "above", "below"])
@pytest.mark.parametrize("alpha", LEVELS)
def test_binary_equals_enumeration(win, loss, side, alpha):
    for n in (1, 5, 6, 21):
        low, power, high = BinaryTest(float(win), float(loss), side, alpha).power(n)
        exact = enumerated(n, win, loss, side, alpha)
        assert low <= exact <= high
        assert power == pytest.approx(float(exact), abs=1e-14)


@pytest.mark.parametrize("level", [Fraction(1, 40), Fraction(1, 32), Fraction(1, 2), Fraction(1, 1000)])
def test_critical_values_are_exact(level):
    m = np.arange(300)
    for size, k in zip(m.tolist(), critical(m, level).tolist(), strict=True):
        tails = [Fraction(sum(comb(size, i) for i in range(j + 1)), 2**size) for j in (k, k + 1)]
        assert tails[0] <= level < tails[1]


def test_a_level_that_is_a_tail_itself_is_reached():
    """Where the distribution function and the level are equal, integers decide."""
    for m in range(5, 70, 3):
        for k in range(m // 2):
            level = Fraction(sum(comb(m, i) for i in range(k + 1)), 2**m)
            for nearby, expected in ((level, k), (level * (1 - Fraction(1, 10**14)), k - 1)):
                assert critical(np.array([m]), nearby).tolist() == [expected]


@pytest.mark.parametrize(("n", "p"), [(0, 0.3), (7, 1.0), (12, 0.0), (300, 0.3), (400, 1e-3), (300, 0.999)])
def test_window_holds_the_binomial_law(n, p):
    first, law, outside = binomial_window(n, p)
    q = Fraction(p)
    exact = [comb(n, m) * q**m * (1 - q) ** (n - m) for m in range(first, first + len(law))]
    assert 1 - sum(exact) <= outside * (1 + 1e-9) <= 1e-15
    assert law.tolist() == pytest.approx([float(x) for x in exact], rel=1e-11)


@pytest.mark.parametrize(
    ("win", "loss", "side", "alpha"),
    [
        (0.6, 0.4, "both", 20),
        (0.9, 0.1, "both", 20),
        (0.7, 0.28, "both", 20),
        (1.0, 0.0, "both", 20),
        (0.3, 0.1, "above", 100),
    ],
)
@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.95])
def test_from_the_sample_size_on_the_power_is_enough(win, loss, side, alpha, wanted):
    test = BinaryTest(win, loss, side, Fraction(1, alpha))
    n = stays_above(test, wanted)
    powers = [test.power(i)[1] for i in range(1, 3 * n + 50)]
    assert n == 1 + max((i + 1 for i, power in enumerate(powers) if power < wanted), default=0)


def test_saw_tooth_is_looked_through():
    """The first size with enough power is not the answer, as larger ones have less again."""
    n = xp.sample_size({1: 0.6, -1: 0.4}, power=0.8).n
    powers = xp.power({1: 0.6, -1: 0.4}, n=list(range(1, n))).power
    assert (powers >= 0.8).any()
    assert powers[-1] < 0.8


def test_assumptions_are_pilots():
    stated = xp.power(p_a=0.81, p_b=0.79, agreement=0.9, n=[10, 500])
    a, b = np.repeat([1, 0, 1, 0], [75, 15, 6, 4]), np.repeat([1, 0, 0, 1], [75, 15, 6, 4])
    for pilot in ((a, b), (a / 2, b / 2), (xp.Effects.from_scores(a, b),), (xp.paired_test(a, b),)):
        assert xp.power(*pilot, n=[10, 500]).power == pytest.approx(stated.power, rel=1e-12)
    assert xp.power({1: 0.06, -1: 0.04, 0: 0.9}, n=500).power == pytest.approx(stated.power[1], rel=1e-12)


def test_detectable_difference_has_the_power():
    found = xp.detectable_difference(agreement=0.9, n=1000, power=0.8)
    d = found.difference
    assert found.difference_interval.low < d == found.difference_interval.high
    assert xp.power({1: (0.1 + d) / 2, -1: (0.1 - d) / 2, 0: 0.9}, n=1000).power >= 0.8 - 1e-9
    d *= 1 - 1e-6
    assert xp.power({1: (0.1 + d) / 2, -1: (0.1 - d) / 2, 0: 0.9}, n=1000).power < 0.8
    less = xp.detectable_difference(agreement=0.9, n=1000, alternative="less")
    assert less.difference == -xp.detectable_difference(agreement=0.9, n=1000, alternative="greater").difference
    doubled = xp.detectable_difference({2: 0.07, -2: 0.03, 0: 0.9}, n=1000)
    assert doubled.difference == pytest.approx(2 * found.difference)


# -- simulations -----------------------------------------------------------------------------------------------

LAW = {-2: 0.1, -1: 0.15, 0: 0.3, 1: 0.2, 3: 0.25}


def brute_power(n, alpha, alternative, seed=5, number=30_000):
    """Data sets drawn item by item, and the p-value of each by adding up all sign patterns of its distinct counts."""
    rng = np.random.default_rng(seed)
    d = rng.choice(list(LAW), size=(number, n), p=list(LAW.values()))
    patterns = 2 * (np.arange(2**n)[:, None] >> np.arange(n) & 1) - 1
    known, rejected = {}, 0
    for row, total in zip(np.sort(np.abs(d), axis=1).tolist(), d.sum(axis=1).tolist(), strict=True):
        key = tuple(row)
        if key not in known:
            known[key] = np.sort(patterns @ np.array(row))
        sums = known[key]
        if alternative == "two-sided":
            hits = (len(sums) - np.searchsorted(sums, abs(total))) * 2 if total else len(sums)
        else:
            hits = len(sums) - np.searchsorted(sums, total)
        rejected += hits <= alpha * 2**n
    return rejected / number


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_simulation_within_the_noise_of_another(alternative):
    n, alpha, number = 9, 0.125, 10_000
    mine = xp.power(LAW, n=n, alpha=alpha, alternative=alternative, n_simulations=number, rng=1)
    theirs = brute_power(n, alpha, alternative)
    assert not mine.exact
    assert 0.1 < theirs < 0.9
    assert abs(mine.power - theirs) < 5 * math.sqrt(theirs * (1 - theirs) * (1 / number + 1 / 30_000))
    assert mine.interval.low < mine.power < mine.interval.high


def test_real_scores_by_simulation():
    """Differences of many sizes, where bounds decide, against plain tests of the same kind of data."""
    rng = np.random.default_rng(0)
    d = rng.normal(0.3, 1, 400)
    mine = xp.power(d, np.zeros(400), n=40, n_simulations=400, rng=0)
    drawn = rng.choice(d, (300, 40))
    share = np.mean([xp.paired_test(x, np.zeros(40), method="bracket", tolerance=0.01).pvalue <= 0.05 for x in drawn])
    assert abs(mine.power - share) < 5 * math.sqrt(0.25 * (1 / 400 + 1 / 300))


def test_ratio_by_simulation():
    rng = np.random.default_rng(0)
    gold = rng.integers(1, 4, 60)
    a, b = ({"tp": (tp := rng.binomial(gold, share)), "fp": gold - tp, "fn": gold - tp} for share in (0.9, 0.6))
    mine = xp.power(a, b, metric="f1", n=12, n_simulations=150, rng=0)
    rows = rng.integers(0, 60, (150, 12))
    tests = [
        xp.paired_test({k: v[r] for k, v in a.items()}, {k: v[r] for k, v in b.items()}, metric="f1") for r in rows
    ]
    share = np.mean([test.pvalue <= 0.05 for test in tests])
    assert abs(mine.power - share) < 5 * math.sqrt(0.25 * 2 / 150)
    assert mine.n_simulations == 150
    assert mine.difference == pytest.approx(xp.paired_test(a, b, metric="f1").statistic)


def test_sample_size_of_a_ratio_has_the_power():
    """Counts that vary freely, on a lattice of two dimensions."""
    a = {"tp": [3, 2, 4, 1], "fp": [0, 1, 0, 2], "fn": [1, 1, 0, 2]}
    b = {"tp": [1, 1, 3, 1], "fp": [2, 1, 2, 0], "fn": [3, 2, 1, 2]}
    found = xp.sample_size(a, b, metric="f1", n_simulations=40, rng=0)
    assert found.n_interval.low < found.n < found.n_interval.high
    low, high = xp.power(a, b, metric="f1", n=list(found.n_interval), n_simulations=150, rng=1).power
    assert low < 0.8 < high


def test_equal_seeds_equal_bits():
    curve = xp.power(LAW, n=[20, 40], n_simulations=300, rng=7)
    assert xp.power(LAW, n=40, n_simulations=300, rng=7).power == curve.power[1]
    assert xp.power(LAW, n=40, n_simulations=300, rng=8).power != curve.power[1]
    mirrored = {-d: p for d, p in LAW.items()}
    assert xp.power(mirrored, n=[20, 40], n_simulations=300, rng=7).power.tolist() == curve.power.tolist()


def test_simulated_size_and_difference():
    found = xp.sample_size(LAW, power=0.8, n_simulations=400, rng=0)
    low, high = found.n_interval
    assert low < found.n < high
    many = xp.power(LAW, n=[low, found.n, high], n_simulations=4_000, rng=1).power
    assert many[0] < 0.8 < many[2]
    assert abs(many[1] - 0.8) < 0.06
    least = xp.detectable_difference(LAW, n=found.n, power=0.8, n_simulations=400, rng=0)
    assert least.difference_interval.low < least.difference < least.difference_interval.high
    assert least.interval.low < 0.8 < least.interval.high


@pytest.mark.parametrize("slope", [0.3, 0.01])
def test_crossing_of_a_known_line(slope):
    def simulate(x, _):
        hits = round(10**6 * 0.5 * math.erfc((1.96 - slope * x) / math.sqrt(2)))
        return Rejections(hits, hits, hits, 10**6)

    x, low, high = crossing(simulate, 1.0, (0.0, 1e6), 0.8, 0.025, 0.95)
    exact = (1.96 + 0.8416212) / slope
    assert x == pytest.approx(exact, rel=1e-3)
    assert low < exact < high < low * 1.05


def constant(hits, number=100):
    return lambda *_: Rejections(hits, hits, hits, number)


def test_crossing_of_what_is_level():
    """Too low to pass the wanted power anywhere; and as high at every x, so that nothing is known of where."""
    assert crossing(constant(5), 1.0, (0.0, 50.0), 0.8, 0.025, 0.95) == (math.inf, math.inf, math.inf)
    _, low, high = crossing(constant(80), 1.0, (0.0, 1e9), 0.8, 0.025, 0.95)
    assert (low, high) == (0.0, 1e9)
    asked = []
    x, low, high = crossing(lambda x, _: asked.append(x) or constant(99)(), 1.0, (0.5, 9.0), 0.8, 0.025, 0.95)
    assert (x, low) == (0.5, 0.5)
    assert 0.5 <= min(asked) < max(asked) <= high <= 9.0


def test_what_cannot_be_planned_is_refused(monkeypatch):
    monkeypatch.setattr(plan, "MOST_UNITS", 20)
    with pytest.raises(ValueError, match="the difference is too small to plan for: 20 items or groups are not enough"):
        xp.sample_size(LAW, power=0.9, n_simulations=50, rng=0)
    with pytest.raises(
        ValueError, match=r"no difference is found with probability 0.8: .* it would be 0.7\d*; take more"
    ):
        xp.detectable_difference(LAW, n=10, power=0.8, n_simulations=20, rng=0)


def test_favouring_gives_the_difference():
    law = PairLaw.of_table(LAW)
    for d in (1e-6, -0.3, 1.2):
        moved = law.favouring(d)
        assert moved.difference == pytest.approx(d, rel=1e-9)
        assert moved.plus + moved.minus == pytest.approx(law.plus + law.minus)
        odds = np.log(moved.plus / moved.minus)
        assert odds / odds[0] == pytest.approx(law.values / law.values[0])


def test_rounding_of_the_pilot_goes_with_the_data_sets():
    law = replace(PairLaw.of_table(LAW), rounded=True)
    drawn = list(LinePopulation(xp.Metric("m", ("s",), additive=True), law).draw(30, 3, np.random.default_rng(0)))
    assert [(effects.rounding, effects.n_groups) for effects in drawn] == [(30, 30)] * 3


@pytest.mark.parametrize(("estimate", "found"), [(0.045, 20), (0.055, 0)])
def test_what_stays_open_counts_both_ways(monkeypatch, estimate, found):
    tail = Tail(math.log(0.04), math.log(estimate), math.log(0.06))
    monkeypatch.setattr(power_simulation, "_answers", lambda questions, _: [tail] * len(questions))
    result = xp.power(LAW, n=200, n_simulations=20, rng=0)
    assert result.power == found / 20
    assert result.interval == (0.0, 1.0)


def test_groups_are_drawn_whole():
    rng = np.random.default_rng(0)
    a, b, groups = rng.integers(0, 5, 90), rng.integers(0, 4, 90), np.arange(90) // 3
    grouped = xp.power(a, b, groups=groups, n=[1, 60, 91], n_simulations=200, rng=0)
    assert grouped.n_groups.tolist() == [1, 20, 30]
    summed = (x.reshape(30, 3).sum(axis=1) for x in (a, b))
    assert xp.power(*summed, n=20, n_simulations=200, rng=0).power == grouped.power[1]
    assert (
        xp.sample_size([3, 2, 1, 4], [1, 1, 1, 1], groups=[0, 0, 1, 1], power=0.5, n_simulations=50, rng=0).n % 2 == 0
    )


# -- what it says ----------------------------------------------------------------------------------------------


def test_forms():
    result = xp.power(p_a=0.81, p_b=0.79, agreement=0.9, n=[500, 1000])
    plain = json.loads(result.to_json())
    assert plain["n"] == [500, 1000]
    assert plain["power"] == result.power.tolist()
    assert plain["verdict"] == result.verdict
    assert result.to_csv().splitlines()[0] == "n,n_groups,power,low,high,difference,alpha"
    assert result.to_markdown().splitlines()[2] == "| 500 | 0.2496 |"
    assert r"1,000 & 0.4787 \\" in result.to_latex()
    assert pickle.loads(pickle.dumps(result)).signature == result.signature
    assert "verdict     From 500 to 1,000 items" in repr(result)
    for single in (xp.sample_size(LAW, n_simulations=50, rng=0), xp.detectable_difference(agreement=0.5, n=50)):
        assert single.verdict in repr(single)
        assert json.loads(single.to_json())["wanted"] == 0.8


def test_one_size_is_a_sentence():
    verdict = xp.power(p_a=0.5, p_b=0.4, agreement=0.8, n=1000).verdict
    assert verdict.startswith("With 1,000 items the exact test (two-sided, level 0.05) finds a difference of 0.1 with")
    assert verdict.endswith("probability 1.000.")


def test_nothing_differs():
    result = xp.power([1, 0, 1], [1, 0, 1], n=10)
    assert (result.power, result.interval, result.exact) == (0.0, (0.0, 0.0), True)
    assert result.verdict.startswith("The power is 0: A and B never differ")
    same = {"tp": [1, 2], "fp": [0, 1], "fn": [1, 1]}
    assert xp.power(same, same, metric="f1", n=10).power == 0.0


TIES = [1, 0, 1], [1, 0, 1]
STATED = {"p_a": 0.81, "p_b": 0.79}
PILOT = xp.paired_test([1, 0], [0, 0])
COUNTS = {"tp": [1, 2], "fp": [0, 1], "fn": [1, 1]}, {"tp": [0, 2], "fp": [1, 1], "fn": [2, 1]}


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda: xp.power(**STATED, agreement=0.99, n=9), ValueError, "lies between 0.6 and 0.98"),
        (lambda: xp.power(**STATED, agreement=0.5, n=9), ValueError, "lies between 0.6 and 0.98"),
        (lambda: xp.power(**STATED, n=9), ValueError, "agreement is missing.*lies between 0.6 and 0.98, and is 0.6798"),
        (lambda: xp.power(p_a=0.8, agreement=0.9, n=9), TypeError, "p_b is missing"),
        (lambda: xp.power(p_a=1.2, p_b=0.8, agreement=0.9, n=9), ValueError, "p_a must be between 0 and 1, not 1.2"),
        (lambda: xp.power(**STATED, agreement=math.nan, n=9), ValueError, "agreement must be finite"),
        (lambda: xp.power([1], [0], p_a=0.3, n=9), TypeError, "a pilot or assumptions, not both"),
        (lambda: xp.power(n=9), TypeError, "give a pilot"),
        (lambda: xp.power([1], [0], n=0), ValueError, "n must be between 1 and"),
        (lambda: xp.power([1], [0], n=[]), ValueError, "n is an empty list"),
        (lambda: xp.power([1], [0], n=2.5), TypeError, "whole number of items, not 2.5"),
        (lambda: xp.power([1], [0], n="10"), TypeError, "n must be a number of items, or a list of them, not '10'"),
        (lambda: xp.power(p_a="0.8", p_b=0.7, agreement=0.9, n=9), TypeError, "p_a must be a number, not '0.8'"),
        (lambda: xp.power(PILOT, [1, 0], n=9), TypeError, "a TestResult holds both systems, .*: give it alone"),
        (lambda: xp.power(replace(PILOT, problem=None), n=9), ValueError, "does not hold the data of its test; give"),
        (lambda: xp.power([1], [0], n=9, alpha=1), ValueError, "alpha must be between 0 and 1, not 1"),
        (lambda: xp.power([1], [0], n=9, alpha=Fraction(1, 10**400)), ValueError, "alpha must be at least 1e-300"),
        (lambda: xp.power([1], [0], n=9, alternative="more"), ValueError, "alternative must be"),
        (lambda: xp.power([1], [0], n=9, n_simulations=0), ValueError, "n_simulations must be a positive integer"),
        (lambda: xp.power([1], [0], n=9, confidence_level=1.0), ValueError, "confidence_level must be"),
        (lambda: xp.power([], [], n=9), ValueError, "the pilot holds no items"),
        (lambda: xp.power({0: 0.5, 1: 0.6}, n=9), ValueError, "must add up to 1; they add up to 1.1"),
        (lambda: xp.power({0: 0.5, 1: 0.5}, metric="f1", n=9), ValueError, "stated assumptions are about means"),
        (lambda: xp.sample_size(*TIES), ValueError, "no sample size is defined: A and B are equal on average"),
        (lambda: xp.sample_size([0, 0], [1, 0], alternative="greater"), ValueError, "A is not better"),
        (lambda: xp.sample_size([1], [0], power=1), ValueError, "power must be between 0 and 1, not 1"),
        (lambda: xp.sample_size(LAW, power=0.05), ValueError, "power must be larger than alpha=0.05, the chance of"),
        (lambda: xp.detectable_difference(LAW, n=99, power=0.01), ValueError, "power must be larger than alpha=0.05"),
        (lambda: xp.sample_size([1], [0], power="0.8"), TypeError, "power must be a number between 0 and 1, not '0.8'"),
        (lambda: xp.sample_size({1: 0.50001, -1: 0.49999}), ValueError, "too small to plan for"),
        (lambda: xp.detectable_difference(*TIES, n=9), ValueError, "no difference is defined: A and B never differ"),
        (lambda: xp.detectable_difference(agreement=0.9, n=9), ValueError, "it would be 6.42e-05"),
        (lambda: xp.detectable_difference(LAW, n=3, n_simulations=50, rng=0), ValueError, "no difference is found"),
        (lambda: xp.detectable_difference(*COUNTS, metric="f1", n=9), ValueError, "is for means: .* metric 'f1' is"),
    ],
)
def test_bad_input(call, kind, match):
    with pytest.raises(kind, match=match):
        call()


def test_lower_is_better_turns_the_alternative():
    a, b = [1, 0, 0, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 1, 0, 1]
    metric = xp.Metric("loss", ("loss",), additive=True, higher_is_better=False)
    better = xp.power(a, b, metric=metric, n=60, alternative="greater").power
    assert better == xp.power(b, a, n=60, alternative="greater").power > 0.5
