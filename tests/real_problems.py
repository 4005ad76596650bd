"""Real-valued problems that can be counted, with the exact answer: the 2^n assignments as pairs of two halves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["KINDS", "RealProblem", "problems"]

KINDS = ("uniform", "skewed", "repeated", "dominated", "far", "ties", "tiny", "huge", "wild")
#: the width of a bracket may come from atoms within a 1/NEAR of a standard deviation of the threshold
NEAR = 1000


@dataclass(frozen=True)
class RealProblem:
    """Scores of two systems on a few items."""

    kind: str
    a: np.ndarray[Any, Any]
    b: np.ndarray[Any, Any]

    def exact(self) -> tuple[Fraction, Fraction]:
        """The two-sided p-value, and the probability of what lies near the threshold on either side."""
        effects = _integers(self.a, self.b)
        observed, n = abs(sum(effects)), len(effects)
        if not observed:
            return Fraction(1), Fraction(1)
        # |d| is in or out of the sum b of those that show: 2 b - span >= observed
        magnitudes = [abs(d) for d in effects]
        threshold = (observed + sum(magnitudes)) // 2
        near = math.isqrt(sum(m * m for m in magnitudes)) // (2 * NEAR)
        left, right = _sums(magnitudes[::2]), _sums(magnitudes[1::2])
        at_least = [_pairs_at_least(left, right, t) for t in (threshold, threshold - near, threshold + near + 1)]
        return Fraction(2 * at_least[0], 2**n), Fraction(2 * (at_least[1] - at_least[2]), 2**n)


def problems(number: int, seed: int, most: int) -> Iterator[RealProblem]:
    """Random problems of all kinds with 20 to `most` effects that are not zero."""
    rng = np.random.default_rng(seed)
    for i in range(number):
        kind = KINDS[i % len(KINDS)]
        n = min(int(rng.integers(20, most + 1)), 28 if kind == "wild" else most)  # wild sums are Python integers
        magnitudes = _magnitudes(rng, kind, n)
        share = {"far": 1 - 1 / n, "ties": 0.6}.get(kind, rng.choice([0.5, 0.65, 0.85]))
        plus = np.arange(n) < share * n - 0.5 if kind == "far" else rng.random(n) < share
        a, b = np.where(plus, magnitudes, 0.0), np.where(plus, 0.0, magnitudes)
        both = np.zeros(n) if kind in ("tiny", "huge", "wild") else rng.integers(0, 4, n) / 4  # keeps differences exact
        order = rng.permutation(n + 2)
        yield RealProblem(kind, np.append(a + both, [0.1, 0.7])[order], np.append(b + both, [0.1, 0.7])[order])


def _magnitudes(rng: np.random.Generator, kind: str, n: int) -> Any:
    real = rng.integers(1, 2**50, n) * 2.0**-50
    match kind:
        case "skewed":
            return np.maximum(np.rint(real**4 * 2**50), 1) * 2.0**-50
        case "repeated":
            return rng.choice(real[:6], n)
        case "dominated":
            return np.where(np.arange(n) < 2, real + 3.0, np.rint(real * 2**44) * 2.0**-50)
        case "ties":
            real[: n // 2] = real[n // 2 : 2 * (n // 2)]  # sums that agree, and the observed one among them
            return real
        case "tiny":
            return real * 2.0**-1020
        case "huge":
            return real * 2.0**1010
        case "wild":
            return real * 2.0 ** rng.choice([-900.0, 0.0, 900.0], n)
    return real


def _integers(a: Any, b: Any) -> list[int]:
    """The differences that are not zero as integers times a common power of two."""
    exact = [Fraction(x) - Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True) if x != y]
    scale = max((x.denominator for x in exact), default=1)  # powers of two
    return [int(x * scale) for x in exact]


def _sums(magnitudes: list[int]) -> Any:
    """All subset sums, sorted: int64 where the sum of all fits."""
    sums = np.zeros(1, dtype=np.int64 if sum(magnitudes) < 2**61 else object)
    for m in magnitudes:
        sums = np.concatenate([sums, sums + m])
    return np.sort(sums)


def _pairs_at_least(left: Any, right: Any, threshold: int) -> int:
    return int((len(right) - np.searchsorted(right, threshold - left)).sum())
