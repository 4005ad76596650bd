"""The single items behind a result: the right sums by group, no copies, and an error where there are none."""

import pickle
import tracemalloc

import numpy as np
import pytest

import exactperm as xp

A = [3, 1, 2, 5, 4, 0]
B = [1, 1, 5, 2, 4, 1]
GROUPS = ["x", "y", "x", "z", "y", "z"]


def sums(result):
    return result.problem.group_sums("this test")


def test_without_groups_every_item_is_one():
    found = sums(xp.paired_test(A, B))
    assert found.a[:, 0].tolist() == A
    assert found.b[:, 0].tolist() == B
    assert found.labels.tolist() == list(range(6))
    assert found.sizes.tolist() == [1] * 6


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, object, np.float32, np.float64])
def test_sums_by_group(kind):
    found = sums(xp.paired_test(np.array(A, dtype=kind), np.array(B, dtype=kind), groups=GROUPS))
    assert found.labels.tolist() == ["x", "y", "z"]
    assert found.sizes.tolist() == [2, 2, 2]
    assert found.a[:, 0].tolist() == [5, 5, 5]
    assert found.b[:, 0].tolist() == [6, 5, 3]


def test_small_integers_do_not_overflow():
    many = np.full(1000, -128, dtype=np.int8)
    found = sums(xp.paired_test(many, np.zeros_like(many), groups=np.zeros(1000, dtype=int)))
    assert found.a.tolist() == [[-128_000]]


def test_sums_of_reals_do_not_depend_on_the_order_of_items():
    rng = np.random.default_rng(0)
    a, b, groups = rng.normal(size=300), rng.normal(size=300), rng.integers(0, 9, 300)
    order = rng.permutation(300)
    one = sums(xp.paired_test(a, b, groups=groups, method="bracket"))
    other = sums(xp.paired_test(a[order], b[order], groups=groups[order], method="bracket"))
    assert np.array_equal(one.a, other.a)
    assert np.array_equal(one.b, other.b)


def test_omitted_items_keep_their_index():
    found = sums(xp.paired_test([1.0, np.nan, 3.0], [0.0, 1.0, 1.0], nan_policy="omit"))
    assert found.labels.tolist() == [0, 2]
    assert found.a[:, 0].tolist() == [1.0, 3.0]


def test_counts_of_a_metric():
    a = {"tp": [5, 3, 4], "fp": [1, 0, 1], "fn": [0, 2, 0]}
    b = {"fn": [1, 2, 1], "fp": [2, 1, 1], "tp": [4, 3, 3]}
    found = sums(xp.paired_test(a, b, metric="f1"))
    assert found.a.shape == (3, 3)
    assert found.a.sum(axis=0).tolist() == list(xp.paired_test(a, b, metric="f1").problem.effects.totals_a)


def test_pairs_of_compare():
    found = sums(xp.compare({"A": A, "B": B, "C": B[::-1]}, groups=GROUPS).pairs[0])
    assert found.a[:, 0].tolist() == [5, 5, 5]
    gold = [1, 0, 1, 1]
    pair = xp.compare({"A": gold, "B": [1, 1, 1, 0]}, y_true=gold, metric="f1").pairs[0]
    assert (sums(pair).a.sum(axis=0) - sums(pair).b.sum(axis=0)).tolist() == list(pair.problem.effects.difference)


def test_the_arrays_that_came_are_kept_and_not_copied():
    a, b = np.array(A), np.array(B)
    items = xp.paired_test(a, b).problem.items
    assert items.a is a
    assert items.b is b


def test_memory_stays_small():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (2, 10**6))
    xp.paired_test(a, b)
    tracemalloc.start()
    result = xp.paired_test(a, b)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.n_items == 10**6
    assert peak < a.nbytes / 2


def test_pickles():
    result = xp.paired_test(A, B, groups=GROUPS)
    assert sums(pickle.loads(pickle.dumps(result))).a.tolist() == sums(result).a.tolist()


def test_counts_alone_have_no_items():
    result = xp.paired_test(xp.Effects.from_counts({1: 3, 0: 4}))
    with pytest.raises(ValueError, match=r"the report needs the single items, .* counts of effects only"):
        result.problem.group_sums("the report")
