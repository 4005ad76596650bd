"""How the plots look: sizes and colours, and the figure that is made where no axes are given.

Nothing of matplotlib is changed for others: a figure is made without pyplot, under settings that end with it. Axes that
are given keep the settings of whoever made them; sizes of text are relative to theirs.

Colours are those of Okabe and Ito (2008), which the colour-blind tell apart, chosen so that the ones that meet in a
plot also differ in luminance: they stay apart in grey.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib import style
from matplotlib.font_manager import fontManager
from matplotlib.legend import Legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "BLACK",
    "BLUE",
    "COLUMN",
    "GREY",
    "ORANGE",
    "PALE",
    "SERIES",
    "SLIDE",
    "VERMILION",
    "canvas",
    "drawn_size",
    "figure_of",
    "font_size",
    "key_above",
    "looks",
    "row_height",
    "scaled",
    "width_of",
]

#: the width of a column of a paper, and of a slide, in inches
COLUMN, SLIDE = 3.3, 10.0
#: sizes of text at these widths, in points; in between they grow evenly
COLUMN_FONT, SLIDE_FONT = 8.0, 16.0

BLACK, GREY, PALE = "#222222", "#8C8C8C", "#D0D0D0"
BLUE, ORANGE, VERMILION, GREEN, PURPLE, SKY = "#0072B2", "#E69F00", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"
#: colour, dashes and marker of each of several lines: every one differs in all three
SERIES: tuple[tuple[str, Any, str], ...] = (
    (BLUE, "-", "o"),
    (VERMILION, "--", "s"),
    (BLACK, ":", "^"),
    (GREEN, "-.", "D"),
    (PURPLE, (0, (5, 1, 1, 1, 1, 1)), "v"),
    (SKY, (0, (8, 2)), "P"),
    (ORANGE, (0, (1, 2)), "X"),
    (GREY, (0, (3, 3)), "*"),
)
#: fonts for what DejaVu Sans, which comes with matplotlib, has no letters for; taken where they are installed
OTHER_FONTS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "WenQuanYi Micro Hei", "PingFang SC", "Hiragino Sans",
    "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "Noto Sans Devanagari", "Arial Unicode MS",
)  # fmt: skip


def font_size(width: float) -> float:
    """The size of text, in points, for a figure of a width in inches."""
    share = (width - COLUMN) / (SLIDE - COLUMN)
    return COLUMN_FONT + max(share, 0.0) * (SLIDE_FONT - COLUMN_FONT)


def row_height(width: float) -> float:
    """The height of a row of text with some air, in inches."""
    return 1.7 * font_size(width) / 72


def looks(width: float) -> list[Any]:
    """The settings for a figure of a width, independent of those in force."""
    size = font_size(width)
    line = size / 10
    installed = {font.name for font in fontManager.ttflist}
    settings = {
        "font.family": ["DejaVu Sans", *(name for name in OTHER_FONTS if name in installed)],
        "font.size": size,
        "axes.labelsize": "medium",
        "axes.titlesize": "medium",
        "xtick.labelsize": "small",
        "ytick.labelsize": "small",
        "legend.fontsize": "small",
        "axes.linewidth": 0.8 * line,
        "lines.linewidth": 1.5 * line,
        "lines.markersize": 0.55 * size,
        "patch.linewidth": 0.8 * line,
        "hatch.linewidth": 0.6 * line,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": BLACK,
        "axes.labelcolor": BLACK,
        "text.color": BLACK,
        "xtick.color": BLACK,
        "ytick.color": BLACK,
        "axes.unicode_minus": True,
        "axes.formatter.use_mathtext": True,
        "axes.formatter.limits": (-4, 5),
        **{f"{axis}tick.major.{what}": value * line for axis in "xy" for what, value in (("width", 0.8), ("size", 3))},
        **{f"{axis}tick.minor.{what}": value * line for axis in "xy" for what, value in (("width", 0.5), ("size", 2))},
    }
    return ["default", settings]


@contextmanager
def canvas(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """The axes to draw into: those given, or those of a new figure of a size in inches."""
    if ax is not None:
        yield ax
        return
    from matplotlib.figure import Figure

    if not width > 0:
        raise ValueError(f"width must be a positive number of inches, not {width!r}")
    with style.context(looks(width)):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure.add_subplot()
        figure.draw_without_rendering()  # ticks are made when first drawn, and take the settings of that moment


def figure_of(ax: Axes) -> Figure:
    """The figure around axes, also where they are in a part of one."""
    part: Any = ax.figure
    figure: Figure = part.figure
    return figure


def width_of(ax: Axes) -> float:
    """The width of axes as they are now, in inches."""
    return float(ax.get_window_extent().width / figure_of(ax).dpi)


def drawn_size(ax: Axes) -> tuple[float, float]:
    """Width and height of axes once everything around them has its place, in inches."""
    figure = figure_of(ax)
    figure.draw_without_rendering()
    box = ax.get_window_extent()
    return box.width / figure.dpi, box.height / figure.dpi


def key_above(ax: Axes, handles: list[Any], columns: int) -> Legend:
    """A legend above the axes, where nothing is drawn."""
    return ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=columns,
        frameon=False,
        borderaxespad=0.2,
        handlelength=1.2,
        handletextpad=0.5,
        columnspacing=1.2,
    )


def scaled(points: float) -> float:
    """A length in points for text of ten points, as text of the present size needs it."""
    return points * float(mpl.rcParams["font.size"]) / 10
