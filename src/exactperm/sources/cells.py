"""From the cells of a column to an array of numbers: text as tables hold it, or values as JSON holds them.

Integers stay integers of any size, and decimals become the nearest double, so that 0.1 stays 0.1. A column of integers
with missing cells is a masked array; in a column of floats NaN stands for what is missing. Cells are converted by loops
of the interpreter (`map`), not by one call of ours each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MISSING", "BadCell", "is_number", "joined", "of_text", "of_values"]

Numbers = NDArray[Any]

#: what tools write where there is nothing
MISSING = frozenset({"", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>", "#N/A"})
TRUE = frozenset({"TRUE", "True", "true"})
FALSE = frozenset({"FALSE", "False", "false"})


class BadCell(ValueError):
    """A cell that is no finite number: its place in the column, and what it holds."""

    def __init__(self, index: int, cell: Any) -> None:
        super().__init__(f"cell {index} holds {cell!r:.60}")
        self.index, self.cell = index, cell


def of_text(cells: Sequence[str], decimal_comma: bool = False) -> Numbers:
    """The numbers that cells of text stand for; `BadCell` if one is neither a finite number nor missing."""

    def convert(cells: Sequence[str]) -> Numbers | None:
        numbers = _numbers(cells)
        if numbers is None and decimal_comma:
            numbers = _numbers([cell.replace(",", ".") for cell in cells])
        return numbers

    return _with_missing(cells, convert, lambda cell: cell.strip() in MISSING)


def of_values(values: Sequence[Any]) -> Numbers:
    """The numbers among values of JSON; `BadCell` if one is neither a finite number nor null."""
    return _with_missing(values, _numbers_of_json, lambda value: value is None)


def is_number(cell: str, decimal_comma: bool = False) -> bool:
    """Whether a cell of text holds a number."""
    try:
        return cell.strip() not in MISSING and of_text([cell], decimal_comma) is not None
    except BadCell:
        return False


def joined(parts: Sequence[Numbers]) -> Numbers:
    """The parts of a column as one; integers and floats become floats."""
    if any(part.dtype.kind == "f" for part in parts):
        parts = [part if part.dtype.kind == "f" else _as_floats(part) for part in parts]
    masked = any(isinstance(part, np.ma.MaskedArray) for part in parts)
    whole: Numbers = np.ma.concatenate(parts) if masked else np.concatenate(parts)  # type: ignore[no-untyped-call]
    return _finite(whole, whole)


def _as_floats(part: Numbers) -> Numbers:
    values = np.asarray(part)
    floats = _floats(values.tolist()) if values.dtype == object else values.astype(np.float64)
    if isinstance(part, np.ma.MaskedArray):
        floats[np.ma.getmaskarray(part)] = np.nan
    return floats


def _with_missing(
    cells: Sequence[Any], convert: Callable[[Sequence[Any]], Numbers | None], is_missing: Callable[[Any], bool]
) -> Numbers:
    """Convert all cells, or if that fails those that are not missing."""
    numbers = convert(cells)
    if numbers is None:
        lost = np.fromiter(map(is_missing, cells), np.bool_, len(cells))
        kept = [cell for cell, gone in zip(cells, lost.tolist(), strict=True) if not gone]
        found = convert(kept)
        if found is None:
            i = next(i for i, cell in enumerate(cells) if not lost[i] and convert([kept[0], cell]) is None)
            raise BadCell(i, cells[i])
        numbers = _spread(found, lost)
    return _finite(numbers, cells)


def _finite(numbers: Numbers, cells: Sequence[Any] | Numbers) -> Numbers:
    """Refuse infinity, and what is too large for a double."""
    if numbers.dtype.kind == "f" and np.isinf(numbers).any():
        i = int(np.isinf(numbers).argmax())
        raise BadCell(i, cells[i])
    return numbers


def _spread(kept: Numbers, lost: NDArray[np.bool_]) -> Numbers:
    """The numbers in their places, with what is missing between them."""
    if kept.dtype.kind == "f":
        numbers = np.full(len(lost), np.nan)
        numbers[~lost] = kept
        return numbers
    numbers = np.zeros(len(lost), dtype=kept.dtype)
    numbers[~lost] = kept
    return np.ma.MaskedArray(numbers, lost)


def _numbers(cells: Sequence[str]) -> Numbers | None:
    """Integers, floats or truth values, whichever all cells are; None if they are not all of one kind."""
    if "_" in "\n".join(cells):  # 1_000 is a number to Python only
        return None
    try:
        return np.fromiter(map(int, cells), np.int64, len(cells))
    except OverflowError:
        return _large(cells)
    except ValueError:
        pass
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        pass
    kinds = set(map(str.strip, cells))
    return np.array([cell.strip() in TRUE for cell in cells]) if kinds <= TRUE | FALSE else None


def _large(cells: Sequence[str]) -> Numbers | None:
    """Integers of any size, or floats where one is not an integer."""
    try:
        numbers = np.empty(len(cells), dtype=object)
        numbers[:] = [int(cell) for cell in cells]
    except ValueError:  # Python refuses integers of more than 4,300 digits
        try:
            return np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            return None
    return numbers


def _numbers_of_json(values: Sequence[Any]) -> Numbers | None:
    kinds = set(map(type, values))
    if not kinds <= {bool, int, float}:
        return None
    if float in kinds:
        return _floats(values)
    if kinds <= {bool}:
        return np.array(values, dtype=np.bool_)
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        large = np.empty(len(values), dtype=object)
        large[:] = values
        return large


def _floats(values: Sequence[Any]) -> Numbers:
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:  # an integer beyond all doubles
        return np.array([float(str(value)) for value in values])
