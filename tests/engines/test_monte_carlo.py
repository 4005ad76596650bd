import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import exactperm as xp
from exactperm.effects import Effects
from exactperm.engines import sampling
from exactperm.engines.base import Options, Question
from exactperm.engines.clopper_pearson import clopper_pearson
from exactperm.engines.monte_carlo import MonteCarlo
from exactperm.engines.sampling import DEFAULT_RESAMPLES
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs
from sampling_problems import Structured, bleu_corpus, f1, f1_corpus, small_line, small_structured


def tails(question, seeds, **options):
    for seed in seeds:
        yield MonteCarlo().answer(replace(question, options=Options(rng=seed, **options)))


def test_estimate_and_interval_are_those_of_the_hits():
    question, _ = small_structured(3, Options(n_resamples=5000, rng=1))
    tail = MonteCarlo().answer(question)
    hits = tail.details["hits"]
    low, high = clopper_pearson(hits, 5000, 0.95)
    assert 0 < hits < 5000
    assert math.exp(tail.log_estimate) == pytest.approx((hits + 1) / 5001)
    assert math.exp(tail.log_low) == pytest.approx(low)
    assert math.exp(tail.log_high) == pytest.approx(high)
    assert tail.confidence == 0.95
    assert tail.details == {"seed": 1, "n_resamples": 5000, "hits": hits}


@pytest.mark.parametrize("problem", [small_line, small_structured])
def test_close_to_the_exact_answer(problem):
    for seed in range(20):
        question, exact = problem(seed, Options(n_resamples=40_000, rng=seed, confidence_level=0.9999))
        tail = MonteCarlo().answer(question)
        assert math.exp(tail.log_low) <= exact <= math.exp(tail.log_high)
        assert math.exp(tail.log_high) - math.exp(tail.log_low) < 0.025


@pytest.mark.parametrize("problem", [small_line, small_structured])
def test_coverage(problem):
    covered = 0
    for seed in range(400):
        question, exact = problem(seed, Options(n_resamples=60, rng=seed, confidence_level=0.8))
        tail = MonteCarlo().answer(question)
        covered += tail.log_low <= math.log(exact) + 1e-12 and math.log(exact) - 1e-12 <= tail.log_high
    assert covered / 400 >= 0.8 - 3 * math.sqrt(0.16 / 400)


def test_ties_count():
    # of the sums 0, 1, 1, 2 of two coins both ends tie with the observed one
    lattice = Lattice.of(Effects.from_counts({1: 2}))
    question = Question(lattice, Runs(((2, 2),), mirrored=True), Options(n_resamples=20_000, rng=0))
    assert math.exp(MonteCarlo().answer(question).log_estimate) == pytest.approx(0.5, abs=0.02)


def test_a_p_value_of_zero_is_never_reported():
    lattice = Lattice.of(Effects.from_counts({1: 400}))
    question = Question(lattice, Runs(((400, 400),)), Options(n_resamples=999, rng=0))
    tail = MonteCarlo().answer(question)
    assert math.exp(tail.log_estimate) == pytest.approx(1 / 1000)
    assert tail.log_low == -math.inf


@pytest.mark.parametrize("level", [0.01, 0.5, 0.999])
@pytest.mark.parametrize("intervals", [((30, 30),), ((0, 30),), ((15, 30),)])
def test_the_estimate_is_in_the_interval_at_any_level(level, intervals):
    lattice = Lattice.of(Effects.from_counts({1: 30}))
    options = Options(n_resamples=99, rng=0, confidence_level=level)
    tail = MonteCarlo().answer(Question(lattice, Runs(intervals), options))
    assert tail.log_low <= tail.log_estimate <= tail.log_high <= 0


def test_default_number_of_samples():
    question, _ = small_line(1)
    assert MonteCarlo().answer(question).details["n_resamples"] == DEFAULT_RESAMPLES >= 9999


# -- the early stop --------------------------------------------------------------------------------


def test_early_stop_ends_at_the_hit_asked_for():
    question, exact = small_structured(5)
    for tail in tails(question, range(20), n_resamples=10**6, max_hits=50):
        drawn = tail.details["n_resamples"]
        assert tail.details["hits"] == 50
        assert math.exp(tail.log_estimate) == pytest.approx(50 / drawn)
        assert drawn < 50 / exact * 2


def test_early_stop_draws_the_same_samples():
    question, _ = small_structured(5, Options(n_resamples=3000, rng=9))
    whole = MonteCarlo().answer(question)
    hits = whole.details["hits"]
    (stopped,) = tails(question, [9], n_resamples=3000, max_hits=hits + 1)
    assert (stopped.log_low, stopped.log_estimate) == (whole.log_low, whole.log_estimate)
    (stopped,) = tails(question, [9], n_resamples=3000, max_hits=hits)
    assert stopped.details["n_resamples"] <= 3000


