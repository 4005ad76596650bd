"""The frequencies at which the characteristic function of a sum of tilted signs is not negligible.

At frequency k of a circle on which a weight turns by u (in circles), the factor of one sign is

    cos(2 pi k u) + i tanh(theta v) sin(2 pi k u),    |.|^2 = 1 - sech^2(theta v) sin^2(2 pi k u) <= 1,

so any subset of the factors bounds the product. Over an interval of frequencies each factor is bounded by its value
at the nearest admissible angle; an interval whose bound is under the cut is dropped whole, the others are split.
With sin^2(pi t) >= y (2 - y), y = 4 t^2, |t| <= 1/2 (because sin(pi t / 2) >= sqrt(2) t by concavity) the bound
needs no trigonometric function.

The engine for integers searches a circle of so many points once and whole (`support`). Here the circle is real, the
frequencies have no end, and how many are needed is known only when the width is: the search goes upward and goes on.

Weights are 64-bit fractions of the circle, so that k u is reduced exactly by the wrap-around of unsigned products,
however high the frequency.

Cost: an interval covers an eighth of a turn of a typical weight, about sqrt(n) frequencies, and dies after 30 to
100 factors, or up to 500 far out in the tail, where every tilted factor is close to one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Search", "Signs"]

Floats = NDArray[np.float64]
Turns = NDArray[np.uint64]

#: elements of a block: temporaries of this size stay in the cache
BLOCK = 1 << 15
#: intervals searched at once
CHUNK = 1 << 12
#: factors tried on an interval before it is split, where strongly tilted ones bound little; a single frequency may
#: need all
FACTORS = 512
#: live frequencies that are evaluated whatever the budget: those around zero, which every law has
CERTAIN = 64
#: a cosine and a sine cost this many steps of the search
TRIGONOMETRY = 8
#: and so do powers, where weights repeat
POWER = 4
#: every computed factor of a bound is raised by this much more than its rounding
GUARD = 1.0 + 2.0**-48


@dataclass(frozen=True)
class Signs:
    """Tilted signs on a circle, those that help most to bound the product first."""

    turns: Turns  # (D,) the weight as a fraction of the circle, times 2^64
    tanh: Floats
    sech2: Floats
    counts: NDArray[np.int64]

    @classmethod
    def ordered(cls, turns: Turns, tanh: Floats, sech2: Floats, counts: NDArray[np.int64]) -> Signs:
        """Put the signs in order, given with their weights increasing.

        The largest variances would come from nearly equal weights, which turn in step: where one factor is close to
        one, all are. So a sample without a pattern of those within a quarter of the largest comes first (`_scatter`).
        """
        variance = counts * (turns * 2.0**-64) ** 2 * sech2
        strong = np.flatnonzero(4.0 * variance >= variance.max())
        first = strong[_scatter(strong.size)]
        rest = np.ones(len(turns), dtype=np.bool_)
        rest[first] = False
        others = np.flatnonzero(rest)
        if strong.size <= FACTORS:  # else the sample decides, and sorting 10^7 takes a second
            others = others[np.argsort(-variance[others], kind="stable")]
        order = np.concatenate([first, others])
        return cls(turns[order], tanh[order], sech2[order], counts[order])

    def log2_width(self) -> int:
        """Width of an interval that typical weights sweep by an eighth of a turn, as a power of two."""
        few = self.turns[:FACTORS].astype(np.float64) * 2.0**-64
        typical = math.sqrt(float(np.add.reduce(few * few)) / len(few))
        return max(int(math.log2(0.125 / max(typical, 2.0**-30))), 0)

    def square_bound(self, low: Turns, width: int, first: int, last: int) -> Floats:
        """Bound the product of |factor|^2, factors first to last, over each interval of frequencies."""
        u = self.turns[first:last]
        centre = ((low + low + np.uint64(width - 1))[:, None] * u).view(np.int64)
        t = np.abs(centre.astype(np.float64))
        if width > 1:
            t -= (width - 1) * GUARD * u.astype(np.float64)
            np.maximum(t, 0.0, out=t)
        t *= 2.0**-63
        t *= t  # y
        t *= 2.0 - t
        t *= -self.sech2[first:last]
        t += GUARD
        if self.counts[first:last].max() > 1:
            t **= self.counts[first:last]
        return np.asarray(np.multiply.reduce(t, axis=1))

    def characteristic(self, k: Turns) -> NDArray[np.complex128]:
        """The product of all factors at each frequency."""
        product = np.ones(len(k), dtype=np.complex128)
        step = min(len(self.turns), BLOCK)
        rows = max(BLOCK // step, 1)
        for start in range(0, len(k), rows):
            for first in range(0, len(self.turns), step):
                block = slice(first, first + step)
                angle = (k[start : start + rows, None] * self.turns[block]).view(np.int64) * (math.pi / 2.0**63)
                factor = np.cos(angle) + 1j * (self.tanh[block] * np.sin(angle))
                factor = _power(factor, self.counts[block])
                product[start : start + rows] *= np.multiply.reduce(factor, axis=1)
        return product


@dataclass
class Search:
    """Finds the frequencies where |characteristic function| > cut, from 1 upward, and its values there."""

    signs: Signs
    cut: float
    budget: float
    work: float = 0.0
    searched: int = 0
    found: list[Turns] = field(default_factory=list)
    values: list[NDArray[np.complex128]] = field(default_factory=list)

    def up_to(self, degree: int) -> tuple[int, Turns, NDArray[np.complex128]]:
        """Search as far as `degree` or the budget: how far that was, the live frequencies, the values."""
        width = 1 << self.signs.log2_width()
        budget = self.budget + CERTAIN * TRIGONOMETRY * len(self.signs.turns)
        while self.searched < degree and (self.work < budget or not self.found):
            intervals = min(-(-(degree - self.searched) // width), CHUNK)
            low = np.arange(intervals, dtype=np.uint64) * np.uint64(width) + np.uint64(self.searched + 1)
            live = self._descend(low, width)
            # far out in the tail every frequency may live: then only as many are evaluated as the budget allows
            each = TRIGONOMETRY * len(self.signs.turns)
            affordable = max(int(min((budget - self.work) / each, 2.0**60)), CERTAIN)
            last = self.searched + intervals * width if len(live) <= affordable else int(live[affordable - 1])
            live = live[:affordable]
            value = self.signs.characteristic(live)
            self.work += each * len(live)
            keep = np.abs(value) > self.cut
            self.found.append(live[keep])
            self.values.append(value[keep])
            self.searched = last
        degree = min(degree, self.searched)
        k, value = np.concatenate(self.found), np.concatenate(self.values)
        inside = k <= degree
        return degree, k[inside], value[inside]

    def _descend(self, low: Turns, width: int) -> Turns:
        """Split the intervals that do not die until they are single frequencies."""
        while True:
            low = self._survivors(low, width)
            if width == 1 or not len(low):
                return low
            child = max(width // 4, 1)
            parts = np.arange(width // child, dtype=np.uint64) * np.uint64(child)
            low, width = (low[:, None] + parts).ravel(), child

    def _survivors(self, low: Turns, width: int) -> Turns:
        """Drop the intervals that some of the factors prove to be under the cut."""
        dead = (self.cut * (1.0 - 1e-6)) ** 2
        product = np.ones(len(low))
        last = len(self.signs.turns) if width == 1 else min(len(self.signs.turns), FACTORS)
        first, size = 0, 8
        while first < last and len(low):
            stop = min(first + min(size, BLOCK), last)
            rows = max(BLOCK // (stop - first), 1)
            for i in range(0, len(low), rows):
                product[i : i + rows] *= self.signs.square_bound(low[i : i + rows], width, first, stop)
            powers = self.signs.counts[first:stop].max() > 1
            self.work += len(low) * (stop - first) * (POWER if powers else 1)
            alive = product >= dead
            low, product = low[alive], product[alive]
            first, size = stop, 2 * size if first else size
        return low


def _scatter(number: int) -> NDArray[np.intp]:
    """At most FACTORS of so many ranks, one from each of equal strata, scattered within them and among themselves.

    Squares times the golden ratio are equidistributed modulo one (Weyl 1916), and no progression hides in them.
    """
    strata = min(number, FACTORS)
    stratum = np.arange(strata)
    place = stratum**2 * ((math.sqrt(5.0) - 1.0) / 2.0) % 1.0
    ranks = np.unique(np.minimum(((stratum + place) * (number / strata)).astype(np.intp), number - 1))
    return np.asarray(ranks[np.argsort(place[: ranks.size], kind="stable")])


def _power(z: NDArray[np.complex128], counts: NDArray[np.int64]) -> NDArray[np.complex128]:
    """Raise the columns of z to their counts, by squaring."""
    if int(counts.max()) == 1:
        return z
    result = np.ones_like(z)
    left = counts.copy()
    while True:
        result = np.where(left & 1, result * z, result)
        left >>= 1
        if not left.any():
            return result
        z = z * z
