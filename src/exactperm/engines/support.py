"""Certified support: which frequencies of a characteristic function can matter, found without looking at most.

The characteristic function of a sum of tilted coins on a circle of P points is a product of factors with

    |q + p exp(i 2 pi k v / P)|^2 = 1 - 4 p q sin^2(pi k v / P)  <=  1,

so any subset of the factors bounds the product. Branch and bound over intervals of k: bound each factor by its value
at the admissible angle nearest to a multiple of pi, add logarithms, drop the interval as soon as the bound is under
the cut, else split it. What survives is a superset of the frequencies above the cut: nothing is assumed about the
shape of the function, so resonances (most steps multiples of five, say) are found and not guessed away.

Typically some thirty frequencies survive whatever the number of items. Up to about a hundred steps of large unrelated
size nearly all of them do: then there is nothing to save, and `live_frequencies` gives up beyond its `limit`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.tilt import Coins, Floats, Ints, Tilt, per_sum

__all__ = ["Circle", "live_frequencies", "residue", "times_modulo"]

#: a factor is of use to an interval that turns it by less than this part of the circle
STEADY = 8
#: factors tried at one level; random angles need about 75 factors that are not tilted to reach 1e-20
MOST_FACTORS = 256
#: intervals looked at together: temporaries of this many rows stay in the cache
ROWS = 1 << 11
#: intervals left per sum that are not worth another round of factors
FEW = 48
#: intervals are cut into this many parts
SPLIT = 8
#: integers up to this are exact as doubles with room to spare for a quotient rounded to the nearest integer
EXACT = 2**51
#: keeps every computed bound above the true one: the relative error of 4 p q sin^2 is far smaller
GUARD = 1 - 1e-13


@dataclass(frozen=True)
class Circle:
    """The circle of each sum: its size and the steps modulo it, centred, exact as doubles or else int64."""

    size: Ints
    step: NDArray[Any]

    @classmethod
    def of(cls, coins: Coins, size: Ints) -> Circle:
        """Reduce the steps modulo the circles."""
        own = size[coins.owner]
        step = coins.v % own
        step -= own * (2 * step > own)
        largest = int(np.maximum.reduce(own // 2 * np.abs(step)))
        return cls(size, step.astype(np.float64) if largest < EXACT else step)


def residue(k: NDArray[Any], step: NDArray[Any], size: NDArray[Any]) -> Floats:
    """Reduce k * step modulo size, in [-size/2, size/2], exactly."""
    product = k * step
    if product.dtype == np.float64:
        return np.asarray(product - np.rint(product / size) * size)
    rest = product - np.rint(product / size).astype(np.int64) * size  # the quotient may be off by one near a half
    rest = np.where(2 * rest > size, rest - size, rest)
    return np.asarray(np.where(2 * rest < -size, rest + size, rest), dtype=np.float64)


def times_modulo(k: Ints, a: Ints, size: Ints) -> Ints:
    """Give k a modulo size, for k <= size / 2."""
    if int(np.maximum.reduce(size, initial=0)) < 2**31:
        return np.asarray(k * (a % size) % size)
    return np.asarray(k.astype(object) * a % size, dtype=np.int64)


def live_frequencies(
    coins: Coins, tilt: Tilt, circle: Circle, log_cut: float, limit: int
) -> tuple[NDArray[np.intp], Ints] | None:
    """All (sum, k), 0 <= k <= P/2, where |phi_k| may exceed exp(log_cut), ordered; None if there are too many."""
    strength = coins.c * (4 * tilt.p * tilt.q)
    top = _last(coins, tilt, circle, log_cut)
    width = _first_width(top)
    moments = _moments(coins, circle, strength)
    last = top
    sums, low = np.arange(len(top)), np.zeros_like(top)
    while True:
        sums, low = _cut(sums, low, last, width[sums])
        (near,) = (_by_moments(moments, sums, low, width) > 2 * log_cut).nonzero()
        sums, low = sums[near], low[near]
        finest = max(width.tolist()) == 1
        few = FEW * len(width) // (1 if finest else SPLIT)
        if low.size > few:
            factors = _Factors.strongest(coins, tilt, circle, strength, width)
            keep = _undecided(factors, circle, sums, low, width, log_cut, few)
            sums, low = sums[keep], low[keep]
        if low.size * SPLIT > limit:
            return None
        if finest:
            return sums, low
        last = np.minimum(low + width[sums] - 1, top[sums])
        width = np.maximum(width // SPLIT, 1)


def _last(coins: Coins, tilt: Tilt, circle: Circle, log_cut: float) -> Ints:
    """The last frequency of each sum that can matter: half the circle, or less if enough coins have a step of one.

    Their factor alone, 1 - 4 p q sin^2(pi k / P), falls all the way to half the circle.
    """
    first = coins.start
    ones = zip(coins.v[first].tolist(), coins.c[first].tolist(), tilt.p[first].tolist(), tilt.q[first].tolist(),
               circle.size.tolist(), strict=True)  # fmt: skip
    return np.array([size // 2 if v > 1 else _last_of_ones(c, p, q, size, log_cut) for v, c, p, q, size in ones])


def _last_of_ones(c: int, p: float, q: float, size: int, log_cut: float) -> int:
    """Up to where c coins with a step of one leave the modulus above the cut."""
    square = -math.expm1(2 * log_cut / c)
    strength = 4 * GUARD * p * q
    if square >= strength:
        return size // 2
    return min(math.ceil(size / math.pi * math.asin(math.sqrt(square / strength)) * (1 + 1e-9)), size // 2)


def _cut(sums: NDArray[np.intp], low: Ints, high: Ints, width: Ints) -> tuple[NDArray[np.intp], Ints]:
    """Cut each range low..high into intervals of the given width."""
    if low.size == 1:
        low = np.arange(low[0], high[0] + 1, width[0])
        return sums.repeat(low.size), low
    parts = np.maximum((high - low) // width + 1, 0)
    which = np.arange(len(parts)).repeat(parts)
    number = np.arange(which.size) - (parts.cumsum() - parts).repeat(parts)
    return sums[which], low[which] + number * width[which]


def _first_width(top: Ints) -> Ints:
    """Powers of `SPLIT`: about a hundred intervals cover the circle."""
    return np.array([SPLIT ** max(round(math.log(max(x, 1) / 100, SPLIT)), 0) for x in top.tolist()])


@dataclass(frozen=True)
class _Factors:
    """The factors tried at a level, strongest first, those of each sum back to back; of several, last one that is 1."""

    step: NDArray[Any]
    weight: Floats
    count: Ints
    start: NDArray[np.intp]
    number: NDArray[np.intp]

    @classmethod
    def strongest(cls, coins: Coins, tilt: Tilt, circle: Circle, strength: Floats, width: Ints) -> _Factors:
        """The strongest of factors that an interval turns by a small part of the circle only."""
        own = coins.owner
        sweep = np.abs(circle.step) * width[own]
        score = np.where(STEADY * sweep <= circle.size[own], strength, 0.0) * (1 + sweep / circle.size[own])
        if len(coins.start) == 1:
            order = _scattered(score) if own.size > MOST_FACTORS else np.argsort(-score)
            weight = (-4 * GUARD) * tilt.p[order] * tilt.q[order]
            return cls(circle.step[order], weight, coins.c[order], coins.start, np.array([order.size]))
        order = np.lexsort([-score, own])
        number = np.minimum(np.bincount(own[order], minlength=len(coins.start)), MOST_FACTORS)
        start = np.searchsorted(own[order], np.arange(len(coins.start)))
        weight = (-4 * GUARD * tilt.p * tilt.q)[order]
        step, count = circle.step[order], coins.c[order]
        return cls(np.append(step, step[:1] * 0), np.append(weight, 0.0), np.append(count, 0), start, number)


def _moments(coins: Coins, circle: Circle, strength: Floats) -> tuple[Floats, Floats]:
    """Sums of 4 p q x^2 and of 4 p q x^4 / 3 over all coins, x = pi v / P."""
    x = np.abs(circle.step) * (np.pi / circle.size[coins.owner])
    square = x * x
    return per_sum(strength * square, coins.start) * GUARD, per_sum(strength * square * square, coins.start) / 3 / GUARD


def _by_moments(moments: tuple[Floats, Floats], sums: NDArray[np.intp], low: Ints, width: Ints) -> Floats:
    """An upper bound of the log of |phi|^2 over each interval from all factors at once, sharp around k = 0.

    log(1 - z) <= -z and sin^2 x >= x^2 - x^4 / 3. The bound first falls and then rises with k, so over an interval it
    is largest at an end.
    """
    second, fourth = (moment[sums] for moment in moments)
    ends = (low.astype(np.float64) ** 2, (low + width[sums] - 1).astype(np.float64) ** 2)
    first, last = (square * (fourth * square - second) for square in ends)
    return np.maximum(first, last)


def _scattered(score: Floats) -> NDArray[np.intp]:
    """A sample of the strong factors without a pattern: neighbours, or steps evenly apart, would resonate together.

    One from each of equal strata, at places within them that squares times the golden ratio scatter (Weyl 1916).
    """
    # where few steps are much more frequent than the others, the next ones are needed as well
    cut = min(score.max() / 4, np.partition(score, -MOST_FACTORS)[-MOST_FACTORS])
    strong = np.flatnonzero((score >= cut) & ((score > 0) | (score.max() == 0)))
    stratum = np.arange(MOST_FACTORS)
    place = (stratum + stratum**2 * ((math.sqrt(5) - 1) / 2) % 1) / MOST_FACTORS
    return np.unique(strong[(place * strong.size).astype(np.intp)])


def _undecided(
    factors: _Factors, circle: Circle, sums: NDArray[np.intp], low: Ints, width: Ints, log_cut: float, few: int
) -> NDArray[np.intp]:
    """Return the intervals that the factors do not prove to be under the cut.

    It stops early when few are left: those are cheaper to split, or in the end to evaluate.
    """
    if low.size <= ROWS:
        return _survivors(factors, circle, sums, low, width[sums], log_cut, few)
    blocks = []
    for i in range(0, low.size, ROWS):
        part = sums[i : i + ROWS]
        share = few * part.size // low.size
        blocks.append(i + _survivors(factors, circle, part, low[i : i + ROWS], width[part], log_cut, share))
    return np.concatenate(blocks)


def _survivors(
    factors: _Factors, circle: Circle, sums: NDArray[np.intp], low: Ints, width: Ints, log_cut: float, few: int
) -> NDArray[np.intp]:
    """The same for a number of intervals that fits in the cache, with a few factors at a time."""
    rows = np.arange(low.size)
    total = np.zeros(low.size)
    done, chunk, most = 0, 4, int(factors.number.max())
    while done < most and rows.size > few:
        rank = np.arange(done, min(done + chunk, most))
        total[rows] += _bound(factors, circle, sums[rows], low[rows], width[rows], rank)
        rows = rows[total[rows] > 2 * log_cut]
        done, chunk = done + chunk, min(4 * chunk, 64)
    return rows


def _bound(
    factors: _Factors, circle: Circle, sums: NDArray[np.intp], low: Ints, width: Ints, rank: NDArray[np.intp]
) -> Floats:
    """An upper bound of the log of the product of |factor|^2 over each interval, for the factors of some ranks."""
    index: NDArray[np.intp] = rank
    size: Any = circle.size[0]
    if len(circle.size) > 1:
        number = factors.number[sums][:, None]
        index = np.where(rank < number, factors.start[sums][:, None] + rank, -1)
        size = circle.size[sums][:, None]
    step = factors.step[index]
    middle = (low + (width - 1) // 2)[:, None].astype(step.dtype)
    turn = np.abs(residue(middle, step, size))
    if width.max() > 1:
        turn = np.maximum(turn - np.abs(step) * (width // 2)[:, None], 0.0)
    turn /= size
    # sin(pi x) >= 3 x - 4 x^3 on [0, 1/2], where both are concave and equal at the ends and at no point between
    sine = turn * (3 - 4 * turn * turn)
    terms = factors.count[index] * np.log1p(factors.weight[index] * (sine * sine))
    return np.asarray(terms.sum(axis=1))
