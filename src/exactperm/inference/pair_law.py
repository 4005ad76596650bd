"""The law from which a planned data set is drawn: the difference A - B of one unit, with a probability for each value.

A unit is what the test swaps, an item or a group of items; units are independent and alike. A difference is an
integer number of steps, +v, -v or 0, so that a drawn data set is nothing but counts of these. The law comes from a
pilot (each of its units equally likely), from a stated table, or from two accuracies and their agreement.

Laws of other differences with the same magnitudes: the sign of a magnitude v favours A with the odds exp(2 r v). This
is the exponential family in the permutation null, which is r = 0: ties stay ties, |A - B| keeps its law, and

    E (A - B) = sum_v c_v v tanh(r v)

rises in r from 0 to sum_v c_v v, c_v the probability of the magnitude v. For 0/1 scores it changes the share of wins
among the items on which the systems disagree, at the same agreement.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects

__all__ = ["PairLaw", "as_written"]

Floats = NDArray[np.float64]

#: how far stated probabilities may add up to something else than one
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class PairLaw:
    """Probabilities of the differences of a unit.

    Attributes
    ----------
    values
        (D,) distinct magnitudes, positive integers.
    plus, minus
        (D,) the probability of each magnitude with A ahead, and with B ahead.
    tied
        The probability of no difference.
    step
        What one integer step is worth in the metric.
    size
        The mean number of items of a unit.
    rounded
        Whether the integers are real numbers that were rounded.
    """

    values: NDArray[Any]
    plus: Floats
    minus: Floats
    tied: float
    step: Fraction = Fraction(1)
    size: Fraction = Fraction(1)
    rounded: bool = False

    @classmethod
    def of_pilot(cls, effects: Effects, scale: int = 1) -> PairLaw:
        """Each unit of a pilot equally likely; there is one at least."""
        n = effects.n_groups
        return cls(
            effects.values[:, 0],
            effects.n_plus / n,
            effects.n_minus / n,
            effects.n_tied / n,
            effects.unit * scale,
            Fraction(effects.n_items, n),
            effects.rounding > 0,
        )

    @classmethod
    def of_table(cls, table: Mapping[Any, Any]) -> PairLaw:
        """A stated table of signed differences and their probabilities."""
        shares = {
            as_written(key, "a difference"): _probability(p, f"the probability of {key}") for key, p in table.items()
        }
        if abs(math.fsum(map(float, shares.values())) - 1) > SLACK:
            total = math.fsum(map(float, shares.values()))
            raise ValueError(f"the probabilities of the differences must add up to 1; they add up to {total:.10g}")
        step = Fraction(1, math.lcm(*(key.denominator for key in shares)))
        sizes = sorted({abs(key) for key in shares if key})
        values = [int(size / step) for size in sizes]
        plus, minus = ([float(shares.get(sign * size, 0)) for size in sizes] for sign in (1, -1))
        narrow = np.array(values, dtype=np.int64 if max(values, default=0) < 2**61 else object)
        return cls(
            narrow,
            np.array(plus, dtype=np.float64),
            np.array(minus, dtype=np.float64),
            float(shares.get(Fraction(0), 0)),
            step,
        )

    @classmethod
    def of_accuracies(cls, p_a: Any, p_b: Any, agreement: Any) -> PairLaw:
        """0/1 scores: with what probability each system is right, and both are right or both wrong."""
        a, b = _probability(p_a, "p_a"), _probability(p_b, "p_b")
        low, high = abs(a + b - 1), 1 - abs(a - b)
        possible = f"with p_a={float(a):g} and p_b={float(b):g} it lies between {float(low):g} and {float(high):g}"
        if agreement is None:
            raise ValueError(
                "agreement is missing, the share of items on which both systems are right or both wrong; "
                f"{possible}, and is {float(a * b + (1 - a) * (1 - b)):g} if they err independently"
            )
        same = _probability(agreement, "agreement")
        if not low <= same <= high:
            raise ValueError(f"agreement={float(same):g} contradicts the accuracies: {possible}")
        return cls._of_signs((1 - same + a - b) / 2, (1 - same - a + b) / 2)

    @classmethod
    def of_agreement(cls, agreement: Any) -> PairLaw:
        """0/1 scores of two equal systems."""
        apart = 1 - _probability(agreement, "agreement")
        return cls._of_signs(apart / 2, apart / 2)

    @classmethod
    def _of_signs(cls, win: Fraction, loss: Fraction) -> PairLaw:
        here = np.ones(1 if win + loss else 0, dtype=np.int64)
        certain = here.astype(np.float64)
        return cls(here, certain * float(win), certain * float(loss), float(1 - win - loss))

    @property
    def is_binary(self) -> bool:
        """Whether all differences have one size, so that only wins and losses count."""
        return len(self.values) <= 1

    @cached_property
    def _sizes(self) -> Floats:
        """The magnitudes in the units of the metric, per item."""
        return np.array([float(int(v) * self.step / self.size) for v in self.values])

    @property
    def difference(self) -> float:
        """The expected difference A - B per item."""
        return math.fsum((self._sizes * (self.plus - self.minus)).tolist())

    @property
    def deviation(self) -> float:
        """The root of the mean square of the difference of a unit, per item."""
        return math.sqrt(math.fsum((self._sizes**2 * (self.plus + self.minus)).tolist()))

    @property
    def largest_difference(self) -> float:
        """The difference if every unit went the same way."""
        return math.fsum((self._sizes * (self.plus + self.minus)).tolist())

    def oriented(self) -> PairLaw:
        """The law or the one with A and B exchanged, the same one of the two for both."""
        ahead = (self.plus.tolist(), self.minus.tolist()) >= (self.minus.tolist(), self.plus.tolist())
        return self if ahead else replace(self, plus=self.minus, minus=self.plus)

    def one_way(self, up: bool) -> PairLaw:
        """The same sizes, all to one side."""
        both = self.plus + self.minus
        return replace(self, plus=both if up else 0 * both, minus=0 * both if up else both)

    def favouring(self, difference: float) -> PairLaw:
        """The law with this difference in the family of the module's docstring; |difference| < `largest_difference`."""
        both = self.plus + self.minus
        v = self._sizes / self._sizes.max()
        target = abs(difference) / self._sizes.max()

        def reached(rate: float) -> float:
            return math.fsum((both * v * np.tanh(rate * v)).tolist())

        high = 1.0
        while reached(high) < target and high < 2.0**1000:
            high *= 2
        low = 0.0
        while low < (middle := (low + high) / 2) < high:
            low, high = (middle, high) if reached(middle) < target else (low, middle)
        toward = both * (1 + math.copysign(1.0, difference) * np.tanh(high * v)) / 2
        return replace(self, plus=toward, minus=both - toward)


def as_written(x: Any, name: str) -> Fraction:
    """A number as the decimal that was written, 1/10 for 0.1."""
    if isinstance(x, bool) or not isinstance(x, Real):
        raise TypeError(f"{name} must be a number, not {x!r}")
    if not math.isfinite(x):
        raise ValueError(f"{name} must be finite, not {x!r}")
    return x if isinstance(x, Fraction) else Fraction(str(float(x)) if not isinstance(x, Integral) else int(x))


def _probability(x: Any, name: str) -> Fraction:
    p = as_written(x, name)
    if not 0 <= p <= 1:
        raise ValueError(f"{name} must be between 0 and 1, not {x!r}")
    return p
