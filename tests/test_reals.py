"""Real scores become integers: on a grid, exactly dyadic, or with a bound on what was lost."""

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import exactperm as xp
from exactperm.engines.auto import METHODS, engine
from exactperm.engines.base import CannotAnswer, Question
from exactperm.lattice import Lattice
from exactperm.reals import effects_of_reals
from exactperm.region import Runs
from real_problems import KINDS, problems

RNG = np.random.default_rng(1)


def true_differences(a, b, groups=None):
    exact = [Fraction(float(x)) - Fraction(float(y)) for x, y in zip(a, b, strict=True)]
    if groups is None:
        return exact
    return [sum((d for d, g in zip(exact, groups, strict=True) if g == label), Fraction(0)) for label in set(groups)]


def assert_holds(effects, exact):
    """Every true difference within the bound in total, matched in order of size."""
    kept = sorted(d for d in exact if d)
    table = zip(effects.values[:, 0].tolist(), effects.n_plus.tolist(), effects.n_minus.tolist(), strict=True)
    found = sorted(x for v, p, m in table for x in [v] * p + [-v] * m)
    assert len(found) == len(kept)
    assert effects.n_tied == len(exact) - len(kept)
    lost = sum(abs(x - y / effects.unit) for x, y in zip(found, kept, strict=True))
    assert lost <= effects.rounding


def test_ties_that_float_noise_would_break():
    effects = effects_of_reals(np.array([0.3, 0.5, 0.7]), np.array([0.1, 0.3, 0.1]))
    assert effects.unit == Fraction(1, 10)
    assert effects.values[:, 0].tolist() == [2, 6]
    assert effects.n_plus.tolist() == [2, 1]
    broken = effects_of_reals(np.array([0.3, 0.2]), np.array([0.1, 0.0]), grid=None)
    assert len(broken.values) == 2


@pytest.mark.parametrize("n_groups", [None, 90, 4500])
@pytest.mark.parametrize(("spread", "n"), [(0, 500), (3, 500), (40, 500), (300, 500), (300, 5000)])
def test_the_bound_holds(n_groups, spread, n):
    groups = None if n_groups is None else np.arange(n) % n_groups
    a = RNG.standard_normal(n) * 10.0 ** RNG.uniform(-spread, spread / 10, n)
    b = RNG.standard_normal(n) * 10.0 ** RNG.uniform(-spread, spread / 10, n)
    a[:20] = b[:20]
    effects = effects_of_reals(a, b, groups)
    assert_holds(effects, true_differences(a, b, None if groups is None else groups.tolist()))
    assert effects.rounding <= n
    if spread == 300:  # up to 4,096 effects of wildly different magnitude are kept whole
        assert (effects.rounding > 0) == (n == 5000 and n_groups != 90)
    lattice = Lattice.of(effects)
    assert lattice.rounding >= effects.rounding / int(lattice.basis[0, 0])


def test_uniform_scores_lose_nothing_where_61_bits_suffice():
    a, b = RNG.uniform(0.5, 1, 1000), RNG.uniform(0.5, 1, 1000)
    effects = effects_of_reals(a, b)
    assert effects.rounding == 0
    assert_holds(effects, true_differences(a, b))


def test_few_effects_of_any_size_are_exact():
    a, b = np.array([1e300, 1e-300, 3.0, 0.1]), np.array([0.0, 0.0, 1 / 3, 0.1])
    effects = effects_of_reals(a, b)
    assert effects.rounding == 0
    assert_holds(effects, true_differences(a, b))
    repeated = effects_of_reals(np.tile([1e300, 1e-300], 500), np.zeros(1000))
    assert repeated.rounding == 0
    assert repeated.n_plus.tolist() == [500, 500]


def test_sums_of_groups_that_cancel_are_ties():
    a = np.array([1e16, 1.0, -1e16, -1.0, 0.7, 0.1])
    effects = effects_of_reals(a, np.zeros(6), np.array([0, 0, 0, 0, 1, 2]), grid=None)
    assert effects.n_tied == 1
    assert effects.n_groups == 3


