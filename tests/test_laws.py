"""Laws that hold for every data set, searched for a counterexample by Hypothesis."""

import itertools
import math

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactperm import Effects, paired_test
from exactperm.engines.base import Question
from exactperm.engines.fourier import Fourier
from exactperm.lattice import Lattice
from exactperm.region import Runs

small = st.integers(-9, 9)
wild = st.one_of(small, st.integers(-300, 300), st.sampled_from([-(10**18), 10**18, 2**62, -(2**63), 2**70]))
pairs = st.lists(st.tuples(wild, wild), max_size=14)
narrow_pairs = st.lists(st.tuples(small, small), min_size=1, max_size=60)
counts = st.dictionaries(st.integers(-40, 40), st.integers(0, 50), min_size=1, max_size=6)
alternatives = st.sampled_from(["two-sided", "greater", "less"])


def columns(rows):
    return [a for a, _ in rows], [b for _, b in rows]


def bits(result):
    return result.pvalue, result.log_pvalue, result.pvalue_interval, result.log_pvalue_interval, result.method


def array(scores):
    return np.array(scores, dtype=object)


@given(pairs, st.integers(0, 14))
def test_chunks_merge_to_the_whole(rows, cut):
    whole = Effects.from_scores(*map(array, columns(rows)))
    parts = [Effects.from_scores(*map(array, columns(part))) for part in (rows[:cut], rows[cut:])]
    assert parts[0] + parts[1] == whole
    assert parts[1] + parts[0] == whole
    assert bits(paired_test(parts[0] + parts[1])) == bits(paired_test(whole))


@given(narrow_pairs, narrow_pairs, narrow_pairs)
def test_merging_is_associative_and_has_a_zero(x, y, z):
    x, y, z = (Effects.from_scores(*map(np.array, columns(rows))) for rows in (x, y, z))
    nothing = Effects.from_scores(np.zeros(0, int), np.zeros(0, int))
    assert (x + y) + z == x + (y + z)
    assert x + nothing == nothing + x == x


@given(pairs, st.randoms(), alternatives)
def test_order_does_not_change_a_bit(rows, random, alternative):
    shuffled = random.sample(rows, len(rows))
    a, b = (paired_test(*columns(r), alternative=alternative) for r in (rows, shuffled))
    assert bits(a) == bits(b)


@given(pairs)
def test_exchange_of_a_and_b(rows):
    a, b = columns(rows)
    assert bits(paired_test(a, b)) == bits(paired_test(b, a))
    assert bits(paired_test(a, b, alternative="greater")) == bits(paired_test(b, a, alternative="less"))
    forth, back = paired_test(a, b), paired_test(b, a)
    assert forth.statistic == -back.statistic or math.isnan(forth.statistic)


@given(narrow_pairs, st.sampled_from([2, 3, 7, 10**6, 10**18, 2**64]), alternatives)
def test_scaling_changes_nothing(rows, factor, alternative):
    a, b = columns(rows)
    scaled = paired_test([x * factor for x in a], [x * factor for x in b], alternative=alternative)
    assert bits(scaled) == bits(paired_test(a, b, alternative=alternative))


@given(narrow_pairs, st.integers(-(10**12), 10**12))
def test_a_shift_of_all_scores_changes_nothing(rows, shift):
    a, b = columns(rows)
    moved = paired_test([x + shift for x in a], [x + shift for x in b])
    assert bits(moved) == bits(paired_test(a, b))
    assert moved.statistic == paired_test(a, b).statistic


@given(narrow_pairs, st.integers(0, 20), alternatives)
def test_ties_change_only_the_statistic(rows, ties, alternative):
    a, b = columns(rows)
    more = paired_test(a + [4] * ties, b + [4] * ties, alternative=alternative)
    assert bits(more) == bits(paired_test(a, b, alternative=alternative))
    assert more.n_tied == paired_test(a, b).n_tied + ties


