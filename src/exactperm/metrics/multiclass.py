"""Metrics of K classes: averages over classes, agreement from trace and margins of the table.

Each class k has three sums, ``tp[k]``, ``fp[k]`` and ``fn[k]``; the agreements need only the number
``correct`` and the margins ``pred[k]`` and ``gold[k]``. The average of K quotients is a sum of K
fractions, compared as such. The classes are fixed beforehand, as with scikit-learn's ``labels``: a
class that neither gold standard nor system has counts as `zero_division`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any

from exactperm.metrics.base import Metric, bounded
from exactperm.metrics.registry import beta_rule, register, zero_division_rule

__all__ = ["class_sums", "margin_sums"]

Labels = Sequence[Any]
Pair = tuple[Any, Any]


@register
def macro_f1(labels: Labels, zero_division: float = 0) -> Metric:
    """The mean of the classes' F1."""
    return _average(
        "macro_f1",
        labels,
        _macro_f1,
        zero_division,
        "mean over k of 2 tp_k / (2 tp_k + fp_k + fn_k)",
    )


@register
def macro_precision(labels: Labels, zero_division: float = 0) -> Metric:
    """The mean of the classes' precision."""
    return _average(
        "macro_precision",
        labels,
        _macro_precision,
        zero_division,
        "mean over k of tp_k / (tp_k + fp_k)",
    )


@register
def macro_recall(labels: Labels, zero_division: float = 0) -> Metric:
    """The mean of the classes' recall."""
    return _average("macro_recall", labels, _macro_recall, zero_division, "mean over k of tp_k / (tp_k + fn_k)")


@register
def macro_jaccard(labels: Labels, zero_division: float = 0) -> Metric:
    """The mean of the classes' intersection over union."""
    formula = "mean over k of tp_k / (tp_k + fp_k + fn_k)"
    return _average("macro_jaccard", labels, _macro_jaccard, zero_division, formula)


@register
def macro_fbeta(labels: Labels, beta: float, zero_division: float = 0) -> Metric:
    """The mean of the classes' F-beta: recall counts beta times as much."""
    formula = "mean over k of (1 + beta^2) tp_k / ((1 + beta^2) tp_k + beta^2 fn_k + fp_k)"
    return _average("macro_fbeta", labels, _of_beta(_macro_fbeta, beta), zero_division, formula)


@register
def weighted_fbeta(labels: Labels, beta: float) -> Metric:
    """The mean of the classes' F-beta, each with the weight of its gold items."""
    formula = "sum over k of gold_k F_k / sum of gold_k"
    return _average("weighted_fbeta", labels, _of_beta(_weighted_fbeta, beta), 0, formula)


@register
def weighted_f1(labels: Labels) -> Metric:
    """The mean of the classes' F1, each with the weight of its gold items."""
    return _average("weighted_f1", labels, _weighted_f1, 0, "sum over k of gold_k F1_k / sum of gold_k")


@register
def weighted_precision(labels: Labels) -> Metric:
    """The mean of the classes' precision, each with the weight of its gold items."""
    formula = "sum over k of gold_k precision_k / sum of gold_k"
    return _average("weighted_precision", labels, _weighted_precision, 0, formula)


@register
def weighted_jaccard(labels: Labels) -> Metric:
    """The mean of the classes' intersection over union, each with the weight of its gold items."""
    formula = "sum over k of gold_k jaccard_k / sum of gold_k"
    return _average("weighted_jaccard", labels, _weighted_jaccard, 0, formula)


@register
def multiclass_balanced_accuracy(labels: Labels) -> Metric:
    """The mean of the classes' recall; every class needs a gold item."""
    recall = _average(
        "multiclass_balanced_accuracy",
        labels,
        _macro_recall,
        0,
        "mean over k of tp_k / (tp_k + fn_k)",
    )
    return recall.renamed(recall.name, zero_division=None)


@register
def multiclass_mcc(labels: Labels) -> Metric:
    """Matthews' correlation for K classes (Gorodkin's R_K); 0 where all are of one class."""
    formula = "(c n - sum pred_k gold_k) / sqrt((n^2 - sum pred_k^2) (n^2 - sum gold_k^2))"
    return _agreement("multiclass_mcc", labels, _matthews, formula, Fraction(0), root=True)


@register
def multiclass_kappa(labels: Labels) -> Metric:
    """Cohen's kappa for K classes."""
    formula = "(c n - sum pred_k gold_k) / (n^2 - sum pred_k gold_k)"
    return _agreement("multiclass_kappa", labels, _kappa, formula, None)


def class_sums(labels: Labels) -> tuple[str, ...]:
    """The names of the sums of the averages: three for each class."""
    return tuple(chain.from_iterable((f"tp[{k}]", f"fp[{k}]", f"fn[{k}]") for k in _distinct(labels)))


