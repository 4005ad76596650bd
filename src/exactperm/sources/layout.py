"""From the columns of a table to a `Block` for each system.

A table is wide (a column for each system), long (a column that names the system, and one or more of scores), or about
one system. Where columns are the counts that a metric is made of, as tp, fp and fn, they are taken together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.sources import cells
from exactperm.sources.base import Block, Wanted, as_whole
from exactperm.sources.files import Source, SourceError
from exactperm.sources.roles import (
    SCORES,
    Kind,
    Roles,
    assign,
    counts_by_system,
    is_long,
    listed,
    metrics_of,
    shown,
    the_prediction,
)

__all__ = ["Columns", "Loading", "Sheet", "as_objects", "blocks_of"]

Array = NDArray[Any]
#: of which types names can be
LABELS = {str, int, float, bool}


@dataclass(frozen=True, eq=False)
class Columns:
    """Some columns of a table, loaded.

    Attributes
    ----------
    labels
        Arrays of objects: texts or what else names something; None where nothing is said.
    numbers
        Arrays of numbers, masked or NaN where nothing is said.
    lines
        The line of each row; None in formats without lines.
    """

    labels: Mapping[str, Array]
    numbers: Mapping[str, Array]
    rows: int
    lines: Array | None


class Loading:
    """Columns that are loaded in parts."""

    def __init__(
        self, source: Source, labels: Sequence[str], numbers: Sequence[str], convert: Callable[[Sequence[Any]], Array]
    ) -> None:
        self._source, self._convert = source, convert
        self._labels: dict[str, list[Any]] = {name: [] for name in labels}
        self._numbers: dict[str, list[Array]] = {name: [] for name in numbers}
        self._lines: list[Array] = [np.empty(0, np.int64)]

    def add(self, lines: Array, columns: Mapping[str, Sequence[Any]]) -> None:
        """Take the cells of some rows, by column."""
        for name, found in self._labels.items():
            found.extend(columns[name])
        for name, parts in self._numbers.items():
            try:
                parts.append(self._convert(columns[name]))
            except cells.BadCell as bad:
                raise self._error(name, bad, lines[bad.index]) from None
        self._lines.append(lines)

    def done(self) -> Columns:
        """All parts joined."""
        lines = np.concatenate(self._lines)
        numbers = {}
        for name, parts in self._numbers.items():
            try:
                numbers[name] = cells.joined(parts) if parts else np.empty(0)
            except cells.BadCell as bad:
                raise self._error(name, bad, lines[bad.index]) from None
        labels = {name: as_objects(found) for name, found in self._labels.items()}
        return Columns(labels, numbers, len(lines), lines)

    def _error(self, name: str, bad: cells.BadCell, line: int) -> SourceError:
        return self._source.error(
            f"the column {shown(name)} holds {bad.cell!r:.40} here, which is no finite number; leave the cell empty if "
            "the score is missing, or choose columns with --a and --b",
            int(line),
        )


def as_objects(values: Sequence[Any]) -> Array:
    """An array of Python values as they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table: the names of its columns, what their cells are, and how to load some of them."""

    source: Source
    kinds: Mapping[str, Kind]
    load: Callable[[Sequence[str], Sequence[str]], Columns]


def blocks_of(sheet: Sheet, wanted: Wanted) -> list[Block]:
    """What a table says of each system."""
    source, roles = sheet.source, assign(sheet.source, sheet.kinds, wanted)
    if roles.gold is not None:
        return _labelled(sheet, roles, wanted)
    if not roles.scores:
        raise source.error(
            f"there is no column of numbers ({roles.said}); name two columns with --a and --b or, "
            "if these are labels, the right ones with --gold"
        )
    sample = [] if roles.sample is None else [roles.sample]
    columns = sheet.load(roles.labels, [*roles.scores, *sample])
    if not columns.rows:
        raise source.error("there is no row below the header; is the file complete?")
    items = _items(source, columns, roles, wanted)
    if roles.system is not None:
        return _asked(source, _long(source, columns, roles, items), wanted)
    if by_system := counts_by_system(roles.scores):
        return _asked(source, _wide_counts(source, columns, by_system, items), wanted)
    if (wanted.alone and not metrics_of(roles.scores)) or wanted.a is not None:
        return _wide(source, columns, roles, items)
    return [_with_measures(source, columns, {name: name for name in roles.scores}, items)]


# -- layouts ---------------------------------------------------------------------------------------------------


def _wide(source: Source, columns: Columns, roles: Roles, items: Block) -> list[Block]:
    """A column for each system."""
    if len(roles.scores) == 1:
        raise source.error(
            f"there is one column of scores only ({roles.said}); a table needs one for each system, or give a file for "
            "each system"
        )
    return [replace(items, system=name, measures={"score": columns.numbers[name]}) for name in roles.scores]


def _labelled(sheet: Sheet, roles: Roles, wanted: Wanted) -> list[Block]:
    """A column of labels for each system, or for one, beside the column of the right ones."""
    source, gold = sheet.source, str(roles.gold)
    predicted = roles.scores if wanted.alone else the_prediction(roles.scores)
    if len(predicted) < 2 if wanted.alone else len(predicted) != 1:
        raise source.error(f"{_needed(roles, wanted)} ({roles.said})")
    columns = sheet.load(list(dict.fromkeys([*roles.labels, gold, *predicted])), [])
    right, *said = _labels([columns.labels[name] for name in (gold, *predicted)])
    if lost := [i for i, label in enumerate(right) if label is None]:
        raise source.error(f"there is no label in {shown(gold)}; give every row one", _line(columns, lost[0]))
    if wanted.alone and wanted.a is None and not wanted.several:
        _refuse_other_things(source, gold, right, dict(zip(predicted, said, strict=True)))
    items = replace(_items(source, columns, roles, wanted), gold=right)
    systems = predicted if wanted.alone else (None,)
    return [replace(items, system=name, measures={"label": labels}) for name, labels in zip(systems, said, strict=True)]


def _needed(roles: Roles, wanted: Wanted) -> str:
    """What a table of labels lacks."""
    if is_long(roles):
        return "a row for each system cannot hold labels; write a column for each, or a file for each"
    if wanted.alone:
        return "a table of labels needs a column of predictions for each system; choose them with --a and --b"
    return "a table of labels about one system needs one column of predictions; drop the others, or call it prediction"


def _refuse_other_things(source: Source, gold: str, right: Array, predicted: Mapping[str, Array]) -> None:
    """A column of which most cells are none of the right labels holds something else, unless the user chose it."""
    known = set(map(_class, right))
    for name, labels in predicted.items():
        said = [_class(label) for label in labels if label is not None]
        if 2 * sum(label in known for label in said) < len(said):
            few = listed(sorted(known))
            raise source.error(
                f"{shown(name)} holds mostly other things than the labels in {shown(gold)}, {few}; choose the "
                "columns of predictions with --a and --b, or drop it"
            )


def _class(label: Any) -> str:
    """A label as a text: 1 and 1.0 are one class."""
    whole = as_whole(label)
    return str(label if whole is None else whole)


def _labels(columns: Sequence[Array]) -> list[Array]:
    """The cells without blanks around them; None where there is none, which NA is only beside integers."""
    cells_of = [[cell.strip() if isinstance(cell, str) else cell for cell in column] for column in columns]
    said = [cell for column in cells_of for cell in column if not _is_missing(cell, cells.MISSING)]
    missing = cells.MISSING if all(as_whole(cell) is not None for cell in said) else frozenset({""})
    return [as_objects([None if _is_missing(cell, missing) else cell for cell in column]) for column in cells_of]


def _is_missing(cell: Any, missing: frozenset[str]) -> bool:
    return cell is None or (isinstance(cell, str) and cell in missing) or (isinstance(cell, float) and math.isnan(cell))


def _wide_counts(
    source: Source, columns: Columns, by_system: Mapping[str, Mapping[str, str]], items: Block
) -> list[Block]:
    """Several columns for each system, as tp_A, fp_A, fn_A, tp_B, fp_B, fn_B."""
    blocks = []
    for system, names in by_system.items():
        blocks.append(replace(_with_measures(source, columns, names, items), system=system))
    return blocks


def _long(source: Source, columns: Columns, roles: Roles, items: Block) -> list[Block]:
    """A row for each item and system."""
    if roles.id is None:
        raise source.error(
            f"a table with a row for each system needs a column that names the items ({roles.said}); name it with --id"
        )
    names = _named(source, columns, str(roles.system), "system")
    order: dict[str, int] = {}
    codes = np.fromiter((order.setdefault(str(name), len(order)) for name in names), np.int64, columns.rows)
    rows = np.argsort(codes, kind="stable")
    parts = np.split(rows, np.flatnonzero(np.diff(codes[rows])) + 1)
    whole = _with_measures(source, columns, {name: name for name in roles.scores}, items)
    return [_taken(whole, part, system) for system, part in zip(order, parts, strict=True)]


def _with_measures(source: Source, columns: Columns, called: Mapping[str, str], items: Block) -> Block:
    """One system, whose measures are the counts of metrics, and all other columns; `called` says which is which."""
    counted = metrics_of(list(called))
    measures = {",".join(sums): _counts(source, columns, [called[sum] for sum in sums]) for sums in counted}
    others = [name for name in called if not any(name in sums for sums in counted)]
    others.sort(key=lambda name: SCORES.index(name.lower()) if name.lower() in SCORES else len(SCORES))
    measures |= {name: columns.numbers[called[name]] for name in others}
    return replace(items, measures=measures, metrics={",".join(sums): by for sums, by in counted.items()})


def _asked(source: Source, blocks: list[Block], wanted: Wanted) -> list[Block]:
    """The blocks of the two systems that --a and --b name, if they do."""
    if wanted.a is None or wanted.b is None:
        return blocks
    by_name = {block.system: block for block in blocks}
    for name in (wanted.a, wanted.b):
        if name not in by_name:
            raise source.error(f"there is no column and no system {name!r}; there is {listed(map(str, by_name))}")
    return [by_name[wanted.a], by_name[wanted.b]]


def _taken(block: Block, rows: Array, system: str) -> Block:
    """Some rows of a block."""
    return replace(
        block,
        system=system,
        ids=np.asarray(block.ids)[rows],
        groups=None if block.groups is None else block.groups[rows],
        samples=None if block.samples is None else block.samples[rows],
        measures={name: column[rows] for name, column in block.measures.items()},
        lines=None if block.lines is None else block.lines[rows],
    )


# -- items, groups, counts -------------------------------------------------------------------------------------


def _items(source: Source, columns: Columns, roles: Roles, wanted: Wanted) -> Block:
    """What holds for all systems: the items, their groups, and where they stand."""
    ids: Array | range = range(1, columns.rows + 1)
    if roles.id is not None:
        ids = _named(source, columns, roles.id, "id")
    elif wanted.several:
        ids = np.array([f"{source.name}:{i}" for i in ids], dtype=object)
    groups = None if roles.group is None else _named(source, columns, roles.group, "group")
    samples = None if roles.sample is None else _whole(source, columns, roles.sample, "number of the sample")
    return Block(None, ids, groups, samples, {}, {}, columns.lines, roles.said)


def _named(source: Source, columns: Columns, name: str, role: str) -> Array:
    """A column of names, one in each row."""
    labels: list[Any] = columns.labels[name].tolist()
    if set(map(type, labels)) <= LABELS and "" not in labels:
        return columns.labels[name]
    i = next(i for i, label in enumerate(labels) if type(label) not in LABELS or label == "")
    found = f"{labels[i]!r:.40}" if labels[i] else "missing"
    raise source.error(
        f"the {role} in {shown(name)} is {found}; give every row one, or name another column with "
        f"--{'group' if role == 'group' else 'id'}",
        _line(columns, i),
    )


def _counts(source: Source, columns: Columns, names: Sequence[str]) -> Array:
    return np.stack([_whole(source, columns, name, "count") for name in names], axis=1)


def _whole(source: Source, columns: Columns, name: str, what: str) -> Array:
    """A column of whole numbers that are not negative."""
    column = columns.numbers[name]
    wrong = np.ma.getmaskarray(column) | ~(np.asarray(column) >= 0)
    if column.dtype.kind == "f":
        wrong |= np.asarray(column) != np.floor(column)
    if wrong.any():
        i = int(wrong.argmax())
        found = column[i]
        told = "missing" if found is np.ma.masked or str(found) == "nan" else found
        raise source.error(f"the {what} in {shown(name)} is {told}; it has to be 0, 1, 2 ...", _line(columns, i))
    exact = np.asarray(column)
    return exact if exact.dtype == object else exact.astype(np.int64)


def _line(columns: Columns, row: int) -> int | None:
    return None if columns.lines is None else int(columns.lines[row])
