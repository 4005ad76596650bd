"""From a gold standard and predictions of any number of systems to integer sums per item.

The vocabulary is scikit-learn's: `average`, `pos_label`, `labels`, `beta`, `zero_division`,
`sample_weight`. Classes are those of the gold standard and of all systems together, so that every
pair of systems is compared by one metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.integers import integer_array
from exactperm.metrics import labels as classification
from exactperm.metrics import sequences, texts
from exactperm.metrics.base import Metric
from exactperm.metrics.registry import get, spelled

__all__ = ["extract"]

Counts = dict[str, NDArray[np.int64]]
WORDS = ("token_accuracy", "upos", "xpos", "feats", "lemma", "uas", "las", "las_subtypes")


def extract(
    y_true: Any,
    systems: Mapping[str, Any],
    metric: str = "accuracy",
    *,
    average: str | None = None,
    labels: Sequence[Any] | None = None,
    pos_label: Any = None,
    scheme: str | None = None,
    sample_weight: Any = None,
    **options: Any,
) -> tuple[Metric, Counts]:
    """Score predictions item by item.

    Parameters
    ----------
    y_true
        The gold standard: labels, an indicator matrix, sequences of labels, spans, or texts
        (several references as a list).
    systems
        The predictions of each system, by name.
    metric
        The name of a metric that can be found from predictions.
    average
        "binary" (the default), "micro", "macro" or "weighted", as in scikit-learn.
    labels
        The classes to average over; all of them by default.
    pos_label
        The positive class where there are two; 1 by default.
    scheme
        How tags are read for spans: None as conlleval does, or a strict scheme such as "IOB2".
    sample_weight
        One integer per item.
    **options
        Options of the metric (`beta`, `zero_division`), or of sacrebleu (`tokenize`, `lowercase`,
        ...).

    Returns
    -------
    The metric, under a name with all that changes its values, and for each system an array (items, k) of its sums.
    """
    _only_where_it_applies(metric, average, labels, pos_label, scheme)
    told = _not_in_the_name(metric, average, labels, pos_label, scheme, options)
    pos_label = 1 if pos_label is None else pos_label
    if metric in classification.AVERAGED:
        classes = classification.Classes.of(y_true, systems, labels)
        found, counts = classification.averaged(metric, classes, average or "binary", pos_label, options)
    elif metric in classification.WHOLE_TABLE:
        classes = classification.Classes.of(y_true, systems, None)
        found, counts = classification.table(metric, classes, pos_label, options)
    else:
        found, counts = _from_items(y_true, systems, metric, scheme, options)
    if sample_weight is not None:
        found, counts = _weighted(found, counts, sample_weight)
    return found.renamed(spelled(found.name, told)), counts


def _not_in_the_name(
    metric: str, average: str | None, labels: Any, pos_label: Any, scheme: str | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """The options of predictions; averages over classes are metrics of their own, which name their classes."""
    if average in ("macro", "weighted"):
        return {}
    given: dict[str, Any] = {"average": None if average == "binary" else average, "labels": labels, "scheme": scheme}
    given["pos_label"] = None if pos_label == 1 else pos_label
    if metric in texts.OPTIONS:
        given |= options
    return {key: value for key, value in given.items() if value is not None}


def _only_where_it_applies(metric: str, average: Any, labels: Any, pos_label: Any, scheme: Any) -> None:
    averaged = metric in classification.AVERAGED
    for argument, given, takes in (
        ("average", average, averaged),
        ("labels", labels, averaged),
        ("pos_label", pos_label, metric == "specificity" or (averaged and average in (None, "binary"))),
        ("scheme", scheme, metric == "span_f1"),
    ):
        if given is not None and not takes:
            where = f" with average={average!r}" if averaged else ""
            raise ValueError(f"metric {metric!r} does not take {argument}{where}")


def _from_items(
    y_true: Any,
    systems: Mapping[str, Any],
    metric: str,
    scheme: str | None,
    options: dict[str, Any],
) -> tuple[Metric, Counts]:
    """Metrics that look at one item at a time."""
    found = get(metric, **({} if metric in texts.OPTIONS else options))
    if metric in texts.OPTIONS:
        counts = texts.translation_counts(metric, y_true, systems, options)
    elif metric in ("wer", "cer"):
        counts = texts.edit_counts(y_true, systems, "word" if metric == "wer" else "character")
    elif metric == "squad_em":
        counts = texts.exact_answers(y_true, systems)
    elif metric in WORDS:
        counts = sequences.right_words(y_true, systems)
    elif metric == "span_f1":
        counts = sequences.span_counts(y_true, systems, scheme)
    elif metric in ("accuracy", "exact_match"):
        counts = classification.right(y_true, systems)
    else:
        raise ValueError(f"metric {metric!r} is not found from predictions; give its sums to paired_test")
    return found, counts


def _weighted(metric: Metric, counts: Counts, sample_weight: Any) -> tuple[Metric, Counts]:
    """Count each item as often as its weight says."""
    weight = integer_array(sample_weight, "sample_weight").astype(np.int64)
    n = len(next(iter(counts.values())))
    if weight.shape != (n,) or (weight < 0).any():
        raise ValueError(f"sample_weight needs one integer that is not negative for each of {n} items")
    if not metric.additive:
        return metric, {name: rows * weight[:, None] for name, rows in counts.items()}
    if not metric.forms:
        raise ValueError(f"metric {metric.name!r} does not take sample_weight")
    # a weighted mean is no longer divided by the number of items
    return metric.forms[0], {name: np.stack([rows[:, 0] * weight, weight], axis=1) for name, rows in counts.items()}
