"""Arithmetic on integers of any size is exact, and nothing else is taken for an integer."""

import numpy as np
import pytest

from exactperm.integers import dot, integer_array


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
