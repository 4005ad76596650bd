"""Is a statistic at least the observed one? Exact where values are rational or roots.

`Ratios` compares values that are declared in integers: float64 with a proven error bound, and
`Surd` for the few totals where that does not decide. `Functions` compares what a Python function of
the totals returns, where two numbers within 1e-12 of each other, relative to the observed values,
are tied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.metrics.exact import MARGIN, ROUNDING, Approximate, Surd, exact_sum, quotient_sum
from exactperm.metrics.frame import observed_totals

if TYPE_CHECKING:
    from exactperm.metrics.base import Metric

__all__ = ["Comparison", "Functions", "Ratios", "compare", "values"]

Columns = list[NDArray[Any]]
Floats = NDArray[np.float64]
Truth = NDArray[np.bool_]
Scores = tuple[float | None, float | None, float]

#: values of functions that are not declared in integers count as tied within this, relative to the
#: observed ones
TIE = 1e-12


def compare(metric: Metric, effects: Effects) -> Comparison:
    """Compare with the observed statistic; refuses data for which it has no value."""
    a, b = observed_totals(effects)
    return Ratios.of(metric, a, b) if metric.ratio is not None else Functions.of(metric, a, b)


def values(metric: Metric, totals: Columns) -> Floats:
    """The metric at arrays of totals, in float64 and in the units of reports; NaN where it has no value."""
    totals = [np.asarray(column, dtype=np.float64) for column in totals]
    found = _quotients(metric, totals) if metric.ratio is not None else _call(metric, metric.value, totals)
    return found * metric.scale


@dataclass(frozen=True, eq=False)
class Ratios:
    """Values that are sums of quotients of integers."""

    metric: Metric
    a: Surd
    b: Surd
    observed: Surd

    @classmethod
    def of(cls, metric: Metric, a: tuple[int, ...], b: tuple[int, ...]) -> Ratios:
        """Both values, exactly."""
        values = []
        for system, totals in (("a", a), ("b", b)):
            if any(below < 0 for _, below in _terms(metric, totals)):
                raise ValueError(
                    f"ratio of metric {metric.name!r} has a negative denominator at {metric.shown(totals)}"
                )
            value = _exact(metric, totals)
            if value is None:
                raise ValueError(metric.no_value(f"the totals of {system}, {metric.shown(totals)}"))
            values.append(value)
        return cls(metric, values[0], values[1], values[0] - values[1])

    def scores(self) -> Scores:
        """A's value, B's value, their difference."""
        scale = Fraction(self.metric.scale)
        return (
            float(self.a.scaled(scale)),
            float(self.b.scaled(scale)),
            float((self.a - self.b).scaled(scale)),
        )

    def direction(self) -> int:
        """The sign of the observed statistic."""
        return self.observed.sign()

    def reflected(self) -> Ratios:
        """The comparison with the observed statistic negated."""
        return replace(self, observed=-self.observed)

    def decide(self, first: Columns, second: Columns) -> tuple[Truth, Truth]:
        """Tell where the statistic is at least the observed one, and where it has no value."""
        excess = self._approximate(first) - self._approximate(second) - self._target()
        truth = excess.value > 0
        # not (|x| > bound) instead of |x| <= bound, so that NaN counts as undecided
        undecided = np.flatnonzero(~(np.abs(excess.value) > excess.error * MARGIN))
        undefined = np.zeros(len(truth), dtype=np.bool_)
        if undecided.size:
            truth[undecided], undefined[undecided] = self._exactly(
                [column[undecided] for column in first], [column[undecided] for column in second]
            )
        return truth, undefined

    def _exactly(self, first: Columns, second: Columns) -> tuple[Truth, Truth]:
        rows = list(
            zip(
                *(column.tolist() for column in first),
                *(column.tolist() for column in second),
                strict=True,
            )
        )
        k = len(first)
        known: dict[tuple[int, ...], tuple[bool, bool]] = {}
        for row in rows:
            if row not in known:
                a, b = _exact(self.metric, row[:k]), _exact(self.metric, row[k:])
                undefined = a is None or b is None
                known[row] = (not undefined and (a - b - self.observed).sign() >= 0, undefined)  # type: ignore[operator]
        answers = np.array([known[row] for row in rows], dtype=np.bool_)
        return answers[:, 0], answers[:, 1]

    def _approximate(self, totals: Columns) -> Approximate:
        with np.errstate(all="ignore"):
            return quotient_sum(_terms(self.metric, [Approximate.of(column) for column in totals]), self.metric.root)

    def _target(self) -> Approximate:
        nearest = np.array(float(self.observed))
        return Approximate(nearest, np.abs(nearest) * ROUNDING)

    def statistic(self, first: Columns, second: Columns) -> Floats:
        """The statistic in float64, in the units of reports."""
        return self._difference(first, second) * self.metric.scale

    def excess(self, first: Columns, second: Columns) -> Floats:
        """The statistic less the observed one, in float64."""
        return self._difference(first, second) - float(self.observed)

    def _difference(self, first: Columns, second: Columns) -> Floats:
        first, second = ([column.astype(np.float64) for column in totals] for totals in (first, second))
        return _quotients(self.metric, first) - _quotients(self.metric, second)


@dataclass(frozen=True, eq=False)
class Functions:
    """Values, or an own statistic, that a vectorised Python function returns.

    `side` is for an own statistic h that is not antisymmetric: 1 for h >= observed, -1 for h <=
    observed, 0 for |h| >= |observed|. Everything else asks for statistic >= observed.
    """

    metric: Metric
    a: float | None
    b: float | None
    observed: float
    tie: float
    side: int = 1

    @classmethod
    def of(cls, metric: Metric, a: tuple[int, ...], b: tuple[int, ...]) -> Functions:
        """Evaluate at the observed totals, both ways round."""
        # two rows, so that a function that is not vectorised is found out
        first = [np.array([x, y], dtype=np.float64) for x, y in zip(a, b, strict=True)]
        second = [column[::-1] for column in first]
        if metric.h is None:
            values = _call(metric, metric.value, first)
            for system, value, totals in (("a", values[0], a), ("b", values[1], b)):
                if not np.isfinite(value):
                    raise ValueError(metric.no_value(f"the totals of {system}, {metric.shown(totals)}"))
            tie = TIE * float(np.abs(values).max())
            return cls(metric, float(values[0]), float(values[1]), float(values[0] - values[1]), tie)
        stay, swap = _call(metric, metric.h, [*first, *second]).tolist()
        if not np.isfinite(stay):
            raise ValueError(metric.no_value(f"the totals {metric.shown(a)} of a and {metric.shown(b)} of b"))
        if metric.antisymmetric and not abs(stay + swap) <= TIE * abs(stay):
            raise ValueError(
                f"h of metric {metric.name!r} is declared antisymmetric, "
                f"but with a and b exchanged it is {swap:g} and "
                f"not {-stay:g}; leave out antisymmetric=True"
            )
        return cls(metric, None, None, stay, TIE * abs(stay))

    def scores(self) -> Scores:
        """A's value, B's value, the statistic."""
        scale = self.metric.scale
        a, b = (None if x is None else x * scale for x in (self.a, self.b))
        return a, b, self.observed * scale

    def direction(self) -> int:
        """The sign of the observed statistic, 0 if it is tied with 0."""
        return 0 if abs(self.observed) <= self.tie else 1 if self.observed > 0 else -1

    def reflected(self) -> Functions:
        """The comparison with the observed statistic negated."""
        return replace(self, observed=-self.observed)

    def decide(self, first: Columns, second: Columns) -> tuple[Truth, Truth]:
        """Tell where the statistic is at least the observed one, and where it has no value."""
        excess = self.excess(first, second)
        return excess >= -self.tie, np.isnan(excess)

    def excess(self, first: Columns, second: Columns) -> Floats:
        """The statistic less the observed one."""
        found = self._evaluate(first, second)
        if self.side:
            return self.side * (found - self.observed)
        return np.abs(found) - abs(self.observed)

    def statistic(self, first: Columns, second: Columns) -> Floats:
        """The statistic in the units of reports."""
        return self._evaluate(first, second) * self.metric.scale

    def _evaluate(self, first: Columns, second: Columns) -> Floats:
        first = [column.astype(np.float64) for column in first]
        second = [column.astype(np.float64) for column in second]
        if self.metric.h is not None:
            return _call(self.metric, self.metric.h, [*first, *second])
        with np.errstate(invalid="ignore"):
            return _call(self.metric, self.metric.value, first) - _call(self.metric, self.metric.value, second)


Comparison = Ratios | Functions


def _quotients(metric: Metric, totals: Columns) -> Floats:
    """The value of a ratio in float64, without its scale."""
    terms = _terms(metric, totals)
    undefined = np.nan if metric.zero_division is None else float(metric.zero_division)
    total = np.zeros(totals[0].shape)
    with np.errstate(all="ignore"):
        for numerator, denominator in terms:
            below = np.sqrt(denominator) if metric.root else denominator
            total += np.where(denominator > 0, numerator / below, undefined / len(terms))
    return total


def _terms(metric: Metric, totals: Any) -> list[tuple[Any, Any]]:
    """The pairs (numerator, denominator) of a ratio."""
    try:
        found = metric.ratio(*totals)  # type: ignore[misc]
    except TypeError as error:
        raise ValueError(f"{_of_ratio(metric)}; it raised: {error}") from error
    terms = found if isinstance(found, list) else [found]
    if not terms or not all(isinstance(term, tuple) and len(term) == 2 for term in terms):
        raise ValueError(f"{_of_ratio(metric)}; it returned {found!r}")
    return terms


def _of_ratio(metric: Metric) -> str:
    return (
        f"ratio of metric {metric.name!r} must make a pair (numerator, denominator), or a list of pairs, from the "
        f"{len(metric.sums)} totals by +, - and * of integers"
    )


def _exact(metric: Metric, totals: tuple[int, ...]) -> Surd | None:
    terms = _terms(metric, totals)
    if not all(type(x) is int for term in terms for x in term):
        raise ValueError(f"{_of_ratio(metric)}; for {metric.shown(totals)} it returned {terms!r}")
    return exact_sum(terms, metric.root, metric.zero_division)


def _call(metric: Metric, function: Callable[..., Any] | None, columns: Columns) -> Floats:
    """Evaluate a user's function on arrays and check what comes back."""
    what = "value" if metric.h is None else "h"
    help_ = f"{what} of metric {metric.name!r} gets one array for each sum and must return one number for each entry"
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(function(*columns))  # type: ignore[misc]
    except (TypeError, ValueError) as error:
        raise ValueError(f"{help_} (use numpy functions, np.where instead of if); it raised: {error}") from error
    if found.shape != columns[0].shape:
        raise ValueError(f"{help_}; for shape {columns[0].shape} it returned shape {found.shape}")
    if found.dtype.kind not in "buif":
        raise ValueError(f"{help_}; it returned {found.dtype}")
    return found.astype(np.float64)
