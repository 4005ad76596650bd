"""Arithmetic on arrays of integers of any size: int64 where it provably fits, Python integers where it does not."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NARROW", "Integers", "as_narrow", "dot", "integer_array", "largest", "subtract", "total", "whole"]

Integers = NDArray[Any]  # int64, or Python integers in an object array

#: magnitudes below this are safe in int64 with room for a sum or a difference of two
NARROW = 2**62
#: sums of products this short are quickest in Python integers
SHORT = 64


def integer_array(x: Any, name: str) -> Integers:
    """Return `x` as an array of some integer type, refusing anything else."""
    x = np.asarray(x)
    if x.dtype == np.bool_:
        return np.asarray(x.view(np.uint8))
    if x.size == 0:  # NumPy makes floats of an empty list
        return np.asarray(x.astype(np.int64))
    if x.dtype.kind in "iu" or (x.dtype == object and all(type(v) is int for v in x.flat)):
        return np.asarray(x)
    raise TypeError(f"{name} must hold integers or booleans, not {x.dtype}")


def whole(x: Any, name: str) -> int:
    """Return `x` as a Python integer if it is one."""
    if isinstance(x, (int, np.integer)):
        return int(x)
    raise TypeError(f"{name} must be an integer, not {x!r}")


def as_narrow(x: Integers) -> Integers:
    """The same integers in a type that int64 arithmetic can take, if they all are below 2^62 in magnitude."""
    if x.dtype.kind in "iu" and x.dtype.itemsize < 8:
        return x
    return x.astype(np.int64 if largest(x) < NARROW else object, copy=False)


def largest(x: Integers) -> int:
    """The largest magnitude, or for small types a bound on it."""
    if x.dtype.kind in "iu" and x.dtype.itemsize < 8:
        return int(2 ** (8 * x.dtype.itemsize))
    # the methods max, min and sum go through Python, which costs as much as some thousand numbers
    return max(int(np.maximum.reduce(x, axis=None)), -int(np.minimum.reduce(x, axis=None))) if x.size else 0


def subtract(a: Integers, b: Integers) -> Integers:
    """The differences, in a type that holds them all."""
    a, b = as_narrow(a), as_narrow(b)
    if object in (a.dtype, b.dtype):
        return np.asarray(a.astype(object) - b.astype(object))
    return np.subtract(a, b, dtype=np.int64, casting="unsafe")


def total(x: Integers, bound: int | None = None) -> int:
    """The exact sum of an array of integers, of which a bound on the magnitudes may be known."""
    if x.dtype == object:
        return int(sum(x.tolist()))
    if x.dtype.itemsize < 8 or (largest(x) if bound is None else bound) * x.size < NARROW:
        return int(np.add.reduce(x, axis=None, dtype=np.int64))
    # two halves of 32 bits each, summed apart, cannot overflow below 2^31 items
    return (int((x >> 32).sum(dtype=np.int64)) << 32) + int((x & 0xFFFFFFFF).sum(dtype=np.int64))


def dot(values: Integers, counts: NDArray[np.int64]) -> int:
    """The exact sum of values times counts."""
    if values.dtype != object and values.size > SHORT:
        if (
            largest(values) * largest(counts) * values.size < NARROW
            or float(np.abs(values.astype(np.float64) * counts).sum()) < NARROW
        ):
            return int(np.dot(values, counts))
        if float(np.abs(counts).sum(dtype=np.float64)) < 2**30:
            # two halves of 32 bits each, summed apart, cannot overflow
            wide = values.astype(np.int64, copy=False)
            return (int(np.dot(wide >> 32, counts)) << 32) + int(np.dot(wide & 0xFFFFFFFF, counts))
    return int(sum(map(operator.mul, values.tolist(), counts.tolist())))