def test_totals_exchange_order_and_merge():
    a, b = RNG.standard_normal(300), RNG.standard_normal(300)
    effects = effects_of_reals(a, b)
    assert effects_of_reals(b, a) == effects.exchanged()
    half = np.array([1.0, 2.0**-60, 2.0**-61]), np.array([0.0, 0.0, 2.0**-61])  # totals half way between two units
    assert effects_of_reals(*half[::-1], grid=None) == effects_of_reals(*half, grid=None).exchanged()
    order = RNG.permutation(300)
    assert effects_of_reals(a[order], b[order]) == effects
    assert float(effects.totals_a[0] * effects.unit) == pytest.approx(float(sum(map(Fraction, a.tolist()))), abs=1e-15)
    both = effects_of_reals(a[:100], b[:100]) + effects_of_reals(a[100:], b[100:])
    assert_holds(both, true_differences(a, b))


@pytest.mark.parametrize("grid", [0.01, "1/100", Fraction(1, 100)])
def test_a_grid_that_is_given(grid):
    effects = effects_of_reals(np.array([0.25, 0.5]), np.array([0.75, 0.25]), grid=grid)
    assert effects.unit == Fraction(1, 100)
    with pytest.raises(ValueError, match=r"grid=1/100: 0\.125 is not a multiple"):
        effects_of_reals(np.array([0.125]), np.array([0.5]), grid=grid)


@pytest.mark.parametrize("grid", [0, -0.1, "fine", [1], math.inf, Decimal("Infinity"), 1j, {"a": 1}, "1/0"])
def test_a_grid_that_is_none(grid):
    with pytest.raises(ValueError, match="grid must be 'auto'"):
        effects_of_reals(np.array([0.1]), np.array([0.2]), grid=grid)


def test_what_overflows_is_refused():
    with pytest.raises(ValueError, match="overflow"):
        effects_of_reals(np.array([1.7e308, 0.1]), np.array([-1.7e308, 0.3]))


# -- end to end ------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::exactperm.engines.auto.ToleranceWarning")
@pytest.mark.parametrize("seed", range(10))
def test_every_method_on_problems_that_can_be_counted(seed):
    tolerance = 0.05
    for problem in problems(2 * len(KINDS), seed, 24):  # benchmarks/real_scores.py does a thousand, up to 36 effects
        truth, near = problem.exact()
        counted = xp.paired_test(problem.a, problem.b, grid=None, method="meet-in-the-middle")
        assert counted.exact
        assert counted.pvalue == float(truth), problem.kind
        chosen = xp.paired_test(problem.a, problem.b, grid=None)
        assert (chosen.method, chosen.pvalue) == ("meet-in-the-middle", float(truth))
        bracket = xp.paired_test(problem.a, problem.b, grid=None, method="bracket", tolerance=tolerance)
        low, high = bracket.pvalue_interval
        assert not bracket.exact
        assert low <= truth <= high, problem.kind
        assert bracket.log_pvalue_interval.low <= math.log(truth) <= bracket.log_pvalue_interval.high
        assert low <= bracket.pvalue <= high
        # as narrow as the atoms of the law allow
        assert high - low <= 2.001 * tolerance * float(truth) + 1.01 * float(near), problem.kind
        assert chosen.as_fraction() == truth
        if counted.n_groups - counted.n_tied == 20 and problem.kind != "wild":
            assert xp.paired_test(problem.a, problem.b, grid=None, method="enumeration").pvalue == float(truth)


def noise(n, seed=3):
    """Scores whose differences need more than 61 bits."""
    return -np.log(np.random.default_rng(seed).random((2, n)))


@pytest.mark.parametrize("method", METHODS[2:])
def test_what_was_rounded_is_never_called_exact(method):
    a, b = noise(200)
    assert effects_of_reals(a, b).rounding > 0
    if method in ("bracket", "monte-carlo"):
        assert not xp.paired_test(a, b, method=method, n_resamples=99, rng=0).exact
    else:
        with pytest.raises(CannotAnswer, match=r"bracket|monte-carlo"):
            xp.paired_test(a, b, method=method)
    few = Lattice.of(effects_of_reals(*noise(12)))
    few = replace(few, rounding=1)
    question = Question(few, Runs(((few.observed[0], few.span[0]),), False))
    engine_ = engine(method, question)
    assert not engine_.exact or "bracket" in engine_.obstacle(question)