def test_early_stop_keeps_its_guarantee():
    # P(p-value <= u) <= u where the observed point is drawn from the null (Besag and Clifford 1991)
    rng = np.random.default_rng(11)
    problem = f1_corpus(12, 4, flip=0.1)
    lattice = problem.lattice
    pvalues = []
    for seed in range(500):
        coins = rng.binomial(lattice.counts, 0.5)
        observed = float(problem.difference((coins @ lattice.steps)[None])[0])
        options = Options(n_resamples=200, rng=seed, max_hits=5)
        tail = MonteCarlo().answer(problem.question(observed, options, "greater"))
        pvalues.append(math.exp(tail.log_estimate))
    for u in (0.02, 0.05, 0.1, 0.3, 0.5, 0.8):
        assert np.mean(np.array(pvalues) <= u + 1e-12) <= u + 3 * math.sqrt(u * (1 - u) / 500)


def test_coverage_of_the_early_stop():
    covered = 0
    for seed in range(400):
        options = Options(n_resamples=150, rng=seed, max_hits=6, confidence_level=0.8)
        question, exact = small_structured(seed, options)
        tail = MonteCarlo().answer(question)
        covered += math.exp(tail.log_low) - 1e-12 <= exact <= math.exp(tail.log_high) + 1e-12
    assert covered / 400 >= 0.8 - 3 * math.sqrt(0.16 / 400)


@pytest.mark.parametrize(("hits", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError)])
def test_bad_early_stop(hits, error):
    question, _ = small_line(1)
    with pytest.raises(error, match="max_hits"):
        MonteCarlo().answer(replace(question, options=Options(max_hits=hits)))


# -- the same bits ---------------------------------------------------------------------------------


def test_order_and_exchange_give_the_same_bits():
    a = f1_corpus(60, 8).a
    b = f1_corpus(60, 9).b
    b[:, 2] = a[:, 2]
    order = np.random.default_rng(0).permutation(60)
    least = abs(float(f1(a.sum(axis=0)) - f1(b.sum(axis=0))))
    options, names = Options(n_resamples=3000, rng=4), ("tp", "pred", "gold")
    first, second, third = (
        MonteCarlo().answer(Structured(x, y, names, f1).question(least, options))
        for x, y in ((a, b), (a[order], b[order]), (b, a))
    )
    assert first == second == third


def test_a_drawn_seed_repeats_the_test():
    question, _ = small_structured(2, Options(n_resamples=2000))
    first = MonteCarlo().answer(question)
    (second,) = tails(question, [first.details["seed"]], n_resamples=2000)
    assert first == second
    assert first.details["seed"] != MonteCarlo().answer(question).details["seed"]


def test_a_generator_moves_on():
    question, _ = small_structured(2)
    rng = np.random.default_rng(3)
    first, second = tails(question, [rng, rng], n_resamples=2000)
    assert first.log_estimate != second.log_estimate


# -- extremes --------------------------------------------------------------------------------------


def test_identical_systems_and_a_single_difference_give_one():
    nothing = Lattice.of(Effects.from_sums(np.ones((5, 2), int), np.ones((5, 2), int), ("x", "y")))
    always = Region(contains=lambda x: np.ones(len(x), dtype=bool))
    line = Lattice.of(Effects.from_counts({0: 5}))
    single = Lattice.of(Effects.from_counts({0: 5, 3: 1}))
    for lattice, region in (
        (nothing, always),
        (line, Runs(((0, 0),))),
        (single, Runs(((1, 1),), mirrored=True)),
    ):
        for options in (Options(n_resamples=99), Options(n_resamples=99, max_hits=10)):
            tail = MonteCarlo().answer(Question(lattice, region, options))
            assert tail.log_estimate == tail.log_high == 0.0


def test_memory_does_not_grow_with_the_samples(monkeypatch):
    monkeypatch.setattr(sampling, "BATCH_CELLS", 1 << 15)
    problem = bleu_corpus(500, 1)
    peaks = []
    for number in (20_000, 200_000):
        tracemalloc.start()
        try:
            MonteCarlo().answer(problem.question(0.0, Options(n_resamples=number, rng=0)))
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]
    assert peaks[1] < 8e6


def test_an_early_stop_by_the_public_functions():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 3, (2, 40))
    options = {"method": "monte-carlo", "n_resamples": 10_000, "rng": 3}
    stopped = xp.paired_test(a, b, max_hits=20, **options)
    assert "|n_resamples:" in stopped.signature
    drawn = int(stopped.signature.split("n_resamples:")[1].split("|")[0])
    assert stopped.pvalue == 20 / drawn
    assert drawn < 1000
    low, high = stopped.pvalue_interval
    assert low <= xp.paired_test(a, b).pvalue <= high
    assert xp.compare({"a": a, "b": b}, max_hits=20, **options).pairs[0].pvalue == stopped.pvalue
    with pytest.raises(ValueError, match='max_hits is for method="monte-carlo"'):
        xp.paired_test(a, b, max_hits=20)
    with pytest.raises(ValueError, match="max_hits must be a positive integer, not 0"):
        xp.paired_test(a, b, method="monte-carlo", max_hits=0)
