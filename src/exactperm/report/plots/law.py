"""The null law for a picture: to full relative accuracy where it can be tabulated, else sampled, and it says which."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.null import log_null_law, obstacle
from exactperm.engines.sampling import Sampler, batches
from exactperm.lattice import Lattice
from exactperm.result import MOST_POINTS, Problem, TestResult

__all__ = ["Law", "law_of", "problem_behind"]

#: lattice points, the logarithms of their probabilities, and how many were drawn
Points = tuple[NDArray[Any], NDArray[np.float64], int | None]

#: random exchanges drawn where the law cannot be tabulated, and the seed, so that the picture is always the same
DRAWS, SEED = 99_999, 0
#: the law is made this far beyond the observed value, relative to its distance from the middle
BEYOND = 1.2
#: and at least up to so many standard deviations
DEVIATIONS = 6.0


class Law(NamedTuple):
    """Values of the statistic in increasing order, the logarithms of their probabilities, and how many were drawn.

    `centre` is about where the law is symmetric: zero, or with a margin the border of the null hypothesis.
    """

    support: NDArray[np.float64]
    log_probabilities: NDArray[np.float64]
    draws: int | None
    centre: float


def law_of(result: TestResult) -> Law:
    """The law of the statistic under random exchange, at least as far as the observed value."""
    problem = problem_behind(result)
    if len(problem.sides) > 1:
        raise ValueError("a test of equivalence has two null laws, and a plot shows one; ask for one side")
    [(_, effects)] = problem.sides
    lattice, _ = problem.metric.rejection_region(effects, "two-sided")
    make = _sampled if obstacle(lattice, MOST_POINTS) else _tabulated
    points, logs, draws = make(lattice)
    values = problem.metric.statistic(effects, lattice, points)
    moved = problem.metric.scores(effects)[2] - result.statistic if problem.margin else 0.0
    order = np.argsort(values, kind="stable")
    return Law(values[order] - moved, logs[order], draws, -moved)


def problem_behind(result: TestResult) -> Problem:
    """The data of one test, without which there is nothing to draw."""
    if np.ndim(result.pvalue):
        raise ValueError("this is a batch of tests; plot one test at a time")
    if result.problem is None:
        raise ValueError("this result does not hold the data of its test; plots need them")
    return result.problem


def _tabulated(lattice: Lattice) -> Points:
    points, logs = log_null_law(lattice, MOST_POINTS, _farthest(lattice))
    possible = np.isfinite(logs)
    return points[possible], logs[possible], None


def _farthest(lattice: Lattice) -> int:
    """The point of the upper half up to which the law is wanted."""
    if not lattice.rank:
        return 0
    middle = lattice.span[0] / 2
    distance = max(BEYOND * abs(lattice.observed[0] - middle), DEVIATIONS * lattice.deviation)
    return min(lattice.span[0], int(middle + distance) + 1)


def _sampled(lattice: Lattice) -> Points:
    sampler, rng = Sampler(lattice.steps, lattice.counts), np.random.default_rng(SEED)
    points = np.concatenate([sampler.fair(rng, size) for size in batches(DRAWS, sampler.rank)])
    return points, np.full(DRAWS, -np.log(DRAWS)), DRAWS
