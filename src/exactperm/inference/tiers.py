"""Tiers of systems that were not told apart, and the compact letters that show them.

"Not told apart" is no equivalence: A and B, B and C may be alike where A and C are not. So tiers overlap. They are the
maximal cliques of the graph in which two systems are joined unless they were told apart (Piepho 2004 calls their
letters a compact letter display), found by the algorithm of Bron and Kerbosch (1973) with pivots. Cost: proportional
to the number of tiers, which is about that of the systems for any scores; artificial graphs can have 3^(n/3).
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Set

__all__ = ["cliques", "letter"]

Neighbours = list[set[int]]


def cliques(n: int, apart: Set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The maximal sets of 0 .. n-1 that hold no pair (i, j) of `apart`, in lexicographic order.

    Examples
    --------
    >>> cliques(3, {(0, 2)})
    [(0, 1), (1, 2)]
    """
    joined: Neighbours = [
        {j for j in range(n) if j != i and (i, j) not in apart and (j, i) not in apart} for i in range(n)
    ]
    return sorted(tuple(sorted(clique)) for clique in _extend(set(), set(range(n)), set(), joined))


def _extend(clique: set[int], others: set[int], done: set[int], joined: Neighbours) -> Iterator[set[int]]:
    """The maximal cliques that hold `clique`, some of `others` and none of `done`."""
    if not others and not done:
        yield clique
        return
    pivot = max(others | done, key=lambda i: len(joined[i] & others))
    for i in sorted(others - joined[pivot]):
        yield from _extend(clique | {i}, others & joined[i], done & joined[i], joined)
        others = others - {i}
        done = done | {i}


def letter(i: int) -> str:
    """a, b, ..., z, A, ..., Z, and then a1, b1, ..."""
    turn, place = divmod(i, len(string.ascii_letters))
    return string.ascii_letters[place] + (str(turn) if turn else "")
