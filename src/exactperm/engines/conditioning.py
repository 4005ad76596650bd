"""Runs of points as half-lines above the mean, given the few steps that are conditioned upon.

The inversion of `fourier` is quick and accurate where the null law is one bell. A few steps can make it another shape:

- a step far beyond what all the others do together leaves wide gaps between islands: in the gaps a third of all
  frequencies would stay alive;
- a step without which the others have a common divisor g leaves narrow gaps everywhere: near all multiples of
  2 pi / g the others are in phase, so that g times as many frequencies stay alive and cancel each other in the gaps.

Given how many of such a step are taken the law is that of the others, moved:

    P(X in R) = sum_k C(c, k) / 2^c P(X' in R - k v),

and so on until no step is left to condition upon. Each term has a tilt of its own, is relatively accurate, and all
are positive. Terms that are decided, because what is left lies in the region or outside it altogether, end there: of
islands apart only those at a threshold are looked into.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import CannotAnswer, Question, Tail
from exactperm.engines.tilt import EPS
from exactperm.region import Runs

__all__ = ["IMPOSSIBLE", "Interval", "Piece", "essential", "outward", "pieces_of", "sum_of"]

Ints = NDArray[np.int64]
Ends = list[tuple[int, int]]

#: a step this many standard deviations of all the others together is conditioned upon
DOMINATES = 40.0
#: steps that occur more often than this are not conditioned upon
RARE = 4
#: the most combinations of rare steps outside a common divisor that are conditioned upon
MOST_TERMS = 64

IMPOSSIBLE = Tail(-math.inf, -math.inf, -math.inf)


@dataclass(frozen=True)
class Interval:
    """P(a <= X <= b) for one sum, with mean <= a: what the inversion computes."""

    v: Ints
    c: Ints
    a: int
    b: int
    span: int
    n: int


@dataclass(frozen=True)
class Piece:
    """A weight times the sum of some intervals' probabilities, or times the complement of the only one."""

    intervals: list[Interval]
    complement: bool = False
    weight: float = 1.0

    def combine(self, tails: list[Tail]) -> Tail:
        """The probability, given those of the intervals."""
        tail = _complement(tails[0] if tails else IMPOSSIBLE) if self.complement else sum_of(tails)
        if self.weight == 1.0:
            return tail
        log = math.log(self.weight)
        return outward(tail.log_low + log, tail.log_estimate + log, tail.log_high + log)


def pieces_of(question: Question) -> list[Piece]:
    """Write a union of runs as intervals at or above the mean, some steps conditioned upon."""
    lattice, region = question.lattice, question.region
    if not isinstance(region, Runs):
        raise CannotAnswer("the one-dimensional inversion needs runs")
    if lattice.rank == 0:
        return [Piece([], complement=any(low <= 0 <= high for low, high in region.intervals))]
    v, c = lattice.steps[:, 0], lattice.counts
    if set_apart(v, c, lattice.deviation) is None:
        return [_above_the_mean(v, c, lattice.span[0], lattice.n, region.intervals)]
    return _conditioned(v, c, list(region.intervals), 1, 0)


def essential(v: Ints, c: Ints, deviation: float) -> tuple[Ints, Ints, float]:
    """The steps that are left when all others are conditioned upon, how often they occur, and their deviation."""
    while (j := set_apart(v, c, deviation)) is not None:
        v, c, divisor = _without(v, c, j)
        v = v // divisor
        deviation = _deviation(v, c)
    return v, c, deviation


# -- which steps -----------------------------------------------------------------------------------------------


def set_apart(v: Ints, c: Ints, deviation: float) -> int | None:
    """The index of a step to condition upon, of steps without a common divisor; None if there is none."""
    if len(v) == 1:
        return None
    return len(v) - 1 if _dominated(v, c, deviation) else _outside_a_divisor(v, c)


def _dominated(v: Ints, c: Ints, deviation: float) -> bool:
    """Whether the largest step is far beyond what all the others do together, so that the law has wide gaps."""
    largest, count = float(v[-1]), int(c[-1])
    rest = deviation**2 - count * largest**2 / 4
    return count <= RARE and largest**2 > DOMINATES**2 * max(rest, 0.0)


