"""Exact tests of F1, precision, F2, Jaccard, MCC and kappa in two dimensions, MCC in three.

Every answer is checked before its time is printed: against a count of all assignments in exact
integers where the data are few, and against the same engine at another tilt or by its other route
where they are many (the probability is an identity in the tilt, the two routes share no sum).

    python benchmarks/structured.py
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from exactperm.effects import Effects
from exactperm.engines.base import Question, Tail
from exactperm.engines.torus import Torus
from exactperm.engines.torus_tilt import dominating_tilt
from exactperm.lattice import Lattice
from exactperm.region import Region

TIES = 1e-12  # the metrics here are floats; values closer than this are one, in every route


def sentences(n: int, seed: int, gap: float) -> list[np.ndarray]:
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


def labels(n: int, seed: int, classes: int, skills: tuple[float, float]) -> list[np.ndarray]:
    """Two classifiers: how often each predicts classes 1, 2, ... and how often it is right."""
    rng = np.random.default_rng(seed)
    gold, easy = rng.integers(0, classes, n), rng.random(n)
    systems = []
    for skill in skills:
        right = 0.7 * easy + 0.3 * rng.random(n) < 0.9 * skill
        predicted = np.where(right, gold, rng.integers(0, classes, n))
        columns = [predicted == c for c in range(1, classes)] + [predicted == gold]
        systems.append(np.stack(columns, axis=1).astype(np.int64))
    return [*systems, np.bincount(gold, minlength=classes)]


def f_beta(beta2: float) -> Callable[[np.ndarray], np.ndarray]:
    """F_beta of the sums tp, fp, fn."""

    def value(sums: np.ndarray) -> np.ndarray:
        tp, fp, fn = sums.T
        bottom = (1 + beta2) * tp + fp + beta2 * fn
        return (1 + beta2) * tp / np.where(bottom > 0, bottom, 1)

    return value


def jaccard(sums: np.ndarray) -> np.ndarray:
    """Hits over all that either side has, of the sums tp, fp, fn."""
    bottom = sums.sum(axis=1)
    return sums[:, 0] / np.where(bottom > 0, bottom, 1)


def mcc(gold: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Matthews' correlation of any number of classes (Gorodkin's R_K)."""

    def value(sums: np.ndarray) -> np.ndarray:
        n, predicted, right = gold.sum(), sums[:, :-1], sums[:, -1]
        rest = n - predicted.sum(axis=1)
        top = right * n - predicted @ gold[1:] - rest * gold[0]
        square = (n**2 - (predicted**2).sum(axis=1) - rest**2) * (n**2 - (gold**2).sum())
        return np.where(square > 0, top / np.sqrt(np.where(square > 0, square, 1)), 0.0)

    return value


