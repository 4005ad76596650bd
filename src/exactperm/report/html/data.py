"""What a page embeds: for each pair what its panel shows, as JSON that no parser of HTML ends early."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from exactperm.metrics.tails import looks_up
from exactperm.pair import adjusted_as_known, as_known, in_a_word
from exactperm.report.html.histogram import Histogram, histogram
from exactperm.report.html.intervals import NO_DATA, Found
from exactperm.report.html.items import Telling, telling_items
from exactperm.result import finite, format_pvalue

if TYPE_CHECKING:
    from exactperm.comparison import Comparison
    from exactperm.pair import Pair

__all__ = ["as_script", "of_comparison"]

_UNSAFE = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def as_script(data: Any) -> str:
    """JSON for a script element: what could end the element, or a line of old JavaScript, is written as an escape."""
    return json.dumps(finite(data), allow_nan=False, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE)


def of_comparison(comparison: Comparison, found: Sequence[Found]) -> dict[str, Any]:
    """The pairs in the order of the ranking, with the names of the systems once."""
    place = {name: i for i, name in enumerate(comparison.ranking)}
    pairs = [
        {"a": place[pair.a], "b": place[pair.b], **_pair(pair, each, comparison)}
        for pair, each in zip(comparison.ranked_pairs, found, strict=True)
    ]
    return {
        "systems": comparison.ranking,
        "metric": comparison.metric,
        "tail": _tail(comparison),
        "higher": comparison.higher_is_better,
        "sums": _sums(comparison.pairs[0]),
        "pairs": pairs,
    }


def _tail(comparison: Comparison) -> str:
    """The side of the null distribution on which differences are as extreme as the observed one."""
    if comparison.alternative == "two-sided":
        return "both"
    return "upper" if looks_up(comparison.alternative, comparison.higher_is_better) else "lower"


def _sums(pair: Pair) -> list[str]:
    """The names of the sums of an item; none for a mean, whose items have one number."""
    if pair.problem is None or pair.problem.metric.form(pair.problem.effects.names).additive:
        return []
    return list(pair.problem.effects.names)


def _pair(pair: Pair, found: Found, comparison: Comparison) -> dict[str, Any]:
    items = [] if pair.problem is None else telling_items(pair.problem)
    return {
        "verdict": pair.verdict,
        "outcome": in_a_word(pair),
        "difference": pair.statistic,
        "scores": list(pair.scores),
        "p": as_known(pair),
        "adjusted": adjusted_as_known(pair) if comparison.is_adjusted else None,
        "bounds": [format_pvalue(x) for x in pair.log_pvalue_interval],
        "exact": pair.exact,
        "method": pair.method,
        "record": None if pair.wins is None else [pair.wins, pair.losses, pair.ties],
        "grouped": pair.n_groups != pair.n_items,
        "interval": _interval(found),
        "null": _null(pair),
        "items": [_item(item, comparison.labels) for item in items],
        "signature": pair.signature,
    }


def _interval(found: Found) -> Any:
    if found.interval is None:
        return found.reason
    return {"low": found.interval.low, "high": found.interval.high, "method": found.interval.method}


def _null(pair: Pair) -> dict[str, Any] | str:
    """The bars, or why there are none."""
    if pair.problem is None:
        return NO_DATA
    if len(pair.problem.sides) > 1:
        return "A test of equivalence has two null laws, one at each end of the margin; neither is drawn."
    bars = histogram(pair.problem)
    return "Every exchange gives the same difference; there is nothing to draw." if bars is None else _bars(bars)


def _bars(bars: Histogram) -> dict[str, Any]:
    """Shares in millionths, which is less than a pixel."""
    millionths = [round(share * 1e6) for share in bars.shares.tolist()]
    drawn = {"start": _short(bars.start), "width": _short(bars.width), "bars": millionths}
    return {**drawn, "drawn": bars.drawn, "points": bars.points}


def _item(item: Telling, labels: Sequence[Any] | None) -> list[Any]:
    label = f"#{item.label + 1}" if labels is None else str(labels[item.label])
    return [label, [_short(x) for x in item.a], [_short(x) for x in item.b], _short(item.weight)]


def _short(x: float) -> float | str:
    """Eight significant digits; integers too long for a double as text."""
    if isinstance(x, int):
        return x if abs(x) < 2**53 else str(x)
    return float(f"{x:.8g}") if math.isfinite(x) else x
