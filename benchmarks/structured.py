"""Structured statistics through `paired_test`: exact F1 and its kind against exact counts, and timed.

    python benchmarks/structured.py [--problems 1000] [--items 50 100 200 300] [--repeat 3] [--checkout PATH]

First many small problems against rational brute force over all assignments, in all three alternatives, then larger
ones against an exact integer dynamic program: value, interval and ties are asserted, the largest errors are printed.
Then times of whole calls with the memory they take. Where the data are too many to count, the answer is checked
against the same engine at another tilt, or by slabs instead of half-lines (the probability is an identity in the tilt,
the two routes share no sum).

PATH is a checkout of https://github.com/rycolab/paired-perm-test, which needs SciPy and Numba: its F1 test beside ours
on 40 items in the same run.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import exactperm as xp  # noqa: E402 - found on the path just set
from exactperm.engines.base import Question, Tail  # noqa: E402
from exactperm.engines.torus import Torus  # noqa: E402
from exactperm.engines.torus_point import dominating_tilt  # noqa: E402
from exactperm.result import TestResult  # noqa: E402
from structured_problems import (  # noqa: E402
    ALTERNATIVES,
    KNOWN,
    counted,
    every_assignment,
    f1,
    mcc_of_three,
    p_values,
    tables,
    three_classes,
)

#: what every exact answer has to keep to
ERROR, WIDTH = Fraction(1, 10**11), Fraction(1, 10**10)
System = np.ndarray
THREE = "multiclass_mcc(labels=[0, 1, 2])"


# -- data ----------------------------------------------------------------------------------------


def sentences(n: int, seed: int, gap: float) -> list[System]:
    """Paper-like taggers: length 12.08 +- 10.60, accuracy 0.9543 +- 0.1116; sums tp, fp, fn."""
    rng = np.random.default_rng(seed)
    shape = (12.08 / 10.60) ** 2
    length = np.maximum(np.rint(rng.gamma(shape, 12.08 / shape, n)), 1).astype(np.int64)
    easy = rng.normal(0, 0.08, n)
    systems = []
    for shift in (gap, 0.0):
        accuracy = np.clip(0.9543 + easy + shift + rng.normal(0, 0.08, n), 0, 1)
        tp = rng.binomial(length, accuracy)
        systems.append(np.stack([tp, rng.binomial(length, (1 - accuracy) * 0.9), length - tp], axis=1))
    return systems


def classifiers(n: int, seed: int, classes: int) -> tuple[System, list[System]]:
    """The classes of n items, and what two classifiers of similar skill predict."""
    rng = np.random.default_rng(seed)
    gold, easy = rng.integers(0, classes, n), rng.random(n)
    systems = []
    for skill in (0.8, 0.79):
        right = 0.7 * easy + 0.3 * rng.random(n) < 0.9 * skill
        systems.append(np.where(right, gold, rng.integers(0, classes, n)))
    return gold, systems


def binary(n: int, seed: int) -> list[System]:
    """Sums tp, fp, fn, tn of two classifiers."""
    gold, systems = classifiers(n, seed, 2)
    return [np.stack([gold * p, (1 - gold) * p, gold * (1 - p), (1 - gold) * (1 - p)], axis=1) for p in systems]


def ternary(n: int, seed: int) -> list[System]:
    """Margins of prediction and gold, and what is right."""
    gold, systems = classifiers(n, seed, 3)
    one_hot = np.eye(3, dtype=np.int64)
    return [np.hstack([one_hot[p], one_hot[gold], (p == gold)[:, None].astype(np.int64)]) for p in systems]


def document_among_sentences(n: int) -> list[System]:
    """One document of a million tokens among sentences."""
    a, b = sentences(n, 5, 0.003)
    a[0], b[0] = [700_000, 50_000, 300_000], [900_000, 150_000, 100_000]
    return [a, b]


# -- against exact counts ------------------------------------------------------------------------


class Checked:
    """Asserts answers and keeps the largest errors."""

    def __init__(self) -> None:
        self.tests, self.error, self.width = 0, Fraction(0), Fraction(0)

    def check(self, a: System, b: System, metric: str, exact: dict[str, Fraction]) -> None:
        """All three alternatives by the engine in several dimensions."""
        for alternative in ALTERNATIVES:
            result = xp.paired_test(a, b, metric=metric, alternative=alternative, method="fourier")
            low, high = map(Fraction, result.pvalue_interval)
            truth = exact[alternative]
            error, width = abs(Fraction(result.pvalue) / truth - 1), (high - low) / truth
            if not (low <= truth <= high and error <= ERROR and width <= WIDTH):
                raise SystemExit(f"{metric}, {len(a)} items, {alternative}: {result.pvalue!r}, not {float(truth)!r}")
            self.tests += 1
            self.error, self.width = max(self.error, error), max(self.width, width)

    def line(self, name: str, seconds: float) -> None:
        """What was found."""
        print(
            f"{name:44} {self.tests:6} tests  largest error {float(self.error):.1e}  "
            f"widest interval {float(self.width):.1e}  {seconds:6.1f} s",
            flush=True,
        )


def against_brute_force(problems: int) -> None:
    """Every metric in turn on random problems of up to 16 items."""
    checked, start = Checked(), time.perf_counter()
    rng = np.random.default_rng(2022)
    names = list(KNOWN)
    for i in range(problems):
        known = KNOWN[names[i % len(names)]]
        a, b = (x[:, : known.columns] for x in tables(rng, int(rng.integers(1, 17))))
        checked.check(a, b, known.metric, p_values(every_assignment(a, b), a, b, known.value))
    checked.line(f"brute force, {problems} problems of 1 to 16 items", time.perf_counter() - start)


def against_a_dynamic_program(items: list[int]) -> None:
    """Every metric at each size, and three classes."""
    rng = np.random.default_rng(300)
    for n in items:
        checked, start = Checked(), time.perf_counter()
        for name, known in KNOWN.items():
            largest = 1 if name in ("mcc", "kappa") else 2
            a, b = (x[:, : known.columns] for x in tables(rng, n, largest))
            checked.check(a, b, known.metric, p_values(counted(a, b), a, b, known.value))
        checked.line(f"dynamic program, {n} items, six metrics", time.perf_counter() - start)
    checked, start = Checked(), time.perf_counter()
    a, b = three_classes(rng, 60)
    checked.check(a, b, THREE, p_values(counted(a, b), a, b, mcc_of_three))
    checked.line("dynamic program, 60 items, three-class MCC", time.perf_counter() - start)


# -- another route, where nothing can be counted -------------------------------------------------


def question_of(a: System, b: System, metric: str) -> Question:
    """What the engine is asked."""
    chosen = xp.metrics.get(metric)
    lattice, region = chosen.rejection_region(chosen.effects(a, b))
    if region is None:
        raise SystemExit("a problem without a question")
    return Question(lattice, region)


def another_tilt(question: Question) -> Tail:
    """The same question with the guide moved by a hundredth of a deviation, so tilted elsewhere."""
    lattice, region = question.lattice, question.region
    tau = dominating_tilt(lattice, region)
    direction = np.array(tau) @ (lattice.steps * lattice.counts[:, None]).T @ lattice.steps / 4
    shift = 0.01 * direction / math.sqrt(max(float(tau @ direction), 1e-300))
    value = region.value
    moved = replace(region, value=lambda x: value(x - shift))
    return Torus().answer(Question(lattice, moved))


def other_route(question: Question) -> Tail:
    """By slabs instead of half-lines."""
    return Torus().answer(Question(question.lattice, replace(question.region, increasing=False)))


# -- times ---------------------------------------------------------------------------------------


def measured(call: Callable[[], TestResult], repeat: int) -> tuple[TestResult, float, float]:
    """The result, the best time in milliseconds and the memory beyond the input in megabytes."""
    tracemalloc.start()
    result = call()
    memory = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    best = math.inf
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return result, 1e3 * best, memory


def report(name: str, systems: list[System], metric: str, check: Callable[[Question], Tail], repeat: int) -> None:
    """Time one problem, check its answer, print a line."""
    a, b = systems
    result, milliseconds, memory = measured(lambda: xp.paired_test(a, b, metric=metric), repeat)
    if result.method != "fourier":
        raise SystemExit(f"{name}: answered by {result.method}")
    other, (low, high) = check(question_of(a, b, metric)), result.log_pvalue_interval
    if not max(low, other.log_low) <= min(high, other.log_high):
        raise SystemExit(f"{name}: two routes disagree, [{low}, {high}] and {other}")
    print(
        f"{name:44} log10 p {result.log_pvalue / math.log(10):9.3f}  width {high - low:.0e}  "
        f"{milliseconds:8.1f} ms  {memory:6.1f} MB  checked by {check.__name__.replace('_', ' ')}",
        flush=True,
    )


def times(repeat: int) -> None:
    """The table of whole calls."""
    for n, gap, check in (
        (1_000, 0.01, other_route),
        (10_000, 0.003, other_route),
        (10_000, 0.03, another_tilt),
        (100_000, 0.001, another_tilt),
        (1_000_000, 0.0005, another_tilt),
    ):
        report(f"F1, {n:,} sentences", sentences(n, 1, gap), "f1", check, repeat)
    for name in ("precision", "f2", "jaccard"):
        columns = [x[:, : KNOWN[name].columns] for x in sentences(10_000, 2, 0.003)]
        report(f"{name}, 10,000 sentences", columns, KNOWN[name].metric, other_route, repeat)
    report("F1, a document and 10,000 sentences", document_among_sentences(10_000), "f1", another_tilt, repeat)
    report("MCC, 10,000 items", binary(10_000, 1), "mcc", other_route, repeat)
    report("kappa, 10,000 items", binary(10_000, 1), "cohen_kappa", other_route, repeat)
    report("MCC of three classes, 1,000 items", ternary(1_000, 1), THREE, other_route, repeat)


def beside_the_authors(checkout: Path, repeat: int) -> None:
    """F1 on 40 items: their code prunes states under 1e-6, so only ours is asserted."""
    sys.path.insert(0, str(checkout))
    theirs = importlib.import_module("pairedpermtest.f1")
    rng = np.random.default_rng(0)
    u, v = rng.integers(0, 5, (2, 40, 2))
    states = [[theirs.f1state(*x) for x in system.tolist()] for system in (u, v)]
    theirs.perm_test(*(x[:5] for x in states))  # compiles
    best = math.inf
    for _ in range(repeat):
        start = time.perf_counter()
        p = theirs.perm_test(*states)
        best = min(best, time.perf_counter() - start)
    result, milliseconds, _ = measured(lambda: xp.paired_test(u, v, metric="f1"), 10 * repeat)
    exact = p_values(counted(u, v), u, v, lambda t: f1((t[0], t[1], 0)))["two-sided"]
    if not abs(Fraction(result.pvalue) / exact - 1) <= ERROR:
        raise SystemExit(f"F1 on 40 items: {result.pvalue!r}, not {float(exact)!r}")
    print(
        f"F1, 40 items: ours {milliseconds:.1f} ms, p = {result.pvalue:.6g}; the authors' {1e3 * best:.0f} ms, "
        f"p = {p:.6g}; {1e3 * best / milliseconds:.0f} times"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Structured statistics, checked and timed.")
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--items", type=int, nargs="*", default=[50, 100, 200, 300])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--checkout", type=Path, help="a checkout of the authors' repository")
    arguments = parser.parse_args()
    if arguments.problems:
        against_brute_force(arguments.problems)
    against_a_dynamic_program(arguments.items)
    times(arguments.repeat)
    if arguments.checkout:
        beside_the_authors(arguments.checkout, arguments.repeat)


if __name__ == "__main__":
    main()
