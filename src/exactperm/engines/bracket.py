"""Tails of sums of real numbers between two proven bounds, near the mean or far out.

For X = sum of coin * step with steps of any size put S = 2 X - span = sum of e_n v_n, e_n = +1 or -1. In units of
the largest step, tilted so that S has mean s (see `bracket_tilt`),

    P(S >= s) = exp(L(theta) - theta s) E_theta[g(S - s)],    g(x) = exp(-theta x) for x >= 0, else 0,

with L(theta) = sum of log cosh(theta v_n), once the coins that dominate are tossed (`bracket_dominant`). The
expectation is bracketed on a circle by trigonometric polynomials above and below g, whose expectations are finite sums
of the characteristic function (`bracket_selberg`). The number of frequencies, the length of the circle and what may be
neglected are chosen together from the width asked for.

Cost: intervals of frequencies die after some 30 to 100 factors (`bracket_frequencies`), the few dozen frequencies that
live cost one pass over the steps each. The width falls like 1 / degree.

Fails to be narrow where the law has an atom at the threshold of more than the width asked for, because the bracket
holds P(S > s) and P(S >= s) both; and past the budget. It then says in `Tail.details` what was reached.

Steps and threshold enter Fourier sums as 64-bit fractions of the circle. All that is lost on the way there, and the
rounding that the effects came with, moves the threshold outward.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from exactperm.engines.base import Engine, Question, Tail
from exactperm.engines.bracket_bounds import Bounds
from exactperm.engines.bracket_dominant import Problem, toss_dominating
from exactperm.engines.bracket_selberg import expectation
from exactperm.engines.bracket_tilt import solve
from exactperm.region import Region, Runs

__all__ = ["Bracket"]

#: the half-width of the interval as a fraction of the p-value, if none is asked for
TOLERANCE = 1e-4
#: steps of the search of frequencies before it settles for what it has reached, about five seconds
BUDGET = 1e9


class Bracket(Engine):
    """Certified lower and upper bounds of half-line probabilities for steps of any size.

    `Options.tolerance` is the wanted half-width of the interval relative to the p-value: 1e-4 means that the truth
    is within 0.01 % of what is reported, at p = 0.3 as at p = 10^-300. `Tail.details` has the `tolerance`, the
    half-width that was `reached`, relative too, and the `degree` of the polynomials. Where `reached` is more than
    `tolerance`, atoms of the law or the budget forbade to be narrower.
    """

    name = "bracket"
    exact = False

    def obstacle(self, question: Question) -> str | None:
        """Rank one and half-lines."""
        if isinstance(question.region, Region) or question.lattice.rank > 1:
            return "the bracket works in one dimension; use method='monte-carlo'"
        if question.lattice.rank == 1 and _thresholds(question.region, question.lattice.span[0]) is None:
            return "the bracket answers for half-lines only; use method='monte-carlo'"
        return None

    def cost(self, question: Question) -> float:
        """Passes over the steps and a search of the frequencies that grows as the tolerance shrinks."""
        tolerance = question.options.tolerance or TOLERANCE
        return 3e-3 + 2e-6 * len(question.lattice.steps) + 1e-6 / tolerance

    def answer(self, question: Question) -> Tail:
        """Add up the half-lines of the region."""
        tolerance = _checked(question.options.tolerance)
        lattice, region = question.lattice, question.region
        if not isinstance(region, Runs):
            raise TypeError(f"the bracket needs a region of type Runs, not {type(region).__name__}")
        if lattice.rank == 0:
            inside = 0.0 if bool(region.contains(np.zeros(1, dtype=np.int64))[0]) else -math.inf
            return Tail(inside, inside, inside)
        problem = Problem(lattice.steps[:, 0], lattice.counts, lattice.rounding)
        thresholds = _thresholds(region, problem.span)
        if thresholds is None:
            raise ValueError("the bracket answers for half-lines only")
        total = Bounds(-math.inf, -math.inf)
        for threshold in thresholds:
            total = total.plus(_tail_of_data(problem, threshold, tolerance))
        tail = total.as_tail(tolerance)
        return tail.doubled() if region.mirrored else tail


def _checked(tolerance: float | None) -> float:
    if tolerance is None:
        return TOLERANCE
    if not 0.0 < tolerance < math.inf:
        raise ValueError(f"tolerance must be a positive number, the half-width relative to p; got {tolerance!r}")
    return float(min(tolerance, 0.5))


def _thresholds(region: Runs | Region, span: int) -> list[int] | None:
    """Thresholds t such that the region's probability is the sum of the P(X >= t); None if it has other parts.

    The law is symmetric, so that P(X <= x) = P(X >= span - x).
    """
    if isinstance(region, Region):
        return None
    thresholds = []
    for low, high in region.intervals:
        if low > span or high < 0:
            continue
        if high >= span:
            thresholds.append(low)
        elif low <= 0:
            thresholds.append(span - high)
        else:
            return None
    return thresholds


def _tail_of_data(problem: Problem, threshold: int, tolerance: float) -> Bounds:
    """P(X >= threshold) where the threshold is a point of the law, moved by rounding as the law is."""
    if threshold <= 0:
        return Bounds(0.0, 0.0)
    if threshold == problem.span:  # all coins one way, whatever the rounding
        return Bounds.all_one_way(problem.n)
    bounds = _upper_tail(problem, threshold, tolerance)
    return bounds.at_least(Bounds.all_one_way(problem.n)) if threshold < problem.span else bounds


def _upper_tail(problem: Problem, threshold: int, tolerance: float) -> Bounds:
    """Bounds that hold for P(X >= t) at every t within `rounding` of the threshold."""
    tossed = toss_dominating(problem, threshold)
    total = Bounds.of(Fraction(tossed.sure, 2**tossed.coins))
    rest, branches = problem.smallest(tossed.size), len(tossed.left)
    for left, number in tossed.left.items():
        # what is sure already allows the rest to be known less well
        share = float(min(max(tossed.sure // (number * branches), 1), 2**40))
        part = _lump(rest, left, min(share * tolerance, 0.5), BUDGET / branches)
        total = total.plus(part.times(Bounds.of(Fraction(number, 2**tossed.coins))))
    return total


def _lump(problem: Problem, threshold: int, tolerance: float, budget: float) -> Bounds:
    """The same where no coin dominates."""
    span, rounding = problem.span, problem.rounding
    if threshold + rounding <= 0:
        return Bounds(0.0, 0.0)
    if threshold - rounding > span:
        return Bounds(-math.inf, -math.inf)
    if not len(problem.steps):
        return Bounds(-math.inf, 0.0)
    if threshold == span and not rounding:
        return Bounds.all_one_way(problem.n)
    if 2 * threshold <= span:  # the smaller tail, X >= t being the complement of X <= t - 1
        return _inverted(problem, span - threshold + 1, tolerance, budget, complement=True).complement()
    return _inverted(problem, threshold, tolerance, budget)


def _inverted(problem: Problem, threshold: int, tolerance: float, budget: float, complement: bool = False) -> Bounds:
    """The theorem itself: scale, tilt, bracket the expectation, put the exponent back."""
    largest = int(problem.steps[-1])
    weights = problem.weights
    s = (2 * threshold - problem.span) / largest  # Python integers: rounded once
    tilted = solve(weights, problem.counts, s)
    if complement:  # what counts is the width relative to 1 - q >= 1/2, where q <= exp(exponent)
        tolerance = min(0.5 * tolerance * math.exp(min(-tilted.exponent, 700.0)), 0.5)
    # each weight is within 2^-51 of its value relatively, s within 2^-53; 1e-307 for those that are subnormal
    outward = 2 * problem.rounding / largest + 2.0**-51 * (tilted.span + s) + 1e-307 * problem.n
    inner = expectation(tilted, outward, tolerance, budget)
    slack = tilted.exponent_error + 2.0 * tilted.theta * inner.moved
    return Bounds(
        inner.log_low + tilted.exponent - slack,
        min(inner.log_high + tilted.exponent + slack, 0.0),
        inner.degree,
    )
