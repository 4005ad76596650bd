"""Power where no enumeration ends: data sets drawn from the law, and the exact test of each.

Of a mean only the counts of the distinct differences matter, so that a data set is one multinomial draw over them, and
never a list of items (see `pair_law`). Of a ratio (F1, MCC ...) units of the pilot are drawn with replacement, each
with the sums of both systems. All tests of a size are put to the engines together.

Only whether p <= alpha matters. Differences of many sizes go to the bracket first, with a width of a few per cent, and
to an exact engine where that leaves it open. What stays open then (brackets and samplers can) is counted both ways, so
that the interval of the power, Clopper and Pearson's for the rejections, holds whatever the truth is.

Every number of units has random numbers of its own, made from the seed and that number: the power at 500 is the same
by itself and in a curve.

Cost: 0.1 ms a test of small integers, a millisecond of real scores, tens of milliseconds of F1 at 1,000 items.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.engines.auto import ToleranceWarning, answer_all, weighed
from exactperm.engines.base import Options, Question, Tail
from exactperm.engines.bracket import Bracket
from exactperm.engines.clopper_pearson import clopper_pearson
from exactperm.engines.sampling import generator
from exactperm.inference.inversion import compare
from exactperm.inference.pair_law import PairLaw
from exactperm.integers import as_narrow
from exactperm.metrics import Alternative, Metric

__all__ = ["LinePopulation", "Population", "Rejections", "RowPopulation", "Simulation", "entropy"]

#: seconds of the engine of choice from which on the bracket is asked first, and its relative half-width
SLOW, ROUGH = 4e-3, 0.03
#: samples a test, where a test has to sample
RESAMPLES = 9_999
#: counts that are drawn at a time
CELLS = 2**22
#: tests that are put to the engines together
TOGETHER = 500


class Rejections(NamedTuple):
    """How many tests rejected for certain, by their p-value, and possibly, out of how many."""

    certain: int
    found: int
    possible: int
    number: int

    @property
    def power(self) -> float:
        """The share of rejections."""
        return self.found / self.number

    def interval(self, level: float) -> tuple[float, float]:
        """Clopper and Pearson's interval of the power."""
        return (
            clopper_pearson(self.certain, self.number, level)[0],
            clopper_pearson(self.possible, self.number, level)[1],
        )


class Population(Protocol):
    """What data sets are drawn from."""

    @property
    def metric(self) -> Metric:
        """By what the systems are compared."""

    def draw(self, units: int, number: int, rng: np.random.Generator) -> Iterator[Effects]:
        """Effects of data sets of so many units."""


@dataclass(frozen=True, eq=False)
class LinePopulation:
    """Differences of a mean."""

    metric: Metric
    law: PairLaw

    def draw(self, units: int, number: int, rng: np.random.Generator) -> Iterator[Effects]:
        """One multinomial draw over the distinct differences for each data set."""
        law, d = self.law, len(self.law.values)
        shares = np.concatenate([law.plus, law.minus, [law.tied]])
        values = law.values[:, None]
        for counts in _counts(shares / shares.sum(), units, number, rng):
            plus, minus, tied = counts[:, :d], counts[:, d : 2 * d], counts[:, 2 * d].tolist()
            for x, y, ties in zip(plus, minus, tied, strict=True):
                here = x + y > 0
                lost = units if law.rounded else 0  # no value lost more than one
                yield Effects(("score",), values[here], x[here], y[here], ties, units, None, Fraction(1), lost)


@dataclass(frozen=True, eq=False)
class RowPopulation:
    """Units of a pilot with the sums (G, k) of both systems, in an order that does not depend on theirs."""

    metric: Metric
    a: NDArray[Any]
    b: NDArray[Any]

    @classmethod
    def of(cls, metric: Metric, a: NDArray[Any], b: NDArray[Any]) -> RowPopulation:
        """Sort the units."""
        order = np.lexsort(np.column_stack([a, b]).astype(np.float64).T)
        return cls(metric, as_narrow(a[order]), as_narrow(b[order]))

    def draw(self, units: int, number: int, rng: np.random.Generator) -> Iterator[Effects]:
        """Units with replacement."""
        for _ in range(number):
            chosen = rng.integers(0, len(self.a), units)
            yield Effects.from_sums(self.a[chosen], self.b[chosen], self.metric.sums)


