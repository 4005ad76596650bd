import math
import tracemalloc
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactperm.effects import Effects
from exactperm.engines import enumeration, meet_in_the_middle, rational
from exactperm.engines.base import Question
from exactperm.engines.meet_in_the_middle import MeetInTheMiddle, count_assignments
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs

ENGINE = MeetInTheMiddle()


def question(counts, intervals, mirrored=False):
    return Question(Lattice.of(Effects.from_counts(counts)), Runs(tuple(intervals), mirrored))


@st.composite
def problems(draw):
    """Few effects around multiples of a large unit, thresholds on and beside points of the law."""
    unit = draw(st.sampled_from([1, 2**61, 10**18, 10**30, 3**200]))
    effect = st.builds(lambda k, rest: k * unit + rest, st.integers(-5, 5), st.integers(-2, 2))
    counts = draw(st.dictionaries(effect, st.integers(1, 4), max_size=6))
    lattice = Lattice.of(Effects.from_counts(counts))
    assume(lattice.n <= 12)

    def near_a_point():
        heads = (draw(st.integers(0, c)) for c in lattice.counts.tolist())
        steps = lattice.steps.sum(axis=1).tolist()
        return sum(k * y for k, y in zip(heads, steps, strict=True)) + draw(st.integers(-1, 1))

    ends = sorted({near_a_point() for _ in range(draw(st.integers(0, 6)))})
    runs = Runs(tuple(zip(ends[::2], ends[1::2], strict=False)), draw(st.booleans()))
    return Question(lattice, runs)


@settings(deadline=None)
@given(problems())
def test_agrees_with_enumeration_and_rational(problem):
    count = count_assignments(problem)
    assert count == enumeration.count_assignments(problem)
    if problem.lattice.span < (10**4,):
        assert count == rational.count_assignments(problem)


@settings(deadline=None)
@given(problems())
def test_agrees_in_the_smallest_blocks_and_words(problem):
    """The other half goes by shifts, and words of 8 bits overflow where they can."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(meet_in_the_middle, "BLOCK", 2)
        monkeypatch.setattr(meet_in_the_middle, "FIRST_WORD", 4)
        monkeypatch.setattr(meet_in_the_middle, "WORD", 8)
        monkeypatch.setattr(meet_in_the_middle, "LIMB", 2)
        count = count_assignments(problem)
    assert count == enumeration.count_assignments(problem)


@pytest.mark.parametrize("unit", [1, 10**30])
def test_weights_of_any_size(unit):
    """Binomials below, at and beyond the limit of int64, against the polynomial."""
    for number in (15, 31, 62, 63, 100, 400):
        lattice = Lattice.of(Effects.from_counts({1: number, 3: number, 7: 9}))
        intervals = ((number, number + 9), (3 * number - 4, 9 * number))
        expected = rational.count_assignments(Question(lattice, Runs(intervals)))
        larger = replace(lattice, steps=lattice.steps.astype(object) * unit)
        runs = Runs(tuple((low * unit, high * unit) for low, high in intervals))
        assert count_assignments(Question(larger, runs)) == expected


def test_thirty_two_effects_against_the_polynomial():
    rng = np.random.default_rng(5)
    counts = dict.fromkeys(rng.choice(3000, 32, replace=False).tolist(), 1)
    lattice = Lattice.of(Effects.from_counts(counts))
    (span,) = lattice.span
    runs = Runs(((span // 2 + 200, span // 2 + 1000), (span - 10**4, span)))
    expected = rational.count_assignments(Question(lattice, runs))
    assert count_assignments(Question(lattice, runs)) == expected


def test_thirty_two_effects_in_two_scales():
    """Sums that agree in their leading digits: the law of the small effects decides the ties."""
    small = range(1, 17)
    counts = {7 * 10**40 + 10**20 * y: 1 for y in small} | dict.fromkeys(small, 1)
    # eight large effects with remainders that add up to 68, and small ones that do
    target = 8 * 7 * 10**40 + 68 * 10**20 + 68
    law = Counter({(0, 0): 1})  # (how many, their sum) of the subsets of 1 .. 16
    for y in small:
        law += Counter({(k + 1, s + y): c for (k, s), c in law.items()})
    eight = law[8, 68]
    subsets = sum(c for (_, s), c in law.items() if s == 68)
    assert count_assignments(question(counts, [(target, target)])) == eight * subsets


def test_everything_nothing_and_no_effects():
    counts = {10**30: 3, 10**30 + 1: 2, 5: 1}
    span = 5 * 10**30 + 7
    assert count_assignments(question(counts, [(0, span)])) == 2**6
    assert count_assignments(question(counts, [(-5, -1), (span + 1, span + 9)])) == 0
    assert count_assignments(question(counts, [])) == 0
    assert count_assignments(question(counts, [(span, 10**90)])) == 1
    assert count_assignments(question({}, [(0, 0)])) == 1
    assert count_assignments(question({0: 4}, [(1, 5)])) == 0


def test_answer_contains_the_fraction():
    problem = question({10**18 + k: 2 for k in range(6)}, [(11 * 10**18, 10**30)], mirrored=True)
    tail = ENGINE.answer(problem)
    assert count_assignments(problem) == 2 * 13
    assert tail.log_low < math.log(Fraction(2 * 13, 2**12)) < tail.log_high
    assert tail.log_high - tail.log_low < 2e-14


def test_obstacles_say_what_would_do():
    def obstacle(counts):
        return ENGINE.obstacle(question(counts, [(5, 10**9)]))

    assert obstacle({3**k: 1 for k in range(40)}) is None
    assert "2^60" in obstacle({3**k: 1 for k in range(60)})
    assert "method='bracket'" in obstacle({3**k: 1 for k in range(60)})
    assert "MB" in obstacle({2**2000 + 3**k: 1 for k in range(40)})
    assert "MB" in obstacle({1: 10**6})
    plane = Question(Lattice.of(Effects.from_counts({(1, 2): 1, (1, 1): 1})), Region(lambda _: _))
    assert "dimension 2" in ENGINE.obstacle(plane)
    with pytest.raises(TypeError, match="intervals"):
        count_assignments(plane)


def test_cost_is_infinite_only_where_there_is_an_obstacle():
    assert ENGINE.cost(question({3**k: 1 for k in range(60)}, [(5, 9)])) == math.inf
    costs = [ENGINE.cost(question({3**k: 1 for k in range(n)}, [(5, 9)])) for n in (20, 30, 40)]
    assert costs == sorted(costs)
    assert 0 < costs[0] < 0.01
    assert costs[-1] < 2


def test_memory_estimate_bounds_what_is_allocated():
    for counts in (
        {3**k: 1 for k in range(34)},
        {7**100 + 3**k: 1 for k in range(34)},
        {3**k: 64 for k in range(5)},
    ):
        problem = question(counts, [(3**30, 3**200)])
        tracemalloc.start()
        count_assignments(problem)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1.5 * meet_in_the_middle._Plan.of(problem.lattice).bytes + 10**6


def test_one_dimension_whose_steps_are_negative():
    """Sums that are eliminated in another order can turn the only basis vector round."""
    effects = Effects.from_counts({(3, -3): 2, (5, -5): 1, (7, -7): 3})
    lattice = Lattice.of(effects, (1, 0))
    assert lattice.rank == 1
    for low in range(-40, 40, 3):
        problem = Question(lattice, Runs(((low, low + 5), (low + 7, low + 9)), mirrored=True))
        assert count_assignments(problem) == enumeration.count_assignments(problem)
