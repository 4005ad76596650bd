r"""Numbers compared exactly: a float with a proven error bound, integers where that is undecided.

The value of a metric is a sum of quotients n / d, or n / sqrt(d), of integer polynomials in the
totals. `Approximate` carries such a polynomial in float64 together with a bound on its error, by
running error analysis (Higham 2002, section 3.3): each operation adds half an ulp of its result to
what it inherits. Where a difference of two values is smaller than its bound, `Surd` decides: a sum
of c_i sqrt(r_i) with rational c_i. Square roots of radicands no two of which have a square product
are linearly independent over the rationals (Besicovitch 1940), so such a sum is zero only if the
coefficients cancel in each class; if they do not, integer square roots at rising precision find its
sign. A sum with radicand 1 alone is a rational number, and costs what a `Fraction` costs.

The bound fails (and says so by being infinite) where a polynomial leaves the range of float64,
about 10^308.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Approximate", "Surd", "exact_sum", "quotient_sum"]

Floats = NDArray[np.float64]

#: half an ulp of 1: the largest relative error of a float64 operation
ROUNDING = 2.0**-53
#: integers up to here are float64 numbers
EXACT = 2.0**53
#: room for the rounding of the bounds themselves: a thousand operations of relative error 2^-52 are
#: far below it
MARGIN = 1.001


@dataclass(frozen=True, eq=False)
class Approximate:
    """Real numbers, each within `error` of a float64 `value`."""

    value: Floats
    error: Floats

    @classmethod
    def of(cls, integers: NDArray[Any] | int) -> Approximate:
        """Round integers of any size to float64."""
        try:
            value = np.asarray(integers).astype(np.float64)
        except OverflowError:  # a Python integer past 10^308
            shape = np.shape(integers)
            return cls(np.zeros(shape), np.full(shape, np.inf))
        return _rounded(value, np.zeros_like(value))

    def __add__(self, other: Any) -> Approximate:
        other = _approximate(other)
        return _rounded(self.value + other.value, self.error + other.error)

    def __mul__(self, other: Any) -> Approximate:
        other = _approximate(other)
        inherited = np.abs(self.value) * other.error + np.abs(other.value) * self.error
        return _rounded(self.value * other.value, inherited + self.error * other.error)

    def __neg__(self) -> Approximate:
        return Approximate(-self.value, self.error)

    def __sub__(self, other: Any) -> Approximate:
        return self + -_approximate(other)

    def __rsub__(self, other: Any) -> Approximate:
        return _approximate(other) + -self

    __radd__ = __add__
    __rmul__ = __mul__

    def quotient(self, denominator: Approximate, root: bool) -> Approximate:
        """Divide by the denominator or its root; the error is infinite where that may be 0."""
        with np.errstate(all="ignore"):
            below, uncertainty = denominator.value, denominator.error
            certain = below > 2 * uncertainty
            if root:  # |sqrt(x) - sqrt(y)| <= |x - y| / sqrt(y), and one rounding more
                below = np.sqrt(below)
                uncertainty = uncertainty / below + ROUNDING * below
            value = self.value / below
            error = (self.error + np.abs(value) * uncertainty) / (below - uncertainty) + ROUNDING * np.abs(value)
        return Approximate(np.where(certain, value, 0.0), np.where(certain, error, np.inf))


def _approximate(x: Any) -> Approximate:
    return x if isinstance(x, Approximate) else Approximate.of(x)


def _rounded(value: Floats, error: Floats) -> Approximate:
    """Add the rounding of the last operation, which is none for integers below 2^53."""
    size = np.abs(value)
    with np.errstate(invalid="ignore"):
        bound = error + np.where((error > 0) | (size > EXACT), ROUNDING * size, 0.0)
    return Approximate(value, np.where(np.isfinite(value), bound, np.inf))


def quotient_sum(terms: Iterable[tuple[Any, Any]], root: bool) -> Approximate:
    """The sum of n / d, or of n / sqrt(d), with an error bound; infinite where a d may be 0."""
    total, *others = (_approximate(n).quotient(_approximate(d), root) for n, d in terms)
    for term in others:
        value = total.value + term.value
        total = Approximate(value, total.error + term.error + ROUNDING * np.abs(value))
    return Approximate(total.value, total.error * MARGIN)


@dataclass(frozen=True)
class Surd:
    """The real number sum of c * sqrt(r) over pairs (c, r) of a rational and a positive integer."""

    parts: tuple[tuple[Fraction, int], ...] = ()

    @classmethod
    def rational(cls, x: Fraction | int) -> Surd:
        """A rational number."""
        return cls(((Fraction(x), 1),) if x else ())

    def __add__(self, other: Surd) -> Surd:
        return Surd(_collected([*self.parts, *other.parts]))

    def __neg__(self) -> Surd:
        return Surd(tuple((-c, r) for c, r in self.parts))

    def __sub__(self, other: Surd) -> Surd:
        return self + -other

    def scaled(self, factor: Fraction) -> Surd:
        """The number times a rational."""
        return Surd(tuple((c * factor, r) for c, r in self.parts)) if factor else Surd()

    def sign(self) -> int:
        """Return -1, 0 or 1: exact."""
        if not self.parts:
            return 0
        bits = 64
        while True:
            low, high = self.enclosed(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2  # ends: the sum is not zero, as no two classes of radicands can cancel

    def enclosed(self, bits: int) -> tuple[Fraction, Fraction]:
        """Two rationals with the number between them, from integer square roots to 2^-bits."""
        low = high = Fraction(0)
        for c, r in self.parts:
            floor = math.isqrt(r << (2 * bits))
            ends = (c * floor, c * (floor + (floor * floor != r << (2 * bits))))
            low, high = low + min(ends), high + max(ends)
        return low / (1 << bits), high / (1 << bits)

    def __float__(self) -> float:
        """The nearest float64."""
        bits = 128
        while True:
            low, high = self.enclosed(bits)
            if float(low) == float(high):  # rounding is monotone: what lies between rounds to the same
                return float(low)
            bits *= 2


def _collected(parts: Sequence[tuple[Fraction, int]]) -> tuple[tuple[Fraction, int], ...]:
    """One part for each class of radicands whose product is a square."""
    classes: dict[int, Fraction] = {}
    for coefficient, radicand in parts:
        for known in classes:
            square = math.isqrt(known * radicand)
            if square * square == known * radicand:  # sqrt(radicand) = square / known * sqrt(known)
                classes[known] += coefficient * Fraction(square, known)
                break
        else:
            classes[radicand] = coefficient
    return tuple((c, r) for r, c in classes.items() if c)


def exact_sum(terms: Iterable[tuple[int, int]], root: bool, undefined: Fraction | None) -> Surd | None:
    """The sum of n / d, or of n / sqrt(d).

    A zero denominator has the value `undefined`, of which each of m terms takes the share 1 / m
    (they are an average); with None there is no value, and none with the root of a negative number.
    """
    total = Surd()
    terms = list(terms)
    for numerator, denominator in terms:
        if root and denominator < 0:
            return None
        if denominator == 0:
            if undefined is None:
                return None
            total += Surd.rational(undefined / len(terms))
        elif root:  # n / sqrt(d) = (n / d) sqrt(d)
            total += Surd(_collected([(Fraction(0), 1), (Fraction(numerator, denominator), denominator)]))
        else:
            total += Surd.rational(Fraction(numerator, denominator))
    return total
