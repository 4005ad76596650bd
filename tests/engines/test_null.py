"""The whole null law against exact integers."""

import math
from fractions import Fraction

import numpy as np
import pytest

import problems
from exactperm.effects import Effects
from exactperm.engines import null
from exactperm.engines.base import log_fraction
from exactperm.engines.null import log_null_law, null_law, obstacle
from exactperm.lattice import Lattice
from problems import FAMILIES, Law

LIMIT = 10**7


def law_of(counts):
    return null_law(Lattice.of(Effects.from_counts(counts)), LIMIT)


@pytest.mark.parametrize("family", FAMILIES)
def test_against_exact_integers(family):
    for seed in range(4):
        counts = problems.random_problem(family, seed).counts
        exact = Law.of(counts)
        points, probabilities = law_of(counts)
        assert points[:, 0].tolist() == list(range(exact.span + 1))
        truth = np.array([float(Fraction(int(w), 2**exact.n)) for w in exact.ways])
        assert np.abs(probabilities - truth).max() <= 1e-15
        assert (probabilities >= 0).all()
        assert (probabilities == probabilities[::-1]).all()
        assert abs(np.add.reduce(probabilities) - 1) <= 1e-12


@pytest.mark.parametrize("counts", [{7: 1}, {1: 2}, {1: 1, 2: 1}, {2: 1, 4: 1}, {3: 3}, {1: 1, 5: 1}])
def test_the_smallest(counts):
    exact = Law.of(counts)
    assert law_of(counts)[1] == pytest.approx([int(w) / 2**exact.n for w in exact.ways], abs=1e-15, rel=0)


@pytest.mark.parametrize("counts", [{1: 1, 2: 1}, {1: 3, 2: 2}, {1: 8, 5: 2}, {2: 30, 3: 20}])
def test_all_frequencies_are_evaluated_where_they_cannot_be_told_apart(monkeypatch, counts):
    expected = law_of(counts)
    monkeypatch.setattr(null, "LIMIT", 0)
    points, probabilities = law_of(counts)
    assert points.tolist() == expected[0].tolist()
    assert probabilities == pytest.approx(expected[1], abs=1e-15, rel=0)


def test_nothing_is_one_point():
    points, probabilities = law_of({0: 4})
    assert points.shape == (1, 0)
    assert probabilities.tolist() == [1.0]


def test_what_is_too_large_says_its_size():
    with pytest.raises(ValueError, match=r"has up to 1e\+08 points; at most 1e\+07"):
        law_of({10**8 - 1: 1, 1: 1})
    with pytest.raises(ValueError, match="points; at most"):
        law_of({2**70: 1, 1: 1})
    with pytest.raises(ValueError, match="in 2 dimensions"):
        law_of({(1, 0): 3, (0, 1): 3})


def majorant(y):
    """The least concave function above all finite values, at 0, 1, ..."""
    hull = []
    for x in np.flatnonzero(np.isfinite(y)).tolist():
        while len(hull) > 1 and (y[hull[-1]] - y[hull[-2]]) * (x - hull[-1]) <= (y[x] - y[hull[-1]]) * (
            hull[-1] - hull[-2]
        ):
            hull.pop()
        hull.append(x)
    return np.interp(np.arange(len(y)), hull, y[hull])


@pytest.mark.parametrize("family", FAMILIES)
def test_logarithms_are_right_however_small(family):
    """Every point is right or, deep in a valley, left out."""
    for seed in range(4):
        counts = problems.random_problem(family, seed).counts
        exact = Law.of(counts)
        points, logs = log_null_law(Lattice.of(Effects.from_counts(counts)), LIMIT, exact.span)
        assert points[:, 0].tolist() == list(range(exact.span + 1))
        truth = np.array([log_fraction(Fraction(int(w), 2**exact.n)) if w else -np.inf for w in exact.ways])
        depth = majorant(truth) - truth
        made = np.isfinite(logs)
        assert not made[np.isinf(truth)].any()
        assert made[depth < math.log(1e9)].all()
        assert np.abs(logs[made] - truth[made]).max() <= 1e-3
        shallow = made & (depth < math.log(1e2))
        assert np.abs(logs[shallow] - truth[shallow]).max() <= 1e-9


def test_logarithms_far_beyond_the_floats():
    """2,000 coins of one step: the binomial law, down to 2^-2000."""
    points, logs = log_null_law(Lattice.of(Effects.from_counts({1: 2000})), LIMIT, 2000)
    truth = [math.lgamma(2001) - math.lgamma(k + 1) - math.lgamma(2001 - k) - 2000 * math.log(2) for k in points[:, 0]]
    assert logs.tolist() == pytest.approx(truth, abs=1e-8)


def test_the_logarithm_stops_where_it_is_told():
    lattice = Lattice.of(Effects.from_counts({1: 2000}))
    whole, near = log_null_law(lattice, LIMIT, 2000)[1], log_null_law(lattice, LIMIT, 1200)[1]
    assert near[800:1201].tolist() == pytest.approx(whole[800:1201].tolist(), abs=1e-9)
    assert near[2000] == -np.inf


def test_an_obstacle_is_what_the_error_says():
    lattice = Lattice.of(Effects.from_counts({10**8 - 1: 1, 1: 1}))
    assert "at most 1e+07" in obstacle(lattice, LIMIT)
    with pytest.raises(ValueError, match="at most 1e"):
        log_null_law(lattice, LIMIT, 0)
    assert obstacle(Lattice.of(Effects.from_counts({1: 4})), LIMIT) is None
