import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactperm.inference.multiplicity import JOINT, METHODS, adjust, method_name

OF_PVALUES = [method for method in METHODS if method != JOINT]

STATSMODELS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
    "bh": "fdr_bh",
    "by": "fdr_by",
}
PVALUES = st.lists(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.02, 0.04, 0.5, 1.0, 5e-324])), min_size=1, max_size=12
)


def problems():
    rng = np.random.default_rng(5)
    for m in (1, 2, 3, 5, 20, 100):
        yield rng.random(m)
        yield rng.random(m) ** 8
        yield rng.integers(1, 5, m) / 64  # ties
        yield np.round(rng.random(m) ** 4, 2)


@pytest.mark.parametrize("method", sorted(STATSMODELS))
def test_agrees_with_statsmodels(method):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    for p in problems():
        expected = multitest.multipletests(p, method=STATSMODELS[method])[1]
        np.testing.assert_allclose(adjust(p, method), expected, rtol=1e-13)


@pytest.mark.parametrize("method", ["bh", "by"])
def test_agrees_with_scipy(method):
    stats = pytest.importorskip("scipy.stats")
    for p in problems():
        np.testing.assert_allclose(adjust(p, method), stats.false_discovery_control(p, method=method), rtol=1e-13)


def simes(p):
    return min(len(p) * x / (i + 1) for i, x in enumerate(sorted(p)))


@pytest.mark.parametrize(("method", "local"), [("holm", lambda p: len(p) * min(p)), ("hommel", simes)])
def test_closed_procedures_are_the_closure_of_their_local_test(method, local):
    rng = np.random.default_rng(6)
    for m in (1, 2, 3, 4, 6):
        for p in (rng.random(m) ** 3, rng.integers(1, 6, m) / 40):
            subsets = [s for k in range(1, m + 1) for s in itertools.combinations(range(m), k)]
            closure = [min(1, max(local([p[j] for j in s]) for s in subsets if i in s)) for i in range(m)]
            np.testing.assert_allclose(adjust(p, method), closure, rtol=1e-13)


@given(PVALUES, st.sampled_from(OF_PVALUES))
def test_laws(p, method):
    p = np.array(p)
    adjusted = adjust(p, method)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p)
    assert (np.diff(adjusted[order]) >= 0).all()
    assert np.array_equal(adjust(p[::-1], method)[::-1], adjusted)
    assert (adjust(np.minimum(p * 1.25, 1), method) >= adjusted).all()


@given(PVALUES.filter(lambda p: all(x == 0 or x > 1e-290 for x in p)), st.sampled_from(OF_PVALUES))
def test_logarithms_are_adjusted_alike(p, method):
    logs = np.array([math.log(x) if x else -math.inf for x in p])
    found = adjust(logs, method, log=True)
    assert (found >= logs).all()
    np.testing.assert_allclose(np.exp(found), adjust(p, method), rtol=1e-11)


@pytest.mark.parametrize("method", OF_PVALUES)
def test_nothing_underflows(method):
    decimal = np.array([-400.0, -1000.0, -500.0])
    adjusted = adjust(decimal * math.log(10), method, log=True) / math.log(10)
    assert adjusted[1] < adjusted[2] < adjusted[0]
    np.testing.assert_allclose(adjusted, decimal, atol=1)


def test_strength():
    for p in problems():
        bonferroni, holm, hochberg, hommel, bh, by = (adjust(p, m) for m in OF_PVALUES[1:])
        slack = 1 + 1e-12
        assert (holm <= bonferroni * slack).all()
        assert (hochberg <= holm * slack).all()
        assert (hommel <= hochberg * slack).all()
        assert (bh <= hommel * slack).all()
        assert (bh <= by * slack).all()


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        (None, "none"),
        ("BH", "bh"),
        ("fdr_bh", "bh"),
        ("fdr_by", "by"),
        ("simes-hochberg", "hochberg"),
        ("Holm", "holm"),
    ],
)
def test_spellings(spelling, name):
    assert method_name(spelling) == name


@pytest.mark.parametrize(
    ("p", "method", "log", "error", "message"),
    [
        ([0.1, 1.2], "holm", False, ValueError, "between 0 and 1; got 1.2 at index 1"),
        ([0.1, math.nan], "holm", False, ValueError, "got nan at index 1"),
        ([0.1], "holm", True, ValueError, "at most 0; got 0.1 at index 0"),
        ([[0.1]], "holm", False, ValueError, "one per test"),
        ([0.1], "sidak", False, ValueError, "one of none, bonferroni, holm.* not 'sidak'"),
        ([0.1], 3, False, TypeError, "must be a name"),
    ],
)
def test_errors(p, method, log, error, message):
    with pytest.raises(error, match=message):
        adjust(p, method, log=log)


def test_no_tests():
    assert adjust([], "hommel").size == 0
