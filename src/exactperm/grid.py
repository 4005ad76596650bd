"""The grid of real scores: decimals and small fractions are integers in disguise.

A score written 0.8063 is the double nearest to 8063/10000. If every score is the double (or the float32) nearest to
some k/q, differences taken after scaling by q are exact, and so are ties: 0.3 - 0.1 is then 0.2, which it is not in
floats. One value off the grid, by one ulp, means that there is no grid: no majority decides.

Which q are tried: 10^0 to 10^12, each dividing the next; then the least common multiple of the denominators of single
values, each at most 2^16 (2^10 for float32) and found by continued fractions: a fraction this simple is a convergent
of every float that it rounds to (Legendre). Always |k| <= 2^51 (2^22 for float32), so that no two k round to one
float and the quotient of two exact floats, correctly rounded, decides the question exactly.

How likely is noise to lie on a grid? Floats near x are ulp(x) apart and grid points 1/q, so that one random float is
on the grid with probability q ulp(x), and rounds to some fraction of denominator at most q with probability at most
q^2 ulp(x) / 2. Only distinct values that need the grid count as evidence, those whose own denominator is more than a
tenth of the largest. The product of their probabilities, times 10/9 each for all coarser decimals, has to be at most
2^-20. A single double near one passes with up to 9 decimals, two with 12; a single float32 passes hardly ever, three
with 4 decimals do, and a hundred that all have 6 do: 41 % of float32 noise below one is on the grid of 10^-7, but
not all of it. Powers of two need no evidence: on them nothing is rounded.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_floats", "as_unit", "as_written", "find_grid", "in_one_type", "to_grid"]

Floats = NDArray[np.float64]

DECIMALS = 12
#: |k| at most, so that k/q is the only multiple of 1/q that rounds to its float
LARGEST: dict[np.dtype[Any], int] = {np.dtype(np.float64): 2**51, np.dtype(np.float32): 2**22}
#: denominators of single values
DENOMINATOR: dict[np.dtype[Any], int] = {np.dtype(np.float64): 2**16, np.dtype(np.float32): 2**10}
#: how likely noise may pass for a grid
CHANCE = 2.0**-20
#: values looked at before all of them are
FEW = 64
#: values looked at for evidence
EVIDENCE = 4096
#: values treated at once
BLOCK = 1 << 15


def find_grid(*arrays: NDArray[Any]) -> Fraction | None:
    """Find the unit 1/q such that every value is the float nearest to a multiple of it.

    Parameters
    ----------
    *arrays
        Integers, booleans or floats, all finite. Values are taken as float32 if every one is a float32. Or object
        arrays of integers and fractions, which are on the grid of their common denominator.

    Returns
    -------
    unit
        1/q, or None if there is no such q within the limits.

    Examples
    --------
    >>> import numpy as np
    >>> find_grid(np.array([0.3, 0.1]), np.array([0.25, 0.5]))
    Fraction(1, 100)
    >>> find_grid(np.array([1 / 3, 0.5]))
    Fraction(1, 6)
    >>> find_grid(np.array([0.1 + 0.2])) is None
    True
    """
    if arrays and all(x.dtype == object for x in arrays):
        return Fraction(1, math.lcm(*(Fraction(v).denominator for x in arrays for v in x.flat)))
    flat = [as_floats(x, "scores").ravel() for x in arrays]
    flat = [x for x in flat if x.size]
    if not flat:
        return Fraction(1)
    for precision in (np.dtype(np.float64), np.dtype(np.float32)):
        if precision == np.float32 and not all(_holds_float32(x) for x in flat):
            return None
        unit = _decimal(flat, precision) or _fraction(flat, precision)
        if unit is not None:
            return unit
    return None


def to_grid(array: NDArray[Any], unit: Fraction) -> NDArray[Any]:
    """Write values as integer multiples of a unit, exactly.

    Every value has to be the double nearest to a multiple of the unit, or every one the nearest float32.

    Examples
    --------
    >>> import numpy as np
    >>> to_grid(np.array([0.3, 0.1]), Fraction(1, 10))
    array([3, 1])
    """
    if array.dtype == object:
        return _fractions_to_grid(array, unit)
    values = as_floats(array, "scores")
    for precision in LARGEST:
        if precision == np.float32 and not _holds_float32(values):
            break
        if _all_on(values.ravel(), unit.denominator, precision):
            # in float64 whatever the type: float32 products are too short for large multiples
            steps = np.rint(values.astype(np.float64, copy=False) * float(unit.denominator)).astype(np.int64)
            multiples, rest = np.divmod(steps, unit.numerator)
            if not rest.any():
                return np.asarray(multiples)
    raise ValueError(_off(values.ravel(), unit))


def as_unit(grid: Fraction | float | str | None) -> Fraction | None:
    """The unit as the user means it: 0.01 is a hundredth, not the double next to it."""
    if grid is None:
        return None
    unit = as_written(grid)
    if unit is None or unit <= 0:
        raise ValueError(f"grid must be 'auto', None or a positive number such as 0.01 or '1/60'; got {grid!r}")
    return unit


def as_written(x: Any) -> Fraction | None:
    """A number as the user wrote it, 0.01 for a hundredth; None for what is no finite number."""
    if isinstance(x, bool | np.bool_):
        return None
    try:
        return Fraction(str(x)) if isinstance(x, float | np.floating) else Fraction(x)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return None


def as_floats(x: Any, name: str) -> NDArray[Any]:
    """Return `x` as float64 or float32, refusing what is not finite and integers that would lose digits."""
    x = np.asarray(x)
    if x.dtype == object:
        return _nearest_floats(x, name)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be numbers, not {x.dtype}")
    floats = x if x.dtype in (np.float32, np.float64) else x.astype(np.float64)
    if not np.isfinite(floats).all():
        raise ValueError(f"{name} must be finite; drop or replace NaN and infinities")
    if x.dtype.itemsize > 4 and x.dtype != np.float64 and (floats.astype(x.dtype) != x).any():
        raise ValueError(f"{name} has {x.dtype} values that do not fit in float64; scale them or round them")
    return np.asarray(floats)


def in_one_type(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both as floats; or both as object arrays, exactly, if one has fractions or long integers and none has floats."""
    if object in (a.dtype, b.dtype) and "f" not in (a.dtype.kind, b.dtype.kind):
        return a.astype(object), b.astype(object)
    return as_floats(a, "a"), as_floats(b, "b")


