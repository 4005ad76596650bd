"""What a test answers: a frozen result with a field for each thing, and the words and forms to report it in."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactperm.claims import KINDS, claim, doubt, how_tested

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactperm.effects import Effects
    from exactperm.inference.confidence import ConfidenceInterval
    from exactperm.inference.effect_sizes import EffectSizes
    from exactperm.items import GroupSums, Items
    from exactperm.lattice import Lattice
    from exactperm.metrics.base import Metric
    from exactperm.region import Region, Runs

__all__ = ["Interval", "NullDistribution", "TestResult", "format_pvalue"]

#: version of the JSON form
SCHEMA = 1
#: a null distribution is made up to this many points
MOST_POINTS = 10**7
Number = Any  # a float, or an array of them for a batch


class Interval(NamedTuple):
    """Two ends, both included."""

    low: Number
    high: Number


class NullDistribution(NamedTuple):
    """The law of the statistic under random exchange: its values in increasing order, and their probabilities."""

    support: NDArray[np.float64]
    probabilities: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class TestResult:
    """The outcome of a paired-permutation test.

    ``statistic, pvalue = result`` unpacks. For a batch of tests the numeric fields are arrays.

    Attributes
    ----------
    statistic
        Value of A minus value of B, in the units of the metric.
    pvalue
        The probability, under random exchange within pairs, of a statistic at least as extreme as the one observed.
    log_pvalue
        Its natural logarithm, finite however small the p-value is.
    pvalue_interval, log_pvalue_interval
        Certain to contain the truth for exact engines and the bracket; a Clopper-Pearson interval for samplers.
    method
        The engine that answered.
    exact
        Whether the only error is bounded rounding.
    alternative
        "two-sided", "greater" (A is better) or "less".
    metric
        What was compared.
    scores
        The values of A and B.
    n_items, n_groups, n_tied
        Items, units that were swapped, and units whose exchange changes nothing.
    min_pvalue
        The smallest p-value this data could have given.
    signature
        One line from which anyone can repeat the test.
    higher_is_better
        Whether a larger value of the metric is better.
    margin
        Of a test of non-inferiority or equivalence; None for all others.
    """

    __test__ = False  # not a test case, whatever pytest makes of the name

    statistic: Number
    pvalue: Number
    log_pvalue: Number
    pvalue_interval: Interval
    log_pvalue_interval: Interval
    method: str
    exact: bool
    alternative: str
    metric: str
    scores: tuple[Number, Number]
    n_items: Number
    n_groups: Number
    n_tied: Number
    min_pvalue: Number
    signature: str
    higher_is_better: bool = True
    margin: float | None = None
    problem: Problem | None = field(default=None, compare=False)

    def __iter__(self) -> Iterator[Number]:
        """Unpack as statistic and p-value."""
        return iter((self.statistic, self.pvalue))

    def __repr__(self) -> str:
        """The result in a few lines."""
        if np.ndim(self.pvalue):
            return f"TestResult(batch of shape {np.shape(self.pvalue)}, {self.signature})"
        return "\n".join(f"{name:<12}{value}" for name, value in self._facts())

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        from exactperm.report.notebook import of_batch, of_facts

        return of_batch(repr(self)) if np.ndim(self.pvalue) else of_facts(self.verdict, self._facts())

    def _facts(self) -> list[tuple[str, str]]:
        return _facts(self)

    @property
    def verdict(self) -> str:
        """One sentence that can be quoted."""
        return _verdict(self._single())

    def as_fraction(self) -> Fraction:
        """The exact p-value as a ratio of integers: sign patterns at least as extreme, over 2^n.

        Large problems need python-flint, ``pip install 'exactperm[exact]'``.
        """
        from exactperm.engines.rational import exact_fraction

        regions = self._held("as_fraction()").regions()
        return max(Fraction(1) if region is None else exact_fraction(lattice, region) for lattice, region in regions)

    def confidence_interval(
        self,
        confidence_level: float = 0.95,
        method: str = "auto",
        *,
        n_resamples: int | None = None,
        rng: Any = None,
    ) -> ConfidenceInterval:
        """An interval for the difference of the two systems, in the units of `statistic`.

        Parameters
        ----------
        confidence_level
            Between 0 and 1.
        method
            "inversion": all shifts that the exact test does not reject, where the model is that A is ahead of B by the
            same amount on every item apart from an exchange of the two by a fair coin; for means. "BCa" and
            "percentile": bootstrap, exact for means. "auto" takes inversion for means, else BCa.
        n_resamples, rng
            For a bootstrap of anything but a mean: the number of resamples, and the generator or its seed.

        Returns
        -------
        ConfidenceInterval
            ``low, high = result.confidence_interval()`` works. A one-sided test gives an interval with one end.

        Examples
        --------
        >>> from exactperm import paired_test
        >>> result = paired_test([12, 9, 15, 11, 8, 14, 10, 13], [11, 9, 12, 10, 8, 11, 9, 12])
        >>> result.confidence_interval()
        ConfidenceInterval(low=0.333333, high=2.33333, 0.95, inversion)
        """
        from exactperm.inference.confidence import confidence_interval

        return confidence_interval(self._held("confidence_interval()"), confidence_level, method, n_resamples, rng)

    def effect_sizes(
        self, confidence_level: float = 0.95, *, n_resamples: int | None = None, rng: Any = 0
    ) -> EffectSizes:
        """How large the difference is, in seven measures with two-sided intervals, see `inference.effect_sizes`.

        What has to be drawn takes `n_resamples` resamples, 9,999 by default, from the generator or seed `rng`.
        """
        from exactperm.inference.effect_sizes import effect_sizes

        return effect_sizes(self._held("effect_sizes()"), confidence_level, n_resamples, rng)

    def null_distribution(self) -> NullDistribution:
        """The exact law of the statistic under random exchange, in one dimension and up to 10^7 points."""
        from exactperm.engines.null import null_law

        problem = self._held("null_distribution()")
        if len(problem.sides) > 1:
            raise ValueError(
                'a test of equivalence has two null laws; ask for one, alternative="greater" or "less" with the margin'
            )
        [(_, effects)] = problem.sides
        lattice, _ = problem.metric.rejection_region(effects, "two-sided")
        points, probabilities = null_law(lattice, MOST_POINTS)
        moved = problem.metric.scores(effects)[2] - self.statistic if problem.margin else 0.0
        values = problem.metric.statistic(effects, lattice, points) - moved
        order = np.argsort(values, kind="stable")
        return NullDistribution(values[order], probabilities[order])

    def plot(self, ax: Axes | None = None, kind: str = "null", *, width: float | None = None) -> Axes:
        """Draw the test with matplotlib, ``pip install 'exactperm[plot]'``.

        Parameters
        ----------
        ax
            Where to draw; by default in a new figure, which `exactperm.report.plots.save` writes.
        kind
            "null": the null distribution, the observed value, and the tail that is the p-value. "differences": who is
            ahead on which items.
        width
            Of the new figure, in inches; by default 3.3, a column of a paper.
        """
        from exactperm.report.plots.kinds import plot_result

        return plot_result(self, ax, kind, width)

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain Python values, with the version of this form."""
        plain = {f.name: plain_value(getattr(self, f.name)) for f in fields(self) if f.name != "problem"}
        words = {} if np.ndim(self.pvalue) else {"verdict": self.verdict}
        return {"schema": SCHEMA, **plain, **words}

    def to_json(self, **options: Any) -> str:
        """The same as JSON; minus infinity, the logarithm of zero, as null."""
        return json.dumps(finite(self.to_dict()), **{"allow_nan": False, **options})

    def to_markdown(self) -> str:
        """A table of one row."""
        head, row = zip(*_columns(self._single()), strict=True)
        return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), row))

    def to_latex(self) -> str:
        """A table of one row, for booktabs."""
        head, row = zip(*_columns(self._single(), latex=True), strict=True)
        return "\n".join(
            [
                rf"\begin{{tabular}}{{{'r' * len(head)}}}",
                r"\toprule",
                " & ".join(head) + r" \\",
                r"\midrule",
                " & ".join(row) + r" \\",
                r"\bottomrule",
                r"\end{tabular}",
            ]
        )

    def _single(self) -> TestResult:
        if np.ndim(self.pvalue):
            raise ValueError("this is a batch of tests; ask for one test at a time")
        return self

    def _held(self, what: str) -> Problem:
        problem = self._single().problem
        if problem is None:
            raise ValueError(f"this result does not hold the data of its test; {what} needs them")
        return problem


