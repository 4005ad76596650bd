"""What is asked of a null law: a set of lattice points.

An engine is given a `Lattice` (the law of X) and a region (a set of points x) and answers P(X in region).
A region knows nothing of metrics: it is a predicate in exact arithmetic with what is known of its shape.

Two kinds exist. `Runs` is the one-dimensional case, a union of closed intervals, to which every predicate on a
lattice of rank one reduces. `Region` is a predicate in any number of dimensions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Region", "Runs"]


@dataclass(frozen=True)
class Runs:
    """A union of disjoint closed integer intervals on the line, in increasing order.

    Attributes
    ----------
    intervals
        Pairs (low, high) of Python integers, both ends included.
    mirrored
        True if the region asked for is this one *and* its mirror image under x -> span - x, disjoint from it.
        The null law is symmetric, so exact engines answer twice the probability of `intervals`, and samplers
        count both.
    """

    intervals: tuple[tuple[int, int], ...]
    mirrored: bool = False

    def contains(self, points: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which of the integers in `points` lie in one of the intervals (the mirror image not counted)."""
        inside = np.zeros(points.shape, dtype=np.bool_)
        for low, high in self.intervals:
            inside |= (points >= low) & (points <= high)
        return inside


@dataclass(frozen=True)
class Region:
    """A set of points of Z^r given by a predicate.

    Attributes
    ----------
    contains
        Takes an integer array of shape (n, r), tells for each row whether it lies in the region, ties decided
        exactly.
    increasing
        True if the region is known to be closed upwards along the last coordinate: with x it contains
        x + (0, ..., 0, 1). Each line of the lattice along that coordinate then meets it in a half-line.
        It must be so in the whole box that holds the law, also at points the law cannot take (a metric clips its
        sums to what is attainable).
    mirrored
        As in `Runs`: the mirror image under x -> span - x is asked for as well and is disjoint.
    value
        A smooth real function of float points (n, r) whose set {value >= 0} is roughly the region: a guide for
        choosing a tilt or a linearisation, never used to decide.
    """

    contains: Callable[[NDArray[Any]], NDArray[np.bool_]]
    increasing: bool = False
    mirrored: bool = False
    value: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
