"""Who is ahead where: the differences of all items, sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.metrics.base import Metric
from exactperm.metrics.comparison import Comparison, compare
from exactperm.metrics.frame import observed_totals
from exactperm.report.plots import style, words
from exactperm.report.plots.law import problem_behind
from exactperm.result import TestResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Differences", "differences", "differences_of"]

Floats = NDArray[np.float64]


class Differences(NamedTuple):
    """Distinct differences in decreasing order, and how many items (or groups) have each."""

    values: Floats
    counts: NDArray[np.int64]


def differences(result: TestResult, ax: Axes | None = None, *, width: float = style.COLUMN) -> Axes:
    """Draw the difference of the two systems on every item, from the largest gain of A to the largest of B.

    For a mean it is the difference of the scores, added up over a group. For any other metric an item has no score of
    its own: there it is half of what the difference of the two systems changes by when the outputs of the item are
    exchanged, which for a mean is the same up to the number of items.

    Parameters
    ----------
    result
        Of one test.
    ax
        Where to draw; by default in a new figure.
    width
        Of the new figure, in inches.
    """
    found = differences_of(result)
    ends = np.concatenate([[0], np.cumsum(found.counts)])
    better = found.values * (1 if result.higher_is_better else -1)
    with style.canvas(ax, width, 0.72 * width) as axes:
        for side, colour in ((better > 0, style.BLUE), (better < 0, style.ORANGE)):
            axes.stairs(np.where(side, found.values, 0.0), ends, fill=True, color=colour)
        axes.axhline(0.0, color=style.BLACK, linewidth=style.scaled(0.8))
        tied = ends[:-1][better == 0], ends[1:][better == 0]
        axes.hlines(np.zeros(len(tied[0])), *tied, color=style.GREY, linewidth=style.scaled(3))
        axes.set_xlim(0, max(int(ends[-1]), 1))
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        _label(axes, result, better, found.counts)
    return axes


def differences_of(result: TestResult) -> Differences:
    """The differences A minus B, from the effects alone, however many items there are."""
    problem = problem_behind(result)
    effects = problem.effects
    of_plus, of_minus = _differences(problem.metric.form(effects.names), effects)
    values = np.concatenate([of_plus, of_minus, [0.0]])
    if problem.tasks:  # an item weighs what its task does: its share in the average
        values = values / effects.n_items
    counts = np.concatenate([effects.n_plus, effects.n_minus, [effects.n_tied]])
    order = np.argsort(-values, kind="stable")
    order = order[counts[order] > 0]
    return Differences(values[order], counts[order])


def _differences(metric: Metric, effects: Effects) -> tuple[Floats, Floats]:
    """What each distinct effect is worth in A's favour, and what its opposite is."""
    if metric.additive:
        worth = np.array([float(x * effects.unit * metric.scale) for x in effects.values[:, 0].tolist()])
        return worth, -worth
    comparison, totals = compare(metric, effects), observed_totals(effects)
    worth = effects.values.astype(np.float64)
    return _halves(comparison, totals, worth), _halves(comparison, totals, -worth)


def _halves(comparison: Comparison, totals: tuple[tuple[int, ...], tuple[int, ...]], worth: Floats) -> Floats:
    """Half of what the statistic loses when an item with each of these effects is exchanged."""
    a, b = (np.array(x, dtype=np.float64) for x in totals)
    before = comparison.statistic(list(a[:, None]), list(b[:, None]))
    return np.asarray(before - comparison.statistic(list((a - worth).T), list((b + worth).T))) / 2


def _label(ax: Axes, result: TestResult, better: Floats, counts: NDArray[np.int64]) -> None:
    """Count who is ahead, and say what is drawn."""
    additive = problem_behind(result).metric.additive and not problem_behind(result).tasks
    unit = "items" if result.n_groups == result.n_items else "groups"
    room = style.drawn_size(ax)[0]
    a, b = words.fitted(words.systems_of(result), 0.45 * room, "small")
    sides = ((better > 0, a, style.BLUE), (better == 0, "", style.GREY), (better < 0, b, style.ORANGE))
    texts = [
        f"{name} better: {counts[side].sum():,}" if name else f"tied: {counts[side].sum():,}" for side, name, _ in sides
    ]
    one_row = sum(words.width_of(text, "small") for text in texts) < 0.7 * room
    handles = [Patch(color=colour, label=text) for (_, _, colour), text in zip(sides, texts, strict=True)]
    style.key_above(ax, handles, 3 if one_row else 1)
    a, b = words.fitted(words.systems_of(result), 0.42 * style.drawn_size(ax)[1])
    ax.set_xlabel(f"{unit}, sorted by difference")
    what = "difference in" if additive else "share in the difference in"
    ax.set_ylabel(f"{what} {words.as_text(result.metric)},\n{a} {words.MINUS} {b}")
