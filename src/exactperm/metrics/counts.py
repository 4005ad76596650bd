"""Counts per item as users give them, checked: a mapping to columns, or an array (items, k)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactperm.integers import as_narrow, integer_array

if TYPE_CHECKING:
    from exactperm.metrics.base import Metric

__all__ = ["check_pair", "read"]

Integers = NDArray[Any]


def read(data: Any, metric: Metric, argument: str) -> tuple[Metric, Integers]:
    """Return the form of the metric that takes these columns, and an array (items, k)."""
    form, columns = _from_mapping(data, metric, argument) if _has_names(data) else _from_array(data, metric, argument)
    if not form.additive:
        _refuse_negative(columns, form, argument)
    for part, whole in form.within:
        _refuse_larger(columns, form, part, whole, argument)
    return form, columns


def check_pair(a: Integers, b: Integers, metric: Metric, names: tuple[str, str] = ("a", "b")) -> None:
    """Refuse systems with other items, or scored on different gold standards."""
    one, other = names
    if a.shape != b.shape:
        raise ValueError(f"{one} and {other} need the same items; {one} has {a.shape[0]} and {other} has {b.shape[0]}")
    for group in metric.gold:
        columns = [metric.sums.index(name) for name in group]
        first, second = (x[:, columns].sum(axis=1) for x in (a, b))
        different = np.flatnonzero(first != second)
        if different.size:
            i = int(different[0])
            raise ValueError(
                f"{' + '.join(group)} is the size of the gold standard "
                f"and must be the same for {one} and {other}; item {i} has "
                f"{first[i]} in {one} and {second[i]} in {other} ({different.size} items differ). "
                f"Score both systems on the "
                f"same gold standard, or use a Metric without gold="
            )


def _has_names(data: Any) -> bool:
    return isinstance(data, Mapping) or hasattr(data, "columns")


def _from_mapping(data: Any, metric: Metric, argument: str) -> tuple[Metric, Integers]:
    given = [str(name) for name in (data if isinstance(data, Mapping) else data.columns)]
    form = next((form for form in (metric, *metric.forms) if set(form.sums) == set(given)), None)
    if form is None:
        missing = [name for name in metric.sums if name not in given]
        extra = [name for name in given if name not in metric.sums]
        said = [f"{what} {', '.join(names)}" for what, names in (("without", missing), ("with", extra)) if names]
        raise ValueError(
            f"metric {metric.name!r} needs the columns {metric.accepted}; {argument} came {' and '.join(said)}"
        )
    columns = [_integers(data[name], f"{argument}[{name!r}]") for name in form.sums]
    shapes = {name: column.shape for name, column in zip(form.sums, columns, strict=True)}
    if any(len(shape) != 1 for shape in shapes.values()) or len(set(shapes.values())) > 1:
        raise ValueError(f"the columns of {argument} need one integer per item each; got shapes {shapes}")
    return form, np.stack([as_narrow(column) for column in columns], axis=1)


def _from_array(data: Any, metric: Metric, argument: str) -> tuple[Metric, Integers]:
    columns = _integers(data, argument)
    if metric.additive and columns.ndim == 1:
        columns = columns[:, None]
    if columns.ndim == 2:
        for form in (metric, *metric.forms):
            if columns.shape[1] == len(form.sums):
                return form, columns
    raise ValueError(
        f"metric {metric.name!r} needs an array of shape (items, k) "
        f"with the columns {metric.accepted}; "
        f"{argument} has shape {columns.shape}"
    )


def _integers(data: Any, argument: str) -> Integers:
    """An array of integers; anything else is refused with what would do."""
    try:
        array = np.asarray(data)
    except ValueError:
        raise ValueError(f"{argument} must hold as many integers for each item; its entries differ in length") from None
    lost = _missing(array)
    if lost.any():
        item = int(np.argwhere(lost)[0][0])
        raise ValueError(
            f"{argument} has {int(lost.sum())} missing values (NaN or None), the first at item {item}; leave such "
            "items out for both systems, as nan_policy is for scores"
        )
    if array.dtype.kind == "f" and array.size:
        raise TypeError(f"{argument} must hold integers or booleans, not {array.dtype}; whole ones by .astype(int)")
    return integer_array(array, argument)


def _missing(x: NDArray[Any]) -> NDArray[np.bool_]:
    if x.dtype == object:
        return np.array([_is_missing(v) for v in x.flat], dtype=np.bool_).reshape(x.shape)
    return np.isnan(x) if x.dtype.kind == "f" else np.zeros(0, dtype=np.bool_)


def _is_missing(x: Any) -> bool:
    """None, NaN, or the NA of a data frame."""
    return x is None or type(x).__name__ in ("NAType", "NaTType") or (isinstance(x, float) and math.isnan(x))


def _refuse_negative(columns: Integers, metric: Metric, argument: str) -> None:
    negative = np.argwhere(columns < 0)
    if len(negative) and metric.ratio is not None:
        i, j = negative[0]
        raise ValueError(
            f"counts cannot be negative: "
            f"{argument} has {metric.sums[j]} = {columns[i, j]} at item {i} "
            f"({len(negative)} negative in all)"
        )


def _refuse_larger(columns: Integers, metric: Metric, part: str, whole: str, argument: str) -> None:
    first, second = (columns[:, metric.sums.index(name)] for name in (part, whole))
    larger = np.flatnonzero(first > second)
    if larger.size:
        i = int(larger[0])
        raise ValueError(
            f"{part} cannot be larger than {whole}: "
            f"{argument} has {part} = {first[i]} and {whole} = {second[i]} at "
            f"item {i} ({larger.size} such items)"
        )
