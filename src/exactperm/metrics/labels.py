"""Per-item integer sums from labels: one per item, or an indicator matrix for several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.metrics.base import Metric
from exactperm.metrics.registry import get, zero_division_rule

__all__ = ["AVERAGED", "WHOLE_TABLE", "Classes", "averaged", "right", "table"]

Integers = NDArray[np.int64]
Systems = Mapping[str, Any]

#: metrics that take ``average``
AVERAGED = ("precision", "recall", "f1", "fbeta", "jaccard")
#: metrics of the whole confusion table
WHOLE_TABLE = ("specificity", "balanced_accuracy", "mcc", "cohen_kappa")
AVERAGES = ("binary", "micro", "macro", "weighted")


@dataclass(frozen=True)
class Classes:
    """What is gold and what each system predicted, as 0/1 matrices over the classes."""

    labels: list[Any]
    gold: Integers
    predicted: dict[str, Integers]
    multilabel: bool

    @classmethod
    def of(cls, y_true: Any, systems: Systems, labels: Sequence[Any] | None) -> Classes:
        """Code the labels; `labels` chooses some of them, in this order."""
        gold = as_labels(y_true, "y_true")
        predictions = {name: as_labels(y, name) for name, y in systems.items()}
        for name, y in predictions.items():
            _check_alike(gold, y, name)
        if gold.ndim == 2:
            return cls._of_matrix(gold, predictions, labels)
        known, codes = np.unique(np.concatenate([gold, *predictions.values()]), return_inverse=True)
        parts = np.split(codes, len(predictions) + 1)
        chosen = known.tolist() if labels is None else _chosen(labels, known.tolist())
        columns = np.array([known.tolist().index(label) for label in chosen], dtype=np.int64)
        matrices = [(part[:, None] == columns).astype(np.int64) for part in parts]
        return cls(chosen, matrices[0], dict(zip(predictions, matrices[1:], strict=True)), False)

    @classmethod
    def _of_matrix(cls, gold: NDArray[Any], predictions: Systems, labels: Sequence[Any] | None) -> Classes:
        every = list(range(gold.shape[1]))
        chosen = every if labels is None else _chosen(labels, every)
        for name, y in {"y_true": gold, **predictions}.items():
            if not np.isin(y, (0, 1)).all():
                raise ValueError(f"an indicator matrix holds 0 and 1 only; {name} has other values")
        matrices = {name: y[:, chosen].astype(np.int64) for name, y in predictions.items()}
        return cls(chosen, gold[:, chosen].astype(np.int64), matrices, True)


def as_labels(y: Any, name: str) -> NDArray[Any]:
    """One label per item, or a matrix; missing labels are refused."""
    if isinstance(y, str):
        raise TypeError(f"{name} must be a sequence of labels, not one string")
    try:
        values = np.asarray(y)
    except ValueError:
        raise ValueError(
            f"{name} holds sequences of labels of different lengths; "
            'metric="token_accuracy" and "span_f1" are for sequences'
        ) from None
    if values.dtype.kind == "U" and values.ndim == 1 and not all(isinstance(label, str) for label in y):
        values = np.array(list(y), dtype=object)  # NumPy would write a missing label, or a number, as text
    if values.dtype == object:
        missing = [i for i, label in enumerate(values.flat) if label is None or _is_nan(label)]
        if missing:
            raise ValueError(f"{name} has no label for item {missing[0]} ({len(missing)} missing)")
        if len({isinstance(label, str) for label in values.flat}) > 1:
            raise TypeError(f"{name} mixes strings and other labels")
    if values.dtype.kind == "f" and np.isnan(values).any():
        missing_at = int(np.flatnonzero(np.isnan(values))[0])
        raise ValueError(f"{name} has no label for item {missing_at}")
    if values.ndim not in (1, 2):
        raise ValueError(f"{name} needs one label per item, or an indicator matrix; got shape {values.shape}")
    return values


def _is_nan(label: Any) -> bool:
    return isinstance(label, float) and math.isnan(label)


def _check_alike(gold: NDArray[Any], y: NDArray[Any], name: str) -> None:
    if gold.shape != y.shape:
        raise ValueError(f"{name} has labels of shape {y.shape}, y_true of shape {gold.shape}")
    kinds = [
        "strings" if x.dtype.kind in "UT" or (x.size and isinstance(x.flat[0], str)) else "numbers" for x in (gold, y)
    ]
    if gold.size and kinds[0] != kinds[1]:
        raise TypeError(f"the labels of y_true are {kinds[0]}, those of {name} are {kinds[1]}")


def _chosen(labels: Sequence[Any], known: list[Any]) -> list[Any]:
    if isinstance(labels, (str, int)):
        raise TypeError(f"labels must be a list of the classes, not {labels!r}")
    unknown = [label for label in labels if label not in known]
    if unknown:
        raise ValueError(
            f"labels has {', '.join(map(repr, unknown))}, "
            f"which occurs in neither y_true nor a prediction; "
            f"known are {_few(known)}"
        )
    return list(labels)


def _few(labels: list[Any], most: int = 10) -> str:
    return ", ".join(map(repr, labels[:most])) + (", ..." if len(labels) > most else "")


def right(y_true: Any, systems: Systems) -> dict[str, Integers]:
    """Whether each item is right (all of its labels, for an indicator matrix)."""
    gold = as_labels(y_true, "y_true")
    found = {}
    for name, y in systems.items():
        predicted = as_labels(y, name)
        _check_alike(gold, predicted, name)
        equal = gold == predicted
        found[name] = (equal if equal.ndim == 1 else equal.all(axis=1)).astype(np.int64)[:, None]
    return found


def averaged(
    name: str, classes: Classes, average: str, pos_label: Any, options: Mapping[str, Any]
) -> tuple[Metric, dict[str, Integers]]:
    """Counts of a metric that scikit-learn averages over classes."""
    if average not in AVERAGES:
        known = " or ".join(map(repr, AVERAGES))
        raise ValueError(f"average must be {known}, not {average!r}; for means over items score each item yourself")
    if average in ("binary", "micro"):
        chosen = [_positive(classes, pos_label)] if average == "binary" else list(range(len(classes.labels)))
        return get(name, **options), {
            system: _counts(classes.gold[:, chosen], y[:, chosen])[:, :3] for system, y in classes.predicted.items()
        }
    if (name, average) == ("recall", "weighted"):  # each class's tp / gold with weight gold: the micro average
        return averaged(name, classes, "micro", pos_label, options)
    if average == "weighted":
        options = _weighted_options(name, classes, options)
    metric = get(f"{average}_{name}", labels=classes.labels, **options)
    return metric, {system: _class_counts(classes.gold, y) for system, y in classes.predicted.items()}


def _weighted_options(name: str, classes: Classes, options: Mapping[str, Any]) -> dict[str, Any]:
    """Without `zero_division`: a class without gold items has no weight, and any other has an F-score."""
    rest = dict(options)
    if zero_division_rule(rest.pop("zero_division", 0)) and (name == "precision" or not classes.gold.any()):
        raise ValueError(
            f'{name} with average="weighted" counts 0 / 0 as 0; leave zero_division={options["zero_division"]!r} out, '
            'or use average="macro"'
        )
    return rest


def table(
    name: str, classes: Classes, pos_label: Any, options: Mapping[str, Any]
) -> tuple[Metric, dict[str, Integers]]:
    """Counts of a metric of the whole confusion table, of two or more classes."""
    if classes.multilabel:
        raise ValueError(f"metric {name!r} needs one label per item, not an indicator matrix")
    if name == "specificity" or len(classes.labels) == 2:
        k = _positive(classes, pos_label) if name == "specificity" else 1
        counts = {system: _counts(classes.gold[:, [k]], y[:, [k]]) for system, y in classes.predicted.items()}
        return get(name, **options), counts
    if name == "balanced_accuracy":
        kept = np.flatnonzero(classes.gold.any(axis=0))
        metric = get("multiclass_balanced_accuracy", labels=[classes.labels[k] for k in kept])
        gold = classes.gold[:, kept]
        return metric, {system: _class_counts(gold, y[:, kept]) for system, y in classes.predicted.items()}
    metric = get("multiclass_kappa" if name == "cohen_kappa" else "multiclass_mcc", labels=classes.labels)
    return metric, {
        system: np.hstack([y, classes.gold, (y * classes.gold).sum(axis=1, keepdims=True)])
        for system, y in classes.predicted.items()
    }


def _positive(classes: Classes, pos_label: Any) -> int:
    """The column of the positive class."""
    if classes.multilabel:
        raise ValueError('average="binary" needs one label per item; use average="micro" or "macro"')
    if len(classes.labels) > 2:
        raise ValueError(
            f'average="binary" is for two classes, and there are {len(classes.labels)}: '
            f"{_few(classes.labels)}; "
            f'use average="micro", "macro" or "weighted"'
        )
    if pos_label not in classes.labels:
        raise ValueError(
            f"pos_label={pos_label!r} does not occur; the labels are {_few(classes.labels)}: say which is the positive "
            f"one, as in f1(pos_label={classes.labels[-1]!r}), or use average='macro'"
        )
    return classes.labels.index(pos_label)


def _counts(gold: Integers, predicted: Integers) -> Integers:
    """True and false positives, false and true negatives of each item."""
    cells = (
        gold * predicted,
        (1 - gold) * predicted,
        gold * (1 - predicted),
        (1 - gold) * (1 - predicted),
    )
    return np.stack([cell.sum(axis=1) for cell in cells], axis=1)


def _class_counts(gold: Integers, predicted: Integers) -> Integers:
    """For each class: true positives, false positives, false negatives."""
    cells = (gold * predicted, (1 - gold) * predicted, gold * (1 - predicted))
    return np.stack(cells, axis=2).reshape(len(gold), -1)
