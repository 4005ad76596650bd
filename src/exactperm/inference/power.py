"""Planning: how likely the exact test is to find a difference, with how many items, and how small a one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from exactperm.inference.plan import Plan, planned
from exactperm.inference.power_result import DetectableDifference, Power, SampleSize
from exactperm.metrics import Alternative, Metric
from exactperm.result import Interval

__all__ = ["detectable_difference", "power", "sample_size"]

#: items up to which anything is computed
MOST_ITEMS = 10**10


def power(
    a: Any = None,
    b: Any = None,
    *,
    n: Any,
    p_a: float | None = None,
    p_b: float | None = None,
    agreement: float | None = None,
    metric: str | Metric | None = None,
    alternative: Alternative | None = None,
    groups: Any = None,
    nan_policy: str = "raise",
    grid: Any = "auto",
    alpha: float = 0.05,
    n_simulations: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> Power:
    """Give the probability that the exact test finds the difference with `n` items.

    The items are drawn independently from what the pilot, or the assumptions, say of pairs; with groups whole groups
    are drawn, as many as have `n` items on average. Where all differences have one size, as of 0/1 scores, the answer
    is exact; else data sets are drawn and each is tested exactly.

    Parameters
    ----------
    a, b
        A pilot: scores or counts of both systems, as for `paired_test`. Or `a` alone: a `TestResult`, an `Effects`,
        what `read` found, or a mapping from signed differences to probabilities, ``{-1: 0.04, 0: 0.9, 1: 0.06}``.
    n
        The number of items, or a list of them for a curve.
    p_a, p_b, agreement
        Instead of a pilot: the share of items on which each system is right, and on which both are right or both
        wrong.
    metric, groups, nan_policy, grid
        For a pilot, as for `paired_test`.
    alternative
        "two-sided" (the default, or what the `TestResult` has), "greater" (A is better) or "less".
    alpha
        The level of the test: it finds something if p <= alpha.
    n_simulations, confidence_level, rng
        Of a simulation: the data sets for each n, 2,000 by default and 200 for metrics that are no means; the level of
        the interval; the generator or its seed.

    Returns
    -------
    Power
        With `power`, `interval`, `n` and more; arrays if `n` is a list.

    Examples
    --------
    >>> from exactperm import power
    >>> result = power(p_a=0.81, p_b=0.79, agreement=0.9, n=[500, 1000, 2000])
    >>> result.power.round(4).tolist()
    [0.2496, 0.4787, 0.7915]
    """
    sizes = _sizes(n)
    plan = planned(
        a, b, p_a, p_b, agreement, metric, alternative, groups, nan_policy, grid, alpha, n_simulations,
        confidence_level, rng,
    )  # fmt: skip
    units = [plan.units(size) for size in sizes]
    found = [plan.at(each) for each in units]
    if np.ndim(n):
        lows, powers, highs = (np.array(column) for column in zip(*found, strict=True))
        return Power(powers, Interval(lows, highs), np.array(sizes), np.array(units), **plan.facts(n=sizes))
    low, middle, high = found[0]
    return Power(middle, Interval(low, high), sizes[0], units[0], **plan.facts(n=sizes))


def sample_size(
    a: Any = None,
    b: Any = None,
    *,
    power: float = 0.8,
    p_a: float | None = None,
    p_b: float | None = None,
    agreement: float | None = None,
    metric: str | Metric | None = None,
    alternative: Alternative | None = None,
    groups: Any = None,
    nan_policy: str = "raise",
    grid: Any = "auto",
    alpha: float = 0.05,
    n_simulations: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> SampleSize:
    """Give the number of items with which the exact test finds the difference with probability `power`.

    The power of a discrete test rises in a saw-tooth. Where it is exact (see `power`), the answer is the smallest n
    such that n items *and every larger number* have at least the wanted power. Else it is where the simulated power
    passes it, with an interval.

    Parameters
    ----------
    power
        The wanted probability.
    a, b, p_a, p_b, agreement, metric, alternative, groups, nan_policy, grid, alpha
        As for the function `power`.
    n_simulations, confidence_level, rng
        As for the function `power`.

    Returns
    -------
    SampleSize
        With `n`, `n_interval`, and the `power` at this n.

    Examples
    --------
    >>> from exactperm import sample_size
    >>> sample_size(p_a=0.81, p_b=0.79, agreement=0.9, power=0.8).n
    2043
    """
    wanted = _wanted(power)
    plan = planned(
        a, b, p_a, p_b, agreement, metric, alternative, groups, nan_policy, grid, alpha, n_simulations,
        confidence_level, rng,
    )  # fmt: skip
    _check_above_level(wanted, plan)
    plan.check_direction()
    units, fewest, most = plan.units_for(wanted)
    low, middle, high = plan.at(units)
    interval = Interval(plan.items(fewest), plan.items(most))
    facts = plan.facts(wanted=wanted)
    return SampleSize(
        middle, Interval(low, high), plan.items(units), units, **facts, wanted=wanted, n_interval=interval
    )


def detectable_difference(
    a: Any = None,
    b: Any = None,
    *,
    n: int,
    power: float = 0.8,
    agreement: float | None = None,
    metric: str | Metric | None = None,
    alternative: Alternative | None = None,
    groups: Any = None,
    nan_policy: str = "raise",
    grid: Any = "auto",
    alpha: float = 0.05,
    n_simulations: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> DetectableDifference:
    """Give the smallest difference that the exact test finds with probability `power` in `n` items.

    The model: differences keep the sizes they have in the pilot, ties included, and only how often they go which way
    changes; a difference of size v favours one system with the odds exp(2 r v), and r is found. For 0/1 scores this
    leaves the agreement as it is.

    Parameters
    ----------
    n
        The number of items.
    power
        The wanted probability.
    agreement
        Instead of a pilot, for 0/1 scores: the share of items on which both systems are right or both wrong.
    a, b, metric, alternative, groups, nan_policy, grid, alpha
        As for the function `power`.
    n_simulations, confidence_level, rng
        As for the function `power`.

    Returns
    -------
    DetectableDifference
        With `difference`, `difference_interval`, and the `power` at this difference.

    Examples
    --------
    >>> from exactperm import detectable_difference
    >>> round(detectable_difference(agreement=0.9, n=1000, power=0.8).difference, 6)
    0.028737
    """
    wanted, (size,) = _wanted(power), _sizes([n])
    plan = planned(
        a, b, None, None, agreement, metric, alternative, groups, nan_policy, grid, alpha, n_simulations,
        confidence_level, rng,
    )  # fmt: skip
    _check_above_level(wanted, plan)
    units = plan.units(size)
    least, low, high = plan.difference_for(units, wanted)
    moved = plan.favouring(least)
    bottom, middle, top = moved.at(units)
    facts = plan.facts(n=[size], wanted=wanted) | {"difference": least}
    interval = Interval(*sorted((low, high)))
    return DetectableDifference(
        middle, Interval(bottom, top), size, units, **facts, wanted=wanted, difference_interval=interval
    )


def _sizes(n: Any) -> list[int]:
    """Numbers of items, one or more."""
    if isinstance(n, str | Mapping) or (np.ndim(n) == 0 and isinstance(n, Iterable)):
        raise TypeError(f"n must be a number of items, or a list of them, not {n!r}")
    sizes = list(n) if np.ndim(n) else [n]
    if not sizes:
        raise ValueError("n is an empty list; give one number of items or more")
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, Integral):
            raise TypeError(f"n must be a whole number of items, not {size!r}")
        if not 1 <= int(size) <= MOST_ITEMS:
            raise ValueError(f"n must be between 1 and {MOST_ITEMS:,}, not {size}")
    return [int(size) for size in sizes]


def _wanted(power: Any) -> float:
    if isinstance(power, bool) or not isinstance(power, float | int | Fraction | np.number):
        raise TypeError(f"power must be a number between 0 and 1, not {power!r}")
    if not 0 < power < 1 or math.isnan(power):
        raise ValueError(f"power must be between 0 and 1, not {power!r}")
    return float(power)


def _check_above_level(wanted: float, plan: Plan) -> None:
    """Refuse a power that a test of this level may have without any difference."""
    if wanted <= float(plan.alpha):
        raise ValueError(f"power must be larger than alpha={float(plan.alpha):g}, the chance of a find by luck")
