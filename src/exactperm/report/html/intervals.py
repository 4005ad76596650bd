"""Confidence intervals for as many pairs as are cheap, the best systems first.

Few pairs get the interval that `TestResult.confidence_interval` gives by itself. Of many, means get the exact BCa
bootstrap and other metrics a sampled one, until a budget is spent, which is counted and not measured: the same data
make the same page on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from exactperm.inference.bootstrap import DEFAULT_RESAMPLES

if TYPE_CHECKING:
    from exactperm.inference.confidence import ConfidenceInterval
    from exactperm.pair import Pair

__all__ = ["NO_DATA", "Found", "intervals"]

NO_DATA = "The result does not hold the data of its test."

LEVEL = 0.95
#: up to so many pairs are given the interval that a pair gives by itself, within the budget
FEW = 6
#: resamples for each of many pairs, and the seed
RESAMPLES, SEED = 999, 0
#: what may be spent, and what it takes: about microseconds, but counted and not measured
BUDGET = 2_400_000
PER_DIFFERENCE = 8
RESAMPLED_ITEMS = 80


class Found(NamedTuple):
    """An interval, or why there is none."""

    interval: ConfidenceInterval | None
    reason: str


def intervals(pairs: Sequence[Pair]) -> list[Found]:
    """An interval for each pair while the budget lasts."""
    few = len(pairs) <= FEW and sum(_cost(pair, DEFAULT_RESAMPLES) for pair in pairs) <= BUDGET
    method, resamples = ("auto", DEFAULT_RESAMPLES) if few else ("BCa", RESAMPLES)
    left, found = BUDGET, []
    for pair in pairs:
        cost = _cost(pair, resamples)
        if pair.problem is None:
            found.append(Found(None, NO_DATA))
            continue
        if cost > left:
            found.append(Found(None, "not computed, as it takes long; confidence_interval() of the pair gives it"))
            continue
        left -= cost
        found.append(_interval(pair, method, resamples))
    return found


def _is_exact(pair: Pair) -> bool:
    """Whether the bootstrap is one of a mean over groups of one size, which draws nothing."""
    problem = pair.problem
    return problem is not None and problem.metric.form(problem.effects.names).additive and pair.n_groups == pair.n_items


def _cost(pair: Pair, resamples: int) -> int:
    if pair.problem is None:
        return 0
    if _is_exact(pair):
        return PER_DIFFERENCE * len(pair.problem.effects.counts)
    return resamples * int(pair.n_groups) // RESAMPLED_ITEMS


def _interval(pair: Pair, method: str, resamples: int) -> Found:
    drawn = {} if _is_exact(pair) else {"n_resamples": resamples, "rng": SEED}
    try:
        found = pair.confidence_interval(LEVEL, method, **drawn)
    except ValueError as error:  # too few items, or the same difference on all of them: the page says so
        return Found(None, str(error))
    return Found(found, "")
