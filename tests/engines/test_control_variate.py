import math
from dataclasses import replace

import numpy as np
import pytest

from exactperm.effects import Effects
from exactperm.engines import control_variate
from exactperm.engines.base import CannotAnswer, Engine, Options, Question, Tail
from exactperm.engines.control_variate import ControlVariate
from exactperm.engines.fourier import Fourier
from exactperm.engines.monte_carlo import MonteCarlo
from exactperm.engines.sampling import Sampler
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs
from sampling_problems import (
    BLEU_SUMS,
    Structured,
    all_points,
    bleu,
    bleu_corpus,
    f1_corpus,
    macro_f1_corpus,
    small_line,
    small_structured,
)

TOTAL = 100_000


def width(tail: Tail) -> float:
    return math.exp(tail.log_high) - math.exp(tail.log_low)


def null_sample(problem: Structured, size: int) -> np.ndarray:
    sampler = Sampler(problem.lattice.steps, problem.lattice.counts)
    return problem.difference(sampler.fair(np.random.default_rng(99), size))


# -- narrower --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("corpus", "gain"), [(bleu_corpus, 10), (macro_f1_corpus, 5)])
@pytest.mark.parametrize("p", [0.9, 0.3, 0.05])
def test_intervals_are_narrower_than_those_of_plain_sampling(corpus, gain, p):
    problem = corpus(2000, 3)
    least = float(np.quantile(np.abs(null_sample(problem, 20_000)), 1 - p))
    # the pilot counts as samples too
    options = Options(n_resamples=TOTAL - control_variate.PILOT, rng=1)
    controlled = ControlVariate().answer(problem.question(least, options))
    plain = MonteCarlo().answer(problem.question(least, Options(n_resamples=TOTAL, rng=2)))
    assert width(plain) > gain * width(controlled)
    wide = Options(n_resamples=TOTAL, rng=3, confidence_level=0.99999)
    check = MonteCarlo().answer(problem.question(least, wide))
    assert check.log_low < controlled.log_estimate < check.log_high
    assert controlled.log_low <= controlled.log_estimate <= controlled.log_high


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_two_independent_runs_agree(alternative):
    problem = macro_f1_corpus(1000, 5)
    least = 2.0 * float(null_sample(problem, 20_000).std())
    first, second = (
        ControlVariate().answer(
            problem.question(least, Options(n_resamples=50_000, rng=seed, confidence_level=0.9999), alternative)
        )
        for seed in (1, 2)
    )
    assert max(first.log_low, second.log_low) <= min(first.log_high, second.log_high)
    assert width(first) < 5e-3


def test_far_tail_is_closer_than_one_over_the_samples():
    # P(A) is exact however small it is, and the estimate does not lose it to a stray sample
    problem = bleu_corpus(2000, 3)
    least = 6.0 * float(null_sample(problem, 20_000).std())
    tail = ControlVariate().answer(problem.question(least, Options(n_resamples=20_000, rng=1)))
    assert tail.log_estimate == pytest.approx(math.log(2e-9), abs=2.5)


def test_a_kink_at_the_midpoint_widens_the_interval_and_says_so():
    # the brevity penalty begins a standard deviation from where the law is centred
    smooth = bleu_corpus(1500, 3)
    a, b = smooth.a.copy(), smooth.b.copy()
    shift = (a[:, 0] + b[:, 0]).sum() / 2 - a[:, 1].sum()
    spread = np.sqrt(((a[:, 0] - b[:, 0]) ** 2).sum()) / 2
    a[0, 1] = b[0, 1] = a[0, 1] + int(shift + spread)
    kinked = Structured(a, b, BLEU_SUMS, bleu)
    widths = []
    for problem in (smooth, kinked):
        least = float(np.quantile(np.abs(null_sample(problem, 20_000)), 0.6))
        tail = ControlVariate().answer(problem.question(least, Options(n_resamples=20_000, rng=1)))
        plain = MonteCarlo().answer(problem.question(least, Options(n_resamples=200_000, rng=2)))
        assert plain.log_low < tail.log_high
        assert tail.log_low < plain.log_high
        widths.append((width(tail), sum(tail.details["disagreements"])))
    assert widths[1] > (3 * widths[0][0], 20)


# -- honest ----------------------------------------------------------------------------------------


def test_coverage():
    covered = informative = 0
    for seed in range(200):
        options = Options(n_resamples=150, rng=seed, confidence_level=0.8)
        question, exact = small_structured(seed, options)
        tail = ControlVariate().answer(question)
        covered += math.exp(tail.log_low) - 1e-12 <= exact <= math.exp(tail.log_high) + 1e-12
        informative += width(tail) < 0.5
    assert covered / 200 >= 0.8 - 3 * math.sqrt(0.16 / 200)
    assert informative > 150


