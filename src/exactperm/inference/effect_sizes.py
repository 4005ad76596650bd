"""How large a difference is, in the measures that suit paired data, each with an interval where one is defined.

==========================  ==============================================================  ========================
effect size                 what it is                                                      its interval
==========================  ==============================================================  ========================
difference                  value of A minus value of B                                     that of the result
relative_error_reduction    (e_B - e_A) / e_B, an error e being how far a value is from     paired bootstrap, BCa
                            the perfect one: 1 - accuracy, 100 - BLEU, the error rate
win_rate, loss_rate,        shares of the units on which A is better, worse, neither        Clopper-Pearson
tie_rate
standardized_difference     mean(d) / sd(d), d what a unit adds to A minus B (d_z of        paired bootstrap, BCa
                            Cohen 1988, p. 48); sd divides by n - 1
probability_of_superiority  P(A better) + P(tie) / 2 (Vargha and Delaney 2000, here for     exact bootstrap, BCa, of
                            pairs)                                                          the mean sign
==========================  ==============================================================  ========================

Units are what is exchanged: items, or groups of them. All intervals have two ends, whatever the test was for. What is
not defined is None, with the reason beside.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm import tables
from exactperm.effects import Effects
from exactperm.engines.clopper_pearson import clopper_pearson
from exactperm.inference.confidence import ConfidenceInterval, confidence_interval
from exactperm.inference.record import record
from exactperm.result import SCHEMA, Problem

__all__ = ["EffectSize", "EffectSizes", "effect_sizes"]

Floats = NDArray[np.float64]

#: a variance below this, relative to that of the data, is rounding
ROUNDING = 1e-12


@dataclass(frozen=True)
class EffectSize:
    """One measure.

    Attributes
    ----------
    estimate
        Its value on the data; None if it is not defined.
    interval
        A `ConfidenceInterval`; None if none is defined.
    reason
        Why estimate or interval are not defined; None if both are.
    """

    estimate: float | None
    interval: ConfidenceInterval | None = None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values; the interval as its ends and its method."""
        low, high = (None, None) if self.interval is None else self.interval
        method = None if self.interval is None else self.interval.method
        return {"estimate": self.estimate, "low": low, "high": high, "method": method, "reason": self.reason}