def _counts(
    shares: NDArray[np.float64], units: int, number: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """How often each of the distinct differences is drawn, for batches of data sets."""
    batch = max(1, CELLS // max(len(shares), units))
    ends = np.cumsum(shares)[:-1]
    for start in range(0, number, batch):
        size = min(batch, number - start)
        if len(shares) <= units:
            yield rng.multinomial(units, shares, size=size)
            continue
        cells = np.searchsorted(ends, rng.random((size, units)), side="right") + len(shares) * np.arange(size)[:, None]
        yield np.bincount(cells.ravel(), minlength=size * len(shares)).reshape(size, len(shares))


@dataclass(frozen=True)
class Simulation:
    """The exact test at a level, of data sets drawn from a population."""

    population: Population
    alternative: Alternative
    alpha: Fraction
    number: int
    seed: int

    def rejections(self, units: int, again: int = 0) -> Rejections:
        """Draw and test; `again` asks for other random numbers."""
        rng = np.random.default_rng([self.seed, units, again])
        certain, found, possible = 0, 0, 0
        tests: list[Effects] = []
        for i, effects in enumerate(self.population.draw(units, self.number, rng), 1):
            tests.append(effects)
            if len(tests) == TOGETHER or i == self.number:
                for sure, p_is_low, perhaps in self._decided(tests, int(rng.integers(2**32))):
                    certain, found, possible = certain + sure, found + p_is_low, possible + perhaps
                tests = []
        return Rejections(certain, found, possible, self.number)

    def _decided(self, tests: Sequence[Effects], seed: int) -> Iterator[tuple[bool, bool, bool]]:
        """Whether each test rejects: for certain, by its p-value, perhaps."""
        asked = [self.population.metric.rejection_region(effects, self.alternative) for effects in tests]
        options = Options(n_resamples=RESAMPLES, rng=seed)
        questions = [Question(lattice, region, options) for lattice, region in asked if region is not None]
        slow = [i for i, question in enumerate(questions) if _is_slow(question)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ToleranceWarning)  # what is too wide is asked again
            roughly = _answers([replace(questions[i], options=Options(tolerance=ROUGH)) for i in slow], "bracket")
        tails = dict(zip(slow, roughly, strict=True))
        left = [i for i in range(len(questions)) if i not in tails or compare(tails[i], self.alpha) == 0]
        tails |= zip(left, _answers([questions[i] for i in left], "auto"), strict=True)
        log_alpha = math.log(self.alpha)
        for tail in tails.values():  # where there is no question p = 1
            verdict = compare(tail, self.alpha)
            yield verdict < 0, verdict < 0 or (verdict == 0 and tail.log_estimate <= log_alpha), verdict <= 0


def _is_slow(question: Question) -> bool:
    """Whether two bounds are had sooner than the p-value: for differences of large unrelated sizes."""
    if question.lattice.rank > 1:
        return False
    free = (engine for engine, obstacle in weighed(question, "auto") if obstacle is None)
    engine = next(free, None)
    return engine is not None and engine.cost(question) > SLOW and not Bracket().obstacle(question)


def _answers(questions: Sequence[Question], method: str) -> list[Tail]:
    return [tail for tail, _ in answer_all(questions, method)] if questions else []


def entropy(rng: Any) -> tuple[int, Any]:
    """A number from which to make all random numbers, and what to record of where it came from."""
    source, facts = generator(rng)
    seed = facts["seed"]
    return (seed if isinstance(seed, int) and seed >= 0 else int(source.integers(2**63))), seed
