"""The null law in the fewest dimensions: an integer basis of what the effects span.

Many of the sums of a statistic are redundant under a swap (what one system loses the other gains), share a
common divisor or a parity. All of that vanishes when the effects are written in a basis of the lattice they
generate: with d_j = y_j B (B the basis, y_j integer coordinates) system A's totals under a random assignment are

    S = origin + x B,      x = sum_n b_n y_n,      b_n = 0 or 1 with a fair coin,

so that every engine sees only the steps y_j, how often each occurs, and a region of points x. In one dimension this
is "divide by the greatest common divisor". The basis is a Hermite normal form (Cohen 1993, section 2.4.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.integers import NARROW, as_narrow, dot, largest

__all__ = ["Lattice"]

Basis = list[list[int]]

#: rows whose coordinates are found together while the basis still grows
BLOCK = 32


@dataclass(frozen=True, eq=False)
class Lattice:
    """The law of X = sum_n b_n y_n with fair coins b_n, and the way back to the totals.

    Attributes
    ----------
    steps
        (D, r) distinct integer steps y_j, int64 where they fit and Python integers where not; in one dimension
        they are positive with greatest common divisor one.
    counts
        (D,) int64, how many groups take each step.
    basis
        (r, k) integers, one row a basis vector in the units of the k sums.
    observed
        (r,) the point x of the data as they are: the sum of the steps of the groups where A has the larger
        (canonically positive) effect.
    rounding
        Zero, or a bound in steps on what all effects together lost when they were rounded to integers.
    """

    steps: NDArray[Any]
    counts: NDArray[np.int64]
    basis: NDArray[Any]
    observed: tuple[int, ...]
    rounding: int = 0

    @classmethod
    def of(cls, effects: Effects, order: Sequence[int] | None = None) -> Lattice:
        """Write the effects in an integer basis.

        Parameters
        ----------
        effects
            The effects of the data.
        order
            The order in which the sums are eliminated. The last basis vector is zero in every sum but those that
            come last, so a metric that is monotone in one sum puts it at the end.
        """
        if effects.values.shape[1] == 1:
            return cls._on_a_line(effects)
        columns = list(range(effects.values.shape[1])) if order is None else list(order)
        basis, steps = reduce(effects.values[:, columns])
        placed = np.zeros((len(basis), len(columns)), dtype=object)
        if basis:
            placed[:, columns] = basis
        steps = as_narrow(steps)
        return cls(steps, effects.counts, as_narrow(placed), _point(steps, effects.n_plus))

    @classmethod
    def _on_a_line(cls, effects: Effects) -> Lattice:
        """One sum: divide by the greatest common divisor."""
        values = effects.values
        if values.shape[0] == 0:
            return cls(values[:, :0], effects.counts, np.zeros((0, 1), dtype=np.int64), ())
        divisor = int(np.gcd.reduce(values[:, 0]))
        steps = values if divisor == 1 else as_narrow(values // divisor)
        basis = np.array([[divisor]], dtype=values.dtype)
        point = _point(steps, effects.n_plus)
        return cls(steps, effects.counts, basis, point, -(-effects.rounding // divisor))

    @property
    def rank(self) -> int:
        """The number of dimensions r."""
        return int(self.steps.shape[1])

    @cached_property
    def n(self) -> int:
        """The number of groups with an effect that is not zero."""
        return int(np.add.reduce(self.counts))

    @cached_property
    def deviation(self) -> float:
        """About the standard deviation of X in one dimension: half the root of sum c v^2."""
        steps = self.steps.astype(np.float64)
        return math.sqrt(float((self.counts[:, None] * steps * steps).sum())) / 2

    @cached_property
    def span(self) -> tuple[int, ...]:
        """The sum of all steps: X is symmetric about span / 2."""
        return _point(self.steps, self.counts)


def _point(steps: NDArray[Any], counts: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(dot(steps[:, i], counts) for i in range(steps.shape[1]))


def reduce(vectors: NDArray[Any]) -> tuple[Basis, NDArray[Any]]:
    """Find a basis in echelon form of the lattice that the rows generate, and the rows' coordinates in it.

    Rows are taken in order, and those that are no integer combination of the basis enter it. Each of these lowers the
    rank deficit or at least halves the index of the sublattice, so there are few however many rows there are; and the
    lattice only grows, so that no row is looked at again.
    """
    basis: Basis = []
    start = 0
    while start < len(vectors):
        block = vectors[start : start + BLOCK]
        _, outside = _coordinates(block, basis)
        if not outside.any():
            start += len(block)
            continue
        start += int(np.argmax(outside))
        _insert(basis, [int(x) for x in vectors[start]])
        _reduce_above_pivots(basis)
        start += 1
    return basis, _coordinates(vectors, basis)[0]


def _insert(basis: Basis, vector: list[int]) -> None:
    """Extend an echelon basis by one vector, by Euclid's algorithm on the pivots."""
    for i in range(len(basis)):
        row, pivot = basis[i], _pivot(basis[i])
        lead = next((j for j, x in enumerate(vector) if x), None)
        if lead is None:
            return
        if lead < pivot:
            basis.insert(i, _positive(vector))
            return
        while vector[pivot]:
            quotient = row[pivot] // vector[pivot]
            row, vector = vector, [x - quotient * y for x, y in zip(row, vector, strict=True)]
        basis[i] = _positive(row)
    if any(vector):
        basis.append(_positive(vector))


def _reduce_above_pivots(basis: Basis) -> None:
    """Make the echelon form the Hermite normal form, which is unique: the same lattice gives the same steps."""
    for j in range(1, len(basis)):
        pivot = _pivot(basis[j])
        for i in range(j):
            quotient = basis[i][pivot] // basis[j][pivot]
            if quotient:
                basis[i] = [x - quotient * y for x, y in zip(basis[i], basis[j], strict=True)]


def _pivot(row: Sequence[int]) -> int:
    return next(j for j, x in enumerate(row) if x)


def _positive(row: list[int]) -> list[int]:
    return [-x for x in row] if row[_pivot(row)] < 0 else row


def _coordinates(vectors: NDArray[Any], basis: Basis) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Solve y B = v for all rows v by forward substitution; also tell which rows have no integer solution."""
    rest = vectors
    columns = []
    for row in basis:
        pivot = _pivot(row)
        if row[pivot] >= NARROW:
            rest = rest.astype(object)
        column = rest[:, pivot] // row[pivot]
        rest = _subtract_multiples(rest, column, row)
        columns.append(column)
    steps = np.stack(columns, axis=1) if columns else np.zeros((len(vectors), 0), dtype=np.int64)
    return steps, (rest != 0).any(axis=1)


def _subtract_multiples(rest: NDArray[Any], column: NDArray[Any], row: list[int]) -> NDArray[Any]:
    """Take multiples of a row from all rows, in int64 where that provably fits."""
    where = [j for j, x in enumerate(row) if x]
    factors = [row[j] for j in where]
    if rest.dtype != object and largest(rest) + largest(column) * max(map(abs, factors)) >= NARROW:
        rest, column = rest.astype(object), column.astype(object)
    rest = rest.copy()
    rest[:, where] -= column[:, None] * np.array(factors, dtype=rest.dtype)
    return rest
