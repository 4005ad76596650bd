"""Any number of systems on the same items: every pair is tested, and the p-values are adjusted for their number."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from exactperm import metrics, tables
from exactperm.answers import results_of
from exactperm.api import engine_options, problems_of
from exactperm.comparisons import Comparisons
from exactperm.inference.multiplicity import JOINT, method_name
from exactperm.inference.tiers import cliques, letter
from exactperm.joint import permuted_jointly
from exactperm.pair import Pair, adjusted_pairs, corrected, frame_of, in_latex, row, table
from exactperm.result import SCHEMA, finite
from exactperm.standing import about_correction, sampled_methods, signature_of, verdict_of
from exactperm.systems import Systems, frame_library, gather, unit_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Comparison", "compare", "couples_of"]

#: a name of a metric that is longer is shown without its options
WIDEST = 20
#: pairs that a printed comparison shows
MOST_SHOWN = 30


@overload
def compare(systems: Any, *, metric: str | metrics.Metric | None = None, **options: Any) -> Comparison: ...


@overload
def compare(
    systems: Any, *, metric: list[str | metrics.Metric] | tuple[str | metrics.Metric, ...], **options: Any
) -> Comparisons: ...


def compare(
    systems: Any,
    *,
    y_true: Any = None,
    metric: Any = None,
    average: str | None = None,
    labels: Sequence[Any] | None = None,
    pos_label: Any = None,
    scheme: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    baseline: str | None = None,
    correction: str | None = "holm",
    alpha: float = 0.05,
    alternative: metrics.Alternative = "two-sided",
    margin: Any = None,
    nan_policy: str = "raise",
    method: str = "auto",
    tolerance: float | None = None,
    grid: Any = "auto",
    n_resamples: int | None = None,
    max_hits: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
    **options: Any,
) -> Comparison | Comparisons:
    """Compare two or more systems: all pairs of them, or each with a baseline.

    Parameters
    ----------
    systems
        A mapping from the name of each system to its data, or a data frame with a column for each. The data are one
        score per item; with `y_true` predictions (labels, sequences of labels, spans, texts); or the counts that
        `metric` is made of, as `paired_test` takes them. Or what `exactperm.read` found in files.
    y_true
        The gold standard, if the data are predictions. Like `groups`, the name of a column if they are a data frame.
    metric
        A name, see `exactperm.metrics.names`, or without `y_true` also a `Metric`. By default "mean" of scores,
        "accuracy" of predictions, and the first metric of files. Or a list of them: p-values are then adjusted for all
        pairs and metrics together.
    average, labels, pos_label, scheme, sample_weight
        For predictions, as in scikit-learn and seqeval, see `exactperm.metrics.extract`.
    groups
        One label per item; the items of a group (a document, a prompt) are exchanged together.
    baseline
        The system with which all others are compared, each as A with the baseline as B; None compares all pairs.
    correction
        "holm", "hochberg", "hommel", "bonferroni", "bh", "by" or "none", see `exactperm.inference.multiplicity`; or
        "max-t", which permutes all systems jointly on the items that all have, see `exactperm.inference.max_t`.
    alpha
        The level: of any false claim, or of their expected share (bh, by).
    alternative, margin, nan_policy, method, tolerance, grid, n_resamples, max_hits, confidence_level, rng
        As for `paired_test`, for each pair. "omit" drops an item from the pairs in which it lacks a score. "max-t"
        draws `n_resamples` joint permutations, 9,999 by default.
    **options
        Of the metric, such as ``beta=2``, or of sacrebleu for bleu, chrf and ter.

    Returns
    -------
    Comparison
        With `pairs`, `scores`, `tiers` and tables. For a list of metrics `Comparisons`, one for each.

    Examples
    --------
    >>> from exactperm import compare
    >>> gold = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1]
    >>> right, wrong = gold, [1 - label for label in gold]
    >>> result = compare({"right": right, "wrong": wrong, "mixed": gold[:5] + wrong[5:]}, y_true=gold)
    >>> [(pair.a, pair.b, pair.pvalue, pair.outcome) for pair in result.pairs][0]
    ('right', 'wrong', 0.001953125, 'different')
    >>> result.tiers
    (('right', 'mixed'), ('mixed', 'wrong'))
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, not {alpha!r}")
    correction = method_name(correction, joint=True)
    asked = engine_options(tolerance, n_resamples, confidence_level, rng, max_hits, method)
    given = {
        "average": average,
        "labels": labels,
        "pos_label": pos_label,
        "scheme": scheme,
        "sample_weight": sample_weight,
        **options,
    }
    several = isinstance(metric, list | tuple)
    wanted = metric if several else [metric]
    data = [gather(systems, y_true, each, groups, nan_policy, grid, given) for each in wanted]
    if not data:
        raise ValueError("metric is an empty list; name one metric or more")
    couples = couples_of(data[0].names, baseline)
    if margin is not None:
        _check_margin(data[0].names, baseline, correction)
    results = []
    for each in data:  # not a comprehension: warnings count the frames up to the caller
        tests = [each.effects(a, b) for a, b in couples]
        items = [each.items(a, b) for a, b in couples]
        results += results_of(problems_of(tests, each.metric, alternative, items, margin), method, asked)
    joint = permuted_jointly(data, couples, alternative, asked) if correction == JOINT and len(results) > 1 else None
    pairs = adjusted_pairs(couples * len(data), results, correction, alpha, joint)
    labels_of_units = unit_labels(systems, groups)
    comparisons = [
        Comparison(
            systems=each.names,
            scores={name: _score(each, name) for name in each.names},
            pairs=pairs[i * len(couples) : (i + 1) * len(couples)],
            metric=each.metric.name,
            higher_is_better=each.metric.higher_is_better,
            baseline=baseline,
            correction=correction,
            alpha=alpha,
            alternative=alternative,
            margin=pairs[0].margin,
            frame_library=frame_library(systems),
            labels=labels_of_units,
            correction_details={} if joint is None else joint.details,
        )
        for i, each in enumerate(data)
    ]
    return Comparisons(comparisons) if several else comparisons[0]


