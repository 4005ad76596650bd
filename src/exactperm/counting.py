"""Histograms: the distinct differences of two systems with how often each occurs.

Scores are counted in a dense window, block by block, where they are close together, and sorted where they are not;
rows of several sums are counted by one key per row. Either way the answer is a `Table` in canonical form.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactperm.integers import NARROW, Integers, as_narrow, total

__all__ = ["Table", "canonical", "count_rows", "count_scores", "count_tests", "sum_groups"]

#: items per block of the histogram: three int64 buffers of this size stay in the second-level cache
BLOCK = 1 << 16
#: a histogram is counted in a dense window up to this many cells, or four per item
WINDOW = 1 << 20
#: magnitudes up to this are counted without looking for the largest first
FEW = 1 << 10


class Table(NamedTuple):
    """Distinct effects with their counts, in the order and with the signs that `Effects` documents."""

    values: Integers
    n_plus: NDArray[np.int64]
    n_minus: NDArray[np.int64]
    n_tied: int


def count_scores(a: Integers, b: Integers, sizes: tuple[int, int]) -> tuple[Table, int]:
    """The histogram of a - b, and the total of a; |a| and |b| are at most `sizes`.

    It goes block by block, so that no copy of the data is made.
    """
    window = _Window(4 * a.size, sum(sizes))
    buffer = np.empty(min(BLOCK, a.size), dtype=np.int64)
    total_a = 0
    for start in range(0, a.size, BLOCK):
        block = a[start : start + BLOCK]
        difference = buffer[: block.size]
        np.subtract(block, b[start : start + BLOCK], out=difference, dtype=np.int64, casting="unsafe")
        total_a += total(block, sizes[0])
        if not window.add(difference):
            return _sort(a, b), total(a)
    return window.folded(), total_a


def count_tests(a: Integers, b: Integers, sizes: tuple[int, int]) -> list[tuple[Table, int]]:
    """What `count_scores` says of each row of a and b, of shape (comparisons, items), by one count over all of them."""
    difference = np.subtract(a, b, dtype=np.int64, casting="unsafe")
    reach = max(int(difference.max(initial=0)), -int(difference.min(initial=0)))
    tests, items = difference.shape
    width = 2 * reach + 1
    if width > 4 * items + WINDOW // tests:
        return [count_scores(x, y, sizes) for x, y in zip(a, b, strict=True)]
    difference += reach + width * np.arange(tests)[:, None]
    cells = np.bincount(difference.ravel(), minlength=tests * width).reshape(tests, width)
    plus, minus = cells[:, reach + 1 :], cells[:, :reach][:, ::-1]
    row, value = np.nonzero(plus + minus)
    plus, minus, ends = plus[row, value], minus[row, value], np.searchsorted(row, np.arange(1, tests + 1)).tolist()
    value += 1
    pieces = zip([0, *ends], ends, cells[:, reach].tolist(), a, strict=False)
    return [(Table(value[i:j, None], plus[i:j], minus[i:j], tied), total(x, sizes[0])) for i, j, tied, x in pieces]


def _sort(a: Integers, b: Integers) -> Table:
    """The histogram of a - b by sorting, where the effects spread too widely for a window."""
    difference = np.subtract(a, b, dtype=np.int64, casting="unsafe")
    difference.sort()
    firsts = np.flatnonzero(np.concatenate([[True], difference[1:] != difference[:-1]]))
    counts = np.diff(firsts, append=difference.size)
    signed = difference[firsts][:, None]
    return canonical(signed, counts)


class _Window:
    """Counts of integers of magnitude up to `reach` in a dense array.

    It holds all of them from the start if they are few, else it grows to where they fall, up to a limit.
    """

    def __init__(self, limit: int, reach: int) -> None:
        self.limit = max(limit, WINDOW)
        self.wide = reach > FEW
        self.low = 0 if self.wide else -reach
        self.counts = np.zeros(1 if self.wide else 2 * reach + 1, dtype=np.int64)

    def add(self, block: NDArray[np.int64]) -> bool:
        """Count a block, which is overwritten; False if it does not fit under the limit."""
        if self.wide and not self._reaches(block):
            return False
        block -= self.low
        if self.counts.size <= 4 * block.size:
            self.counts += np.bincount(block, minlength=self.counts.size)
        else:
            np.add.at(self.counts, block, 1)
        return True

    def _reaches(self, block: NDArray[np.int64]) -> bool:
        """Grow to hold a block, if the limit allows it."""
        low, high = min(int(block.min()), self.low), max(int(block.max()), self.low + self.counts.size - 1)
        if high - low >= self.limit:
            return False
        if high - low >= self.counts.size:
            grown = np.zeros(high - low + 1, dtype=np.int64)
            grown[self.low - low : self.low - low + self.counts.size] = self.counts
            self.low, self.counts = low, grown
        return True

    def folded(self) -> Table:
        """Distinct magnitudes, their counts with either sign, and the count of zero."""
        zero = -self.low
        above, below = self.counts[zero + 1 :], self.counts[:zero][::-1]
        plus, minus = np.zeros((2, max(above.size, below.size)), dtype=np.int64)
        plus[: above.size], minus[: below.size] = above, below
        cells = np.flatnonzero(plus + minus)
        return Table((cells + 1)[:, None], plus[cells], minus[cells], int(self.counts[zero]))


def sum_groups(differences: Integers, groups: Any) -> Integers:
    """Sum the rows of each group."""
    groups = np.asarray(groups)
    if groups.shape != differences.shape[:1]:
        raise ValueError(f"groups needs one label per item; got shape {groups.shape} for {differences.shape[0]} items")
    labels, codes = np.unique(groups, return_inverse=True)
    shape = (labels.size, differences.shape[1])
    if differences.size and differences.dtype != object:
        bound = int(np.abs(differences).max()) * differences.shape[0]
        if bound < 2**53:  # float64 sums of integers this small are exact
            sums = [np.bincount(codes, column, labels.size) for column in differences.T]
            return np.stack(sums, axis=1).astype(np.int64)
    summed = np.zeros(shape, dtype=object)
    np.add.at(summed, codes, differences.astype(object))
    return as_narrow(summed)


def count_rows(differences: Integers) -> Table:
    """The histogram of rows of several sums."""
    return canonical(*_distinct_rows(differences))


def _distinct_rows(rows: Integers) -> tuple[Integers, NDArray[np.int64]]:
    """The distinct rows and how often each occurs, by one sort of a single key where the ranges allow it."""
    if rows.shape[0] and rows.dtype != object:
        low = rows.min(axis=0)
        ranges = [last - first + 1 for first, last in zip(low.tolist(), rows.max(axis=0).tolist(), strict=True)]
        if math.prod(ranges) < NARROW:
            keys, counts = _count_keys(_encode(rows - low, ranges), math.prod(ranges))
            return _decode(keys, ranges) + low, counts
    table: dict[tuple[int, ...], int] = {}
    for row in map(tuple, rows.tolist()):
        table[row] = table.get(row, 0) + 1
    distinct = np.empty((len(table), rows.shape[1]), dtype=object)
    for i, row in enumerate(table):
        distinct[i] = row
    return distinct, np.array(list(table.values()), dtype=np.int64)


def _count_keys(keys: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if size <= max(4 * keys.size, 1 << 12):
        cells = np.bincount(keys, minlength=size)
        found = np.flatnonzero(cells)
        return found, cells[found]
    return np.unique(keys, return_counts=True)


def _encode(rows: NDArray[np.int64], ranges: list[int]) -> NDArray[np.int64]:
    key = rows[:, 0]
    for column, size in zip(rows.T[1:], ranges[1:], strict=True):
        key = key * size + column
    return key


def _decode(keys: NDArray[np.int64], ranges: list[int]) -> NDArray[np.int64]:
    rows = np.empty((keys.size, len(ranges)), dtype=np.int64)
    for i in range(len(ranges) - 1, -1, -1):
        keys, rows[:, i] = np.divmod(keys, ranges[i])
    return rows


def canonical(signed: Integers, plus: NDArray[np.int64], minus: NDArray[np.int64] | None = None) -> Table:
    """Fold the signs, merge equal effects, sort, set zero apart: signed effects with counts as a `Table`.

    `plus` counts the groups that have the effect as it stands, `minus` those (none by default) that have its negative.
    """
    signed = as_narrow(signed)
    minus = np.zeros_like(plus) if minus is None else minus
    sign = _leading_sign(signed)
    folded = signed * sign[:, None]
    plus, minus = np.where(sign < 0, minus, plus), np.where(sign < 0, plus, minus)
    occurring = plus + minus > 0
    tied = int((plus + minus)[sign == 0].sum())
    keep = occurring & (sign != 0)
    values, plus, minus = folded[keep], plus[keep], minus[keep]
    order = np.lexsort(list(values.T[::-1])) if len(values) else np.arange(0)
    values, plus, minus = values[order], plus[order], minus[order]
    if len(values):
        new = np.concatenate([[True], (values[1:] != values[:-1]).any(axis=1)])
        firsts = np.flatnonzero(new)
        values = values[firsts]
        plus, minus = np.add.reduceat(plus, firsts), np.add.reduceat(minus, firsts)
    return Table(values, plus, minus, tied)


def _leading_sign(rows: Integers) -> NDArray[np.int64]:
    """The sign of the first entry of each row that is not zero."""
    sign = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T[::-1]:
        here = (column > 0).astype(np.int64) - (column < 0).astype(np.int64)
        sign = np.where(here != 0, here, sign)
    return sign