@dataclass(frozen=True, repr=False)
class EffectSizes:
    """The measures of one comparison; see the attributes of each `EffectSize`.

    Attributes
    ----------
    difference, relative_error_reduction, win_rate, loss_rate, tie_rate, standardized_difference,
    probability_of_superiority
        See `exactperm.inference.effect_sizes`.
    n_units, units
        How many units were exchanged, and what they are: "items" or "groups".
    confidence_level
        Of every interval.
    """

    difference: EffectSize
    relative_error_reduction: EffectSize
    win_rate: EffectSize
    loss_rate: EffectSize
    tie_rate: EffectSize
    standardized_difference: EffectSize
    probability_of_superiority: EffectSize
    n_units: int
    units: str
    confidence_level: float

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values, with the version of this form."""
        facts = {"n_units": self.n_units, "units": self.units, "confidence_level": self.confidence_level}
        return {"schema": SCHEMA, **facts, **{name: size.to_dict() for name, size in self._sizes().items()}}

    def __repr__(self) -> str:
        """A row for each measure; what is not defined below."""
        sizes = self._sizes()
        rows = [[_worded(name), *_cells(size)] for name, size in sizes.items()]
        head = [f"{self.n_units} {self.units}", "estimate", "low", "high", "method"]
        why: dict[str, list[str]] = {}
        for name, size in sizes.items():
            if size.reason:
                why.setdefault(size.reason, []).append(_worded(name))
        notes = [f"{', '.join(names)}: {reason}" for reason, names in why.items()]
        return "\n".join([tables.plain(head, rows, 1), *notes])

    def _sizes(self) -> dict[str, EffectSize]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, EffectSize)}


def effect_sizes(
    problem: Problem, confidence_level: float = 0.95, n_resamples: int | None = None, rng: Any = 0
) -> EffectSizes:
    """Answer for a problem; see `TestResult.effect_sizes`."""
    from exactperm.api import engine_options

    engine_options(None, n_resamples, confidence_level, rng)  # checks them
    effects = problem.effects
    if problem.tasks:
        raise ValueError("effect sizes are of one task; ask for those of each task that is averaged")
    if not effects.n_items:
        raise ValueError("effect sizes are not defined without items")
    asked = _Asked(replace(problem, alternative="two-sided", margin=None), confidence_level, n_resamples, rng)
    win, loss, tie = asked.rates()
    return EffectSizes(
        difference=asked.difference(),
        relative_error_reduction=asked.relative_error_reduction(),
        win_rate=win,
        loss_rate=loss,
        tie_rate=tie,
        standardized_difference=asked.standardized_difference(),
        probability_of_superiority=asked.probability_of_superiority(),
        n_units=effects.n_groups,
        units="items" if effects.n_groups == effects.n_items else "groups",
        confidence_level=confidence_level,
    )


@dataclass(frozen=True, eq=False)
class _Asked:
    """A problem with two sides, and how intervals are to be made."""

    problem: Problem
    level: float
    n_resamples: int | None
    rng: Any

    def difference(self) -> EffectSize:
        """In the units of the metric."""
        estimate = self.problem.metric.scores(self.problem.effects)[2]
        return _with(
            estimate, lambda: confidence_interval(self.problem, self.level, "auto", self.n_resamples, self.rng)
        )

    def relative_error_reduction(self) -> EffectSize:
        """The part of B's error that A does not make; negative if A makes more."""
        metric = self.problem.metric
        a, b, _ = metric.scores(self.problem.effects)
        if metric.perfect is None:
            why = f"nothing says what value of {metric.name} is without error; Metric(..., perfect=...) does"
            return EffectSize(None, reason=why)
        if a is None or b is None:
            return EffectSize(None, reason="the values of both systems are not known")
        best = float(metric.perfect * metric.scale)
        if b == best:
            return EffectSize(None, reason="B makes no error that could be less")

        def reduction(first: Floats, second: Floats) -> Floats:
            return 1 - np.abs(best - first) / np.abs(best - second)

        return _with(1 - abs(best - a) / abs(best - b), lambda: self._bootstrapped(reduction))

    def _bootstrapped(self, contrast: Callable[[Floats, Floats], Floats]) -> ConfidenceInterval:
        from exactperm.inference.bootstrap import resample_values

        return self._interval_of(resample_values(self.problem, contrast, self.n_resamples, self.rng))

    def rates(self) -> tuple[EffectSize, EffectSize, EffectSize]:
        """The shares of units that A wins, loses, and neither."""
        found = record(self.problem.effects, self.problem.metric)
        if found is None:
            size = EffectSize(None, reason=self._nobody_wins)
            return size, size, size
        win, loss, tie = (self._share(number, sum(found)) for number in found)
        return win, loss, tie

    @property
    def _nobody_wins(self) -> str:
        return f"by {self.problem.metric.name} a unit alone does not say who is better on it"

    def _share(self, number: int, units: int) -> EffectSize:
        share = number / units
        ends = clopper_pearson(number, units, self.level)
        return EffectSize(share, self._interval(ends, share, "Clopper-Pearson", exact=True))

    def standardized_difference(self) -> EffectSize:
        """The mean of the differences in units of their standard deviation."""
        from exactperm.inference.shifted import signed

        metric, effects = self.problem.metric, self.problem.effects
        if not metric.form(effects.names).additive:
            return EffectSize(None, reason=f"{metric.name} is no mean, so that a unit has no difference of its own")
        values, counts = signed(effects)
        number = int(counts.sum())
        d = values.astype(np.float64) / max(float(abs(values).max()), 1.0)
        mean = float(counts @ d) / number
        squares = float(counts @ (d - mean) ** 2)
        if len(values) < 2:
            return EffectSize(None, reason="the difference is the same on every unit")
        deviation = math.sqrt(squares / (number - 1))
        return _with(mean / deviation, lambda: self._of_moments((d - mean) / deviation, counts, mean / deviation))

    def _of_moments(self, e: Floats, counts: NDArray[np.int64], centre: float) -> ConfidenceInterval:
        """The bootstrap of (centre + mean(e)) / sd(e), e the differences with mean 0 and standard deviation 1."""
        from exactperm.inference.bootstrap import DEFAULT_RESAMPLES
        from exactperm.inference.multinomial_bootstrap import resampled_rows

        def ratio(totals: Floats) -> Floats:
            number, total, squares = totals.T
            variance = (squares - total * total / number) / (number - 1)
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray((centre + total / number) / np.sqrt(np.where(variance > ROUNDING, variance, 0.0)))

        rows = np.column_stack([np.ones_like(e), e, e * e])
        number = DEFAULT_RESAMPLES if self.n_resamples is None else self.n_resamples
        return self._interval_of(resampled_rows(rows, counts, ratio, number, self.rng))

    def probability_of_superiority(self) -> EffectSize:
        """Of A over B, on a unit drawn at random; a tie counts half."""
        found = record(self.problem.effects, self.problem.metric)
        if found is None:
            return EffectSize(None, reason=self._nobody_wins)
        win, loss, tie = found
        estimate = (win + tie / 2) / sum(found)
        return _with(estimate, lambda: self._of_signs(win, loss, tie, estimate))

    def _of_signs(self, win: int, loss: int, tie: int, estimate: float) -> ConfidenceInterval:
        """(1 + mean sign) / 2, by the exact bootstrap of the mean sign."""
        from exactperm import metrics

        signs = Problem(Effects.from_counts({1: win, -1: loss, 0: tie}), metrics.get("mean"), "two-sided")
        low, high = confidence_interval(signs, self.level, "BCa")
        return self._interval(((1 + low) / 2, (1 + high) / 2), estimate, "BCa", exact=True)

    def _interval_of(self, drawn: Any) -> ConfidenceInterval:
        tail = (1 - self.level) / 2
        ends = drawn.interval("BCa", tail, tail)
        return self._interval(ends, drawn.estimate, "BCa", exact=False, drawn=drawn)

    def _interval(
        self, ends: tuple[float, float], estimate: float, method: str, *, exact: bool, drawn: Any = None
    ) -> ConfidenceInterval:
        return ConfidenceInterval(
            *ends,
            estimate=estimate,
            confidence_level=self.level,
            alternative="two-sided",
            method=method,
            exact=exact,
            tolerance=0.0,
            n_resamples=None if drawn is None else drawn.values.size,
            seed=None if drawn is None else drawn.seed,
        )


def _with(estimate: float, interval: Callable[[], ConfidenceInterval]) -> EffectSize:
    """An estimate with its interval, or with the reason why there is none; arguments have been checked before."""
    try:
        return EffectSize(estimate, interval())
    except ValueError as error:
        return EffectSize(estimate, reason=str(error))


def _worded(name: str) -> str:
    return name.replace("_", " ")


def _cells(size: EffectSize) -> list[str]:
    if size.estimate is None:
        return ["not defined", "", "", ""]
    ends = ["", "", "none defined"] if size.interval is None else [*map(_number, size.interval), size.interval.method]
    return [_number(size.estimate), *ends]


def _number(x: float) -> str:
    return f"{x:.4g}"
