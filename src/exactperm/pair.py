"""The test of one pair of systems among several, with its p-value adjusted for their number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from exactperm import tables
from exactperm.claims import claim, doubt, how_tested
from exactperm.inference.multiplicity import JOINT, adjust
from exactperm.inference.record import record
from exactperm.result import Interval, TestResult, apart, format_pvalue

if TYPE_CHECKING:
    from exactperm.inference.max_t import StepDown

__all__ = [
    "CORRECTIONS",
    "Pair",
    "adjusted_as_known",
    "adjusted_pairs",
    "as_known",
    "corrected",
    "in_a_word",
    "in_latex",
    "table",
]

Outcome = Literal["different", "not different", "within margin", "not shown", "undecided", "not testable"]

#: the outcomes of significant tests and of others: without a margin, and with one
SHOWN: tuple[Outcome, Outcome] = ("different", "within margin")
NOT_SHOWN: tuple[Outcome, Outcome] = ("not different", "not shown")
#: a sampled p-value is shown as a bound, if it is small, where the ends of its interval differ by more than this factor
VAGUE = 2.0
#: the procedures in words
CORRECTIONS = {
    "none": "no correction",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "hochberg": "Hochberg",
    "hommel": "Hommel",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
    JOINT: "max-T",
}


@dataclass(frozen=True, eq=False, repr=False)
class Pair(TestResult):
    """The test of one pair of systems among several: a `TestResult` with these fields more.

    Attributes
    ----------
    a, b
        The names of the two systems.
    pvalue_adjusted, log_pvalue_adjusted
        The p-value adjusted for the number of pairs, and its logarithm.
    pvalue_adjusted_interval
        What the intervals of all p-values leave open for the adjusted one.
    outcome
        "different"; "not different"; "undecided" if sampling (or a bracket) has not settled on which side of alpha the
        adjusted p-value lies; "not testable" if no result on these items could have been below alpha. With a margin
        "within margin" and "not shown" instead of the first two.
    correction, n_adjusted, alpha
        How p-values were adjusted, how many together, and the level.
    wins, losses, ties
        On how many items (or groups) A is better, worse, and neither; None where an item does not say that by itself.
    """

    a: str = field(kw_only=True)
    b: str = field(kw_only=True)
    pvalue_adjusted: float = field(kw_only=True)
    log_pvalue_adjusted: float = field(kw_only=True)
    pvalue_adjusted_interval: Interval = field(kw_only=True)
    outcome: Outcome = field(kw_only=True)
    correction: str = field(kw_only=True)
    n_adjusted: int = field(kw_only=True)
    alpha: float = field(kw_only=True)
    wins: int | None = field(kw_only=True)
    losses: int | None = field(kw_only=True)
    ties: int | None = field(kw_only=True)

    @property
    def significant(self) -> bool:
        """Whether the adjusted p-value is at most alpha, for certain or with the confidence of the interval."""
        return self.outcome in SHOWN

    @property
    def better(self) -> str | None:
        """The system that was shown to be better; None if neither was, or if that was not asked."""
        if not self.significant or self.margin is not None:
            return None
        if self.alternative != "two-sided":
            return self.a if self.alternative == "greater" else self.b
        return self.a if (self.statistic > 0) == self.higher_is_better else self.b

    @property
    def verdict(self) -> str:
        """One sentence that can be quoted."""
        a, b, how = self.a, self.b, f"({_p_in_words(self)}, {how_tested(self)})"
        differing = self.n_groups - self.n_tied
        if differing == 0 and (self.margin is None or self.n_groups == 0):
            return f"{a} and {b} are tied on every item; there is nothing to test (p = 1, {self.n_groups} pairs)."
        if self.outcome == "not testable":
            differ = f"{a} and {b} differ on {differing} of" if self.margin is None else "there are"
            return (
                f"Not testable: {differ} {self.n_groups} pairs, so that no result could be below "
                f"p = {self.min_pvalue:.3g} {how}."
            )
        if self.outcome == "undecided":
            low, high = self.pvalue_interval
            return f"Undecided: the p-value of {a} and {b} is known only to be in [{low:.3g}, {high:.3g}] {how}."
        if self.better:
            return f"{self.better} is better than {b if self.better == a else a} {how}."
        if self.significant:
            return f"{claim(self.alternative, self.margin, a, b)} {how}."
        return f"The data do not {doubt(self.alternative, self.margin, a, b)} {how}."

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain Python values."""
        return {**super().to_dict(), "significant": self.significant, "better": self.better}

    def to_markdown(self) -> str:
        """A table of one row."""
        return tables.markdown(*table([self]))

    def to_latex(self) -> str:
        """A table of one row, for booktabs."""
        return tables.latex(*in_latex(table([self])))

    def _facts(self) -> list[tuple[str, str]]:
        known = "" if self.exact else ", p between {} and {}".format(*apart(*self.log_pvalue_interval))
        facts = [
            ("pair", f"{self.a}, {self.b}"),
            ("p", f"{as_known(self)}{_adjusted_in_words(self)} ({how_tested(self)}{known})"),
            ("statistic", f"{self.statistic:+.6g} ({self.metric} of {self.a} minus {self.metric} of {self.b})"),
        ]
        if self.scores[0] is not None:
            facts.append(("scores", f"{self.scores[0]:.6g}, {self.scores[1]:.6g}"))
        if self.wins is not None:
            facts.append(("items", f"{self.wins} won, {self.losses} lost, {self.ties} tied by {self.a}"))
        return [*facts, ("verdict", self.verdict), ("signature", self.signature)]


