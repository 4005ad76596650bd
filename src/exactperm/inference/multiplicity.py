"""Adjusted p-values for several tests at once.

An adjusted p-value is at most alpha exactly where the procedure rejects at level alpha. With p_(1) <= ... <= p_(m):

============  ========================================================  ================================================
method        adjusted p_(i)                                            controls
============  ========================================================  ================================================
bonferroni    m p_(i)                                                   any false claim, under any dependence
holm          max over j <= i of (m - j + 1) p_(j)                      the same, and is never weaker (Holm 1979)
hochberg      min over j >= i of (m - j + 1) p_(j)                      the same, under positive dependence (1988)
hommel        the closure of Simes' test                                the same, and is never weaker (Hommel 1988)
bh            min over j >= i of m p_(j) / j                            the expected share of false claims, under
                                                                        positive dependence (Benjamini, Hochberg 1995)
by            min over j >= i of m p_(j) (1 + 1/2 + ... + 1/m) / j      the same, under any dependence (2001)
max-t         from joint permutations, not from p-values: see `max_t`   any false claim, see there
============  ========================================================  ================================================

All are made of products with positive factors, minima and maxima, so that they can be taken on logarithms as well:
10^-400 and 10^-500 then stay apart. Cost: a sort; for Hommel's m^2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["JOINT", "METHODS", "adjust", "method_name"]

Floats = NDArray[np.float64]
#: p-values times a factor, however p-values are written
Times = Callable[[Floats, Any], Floats]

#: made from the items themselves, so that p-values alone are not enough
JOINT = "max-t"
METHODS = ("none", "bonferroni", "holm", "hochberg", "hommel", "bh", "by", JOINT)
#: how SciPy, statsmodels and R spell them
_SPELLINGS = {
    "fdr_bh": "bh",
    "fdr_by": "by",
    "fdr": "bh",
    "simes-hochberg": "hochberg",
    "maxt": JOINT,
    "westfall-young": JOINT,
}


def method_name(method: str | None, *, joint: bool = False) -> str:
    """Return the name used here for a method as SciPy, statsmodels or R spell it; None is "none".

    `joint` says whether there are several systems on the same items, which "max-t" needs.
    """
    if method is not None and not isinstance(method, str):
        raise TypeError(f"correction must be a name, not {method!r}")
    name = "none" if method is None else method.lower()
    name = _SPELLINGS.get(name, name)
    if name not in METHODS:
        raise ValueError(f"correction must be one of {', '.join(METHODS)}; not {method!r}")
    if name == JOINT and not joint:
        raise ValueError(
            f"correction={method!r} permutes the outputs of several systems on the same items, which compare has; "
            "from p-values alone use 'holm'"
        )
    return name


def adjust(pvalues: ArrayLike, method: str | None = "holm", *, log: bool = False) -> Floats:
    """Adjust p-values for their number.

    Parameters
    ----------
    pvalues
        One p-value per test, in any order.
    method
        "none", "bonferroni", "holm", "hochberg", "hommel", "bh" or "by"; the names of SciPy, statsmodels and R
        ("fdr_bh", "simes-hochberg", "BH") are understood.
    log
        Whether `pvalues`, and the answer, are natural logarithms.

    Returns
    -------
    The adjusted p-values in the order of `pvalues`: never below them, never above 1.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    name = method_name(method)
    p = np.asarray(pvalues, dtype=np.float64)
    if p.ndim != 1:
        raise ValueError(f"pvalues must be a sequence of numbers, one per test; got shape {p.shape}")
    one = 0.0 if log else 1.0
    low = -np.inf if log else 0.0
    wrong = ~((p >= low) & (p <= one))
    if wrong.any():
        what = "log p-values must be at most 0" if log else "p-values must be between 0 and 1"
        raise ValueError(f"{what}; got {p[wrong][0]} at index {int(wrong.argmax())}")
    if p.size == 0 or name == "none":
        return p.copy()
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(_PROCEDURES[name](p[order], _add_logarithm if log else _multiply), one)
    return np.asarray(
        np.maximum(adjusted, p)
    )  # the last step of Hochberg's and others is p times 1: no rounding below it


def _multiply(p: Floats, factor: Any) -> Floats:
    return np.asarray(p * factor)


def _add_logarithm(p: Floats, factor: Any) -> Floats:
    return np.asarray(p + np.log(factor))


# -- procedures on p-values in increasing order ----------------------------------------------------------------


def _bonferroni(p: Floats, times: Times) -> Floats:
    return times(p, p.size)


def _holm(p: Floats, times: Times) -> Floats:
    return np.maximum.accumulate(times(p, p.size - np.arange(p.size)))


def _hochberg(p: Floats, times: Times) -> Floats:
    return _step_up(times(p, p.size - np.arange(p.size)))


def _benjamini_hochberg(p: Floats, times: Times) -> Floats:
    return _step_up(times(p, p.size / np.arange(1, p.size + 1)))


def _benjamini_yekutieli(p: Floats, times: Times) -> Floats:
    ranks = np.arange(1, p.size + 1)
    return _step_up(times(p, p.size * np.add.reduce(1.0 / ranks) / ranks))


def _hommel(p: Floats, times: Times) -> Floats:
    """The largest of Simes' p-values of all subsets that hold the test (Wright 1992).

    Of the subsets of one size that hold test i the largest p-value is that of i with the largest others: the smaller of
    size p_i and `largest`. Where i is one of those, a smaller subset has a p-value at least as large.
    """
    m = p.size
    adjusted: Floats = np.maximum(p, times(p, m / np.arange(1, m + 1)).min())
    for size in range(m - 1, 1, -1):
        largest = times(p[m - size + 1 :], size / np.arange(2, size + 1)).min()
        np.maximum(adjusted, np.minimum(times(p, size), largest), out=adjusted)
    return adjusted


def _step_up(products: Floats) -> Floats:
    return np.asarray(np.minimum.accumulate(products[::-1])[::-1])


_PROCEDURES: dict[str, Callable[[Floats, Times], Floats]] = {
    "bonferroni": _bonferroni,
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "bh": _benjamini_hochberg,
    "by": _benjamini_yekutieli,
}
