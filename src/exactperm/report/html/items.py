"""The items, or groups of them, that speak most for one system of a pair or for the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactperm.metrics.comparison import compare
from exactperm.metrics.frame import observed_totals

if TYPE_CHECKING:
    from exactperm.items import GroupSums
    from exactperm.result import Problem

__all__ = ["Telling", "telling_items"]

#: items that are shown for a pair
MOST = 10


class Telling(NamedTuple):
    """An item: its index or the code of its group, what each system has there, and how much it says for A."""

    label: int
    a: list[float]
    b: list[float]
    weight: float


def telling_items(problem: Problem) -> list[Telling]:
    """Those that say most; none where only counts of effects came.

    An item of a mean says how far A is ahead of B there; an item of anything else, by how much the difference of the
    systems would shrink if it changed sides.
    """
    if problem.items is None:
        return []
    sums = problem.items.sums()
    additive = problem.metric.form(problem.effects.names).additive
    weight = _ahead(problem, sums) if additive else _by_exchange(problem, sums)
    return [
        Telling(int(sums.labels[i]), _plain(sums.a[i]), _plain(sums.b[i]), float(weight[i]))
        for i in _largest(np.abs(weight))
        if weight[i]
    ]


def _plain(values: NDArray[Any]) -> list[float]:
    return [float(x) if isinstance(x, float) else int(x) for x in values.tolist()]


def _ahead(problem: Problem, sums: GroupSums) -> NDArray[np.float64]:
    difference = (sums.a[:, 0] - sums.b[:, 0]).astype(np.float64)
    return np.asarray(difference / sums.sizes * problem.metric.scale)


def _by_exchange(problem: Problem, sums: GroupSums) -> NDArray[np.float64]:
    metric = problem.metric.form(problem.effects.names)
    both = [np.array([total]) for totals in observed_totals(problem.effects) for total in totals]
    k, statistic = len(sums.a.T), compare(metric, problem.effects).statistic
    difference = (sums.a - sums.b).T
    exchanged = statistic(
        [total - d for total, d in zip(both[:k], difference, strict=True)],
        [total + d for total, d in zip(both[k:], difference, strict=True)],
    )
    return np.asarray(np.nan_to_num(statistic(both[:k], both[k:]) - exchanged))


def _largest(size: NDArray[np.float64]) -> NDArray[np.intp]:
    """The largest, and of those that are equal the first."""
    most = min(MOST, size.size)
    if not most:
        return np.zeros(0, dtype=np.intp)
    least = np.partition(size, size.size - most)[size.size - most]
    near = np.flatnonzero(size >= least)
    return np.asarray(near[np.argsort(-size[near], kind="stable")][:most])
