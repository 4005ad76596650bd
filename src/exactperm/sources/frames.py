"""`Effects` from a data frame of any library: a group-by where the data are, and only its small result comes here.

The frame may hold its rows (pandas, polars, pyarrow), be a query on them (polars lazy, DuckDB, Ibis) or stand for a
cluster (Dask, Spark); narwhals writes the same group-bys for each::

    rows  ->  by group: the sums of A and of B  ->  by difference of the sums: how many groups, items, A's totals

Engines go wrong in silence, each in ways of its own, so every column is cast to 64 bits before a subtraction, rows are
counted by sums of 64-bit ones, and a group is checked for values that a sum has skipped. `exactperm.sources.survey` has
shown before that nothing can overflow; where something might, each number is counted as two halves of 32 bits.

Cost: one pass over the rows, with groups another for gaps and totals, and one over columns that hold floats or integers
of more than 16 bits.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.counting import canonical
from exactperm.effects import Effects
from exactperm.sources.survey import (
    HALF,
    NO_ROWS,
    PLAIN,
    Columns,
    Survey,
    fetch,
    fetch_columns,
    has_gap,
    lacks,
    look,
)

__all__ = ["effects_by_key", "effects_of_frame"]

Key = tuple[Hashable, ...]
#: what is counted in each cell
NUMBERS = ("groups", "items")


def effects_of_frame(
    frame: Any, a: Any, b: Any, *, group: str | None, weight: str | None, nan_policy: str, grid: Any
) -> Effects:
    """The effects of all rows."""
    ((_, effects),) = _count(frame, Columns.of(a, b, (), group, weight), nan_policy, grid)
    return effects


def effects_by_key(
    frame: Any,
    by: str | Sequence[str],
    a: Any,
    b: Any,
    *,
    group: str | None = None,
    weight: str | None = None,
    nan_policy: str = "raise",
    grid: Any = "auto",
) -> Iterator[tuple[Key, Effects]]:
    """Yield each key, a value of each column of `by`, and the effects of its rows: by one query, in its order."""
    keys = (by,) if isinstance(by, str) else tuple(by)
    return _count(frame, Columns.of(a, b, keys, group, weight), nan_policy, grid)


def _count(frame: Any, columns: Columns, nan_policy: str, grid: Any) -> Iterator[tuple[Key, Effects]]:
    import narwhals.stable.v2 as nw

    if nan_policy not in ("raise", "omit"):
        raise ValueError(f"nan_policy must be 'raise' or 'omit', not {nan_policy!r}")
    try:
        rows = nw.from_native(frame).lazy()
    except TypeError:
        raise TypeError(
            "frame must be a data frame or a query (pandas, polars, pyarrow, DuckDB, Dask, Spark, Ibis), "
            f"not a {type(frame).__name__}"
        ) from None
    seen = look(rows, columns, omit=nan_policy == "omit", grid=grid)
    if nan_policy == "omit":
        rows = rows.filter(~nw.any_horizontal(*(has_gap(c, seen.types) for c in columns.numbers), ignore_nulls=False))
    key = None
    try:
        for key, numbers in _by_key(_cells(rows, columns, seen), columns, seen):
            yield key, _effects(numbers, columns, seen)
    except (TypeError, ValueError):
        _refuse_gaps(rows, columns)  # a gap is no integer; what else goes wrong is not looked for in all rows
        raise
    if key is None:
        raise ValueError(NO_ROWS)


def _by_key(cells: Iterator[Sequence[Any]], columns: Columns, seen: Survey) -> Iterator[tuple[Key, NDArray[np.int64]]]:
    """Yield each key with the numbers of its cells, which follow each other: a row a cell."""
    width = len(columns.keys)
    floats = any(seen.types[column] in ("Float32", "Float64") for column in columns.keys)
    known: Key | None = None
    parts: list[NDArray[np.int64]] = []
    for block in cells:
        numbers = np.array(block[width:], dtype=np.int64).T
        named = (column.tolist() if isinstance(column, np.ndarray) else column for column in block[:width])
        keys = zip(*named, strict=True) if width else repeat((), len(numbers))
        start = 0
        for key, run in groupby(map(_with_one_nan, keys) if floats else keys):
            stop = start + sum(1 for _ in run)
            if known is not None and key != known:
                yield known, np.concatenate(parts)
                parts = []
            known = key
            parts.append(numbers[start:stop])
            start = stop
    if known is not None:
        yield known, np.concatenate(parts)


def _with_one_nan(key: Key) -> Key:
    """The same key, in which NaN, unequal to itself, is one object: the same object makes tuples equal."""
    return tuple(math.nan if isinstance(x, float) and math.isnan(x) else x for x in key)


# -- the query -------------------------------------------------------------------------------------------------


def _cells(rows: Any, columns: Columns, seen: Survey) -> Iterator[Sequence[Any]]:
    """Count what each key and signed difference of the sums has: A's totals, groups, items; yield blocks of columns.

    The cells of a key follow each other. A difference is null where a value is missing.
    """
    import narwhals.stable.v2 as nw

    parts = [part for pair in zip(columns.a, columns.b, strict=True) for part in _parts(*pair, columns, seen)]
    keys = [f"key{i}" for i in range(len(columns.keys))]
    a, b, d = ([f"{name}{i}" for i in range(len(parts))] for name in "abd")
    chosen = rows.select(
        *(nw.col(column).alias(key) for key, column in zip(keys, columns.keys, strict=True)),
        *((nw.col(columns.group).alias("group"),) if columns.group else ()),
        *(x.alias(name) for name, (x, _) in zip(a, parts, strict=True)),
        *(y.alias(name) for name, (_, y) in zip(b, parts, strict=True)),
        (nw.col(columns.weight).cast(nw.Int64) if columns.weight else nw.lit(1, nw.Int64)).alias("items"),
    )
    differing = chosen.with_columns(
        *((nw.col(x) - nw.col(y)).alias(z) for x, y, z in zip(a, b, d, strict=True)), groups=nw.lit(1, nw.Int64)
    )
    if columns.group and not keys:
        return _cells_of_groups(differing, rows, columns, a, d)
    if columns.group:
        differing = _by_group(differing, keys, a, d)
    # items are groups and rows unless there is more to it, and DuckDB counts quicker than it adds up ones
    counts = NUMBERS if rows.implementation.is_duckdb() and not (columns.group or columns.weight) else ()
    sums = (nw.col(name).sum() for name in [*a, *NUMBERS] if name not in counts)
    counted = differing.group_by(*keys, *d).agg(*sums, *(nw.len().alias(name) for name in counts))
    wanted = counted.select(*keys, *(nw.col(name).cast(nw.Int64) for name in [*d, *a, *NUMBERS]))
    if not keys:
        return fetch_columns(wanted)
    return fetch_columns(wanted.sort(*keys), arrays={seen.types[c] for c in columns.keys} <= PLAIN)


def _cells_of_groups(
    differing: Any, rows: Any, columns: Columns, a: list[str], d: list[str]
) -> Iterator[Sequence[Any]]:
    """The same for groups without a key: gaps and what all rows add up to first, which takes no group-by.

    The group-by of many groups is the expensive part, and it has nothing to add up but the differences. A cell of no
    groups has all of A's totals and of the items.
    """
    import narwhals.stable.v2 as nw

    _refuse_gaps(rows, columns)
    (totals,) = fetch(differing.select(nw.col(name).sum() for name in [*a, "items"]))
    grouped = differing.group_by("group").agg(*(nw.col(name).sum() for name in d))
    cells = grouped.select(*d, groups=nw.lit(1, nw.Int64)).group_by(*d).agg(nw.col("groups").sum())
    if not totals[-1]:
        raise ValueError(NO_ROWS)
    yield [*[(0,)] * len(d), *((total,) for total in totals[:-1]), (0,), totals[-1:]]
    for *differences, groups in fetch_columns(cells.select(nw.col(name).cast(nw.Int64) for name in [*d, "groups"])):
        nothing = np.zeros(len(groups), dtype=np.int64)
        yield [*differences, *[nothing] * len(a), groups, nothing]


def _by_group(rows: Any, keys: list[str], a: list[str], d: list[str]) -> Any:
    """The sums of each group; differences are null where one is missing, which a sum would skip, or the group is."""
    import narwhals.stable.v2 as nw

    counts = {f"there {name}": nw.col(name).count() for name in d}
    sums = (nw.col(name).sum() for name in [*a, *d, "items", "groups"])
    grouped = rows.group_by(*keys, "group").agg(*sums, **counts)
    whole = nw.all_horizontal(*(nw.col(count) == nw.col("groups") for count in counts), ignore_nulls=False)
    known = whole & ~nw.col("group").is_null()
    return grouped.select(
        *keys, *a, "items", *(nw.when(known).then(nw.col(x)).alias(x) for x in d), groups=nw.lit(1, nw.Int64)
    )


def _parts(a: str, b: str, columns: Columns, seen: Survey) -> Iterator[tuple[Any, Any]]:
    """Two columns as 64-bit integers that can be summed: themselves, or their high and their low halves."""
    import narwhals.stable.v2 as nw

    x, y = seen.integers(a), seen.integers(b)
    if columns.weight:
        weight = nw.col(columns.weight).cast(nw.Int64)
        yield x * weight, y * weight
    elif seen.halves:
        # where a quotient is a float it may be too large by one; the low half then makes up for it
        high, other = ((z // HALF).cast(nw.Int64).clip(-(2**31), 2**31 - 1) for z in (x, y))
        yield high, other
        yield x - high * HALF, y - other * HALF
    else:
        yield x, y


def _refuse_gaps(rows: Any, columns: Columns) -> None:
    """Say in which columns something is missing: the counting has only shown that something is."""
    import narwhals.stable.v2 as nw

    named = list(dict.fromkeys([*columns.numbers, *([columns.group] if columns.group else [])]))
    gaps = rows.select(*(nw.col(c).is_null().cast(nw.Int64).alias(f"gaps{i}") for i, c in enumerate(named)))
    (lost,) = fetch(gaps.select(*(nw.col(f"gaps{i}").sum() for i in range(len(named)))))
    for column, number in zip(named, lost, strict=True):
        if number and column == columns.group:
            raise ValueError(f"group column {column!r} is null in {number} rows; give each a group, or filter them out")
        if number:
            raise ValueError(lacks(column, int(number)))


# -- from cells to effects -------------------------------------------------------------------------------------


def _effects(table: NDArray[np.int64], columns: Columns, seen: Survey) -> Effects:
    groups, items = table[:, -2], int(table[:, -1].sum())
    difference, totals = (seen.joined(half) for half in np.hsplit(table[:, :-2], 2))
    totals_a = tuple(totals.sum(axis=0).tolist())
    return Effects(columns.names, *canonical(difference, groups), items, totals_a, seen.unit)
