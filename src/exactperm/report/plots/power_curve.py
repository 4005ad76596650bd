"""The power of a test against the number of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from exactperm.report.plots import style, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["power_curve"]


def power_curve(curve: Any, ax: Axes | None = None, *, power: float = 0.8, width: float = style.COLUMN) -> Axes:
    """Draw power against the number of items, with what is certain of it, and where it reaches the power wanted.

    Parameters
    ----------
    curve
        What `exactperm.power` returned for several numbers of items: `n`, `power`, and `interval`, `low` to `high`.
    ax
        Where to draw; by default in a new figure.
    power
        The power wanted, between 0 and 1.
    width
        Of the new figure, in inches.
    """
    if not 0 < power < 1:
        raise ValueError(f"power must be between 0 and 1, not {power!r}")
    n, found, low, high = (np.atleast_1d(x) for x in (curve.n, curve.power, curve.interval.low, curve.interval.high))
    if not n.size or not n.shape == found.shape == low.shape == high.shape:
        raise ValueError(f"curve needs as many values of power and interval as of n; got {n.size} and {found.size}")
    order = np.argsort(n, kind="stable")
    n, found, low, high = (x[order].astype(np.float64) for x in (n, found, low, high))
    with style.canvas(ax, width, 0.68 * width) as axes:
        axes.fill_between(n, low, high, color=style.BLUE, alpha=0.25, linewidth=0)
        axes.plot(n, found, "o-", color=style.BLUE, clip_on=False, zorder=3)
        axes.axhline(power, color=style.VERMILION, linestyle="--")
        axes.set_ylim(0, 1)
        axes.set_xlabel("number of items")
        axes.set_ylabel("power")
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: words.percent(share)))
        axes.set_title(_reached(n, found, power), loc="left", fontsize="medium")
    return axes


def _reached(n: Any, found: Any, power: float) -> str:
    """From which number of items on the power wanted is there."""
    enough = found >= power
    if not enough[-1]:
        return f"{words.percent(power)} power is not reached with {n[-1]:,.0f} items"
    last_short = np.flatnonzero(~enough)
    first = 0 if not last_short.size else int(last_short[-1]) + 1
    return f"{words.percent(power)} power from {n[first]:,.0f} items on"
