"""Majorant and minorant of a one-sided exponential, integrated against a tilted law.

Wanted is E g(S - s), g(x) = exp(-theta x) for x >= 0, else 0. Put S on a circle of length P = alpha + beta with
S - s in [-alpha, beta) but for a mass bounded by Chernoff. There g is the mean of the indicators of [0, Y),
Y = min(Exp(theta), beta). With psi(x) = x - floor(x) - 1/2 the indicator of [0, y) is y/P - psi(u) + psi(u - y/P),
and Vaaler's polynomial V of degree K satisfies |psi - V| <= Fejer kernel / (2K + 2) (Vaaler 1985, theorem 18; Selberg):

    V(u) = 1/(K+1) sum_{k=1..K} f(k/(K+1)) sin 2 pi k u,    f(x) = -(1 - x) cot(pi x) - 1/pi
    e_k = E exp(-i w_k Y) = theta/(theta + i w_k) (1 - exp(-(theta + i w_k) beta)) + exp(-(theta + i w_k) beta)
    c_k = E exp(i w_k (S - s)),    w_k = 2 pi k / P
    mid  = E Y / P + 1/(K+1) sum f(k/(K+1)) Im[c_k (e_k - 1)]
    half = [1 + sum (1 - k/(K+1)) Re(c_k (1 + e_k))] / (K + 1)

and mid - half <= E g <= mid + half. Beyond the theorem the bounds carry: the mass outside, the frequencies that were
left out (|f(x)| <= 1/(pi x)), the rounding of the sums, and a shift of the threshold outward by all that the weights
lost on the way to the circle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.bracket_frequencies import Search, Signs
from exactperm.engines.bracket_tilt import Tilted

__all__ = ["Expectation", "expectation"]

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

EPSILON = 2.0**-52
#: shares of the tolerance: frequencies left out, and mass outside the circle
LEFT_OUT, OUTSIDE = 0.04, 0.01
#: how often in a row a higher degree may fail to help
PATIENCE = 2
#: the first degree tried, and the highest there can be
FIRST, HIGHEST = 1 << 13, 1 << 40


@dataclass(frozen=True)
class Expectation:
    """Bounds of log E g(S - s); the thresholds for which they hold lie within `moved` of s."""

    log_low: float
    log_high: float
    degree: int
    moved: float


@dataclass(frozen=True)
class WrappedLaw:
    """The tilted law on a circle of length P, the threshold s at zero."""

    tilted: Tilted
    length: float  # P
    beta_1024: int  # beta in 1024ths of P, so that its multiples are reduced exactly
    mass: float  # what lies outside, at most
    moved: float

    @classmethod
    def around(cls, tilted: Tilted, outward: float, mass: float) -> WrappedLaw:
        """As short a circle as leaves no more than `mass` outside."""
        below = tilted.reach(math.log(mass / 2.0), -1) + 4.0 * outward
        above = tilted.reach(math.log(mass / 2.0), 1) + 4.0 * outward
        # a hundredth of room, for rounding and so that beta can be a multiple of P / 1024
        length = max(1.01 * (below + above), 2.5)
        beta = math.ceil(1024.0 * (above / length + 0.004))
        # each weight, and s, is rounded to 2^-64 of the circle and by its scaling: 2^-51 of itself
        rounding = (tilted.n + 1.0) * length * 2.0**-64 + 2.0**-51 * (tilted.span + tilted.s)
        return cls(tilted, length, beta, mass, 1.01 * (outward + rounding))

    @property
    def signs(self) -> Signs:
        """The signs on this circle."""
        tilted = self.tilted
        turns = np.rint(tilted.weights * (2.0**64 / self.length)).astype(np.uint64)
        return Signs.ordered(turns, tilted.tanh, tilted.sech2, tilted.counts)

    @property
    def mean_length(self) -> float:
        """E Y / P."""
        theta, beta = self.tilted.theta, self.beta_1024 / 1024.0
        if theta == 0.0:
            return beta
        return -math.expm1(-theta * self.length * beta) / (theta * self.length)

    def at_threshold(self, k: NDArray[np.uint64], value: Complex) -> Complex:
        """c_k from the values of the characteristic function; the phase k s / P is reduced exactly."""
        s = np.uint64(round(self.tilted.s * (2.0**64 / self.length)) % 2**64)
        return np.asarray(value * np.exp(-1j * _angle(k * s)))

    def ends(self, k: NDArray[np.uint64]) -> Complex:
        """e_k."""
        theta, w = self.tilted.theta, (2.0 * math.pi / self.length) * k.astype(np.float64)
        turn = _angle(k * np.uint64((self.beta_1024 << 54) % 2**64))
        last = math.exp(-theta * self.length * self.beta_1024 / 1024.0) * np.exp(-1j * turn)
        ratio = theta / (theta + 1j * w)
        return np.asarray(ratio * (1.0 - last) + last)


def expectation(tilted: Tilted, outward: float, tolerance: float, budget: float) -> Expectation:
    """Bracket E g(S - s) for a threshold known up to `outward`, to a relative half-width, or as far as it goes.

    The degree is raised as the half-width reached asks for. Where that does not help (there is an atom at the
    threshold) or the budget is spent, the last bracket stands.
    """
    # E g is about 1 / (2 + sqrt(2 pi) theta sigma), exactly so at both ends for a normal law
    wanted = tolerance / (2.0 + math.sqrt(2.0 * math.pi) * tilted.theta * tilted.sigma)
    circle = WrappedLaw.around(tilted, outward, OUTSIDE * wanted)
    search = Search(circle.signs, LEFT_OUT * wanted / _weight_of_all(HIGHEST), budget)
    degree, best, patience = FIRST, Expectation(-math.inf, 0.0, 0, circle.moved), PATIENCE
    while True:
        reached, k, value = search.up_to(degree)
        low, high = _bounds(circle, search.cut, reached, k, value)
        before, best = best, Expectation(_log(low), _log(high), reached, circle.moved)
        ratio = (high - low) / (tolerance * max(high + low, 1e-300))
        if ratio <= 1.0 or reached < degree or degree >= HIGHEST:
            return best
        patience = PATIENCE if _helped(before, best) else patience - 1
        if not patience:
            return best
        most = 16.0 if patience == PATIENCE else 4.0
        degree = min(math.ceil(degree * min(max(1.1 * ratio, 2.0), most)), HIGHEST)


def _helped(before: Expectation, after: Expectation) -> bool:
    """Was the bracket narrowed by a third at least, as a degree twice as high should?"""
    return math.exp(after.log_high) - math.exp(after.log_low) < 0.67 * (
        math.exp(before.log_high) - math.exp(before.log_low)
    )


def _weight_of_all(degree: int) -> float:
    """The most that frequencies 1 to `degree`, each of modulus one, add to |mid| + half."""
    return 2.0 / math.pi * (1.0 + math.log(degree)) + 1.0


def _bounds(circle: WrappedLaw, cut: float, degree: int, k: NDArray[np.uint64], value: Complex) -> tuple[float, float]:
    """Lower bound at the threshold moved up, upper bound at the threshold moved down."""
    centred, ends = circle.at_threshold(k, value), circle.ends(k)
    x = k.astype(np.float64) / (degree + 1.0)
    f = -(1.0 - x) / np.tan(math.pi * x) - 1.0 / math.pi
    shift = np.exp((2j * math.pi * circle.moved / circle.length) * k.astype(np.float64))
    # Rounding. A factor's angle is within 2 pi eps, its sine and cosine within 4 ulp: 16 eps for each of n factors,
    # all of modulus at most one, as many again for the powers; c_k, e_k and f add a relative 64 eps.
    each = EPSILON * (32.0 * circle.tilted.n + 64.0 + math.log2(len(k) + 1.0))
    slack = (cut + each) * _weight_of_all(degree) + circle.mass + 8.0 * EPSILON
    middle, half = np.empty(2), np.empty(2)
    for i, c in enumerate((centred / shift, centred * shift)):
        middle[i] = circle.mean_length + np.add.reduce(f * (c * (ends - 1.0)).imag) / (degree + 1.0)
        half[i] = (1.0 + np.add.reduce((1.0 - x) * (c * (1.0 + ends)).real)) / (degree + 1.0)
    return max(float(middle[0] - half[0]) - slack, 0.0), min(float(middle[1] + half[1]) + slack, 1.0)


def _angle(turns: NDArray[np.uint64]) -> Floats:
    return np.asarray(turns.view(np.int64) * (math.pi / 2.0**63))


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf
