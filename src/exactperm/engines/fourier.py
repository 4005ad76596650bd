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
from exactperm.engines.tilt import EPS, SATURATED, Coins, Floats, Ints, Tilt, depth, per_sum
from exactperm.region import Runs

__all__ = ["Fourier", "characteristic"]

#: mass left outside the window, and size of the frequencies left out, as a negative logarithm: 1e-20
LOG_CUT = 46.0
#: live frequencies beyond which the engine gives up
LIMIT = 2**24
#: elements evaluated at once: temporaries of this size stay in the cache
BLOCK = 1 << 14
#: a step this many standard deviations of all the others together is conditioned upon
DOMINATES = 40.0
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
        n, largest, circle = _size(question)
        if circle >= 2**31 and circle / 2 * min(largest, circle / 2) >= 2**62:
            return f"the circle would have about {circle:.1e} points; method='bracket' would do"
        if n * circle >= 2**62:
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
        asked = [_pieces(question) for question in questions]
        done = iter(_invert_all([interval for pieces in asked for piece in pieces for interval in piece.intervals]))
        answers = []
        for pieces, question in zip(asked, questions, strict=True):
            tail = _sum([piece.combine([next(done) for _ in piece.intervals]) for piece in pieces])
            answers.append(tail.doubled() if question.region.mirrored else tail)
        return answers


def _size(question: Question) -> tuple[int, float, float]:
    """Number and largest of the steps that are not conditioned upon, and about the size of their circle, untilted."""
    lattice = question.lattice
    if lattice.rank == 0:
        return 0, 0.0, 1.0
    v, c, deviation, span = lattice.steps[:, 0], lattice.counts, lattice.deviation, lattice.span[0]
    if not _dominated(v, c, deviation):
        return lattice.n, float(v[-1]), min(2 * math.sqrt(2 * LOG_CUT) * deviation, float(span)) + 1
    while _dominated(v, c, deviation):
        v, c, span = v[:-1], c[:-1], span - int(v[-1]) * int(c[-1])
        deviation = _deviation(v, c)
    return int(c.sum()), float(v[-1]), min(2 * math.sqrt(2 * LOG_CUT) * deviation, float(span)) + 1


def _deviation(v: Ints, c: Ints) -> float:
    square = c * v.astype(np.float64) ** 2
    return math.sqrt(float(square.sum())) / 2


# -- from runs to intervals above the mean ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Piece:
    """A weight times the sum of some intervals' probabilities, or times the complement of the only one."""

    intervals: list[_Interval]
    complement: bool = False
    log_weight: float = 0.0

    def combine(self, tails: list[Tail]) -> Tail:
        """The probability, given those of the intervals."""
        tail = _complement(tails[0] if tails else IMPOSSIBLE) if self.complement else _sum(tails)
        if self.log_weight == 0:
            return tail
        return _outward(*(x + self.log_weight for x in (tail.log_low, tail.log_estimate, tail.log_high)))


def _pieces(question: Question) -> list[_Piece]:
    """Write a union of runs as intervals at or above the mean, large steps conditioned upon."""
    lattice, region = question.lattice, question.region
    if not isinstance(region, Runs):
        raise CannotAnswer("the one-dimensional inversion needs runs")
    if lattice.rank == 0:
        return [_Piece([], complement=any(low <= 0 <= high for low, high in region.intervals))]
    v, c = lattice.steps[:, 0], lattice.counts
    if not _dominated(v, c, lattice.deviation):
        return [_above_the_mean(v, c, lattice.span[0], lattice.n, region.intervals)]
    return _conditioned(v, c, list(region.intervals), 0.0)


def _dominated(v: Ints, c: Ints, deviation: float) -> bool:
    """Whether the largest step is far beyond what all the others do together, so that the law has wide gaps."""
    largest, count = float(v[-1]), int(c[-1])
    rest = deviation**2 - count * largest**2 / 4
    return len(v) > 1 and count <= 4 and largest**2 > DOMINATES**2 * max(rest, 0.0)