def _nearest_floats(x: NDArray[Any], name: str) -> Floats:
    """Fractions and long integers as floats."""
    floats = np.array([float(v) for v in x.flat], dtype=np.float64).reshape(x.shape)
    if any(isinstance(v, int) and v != int(f) for v, f in zip(x.flat, floats.flat, strict=True)):
        raise ValueError(f"{name} has integers that do not fit in float64; scale them or round them")
    return floats


def _fractions_to_grid(x: NDArray[Any], unit: Fraction) -> NDArray[Any]:
    multiples = np.empty(x.shape, dtype=object)
    for i, value in enumerate(x.flat):
        multiple = Fraction(value) / unit
        if multiple.denominator != 1:
            raise ValueError(f"grid={unit}: {value} is not a multiple of it, the nearest is {round(multiple) * unit}")
        multiples.flat[i] = multiple.numerator
    return multiples


def _holds_float32(x: NDArray[Any]) -> bool:
    with np.errstate(over="ignore"):
        return x.dtype == np.float32 or bool((x.astype(np.float32) == x).all())


def _on(x: NDArray[Any], q: int, precision: np.dtype[Any]) -> NDArray[np.bool_]:
    """Tell which values are the float nearest to a multiple of 1/q, as that precision rounds.

    Rounding the quotient to float64 first does not change it in float32: numerator and denominator have at most 24
    bits there (Figueroa 1995).
    """
    x = x.astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        k = np.rint(x * float(q))
        quotient = k / float(q)
    if precision == np.float32:
        quotient = quotient.astype(np.float32).astype(np.float64)
    return np.asarray((quotient == x) & (np.abs(k) <= LARGEST[precision]))


def _all_on(x: NDArray[Any], q: int, precision: np.dtype[Any]) -> bool:
    """Are all on the grid? A few spread over the array are tried first, then block by block."""
    if q > LARGEST[precision] or not _on(_few(x, FEW), q, precision).all():
        return False
    return all(_on(x[i : i + BLOCK], q, precision).all() for i in range(0, x.size, BLOCK))


