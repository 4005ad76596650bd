"""Running time against the number of items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from exactperm.report.plots import style, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["runtime"]


def runtime(series: Mapping[str, tuple[Any, Any]], ax: Axes | None = None, *, width: float = style.COLUMN) -> Axes:
    """Draw the seconds that several methods took against the number of items, both on logarithmic scales.

    Parameters
    ----------
    series
        From the name of a method to its numbers of items and its seconds, two arrays of one length.
    ax
        Where to draw; by default in a new figure.
    width
        Of the new figure, in inches.
    """
    if not 0 < len(series) <= len(style.SERIES):
        raise ValueError(f"series must hold 1 to {len(style.SERIES)} methods to be told apart; got {len(series)}")
    with style.canvas(ax, width, 0.85 * width) as axes:
        labels = words.fitted(list(series), 0.9 * style.width_of(axes), "small")
        for label, (name, data), look in zip(labels, series.items(), style.SERIES, strict=False):
            n, seconds = _checked(name, *data)
            colour, dashes, marker = look
            axes.plot(n, seconds, color=colour, linestyle=dashes, marker=marker, label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("number of items")
        axes.set_ylabel("seconds")
        axes.grid(color=style.PALE, linewidth=style.scaled(0.4))
        axes.set_axisbelow(True)
        _key(axes, labels)
    return axes


def _checked(name: str, n: Any, seconds: Any) -> tuple[Any, Any]:
    n, seconds = np.atleast_1d(n).astype(np.float64), np.atleast_1d(seconds).astype(np.float64)
    if n.shape != seconds.shape or not n.size:
        raise ValueError(f"series[{name!r}] must be two arrays of one length; got {n.size} and {seconds.size} numbers")
    if not (n > 0).all() or not (seconds > 0).all():
        raise ValueError(f"series[{name!r}] must be positive to be drawn on logarithmic scales")
    order = np.argsort(n, kind="stable")
    return n[order], seconds[order]


def _key(ax: Axes, labels: list[str]) -> None:
    widest = max(words.width_of(label, "small") for label in labels)
    columns = 2 if 2 * widest < 0.7 * style.drawn_size(ax)[0] else 1
    style.key_above(ax, ax.get_lines(), columns).set(in_layout=True)