def test_rounded_scores_go_to_the_bracket_and_say_so():
    a, b = noise(300)
    result = xp.paired_test(a, b)
    assert (result.method, result.exact) == ("bracket", False)
    assert "|unit:2^-" in result.signature
    assert "|reached:" in result.signature
    with pytest.raises(CannotAnswer, match=r"rounded to 61 bits.*bracket"):
        xp.paired_test(a, b, method="exact")
    with pytest.raises(CannotAnswer, match="bracket"):
        result.as_fraction()
    with pytest.raises(ValueError, match="rounded"):
        result.null_distribution()
    # a difference of zero may be one of rounding: a p-value of one is not certain then
    swapped = xp.paired_test(np.concatenate([a, b]), np.concatenate([b, a]))
    assert (swapped.statistic, swapped.exact, swapped.pvalue_interval.high) == (0, False, 1)


def test_a_tolerance_that_cannot_be_met_is_a_warning_that_says_what_was_reached():
    a, b = np.repeat([np.arange(1, 9) / 16, np.zeros(8)], 5, axis=1)  # a tenth of the tail sits at the observed value
    a[::3], b[::3] = b[::3].copy(), a[::3].copy()
    with pytest.warns(xp.ToleranceWarning, match=r"half-width of 0\.\d+ relative to the p-value, not tolerance=1e-06"):
        result = xp.paired_test(a, b, method="bracket", tolerance=1e-6)
    low, high = result.pvalue_interval
    assert low <= xp.paired_test(a, b).pvalue <= high
    assert "|tolerance:1e-06|reached:" in result.signature
    xp.paired_test(a, b, method="bracket")  # nobody asked: no warning
    xp.paired_test(*noise(500), tolerance=1e-3)


@pytest.mark.parametrize("kind", ["grid", "dyadic", "rounded", "wild", "few"])
@pytest.mark.parametrize("grouped", [False, True])
def test_exchange_and_shuffle_give_the_same_bits(kind, grouped):
    rng = np.random.default_rng(12)
    a, b = {
        "grid": np.round(rng.normal(0.8, 0.1, (2, 400)), 3),
        "dyadic": rng.uniform(0.5, 1, (2, 400)),
        "rounded": noise(400),
        "wild": noise(400) * 10.0 ** rng.integers(-300, 300, 400),
        "few": noise(24),
    }[kind]
    groups = np.arange(a.size) // 3 if grouped else None
    order = rng.permutation(a.size)
    result = xp.paired_test(a, b, groups=groups)
    shuffled = xp.paired_test(a[order], b[order], groups=groups[order] if grouped else None)
    exchanged = xp.paired_test(b, a, groups=groups)
    assert shuffled.to_dict() == result.to_dict()
    assert exchanged.scores == result.scores[::-1]
    assert exchanged.statistic == -result.statistic
    assert exchanged.pvalue_interval == result.pvalue_interval
    assert exchanged.log_pvalue == result.log_pvalue
    for x, score in zip((a, b), result.scores, strict=True):
        assert score == pytest.approx(math.fsum(x / x.size), rel=1e-14)
    assert result.statistic == pytest.approx(math.fsum(np.concatenate([a, -b]) / a.size), rel=1e-13)


def test_sizes_that_only_a_power_of_two_away_give_the_same_bits():
    a, b = noise(300)
    plain = xp.paired_test(a, b)
    for scale in (2.0**-900, 2.0**900):
        scaled = xp.paired_test(a * scale, b * scale)
        assert scaled.pvalue_interval == plain.pvalue_interval
        assert scaled.statistic == plain.statistic * scale


