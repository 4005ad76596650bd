"""Drawing the null law X = sum_n b_n y_n in exact integers, fast and in bounded memory.

All coordinates of a step are packed into the bit fields of one or a few int64 words, each field
wide enough for the range of its coordinate. Packing is linear, so a sum of words is the word of the
sum, and

    X = lows + fields(sum_n b_n word_n).

Fair coins are taken ten at a time: of every ten steps the 1,024 possible sums of words are tabled
and a random ten-bit integer looks one up (the "method of four Russians", Arlazarov et al. 1970).
Where a step occurs often, its number of coins that came up is one binomial draw. Cost per sample:
about a third of a nanosecond for each coin and word. Fails never; integers beyond int64 are drawn
as limbs of 32 bits and come as Python integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import Options, Question
from exactperm.integers import dot, whole
from exactperm.region import Runs

__all__ = [
    "DEFAULT_RESAMPLES",
    "Sampler",
    "batches",
    "floor",
    "generator",
    "inside",
    "log",
    "resamples",
    "sampling_cost",
]

#: samples drawn where nothing else is asked for
DEFAULT_RESAMPLES = 99_999
#: coins that share a table: its 1,024 words stay in the first-level cache
TABLE_BITS = 10
#: samples that share one pass over the tables, so that sums and indices stay in the second-level
#: cache
BLOCK = 1 << 14
#: from this count on one binomial draw is faster than a coin for each
MANY = 128
#: bits of a word that fields may fill: sums stay clear of the sign
WORD = 62
#: integers that a batch of points may hold
BATCH_CELLS = 1 << 20


@dataclass(frozen=True)
class _Field:
    """Where a coordinate, or one limb of a wide one, lies in the packed words."""

    coordinate: int
    limb: int
    low: int
    word: int
    shift: int
    mask: int


class Sampler:
    """Draws points of a lattice law.

    Parameters
    ----------
    steps
        (D, r) integer steps of any size.
    counts
        (D,) how often each step is taken or left by a coin of its own.

    Examples
    --------
    >>> import numpy as np
    >>> sampler = Sampler(np.array([[1, 0], [2, -5]]), np.array([40, 3]))
    >>> points = sampler.fair(np.random.default_rng(0), 1000)
    >>> points.min(axis=0) >= [0, -15], points.max(axis=0) <= [46, 0]
    (array([ True,  True]), array([ True,  True]))
    """

    def __init__(self, steps: NDArray[Any], counts: NDArray[np.int64]) -> None:
        self.rank = steps.shape[1]
        self.steps, self.counts = steps, counts
        self.wide = False
        self.fields: list[_Field] = []
        columns: list[NDArray[Any]] = []
        filled: list[int] = []
        for i in range(self.rank):
            for limb, values in self._limbs(steps[:, i]):
                low, high = _range(values, counts)
                bits = (high - low).bit_length()
                word = next((w for w, used in enumerate(filled) if used + bits <= WORD), len(filled))
                if word == len(filled):
                    filled.append(0)
                    columns.append(np.zeros(len(counts), dtype=np.int64))
                columns[word] = columns[word] + (values << filled[word])
                self.fields.append(_Field(i, limb, low, word, filled[word], (1 << bits) - 1))
                filled[word] += bits
        self.words = np.stack(columns) if columns else np.zeros((0, len(counts)), dtype=np.int64)

    def _limbs(self, values: NDArray[Any]) -> list[tuple[int, NDArray[np.int64]]]:
        """A column as it is, or as limbs of 32 bits (the last signed) if its sums pass a word."""
        low, high = _range(values, self.counts)
        if (high - low).bit_length() <= WORD:
            return [(0, values.astype(np.int64))]
        self.wide = True
        limbs: list[tuple[int, NDArray[np.int64]]] = []
        rest = values.astype(object)
        while any(not -(2**31) <= x < 2**31 for x in rest):
            limbs.append((32 * len(limbs), (rest & 0xFFFFFFFF).astype(np.int64)))
            rest = rest >> 32
        return [*limbs, (32 * len(limbs), rest.astype(np.int64))]

    def fair(self, rng: np.random.Generator, size: int) -> NDArray[Any]:
        """Draw `size` points with fair coins: an array (size, r)."""
        total = np.zeros((len(self.words), size), dtype=np.int64)
        if not self.rank:
            return self._unpack(total)
        many = self.counts >= MANY
        for j in np.flatnonzero(many):
            total += self.words[:, j, None] * rng.binomial(self.counts[j], 0.5, size=size)
        coins = np.repeat(self.words[:, ~many], self.counts[~many], axis=1)
        for first in range(0, coins.shape[1], TABLE_BITS):
            _add_table(_table(coins[:, first : first + TABLE_BITS]), rng, total)
        return self._unpack(total)

    def tilted(self, rng: np.random.Generator, size: int, chances: NDArray[np.float64]) -> NDArray[Any]:
        """Draw `size` points where the coins of step j come up with probability chances[j]."""
        total = np.zeros((len(self.words), size), dtype=np.int64)
        for j, (count, chance) in enumerate(zip(self.counts.tolist(), chances.tolist(), strict=True)):
            if count == 1:
                number: NDArray[Any] = rng.random(size) < chance
            else:
                number = rng.binomial(count, chance, size=size)
            total += self.words[:, j, None] * number
        return self._unpack(total)

    def _unpack(self, total: NDArray[np.int64]) -> NDArray[Any]:
        """The points whose words are given; taking the lows off makes every field non-negative."""
        size = total.shape[1]
        for word in range(len(total)):
            total[word] -= sum(f.low << f.shift for f in self.fields if f.word == word)
        points = np.zeros((size, self.rank), dtype=object if self.wide else np.int64)
        for f in self.fields:
            part = ((total[f.word] >> f.shift) & f.mask) + f.low
            points[:, f.coordinate] += part.astype(points.dtype) << f.limb
        return points


def _range(values: NDArray[Any], counts: NDArray[np.int64]) -> tuple[int, int]:
    """The least and the largest sum of a subset of the values."""
    return dot(np.minimum(values, 0), counts), dot(np.maximum(values, 0), counts)


def _table(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sums of all subsets of up to ten columns: entry i sums the columns at the bits of i."""
    table = np.zeros((len(words), 1), dtype=np.int64)
    for column in words.T:
        table = np.concatenate([table, table + column[:, None]], axis=1)
    return table


