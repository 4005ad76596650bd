"""What every engine offers: can it answer, at what cost, and the answer as low, estimate and high.

Numbers travel as natural logarithms, so that a probability of 10^-4512 is as good as any other.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from exactperm.lattice import Lattice
from exactperm.region import Region, Runs

__all__ = ["CannotAnswer", "Engine", "Options", "Question", "Tail", "log_fraction"]

#: log 2 in two parts; the first has 32 significant bits, so that a multiple of it is exact
LOG_2_HIGH, LOG_2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


class CannotAnswer(ValueError):
    """An engine was asked by name for a problem it cannot do; the message says why and what would do."""


@dataclass(frozen=True)
class Tail:
    """A probability and what is certain of it, as natural logarithms: log_low <= truth <= log_high.

    For sampling engines the two ends are a confidence interval instead, at the level in `confidence`.
    `fraction` is the probability itself where an engine counted it.
    `details` holds what an engine wants to have recorded (resamples, seed, ...), to be shown in the signature.
    """

    log_low: float
    log_estimate: float
    log_high: float
    details: dict[str, Any] = field(default_factory=dict)
    confidence: float | None = None
    fraction: Fraction | None = None

    @classmethod
    def from_fraction(cls, probability: Fraction) -> Tail:
        """Bracket a probability known exactly as closely as its logarithm as a double allows."""
        if probability == 0:
            return cls(-math.inf, -math.inf, -math.inf, fraction=probability)
        if probability == 1:
            return cls(0.0, 0.0, 0.0, fraction=probability)
        log = log_fraction(probability)
        slack = 2 * math.ulp(log) + 2.0**-49 * min(1.0, abs(log))
        return cls(log - slack, log, min(log + slack, 0.0), fraction=probability)

    def doubled(self) -> Tail:
        """Twice this probability, for a region and its mirror image."""
        two = math.log(2.0)
        return Tail(
            min(self.log_low + two, 0.0),
            min(self.log_estimate + two, 0.0),
            min(self.log_high + two, 0.0),
            self.details,
            self.confidence,
            None if self.fraction is None else 2 * self.fraction,
        )


@dataclass(frozen=True)
class Options:
    """What a caller may ask of an engine beyond the question itself.

    `max_hits` lets "monte-carlo" stop before `n_resamples`, as soon as so many samples fell in the region.
    """

    tolerance: float | None = None
    n_resamples: int | None = None
    max_hits: int | None = None
    confidence_level: float = 0.95
    rng: Any = None


@dataclass(frozen=True)
class Question:
    """P(X in region) for X = sum of coin * step over the steps of the lattice."""

    lattice: Lattice
    region: Runs | Region
    options: Options = field(default_factory=Options)


class Engine(ABC):
    """One algorithm. Engines hold no state, so that they are safe in threads."""

    #: the name users give as ``method=`` and read in ``TestResult.method``
    name: str
    #: True if the only error is bounded rounding
    exact: bool

    @abstractmethod
    def obstacle(self, question: Question) -> str | None:
        """Say why this engine cannot answer the question and what would; None if it can."""

    @abstractmethod
    def cost(self, question: Question) -> float:
        """Estimate the seconds an answer takes; only the order of magnitude counts."""

    @abstractmethod
    def answer(self, question: Question) -> Tail:
        """Answer a question for which there is no obstacle."""

    def answer_all(self, questions: Sequence[Question]) -> list[Tail]:
        """Answer many questions; engines that can share the work between them override this."""
        return [self.answer(question) for question in questions]


def log_fraction(x: Fraction) -> float:
    """The natural logarithm of a positive fraction, however large, small or near to one it is.

    If math.log and math.log1p are within 4 ulp, the error is below 2^-49 min(1, |log x|) and one
    ulp of the result (two for |log x| > 2^20). Near one, x - 1 is formed exactly and rounded once;
    elsewhere x = m 2^e with 1/2 < m < 2, and |log x| > log 2 is as large as anything that is
    rounded on the way.
    """
    if x <= 0:
        raise ValueError(f"the logarithm needs a positive fraction, not {x}")
    n, d = x.numerator, x.denominator
    if d <= 2 * n <= 4 * d:
        return math.log1p((n - d) / d)
    exponent = n.bit_length() - d.bit_length()
    power = abs(exponent)
    mantissa = n / (d << power) if exponent > 0 else (n << power) / d
    return math.fsum((exponent * LOG_2_HIGH, exponent * LOG_2_LOW, math.log(mantissa)))
