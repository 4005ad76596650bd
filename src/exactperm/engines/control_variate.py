"""Monte Carlo for what an exact linear test leaves over.

A smooth statistic of sums is nearly linear over the null law: a difference t(X) = f(X) - f(C - X)
is odd about the midpoint, so that a linear L(X) is wrong only in the third order. The set where L
reaches a threshold is a question in one dimension, which another engine answers exactly. With A the
event that it does and R the region,

    P(R) = P(A) P(R | A) + (1 - P(A)) P(R | not A).

Only the two conditional probabilities, one near 1 and one near 0, are sampled (post-stratification
on A; Cochran 1977, section 5A.9). Given how many samples fell in A they are two binomial counts;
each gets the interval of Clopper and Pearson at 1 - alpha/2, so that both hold with probability
1 - alpha. The p-value itself is an estimate; what is proven is the interval. Any integer weights
make a valid L: those here are a least-squares fit of the guide `Region.value` to a pilot sample of
its own, rounded. Only the width depends on them, never the coverage.

Cost: that of Monte Carlo and of one test in one dimension. Where the statistic has a kink near the
midpoint (BLEU, if the brevity penalty sets in a few standard deviations from it) or n is small, L
is a poor guide and the interval wide.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import CannotAnswer, Engine, Question, Tail
from exactperm.engines.clopper_pearson import clopper_pearson
from exactperm.engines.sampling import (
    Sampler,
    batches,
    floor,
    generator,
    inside,
    log,
    resamples,
    sampling_cost,
)
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs

__all__ = ["ControlVariate"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: samples from which the linear statistic is fitted
PILOT = 4096
#: part of them, those nearest to the boundary, that fix its threshold
NEAR = 0.1
#: points of the linear statistic this near to each other, relative to the largest, are one
ROUNDING = 1e-9


class ControlVariate(Engine):
    """Samples only where the region and an exactly solved linear one disagree.

    Parameters
    ----------
    line
        The engine that answers the question in one dimension; `Fourier` if none is given.
    """

    name = "control-variate"
    exact = False

    def __init__(self, line: Engine | None = None) -> None:
        self._line = line

    @property
    def line(self) -> Engine:
        """The engine that answers the question in one dimension."""
        from exactperm.engines.fourier import Fourier

        return Fourier() if self._line is None else self._line

    def obstacle(self, question: Question) -> str | None:
        """It needs a guide; in one dimension it is the exact engine itself."""
        region = question.region
        if isinstance(region, Runs):
            return self.line.obstacle(question)
        if region.value is None:
            return "the statistic gives no real value from which to find a linear one; method='monte-carlo' would do"
        return None

    def cost(self, question: Question) -> float:
        """Seconds, without the region's own."""
        if isinstance(question.region, Runs):
            return self.line.cost(question)
        return 0.1 + sampling_cost(question)

    def answer(self, question: Question) -> Tail:
        """Fit, answer the linear question, sample the disagreements."""
        level, region = question.options.confidence_level, question.region
        if isinstance(region, Runs):
            # in one dimension the region is its own control, and nothing is left to sample
            tail = self.line.answer(question)
            return replace(tail, details=tail.details | {"n_resamples": 0}, confidence=level)
        rng, details = generator(question.options.rng)
        weights, cut, linear = self._control(question, region, rng)
        table = _tabulate(question, weights, cut, rng)
        estimate, low, high = _combine(table, linear, level)
        least = floor(question)
        log_low, log_high = max(log(low), least), min(log(high), 0.0)
        log_estimate = min(max(log(estimate), log_low), log_high)
        details |= {
            "n_resamples": int(table.sum()),
            "control": math.exp(linear.log_estimate),
            "disagreements": (int(table[0, 1]), int(table[1, 0])),
        }
        return Tail(log_low, log_estimate, log_high, details, level)

    def _control(self, question: Question, region: Region, rng: np.random.Generator) -> tuple[Ints, int, Tail]:
        """Integer weights of the steps, twice the threshold of their centred sum L, and P(A).

        The finer the weights the closer is L, but the larger the question in one dimension; an
        engine that finds it too large is asked again with coarser ones.
        """
        slopes, threshold = _fit(question, region, rng)
        if not slopes.any():
            return np.zeros(len(slopes), dtype=np.int64), 0, Tail(0.0, 0.0, 0.0)
        counts = question.lattice.counts
        size = math.sqrt(float(np.sum(counts * slopes * slopes)) / question.lattice.n)
        for bits in range(_finest(question.lattice.n), 0, -2):
            scale = 2.0**bits / size
            weights = np.rint(slopes * scale).astype(np.int64)
            cut = math.ceil(2 * threshold * scale)
            linear = _in_one_dimension(question, weights, cut)
            if self.line.obstacle(linear) is None:
                try:
                    return weights, cut, self.line.answer(linear)
                except CannotAnswer:  # found out on the way: coarser weights make it easier
                    continue
        raise CannotAnswer("no linear statistic could be answered exactly; method='monte-carlo' would do")


