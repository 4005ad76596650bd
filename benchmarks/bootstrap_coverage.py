"""How often confidence intervals hold the true difference, over simulated data sets.

    python benchmarks/bootstrap_coverage.py [--data-sets 10000] [--case accuracy ...] [--first-seed 0]

Every data set is drawn from a population whose difference is known, and gets each interval once, at the level 0.95.
Printed: the share of intervals that hold the truth, in percent. With 2,000 data sets chance moves a share by about
half a point. Asserted: from 200 units on (items, or documents where they are drawn whole) every share is within 1.5
points of the level, and the inversion of the exact test nowhere falls short of it by more than that where its model,
the shift, is true.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import exactperm as xp

LEVEL = 0.95
#: points by which a share may differ from the level
ALLOWED = 1.5
#: from this many units on
LARGE = 200
#: resamples where an interval has to draw them
RESAMPLES = 1999
#: the test that is not looked at
QUICK = "monte-carlo"
#: inversions of so many data sets are computed, the others are asked whether they hold the truth
SHOWN = 5

Generator = np.random.Generator
Data = tuple[Any, Any, Any]  # what A has, what B has, the groups


@dataclass(frozen=True)
class Case:
    """A population, its true difference, and the intervals to try."""

    draw: Callable[[Generator, int], Data]
    truth: float
    sizes: tuple[int, ...]
    metric: str = "mean"
    methods: tuple[str, ...] = ("inversion", "BCa", "percentile")


def accuracy(rng: Generator, n: int) -> Data:
    """Right or wrong answers: A alone is right on 15 % of the items, B alone on 10 %."""
    kind = rng.choice(4, n, p=[0.55, 0.15, 0.10, 0.20])
    return (kind <= 1).astype(int), ((kind == 0) | (kind == 2)).astype(int), None


def ratings(rng: Generator, n: int) -> Data:
    """Four judgements of each answer; some items are easier than others."""
    easy = rng.uniform(0.2, 0.9, n)
    return rng.binomial(4, easy + 0.1), rng.binomial(4, easy), None


def shifted(rng: Generator, n: int) -> Data:
    """The shift model: A is ahead by 2, and luck, which is symmetric, is added."""
    luck = rng.integers(0, 6, n) * rng.choice([-1, 1], n)
    return luck + 2, np.zeros(n, dtype=int), None


def skewed(rng: Generator, n: int) -> Data:
    """Edits: few on most items, many on some (skewness 2)."""
    return rng.geometric(0.25, n), rng.binomial(4, 0.5, n), None


def documents(rng: Generator, n: int) -> Data:
    """Right or wrong answers in documents of one to five items, some of which are easier than others."""
    sizes = rng.integers(1, 6, n)
    easy = rng.uniform(-0.25, 0.25, n).repeat(sizes)
    own = rng.uniform(-0.1, 0.1, n).repeat(sizes)
    a, b = (rng.random(easy.size) < p + easy for p in (0.65 + own, 0.6 - own))
    return a.astype(int), b.astype(int), np.arange(n).repeat(sizes)


def counts(rng: Generator, n: int) -> Data:
    """True and false positives and negatives of two systems."""
    gold = rng.integers(1, 6, n)
    return *(_counts(rng, gold, p) for p in (0.8, 0.75)), None


def counts_in_documents(rng: Generator, n: int) -> Data:
    """The same in documents of one to five items, some of which are easier than others."""
    sizes = rng.integers(1, 6, n)
    easy = rng.uniform(-0.2, 0.2, n).repeat(sizes)
    gold = rng.integers(1, 6, easy.size)
    return *(_counts(rng, gold, p + easy) for p in (0.8, 0.75)), np.arange(n).repeat(sizes)


def _counts(rng: Generator, gold: Any, p: Any) -> dict[str, Any]:
    tp = rng.binomial(gold, p)
    return {"tp": tp, "fp": rng.poisson(0.8, gold.size), "fn": gold - tp}


#: 3 gold spans an item, of which p are found, and 0.8 false ones
F1_TRUTH = 4.8 / 6.2 - 4.5 / 6.05
OF_RATIOS = ("BCa", "percentile")
CASES = {
    "accuracy": Case(accuracy, 0.05, (20, 50, 100, 200, 500)),
    "ratings": Case(ratings, 0.4, (20, 50, 100, 200)),
    "shifted": Case(shifted, 2.0, (20, 50, 100, 200)),
    "skewed": Case(skewed, 2.0, (20, 50, 100, 200)),
    "documents": Case(documents, 0.05, (20, 50, 100, 200)),
    "f1": Case(counts, F1_TRUTH, (20, 50, 100, 200, 500), "f1", OF_RATIOS),
    "f1 in documents": Case(counts_in_documents, F1_TRUTH, (20, 50, 100, 200), "f1", OF_RATIOS),
}


def held(case: Case, n: int, seed: int) -> list[bool | None]:
    """Whether each interval holds the truth; None where it says that none is defined."""
    a, b, groups = case.draw(np.random.default_rng([n, seed]), n)
    result = xp.paired_test(a, b, metric=case.metric, groups=groups, method=QUICK, n_resamples=1, rng=0)
    found: list[bool | None] = []
    for method in case.methods:
        if method == "inversion" and seed >= SHOWN:
            found.append(not_rejected(case, a, b, groups))
            continue
        try:
            low, high = result.confidence_interval(LEVEL, method, n_resamples=RESAMPLES, rng=seed)
        except ValueError as error:
            if "interval is defined" not in str(error):
                raise
            found.append(None)
            continue
        found.append(bool(low <= case.truth <= high))
        if method == "inversion" and found[-1] != not_rejected(case, a, b, groups):
            raise SystemExit(f"wrong: [{low}, {high}] is not what the test does not reject, {n} units, seed {seed}")
    return found


def not_rejected(case: Case, a: Any, b: Any, groups: Any) -> bool:
    """Whether the exact test of the data less the true difference does not reject at 1 - level.

    That is what it means for an inversion to hold it, and thirty times quicker than both ends.
    """
    truth = Fraction(str(case.truth))
    moved = a * truth.denominator - truth.numerator
    low, high = xp.paired_test(moved, b * truth.denominator, groups=groups).pvalue_interval
    if low <= 1 - LEVEL < high:
        raise SystemExit("wrong: a p-value is not known well enough")
    return bool(low > 1 - LEVEL)


def check(name: str, n: int, method: str, share: float, data_sets: int) -> None:
    """Stop with what is wrong."""
    short = 100 * LEVEL - share
    allowed = max(ALLOWED, 300 * math.sqrt(LEVEL * (1 - LEVEL) / data_sets))  # few data sets: what chance may do
    if n >= LARGE and abs(short) > allowed:
        raise SystemExit(f"wrong: {name}, {n} units, {method}: {share:.1f} % hold the truth")
    if name == "shifted" and method == "inversion" and short > allowed:
        raise SystemExit(f"wrong: under the shift model {share:.1f} % of {n} units' inversions hold the truth")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure the coverage of confidence intervals.")
    parser.add_argument("--data-sets", type=int, default=10_000)
    parser.add_argument("--case", nargs="*", choices=CASES, default=list(CASES))
    parser.add_argument("--units", type=int, nargs="*")
    parser.add_argument("--first-seed", type=int, default=0)
    asked = parser.parse_args()
    print(f"{'data':18} {'units':>6} {'inversion':>10} {'BCa':>10} {'percentile':>10}   none defined")
    for name in asked.case:
        case = CASES[name]
        for n in case.sizes if asked.units is None else asked.units:
            rows = [held(case, n, asked.first_seed + i) for i in range(asked.data_sets)]
            by_method = dict(zip(case.methods, zip(*rows, strict=True), strict=True))
            shares, none = {}, 0
            for method, answers in by_method.items():
                known = [x for x in answers if x is not None]
                none = max(none, len(answers) - len(known))
                shares[method] = 100 * sum(known) / len(known)
            cells = (f"{shares[m]:10.1f}" if m in shares else f"{'':10}" for m in ("inversion", "BCa", "percentile"))
            print(f"{name:18} {n:6} {' '.join(cells)}   {none or ''}", flush=True)
            for method, share in shares.items():
                check(name, n, method, share, asked.data_sets)


if __name__ == "__main__":
    main()