@dataclass(frozen=True, eq=False)
class Problem:
    """What was asked, kept so that a result can answer more: the effects, and references to the items.

    `items` is None where only counts or a batch came, `margin` where there is none (see `inference.margin`). `tasks`
    are those of a macro average, each with the factor of its differences (see `tasks`).
    """

    effects: Effects
    metric: Metric
    alternative: str
    items: Items | None = None
    margin: Fraction | None = None
    tasks: tuple[tuple[Fraction, Problem], ...] = ()

    @cached_property
    def sides(self) -> list[tuple[str, Effects]]:
        """The alternative and the effects of each test of which the p-value is the largest: two for equivalence."""
        if self.margin is None:
            return [(self.alternative, self.effects)]
        from exactperm.inference.margin import sides

        return sides(self)

    def group_sums(self, what: str) -> GroupSums:
        """The sums of both systems in each group; `what` needs them, and an error says so where there are none."""
        if self.tasks:
            raise ValueError(f"{what} is not there for an average over tasks; use method='inversion'")
        if self.items is None:
            raise ValueError(
                f"{what} needs the single items, and this result has counts of effects only; give the scores or counts "
                "per item of both systems to paired_test or compare"
            )
        return self.items.sums()

    def regions(self) -> list[tuple[Lattice, Runs | Region | None]]:
        """What is put to the engines for each side; None where every assignment is as extreme as the data."""
        return [self.metric.rejection_region(effects, side) for side, effects in self.sides]  # type: ignore[arg-type]