def _p_in_words(pair: Pair) -> str:
    return f"p = {as_known(pair)}{_adjusted_in_words(pair)}".replace("= <", "< ").replace("= ~", "≈ ")


def _adjusted_in_words(pair: Pair) -> str:
    if pair.correction == "none" or pair.log_pvalue_adjusted == pair.log_pvalue:
        return ""
    return f", {CORRECTIONS[pair.correction]} {adjusted_as_known(pair)}"


def as_known(pair: TestResult) -> str:
    """The p-value as far as it is known: ~0.031 where it was sampled, <4e-05 where that gives no more than a bound."""
    return _known(pair.log_pvalue, pair.pvalue_interval, pair.exact)


def adjusted_as_known(pair: Pair) -> str:
    """The same for the adjusted p-value, which joint permutation samples as well."""
    drawn = pair.correction == JOINT and pair.log_pvalue_adjusted > pair.log_pvalue
    return _known(pair.log_pvalue_adjusted, pair.pvalue_adjusted_interval, pair.exact and not drawn)


def _known(log_pvalue: float, interval: Interval, exact: bool) -> str:
    if exact:
        return format_pvalue(log_pvalue)
    if interval.low < interval.high / VAGUE < 0.5 / VAGUE:
        return f"<{format_pvalue(math.log(interval.high))}"
    return f"~{format_pvalue(log_pvalue)}"


#: the title of how many items were won, lost and tied
RECORD = "won-lost-tied"
#: what was not shown, in a table
_NOT_SHOWN = {"two-sided": "not different", "greater": "not better", "less": "not worse"}


def table(pairs: Sequence[Pair]) -> tables.Table:
    """Pairs that were adjusted together as a head, rows, and the number of columns that are names."""
    digits = tables.decimals(score for pair in pairs for score in (*pair.scores, pair.statistic)) + 1
    adjusted = [f"p ({CORRECTIONS[pairs[0].correction]})"] if corrected(pairs) else []
    record = [RECORD] if all(pair.wins is not None for pair in pairs) else []
    rows = [
        [
            pair.a,
            pair.b,
            f"{pair.statistic:+.{digits}f}",
            as_known(pair),
            *([adjusted_as_known(pair)] if adjusted else []),
            *([f"{pair.wins}-{pair.losses}-{pair.ties}"] if record else []),
            in_a_word(pair),
        ]
        for pair in pairs
    ]
    return ["system", "against", "difference", "p", *adjusted, *record, "outcome"], rows, 2


def corrected(pairs: Sequence[Pair]) -> bool:
    """Whether pairs that were adjusted together have adjusted p-values worth showing."""
    return pairs[0].correction != "none" and pairs[0].n_adjusted > 1


def in_a_word(pair: Pair) -> str:
    """What was shown of the first system."""
    if pair.better:
        return "better" if pair.better == pair.a else "worse"
    return _NOT_SHOWN[pair.alternative] if pair.outcome == "not different" else pair.outcome


def row(pair: Pair) -> dict[str, Any]:
    """A pair as the row of a data frame or of a CSV file."""
    low, high = pair.pvalue_interval
    return {
        "metric": pair.metric,
        "a": pair.a,
        "b": pair.b,
        "score_a": pair.scores[0],
        "score_b": pair.scores[1],
        "statistic": pair.statistic,
        "pvalue": pair.pvalue,
        "log_pvalue": pair.log_pvalue,
        "pvalue_low": low,
        "pvalue_high": high,
        "pvalue_adjusted": pair.pvalue_adjusted,
        "outcome": pair.outcome,
        "better": pair.better,
        "wins": pair.wins,
        "losses": pair.losses,
        "ties": pair.ties,
        "n_items": pair.n_items,
        "n_groups": pair.n_groups,
        "method": pair.method,
        "exact": pair.exact,
        "signature": pair.signature,
    }