def margin_sums(labels: Labels) -> tuple[str, ...]:
    """The names of the sums of the agreements: two margins, and what is right."""
    named = _distinct(labels)
    return (*(f"pred[{k}]" for k in named), *(f"gold[{k}]" for k in named), "correct")


def _distinct(labels: Labels) -> list[str]:
    if isinstance(labels, (str, int)):
        raise TypeError(f"labels must be a list of the classes, not {labels!r}")
    named = [str(label) for label in labels]
    if len(named) < 2 or len(set(named)) < len(named):
        raise ValueError(f"labels must be at least two different classes; got {list(labels)}")
    return named


def _average(name: str, labels: Labels, ratio: Callable[..., Any], zero_division: float, formula: str) -> Metric:
    sums = class_sums(labels)
    return bounded(
        name,
        sums,
        ratio=ratio,
        increasing={s: 1 if s.startswith("tp[") else -1 for s in sums},
        gold=tuple((s, s.replace("tp", "fn", 1)) for s in sums if s.startswith("tp[")),
        zero_division=zero_division_rule(zero_division),
        formula=formula,
    )


def _agreement(
    name: str,
    labels: Labels,
    ratio: Callable[..., Any],
    formula: str,
    rule: Fraction | None,
    *,
    root: bool = False,
) -> Metric:
    sums = margin_sums(labels)
    return bounded(
        name,
        sums,
        ratio=partial(ratio, len(labels)),
        root=root,
        increasing={"correct": 1},
        gold=tuple((s,) for s in sums if s.startswith("gold[")),
        zero_division=rule,
        formula=formula,
    )


# -- the values as (numerator, denominator) --------------------------------------------------------


def _classes(totals: tuple[Any, ...]) -> list[tuple[Any, Any, Any]]:
    return list(zip(totals[0::3], totals[1::3], totals[2::3], strict=True))


def _gold_items(totals: tuple[Any, ...]) -> Any:
    return sum(tp + fn for tp, _, fn in _classes(totals))


def _macro_f1(*totals: Any) -> list[Pair]:
    k = len(totals) // 3
    return [(2 * tp, k * (2 * tp + fp + fn)) for tp, fp, fn in _classes(totals)]


def _of_beta(ratio: Callable[..., Any], beta: float) -> Callable[..., Any]:
    """The ratio with beta^2 = p / q."""
    square = beta_rule(beta) ** 2
    return partial(ratio, square.numerator, square.denominator)


def _macro_fbeta(p: int, q: int, *totals: Any) -> list[Pair]:
    k = len(totals) // 3
    return [((p + q) * tp, k * ((p + q) * tp + p * fn + q * fp)) for tp, fp, fn in _classes(totals)]


def _weighted_fbeta(p: int, q: int, *totals: Any) -> list[Pair]:
    n = _gold_items(totals)
    classes = _classes(totals)
    return [((p + q) * tp * (tp + fn), n * ((p + q) * tp + p * fn + q * fp)) for tp, fp, fn in classes]


def _macro_precision(*totals: Any) -> list[Pair]:
    return [(tp, len(totals) // 3 * (tp + fp)) for tp, fp, _ in _classes(totals)]


def _macro_recall(*totals: Any) -> list[Pair]:
    return [(tp, len(totals) // 3 * (tp + fn)) for tp, _, fn in _classes(totals)]


def _macro_jaccard(*totals: Any) -> list[Pair]:
    k = len(totals) // 3
    return [(tp, k * (tp + fp + fn)) for tp, fp, fn in _classes(totals)]


def _weighted_f1(*totals: Any) -> list[Pair]:
    n = _gold_items(totals)
    return [(2 * tp * (tp + fn), n * (2 * tp + fp + fn)) for tp, fp, fn in _classes(totals)]


def _weighted_precision(*totals: Any) -> list[Pair]:
    n = _gold_items(totals)
    return [(tp * (tp + fn), n * (tp + fp)) for tp, fp, fn in _classes(totals)]


def _weighted_jaccard(*totals: Any) -> list[Pair]:
    n = _gold_items(totals)
    return [(tp * (tp + fn), n * (tp + fp + fn)) for tp, fp, fn in _classes(totals)]


def _chance(k: int, totals: tuple[Any, ...]) -> tuple[Any, Any]:
    """The number of gold items, and n^2 times the agreement that the margins give by chance."""
    pred, gold = totals[:k], totals[k : 2 * k]
    return sum(gold), sum(p * g for p, g in zip(pred, gold, strict=True))


def _matthews(k: int, *totals: Any) -> Pair:
    n, chance = _chance(k, totals)
    square = n * n
    spread = [square - sum(x * x for x in margin) for margin in (totals[:k], totals[k : 2 * k])]
    return totals[-1] * n - chance, spread[0] * spread[1]


def _kappa(k: int, *totals: Any) -> Pair:
    n, chance = _chance(k, totals)
    return totals[-1] * n - chance, n * n - chance
