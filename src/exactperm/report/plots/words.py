"""Names and numbers as a plot can show them: as text, never as mathematics, and no longer than there is room."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from exactperm.pair import as_known
from exactperm.result import TestResult
from exactperm.tables import latex_pvalue

__all__ = ["as_text", "fitted", "number", "percent", "points", "pvalue", "systems_of", "width_of"]

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
#: keeps what stands beside a name that is written from right to left at its side
MARK = "\N{LEFT-TO-RIGHT MARK}"
MINUS = "\N{MINUS SIGN}"


def as_text(name: str) -> str:
    """A name in one line, without what would move other text about or be taken for mathematics."""
    clean = _clean(name).replace("$", r"\$")
    rightward = any(unicodedata.bidirectional(c) in ("R", "AL") for c in clean)
    return f"{MARK}{clean}{MARK}" if rightward else clean


def _clean(name: str) -> str:
    """Without line breaks, control characters, and marks that change the direction of what comes after."""
    spaced = " ".join(str(name).split())
    kinds = ((c, unicodedata.category(c)) for c in spaced)
    return "".join("\N{REPLACEMENT CHARACTER}" if kind in ("Cc", "Cs") else c for c, kind in kinds if kind != "Cf")


def width_of(text: str, size: str | float = "medium", *, mathematics: bool = False) -> float:
    """The width of text (or of mathematics between dollar signs) in inches, at a size of the present settings."""
    font = FontProperties(family=mpl.rcParams["font.family"], size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=mathematics)
    return float(width) / 72


def fitted(names: Sequence[str], room: float, size: str | float = "medium") -> list[str]:
    """Names as text, those wider than the room (in inches) shortened in the middle, and still all different."""
    short = [_shortened(_clean(name), room, size) for name in names]
    seen, repeated = Counter[str](), Counter(short)
    for i, name in enumerate(short):
        if repeated[name] > 1 and name != _clean(names[i]):
            seen[name] += 1
            mark = f" ({seen[name]})"
            short[i] = _shortened(_clean(names[i]), room - width_of(mark, size), size) + mark
    return [as_text(name) for name in short]


def _shortened(name: str, room: float, size: str | float) -> str:
    """As much of both ends of a name as there is room for, by bisection."""
    if width_of(name, size) <= room:
        return name
    low, high = 2, len(name) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width_of(_ends(name, middle), size) <= room else (low, middle - 1)
    return _ends(name, low)


def _ends(name: str, kept: int) -> str:
    return name[: kept - kept // 2] + ELLIPSIS + name[len(name) - kept // 2 :]


def number(x: float, digits: int = 4) -> str:
    """A signed number with a true minus sign."""
    return f"{x:+.{digits}g}".replace("-", MINUS) if x else "0"


def percent(share: float) -> str:
    """A share in per cent, without digits that only rounding made."""
    return f"{100 * share:.6g} %"


def pvalue(result: TestResult) -> str:
    """What is known of a p-value, as mathematics."""
    known = latex_pvalue(as_known(result))
    return f"$p$ {known}" if known.startswith((r"$\approx", "$<")) else f"$p$ = {known}"


def systems_of(result: TestResult) -> tuple[str, str]:
    """The names of the two systems, A and B where they have none."""
    return getattr(result, "a", "A"), getattr(result, "b", "B")


def points(size: str) -> float:
    """A size of text of the present settings in points."""
    return float(FontProperties(size=size).get_size_in_points())
