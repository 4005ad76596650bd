"""The coins that dominate: tossed one size after the other, from the largest, before anything is inverted.

A coin larger than the spread of all smaller ones makes the law a few separate lumps. One tilt for all of them puts the
threshold in a gap, where a large share of the frequencies lives. Once such coins are tossed most outcomes decide the
question, whatever the smaller coins do; those that do not are thresholds for the rest of the law, each with a tilt of
its own. Effects over hundreds of orders of magnitude are decided this way coin by coin, in exact integers.

Cost: a few operations on long integers for each size and each threshold that is left open.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.rational import binomials
from exactperm.integers import dot

__all__ = ["Problem", "Tossed", "toss_dominating"]

#: at most so many coins of one size are tossed
COPIES = 1 << 10
#: a coin is tossed too if one of the next few dominates all smaller ones
AHEAD = 6
#: at most so many thresholds are left open in the end, and on the way
LEFT, ON_THE_WAY = 32, 256


@dataclass(frozen=True)
class Problem:
    """The law of X = sum of coin * step, each step known up to a total error of `rounding`."""

    steps: NDArray[Any]  # increasing, positive
    counts: NDArray[np.int64]
    rounding: int

    @property
    def n(self) -> int:
        """How many coins."""
        return int(self.counts.sum())

    @cached_property
    def span(self) -> int:
        """The sum of all steps."""
        return dot(self.steps, self.counts)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The steps as fractions of the largest, each within 2^-51 of itself."""
        largest = int(self.steps[-1])
        if self.steps.dtype == object:
            return np.array([step / largest for step in self.steps.tolist()], dtype=np.float64)
        return self.steps / float(largest)

    @cached_property
    def _squares(self) -> NDArray[Any]:
        """The sum of count * step^2 over all steps smaller than each; floats where they are accurate enough."""
        steps = self.steps if self.steps.dtype == object else self.steps.astype(np.float64)
        sums = np.cumsum(self.counts * steps * steps)
        sums[1:], sums[0] = sums[:-1].copy(), 0
        return sums

    def smallest(self, size: int) -> Problem:
        """The law of the `size` smallest steps alone."""
        return self if size == len(self.steps) else Problem(self.steps[:size], self.counts[:size], self.rounding)

    def dominates(self, i: int) -> bool:
        """Is step i more than the spread of all smaller ones, and more than a rounded threshold is uncertain by?"""
        step = int(self.steps[i])
        few = self.counts[i] <= COPIES and step > 2 * self.rounding
        return bool(few and step * step > self._squares[i])


@dataclass(frozen=True)
class Tossed:
    """What the outcomes of the dominating coins leave to the `size` smallest steps.

    Of 2^coins outcomes, `sure` reach the threshold whatever the rest does; `left` has the thresholds that are left to
    the rest, and how many outcomes leave each.
    """

    size: int
    coins: int
    sure: int
    left: dict[int, int]


def toss_dominating(problem: Problem, threshold: int) -> Tossed:
    """Toss coins down to the smallest that dominates and leaves few thresholds open."""
    best = tossed = Tossed(len(problem.steps), 0, 0, {threshold: 1})
    rest = problem.span
    while tossed.left and any(map(problem.dominates, range(max(tossed.size - AHEAD, 0), tossed.size))):
        size = tossed.size - 1
        step, count = int(problem.steps[size]), int(problem.counts[size])
        if count > COPIES:
            break
        rest -= step * count
        sure, left = _toss(tossed.left, step, count, rest, problem.rounding)
        tossed = Tossed(size, tossed.coins + count, (tossed.sure << count) + sure, left)
        if len(left) > ON_THE_WAY:
            break
        if len(left) <= LEFT and problem.dominates(size):
            best = tossed
    return best


def _toss(thresholds: dict[int, int], step: int, count: int, rest: int, rounding: int) -> tuple[int, dict[int, int]]:
    """How many outcomes reach the threshold for sure, and what is left to coins that add up to at most `rest`."""
    sure, left = 0, Counter[int]()
    for threshold, outcomes in thresholds.items():
        for heads, ways in enumerate(binomials(count)):
            lower = threshold - heads * step
            if lower + rounding <= 0:
                sure += outcomes * ways
            elif lower - rounding <= rest:
                left[lower] += outcomes * ways
    return sure, left
