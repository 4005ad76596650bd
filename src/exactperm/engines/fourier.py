"""Tilted Fourier inversion with a certified support: the exact engine in one dimension.

X = sum_j (Binomial(c_j, 1/2)) v_j for distinct positive integer steps v_j. A half-line {X >= a} above the mean is

    P(X >= a) = exp(K(tau) - tau a) * sum_{i >= 0} exp(-tau i) P_tau(X = a + i)

for every tau (see `tilt`). Chernoff's bound gives a window [a - A, a + J] outside which P_tau leaves less than e^-46;
on a circle of P = A + J + 1 points the inner sum is

    (1/P) sum_k phi_k exp(-i w_k a) G_k,       w_k = 2 pi k / P,      G_k = sum_{i <= J} exp(-(tau + i w_k) i),

phi_k = prod_j (q_j + p_j exp(i w_k v_j))^{c_j}. Only the frequencies in the certified support (see `support`) are
evaluated; since |G_k| <= P / k the others contribute less than 2 cut (1 + log P). (Pagano and Tritchler 1983 for the
inversion; Keich 2005, Wilson and Keich 2016, Peres, Lee and Keich 2021 for the tilt.)

Cost: (live frequencies, about 30) x (distinct steps), after a search of the same order. Error: truncation is bounded by
theorem; rounding on the assumption that each elementary function is within 4 ulp. Both are in the bracket returned.
It fails where nearly every frequency stays alive: few steps of large unrelated size. `meet_in_the_middle` is for those.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import CannotAnswer, Engine, Question, Tail
from exactperm.engines.support import EXACT, Circle, live_frequencies, residue
from exactperm.engines.tilt import EPS, SATURATED, Coins, Floats, Ints, Tilt, gamma, per_sum
from exactperm.region import Runs

__all__ = ["Fourier", "characteristic"]

#: mass left outside the window, and size of the frequencies left out, as a negative logarithm: 1e-20
LOG_CUT = 46.0
#: live frequencies beyond which the engine gives up
LIMIT = 2**24
#: elements evaluated at once: temporaries of this size stay in the cache
BLOCK = 1 << 14
#: pi, smaller by less than what is allowed for rounding, so that no angle is rounded past a half turn
HALF_TURN = math.pi * (1 - 4 * EPS)
#: tests laid out side by side
BATCH = 256


@dataclass(frozen=True)
class _Interval:
    """P(a <= X <= b) for one sum, with mean <= a: what the inversion computes."""

    v: Ints
    c: Ints
    a: int
    b: int
    span: int
    n: int


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
        circle = _circle_estimate(question)
        if circle >= 2**31 and _half_circle_times_step(question, circle) >= 2**62:
            return f"the circle would have about {circle:.1e} points; method='bracket' would do"
        if lattice.n * circle >= 2**62:
            return f"{lattice.n} effects on a circle of {circle:.1e} points are too many for 64-bit arithmetic"
        if lattice.n < 100 and circle > LIMIT:
            return (
                f"{lattice.n} effects of large unrelated size keep all of about {circle:.1e} frequencies alive; "
                "method='meet-in-the-middle' or 'bracket' would do"
            )
        return None

    def cost(self, question: Question) -> float:
        """Seconds: 30 live frequencies per step, or all of them if there are few steps of large size."""
        distinct = len(question.lattice.steps)
        circle = _circle_estimate(question)
        live = circle / 2 if question.lattice.n < 100 else 30 + circle**0.5 / 50
        return 3e-4 + 4e-8 * distinct * live

    def answer(self, question: Question) -> Tail:
        """Answer one question."""
        return self.answer_all([question])[0]

    def answer_all(self, questions: Sequence[Question]) -> list[Tail]:
        """Answer many questions in one pass over their intervals, with the same bits as one by one."""
        pieces = [_intervals(question) for question in questions]
        work = [interval for intervals, _ in pieces for interval in intervals]
        done = iter(_invert_all(work))
        return [
            _add_up([next(done) for _ in intervals], complement).mirrored_if(question.region)
            for (intervals, complement), question in zip(pieces, questions, strict=True)
        ]


def _circle_estimate(question: Question) -> float:
    """About the size of the circle without a tilt, which makes it no larger."""
    lattice = question.lattice
    return min(2 * math.sqrt(2 * LOG_CUT) * lattice.deviation, float(lattice.span[0]) if lattice.rank else 0.0) + 1


def _half_circle_times_step(question: Question, circle: float) -> float:
    return circle / 2 * min(float(question.lattice.steps.max()), circle / 2)


# -- from runs to intervals above the mean ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Estimate:
    """A probability as the logarithm of its estimate and a bound on the relative error."""

    log: float
    relative_error: float

    def mirrored_if(self, region: object) -> Tail:
        """The tail, doubled if the mirror image is asked for as well."""
        log, error = self.log, self.relative_error
        if log == -math.inf:
            tail = Tail(log, log, math.log(error) if error else log)
        else:
            low = log + math.log1p(-error) if error < 1 else -math.inf
            tail = Tail(low, min(log, 0.0), min(log + math.log1p(error), 0.0))
        return tail.doubled() if isinstance(region, Runs) and region.mirrored else tail


def _intervals(question: Question) -> tuple[list[_Interval], bool]:
    """Write a union of runs as intervals at or above the mean; True if their complement is meant."""
    lattice, region = question.lattice, question.region
    if not isinstance(region, Runs):
        raise CannotAnswer("the one-dimensional inversion needs runs")
    if lattice.rank == 0:
        return ([], any(low <= 0 <= high for low, high in region.intervals))
    span = lattice.span[0]

    def interval(a: int, b: int) -> _Interval:
        return _Interval(lattice.steps[:, 0], lattice.counts, a, b, span, lattice.n)

    runs = [(max(low, 0), min(high, span)) for low, high in region.intervals if low <= span and high >= 0]
    if len(runs) == 1:
        low, high = runs[0]
        if low == 0 and high == span:
            return [], True
        # a half-line through the mean: its complement is a half-line above the mean, after reflection
        if high == span and 2 * low <= span:
            return [interval(span - low + 1, span)], True
        if low == 0 and 2 * high >= span:
            return [interval(high + 1, span)], True
    middle = -(-span // 2)
    pieces = []
    for low, high in runs:
        if high >= middle:
            pieces.append(interval(max(low, middle), high))
        if low < middle:  # the part below the mean, reflected
            pieces.append(interval(span - min(high, middle - 1), span - low))
    return pieces, False


def _add_up(parts: list[_Estimate], complement: bool) -> _Estimate:
    """The sum of some probabilities, or one minus the only one (at most about a half)."""
    if complement:
        if not parts:
            return _Estimate(0.0, 0.0)
        q = math.exp(parts[0].log)
        return _Estimate(math.log1p(-q), parts[0].relative_error * q / (1 - q) + 4 * EPS)
    if len(parts) == 1:
        return parts[0]
    largest = max((part.log for part in parts), default=-math.inf)
    if largest == -math.inf:
        return _Estimate(-math.inf, max((part.relative_error for part in parts), default=0.0))
    total = math.fsum(math.exp(part.log - largest) for part in parts)
    error = max(part.relative_error for part in parts)
    return _Estimate(largest + math.log(total), error + 4 * EPS * (1 + abs(largest)))


# -- the inversion ---------------------------------------------------------------------------------------------


def _invert_all(intervals: list[_Interval]) -> list[_Estimate]:
    """Closed forms at the ends of the range, the inversion in batches for the rest."""
    results = [_closed_form(interval) for interval in intervals]
    open_ones = [i for i, result in enumerate(results) if result is None]
    for first in range(0, len(open_ones), BATCH):
        batch = open_ones[first : first + BATCH]
        for i, estimate in zip(batch, _invert([intervals[i] for i in batch]), strict=True):
            results[i] = estimate
    return [result for result in results if result is not None]


def _closed_form(interval: _Interval) -> _Estimate | None:
    """All coins one way, or nothing: 2^-n and 0."""
    span, n = interval.span, interval.n
    if interval.a > interval.b or interval.a > span:
        return _Estimate(-math.inf, 0.0)
    if span - interval.a < int(interval.v[0]):  # nothing attainable but the span itself
        if interval.b < span:
            return _Estimate(-math.inf, 0.0)
        return _Estimate(-n * math.log(2.0), 2 * EPS * n)
    return None


def _invert(intervals: list[_Interval]) -> list[_Estimate]:
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
    kept = np.flatnonzero(log_modulus > -LOG_CUT)
    if kept.size < k.size:
        sums, k, log_modulus, phase, error = (x[kept] for x in (sums, k, log_modulus, phase, error))
    terms = np.minimum(above, np.array([x.b - x.a for x in intervals])) + 1
    own = size[sums]
    geometric = _geometric(tilt.tau[sums], k, own, terms[sums])
    alone = (k == 0) | (2 * k == own)  # the other frequencies stand for their conjugates too
    weight = np.exp(log_modulus) * (2.0 - alone)
    first = np.searchsorted(sums, np.arange(len(intervals)))
    real = weight * (np.cos(phase) * geometric.real - np.sin(phase) * geometric.imag)
    # rounding: of the characteristic function, then here; what that moves is at most the modulus
    error = error + gamma(24, first, len(k)) * (1 + np.abs(log_modulus) + np.abs(phase))
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


def _estimate(value: float, absolute: float, exponent: float, exponent_error: float) -> _Estimate:
    """Value and error of the inner sum, times exp(exponent)."""
    if value <= absolute:
        return _Estimate(-math.inf, math.exp(min(exponent + math.log(value + absolute), 0.0)))
    log_value = math.log(value)
    rounding = 8 * EPS * (1 + abs(exponent) + abs(log_value))  # of the logarithm, this sum, and of doubling
    relative = math.expm1(exponent_error + math.log1p(absolute / (value - absolute)) + rounding)
    return _Estimate(exponent + log_value, relative)


def characteristic(
    coins: Coins, tilt: Tilt, circle: Circle, sums: NDArray[np.intp], k: Ints
) -> tuple[Floats, Floats, Floats]:
    """The logarithm of |phi_k|, the phase of phi_k exp(-i w_k a), and a bound on the error of both.

    The steps of a sum are taken in pieces that fit in the cache, cut alike whatever else is in the batch.
    """
    table = _Table.of(coins, tilt, circle)
    pieces = _Pieces.of(coins, sums)
    at_once = max(1, BLOCK // pieces.longest)
    parts = [
        table.sums(k[row], circle.size[sums[row]], pieces.start[i : i + at_once], pieces.length[i : i + at_once])
        for i in range(0, pieces.row.size, at_once)
        if (row := pieces.row[i : i + at_once]).size
    ]
    log_square, small, turns, error = (
        per_sum(np.concatenate(x) if len(x) > 1 else x[0], pieces.first) for x in zip(*parts, strict=True)
    )
    own = circle.size[sums]
    turns = (turns.astype(np.int64) - 2 * _times_modulo(k, coins.a[sums], own)) % (2 * own)
    turns = np.where(turns > own, turns - 2 * own, turns)
    # operations, additions of terms in a piece, additions of pieces
    rounding = gamma(64, np.zeros(1, dtype=np.intp), pieces.longest) + EPS * pieces.most
    return log_square / 2, small + np.pi * (turns / own), rounding * error


@dataclass(frozen=True)
class _Pieces:
    """The steps of each row's sum, in pieces of at most `BLOCK`: the row, start and length of each, each row's first."""

    row: NDArray[np.intp]
    start: NDArray[np.intp]
    length: NDArray[np.intp]
    first: NDArray[np.intp]
    longest: int
    most: int

    @classmethod
    def of(cls, coins: Coins, sums: NDArray[np.intp]) -> _Pieces:
        length = np.diff(coins.start, append=coins.v.size)[sums]
        longest = int(length.max())
        rows = np.arange(len(sums))
        if longest <= BLOCK:
            return cls(rows, coins.start[sums], length, rows, longest, 1)
        pieces = -(-length // BLOCK)
        row, first = np.repeat(rows, pieces), np.cumsum(pieces) - pieces
        offset = BLOCK * (np.arange(row.size) - first[row])
        start = coins.start[sums][row] + offset
        return cls(row, start, np.minimum(length[row] - offset, BLOCK), first, BLOCK, int(pieces.max()))


@dataclass(frozen=True)
class _Table:
    """What a factor needs to be evaluated, per step.

    A factor is q + p exp(2is) = exp(is) (cos s + i t sin s) with s = pi k v / P and t = p - q. With T = tan s,

        log |.|^2 = log1p(-4 p q T^2 / (1 + T^2)),
        arg = s + arctan(t T)                         if t < 1/2,
            = 2 s - arctan(u T / (1 + t T^2))         if not, u = 1 - t,

    so that only small angles are ever rounded: the multiples of s add up in exact integers modulo 2 P.
    """

    step: NDArray[Any]
    w: Floats
    t: Floats
    u: Floats
    curve: Floats
    count: Ints
    signed: Ints
    multiple: NDArray[Any]

    @classmethod
    def of(cls, coins: Coins, tilt: Tilt, circle: Circle) -> _Table:
        far = tilt.q < SATURATED
        multiple = np.where(far, 2 * coins.c, coins.c)
        if int((coins.n * circle.size).max()) < EXACT:  # then sums of them times residues are exact as doubles
            multiple = multiple.astype(np.float64)
        return cls(
            circle.step,
            4 * tilt.p * tilt.q,
            tilt.t,
            np.where(far, 2 * tilt.q, tilt.t),
            np.where(far, tilt.t, 0.0),
            coins.c,
            np.where(far, -coins.c, coins.c),
            multiple,
        )

    def sums(self, k: Ints, size: Ints, start: NDArray[np.intp], length: NDArray[np.intp]) -> tuple[Any, ...]:
        """For pieces of steps at frequencies k: sums of log |.|^2, small angles, multiples of s, sensitivities."""
        first = np.cumsum(length) - length
        if len(k) == 1:
            index: Any = slice(int(start[0]), int(start[0] + length[0]))
        else:
            index = np.arange(int(length.sum())) + np.repeat(start - first, length)
            k, size = np.repeat(k, length), np.repeat(size, length)
        r = residue(k.astype(self.step.dtype), self.step[index], size)
        s = r * (HALF_TURN / size)
        tangent = np.tan(s)
        square = tangent * tangent
        u = self.u[index]
        z = self.w[index] * (square / (1 + square))
        log_square = np.log1p(-np.minimum(z, 0.5))
        inverse = 1 / (1 - np.minimum(z, 0.5))
        steep = np.flatnonzero(z > 0.5)
        if steep.size:
            ratio = (1 + square[steep]) / (1 + self.t[index][steep] ** 2 * square[steep])
            inverse[steep], log_square[steep] = ratio, -np.log(ratio)
        angle = np.arctan(u * tangent / (1 + self.curve[index] * square))
        # an error of s by its ulps moves log |.|^2 by z / (1 - z) and the argument by u s / (1 - z) times that
        sensitivity = (z + u * np.abs(s)) * inverse + np.abs(angle) - log_square
        turns = self.multiple[index] * (r if self.multiple.dtype == np.float64 else r.astype(np.int64))
        count = self.count[index]
        return (
            per_sum(count * log_square, first),
            per_sum(self.signed[index] * angle, first),
            per_sum(turns, first),
            per_sum(count * sensitivity, first),
        )


def _times_modulo(k: Ints, a: Ints, size: Ints) -> Ints:
    """Give k a modulo size, for k <= size / 2."""
    if int(size.max()) < 2**31:
        return np.asarray(k * (a % size) % size)
    return np.asarray(k.astype(object) * a % size, dtype=np.int64)


def _geometric(tau: Floats, k: Ints, size: Ints, terms: Ints) -> NDArray[np.complex128]:
    """G_k = sum_{0 <= i < terms} exp(-(tau + 2 pi i k / P) i), numerator and denominator without cancellation."""
    turn = 2j * np.pi / size
    denominator = np.expm1(-tau - turn * k)  # 0 <= k <= P / 2
    numerator = np.expm1(-tau * terms - turn * _centred(_times_modulo(k, terms, size), size))
    still = denominator == 0  # no tilt and k = 0
    return np.asarray(np.where(still, terms, numerator / np.where(still, 1, denominator)))


def _centred(k: Ints, size: Ints) -> Ints:
    return np.where(2 * k > size, k - size, k)
