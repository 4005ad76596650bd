"""Tilted Fourier inversion with a certified support: the exact engine in one dimension.

X = sum_j (Binomial(c_j, 1/2)) v_j for distinct positive integer steps v_j. A half-line {X >= a} above the mean is

    P(X >= a) = exp(K(tau) - tau a) * sum_{i >= 0} exp(-tau i) P_tau(X = a + i)

for every tau (see `tilt`). Chernoff's bound gives a window [a - A, a + J] outside which P_tau leaves less than e^-46;
on a circle of P = A + J + 1 points the inner sum is

    (1/P) sum_k phi_k exp(-i w_k a) G_k,       w_k = 2 pi k / P,      G_k = sum_{i <= J} exp(-(tau + i w_k) i),

phi_k = prod_j (q_j + p_j exp(i w_k v_j))^{c_j}. Only the frequencies in the certified support (see `support`) are
evaluated; since |G_k| <= P / k the others contribute less than 2 cut (1 + log P). (Pagano and Tritchler 1983 for the
inversion; Keich 2005, Wilson and Keich 2016, Peres, Lee and Keich 2021 for the tilt.)

The few steps that would give the law islands or gaps are conditioned upon first (see `conditioning`).

Cost: (live frequencies, about 30) x (distinct steps), after a search of the same order. Error: truncation is bounded by
theorem; rounding on the assumption that each elementary function is within 4 ulp. Both are in the bracket returned.
It fails where nearly every frequency stays alive: few steps of large unrelated size. `meet_in_the_middle` is for those.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import CannotAnswer, Engine, Question, Tail
from exactperm.engines.characteristic import characteristic
from exactperm.engines.conditioning import IMPOSSIBLE, Interval, essential, outward, pieces_of, sum_of
from exactperm.engines.support import Circle, live_frequencies, times_modulo
from exactperm.engines.tilt import EPS, Coins, Floats, Ints, Tilt, depth, per_sum
from exactperm.integers import dot
from exactperm.region import Runs

__all__ = ["Fourier"]

#: mass left outside the window, and size of the frequencies left out, as a negative logarithm: 1e-20
LOG_CUT = 46.0
#: live frequencies beyond which the engine gives up
LIMIT = 2**24
#: effects beyond which the rounding of Chernoff's bound would widen the window beyond what is allowed for
MOST = 2**52
#: tests laid out side by side
BATCH = 256


class Fourier(Engine):
    """Tilted Fourier inversion in one dimension."""

    name = "fourier"
    exact = True

    def obstacle(self, question: Question) -> str | None:
        """Integer steps on a line whose circle fits in 64-bit arithmetic."""
        lattice, region = question.lattice, question.region
        if lattice.rank > 1 or not isinstance(region, Runs):
            return "the one-dimensional inversion needs a statistic with one free sum"
        if lattice.rounding:
            return "the effects are rounded real numbers; method='bracket' would do"
        if lattice.steps.dtype.kind not in "iu":
            return "the effects are not integers that fit in 64 bits; method='meet-in-the-middle' or 'bracket' would do"
        if lattice.rank == 1 and lattice.span[0] >= 2**62:
            return "the effects add up to more than 2^62; method='meet-in-the-middle' or 'bracket' would do"
        n, largest, circle = _size(question)
        if circle >= 2**31 and circle / 2 * min(largest, circle / 2) >= 2**62:
            return f"the circle would have about {circle:.1e} points; method='bracket' would do"
        if n >= MOST or circle * min(n, len(lattice.steps) * circle) >= 2**61:  # turns are added up in 64 bits
            return f"{n} effects on a circle of {circle:.1e} points are too many for 64-bit arithmetic"
        if n < 100 and circle > LIMIT:
            return (
                f"{n} effects of large unrelated size keep all of about {circle:.1e} frequencies alive; "
                "method='meet-in-the-middle' or 'bracket' would do"
            )
        return None

    def cost(self, question: Question) -> float:
        """Seconds: 30 live frequencies a step, or all where steps are few; the search grows with the gaps."""
        n, _, circle = _size(question)
        distinct = max(len(question.lattice.steps), 1)
        live = circle / 2 if n < 100 else 30
        return 3e-4 + 4e-8 * distinct * live + 6e-6 * circle / distinct

    def answer(self, question: Question) -> Tail:
        """Answer one question."""
        return self.answer_all([question])[0]

    def answer_all(self, questions: Sequence[Question]) -> list[Tail]:
        """Answer many questions in one pass over their intervals, with the same bits as one by one."""
        asked = [pieces_of(question) for question in questions]
        done = iter(_invert_all([interval for pieces in asked for piece in pieces for interval in piece.intervals]))
        answers = []
        for pieces, question in zip(asked, questions, strict=True):
            tail = sum_of([piece.combine([next(done) for _ in piece.intervals]) for piece in pieces])
            answers.append(tail.doubled() if question.region.mirrored else tail)
        return answers


def _size(question: Question) -> tuple[int, float, float]:
    """Number and largest of the steps that are not conditioned upon, and about the size of their circle, untilted."""
    lattice = question.lattice
    if lattice.rank == 0:
        return 0, 0.0, 1.0
    v, c, deviation = essential(lattice.steps[:, 0], lattice.counts, lattice.deviation)
    n, span = (lattice.n, lattice.span[0]) if v.size == len(lattice.steps) else (int(c.sum()), dot(v, c))
    return n, float(v[-1]), min(2 * math.sqrt(2 * LOG_CUT) * deviation, float(span)) + 1


# -- the inversion ---------------------------------------------------------------------------------------------


def _invert_all(intervals: list[Interval]) -> list[Tail]:
    """Closed forms at the ends of the range, the inversion in batches for the rest."""
    results = [_closed_form(interval) for interval in intervals]
    open_ones = [i for i, result in enumerate(results) if result is None]
    for first in range(0, len(open_ones), BATCH):
        batch = open_ones[first : first + BATCH]
        for i, estimate in zip(batch, _invert([intervals[i] for i in batch]), strict=True):
            results[i] = estimate
    return [result for result in results if result is not None]


def _closed_form(interval: Interval) -> Tail | None:
    """All coins one way, or nothing: 2^-n and 0."""
    if interval.a > interval.b or interval.a > interval.span:
        return IMPOSSIBLE
    if interval.span - interval.a < int(interval.v[0]):  # nothing attainable but the span itself
        if interval.b < interval.span:
            return IMPOSSIBLE
        log = -interval.n * math.log(2.0)
        return outward(log, log, log)
    return None


def _invert(intervals: list[Interval]) -> list[Tail]:
    """P(a <= X <= b) for several sums at once."""
    coins = Coins.of([(x.v, x.c) for x in intervals], [x.a for x in intervals])
    tilt = Tilt.to_thresholds(coins)
    below, above = tilt.windows(coins, LOG_CUT)
    size = below + above + 1
    circle = Circle.of(coins, size)
    live = live_frequencies(coins, tilt, circle, -LOG_CUT, LIMIT)
    if live is None:
        raise CannotAnswer("more than 10^7 frequencies stay alive; method='meet-in-the-middle' or 'bracket' would do")
    sums, k = live
    log_modulus, phase, error = characteristic(coins, tilt, circle, sums, k)
    # what the search let through without need goes, so that the terms do not depend on how it went
    (kept,) = (log_modulus > -LOG_CUT).nonzero()
    if kept.size < k.size:
        sums, k = sums[kept], k[kept]
        log_modulus, phase, error = log_modulus[kept], phase[kept], error[kept]
    terms = np.minimum(above, np.array([x.b - x.a for x in intervals])) + 1
    own = size[sums]
    geometric = _geometric(tilt.tau[sums], k, own, terms[sums])
    alone = (k == 0) | (2 * k == own)  # the other frequencies stand for their conjugates too
    weight = np.exp(log_modulus) * (2.0 - alone)
    number = np.bincount(sums)
    first = number.cumsum() - number
    real = weight * (np.cos(phase) * geometric.real - np.sin(phase) * geometric.imag)
    # rounding: of the characteristic function, then here; what that moves is at most the modulus
    error = error + (EPS * (24 + depth(number)))[sums] * (1 + np.abs(log_modulus) + np.abs(phase))
    value = per_sum(real, first) / size
    rounding = per_sum(weight * np.abs(geometric) * error, first) / size
    # the frequencies left out (|G_k| <= P / k), and the mass outside the window
    absolute = rounding + math.exp(-LOG_CUT) * (4 + 2 * np.log(size))
    return [
        _estimate(*x)
        for x in zip(
            value.tolist(), absolute.tolist(), tilt.exponent.tolist(), tilt.exponent_error.tolist(), strict=True
        )
    ]


def _estimate(value: float, absolute: float, exponent: float, exponent_error: float) -> Tail:
    """The inner sum, given with a bound on its error, times exp(exponent), given likewise."""
    if value <= absolute:  # no digit is certain
        high = exponent + exponent_error + math.log(max(value, 0.0) + absolute)
        return outward(-math.inf, high if value > 0 else -math.inf, high)
    log = exponent + math.log(value)
    low, high = math.log1p(-absolute / value), math.log1p(absolute / value)
    return outward(log + low - exponent_error, log, log + high + exponent_error)


def _geometric(tau: Floats, k: Ints, size: Ints, terms: Ints) -> NDArray[np.complex128]:
    """G_k = sum_{0 <= i < terms} exp(-(tau + 2 pi i k / P) i), numerator and denominator without cancellation."""
    turn = 2j * np.pi / size
    denominator = np.expm1(-tau - turn * k)  # 0 <= k <= P / 2
    numerator = np.expm1(-tau * terms - turn * _centred(times_modulo(k, terms, size), size))
    still = denominator == 0  # no tilt and k = 0
    if np.count_nonzero(still):
        return np.asarray(np.where(still, terms, numerator / np.where(still, 1, denominator)))
    return np.asarray(numerator / denominator)


def _centred(k: Ints, size: Ints) -> Ints:
    return k - size * (2 * k > size)
