"""What a plan says: the power at one or several sizes, the size that is needed, the difference that can be found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from exactperm import tables
from exactperm.result import SCHEMA, Interval, Number, plain_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DetectableDifference", "Power", "SampleSize"]


@dataclass(frozen=True, eq=False, repr=False)
class Power:
    """The probability that the exact test finds a difference. For several `n` it is a curve, with arrays.

    Attributes
    ----------
    power
        The probability of p <= alpha.
    interval
        Bounds of rounding if `exact`, else the Clopper-Pearson interval of the simulation.
    n, n_groups
        The number of items, and of the units that are swapped: items, or groups of the pilot's mean size.
    difference
        The difference of A and B under the assumptions.
    alpha, alternative, metric
        Of the test.
    exact
        Whether it was summed over the law of the test, or else simulated.
    n_simulations, confidence_level
        Of a simulation; None if exact.
    assumptions
        From what data sets were drawn, in words.
    signature
        One line from which anyone can repeat it.
    """

    power: Number
    interval: Interval
    n: Number
    n_groups: Number
    difference: float
    alpha: float
    alternative: str
    metric: str
    exact: bool
    n_simulations: int | None
    confidence_level: float | None
    assumptions: str
    signature: str

    @property
    def verdict(self) -> str:
        """One sentence that can be quoted."""
        if not np.any(self.interval.high):
            return "The power is 0: A and B never differ under the assumptions, so there is nothing to find."
        if np.ndim(self.n):
            first, last = np.argmin(self.n), np.argmax(self.n)
            return (
                f"From {self.n[first]:,} to {self.n[last]:,} items the probability that {self._test} finds "
                f"{self._found} goes from {self.power[first]:.3f} to {self.power[last]:.3f}{self._how}."
            )
        return f"With {self.n:,} items {self._test} finds {self._found} with probability {self.power:.3f}{self._how}."

    @property
    def _test(self) -> str:
        return f"the exact test ({self.alternative}, level {self.alpha:g})"

    @property
    def _found(self) -> str:
        return f"a difference of {self.difference:.4g}"

    @property
    def _how(self) -> str:
        return "" if self.exact else f" ({self.n_simulations:,} simulations)"

    def rows(self) -> list[dict[str, Any]]:
        """One row for each n as plain values."""
        columns = (self.n, self.n_groups, self.power, self.interval.low, self.interval.high)
        names = ("n", "n_groups", "power", "low", "high")
        return [
            {**dict(zip(names, row, strict=True)), "difference": self.difference, "alpha": self.alpha}
            for row in zip(*(np.atleast_1d(column).tolist() for column in columns), strict=True)
        ]

    def plot(self, ax: Axes | None = None, *, power: float = 0.8, **options: Any) -> Axes:
        """Draw the curve with matplotlib, ``pip install 'exactperm[plot]'``.

        Parameters
        ----------
        ax
            Where to draw; by default in a new figure, which `exactperm.report.plots.save` writes.
        power
            The wanted power, drawn as a line.
        **options
            Of `exactperm.report.plots.power_curve`: the `width` of a new figure in inches.
        """
        from exactperm.report.plots import power_curve

        return power_curve(self, ax, power=power, **options)

    def table(self) -> tables.Table:
        """A row for each n: items, groups if they are others, the power, and its interval if it was simulated."""
        rows, grouped = self.rows(), not np.array_equal(self.n, self.n_groups)
        head = ["items", *(["groups"] if grouped else []), "power", *([] if self.exact else ["low", "high"])]
        keys = ["n", *(["n_groups"] if grouped else []), "power", *([] if self.exact else ["low", "high"])]
        return head, [[f"{row[k]:,}" if k.startswith("n") else f"{row[k]:.4f}" for k in keys] for row in rows], 0

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain Python values, with the version of this form."""
        return {
            "schema": SCHEMA,
            **{f.name: plain_value(getattr(self, f.name)) for f in fields(self)},
            "verdict": self.verdict,
        }

    def to_json(self, **options: Any) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), **{"allow_nan": False, **options})

    def to_csv(self) -> str:
        """A row for each n, with all digits."""
        return tables.csv(self.rows())

    def to_markdown(self) -> str:
        """A table with pipes."""
        return tables.markdown(*self.table())

    def to_latex(self) -> str:
        """A tabular for booktabs."""
        return tables.latex(*self.table())

    def __repr__(self) -> str:
        """The result in a few lines."""
        facts = "\n".join(f"{name:<12}{value}" for name, value in self._facts())
        return f"{tables.plain(*self.table())}\n\n{facts}" if np.ndim(self.n) else facts

    def _facts(self) -> Iterator[tuple[str, str]]:
        if not np.ndim(self.n):
            between = "" if self.exact else f", between {self.interval.low:.4f} and {self.interval.high:.4f}"
            groups = "" if self.n == self.n_groups else f" in {self.n_groups:,} groups"
            yield "power", f"{self.power:.4f} ({self.alternative}, alpha {self.alpha:g}{between})"
            yield "n", f"{self.n:,} items{groups}"
        yield from self._solved()
        yield "assumed", self.assumptions
        yield "verdict", self.verdict
        yield "signature", self.signature

    def _solved(self) -> Iterator[tuple[str, str]]:
        yield from ()


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(Power):
    """The number of items `n` that a wanted power takes, and what `Power` says of that number.

    Attributes
    ----------
    wanted
        The power that was asked for.
    n_interval
        Bounds of the number: equal if `exact`, else they hold it at the confidence level.
    """

    wanted: float
    n_interval: Interval

    @property
    def verdict(self) -> str:
        """One sentence that can be quoted."""
        if self.exact:
            aim = f"with probability {self.wanted:g} or more"
            return f"{self.n:,} items: from there on {self._test} finds {self._found} {aim}."
        low, high = self.n_interval
        return (
            f"About {self.n:,} items, between {low:,} and {high:,}: with so many {self._test} finds {self._found} "
            f"with probability {self.wanted:g}{self._how}."
        )

    def _solved(self) -> Iterator[tuple[str, str]]:
        low, high = self.n_interval
        yield "wanted", f"power {self.wanted:g}" + ("" if self.exact else f", which takes {low:,} to {high:,} items")


@dataclass(frozen=True, eq=False, repr=False)
class DetectableDifference(Power):
    """The smallest `difference` that is found with a wanted power, and what `Power` says of it.

    Attributes
    ----------
    wanted
        The power that was asked for.
    difference_interval
        Bounds of the difference: neighbours if `exact`, else they hold it at the confidence level.
    """

    wanted: float
    difference_interval: Interval

    @property
    def verdict(self) -> str:
        """One sentence that can be quoted."""
        return (
            f"With {self.n:,} items {self._test} finds a difference of {self.difference:.4g} or beyond "
            f"with probability {self.wanted:g}{self._how}."
        )

    def _solved(self) -> Iterator[tuple[str, str]]:
        low, high = self.difference_interval
        between = "" if self.exact else f", between {low:.4g} and {high:.4g}"
        yield "difference", f"{self.difference:.6g}{between}, found with power {self.wanted:g}"
