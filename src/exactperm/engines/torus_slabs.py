"""The tilted sum over a region of any shape.

The tilted law on the window is the discrete Fourier transform of the live frequencies. The last
stage of the transform is done slab by slab along the first coordinate, the region's predicate is
asked at every point of the slab that can count, and

    sum of exp(level - tau . (x - reference)) P_tau(X = x)

is taken where it says yes. Cost: points of the window x (predicate + log of the window); memory:
one slab, and the live frequencies of the last coordinate on the window of the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import CannotAnswer
from exactperm.engines.torus_support import EPS, Estimate, Support, live_support, phases, shaped, transform_error
from exactperm.engines.torus_tilt import LOG_TINY, TiltedCoins, Window
from exactperm.region import Region

__all__ = ["MOST_POINTS", "slab_sum"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: points of the window of one problem
MOST_POINTS = 3 * 10**7
#: points of one slab
BLOCK = 1 << 18
#: terms of one inner sum, so that rounding does not grow with the number of points
CHUNK = 64


def slab_sum(coins: TiltedCoins, region: Region) -> Estimate:
    """Sum exp(level - tau . (x - reference)) P_tau(X = x) over a region.

    Nothing is known of the region outside the window, so it is one that the *fair* law leaves with
    a probability that is small compared with the answer, and the tilted law too.
    """
    fair, exponent = coins.fair(), coins.exponent[0]
    wide = fair.box(LOG_TINY + exponent)
    window = coins.box(LOG_TINY, wide)
    if math.prod(b - a + 1 for a, b in window) > MOST_POINTS:
        raise CannotAnswer(
            f"more than {MOST_POINTS} points of the lattice count: too many for method='fourier'; "
            "use method='monte-carlo' or 'control-variate'"
        )
    support = live_support(coins, window)
    total = _Total()
    for first, law in _law(coins, support, window):
        total.add(coins, region, ((first, first + len(law) - 1), *window[1:]), law)
    missed = float(np.exp(fair.log_mass_outside(wide) - exponent))
    folded = total.largest * float(np.exp(coins.log_mass_outside(window)))
    # Cauchy and Schwarz: sum of weight x error over the region
    inexact = math.sqrt(total.squares) * _law_error(support)
    error = inexact + total.rounding + total.skipped + folded + missed
    # parts that overflowed have no sum, and `fsum` raises
    value = math.fsum(total.parts) if math.isfinite(error) else math.nan
    return Estimate(value, error * (1 + 1e-6))


def _law_error(support: Support) -> float:
    """A bound of the root of the sum of squared errors of P_tau(X = x) over the torus.

    In this norm the transform is an isometry but for a factor (Parseval), so errors of phi and
    frequencies left out pass unchanged.
    """
    norm = math.sqrt(float(support.multiplicity @ np.abs(support.phi) ** 2))
    inherited = math.sqrt(float(support.multiplicity @ support.error**2))
    rounding = norm * (transform_error(support.periods) + 16 * EPS)
    return (rounding + inherited + support.dropped) / math.sqrt(support.volume)


class _Total:
    """The running sum over the slabs, with what its error bound needs."""

    def __init__(self) -> None:
        self.parts: list[float] = []
        self.squares = self.largest = self.rounding = self.skipped = 0.0

    def add(self, coins: TiltedCoins, region: Region, window: Window, law: Floats) -> None:
        """Add the points of one slab that lie in the region."""
        points = _relevant_points(coins, window)
        inside = region.contains(points.coordinates)
        weight = np.exp(points.log_weight[inside])
        terms = weight * law.ravel()[points.index[inside]]
        self.parts += _partial_sums(terms)
        self.rounding += EPS * (16 + CHUNK) * float(np.abs(terms).sum())
        self.squares += float((weight * weight).sum())
        self.largest = max(self.largest, float(weight.max(initial=0.0)))
        self.skipped += points.skipped


@dataclass(frozen=True, eq=False)
class _Points:
    """The points of a slab that can count: flat indices, coordinates and exact log weights."""

    index: Integers
    coordinates: Integers
    log_weight: Floats
    skipped: float


def _relevant_points(coins: TiltedCoins, window: Window) -> _Points:
    """Leave out points at which weight x P_tau(X_i = x_i), whatever i, is negligible."""
    r = len(window)
    axes = [np.arange(low, high + 1) for low, high in window]
    log_weight, mass = np.full((1,) * r, coins.level), np.zeros((1,) * r)
    for axis, x in enumerate(axes):
        log_weight = log_weight - shaped(coins.tilt[axis] * (x - coins.reference[axis]), axis, r)
        mass = np.minimum(mass, shaped(coins.log_mass_beyond(axis, x), axis, r))
    bound = (log_weight + mass).ravel()
    keep = bound > LOG_TINY - math.log(MOST_POINTS)
    index = np.flatnonzero(keep)
    places = np.unravel_index(index, log_weight.shape)
    points = np.stack([x[i] for x, i in zip(axes, places, strict=True)], axis=1)
    skipped = float(np.exp(bound[~keep]).sum())
    return _Points(index, points, log_weight.ravel()[index], skipped)


def _partial_sums(terms: Floats) -> list[float]:
    """Sums of at most CHUNK terms each, so that their rounding is bounded by that number."""
    if not len(terms):
        return []
    sums: list[float] = np.add.reduceat(terms, np.arange(0, len(terms), CHUNK)).tolist()
    return sums


def _law(coins: TiltedCoins, support: Support, window: Window) -> Iterator[tuple[int, Floats]]:
    """P_tau(X = x) on the window, in slabs along the first coordinate, each with its start."""
    k, periods, phi = support.k, support.periods, support.phi
    for axis, (low, _) in enumerate(window):  # move the origin to the corner of the window
        phi = phi * phases(k[:, axis] * (2 * low - coins.span[axis]), periods[axis])
    half = np.zeros((*periods[:-1], int(k[:, -1].max()) + 1), dtype=np.complex128)
    half[tuple((k % periods).T)] = np.conj(phi)
    for axis in range(coins.rank - 1):
        half = np.fft.ifft(half, axis=axis, norm="forward")
    inside = tuple(slice(high - low + 1) for low, high in window)
    half = half[inside[:-1]]
    rows = max(BLOCK // math.prod(periods[1:]), 1)
    for start in range(0, len(half), rows):
        law = np.fft.irfft(half[start : start + rows], periods[-1], norm="forward")
        yield window[0][0] + start, law[..., inside[-1]] / support.volume
