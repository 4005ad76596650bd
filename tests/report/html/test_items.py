"""The items that say most, against taking each in turn."""

import numpy as np
import pytest

import exactperm as xp
from exactperm.report.html.items import MOST, telling_items


def test_of_a_mean_they_are_the_largest_differences():
    draw = np.random.default_rng(0)
    a, b = draw.integers(0, 9, (2, 50))
    found = telling_items(xp.paired_test(a, b).problem)
    order = sorted(range(50), key=lambda i: (-abs(a[i] - b[i]), i))[:MOST]
    assert [item.label for item in found] == order
    assert [(item.a, item.b, item.weight) for item in found] == [([a[i]], [b[i]], a[i] - b[i]) for i in order]


def test_of_groups_it_is_their_mean_that_counts():
    a, b = [5, 5, 5, 5, 4], [3, 3, 3, 3, 0]
    found = telling_items(xp.paired_test(a, b, groups=[0, 0, 0, 0, 1]).problem)
    assert [(item.label, item.weight) for item in found] == [(1, 4.0), (0, 2.0)]


@pytest.mark.parametrize("metric", ["f1", "precision"])
def test_of_a_ratio_they_are_those_whose_exchange_moves_it_most(metric):
    draw = np.random.default_rng(4)
    gold = draw.integers(1, 6, 40)
    systems = []
    for _ in "AB":
        hits = draw.integers(0, gold + 1)
        systems.append({"tp": hits, "fp": draw.integers(0, 4, 40), "fn": gold - hits})
    a, b = systems
    result = xp.paired_test(a, b, metric=metric)

    def without(i):
        swapped = [{key: np.where(np.arange(40) == i, y[key], x[key]) for key in x} for x, y in ((a, b), (b, a))]
        return result.statistic - xp.paired_test(*swapped, metric=metric).statistic

    moved = [without(i) for i in range(40)]
    found = telling_items(result.problem)
    assert [item.weight for item in found] == pytest.approx([moved[item.label] for item in found], abs=1e-12)
    assert sorted(abs(item.weight) for item in found) == pytest.approx(sorted(map(abs, moved))[-MOST:], abs=1e-12)


def test_ties_and_counts_alone_show_none():
    assert telling_items(xp.paired_test([1, 2, 3], [1, 2, 3]).problem) == []
    assert len(telling_items(xp.paired_test([1, 2, 4], [1, 2, 3]).problem)) == 1
    assert telling_items(xp.paired_test(xp.Effects.from_counts({1: 5, 0: 2})).problem) == []
    assert telling_items(xp.paired_test([], []).problem) == []
    assert telling_items(xp.paired_test(np.zeros(0), np.zeros(0), groups=[]).problem) == []
