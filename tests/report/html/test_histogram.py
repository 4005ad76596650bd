"""The bars of a null distribution hold the mass that the law has there."""

import numpy as np
import pytest

import exactperm as xp
from exactperm.report.html.histogram import BARS, histogram


def bars_of(result):
    return histogram(result.problem)


def masses(law, bars):
    """The mass of a law between the edges of bars."""
    edges = bars.start + bars.width * np.arange(len(bars.shares) + 1)
    return np.histogram(law.support, edges, weights=law.probabilities)[0]


@pytest.mark.parametrize("largest", [1, 3, 40])
@pytest.mark.parametrize("items", [1, 2, 5, 40, 700])
def test_a_mean_has_the_masses_of_its_law(items, largest):
    draw = np.random.default_rng(items)
    result = xp.paired_test(draw.integers(0, largest + 1, items) + 1, draw.integers(0, largest + 1, items))
    if result.n_tied == items:
        assert bars_of(result) is None
        return
    bars, law = bars_of(result), result.null_distribution()
    assert len(bars.shares) <= BARS + 1
    assert bars.drawn == 0
    if len(law.support) < 2000:  # else the law was made coarser
        assert bars.shares == pytest.approx(masses(law, bars), abs=1e-12)
    assert bars.shares.sum() == pytest.approx(1, abs=2e-6)
    assert bars.shares == pytest.approx(bars.shares[::-1], abs=1e-3)
    if bars.points:
        middles = bars.start + bars.width * (np.arange(len(bars.shares)) + 0.5)
        assert np.abs(middles[:, None] - law.support).min(axis=1)[bars.shares > 0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("decimals", [4, None])
def test_a_law_with_more_points_than_can_be_listed(decimals):
    draw = np.random.default_rng(3)
    scores = draw.random((2, 500)) if decimals is None else draw.random((2, 500)).round(decimals)
    result = xp.paired_test(*scores)
    bars = bars_of(result)
    edges = bars.start + bars.width * np.arange(len(bars.shares) + 1)
    signs = draw.choice([-1, 1], size=(40_000, 500))
    sampled = np.histogram((signs * (scores[0] - scores[1])).mean(axis=1), edges)[0] / len(signs)
    assert bars.shares == pytest.approx(sampled, abs=0.004)
    assert not bars.points


def counts(seed, items=60):
    draw = np.random.default_rng(seed)
    gold = draw.integers(1, 5, items)
    return [
        {"tp": (hits := draw.integers(0, gold + 1)), "fp": draw.integers(0, 3, items), "fn": gold - hits} for _ in "AB"
    ]


def test_a_law_in_the_plane_is_drawn_and_says_so():
    result = xp.paired_test(*counts(0), metric="f1")
    bars = bars_of(result)
    assert bars.drawn > 1000
    assert bars.shares.sum() == pytest.approx(1, abs=1e-2)
    middles = bars.start + bars.width * (np.arange(len(bars.shares)) + 0.5)
    extreme = bars.shares[np.abs(middles) >= abs(result.statistic)].sum()
    assert extreme == pytest.approx(result.pvalue, abs=0.05)


def test_a_ratio_on_a_line():
    a, b = counts(1)
    a["fp"] = b["fp"] = a["fp"] * 0
    result = xp.paired_test(a, b, metric="f1")
    bars, law = bars_of(result), result.null_distribution()
    assert bars.drawn == 0
    assert bars.shares == pytest.approx(masses(law, bars), abs=1e-9)


@pytest.mark.parametrize("metric", ["wer", "precision"])
def test_a_ratio_with_a_fixed_denominator_has_a_bar_for_each_value(metric):
    """Its values are evenly spaced, in the order of the lattice or against it."""
    names = ("errors", "ref_length") if metric == "wer" else ("tp", "fp", "fn")
    first, second = [1, 2, 3, 0, 2], [2, 2, 1, 1, 5]
    rest = [[[5] * 5] if metric == "wer" else [[5 - y for y in x]] * 2 for x in (first, second)]
    a, b = (dict(zip(names, [x, *more], strict=True)) for x, more in zip((first, second), rest, strict=True))
    result = xp.paired_test(a, b, metric=metric)
    bars, law = bars_of(result), result.null_distribution()
    assert bars.points
    assert bars.shares == pytest.approx(law.probabilities, abs=1e-12)
    assert bars.start + bars.width / 2 == pytest.approx(law.support.min())


def test_more_items_than_a_law_can_be_listed_for_are_drawn(monkeypatch):
    result = xp.paired_test([1, 0, 1, 1, 0, 1] * 20, [0, 1, 1, 0, 0, 0] * 20)
    listed = bars_of(result)
    monkeypatch.setattr("exactperm.report.html.histogram.MOST_POINTS", 10)
    drawn = bars_of(result)
    assert (listed.drawn, drawn.drawn) == (0, 4000)
    assert drawn.shares.sum() == pytest.approx(1, abs=1e-2)
    for bars in (listed, drawn):
        middles = bars.start + bars.width * (np.arange(len(bars.shares)) + 0.5)
        spread = np.sqrt(bars.shares @ middles**2)
        assert spread == pytest.approx(np.sqrt(result.n_groups - result.n_tied) / result.n_items, rel=0.05)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_with_a_margin_the_law_is_that_of_the_border(alternative):
    draw = np.random.default_rng(5)
    a, b = draw.integers(0, 4, (2, 30))
    result = xp.paired_test(a, b, margin=0.25, alternative=alternative)
    bars, law = bars_of(result), result.null_distribution()
    edges = bars.start + bars.width * np.arange(len(bars.shares) + 1)
    found = np.histogram(law.support, edges, weights=law.probabilities)[0]
    assert bars.shares == pytest.approx(found, abs=1e-9)
    assert bars_of(xp.paired_test(a, b, margin=0.25)) is None  # of equivalence there are two