def test_any_guide_is_valid_and_only_the_width_suffers():
    guides = {
        "upside down": lambda x: -(x @ np.ones(x.shape[1])),
        "constant": lambda x: np.ones(len(x)),
        "not a number": lambda x: np.full(len(x), np.nan),
        "noise": lambda x: np.sin(1e3 * x.sum(axis=1)),
    }
    for seed in range(5):
        options = Options(n_resamples=20_000, rng=seed, confidence_level=0.9999)
        question, exact = small_structured(seed, options)
        for name, guide in guides.items():
            misled = replace(question, region=replace(question.region, value=guide))
            tail = ControlVariate().answer(misled)
            assert math.exp(tail.log_low) <= exact <= math.exp(tail.log_high), name
            assert math.exp(tail.log_estimate) == pytest.approx(exact, abs=0.03), name
            assert width(tail) < 0.1, name


def test_ties_at_the_observed_value_cost_nothing():
    # four equal effects: t takes five values and two of them are the observed one
    effects = Effects.from_sums(np.array([[2, 1]] * 4 + [[0, 1]]), np.array([[1, 1]] * 4 + [[0, 0]]), ("x", "y"))
    lattice = Lattice.of(effects)
    span = np.array(lattice.span)
    x = all_points(lattice)
    observed = np.array(lattice.observed)

    def value(points):
        return (2 * points - span) @ np.array([1.0, 0.0]) - abs(2 * observed - span)[0]

    region = Region(contains=lambda points: value(points) >= 0, mirrored=True, value=value)
    exact = float(np.mean((value(x) >= 0) | (value(span - x) >= 0)))
    tail = ControlVariate().answer(Question(lattice, region, Options(n_resamples=10_000, rng=0)))
    assert tail.details["disagreements"] == (0, 0)
    assert math.exp(tail.log_estimate) == pytest.approx(exact, abs=1e-12)


def test_one_dimension_is_answered_exactly():
    for seed in range(20):
        question, exact = small_line(seed)
        tail = ControlVariate().answer(question)
        assert math.exp(tail.log_estimate) == pytest.approx(exact, rel=1e-12)
        assert tail.details["n_resamples"] == 0
        assert tail.confidence == 0.95


# -- manners ---------------------------------------------------------------------------------------


def test_order_and_exchange_give_the_same_bits():
    problem = f1_corpus(80, 8)
    order = np.random.default_rng(0).permutation(80)
    least = 1.5 * float(null_sample(problem, 1000).std())
    options = Options(n_resamples=3000, rng=4)
    first, second, third = (
        ControlVariate().answer(Structured(x, y, problem.names, problem.value).question(least, options))
        for x, y in (
            (problem.a, problem.b),
            (problem.a[order], problem.b[order]),
            (problem.b, problem.a),
        )
    )
    assert first == second == third


class Picky(Engine):
    """Fourier for small circles only, refusing before or while it works."""

    name, exact = "picky", True

    def __init__(self, late: bool, most: int) -> None:
        self.late, self.most, self.asked = late, most, 0

    def obstacle(self, question):
        return None if self.late or self.fits(question) else "too large"

    def fits(self, question):
        return question.lattice.span[0] < self.most

    def cost(self, question):
        return Fourier().cost(question)

    def answer(self, question):
        self.asked += 1
        if not self.fits(question):
            raise CannotAnswer("too large after all")
        return Fourier().answer(question)


@pytest.mark.parametrize("late", [True, False])
def test_coarser_weights_where_the_exact_engine_gives_up(late):
    question, exact = small_structured(4, Options(n_resamples=20_000, rng=0))
    engine = Picky(late, 2000)
    tail = ControlVariate(engine).answer(question)
    assert engine.asked > 1 if late else engine.asked == 1
    assert math.exp(tail.log_low) <= exact <= math.exp(tail.log_high)
    with pytest.raises(CannotAnswer, match="monte-carlo"):
        ControlVariate(Picky(late, 0)).answer(question)


def test_obstacles():
    question, _ = small_structured(4)
    assert ControlVariate().obstacle(question) is None
    blind = replace(question, region=replace(question.region, value=None))
    assert "monte-carlo" in ControlVariate().obstacle(blind)
    line, _ = small_line(4)
    assert ControlVariate().obstacle(line) is None
    assert ControlVariate(Picky(False, 0)).obstacle(line) == "too large"


def test_identical_systems_and_a_single_difference_give_one():
    same = np.ones((5, 2), dtype=int)
    nothing = Lattice.of(Effects.from_sums(same, same, ("x", "y")))
    always = Region(contains=lambda x: np.ones(len(x), dtype=bool), value=lambda x: np.zeros(len(x)))
    # one item that differs, asked as a line and as a region in the plane's only free dimension
    single = Lattice.of(Effects.from_sums(same * [[1], [1], [1], [1], [3]], same, ("x", "y")))
    upper = Region(contains=lambda x: x[:, 0] >= 1, mirrored=True, value=lambda x: 2.0 * x[:, 0] - 2)
    for lattice, region in (
        (nothing, always),
        (Lattice.of(Effects.from_counts({0: 5})), Runs(((0, 0),))),
        (single, Runs(((1, 1),), mirrored=True)),
        (single, upper),
    ):
        tail = ControlVariate().answer(Question(lattice, region, Options(n_resamples=99, rng=0)))
        assert tail.log_estimate == pytest.approx(0.0, abs=1e-15)
        assert tail.log_high == 0.0
