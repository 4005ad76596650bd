"""Problems for the sampling engines, made from a seed: corpus BLEU, macro F1, small exact ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.engines.base import Options, Question
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs

BLEU_SUMS = (
    "sys_len",
    "ref_len",
    *(f"{kind}_{n}" for kind in ("correct", "total") for n in range(1, 5)),
)


@dataclass(frozen=True)
class Structured:
    """Two systems' sums per item and the metric of the totals."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    names: tuple[str, ...]
    value: Callable[[NDArray[Any]], NDArray[np.float64]]

    def __post_init__(self) -> None:
        effects = Effects.from_sums(self.a, self.b, self.names)
        lattice = Lattice.of(effects)
        basis = lattice.basis.astype(np.int64)
        totals = self.a.sum(axis=0)
        both = totals + self.b.sum(axis=0)
        origin = totals - np.array(lattice.observed) @ basis

        def difference(points: NDArray[Any]) -> NDArray[np.float64]:
            sums = origin + points @ basis
            return self.value(sums) - self.value(both - sums)

        object.__setattr__(self, "lattice", lattice)
        object.__setattr__(self, "difference", difference)

    lattice: Lattice = None  # type: ignore[assignment]
    difference: Callable[[NDArray[Any]], NDArray[np.float64]] = None  # type: ignore[assignment]

    def question(self, least: float, options: Options | None = None, alternative: str = "two-sided") -> Question:
        """P(|t| >= least), or P(t >= least) for "greater"; within 1e-12 counts as a tie."""
        region = Region(
            contains=lambda x: self.difference(x) >= least - 1e-12,
            mirrored=alternative == "two-sided",
            value=lambda x: self.difference(x) - least,
        )
        return Question(self.lattice, region, options or Options())


def bleu(sums: NDArray[Any]) -> NDArray[np.float64]:
    """Corpus BLEU, 0 to 1, of (..., 10) totals."""
    sums = np.asarray(sums, dtype=np.float64)
    length, reference = sums[..., 0], sums[..., 1]
    correct, total = sums[..., 2:6], sums[..., 6:10]
    precision = np.log(correct / total).sum(axis=-1) / 4
    return np.exp(precision + np.minimum(0.0, 1.0 - reference / length))


def bleu_corpus(n: int, seed: int, gap: float = 0.01) -> Structured:
    """Two translation systems on n sentences, the first better by about `gap` per n-gram."""
    rng = np.random.default_rng(seed)
    reference = rng.integers(6, 50, n)
    quality = rng.beta(6, 4, n)
    systems = []
    for shift in (gap, 0.0):
        length = np.maximum(reference + rng.integers(-4, 4, n), 4)
        skill = np.clip(quality + shift + rng.normal(0, 0.07, n), 0.02, 0.98)
        total = np.stack([length - k for k in range(4)], axis=1)
        correct = np.empty_like(total)
        above, chance = total[:, 0], skill
        for k in range(4):
            correct[:, k] = rng.binomial(np.minimum(above, total[:, k]), chance)
            above, chance = correct[:, k], skill**0.7
        systems.append(np.concatenate([length[:, None], reference[:, None], correct, total], axis=1))
    return Structured(systems[0], systems[1], BLEU_SUMS, bleu)


def macro_f1(sums: NDArray[Any]) -> NDArray[np.float64]:
    """Macro F1 of (..., 2K + K) totals: true positives, predicted, gold of each class."""
    sums = np.asarray(sums, dtype=np.float64)
    k = sums.shape[-1] // 3
    hit, size = sums[..., :k], sums[..., k : 2 * k] + sums[..., 2 * k :]
    return np.divide(2 * hit, size, out=np.zeros_like(size), where=size > 0).mean(axis=-1)


def macro_f1_corpus(n: int, seed: int, classes: int = 10, accuracy: float = 0.75) -> Structured:
    """Two classifiers on n items with classes of unequal size."""
    rng = np.random.default_rng(seed)
    weight = 1.0 / np.arange(1, classes + 1)
    gold = rng.choice(classes, n, p=weight / weight.sum())
    hard = rng.random(n) < 0.35
    systems = []
    for level in (accuracy, accuracy - 0.01):
        right = ~hard | (rng.random(n) < 1 - (1 - level) / 0.35)
        said = np.where(right, gold, rng.choice(classes, n, p=weight / weight.sum()))
        one, guess = np.eye(classes, dtype=np.int64)[gold], np.eye(classes, dtype=np.int64)[said]
        systems.append(np.concatenate([one * guess, guess, one], axis=1))
    names = tuple(f"{kind}_{c}" for kind in ("tp", "pred", "gold") for c in range(classes))
    return Structured(systems[0], systems[1], names, macro_f1)


def f1(sums: NDArray[Any]) -> NDArray[np.float64]:
    """F1 of (..., 3) totals: true positives, predicted, gold; 0 where nothing is."""
    sums = np.asarray(sums, dtype=np.float64)
    size = sums[..., 1] + sums[..., 2]
    return np.divide(2 * sums[..., 0], size, out=np.zeros_like(size), where=size != 0)


def f1_corpus(n: int, seed: int, flip: float = 0.5) -> Structured:
    """Two taggers on n sentences with a few spans each."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 7, n)
    first, second = (
        np.stack([hit, hit + rng.integers(0, 4, n), gold], axis=1)
        for hit in (rng.binomial(gold, 0.6), rng.binomial(gold, 0.6))
    )
    keep = rng.random(n) < flip  # some sentences are tagged alike
    second[keep] = first[keep]
    return Structured(first, second, ("tp", "pred", "gold"), f1)


def all_points(lattice: Lattice) -> NDArray[np.int64]:
    """The 2^n equally likely points of a small lattice."""
    points = np.zeros((1, lattice.rank), dtype=np.int64)
    for step in np.repeat(lattice.steps.astype(np.int64), lattice.counts, axis=0):
        points = np.concatenate([points, points + step])
    return points


def small_structured(seed: int, options: Options | None = None) -> tuple[Question, float]:
    """A question on the F1 of up to 14 sentences, with the exact answer."""
    rng = np.random.default_rng([seed, 1])
    problem = f1_corpus(int(rng.integers(6, 15)), seed, flip=0.2)
    law = problem.difference(all_points(problem.lattice))
    least = abs(float(rng.choice(law)))
    if least < 1e-9:
        return problem.question(least, options, "greater"), float(np.mean(law >= least - 1e-12))
    return problem.question(least, options), float(np.mean(np.abs(law) >= least - 1e-12))


def small_line(seed: int, options: Options | None = None) -> tuple[Question, float]:
    """A tail on a line of up to 14 integer effects, one or two runs, with the exact answer."""
    rng = np.random.default_rng([seed, 2])
    values = np.unique(rng.integers(1, 12, int(rng.integers(2, 6))))
    counts = {int(v): int(rng.integers(1, 4)) for v in values}
    lattice = Lattice.of(Effects.from_counts(counts))
    law, span = all_points(lattice)[:, 0], lattice.span[0]
    start = int(rng.integers(span // 2 + 1, span + 1))
    if rng.random() < 0.5:
        runs = Runs(((start, span),), mirrored=True)
        exact = float(np.mean((law >= start) | (law <= span - start)))
    else:
        end = int(rng.integers(0, span // 2 + 1))
        runs = Runs(((0, end), (start, span)))
        exact = float(np.mean((law >= start) | (law <= end)))
    return Question(lattice, runs, options or Options()), exact
