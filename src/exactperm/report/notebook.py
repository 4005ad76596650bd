"""Results as small tables for notebooks: styles inline, colours of the notebook, so that dark themes hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from exactperm import tables

if TYPE_CHECKING:
    from exactperm.comparison import Comparison

__all__ = ["of_batch", "of_comparisons", "of_facts"]

_FRAME = "max-width:60em;line-height:1.5;margin:.4em 0"
_VERDICT = "font-weight:600;margin:0 0 .5em 0;padding-left:.7em;border-left:3px solid #2f7de1"
_TABLE = "color:inherit;border-collapse:collapse;margin:.2em 0 .8em 0"
_RULE = "border:0;border-bottom:1px solid rgba(127,127,127,.35)"
_CELL = f"padding:.2em .8em .2em 0;background:transparent;vertical-align:top;{_RULE}"
_FAINT = "opacity:.75"
_CODE = "font-size:.85em;overflow-wrap:anywhere;background:transparent"
#: rows of pairs that are shown
MOST_SHOWN = 30


def of_batch(text: str) -> str:
    """A batch of tests in a line."""
    return f"<pre>{escape(text)}</pre>"


def of_facts(verdict: str, facts: Iterable[tuple[str, str]]) -> str:
    """One test: its verdict, and then a row for each other fact."""
    rows = [
        f'<tr><th style="text-align:left;font-weight:400;{_FAINT};{_CELL}">{escape(name)}</th>'
        f'<td style="text-align:left;{_CELL}">{_value(name, value)}</td></tr>'
        for name, value in facts
        if name != "verdict"
    ]
    return f'<div style="{_FRAME}">{_sentence(verdict)}<table style="{_TABLE}">{"".join(rows)}</table></div>'


def _value(name: str, value: str) -> str:
    return f'<code style="{_CODE}">{escape(value)}</code>' if name == "signature" else escape(value)


def of_comparisons(comparisons: Sequence[Comparison]) -> str:
    """For each comparison its verdict, its systems and its pairs."""
    return f'<div style="{_FRAME}">{"".join(map(_comparison, comparisons))}</div>'


def _comparison(comparison: Comparison) -> str:
    head, rows, left = comparison.pairs_table()
    more = len(rows) - MOST_SHOWN
    note = f'<div style="{_FAINT}">... and {more} more pairs: to_frame() has all of them</div>' if more > 0 else ""
    return (
        f"{_sentence(comparison.verdict)}{_table(*comparison.systems_table())}"
        f"{_table(head, rows[:MOST_SHOWN], left)}{note}"
        f'<code style="{_CODE};{_FAINT}">{escape(comparison.signature)}</code>'
    )


def _sentence(verdict: str) -> str:
    return f'<div style="{_VERDICT}">{escape(verdict)}</div>'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    sides = ["left" if tables.is_words(head, i, left) else "right" for i in range(len(head))]
    titles = _row("th", head, [f"text-align:{side};font-weight:600" for side in sides])
    body = (_row("td", row, [f"text-align:{side};overflow-wrap:anywhere" for side in sides]) for row in rows)
    return f'<table style="{_TABLE}"><thead>{titles}</thead><tbody>{"".join(body)}</tbody></table>'


def _row(tag: str, cells: Sequence[str], styles: Sequence[str]) -> str:
    filled = (
        f'<{tag} style="{style};{_CELL}"><bdi>{escape(cell)}</bdi></{tag}>'
        for cell, style in zip(cells, styles, strict=True)
    )
    return f"<tr>{''.join(filled)}</tr>"
