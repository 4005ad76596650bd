"""Tables as text, Markdown and LaTeX, from rows of cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["Table", "cells", "csv", "decimals", "is_words", "latex", "latex_pvalue", "markdown", "plain"]

Rows = Sequence[Sequence[str]]
#: a head, rows, and the number of columns at the left that are names
Table = tuple[list[str], list[list[str]], int]

#: titles of columns of words
WORDS = ("tier", "outcome")
_LATEX_WORDS = {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_LATEX = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"} | _LATEX_WORDS)
_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\`*<>|"})


def is_words(head: Sequence[str], i: int, left: int) -> bool:
    """Whether a column holds words: the first `left` hold names, and some say so in their title."""
    return i < left or head[i] in WORDS


def cells(text: str) -> int:
    """The columns that a text takes on a terminal, where some characters take two and some none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def plain(head: Sequence[str], rows: Rows, left: int) -> str:
    """Columns padded to their widest cell, names and words set left, numbers right."""
    widths = [max(map(cells, column)) for column in zip(head, *rows, strict=True)]
    lines = (
        "  ".join(
            cell + " " * (width - cells(cell)) if is_words(head, i, left) else " " * (width - cells(cell)) + cell
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in (head, *rows)
    )
    return "\n".join(line.rstrip() for line in lines)


def markdown(head: Sequence[str], rows: Rows, left: int) -> str:
    """A table with pipes."""
    rule = [":---" if is_words(head, i, left) else "---:" for i in range(len(head))]
    cells = ([*map(_markdown_text, row[:left]), *row[left:]] for row in rows)
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *cells))


def _markdown_text(name: str) -> str:
    """A name in one line, without what Markdown would take for a sign of its own."""
    return " ".join(name.split()).translate(_MARKDOWN)


def csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Comma-separated values, quoted where they have to be; None and NaN are empty."""
    from csv import DictWriter
    from io import StringIO

    file = StringIO()
    writer = DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: None if _is_nan(value) else value for key, value in row.items()} for row in rows)
    return file.getvalue()


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def latex(head: Sequence[str], rows: Rows, left: int) -> str:
    """A tabular for booktabs. Names are text; of the other cells those between dollar signs are mathematics."""
    alignment = "".join("l" if is_words(head, i, left) else "r" for i in range(len(head)))
    cells = ([*map(_latex_text, row[:left]), *map(_latex_value, row[left:])] for row in (head, *rows))
    lines = [" & ".join(row) + r" \\" for row in cells]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _latex_text(text: str) -> str:
    return " ".join(text.split()).translate(_LATEX)


def _latex_value(cell: str) -> str:
    if cell[:1] == cell[-1:] == "$" and len(cell) > 2:
        return cell
    if cell[:1] in ("+", "-") and cell[1:2].isdigit():
        return f"${cell}$"  # a minus, not a hyphen
    return _latex_text(cell)


def latex_pvalue(p: str) -> str:
    """A p-value as it was formatted, with powers of ten written out."""
    sign = {"~": r"\approx ", "<": "<"}.get(p[:1], "")
    number = p.lstrip("~<")
    mantissa, e, exponent = number.partition("e")
    if "^" in number:
        number = f"10^{{{number.partition('^')[2]}}}"
    elif e:
        number = rf"{mantissa}\cdot 10^{{{int(exponent)}}}"
    return f"${sign}{number}$"


def decimals(values: Iterable[float | None]) -> int:
    """Decimals with which the largest of some numbers has four significant digits, two or more."""
    sizes = [abs(x) for x in values if x is not None and math.isfinite(x) and x]
    return min(max(3 - math.floor(math.log10(max(sizes))), 2), 12) if sizes else 2
