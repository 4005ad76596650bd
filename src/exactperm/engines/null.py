"""The whole null law in one dimension: one inverse Fourier transform over the circle of all its points.

On span + 1 points nothing wraps around, so with the characteristic function phi_k the law is the inverse transform of
phi_k / (span + 1). Only the live frequencies are evaluated; the rest are below 1e-20 (see `support`).
Cost: the transform, span log span. Accuracy: 1e-15 absolute, a few roundings of numbers below one.

On a logarithmic scale that leaves nothing beyond eight standard deviations. `log_null_law` puts several such laws
together, each tilted to another threshold (see `tilt`) and each used where its own probabilities are the largest.
Cost: a transform for every three or four standard deviations. Accuracy: 1e-12 relative, as long as the law has no
valleys. No tilt lifts a valley: points in one deeper than 1e-12 of what lies on both sides are left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.characteristic import characteristic
from exactperm.engines.fourier import LIMIT, LOG_CUT
from exactperm.engines.support import Circle, live_frequencies
from exactperm.engines.tilt import Coins, Floats, Tilt
from exactperm.lattice import Lattice

__all__ = ["log_null_law", "null_law", "obstacle"]

#: a tilted law is good as far as its probabilities are at least this, relative to the largest; the next starts there
REACH = 1e-3
#: tilted probabilities below this, relative to the largest, are rounding: there is no such point
NOISE = 1e-12


def null_law(lattice: Lattice, most_points: int) -> tuple[NDArray[np.int64], Floats]:
    """All points (n, r) of a lattice of rank 0 or 1 that can occur, and their probabilities."""
    if reason := obstacle(lattice, most_points):
        raise ValueError(reason)
    if lattice.rank == 0:
        return np.zeros((1, 0), dtype=np.int64), np.ones(1)
    probabilities = _transform(lattice)
    return np.arange(len(probabilities))[:, None], probabilities


def obstacle(lattice: Lattice, most_points: int) -> str | None:
    """Why the law of a lattice is not tabulated; None if it can be."""
    if lattice.rank == 0:
        return None
    if lattice.rank > 1:
        return f"the null law lives in {lattice.rank} dimensions; only laws in one dimension are tabulated"
    if lattice.rounding:
        return "the scores lie on no grid and were rounded; only exact laws are tabulated"
    if lattice.steps.dtype.kind not in "iu" or lattice.span[0] >= most_points:
        points = f"{lattice.span[0] + 1:.3g}" if lattice.steps.dtype.kind in "iuO" else "2^(effects)"
        return f"the null law has up to {points} points; at most {most_points:.0e} are tabulated"
    return None


def log_null_law(lattice: Lattice, most_points: int, farthest: int) -> tuple[NDArray[np.int64], Floats]:
    """The points of a lattice and the logarithms of their probabilities, to full relative accuracy.

    Parameters
    ----------
    lattice, most_points
        As for `null_law`.
    farthest
        A point in the upper half. The law is made up to there and to its mirror image; beyond, points may be missing.
    """
    if lattice.rank == 0 or lattice.n == 1:
        points, probabilities = null_law(lattice, most_points)
        return points, np.log(probabilities)
    if reason := obstacle(lattice, most_points):
        raise ValueError(reason)
    span = lattice.span[0]
    points, threshold = np.arange(span + 1), -(-span // 2)
    largest, log_law = np.zeros(span + 1), np.full(span + 1, -np.inf)
    while True:
        tilt, tilted = _tilted(lattice, threshold)
        better = tilted > np.maximum(largest, NOISE * tilted.max())
        largest[better] = tilted[better]
        exponent = tilt.exponent[0] - tilt.tau[0] * (points[better] - threshold)
        log_law[better] = np.log(tilted[better]) + exponent
        if threshold >= min(farthest, span - 1):
            break
        reached = int(np.flatnonzero(tilted >= REACH * tilted.max())[-1])
        threshold = min(max(threshold + 1, reached), span - 1)
    log_law[: span // 2] = log_law[::-1][: span // 2]  # the law is symmetric
    return points[:, None], log_law


def _transform(lattice: Lattice) -> Floats:
    span = lattice.span[0]
    if lattice.n == 1:
        return np.array([0.5, 0.5])
    middle = -(-span // 2)
    tilt, tilted = _tilted(lattice, middle)
    # the middle may be half a step off the mean, and the coins then tilted by a hair: undo it
    from_middle = np.arange(span + 1) - middle
    law = tilted * np.exp(tilt.exponent[0] - tilt.tau[0] * from_middle)
    return np.asarray(np.maximum((law + law[::-1]) / 2, 0.0))


def _tilted(lattice: Lattice, threshold: int) -> tuple[Tilt, Floats]:
    """The coins tilted to a threshold, and the law of all points under that tilt."""
    span = lattice.span[0]
    coins = Coins.of([(lattice.steps[:, 0], lattice.counts)], [threshold])
    tilt = Tilt.to_thresholds(coins)
    circle = Circle.of(coins, np.array([span + 1]))
    live = live_frequencies(coins, tilt, circle, -LOG_CUT, LIMIT)
    if live is None:  # at most LIMIT points are tabulated, so this cannot be for lack of room
        live = np.zeros((span + 1) // 2 + 1, dtype=np.intp), np.arange((span + 1) // 2 + 1)
    log_modulus, phase, _ = characteristic(coins, tilt, circle, *live)
    spectrum = np.zeros((span + 1) // 2 + 1, dtype=np.complex128)
    spectrum[live[1]] = np.exp(log_modulus - 1j * phase)
    return tilt, np.roll(np.fft.irfft(spectrum, span + 1), threshold)
