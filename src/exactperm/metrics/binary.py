"""Metrics of true and false positives and negatives, added up over items (the micro average).

Each is a quotient of integer polynomials in the totals, or has the square root of one below, so
ties are decided in integers. What is said of monotony holds for each sum alone, the others fixed,
and for Cohen's kappa along the exchanges that leave the gold standard as it is (tp for fn, tn for
fp). For Matthews' correlation: with C = tp tn - fp fn > 0 the logarithm of its square has the
derivative 2 tn / C - 1 / (tp + fp) - 1 / (tp + fn) in tp, which is not negative because C <= tp tn;
with C < 0 the square falls; the other sums by symmetry. Nothing is said of ``pred``: it can go
below tp at lattice points that no assignment reaches, where the value jumps to 0 / 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from exactperm.metrics.base import Metric, bounded
from exactperm.metrics.registry import beta_rule, register, zero_division_rule

__all__: list[str] = []

COUNTS = ("tp", "fp", "fn")
TABLE = ("tp", "fp", "fn", "tn")
POSITIVES = (("tp", "fn"),)
BOTH_CLASSES = (("tp", "fn"), ("fp", "tn"))
GOOD_TABLE = {"tp": 1, "fp": -1, "fn": -1, "tn": 1}


@register
def precision(zero_division: float = 0) -> Metric:
    """The share of predicted positives that are right."""
    rule = zero_division_rule(zero_division)
    return bounded(
        "precision",
        ("tp", "fp"),
        ratio=_precision,
        increasing={"tp": 1, "fp": -1},
        formula="tp / (tp + fp)",
        forms=(
            bounded(
                "precision",
                ("tp", "pred"),
                ratio=_share,
                increasing={"tp": 1},
                within=(("tp", "pred"),),
                zero_division=rule,
            ),
            bounded(
                "precision",
                COUNTS,
                ratio=_precision,
                increasing={"tp": 1, "fp": -1},
                gold=POSITIVES,
                zero_division=rule,
            ),
        ),
        zero_division=rule,
    )


@register
def recall(zero_division: float = 0) -> Metric:
    """The share of gold positives that are found."""
    rule = zero_division_rule(zero_division)
    increasing = {"tp": 1, "fn": -1}
    return bounded(
        "recall",
        ("tp", "fn"),
        ratio=_precision,
        increasing=increasing,
        gold=POSITIVES,
        formula="tp / (tp + fn)",
        forms=(
            bounded(
                "recall",
                ("tp", "gold"),
                ratio=_share,
                increasing={"tp": 1},
                gold=(("gold",),),
                within=(("tp", "gold"),),
                zero_division=rule,
            ),
            bounded(
                "recall",
                COUNTS,
                ratio=_recall,
                increasing=increasing,
                gold=POSITIVES,
                zero_division=rule,
            ),
        ),
        zero_division=rule,
    )


@register
def f1(zero_division: float = 0) -> Metric:
    """The harmonic mean of precision and recall."""
    return _f("f1", Fraction(1), zero_division, "2 tp / (2 tp + fp + fn)")


@register
def fbeta(beta: float, zero_division: float = 0) -> Metric:
    """The weighted harmonic mean of precision and recall: recall counts beta times as much."""
    return _f(
        "fbeta",
        beta_rule(beta),
        zero_division,
        "(1 + beta^2) tp / ((1 + beta^2) tp + beta^2 fn + fp)",
    )


@register
def span_f1(zero_division: float = 0) -> Metric:
    """F1 of labelled spans: entities, chunks."""
    return _f("span_f1", Fraction(1), zero_division, "2 tp / (2 tp + fp + fn)")


@register
def jaccard(zero_division: float = 0) -> Metric:
    """Intersection over union."""
    rule = zero_division_rule(zero_division)
    return bounded(
        "jaccard",
        COUNTS,
        ratio=_jaccard,
        increasing={"tp": 1, "fp": -1, "fn": -1},
        gold=POSITIVES,
        formula="tp / (tp + fp + fn)",
        forms=(_paper("jaccard", _jaccard_of_incorrect, rule),),
        zero_division=rule,
    )


@register
def specificity(zero_division: float = 0) -> Metric:
    """The share of gold negatives that are left alone."""
    rule = zero_division_rule(zero_division)
    increasing = {"tn": 1, "fp": -1}
    return bounded(
        "specificity",
        ("tn", "fp"),
        ratio=_precision,
        increasing=increasing,
        gold=(("tn", "fp"),),
        formula="tn / (tn + fp)",
        forms=(
            bounded(
                "specificity",
                TABLE,
                ratio=_specificity,
                increasing=increasing,
                gold=BOTH_CLASSES,
                zero_division=rule,
            ),
        ),
        zero_division=rule,
    )


@register
def balanced_accuracy() -> Metric:
    """The mean of recall and specificity."""
    return _table("balanced_accuracy", _balanced, "(tp / (tp + fn) + tn / (tn + fp)) / 2", None)


@register
def mcc() -> Metric:
    """Matthews' correlation of prediction and gold standard; 0 where a margin is empty."""
    formula = "(tp tn - fp fn) / sqrt((tp + fp) (tp + fn) (tn + fp) (tn + fn))"
    return _table("mcc", _matthews, formula, Fraction(0), root=True)


