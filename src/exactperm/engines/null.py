"""The whole null law in one dimension: one inverse Fourier transform over the circle of all its points.

On span + 1 points nothing wraps around, so with the characteristic function phi_k the law is the inverse transform of
phi_k / (span + 1). Only the live frequencies are evaluated; the rest are below 1e-20 (see `support`).
Cost: the transform, span log span. Accuracy: 1e-15 absolute, a few roundings of numbers below one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.characteristic import characteristic
from exactperm.engines.fourier import LIMIT, LOG_CUT
from exactperm.engines.support import Circle, live_frequencies
from exactperm.engines.tilt import Coins, Floats, Tilt
from exactperm.lattice import Lattice

__all__ = ["null_law"]


def null_law(lattice: Lattice, most_points: int) -> tuple[NDArray[np.int64], Floats]:
    """All points (n, r) of a lattice of rank 0 or 1 that can occur, and their probabilities."""
    if lattice.rank == 0:
        return np.zeros((1, 0), dtype=np.int64), np.ones(1)
    if lattice.rank > 1:
        raise ValueError(f"the null law lives in {lattice.rank} dimensions; only laws in one dimension are tabulated")
    if lattice.rounding:
        raise ValueError("the scores lie on no grid and were rounded; only exact laws are tabulated")
    if lattice.steps.dtype.kind not in "iu" or lattice.span[0] >= most_points:
        points = f"{lattice.span[0] + 1:.3g}" if lattice.steps.dtype.kind in "iuO" else "2^(effects)"
        raise ValueError(f"the null law has up to {points} points; at most {most_points:.0e} are tabulated")
    probabilities = _transform(lattice)
    return np.arange(len(probabilities))[:, None], probabilities


def _transform(lattice: Lattice) -> Floats:
    span = lattice.span[0]
    if lattice.n == 1:
        return np.array([0.5, 0.5])
    middle = -(-span // 2)
    coins = Coins.of([(lattice.steps[:, 0], lattice.counts)], [middle])
    tilt = Tilt.to_thresholds(coins)
    circle = Circle.of(coins, np.array([span + 1]))
    live = live_frequencies(coins, tilt, circle, -LOG_CUT, LIMIT)
    if live is None:  # at most LIMIT points are tabulated, so this cannot be for lack of room
        live = np.zeros((span + 1) // 2 + 1, dtype=np.intp), np.arange((span + 1) // 2 + 1)
    log_modulus, phase, _ = characteristic(coins, tilt, circle, *live)
    spectrum = np.zeros((span + 1) // 2 + 1, dtype=np.complex128)
    spectrum[live[1]] = np.exp(log_modulus - 1j * phase)
    tilted = np.roll(np.fft.irfft(spectrum, span + 1), middle)
    # the middle may be half a step off the mean, and the coins then tilted by a hair: undo it
    from_middle = np.arange(span + 1) - middle
    law = tilted * np.exp(tilt.exponent[0] - tilt.tau[0] * from_middle)
    return np.asarray(np.maximum((law + law[::-1]) / 2, 0.0))
