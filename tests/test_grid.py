"""Grids are found where every value lies on them, and only there."""

from fractions import Fraction

import numpy as np
import pytest

from exactperm.grid import find_grid, to_grid

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("digits", range(1, 13))
def test_decimals(digits):
    k = RNG.integers(-(10**digits), 10**digits, 200)
    k[0] = 10 * (k[0] // 10) + 1  # the last digit is needed
    scores = np.array([float(f"{Fraction(int(x), 10**digits) * 10**digits}e-{digits}") for x in k])
    assert find_grid(scores) == Fraction(1, 10**digits)
    np.testing.assert_array_equal(to_grid(scores, Fraction(1, 10**digits)), k)


@pytest.mark.parametrize("value", [0.3, 0.1234567, 123.4567, -0.5001])
@pytest.mark.parametrize("direction", [-np.inf, np.inf])
def test_one_ulp_off_is_no_grid(value, direction):
    scores = np.array([0.25, value, 0.7, 0.1])
    assert find_grid(scores) is not None
    scores[1] = np.nextafter(value, direction)
    assert find_grid(scores) is None
    with pytest.raises(ValueError, match="is not a multiple of it"):
        to_grid(scores, Fraction(1, 10**7))


def test_float32_decimals_as_float32_and_as_doubles():
    exact = np.array([0.8063, 0.7923, 0.1, 0.55])
    single = exact.astype(np.float32)
    assert float(single[0]) == 0.8062999844551086
    for scores in (single, single.astype(np.float64)):
        assert find_grid(scores) == Fraction(1, 10000)
        np.testing.assert_array_equal(to_grid(scores, Fraction(1, 10000)), [8063, 7923, 1000, 5500])
    mixed = np.array([*single.astype(np.float64), 0.3])  # 0.3 is no float32
    assert find_grid(mixed) is None
    single[2] = np.nextafter(single[2], np.float32(1))
    assert find_grid(single) is None


@pytest.mark.parametrize("scale", [1, 100, 1e4])
@pytest.mark.parametrize("bits", [8, 11, 24])
def test_float32_scores_that_are_exact_decimals_keep_every_digit(bits, scale):
    """Scores of models in bfloat16 or half precision, stored as float32: multiples past 2^24 on a decimal grid."""
    for _ in range(200):
        mantissa = RNG.integers(2 ** (bits - 1), 2**bits, 3) * RNG.choice([-1, 1], 3)
        scores = (mantissa * 2.0 ** -RNG.integers(bits - 8, bits, 3) * scale).astype(np.float32)
        for array in (scores, scores.astype(np.float64)):
            unit = find_grid(array)
            if unit is None:
                continue
            multiples = [int(k) * unit for k in to_grid(array, unit)]
            assert [float(np.float32(float(k))) for k in multiples] == array.tolist()
            if unit.denominator > 2**22:  # found as doubles, and these floats are short
                assert multiples == [Fraction(float(x)) for x in scores]
    assert to_grid(np.array([-0.5390625, 0.67578125], np.float32), Fraction(1, 10**8)).tolist() == [-53906250, 67578125]


def test_noise_is_no_grid():
    assert find_grid(RNG.random(1000)) is None
    assert find_grid(RNG.random(1000, dtype=np.float32)) is None
    assert find_grid(RNG.random(1), RNG.random(1)) is None
    for _ in range(300):  # few float32 values, nearly half of them multiples of 1e-7
        assert find_grid(RNG.random(2, dtype=np.float32)) is None


def test_simple_fractions_are_no_evidence_for_a_finer_grid():
    assert find_grid(np.array([1 / 3, 1 / 5], dtype=np.float32)) == Fraction(1, 15)
    assert find_grid(np.array([1 / 3, 1 / 5, 500 / 1009], dtype=np.float32)) is None


def test_a_single_value_needs_evidence():
    assert find_grid(np.array([0.912345678])) == Fraction(1, 10**9)
    assert find_grid(np.array([0.9123456781])) is None
    assert find_grid(np.array([0.9123456781]), np.array([0.9876543219])) == Fraction(1, 10**10)


@pytest.mark.parametrize(
    ("scores", "q"),
    [
        ([1 / 3, 0.5, 1.0], 6),
        ([1 / k for k in range(1, 11)], 2520),
        ([2 * c / s for c in range(5) for s in range(9, 14)], 12870),
        ([2 / 3, 0.8063], 30000),
        ([1 / 65521, 0.0], 65521),
        ([1 / 65536, 1.0], 65536),
        ([3.0, 4.0, -1e15], 1),
    ],
)
def test_fractions(scores, q):
    scores = np.array(scores)
    unit = find_grid(scores)
    assert unit == Fraction(1, q)
    k = to_grid(scores, unit)
    assert [float(Fraction(int(x)) * unit) for x in k] == scores.tolist()


def test_limits():
    assert find_grid(np.array([1 / 65537, 1 / 65539])) is None  # denominators past 2^16
    assert find_grid(np.array([2.0**52])) is None  # past 2^51 steps
    assert find_grid(1 / np.arange(1, 101)) is None  # least common multiple past 2^51
    assert find_grid(np.array([1e300, 1e-300])) is None
    assert find_grid(np.array([5e-324, 0.5])) is None


def test_nothing_and_integers():
    assert find_grid(np.array([])) == 1
    assert find_grid(np.array([1, 2]), np.array([True, False])) == 1


def test_refused():
    with pytest.raises(ValueError, match="finite"):
        find_grid(np.array([0.1, np.nan]))
    with pytest.raises(TypeError, match="numbers"):
        find_grid(np.array(["0.1"]))
    with pytest.raises(ValueError, match=r"grid=1/4: 0.3 is not"):
        to_grid(np.array([0.5, 0.3]), Fraction(1, 4))
    np.testing.assert_array_equal(to_grid(np.array([10.0, 15.0]), Fraction(5)), [2, 3])
    with pytest.raises(ValueError, match=r"12\.0 is not"):
        to_grid(np.array([10.0, 12.0]), Fraction(5))
    with pytest.raises(ValueError, match="scores has int64 values that do not fit in float64; scale them or round"):
        find_grid(np.array([2**53 + 1]))
    with pytest.raises(ValueError, match=r"grid=1/1000000000000 is too fine for scores as large as 1099511627776\.0"):
        to_grid(np.array([2.0**40, 0.5]), Fraction(1, 10**12))
