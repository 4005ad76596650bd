import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactperm.effects import Effects
from exactperm.engines import enumeration, rational
from exactperm.engines.base import CannotAnswer, Question
from exactperm.engines.rational import Rational, exact_fraction
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs

ENGINE = Rational()
DATA = Path(__file__).parents[1] / "data"

small = st.integers(-12, 12)
counts_on_a_line = st.dictionaries(small, st.integers(1, 3), max_size=4)
counts_in_space = st.dictionaries(st.tuples(small, small, small), st.integers(1, 3), max_size=4)


@st.composite
def runs(draw):
    ends = sorted(draw(st.lists(st.integers(-5, 90), max_size=6, unique=True)))
    return Runs(tuple(zip(ends[::2], ends[1::2], strict=False)), draw(st.booleans()))


def polynomials(monkeypatch, how):
    """Make the engine multiply in Python alone, or in python-flint always."""
    if how == "flint":
        pytest.importorskip("flint")
        monkeypatch.setattr(rational, "SHORT", -1.0)
    else:
        monkeypatch.setattr(rational, "_has_flint", lambda: False)


@pytest.mark.parametrize("how", ["alone", "flint"])
class TestAgainstEnumeration:
    def test_intervals(self, how):
        @settings(deadline=None)
        @given(counts_on_a_line, runs())
        def check(counts, region):
            question = Question(Lattice.of(Effects.from_counts(counts)), region)
            expected = enumeration.count_assignments(question)
            assert rational.count_assignments(question) == expected

        with pytest.MonkeyPatch.context() as monkeypatch:
            polynomials(monkeypatch, how)
            check()

    def test_predicates_in_space(self, how):
        @settings(deadline=None)
        @given(
            counts_in_space,
            st.permutations(range(3)),
            st.tuples(small, small, small),
            st.booleans(),
        )
        def check(counts, order, weights, mirrored):
            lattice = Lattice.of(Effects.from_counts(counts, names=("x", "y", "z")), order)
            weights = np.array(weights[: lattice.rank], dtype=np.int64)
            region = Region(lambda x: (x * weights).sum(axis=1) ** 2 >= 40, mirrored=mirrored)
            question = Question(lattice, region)
            expected = enumeration.count_assignments(question)
            assert rational.count_assignments(question) == expected

        with pytest.MonkeyPatch.context() as monkeypatch:
            polynomials(monkeypatch, how)
            check()


def test_predicate_sees_only_points_that_occur():
    lattice = Lattice.of(Effects.from_counts({(5, 0): 2, (0, 3): 1, (7, -3): 2}))
    seen = []

    def contains(points):
        seen.extend(map(tuple, points.tolist()))
        return np.ones(len(points), dtype=bool)

    assert exact_fraction(lattice, Region(contains)) == 1
    every = set()
    enumerated = Region(lambda x: every.update(map(tuple, x.tolist())) or np.zeros(len(x), bool))
    enumeration.count_assignments(Question(lattice, enumerated))
    assert set(seen) == every


@pytest.mark.parametrize("region", [Runs(()), Runs(((-9, -1), (100, 10**40)))])
def test_empty_regions(region):
    lattice = Lattice.of(Effects.from_counts({1: 3, 4: 2}))
    assert exact_fraction(lattice, region) == 0
    assert ENGINE.answer(Question(lattice, region)).log_high == -math.inf


def test_everything_and_no_effects():
    lattice = Lattice.of(Effects.from_counts({1: 3, 4: 2}))
    assert exact_fraction(lattice, Runs(((-(10**40), 10**40),))) == 1
    nothing = Lattice.of(Effects.from_counts({0: 3}))
    assert exact_fraction(nothing, Runs(((0, 0),))) == 1
    assert exact_fraction(nothing, Runs(((1, 9),))) == 0


def test_binomial_far_in_the_tail():
    pytest.importorskip("flint")
    n = 5000
    lattice = Lattice.of(Effects.from_counts({1: n}))
    p = exact_fraction(lattice, Runs(((n - 10, n),)))
    assert p == Fraction(sum(math.comb(n, k) for k in range(11)), 2**n)
    tail = ENGINE.answer(Question(lattice, Runs(((n - 10, n),), mirrored=True)))
    assert tail.log_estimate == pytest.approx(
        math.log(sum(math.comb(n, k) for k in range(11))) - (n - 1) * math.log(2), rel=1e-14
    )


STORED = json.loads((DATA / "exact.json").read_text())


@pytest.mark.parametrize("name", STORED)
def test_stored_answers(name):
    pytest.importorskip("flint")
    case = STORED[name]
    a, b = np.loadtxt(DATA / name, delimiter=",", dtype=np.int64).T
    lattice = Lattice.of(Effects.from_scores(a, b))
    (x,), (span,) = lattice.observed, lattice.span
    assert (2 * x - span) * int(lattice.basis[0, 0]) == case["difference"]
    greater = exact_fraction(lattice, Runs(((x, span),)))
    assert float(greater) == pytest.approx(float(case["greater"]), rel=1e-14)
    x = max(x, span - x)
    two_sided = exact_fraction(lattice, Runs(((x, span),), mirrored=True))
    assert float(two_sided) == pytest.approx(float(case["two_sided"]), rel=1e-14)


def test_obstacle_names_what_would_do(monkeypatch):
    wide = Question(Lattice.of(Effects.from_counts({1: 9, 10**18: 1})), Runs(((3, 4),)))
    assert "meet-in-the-middle" in ENGINE.obstacle(wide)
    assert exact_fraction(wide.lattice, wide.region) == Fraction(math.comb(9, 3) + math.comb(9, 4), 2**10)
    many = Lattice.of(Effects.from_counts({10**18 + 3**k: 1 for k in range(90)}))
    with pytest.raises(CannotAnswer, match="meet-in-the-middle"):
        exact_fraction(many, wide.region)
    long = Question(Lattice.of(Effects.from_counts({1: 9000, 2: 9000})), Runs(((3, 4),)))
    monkeypatch.setattr(rational, "_has_flint", lambda: True)
    assert ENGINE.obstacle(long) is None
    monkeypatch.setattr(rational, "_has_flint", lambda: False)
    assert "pip install 'exactperm[exact]'" in ENGINE.obstacle(long)


def test_cost_of_anything_is_a_number():
    for counts in ({}, {1: 5}, {1: 10**6, 10**400: 7}):
        question = Question(Lattice.of(Effects.from_counts(counts)), Runs(((3, 4),)))
        assert 0 < ENGINE.cost(question) < math.inf


def test_one_dimension_whose_steps_are_negative():
    """Sums that are eliminated in another order can turn the only basis vector round."""
    effects = Effects.from_counts({(3, -3): 2, (5, -5): 1, (7, -7): 3})
    lattice = Lattice.of(effects, (1, 0))
    assert lattice.rank == 1
    for low in range(-40, 40, 3):
        question = Question(lattice, Runs(((low, low + 5), (low + 7, low + 9)), mirrored=True))
        assert rational.count_assignments(question) == enumeration.count_assignments(question)


def test_few_effects_of_any_size_are_counted_and_not_multiplied_out(monkeypatch):
    monkeypatch.setattr("exactperm.engines.rational.count_assignments", lambda _: pytest.fail("a long polynomial"))
    lattice = Lattice.of(Effects.from_counts({1: 1, -2: 1, 3: 1, 10**8: 1, 5: 1, 2: 1}))
    assert exact_fraction(lattice, Runs(((10**8 + 9, 10**8 + 13),))) == Fraction(9, 2**6)
