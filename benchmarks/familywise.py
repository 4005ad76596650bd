"""Joint permutation (max-T) and Holm: how often anything false is claimed, and how much of what is true is found.

    python benchmarks/familywise.py [--data-sets 2000] [--case "all alike" ...]

Each data set is compared once; Holm's adjustment is of the same exact p-values. Printed, in percent: data sets with a
false claim at the level 0.05, and true differences found, for both, with the standard error of the difference.
Asserted: with all systems alike, and with two systems by several metrics, where it is a theorem, and in the other
cases, where it is one in the limit, the share of data sets with a false claim by max-T is not above the level by more
than chance (three standard errors); and max-T finds no less than Holm by more than chance.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import exactperm as xp
from exactperm.inference.multiplicity import adjust

ALPHA = 0.05
PERMUTATIONS = 999
NAMES = "ABCDEFGHIJ"
Generator = np.random.Generator


@dataclass(frozen=True)
class Case:
    """Systems to draw, and which of them are alike: those with the same letter."""

    draw: Callable[[Generator], dict[str, Any]]
    kinds: str
    options: dict[str, Any]


def right(rng: Generator, skill: list[float], items: int = 200, own: float = 1.0) -> dict[str, Any]:
    """Right or wrong: every system has the same difficulty of items, and luck of its own."""
    easy = rng.normal(size=items)
    return {
        name: (easy + own * rng.normal(size=items) + x > 0).astype(int) for name, x in zip(NAMES, skill, strict=False)
    }


def scores(rng: Generator, skill: list[float], items: int = 60) -> dict[str, Any]:
    """Skewed integer scores on few items."""
    easy = rng.gamma(1.0, size=items)
    return {name: rng.poisson(3 * easy + x) for name, x in zip(NAMES, skill, strict=False)}


def twins(rng: Generator, skill: list[float]) -> dict[str, Any]:
    """Six systems that differ on few items, and four that go their own way."""
    base = rng.random(300) < 0.7
    alike = {name: np.where(rng.random(300) < 0.03, rng.random(300) < 0.7, base).astype(int) for name in NAMES[:6]}
    others = {n: (rng.random(300) < 0.7 + x).astype(int) for n, x in zip(NAMES[6:], skill, strict=True)}
    return alike | others


def labels(rng: Generator, share: float) -> dict[str, Any]:
    """Two classifiers of two classes."""
    gold = rng.integers(0, 2, 200)
    return {n: np.where(rng.random(200) < s, gold, 1 - gold) for n, s in (("A", 0.8), ("B", share))} | {"gold": gold}


MANY = {"metric": ["accuracy", "f1", "mcc", "recall", "cohen_kappa"]}
CASES = {
    "all alike": Case(lambda rng: right(rng, [0.0] * 10), "aaaaaaaaaa", {}),
    "all alike, few items": Case(lambda rng: scores(rng, [0.0] * 10), "aaaaaaaaaa", {}),
    "all alike, baseline": Case(lambda rng: right(rng, [0.0] * 10), "aaaaaaaaaa", {"baseline": "A"}),
    "two kinds": Case(lambda rng: right(rng, [0.0] * 5 + [0.35] * 5), "aaaaabbbbb", {}),
    "five kinds": Case(lambda rng: right(rng, [0.2 * (i // 2) for i in range(10)]), "aabbccddee", {}),
    "two kinds, few items": Case(lambda rng: scores(rng, [0.0] * 5 + [1.3] * 5), "aaaaabbbbb", {}),
    "twins and others": Case(lambda rng: twins(rng, [0.0, 0.0, 0.1, 0.1]), "aaaaaabbcc", {}),
    "baseline": Case(lambda rng: right(rng, [0.0] * 5 + [0.3] * 5), "aaaaabbbbb", {"baseline": "A"}),
    "metrics, alike": Case(lambda rng: labels(rng, 0.8), "aa", MANY),
    "metrics": Case(lambda rng: labels(rng, 0.7), "ab", MANY),
}


def outcome(case: Case, seed: int) -> tuple[bool, bool, int, int, int]:
    """Any false claim by max-T and by Holm; true differences found by both; how many there are."""
    data = case.draw(np.random.default_rng(seed))
    gold = data.pop("gold", None)
    found = xp.compare(data, y_true=gold, correction="max-t", n_resamples=PERMUTATIONS, rng=seed, **case.options)
    pairs = [p for c in found.values() for p in c.pairs] if gold is not None else list(found.pairs)
    kinds = dict(zip(NAMES, case.kinds, strict=False))
    alike = np.array([kinds[p.a] == kinds[p.b] for p in pairs])
    joint = np.array([p.pvalue_adjusted for p in pairs]) <= ALPHA
    holm = adjust([p.pvalue for p in pairs], "holm") <= ALPHA
    differing = ~alike
    return (
        bool((joint & alike).any()), bool((holm & alike).any()),
        int((joint & differing).sum()), int((holm & differing).sum()), int(differing.sum()),
    )  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure the familywise error and the power of max-T and Holm.")
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--case", nargs="*", choices=CASES, default=list(CASES))
    asked = parser.parse_args()
    number = asked.data_sets
    most = ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / number)
    print(f"{'':22} {'a false claim':>15}   {'true ones found':>15}")
    print(f"{'percent':22} {'max-T':>7} {'Holm':>7}   {'max-T':>7} {'Holm':>7} {'+-':>5}")
    for name in asked.case:
        rows = np.array([outcome(CASES[name], seed) for seed in range(number)], dtype=float)
        false, false_by_holm = rows[:, :2].mean(axis=0)
        there = max(rows[0, 4], 1)
        power, power_of_holm = rows[:, 2:4].mean(axis=0) / there
        error = (rows[:, 2] - rows[:, 3]).std() / there / math.sqrt(number)
        cells = f"{100 * power:7.2f} {100 * power_of_holm:7.2f} {100 * error:5.2f}" if rows[0, 4] else ""
        print(f"{name:22} {100 * false:7.2f} {100 * false_by_holm:7.2f}   {cells}", flush=True)
        if false > most:
            raise SystemExit(f"wrong: {name}: a false claim in {100 * false:.1f} % of the data sets")
        if power < power_of_holm - 3 * error:
            raise SystemExit(f"wrong: {name}: max-T finds less than Holm")


if __name__ == "__main__":
    main()
