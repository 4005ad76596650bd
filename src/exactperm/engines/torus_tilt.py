"""The tilted law of a vector of coins: cumulants and Chernoff bounds.

X = sum_n b_n y_n with fair coins b_n and steps y_n in Z^r, c = span / 2 its centre of symmetry.
Tilting by tau makes the coins fall with probability p_j = 1 / (1 + exp(-tau . y_j)) and turns the
law into

    P(X = x) = exp(L(tau) - tau . (x - c)) P_tau(X = x),
    L(tau) = sum_j c_j log cosh(tau . y_j / 2),

an identity for every tau (Cramer 1938; Daniels 1954). A poor tau costs digits, never correctness;
`torus_point` finds a good one.

All exponents are measured from the centre, so that nothing of the size of span . tau is ever
subtracted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from exactperm.lattice import Lattice

__all__ = ["LOG_TINY", "SATURATED", "TiltedCoins", "Window", "fits"]

Window = tuple[tuple[int, int], ...]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: the mass, relative to the tilted law, that a window may leave outside; whatever it leaves is in
#: the bound
LOG_TINY = math.log(1e-18)
#: significant bits of a tilt, so few that its products with steps and points are exact in float64
TILT_BITS = 22
#: the largest step and the largest range of a coordinate for which they are
WIDEST = 2**30
#: beyond this a coin is certain to within 10^-17, and a larger tilt changes nothing
SATURATED = 40.0
#: added to evaluated cumulants, whose rounding is far below it, so that Chernoff bounds stay bounds
SLACK = 1e-6


@dataclass(frozen=True, eq=False)
class TiltedCoins:
    """X = sum of coin times step, the coins tilted by tau.

    Attributes
    ----------
    steps, counts
        As in `Lattice`, in int64.
    tilt
        (r,) tau, of at most TILT_BITS bits: any tau is good, and with one so short tau . y and tau
        . x are exact, so that all weights belong to one and the same tilt.
    """

    steps: Integers
    counts: Integers
    tilt: Floats

    @classmethod
    def of(cls, lattice: Lattice, tilt: Floats | None = None) -> TiltedCoins:
        """Tilt the coins of a lattice, the tilt rounded to few bits; fair ones without a tilt."""
        tau = np.zeros(lattice.rank) if tilt is None else np.asarray(tilt, dtype=np.float64)
        return cls(lattice.steps, lattice.counts, _rounded(tau))

    def fair(self) -> TiltedCoins:
        """The same coins without a tilt."""
        return TiltedCoins(self.steps, self.counts, np.zeros_like(self.tilt))

    @property
    def rank(self) -> int:
        """The number of dimensions r."""
        return int(self.steps.shape[1])

    @cached_property
    def half(self) -> Floats:
        """(D,) tau . y_j / 2."""
        return np.asarray((self.steps * self.tilt).sum(axis=1)) / 2

    @cached_property
    def tanh(self) -> Floats:
        """(D,) p_j - q_j = tanh(tau . y_j / 2)."""
        return np.tanh(self.half)

    @cached_property
    def sech2(self) -> Floats:
        """(D,) 4 p_j q_j = sech(tau . y_j / 2)^2, accurate however certain the coin."""
        decay = np.exp(-2 * np.abs(self.half))
        return np.asarray(4 * decay / (1 + decay) ** 2)

    @cached_property
    def low(self) -> tuple[int, ...]:
        """The smallest value of each coordinate that the law can take."""
        return tuple(int(x) for x in self.counts @ np.minimum(self.steps, 0))

    @cached_property
    def high(self) -> tuple[int, ...]:
        """The largest value of each coordinate."""
        return tuple(int(x) for x in self.counts @ np.maximum(self.steps, 0))

    @cached_property
    def span(self) -> tuple[int, ...]:
        """The sum of all steps, twice the centre of the fair law."""
        return tuple(a + b for a, b in zip(self.low, self.high, strict=True))

    @cached_property
    def offset(self) -> Floats:
        """(r,) the tilted mean minus the centre, grad L(tau)."""
        terms = (self.counts * self.tanh)[:, None] * self.steps
        return np.array([math.fsum(column) / 2 for column in terms.T])

    @cached_property
    def covariance(self) -> Floats:
        """(r, r) the tilted covariance, the Hessian of L(tau)."""
        weight = self.counts * self.sech2 / 4
        return np.asarray((self.steps * weight[:, None]).T @ self.steps)

    @cached_property
    def reference(self) -> tuple[int, ...]:
        """(r,) an integer point next to the tilted mean, from which exponents are measured."""
        mean = [x + s / 2 for x, s in zip(self.offset.tolist(), self.span, strict=True)]
        bounds = zip(mean, self.low, self.high, strict=True)
        return tuple(min(max(round(x), a), b) for x, a, b in bounds)

    @cached_property
    def excess(self) -> tuple[Floats, Floats]:
        """(r,) the tilted mean minus the reference, and a bound of its error.

        Twice the mean is the span plus sum c y tanh. A coin that is nearly sure enters as an exact
        integer and the little that it lacks, so that nothing is left to round when all of them are.
        """
        sure = np.abs(self.half) > 0.5
        decay = np.exp(-2 * np.abs(self.half))
        sign = np.sign(self.half).astype(np.int64)
        lack = -2 * sign * (decay / (1 + decay))
        rounded = (self.counts * np.where(sure, lack, self.tanh))[:, None] * self.steps
        exact = (self.counts * np.where(sure, sign, 0)) @ self.steps
        both = zip(exact.tolist(), self.span, self.reference, strict=True)
        away = [e + s - 2 * r for e, s, r in both]
        mean = [(a + math.fsum(x)) / 2 for a, x in zip(away, rounded.T.tolist(), strict=True)]
        return np.array(mean), 2.0**-52 * (8 * np.abs(rounded).sum(axis=0) + np.abs(mean))

    @cached_property
    def level(self) -> float:
        """tau . (m - reference) to the bits of the tilt: weights exp(level - tau . (x - reference)).

        So they are one next to the plane through the tilted mean, however steep the tilt, and their
        exponents are exact.
        """
        unit = _unit(self.tilt)
        return round(math.fsum((self.tilt * self.excess[0]).tolist()) / unit) * unit

    @cached_property
    def exponent(self) -> tuple[float, float]:
        """L(tau) - tau . (reference - c) - level, and a bound of its rounding error.

        L(tau) - tau . (m - c) is minus the sum of the coins' divergences from fair ones, all of one
        sign, and what is left is tau times what the level was rounded by: nothing cancels.
        """
        divergence = math.fsum((self.counts * _divergence(np.abs(self.half))).tolist())
        excess, inexact = self.excess
        rest = math.fsum([*(self.tilt * excess).tolist(), -self.level])
        # a divergence is within 64 ulp of itself, in either of its forms
        error = 64 * divergence + 4 * float(np.abs(self.tilt * excess).sum())
        return rest - divergence, 2.0**-52 * error + float(np.abs(self.tilt) @ inexact)

    def cumulant(self, axis: int, shifts: Floats) -> Floats:
        """Log E exp(s (X_axis - reference_axis)) for each s in `shifts`, rounded up."""
        step, counts = self.steps[:, axis].astype(np.float64), self.counts.astype(np.float64)
        up, down = -np.logaddexp(0, -2 * self.half), -np.logaddexp(0, 2 * self.half)
        logs = np.logaddexp(down, up + shifts[:, None] * step)
        total = np.einsum("ij,j->i", logs, counts) - shifts * self.reference[axis]
        size = np.einsum("ij,j->i", np.abs(logs), counts) + np.abs(shifts * self.reference[axis])
        return np.asarray(total + SLACK + 2.0**-50 * (8 + len(step)) * size)

    def _shifts(self, axis: int) -> Floats:
        """The tilts, on top of tau, at which a Chernoff bound of one coordinate is evaluated."""
        deviation = math.sqrt(max(float(self.covariance[axis, axis]), 1e-30))
        steepest = 2 * SATURATED / float(np.abs(self.steps[:, axis]).max())
        return np.geomspace(0.25 / deviation, max(40 / deviation, 2 * steepest), 40)

    @cached_property
    def _bounds(self) -> list[tuple[Floats, Floats, Floats]]:
        """Per coordinate: the shifts s > 0 with the cumulants at s and at -s."""
        found = []
        for axis in range(self.rank):
            s = self._shifts(axis)
            both = self.cumulant(axis, np.concatenate([s, -s]))
            found.append((s, both[: len(s)], both[len(s) :]))
        return found

    def window(self, axis: int, log_mass: float) -> tuple[int, int]:
        """Integers a, b such that the masses under a and over b are each at most exp(log_mass).

        Chernoff: P(X >= b) <= exp(K(s) - s b) for every s > 0, so each s of a grid gives a valid b;
        take the best.
        """
        s, above, below = self._bounds[axis]
        reach_up = math.ceil(float(((above - log_mass) / s).min())) - 1
        reach_down = math.ceil(float(((below - log_mass) / s).min())) - 1
        reference = self.reference[axis]
        low = max(reference - max(reach_down, 0), self.low[axis])
        return low, min(reference + max(reach_up, 0), self.high[axis])

    def box(self, log_mass: float, inner: Window = ()) -> Window:
        """The window of every coordinate, widened where needed to contain those of `inner`."""
        box = [self.window(axis, log_mass) for axis in range(self.rank)]
        for axis, (low, high) in enumerate(inner):
            box[axis] = min(box[axis][0], low), max(box[axis][1], high)
        return tuple(box)

    def log_mass_outside(self, window: Window) -> float:
        """Bound log P(some coordinate is outside its window)."""
        total = -math.inf
        for axis, (low, high) in enumerate(window):
            if low > self.low[axis]:
                total = float(np.logaddexp(total, self.log_mass_below(axis, low - 1)))
            if high < self.high[axis]:
                total = float(np.logaddexp(total, self.log_mass_above(axis, high + 1)))
        return total

    def log_mass_beyond(self, axis: int, points: Integers) -> Floats:
        """Bounds of log P(X_axis = x) for each x."""
        return np.minimum(self.log_mass_below(axis, points), self.log_mass_above(axis, points))

    def log_mass_below(self, axis: int, points: Integers | int) -> Floats:
        """Bounds of log P(X_axis <= x) for each x."""
        s, _, below = self._bounds[axis]
        return self._log_tail(s, below, self.reference[axis] - np.asarray(points))

    def log_mass_above(self, axis: int, points: Integers | int) -> Floats:
        """Bounds of log P(X_axis >= x) for each x."""
        s, above, _ = self._bounds[axis]
        return self._log_tail(s, above, np.asarray(points) - self.reference[axis])

    @staticmethod
    def _log_tail(s: Floats, cumulants: Floats, distance: Integers) -> Floats:
        best = np.zeros(distance.shape)
        for shift, cumulant in zip(s.tolist(), cumulants.tolist(), strict=True):
            np.minimum(best, cumulant - shift * distance, out=best)
        return best


def fits(lattice: Lattice) -> bool:
    """Tell whether steps and ranges are small enough for exact products with a tilt."""
    return bool((lattice.counts @ np.abs(lattice.steps.astype(np.float64)) < WIDEST).all())


def _rounded(tilt: Floats) -> Floats:
    """A tilt as integer multiples, below 2^TILT_BITS, of one power of two."""
    return np.asarray(np.rint(tilt / _unit(tilt)) * _unit(tilt))


def _unit(tilt: Floats) -> float:
    """The power of two of which a tilt of few bits holds multiples."""
    return math.ldexp(1.0, math.frexp(float(np.abs(tilt).max(initial=0.0)))[1] - TILT_BITS)


def _divergence(x: Floats) -> Floats:
    """The divergence of a coin with p - q = tanh x, x >= 0, from a fair one."""
    decay = np.exp(-2 * x)
    tanh = np.tanh(x)
    near = x * tanh + 0.5 * np.log1p(-np.minimum(tanh * tanh, 0.9))
    far = math.log(2) - np.log1p(decay) - 2 * x * decay / (1 + decay)
    return np.asarray(np.where(x < 0.5, near, far))
