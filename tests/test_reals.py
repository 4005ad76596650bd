"""Real scores become integers: on a grid, exactly dyadic, or with a bound on what was lost."""

from fractions import Fraction

import numpy as np
import pytest

from exactperm.lattice import Lattice
from exactperm.reals import effects_of_reals

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


@pytest.mark.parametrize("groups", [None, np.arange(500) % 90])
@pytest.mark.parametrize("spread", [0, 3, 40, 300])
def test_the_bound_holds(groups, spread):
    a = RNG.standard_normal(500) * 10.0 ** RNG.uniform(-spread, spread / 10, 500)
    b = RNG.standard_normal(500) * 10.0 ** RNG.uniform(-spread, spread / 10, 500)
    a[:20] = b[:20]
    effects = effects_of_reals(a, b, groups)
    assert_holds(effects, true_differences(a, b, None if groups is None else groups.tolist()))
    assert effects.rounding <= 500
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
    exchanged = effects_of_reals(b, a)
    np.testing.assert_array_equal(exchanged.values, effects.values)
    np.testing.assert_array_equal(exchanged.n_plus, effects.n_minus)
    assert abs(exchanged.totals_a[0] - effects.totals_b[0]) <= effects.rounding + 1
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


@pytest.mark.parametrize("grid", [0, -0.1, "fine", [1]])
def test_a_grid_that_is_none(grid):
    with pytest.raises(ValueError, match="grid must be 'auto'"):
        effects_of_reals(np.array([0.1]), np.array([0.2]), grid=grid)


def test_what_overflows_is_refused():
    with pytest.raises(ValueError, match="overflow"):
        effects_of_reals(np.array([1.7e308, 0.1]), np.array([-1.7e308, 0.3]))
