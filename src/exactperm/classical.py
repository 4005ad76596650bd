"""Wilcoxon's signed-rank test, the sign test and McNemar's test, exact at every size, with ties and zeros.

All three are paired-permutation tests of integers: the effect of a pair is twice its signed rank, or one with a sign.
They become `Effects` and go to the exact engines; there are no numerics here. Arguments and statistics follow scipy
(Wilcoxon), R (sign test) and statsmodels (McNemar). "greater" means that the first sample is larger.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from exactperm import inputs
from exactperm.effects import Effects
from exactperm.engines.auto import answer_all
from exactperm.engines.base import Question, Tail
from exactperm.grid import find_grid, in_one_type, to_grid
from exactperm.integers import as_narrow
from exactperm.lattice import Lattice
from exactperm.region import Runs
from exactperm.result import Interval

__all__ = ["ClassicalResult", "mcnemar", "sign_test", "wilcoxon"]

Alternative = Literal["two-sided", "less", "greater"]

CERTAIN = Tail(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ClassicalResult:
    """The outcome of a classical test; ``statistic, pvalue = result`` unpacks it.

    Attributes
    ----------
    statistic
        What the function's documentation says.
    pvalue
        The exact p-value.
    log_pvalue
        Its natural logarithm, finite however small it is.
    pvalue_interval
        Certain bounds of the p-value.
    alternative
        The alternative tested.
    n_items, n_zeros
        The number of pairs, and of those without a difference.
    """

    statistic: float
    pvalue: float
    log_pvalue: float
    pvalue_interval: Interval
    alternative: str
    n_items: int
    n_zeros: int

    def __iter__(self) -> Iterator[float]:
        """The statistic and the p-value."""
        return iter((self.statistic, self.pvalue))


def wilcoxon(
    x: Any,
    y: Any = None,
    zero_method: Literal["wilcox", "pratt", "zsplit"] = "wilcox",
    correction: bool = False,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact"] = "auto",
    *,
    axis: int = 0,
    nan_policy: Literal["raise", "omit"] = "raise",
    keepdims: bool = False,
) -> ClassicalResult:
    """Test whether paired differences are symmetric about zero, by Wilcoxon's signed ranks.

    The p-value is that of the permutation distribution given the ranks as they are, mid-ranks of ties included:
    exact at every size. The statistic is scipy's: the sum of the ranks of positive differences, for a two-sided
    test the smaller of the sums of both signs.

    Parameters
    ----------
    x, y
        Paired samples, or the differences alone. Differences of scores on a decimal grid are taken on the grid, so
        that 0.3 - 0.1 ties with 0.2.
    zero_method
        "wilcox" drops zero differences before ranking, "pratt" after it, "zsplit" also gives half of their ranks to
        the statistic on either side.
    correction, method, axis, keepdims
        For calls written for scipy. The p-value is exact, so nothing that asks for an approximation is taken; samples
        have one dimension.
    alternative
        "two-sided", "greater" (x tends to be larger) or "less".
    nan_policy
        "raise", or "omit" to drop pairs with a missing value.

    Examples
    --------
    >>> from exactperm.classical import wilcoxon
    >>> wilcoxon([6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]).pvalue
    0.041259765625
    """
    if zero_method not in ("wilcox", "pratt", "zsplit"):
        raise ValueError(f"zero_method must be 'wilcox', 'pratt' or 'zsplit', not {zero_method!r}")
    _check_scipys(correction, method, axis, keepdims)
    differences = _differences(x, y, nan_policy)
    zeros = int(np.count_nonzero(differences == 0))
    ranks = _doubled_signed_ranks(differences, zeros if zero_method == "wilcox" else 0)
    effects = Effects.from_scores(ranks, np.zeros_like(ranks))
    plus, minus = int(ranks[ranks > 0].sum()), -int(ranks[ranks < 0].sum())
    split = zeros * (zeros + 1) // 2 if zero_method == "zsplit" else 0  # half of their doubled ranks
    statistic = min(plus, minus) + split if alternative == "two-sided" else plus + split
    return _result(statistic / 2, _tail(effects, alternative), alternative, differences.size, zeros)


def sign_test(
    x: Any,
    y: Any = None,
    *,
    alternative: Alternative = "two-sided",
    nan_policy: Literal["raise", "omit"] = "raise",
) -> ClassicalResult:
    """Test whether positive and negative differences are equally likely; zeros do not count.

    The statistic is the number of positive differences.

    Parameters
    ----------
    x, y
        Paired samples, or the differences alone.
    alternative
        "two-sided", "greater" (x tends to be larger) or "less".
    nan_policy
        "raise", or "omit" to drop pairs with a missing value.

    Examples
    --------
    >>> from exactperm.classical import sign_test
    >>> sign_test([1, 1, 1, 1, -1, 0]).pvalue
    0.375
    """
    signs = np.sign(_differences(x, y, nan_policy))
    plus, minus = int(np.count_nonzero(signs > 0)), int(np.count_nonzero(signs < 0))
    tail = _tail(Effects.from_counts({1: plus, -1: minus}), alternative)
    return _result(plus, tail, alternative, signs.size, signs.size - plus - minus)


def mcnemar(
    table: Any,
    y: Any = None,
    *,
    method: Literal["exact", "mid-p"] = "exact",
    alternative: Alternative = "two-sided",
) -> ClassicalResult:
    """Compare two proportions on the same items by McNemar's test, exact or with the mid-p correction.

    The statistic is the smaller of the two discordant counts, for a one-sided test ``table[0][1]``.

    Parameters
    ----------
    table
        A 2 x 2 table of counts, [[both, first only], [second only, neither]]; or a pair (x, y) of vectors of 0 and
        1, of any length but 2; or x.
    y
        The second vector if `table` is the first.
    method
        "exact", or "mid-p", which counts only half of the probability of the observed table (Lancaster 1961).
    alternative
        "two-sided", "greater" (the first has more successes) or "less".

    Examples
    --------
    >>> from exactperm.classical import mcnemar
    >>> mcnemar([[101, 59], [121, 33]]).pvalue < 1e-5
    True
    """
    if method not in ("exact", "mid-p"):
        raise ValueError(f"method must be 'exact' or 'mid-p', not {method!r}")
    both, first, second, neither = _table(table, y)
    effects = Effects.from_counts({1: first, -1: second})
    tail = _tail(effects, alternative)
    # in the centre both tails hold the observed table, and halves of it add up to one
    if method == "mid-p" and not (alternative == "two-sided" and first == second):
        tail = _average(tail, _tail(effects, alternative, strict=True))
    statistic = min(first, second) if alternative == "two-sided" else first
    concordant = both + neither
    return _result(statistic, tail, alternative, concordant + first + second, concordant)


def _check_scipys(correction: bool, method: str, axis: int, keepdims: bool) -> None:
    """Refuse what scipy would take for something that is not done here."""
    if correction:
        raise ValueError("correction belongs to a normal approximation; the p-value here is exact: leave it out")
    if not isinstance(method, str) or method not in ("auto", "exact"):
        raise ValueError(f"method must be 'auto' or 'exact', which are the same here, not {method!r}")
    if axis not in (0, -1) or keepdims:
        raise ValueError(f"samples have one dimension: axis is 0 and keepdims False, not {axis!r} and {keepdims!r}")


# -- from samples to integers ----------------------------------------------------------------------------------


def _differences(x: Any, y: Any, nan_policy: str) -> NDArray[Any]:
    """Differences x - y, in integers if they can be, so that ties are ties."""
    first, lost_x = inputs.numbers(x, "x")
    second, lost_y = (np.zeros_like(first), None) if y is None else inputs.numbers(y, "y")
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"x and y need one value per pair; got shapes {first.shape} and {second.shape}")
    lost = inputs.missing([lost_x, lost_y], ["x", "y"], nan_policy)
    first, second = inputs.without(lost, first, second)
    if inputs.is_whole(first) and inputs.is_whole(second):
        return np.asarray(_wide(first) - _wide(second))
    first, second = in_one_type(first, second)
    unit = find_grid(first, second)
    if unit is not None:
        return np.asarray(to_grid(first, unit) - to_grid(second, unit))
    with np.errstate(over="ignore"):
        differences = first.astype(np.float64) - second.astype(np.float64)
    if np.isinf(differences).any():
        raise ValueError("differences x - y overflow; scale the samples down")
    return np.asarray(differences)


def _wide(x: NDArray[Any]) -> NDArray[Any]:
    """Integers in a type that holds the difference of two."""
    x = as_narrow(x)
    return x if x.dtype == object else x.astype(np.int64, copy=False)


def _doubled_signed_ranks(differences: NDArray[Any], dropped: int) -> NDArray[np.int64]:
    """Twice the rank of each magnitude, whole even for ties, with the sign; the `dropped` smallest are skipped."""
    _, which, counts = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    doubled = 2 * np.cumsum(counts) - counts + 1 - 2 * dropped
    sign = (differences > 0).astype(np.int64) - (differences < 0).astype(np.int64)
    return np.asarray(sign * doubled[which], dtype=np.int64)


def _table(table: Any, y: Any) -> tuple[int, int, int, int]:
    """The four counts: both, first only, second only, neither."""
    if y is None:
        array = np.asarray(table)
        if array.shape == (2, 2):
            if (
                array.dtype.kind not in "biuf"
                or not (np.isfinite(array) & (array >= 0) & (array == np.rint(array))).all()
            ):
                raise ValueError(f"table must hold four counts, integers that are not negative; got {array.tolist()}")
            return int(array[0, 0]), int(array[0, 1]), int(array[1, 0]), int(array[1, 1])
        if array.ndim == 0 or len(array) != 2:
            raise ValueError(f"table must be 2 x 2 or a pair of vectors of 0 and 1; got shape {array.shape}")
        table, y = table
    first, second = _successes(table, "x"), _successes(y, "y")
    if first.shape != second.shape:
        raise ValueError(f"x and y need one value per pair; got shapes {first.shape} and {second.shape}")
    both, one = int((first & second).sum()), int((first & ~second).sum())
    other = int((~first & second).sum())
    return both, one, other, first.size - both - one - other


def _successes(x: Any, name: str) -> NDArray[np.bool_]:
    values, lost = inputs.numbers(x, name)
    if values.ndim != 1 or lost is not None or not np.isin(values, (0, 1)).all():
        raise ValueError(f"{name} must be a vector of 0 and 1 without missing values")
    return np.asarray(values == 1)


# -- from integers to p-values ---------------------------------------------------------------------------------


def _tail(effects: Effects, alternative: str, *, strict: bool = False) -> Tail:
    """The probability of a sum as extreme as observed, or if `strict` more extreme."""
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError(f"alternative must be 'two-sided', 'less' or 'greater', not {alternative!r}")
    lattice = Lattice.of(effects)
    span, observed = (lattice.span[0], lattice.observed[0]) if lattice.rank else (0, 0)
    point = {"greater": observed, "less": span - observed}.get(alternative, max(observed, span - observed))
    mirrored = alternative == "two-sided"
    low = point + strict
    if low <= 0 or (mirrored and 2 * low <= span):
        return CERTAIN
    if low > span:
        return Tail(-math.inf, -math.inf, -math.inf)
    ((tail, _),) = answer_all([Question(lattice, Runs(((low, span),), mirrored))], "exact")
    return tail


def _average(first: Tail, second: Tail) -> Tail:
    """The mean of two probabilities, the first the larger."""

    def mean(x: float, y: float) -> float:
        return x + math.log1p(math.exp(y - x)) - math.log(2.0) if x > -math.inf else x

    return Tail(
        mean(first.log_low, second.log_low),
        mean(first.log_estimate, second.log_estimate),
        mean(first.log_high, second.log_high),
    )


def _result(statistic: float, tail: Tail, alternative: str, items: int, zeros: int) -> ClassicalResult:
    pvalue = math.exp(tail.log_estimate) if tail.fraction is None else float(tail.fraction)
    low = min(math.exp(tail.log_low) * (1.0 - 2.0**-50), pvalue)
    high = min(max(math.exp(tail.log_high) * (1.0 + 2.0**-50), pvalue), 1.0)
    if high == 0.0 and tail.log_high > -math.inf:
        high = 5e-324
    interval = Interval(low, high)
    return ClassicalResult(float(statistic), pvalue, tail.log_estimate, interval, alternative, items, zeros)
