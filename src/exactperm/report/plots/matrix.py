"""The adjusted p-values of all pairs as a matrix, the systems by rank."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.patches import Patch, Rectangle

from exactperm.pair import CORRECTIONS, NOT_SHOWN, Pair, adjusted_as_known
from exactperm.report.plots import style, words
from exactperm.tables import latex_pvalue

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactperm.comparison import Comparison

__all__ = ["matrix"]


class Look(NamedTuple):
    """How a cell looks; a dot marks significance where there is no room for the number."""

    colour: str
    text: str
    bold: bool
    hatch: str
    label: str


#: the share of alpha up to which a p-value has each colour
SHADES = ((0.01, "#08306B", "white"), (0.1, "#3F7FBA", "white"), (1.0, "#A6C8E6", style.BLACK))
#: the smallest text in a cell, relative to that of the figure
SMALLEST = 0.6


def matrix(comparison: Comparison, ax: Axes | None = None, *, width: float = style.COLUMN) -> Axes:
    """Draw the adjusted p-value of every pair that was tested.

    Rows and columns are systems by rank, the best first; the number before a name is its column. Significant cells are
    coloured, the darker the smaller p, with the number in bold, or a dot where numbers have no room.

    Parameters
    ----------
    comparison
        Of two or more systems.
    ax
        Where to draw; by default in a new figure.
    width
        Of the new figure, in inches.
    """
    rows, columns = _order(comparison)
    cells = {_place(pair, comparison): pair for pair in comparison.pairs}
    height = style.row_height(width) * (len(rows) + 4.2)
    with style.canvas(ax, width, height) as axes:
        room = 0.5 * style.width_of(axes)
        rank = {name: i + 1 for i, name in enumerate(comparison.ranking)}
        names = words.fitted(rows, room, "small")
        axes.set_yticks(range(len(rows)), [f"{name}  {rank[key]}" for name, key in zip(names, rows, strict=True)])
        numbers = [str(rank[name]) for name in columns]
        axes.set_xticks(range(len(columns)), numbers)
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        for (row, column), pair in cells.items():
            _shade(axes, columns.index(column), rows.index(row), _look(pair))
        _explain(axes, comparison)
        _thin_out(axes, numbers)
        _write(axes, {(columns.index(column), rows.index(row)): pair for (row, column), pair in cells.items()})
    return axes


def _order(comparison: Comparison) -> tuple[list[str], list[str]]:
    """The systems of the rows and those of the columns."""
    ranked = list(comparison.ranking)
    if comparison.baseline is not None:
        return [name for name in ranked if name != comparison.baseline], [comparison.baseline]
    return (ranked, ranked[:-1]) if comparison.alternative == "two-sided" else (ranked, ranked)


def _place(pair: Pair, comparison: Comparison) -> tuple[str, str]:
    """Row and column: below the diagonal where the order of the two does not matter."""
    if comparison.baseline is not None or comparison.alternative != "two-sided":
        return pair.a, pair.b
    first, second = sorted((pair.a, pair.b), key=comparison.ranking.index)
    return second, first


def _look(pair: Pair) -> Look:
    if pair.significant:
        share, colour, text = next(x for x in SHADES if pair.pvalue_adjusted <= x[0] * pair.alpha or x[0] == 1)
        return Look(colour, text, True, "", rf"$p \leq$ {share * pair.alpha:.3g}")
    if pair.outcome in NOT_SHOWN:
        return Look("white", style.BLACK, False, "", rf"$p >$ {pair.alpha:.3g}")
    hatch = "////" if pair.outcome == "undecided" else "xxxx"
    return Look("white", style.BLACK, False, hatch, pair.outcome)


def _shade(ax: Axes, x: int, y: int, look: Look) -> None:
    edge = style.PALE
    ax.add_patch(
        Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=look.colour, edgecolor=edge, hatch=look.hatch, clip_on=False)
    )


def _explain(ax: Axes, comparison: Comparison) -> None:
    """A key to the colours that occur, and what the numbers are."""
    looks = {look.label: look for pair in sorted(comparison.pairs, key=_by_outcome) for look in [_look(pair)]}
    handles = [
        Patch(facecolor=look.colour, edgecolor=style.GREY, hatch=look.hatch, label=label)
        for label, look in looks.items()
    ]
    correction = comparison.correction
    how = "not adjusted" if correction == "none" or len(comparison.pairs) == 1 else f"{CORRECTIONS[correction]}"
    ax.legend(
        handles=handles,
        title=f"$p$ of {words.as_text(comparison.metric)}, {comparison.alternative}, {how}",
        title_fontsize="small",
        loc="upper right",
        bbox_to_anchor=(1.0, -0.02),
        ncols=2,
        frameon=False,
        borderaxespad=0.2,
        handlelength=1.2,
        columnspacing=1.2,
    )


def _by_outcome(pair: Pair) -> tuple[bool, float]:
    return not pair.significant, pair.pvalue_adjusted


def _thin_out(ax: Axes, numbers: list[str]) -> None:
    """Leave out numbers of columns, evenly, where they would touch."""
    each = style.drawn_size(ax)[0] / len(numbers)
    step = math.ceil(1.3 * max(words.width_of(text, "small") for text in numbers) / each)
    ax.set_xticks(range(0, len(numbers), step), numbers[::step])


def _write(ax: Axes, cells: dict[tuple[int, int], Pair]) -> None:
    """The numbers if all of them have room, else a dot for those that are significant."""
    texts = {place: _number(pair) for place, pair in cells.items()}
    wide, high = style.drawn_size(ax)
    room = 0.85 * wide / _length(ax.get_xlim())
    tall = high / _length(ax.get_ylim())
    size = _size_that_fits(list(texts.values()), room, tall)
    for (x, y), pair in cells.items():
        look = _look(pair)
        if size:
            ax.text(x, y, texts[x, y], color=look.text, size=size, ha="center", va="center", clip_on=False)
        elif look.bold:
            ax.plot(x, y, "o", color=look.text, markersize=72 * 0.25 * min(room, tall))


def _number(pair: Pair) -> str:
    """The adjusted p-value as mathematics, bold if significant."""
    text = latex_pvalue(adjusted_as_known(pair))
    return rf"$\mathbf{{{text[1:-1]}}}$" if pair.significant else text


def _length(limits: tuple[float, float]) -> float:
    return abs(limits[1] - limits[0])


def _size_that_fits(texts: list[str], room: float, tall: float) -> float | None:
    """The size in points at which the widest text fits a cell; None if it would be too small to read."""
    size = words.points("small")
    widest = max(words.width_of(text, size, mathematics=True) for text in texts)
    fitting = size * min(1.0, room / max(widest, 1e-9), 0.8 * tall * 72 / size)
    return fitting if fitting >= SMALLEST * words.points("medium") else None
