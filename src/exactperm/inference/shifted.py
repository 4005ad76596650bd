"""Differences by group under a shift, and the probability that a random set of groups has a mean of at most that.

    p(delta) = P(sum_B d <= delta sum_B m),      B a random set of groups, each in it by a fair coin,

for differences d_g of groups of m_g items. With delta = p/q these are coins with the integer steps q d_g - p m_g on a
line, or coins with the steps (m_g, -d_g) in the plane whatever delta is, where only the region moves with it. The first
form is for few groups (meeting in the middle, an exact fraction) and for anything at all (the bracket, two bounds); the
second for many groups with small integers (the torus, exact to rounding).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.engines.base import CannotAnswer, Question, Tail
from exactperm.engines.bracket import Bracket
from exactperm.engines.meet_in_the_middle import MeetInTheMiddle
from exactperm.engines.torus import Torus
from exactperm.integers import NARROW, as_narrow, dot
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs

if TYPE_CHECKING:
    from exactperm.result import Problem

__all__ = ["Differences", "by_size", "signed"]

#: seconds that meeting in the middle may take for one probability
QUICK = 0.05
#: the torus is for differences and groups up to this size: beyond, too many of its frequencies may be alive
SMALL = 64


def by_size(problem: Problem, what: str = "an interval") -> list[tuple[Fraction | int, Effects]]:
    """The effects of the groups of each size, for a metric that is a mean; `what` needs them.

    Differences of a task that counts f times as much as others are f times as large, and shifted f times as far.
    """
    from exactperm.api import effects_of_scores

    if problem.tasks:
        return [
            (factor * size, replace(effects, unit=factor * effects.unit))
            for factor, task in problem.tasks
            for size, effects in by_size(task, what)
        ]
    if problem.effects.n_groups == problem.effects.n_items:
        return [(1, problem.effects)]
    sizes = problem.group_sums(f"{what} for groups of several items").sizes
    distinct = np.unique(sizes).tolist()
    if len(distinct) == 1:
        return [(distinct[0], problem.effects)]
    parts = [problem.items.only(sizes == size) for size in distinct]  # type: ignore[union-attr]
    return [
        (
            size,
            effects_of_scores(part.a.reshape(len(part.a)), part.b.reshape(len(part.b)), part.groups, part.lost, "auto"),
        )
        for size, part in zip(distinct, parts, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Differences:
    """Distinct pairs of a difference and a group size, with their counts.

    Attributes
    ----------
    d, m, c
        Differences of sums in units, group sizes without their common divisor, and how many groups have both.
    unit
        One step of a difference per item.
    rounding
        What all differences together lost when they were rounded to integers.
    """

    d: NDArray[Any]
    m: NDArray[np.int64]
    c: NDArray[np.int64]
    unit: Fraction
    rounding: int

    @classmethod
    def of(cls, problem: Problem, what: str = "an interval") -> Differences:
        """Read off a problem; groups of different sizes need its items."""
        parts = by_size(problem, what)
        common, unit = _divisor(size for size, _ in parts), _divisor(e.unit for _, e in parts)
        columns = [signed(effects, int(effects.unit / unit)) for _, effects in parts]
        sizes = [np.full(len(d), int(size / common)) for (size, _), (d, _) in zip(parts, columns, strict=True)]
        d, c = (np.concatenate(x) for x in zip(*columns, strict=True))
        rounding = sum(effects.rounding * int(effects.unit / unit) for _, effects in parts)
        return cls(as_narrow(d), np.concatenate(sizes), c, unit / common, rounding)

    def exchanged(self) -> Differences:
        """The same with the two systems exchanged."""
        return replace(self, d=-self.d)

    @cached_property
    def n(self) -> int:
        """The number of groups."""
        return int(self.c.sum())

    @cached_property
    def size(self) -> int:
        """The sum of the group sizes."""
        return dot(self.m, self.c)

    @cached_property
    def mean(self) -> Fraction:
        """The mean over items."""
        return Fraction(dot(self.d, self.c), self.size)

    @cached_property
    def smallest(self) -> Fraction:
        """A lower bound of the means of all sets: that of single groups."""
        return min(Fraction(int(d), int(m)) for d, m in zip(self.d, self.m, strict=True))

    @cached_property
    def largest(self) -> Fraction:
        """An upper bound of the means of all sets: that of single groups."""
        return -self.exchanged().smallest

    @property
    def are_equal(self) -> bool:
        """Whether all groups have the same mean."""
        return all(Fraction(int(d), int(m)) == self.mean for d, m in zip(self.d, self.m, strict=True))

    @property
    def resolution(self) -> Fraction:
        """Two means of sets that differ do so by at least this."""
        return Fraction(1, self.size**2)

    def normal(self, level: Fraction) -> tuple[float, float]:
        """The quantile of a normal law for this tail, and the standard error of the mean."""
        from scipy.special import ndtri

        spread = (self.d - self.m * float(self.mean)).astype(np.float64)
        error = math.sqrt(float((self.c * spread * spread).sum())) / self.size
        return max(-float(ndtri(float(level))), 0.0), error

    def tail(self, delta: Fraction) -> Tail:
        """P(sum_B d <= delta sum_B m) by the first engine that can; some group's mean is not delta."""
        line = self._on_a_line(delta)
        counting = MeetInTheMiddle()
        if counting.obstacle(line) is None and counting.cost(line) < QUICK:
            return counting.answer(line)
        if self._is_small:
            plane = self._in_the_plane(delta)
            if Torus().obstacle(plane) is None:
                try:
                    return Torus().answer(plane)
                except CannotAnswer:  # more frequencies are alive than foreseen
                    pass
        return Bracket().answer(line)

    def effects(self, delta: Fraction) -> Effects:
        """The effects of the groups under a shift, in units of a step of a difference over the denominator of delta."""
        w = self.d.astype(object) * delta.denominator - self.m.astype(object) * delta.numerator
        rounding = self.rounding * delta.denominator
        if rounding and delta:
            w, moved = _signed_both_ways(w, rounding)
            rounding += dot(moved, self.c)
        counts: dict[int, int] = {}
        for step, count in zip(w.tolist(), self.c.tolist(), strict=True):
            counts[step] = counts.get(step, 0) + count
        return replace(Effects.from_counts(counts), rounding=rounding)

    @cached_property
    def _is_small(self) -> bool:
        return not self.rounding and max(int(abs(self.d).max()), int(self.m.max())) <= SMALL

    def _on_a_line(self, delta: Fraction) -> Question:
        """The chance that exchanging by coins leaves a statistic at least as large: every w counts as it is."""
        lattice = Lattice.of(self.effects(delta))
        return Question(lattice, Runs(((lattice.observed[0], lattice.span[0]),)))

    @cached_property
    def _plane(self) -> Lattice:
        """The lattice of (sum_B m, -sum_B d)."""
        steps = zip(self.m.tolist(), (-self.d).tolist(), self.c.tolist(), strict=True)
        return Lattice.of(Effects.from_counts({(m, d): c for m, d, c in steps}, names=("size", "deficit")))

    def _in_the_plane(self, delta: Fraction) -> Question:
        """The half-plane that holds the sets with a mean of at most delta."""
        basis, p, q = self._plane.basis, delta.numerator, delta.denominator
        # x B = (sum_B m, -sum_B d); the second coordinate alone moves along the last basis vector, and upwards
        weight = basis[:, 0].astype(object) * p + basis[:, 1].astype(object) * q
        fits = max(abs(w) for w in weight) * max(self._plane.span) * 4 < NARROW
        exact = weight.astype(np.int64) if fits else weight
        rough = (weight / q).astype(np.float64)
        return Question(
            self._plane,
            Region(
                contains=lambda x: np.asarray((x.astype(exact.dtype) @ exact) >= 0, dtype=np.bool_),
                increasing=True,
                value=lambda x: np.asarray(x @ rough),
            ),
        )