def kappa(gold: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Cohen's kappa."""

    def value(sums: np.ndarray) -> np.ndarray:
        n, predicted, right = gold.sum(), sums[:, :-1], sums[:, -1]
        chance = predicted @ gold[1:] + (n - predicted.sum(axis=1)) * gold[0]
        return (right * n - chance) / np.where(n * n > chance, n * n - chance, 1)

    return value


def problem(
    a: np.ndarray, b: np.ndarray, metric: Callable[[np.ndarray], np.ndarray], order: tuple[int, ...]
) -> Question:
    """metric(A) - metric(B) >= |observed|, and its mirror image."""
    effects = Effects.from_sums(a, b, tuple(f"sum{i}" for i in range(a.shape[1])))
    lattice = Lattice.of(effects, order)
    basis = lattice.basis.astype(np.float64)
    first, second = (np.array(t, dtype=np.float64) for t in (effects.totals_a, effects.totals_b))
    origin, both = first - np.array(lattice.observed) @ basis, first + second
    observed = abs(float(metric(first[None])[0] - metric(second[None])[0]))

    def value(x: np.ndarray) -> np.ndarray:
        # clipped, so that the region is monotone even where the law has no points
        sums = np.clip(origin + x @ basis, 0, both)
        return metric(sums) - metric(both - sums) - observed

    region = Region(lambda x: value(x) >= -TIES, increasing=True, mirrored=True, value=value)
    return Question(lattice, region)


def count(question: Question) -> float:
    """The logarithm of the exact probability, from the number of assignments of each point."""
    table = {(0,) * question.lattice.rank: 1}
    for step, number in zip(question.lattice.steps.tolist(), question.lattice.counts.tolist(), strict=True):
        for _ in range(number):
            moved = dict(table)
            for point, ways in table.items():
                there = tuple(x + y for x, y in zip(point, step, strict=True))
                moved[there] = moved.get(there, 0) + ways
            table = moved
    inside = question.region.contains(np.array(list(table)))
    ways = 2 * sum(w for w, yes in zip(table.values(), inside, strict=True) if yes)
    p = Fraction(ways, 2**question.lattice.n)
    return math.log(p.numerator) - math.log(p.denominator)


def another_tilt(question: Question) -> Tail:
    """The same question with the guide moved by a hundredth of a deviation, so tilted elsewhere."""
    lattice, region = question.lattice, question.region
    tau = dominating_tilt(lattice, region)
    direction = np.array(tau) @ (lattice.steps * lattice.counts[:, None]).T @ lattice.steps / 4
    shift = 0.01 * direction / math.sqrt(max(float(tau @ direction), 1e-300))
    moved = replace(region, value=lambda x: region.value(x - shift))
    return Torus().answer(Question(lattice, moved))


def other_route(question: Question) -> Tail:
    """By slabs instead of half-lines."""
    return Torus().answer(Question(question.lattice, replace(question.region, increasing=False)))


def assert_same(tail: Tail, other: Tail) -> None:
    """Two intervals that both hold the truth overlap."""
    assert max(tail.log_low, other.log_low) <= min(tail.log_high, other.log_high), (tail, other)


def timed(make: Callable[[], Question], repeat: int) -> tuple[float, float, Question, Tail]:
    """Seconds for effects and lattice, and for the answer; best of several."""
    best_make = best_answer = math.inf
    for _ in range(repeat):
        start = time.perf_counter()
        question = make()
        middle = time.perf_counter()
        tail = Torus().answer(question)
        best_make = min(best_make, middle - start)
        best_answer = min(best_answer, time.perf_counter() - middle)
    return best_make, best_answer, question, tail


def report(name: str, make: Callable[[], Question], check: str, repeat: int = 3) -> None:
    """Time one problem, check its answer, print a line."""
    prepared, answered, question, tail = timed(make, repeat)
    route_time = ""
    if check == "count":
        exact = count(question)
        assert abs(tail.log_estimate - exact) < 1e-11
        assert tail.log_low - 1e-12 <= exact <= tail.log_high + 1e-12
    elif check == "tilt":
        assert_same(tail, another_tilt(question))
    else:
        start = time.perf_counter()
        assert_same(tail, other_route(question))
        route_time = f"{1e3 * (time.perf_counter() - start):.0f}"
    width = tail.log_high - tail.log_low
    print(
        f"{name:28} r={question.lattice.rank} log10 p={tail.log_estimate / math.log(10):9.3f} "
        f"width {width:.0e}  data {1e3 * prepared:6.1f} ms  answer {1e3 * answered:6.1f} ms  "
        f"checked by {check} {route_time}"
    )


def main() -> None:
    """Print the table."""
    for n, gap, check in (
        (16, 0.02, "count"),
        (40, 0.02, "count"),
        (1_000, 0.01, "slabs"),
        (10_000, 0.003, "slabs"),
        (10_000, 0.03, "tilt"),
        (100_000, 0.001, "tilt"),
        (1_000_000, 0.0005, "tilt"),
    ):
        a, b = sentences(n, 1, gap)
        report(f"F1, {n:,} sentences", lambda a=a, b=b: problem(a, b, f_beta(1), (1, 0, 2)), check)
    a, b = sentences(10_000, 2, 0.003)
    for name, metric in (("precision", f_beta(0)), ("F2", f_beta(4)), ("Jaccard", jaccard)):
        report(f"{name}, 10,000 sentences", lambda m=metric: problem(a, b, m, (1, 0, 2)), "slabs")
    for classes, name, make in ((2, "MCC", mcc), (2, "kappa", kappa), (3, "MCC", mcc)):
        sizes = (60, 10_000) if classes == 2 else (60, 1_000)
        for n in sizes:
            x, y, gold = labels(n, 1, classes, (0.8, 0.78))
            value, order = make(gold), tuple(range(classes))
            report(
                f"{name}, {classes} classes, {n:,} items",
                lambda x=x, y=y, v=value, o=order: problem(x, y, v, o),
                "count" if n < 100 else "slabs",
            )


if __name__ == "__main__":
    main()