def _conditioned(v: Ints, c: Ints, runs: list[tuple[int, int]], log_weight: float) -> list[_Piece]:
    """Condition on how many of the largest steps are taken, until no step dominates (gcd taken out again).

    In the gaps of such a law a third of all frequencies would stay alive; given the large steps few do.
    """
    divisor = int(np.gcd.reduce(v))
    if divisor > 1:
        v, runs = v // divisor, [(-(-low // divisor), high // divisor) for low, high in runs]
    if not _dominated(v, c, _deviation(v, c)):
        piece = _above_the_mean(v, c, int(np.dot(v, c)), int(c.sum()), runs)
        return [_Piece(piece.intervals, piece.complement, log_weight)]
    count, largest = int(c[-1]), int(v[-1])
    pieces = []
    for taken in range(count + 1):
        weight = log_weight + math.log(math.comb(count, taken)) - count * math.log(2.0)
        moved = [(low - taken * largest, high - taken * largest) for low, high in runs]
        pieces += _conditioned(v[:-1], c[:-1], moved, weight)
    return pieces


def _above_the_mean(v: Ints, c: Ints, span: int, n: int, runs: Sequence[tuple[int, int]]) -> _Piece:
    """Cut runs at the mean and reflect what is below it."""

    def interval(a: int, b: int) -> _Interval:
        return _Interval(v, c, a, b, span, n)

    inside = [(max(low, 0), min(high, span)) for low, high in runs if low <= high and low <= span and high >= 0]
    if len(inside) == 1:
        low, high = inside[0]
        if low == 0 and high == span:
            return _Piece([], complement=True)
        # a half-line through the mean: its complement is a half-line above the mean, after reflection
        if high == span and 2 * low <= span:
            return _Piece([interval(span - low + 1, span)], complement=True)
        if low == 0 and 2 * high >= span:
            return _Piece([interval(high + 1, span)], complement=True)
    middle = -(-span // 2)
    above = [interval(max(low, middle), high) for low, high in inside if high >= middle]
    below = [interval(span - min(high, middle - 1), span - low) for low, high in inside if low < middle]
    return _Piece(above + below)


IMPOSSIBLE = Tail(-math.inf, -math.inf, -math.inf)


def _outward(low: float, estimate: float, high: float) -> Tail:
    """A tail whose ends are moved by more than the rounding of a few operations on logarithms."""
    ends = (x + sign * 8 * EPS * (1 + abs(x)) if math.isfinite(x) else x for x, sign in ((low, -1), (high, 1)))
    return Tail(next(ends), min(estimate, 0.0), min(next(ends), 0.0))


def _sum(tails: list[Tail]) -> Tail:
    """The sum of probabilities."""
    if len(tails) == 1:
        return tails[0]
    lows, estimates, highs = ([getattr(t, end) for t in tails] for end in ("log_low", "log_estimate", "log_high"))
    return _outward(_log_sum(lows), _log_sum(estimates), _log_sum(highs))


def _log_sum(logs: list[float]) -> float:
    largest = max(logs, default=-math.inf)
    return largest if largest == -math.inf else largest + math.log(math.fsum(math.exp(x - largest) for x in logs))


def _complement(tail: Tail) -> Tail:
    """One minus a probability of at most about a half."""
    low, estimate, high = (math.log1p(-math.exp(x)) for x in (tail.log_high, tail.log_estimate, tail.log_low))
    return _outward(low, estimate, high)


# -- the inversion ---------------------------------------------------------------------------------------------


def _invert_all(intervals: list[_Interval]) -> list[Tail]:
    """Closed forms at the ends of the range, the inversion in batches for the rest."""
    results = [_closed_form(interval) for interval in intervals]
    open_ones = [i for i, result in enumerate(results) if result is None]
    for first in range(0, len(open_ones), BATCH):
        batch = open_ones[first : first + BATCH]
        for i, estimate in zip(batch, _invert([intervals[i] for i in batch]), strict=True):
            results[i] = estimate
    return [result for result in results if result is not None]


def _closed_form(interval: _Interval) -> Tail | None:
    """All coins one way, or nothing: 2^-n and 0."""
    if interval.a > interval.b or interval.a > interval.span:
        return IMPOSSIBLE
    if not interval.n:
        return Tail(0.0, 0.0, 0.0)
    if interval.span - interval.a < int(interval.v[0]):  # nothing attainable but the span itself
        if interval.b < interval.span:
            return IMPOSSIBLE
        log = -interval.n * math.log(2.0)
        return _outward(log, log, log)
    return None


def _invert(intervals: list[_Interval]) -> list[Tail]:
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
    first = sums.searchsorted(np.arange(len(intervals)))
    additions = depth(np.bincount(sums))
    real = weight * (np.cos(phase) * geometric.real - np.sin(phase) * geometric.imag)
    # rounding: of the characteristic function, then here; what that moves is at most the modulus
    error = error + EPS * (24 + additions[sums]) * (1 + np.abs(log_modulus) + np.abs(phase))
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
        high = min(exponent + exponent_error + math.log(max(value, 0.0) + absolute) + 8 * EPS * (1 - exponent), 0.0)
        return Tail(-math.inf, high if value > 0 else -math.inf, high)
    log = exponent + math.log(value)
    low, high = math.log1p(-absolute / value), math.log1p(absolute / value)
    return _outward(log + low - exponent_error, log, log + high + exponent_error)


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
    rounding = EPS * (64 + coins.depth + coins.number // BLOCK)
    return log_square / 2, small + np.pi * (turns / own), rounding[sums] * error


@dataclass(frozen=True)
class _Pieces:
    """The steps of each row's sum, at most `BLOCK` a piece: row, start and length of each, and each row's first."""

    row: NDArray[np.intp]
    start: NDArray[np.intp]
    length: NDArray[np.intp]
    first: NDArray[np.intp]
    longest: int

    @classmethod
    def of(cls, coins: Coins, sums: NDArray[np.intp]) -> _Pieces:
        length = coins.number[sums]
        longest = int(length.max())
        rows = np.arange(len(sums))
        if longest <= BLOCK:
            return cls(rows, coins.start[sums], length, rows, longest)
        pieces = -(-length // BLOCK)
        row, first = rows.repeat(pieces), pieces.cumsum() - pieces
        offset = BLOCK * (np.arange(row.size) - first[row])
        start = coins.start[sums][row] + offset
        return cls(row, start, np.minimum(length[row] - offset, BLOCK), first, BLOCK)


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
        first = length.cumsum() - length
        if start[0] == start[-1]:  # the same steps in every row
            index: Any = slice(int(start[0]), int(start[0] + length[0]))
            k, size = k[:, None], size[:, None]
        else:
            index = np.arange(int(length.sum())) + (start - first).repeat(length)
            k, size = k.repeat(length), size.repeat(length)
        r = residue(k.astype(self.step.dtype), self.step[index], size)
        s = r * (HALF_TURN / size)
        tangent = np.tan(s)
        square = tangent * tangent
        u = self.u[index]
        z = self.w[index] * (square / (1 + square))
        log_square = np.log1p(-np.minimum(z, 0.5))
        inverse = 1 / (1 - np.minimum(z, 0.5))
        angle = np.arctan(u * tangent / (1 + self.curve[index] * square))
        # log |.|^2 moves by z / (1 - z) times an error of z, the argument by u s / (1 - z) times one of s
        turning = u * np.abs(s)
        sensitivity = (z + turning) * inverse
        steep = z > 0.5
        if steep.any():
            t, square = np.broadcast_to(self.t[index], z.shape)[steep], square[steep]
            ratio = (1 + square) / (1 + t * t * square)
            log_square[steep] = -np.log(ratio)
            # log |.|^2 does not come from z here: it moves by at most 2 times a relative error of T, and by
            # z s / ((1 - z) T) times one of s, which is far less than z / (1 - z) near a quarter turn
            sensitivity[steep] = 2 + (z[steep] * np.abs(s[steep] / tangent[steep]) + turning[steep]) * ratio
        sensitivity += np.abs(angle) - log_square
        turns = self.multiple[index] * (r if self.multiple.dtype == np.float64 else r.astype(np.int64))
        count = self.count[index]
        terms = count * log_square, self.signed[index] * angle, turns, count * sensitivity
        return tuple(per_sum(x.ravel(), first) for x in terms)


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
