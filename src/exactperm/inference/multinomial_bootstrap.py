"""The paired bootstrap of any statistic of sums, in matrix form.

A resample draws G groups from the G there are, each with all its sums of both systems, so that pairs stay pairs and
groups stay whole. With R resamples at once that is a matrix of multinomial counts (R, G) times the table of sums
(G, k), in batches that bound the memory (Efron and Tibshirani 1993, section 8.3; Koehn 2004 for machine translation).
Equal rows of the table are drawn together. Rows are sorted first, so that the order of the items does not matter.

Cost: R G multiplications for each sum, and as many draws: 9,999 resamples of 2,000 groups take half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.sampling import generator
from exactperm.inference import bca

__all__ = ["Resampled", "resampled", "resampled_rows"]

Floats = NDArray[np.float64]
#: totals (any number, k) to values of the statistic
Statistic = Callable[[Floats], Floats]

#: counts that a batch holds
CELLS = 2**22
#: two values this close, relative to the estimate, are tied
TIE = 1e-12


@dataclass(frozen=True, eq=False)
class Resampled:
    """A statistic, its values on resamples in increasing order, and with each distinct row left out once."""

    estimate: float
    values: Floats
    left_out: Floats
    counts: NDArray[np.int64]
    seed: Any

    def interval(self, method: str, below: float | None, above: float | None) -> tuple[float, float]:
        """The ends that leave these shares of the law below and above; infinite for None."""
        levels = [below, None if above is None else 1 - above]
        if method == "BCa":
            z0, a = bca.bias(self._share_below()), bca.acceleration(self.left_out, self.counts)
            levels = [None if level is None else bca.corrected(level, z0, a) for level in levels]
        low, high = (None if level is None else float(np.quantile(self.values, level)) for level in levels)
        return -np.inf if low is None else low, np.inf if high is None else high

    def _share_below(self) -> float:
        tie = TIE * abs(self.estimate)
        first = np.searchsorted(self.values, self.estimate - tie)
        last = np.searchsorted(self.values, self.estimate + tie, side="right")
        return float(first + last) / (2 * self.values.size)


def resampled(table: NDArray[Any], statistic: Statistic, number: int, rng: Any) -> Resampled:
    """Resample the rows of a table (G, k) of sums.

    Parameters
    ----------
    table
        The sums of each group.
    statistic
        From totals (any number, k) to values.
    number
        How many resamples to draw.
    rng
        A generator or its seed; None draws a seed.
    """
    rows, counts = np.unique(table.astype(np.float64), axis=0, return_counts=True)
    return resampled_rows(rows, counts, statistic, number, rng)


def resampled_rows(rows: Floats, counts: NDArray[np.int64], statistic: Statistic, number: int, rng: Any) -> Resampled:
    """The same from distinct rows in a fixed order, and how many groups have each."""
    source, facts = generator(rng)
    if len(rows) < 2:
        raise ValueError("no interval is defined: all items are alike, so nothing is known of their spread")
    total = counts @ rows
    values = [statistic(drawn @ rows) for drawn in _draws(counts, number, source)]
    found = Resampled(
        float(statistic(total[None, :])[0]),
        np.sort(np.concatenate(values)),
        statistic(total - rows),
        counts,
        facts["seed"],
    )
    if lost := int((~np.isfinite(found.values)).sum()):
        raise ValueError(
            f"no interval is defined: the statistic has no value on {lost} of {number} resamples, as where nothing is "
            "counted at all"
        )
    return found


def _draws(counts: NDArray[np.int64], number: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
    """How often each distinct row is drawn, for batches of resamples."""
    distinct, groups = len(counts), int(counts.sum())
    batch = max(1, CELLS // groups)
    row = np.arange(distinct, dtype=np.intp).repeat(counts)
    for start in range(0, number, batch):
        size = min(batch, number - start)
        if 8 * distinct <= groups:
            yield rng.multinomial(groups, counts / groups, size=size)
            continue
        cells = row[rng.integers(0, groups, (size, groups))]
        cells += distinct * np.arange(size)[:, None]
        yield np.bincount(cells.ravel(), minlength=size * distinct).reshape(size, distinct).astype(np.float64)
