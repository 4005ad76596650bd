"""Plots by name, for the `plot` methods of results and for the command line."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from exactperm.report.plots import style
from exactperm.report.plots.differences import differences
from exactperm.report.plots.matrix import matrix
from exactperm.report.plots.null_distribution import null_distribution
from exactperm.report.plots.ranking import ranking
from exactperm.result import TestResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactperm.comparison import Comparison

__all__ = ["OF_COMPARISON", "OF_RESULT", "plot_comparison", "plot_result"]

#: of one test
OF_RESULT: dict[str, Callable[..., Axes]] = {"null": null_distribution, "differences": differences}
#: of several systems
OF_COMPARISON: dict[str, Callable[..., Axes]] = {"ranking": ranking, "matrix": matrix}


def plot_result(result: TestResult, ax: Axes | None, kind: str, width: float | None) -> Axes:
    """Draw one test."""
    _refuse_path(ax)
    if kind not in OF_RESULT:
        raise ValueError(f"kind must be one of {', '.join(OF_RESULT)} for one test; not {kind!r}")
    return OF_RESULT[kind](result, ax, width=style.COLUMN if width is None else width)


def plot_comparison(comparison: Comparison, ax: Axes | None, kind: str | None, width: float | None) -> Axes:
    """Draw a comparison; of two systems also what can be drawn of their test."""
    _refuse_path(ax)
    chosen = _usual(comparison) if kind is None else kind
    if chosen in OF_RESULT and len(comparison.pairs) == 1:
        return plot_result(comparison.pairs[0], ax, chosen, width)
    if chosen in OF_RESULT:
        raise ValueError(f"kind={kind!r} is about one pair, and here are {len(comparison.pairs)}; plot one of .pairs")
    if chosen not in OF_COMPARISON:
        kinds = [*OF_COMPARISON, *(OF_RESULT if len(comparison.pairs) == 1 else [])]
        raise ValueError(f"kind must be one of {', '.join(kinds)} for these systems; not {kind!r}")
    return OF_COMPARISON[chosen](comparison, ax, width=style.COLUMN if width is None else width)


def _usual(comparison: Comparison) -> str:
    return "null" if len(comparison.pairs) == 1 else "ranking"


def _refuse_path(ax: object) -> None:
    """A path instead of axes is a slip that matplotlib would not explain."""
    if isinstance(ax, str | os.PathLike):
        raise TypeError(
            f"ax must be matplotlib axes, not the path {os.fspath(ax)!r}; to write a file use "
            "exactperm.report.plots.save(result.plot(), path)"
        )
