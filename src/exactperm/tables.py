"""Tables as text, Markdown and LaTeX, from rows of cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

__all__ = ["Table", "decimals", "latex", "latex_pvalue", "markdown", "plain"]

Rows = Sequence[Sequence[str]]
#: a head, rows, and the number of columns at the left that are names
Table = tuple[list[str], list[list[str]], int]

_WORDS = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
_ESCAPES = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"} | _WORDS)


def plain(head: Sequence[str], rows: Rows, left: int) -> str:
    """Columns padded to their widest cell, the first `left` of them set left, the others right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = (
        "  ".join(
            cell.ljust(width) if i < left or i == len(head) - 1 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in (head, *rows)
    )
    return "\n".join(line.rstrip() for line in lines)


def markdown(head: Sequence[str], rows: Rows, left: int) -> str:
    """A table with pipes."""
    rule = [":---" if i < left or i == len(head) - 1 else "---:" for i in range(len(head))]
    cells = ([cell.replace("|", "\\|") for cell in row] for row in (head, rule, *rows))
    return "\n".join("| " + " | ".join(row) + " |" for row in cells)


def latex(head: Sequence[str], rows: Rows, left: int) -> str:
    """A tabular for booktabs. Cells between dollar signs are mathematics, all others text."""
    alignment = "".join("l" if i < left or i == len(head) - 1 else "r" for i in range(len(head)))
    lines = [" & ".join(map(_escaped, row)) + r" \\" for row in (head, *rows)]
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


def _escaped(cell: str) -> str:
    if cell[:1] == cell[-1:] == "$" and len(cell) > 2:
        return cell
    if cell[:1] in ("+", "-") and cell[1:2].isdigit():
        return f"${cell}$"  # a minus, not a hyphen
    return cell.translate(_ESCAPES)


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
