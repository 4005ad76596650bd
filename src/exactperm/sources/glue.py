"""Predictions as GLUE wants them, ``index<TAB>prediction``, with a table of labels as the gold standard.

Hugging Face's Trainer writes ``predict_results_<task>.txt`` like this. The gold standard is a tab-separated table with
a header: its labels are in the column gold_label, label or prediction, and its items in index, idx or id. Without such
a column they are numbered from 0, as by GLUE. Labels are compared as integers if all gold labels are integers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from exactperm.sources.base import OF_LABELS, Format, Head, Predicted, Record, Source, Wanted, group_among

__all__ = ["FORMAT"]

HEADER = ["index", "prediction"]
#: how gold standards call the columns, the first that is there counts
LABELS = ("gold_label", "label", "prediction")
ITEMS = ("index", "idx", "id")
INTEGER = re.compile(r"-?\d{1,15}")
NUMBER = re.compile(r"-?\d*\.?\d+(e[-+]?\d+)?")


class Gold(NamedTuple):
    """The labels by item, and whether they are integers."""

    labels: dict[str, int | str]
    integers: bool


def recognise(head: Head) -> str | None:
    """Say why these are not predictions for GLUE."""
    if not head.lines or head.lines[0].split("\t") != HEADER:
        return "the first line is not 'index' and 'prediction' with a tab between"
    return None


def gold(source: Source, wanted: Wanted) -> Gold:
    """Read the labels."""
    group_among(source, wanted)
    rows = ((line, text.split("\t")) for line, text in source.lines() if text.strip())
    _, header = next(rows, (1, []))
    name = next((name for name in LABELS if name in header), None)
    if name is None:
        raise source.error(f"the first line names no column {' or '.join(LABELS)}; it must be the header", 1)
    column = header.index(name)
    item = next((header.index(name) for name in ITEMS if name in header), None)
    labels: dict[str, str] = {}
    for position, (line, row) in enumerate(rows):
        if len(row) != len(header):
            raise source.error(f"there are {len(row)} columns, and {len(header)} in the header", line)
        index = str(position) if item is None else row[item]
        if index in labels:
            raise source.error(f"there are two labels for {index!r:.60}; keep one of them", line)
        labels[index] = row[column]
    return _as_integers(source, labels)


def _as_integers(source: Source, labels: dict[str, str]) -> Gold:
    if not labels:
        raise source.error("there is no label in this gold standard; is the file complete?")
    if all(map(INTEGER.fullmatch, labels.values())):
        return Gold({index: int(label) for index, label in labels.items()}, True)
    if all(map(NUMBER.fullmatch, labels.values())):
        raise source.error("the labels are numbers with decimals, and only classes can be compared item by item here")
    return Gold(dict(labels), False)


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the predictions, and the items that have none as missing."""
    standard: Gold = wanted.gold
    seen = set()
    for line, text in source.lines():
        row = text.split("\t")
        if row == HEADER or not text.strip():
            continue
        if len(row) != len(HEADER):
            raise source.error(f"a line holds an index and a prediction with a tab between, not {text!r:.60}", line)
        index, label = row
        if index not in standard.labels:
            raise source.error(f"item {index!r:.60} is not in the gold standard", line)
        if standard.integers and not INTEGER.fullmatch(label):
            raise source.error(f"the prediction {label!r:.60} is not an integer, as the gold labels are", line)
        seen.add(index)
        said = int(label) if standard.integers else label
        yield Record(index, {"label": Predicted(said, standard.labels[index])}, line=line)
    yield from (Record(index, {"label": None}) for index in standard.labels if index not in seen)


FORMAT = Format(
    name="glue",
    title="predictions for GLUE (index, prediction), with a table of labels",
    recognise=recognise,
    read=read,
    gold=gold,
    needs_gold=True,
    metrics={"label": OF_LABELS},
    details="Items are named by index. Hugging Face's Trainer writes this as predict_results_<task>.txt. f1 is that of "
    "the class 1, unless average or pos_label say otherwise.",
)
