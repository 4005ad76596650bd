"""Arithmetic on integers of any size is exact, and nothing else is taken for an integer."""

import numpy as np
import pytest

from exactperm.integers import NARROW, SHORT, as_narrow, dot, integer_array, largest, subtract, total, whole

TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


@pytest.mark.parametrize("size", [1, 10, 2**20, 2**31, 2**45, 2**61])
@pytest.mark.parametrize("length", [0, 3, 200, 5000])
def test_dot_is_exact(size, length):
    rng = np.random.default_rng(2)
    values = rng.integers(-size, size, length, endpoint=True)
    for most in (1, 1000, 2**33):
        numbers = rng.integers(-most, most, length, endpoint=True)
        expected = sum(x * y for x, y in zip(values.tolist(), numbers.tolist(), strict=True))
        assert dot(values, numbers) == expected


def test_integer_array():
    assert integer_array([True, False], "a").dtype == np.uint8
    assert integer_array(np.array([1, 2**70], dtype=object), "a").dtype == object
    for wrong in ([1.0], ["x"], np.array([1, 2.0], dtype=object), np.array([True, 2], dtype=object)):
        with pytest.raises(TypeError, match="scores must hold integers or booleans"):
            integer_array(wrong, "scores")


def arrays():
    """Arrays of all types with what is largest in them, and of sizes about 2^62."""
    for dtype in TYPES:
        ends = np.iinfo(dtype)
        yield np.array([ends.min, ends.max, 1], dtype=dtype)
        yield np.array([ends.max], dtype=dtype)
        yield np.array([ends.min, 0, 0], dtype=dtype)
        yield np.zeros(0, dtype=dtype)
    for size in (1, 2**40, NARROW - 1, NARROW, NARROW + 1):
        for signs in ([1], [-1], [1, -1], [1, 0, 1], [-1, -1]):
            yield np.array([sign * size for sign in signs])
            yield np.array([sign * size for sign in signs], dtype=object)
    yield np.array([2**70, -(2**80)], dtype=object)


def test_the_largest_magnitude_is_exact_or_for_small_types_a_bound():
    for x in arrays():
        true = max((abs(v) for v in x.tolist()), default=0)
        found = largest(x)
        assert type(found) is int
        if x.dtype.kind in "iu" and x.dtype.itemsize < 8:
            assert max(true, 1) <= found <= 2 ** (8 * x.dtype.itemsize)
        else:
            assert found == true


def test_as_narrow_keeps_the_integers_and_is_int64_where_that_is_safe():
    for x in arrays():
        narrow = as_narrow(x)
        assert narrow.tolist() == x.tolist()
        if x.dtype.kind in "iu" and x.dtype.itemsize < 8:
            assert narrow.dtype == x.dtype
        else:
            assert narrow.dtype == (np.int64 if all(abs(v) < NARROW for v in x.tolist()) else object)
    same = np.arange(5)
    assert as_narrow(same) is same


def test_differences_are_exact():
    for x in arrays():
        for y in arrays():
            if x.size == y.size:
                difference = subtract(x, y)
                assert difference.tolist() == [v - w for v, w in zip(x.tolist(), y.tolist(), strict=True)]
                assert difference.dtype in (np.dtype(np.int64), np.dtype(object))


def test_totals_are_exact_with_a_bound_and_without():
    for x in arrays():
        for copies in (1, 2, 3, 1000):
            many = np.tile(x, copies)
            true = sum(many.tolist())
            most = max((abs(v) for v in x.tolist()), default=0)
            found = [total(many), total(many, most), total(many, 2 * most + 1)]
            assert found == [true] * 3
            assert {type(v) for v in found} == {int}


@pytest.mark.parametrize("length", [SHORT - 1, SHORT, SHORT + 1, 3 * SHORT])
@pytest.mark.parametrize(
    ("value", "number"), [(2**61, 1), (2**30, 2**31), (1, 2**61), (2**55, 2**20), (2**31 + 1, 2**23)]
)
def test_dot_is_exact_next_to_where_64_bits_end(length, value, number):
    values, numbers = np.full(length, value), np.full(length, number)
    for change in (0, 1, -1):
        x, n = values + change, numbers - change
        n[-1] = 1
        assert dot(x, n) == (value + change) * ((length - 1) * (number - change) + 1)
        assert dot(-x, n) == dot(x, -n) == -dot(x, n)
        assert dot(x.astype(object), n) == dot(x, n)


def test_whole():
    for x in (3, True, np.int8(3), np.uint64(2**63)):
        assert whole(x, "n") == x
        assert type(whole(x, "n")) is int
    for wrong in (3.0, "3", None):
        with pytest.raises(TypeError, match=f"^n must be an integer, not {wrong!r}"):
            whole(wrong, "n")


def test_an_empty_list_is_an_array_of_integers():
    assert integer_array([], "a").dtype == np.int64
    assert integer_array(np.zeros((0, 3)), "a").shape == (0, 3)
    with pytest.raises(TypeError, match=r"^a must hold integers or booleans, not float64$"):
        integer_array([0.5], "a")