def _finest(n: int) -> int:
    """Bits of the weights: finer ones make L no better but the question in one dimension larger.

    Rounding moves at most about 0.3 / 2^bits of the law across the threshold, the third order about 1 / n.
    """
    return int(min(max(math.log2(4 * n), 9), 12))


def _in_one_dimension(question: Question, weights: Ints, cut: int) -> Question:
    """The question whether 2 L reaches the cut, or |2 L| does if the region is mirrored.

    Turning a coin over changes the sign of its weight and no law: with T the sum of all |w|, L + T
    / 2 is a sum of coins times |w|.
    """
    magnitude, owner = np.unique(np.abs(weights), return_inverse=True)
    counts = np.zeros(len(magnitude), dtype=np.int64)
    np.add.at(counts, owner.ravel(), question.lattice.counts)
    magnitude, counts = magnitude[magnitude > 0], counts[magnitude > 0]
    divisor = int(np.gcd.reduce(magnitude))
    total = int(magnitude @ counts)
    least = -((-cut - total) // (2 * divisor))  # ceiling of (cut + T) / (2 gcd)
    steps, span = magnitude // divisor, total // divisor
    runs = ((max(least, 0), span),) if least <= span else ()
    lattice = Lattice(steps[:, None], counts, np.array([[divisor]], dtype=np.int64), (span,))
    # where the cut is not positive the region and its mirror image overlap, and together are
    # everything
    mirrored = question.region.mirrored and 2 * least > span
    if question.region.mirrored and not mirrored:
        runs = ((0, span),)
    return Question(lattice, Runs(runs, mirrored), question.options)


def _fit(question: Question, region: Region, rng: np.random.Generator) -> tuple[Floats, float]:
    """Real slopes per step and a threshold: the centred L(x) >= threshold is close to the region.

    The slopes are the least-squares fit of the guide's odd part to a pilot sample and its mirror
    image: a gradient smoothed over the law.
    """
    lattice = question.lattice
    points = Sampler(lattice.steps, lattice.counts).fair(rng, PILOT)
    mirror = np.array(lattice.span, dtype=points.dtype) - points
    value = np.concatenate([_guide(region, points), _guide(region, mirror)])
    known = np.isfinite(value[:PILOT] + value[PILOT:])
    centred = (points - mirror).astype(np.float64) / 2
    gradient = _least_squares(centred[known], (value[:PILOT] - value[PILOT:])[known] / 2)
    line = centred @ gradient
    line, known = np.concatenate([line, -line]), np.concatenate([known, known])
    member = np.concatenate([region.contains(points), region.contains(mirror)]).astype(np.bool_)
    threshold = _threshold(line, member, _crossing(line[known], value[known]))
    return lattice.steps.astype(np.float64) @ gradient, threshold


def _guide(region: Region, points: NDArray[Any]) -> Floats:
    if region.value is None:
        raise CannotAnswer("the statistic gives no real value from which to find a linear one")
    return np.asarray(region.value(points.astype(np.float64)), dtype=np.float64)


def _least_squares(x: Floats, y: Floats) -> Floats:
    """The slopes of y on the columns of x, which are scaled alike first."""
    scale = np.sqrt(np.mean(x * x, axis=0)) if len(x) else np.zeros(x.shape[1])
    scale[scale == 0] = 1.0
    slopes = np.linalg.lstsq(x / scale, y, rcond=None)[0]
    return np.asarray(slopes / scale, dtype=np.float64)


def _crossing(line: Floats, value: Floats) -> float:
    """Where a straight line through the points nearest to zero crosses it."""
    near = np.argsort(np.abs(value), kind="stable")[: math.ceil(NEAR * len(value))]
    if not near.size:
        return 0.0
    x, y = line[near], value[near]
    centre, height = x.mean(), y.mean()
    rise, spread = float((x - centre) @ (y - height)), float((x - centre) @ (x - centre))
    return float(centre - height * spread / rise) if rise > 0 else float(centre)


def _threshold(line: Floats, member: NDArray[np.bool_], crossing: float) -> float:
    """The crossing, unless many points tie there and some cut between points is clearly better.

    A cut between points is only as precise as the gap it lies in, so it has to save more than
    chance would.
    """
    order = np.argsort(line, kind="stable")
    line, member = line[order], member[order]
    # cut i puts the points from i on above: wrong are the members below it and the others above it
    wrong = np.concatenate([[0], np.cumsum(member)]) + (~member).sum() - np.concatenate([[0], np.cumsum(~member)])
    best = int(np.argmin(wrong[1:-1])) + 1
    slack = ROUNDING * float(np.abs(line).max())
    first, last = np.searchsorted(line, crossing - slack), np.searchsorted(line, crossing + slack, side="right")
    if min(wrong[first], wrong[last]) > 2 * wrong[best] + 10:
        return float(line[best - 1] + line[best]) / 2
    if first == last:
        return crossing
    # points tie at the crossing, and rounding must not decide on which side of it they are
    cut = first if wrong[first] <= wrong[last] else last
    ends = np.concatenate([[line[0] - 2 * slack], line, [line[-1] + 2 * slack]])
    return float(ends[cut] + ends[cut + 1]) / 2


def _tabulate(question: Question, weights: Ints, cut: int, rng: np.random.Generator) -> Ints:
    """How many samples fell [outside, in A] x [outside, in the region]."""
    lattice = question.lattice
    sampler = Sampler(np.concatenate([lattice.steps, weights[:, None]], axis=1), lattice.counts)
    total = int(weights @ lattice.counts)
    table = np.zeros((2, 2), dtype=np.int64)
    for batch in batches(resamples(question.options), sampler.rank):
        points = sampler.fair(rng, batch)
        linear = 2 * points[:, -1].astype(np.int64) - total
        if question.region.mirrored:
            linear = np.abs(linear)
        found = inside(question, points[:, :-1])
        table += np.bincount(2 * (linear >= cut) + found, minlength=4).reshape(2, 2)
    return table


def _combine(table: Ints, linear: Tail, level: float) -> tuple[float, float, float]:
    """P(A) P(R | A) + (1 - P(A)) P(R | not A): estimate, low, high."""
    (outside, strays), (lost, kept) = table.tolist()
    in_a = clopper_pearson(kept, kept + lost, (1 + level) / 2)
    in_rest = clopper_pearson(strays, strays + outside, (1 + level) / 2)
    # between its two conditional probabilities the mixture is monotone in P(A): the extremes are at
    # its ends
    ends = (linear.log_low, linear.log_high)
    low = min(_mix(end, in_a[0], in_rest[0]) for end in ends)
    high = max(_mix(end, in_a[1], in_rest[1]) for end in ends)
    # the one added to A's count keeps the estimate above zero where no sample fell in A
    rate = strays / (strays + outside) if strays else 0.0
    return _mix(linear.log_estimate, (kept + 1) / (kept + lost + 1), rate), low, high


def _mix(log_a: float, in_a: float, in_rest: float) -> float:
    return math.exp(log_a) * in_a - math.expm1(log_a) * in_rest
