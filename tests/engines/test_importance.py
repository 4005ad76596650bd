import math
from dataclasses import replace

import numpy as np
import pytest

from exactperm.effects import Effects
from exactperm.engines.base import Options, Question
from exactperm.engines.clopper_pearson import clopper_pearson
from exactperm.engines.control_variate import ControlVariate
from exactperm.engines.fourier import Fourier
from exactperm.engines.importance import Importance
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs
from sampling_problems import (
    Structured,
    all_points,
    f1_corpus,
    macro_f1_corpus,
    small_line,
    small_structured,
)

LINES = {
    "equal": {1: 400},
    "accuracy": {1: 700, 2: 250, 3: 90, 7: 12},
    "one large": {1: 300, 1000: 1},
    "all distinct": dict.fromkeys(range(1, 160), 1),
}


def on_a_line(name: str, part: float, mirrored: bool, options: Options) -> Question:
    """The tail that begins at a part of the way from the middle to the end."""
    lattice = Lattice.of(Effects.from_counts(LINES[name]))
    span = lattice.span[0]
    start = math.ceil(span / 2 * (1 + part)) + 1
    return Question(lattice, Runs(((start, span),), mirrored), options)


# -- one dimension ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("part", [0.0, 0.1, 0.4, 0.8])
@pytest.mark.parametrize("mirrored", [True, False])
def test_agrees_with_the_exact_engine_and_is_narrow(name, part, mirrored):
    options = Options(n_resamples=20_000, rng=1, confidence_level=0.99999)
    question = on_a_line(name, part, mirrored, options)
    exact = Fourier().answer(question).log_estimate
    tail = Importance().answer(question)
    assert tail.log_low <= exact <= tail.log_high
    assert tail.log_low <= tail.log_estimate <= tail.log_high <= 0
    # relative, wherever p is: that is what the tilt is for
    assert tail.log_high - tail.log_low < (1.2 if name == "one large" else 0.6)
    if part >= 0.4 and name != "one large":
        assert exact < -10


def test_far_below_one_over_the_samples():
    question = on_a_line("all distinct", 0.92, True, Options(n_resamples=50_000, rng=3))
    tail = Importance().answer(question)
    assert Fourier().answer(question).log_estimate == pytest.approx(tail.log_estimate, abs=0.05)
    assert tail.log_estimate < math.log(1e-30)


@pytest.mark.parametrize("seed", range(40))
def test_small_lines(seed):
    options = Options(n_resamples=20_000, rng=seed, confidence_level=0.99999)
    question, exact = small_line(seed, options)
    tail = Importance().answer(question)
    assert math.exp(tail.log_low) <= exact * (1 + 1e-12)
    assert exact <= math.exp(tail.log_high) * (1 + 1e-12)
    assert tail.log_high - tail.log_low < 0.25


@pytest.mark.parametrize(
    "intervals",
    [((0, 3), (20, 24)), ((10, 14),), ((0, 12),), ((5, 9), (15, 16)), ((22, 99),), ((-5, 1),)],
)
def test_runs_anywhere(intervals):
    lattice = Lattice.of(Effects.from_counts({1: 6, 2: 3, 3: 4}))
    law = all_points(lattice)[:, 0]
    exact = float(np.mean([any(low <= x <= high for low, high in intervals) for x in law.tolist()]))
    options = Options(n_resamples=40_000, rng=5, confidence_level=0.9999)
    tail = Importance().answer(Question(lattice, Runs(intervals), options))
    assert math.exp(tail.log_low) <= exact * (1 + 1e-12)
    assert exact <= math.exp(tail.log_high) * (1 + 1e-12)
    assert tail.log_high - tail.log_low < 0.15


def test_without_a_tilt_it_is_plain_sampling():
    lattice = Lattice.of(Effects.from_counts({1: 6, 2: 3, 3: 4}))
    question = Question(lattice, Runs(((10, 14),)), Options(n_resamples=5000, rng=5))
    tail = Importance().answer(question)
    low, high = clopper_pearson(tail.details["kept"], 5000, 0.95)
    assert math.exp(tail.log_low) == pytest.approx(low)
    assert math.exp(tail.log_high) == pytest.approx(high)


def test_closed_forms():
    lattice = Lattice.of(Effects.from_counts({1: 5000}))
    both = Importance().answer(Question(lattice, Runs(((5000, 5000),), mirrored=True)))
    assert both.log_low < -4999 * math.log(2.0) < both.log_high
    assert both.log_high - both.log_low < 1e-11
    one = Importance().answer(Question(lattice, Runs(((0, 0),))))
    assert one.log_estimate == pytest.approx(-5000 * math.log(2.0), rel=1e-15)
    none = Importance().answer(Question(lattice, Runs(((5001, 6000),))))
    assert none.log_high == -math.inf


