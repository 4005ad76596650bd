"""The waist: counting effects exactly, whatever the type and size of the scores."""

import tracemalloc
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exactperm.counting import BLOCK
from exactperm.effects import Effects
from exactperm.integers import NARROW


def table(effects):
    return {
        tuple(int(x) for x in value): (int(plus), int(minus))
        for value, plus, minus in zip(effects.values, effects.n_plus, effects.n_minus, strict=True)
    }


def by_hand(a, b):
    found = {}
    for x, y in zip(a, b, strict=True):
        d = int(x) - int(y)
        plus, minus = found.get((abs(d),), (0, 0))
        found[(abs(d),)] = (plus + (d > 0), minus + (d < 0))
    found.pop((0,), None)
    return dict(sorted(found.items()))


SCORES = {
    "narrow": (np.int64, 10, 500),
    "one block and a bit": (np.int64, 5, BLOCK + 17),
    "wide window": (np.int64, 10**6, 3000),
    "sorted, not counted": (np.int64, 10**15, 3000),
    "nearly 64 bits": (np.int64, 2**61, 400),
    "64 bits": (np.int64, 2**63 - 1, 400),
    "int8": (np.int8, 127, 5000),
    "int32": (np.int32, 2**31 - 1, 4000),
}


@pytest.mark.parametrize("name", SCORES)
def test_from_scores_against_counting_by_hand(name):
    dtype, size, items = SCORES[name]
    rng = np.random.default_rng(4)
    a, b = rng.integers(-size, size, (2, items), endpoint=True, dtype=dtype)
    effects = Effects.from_scores(a, b)
    assert table(effects) == by_hand(a, b)
    assert (effects.n_items, effects.n_tied) == (items, int((a == b).sum()))
    assert effects.totals_a == (sum(a.tolist()),)
    assert effects.totals_b == (sum(b.tolist()),)
    assert effects.difference == (sum(a.tolist()) - sum(b.tolist()),)
    assert effects.values.dtype == (object if int(effects.values.max()) >= NARROW else np.int64)
    assert (np.diff(effects.values[:, 0]) > 0).all()


def test_from_scores_of_unsigned_and_python_integers():
    a = np.array([0, 2**64 - 1, 7, 7], np.uint64)
    b = np.array([2**64 - 1, 0, 7, 9], np.uint64)
    expected = {(2,): (0, 1), (2**64 - 1,): (1, 1)}
    assert table(Effects.from_scores(a, b)) == expected
    assert table(Effects.from_scores(a.astype(object), b.astype(object))) == expected
    assert table(Effects.from_scores(a, b.astype(object))) == expected


def test_groups_are_summed_exactly():
    a = np.array([2**62, 2**62, 5, -(2**62), 1])
    b = np.array([-(2**62), -(2**62), 4, 0, 1])
    effects = Effects.from_scores(a, b, np.array([1, 1, 0, 1, 0]))
    assert table(effects) == {(1,): (1, 0), (3 * 2**62,): (1, 0)}
    assert (effects.n_groups, effects.n_items) == (2, 5)
    texts = Effects.from_scores(a, b, np.array(["x", "x", "y", "x", "y"]))
    assert texts == effects


def test_differences_may_be_further_apart_than_64_bits():
    most = NARROW - 1
    effects = Effects.from_sums(np.array([[most, 0], [-most, 1]]), np.array([[-most, 0], [most, 3]]), ("x", "y"))
    assert table(effects) == {(2 * most, 0): (1, 0), (2 * most, 2): (0, 1)}


def test_grouping_random_data_by_hand():
    rng = np.random.default_rng(1)
    a, b, groups = rng.integers(-50, 50, (3, 4000))
    sums = Counter()
    for x, y, g in zip(a.tolist(), b.tolist(), groups.tolist(), strict=True):
        sums[g] += x - y
    assert table(Effects.from_scores(a, b, groups)) == by_hand(sums.values(), [0] * len(sums))


