"""What a reader is: a format that can be recognised, and a generator of records from an open file.

A reader only reads. It turns each item that a file speaks of into a `Record` and knows neither other files nor other
systems; `exactperm.sources.align` brings the records of all systems together. Everything that is wrong with a file is
a `SourceError`, one line that names the file, the line, what is wrong and what to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

from numpy.typing import NDArray

from exactperm.sources.files import Source, SourceError
from exactperm.sources.head import Head

__all__ = [
    "OF_LABELS",
    "Block",
    "Counts",
    "Format",
    "Head",
    "Predicted",
    "Record",
    "Source",
    "SourceError",
    "Wanted",
    "as_whole",
    "field_of",
    "group_among",
    "is_label",
    "is_number",
    "name_before",
]


INTEGER = re.compile(r"-?\d{1,15}(\.0*)?")
#: by which labels can be compared, the default first
OF_LABELS = ("accuracy", "f1", "mcc", "precision", "recall", "balanced_accuracy", "cohen_kappa")


class Counts(NamedTuple):
    """The integer sums of one item by a metric of the registry, in the order in which the metric declares them."""

    metric: str
    sums: tuple[int, ...]


class Predicted(NamedTuple):
    """What a system said about one item, and what is right: labels, sequences of labels, or texts."""

    prediction: Any
    gold: Any


class Record(NamedTuple):
    """What a file says of one system on one item.

    Attributes
    ----------
    id
        What tells the item from all others, the same for all systems; by position (from 1) where a format has no ids.
    values
        By the name of the measure: a number (None or NaN if missing), `Counts`, or `Predicted`.
    line
        Where it stands in the file, for error messages.
    system
        The system, in files that hold several; None if the file is about one.
    sample
        Which of several answers to the same item this is: the epoch, the sample. Answers to one item are one group.
    group
        What else is swapped together: a document, a topic.
    check
        What has to be the same for all systems if this is the same item: a hash of the question or of the gold.
    """

    id: Hashable
    values: Mapping[str, Any]
    line: int | None = None
    system: str | None = None
    sample: int | None = None
    group: Hashable | None = None
    check: Hashable | None = None


@dataclass(frozen=True)
class Wanted:
    """What a user asked of a reader; each reader uses what makes sense for it.

    Attributes
    ----------
    metrics
        The measures or metrics that will be compared; none means the reader's choice.
    filter
        Which of several versions of an answer, as lm-evaluation-harness calls it.
    id, group
        Fields of the file: what names an item, what names its group.
    a, b
        The columns of two systems, in tables that have more.
    several
        Whether the file is one of several parts, so that ids have to name the part as well.
    alone
        Whether it is the only argument, so that it has to hold all systems.
    gold
        What the format's `gold` made of the gold standard; of tables the name of the column that holds it.
    """

    metrics: tuple[str, ...] = ()
    filter: str | None = None
    id: str | None = None
    group: str | None = None
    a: str | None = None
    b: str | None = None
    several: bool = False
    alone: bool = False
    gold: Any = None


@dataclass(frozen=True, eq=False)
class Block:
    """What a file says of one system on all items, column by column.

    Attributes
    ----------
    system
        The system; None if the file is about one.
    ids
        One for each row; row numbers (a range) where the file has no ids.
    groups, samples
        As in `Record`, or None.
    measures
        By name: an array of numbers (NaN or masked if missing), or an array (items, k) of the sums of metrics.
    metrics
        For measures that are sums: the metrics, the default first.
    lines
        Where each row stands in the file; None in formats without lines.
    note
        What the reader made of the columns, for the user.
    gold
        What is right, if the measures are predictions; None where nothing is said.
    """

    system: str | None
    ids: NDArray[Any] | range
    groups: NDArray[Any] | None
    samples: NDArray[Any] | None
    measures: Mapping[str, NDArray[Any]]
    metrics: Mapping[str, tuple[str, ...]]
    lines: NDArray[Any] | None
    note: str
    gold: NDArray[Any] | None = None


@dataclass(frozen=True)
class Format:
    """One file format.

    Attributes
    ----------
    name
        As given to ``--format``.
    title
        What it is, in a few words, for ``exactperm formats``.
    recognise
        Say why the file is not of this format, from its beginning; None if it is.
    read
        Yield a `Record` for each item of an open file.
    blocks
        Instead of `read`, in formats of columns: read a `Block` for each system.
    gold
        Read a gold standard into whatever `read` finds useful in `Wanted.gold`; None if the format takes none.
    needs_gold
        Whether the files of the systems mean nothing without one.
    several_golds
        Whether there may be several gold standards, such as references. `gold` then finds in `Wanted.gold` what it made
        of those before.
    generality
        0 for a format with marks of its own, 1 for one of which others are special cases (any table), 2 for any text.
        Only the least general formats that recognise a file count.
    system
        The name of the system from an open file; None leaves it to the path.
    metrics
        For measures that are predictions: the metrics by which they can be compared, the default first.
    lower_is_better
        Measures of which less is better.
    details
        More for the formats page: which tool writes it, what names an item, what is a group.
    """

    name: str
    title: str
    recognise: Callable[[Head], str | None]
    read: Callable[[Source, Wanted], Iterator[Record]] | None = None
    blocks: Callable[[Source, Wanted], list[Block]] | None = None
    gold: Callable[[Source, Wanted], Any] | None = None
    needs_gold: bool = False
    several_golds: bool = False
    generality: int = 0
    system: Callable[[Source], str | None] | None = None
    metrics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    details: str = ""


def field_of(source: Source, line: int | None, record: Mapping[str, Any], path: str) -> Hashable:
    """The value of a field, ``doc.subject`` for one inside another, that names an item or a group."""
    value: Any = record.get(path)
    if value is not None and is_label(value):
        return cast(Hashable, value)
    value = record
    for key in [path] if path in record else path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            there = f"; there is {', '.join(map(str, value))}" if isinstance(value, Mapping) else ""
            raise source.error(f"no field {path!r} here{there:.200}", line)
        value = value[key]
    if not is_label(value):
        raise source.error(f"the field {path!r} must hold a text or a number, not {value!r:.60}", line)
    return cast(Hashable, value)


def group_among(source: Source, wanted: Wanted, *known: str) -> str | None:
    """The group that is wanted, in a format that knows these and no others."""
    if wanted.group is None or wanted.group in known:
        return wanted.group
    there = f"there is {' and '.join(known)}" if known else "there are none; leave out --group"
    raise source.error(f"this format has no groups by {wanted.group!r:.60}; {there}")


def as_whole(label: Any) -> int | None:
    """The integer that a label is, or that a text stands for as pandas may write it, 1 or 1.0; None if it is none."""
    if isinstance(label, str):
        return int(label.partition(".")[0]) if INTEGER.fullmatch(label) else None
    return int(label) if isinstance(label, int) or (isinstance(label, float) and label.is_integer()) else None


def is_number(value: Any) -> bool:
    """Whether a value of JSON is a number or a truth value."""
    return isinstance(value, bool | int | float)


def is_label(value: Any) -> bool:
    """Whether a value of JSON is a number, a truth value or a text."""
    return isinstance(value, bool | int | float | str)


def name_before(source: Source, ending: str, usual: Container[str]) -> str | None:
    """What the name of a file holds before its ending; the folder if that is only what files are usually called."""
    path = Path(source.path)
    name = path.name.removesuffix(".gz")
    stem = name.removesuffix(ending)
    return None if stem == name else path.absolute().parent.name if stem in usual else stem
