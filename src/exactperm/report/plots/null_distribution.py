"""The null distribution with the observed value and the tail that is the p-value."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from exactperm.metrics.tails import looks_up
from exactperm.report.plots import style, words
from exactperm.report.plots.law import Law, law_of
from exactperm.result import TestResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["null_distribution"]

Floats = NDArray[np.float64]

#: steps of the drawn curve; up to so many values each has its own
STEPS = 140
#: where the law has fallen to this part of its top, the picture ends
VISIBLE = 1e-4
#: where the tail is lower than this part of the top, it cannot be seen but on a logarithmic scale
FLAT = 0.02
#: two values of the statistic this close, relative to the largest, are tied
TIE = 1e-9


def null_distribution(result: TestResult, ax: Axes | None = None, *, width: float = style.COLUMN) -> Axes:
    """Draw the law of the statistic under random exchange, the observed value, and the shaded tail, which is p.

    Far tails are on a logarithmic scale. Where there are very many values, a step shows the mean of several. Where the
    law cannot be tabulated (two dimensions, as for F1; real scores on no grid; more than 10^7 values), it is a
    histogram of random exchanges drawn with a fixed seed, and the axis says so.

    Parameters
    ----------
    result
        Of one test.
    ax
        Where to draw; by default in a new figure.
    width
        Of the new figure, in inches.
    """
    law = law_of(result)
    tie = TIE * float(np.abs(law.support).max(initial=abs(result.statistic)))
    bounds = _bounds(result, tie)
    edges = _edges(law, bounds, _window(law, result.statistic))
    heights = _heights(law, edges)
    extreme = _in_tail(result, (edges[1:] + edges[:-1]) / 2, bounds)
    log_scale = _is_flat(heights, extreme)
    with style.canvas(ax, width, 0.68 * width) as axes:
        base = _base(heights) if log_scale else 0.0
        shown = np.maximum(heights / math.log(10), base) if log_scale else np.exp(heights)
        axes.stairs(shown, edges, baseline=base, fill=True, color=style.PALE)
        axes.stairs(np.where(extreme, shown, base), edges, baseline=base, fill=True, color=style.VERMILION)
        axes.axvline(result.statistic, color=style.BLACK, linestyle="--")
        axes.set_xlim(edges[0], edges[-1])
        axes.set_ylim(base, base + 1.05 * (shown.max() - base))
        _label(axes, result, law, log_scale)
        shaded = "shaded: " if np.isfinite(heights[extreme]).any() else ""  # no sample may be as extreme
        axes.set_title(f"{shaded}{words.pvalue(result)}", loc="right", fontsize="medium", color=style.VERMILION)
    return axes


def _bounds(result: TestResult, tie: float) -> list[float]:
    """Where the tail begins: one value, or for both tails two."""
    if result.alternative == "two-sided":
        reach = abs(result.statistic) - tie
        return [-reach, reach] if reach > 0 else []
    upper = looks_up(result.alternative, result.higher_is_better)
    return [result.statistic - tie] if upper else [result.statistic + tie]


def _in_tail(result: TestResult, values: Floats, bounds: list[float]) -> NDArray[np.bool_]:
    """Whether values are at least as extreme as the one observed."""
    if not bounds:
        return np.ones(values.shape, dtype=np.bool_)
    if len(bounds) == 2:
        return np.asarray((values <= bounds[0]) | (values >= bounds[1]))
    return np.asarray(values >= bounds[0] if bounds[0] < result.statistic else values <= bounds[0])


def _window(law: Law, observed: float) -> tuple[float, float]:
    """As far as the law can be seen, and a little beyond the observed value."""
    top = law.log_probabilities.max()
    seen = law.support[law.log_probabilities > top + math.log(VISIBLE)]
    reach = max(float(np.abs(seen - law.centre).max()), 1.08 * abs(observed - law.centre))
    return law.centre - reach, law.centre + reach


def _edges(law: Law, bounds: list[float], window: tuple[float, float]) -> Floats:
    """Edges of steps: between all values if they are few, else evenly between the ends of the tails."""
    low, high = window
    near = law.support[(law.support >= low) & (law.support <= high)]
    if near.size <= STEPS and law.draws is None:
        gap = np.diff(near).min() if near.size > 1 else max(high - law.centre, 1.0)
        return np.concatenate([[near[0] - gap / 2], (near[1:] + near[:-1]) / 2, [near[-1] + gap / 2]])
    fixed = [low, *(x for x in bounds if low < x < high), high]
    parts = [
        np.linspace(start, end, max(1, round(STEPS * (end - start) / (high - low))), endpoint=False)
        for start, end in pairwise(fixed)
    ]
    return np.concatenate([*parts, [high]])


def _heights(law: Law, edges: Floats) -> Floats:
    """The logarithm of the mean probability of the values in each step; of sampled ones, of their share."""
    ends = np.searchsorted(law.support, edges)
    ends[-1] = np.searchsorted(law.support, edges[-1], side="right")
    return np.array([_log_mean(law.log_probabilities[i:j], law.draws is not None) for i, j in pairwise(ends.tolist())])


def _log_mean(logs: Floats, whole: bool) -> float:
    """The logarithm of the mean of exp(logs), or of their sum."""
    if not logs.size:
        return -math.inf
    top = float(logs.max())
    total = float(np.exp(logs - top).sum())
    return top + math.log(total if whole else total / logs.size)


def _is_flat(heights: Floats, extreme: NDArray[np.bool_]) -> bool:
    """Whether the tail would vanish on a linear scale."""
    tail = heights[extreme]
    return not tail.size or tail.max() < heights.max() + math.log(FLAT)


def _base(heights: Floats) -> float:
    """The foot of a logarithmic scale, so far under everything that is drawn that the lowest step can be seen."""
    drawn = heights[np.isfinite(heights)] / math.log(10)
    return float(drawn.min() - 0.06 * max(drawn.max() - drawn.min(), 1.0))


def _label(ax: Axes, result: TestResult, law: Law, log_scale: bool) -> None:
    """Say what is what."""
    ax.set_ylabel("probability" if law.draws is None else "share of the sample")
    ax.set_title(f"observed {words.number(result.statistic)}", loc="left", fontsize="medium", color=style.BLACK)
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=log_scale))
    if log_scale:
        ax.yaxis.set_major_formatter(FuncFormatter(_power_of_ten))
    room = style.drawn_size(ax)[0]
    (metric,) = words.fitted([result.metric], 0.3 * room)
    left = 0.98 * room - words.width_of(f"difference in {metric},  {words.MINUS} ,")
    a, b = words.fitted(words.systems_of(result), left / 2)
    how = "outputs exchanged at random" if law.draws is None else f"{law.draws:,} random exchanges (a sample)"
    ax.set_xlabel(f"difference in {metric}, {a} {words.MINUS} {b},\n{how}")


def _power_of_ten(exponent: float, _: Any) -> str:
    return f"$10^{{{exponent:.0f}}}$"