def _divisor(numbers: Iterable[Fraction | int]) -> Fraction:
    """The largest number of which all are multiples."""
    exact = [Fraction(x) for x in numbers]
    return Fraction(math.gcd(*(x.numerator for x in exact)), math.lcm(*(x.denominator for x in exact)))


def _signed_both_ways(w: NDArray[Any], rounding: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Effects of which those that rounding may have turned are one unit each, and by how much they were moved.

    Engines take the sign of an effect for certain, and effects of one sign for an assignment that is certainly the most
    extreme. So no effect becomes zero here, and those of unknown sign never have the one that all others have.
    """
    unknown = np.abs(w) <= rounding
    opposite = -1 if w[~unknown].sum() > 0 else 1
    moved = w.copy()
    moved[unknown] = np.where(np.arange(len(w)) % 2, 1, -1) if unknown.all() else opposite
    return moved, np.abs(w - moved)


def signed(effects: Effects, factor: int = 1) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The differences with their signs, zero among them, and their counts."""
    values = effects.values[:, 0] if factor == 1 else effects.values[:, 0].astype(object) * factor
    d = np.concatenate([values, -values, np.zeros(1, dtype=values.dtype)])
    c = np.concatenate([effects.n_plus, effects.n_minus, [effects.n_tied]])
    return d[c > 0], c[c > 0]