@given(counts)
def test_monotone_in_the_threshold(table):
    lattice = Lattice.of(Effects.from_counts(table))
    if lattice.rank == 0:
        return
    (span,) = lattice.span
    thresholds = sorted({*range(0, span + 2, max(1, span // 12)), span // 2, span // 2 + 1, span, span + 1})
    tails = Fourier().answer_all([Question(lattice, Runs(((s, span),))) for s in thresholds])
    for left, right in itertools.pairwise(tails):
        assert left.log_high >= right.log_low
    estimates = [math.exp(t.log_estimate) for t in tails]
    assert all(x >= y * (1 - 1e-12) for x, y in itertools.pairwise(estimates))


@given(counts, st.floats(0, 1))
def test_tails_add_to_one(table, part):
    lattice = Lattice.of(Effects.from_counts(table))
    if lattice.rank == 0:
        return
    (span,) = lattice.span
    s = round(part * span)
    above, below = (Fourier().answer(Question(lattice, Runs((run,)))) for run in ((s, span), (0, s - 1)))
    assert math.exp(above.log_low) + math.exp(below.log_low) <= 1 + 2e-16
    assert math.exp(above.log_high) + math.exp(below.log_high) >= 1 - 2e-16


@given(counts)
def test_one_sided_tails_overlap_in_the_observed_point(table):
    effects = Effects.from_counts(table)
    greater, less = (paired_test(effects, alternative=side) for side in ("greater", "less"))
    assert greater.pvalue + less.pvalue >= 1 - 1e-15
    two_sided = paired_test(effects).pvalue
    assert (
        two_sided == min(1.0, 2 * min(greater.pvalue, less.pvalue))
        or abs(two_sided - min(1.0, 2 * min(greater.pvalue, less.pvalue))) <= 1e-11 * two_sided
    )


@given(counts, alternatives)
def test_no_p_value_is_below_the_least_possible(table, alternative):
    result = paired_test(Effects.from_counts(table), alternative=alternative)
    assert result.min_pvalue <= result.pvalue_interval.high
    assert result.pvalue <= 1.0


@settings(max_examples=40)
@given(
    st.integers(1, 6),
    st.integers(0, 40),
    st.integers(0, 2**32 - 1),
    st.sampled_from([3, 40, 5000]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0, 1, -1, -2]),
    alternatives,
)
def test_a_batch_has_the_bits_of_single_calls(tests, items, seed, size, grouped, gaps, axis, alternative):
    assume(not (items == 1 < tests and axis == -1))  # more likely one test of a column, and refused
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-size, size + 1, (2, tests, items)).astype(float)
    if gaps:
        a[rng.random(a.shape) < 0.2] = np.nan
    groups = rng.integers(0, 5, items) if grouped else None
    across = a if axis % 2 else a.T, b if axis % 2 else b.T
    options = {"groups": groups, "nan_policy": "omit", "alternative": alternative}
    batch = paired_test(*across, axis=axis, **options)
    assert batch.pvalue.shape == (tests,)
    for i in range(tests):
        single = paired_test(a[i], b[i], **options)
        assert (batch.pvalue[i], batch.log_pvalue[i]) == (single.pvalue, single.log_pvalue)
        assert (batch.pvalue_interval.low[i], batch.pvalue_interval.high[i]) == single.pvalue_interval
        assert (batch.n_items[i], batch.n_groups[i], batch.n_tied[i]) == (
            single.n_items,
            single.n_groups,
            single.n_tied,
        )
        assert batch.min_pvalue[i] == single.min_pvalue
        assert batch.statistic[i] == single.statistic or math.isnan(single.statistic)


@given(narrow_pairs, st.data())
def test_groups_of_one_and_one_group(rows, data):
    a, b = columns(rows)
    labels = data.draw(st.permutations(range(len(rows))))
    assert bits(paired_test(a, b, groups=labels)) == bits(paired_test(a, b))
    together = paired_test(a, b, groups=["all"] * len(rows))
    assert together.pvalue == 1.0
    assert together.n_groups == 1


@given(narrow_pairs, st.data())
def test_groups_are_sums_before_the_test(rows, data):
    a, b = columns(rows)
    labels = data.draw(st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows)))
    sums = {}
    for x, y, label in zip(a, b, labels, strict=True):
        first, second = sums.get(label, (0, 0))
        sums[label] = (first + x, second + y)
    grouped = paired_test(a, b, groups=labels)
    assert bits(grouped) == bits(paired_test(*columns(list(sums.values()))))
    assert grouped.statistic == paired_test(a, b).statistic  # the mean divides by items


def test_batches_of_unequal_difficulty():
    """Tests of one batch that need different engines, closed forms, no engine at all."""
    rows = [[5] * 40, [0] * 40, [1] * 20 + [-1] * 20, list(range(1, 41)), [2**40] + [3] * 39, [1] * 39 + [-(10**6)]]
    zeros = np.zeros(40, dtype=int)
    batch = paired_test(np.array(rows), np.array([zeros] * 6))
    for i, row in enumerate(rows):
        assert batch.pvalue[i] == paired_test(row, zeros).pvalue
    cube = paired_test(np.array(rows).reshape(2, 3, 40), np.zeros((2, 3, 40), int))
    assert (cube.pvalue == batch.pvalue.reshape(2, 3)).all()
