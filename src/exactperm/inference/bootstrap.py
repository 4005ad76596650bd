"""Bootstrap intervals for the difference of two systems: exact for means, sampled for all else."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactperm.inference import bca
from exactperm.inference.confidence import ConfidenceInterval, confidence_interval, outward, tails
from exactperm.inference.exact_bootstrap import ResampledSum
from exactperm.inference.multinomial_bootstrap import Resampled, resampled
from exactperm.inference.shifted import by_size, signed

if TYPE_CHECKING:
    from exactperm import metrics
    from exactperm.effects import Effects
    from exactperm.result import Problem

__all__ = ["DEFAULT_RESAMPLES", "bootstrap", "resample", "resample_groups", "resample_values"]

Floats = NDArray[np.float64]

#: resamples drawn where nothing else is asked for, as in SciPy
DEFAULT_RESAMPLES = 9_999


def bootstrap(
    a: Any,
    b: Any = None,
    *,
    metric: str | metrics.Metric | None = None,
    confidence_level: float = 0.95,
    method: str = "BCa",
    alternative: metrics.Alternative = "two-sided",
    groups: Any = None,
    nan_policy: str = "raise",
    grid: Any = "auto",
    n_resamples: int | None = None,
    rng: Any = None,
) -> ConfidenceInterval:
    """Bootstrap the difference of two systems on the same items.

    The items (or groups) are drawn with replacement, each with both its scores. For means the law of infinitely many
    resamples is computed, and no random number is drawn; for other metrics `n_resamples` are.

    Parameters
    ----------
    a, b, metric, alternative, groups, nan_policy, grid
        As for `paired_test`. A one-sided alternative gives an interval with one end.
    confidence_level
        Between 0 and 1.
    method
        "BCa" (corrected for bias and acceleration), "percentile", or "inversion" of the exact test.
    n_resamples, rng
        Where resamples have to be drawn: their number, 9,999 by default, and the generator or its seed.

    Returns
    -------
    ConfidenceInterval
        ``low, high = bootstrap(a, b)`` works; it also has `estimate`, `method`, `exact` and more.

    Examples
    --------
    >>> from exactperm import bootstrap
    >>> a = [12, 9, 15, 11, 8, 14, 10, 13]
    >>> b = [11, 9, 12, 10, 8, 11, 9, 12]
    >>> bootstrap(a, b)
    ConfidenceInterval(low=0.625, high=2.125, 0.95, BCa)
    """
    from exactperm.api import problem_of

    problem = problem_of(a, b, metric, alternative, groups, nan_policy, grid)
    return confidence_interval(problem, confidence_level, method, n_resamples, rng)


def resample(
    problem: Problem, confidence_level: float, method: str, n_resamples: int | None = None, rng: Any = None
) -> ConfidenceInterval:
    """The bootstrap interval of a problem, exact where it is a mean over groups of one size."""
    if problem.metric.form(problem.effects.names).additive:
        parts = by_size(problem)
        if len(parts) == 1:
            return _exact(problem, parts[0][1], confidence_level, method)
    return _sampled(problem, confidence_level, method, n_resamples, rng)


# -- means -----------------------------------------------------------------------------------------------------


def _exact(problem: Problem, effects: Effects, confidence_level: float, method: str) -> ConfidenceInterval:
    values, counts = signed(effects)
    if len(values) < 2:
        raise ValueError(
            "no interval is defined: the difference is the same on every item, so nothing is known of its spread"
        )
    law = ResampledSum.of(values, counts, effects.rounding)
    below, above = tails(problem, confidence_level)
    z0s, a = [0.0], 0.0
    if method == "BCa":
        z0s, a = [bca.bias(share) for share in law.share_below(effects.difference[0])], _skewness(values, counts)

    def levels(nominal: Fraction) -> list[float]:
        """The levels of the quantile to take, between the two that the bounds of z0 allow."""
        return sorted(bca.corrected(float(nominal), z0, a) for z0 in z0s) if method == "BCa" else [float(nominal)]

    unit = effects.unit * problem.metric.scale / effects.n_items
    low = None if below is None else [law.low(level) for level in levels(below)]
    high = None if above is None else [law.high(level) for level in levels(1 - above)]
    open_by = [ends[-1] - ends[0] for ends in (low, high) if ends is not None]
    return ConfidenceInterval(
        *outward(-np.inf if low is None else low[0] * unit, np.inf if high is None else high[-1] * unit),
        estimate=float(effects.difference[0] * unit),
        confidence_level=confidence_level,
        alternative=problem.alternative,
        method=method,
        exact=law.slack == 0,
        tolerance=float((2 * law.slack + max(open_by)) * unit),
        n_resamples=None,
        seed=None,
    )


def _skewness(values: NDArray[Any], counts: NDArray[np.int64]) -> float:
    """The acceleration of a mean, for which the jackknife is a closed form: less what is left out."""
    return bca.acceleration(-values.astype(np.float64), counts)


# -- all else --------------------------------------------------------------------------------------------------


def _sampled(
    problem: Problem, confidence_level: float, method: str, n_resamples: int | None, rng: Any
) -> ConfidenceInterval:
    drawn, sign = resample_groups(problem, n_resamples, rng)
    below, above = (None if x is None else float(x) for x in tails(problem, confidence_level))
    if sign < 0:
        below, above = above, below
    low, high = drawn.interval(method, below, above)
    return ConfidenceInterval(
        *((low, high) if sign > 0 else (-high, -low)),
        estimate=sign * drawn.estimate,
        confidence_level=confidence_level,
        alternative=problem.alternative,
        method=method,
        exact=False,
        tolerance=0.0,
        n_resamples=drawn.values.size,
        seed=drawn.seed,
    )


def resample_groups(problem: Problem, n_resamples: int | None, rng: Any) -> tuple[Resampled, int]:
    """Resamples of the statistic of a problem, or of its negative, and which of both.

    A and B enter in the order of their sums, so that exchanging them changes the signs and nothing else.
    """
    from exactperm.metrics.comparison import compare

    number = DEFAULT_RESAMPLES if n_resamples is None else n_resamples
    metric = problem.metric.form(problem.effects.names)
    _, sizes, a, b = problem.group_sums("a bootstrap of this metric")
    k = a.shape[1]
    if metric.additive:
        scale = float(metric.scale)

        def statistic(totals: Floats) -> Floats:
            return np.asarray((totals[:, 0] - totals[:, 1]) / totals[:, 2] * scale)
    else:
        form = compare(metric, problem.effects)

        def statistic(totals: Floats) -> Floats:
            return form.statistic(list(totals[:, :k].T), list(totals[:, k : 2 * k].T))

    antisymmetric = metric.h is None or metric.antisymmetric
    exchanged = antisymmetric and _sorted_bytes(b, a) < _sorted_bytes(a, b)
    first, second = (b, a) if exchanged else (a, b)
    table = np.column_stack([first, second, sizes])
    return resampled(table, statistic, number, rng), -1 if exchanged else 1


def resample_values(
    problem: Problem, contrast: Callable[[Floats, Floats], Floats], n_resamples: int | None, rng: Any
) -> Resampled:
    """Resamples of a function of the values of A and of B."""
    from exactperm.metrics.comparison import values

    metric = problem.metric.form(problem.effects.names)
    _, sizes, a, b = problem.group_sums("a bootstrap of this metric")
    k = a.shape[1]

    def value(totals: Floats, items: Floats) -> Floats:
        return totals[:, 0] / items * metric.scale if metric.additive else values(metric, list(totals.T))

    def statistic(totals: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return contrast(value(totals[:, :k], totals[:, -1]), value(totals[:, k : 2 * k], totals[:, -1]))

    number = DEFAULT_RESAMPLES if n_resamples is None else n_resamples
    return resampled(np.column_stack([a, b, sizes]), statistic, number, rng)


def _sorted_bytes(a: NDArray[Any], b: NDArray[Any]) -> bytes:
    """What tells one order of two systems from the other, whatever the order of the items."""
    table = np.column_stack([a, b]).astype(np.float64)
    return table[np.lexsort(table.T)].tobytes()
