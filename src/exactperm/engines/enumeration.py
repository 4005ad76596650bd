"""Enumeration: all 2^n assignments, one by one. The plain oracle.

    p = #{b in {0, 1}^n : sum_i b_i y_i in region} / 2^n

Any rank, any region, integers of any size. Cost: 2^n points, about 10 ns each where they fit in
int64 and 100 ns where they do not, in blocks of 2^16. It fails beyond n = 24, by time. It takes no
advantage of anything, equal steps and symmetry included: every faster engine is tested against it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import Engine, Question, Tail
from exactperm.integers import NARROW, dot
from exactperm.lattice import Lattice
from exactperm.region import Runs

__all__ = ["Enumeration"]

#: 2^24 points take some tenths of a second, or seconds as Python integers
MOST_COINS = 24
#: coins whose sums are tabulated once; each assignment of the others shifts the table
TABLE_COINS = 16


class Enumeration(Engine):
    """Go through all assignments."""

    name = "enumeration"
    exact = True

    def obstacle(self, question: Question) -> str | None:
        """More than 24 effects that are not zero."""
        if question.lattice.rounding:
            return "the effects are rounded real numbers, and this engine counts integers; use method='bracket'"
        n = question.lattice.n
        if n <= MOST_COINS:
            return None
        return (
            f"enumeration goes through 2^n assignments, n <= {MOST_COINS}, and here n = {n} "
            "effects are not zero; use method='exact'"
        )

    def cost(self, question: Question) -> float:
        """10 ns an assignment, 100 ns if it needs Python integers."""
        each = 1e-7 if _steps(question.lattice).dtype == object else 1e-8
        return 1e-5 + each * 2.0**question.lattice.n

    def answer(self, question: Question) -> Tail:
        """Count the assignments whose point lies in the region."""
        return Tail.from_fraction(Fraction(count_assignments(question), 2**question.lattice.n))


def count_assignments(question: Question) -> int:
    """How many of the 2^n assignments give a point of the region."""
    steps = _steps(question.lattice)
    shifts, table = _sums(steps[TABLE_COINS:]), _sums(steps[:TABLE_COINS])
    region = question.region
    count = 0
    for shift in shifts:
        points = table + shift
        # rank zero or one: the only coordinate, or 0
        inside = region.contains(points.sum(axis=1) if isinstance(region, Runs) else points)
        count += int(np.count_nonzero(inside))
    return 2 * count if region.mirrored else count


def _steps(lattice: Lattice) -> NDArray[Any]:
    """One row for each coin, in a type that holds every sum."""
    steps = np.repeat(lattice.steps, lattice.counts, axis=0)
    largest = (dot(np.abs(column), lattice.counts) for column in lattice.steps.T)
    return steps if all(x < NARROW for x in largest) else steps.astype(object)


def _sums(steps: NDArray[Any]) -> NDArray[Any]:
    """The sums over all subsets of the steps."""
    sums = np.zeros((1, steps.shape[1]), dtype=steps.dtype)
    for step in steps:
        sums = np.concatenate([sums, sums + step])
    return sums
