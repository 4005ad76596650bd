"""Twelve small and large problems on which paired-permutation tests differ, with the exact two-sided p-values.

The exact values are counts of assignments over 2^N, found in integers by what the tests of this package use as oracles
(`tests/problems`, `tests/structured_problems`, `tests/real_problems`); no engine has a part in them.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import exactperm as xp  # noqa: E402 - found on the path just set
from problems import Problem  # noqa: E402
from real_problems import RealProblem  # noqa: E402
from structured_problems import every_assignment, f1, p_values  # noqa: E402

DATA = ROOT / "tests" / "data"
Array = Any


@dataclass(frozen=True)
class Compared:
    """Two systems on the same items, and the exact p-value of the paired-permutation test."""

    name: str
    a: Array
    b: Array
    exact: Fraction
    kind: str = "mean"  # or "f1", with columns tp, fp, fn, or "signed ranks"
    groups: Array = None

    @property
    def binary(self) -> bool:
        """Whether scores are right and wrong."""
        return self.kind == "mean" and self.a.dtype.kind == "i" and max(self.a.max(), self.b.max()) <= 1

    def units(self) -> tuple[Array, Array]:
        """What is swapped together, as one score each: for tools that know no groups, the sums over each."""
        if self.groups is None:
            return self.a, self.b
        return np.bincount(self.groups, self.a).astype(int), np.bincount(self.groups, self.b).astype(int)

    def ours(self) -> float:
        """What exactperm gives."""
        if self.kind == "signed ranks":
            return float(xp.wilcoxon(self.a, self.b).pvalue)
        metric = "f1" if self.kind == "f1" else None
        return float(xp.paired_test(self.a, self.b, metric=metric, groups=self.groups).pvalue)


def count(differences: Array) -> Fraction:
    """The exact p-value for integers: how many sign patterns reach the sum, over all of them."""
    return Problem("", frozenset(), dict(Counter(np.asarray(differences).tolist()))).exact()


def of_integers(name: str, a: Any, b: Any, groups: Any = None) -> Compared:
    """A problem whose scores are whole numbers."""
    a, b = np.asarray(a), np.asarray(b)
    problem = Compared(name, a, b, Fraction(0), groups=None if groups is None else np.asarray(groups))
    x, y = problem.units()
    return Compared(name, a, b, count(x - y), groups=problem.groups)


def identical() -> Compared:
    """A system against a copy of itself."""
    a = np.arange(50) % 2
    return of_integers("identical systems", a, a.copy())


def one_differs() -> Compared:
    """49 items alike: whichever system has the other one right, the difference is as large."""
    a = np.arange(50) % 2
    b = a.copy()
    b[1] = 0
    return of_integers("one differing item", a, b)


def of_file(name: str, file: str) -> Compared:
    """Simulated taggers that are kept with the tests."""
    with (DATA / file).open(newline="", encoding="utf-8") as lines:
        rows = np.array([[int(x) for x in row] for row in csv.reader(lines)])
    return of_integers(name, rows[:, 0].copy(), rows[:, 1].copy())


def ties() -> Compared:
    """Ratings from 0 to 2 of 14 items: many assignments give just the observed difference."""
    a = [2, 1, 2, 2, 1, 0, 2, 1, 2, 2, 1, 2, 0, 2]
    return of_integers("ties", a, [1, 1, 0, 1, 0, 1, 1, 1, 2, 1, 0, 1, 1, 1])


def float_noise() -> Compared:
    """Scores with one decimal: every difference is 0.2 or -0.2, but not as floats."""
    a = np.array([0.3, 0.7, 0.6, 0.9, 0.8, 0.5, 0.4, 0.7, 0.2, 0.1])
    b = np.array([0.1, 0.5, 0.4, 0.7, 0.6, 0.3, 0.2, 0.5, 0.4, 0.3])
    return Compared("float noise", a, b, count(np.rint(10 * a).astype(int) - np.rint(10 * b).astype(int)))


def resonant() -> Compared:
    """400 differences that are multiples of 60, and three that are not."""
    rng = np.random.default_rng(5)
    a = np.append(60 * rng.integers(0, 9, 400), [7, 11, 13])
    b = np.append(60 * rng.integers(0, 8, 400), [0, 24, 0])
    return of_integers("resonant effects", a, b)


def clusters() -> Compared:
    """Sixty questions on twelve documents, which are swapped whole."""
    rng = np.random.default_rng(12)
    groups = np.repeat(np.arange(12), 5)
    easy = rng.normal(0, 1, 12)[groups]
    a, b = ((easy + rng.normal(skill, 1, 60) > 0).astype(int) for skill in (0.7, 0.0))
    return of_integers("clusters", a, b, groups)


def f1_ties() -> Compared:
    """Seven items with tp, fp, fn; assignments whose F1 is that of the data, but rounds to another float."""
    a = np.array([[2, 1, 1], [0, 2, 1], [0, 0, 0], [1, 2, 0], [3, 0, 0], [0, 2, 0], [0, 0, 0]])
    b = np.array([[3, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 2], [0, 0, 0], [0, 0, 0]])
    return Compared("F1 ties", a, b, p_values(every_assignment(a, b), a, b, f1)["two-sided"], kind="f1")


def million() -> Compared:
    """A million right or wrong answers; the systems disagree on 20,000 of them."""
    a, b = np.ones(1_000_000, dtype=int), np.ones(1_000_000, dtype=int)
    b[:10_230] = 0
    a[10_230:20_000] = 0
    return of_integers("N = 10^6", a, b)


def real_scores() -> Compared:
    """Thirty real scores on no grid."""
    rng = np.random.default_rng(30)
    a = rng.normal(0.82, 0.1, 30)
    b = a - rng.normal(0.02, 0.05, 30)
    return Compared("real scores", a, b, RealProblem("normal", a, b).exact()[0])


def wilcoxon_ties() -> Compared:
    """A hundred ratings from 1 to 10: signed ranks with ties and zeros."""
    rng = np.random.default_rng(9)
    a, b = rng.integers(3, 11, 100), rng.integers(2, 10, 100)
    d = (a - b)[a != b]
    below = (abs(d)[:, None] > abs(d)).sum(1)
    up_to = (abs(d)[:, None] >= abs(d)).sum(1)
    twice_ranks = below + up_to + 1  # a mid-rank is the mean of below + 1 and up_to
    return Compared("Wilcoxon ties", a, b, count(np.sign(d) * twice_ranks), kind="signed ranks")


MAKERS: list[Callable[[], Compared]] = [
    identical,
    one_differs,
    lambda: of_file("far tail", "paper_like_10000_gap5.csv"),
    ties,
    float_noise,
    resonant,
    clusters,
    f1_ties,
    lambda: of_file("N = 10^4", "paper_like_10000.csv"),
    million,
    real_scores,
    wilcoxon_ties,
]


def all_problems() -> list[Compared]:
    """The twelve."""
    return [make() for make in MAKERS]
