"""Lattice points as totals: a basis along which a metric is monotone, the attainable box."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.integers import NARROW, dot
from exactperm.lattice import Lattice, reduce

if TYPE_CHECKING:
    from exactperm.metrics.base import Metric

__all__ = ["Frame", "observed_totals", "oriented"]

Column = NDArray[Any]

#: past this many dimensions nothing is exact, and no direction is looked for
SEARCHED = 4


def oriented(metric: Metric, effects: Effects) -> tuple[Lattice, int]:
    """A lattice whose last basis vector is one along which the value never falls, if any is.

    Returns the lattice and 1 if the value never falls along its last basis vector, 0 if that is not
    known; in one dimension, where steps must be positive, also -1 if it never rises.
    """
    _check_gold(metric, effects)
    lattice = Lattice.of(effects)
    signs = [metric.increasing.get(name, 0) for name in metric.sums]
    if not any(signs) or not 0 < lattice.rank <= SEARCHED:
        return lattice, 0
    if lattice.rank == 1:
        return lattice, _agreement(signs, lattice.basis[0])
    order = _monotone_order(lattice, signs)
    if order is None:
        return lattice, 0
    lattice = Lattice.of(effects, order)
    return (lattice if _agreement(signs, lattice.basis[-1]) > 0 else _last_reversed(lattice)), 1


def _check_gold(metric: Metric, effects: Effects) -> None:
    """Refuse effects on what the gold standard fixes, for which shapes are declared."""
    for group in metric.gold:
        columns = [metric.sums.index(name) for name in group]
        if effects.values[:, columns].sum(axis=1).any():
            raise ValueError(
                f"{' + '.join(group)} is the size of the gold standard "
                f"and must be the same for both systems, but "
                f"there are effects on it; use a Metric without gold= "
                f"if the systems have gold standards of their own"
            )


def _agreement(signs: list[int], vector: Column) -> int:
    """1 if the value never falls along the vector, -1 if it never rises, 0 if neither is known."""
    products = {sign * (1 if x > 0 else -1) for sign, x in zip(signs, vector.tolist(), strict=True) if x}
    return products.pop() if len(products) == 1 else 0


def _monotone_order(lattice: Lattice, signs: list[int]) -> list[int] | None:
    """The order of sums for the monotone last vector along which the law is widest.

    The fewest lines of the lattice then have to be looked at.
    """
    best, width = None, -1.0
    steps, counts = lattice.steps.astype(np.float64), lattice.counts.astype(np.float64)
    for i in range(len(signs)):
        order = [*range(i), *range(i + 1, len(signs)), i]
        basis, change = reduce(lattice.basis[:, order])  # the lattice's basis = change times this one
        if _agreement([signs[j] for j in order], np.array(basis[-1], dtype=object)) == 0:
            continue
        last = np.zeros(len(steps))
        for j in range(lattice.rank):
            last += steps[:, j] * float(change[j, -1])
        spread = float(np.sum(counts * last * last))
        if spread > width:
            best, width = order, spread
    return best


def _last_reversed(lattice: Lattice) -> Lattice:
    """The same lattice with its last basis vector turned around."""
    steps, basis = lattice.steps.copy(), lattice.basis.copy()
    steps[:, -1], basis[-1] = -steps[:, -1], -basis[-1]
    return replace(lattice, steps=steps, basis=basis, observed=(*lattice.observed[:-1], -lattice.observed[-1]))


def observed_totals(effects: Effects) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Both systems' totals, which must be known and whole."""
    if effects.totals_a is None or effects.totals_b is None:
        raise ValueError(
            "a metric that is not the mean of one sum needs the totals: "
            "give totals_a or totals_b to "
            "Effects.from_counts"
        )
    if effects.unit != 1:
        raise ValueError(f"this metric counts, so its sums must be whole numbers; they come in units of {effects.unit}")
    return effects.totals_a, effects.totals_b


