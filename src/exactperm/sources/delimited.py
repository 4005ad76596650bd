"""Tables as text: cells apart by commas, tabs, semicolons or bars, the names of the columns in the first line.

As pandas, polars, R and Excel write them: row numbers in a first column without a name, or with none in the header
(``write.table``); TRUE, True and true; NA, nan and nothing; decimal commas where semicolons or tabs separate; a byte
order mark; quoted cells with line breaks inside. Which column is what is decided from the beginning of the file; then
only the columns that are used are kept, as arrays.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, repeat, takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.sources import cells
from exactperm.sources.base import OF_LABELS, Block, Format, Head, Source, Wanted
from exactperm.sources.files import HEAD
from exactperm.sources.layout import Columns, Loading, Sheet, blocks_of
from exactperm.sources.roles import gold_of, is_id, no_numbers, shown

__all__ = ["FORMAT", "Dialect", "beginning", "blocks_in"]

DELIMITERS = "\t;,|"
#: characters and lines from which a table is judged
JUDGED = 1 << 18, 500
#: cells, and rows at the least, that are converted at once: few, so that they stay in the cache
CHUNK = 1 << 11, 64
BREAK = re.compile(r"\r\n|\r|\n")
Rows = list[list[str]]


@dataclass(frozen=True)
class Dialect:
    """How a table is written: its delimiter, the names of its columns, and some rows to judge them by."""

    delimiter: str
    names: tuple[str, ...]
    rows: Sequence[Sequence[str]] = field(repr=False)
    fitting: float  # the share of rows with a cell for each name
    is_named: bool = True  # whether the names are in the first line

    @classmethod
    def of(cls, lines: Iterable[str]) -> Dialect | None:
        """The delimiter with which most lines have as many cells as the header; None if there is none."""
        text = list(lines)
        found = [dialect for delimiter in DELIMITERS if (dialect := cls.split(text, delimiter))]
        return max(found, key=lambda dialect: (dialect.fitting, len(dialect.names)), default=None)

    @classmethod
    def split(cls, lines: Sequence[str], delimiter: str) -> Dialect | None:
        """The rows with one delimiter, if it is in the header; or a single column, as if separated by commas."""
        try:
            rows = [row for row in csv.reader((f"{x}\n" for x in lines), delimiter=delimiter) if any(row)]
        except csv.Error:
            return None
        if not rows or (len(rows[0]) == 1 and (delimiter != "," or any(len(row) > 1 for row in rows))):
            return None
        names, body = tuple(rows[0]), rows[1:]
        [(width, _)] = Counter(map(len, body)).most_common(1) or [(len(names), 0)]
        if width == len(names) + 1 > 2:
            names = ("", *names)  # R's write.table gives row names no header
        fitting = [row for row in body if len(row) == len(names)]
        return cls(delimiter, names, fitting, len(fitting) / len(body) if body else 1.0)

    def columns(self) -> list[tuple[str, int, str]]:
        """The name, the place and the kind of each column, but for those without name and cells that Excel leaves."""
        cells_of = zip(*self.rows, strict=True) if self.rows else repeat((), len(self.names))
        found = zip(self.names, range(len(self.names)), map(self._kind, cells_of), strict=True)
        return [(name, i, kind) for name, i, kind in found if name or kind != "empty"]

    def _kind(self, column: Sequence[str]) -> str:
        said = [cell for cell in column if cell.strip() not in cells.MISSING]
        numbers = sum(cells.is_number(cell, self.decimal_comma) for cell in said)
        return "empty" if not said else "number" if 2 * numbers >= len(said) else "text"

    @property
    def decimal_comma(self) -> bool:
        """Whether 0,5 is a number, as in the Excel of many countries."""
        return self.delimiter != ","

    @property
    def has_header(self) -> bool:
        """Whether the first line holds names: no numbers, unless one names an index or an id (pandas)."""
        return any(map(is_id, self.names)) or not any(map(cells.is_number, self.names))


def recognise(head: Head) -> str | None:
    """Say why this is no table with a header."""
    if head.start.startswith(b"PK") and head.name.endswith((".xlsx", ".xlsm", ".ods")):
        return "a workbook; save the sheet as csv"
    if not head.is_text or head.is_json:
        return "JSON" if head.is_json else "not text"
    dialect = Dialect.of(head.lines[: JUDGED[1]])
    if dialect is None or dialect.fitting <= 0.5:
        return "the lines do not have the same number of cells"
    if not dialect.has_header:
        return f"the first line, {','.join(dialect.names)!r:.40}, holds numbers instead of names of columns"
    cut = len(head.start) == HEAD and not dialect.rows  # the names of thousands of columns
    kinds = {name: kind for name, _, kind in dialect.columns()}
    return None if cut or "number" in kinds.values() or gold_of(kinds, head.gold) in kinds else no_numbers(kinds)


def blocks(source: Source, wanted: Wanted) -> list[Block]:
    """Read the columns that matter."""
    dialect = Dialect.of(beginning(source))
    if dialect is None:
        raise source.error("this is no table: no cell of the first line is set apart by , ; | or a tab", 1)
    return blocks_in(source, dialect, wanted)


def blocks_in(source: Source, dialect: Dialect, wanted: Wanted) -> list[Block]:
    """Read the columns that matter of a table that is written in a known way."""
    columns = dialect.columns()
    for name, times in Counter(name for name, _, _ in columns).items():
        if times > 1:
            raise source.error(f"{times} columns are called {shown(name)!r}; give each a name of its own", 1)
    places = {name: place for name, place, _ in columns}
    sheet = Sheet(
        source,
        {name: kind for name, _, kind in columns},
        lambda labels, numbers: _load(source, dialect, places, labels, numbers),
    )
    return blocks_of(sheet, wanted)


def beginning(source: Source) -> Iterator[str]:
    """The lines from which the table is judged: a quoted cell may be cut, and then does not fit."""
    characters, most = JUDGED
    for number, line in source.lines():
        yield line
        characters -= len(line)
        if characters < 0 or number >= most:
            return


def _load(
    source: Source, dialect: Dialect, places: Mapping[str, int], labels: Sequence[str], numbers: Sequence[str]
) -> Columns:
    loading = Loading(source, labels, numbers, lambda column: cells.of_text(column, dialect.decimal_comma))
    for lines, rows in _chunks(source, dialect):
        columns = list(zip(*rows, strict=True))
        loading.add(lines, {name: columns[places[name]] for name in (*labels, *numbers)})
    return loading.done()


def _chunks(source: Source, dialect: Dialect) -> Iterator[tuple[NDArray[Any], Rows]]:
    """The rows below the header, some thousands at a time, with the lines at which they end."""
    with source.text() as file:
        reader = csv.reader(file, delimiter=dialect.delimiter, strict=True)
        try:
            if dialect.is_named:
                deque(takewhile(lambda row: not any(row), reader), maxlen=0)  # up to the header, and the header
            before = reader.line_num
            while rows := list(islice(reader, max(CHUNK[0] // len(dialect.names), CHUNK[1]))):
                lines = _lines(before, reader.line_num, rows)
                before = reader.line_num
                lines, rows = _complete(source, dialect, lines, rows)
                if rows:
                    yield lines, rows
        except csv.Error as error:
            hint = "is a quote missing? Quotes inside a quoted cell are doubled"
            raise source.error(f"the cells cannot be told apart ({error}); {hint}", reader.line_num) from None


def _lines(before: int, last: int, rows: Rows) -> NDArray[Any]:
    """The line at which each row ends: cells may hold line breaks."""
    if last - before == len(rows):
        return np.arange(before + 1, last + 1)
    return before + np.cumsum([1 + sum(len(BREAK.findall(cell)) for cell in row) for row in rows])


def _complete(source: Source, dialect: Dialect, lines: NDArray[Any], rows: Rows) -> tuple[NDArray[Any], Rows]:
    """The rows that are not empty, if they have as many cells as the header."""
    width = len(dialect.names)
    if set(map(len, rows)) == {width} and all(map(any, rows)):
        return lines, rows
    kept = [i for i, row in enumerate(rows) if any(row)]
    for i in kept:
        if len(rows[i]) != width:
            raise source.error(
                f"this row has {len(rows[i])} cells, the header {width}; is there a delimiter or a quote too many or "
                "too few?",
                int(lines[i]),
            )
    return lines[kept], [rows[i] for i in kept]


FORMAT = Format(
    name="csv",
    title="tables as text (csv, tsv): a column for each system, or a row for each item and system",
    recognise=recognise,
    blocks=blocks,
    generality=1,
    details="Written by pandas, polars, R, spreadsheets. Items by a column such as id, item or query, else by their "
    "row; groups by one called group or cluster, or --group. Wide: a column of numbers for each system. Long: a column "
    "such as system or model, and columns of scores. Columns such as tp, fp and fn, or tp_A, fp_A and fn_A, are the "
    "counts of a metric. One system a file is fine too. Labels: a column of labels for each system, and one of the "
    "right ones, which --gold names; it is found by itself if it is called gold, label or the like and all are texts. "
    "f1 is that of the class 1, unless average or pos_label say otherwise.",
    metrics={"label": OF_LABELS},
)
