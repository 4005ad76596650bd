"""Exponential tilting of a sum of signs: the law of S = sum of e_n v_n moved to where it is asked about.

Under the tilt theta the signs stay independent, P(e_n = 1) = 1 / (1 + exp(-2 theta v_n)), and S has mean
L'(theta) = sum of v_n tanh(theta v_n) and variance L''(theta) = sum of v_n^2 sech^2(theta v_n), where
L(theta) = sum of log cosh(theta v_n). Every identity holds for every theta; a theta at which the mean is the
threshold s makes the numbers after it of order one (Daniels 1987; Keich 2005).

The engine for integers has its own tilt (`tilt`), because there spans, thresholds and windows are exact integers and
the error bounds rest on that. Here they are real numbers that were rounded, and the bracket moves its threshold for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tilted", "solve"]

Floats = NDArray[np.float64]

#: theta is found on at most this many averaged weights; the identity holds for any theta
AVERAGED = 4096
EPSILON = 2.0**-52


@dataclass(frozen=True)
class Tilted:
    """The law of S = sum of e_n v_n under the tilt theta, seen from the threshold s.

    Attributes
    ----------
    weights
        (D,) distinct v, increasing, between 0 and 1.
    counts
        (D,) how many signs have each weight.
    theta
        The tilt, not negative.
    s
        The threshold.
    """

    weights: Floats
    counts: NDArray[np.int64]
    theta: float
    s: float

    @cached_property
    def n(self) -> int:
        """How many signs."""
        return int(self.counts.sum())

    @cached_property
    def span(self) -> float:
        """The largest value of S."""
        return float(np.add.reduce(self.counts * self.weights))

    @cached_property
    def tanh(self) -> Floats:
        """Mean of each sign."""
        return np.tanh(self.theta * self.weights)

    @cached_property
    def sech2(self) -> Floats:
        """Variance of each sign, 4 e^-2x / (1 + e^-2x)^2, which does not cancel where tanh is close to one."""
        decay = np.exp(-2.0 * self.theta * self.weights)
        return 4.0 * decay / (1.0 + decay) ** 2

    @cached_property
    def sigma(self) -> float:
        """Standard deviation of S."""
        return math.sqrt(float(np.add.reduce(self.counts * self.weights**2 * self.sech2)))

    @cached_property
    def _exponent_terms(self) -> tuple[float, float]:
        """L - theta L' and L' - s; the first term by term, minus the Kullback-Leibler divergences of the signs."""
        x = self.theta * self.weights
        # log cosh x - x tanh x = log((1 + e^-2x) / 2) + 2x / (1 + e^2x), both free of cancellation for large x;
        # for small x the divergence is x tanh x + log1p(-tanh^2 x) / 2
        decay = np.exp(-2.0 * x)
        large = math.log(2.0) - np.log1p(decay) - 2.0 * x * decay / (1.0 + decay)
        small = x * self.tanh + 0.5 * np.log1p(-(np.minimum(self.tanh, 0.9) ** 2))
        divergence = float(np.add.reduce(self.counts * np.where(x < 0.5, small, large)))
        # s - L' from the deficits 2 v / (1 + e^2x) where the weights are nearly all one way
        deficit = float(np.add.reduce(self.counts * (2.0 * self.weights * decay / (1.0 + decay))))
        return divergence, (self.span - self.s) - deficit

    @cached_property
    def _log_cosh(self) -> Floats:
        return _log_cosh(self.theta * self.weights)

    @property
    def exponent(self) -> float:
        """The logarithm of the factor in front: L(theta) - theta s."""
        divergence, offset = self._exponent_terms
        return self.theta * offset - divergence

    @property
    def exponent_error(self) -> float:
        """How far rounding can have moved the exponent.

        Elementary functions are taken to be within 4 ulp, so that each term is within 32 of its largest part, and
        pairwise sums of n terms add log2 n + 1 (Higham 2002, section 4.2). The parts of a divergence are below
        2 x tanh x for small x and below 2 for any.
        """
        x = self.theta * self.weights
        parts = float(np.add.reduce(self.counts * np.minimum(2.0 * x * self.tanh, 2.0)))
        rounds = 40.0 + math.log2(len(self.weights) + 1.0)
        return rounds * EPSILON * (parts + self.theta * (2.0 * self.span + abs(self.s)))

    def log_chernoff(self, lam: float, y: float) -> float:
        """Bound log P(S - s >= y), or <= y if lam < 0: L(theta + lam) - L(theta) - lam (s + y) (Chernoff 1952)."""
        return self.growth(lam) - lam * (self.s + y)

    def growth(self, lam: float) -> float:
        """L(theta + lam) - L(theta), the logarithm of the tilted law's moment generating function."""
        rise = _log_cosh((self.theta + lam) * self.weights) - self._log_cosh
        return float(np.add.reduce(self.counts * rise))

    def reach(self, log_mass: float, sign: int) -> float:
        """The distance y from s such that P(sign (S - s) >= y) <= exp(log_mass), by Chernoff's bound."""
        guess = sign * math.sqrt(-2.0 * log_mass) / max(self.sigma, 1e-12)
        best = self.span - sign * self.s  # S is never further out
        for factor in (1.0, 0.7, 0.4, 1.5):
            lam = factor * guess
            # 1e-9: the rounding of the difference of two sums of order n, relative to log_mass
            excess = self.growth(lam) - lam * self.s + 1e-9 * (1.0 + 1e-5 * self.n) - log_mass
            best = min(best, excess / abs(lam))
        return max(best, 0.0)


def solve(weights: Floats, counts: NDArray[np.int64], s: float) -> Tilted:
    """Tilt the law to have mean s >= 0, or nearly."""
    few, number = _averaged(weights, counts)
    theta, limit = 0.0, 40.0 / float(weights[0] if weights[0] > 0.0 else 1.0)
    # L' is concave for theta > 0, so Newton's steps climb to the solution from below and never pass it
    for _ in range(200):
        mean = np.tanh(theta * few)
        variance = float(np.add.reduce(number * few**2 * (1.0 - mean**2)))
        missing = s - float(np.add.reduce(number * few * mean))
        if missing * missing <= 1e-8 * variance or variance <= 0.0:
            break
        theta = min(theta + max(missing, 0.0) / variance, limit)
    return Tilted(weights, counts, theta, s)


def _averaged(weights: Floats, counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """At most AVERAGED weights, neighbours replaced by their mean."""
    number = counts.astype(np.float64)
    if len(weights) <= AVERAGED:
        return weights, number
    starts = np.arange(0, len(weights), -(-len(weights) // AVERAGED))
    total = np.add.reduceat(number, starts)
    return np.add.reduceat(number * weights, starts) / total, total


def _log_cosh(x: Floats) -> Floats:
    x = np.abs(x)
    return x + np.log1p(np.exp(-2.0 * x)) - math.log(2.0)
