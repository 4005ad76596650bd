"""Tables as JSON: an object for each row, one a line or in one list, as pandas, polars and most scripts write them.

Columns are the keys, and the keys inside of objects as ``metrics.f1``. Only numbers and truth values are scores; text
is text even where it looks like a number. Rows are read one by one, and only the columns that are used are kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from exactperm.sources import cells
from exactperm.sources.base import OF_LABELS, Block, Format, Head, Source, Wanted, is_number
from exactperm.sources.layout import Columns, Loading, Sheet, blocks_of
from exactperm.sources.roles import gold_of, no_numbers

__all__ = ["FORMAT"]

#: rows from which a table is judged, and that are converted at once
JUDGED, CHUNK = 500, 1000
Row = Mapping[str, Any]


def recognise(head: Head) -> str | None:
    """Say why these are no rows as JSON."""
    if not head.is_json:
        return "not JSON"
    if not any(len(path) == (2 if path[0] == 0 else 1) for path in head.paths):
        return "no object for each row"
    kinds = _kinds(_beginning(head))
    there = not kinds or "number" in kinds.values() or gold_of(kinds, head.gold) in kinds
    return None if there else no_numbers(kinds)


def _beginning(head: Head) -> Iterator[Row]:
    """The rows at the beginning that are complete."""
    try:
        whole = json.loads(head.start)
        yield from _objects(whole if isinstance(whole, list) else [whole])
    except ValueError:
        for line in head.lines:
            try:
                yield from _objects([json.loads(line)])
            except (ValueError, RecursionError):
                return
    except RecursionError:
        return


def _objects(values: Iterable[Any]) -> Iterator[Row]:
    return (value for value in values if isinstance(value, dict))


def blocks(source: Source, wanted: Wanted) -> list[Block]:
    """Read the columns that matter."""
    kinds = _kinds(row for _, row in islice(_rows(source), JUDGED))
    return blocks_of(Sheet(source, kinds, lambda labels, numbers: _load(source, labels, numbers)), wanted)


def _rows(source: Source) -> Iterator[tuple[int, Row]]:
    """Each object and its line; of a list, its place from 1."""
    if source.start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"[":
        yield from source.json_lines()
        return
    rows = source.json()
    for i, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise source.error(f"a list of rows holds objects, {{...}}; row {i} is {row!r:.40}")
        yield i, row


def _kinds(rows: Iterable[Row]) -> dict[str, str]:
    """What is said under each key, and under those inside: mostly numbers, text, or other things."""
    votes: dict[str, dict[str, int]] = {}
    for row in rows:
        for name, value in _flat(row):
            of_name = votes.setdefault(name, {})
            if value is not None:
                kind = "number" if is_number(value) else "text" if isinstance(value, str) else "a list"
                of_name[kind] = of_name.get(kind, 0) + 1
    return {name: max(of_name, key=of_name.__getitem__, default="empty") for name, of_name in votes.items()}


def _flat(row: Row, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _load(source: Source, labels: Sequence[str], numbers: Sequence[str]) -> Columns:
    loading = Loading(source, labels, numbers, cells.of_values)
    rows = _rows(source)
    while chunk := list(islice(rows, CHUNK)):
        lines = np.array([line for line, _ in chunk])
        loading.add(lines, {name: [_at(row, name) for _, row in chunk] for name in (*labels, *numbers)})
    return loading.done()


def _at(row: Row, name: str) -> Any:
    """The value of a column, None if there is none."""
    if name in row:
        return row[name]
    key, dot, rest = name.partition(".")
    while dot:
        if isinstance(row.get(key), dict) and (found := _at(row[key], rest)) is not None:
            return found
        more, dot, rest = rest.partition(".")
        key = f"{key}.{more}"
    return None


FORMAT = Format(
    name="jsonl",
    title="tables as JSON: an object for each row, one a line or in one list",
    recognise=recognise,
    blocks=blocks,
    generality=1,
    metrics={"label": OF_LABELS},
    details="Written by pandas, polars and most scripts. Columns are the keys, and those inside of objects as "
    "metrics.f1; they mean what they mean in csv.",
)