@pytest.mark.parametrize("size", [3, 1000, 2**40, 2**70])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_from_sums_against_counting_by_hand(size, width):
    rng = np.random.default_rng(width)
    draws = rng.integers(-3, 4, (2, 300, width))
    a, b = (x.astype(object) * (size // 3) if size > 2**62 else x * (size // 3) for x in draws)
    effects = Effects.from_sums(a, b, tuple("wxyz"[:width]))
    found = {}
    for row in (a - b).tolist():
        lead = next((x for x in row if x), 0)
        key = tuple(x if lead > 0 else -x for x in row)
        plus, minus = found.get(key, (0, 0))
        found[key] = (plus + (lead > 0), minus + (lead < 0))
    tied = found.pop((0,) * width, None)
    assert table(effects) == dict(sorted(found.items()))
    assert effects.n_tied == 300 - sum(p + m for p, m in found.values())
    assert tied in (None, (0, 0))
    assert effects.totals_a == tuple(sum(column) for column in zip(*a.tolist(), strict=True))


def test_from_counts():
    effects = Effects.from_counts({-1: 310, 0: 9000, 2: 475, 1: 5, 7: 0})
    assert table(effects) == {(1,): (5, 310), (2,): (475, 0)}
    assert (effects.n_items, effects.n_tied, effects.totals_a) == (9790, 9000, None)
    assert effects.totals_b is None
    assert effects.difference == (645,)
    assert Effects.from_counts({-1: 2}, totals_a=10).totals_b == (12,)
    assert Effects.from_counts({-1: 2}, totals_b=10).totals_a == (8,)
    assert Effects.from_counts({-1: 2}, totals_a=8, totals_b=10).totals_a == (8,)
    assert Effects.from_counts({(1, -1): 3, (0, 2): 1}).names == ("sum1", "sum2")
    assert Effects.from_counts({3: 2}, n_items=20).n_items == 20
    assert Effects.from_counts({}).n_items == 0
    assert Effects.from_counts({np.int64(3): np.int64(2)}) == Effects.from_counts({3: 2})
    billions = Effects.from_counts({1: 2**40, -3: 2**41})
    assert billions.difference == (2**40 - 3 * 2**41,)


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: Effects.from_counts({1: -2}), ValueError, "number of items in counts is negative: -2"),
        (lambda: Effects.from_counts({1: 2.5}), TypeError, "number of items in counts must be an integer, not 2.5"),
        (lambda: Effects.from_counts({0.5: 2}), TypeError, "an effect in counts must be an integer, not 0.5"),
        (lambda: Effects.from_counts({(1, 2): 2, 3: 1}), ValueError, "every effect in counts needs 2 integers"),
        (lambda: Effects.from_counts([(1, 2)]), TypeError, "counts must be a mapping .*, not list"),
        (lambda: Effects.from_counts({1: 2**62, -1: 2**62}), ValueError, "fewer than 2\\^62 can be counted"),
        (lambda: Effects.from_counts({1: 2**63}), ValueError, "fewer than 2\\^62 can be counted"),
        (
            lambda: Effects.from_counts({1: 2**61}) + Effects.from_counts({1: 2**61}),
            ValueError,
            "4611686018427387904 groups are too many",
        ),
        (lambda: Effects.from_counts({1: 3}, n_items=2), ValueError, "n_items=2 is less than the 3 groups"),
        (lambda: Effects.from_counts({1: 3}, unit=0.1), TypeError, r"unit must be .*; write Fraction\('0.1'\)"),
        (lambda: Effects.from_counts({1: 3}, unit=0), ValueError, "unit must be positive, not 0"),
        (lambda: Effects.from_counts({1: 2}, totals_a=(1, 2)), ValueError, "totals need 1 integers for score; got 2"),
        (lambda: Effects.from_counts({1: 2}, totals_a=5, totals_b=5), ValueError, "totals_a - totals_b is not the"),
        (lambda: Effects.from_scores(np.ones(3), np.ones(3)), TypeError, "a must hold integers or booleans, not float"),
        (lambda: Effects.from_scores(np.ones(3, int), np.ones(2, int)), ValueError, "one score per item each; got"),
        (lambda: Effects.from_scores(np.ones((3, 1), int), np.ones((3, 1), int)), ValueError, "one score per item"),
        (lambda: Effects.from_sums(np.ones((3, 2), int), np.ones((3, 2), int), ("x",)), ValueError, "need shape"),
        (
            lambda: Effects.from_sums(np.ones((3, 2), int), np.ones((4, 2), int), ("x", "y")),
            ValueError,
            r"a and b need shape \(items, 2\) for the sums x, y; got \(3, 2\) and \(4, 2\)",
        ),
        (lambda: Effects.from_sums(np.ones(3, int), np.ones(3, int), ("x", "y", "z")), ValueError, "need shape"),
        (lambda: Effects.from_scores(np.ones(3, int), np.ones(3)), TypeError, "^b must hold integers"),
        (lambda: Effects.from_score_rows(np.ones((1, 3)), np.ones((1, 3), int)), TypeError, "^a must hold integers"),
        (lambda: Effects.from_score_rows(np.ones((1, 3), int), np.ones((1, 3))), TypeError, "^b must hold integers"),
        (lambda: Effects.from_sums(np.ones((1, 1)), np.ones((1, 1), int), ("x",)), TypeError, "^a must hold integers"),
        (lambda: Effects.from_sums(np.ones((1, 1), int), np.ones((1, 1)), ("x",)), TypeError, "^b must hold integers"),
        (lambda: Effects.from_counts({1: 3}, n_items=2.5), TypeError, "^n_items must be an integer, not 2.5"),
        (lambda: Effects.from_counts({(1, 2): 2, 3: 1}), ValueError, "needs 2 integers for sum1, sum2$"),
        (
            lambda: Effects.from_counts({(1, 2): 2}) + Effects.from_counts({(1, 2): 2}, names=("x", "y")),
            ValueError,
            "cannot add effects of different sums: sum1, sum2 and x, y",
        ),
        (
            lambda: Effects.from_scores(np.ones(3, int), np.ones(3, int), np.array([1, 2])),
            ValueError,
            "groups needs one label per item",
        ),
        (
            lambda: Effects.from_counts({1: 2}) + Effects.from_counts({1: 2}, names=("hits",)),
            ValueError,
            "cannot add effects of different sums: score and hits",
        ),
    ],
)
def test_refused(build, error, words):
    with pytest.raises(error, match=words):
        build()


