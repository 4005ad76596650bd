"""Effects of real scores: integers on a grid, exact dyadic integers, or integers with a bound on what they lost.

Floats are integers times powers of two, so the waist stays a table of integers:

1. on a grid (see `grid`), the multiples of its unit;
2. else, differences a - b (summed by group) as multiples of 2^-k, with k so large that the largest has 61 bits: exact
   if no bits are cut off, as with scores of similar size;
3. else exactly, as integers of any size, if there are so few distinct effects that meet in the middle can take them,
   or not many and of wildly different magnitude;
4. else, rounded to the 61 bits, and `Effects.rounding` bounds the total that was cut off: at most one unit an
   effect, 2^-61 of the largest. An effect is never rounded to zero.

Differences are exact before any rounding: a - b is the float plus the error of the float, found by Knuth's two-sum;
sums by group are added in a fixed-point accumulator as wide as the exponents need. Cost: O(N log N), or O(N) passes
times the number of 26-bit limbs between the largest and the smallest bit if there are groups.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.grid import as_unit, find_grid, in_one_type, to_grid

__all__ = ["effects_of_reals"]

Floats = NDArray[np.float64]
Integers = NDArray[Any]

#: bits of the largest effect
BITS = 61
#: distinct effects with (count + 1) multiplied up to 2^this are kept exactly, whatever their size
FEW = 64
#: up to SHORT effects are kept exactly if rounding would cut off more than WILD bits, digits that totals may show
SHORT, WILD = 2**12, 64
#: bits of a limb of the accumulator: sums of 2^27 limbs are exact in float64
LIMB = 26


def effects_of_reals(
    a: NDArray[Any],
    b: NDArray[Any],
    groups: NDArray[Any] | None = None,
    grid: Literal["auto"] | Fraction | float | str | None = "auto",
) -> Effects:
    """Count the effects of two systems' real scores on the same items.

    Parameters
    ----------
    a, b
        One finite number per item. `Fraction` objects and long integers in object arrays are taken exactly.
    groups
        One label per item: the items of a group are swapped together.
    grid
        "auto" looks for one; None takes the floats for what they are; a number is the unit of which all scores have
        to be multiples (0.01 means a hundredth, and so does "1/100").

    Examples
    --------
    >>> import numpy as np
    >>> effects_of_reals(np.array([0.3, 0.5]), np.array([0.1, 0.3])).counts  # one effect, twice
    array([2])
    """
    a, b = in_one_type(a, b)
    unit = find_grid(a, b) if isinstance(grid, str) and grid == "auto" else as_unit(grid)
    if unit is None and a.dtype == object:
        unit = find_grid(a, b)  # nothing is guessed here
    if unit is not None:
        return replace(Effects.from_scores(to_grid(a, unit), to_grid(b, unit), groups), unit=unit)
    return _dyadic(a.astype(np.float64, copy=False), b.astype(np.float64, copy=False), groups)


def _dyadic(a: Floats, b: Floats, groups: NDArray[Any] | None) -> Effects:
    """The effects as multiples of a power of two."""
    part = _item_differences(a, b) if groups is None else _group_differences(a, b, groups)
    values, exponent, rounding = part
    if not values.any():  # no effect sets the unit; the totals do
        exponent = _lowest_bit(np.concatenate([a, b]))
    unit = Fraction(2) ** exponent
    effects = Effects.from_sums(values[:, None], np.zeros((values.size, 1), dtype=np.int64), ("score",))
    # the nearest totals that differ by what the effects add up to; exchanged, if A and B are
    total = (_total(a) + _total(b)) / unit
    totals_a = (math.floor((total + effects.difference[0] + 1) / 2),)
    return replace(effects, n_items=a.size, totals_a=totals_a, unit=unit, rounding=rounding)


def _total(x: Floats) -> Fraction:
    """The exact sum."""
    (total,), exponent = _sums(x, np.zeros(x.size, dtype=np.int64), 1)
    return total * Fraction(2) ** exponent


def _item_differences(a: Floats, b: Floats) -> tuple[Integers, int, int]:
    """A - b as integers, the exponent of their unit, and what rounding lost in all."""
    high, low = _two_difference(a, b)
    exponent = _unit_exponent(high)
    values, rounding = _rounded(high, low, exponent)
    exact = _few_exactly(high, low) if rounding else None
    return (values, exponent, rounding) if exact is None else (*exact, 0)


def _two_difference(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """A - b as an unevaluated sum of two floats (Knuth 1998, section 4.2.2, theorem B)."""
    with np.errstate(over="raise"):
        try:
            high = a - b
        except FloatingPointError:
            raise ValueError("differences of the scores overflow; scale the scores down") from None
    part = high - a
    return high, (a - (high - part)) - (b + part)


def _unit_exponent(high: Floats) -> int:
    """The exponent of the unit in which the largest value has BITS bits."""
    largest = float(np.abs(high).max(initial=0.0))
    return math.frexp(largest)[1] - BITS if largest else 0


def _rounded(high: Floats, low: Floats, exponent: int) -> tuple[NDArray[np.int64], int]:
    """High + low in units of 2^exponent as int64, none rounded to zero, and a bound on the total lost."""
    lost, values = 0.0, np.empty(high.size, dtype=np.int64)
    for i in range(0, high.size, 1 << 16):
        block = slice(i, i + (1 << 16))
        scaled = _scale(high[block], -exponent), _scale(low[block], -exponent)
        whole = np.rint(scaled[0]), np.rint(scaled[1])
        integers = whole[0].astype(np.int64) + whole[1].astype(np.int64)
        # a value of which nothing would be left becomes one unit, at a cost of one unit
        vanished = (integers == 0) & (high[block] != 0.0)
        integers[vanished] = np.sign(high[block][vanished]).astype(np.int64)
        missed = np.abs(scaled[0] - whole[0]) + np.abs(scaled[1] - whole[1])
        # scaling down to below 2^-1074 loses what is no part of a unit, but not nothing
        missed += 2.0**-60 * ((scaled[0] == 0.0) & (high[block] != 0.0) | (scaled[1] == 0.0) & (low[block] != 0.0))
        lost += float(np.add.reduce(np.where(vanished, 1.0, missed)))
        values[block] = integers
    return values, math.ceil(lost * (1.0 + 2.0**-40))


def _scale(x: Floats, exponent: int) -> Floats:
    """X times 2^exponent, in two steps as the factor alone may overflow."""
    half = exponent // 2
    return x * math.ldexp(1.0, half) * math.ldexp(1.0, exponent - half)


def _few_exactly(high: Floats, low: Floats) -> tuple[Integers, int] | None:
    """All effects as integers of any size, and the exponent of their unit, if that is worth while."""
    nonzero = np.flatnonzero(high)
    if nonzero.size > 2**20:
        return None
    parts = np.concatenate([high[nonzero], low[nonzero]])
    exponent = _lowest_bit(parts)
    if _unit_exponent(high) - exponent <= WILD or nonzero.size > SHORT:
        sign = np.sign(high[nonzero])
        _, counts = np.unique(np.stack([high[nonzero] * sign, low[nonzero] * sign]), axis=1, return_counts=True)
        if not _are_few(counts):
            return None
    values = np.zeros(high.size, dtype=object)
    unit = Fraction(2) ** exponent
    for i in nonzero.tolist():
        values[i] = int((Fraction(float(high[i])) + Fraction(float(low[i]))) / unit)
    return values, exponent


def _are_few(counts: NDArray[np.int64]) -> bool:
    """Can meet in the middle take so many distinct effects?"""
    return float(np.add.reduce(np.log2(counts + 1.0))) <= FEW


def _lowest_bit(x: Floats) -> int:
    """The exponent of a power of two that divides all."""
    parts = x[x != 0.0]
    return int(np.frexp(parts)[1].min()) - 53 if parts.size else 0


# -- exact sums ------------------------------------------------------------------------------------------------


def _group_differences(a: Floats, b: Floats, groups: NDArray[Any]) -> tuple[Integers, int, int]:
    """The sum of a - b in each group as integers, the exponent of their unit, and what rounding lost in all."""
    labels, codes = np.unique(groups, return_inverse=True)
    sums, base = _sums(np.concatenate([a, -b]), np.concatenate([codes, codes]), labels.size)
    cut = max(abs(x).bit_length() for x in sums) - BITS
    keep = cut > WILD and labels.size <= SHORT
    if cut > 0 and not keep and not _are_few(np.array(list(Counter(abs(x) for x in sums if x).values()))):
        short = [((x >> (cut - 1)) + 1) >> 1 or (x > 0) - (x < 0) for x in sums]
        lost = sum(abs(x - (y << cut)) for x, y in zip(sums, short, strict=True))
        return np.array(short, dtype=np.int64), base + cut, -(-lost >> cut)
    values = np.empty(len(sums), dtype=object)
    values[:] = sums
    return values, base, 0


def _sums(x: Floats, codes: NDArray[np.intp], number: int) -> tuple[list[int], int]:
    """Exact sums by code, as integers times a power of two, in a fixed-point accumulator of 26-bit limbs."""
    if x.size >= 2**27:
        raise ValueError(f"{x.size} scores are too many for exact sums; sum them by group first")
    total, base = [0] * number, _lowest_bit(x)
    rest = x.copy()
    top = int(np.frexp(np.abs(x).max(initial=0.0))[1])
    limbs = -(-(top - base) // LIMB)
    for exponent in range(base + LIMB * (limbs - 1), base - 1, -LIMB):
        limb = np.trunc(_scale(rest, -exponent))
        if not limb.any():
            continue
        rest -= _scale(limb, exponent)
        sums = np.bincount(codes, limb, number) if number > 1 else np.array([np.add.reduce(limb)])
        for i in np.flatnonzero(sums).tolist():
            total[i] += int(sums[i]) << (exponent - base)
    return total, base
