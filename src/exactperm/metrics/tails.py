"""From a metric and effects to a lattice and its points at least as extreme as the data.

With C the totals of A and B together, a lattice point x stands for A's totals S = origin + x B and
B's totals C - S. The region is {x : t(S, C - S) >= c}, c the observed statistic. It is decided in
float64 where a proven error bound allows it and in integers elsewhere (`exactperm.metrics.exact`).

The null law is symmetric, x and span - x have the same probability, and a difference of two values
changes its sign between them. So P(t <= -c) = P(t >= c), and every question about such a statistic
is asked of its upper tail.

Totals that no assignment attains are never given to a metric: beyond the attainable box a region
that is increasing continues as it is at the border, any other is empty. Of user functions NaN is
accepted, as extreme, at points that by Hoeffding's inequality have a probability below 1e-300;
elsewhere it is an error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.integers import NARROW, dot
from exactperm.lattice import Lattice
from exactperm.metrics.comparison import Comparison, Functions, compare
from exactperm.metrics.exact import EXACT
from exactperm.metrics.frame import Frame, oriented
from exactperm.region import Region, Runs

if TYPE_CHECKING:
    from exactperm.metrics.base import Metric

__all__ = ["looks_up", "rejection_region", "scores", "statistic"]

Integers = NDArray[Any]
Floats = NDArray[np.float64]
Truth = NDArray[np.bool_]

#: a one-dimensional lattice up to this many points is searched for runs
SEARCHED = 10**7
#: points evaluated at a time
BLOCK = 1 << 16
#: points of one line at which what a metric says of its shape is checked
GLANCES = 33
#: a fall of this size, relative to the largest value, is no rounding
FALL = 1e-9
#: NaN is accepted where the logarithm of the probability is below this
NEGLIGIBLE = math.log(1e-300)


def scores(metric: Metric, effects: Effects) -> tuple[float | None, float | None, float]:
    """The two values and the statistic."""
    return _mean_scores(metric, effects) if metric.additive else compare(metric, effects).scores()


def looks_up(alternative: str, higher_is_better: bool) -> bool:
    """Whether a one-sided test is about large values of the statistic: "greater" says that A is *better*."""
    return (alternative == "greater") == higher_is_better


def rejection_region(metric: Metric, effects: Effects, alternative: str) -> tuple[Lattice, Runs | Region | None]:
    """The lattice, and its points at least as extreme as the data; None for all of them."""
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f'alternative must be "two-sided", "greater" or "less", not {alternative!r}')
    upper = looks_up(alternative, metric.higher_is_better)
    two_sided = alternative == "two-sided"
    if metric.additive:
        lattice = Lattice.of(effects)
        return _half_line(lattice, upper, two_sided) if lattice.rank else (lattice, None)
    comparison = compare(metric, effects)
    lattice, along = oriented(metric, effects)
    if lattice.rank == 0:
        return lattice, None
    if isinstance(comparison, Functions) and metric.h is not None and not metric.antisymmetric:
        kept = replace(comparison, side=0 if two_sided else 1 if upper else -1)
        return lattice, _shaped(lattice, Frame.of(lattice, effects), kept, 0, False)
    direction = comparison.direction()
    if two_sided and direction == 0:
        return lattice, None
    frame = Frame.of(lattice, effects)
    if along:
        _check_increasing(lattice, frame, comparison, along)
    if direction < 0 if two_sided else not upper:
        lattice, comparison = _reflected(lattice), comparison.reflected()
    return lattice, _shaped(lattice, frame, comparison, along, two_sided)


def statistic(metric: Metric, effects: Effects, lattice: Lattice, points: Integers) -> Floats:
    """The statistic at lattice points."""
    points = np.asarray(points)
    if metric.additive:
        # A minus B is the sum of e_n d_n = 2 (sum of b_n d_n) - sum of d_n, the d_n > 0
        low = -dot(effects.values[:, 0], effects.counts)
        factor = 2 * int(lattice.basis[0, 0]) if lattice.rank else 0
        step = effects.unit * metric.scale / max(effects.n_items, 1)
        if -2 * low * step.numerator < EXACT:  # then only the division rounds
            moved = points[:, 0].astype(np.float64) * factor if factor else np.zeros(len(points))
            return (moved + low) * step.numerator / step.denominator
        whole = points[:, 0].tolist() if factor else [0] * len(points)
        return np.array([float((x * factor + low) * step) for x in whole])
    first, second = Frame.of(lattice, effects).totals(points)
    return compare(metric, effects).statistic(first, second)


def _shaped(lattice: Lattice, frame: Frame, comparison: Comparison, along: int, mirrored: bool) -> Runs | Region:
    """The region of a comparison: runs on a line as far as they can be found, else a predicate."""
    predicate = _Predicate(lattice, frame, comparison, extends=along != 0)
    if lattice.rank > 1:
        return Region(predicate.contains, along > 0, mirrored, predicate.guide)
    span = lattice.span[0]
    if along:
        return Runs((_monotone_run(predicate, span, along),), mirrored)
    if span <= SEARCHED:
        return Runs(tuple(_runs(predicate, span)), mirrored)
    return Region(predicate.contains, False, mirrored, predicate.guide)


def _check_increasing(lattice: Lattice, frame: Frame, comparison: Comparison, along: int) -> None:
    """Refuse a declaration that a glance along one line disproves: a wrong one makes a wrong p-value."""
    first = frame.along(lattice.observed, GLANCES)
    excess = along * comparison.excess(first, frame.rest(first))
    falls = np.flatnonzero(np.diff(excess) < -FALL * np.nanmax(np.abs(excess)))
    if falls.size:
        metric = comparison.metric
        here, there = (metric.shown([int(x[i]) for x in first]) for i in (falls[0], falls[0] + 1))
        raise ValueError(
            f"increasing of metric {metric.name!r} is not true: the statistic goes the other way from {here} for a to "
            f"{there}; correct it, or leave it out, which gives the same p-value more slowly"
        )


# -- additive metrics: a half-line in closed form --------------------------------------------------


def _mean_scores(metric: Metric, effects: Effects) -> tuple[float | None, float | None, float]:
    if effects.n_items == 0:
        raise ValueError(f"metric {metric.name!r} has no value without items")
    times, over = effects.unit.numerator * metric.scale, effects.unit.denominator * effects.n_items
    difference = effects.difference[0]
    if effects.totals_a is None:
        return None, None, _quotient(difference * times, over)
    total = effects.totals_a[0]
    first, second, both = (_quotient(x * times, over) for x in (total, total - difference, difference))
    return first, second, both


def _quotient(x: int, y: int) -> float:
    """The double nearest to x / y, which is infinite beyond the largest."""
    try:
        return x / y  # of two Python integers, correctly rounded
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def _half_line(lattice: Lattice, upper: bool, two_sided: bool) -> tuple[Lattice, Runs | None]:
    """The points x >= observed, or their mirror image, as A's total grows with x."""
    span = lattice.span[0]
    if two_sided and 2 * lattice.observed[0] == span and not lattice.rounding:
        return lattice, None
    if 2 * lattice.observed[0] < span if two_sided else not upper:
        lattice = _reflected(lattice)
    return lattice, Runs(((lattice.observed[0], span),), mirrored=two_sided)


