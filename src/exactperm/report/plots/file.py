"""Plots as files: png, svg and pdf, the same bytes every time, and whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from exactperm.report.plots.style import figure_of
from exactperm.whole_file import check_folder, whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FORMATS", "check_path", "save"]

#: by suffix, with the metadata that would name the day
FORMATS: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
#: pixels per inch of png
DPI = 300
#: text in svg as shapes, the same everywhere; fonts in pdf as publishers ask for them
SETTINGS: Any = {"svg.hashsalt": "exactperm", "svg.fonttype": "path", "pdf.fonttype": 42}


def check_path(path: str | Path) -> Path:
    """Refuse a file that could not be written, before anything is drawn."""
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        given = f"not in {target.suffix}" if target.suffix else "and this name has no suffix"
        raise ValueError(f"{target}: a plot is a file that ends in .png, .svg or .pdf, {given}")
    check_folder(target)
    return target


def save(ax: Axes, path: str | Path, *, dpi: float = DPI) -> None:
    """Write the figure around axes to a file, as png, svg or pdf by its suffix.

    Parameters
    ----------
    ax
        What a plot returned.
    path
        The file; one that is there is replaced as a whole or not at all.
    dpi
        Pixels per inch of png.
    """
    target = check_path(path)
    suffix = target.suffix.lower()
    with mpl.rc_context(SETTINGS), whole_file(target) as file:
        figure_of(ax).savefig(file, format=suffix[1:], dpi=dpi, metadata=FORMATS[suffix])
