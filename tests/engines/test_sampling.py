import itertools

import numpy as np
import pytest
from scipy import stats

from exactperm.engines import sampling
from exactperm.engines.base import Options
from exactperm.engines.sampling import Sampler, batches, generator, resamples
from sampling_problems import all_points, f1_corpus, macro_f1_corpus

STEPS = np.array([[1, -2, 0], [3, 5, -1], [0, 4, 2]])


def keys(points):
    return [tuple(row) for row in points.tolist()]


@pytest.mark.parametrize("counts", [[1, 1, 1], [2, 3, 1]])
@pytest.mark.parametrize("chances", [None, [0.5, 0.5, 0.5], [0.1, 0.9, 0.03]])
def test_every_point_comes_as_often_as_it_should(counts, chances):
    counts = np.array(counts)
    law = {}
    for k in itertools.product(*(range(c + 1) for c in counts)):
        chance = stats.binom.pmf(k, counts, 0.5 if chances is None else chances).prod()
        point = tuple((np.array(k) @ STEPS).tolist())
        law[point] = law.get(point, 0) + chance
    rng, size = np.random.default_rng(1), 40_000
    sampler = Sampler(STEPS, counts)
    drawn = sampler.fair(rng, size) if chances is None else sampler.tilted(rng, size, np.array(chances))
    seen = dict.fromkeys(law, 0)
    for key in keys(drawn):
        seen[key] += 1  # KeyError: a point that cannot be
    common = [key for key in law if law[key] * size > 5]
    rest = size - sum(seen[key] for key in common)
    observed = [*(seen[key] for key in common), rest]
    expected = [*(law[key] * size for key in common), size - size * sum(map(law.get, common))]
    kept = np.array(expected) > 1e-6
    assert rest == 0 or kept[-1]
    result = stats.chisquare(np.array(observed)[kept], np.array(expected)[kept])
    assert result.pvalue > 1e-4


def test_many_equal_effects_have_the_moments_of_a_binomial():
    counts = np.array([sampling.MANY - 1, sampling.MANY, 10**12])
    sampler = Sampler(np.eye(3, dtype=np.int64), counts)
    z = (sampler.fair(np.random.default_rng(2), 50_000) - counts / 2) / np.sqrt(counts) * 2
    assert np.abs(z.mean(axis=0)).max() < 5 / np.sqrt(50_000)
    assert np.abs((z**2).mean(axis=0) - 1).max() < 5 * np.sqrt(2 / 50_000)
    assert np.abs(np.corrcoef(z.T) - np.eye(3)).max() < 0.03


def test_two_coins_of_one_table_are_independent():
    sampler = Sampler(np.eye(25, dtype=np.int64), np.ones(25, dtype=np.int64))
    points = sampler.fair(np.random.default_rng(3), 20_000)
    assert np.abs(np.corrcoef(points.T) - np.eye(25)).max() < 5 / np.sqrt(20_000)


@pytest.mark.parametrize("size", [2**30, 2**45, 2**57, 2**58, 2**61, 2**70, 10**40])
def test_sums_of_any_size_are_exact(size):
    rng = np.random.default_rng(4)
    y, z = rng.integers(-9, 10, 30).astype(object), rng.integers(-9, 10, 30).astype(object)
    steps = np.stack([y, y * size + z, z, -z * size], axis=1)
    if all(abs(x) < 2**62 for x in steps.ravel()):
        steps = steps.astype(np.int64)
    for points in (
        Sampler(steps, np.full(30, 3)).fair(rng, 500),
        Sampler(steps, np.full(30, 3)).tilted(rng, 500, np.full(30, 0.7)),
    ):
        for a, mixed, b, big in points.tolist():
            assert mixed == a * size + b
            assert big == -b * size


def test_range_is_reached_at_both_ends():
    sampler = Sampler(STEPS, np.array([2, 1, 3]))
    sure = np.ones(3)
    rng = np.random.default_rng(5)
    assert keys(sampler.tilted(rng, 1, sure)) == [(2 + 3, -4 + 5 + 12, -1 + 6)]
    assert keys(sampler.tilted(rng, 1, 0 * sure)) == [(0, 0, 0)]


def test_rank_zero_draws_the_only_point():
    sampler = Sampler(np.zeros((0, 0), dtype=np.int64), np.zeros(0, dtype=np.int64))
    assert sampler.fair(np.random.default_rng(0), 7).shape == (7, 0)


def test_small_laws_are_in_the_law():
    lattice = f1_corpus(9, 3, flip=0.0).lattice
    points = Sampler(lattice.steps, lattice.counts).fair(np.random.default_rng(6), 3000)
    assert set(keys(points)) <= set(keys(all_points(lattice)))


def test_batches_cover_the_samples_and_bound_memory():
    for size, rank in itertools.product([1, 4096, 99_999, 3_000_000], [0, 1, 9, 200]):
        sizes = list(batches(size, rank))
        assert sum(sizes) == size
        assert max(sizes) * max(rank, 1) <= max(sampling.BATCH_CELLS, 4096 * rank)


def test_many_classes_take_few_words():
    problem = macro_f1_corpus(2000, 1)
    sampler = Sampler(problem.lattice.steps, problem.lattice.counts)
    assert len(sampler.words) <= 3


def test_generators():
    for rng in (7, np.int64(7), np.random.SeedSequence(7)):
        made, details = generator(rng)
        assert made.random() == np.random.default_rng(7).random()
        assert details == {"seed": 7}
    mine = np.random.default_rng(7)
    assert generator(mine)[0] is mine
    made, details = generator(None)
    assert made.random() == np.random.default_rng(details["seed"]).random()


@pytest.mark.parametrize(("number", "error"), [(0, ValueError), (-3, ValueError), (2.5, TypeError), ("9", TypeError)])
def test_bad_numbers_of_resamples(number, error):
    with pytest.raises(error, match="n_resamples"):
        resamples(Options(n_resamples=number))
