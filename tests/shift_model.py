"""The shift model by its definition: all exchanges of groups, each less the shift of its items."""

import itertools
from fractions import Fraction

__all__ = ["data", "pvalue"]


def pvalue(d, m, shift, alternative):
    """By the definition: all exchanges, for differences of groups less the shift of their items."""
    effects = [x * shift.denominator - size * shift.numerator for x, size in zip(d, m, strict=True)]
    observed = sum(effects)
    found = [
        sum(s * e for s, e in zip(signs, effects, strict=True)) for signs in itertools.product((1, -1), repeat=len(d))
    ]
    count = {
        "two-sided": sum(abs(t) >= abs(observed) for t in found),
        "greater": sum(t >= observed for t in found),
        "less": sum(t <= observed for t in found),
    }
    return Fraction(count[alternative], len(found))


def data(d, m):
    """Scores and groups with these differences."""
    a = [x if i == 0 else 0 for x, size in zip(d, m, strict=True) for i in range(size)]
    groups = [g for g, size in enumerate(m) for _ in range(size)]
    return a, [0] * len(a), groups
