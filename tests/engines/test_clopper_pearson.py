import numpy as np
import pytest
from scipy import stats

from exactperm.engines.clopper_pearson import clopper_pearson, clopper_pearson_stopped

CHANCES = np.concatenate([[1e-6, 1e-3], np.linspace(0.003, 0.997, 83), [1 - 1e-3, 1 - 1e-6]])


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(
    ("hits", "trials"), [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (7, 99_999), (99_990, 99_999)]
)
def test_agrees_with_scipy(hits, trials, level):
    expected = stats.binomtest(hits, trials).proportion_ci(level, method="exact")
    low, high = clopper_pearson(hits, trials, level)
    assert low == pytest.approx(expected.low, rel=1e-9)
    assert high == pytest.approx(expected.high, rel=1e-9)


def test_nothing_is_known_without_trials():
    assert clopper_pearson(0, 0, 0.95) == (0.0, 1.0)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("trials", [1, 5, 40])
def test_coverage_by_summation(trials, level):
    hits = np.arange(trials + 1)
    ends = np.array([clopper_pearson(h, trials, level) for h in hits])
    for p in CHANCES:
        inside = (ends[:, 0] <= p) & (p <= ends[:, 1])
        assert stats.binom.pmf(hits, trials, p)[inside].sum() >= level - 1e-12


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
@pytest.mark.parametrize(("most", "trials"), [(1, 30), (3, 40), (10, 25)])
def test_coverage_of_the_stopped_rule_by_summation(most, trials, level):
    # every outcome of "stop at `most` hits, or after `trials`" with its probability
    stop, few = np.arange(most, trials + 1), np.arange(most)
    ends = np.array(
        [clopper_pearson_stopped(most, k, level) for k in stop] + [clopper_pearson(h, trials, level) for h in few]
    )
    covered = []
    for p in CHANCES:
        chance = np.concatenate([stats.nbinom.pmf(stop - most, most, p), stats.binom.pmf(few, trials, p)])
        assert chance.sum() == pytest.approx(1, abs=1e-9)
        inside = (ends[:, 0] <= p) & (p <= ends[:, 1])
        covered.append(chance[inside].sum())
    assert min(covered) >= level - 1e-12
    # wide enough, but no wider than a discrete law forces: the usual one is not all of it
    assert np.mean(covered) < (1 + level) / 2 + 0.05


def test_stopping_at_once_says_little():
    low, high = clopper_pearson_stopped(1, 1, 0.95)
    assert (low, high) == (pytest.approx(0.025), 1.0)
