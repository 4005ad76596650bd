"""Each system's difference from the best one, or from the baseline, as a dot on a line with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from exactperm import tables
from exactperm.report.html.intervals import Found

if TYPE_CHECKING:
    from exactperm.comparison import Comparison

__all__ = ["Forest", "differences"]

#: the size of a picture, and what is kept free at its sides
WIDTH, HEIGHT, MARGIN = 240, 22, 8


class Range(NamedTuple):
    """A difference with its interval, whose ends may be infinite or unknown (NaN)."""

    value: float
    low: float
    high: float


class Forest(NamedTuple):
    """The differences by system, on a scale that all of them share."""

    ranges: Mapping[str, Range]
    low: float
    high: float
    decimals: int

    def of(self, name: str) -> float | None:
        """The difference of a system; None for the one that all are compared with."""
        return self.ranges[name].value if name in self.ranges else None

    def cell(self, name: str) -> str:
        """The picture, and the numbers."""
        if name not in self.ranges:
            return '<span class="reference">reference</span>'
        shown = self.ranges[name]
        return f'{self._picture(shown)}<span class="figures">{self._words(shown)}</span>'

    def _words(self, shown: Range) -> str:
        value = _signed(shown.value, self.decimals)
        if math.isnan(shown.low):
            return value
        return f"{value} [{_signed(shown.low, self.decimals)}, {_signed(shown.high, self.decimals)}]"

    def _picture(self, shown: Range) -> str:
        middle, dot, zero = HEIGHT / 2, self._x(shown.value), self._x(0.0)
        line = ""
        if not math.isnan(shown.low):
            line = f'<path class="range" d="M{self._x(shown.low)} {middle:g}H{self._x(shown.high)}"/>'
        return (
            f'<svg class="dots" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">'
            f'<path class="zero" d="M{zero} 0V{HEIGHT}"/>{line}<circle class="dot" cx="{dot}" cy="{middle:g}" r="4"/>'
            "</svg>"
        )

    def _x(self, value: float) -> str:
        inside = min(max(value, self.low), self.high)
        share = (inside - self.low) / (self.high - self.low)
        return f"{MARGIN + share * (WIDTH - 2 * MARGIN):.1f}"


def _signed(value: float, decimals: int) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:+.{decimals}f}".replace("-", "−")


def differences(comparison: Comparison, found: Sequence[Found]) -> Forest:
    """The pairs with the best system, or with the baseline, each as system minus reference."""
    reference = comparison.baseline if comparison.baseline is not None else comparison.ranking[0]
    ranges = {}
    for pair, each in zip(comparison.ranked_pairs, found, strict=True):
        if reference not in (pair.a, pair.b) or math.isnan(pair.statistic):
            continue
        low, high = (math.nan, math.nan) if each.interval is None else each.interval
        turned = pair.a == reference
        shown = Range(-pair.statistic, -high, -low) if turned else Range(pair.statistic, low, high)
        ranges[pair.b if turned else pair.a] = shown
    ends = [0.0, *(x for shown in ranges.values() for x in shown if math.isfinite(x))]
    decimals = tables.decimals(shown.value for shown in ranges.values())
    return Forest(ranges, min(ends), max(ends) if max(ends) > min(ends) else min(ends) + 1.0, decimals)