def frame_of(rows: Sequence[dict[str, Any]], library: str | None) -> Any:
    """Rows as a data frame of a library, or of the first that is installed."""
    import narwhals.stable.v2 as nw

    columns = {key: [row[key] for row in rows] for key in rows[0]}
    backend: Any = library or _installed()
    return nw.from_dict(columns, backend=backend).to_native()


def _installed() -> str:
    import importlib.util

    for library in ("pandas", "polars", "pyarrow"):
        if importlib.util.find_spec(library):
            return library
    raise ImportError("to_frame needs pandas, polars or pyarrow; rows() holds the same as plain values")


def in_latex(shown: tables.Table) -> tables.Table:
    """The same with p-values as mathematics."""
    head, rows, left = shown
    return (
        head,
        [
            [tables.latex_pvalue(x) if name.startswith("p") else x for name, x in zip(head, row, strict=True)]
            for row in rows
        ],
        left,
    )


class _Adjusted(NamedTuple):
    """The p-values, their logarithms, the ends of their intervals; `certain` if alpha is no open question for them."""

    pvalues: list[float]
    logs: list[float]
    low: list[float]
    high: list[float]
    certain: bool


def adjusted_pairs(
    couples: list[tuple[str, str]],
    results: list[TestResult],
    correction: str,
    alpha: float,
    joint: StepDown | None = None,
) -> tuple[Pair, ...]:
    """Adjust the p-values, one by one or by what joint permutation found."""
    adjusted = _from_pvalues(results, correction) if joint is None else _no_smaller(joint, results)
    return tuple(
        _pair(result, couple, (p, log, Interval(low, high)), adjusted.certain, correction, len(results), alpha)
        for couple, result, p, log, low, high in zip(couples, results, *adjusted[:4], strict=True)
    )


def _from_pvalues(results: list[TestResult], correction: str) -> _Adjusted:
    """With them the ends of their intervals are adjusted: every procedure is monotone in each of them."""
    name = "none" if correction == JOINT else correction  # one test leaves nothing to permute jointly
    return _Adjusted(
        adjust([r.pvalue for r in results], name).tolist(),
        adjust([r.log_pvalue for r in results], name, log=True).tolist(),
        adjust([r.pvalue_interval.low for r in results], name).tolist(),
        adjust([r.pvalue_interval.high for r in results], name).tolist(),
        all(r.exact for r in results),  # then a p-value equal to alpha is one
    )


def _no_smaller(joint: StepDown, results: list[TestResult]) -> _Adjusted:
    """What joint permutation found, but nowhere less than the p-value of the pair alone."""
    return _Adjusted(
        np.maximum(joint.pvalues, [r.pvalue for r in results]).tolist(),
        np.maximum(np.log(joint.pvalues), [r.log_pvalue for r in results]).tolist(),
        np.maximum(joint.low, [r.pvalue_interval.low for r in results]).tolist(),
        np.maximum(joint.high, [r.pvalue_interval.high for r in results]).tolist(),
        False,
    )


def _pair(
    result: TestResult,
    couple: tuple[str, str],
    adjusted: tuple[float, float, Interval],
    certain: bool,
    correction: str,
    n_adjusted: int,
    alpha: float,
) -> Pair:
    pvalue, log_pvalue, interval = adjusted
    problem = result.problem
    found = None if problem is None else record(problem.effects, problem.metric)
    wins, losses, ties = (None, None, None) if found is None else found
    return Pair(
        **{f.name: getattr(result, f.name) for f in fields(TestResult)},
        a=couple[0],
        b=couple[1],
        pvalue_adjusted=pvalue,
        log_pvalue_adjusted=log_pvalue,
        pvalue_adjusted_interval=interval,
        outcome=_outcome(result, Interval(pvalue, pvalue) if certain else interval, alpha),
        correction=correction,
        n_adjusted=n_adjusted,
        alpha=alpha,
        wins=wins,
        losses=losses,
        ties=ties,
    )


def _outcome(result: TestResult, adjusted: Interval, alpha: float) -> Outcome:
    if result.min_pvalue > alpha:
        return "not testable"
    shown, not_shown = SHOWN[result.margin is not None], NOT_SHOWN[result.margin is not None]
    if adjusted.high <= alpha:
        return shown
    return "undecided" if adjusted.low <= alpha else not_shown
