"""The single items behind a result: what the two systems have on each, as it came.

Effects are all that a test needs. Some answers need more: which items differ most, a bootstrap of a ratio, groups of
unequal size. `Items` keeps references to the arrays of the caller, no copies, and adds them up by group when asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactperm.counting import sum_groups
from exactperm.inputs import Mask, without
from exactperm.integers import as_narrow, integer_array

__all__ = ["GroupSums", "Items"]


class GroupSums(NamedTuple):
    """What each system has in each group; without groups every item is one.

    Attributes
    ----------
    labels
        (G,) the label of each group, or without groups the index of each item in what came.
    sizes
        (G,) the number of its items.
    a, b
        (G, k) the sums of each system: int64 where they fit, Python integers, or float64 for real scores.
    """

    labels: NDArray[Any]
    sizes: NDArray[np.int64]
    a: NDArray[Any]
    b: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Items:
    """References to what came.

    Attributes
    ----------
    a, b
        (N,) one number per item, or (N, k) the sums of a metric.
    groups
        (N,) one label per item, or None.
    lost
        (N,) the items that were left out for a missing value, or None.

    Examples
    --------
    >>> items = Items(np.array([3, 1, 2]), np.array([1, 1, 5]), np.array(["x", "y", "x"]))
    >>> items.sums().labels.tolist(), items.sums().a.tolist(), items.sums().sizes.tolist()
    (['x', 'y'], [[5], [1]], [2, 1])
    """

    a: NDArray[Any]
    b: NDArray[Any]
    groups: NDArray[Any] | None = None
    lost: Mask | None = None

    def only(self, chosen: Mask) -> Items:
        """The items of some of the groups, told by a mask in the order of `sums`."""
        kept = np.ones(len(self.a), dtype=np.bool_) if self.lost is None else ~self.lost
        here = np.flatnonzero(kept)
        codes = np.arange(here.size) if self.groups is None else np.unique(self.groups[here], return_inverse=True)[1]
        kept[here] = chosen[codes]
        return replace(self, lost=~kept)

    def sums(self) -> GroupSums:
        """Add up each system's sums by group."""
        a, b = (_columns(x) for x in without(self.lost, self.a, self.b))
        if self.groups is None:
            kept = np.arange(len(self.a)) if self.lost is None else np.flatnonzero(~self.lost)
            return GroupSums(kept, np.ones(len(a), dtype=np.int64), a, b)
        (groups,) = without(self.lost, self.groups)
        labels, codes = np.unique(groups, return_inverse=True)
        sizes = np.bincount(codes, minlength=labels.size)
        return GroupSums(labels, sizes, _by_group(a, codes), _by_group(b, codes))


def _columns(x: NDArray[Any]) -> NDArray[Any]:
    """(N, k) int64, Python integers or float64."""
    columns = x if x.ndim == 2 else x[:, None]
    if x.dtype.kind == "f":
        return columns.astype(np.float64, copy=False)
    whole = as_narrow(integer_array(columns, "scores"))
    return whole if whole.dtype == object else whole.astype(np.int64, copy=False)


def _by_group(x: NDArray[Any], codes: NDArray[np.intp]) -> NDArray[Any]:
    return sum_groups(x, codes) if x.dtype.kind != "f" else np.stack([_sum_reals(y, codes) for y in x.T], axis=1)


def _sum_reals(x: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Sums by group, each from the smallest to the largest, so that the order of the items does not matter."""
    order = np.lexsort([x, codes])
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.asarray(np.add.reduceat(x[order], starts))