@dataclass(frozen=True, eq=False)
class Frame:
    """Lattice points as totals, S = origin + x B for A, and the box of attainable totals."""

    origin: tuple[int, ...]
    both: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    basis: Column

    @classmethod
    def of(cls, lattice: Lattice, effects: Effects) -> Frame:
        """The frame of the data; `lattice.observed` is not used."""
        a, b = observed_totals(effects)
        values, counts = effects.values, effects.counts
        # x = 0: every group has given the effect it has, in canonical sign, to B
        origin = [total - dot(values[:, i], effects.n_plus) for i, total in enumerate(a)]
        low = [o + dot(np.minimum(values[:, i], 0), counts) for i, o in enumerate(origin)]
        high = [o + dot(np.maximum(values[:, i], 0), counts) for i, o in enumerate(origin)]
        both = tuple(x + y for x, y in zip(a, b, strict=True))
        return cls(tuple(origin), both, tuple(low), tuple(high), lattice.basis)

    def first(self, points: Column) -> list[Column]:
        """A's totals, one array a sum: exact for integer points."""
        if points.dtype.kind in "iu":
            points = points.astype(object) if self._overflows(points) else points.astype(np.int64, copy=False)
        columns = []
        for i, start in enumerate(self.origin):
            column = np.full(len(points), start, dtype=points.dtype)
            for j, factor in enumerate(self.basis[:, i].tolist()):
                if factor:
                    column = column + points[:, j] * factor
            columns.append(column)
        return columns

    def rest(self, first: list[Column]) -> list[Column]:
        """B's totals, given A's."""
        return [both - column for both, column in zip(self.both, first, strict=True)]

    def totals(self, points: Column) -> tuple[list[Column], list[Column]]:
        """A's totals and B's."""
        first = self.first(points)
        return first, self.rest(first)

    def _overflows(self, points: Column) -> bool:
        if points.size == 0:
            return False
        largest = max(int(points.max()), -int(points.min()))
        reach = max(sum(abs(x) for x in column) for column in self.basis.T.tolist())
        return bool(largest * reach + max(map(abs, (*self.origin, *self.both))) >= NARROW)

    def inside(self, columns: list[Column]) -> NDArray[np.bool_]:
        """Which totals lie in the attainable box."""
        inside = np.ones(len(columns[0]), dtype=np.bool_)
        for column, low, high in zip(columns, self.low, self.high, strict=True):
            inside &= (column >= low) & (column <= high)
        return inside

    def moved_into_box(self, columns: list[Column]) -> list[Column]:
        """Go along the last basis vector into the box; lines that miss it stay outside."""
        start, stop = self._inside_along(columns)
        shift = np.where(start > 0, start, np.where(stop < 0, stop, 0))
        return [column + shift * b for column, b in zip(columns, self.basis[-1].tolist(), strict=True)]

    def along(self, point: tuple[int, ...], most: int) -> list[Column]:
        """A's totals at some points of the box on the line through one, in the order of the last basis vector."""
        columns = self.first(np.array([point], dtype=object))
        start, stop = (int(end[0]) for end in self._inside_along(columns))
        shift = np.array(sorted({start + (stop - start) * i // (most - 1) for i in range(most)}), dtype=object)
        return [column + shift * b for column, b in zip(columns, self.basis[-1].tolist(), strict=True)]

    def _inside_along(self, columns: list[Column]) -> tuple[Column, Column]:
        """The first and the last j for which totals plus j times the last basis vector are in the box."""
        starts, stops = [], []
        for column, b, low, high in zip(columns, self.basis[-1].tolist(), self.low, self.high, strict=True):
            if b:  # the j with low <= s + j b <= high
                near, far = (low, high) if b > 0 else (high, low)
                starts.append(-((column - near) // b))
                stops.append((far - column) // b)
        return np.maximum.reduce(starts), np.minimum.reduce(stops)