def _reflected(lattice: Lattice) -> Lattice:
    """The same law with the data at the mirror image of their point."""
    observed = tuple(t - x for t, x in zip(lattice.span, lattice.observed, strict=True))
    return replace(lattice, observed=observed)


# -- predicates ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Predicate:
    """Which lattice points are at least as extreme as the data.

    With `extends` lines continue beyond the box of attainable totals as they are at its border.
    """

    lattice: Lattice
    frame: Frame
    comparison: Comparison
    extends: bool

    def contains(self, points: Integers) -> Truth:
        """Tell which points lie in the region, ties decided exactly."""
        points = np.asarray(points)
        if points.dtype != object:
            points = points.astype(np.int64, copy=False)
        answer = np.zeros(len(points), dtype=np.bool_)
        for start in range(0, len(points), BLOCK):
            answer[start : start + BLOCK] = self._decide(points[start : start + BLOCK])
        return answer

    def _decide(self, points: Integers) -> Truth:
        first = self.frame.first(points)
        inside = self.frame.inside(first)
        if self.extends and not inside.all():
            first = self.frame.moved_into_box(first)
            inside = self.frame.inside(first)
        if not inside.any():
            return inside
        if not inside.all():
            first, points = [column[inside] for column in first], points[inside]
        second = self.frame.rest(first)
        truth, undefined = self.comparison.decide(first, second)
        if undefined.any():
            self._accept(points[undefined], *([x[undefined] for x in totals] for totals in (first, second)))
            truth = truth | undefined
        answer = np.zeros(len(inside), dtype=np.bool_)
        answer[inside] = truth
        return answer

    def _accept(self, points: Integers, first: list[Integers], second: list[Integers]) -> None:
        """Refuse points without a value unless all but impossible (Hoeffding 1963, th. 2)."""
        logarithm = np.zeros(len(points))
        for i, total in enumerate(self.lattice.span):
            steps = self.lattice.steps[:, i].astype(np.float64)
            distance = points[:, i].astype(np.float64) - total / 2
            squares = float(np.sum(self.lattice.counts * steps * steps))
            logarithm = np.minimum(logarithm, -2 * distance * distance / squares)
        worst = int(np.argmax(logarithm))
        if logarithm[worst] > NEGLIGIBLE:
            a, b = ([int(column[worst]) for column in totals] for totals in (first, second))
            raise ValueError(
                self.comparison.metric.no_value(
                    f"totals that some assignment gives, "
                    f"{self.comparison.metric.shown(a)} for a and "
                    f"{self.comparison.metric.shown(b)} for b"
                )
            )

    def guide(self, points: Floats) -> Floats:
        """A smooth function, at least 0 roughly in the region; totals are clipped to the box."""
        first = self.frame.first(np.asarray(points, dtype=np.float64))
        clipped = [
            np.clip(column, float(low), float(high))
            for column, low, high in zip(first, self.frame.low, self.frame.high, strict=True)
        ]
        return self.comparison.excess(clipped, self.frame.rest(clipped))


