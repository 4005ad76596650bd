"""Conditioning on the few coins whose steps are far larger than what all the others do together.

One document of 10^6 tokens among sentences makes two (of m such coins, 2^m) distant islands of the null law. Between
them the torus is empty, but it has to cover the gap, and a good part of its frequencies stays alive. Given the large
coins the law is one island again:

    P(X in R) = sum over s in {0, 1}^m of 2^-m P(X' in R - sum_i s_i y_i),

X' the sum over the other coins. Each term has a tilt of its own.

A set of coins dominates if each of its steps y has y' C^-1 y > 40^2, C the covariance of the coins that are left (40
standard deviations in their own metric, where a window is about 19 wide). They are looked for in the order of their
leverage c y' C^-1 y, at most 4 coins: beyond that, or where what is left spans fewer dimensions, nothing is done.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import Tail
from exactperm.lattice import Lattice
from exactperm.region import Region

__all__ = ["Island", "islands", "weighted_sum"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: standard deviations of the others from which on a step dominates
DOMINATES = 40.0
#: the most coins that are conditioned upon
MOST_COINS = 4
#: the least eigenvalue that a matrix of correlations must have, so that its inverse means something
NEARLY_SINGULAR = 1e-9


@dataclass(frozen=True, eq=False)
class Island:
    """One term: the logarithm of its weight, the coins that are left and the region moved to them."""

    log_weight: float
    lattice: Lattice
    region: Region


def islands(lattice: Lattice, region: Region) -> list[Island]:
    """The terms into which conditioning on dominating coins splits the question; only itself without any."""
    large = _dominating(lattice)
    if not len(large):
        return [Island(0.0, lattice, region)]
    keep = np.ones(len(lattice.counts), dtype=np.bool_)
    keep[large] = False
    rest = replace(lattice, steps=lattice.steps[keep], counts=lattice.counts[keep])
    steps, counts = lattice.steps[large], lattice.counts[large].tolist()
    found = []
    for taken in product(*(range(c + 1) for c in counts)):
        ways = math.prod(math.comb(c, t) for c, t in zip(counts, taken, strict=True))
        moved = _moved(region, np.array(taken) @ steps)
        found.append(Island(math.log(ways) - sum(counts) * math.log(2.0), rest, moved))
    return found


def _moved(region: Region, by: Integers) -> Region:
    """The region as the other coins see it when the large ones have given `by`."""
    value = region.value
    return replace(
        region,
        contains=lambda x: region.contains(x + by),
        value=None if value is None else lambda x: value(x + by),
    )


def _dominating(lattice: Lattice) -> Integers:
    """The places of the steps to condition upon: the largest set that dominates, empty if none does."""
    steps, counts = lattice.steps.astype(np.float64), lattice.counts
    keep = np.ones(len(counts), dtype=np.bool_)
    removed: list[int] = []
    chosen: list[int] = []
    coins = 0
    while keep.any():
        scales, shares = _scales(steps, counts, keep)
        if removed and scales is not None and float(scales[removed].min()) > DOMINATES**2:
            chosen = list(removed)
        worst = int(np.argmax(np.where(keep, counts * (shares if scales is None else scales), -1.0)))
        coins += int(counts[worst])
        if coins > MOST_COINS:
            break
        keep[worst] = False
        removed.append(worst)
    return np.array(sorted(chosen), dtype=np.int64)


def _scales(steps: Floats, counts: Integers, keep: NDArray[np.bool_]) -> tuple[Floats | None, Floats]:
    """y' C^-1 y of every step y, and y' D^-1 y, where C is the covariance of the coins kept and D its diagonal.

    None instead of the first where C is singular, or so nearly that it could be.
    """
    y, c = steps[keep], counts[keep]
    size = np.sqrt((c[:, None] * y * y).sum(axis=0) / 4)
    scaled = steps / np.where(size > 0, size, 1.0)
    shares = np.asarray((scaled * scaled).sum(axis=1))
    z = scaled[keep]
    covariance = np.einsum("i,ij,ik->jk", c.astype(np.float64), z, z) / 4
    if not float(np.linalg.eigvalsh(covariance)[0]) > NEARLY_SINGULAR:
        return None, shares
    return np.asarray(np.einsum("ij,jk,ik->i", scaled, np.linalg.inv(covariance), scaled)), shares


def weighted_sum(parts: Sequence[Island], tails: Sequence[Tail]) -> Tail:
    """Add up the terms, rounded outward."""
    if len(parts) == 1:
        return tails[0]
    ends = []
    for end, sign in (("log_low", -1), ("log_estimate", 0), ("log_high", 1)):
        logs = [part.log_weight + getattr(tail, end) for part, tail in zip(parts, tails, strict=True)]
        largest = max(logs)
        if largest == -math.inf:
            ends.append(-math.inf)
            continue
        total = largest + math.log(math.fsum(math.exp(x - largest) for x in logs))
        # weights and logarithms are within 4 ulp, differences within an ulp of what they are taken from
        size = max(abs(x) for x in logs if x > largest - 60)
        ends.append(min(total + sign * 2.0**-50 * (16 + size), 0.0))
    low, estimate, high = ends
    return Tail(low, min(max(estimate, low), high), high)
