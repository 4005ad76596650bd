"""What has to be known of the columns of a data frame before it is counted: are they there, on which grid, how large.

Floats are brought to a grid before any group-by, so that 0.3 - 0.1 and 0.2 - 0 are one effect: a grid of unit u holds
if *every* value is the float nearest to a multiple of u. Integers are summed in 64 bits if the largest one times the
number of rows is below 2^62, and else in two halves. Integers of 16 bits need no look: 2^46 of them fit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.grid import as_unit
from exactperm.integers import NARROW

__all__ = ["HALF", "NO_ROWS", "PLAIN", "Columns", "Survey", "fetch", "fetch_columns", "has_gap", "lacks", "look"]

#: decimals up to which floats are looked for on a grid
DECIMALS = 9
#: multiples of a unit below this are told apart as floats; see `exactperm.grid`
TOLD_APART = {"Float32": 2**22, "Float64": 2**51, "Decimal": 2**51}
HALF = 2**32
#: rows of a result that are fetched at once
BLOCK = 1 << 13
NO_ROWS = "the frame holds no rows; there is nothing to compare"
SHORT = ("Int8", "Int16", "UInt8", "UInt16", "Boolean")
INTEGERS = (*SHORT, "Int32", "UInt32", "Int64", "UInt64", "Int128", "UInt128")
#: types that are the same as columns of NumPy and as values of Python
PLAIN = {*SHORT, "Int32", "UInt32", "Int64", "UInt64", "String"}


@dataclass(frozen=True)
class Columns:
    """The columns of a frame that take part, by their names.

    Attributes
    ----------
    names
        The names of the sums.
    a, b
        The column of each sum, for either system.
    keys, group, weight
        The columns that tell tests apart, that names the group of a row, and by which its sums are multiplied.
    """

    names: tuple[str, ...]
    a: tuple[str, ...]
    b: tuple[str, ...]
    keys: tuple[str, ...] = ()
    group: str | None = None
    weight: str | None = None

    @classmethod
    def of(cls, a: Any, b: Any, keys: tuple[str, ...], group: str | None, weight: str | None) -> Columns:
        """Take one column for each system, or a mapping from the sums of a metric to columns for each."""
        if isinstance(a, str) and isinstance(b, str):
            return cls(("score",), (a,), (b,), keys, group, weight)
        if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
            raise TypeError(
                'a and b must both be names of columns, or both mappings from sums to columns, as in {"tp": "tp_a"}; '
                f"got {a!r} and {b!r}"
            )
        if not a or set(a) != set(b):
            named = " and ".join(", ".join(x) or "none" for x in (a, b))
            raise ValueError(f"a and b must name the same sums; got {named}")
        return cls(tuple(a), tuple(a.values()), tuple(b[name] for name in a), keys, group, weight)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that hold numbers, each once."""
        return tuple(dict.fromkeys((*self.a, *self.b, *((self.weight,) if self.weight else ()))))

    def check(self, types: Mapping[str, str]) -> None:
        """Refuse columns that are not there, or hold something else than numbers."""
        named = {"a": self.a, "b": self.b, "by": self.keys, "group": (self.group,), "weight": (self.weight,)}
        for argument, columns in named.items():
            for column in columns:
                if column is not None and column not in types:
                    raise ValueError(f"{argument}={column!r} is no column of the frame; it has {', '.join(types)}")
        for column in self.numbers:
            if types[column] not in (*INTEGERS, *TOLD_APART):
                raise TypeError(
                    f"column {column!r} holds {types[column]}; give a column of integers, booleans or floats"
                )
        if self.weight and types[self.weight] not in INTEGERS:
            raise TypeError(f"weight={self.weight!r} holds {types[self.weight]}; weights must be integers")