@register
def cohen_kappa(zero_division: float | None = None) -> Metric:
    """Cohen's agreement of prediction and gold standard beyond chance."""
    formula = "2 (tp tn - fp fn) / ((tp + fp) (fp + tn) + (tp + fn) (fn + tn))"
    rule = None if zero_division is None else zero_division_rule(zero_division)
    return _table("cohen_kappa", _kappa, formula, rule)


def _f(name: str, beta: Fraction, zero_division: float, formula: str) -> Metric:
    square = beta * beta
    p, q = square.numerator, square.denominator
    rule = zero_division_rule(zero_division)
    forms = [
        bounded(
            name,
            ("tp", "pred", "gold"),
            ratio=partial(_fbeta_of_sizes, p=p, q=q),
            increasing={"tp": 1},
            gold=(("gold",),),
            within=(("tp", "pred"), ("tp", "gold")),
            zero_division=rule,
        )
    ]
    if beta == 1:
        forms.append(_paper(name, _f1_of_incorrect, rule))
    return bounded(
        name,
        COUNTS,
        ratio=partial(_fbeta, p=p, q=q),
        increasing={"tp": 1, "fp": -1, "fn": -1},
        gold=POSITIVES,
        formula=formula,
        forms=tuple(forms),
        zero_division=rule,
    )


def _paper(name: str, ratio: Any, rule: Fraction) -> Metric:
    """The sums of the paper: true positives, and what is wrong on either side."""
    signs = {"tp": 1, "incorrect": -1}
    return bounded(name, ("tp", "incorrect"), ratio=ratio, increasing=signs, zero_division=rule)


def _table(name: str, ratio: Any, formula: str, rule: Fraction | None, root: bool = False) -> Metric:
    return bounded(
        name,
        TABLE,
        ratio=ratio,
        root=root,
        increasing=GOOD_TABLE,
        gold=BOTH_CLASSES,
        zero_division=rule,
        formula=formula,
    )


# -- the values as (numerator, denominator) --------------------------------------------------------

Pair = tuple[Any, Any]


def _precision(tp: Any, fp: Any, *_: Any) -> Pair:
    return tp, tp + fp


def _recall(tp: Any, fp: Any, fn: Any) -> Pair:
    del fp
    return tp, tp + fn


def _share(tp: Any, size: Any) -> Pair:
    return tp, size


def _fbeta(tp: Any, fp: Any, fn: Any, p: int, q: int) -> Pair:
    hits = (p + q) * tp
    return hits, hits + p * fn + q * fp


def _fbeta_of_sizes(tp: Any, pred: Any, gold: Any, p: int, q: int) -> Pair:
    return (p + q) * tp, q * pred + p * gold


def _f1_of_incorrect(tp: Any, incorrect: Any) -> Pair:
    return 2 * tp, 2 * tp + incorrect


def _jaccard(tp: Any, fp: Any, fn: Any) -> Pair:
    return tp, tp + fp + fn


def _jaccard_of_incorrect(tp: Any, incorrect: Any) -> Pair:
    return tp, tp + incorrect


def _specificity(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    del tp, fn
    return tn, tn + fp


def _balanced(tp: Any, fp: Any, fn: Any, tn: Any) -> list[Pair]:
    return [(tp, 2 * (tp + fn)), (tn, 2 * (tn + fp))]


def _matthews(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    return tp * tn - fp * fn, (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)


def _kappa(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    return 2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
