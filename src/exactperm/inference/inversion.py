"""The confidence interval of a mean difference: all shifts that the exact test does not reject.

The shift model: on every item A is ahead of B by delta, apart from an exchange of the two by a fair coin. Group g of
m_g items with difference d_g then has the effect d_g - m_g delta. Exchanging the groups of a set B lowers the statistic
by twice their effects, so that with B a random set, each group in it by a fair coin,

    p_greater(delta) = P(sum_B d <= delta sum_B m),

the share of sets that are empty or have a mean of at most delta. It never falls as delta grows, and jumps at the means
of sets; p_less is its mirror image, and the two-sided p is twice the smaller of the two, at most 1. So the shifts with
p(delta) > alpha are a closed interval without gaps. Its ends are the k-th smallest and the k-th largest of the means of
all 2^n - 1 sets that are not empty, k = floor(2^n alpha / 2), and infinite where k = 0 (Hartigan 1969, theorem 1;
Tritchler 1984). Groups that are tied count: their effect is zero at delta = 0 alone.

The search narrows (rejected, accepted] by the secant rule on log p and bisection. Means of sets are fractions with a
denominator of at most M = sum of m_g, two of which are at least 1/M^2 apart: below that width one is left, and it is
the end, exactly. Where a probability is known between two bounds only (see `shifted`), those leave open what happens
close to the end: then a shift just outside that is certainly rejected is reported, so that the interval holds the whole
set, and `tolerance` says by how much it may be too wide.

Cost: some 15 tail probabilities an end, a millisecond to 30 each.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from exactperm.engines.base import Tail
from exactperm.inference.confidence import ConfidenceInterval, outward, tails
from exactperm.inference.shifted import Differences

if TYPE_CHECKING:
    from exactperm.result import Problem

__all__ = ["invert"]

#: the secant rule is interrupted by a bisection every so many steps
BISECT = 4
#: a probe keeps this part of the width away from both ends
MARGIN = Fraction(1, 32)


def invert(problem: Problem, confidence_level: float) -> ConfidenceInterval:
    """The shifts that are not rejected at 1 - confidence_level, for a metric that is a mean."""
    law = Differences.of(problem)
    if law.are_equal:
        raise ValueError(
            "no interval is defined: the difference is the same on every item, so nothing is known of its spread"
        )
    below, above = tails(problem, confidence_level)
    low, high = low_end(law, below), low_end(law.exchanged(), above)
    unit = law.unit * problem.metric.scale
    ends = outward(low.times(unit), -high.times(unit))
    return ConfidenceInterval(
        *ends,
        estimate=float(law.mean * unit),
        confidence_level=confidence_level,
        alternative=problem.alternative,
        method="inversion",
        exact=not low.slack and not high.slack,
        tolerance=float(max(low.slack, high.slack) * unit),
        n_resamples=None,
        seed=None,
    )


class End(NamedTuple):
    """The low end is at least `outer`, None for minus infinity, and at most `outer` + `slack`."""

    outer: Fraction | None
    slack: Fraction = Fraction(0)

    def times(self, unit: Fraction) -> Fraction | float:
        """The outer end in other units."""
        return -math.inf if self.outer is None else self.outer * unit


def low_end(law: Differences, level: Fraction | None) -> End:
    """The least shift with p_greater > level; None for no level, and so for no end."""
    if level is None or Fraction(1, 2**law.n) > level:
        return End(None)  # k = 0: no shift is rejected
    search = _Search(law, level)
    while search.high - search.low > law.resolution:
        probe = search.probe()
        tail = law.tail(probe)
        verdict = compare(tail, level)
        if verdict == 0:
            return search.around(probe, tail)
        search.learn(probe, tail, verdict)
    return End(_only_fraction(search.low, search.high, law.size))


def _only_fraction(low: Fraction, high: Fraction, largest: int) -> Fraction:
    """The one fraction in (low, high] with a denominator of at most `largest`: no other is as close to the middle."""
    return high if high.denominator <= largest else ((low + high) / 2).limit_denominator(largest)


class _Search:
    """What is known of the low end: it lies in (low, high]; low is rejected, high is not."""

    def __init__(self, law: Differences, level: Fraction) -> None:
        self.law, self.level, self.log_level = law, level, math.log(level)
        self.z, self.error = law.normal(level)
        # below the smallest mean only the empty set counts; at the mean of all p is more than a half, as none and all
        # of the groups count; at the largest mean every set does
        self.low, self.high = law.smallest - 1, law.mean if 2 * level <= 1 else law.largest
        self.log_low, self.log_high = math.nan, math.nan  # log p there, once it has been looked at
        self.steps = 0

    def learn(self, shift: Fraction, tail: Tail, verdict: int) -> None:
        """Take note of the p-value of a shift."""
        if verdict < 0:
            self.low, self.log_low = shift, tail.log_estimate
        else:
            self.high, self.log_high = shift, tail.log_estimate
        self.steps += 1

    def probe(self) -> Fraction:
        """A shift strictly between."""
        width = self.high - self.low
        target = min(max(self._target(), self.low + MARGIN * width), self.high - MARGIN * width)
        return _short(target, MARGIN * width / 2)

    def _target(self) -> Fraction:
        """Where p may be the level: by the normal law, then by its slope, then between two points by the secant."""
        unknown = math.isnan(self.log_low), math.isnan(self.log_high)
        if all(unknown):
            return self.law.mean - Fraction(self.z * self.error)
        if any(unknown):
            known, log = (self.high, self.log_high) if unknown[0] else (self.low, self.log_low)
            # half as far again as the slope says, to come out on the other side
            away = 1.5 * self._distance(abs(self.log_level - log))
            return known + Fraction(math.copysign(max(away, 1e-9 * self.error), self.log_level - log))
        if self.steps % BISECT and self.log_low < self.log_level < self.log_high:
            part = (self.log_level - self.log_low) / (self.log_high - self.log_low)
            return self.low + (self.high - self.low) * Fraction(part)
        return (self.low + self.high) / 2

    def _distance(self, logs: float) -> float:
        """How far a shift moves log p by so much, by the slope of the tail of a normal law."""
        return logs * self.error / (self.z + 0.5)

    def around(self, shift: Fraction, tail: Tail) -> End:
        """The closest shifts that are certain, about one that is not told from the level."""
        width = min(self._distance(tail.log_high - tail.log_low), float(self.high - self.low))
        low, high = (self._certain(shift, sign * Fraction(max(width, 1e-12 * self.error))) for sign in (-1, 1))
        return End(low, high - low)

    def _certain(self, shift: Fraction, step: Fraction) -> Fraction:
        """The first of shift + step, + 2 step, + 4 step ... that is certain to be on that side."""
        while True:
            probe = _short(shift + step, abs(step) / 8)
            if not self.low < probe < self.high:
                return self.low if step < 0 else self.high
            if compare(self.law.tail(probe), self.level) * step > 0:
                return probe
            step *= 2


def _short(x: Fraction, tolerance: Fraction) -> Fraction:
    """A fraction at most this far below, with a denominator that is a small power of two."""
    denominator = 2 ** max(0, math.ceil(math.log2(1 / tolerance)))
    return Fraction(math.floor(x * denominator), denominator)


def compare(tail: Tail, level: Fraction) -> int:
    """1 if a probability is certainly above a level, -1 if it is certainly not, 0 if that is open."""
    if tail.fraction is not None:
        return 1 if tail.fraction > level else -1
    log = math.log(level)
    slack = 1e-14 * (1 + abs(log))  # the rounding of the logarithm
    return 1 if tail.log_low > log + slack else -1 if tail.log_high < log - slack else 0
