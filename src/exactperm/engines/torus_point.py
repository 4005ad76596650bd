"""Where to tilt to: the dominating points of a region.

A tau whose mean m(tau) is the point where a region is entered first, its *dominating point* (Ney 1983), leaves a sum of
order one to be computed, however small the probability is. There tau is normal to the boundary: starting from some
direction, alternate between going as far along tau as it takes to reach {value = 0} and turning tau to the gradient
found there.

A region may be entered from several sides: {|h| >= c}, the complement of a disc, an island off the centre. Seen from
one of its dominating points the points at another have weights that dwarf the answer. Each of several tilts tau_i then
answers for its own cell of the region,

    P(X in R) = sum_i P(X in R_i),    R_i = {x in R : exp(L(tau_i) - tau_i . (x - c)) is the least of all},

so that no weight is far above the answer if some tau_i is at each dominating point. They are looked for from all sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.torus_tilt import SATURATED, TiltedCoins
from exactperm.lattice import Lattice
from exactperm.region import Region

__all__ = ["cells", "dominating_tilt"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: steps towards the dominating point, beyond which a tilt is taken as it is
MOST_TURNS = 30
#: standard deviations between two tilted means that are told apart
APART = 0.5
#: standard deviations that a tilt is long at most
STEEP = 1024.0
#: a tilt misses the region if this part of the way from the centre is left
MISSED = 0.05


def dominating_tilt(lattice: Lattice, region: Region) -> Floats:
    """The tilt to where the region comes closest to the centre, in the direction of the gradient there.

    Zero if the centre lies in the region already, or without a guide.
    """
    fair = np.zeros(lattice.rank)
    if region.value is None:
        return fair
    guide = _Guide(lattice, region.value, region.increasing)
    if not guide(fair) < 0:
        return fair
    direction = guide.normal(TiltedCoins.of(lattice, fair))
    return fair if direction is None else _turned(guide, direction)


def _turned(guide: _Guide, direction: Floats) -> Floats:
    """The tilt to a dominating point, looked for from a direction of unit length in the fair law."""
    tilt, share, furthest = guide.reach(direction), 1.0, math.inf
    for _ in range(MOST_TURNS):
        there = TiltedCoins.of(guide.lattice, tilt)
        normal = guide.normal(there)
        if normal is None:
            break
        length = math.sqrt(max(float(direction @ there.covariance @ direction), 0.0))
        if length == 0:
            break
        turn = normal - direction / length
        far = float(turn @ there.covariance @ turn)
        if far < 1e-8:
            break
        if far > furthest / 2:  # on a boundary that bends full turns may swing to and fro
            share /= 2
        direction, furthest = normal - (1 - share) * turn, far
        tilt = guide.reach(direction)
    return tilt


def cells(lattice: Lattice, region: Region) -> list[tuple[TiltedCoins, Region]]:
    """The parts of a region, each with the tilt to answer it by; none if no side was found to enter it from."""
    family: list[TiltedCoins] = []
    for tilt in _tilts_from_all_sides(lattice, region):
        coins = TiltedCoins.of(lattice, tilt)
        if all(_deviations(coins, other) > APART for other in family):
            family.append(coins)
    return [(coins, replace(region, contains=_Cell(region, family, i))) for i, coins in enumerate(family)]


def _tilts_from_all_sides(lattice: Lattice, region: Region) -> list[Floats]:
    """The dominating points found from the directions along and between the axes, and a ring of tilts as deep.

    The ring has small weights wherever the law is thin, so that no point is left to a tilt from another side.
    """
    if region.value is None:
        return []
    guide = _Guide(lattice, region.value, region.increasing)
    covariance = TiltedCoins.of(lattice).covariance
    signs = [np.array(x) / np.sqrt(np.diag(covariance)) for x in product((-1, 0, 1), repeat=lattice.rank) if any(x)]
    starts = [x / math.sqrt(float(x @ covariance @ x)) for x in signs]
    missing = -MISSED * abs(guide(np.zeros(lattice.rank)))
    tilts = [_turned(guide, start) for start in starts]
    found = [tilt for tilt in tilts if max(guide(tilt), guide((1 + MISSED) * tilt)) >= missing]
    if not found:
        return []
    depth = max(TiltedCoins.of(lattice, tilt).exponent[0] for tilt in found)
    return [*found, *(_as_deep(lattice, start, depth) for start in starts)]


def _as_deep(lattice: Lattice, direction: Floats, depth: float) -> Floats:
    """A multiple of a direction whose exponent is about `depth`, or a steep one where none goes so far."""

    def reached(factor: float) -> bool:
        return TiltedCoins.of(lattice, factor * direction).exponent[0] <= depth

    low, high = 0.0, 1.0
    while not reached(high) and high < STEEP:
        low, high = high, 2 * high
    for _ in range(6):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high * direction


def _deviations(coins: TiltedCoins, other: TiltedCoins) -> float:
    """How far two tilts are from each other, in the metric of the fair law."""
    difference = coins.tilt - other.tilt
    return math.sqrt(float(difference @ coins.fair().covariance @ difference))


@dataclass(frozen=True)
class _Cell:
    """The predicate of the points of a region at which one tilt of a family has the least weight, the first of equals.

    All weights are made by the same operations on single numbers, so that each point is in one cell for certain.
    """

    region: Region
    family: list[TiltedCoins]
    which: int

    def __call__(self, points: Integers) -> NDArray[np.bool_]:
        """Tell which points lie in the region and in the cell."""
        weights = [_log_weight(coins, points) for coins in self.family]
        inside = np.argmin(weights, axis=0) == self.which
        inside[inside] = self.region.contains(points[inside])
        return np.asarray(inside)


def _log_weight(coins: TiltedCoins, points: Integers) -> Floats:
    """L(tau) - tau . (x - c); the products with a tilt of few bits are exact."""
    total = np.full(len(points), coins.exponent[0] + coins.level)
    for axis, tau in enumerate(coins.tilt.tolist()):
        total -= tau * (points[:, axis] - coins.reference[axis])
    return total


@dataclass(frozen=True)
class _Guide:
    """The guide function of a region along tilted means."""

    lattice: Lattice
    value: Callable[[Floats], Floats]
    increasing: bool

    def __call__(self, tilt: Floats) -> float:
        """The guide at the tilted mean."""
        steps, counts = self.lattice.steps, self.lattice.counts
        mean = (counts * (1 + np.tanh(steps @ tilt / 2))) @ steps / 2
        return float(self._at(mean[None])[0])

    def _at(self, points: Floats) -> Floats:
        with np.errstate(all="ignore"):  # a guide may be undefined outside the attainable totals
            return np.asarray(self.value(points), dtype=np.float64)

    def normal(self, coins: TiltedCoins) -> Floats | None:
        """The gradient at the tilted mean, of unit length in the tilted law; None without one."""
        mean = coins.offset + np.array(coins.span) / 2
        width = 0.05 * np.sqrt(np.diag(coins.covariance)) + 1e-6
        around = np.concatenate([mean + np.diag(width), mean - np.diag(width)])
        values = self._at(around)
        gradient = (values[: len(mean)] - values[len(mean) :]) / width
        if self.increasing:  # then weights never grow along a line
            gradient[-1] = max(gradient[-1], 0.0)
        length = math.sqrt(max(float(gradient @ coins.covariance @ gradient), 0.0))
        return gradient / length if math.isfinite(length) and length > 0 else None

    def reach(self, direction: Floats) -> Floats:
        """The multiple of `direction` whose tilted mean lies on {value = 0} (rule of Illinois).

        Where the means do not get there, the multiple where the guide is greatest.
        """
        along = np.abs(self.lattice.steps @ direction)
        largest = float(along.max())
        furthest = 2 * SATURATED / max(float(along[along > 1e-9 * largest].min()), 1e-3 * largest)
        low, high = 0.0, min(1.0, furthest)
        below, above = self(low * direction), self(high * direction)
        best = (below, low)
        while above < 0 and high < furthest:
            best = max(best, (above, high))
            low, below, high = high, above, min(1.5 * high, furthest)
            above = self(high * direction)
        if not above > 0:
            return max(best, (above, high))[1] * direction
        middle = high
        for _ in range(40):
            middle = high - above * (high - low) / (above - below)
            here = self(middle * direction)
            if not math.isfinite(here) or abs(here) < 1e-9 * (above - below) or high - low < 1e-9 * high:
                break
            if here < 0:
                low, below, above = middle, here, above / 2
            else:
                high, above, below = middle, here, below / 2
        return middle * direction