def test_parts_add_up_with_sum():
    parts = [Effects.from_counts({1: 2, -3: i}) for i in range(4)]
    assert sum(parts) == parts[0] + parts[1] + parts[2] + parts[3]
    with pytest.raises(TypeError):
        sum(parts, 1)


def test_units_merge_to_the_largest_common_one():
    sixth = Effects.from_counts({3: 2, -1: 1}, totals_a=30, unit=Fraction(1, 6))
    quarter = Effects.from_counts({2: 5}, totals_a=20, unit=Fraction(1, 4))
    both = sixth + quarter
    assert both.unit == Fraction(1, 12)
    assert table(both) == {(2,): (0, 1), (6,): (7, 0)}
    assert both.totals_a == (30 * 2 + 20 * 3,)
    assert both == quarter + sixth
    without = Effects.from_counts({2: 5}, unit=Fraction(1, 4))
    assert (sixth + without).totals_a is None
    huge = Effects.from_counts({2**61: 5}) + Effects.from_counts({1: 1}, unit=Fraction(1, 1000))
    assert table(huge) == {(1,): (1, 0), (1000 * 2**61,): (5, 0)}


def test_addition_with_something_else_is_refused():
    with pytest.raises(TypeError):
        Effects.from_counts({1: 2}) + 3
    assert Effects.from_counts({1: 2}) != 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(Effects.from_counts({1: 2}))


def test_what_was_lost_in_rounding_adds_up_in_every_unit():
    """A bound that came out smaller would make certain what is not."""
    sixth = replace(Effects.from_counts({3: 2, -1: 1}, unit=Fraction(1, 6)), rounding=7)
    quarter = replace(Effects.from_counts({2: 5}, unit=Fraction(3, 4)), rounding=11)
    whole = replace(Effects.from_counts({10**30: 5}, unit=Fraction(2)), rounding=2**70)
    for one, other in ((sixth, quarter), (quarter, sixth), (whole, sixth), (sixth, whole), (sixth, sixth)):
        both = one + other
        assert both.rounding * both.unit == one.rounding * one.unit + other.rounding * other.unit
        assert type(both.rounding) is int
        (value,) = both.difference
        assert value * both.unit == one.difference[0] * one.unit + other.difference[0] * other.unit
        assert all(type(x) is int for x in both.values.ravel().tolist())
    assert sixth != replace(sixth, rounding=8)