def format_pvalue(log_pvalue: float) -> str:
    """A p-value with the digits it deserves, however small: 0.0082, 4.5e-06, 10^-4512.3."""
    if log_pvalue == -math.inf:
        return "0"
    decimal = log_pvalue / math.log(10.0)
    if decimal < -300:
        return f"10^{decimal:.1f}"
    p = math.exp(log_pvalue)
    return f"{p:.1e}" if p < 1e-4 else f"{p:#.2g}" if p < 0.1 else f"{p:.3f}"


def apart(log_low: float, log_high: float) -> tuple[str, str]:
    """Two bounds with as many digits as it takes to tell them apart."""
    if log_low < -690:
        return format_pvalue(log_low), format_pvalue(log_high)
    low, high = math.exp(log_low), math.exp(log_high)
    for digits in range(2, 17):
        ends = f"{low:.{digits}g}", f"{high:.{digits}g}"
        if ends[0] != ends[1]:
            break
    return ends


def _facts(r: TestResult) -> list[tuple[str, str]]:
    low, high = r.log_pvalue_interval
    tied = f", {r.n_tied} tied" if r.n_tied else ""
    groups = f" in {r.n_groups} groups" if r.n_groups != r.n_items else ""
    certainty = "exact" if r.exact else "between {} and {}".format(*apart(low, high))
    asked = r.alternative if r.margin is None else f"{KINDS[r.alternative]} with margin {r.margin:.12g}"
    facts = [
        ("p", f"{format_pvalue(r.log_pvalue)} ({asked}, {certainty})"),
        ("statistic", f"{r.statistic:+.6g} ({r.metric} of A minus {r.metric} of B)"),
    ]
    if r.scores[0] is not None:
        facts.append(("scores", f"{r.scores[0]:.6g}, {r.scores[1]:.6g}"))
    return [*facts, ("data", f"{r.n_items} items{groups}{tied}"), ("verdict", r.verdict), ("signature", r.signature)]


#: the level at which the verdict speaks of a difference
VERDICT_LEVEL = 0.05


def _verdict(r: TestResult) -> str:
    p = f"p = {format_pvalue(r.log_pvalue)}"
    how = how_tested(r)
    differing = r.n_groups - r.n_tied
    if differing == 0 and (r.margin is None or r.n_groups == 0):
        return f"A and B are tied on every item; there is nothing to test (p = 1, {r.n_groups} pairs)."
    if r.min_pvalue > VERDICT_LEVEL:
        few = f"{differing} pairs that differ" if r.margin is None else f"{r.n_groups} pairs"
        return f"Not testable: with {few} no result could be below p = {r.min_pvalue:.3g} ({p}, {how})."
    low, high = r.pvalue_interval
    if low <= VERDICT_LEVEL < high:
        return f"Undecided at the 5 % level: the p-value is known only to be in [{low:.3g}, {high:.3g}] ({how})."
    if r.pvalue > VERDICT_LEVEL:
        return f"The data do not {doubt(r.alternative, r.margin, 'A', 'B')} ({p}, {how})."
    if r.alternative == "two-sided" and r.margin is None:
        better = (r.statistic > 0) == r.higher_is_better
        return f"{'A' if better else 'B'} is better than {'B' if better else 'A'} ({p}, {how})."
    return f"{claim(r.alternative, r.margin, 'A', 'B')} ({p}, {how})."


def _columns(r: TestResult, latex: bool = False) -> list[tuple[str, str]]:
    p = format_pvalue(r.log_pvalue)
    if latex and "^" in p:
        p = f"$10^{{{p.partition('^')[2]}}}$"
    elif latex and "e" in p:
        mantissa, _, exponent = p.partition("e")
        p = rf"${mantissa}\cdot 10^{{{int(exponent)}}}$"
    scores = [] if r.scores[0] is None else [("A", f"{r.scores[0]:.4g}"), ("B", f"{r.scores[1]:.4g}")]
    return [*scores, ("A - B", f"{r.statistic:+.4g}"), ("p", p)]


def plain_value(value: Any) -> Any:
    if isinstance(value, Interval):
        return {"low": plain_value(value.low), "high": plain_value(value.high)}
    if isinstance(value, tuple):
        return [plain_value(v) for v in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: finite(v) for key, v in value.items()}
    if isinstance(value, list):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
