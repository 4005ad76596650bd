"""Where a power that can only be simulated passes the one that is wanted.

The power of a test at level l is close to Phi(z_l + b x), x the root of the number of units or the difference itself,
so that on the probit scale it is a line. Each step simulates at one x, fits the line to all that is known by weighted
least squares, and goes to where it passes. Then x is moved down, and up, by what the simulation cannot tell apart, and
with new random numbers it is simulated there: the ends of the interval are points whose Clopper-Pearson interval lies
below, or above, the wanted power. An end that fails is moved on. The k-th attempt at an end is allowed an error of
(1 - level) / 2^(k + 1), both ends and all attempts together 1 - level (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from exactperm.inference.power_simulation import Rejections

__all__ = ["Crossing", "crossing"]

#: simulates at x; the second argument numbers the random numbers to use
Simulate = Callable[[float, int], Rejections]

#: points that are simulated once the line has led near, and all together; attempts at an end
STEPS, MOST_STEPS, ATTEMPTS = 5, 30, 12
#: a step goes no further than this factor
FARTHEST = 3.0


class Crossing(NamedTuple):
    """The x at which the power is as wanted, and two that hold it."""

    x: float
    low: float
    high: float


def crossing(
    simulate: Simulate, start: float, limits: tuple[float, float], wanted: float, size: float, level: float
) -> Crossing:
    """Find x; `size` is the power at x = 0, the level of the side that matters."""
    from scipy.special import ndtri

    aim, floor = float(ndtri(wanted)), float(ndtri(size))
    line, x = _Line(floor), min(max(start, limits[0]), limits[1])
    free = 0
    for step in range(1, MOST_STEPS + 1):
        found = simulate(x, step)
        line.learn(x, found)
        aimed = line.at(aim)
        free += x / FARTHEST <= aimed <= x * FARTHEST  # a step that was cut short has not arrived
        x = min(max(aimed, x / FARTHEST, limits[0]), x * FARTHEST, limits[1])
        if free == STEPS or x >= limits[1]:
            break
    if x >= limits[1]:
        return Crossing(math.inf, math.inf, math.inf)
    spread = line.spread(aim, found.number, level)
    low, high = (_end(simulate, x, sign * spread, limits, wanted, level) for sign in (-1, 1))
    return Crossing(x, low, high)


class _Line:
    """Probits of powers, as a line that starts at `floor`."""

    def __init__(self, floor: float) -> None:
        self.floor = floor
        self.points: list[tuple[float, float, float]] = []

    def learn(self, x: float, found: Rejections) -> None:
        """Add a point with its weight, the inverse of the variance of the probit."""
        from scipy.special import ndtri

        share = (found.found + 0.5) / (found.number + 1)
        z = float(ndtri(share))
        self.points.append((x, z, found.number * _density(z) ** 2 / (share * (1 - share))))

    def at(self, aim: float) -> float:
        """Where the line passes a probit."""
        middle, z, slope = self._fitted()
        return middle + (aim - z) / slope

    def spread(self, aim: float, number: int, level: float) -> float:
        """How far away a simulation can be told from one at `aim`, as a rule."""
        from scipy.special import ndtri

        share = 0.5 * math.erfc(-aim / math.sqrt(2))
        error = math.sqrt(share * (1 - share) / number) / _density(aim)
        return (2 - float(ndtri((1 - level) / 4))) * error / self._fitted()[2]

    def _fitted(self) -> tuple[float, float, float]:
        """A point of the line, and its slope; the start counts as little as it can."""
        total = sum(w for _, _, w in self.points)
        points = [*self.points, (0.0, self.floor, 1e-3 * total)]
        total *= 1.001
        middle, z = (sum(p[i] * p[2] for p in points) / total for i in (0, 1))
        across = sum(w * (x - middle) ** 2 for x, _, w in points)
        slope = sum(w * (x - middle) * (y - z) for x, y, w in points) / across
        furthest = max(x for x, _, _ in self.points)
        return middle, z, max(slope, 0.1 / furthest)


def _density(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def _end(simulate: Simulate, x: float, step: float, limits: tuple[float, float], wanted: float, level: float) -> float:
    """A point on this side of x at which the power is certainly below, or above, the wanted one."""
    for attempt in range(1, ATTEMPTS + 1):
        end = x + step
        if end <= limits[0] or end >= limits[1]:
            return min(max(end, limits[0]), limits[1])
        low, high = simulate(end, 100 * attempt + (step > 0)).interval(1 - (1 - level) / 2**attempt)
        if (high < wanted) if step < 0 else (low >= wanted):
            return end
        step *= 1.5
    return limits[0] if step < 0 else limits[1]
