"""The systems by rank: how far each is from the best (or the baseline), with intervals, scores and tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.ticker import MaxNLocator

from exactperm.pair import CORRECTIONS, Pair
from exactperm.report.plots import style, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactperm.comparison import Comparison

__all__ = ["ranking"]

#: corrections that bound the chance of any false claim, which simultaneous intervals match
ANY_FALSE_CLAIM = ("bonferroni", "holm", "hochberg", "hommel")
#: resamples of a bootstrap that should lie beyond each end of an interval, and their usual number
BEYOND, USUAL = 10, 9_999


class Gap(NamedTuple):
    """How far a system is from the reference, with an interval."""

    difference: float
    low: float
    high: float
    pair: Pair


def ranking(
    comparison: Comparison,
    ax: Axes | None = None,
    *,
    confidence_level: float | None = None,
    width: float = style.COLUMN,
) -> Axes:
    """Draw each system's difference from the best one, or from the baseline, with an interval.

    The interval is that of the difference (`TestResult.confidence_interval`), because intervals of single scores say
    nothing about systems that were compared on the same items. The best system is known only after looking, so the
    intervals are simultaneous: all pairs that were tested are covered together with probability 1 - alpha (Bonferroni).
    Filled markers: told apart from the reference by the adjusted test. Right: the scores, and the tiers as letters.

    Parameters
    ----------
    comparison
        Of two or more systems.
    ax
        Where to draw; by default in a new figure.
    confidence_level
        Of each interval by itself; by default they are simultaneous, unless `correction` does not bound the chance of
        any false claim ("none", "bh", "by"): then each has 1 - alpha.
    width
        Of the new figure, in inches.
    """
    reference = comparison.ranking[0] if comparison.baseline is None else comparison.baseline
    level, said = _level(comparison, confidence_level)
    gaps = {name: _gap(comparison, name, reference, level) for name in comparison.ranking if name != reference}
    height = style.row_height(width) * (len(comparison.ranking) + 5)
    with style.canvas(ax, width, height) as axes:
        for y, name in enumerate(comparison.ranking):
            if name in gaps:
                _draw(axes, y, gaps[name])
        axes.axvline(0.0, color=style.BLACK, linewidth=style.scaled(0.8), zorder=0)
        axes.plot(0.0, comparison.ranking.index(reference), "D", color=style.BLACK)
        _limit(axes, list(gaps.values()))
        _label(axes, comparison, reference, said)
    return axes


def _level(comparison: Comparison, asked: float | None) -> tuple[float, str]:
    """The level of each interval, and what they are in words."""
    pairs = len(comparison.pairs)
    if asked is not None:
        return asked, f"{words.percent(asked)} interval each"
    overall = words.percent(1 - comparison.alpha)
    if pairs == 1:
        return 1 - comparison.alpha, f"{overall} interval"
    if comparison.correction in ANY_FALSE_CLAIM:
        return 1 - comparison.alpha / pairs, f"simultaneous {overall} intervals"
    return 1 - comparison.alpha, f"{overall} interval each"


def _gap(comparison: Comparison, name: str, reference: str, level: float) -> Gap:
    pair = next(pair for pair in comparison.pairs if {pair.a, pair.b} == {name, reference})
    resamples = max(USUAL, int(2 * BEYOND / (1 - level)))
    interval = pair.confidence_interval(level, n_resamples=resamples, rng=0)
    if pair.a == name:
        return Gap(pair.statistic, interval.low, interval.high, pair)
    return Gap(-pair.statistic, -interval.high, -interval.low, pair)


def _draw(ax: Axes, y: int, gap: Gap) -> None:
    """An interval with its marker: filled if the two were told apart."""
    colour = style.BLUE if gap.pair.significant else style.GREY
    ends = np.clip([gap.low, gap.high], -1e300, 1e300)
    ax.plot(ends, [y, y], color=colour, solid_capstyle="butt")
    ax.plot(gap.difference, y, "o", color=colour, markerfacecolor=colour if gap.pair.significant else "white")


def _limit(ax: Axes, gaps: list[Gap]) -> None:
    """Room for everything that is finite; what is not goes up to the edge."""
    ends = np.array([0.0, *(x for gap in gaps for x in gap[:3])])
    low, high = ends[np.isfinite(ends)].min(), ends[np.isfinite(ends)].max()
    margin = 0.06 * (high - low or 1.0)
    ax.set_xlim(low - margin, high + margin)
    ax.set_ylim(ax.get_ylim()[0], ax.get_ylim()[1])


def _label(ax: Axes, comparison: Comparison, reference: str, said: str) -> None:
    """Names at the left, scores and tiers at the right, and below what the axis is."""
    systems = comparison.ranking
    inches = style.width_of(ax)
    ax.set_yticks(range(len(systems)), words.fitted(systems, 0.45 * inches, "small"))
    ax.set_ylim(len(systems) - 0.4, -0.6)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color=style.PALE, linewidth=style.scaled(0.4), zorder=-1)
    ax.set_axisbelow(True)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    _score_column(ax, comparison)
    (name,), (metric,) = words.fitted([reference], 0.5 * inches), words.fitted([comparison.metric], 0.5 * inches)
    better = "" if comparison.higher_is_better else ", lower is better"
    ax.set_xlabel(f"difference in {metric} from {name}{better}\n{said}\n{_told_apart(comparison)}")


def _told_apart(comparison: Comparison) -> str:
    """What filled markers mean."""
    adjusted = (
        "" if comparison.correction == "none" or len(comparison.pairs) == 1 else CORRECTIONS[comparison.correction]
    )
    how = ", ".join(filter(None, (f"level {comparison.alpha:g}", adjusted)))
    return f"filled: told apart ({how})"


def _score_column(ax: Axes, comparison: Comparison) -> None:
    """Scores and letters as the labels of an axis at the right."""
    right = ax.secondary_yaxis("right")
    shown = ["  ".join(cell for cell in comparison.score_cells(name) if cell) for name in comparison.ranking]
    right.set_yticks(range(len(shown)), shown)
    right.tick_params(length=0, labelsize="small")
    right.spines["right"].set_visible(False)
