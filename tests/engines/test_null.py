"""The whole null law against exact integers."""

from fractions import Fraction

import numpy as np
import pytest

import problems
from exactperm.effects import Effects
from exactperm.engines.null import null_law
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
