"""Numbers without a header: one, two or four columns.

One column is the scores of one system, an item a line. Two and four are the files of the paper's own program: the
scores of A and B, or true positives and incorrect predictions of A and then of B, from which F1 is computed.
"""

from __future__ import annotations

from dataclasses import replace

from exactperm.sources import cells
from exactperm.sources.base import Block, Format, Head, Source, Wanted
from exactperm.sources.delimited import Dialect, beginning, blocks_in

__all__ = ["FORMAT"]

#: what the columns are, by how many there are
NAMES = {1: ("score",), 2: ("A", "B"), 4: ("tp_A", "incorrect_A", "tp_B", "incorrect_B")}


def recognise(head: Head) -> str | None:
    """Say why these are not such columns of numbers."""
    if not head.is_text or head.is_json:
        return "JSON" if head.is_json else "not text"
    dialect = Dialect.of(head.lines)
    if dialect is None or dialect.fitting <= 0.5 or not all(map(cells.is_number, dialect.names)):
        return "the first line is not of numbers"
    width = len(dialect.names)
    if width not in NAMES:
        return f"{width} columns of numbers without names; write the names of the systems in a first line"
    if width > 1 and list(dialect.names) == [str(i) for i in range(width)]:
        return f"the first line, {','.join(dialect.names)}, may be pandas' names of columns, or scores"
    return None


def blocks(source: Source, wanted: Wanted) -> list[Block]:
    """Read all columns."""
    dialect = Dialect.of(beginning(source))
    if dialect is None or len(dialect.names) not in NAMES:
        raise source.error("these are not one, two or four numbers; give columns names in a first line", 1)
    return blocks_in(source, replace(dialect, names=NAMES[len(dialect.names)], is_named=False), wanted)


FORMAT = Format(
    name="numbers",
    title="numbers without a header: a score a line, or the two and four columns of the paper's program",
    recognise=recognise,
    blocks=blocks,
    generality=1,
    details="Items are lines. One column is one system. Two are the scores of A and B. Four are the true positives and "
    "the incorrect predictions (false positives and negatives together) of A, then of B: F1.",
)
