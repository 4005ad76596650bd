"""What every engine offers: can it answer, at what cost, and the answer as low, estimate and high.

Numbers travel as natural logarithms, so that a probability of 10^-4512 is as good as any other.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from exactperm.lattice import Lattice
from exactperm.region import Region, Runs

__all__ = ["CannotAnswer", "Engine", "Options", "Question", "Tail"]


class CannotAnswer(ValueError):
    """An engine was asked by name for a problem it cannot do; the message says why and what would do."""


@dataclass(frozen=True)
class Tail:
    """A probability and what is certain of it, as natural logarithms: log_low <= truth <= log_high.

    For sampling engines the two ends are a confidence interval instead, at the level in `confidence`.
    `details` holds what an engine wants to have recorded (resamples, seed, ...), to be shown in the signature.
    """

    log_low: float
    log_estimate: float
    log_high: float
    details: dict[str, Any] = field(default_factory=dict)
    confidence: float | None = None

    def doubled(self) -> Tail:
        """Twice this probability, for a region and its mirror image."""
        two = math.log(2.0)
        return Tail(
            min(self.log_low + two, 0.0),
            min(self.log_estimate + two, 0.0),
            min(self.log_high + two, 0.0),
            self.details,
            self.confidence,
        )


@dataclass(frozen=True)
class Options:
    """What a caller may ask of an engine beyond the question itself."""

    tolerance: float | None = None
    n_resamples: int | None = None
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
