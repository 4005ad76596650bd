"""Bias-corrected and accelerated bootstrap intervals: which quantiles of the bootstrap law to take (Efron 1987).

    level' = Phi(z0 + (z0 + z) / (1 - a (z0 + z))),      z = Phi^-1(level),

with z0 = Phi^-1 of the share of the bootstrap law below the estimate, ties by half as in SciPy, and the acceleration a
from the skewness of the jackknife values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["acceleration", "bias", "corrected"]

Floats = NDArray[np.float64]


def bias(below: float) -> float:
    """z0 from the share of the bootstrap law below the estimate, half of what equals it included."""
    from scipy.special import ndtri

    if not 0 < below < 1:
        raise ValueError(
            "no BCa interval is defined: the estimate lies beyond all of its bootstrap law; use method='percentile'"
        )
    return float(ndtri(below))


def acceleration(values: Floats, counts: NDArray[np.int64]) -> float:
    """From what is left when one group is left out: the values, and how many groups give each."""
    with np.errstate(all="ignore"):
        away = np.average(values, weights=counts) - values
        skewness = (counts * away**3).sum() / (6 * (counts * away**2).sum() ** 1.5)
    if not np.isfinite(skewness):
        raise ValueError(
            "no BCa interval is defined: the statistic is the same whichever item is left out; use method='percentile'"
        )
    return float(skewness)


def corrected(level: float, z0: float, a: float) -> float:
    """The level of the quantile to take for a nominal one."""
    from scipy.special import ndtr, ndtri

    z = z0 + float(ndtri(level))
    if 1 - a * z <= 0:
        raise ValueError(f"no BCa interval is defined: the acceleration {a:.3g} is too large; use method='percentile'")
    return float(ndtr(z0 + z / (1 - a * z)))
