"""A comparison for a terminal: tables that fit its width, what they leave out, the verdict, and the signature.

Where a table is too wide the record of wins goes first, then long names are folded; where that is not enough, as on
a terminal of 40 columns, each row becomes a sentence. Nothing is cut off.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from exactperm import tables
from exactperm.comparison import MOST_SHOWN, Comparison
from exactperm.comparisons import Comparisons
from exactperm.pair import RECORD, Pair, table
from exactperm.sources.roles import LEFT_OUT
from exactperm.standing import about_correction, sampled_methods

if TYPE_CHECKING:
    from exactperm.sources import Scores

__all__ = ["Block", "blocks", "fitted"]

Block = str | Text | Table
#: columns between columns
GAP = 2
#: columns below which a name is not folded
NARROW = 12
STYLES = {"better": "green", "within margin": "green", "worse": "red", "not testable": "yellow", "undecided": "yellow"}
LEFT_TO_RIGHT_MARK = "\u200e"


def blocks(result: Comparison | Comparisons, scores: Scores, width: int) -> Iterator[Block]:
    """The parts of the report in their order."""
    comparisons = list(result.values()) if isinstance(result, Comparisons) else [result]
    together = len(comparisons) == 1 or _is_narrow_enough(result.systems_table(), width)
    yield f"{', '.join(map(_titled, comparisons))} on {_size(scores)}"
    yield from (f"columns: {printable(note)}" for note in scores.notes if LEFT_OUT in note)
    yield ""
    if together:
        yield from fitted(result.systems_table(), width)
        yield from _about_letters(comparisons[0])
    for comparison in comparisons:
        if len(comparisons) > 1:
            yield f"\n{comparison.metric}"
        if not together:
            yield from fitted(comparison.systems_table(), width)
        yield ""
        yield from _pairs(comparison, len(scores.items), width)
        yield ""
        yield Text(printable(comparison.verdict), "bold")
    yield ""
    for comparison in comparisons:
        yield Text(printable(comparison.signature), "dim", no_wrap=True)


def _titled(comparison: Comparison) -> str:
    return comparison.metric if comparison.higher_is_better else f"{comparison.metric} (lower is better)"


def _size(scores: Scores) -> str:
    groups = "" if scores.n_groups is None else f" in {scores.n_groups:,} groups"
    formats = ", ".join(dict.fromkeys(source.format for source in scores.provenance))
    return f"{len(scores.items):,} items{groups}, read as {formats}"


def _about_letters(comparison: Comparison) -> Iterator[Block]:
    if comparison.tiers and len(comparison.systems) > 2:
        yield Text("Systems that share a letter were not told apart.", "dim")


def _pairs(comparison: Comparison, items: int, width: int) -> Iterator[Block]:
    """The pairs, or where they are many those with the best system, and what has to be known of them."""
    pairs = comparison.ranked_pairs
    shown = pairs
    if len(pairs) > MOST_SHOWN:
        best = comparison.ranking[0]
        shown = [pair for pair in pairs if comparison.baseline or best in (pair.a, pair.b)][:MOST_SHOWN]
    yield from fitted(table(shown), width)
    if len(shown) < len(pairs):
        which = "the best system" if comparison.baseline is None else "the best ones"
        yield f"Shown are {len(shown)} of {len(pairs)} pairs, those with {which}; --output csv or json has all."
        yield f"All pairs: {_counted(pairs)}."
    if (fewest := min(pair.n_items for pair in pairs)) < items:
        yield f"Each pair is compared on the items that both have, {fewest:,} or more of {items:,}; scores are of all."
    if any(pair.outcome == "not testable" for pair in pairs):
        yield f"not testable: too few items differ for any p-value to be below {comparison.alpha:g}."
    if sampled := sampled_methods(pairs):
        yield f"~ and <: not exact ({', '.join(sampled)}); --output csv has the interval of each p-value."
    if about := about_correction(comparison):
        yield about


def _counted(pairs: Sequence[Pair]) -> str:
    return ", ".join(f"{n} {outcome}" for outcome, n in Counter(pair.outcome for pair in pairs).most_common())


# -- tables ----------------------------------------------------------------------------------------------------


def fitted(shown: tables.Table, width: int) -> Iterator[Block]:
    """A table without what does not fit, its rows one by one if the rest does not fit either."""
    for candidate in (shown, _without(shown, {RECORD})):
        if _natural(candidate) <= width:
            yield _drawn(candidate)
            return
    narrow = _without(shown, {RECORD})
    if _is_narrow_enough(narrow, width):
        yield _drawn(narrow)
        return
    head, rows, left = shown
    for row in rows:
        values = (f"{name} {value}" for name, value in zip(head[left:], row[left:], strict=True) if value)
        yield f"{f' {head[1]} '.join(map(printable, row[:left]))}: {', '.join(values)}"


def _without(shown: tables.Table, names: set[str]) -> tables.Table:
    head, rows, left = shown
    kept = [i for i, name in enumerate(head) if name not in names]
    return [head[i] for i in kept], [[row[i] for i in kept] for row in rows], left


def _widths(shown: tables.Table) -> list[int]:
    head, rows, _ = shown
    return [max(map(tables.cells, column)) for column in zip(head, *rows, strict=True)]


def _natural(shown: tables.Table) -> int:
    widths = _widths(shown)
    return sum(widths) + GAP * (len(widths) - 1)


def _is_narrow_enough(shown: tables.Table, width: int) -> bool:
    """Whether it fits once long names are folded."""
    _, _, left = shown
    widths = _widths(shown)
    names = sum(min(w, NARROW) for w in widths[:left])
    return names + sum(widths[left:]) + GAP * (len(widths) - 1) <= width


def _drawn(shown: tables.Table) -> Table:
    """Names set left and folded if they have to be, numbers set right and never broken."""
    head, rows, left = shown
    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for i, name in enumerate(head):
        words = tables.is_words(head, i, left)
        drawn.add_column(
            Text(printable(name)), justify="left" if words else "right", overflow="fold", no_wrap=i >= left
        )
    for row in rows:
        drawn.add_row(*(Text(printable(cell), STYLES.get(cell, "") if i >= left else "") for i, cell in enumerate(row)))
    return drawn


def printable(text: str) -> str:
    """Text that moves no cursor and, where it is written from right to left, leaves the columns after it alone."""
    clean = "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) == "Cc" else c for c in text)
    return clean + LEFT_TO_RIGHT_MARK if any(unicodedata.bidirectional(c) in ("R", "AL") for c in clean) else clean
