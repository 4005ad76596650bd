"""The answers of one system, collected from the records of its files; compact, as there may be millions."""

from __future__ import annotations

from array import array
from bisect import bisect
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from exactperm.sources.base import Format, Record
from exactperm.sources.files import Source

__all__ = ["Answers", "called", "collect"]

#: characters of a name
LONGEST = 250


class Sampled(NamedTuple):
    """One of several answers to an item."""

    item: Hashable
    sample: int


@dataclass(eq=False)
class Answers:
    """All that was read of one system, from one file or from several parts.

    Attributes
    ----------
    rows
        The number of each answer, from 0: by item, or by item and sample.
    files, starts
        The files, and the number of the first answer in each.
    lines
        The line of each answer, 0 if it is not known.
    groups
        The group of each answer, or None.
    checks
        A hash of what has to be the same for all systems, 0 if there is nothing.
    columns
        By measure, a value for each answer; what is missing at the end is None.
    """

    system: str
    format: Format
    files: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    rows: dict[Hashable, int] = field(default_factory=dict)
    lines: array[int] = field(default_factory=lambda: array("q"))
    groups: list[Hashable | None] = field(default_factory=list)
    checks: array[int] = field(default_factory=lambda: array("q"))
    columns: dict[str, list[Any]] = field(default_factory=dict)

    def begin(self, source: Source) -> None:
        """Say that what is added comes from this file."""
        if self.files[-1:] != [source.name]:
            self.files.append(source.name)
            self.starts.append(len(self.lines))

    def add(self, source: Source, record: Record) -> None:
        """Take one record; the same item twice is an error."""
        number = len(self.lines)
        key = record.id if record.sample is None else Sampled(record.id, record.sample)
        row = self.rows.setdefault(key, number)
        if row != number:
            raise source.error(
                f"{called(record.id, record.sample)} of {self.system} is there twice, the first time in "
                f"{self.place(row)}; keep one of them, or name the field that tells them apart with --id",
                record.line,
            )
        self.lines.append(record.line or 0)
        self.groups.append(record.group)
        # 64 bits of each are enough to find another question, and little for a million
        self.checks.append(0 if record.check is None else hash(str(record.check)) or 1)
        for name, value in record.values.items():
            column = self.columns.get(name)
            if column is None:
                _check_name(source, "measure", name, record.line)
                column = self.columns[name] = []
            if len(column) < number:
                column.extend([None] * (number - len(column)))
            column.append(value)

    def place(self, row: int) -> str:
        """The file and the line of an answer."""
        name, line = self.files[bisect(self.starts, row) - 1], self.lines[row]
        return f"{name}:{line}" if line else name

    def value(self, measure: str, row: int) -> Any:
        """What is known of an answer by a measure, or None."""
        column = self.columns[measure]
        return column[row] if row < len(column) else None

    def samples(self) -> dict[Hashable, Sequence[int]]:
        """The rows of each item, its samples in order."""
        items: dict[Hashable, Sequence[int]] = {}
        several: dict[Hashable, list[tuple[int, int]]] = {}
        for key, row in self.rows.items():
            if isinstance(key, Sampled):
                items.setdefault(key.item, ())
                several.setdefault(key.item, []).append((key.sample, row))
            else:
                items[key] = (row,)
        return items | {item: tuple(row for _, row in sorted(found)) for item, found in several.items()}


def collect(source: Source, format: Format, records: Iterable[Record], name: str, found: dict[str, Answers]) -> None:
    """Enter all records of one file into `found`, by system; `name` is that of a file about one system."""
    record = None
    for record in records:
        system = name if record.system is None else record.system
        answers = found.get(system)
        if answers is None:
            _check_name(source, "system", system, record.line)
            answers = found[system] = Answers(system, format)
        answers.begin(source)
        answers.add(source, record)
    if record is None:
        raise source.error(f"there is no item in this {format.name} file; is it complete?")


def _check_name(source: Source, kind: str, name: str, line: int | None) -> None:
    """Refuse what no table or error message could show; it is damage more often than a name."""
    if not 0 < len(name) <= LONGEST or not name.isprintable():
        raise source.error(f"{name!r:.60} is no name of a {kind}: it needs 1 to {LONGEST} characters to print", line)


def called(item: Hashable, sample: int | None = None) -> str:
    """An item in words."""
    return f"item {item!r:.60}" if not sample else f"item {item!r:.60}, sample {sample},"
