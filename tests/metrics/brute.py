"""The slow obvious algorithm: every assignment, one at a time, with Python fractions."""

from fractions import Fraction
from itertools import product

import numpy as np

ALTERNATIVES = ("two-sided", "greater", "less")


def fraction_of_assignments(a, b, statistic, alternative, higher_is_better=True):
    """The share of the 2^N exchanges at least as extreme; `statistic` takes two tuples of
    totals."""

    def totals(rows):
        return tuple(sum(row[i] for row in rows) for i in range(len(a[0])))

    observed = statistic(totals(a), totals(b))
    count = 0
    for coins in product((False, True), repeat=len(a)):
        first = [y if swap else x for x, y, swap in zip(a, b, coins, strict=True)]
        second = [x if swap else y for x, y, swap in zip(a, b, coins, strict=True)]
        t = statistic(totals(first), totals(second))
        if alternative == "two-sided":
            count += abs(t) >= abs(observed)
        elif (alternative == "greater") == higher_is_better:
            count += t >= observed
        else:
            count += t <= observed
    return Fraction(count, 2 ** len(a))


def law(lattice):
    """The probability of each lattice point as the number of its assignments out of 2^n."""
    ways = {(0,) * lattice.rank: 1}
    for step, count in zip(lattice.steps.tolist(), lattice.counts.tolist(), strict=True):
        for _ in range(count):
            moved = {}
            for point, number in ways.items():
                other = tuple(x + y for x, y in zip(point, step, strict=True))
                moved[point] = moved.get(point, 0) + number
                moved[other] = moved.get(other, 0) + number
            ways = moved
    return ways


def probability(lattice, region):
    """The exact probability of a region, by asking it of every point that occurs."""
    if region is None:
        return Fraction(1)
    ways = law(lattice)
    points = np.array(list(ways), dtype=object).reshape(len(ways), lattice.rank)
    points = points.astype(np.int64)
    inside = region.contains(points[:, 0] if hasattr(region, "intervals") else points)
    mirror = np.array(lattice.span, dtype=np.int64) - points
    mirrored = region.contains(mirror[:, 0] if hasattr(region, "intervals") else mirror)
    if region.mirrored:
        assert not (inside & mirrored).any()
        inside = inside | mirrored
    number = sum(n for n, here in zip(ways.values(), inside.tolist(), strict=True) if here)
    return Fraction(number, 2**lattice.n)
