"""Comparisons: the float bound is a bound and is narrow; square roots are compared exactly."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactperm.metrics.exact import Approximate, Surd, exact_sum, quotient_sum

SIZES = (1, 10, 10**3, 10**6, 10**9, 2**53 - 1, 2**53 + 1, 10**18, 10**30)


def matthews(tp, fp, fn, tn):
    return tp * tn - fp * fn, (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)


def kappa(tp, fp, fn, tn):
    return 2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)


def odd(tp, fp, fn, tn):
    return 3 * tp * tp - 7 * fn * tn + 5 - (4 - fp) * tn, 1 + 2 * tn * tn + fp


def several(tp, fp, fn, tn):
    return [(tp, 2 * (tp + fn)), (-tn, 2 * (tn + fp)), odd(tp, fp, fn, tn)]


def as_fraction(x):
    return Fraction(float(x))


@pytest.mark.parametrize("ratio", [matthews, kappa, odd, several])
@pytest.mark.parametrize("root", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_error_bound_is_a_bound(ratio, root, size):
    rng = np.random.default_rng([size % 2**32, root])
    rows = [
        [int(x * size) + int(y) for x, y in zip(rng.random(4) ** 3, rng.integers(0, 3, 4), strict=True)]
        for _ in range(300)
    ]
    columns = [np.array(column, dtype=object) for column in zip(*rows, strict=True)]
    terms = ratio(*(Approximate.of(column) for column in columns))
    found = quotient_sum(terms if isinstance(terms, list) else [terms], root)
    widths = []
    for row, value, error in zip(rows, found.value, found.error, strict=True):
        terms = ratio(*row)
        exact = exact_sum(terms if isinstance(terms, list) else [terms], root, None)
        if exact is None:  # a denominator is zero
            assert error == math.inf
            continue
        low, high = exact.enclosed(256)
        assert max(abs(as_fraction(value) - low), abs(as_fraction(value) - high)) <= as_fraction(error)
        widths.append(error / max(abs(value), 1))
    assert np.median(widths) < 2e-15


def test_bound_survives_what_float64_does_not():
    huge = Approximate.of(np.array([10**400], dtype=object))
    assert quotient_sum([(huge, Approximate.of(np.array([7])))], False).error[0] == math.inf
    large = Approximate.of(np.array([10**120], dtype=object))
    with np.errstate(all="ignore"):
        found = quotient_sum([(large * large * large, Approximate.of(np.array([1])))], False)
    assert not found.error[0] < math.inf


whole = st.integers(-30, 30)
radicand = st.integers(1, 200)
surds = st.lists(st.tuples(st.fractions(min_value=-20, max_value=20, max_denominator=50), radicand), max_size=4)


def make(parts):
    total = Surd()
    for coefficient, r in parts:
        total += (
            exact_sum([(coefficient.numerator * r, 1)], False, None).scaled(Fraction(1, coefficient.denominator))
            if r == 1
            else exact_sum([(r, r)], True, None).scaled(coefficient)
        )
    return total


@given(surds)
def test_sign_agrees_with_many_digits(parts):
    with localcontext() as context:
        context.prec = 80
        total = sum(
            (Decimal(c.numerator) / Decimal(c.denominator) * Decimal(r).sqrt() for c, r in parts),
            Decimal(0),
        )
        want = 0 if abs(total) < Decimal(10) ** -60 else int(total.copy_sign(1) / total)
        found = make(parts)
        assert found.sign() == want
        assert float(found) == pytest.approx(float(total), rel=1e-15, abs=1e-60)


@given(st.lists(st.tuples(whole, st.integers(1, 10**6), st.integers(1, 40)), min_size=1, max_size=4))
def test_hidden_zeros(parts):
    # sqrt(r s^2) written once as it is and once as s sqrt(r)
    total = Surd()
    for coefficient, r, s in parts:
        hidden = exact_sum([(r * s * s, r * s * s)], True, None).scaled(Fraction(coefficient))
        plain = exact_sum([(r, r)], True, None).scaled(Fraction(coefficient * s))
        total += hidden - plain
    assert total.sign() == 0


def test_near_ties_of_roots():
    # sqrt(n + 1) - sqrt(n) - 1 / (2 sqrt(n)) is about -1 / (8 n^1.5): far below float64 for these n
    for n in (10**20, 10**30 + 7, 10**40 + 1):
        gap = make([(Fraction(1), n + 1), (Fraction(-1), n)]) - exact_sum([(1, 4 * n)], True, None)
        assert gap.sign() == -1


def test_float_is_the_nearest():
    assert float(exact_sum([(1, 3)], False, None)) == 1 / 3
    assert float(exact_sum([(2, 2)], True, None)) == math.sqrt(2)
    assert float(Surd()) == 0.0
    # next to halfway between two floats, closer than a first look tells
    halfway = (2**53 + 1) << 200
    assert float(Surd(((Fraction(1), halfway**2 + 1),))) == math.ldexp(2**52 + 1, 201)
    assert float(Surd(((Fraction(1), halfway**2 - 1),))) == math.ldexp(2**52, 201)


def test_undefined_terms_take_their_share():
    terms = [(1, 2), (0, 0)]
    assert exact_sum(terms, False, None) is None
    assert float(exact_sum(terms, False, Fraction(1))) == 1.0
    assert float(exact_sum(terms, False, Fraction(0))) == 0.5