@pytest.mark.parametrize("size", [1, 9, 10**6, 2**61, 2**62, 2**70])
@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (2, 5), (7, 3), (5, 40)])
def test_rows_of_scores_are_counted_as_one_by_one(monkeypatch, size, shape):
    monkeypatch.setattr("exactperm.effects.BLOCK", 4)  # a few rows at once
    rng = np.random.default_rng(shape[1])
    a, b = (np.array([[int(x) * size // 10 for x in row] for row in rng.integers(-10, 11, shape)]) for _ in "ab")
    rows = Effects.from_score_rows(a, b)
    assert rows == [Effects.from_scores(x, y) for x, y in zip(a, b, strict=True)]
    for effects, x, y in zip(rows, a.tolist(), b.tolist(), strict=True):
        assert (effects.names, effects.n_items) == (("score",), shape[1])
        assert table(effects) == by_hand(x, y)
        assert effects.totals_a == (sum(x),)
        assert effects.totals_b == (sum(y),)


def test_equality_sees_every_part():
    one = Effects.from_counts({1: 2, -2: 1}, totals_a=3)
    assert one == Effects.from_counts({-2: 1, 1: 2}, totals_a=3)
    others = [
        Effects.from_counts({1: 2, -2: 1}),
        Effects.from_counts({1: 2, 2: 1}, totals_a=3),
        Effects.from_counts({1: 3, -2: 1}, totals_a=3),
        Effects.from_counts({1: 2, -3: 1}, totals_a=3),
        Effects.from_counts({1: 2, -2: 1, 0: 1}, totals_a=3),
        Effects.from_counts({1: 2, -2: 1}, totals_a=3, unit=Fraction(1, 2)),
        Effects.from_counts({1: 2, -2: 1}, totals_a=3, n_items=9),
    ]
    assert all(one != other for other in others)


def test_exchanged():
    one = Effects.from_counts({1: 2, -2: 1, 0: 3}, totals_a=3)
    assert one.exchanged() == Effects.from_counts({-1: 2, 2: 1, 0: 3}, totals_b=3)
    assert one.exchanged().exchanged() == one


def test_from_frame_hands_everything_on():
    pd = pytest.importorskip("pandas")
    x, y, doc, weight = [1.5, 2.0, np.nan, 3.0], [1.0, 2.5, 1.0, 0.0], ["p", "q", "p", "q"], [1, 2, 5, 3]
    frame = pd.DataFrame({"x": x, "y": y, "doc": doc, "weight": weight})
    found = Effects.from_frame(
        frame, a="x", b="y", group="doc", weight="weight", nan_policy="omit", grid=Fraction(1, 4)
    )
    assert table(found) == {(2,): (1, 0), (32,): (1, 0)}
    assert (found.unit, found.n_items) == (Fraction(1, 4), 6)
    with pytest.raises(ValueError, match="lacks 1 values"):
        Effects.from_frame(frame, a="x", b="y")
    plain = Effects.from_frame(frame.dropna(), a="x", b="y")
    assert {value * plain.unit: counts for (value,), counts in table(plain).items()} == {
        Fraction(1, 2): (1, 1),
        Fraction(3): (1, 0),
    }


def test_repr():
    grouped = Effects.from_scores(np.array([1, 2, 3]), np.array([1, 1, 1]), np.array([0, 0, 1]))
    assert repr(grouped) == "Effects(score: 3 items in 2 groups, 0 tied, 2 distinct effects)"
    two = Effects.from_counts({(1, 2): 3, (0, 0): 1})
    assert repr(two) == "Effects(sum1, sum2: 4 items, 1 tied, 1 distinct effects)"


def test_counting_makes_no_copy_of_the_data():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 20, (2, 4_000_000))
    Effects.from_scores(a[:10], b[:10])
    tracemalloc.start()
    try:
        Effects.from_scores(a, b)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < a.nbytes / 8