def _monotone_run(predicate: _Predicate, span: int, along: int) -> tuple[int, int]:
    """The points x >= k (or x <= k) of a region closed upwards (downwards), by search."""
    inside, outside = (span, -1) if along > 0 else (0, span + 1)  # one end is in the region, beyond the other none is
    while abs(inside - outside) > 1:
        step = -(-abs(inside - outside) // 256)
        low, high = sorted((inside, outside))
        probes = np.array([*range(low + step, high, step), high - 1], dtype=object)
        probes = probes if span >= NARROW else probes.astype(np.int64)
        found = predicate.contains(probes[:, None])
        within, without = probes[found].tolist(), probes[~found].tolist()
        if along > 0:
            inside, outside = min([inside, *within]), max([outside, *without])
        else:
            inside, outside = max([inside, *within]), min([outside, *without])
    return (inside, span) if along > 0 else (0, inside)


def _runs(predicate: _Predicate, span: int) -> list[tuple[int, int]]:
    """The maximal runs of lattice points in the region, by looking at all of them."""
    runs: list[tuple[int, int]] = []
    for start in range(0, span + 1, BLOCK):
        points = np.arange(start, min(start + BLOCK, span + 1))
        inside = np.concatenate([[False], predicate.contains(points[:, None]), [False]])
        edges = np.flatnonzero(inside[1:] != inside[:-1]) + start
        for low, end in edges.reshape(-1, 2).tolist():
            if runs and runs[-1][1] == low - 1:
                runs[-1] = (runs[-1][0], end - 1)
            else:
                runs.append((low, end - 1))
    return runs
