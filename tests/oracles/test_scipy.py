"""SciPy as an oracle, in its own conventions."""

import numpy as np
import pytest
from scipy import stats

from exactperm import Effects, paired_test

ALTERNATIVES = ("two-sided", "greater", "less")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("method", ["auto", "fourier", "enumeration", "rational", "meet-in-the-middle"])
def test_permutation_test_enumerates_the_same(seed, alternative, method):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    a, b = rng.integers(0, 6, (2, n))
    if (a == b).all():
        a[0] += 1
    expected = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.sum(x - y, axis=axis),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
        vectorized=True,
    )
    found = paired_test(a, b, alternative=alternative, method=method)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert found.statistic * n == pytest.approx(expected.statistic, abs=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("wins", "losses"), [(5, 2), (30, 30), (61, 60), (120, 40), (700, 520), (5000, 5200), (9, 0)])
def test_binomtest_on_right_and_wrong(wins, losses, alternative):
    expected = stats.binomtest(wins, wins + losses, 0.5, alternative=alternative).pvalue
    found = paired_test(Effects.from_counts({1: wins, -1: losses, 0: 50}), alternative=alternative, method="fourier")
    assert found.pvalue == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [6, 12, 40])
def test_signed_ranks(n, alternative):
    rng = np.random.default_rng(n)
    d = rng.permutation(np.arange(1, n + 1)) * np.where(rng.random(n) < 0.65, 1, -1)
    expected = stats.wilcoxon(d, alternative=alternative, method="exact").pvalue
    assert paired_test(d, np.zeros(n, int), alternative=alternative).pvalue == pytest.approx(expected, rel=1e-12)
