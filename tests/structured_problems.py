"""Structured problems and what their p-values are, counted over all assignments in exact arithmetic.

Nothing here knows of lattices, regions or engines: the totals of every assignment are listed (`every_assignment`) or
counted by an integer dynamic program (`counted`), a metric is a formula in fractions or in roots of integers to more
digits than two different values can share, and a p-value is a number of assignments over 2^N.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Totals = tuple[int, ...]
#: the totals of system A under an assignment, with the number of assignments that give them
Law = dict[Totals, int]

ALTERNATIVES = ("two-sided", "greater", "less")

#: A sum of four terms n / sqrt(d), n and d integers and d <= 10^8, is zero or at least 10^-270: multiplied by the
#: roots of all d its 16 conjugates are algebraic integers below 4 * 10^16 whose product is an integer.
DIGITS = Context(prec=340)
ZERO = Decimal(10) ** -300


def quotient(n: int, d: int) -> Fraction:
    """The value 0 where there is none."""
    return Fraction(n, d) if d else Fraction(0)


def precision(t: Totals) -> Fraction:
    return quotient(t[0], t[0] + t[1])


def f1(t: Totals) -> Fraction:
    return quotient(2 * t[0], 2 * t[0] + t[1] + t[2])


def f2(t: Totals) -> Fraction:
    return quotient(5 * t[0], 5 * t[0] + t[1] + 4 * t[2])


def jaccard(t: Totals) -> Fraction:
    return quotient(t[0], t[0] + t[1] + t[2])


def kappa(t: Totals) -> Fraction:
    tp, fp, fn, tn = t
    n = tp + fp + fn + tn
    chance = Fraction((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn), n * n)
    return (Fraction(tp + tn, n) - chance) / (1 - chance)


def mcc(t: Totals) -> Decimal:
    tp, fp, fn, tn = t
    square = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return DIGITS.divide(Decimal(tp * tn - fp * fn), DIGITS.sqrt(Decimal(square))) if square else Decimal(0)


def mcc_of_three(t: Totals) -> Decimal:
    """The correlation of Gorodkin, from predicted and gold margins and the number right."""
    predicted, gold, right = t[:3], t[3:6], t[6]
    n = sum(gold)
    top = right * n - sum(p * g for p, g in zip(predicted, gold, strict=True))
    square = (n * n - sum(p * p for p in predicted)) * (n * n - sum(g * g for g in gold))
    return DIGITS.divide(Decimal(top), DIGITS.sqrt(Decimal(square))) if square else Decimal(0)


@dataclass(frozen=True)
class Known:
    """A metric with its own formula, and which of the columns tp, fp, fn, tn it takes."""

    metric: str
    value: Callable[[Totals], Any]
    columns: int = 3


KNOWN = {
    "f1": Known("f1", f1),
    "precision": Known("precision", precision, 2),
    "f2": Known("fbeta(beta=2)", f2),
    "jaccard": Known("jaccard", jaccard),
    "mcc": Known("mcc", mcc, 4),
    "kappa": Known("cohen_kappa", kappa, 4),
}


# -- data ----------------------------------------------------------------------------------------


def tables(rng: np.random.Generator, n: int, largest: int = 5, skill: float = 0.6) -> tuple[Integers, Integers]:
    """Counts tp, fp, fn, tn of two systems on n items, of which some are tied."""
    gold, rest = rng.integers(0, largest + 1, (2, n))
    gold[0], rest[0] = max(gold[0], 1), max(rest[0], 1)  # so that kappa is never 0 / 0

    def system(hits: float) -> Integers:
        tp, fp = rng.binomial(gold, hits), rng.binomial(rest, 1 - hits)
        return np.stack([tp, fp, gold - tp, rest - fp], axis=1).astype(np.int64)

    return system(skill), system(float(rng.uniform(0.2, 0.9)))


def three_classes(rng: np.random.Generator, n: int) -> tuple[Integers, Integers]:
    """One-hot margins of prediction and gold, and right or wrong, of two classifiers of three classes."""
    gold = rng.integers(0, 3, n)
    one_hot = np.eye(3, dtype=np.int64)
    systems = []
    for skill in (0.75, 0.6):
        predicted = np.where(rng.random(n) < skill, gold, rng.integers(0, 3, n))
        systems.append(np.hstack([one_hot[predicted], one_hot[gold], (predicted == gold)[:, None].astype(np.int64)]))
    return systems[0], systems[1]


# -- the law of the totals -----------------------------------------------------------------------


def every_assignment(a: Integers, b: Integers) -> Law:
    """List all 2^N assignments."""
    coins = (np.arange(2 ** len(a))[:, None] >> np.arange(len(a))) & 1
    totals, ways = np.unique(coins @ a + (1 - coins) @ b, axis=0, return_counts=True)
    return dict(zip(map(tuple, totals.tolist()), ways.tolist(), strict=True))


def counted(a: Integers, b: Integers) -> Law:
    """Count assignments by their totals in exact integers.

    The generating polynomial prod_n (x^a_n + x^b_n) is one big integer: evaluated at a power of two above all of its
    coefficients (Kronecker). Only sums that can change are kept, and of those that mirror another one only one.
    """
    free = _free_columns(a - b)
    low = np.minimum(a, b)
    up, down = (a - low)[:, free], (b - low)[:, free]
    shape = ((up + down).sum(axis=0) + 1).tolist()
    limbs = len(a) // 32 + 1  # of 32 bits, for each coefficient
    strides = [32 * limbs * math.prod(shape[i + 1 :]) for i in range(len(shape))]
    polynomial = 1
    for first, second in zip(up.tolist(), down.tolist(), strict=True):
        shifts = (sum(x * s for x, s in zip(entry, strides, strict=True)) for entry in (first, second))
        polynomial = sum(polynomial << shift for shift in shifts)
    cells = math.prod(shape)
    digits = np.frombuffer(polynomial.to_bytes(cells * limbs * 4, "little"), dtype="<u4").reshape(cells, limbs)
    reached = np.flatnonzero(digits.any(axis=1))
    ways = [int.from_bytes(row.tobytes(), "little") for row in digits[reached]]
    moved = np.stack(np.unravel_index(reached, shape), axis=1) + low[:, free].sum(axis=0)
    totals = _all_columns(moved, a, b, free)
    return dict(zip(map(tuple, totals.tolist()), ways, strict=True))


def _free_columns(effects: Integers) -> list[int]:
    """Columns of which all others are linear combinations."""
    free: list[int] = []
    for i in range(effects.shape[1]):
        if np.linalg.matrix_rank(effects[:, [*free, i]].astype(np.float64)) > len(free):
            free.append(i)
    return free


def _all_columns(moved: Integers, a: Integers, b: Integers, free: list[int]) -> Integers:
    """The totals of all columns from those of the free ones."""
    effects = (a - b).astype(np.float64)
    combination = np.linalg.lstsq(effects[:, free], effects, rcond=None)[0]
    away = (moved - a[:, free].sum(axis=0)).astype(np.float64)
    return np.asarray(np.rint(a.sum(axis=0) + away @ combination), dtype=np.int64)


# -- p-values ------------------------------------------------------------------------------------


def p_values(law: Law, a: Integers, b: Integers, value: Callable[[Totals], Any]) -> dict[str, Fraction]:
    """The exact p-value for each alternative."""
    first, second = tuple(a.sum(axis=0).tolist()), tuple(b.sum(axis=0).tolist())
    both = tuple(x + y for x, y in zip(first, second, strict=True))
    values: dict[Totals, Any] = {}

    def difference(totals: Totals) -> Any:
        rest = tuple(x - y for x, y in zip(both, totals, strict=True))
        for system in (totals, rest):
            if system not in values:
                values[system] = value(system)
        return _subtract(values[totals], values[rest])

    observed = difference(first)
    counts = dict.fromkeys(ALTERNATIVES, 0)
    for totals, ways in law.items():
        here = difference(totals)
        counts["greater"] += ways * _at_least(here, observed)
        counts["less"] += ways * _at_least(observed, here)
        counts["two-sided"] += ways * _at_least(abs_of(here), abs_of(observed))
    return {alternative: Fraction(count, 2 ** len(a)) for alternative, count in counts.items()}


def _subtract(x: Any, y: Any) -> Any:
    return DIGITS.subtract(x, y) if isinstance(x, Decimal) else x - y


def abs_of(x: Any) -> Any:
    """The magnitude, of a decimal without rounding it to fewer digits."""
    return x.copy_abs() if isinstance(x, Decimal) else abs(x)


def _at_least(x: Any, y: Any) -> bool:
    """X >= y; decimals that agree to more digits than different values can are equal."""
    return bool(DIGITS.subtract(x, y) > -ZERO if isinstance(x, Decimal) else x >= y)
