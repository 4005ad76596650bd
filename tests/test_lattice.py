"""The integer basis of the lattice that effects span."""

import numpy as np
import pytest

from exactperm.effects import Effects
from exactperm.integers import as_narrow
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
        assert len(basis) == np.linalg.matrix_rank(rows.astype(float)) or size > 1000


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
