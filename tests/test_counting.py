"""Histograms against counting by hand, on blocks and windows so small that every path is taken."""

from collections import Counter

import numpy as np
import pytest

from exactperm import counting
from exactperm.counting import _Window, canonical, count_rows, count_scores, count_tests, sum_groups
from exactperm.integers import largest

SMALL = {"BLOCK": 7, "WINDOW": 40, "FEW": 3}


def by_hand(rows):
    """Distinct rows with the first entry that is not zero positive, in order, and how many are zero."""
    found = {}
    for row in rows:
        lead = next((x for x in row if x), 0)
        key = tuple(x if lead > 0 else -x for x in row)
        plus, minus = found.get(key, (0, 0))
        found[key] = (plus + (lead > 0), minus + (lead < 0))
    found.pop((0,) * len(rows[0]), None) if rows else None
    return dict(sorted(found.items())), sum(not any(row) for row in rows)


def read(table):
    assert table.n_plus.dtype == table.n_minus.dtype == np.int64
    assert type(table.n_tied) is int
    values = [tuple(row) for row in table.values.tolist()]
    assert all(type(x) is int for row in values for x in row)
    return dict(zip(values, zip(table.n_plus.tolist(), table.n_minus.tolist(), strict=True), strict=True)), table.n_tied


def scores(rng, size, shape):
    """Pairs of which one system is often above the other, so that effects of one sign are the larger ones."""
    a, b = rng.integers(-size, size + 1, (2, *shape))
    low, high = np.minimum(a, b), np.maximum(a, b)
    return [(a, b), (low, high), (high, low)][rng.integers(0, 3)]


@pytest.fixture
def small(monkeypatch):
    for name, value in SMALL.items():
        monkeypatch.setattr(counting, name, value)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("size", [1, 2, 3, 4, 9, 15, 25, 200, 2**40])
def test_scores_are_counted_as_by_hand_whatever_the_blocks_and_windows(size):
    rng = np.random.default_rng(size)
    for items in (1, 2, 6, 7, 8, 14, 15, 40, 100):
        for _ in range(8):
            a, b = scores(rng, size, (items,))
            a, b = a + rng.integers(-size, size + 1), b + rng.integers(-size, size + 1)
            table, total = count_scores(a, b, (largest(a), largest(b)))
            assert read(table) == by_hand((a - b)[:, None].tolist())
            assert total == sum(a.tolist())


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("size", [1, 2, 5, 30, 300])
def test_many_tests_at_once_are_counted_as_one_by_one(size):
    rng = np.random.default_rng(size)
    for shape in ((1, 1), (1, 9), (3, 1), (4, 5), (2, 30), (5, 100), (45, 2)):
        for _ in range(8):
            a, b = scores(rng, size, shape)
            counted = count_tests(a, b, (largest(a), largest(b)))
            assert len(counted) == shape[0]
            for (table, total), x, y in zip(counted, a, b, strict=True):
                assert read(table) == by_hand((x - y)[:, None].tolist())
                assert total == sum(x.tolist())


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32])
def test_differences_of_narrow_types_do_not_wrap_around(dtype):
    ends = np.iinfo(dtype)
    a, b = (np.array(x, dtype=dtype) for x in ([[ends.max, ends.min, 5]], [[ends.min, ends.max, 5]]))
    reach = ends.max - ends.min
    for table, total in [count_scores(a[0], b[0], (largest(a), largest(b))), *count_tests(a, b, (2**33, 2**33))]:
        assert read(table) == ({(reach,): (1, 1)}, 1)
        assert total == ends.max + ends.min + 5


def test_a_total_beyond_64_bits_is_exact():
    most = 2**61
    a, b = np.full(64, most), np.full(64, most - 1)
    for table, total in [count_scores(a, b, (most, most)), *count_tests(a[None], b[None], (most, most))]:
        assert read(table) == ({(1,): (64, 0)}, 0)
        assert total == 64 * most


@pytest.mark.usefixtures("small")
def test_a_window_holds_as_many_cells_as_its_limit_and_not_one_more():
    for limit, cells in ((1, 40), (60, 60)):
        for low in (0, 5, -5, -cells + 1, -cells - 9):
            window = _Window(limit, 1000)
            # zero is always in it
            fits = max(low + cells - 1, 0) - min(low, 0) + 1 <= cells
            assert window.add(np.array([low, low + cells - 1])) == fits
            window = _Window(limit, 1000)
            assert not window.add(np.array([low, low + cells]))
    narrow = _Window(1, SMALL["FEW"])
    assert narrow.add(np.array([-3, 3, 0, 3]))
    assert read(narrow.folded()) == ({(3,): (2, 1)}, 1)


@pytest.mark.usefixtures("small")
def test_a_window_grows_block_by_block():
    rng = np.random.default_rng(3)
    for _ in range(50):
        window, seen = _Window(0, 1000), []
        for _ in range(4):
            block = rng.integers(-15, 16, 3)
            seen += block.tolist()
            assert window.add(block.copy())
        assert read(window.folded()) == by_hand([[x] for x in seen])


@pytest.mark.parametrize("sums", [1, 3])
def test_sums_of_groups_are_exact_next_to_where_doubles_end(sums):
    for size in (1, 2**40, 2**51 + 1, 2**53 - 1, 2**60 - 1):
        rows = np.full((6, sums), size)
        rows[5] = -size
        summed = sum_groups(rows, np.array([1, 1, 1, 0, 2, 2]))
        assert summed.tolist() == [[size] * sums, [3 * size] * sums, [0] * sums]
    wide = sum_groups(np.array([[2**70], [1], [-(2**70)]], dtype=object), ["x", "y", "x"])
    assert wide.tolist() == [[0], [1]]
    assert wide.dtype == np.int64
    assert sum_groups(np.zeros((0, sums), dtype=np.int64), []).shape == (0, sums)


def test_labels_that_are_too_few_are_told():
    with pytest.raises(ValueError, match=r"groups needs one label per item; got shape \(2,\) for 3 items"):
        sum_groups(np.zeros((3, 1), dtype=np.int64), [1, 2])


@pytest.mark.parametrize("size", [1, 3, 40, 2000, 2**20, 2**35, 2**61])
def test_rows_are_counted_as_by_hand(size):
    rng = np.random.default_rng(size % 1000)
    for width in (1, 2, 3):
        for items in (0, 1, 5, 60):
            rows = rng.integers(-size, size + 1, (items, width))
            rows = rows[rng.integers(0, items, 2 * items)] if items else rows  # most come more than once
            rows = rows * rng.integers(0, 2, rows.shape)  # and many have zeros
            assert read(count_rows(rows)) == by_hand(rows.tolist())
            shifted = rows + rng.integers(0, 9, width)
            assert read(count_rows(shifted)) == by_hand(shifted.tolist())


def test_a_table_is_folded_merged_and_sorted():
    rng = np.random.default_rng(1)
    for _ in range(100):
        signed = rng.integers(-2, 3, (9, 2))
        plus, minus = rng.integers(0, 3, (2, 9))
        seen = Counter()
        for row, p, m in zip(signed.tolist(), plus.tolist(), minus.tolist(), strict=True):
            seen[tuple(row)] += p
            seen[tuple(-x for x in row)] += m
        expected = by_hand([row for row, number in seen.items() for _ in range(number)])
        table = canonical(signed, plus, minus)
        assert read(table) == expected
        assert (np.diff(table.values[:, 0]) >= 0).all()
    none = canonical(np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64))
    assert (none.values.shape, none.n_plus.size, none.n_tied) == ((0, 2), 0, 0)
