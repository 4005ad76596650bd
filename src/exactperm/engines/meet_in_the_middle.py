"""Meet in the middle over count vectors with binomial weights: few effects, of any size.

Of c_j coins with the same step v_j only the number k_j that fall heads matters, and C(c_j, k_j)
assignments share it. Split the distinct steps into two halves. With F(x) the number of assignments
whose sum is at most x,

    F(x) = sum_a w_a W(x - a),      W(y) = sum_{b <= y} w_b,

a and b the partial sums of the halves, w their products of binomials. One half is sorted once, its
weights added up to W, and looked up for every partial sum of the other (Horowitz and Sahni 1974).
Everything is an integer, so the count is exact and ties are decided exactly: sums beyond int64 are
held in several words, weights beyond it in Python integers.

Cost: a sort of the square root of prod(c_j + 1) sums: 40 different effects in 0.1 s, of 100 bits
as well (0.2 s if most of their sums agree in the first 62), 470 items of three magnitudes in 4 ms.
It fails where that product is beyond about 2^48, and slows down where weights need thousands of
bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import Engine, Question, Tail
from exactperm.engines.rational import binomials
from exactperm.lattice import Lattice
from exactperm.region import Runs

__all__ = ["MeetInTheMiddle"]

#: distinct steps with their numbers of coins
Groups = list[tuple[int, int]]
#: (words, numbers) integers, one a column, the most significant word first
Words = NDArray[np.int64]

#: count vectors of the half that is sorted and kept, of the other, which passes by in blocks, and
#: the bits of both together
MOST_KEPT = 2**22
MOST_PASSING = 2**26
MOST_BITS = 48
BLOCK = 2**18
#: bytes that both may take
MOST_BYTES = 200_000_000
#: bits of the first word, and of the others: the words of 63 groups add up without a carry
FIRST_WORD, WORD = 62, 57
#: bits in which inner products are taken: 2^18 products of two such numbers add up in int64
LIMB = 22
#: what an obstacle recommends
OTHERS = "use method='fourier' for effects that are small integers, else method='bracket'"


class MeetInTheMiddle(Engine):
    """Look up the partial sums of one half of the effects in those of the other."""

    name = "meet-in-the-middle"
    exact = True

    def obstacle(self, question: Question) -> str | None:
        """More than one dimension, or too many count vectors."""
        if not isinstance(question.region, Runs):
            return (
                "meet in the middle needs intervals in one dimension, and this question has a "
                f"predicate in dimension {question.lattice.rank}; use method='exact'"
            )
        if question.lattice.rounding:
            return "the effects are rounded real numbers, and this engine counts integers; use method='bracket'"
        bits = _bits(question.lattice)
        if bits > MOST_BITS:
            return (
                f"meet in the middle needs at most 2^{MOST_BITS} combinations of how many of the "
                f"equal effects go which way, and here are 2^{bits:.0f}; {OTHERS}"
            )
        plan = _Plan.of(question.lattice)
        if plan.bytes > MOST_BYTES or plan.passing > MOST_PASSING:
            return (
                f"meet in the middle would take {plan.bytes / 1e6:.0f} MB and {plan.passing} "
                f"look-ups; the limits are {MOST_BYTES / 1e6:.0f} MB and {MOST_PASSING}; {OTHERS}"
            )
        return None

    def cost(self, question: Question) -> float:
        """The sort of the table, and the look-ups for each end of an interval."""
        if _bits(question.lattice) > MOST_BITS or not isinstance(question.region, Runs):
            return math.inf
        plan = _Plan.of(question.lattice)
        lookups = plan.passing * len(_ends(question.region, plan))
        seconds = 2e-4 + (5e-8 * plan.kept + 3e-8 * lookups) * len(plan.scale)
        if max(plan.coins_of_kept, plan.coins_passing) > 62:  # products of long integers
            seconds += (2e-7 + 4e-13 * plan.coins_of_kept * plan.coins_passing) * lookups
            seconds += (2e-7 + 1e-10 * plan.coins_of_kept) * plan.kept
        return seconds

    def answer(self, question: Question) -> Tail:
        """Count the assignments in the intervals."""
        return Tail.from_fraction(Fraction(count_assignments(question), 2**question.lattice.n))


def count_assignments(question: Question) -> int:
    """How many of the 2^n assignments give a point in the intervals of the region."""
    if not isinstance(question.region, Runs):
        raise TypeError("meet in the middle counts in a region of intervals, not in a predicate")
    plan = _Plan.of(question.lattice)
    ends = _ends(question.region, plan)
    if not ends:
        return 0
    halves = _Halves.of(plan)
    count = sum(sign * weight * halves.at_most(x - shift) for shift, weight in _shifts(plan.outer) for x, sign in ends)
    return 2 * count if question.region.mirrored else count


def _ends(region: Runs, plan: _Plan) -> list[tuple[int, int]]:
    """The points x and signs with which F(x) adds up to the count in the region."""
    ends = []
    for first, last in region.intervals:
        low, high = first - plan.lowest, min(last - plan.lowest, plan.span)
        if low <= high and high >= 0:
            ends += [(high, 1)] + ([(low - 1, -1)] if low > 0 else [])
    return ends


def _bits(lattice: Lattice) -> float:
    """The logarithm to base 2 of the number of count vectors."""
    return float(np.log2(lattice.counts + 1.0).sum())


# -- the two halves ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    """Which groups of equal steps are kept in a table, and which pass by.

    Of those that pass the inner ones form a block of sums, which the outer ones shift. Steps of
    either sign are taken positive: b y = y + (1 - b)(-y), so that all sums start at `lowest`.
    """

    kept_groups: Groups
    inner: Groups
    outer: Groups
    lowest: int
    span: int
    scale: _Scale

    @classmethod
    def of(cls, lattice: Lattice) -> _Plan:
        """Give each group, the most numerous first, to the half with fewer count vectors."""
        signed = list(zip(lattice.steps.sum(axis=1).tolist(), lattice.counts.tolist(), strict=True))
        lowest = sum(min(step, 0) * count for step, count in signed)
        groups = [(abs(step), count) for step, count in signed]
        span = sum(step * count for step, count in groups)
        groups.sort(key=lambda group: group[1], reverse=True)
        kept: Groups = []
        passing: Groups = []
        for group in groups:
            room = _vectors(kept) <= min(_vectors(passing), MOST_KEPT // (group[1] + 1))
            (kept if room else passing).append(group)
        inner: Groups = []
        outer: Groups = []
        for group in passing:
            (inner if _vectors(inner) * (group[1] + 1) <= BLOCK else outer).append(group)
        return cls(kept, inner, outer, lowest, span, _Scale.of(span))

    @property
    def kept(self) -> int:
        return _vectors(self.kept_groups)

    @property
    def passing(self) -> int:
        return _vectors(self.inner) * _vectors(self.outer)

    @property
    def coins_of_kept(self) -> int:
        return sum(count for _, count in self.kept_groups)

    @property
    def coins_passing(self) -> int:
        return sum(count for _, count in self.inner + self.outer)

    @property
    def bytes(self) -> int:
        """Of both halves while they are sorted and looked up; a weight has a bit for each coin."""
        words = 16 * len(self.scale) + (32 if len(self.scale) > 1 else 0)  # ranks, if all are tied
        kept = 24 if self.coins_of_kept <= 62 else 96 + self.coins_of_kept // 3
        passing = 64 if self.coins_passing <= 62 else 128 + self.coins_passing // 7
        shifts = sum(count * (32 + count // 7) for _, count in self.outer)
        return (words + kept) * self.kept + (words + passing) * _vectors(self.inner) + shifts


def _vectors(groups: Groups) -> int:
    """The number of count vectors."""
    return math.prod(count + 1 for _, count in groups)


@dataclass(frozen=True)
class _Halves:
    """The sorted sums of one half with their cumulative weights, and a block of the other half."""

    scale: _Scale
    kept: Words
    cumulative: NDArray[Any]
    block: Words
    weights: NDArray[Any]
    span: int
    total: int

    @classmethod
    def of(cls, plan: _Plan) -> _Halves:
        kept, weights = _sums(plan.kept_groups, plan.scale)
        order = _order(kept)
        kept, weights = kept.take(order, axis=1), weights[order]
        cumulative = np.concatenate([weights[:1] - weights[:1], np.cumsum(weights)])
        block, block_weights = _sums(plan.inner, plan.scale)
        order = np.argsort(block[0])  # neighbours are looked up in the same part of the table
        block, block_weights = block.take(order, axis=1), block_weights[order]
        groups = plan.kept_groups + plan.inner
        span = sum(step * count for step, count in groups)
        total = 2 ** sum(count for _, count in groups)
        return cls(plan.scale, kept, cumulative, block, block_weights, span, total)

    def at_most(self, x: int) -> int:
        """F(x): how many assignments of the coins of these halves have a sum of at most x."""
        if x < 0 or x >= self.span:
            return 0 if x < 0 else self.total
        targets = self.scale.carried(self.scale.words([x]) - self.block)
        return _dot(self.weights, self.cumulative[_number_at_most(self.kept, targets)])


def _shifts(groups: Groups) -> Iterator[tuple[int, int]]:
    """All partial sums with their weights, one by one."""
    if not groups:
        yield 0, 1
        return
    (step, count), *others = groups
    for k, binomial in enumerate(binomials(count)):
        for shift, weight in _shifts(others):
            yield k * step + shift, binomial * weight


def _sums(groups: Groups, scale: _Scale) -> tuple[Words, NDArray[Any]]:
    """All partial sums with their weights."""
    # the weights add up to 2^coins
    exact = np.int64 if sum(count for _, count in groups) <= 62 else object
    sums, weights = scale.words([0]), np.ones(1, dtype=exact)
    for step, count in groups:
        multiples = scale.words([k * step for k in range(count + 1)])
        sums = (multiples[:, :, None] + sums[:, None, :]).reshape(len(sums), -1)
        weights = np.multiply.outer(np.array(binomials(count), dtype=exact), weights).ravel()
    return scale.carried(sums), weights


def _dot(x: NDArray[Any], y: NDArray[Any]) -> int:
    """The exact inner product of at most 2^18 numbers that are not negative."""
    if object in (x.dtype, y.dtype):
        return sum(map(mul, x.tolist(), y.tolist()))
    total, mask = 0, 2**LIMB - 1
    for i in range(0, int(x.max()).bit_length(), LIMB):
        for j in range(0, int(y.max()).bit_length(), LIMB):
            total += int(np.dot((x >> i) & mask, (y >> j) & mask)) << (i + j)
    return total


# -- integers of several words --------------------------------------------------------------------


@dataclass(frozen=True)
class _Scale:
    """How integers are held: in one int64, or in words of 57 bits below a first one of 62.

    The first word is signed. Numbers are shifted left to fill it, so that it alone decides most
    comparisons.
    """

    number: int
    shift: int

    @classmethod
    def of(cls, bound: int) -> _Scale:
        excess = bound.bit_length() - FIRST_WORD
        if excess <= 0:
            return cls(1, 0)
        lower = -(-excess // WORD)
        return cls(1 + lower, lower * WORD - excess)

    def __len__(self) -> int:
        return self.number

    def words(self, numbers: list[int]) -> Words:
        """Split numbers that are not negative."""
        words = np.empty((self.number, len(numbers)), dtype=np.int64)
        rest = [x << self.shift for x in numbers]
        for i in range(self.number - 1, 0, -1):
            words[i] = [x & (2**WORD - 1) for x in rest]
            rest = [x >> WORD for x in rest]
        words[0] = rest
        return words

    def carried(self, words: Words) -> Words:
        """Bring all words but the first into 0 .. 2^57 - 1, in place: for lexicographic order."""
        for i in range(self.number - 1, 0, -1):
            words[i - 1] += words[i] >> WORD
            words[i] &= 2**WORD - 1
        return words


def _order(numbers: Words) -> NDArray[np.intp]:
    """The order of the numbers: by the first word, and where that is equal by the others."""
    order = np.argsort(numbers[0])
    first = numbers[0, order]
    equal = first[1:] == first[:-1]
    if len(numbers) == 1 or not equal.any():
        return order
    tied = np.concatenate([equal, [False]]) | np.concatenate([[False], equal])
    some = order[tied]
    ranks = _ranks(numbers[-1, some])
    for word in numbers[-2::-1]:  # at most 2^32 numbers
        ranks = _ranks((_ranks(word[some]) << 32) | ranks)
    order[tied] = some[np.argsort(ranks)]
    return order


def _ranks(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Replace numbers by 0, 1, 2, ... in the same order, equal ones by equal ones.

    A few sorts of int64 are several times faster than one of pairs (`numpy.lexsort`).
    """
    order = np.argsort(numbers)
    ordered = numbers[order]
    ranks = np.empty(numbers.size, dtype=np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])])
    return ranks


def _number_at_most(table: Words, targets: Words) -> NDArray[np.intp]:
    """How many of the table are at most each target: bisect by the first word, then by all."""
    found: NDArray[np.intp] = np.searchsorted(table[0], targets[0], side="right")
    if len(table) == 1:
        return found
    undecided = np.flatnonzero(table[0, found - 1] == targets[0])
    if undecided.size:
        first, lower = targets[0, undecided], targets[1:, undecided]
        low, high = np.searchsorted(table[0], first, side="left"), found[undecided]
        # the answer is at least low and stays below low + 2 * 2^bit
        for bit in range(int((high - low).max()).bit_length() - 1, -1, -1):
            candidate = np.minimum(low + 2**bit, high)
            low = np.where(_at_most(table[1:, candidate - 1], lower), candidate, low)
        found[undecided] = low
    return found


def _at_most(left: Words, right: Words) -> NDArray[np.bool_]:
    """Compare two rows of numbers word by word, from the least significant."""
    result = np.ones(left.shape[1], dtype=np.bool_)
    for x, y in zip(left[::-1], right[::-1], strict=True):
        result = (x < y) | ((x == y) & result)
    return result
