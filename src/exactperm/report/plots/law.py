"""The null law for a picture: to full relative accuracy where it can be tabulated, else sampled, and it says which."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.null import log_null_law, obstacle
from exactperm.engines.sampling import Sampler, batches
from exactperm.lattice import Lattice
from exactperm.result import MOST_POINTS, Problem, TestResult

__all__ = ["Law", "law_of", "problem_behind"]

#: random exchanges drawn where the law cannot be tabulated, and the seed, so that the picture is always the same
DRAWS, SEED = 99_999, 0
#: the law is made this far beyond the observed value, relative to its distance from the middle
BEYOND = 1.2
#: and at least up to so many standard deviations
DEVIATIONS = 6.0


class Law(NamedTuple):
    """Values of the statistic in increasing order, the logarithms of their probabilities, and how many were drawn."""

    support: NDArray[np.float64]
    log_probabilities: NDArray[np.float64]
    draws: int | None


def law_of(result: TestResult) -> Law:
    """The law of the statistic under random exchange, at least as far as the observed value."""
    problem = problem_behind(result)
    lattice, _ = problem.metric.rejection_region(problem.effects, "two-sided")
    return _sampled(problem, lattice) if obstacle(lattice, MOST_POINTS) else _tabulated(problem, lattice)


def problem_behind(result: TestResult) -> Problem:
    """The data of one test, without which there is nothing to draw."""
    if np.ndim(result.pvalue):
        raise ValueError("this is a batch of tests; plot one test at a time")
    if result.problem is None:
        raise ValueError("this result does not hold the data of its test; plots need them")
    return result.problem


def _tabulated(problem: Problem, lattice: Lattice) -> Law:
    points, logs = log_null_law(lattice, MOST_POINTS, _farthest(lattice))
    possible = np.isfinite(logs)
    values = problem.metric.statistic(problem.effects, lattice, points[possible])
    order = np.argsort(values, kind="stable")
    return Law(values[order], logs[possible][order], None)


def _farthest(lattice: Lattice) -> int:
    """The point of the upper half up to which the law is wanted."""
    if not lattice.rank:
        return 0
    middle = lattice.span[0] / 2
    distance = max(BEYOND * abs(lattice.observed[0] - middle), DEVIATIONS * lattice.deviation)
    return min(lattice.span[0], int(middle + distance) + 1)


def _sampled(problem: Problem, lattice: Lattice) -> Law:
    sampler, rng = Sampler(lattice.steps, lattice.counts), np.random.default_rng(SEED)
    values = np.concatenate(
        [
            problem.metric.statistic(problem.effects, lattice, sampler.fair(rng, size))
            for size in batches(DRAWS, sampler.rank)
        ]
    )
    support, counts = np.unique(values, return_counts=True)
    return Law(support, np.log(counts / DRAWS), DRAWS)