def _few(x: NDArray[Any], number: int) -> NDArray[Any]:
    return x[:: -(-x.size // number)] if x.size > number else x


def _ulp(x: Floats, precision: np.dtype[Any]) -> Floats:
    return np.asarray(np.spacing(np.abs(x).astype(precision)).astype(np.float64))


def _decimal(arrays: list[NDArray[Any]], precision: np.dtype[Any]) -> Fraction | None:
    """The fewest decimals that hold all values, if noise would not."""
    for digits in range(DECIMALS + 1):
        q = 10**digits
        if all(_all_on(x, q, precision) for x in arrays):
            sample = _distinct_few(arrays)
            needing = sample[~_on(sample, q // 10, precision)] if digits else sample[:0]
            chances = np.minimum(q / 0.9 * _ulp(needing, precision), 1.0)
            return Fraction(1, q) if digits == 0 or _convincing(chances) else None
    return None


def _fraction(arrays: list[NDArray[Any]], precision: np.dtype[Any]) -> Fraction | None:
    """The common denominator of all values, if it is small and noise would have none."""
    limit = DENOMINATOR[precision]
    if any((_denominators(_few(x, FEW), precision) > limit).any() for x in arrays):
        return None
    distinct = np.unique(np.concatenate([np.unique(np.abs(x.astype(np.float64, copy=False))) for x in arrays]))
    own = _denominators(distinct, precision)
    if (own > limit).any():
        return None
    q = math.lcm(*np.unique(own).tolist())
    if q > LARGEST[precision] or not all(_all_on(x, q, precision) for x in arrays):
        return None
    needing = 10 * own > own.max()
    chances = np.minimum(own[needing] ** 2 / 2.0 * _ulp(distinct[needing], precision), 1.0)
    return Fraction(1, q) if q & (q - 1) == 0 or _convincing(chances) else None


def _convincing(chances: Floats) -> bool:
    return float(np.add.reduce(np.log2(np.maximum(chances, 1e-300)))) <= math.log2(CHANCE)


def _distinct_few(arrays: list[NDArray[Any]]) -> Floats:
    """Some distinct magnitudes; leaving values out can only weaken the evidence."""
    few = [np.abs(_few(x, EVIDENCE).astype(np.float64)) for x in arrays]
    return np.asarray(np.unique(np.concatenate(few)))


def _denominators(x: NDArray[Any], precision: np.dtype[Any]) -> NDArray[np.int64]:
    """The smallest denominator, by continued fractions; more than the limit where there is none within it."""
    limit = DENOMINATOR[precision]
    value = np.abs(x.astype(np.float64))
    rest, whole = np.modf(value)
    denominator = np.full(value.size, limit + 1, dtype=np.int64)
    # convergents h/k of the fractional part: h_{i+1} = a h_i + h_{i-1}, k alike
    h, h_last = np.zeros(value.size), np.ones(value.size)
    k, k_last = np.ones(value.size), np.zeros(value.size)
    while True:  # ends soon: denominators grow by at least the golden ratio every two steps
        near = (whole * k + h) / k
        if precision == np.float32:
            near = near.astype(np.float32).astype(np.float64)
        hit = (near == value) & (k <= limit) & (denominator > limit)
        denominator[hit] = k[hit].astype(np.int64)
        going = (denominator > limit) & (rest > 0.0) & (k <= limit)
        if not going.any():
            break
        with np.errstate(over="ignore"):
            inverse = np.divide(1.0, rest, out=np.zeros_like(rest), where=going)
        rest, a = np.modf(np.minimum(inverse, 2.0**53))
        h, h_last = np.where(going, a * h + h_last, h), np.where(going, h, h_last)
        k, k_last = np.where(going, a * k + k_last, k), np.where(going, k, k_last)
    return denominator


def _off(x: NDArray[Any], unit: Fraction) -> str:
    """Name a value that is not a multiple, and what to do."""
    grid = str(unit) if unit.denominator < 10**18 else f"{float(unit):g}"
    if unit.denominator > max(LARGEST.values()):
        return f"grid={grid} is too fine for floating-point scores; grid=None takes them for what they are"
    for value in np.unique(x.astype(np.float64)).tolist():
        nearest = round(Fraction(value) / unit) * unit
        if float(nearest) == value:
            continue
        near = "; round the scores to the grid first" if abs(nearest - Fraction(value)) < unit / 1000 else ""
        return f"grid={grid}: {value!r} is not a multiple of it, the nearest is {float(nearest)!r}{near}"
    return f"grid={grid} is too fine for scores as large as {float(np.abs(x).max())!r}; scale them down"
