"""A confidence interval for the difference of two systems: what was asked is checked, and one method answers.

================  ===========================================================================  ====================
method            what it is                                                                   for
================  ===========================================================================  ====================
``inversion``     all shifts that the exact test does not reject (see `inversion`)             means
``BCa``           bootstrap, corrected for bias and acceleration (Efron 1987, see `bca`)       everything
``percentile``    quantiles of the bootstrap law                                               everything
================  ===========================================================================  ====================

The bootstrap of a mean over groups of one size is exact, as if of infinitely many resamples (see `exact_bootstrap`); of
anything else it is sampled (see `multinomial_bootstrap`). ``auto`` inverts the test where it can, else takes BCa.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactperm.metrics.tails import looks_up
from exactperm.result import Interval

if TYPE_CHECKING:
    from exactperm.result import Problem

__all__ = ["METHODS", "ConfidenceInterval", "confidence_interval"]

METHODS = ("auto", "inversion", "BCa", "percentile")


class ConfidenceInterval(Interval):
    """An interval that knows where it came from; ``low, high = interval`` unpacks.

    Attributes
    ----------
    low, high
        The ends, in the units of the statistic, rounded outward; infinite where there is no bound.
    estimate
        The statistic itself.
    confidence_level, alternative, method
        What was asked, and the method that answered.
    exact
        Whether no random number and no approximation beyond rounding went into the ends.
    tolerance
        How far at most the ends lie outside of what they stand for.
    n_resamples, seed
        Of a sampled bootstrap; None for all else.
    """

    estimate: float
    confidence_level: float
    alternative: str
    method: str
    exact: bool
    tolerance: float
    n_resamples: int | None
    seed: Any

    def __new__(cls, low: float, high: float, **facts: Any) -> ConfidenceInterval:
        """Two ends, and what else is known of them."""
        interval = super().__new__(cls, low, high)
        interval.__dict__.update(facts)
        return interval

    def __repr__(self) -> str:
        """The ends and what they are."""
        how = self.method if self.n_resamples is None else f"{self.method}, {self.n_resamples} resamples"
        return f"ConfidenceInterval(low={self.low:.6g}, high={self.high:.6g}, {self.confidence_level:g}, {how})"


def confidence_interval(
    problem: Problem,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int | None = None,
    rng: Any = None,
) -> ConfidenceInterval:
    """Answer for a problem; see `TestResult.confidence_interval`."""
    from exactperm.api import engine_options

    engine_options(None, n_resamples, confidence_level, rng)  # checks them
    chosen = _method(method)
    form = problem.metric.form(problem.effects.names)
    if problem.alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f'alternative must be "two-sided", "greater" or "less", not {problem.alternative!r}')
    if problem.effects.n_groups < 2:
        what = "item" if problem.effects.n_groups == problem.effects.n_items else "group"
        raise ValueError(f"no interval is defined for {problem.effects.n_groups} {what}; it takes two or more")
    if chosen == "auto":
        chosen = "inversion" if form.additive else "BCa"
    if chosen == "inversion":
        from exactperm.inference.inversion import invert

        if not form.additive:
            raise ValueError(
                f"method='inversion' is for means, as a shift moves nothing else item by item; "
                f"for metric {form.name!r} use method='BCa'"
            )
        return invert(problem, confidence_level)
    from exactperm.inference.bootstrap import resample

    return resample(problem, confidence_level, chosen, n_resamples, rng)


def tails(problem: Problem, confidence_level: float) -> tuple[Fraction | None, Fraction | None]:
    """The probabilities to leave below the low and above the high end; None for an end at infinity.

    The level is the decimal that was written: 0.95 leaves 1/20, not what the double next to it leaves.
    """
    alpha = 1 - Fraction(str(float(confidence_level)))
    if problem.alternative == "two-sided":
        return alpha / 2, alpha / 2
    larger = looks_up(problem.alternative, problem.metric.higher_is_better)
    return (alpha, None) if larger else (None, alpha)


def outward(low: Fraction | float, high: Fraction | float) -> tuple[float, float]:
    """Two ends as floats that are not inside of them."""
    return 0.0 - _at_least(-low), _at_least(high)  # and no minus zero


def _at_least(x: Fraction | float) -> float:
    nearest = float(x)
    return nearest if nearest >= x else math.nextafter(nearest, math.inf)


def _method(method: str) -> str:
    for name in METHODS:
        if isinstance(method, str) and method.lower() == name.lower():
            return name
    raise ValueError(f"method must be one of {', '.join(METHODS)}; not {method!r}")