def couples_of(names: tuple[str, ...], baseline: str | None) -> list[tuple[str, str]]:
    """The pairs that are tested."""
    if baseline is None:
        return list(itertools.combinations(names, 2))
    if baseline not in names:
        raise ValueError(f"baseline={baseline!r} is none of the systems; they are {', '.join(names)}")
    return [(name, baseline) for name in names if name != baseline]


def _check_margin(names: tuple[str, ...], baseline: str | None, correction: str) -> None:
    """Refuse what a margin says nothing about."""
    if len(names) > 2 and baseline is None:
        raise ValueError(
            f"margin is about one system and another; there are {len(names)}, {', '.join(names)}: name the baseline "
            "with which the others are compared"
        )
    if correction == JOINT:
        raise ValueError("correction='max-t' permutes what a margin says is not alike; use 'holm'")


def _score(data: Systems, name: str) -> float | None:
    effects = data.effects(name, name)
    return data.metric.scores(effects)[0] if effects.n_items else math.nan


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Systems, their scores, and a test for each pair of them.

    Attributes
    ----------
    systems
        The names in the order in which they came.
    scores
        The value of each by the metric; None if the metric has a statistic of its own.
    pairs
        A `Pair` for each two systems, or for each system and the baseline.
    metric, higher_is_better
        By what they were compared.
    baseline
        The system with which all others were compared; None for all pairs.
    correction, alpha, alternative, margin
        How p-values were adjusted, the level, the alternative, and the margin or None.
    frame_library
        The library of the data frame that was given, which `to_frame` uses too.
    labels
        What the groups are called, in their order, or else the items; None if items have no names.
    correction_details
        Of correction "max-t": how many joint permutations were drawn, and their seed. Else empty.
    """

    systems: tuple[str, ...]
    scores: Mapping[str, float | None]
    pairs: tuple[Pair, ...]
    metric: str
    higher_is_better: bool
    baseline: str | None
    correction: str
    alpha: float
    alternative: str
    margin: float | None = None
    frame_library: str | None = None
    labels: Sequence[Any] | None = None
    correction_details: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """The systems by score, the best first."""
        sign = -1 if self.higher_is_better else 1
        return tuple(sorted(self.systems, key=lambda name: _key(self.scores[name], sign)))

    @cached_property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """The largest groups of systems of which no two were told apart, the best first; they may overlap.

        Empty if not all pairs were tested for a difference, on both sides.
        """
        if self.baseline is not None or self.alternative != "two-sided" or self.margin is not None:
            return ()
        place = {name: i for i, name in enumerate(self.ranking)}
        apart = {(place[pair.a], place[pair.b]) for pair in self.pairs if pair.significant}
        return tuple(tuple(self.ranking[i] for i in tier) for tier in cliques(len(place), apart))

    @cached_property
    def letters(self) -> dict[str, str]:
        """The tiers of each system as letters: systems that share one were not told apart."""
        return {name: "".join(letter(i) for i, tier in enumerate(self.tiers) if name in tier) for name in self.ranking}

    @property
    def verdict(self) -> str:
        """One sentence that can be quoted."""
        return verdict_of(self)

    @property
    def signature(self) -> str:
        """One line that says what was done; each pair has one from which its test can be repeated."""
        return signature_of(self)

    def plot(self, ax: Axes | None = None, kind: str | None = None, *, width: float | None = None) -> Axes:
        """Draw the comparison with matplotlib, ``pip install 'exactperm[plot]'``.

        Parameters
        ----------
        ax
            Where to draw; by default in a new figure, which `exactperm.report.plots.save` writes.
        kind
            "ranking": the systems with their distance from the best, intervals, and tiers. "matrix": the adjusted
            p-values of all pairs. For two systems also "null" and "differences", see `TestResult.plot`. By default
            "null" for two systems, "ranking" for more.
        width
            Of the new figure, in inches; by default 3.3, a column of a paper.
        """
        from exactperm.report.plots.kinds import plot_comparison

        return plot_comparison(self, ax, kind, width)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values, with the version of this form."""
        return {
            "schema": SCHEMA,
            "metric": self.metric,
            "higher_is_better": self.higher_is_better,
            "alternative": self.alternative,
            "margin": self.margin,
            "baseline": self.baseline,
            "correction": self.correction,
            "correction_details": dict(self.correction_details),
            "alpha": self.alpha,
            "systems": [
                {"name": name, "score": self.scores[name], "letters": self.letters[name]} for name in self.ranking
            ],
            "tiers": [list(tier) for tier in self.tiers],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "verdict": self.verdict,
            "signature": self.signature,
        }

    def to_json(self, **options: Any) -> str:
        """The same as JSON; what is not a finite number as null."""
        return json.dumps(finite(self.to_dict()), **{"allow_nan": False, **options})

    def to_frame(self, library: str | None = None) -> Any:
        """The pairs as a data frame, one row each.

        Parameters
        ----------
        library
            "pandas", "polars" or "pyarrow"; by default that of the frame that was compared, else the first installed.
        """
        return frame_of(self.rows(), library or self.frame_library)

    def rows(self) -> list[dict[str, Any]]:
        """The pairs as plain values, for tables of all kinds."""
        return [row(pair) for pair in self.pairs]

    def to_csv(self) -> str:
        """The pairs as comma-separated values with a head; numbers with all their digits."""
        return tables.csv(self.rows())

    def to_markdown(self) -> str:
        """Two tables: the systems, and the pairs."""
        return "\n\n".join(tables.markdown(*table) for table in (self.systems_table(), self.pairs_table()))

    def to_latex(self) -> str:
        """Two tabulars for booktabs: the systems, and the pairs."""
        return "\n\n".join([tables.latex(*self.systems_table()), tables.latex(*in_latex(self.pairs_table()))])

    def __repr__(self) -> str:
        """The tables, the verdict, and what else has to be known."""
        head, rows, left = self.pairs_table()
        more = len(rows) - MOST_SHOWN
        pairs = tables.plain(head, rows[:MOST_SHOWN], left)
        notes = [f"... and {more} more pairs: to_frame() has all of them"] if more > 0 else []
        if sampled := sampled_methods(self.pairs):
            notes.append(f"~ and <: not exact ({', '.join(sampled)}); pvalue_interval of a pair says what is known")
        if about := about_correction(self):
            notes.append(about)
        blocks = [tables.plain(*self.systems_table()), "\n".join([pairs, *notes]), self.verdict]
        return "\n\n".join(blocks)

    def to_html(self, path: str | Path | None = None) -> str | None:
        """A report in one file that any browser opens: systems, pairs, and what each test rests on.

        Parameters
        ----------
        path
            Where to write it, ending in .html or .htm; the text is returned if there is none.
        """
        from exactperm.report.html.page import deliver

        return deliver([self], path)

    def _repr_html_(self) -> str:
        from exactperm.report.notebook import of_comparisons

        return of_comparisons([self])

    def systems_table(self) -> tables.Table:
        """A row for each system: its score, and the tiers as letters."""
        return ["system", *self.score_head()], [[name, *self.score_cells(name)] for name in self.ranking], 1

    def score_head(self) -> list[str]:
        """The titles of `score_cells`."""
        metric = self.metric if len(self.metric) <= WIDEST else self.metric.partition("(")[0]
        return [metric, "tier"] if self.tiers else [metric]

    def score_cells(self, name: str) -> list[str]:
        """The score of a system in the digits it deserves, and its letters."""
        score = self.scores[name]
        shown = "" if score is None else f"{score:.{tables.decimals(self.scores.values())}f}"
        return [shown, self.letters[name]] if self.tiers else [shown]

    @property
    def is_adjusted(self) -> bool:
        """Whether p-values were adjusted: for several pairs, or one together with those of other metrics."""
        return corrected(self.pairs)

    @property
    def ranked_pairs(self) -> list[Pair]:
        """The pairs, those that come first in the ranking first, whichever way round they were tested."""
        place = {name: i for i, name in enumerate(self.ranking)}
        return sorted(self.pairs, key=lambda pair: sorted((place[pair.a], place[pair.b])))

    def pairs_table(self) -> tables.Table:
        """A row for each pair, by rank."""
        return table(self.ranked_pairs)


def _key(score: float | None, sign: int) -> tuple[bool, float]:
    """Scores that are there first, in increasing order of sign times score."""
    missing = score is None or math.isnan(score)
    return missing, 0.0 if missing else sign * float(score or 0.0)