def _add_table(table: NDArray[np.int64], rng: np.random.Generator, total: NDArray[np.int64]) -> None:
    """Add to each sample the sum of a random subset."""
    for start in range(0, total.shape[1], BLOCK):
        block = total[:, start : start + BLOCK]
        chosen = rng.integers(0, table.shape[1], size=block.shape[1], dtype=np.uint16).astype(np.intp)
        for row, sums in zip(block, table, strict=True):
            # mode "clip" spares a check of indices that cannot be out of range
            np.add(row, sums.take(chosen, mode="clip"), out=row)


def batches(size: int, rank: int) -> Iterator[int]:
    """Split samples into batches that bound memory, small ones first for early stops."""
    batch, largest = 1 << 12, max(BATCH_CELLS // max(rank, 1), 1 << 12)
    while size > 0:
        yield min(batch, size)
        size -= batch
        batch = min(2 * batch, largest)


def inside(question: Question, points: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which points lie in the region asked for, or in its mirror image if that counts too."""
    lattice, region = question.lattice, question.region

    def contains(x: NDArray[Any]) -> NDArray[np.bool_]:
        if isinstance(region, Runs):
            x = x[:, 0] if lattice.rank else np.zeros(len(x), dtype=np.int64)
        return np.asarray(region.contains(x), dtype=np.bool_)

    found = contains(points)
    if region.mirrored:
        found = found | contains(np.array(lattice.span, dtype=points.dtype) - points)
    return found


def floor(question: Question) -> float:
    """The logarithm of 2^-n, below which no region is that holds the observed point; else -inf."""
    lattice = question.lattice
    observed = np.array([lattice.observed], dtype=object if lattice.steps.dtype == object else np.int64)
    return -lattice.n * math.log(2.0) if inside(question, observed)[0] else -math.inf


def resamples(options: Options) -> int:
    """The number of samples asked for."""
    if options.n_resamples is None:
        return DEFAULT_RESAMPLES
    number = whole(options.n_resamples, "n_resamples")
    if number < 1:
        raise ValueError(f"n_resamples must be at least 1; got {number}")
    return number


def generator(rng: Any) -> tuple[np.random.Generator, dict[str, Any]]:
    """The random generator asked for (SPEC 7), with what a caller needs to draw the same again.

    A seed is recorded as it is; with None, the entropy that was drawn; a Generator's state is the
    caller's.
    """
    if rng is None:
        entropy = np.random.SeedSequence().entropy
        return np.random.default_rng(entropy), {"seed": entropy}
    if isinstance(rng, (int, np.integer)):
        return np.random.default_rng(rng), {"seed": int(rng)}
    if isinstance(rng, np.random.SeedSequence):
        return np.random.default_rng(rng), {"seed": rng.entropy}
    return np.random.default_rng(rng), {"seed": type(rng).__name__}


def log(probability: float) -> float:
    """The logarithm, with that of zero."""
    return math.log(probability) if probability > 0 else -math.inf


def sampling_cost(question: Question) -> float:
    """Seconds to draw the samples, with a microsecond for each point of the region's own work."""
    lattice = question.lattice
    number = resamples(question.options)
    coins = float(np.minimum(lattice.counts, MANY).sum())
    return number * (1e-6 + 0.5e-9 * coins * (1 + lattice.rank / 5))
