"""The null distribution of a pair as a few bars, cheap enough to be drawn for all pairs of twenty systems.

Exact where the law lives on a line: the whole law is computed and added up over the bars. For means the lattice is
first made so coarse that a standard deviation is some hundreds of steps, which no eye can tell from the law itself.
Where the law lives in more dimensions, random exchanges are drawn and counted, and the picture says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.null import null_law
from exactperm.engines.sampling import Sampler
from exactperm.lattice import Lattice

if TYPE_CHECKING:
    from exactperm.result import Problem

__all__ = ["Histogram", "histogram"]

Floats = NDArray[np.float64]

#: bars at most, over so many standard deviations to each side: 1e-6 of the mass lies further out
BARS = 96
REACH = 5.0
#: steps of a coarse lattice in a standard deviation, and their least ratio to the root of the number of items
FINE, FINER = 256, 1
#: points of a law that is listed for a picture
MOST_POINTS = 1 << 23
#: values of a metric that are computed for a picture
MOST_VALUES = 1 << 20
#: random exchanges drawn for a picture, fewer where they toss more coins than this, but some
DRAWN, COINS, FEWEST = 4_000, 40_000_000, 500


class Histogram(NamedTuple):
    """Bars of equal width from `start`, and the share of the mass in each.

    `drawn` is how many exchanges were drawn, 0 if it is exact; `points` says that a bar stands for one value.
    """

    start: float
    width: float
    shares: Floats
    drawn: int = 0
    points: bool = False


def histogram(problem: Problem) -> Histogram | None:
    """The law of the statistic at the border of the null; None if every exchange gives the same, or there are two."""
    if len(problem.sides) > 1:
        return None
    [(_, effects)] = problem.sides
    if not effects.counts.size:
        return None
    bars = _of_law(replace(problem, effects=effects, margin=None))
    if problem.margin is None:
        return bars
    statistic = problem.metric.scores
    return bars._replace(start=bars.start - (statistic(effects)[2] - statistic(problem.effects)[2]))


def _of_law(problem: Problem) -> Histogram:
    effects = problem.effects
    lattice, _ = problem.metric.rejection_region(effects, "two-sided")
    if problem.metric.form(effects.names).additive:
        coarse, factor = _coarse(lattice)
        if coarse.span[0] < MOST_POINTS:
            return _of_mean(problem, lattice, coarse, factor)
    elif lattice.rank == 1 and lattice.span[0] < MOST_VALUES:
        points, law = null_law(lattice, MOST_VALUES)
        return _of_values(problem.metric.statistic(effects, lattice, points), law, lattice.deviation)
    return _drawn(problem, lattice)


def _drawn(problem: Problem, lattice: Lattice) -> Histogram:
    number = min(DRAWN, max(FEWEST, COINS // lattice.n))
    points = Sampler(lattice.steps, lattice.counts).fair(np.random.default_rng(0), number)
    values = problem.metric.statistic(problem.effects, lattice, points)
    return _counted(values, np.full(number, 1 / number), number)


def _of_mean(problem: Problem, lattice: Lattice, coarse: Lattice, factor: float) -> Histogram:
    _, law = null_law(coarse, MOST_POINTS)
    unit = 2 * factor * float(lattice.basis[0, 0]) * float(problem.effects.unit * problem.metric.scale)
    unit /= problem.effects.n_items
    bars = _of_steps(law, -(len(law) - 1) / 2 * unit, unit, coarse.deviation)
    return bars._replace(points=bars.points and factor == 1)


def _coarse(lattice: Lattice) -> tuple[Lattice, float]:
    """The same law on a lattice of wider steps, and how many of the old ones make a new one."""
    factor = lattice.deviation / max(FINE, FINER * lattice.n**0.5)
    if factor <= 1:
        return lattice, 1.0
    steps, which = np.unique(np.rint(lattice.steps[:, 0].astype(np.float64) / factor), return_inverse=True)
    counts = np.bincount(which, weights=lattice.counts).astype(np.int64)
    kept = steps > 0
    rounded = steps[kept].astype(np.int64)[:, None]
    return Lattice(rounded, counts[kept], np.ones((1, 1), dtype=np.int64), (0,)), factor


def _of_values(values: Floats, law: Floats, deviation: float) -> Histogram:
    """A law over values in the order of the lattice, which are evenly spaced or not."""
    gaps = np.diff(values)
    unit = float(gaps.mean())
    if unit and np.allclose(gaps, unit, rtol=1e-6, atol=0):
        return _of_steps(law, float(values.min()), abs(unit), deviation)  # the law is the same in either order
    return _counted(values, law, 0)


def _of_steps(law: Floats, first: float, unit: float, deviation: float) -> Histogram:
    """Bars of a whole number of steps each, symmetric about the middle: a law of few points has a bar for each."""
    reach = min(int(REACH * deviation) + 1, len(law) // 2)
    start, end = len(law) // 2 - reach, len(law) - len(law) // 2 + reach
    steps = -(-(end - start) // BARS)
    start -= -(end - start) % steps // 2
    end += -(end - start) % steps
    # bars may reach beyond the law, where nothing is
    shares = np.pad(law, steps)[start + steps : end + steps].reshape(-1, steps).sum(axis=1)
    return Histogram(first + (start - 0.5) * unit, steps * unit, shares, points=steps == 1)


def _counted(values: NDArray[Any], shares: Floats, drawn: int) -> Histogram:
    """Bars over all values but those that are far out."""
    weight = shares / shares.sum()
    middle = float(weight @ values)
    reach = REACH * float(np.sqrt(weight @ (values - middle) ** 2))
    low, high = max(float(values.min()), middle - reach), min(float(values.max()), middle + reach)
    bars = BARS // 2
    width = (high - low) / (bars - 1) or 1.0
    found, _ = np.histogram(values, bars, (low - width / 2, high + width / 2), weights=shares)
    return Histogram(low - width / 2, width, found, drawn)