def _outside_a_divisor(v: Ints, c: Ints) -> int | None:
    """A rare step that is no multiple of g, the common divisor of the frequent ones, if few combinations are such.

    Worth while if there are no more of them than times as many frequencies, g.
    """
    if v[0] == 1 and c[0] > RARE:
        return None
    divisor = int(np.gcd.reduce(v[c > RARE]))
    if divisor < 2:
        return None
    (outside,) = (v % divisor).nonzero()
    if not 0 < outside.size < MOST_TERMS.bit_length():  # each at least doubles the terms
        return None
    terms = math.prod(x + 1 for x in c[outside].tolist())
    return int(outside[0]) if terms <= min(divisor, MOST_TERMS) else None


def _without(v: Ints, c: Ints, j: int) -> tuple[Ints, Ints, int]:
    """The steps but one, their counts and their common divisor."""
    v, c = np.delete(v, j), np.delete(c, j)
    return v, c, int(np.gcd.reduce(v))


def _deviation(v: Ints, c: Ints) -> float:
    square = c * v.astype(np.float64) ** 2
    return math.sqrt(float(square.sum())) / 2


# -- pieces ----------------------------------------------------------------------------------------------------


def _conditioned(v: Ints, c: Ints, runs: Ends, ways: int, coins: int) -> list[Piece]:
    """The pieces of steps without a common divisor, which have the weight ways / 2^coins."""
    weight = ways / 2**coins
    span = int(np.dot(v, c))
    inside = [(max(low, 0), min(high, span)) for low, high in runs if low <= high and low <= span and high >= 0]
    if not inside:
        return []
    if (0, span) in inside:
        return [Piece([], complement=True, weight=weight)]
    j = set_apart(v, c, _deviation(v, c))
    if j is None:
        piece = _above_the_mean(v, c, span, int(c.sum()), inside)
        return [Piece(piece.intervals, piece.complement, weight)]
    step, count = int(v[j]), int(c[j])
    others, numbers, divisor = _without(v, c, j)
    pieces = []
    for taken in range(count + 1):
        moved = [(-((taken * step - low) // divisor), (high - taken * step) // divisor) for low, high in inside]
        pieces += _conditioned(others // divisor, numbers, moved, ways * math.comb(count, taken), coins + count)
    return pieces


def _above_the_mean(v: Ints, c: Ints, span: int, n: int, runs: Sequence[tuple[int, int]]) -> Piece:
    """Cut runs at the mean and reflect what is below it."""

    def interval(a: int, b: int) -> Interval:
        return Interval(v, c, a, b, span, n)

    inside = [(max(low, 0), min(high, span)) for low, high in runs if low <= high and low <= span and high >= 0]
    if len(inside) == 1:
        low, high = inside[0]
        if low == 0 and high == span:
            return Piece([], complement=True)
        # a half-line through the mean: its complement is a half-line above the mean, after reflection
        if high == span and 2 * low <= span:
            return Piece([interval(span - low + 1, span)], complement=True)
        if low == 0 and 2 * high >= span:
            return Piece([interval(high + 1, span)], complement=True)
    middle = -(-span // 2)
    above = [interval(max(low, middle), high) for low, high in inside if high >= middle]
    below = [interval(span - min(high, middle - 1), span - low) for low, high in inside if low < middle]
    return Piece(above + below)


# -- tails -----------------------------------------------------------------------------------------------------


def outward(low: float, estimate: float, high: float, terms: int = 1) -> Tail:
    """A tail whose ends are moved by more than the rounding of an exponential and a logarithm of so many terms.

    Each within 4 ulp, they move a sum by 8 EPS, and 8 EPS of the logarithm of what it is to its largest term.
    """
    room = 1 + math.log(terms)
    if low > -math.inf:
        low -= 16 * EPS * (room + abs(low))
    if high > -math.inf:
        high += 16 * EPS * (room + abs(high))
    return Tail(low, min(estimate, 0.0), min(high, 0.0))


def sum_of(tails: list[Tail]) -> Tail:
    """The sum of probabilities."""
    if len(tails) == 1:
        return tails[0]
    lows, estimates, highs = ([getattr(t, end) for t in tails] for end in ("log_low", "log_estimate", "log_high"))
    return outward(_log_sum(lows), _log_sum(estimates), _log_sum(highs), max(len(tails), 1))


def _log_sum(logs: list[float]) -> float:
    largest = max(logs, default=-math.inf)
    return largest if largest == -math.inf else largest + math.log(math.fsum(math.exp(x - largest) for x in logs))


def _complement(tail: Tail) -> Tail:
    """One minus a probability of at most about a half."""
    low, estimate, high = (math.log1p(-math.exp(x)) for x in (tail.log_high, tail.log_estimate, tail.log_low))
    return outward(low, estimate, high)
