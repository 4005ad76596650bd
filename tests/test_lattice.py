"""The integer basis of the lattice that effects span."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exactperm import lattice as lattice_module
from exactperm.effects import Effects
from exactperm.integers import NARROW, as_narrow
from exactperm.lattice import Lattice, reduce


def problems(sizes):
    rng = np.random.default_rng(1)
    for size in sizes:
        for _ in range(60):
            rows = rng.integers(-size, size + 1, (int(rng.integers(0, 12)), int(rng.integers(1, 6))))
            if rows.shape[1] > 1 and rng.random() < 0.5:
                rows[:, -1] = 2 * (rows[:, 0] // 2) + rows[:, 1]  # fewer dimensions
            yield as_narrow(rows if rng.random() < 0.7 else rows.astype(object) * 2**40)


@pytest.mark.parametrize("size", [1, 3, 10, 1000, 2**31, 2**45, 2**60])
def test_the_basis_generates_the_rows_and_is_generated_by_them(size):
    for rows in problems([size]):
        basis, steps = reduce(rows)
        product = steps.astype(object) @ np.array(basis, dtype=object).reshape(-1, rows.shape[1])
        assert (product == rows.astype(object)).all()
        # a lattice with the same basis whatever else generates it: the basis itself, or the rows in another order
        for others in (np.array(basis, dtype=object).reshape(-1, rows.shape[1]), rows[::-1], np.vstack([rows, rows])):
            assert reduce(as_narrow(others))[0] == basis


@pytest.mark.parametrize("size", [1, 3, 1000, 2**45])
def test_the_basis_is_a_hermite_normal_form(size):
    for rows in problems([size]):
        basis, _ = reduce(rows)
        pivots = [next(j for j, x in enumerate(row) if x) for row in basis]
        assert pivots == sorted(set(pivots))
        for j, pivot in enumerate(pivots):
            assert basis[j][pivot] > 0
            assert all(0 <= basis[i][pivot] < basis[j][pivot] for i in range(j))
        assert len(basis) == (np.linalg.matrix_rank(rows.astype(float)) if rows.size else 0) or size > 1000


def test_steps_beyond_64_bits_are_exact():
    rows = np.array([[6, 0], [7, 2**61 + 1], [0, 2**61]])
    basis, steps = reduce(rows)
    product = steps.astype(object) @ np.array(basis, dtype=object)
    assert (product == rows.astype(object)).all()


def test_fifty_classes_are_no_matter():
    rng = np.random.default_rng(2)
    gold, a, b = rng.integers(0, 50, (3, 500))
    one_hot = np.eye(50, dtype=np.int64)
    sums = [np.hstack([one_hot[x] * one_hot[gold], one_hot[x]]) for x in (a, b)]
    effects = Effects.from_sums(*sums, names=tuple(f"s{i}" for i in range(100)))
    lattice = Lattice.of(effects)
    assert (lattice.steps @ lattice.basis == effects.values).all()
    assert lattice.rank == np.linalg.matrix_rank(effects.values.astype(float))


def test_huge_effects_with_a_common_divisor_are_small_steps():
    """What is left after the division fits in int64, so the same engines can answer."""
    sizes = dict.fromkeys(range(1, 12), 2)
    small, huge = (Lattice.of(Effects.from_counts({v * unit: c for v, c in sizes.items()})) for unit in (1, 2**70))
    assert huge.steps.dtype == small.steps.dtype == np.int64
    np.testing.assert_array_equal(huge.steps, small.steps)
    assert huge.span == small.span


@pytest.mark.parametrize("block", [1, 2, 5])
@pytest.mark.parametrize("size", [1, 10, 2**45])
def test_the_basis_does_not_depend_on_how_many_rows_are_looked_at_together(monkeypatch, block, size):
    expected = [reduce(rows) for rows in problems([size])]
    monkeypatch.setattr(lattice_module, "BLOCK", block)
    for rows, (basis, steps) in zip(problems([size]), expected, strict=True):
        found, again = reduce(rows)
        assert found == basis
        assert again.tolist() == steps.tolist()


@pytest.mark.parametrize("divisor", [1, 2, 7, 12, 2**40, 2**65])
@pytest.mark.parametrize("rounding", [0, 1, 5, 12, 13, 2**41, 2**70 + 1])
def test_what_was_lost_in_rounding_is_never_less_in_steps(divisor, rounding):
    effects = replace(Effects.from_counts({2 * divisor: 3, 3 * divisor: 2}), rounding=rounding)
    lattice = Lattice.of(effects)
    assert lattice.steps.tolist() == [[2], [3]]
    assert lattice.basis.tolist() == [[divisor]]
    assert lattice.rounding == math.ceil(Fraction(rounding, divisor))


@pytest.mark.parametrize("order", [None, (0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_the_totals_are_the_origin_and_the_steps_of_the_groups_where_a_is_ahead(order):
    rng = np.random.default_rng(6)
    for size in (3, 50, 2**50):
        a, b = rng.integers(-size, size + 1, (2, 30, 3))
        effects = Effects.from_sums(a, b, ("x", "y", "z"))
        lattice = Lattice.of(effects, order)
        basis = lattice.basis.astype(object)
        assert (lattice.steps.astype(object) @ basis == effects.values).all()
        ahead = sum(
            int(n) * np.array(v, dtype=object) for n, v in zip(effects.n_plus, effects.values.tolist(), strict=True)
        )
        assert (np.array(lattice.observed, dtype=object) @ basis == ahead).all()
        whole = sum(
            int(n) * np.array(v, dtype=object) for n, v in zip(effects.counts, effects.values.tolist(), strict=True)
        )
        assert (np.array(lattice.span, dtype=object) @ basis == whole).all()
        assert lattice.n == 30 - effects.n_tied
        assert lattice.rank == lattice.steps.shape[1]
        # the last basis vector is zero in every sum but the last ones
        places = range(3) if order is None else order
        pivots = [next(j for j, place in enumerate(places) if row[place]) for row in lattice.basis]
        assert pivots == sorted(set(pivots))


def test_nothing_to_reduce():
    for names in (("x",), ("x", "y")):
        lattice = Lattice.of(Effects.from_counts({(0,) * len(names): 4}, names=names))
        assert (lattice.rank, lattice.n, lattice.observed, lattice.span, lattice.rounding) == (0, 0, (), (), 0)
        assert lattice.basis.shape == (0, len(names))
        assert lattice.steps.shape == (0, 0)


def test_the_deviation_is_that_of_the_coins():
    lattice = Lattice.of(Effects.from_counts({3: 5, 4: 2, -7: 1}))
    assert lattice.deviation == pytest.approx(math.sqrt((5 * 9 + 2 * 16 + 49) / 4))
    huge = Lattice.of(Effects.from_counts({2**80: 3, 2**80 + 1: 1}))
    assert huge.deviation == pytest.approx(2**80)


@pytest.mark.parametrize("value", [NARROW - 1, NARROW, NARROW + 1, 2**63 - 1])
def test_pivots_next_to_where_64_bits_end(value):
    for rows in (
        [[value, 1], [0, 2]],
        [[2, value], [0, value]],
        [[1, value], [3, value - 5]],
        [[value, value], [1, 0]],
    ):
        vectors = as_narrow(np.array(rows, dtype=object))
        basis, steps = reduce(vectors)
        product = steps.astype(object) @ np.array(basis, dtype=object)
        assert product.tolist() == rows