def test_wild_magnitudes_keep_every_digit():
    rng = np.random.default_rng(4)
    a = np.concatenate([rng.random(60) * 1e300, rng.random(60) * 1e-300])
    b = np.zeros(120)
    result = xp.paired_test(np.where(np.arange(120) < 119, a, 0), np.where(np.arange(120) < 119, 0, a))
    assert result.scores[1] == a[-1] / 120
    assert xp.paired_test(a, b).log_pvalue == pytest.approx(-119 * math.log(2), rel=1e-15)
    by_group = xp.paired_test(np.append(a, 0), np.append(0 * a, a[-1]), groups=np.arange(121) // 2)
    assert by_group.scores[1] == a[-1] / 121
    cancelled = xp.paired_test([1e300, 1e-300, -1e300, 1e-300], [0.0] * 4)
    assert (cancelled.statistic, cancelled.pvalue) == (5e-301, 0.75)
    smallest = xp.paired_test(np.array([3, 5, 9, 4]) * 5e-324, np.array([1, 9, 2, 2]) * 5e-324)
    assert smallest.pvalue == xp.paired_test([3, 5, 9, 4], [1, 9, 2, 2]).pvalue


@pytest.mark.parametrize("groups", [None, [1, 1, 1]])
def test_systems_tied_on_every_item_keep_their_scores(groups):
    x = [-34.91661309882633, -84.4955824609038, 1 / 3]
    mean = math.fsum(x) / 3
    assert xp.paired_test(x, x, groups=groups).scores == pytest.approx((mean, mean), rel=1e-15)
    assert xp.compare({"A": x, "B": [1, 2, 3.5]}).scores["A"] == pytest.approx(mean, rel=1e-15)


def test_single_items_ties_and_constant_differences():
    assert xp.paired_test([0.123456789012], [0.3]).pvalue == 1
    tied = xp.paired_test([0.1, 0.2], [0.1, 0.2])
    assert (tied.pvalue, tied.exact, tied.n_tied) == (1, True, 2)
    x = noise(200)[0]
    constant = xp.paired_test(x * 0 + 0.37, x * 0)
    assert constant.as_fraction() == Fraction(1, 2**199)
    assert xp.paired_test([0.3, 0.5, 0.7], [0.1, 0.3, 0.1]).pvalue == 0.25


def test_missing_groups_and_batches():
    a, b = noise(300)
    gappy = np.where(np.arange(300) % 7 == 0, np.nan, a)
    kept = np.arange(300) % 7 != 0
    omitted = xp.paired_test(gappy, b, nan_policy="omit")
    assert omitted.pvalue_interval == xp.paired_test(a[kept], b[kept]).pvalue_interval
    with pytest.raises(ValueError, match="infinite"):
        xp.paired_test([0.5, math.inf], [0.1, 0.2])
    groups = np.arange(300) % 60
    by_group = xp.paired_test(a, b, groups=groups, grid=None)
    assert by_group.n_groups == 60
    batch = xp.paired_test(np.stack([a, b]), np.stack([b, np.round(a, 2)]), groups=groups, axis=1)
    assert batch.pvalue[0] == by_group.pvalue
    columns = xp.paired_test(np.stack([a, b], 1), np.stack([b, np.round(a, 2)], 1), groups=groups, axis=0)
    np.testing.assert_array_equal(columns.pvalue, batch.pvalue)
    single = xp.paired_test(a.astype(np.float32), b)
    assert single.pvalue == xp.paired_test(a.astype(np.float32).astype(float), b).pvalue


def test_a_grid_that_is_set_holds_for_integers_too():
    assert "unit:2|" in xp.paired_test([6, 10], [2, 4], grid=2).signature
    with pytest.raises(ValueError, match=r"grid=2: 7\.0 is not a multiple of it"):
        xp.paired_test([6, 7], [2, 4], grid=2)
    with pytest.raises(ValueError, match="round the scores to the grid first"):
        xp.paired_test([0.1 + 0.2], [0.1], grid=0.1)
    with pytest.raises(ValueError, match="too fine"):
        xp.paired_test([0.3], [0.1], grid=1e-300)
    with pytest.raises(ValueError, match="got True"):
        xp.paired_test([0.3], [0.1], grid=True)
    assert "unit:1/100|" in xp.paired_test([0.3], [0.1], grid=np.float32(0.01)).signature
    assert "unit:1/10|" in xp.paired_test([0.3, 0.5], [0.1, 0.4]).signature