@dataclass(frozen=True)
class Survey:
    """How columns become integers.

    Attributes
    ----------
    types
        The type of each column.
    unit
        The value of one integer step.
    halves
        Whether sums are made of high and low halves.
    """

    types: Mapping[str, str]
    unit: Fraction = Fraction(1)
    halves: bool = False

    def integers(self, column: str) -> Any:
        """A column in steps of the unit, as 64-bit integers."""
        import narwhals.stable.v2 as nw

        if self.types[column] in TOLD_APART:
            # gaps are refused or filtered out, but some engines cast before they filter
            value = nw.when(has_gap(column, self.types)).then(nw.lit(0.0)).otherwise(nw.col(column).cast(nw.Float64))
            return _steps(value, self.unit).cast(nw.Int64)
        whole = nw.col(column).cast(nw.Int64)
        return whole if self.unit == 1 else whole * int(1 / self.unit)

    def joined(self, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """Columns of numbers from those of their halves, as integers of any size."""
        if not self.halves:
            return numbers
        wide = numbers.astype(object)
        return np.asarray(wide[:, ::2] * HALF + wide[:, 1::2])


def look(rows: Any, columns: Columns, *, omit: bool, grid: Any) -> Survey:
    """Check the columns, and look once through those that hold floats or long integers."""
    types = {name: str(dtype).partition("(")[0] for name, dtype in rows.collect_schema().items()}
    columns.check(types)
    long = [c for c in columns.numbers if types[c] not in SHORT or c == columns.weight]
    if not long:
        return Survey(types)
    floats = [c for c in long if types[c] in TOLD_APART]
    units = _units(grid, len(columns.names)) if floats else []
    seen = _scan(rows, long, types, units)
    for column in long:
        if seen["gaps", column] and not omit:
            raise ValueError(lacks(column, seen["gaps", column]))
        if seen["infinite", column]:
            raise ValueError(f"column {column!r} holds infinities; scores must be finite")
    if columns.weight and seen["low", columns.weight] < 1:
        raise ValueError(f"weight={columns.weight!r} must be positive, a number of items; filter out rows that weigh 0")
    unit = _coarsest(units, floats, seen) if floats else Fraction(1)
    return Survey(types, unit, _has_to_be_halved(columns, seen, unit))


def _has_to_be_halved(columns: Columns, seen: Mapping[tuple[Any, ...], int], unit: Fraction) -> bool:
    """Whether sums of 64 bits might overflow."""

    def largest(column: str) -> int:
        return max(-seen["low", column], seen["high", column]) if ("low", column) in seen else 2**16

    for column in columns.numbers:
        if seen.get(("low", column), 0) < -(2**63) or seen.get(("high", column), 0) >= 2**63:
            raise ValueError(f"column {column!r} holds integers of more than 64 bits; divide them by a common factor")
    scores = math.ceil(max(map(largest, (*columns.a, *columns.b))) / unit)
    weight = largest(columns.weight) if columns.weight else 1
    if scores * weight * seen["rows",] < NARROW:
        return False
    if columns.weight or unit != 1:
        raise ValueError(
            f"sums of {seen['rows',]} rows, of {scores} steps of {unit} times a weight of {weight} at most, may not "
            "fit into 64 bits; count parts of the rows and add the Effects"
        )
    return True


def lacks(column: str, number: int) -> str:
    """The words for missing values."""
    return f"column {column!r} lacks {number} values; nan_policy='omit' drops the rows that lack one"


# -- one look --------------------------------------------------------------------------------------------------


def _scan(
    rows: Any, columns: Sequence[str], types: Mapping[str, str], units: Sequence[Fraction]
) -> dict[tuple[Any, ...], int]:
    """What is to be seen in the columns, by one query: extremes, and how many values are of each kind."""
    import narwhals.stable.v2 as nw

    counted: dict[tuple[Any, ...], Any] = {}
    sizes: dict[str, Any] = {}
    for column in columns:
        gap = has_gap(column, types)
        counted["gaps", column] = gap
        if types[column] not in TOLD_APART:
            counted["infinite", column] = nw.lit(False)
            sizes[column] = nw.col(column).cast(nw.Int64) if types[column] == "Boolean" else nw.col(column)
            continue
        value = nw.col(column).cast(nw.Float64)
        infinite = ~gap & (value.abs() == math.inf)
        counted["infinite", column] = infinite
        known = nw.when(gap | infinite).then(nw.lit(0.0)).otherwise(value)
        sizes[column] = known
        for unit in units:
            counted["misses", column, unit] = ~_is_multiple(known, unit, types[column])
    made = rows.select(
        *(flag.cast(nw.Int64).alias(f"n{i}") for i, flag in enumerate(counted.values())),
        *(size.alias(f"x{i}") for i, size in enumerate(sizes.values())),
        nw.lit(1, nw.Int64).alias("rows"),
    )
    extremes = [nw.col(f"x{i}") for i in range(len(sizes))]
    (found,) = fetch(
        made.select(
            nw.col("rows").sum(),
            *(nw.col(f"n{i}").sum() for i in range(len(counted))),
            *(x.min().name.prefix("low") for x in extremes),
            *(x.max().name.prefix("high") for x in extremes),
        )
    )
    if not found[0]:
        raise ValueError(NO_ROWS)
    keys = [("rows",), *counted, *(("low", c) for c in sizes), *(("high", c) for c in sizes)]
    return {key: _outward(value) for key, value in zip(keys, found, strict=True)}


def _outward(x: Any) -> int:
    """A number that may be a float as an integer at least as large in magnitude."""
    there = isinstance(x, Number)  # or None, or NA of pandas, of a column that holds nothing
    if not there or math.isnan(x):
        return 0
    return int(math.ceil(x) if x > 0 else math.floor(x))


def has_gap(column: str, types: Mapping[str, str]) -> Any:
    """Whether a value is missing: null, or NaN in a column of floats."""
    import narwhals.stable.v2 as nw

    null = nw.col(column).is_null()
    return null | nw.col(column).is_nan() if types[column] in ("Float32", "Float64") else null


# -- grids -----------------------------------------------------------------------------------------------------


def _units(grid: Any, sums: int) -> list[Fraction]:
    """The units that are tried, from the coarsest on; the sums of a metric are whole."""
    if isinstance(grid, str) and grid == "auto":
        if sums > 1:
            return [Fraction(1)]
        return [Fraction(1, 10**decimals) for decimals in range(DECIMALS + 1)]
    unit = as_unit(grid)
    if unit is None:
        raise ValueError("grid=None is for scores in memory; in a frame floats are counted as multiples of a unit")
    return [unit]


def _steps(x: Any, unit: Fraction) -> Any:
    """The nearest number of steps."""
    return (x * float(unit.denominator) / float(unit.numerator)).round()


def _is_multiple(x: Any, unit: Fraction, kind: str) -> Any:
    """Whether a float is the one nearest to a multiple: one exact product and one division, rounded once."""
    import narwhals.stable.v2 as nw

    steps = _steps(x, unit) * float(unit.numerator)
    # a column, not a number: Polars divides by numbers through their rounded reciprocal
    nearest = steps / (steps * 0.0 + float(unit.denominator))
    same = nearest.cast(nw.Float32) == x.cast(nw.Float32) if kind == "Float32" else nearest == x
    return same & (steps.abs() <= float(TOLD_APART[kind]))


def _coarsest(units: Sequence[Fraction], floats: Sequence[str], seen: Mapping[tuple[Any, ...], int]) -> Fraction:
    """The first unit of which all floats are multiples."""
    for unit in units:
        if not any(seen["misses", column, unit] for column in floats):
            return unit
    misses = {column: seen["misses", column, units[-1]] for column in floats}
    column = max(misses, key=lambda c: misses[c])
    if set(units) == {1}:
        raise ValueError(f"column {column!r} holds {misses[column]} floats that are no whole numbers; counts are")
    raise ValueError(
        f"column {column!r} holds {misses[column]} floats that are no multiples of {units[-1]}; name their unit, as in "
        "grid='1/60', round them, or give the columns themselves to paired_test, which brackets such scores"
    )


# -- results ---------------------------------------------------------------------------------------------------


def fetch(query: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a result, a block at a time. DuckDB and Spark hand over theirs without pyarrow."""
    native = query.to_native()
    if hasattr(native, "fetchmany"):
        while block := native.fetchmany(BLOCK):
            yield from block
    elif hasattr(native, "iter_rows"):  # DuckDB from 2.0 on
        yield from native.iter_rows(BLOCK)
    elif type(native).__module__.partition(".")[0] == "pyspark":
        yield from map(tuple, native.toLocalIterator())
    else:
        yield from query.collect().iter_rows()


def fetch_columns(query: Any, *, arrays: bool = False) -> Iterator[Sequence[Any]]:
    """Yield the columns of a result, a block of rows at a time.

    DuckDB hands over those of `PLAIN` types as arrays, if asked to: making a tuple of each row is most of the time of a
    large result. They are in memory all at once, 8 bytes a number.
    """
    native = query.to_native()
    if arrays and hasattr(native, "fetchnumpy"):
        # what is under a mask may be anything; as a list it is None
        columns = [c.tolist() if isinstance(c, np.ma.MaskedArray) else c for c in native.fetchnumpy().values()]
        for start in range(0, len(columns[0]), BLOCK):
            yield [column[start : start + BLOCK] for column in columns]
        return
    rows = fetch(query)
    while block := list(islice(rows, BLOCK)):
        yield list(zip(*block, strict=True))