def test_coverage():
    covered = 0
    for seed in range(400):
        options = Options(n_resamples=60, rng=seed, confidence_level=0.8)
        question, exact = small_line(seed, options)
        tail = Importance().answer(question)
        covered += tail.log_low - 1e-12 <= math.log(exact) <= tail.log_high + 1e-12
    assert covered / 400 >= 0.8 - 3 * math.sqrt(0.16 / 400)


# -- more dimensions -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(15))
def test_estimates_of_small_problems(seed):
    question, exact = small_structured(seed, Options(n_resamples=40_000, rng=seed))
    tail = Importance().answer(question)
    assert math.exp(tail.log_estimate) == pytest.approx(exact, rel=0.1)


def test_a_small_probability_agrees_with_the_control_variate():
    problem = macro_f1_corpus(2000, 4)
    least = 4.2 * 0.5 * float(np.sqrt(problem.lattice.counts @ _linear(problem) ** 2))
    options = Options(n_resamples=30_000, rng=1)
    tail = Importance().answer(problem.question(least, options))
    other = ControlVariate().answer(problem.question(least, options))
    assert tail.log_estimate == pytest.approx(other.log_estimate, abs=0.1)
    assert tail.log_estimate < math.log(1e-4)


def _linear(problem: Structured) -> np.ndarray:
    """The steps' effect on the statistic near the middle."""
    middle = np.array(problem.lattice.span) / 2
    offset = np.eye(problem.lattice.rank) / 100
    gradient = problem.difference(middle + offset) - problem.difference(middle - offset)
    return problem.lattice.steps @ gradient * 50


def test_without_a_proven_bound_there_is_no_interval():
    question, exact = small_structured(3, Options(n_resamples=500, rng=0))
    tail = Importance().answer(question)
    assert tail.log_high == 0.0
    assert tail.log_low == -question.lattice.n * math.log(2.0)
    assert "none" in tail.details["interval"]
    assert math.exp(tail.log_low) <= exact


def test_never_zero():
    # a guide that is upside down leads away from the region: only the observed point is counted
    problem = f1_corpus(40, 3, flip=0.1)
    totals = problem.a.sum(axis=0), problem.b.sum(axis=0)
    least = abs(float(problem.value(totals[0]) - problem.value(totals[1])))
    question = problem.question(least, Options(n_resamples=100, rng=0))
    tail = Importance().answer(replace(question, region=replace(question.region, value=lambda x: -x[:, 0])))
    assert tail.log_estimate >= -question.lattice.n * math.log(2.0)


def test_one_sample_gives_no_less_than_one_assignment():
    # the likely corner not drawn: its own weight over two would be under its probability 1/4
    lattice = Lattice.of(Effects.from_counts({(1, 0): 1, (0, 1): 1}))
    corner = Region(contains=lambda x: x.sum(axis=1) == 2, value=lambda x: x.sum(axis=1) - 1.8, mirrored=False)
    for seed in range(40):
        tail = Importance().answer(Question(lattice, corner, Options(n_resamples=1, rng=seed)))
        assert tail.log_low == 2 * math.log(0.5) <= tail.log_estimate


# -- manners ---------------------------------------------------------------------------------------


def test_order_and_exchange_give_the_same_bits():
    problem = f1_corpus(80, 8)
    order = np.random.default_rng(0).permutation(80)
    options = Options(n_resamples=3000, rng=4)
    first, second, third = (
        Importance().answer(Structured(x, y, problem.names, problem.value).question(0.05, options))
        for x, y in (
            (problem.a, problem.b),
            (problem.a[order], problem.b[order]),
            (problem.b, problem.a),
        )
    )
    assert first == second == third


def test_obstacles():
    question, _ = small_structured(4)
    assert Importance().obstacle(question) is None
    blind = replace(question, region=replace(question.region, value=None))
    assert "monte-carlo" in Importance().obstacle(blind)
    huge = Lattice.of(Effects.from_counts({2**70: 1, 3: 2}))
    assert "2^62" in Importance().obstacle(Question(huge, Runs(((2**70, 2**71),))))
    line, _ = small_line(4)
    assert Importance().obstacle(line) is None


def test_identical_systems_and_a_single_difference_give_one():
    same = np.ones((5, 2), dtype=int)
    nothing = Lattice.of(Effects.from_sums(same, same, ("x", "y")))
    always = Region(contains=lambda x: np.ones(len(x), dtype=bool), value=lambda x: np.zeros(len(x)))
    single = Lattice.of(Effects.from_sums(same * [[1], [1], [1], [1], [3]], same, ("x", "y")))
    for lattice, region in (
        (nothing, always),
        (Lattice.of(Effects.from_counts({0: 5})), Runs(((0, 0),))),
        (single, Runs(((1, 1),), mirrored=True)),
    ):
        tail = Importance().answer(Question(lattice, region, Options(n_resamples=99, rng=0)))
        assert tail.log_estimate == pytest.approx(0.0, abs=1e-15)
        assert tail.log_high == 0.0
