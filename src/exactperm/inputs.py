"""From whatever users hold to NumPy arrays: nothing is guessed, and what is refused is named.

Lists, NumPy arrays and Python sequences are taken as they are; series of pandas, polars and pyarrow through narwhals,
so that missing values in them stay missing values and 64-bit integers stay integers. Decimals and fractions are kept
exactly.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Set
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["check_index", "is_whole", "labels", "missing", "numbers", "without"]

Mask = NDArray[np.bool_]

#: what an object array of scores may hold
WHOLE = (int, np.integer, np.bool_)
EXACT = (*WHOLE, Decimal, Fraction)
REAL = (*EXACT, float, np.floating)
#: integers up to this size have a mean, and a difference of means, that is a float
LARGEST = 2**1022
#: floats below this are not integers that were rounded
LONG = 2.0**53


def numbers(x: Any, name: str) -> tuple[NDArray[Any], Mask | None]:
    """Return scores as an array of integers, booleans or floats, and which of them are missing.

    Integers past 64 bits are kept as Python integers in an object array, decimals and fractions as `Fraction` there,
    unless there are floats among them. The second value is None if nothing is missing.
    """
    values, absent = _array(x, name)
    if values.dtype.kind in "biu":
        return values, absent
    if values.dtype.kind == "f":
        return _finite(values, absent, name)
    if values.dtype == object:
        return _from_objects(values, absent, name)
    raise TypeError(f"{name} must hold numbers or booleans, not {_described(values)}{_hint(values)}")


def is_whole(x: NDArray[Any]) -> bool:
    """Tell whether these are integers, of any type or size."""
    return x.dtype.kind in "biu" or (x.dtype == object and all(type(v) is int for v in x.flat))


def check_index(a: Any, b: Any) -> None:
    """Refuse two series of pandas with the same labels in another order: by position and by label they differ."""
    if not all(_is_series(x) and hasattr(x, "index") and hasattr(x, "reindex") for x in (a, b)):
        return
    if len(a) == len(b) and not a.index.equals(b.index) and a.index.isin(b.index).all():
        raise ValueError(
            "a and b are series whose indexes hold the same labels in another order; align them, b.reindex(a.index), "
            "or give a.to_numpy() and b.to_numpy() if the items are in the same order"
        )


def labels(x: Any, name: str, items: int) -> NDArray[Any]:
    """Return one label per item as an array, for groups."""
    values, absent = _array(x, name, "labels")
    if values.shape != (items,):
        raise ValueError(f"{name} needs one label per item: {items} of them, got shape {values.shape}")
    if values.dtype.kind == "f":
        absent = _or(absent, np.isnan(values))
    elif values.dtype == object:
        absent = _or(absent, np.array([_is_missing(v) for v in values.flat], dtype=np.bool_))
    if absent is not None and absent.any():
        raise ValueError(f"{name} has missing labels, the first at index {int(absent.argmax())}; every item needs one")
    if values.dtype == object:  # labels of any kind, equal or not: only which items belong together matters
        codes: dict[Any, int] = {}
        try:
            return np.array([codes.setdefault(v, len(codes)) for v in values.flat], dtype=np.int64)
        except TypeError:
            raise TypeError(f"{name} must hold labels such as text or numbers, not lists or other mutables") from None
    return values


def missing(masks: list[Mask | None], names: list[str], nan_policy: str) -> Mask | None:
    """Which items to drop, or an error, by ``nan_policy``; None if there is nothing to drop."""
    if nan_policy not in ("raise", "omit"):
        raise ValueError(f'nan_policy must be "raise" or "omit", not {nan_policy!r}')
    together: Mask | None = None
    for mask, name in zip(masks, names, strict=True):
        if mask is None or not mask.any():
            continue
        if nan_policy == "raise":
            where = np.argwhere(mask)[0].tolist()
            raise ValueError(
                f"{name} has {int(mask.sum())} missing values (NaN or None), the first at index "
                f'{where[0] if len(where) == 1 else tuple(where)}; nan_policy="omit" drops those pairs'
            )
        together = _or(together, mask)
    return together


def without(mask: Mask | None, *arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """The arrays without the items of the mask, which runs along their first axis."""
    return arrays if mask is None else tuple(x[~mask] for x in arrays)


def _or(a: Mask | None, b: Mask) -> Mask:
    return b if a is None else a | b


def _array(x: Any, name: str, what: str = "scores") -> tuple[NDArray[Any], Mask | None]:
    """Any container as an array, and which values it declares missing."""
    if type(x) is np.ndarray:  # asked first, as numpy.ma takes time to load
        return x, None
    if isinstance(x, np.ndarray):
        return (np.asarray(x.data), np.ma.getmaskarray(x)) if isinstance(x, np.ma.MaskedArray) else (x, None)
    if isinstance(x, Mapping) and what == "scores":
        raise TypeError(f"{name} is a mapping; mappings of counts need a metric such as metric='f1'")
    if _is_frame(x):
        raise TypeError(
            f"{name} is a data frame; give one of its columns, or the frame itself to compare(frame) or "
            "Effects.from_frame(frame, a=..., b=...)"
        )
    if isinstance(x, Set):
        raise TypeError(f"{name} is a set, which has no order; give one entry per item in a list or an array")
    if isinstance(x, str | bytes | Mapping) or not hasattr(x, "__iter__"):
        raise TypeError(f"{name} must be a sequence of {what}, one per item, not {x!r:.60}")
    if _is_series(x):
        return _from_series(x)
    if hasattr(x, "__array__"):
        return np.asarray(x), None
    x = list(x)
    try:
        values = np.asarray(x)
        return (np.asarray(x, dtype=object) if _lost_something(x, values) else values), None
    except ValueError as error:
        raise ValueError(f"{name} must hold one score per item; its entries differ in length") from error
    except OverflowError:
        return np.asarray(x, dtype=object), None


def _lost_something(x: list[Any], values: NDArray[Any]) -> bool:
    """Whether NumPy may have made floats of long integers (it does of 2^63 beside 1), or text of other things."""
    if values.dtype.kind == "f":
        return bool((np.abs(values) >= LONG).any())
    return values.dtype.kind in "US" and values.ndim == 1 and not all(isinstance(v, str | bytes) for v in x)


def _is_series(x: Any) -> bool:
    """Tell a data-frame series, without importing what is not there yet."""
    package = type(x).__module__.partition(".")[0]
    return package in ("pandas", "polars", "pyarrow", "modin", "cudf") and package in sys.modules


def _is_frame(x: Any) -> bool:
    return _is_series(x) and hasattr(type(x), "columns")


def _from_series(x: Any) -> tuple[NDArray[Any], Mask | None]:
    import narwhals.stable.v2 as nw

    series = nw.from_native(x, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(x), None
    if not series.null_count():
        return series.to_numpy(), None
    absent = series.is_null().to_numpy()
    if absent.all():
        return np.zeros(absent.shape), absent
    return series.drop_nulls().to_numpy()[np.maximum(np.cumsum(~absent) - 1, 0)], absent


def _finite(values: NDArray[Any], absent: Mask | None, name: str) -> tuple[NDArray[Any], Mask | None]:
    finite = np.isfinite(values)
    if finite.all():
        return values, absent
    infinite = np.isinf(values) if absent is None else np.isinf(values) & ~absent
    if infinite.any():
        raise ValueError(f"{name} has infinite values, the first at index {_first(infinite)}; scores must be finite")
    return values, _or(absent, np.isnan(values))


def _from_objects(values: NDArray[Any], absent: Mask | None, name: str) -> tuple[NDArray[Any], Mask | None]:
    """An object array: integers of any size, decimals, fractions, floats, and None or NA among them."""
    lost = np.array([_is_missing(v) for v in values.flat], dtype=np.bool_).reshape(values.shape)
    absent = _or(absent, lost) if lost.any() else absent
    kept = [v for v, gone in zip(values.flat, lost.flat, strict=True) if not gone]
    wrong = next((v for v in kept if not isinstance(v, REAL)), None)
    if isinstance(wrong, list | tuple | np.ndarray):
        raise ValueError(f"{name} must hold one score per item; its entries differ in length")
    if wrong is not None:
        raise TypeError(f"{name} must hold numbers or booleans, not {wrong!r:.60}{_text_hint(wrong)}")
    if all(isinstance(v, EXACT) for v in kept):
        exact = np.zeros(values.shape, dtype=object)
        exact[~lost] = [_exactly(v, name) for v in kept]
        return exact, absent
    reals = np.zeros(values.shape, dtype=np.float64)
    reals[~lost] = [float(_exactly(v, name) if isinstance(v, EXACT) else v) for v in kept]
    if any(isinstance(v, WHOLE) and int(v) != int(float(v)) for v in kept if abs(v) > LONG):
        raise ValueError(f"{name} has floats and integers that do not fit in float64; scale them or round them")
    return _finite(reals, absent, name)


def _exactly(value: Any, name: str) -> int | Fraction:
    """An integer, or a fraction that is none."""
    if isinstance(value, Decimal) and value.is_infinite():
        raise ValueError(f"{name} has infinite values, such as {value!r}; scores must be finite")
    exact = Fraction(value) if isinstance(value, Decimal | Fraction) else Fraction(int(value))
    if abs(exact) > LARGEST:
        raise ValueError(f"{name} has a value past 2^1022, whose mean may be no float; scale the scores down")
    return exact.numerator if exact.denominator == 1 else exact


def _is_missing(value: Any) -> bool:
    """None, NaN, or the NA of a data frame."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # of both kinds
    return isinstance(value, float | np.floating) and math.isnan(value)


def _first(mask: Mask) -> Any:
    where = np.argwhere(mask)[0].tolist()
    return where[0] if len(where) == 1 else tuple(where)


def _described(values: NDArray[Any]) -> str:
    return "text" if values.dtype.kind in "US" else f"values of type {values.dtype}"


def _hint(values: NDArray[Any]) -> str:
    return _text_hint("") if values.dtype.kind in "US" else ""


def _text_hint(value: Any) -> str:
    return (
        "; to compare predictions with a gold standard use compare(..., y_true=...)" if isinstance(value, str) else ""
    )
