"""A probability between two bounds, as natural logarithms, with arithmetic that rounds outward."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from exactperm.engines.base import Tail

__all__ = ["Bounds"]


@dataclass(frozen=True)
class Bounds:
    """log_low <= log of the probability <= log_high, and the highest polynomial degree that went into it."""

    log_low: float
    log_high: float
    degree: int = 0

    def plus(self, other: Bounds) -> Bounds:
        """The sum of both probabilities."""
        if self.log_high == -math.inf or other.log_high == -math.inf:
            return other if self.log_high == -math.inf else self
        low = _outward(_log_sum(self.log_low, other.log_low), -1)
        high = _outward(_log_sum(self.log_high, other.log_high), 1)
        return Bounds(low, min(high, 0.0), max(self.degree, other.degree))

    @classmethod
    def of(cls, probability: Fraction) -> Bounds:
        """A probability that is known."""
        tail = Tail.from_fraction(probability)
        return cls(tail.log_low, tail.log_high)

    @classmethod
    def all_one_way(cls, coins: int) -> Bounds:
        """The probability 2^-coins."""
        log = -coins * math.log(2.0)
        return cls(_outward(log, -1), _outward(log, 1))

    def times(self, other: Bounds) -> Bounds:
        """The product of both probabilities."""
        low, high = self.log_low + other.log_low, self.log_high + other.log_high
        return replace(self, log_low=_outward(low, -1), log_high=min(_outward(high, 1), 0.0))

    def complement(self) -> Bounds:
        """One minus the probability."""
        low, high = _log_complement(self.log_high), _log_complement(self.log_low)
        return replace(self, log_low=_outward(low, -1), log_high=min(_outward(high, 1), 0.0))

    def at_least(self, other: Bounds) -> Bounds:
        """The same, known to be no smaller than another probability."""
        low = max(self.log_low, other.log_low)
        return replace(self, log_low=low, log_high=max(self.log_high, low))

    @property
    def reached(self) -> float:
        """The half-width relative to the midpoint, (high - low) / (high + low)."""
        if self.log_low == self.log_high:
            return 0.0
        return math.tanh((self.log_high - self.log_low) / 2.0)

    def as_tail(self, tolerance: float) -> Tail:
        """The midpoint as the estimate, and what was reached."""
        middle = _log_sum(self.log_low, self.log_high) - math.log(2.0)
        middle = min(max(middle, self.log_low), self.log_high)
        details = {"tolerance": tolerance, "reached": self.reached, "degree": self.degree}
        return Tail(self.log_low, middle, self.log_high, details)


def _outward(log: float, direction: int) -> float:
    """Move by more than the rounding of an exponential and a logarithm, each within 4 ulp, and of a sum."""
    if not math.isfinite(log):
        return log
    return log + direction * 2.0**-49 * (1.0 + abs(log))


def _log_sum(x: float, y: float) -> float:
    x, y = max(x, y), min(x, y)
    return x if y == -math.inf else x + math.log1p(math.exp(y - x))


def _log_complement(log: float) -> float:
    if log >= 0.0:
        return -math.inf
    return math.log1p(-math.exp(log)) if log < -1.0 else math.log(-math.expm1(log))
