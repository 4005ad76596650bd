"""Blocks of columns brought together: as they are where all rows match, else item by item like all other formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.sources.base import Block, Counts, Predicted, Record
from exactperm.sources.scores import Measure, Provenance, Scores

__all__ = ["records", "side_by_side"]

Labels = NDArray[Any] | range | None


def side_by_side(blocks: Sequence[Block], provenance: tuple[Provenance, ...], lower: frozenset[str]) -> Scores | None:
    """The blocks of all systems as they are, or None if they have to be aligned, or refused, item by item.

    This costs nothing per item; files that tools wrote about the same test set are mostly in the same order.
    """
    systems = tuple(str(block.system) for block in blocks)
    if len(blocks) < 2 or len(set(systems)) < len(blocks):
        return None
    if any(block.samples is not None or block.gold is not None for block in blocks):
        return None
    first = blocks[0]
    if not all(_same(first.ids, block.ids) and _same(first.groups, block.groups) for block in blocks[1:]):
        return None
    items = tuple(first.ids if isinstance(first.ids, range) else first.ids.tolist())
    names = [name for name in first.measures if all(name in block.measures for block in blocks)]
    if len(set(items)) < len(items) or not names or any(block.metrics != first.metrics for block in blocks):
        return None
    columns = {name: dict(zip(systems, (block.measures[name] for block in blocks), strict=True)) for name in names}
    return Scores(
        systems=systems,
        items=items,
        groups=None if first.groups is None else tuple(first.groups.tolist()),
        measures={
            name: Measure(name, columns[name], metrics=first.metrics.get(name, ()), higher_is_better=name not in lower)
            for name in names
        },
        provenance=provenance,
    )


def records(blocks: Sequence[Block]) -> Iterator[Record]:
    """The rows of blocks one by one."""
    for block in blocks:
        columns = {
            name: _values(column, block.metrics.get(name), block.gold) for name, column in block.measures.items()
        }
        rows = zip(
            block.ids if isinstance(block.ids, range) else block.ids.tolist(),
            zip(*columns.values(), strict=True),
            repeat(None) if block.lines is None else block.lines.tolist(),
            repeat(None) if block.samples is None else block.samples.tolist(),
            repeat(None) if block.groups is None else block.groups.tolist(),
            strict=False,
        )
        for id, values, line, sample, group in rows:
            by_name: Mapping[str, Any] = dict(zip(columns, values, strict=True))
            yield Record(id, by_name, line, block.system, sample, group)


def _values(column: NDArray[Any], metrics: tuple[str, ...] | None, gold: NDArray[Any] | None) -> list[Any]:
    if gold is not None:
        return [None if said is None else Predicted(said, right) for said, right in zip(column, gold, strict=True)]
    if metrics is None:
        return list(column.tolist())
    return [Counts(metrics[0], tuple(sums)) for sums in column.tolist()]


def _same(a: Labels, b: Labels) -> bool:
    """Whether two columns of names are the same; row numbers are the same only as row numbers."""
    if a is b:
        return True
    if isinstance(a, range) or isinstance(b, range) or a is None or b is None:
        return a == b if type(a) is type(b) else False
    return len(a) == len(b) and bool(np.array_equal(a, b))
