"""The paper's algorithms against enumeration, integer arithmetic and published exact answers."""

import csv
import itertools
import json
import math
import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactperm import paper
from exactperm.paper import (
    convolve_dp,
    convolve_fft,
    exact_perm_test,
    exact_perm_test_m,
    monte_carlo,
)

DATA = Path(__file__).parent / "data"
EXACT = json.loads((DATA / "exact.json").read_text(encoding="utf-8"))


def convolve_fft_only(pmfs):
    """The FFT down to single factors, so that small problems exercise it."""
    with mock.patch.object(paper, "_LEAF", 1):
        return convolve_fft(pmfs)


def convolve_dict(pmfs):
    """The dynamic program over a dict, whatever the range."""
    with mock.patch.object(paper, "_LARGEST_ARRAY", 0):
        return convolve_dp(pmfs)


CONVOLUTIONS = [convolve_dp, convolve_dict, convolve_fft, convolve_fft_only]
# Fair coins of a few items are exact in binary; only the FFT itself rounds.
TOLERANCE = {convolve_fft_only: 4e-15}
every_convolution = pytest.mark.parametrize("convolve", CONVOLUTIONS, ids=lambda f: f.__name__)


def difference(x, y):
    return x - y


def identity(s):
    return s


def enumerate_swaps(u, v, gs, h):
    """P(h >= h(observed)) over all 2^N assignments, as a fraction."""

    def statistic(swaps):
        pairs = [(y, x) if swap else (x, y) for x, y, swap in zip(u, v, swaps, strict=True)]
        return h(*(sum(g(x, y) for x, y in pairs) for g in gs))

    observed = statistic([False] * len(u))
    hits = sum(statistic(s) >= observed for s in itertools.product([False, True], repeat=len(u)))
    return Fraction(hits, 2 ** len(u))


def count_signs(effects):
    """{sum: number of sign patterns of the effects with that sum}, in integers of any size."""
    counts = {0: 1}
    for d in effects:
        new = Counter()
        for s, c in counts.items():
            new[s + d] += c
            new[s - d] += c
        counts = new
    return counts


def read(name):
    with (DATA / name).open(newline="", encoding="utf-8") as lines:
        rows = [(int(a), int(b)) for a, b in csv.reader(lines)]
    return [a for a, _ in rows], [b for _, b in rows]


def check(p, exact, convolve):
    assert type(p) is float
    assert 0 < p <= 1
    assert abs(Fraction(p) - exact) <= TOLERANCE.get(convolve, 0)


# --- one sum ---------------------------------------------------------------------------------

numbers = st.one_of(st.integers(0, 6), st.sampled_from([0, 10, 1000]))
systems = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8)


@every_convolution
@pytest.mark.parametrize("h", [identity, abs, lambda s: -s, lambda s: (s - 2) ** 2 % 7])
@given(pairs=systems)
@settings(max_examples=40, deadline=None)
def test_p_equals_enumeration(convolve, h, pairs):
    u, v = zip(*pairs, strict=True)
    p = exact_perm_test(u, v, difference, h, convolve)
    check(p, enumerate_swaps(u, v, [difference], h), convolve)


@every_convolution
@given(pairs=systems)
@settings(max_examples=40, deadline=None)
def test_g_need_not_be_antisymmetric(convolve, pairs):
    def g(x, y):
        return 5 * x - 3 * y + (x < y)

    u, v = zip(*pairs, strict=True)
    check(exact_perm_test(u, v, g, abs, convolve), enumerate_swaps(u, v, [g], abs), convolve)


@every_convolution
@given(pairs=systems, data=st.data())
@settings(max_examples=30, deadline=None)
def test_order_and_exchange_give_the_same_bits(convolve, pairs, data):
    u, v = zip(*pairs, strict=True)
    w, x = zip(*data.draw(st.permutations(pairs)), strict=True)
    p = exact_perm_test(u, v, difference, abs, convolve)
    assert exact_perm_test(w, x, difference, abs, convolve) == p
    assert exact_perm_test(x, w, difference, abs, convolve) == p


@pytest.mark.parametrize("name", ["paper_like_100.csv", "paper_like_1000_gap5.csv"])
def test_the_published_answers_are_those_of_integers(name):
    u, v = read(name)
    effects = [x - y for x, y in zip(u, v, strict=True) if x != y]
    observed = abs(sum(effects))
    hits = sum(c for s, c in count_signs(effects).items() if abs(s) >= observed)
    assert float(Fraction(hits, 2 ** len(effects))) == pytest.approx(float(EXACT[name]["two_sided"]), rel=1e-15)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(("h", "key"), [(abs, "two_sided"), (identity, "greater")])
def test_dp_is_right_in_relative_terms(name, h, key):
    u, v = read(name)
    assert len(u) == EXACT[name]["n"]
    p = exact_perm_test(u, v, difference, h, convolve_dp)
    assert p == pytest.approx(float(EXACT[name][key]), rel=1e-13, abs=0)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(("h", "key"), [(abs, "two_sided"), (identity, "greater")])
def test_fft_is_right_in_absolute_terms(name, h, key):
    u, v = read(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        p = exact_perm_test(u, v, difference, h)
    assert 0 < p <= 1
    assert p == pytest.approx(float(EXACT[name][key]), rel=0, abs=2e-14)


def test_fft_says_when_p_is_noise():
    u, v = read("paper_like_10000_gap5.csv")
    with pytest.warns(RuntimeWarning, match="convolve=convolve_dp") as caught:
        exact_perm_test(u, v, difference, abs)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("convolve", [convolve_dp, convolve_dict, convolve_fft])
def test_smallest_p(convolve):
    # one assignment of 2^53; no FFT is needed for so few (warnings are errors)
    assert exact_perm_test([1] * 53, [0] * 53, difference, identity, convolve) == 2.0**-53


def test_far_tails():
    u, v = [1] * 1000, [0] * 1000
    assert exact_perm_test(u, v, difference, identity, convolve_dp) == 2.0**-1000
    with pytest.warns(RuntimeWarning, match="noise"):
        assert exact_perm_test(u, v, difference, identity) > 0
    # the truth is 2^-2000, not a float but not 0
    pmf = convolve_fft([{0: 0.5, 1: 0.5}] * 2000)
    assert len(pmf) == 2001
    assert min(pmf.values()) == 5e-324
    assert exact_perm_test(u * 2, v * 2, difference, identity, convolve_dp) == 0.0


@every_convolution
def test_entries_of_any_kind(convolve):
    class Sentence:
        def __init__(self, words):
            self.words = words

    gold = ["the", "cat", "sat", "on", "a", "mat"]
    texts_u = ["the cat", "a mat", "on", "sat"]
    texts_v = ["the dog", "mat", "on", "dog"]

    def matches(x, y):
        return sum(w in gold for w in x.split()) - sum(w in gold for w in y.split())

    exact = enumerate_swaps(texts_u, texts_v, [matches], abs)
    assert exact == Fraction(1, 4)
    check(exact_perm_test(texts_u, texts_v, matches, abs, convolve), exact, convolve)

    objects = [[Sentence(t) for t in texts] for texts in (texts_u, texts_v)]
    p = exact_perm_test(*objects, lambda x, y: matches(x.words, y.words), abs, convolve)
    check(p, exact, convolve)

    rows = [np.array([[w in t.split() for w in gold] for t in s]) for s in (texts_u, texts_v)]
    p = exact_perm_test(*rows, lambda x, y: x.sum() - y.sum(), abs, convolve)
    check(p, exact, convolve)

    sets = [[frozenset(t.split()) & set(gold) for t in texts] for texts in (texts_u, texts_v)]
    p = exact_perm_test(*map(iter, sets), lambda x, y: len(x) - len(y), abs, convolve)
    check(p, exact, convolve)


def test_arrays_of_small_integers_do_not_overflow():
    u, v = np.array([3, 200, 7], dtype=np.uint8), np.array([5, 0, 255], dtype=np.uint8)
    exact = enumerate_swaps(u.tolist(), v.tolist(), [difference], abs)
    assert exact == Fraction(3, 4)
    assert exact_perm_test(u, v, difference, abs) == exact


def test_h_gets_python_ints_and_only_attainable_sums():
    seen = []

    def h(s):
        seen.append(s)
        return s

    for convolve in CONVOLUTIONS:
        seen.clear()
        exact_perm_test(np.array([10, 0, 3]), np.array([0, 4, 3]), difference, h, convolve)
        assert {type(s) for s in seen} == {int}
        assert set(seen) == {14, 6, -6, -14}


@every_convolution
def test_ties_are_as_exact_as_h(convolve):
    # 0.1 * 3 > 0.3: with floats the tie is lost, with fractions it is kept
    u, v, tenth = [1, 1, 1], [0, 0, 0], Fraction(1, 10)
    p = exact_perm_test(u, v, difference, lambda s: tenth * abs(s), convolve)
    check(p, Fraction(1, 4), convolve)
    p = exact_perm_test(u, v, difference, lambda s: 0.3 if s == 3 else abs(s) * 0.1, convolve)
    check(p, Fraction(1, 4), convolve)
    p = exact_perm_test(u, v, difference, lambda s: s * 0.1 if s == 3 else abs(s) * 0.1, convolve)
    check(p, Fraction(1, 4), convolve)
    p = exact_perm_test(u, v, difference, lambda s: 0.1 * 3 if s == 3 else 0.3, convolve)
    check(p, Fraction(1, 8), convolve)


@every_convolution
def test_p_is_one_where_nothing_is_excluded(convolve):
    assert exact_perm_test([], [], difference, abs, convolve) == 1.0
    assert exact_perm_test_m([], [], [difference] * 3, max, convolve) == 1.0
    assert exact_perm_test([4, 2], [4, 2], difference, abs, convolve) == 1.0
    rng = np.random.default_rng(5)
    u = rng.integers(0, 9, 300)
    assert exact_perm_test(u, u[::-1], difference, abs, convolve) == 1.0  # observed 0
    v = rng.integers(0, 9, 300)
    for n in range(150, 300, 10):  # though the probabilities do not always add up to one
        assert exact_perm_test(u[:n], v[:n], difference, lambda _: 0, convolve) == 1.0


@every_convolution
def test_p_is_at_most_one_where_something_is_excluded(convolve):
    rng = np.random.default_rng(6)
    u, v = rng.integers(0, 9, (2, 300))
    for n in range(150, 300, 5):
        lowest = -abs(u[:n] - v[:n]).sum()
        p = exact_perm_test(u[:n], v[:n], difference, lambda s, low=lowest: s > low, convolve)
        assert 1 - 1e-13 < p <= 1


def test_the_order_of_the_sums_does_not_matter():
    def backwards(pmfs):
        return dict(reversed(convolve_dp(pmfs).items()))

    for name in EXACT:
        u, v = read(name)
        p = exact_perm_test(u, v, difference, identity, convolve_dp)
        assert exact_perm_test(u, v, difference, identity, backwards) == p


def test_a_convolution_of_ones_own():
    def slow(pmfs):
        law = {0: Fraction(1)}
        for pmf in pmfs:
            new = Counter()
            for (s, p), (x, q) in itertools.product(law.items(), pmf.items()):
                new[s + x] += p * Fraction(q)
            law = new
        return law

    assert exact_perm_test([3, 1, 4], [1, 1, 2], difference, identity, slow) == 0.25


# --- several sums ----------------------------------------------------------------------------

counts_of_item = st.tuples(st.integers(0, 4), st.integers(0, 4))
F1_SUMS = [lambda x, _: x[0], lambda x, _: x[1], lambda _, y: y[0], lambda _, y: y[1]]


def f1_difference(tp_u, in_u, tp_v, in_v):
    def f1(tp, incorrect):
        return Fraction(2 * tp, 2 * tp + incorrect) if tp + incorrect else Fraction(0)

    return abs(f1(tp_u, in_u) - f1(tp_v, in_v))


@every_convolution
@given(pairs=st.lists(st.tuples(counts_of_item, counts_of_item), min_size=1, max_size=7))
@settings(max_examples=60, deadline=None)
def test_f1_equals_enumeration(convolve, pairs):
    u, v = zip(*pairs, strict=True)
    p = exact_perm_test_m(u, v, F1_SUMS, f1_difference, convolve)
    check(p, enumerate_swaps(u, v, F1_SUMS, f1_difference), convolve)


@every_convolution
@given(pairs=st.lists(st.tuples(counts_of_item, counts_of_item), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_sums_without_a_relation_equal_enumeration(convolve, pairs):
    gs = [
        lambda x, y: 2 * x[0] * y[1],
        lambda x, y: 10**19 + max(x[0], 1) // (1 + y[0]),
        lambda x, _: -x[1],
    ]
    u, v = zip(*pairs, strict=True)

    def h(a, b, c):
        return a * c - (b % 10**19) ** 2

    p = exact_perm_test_m(u, v, gs, h, convolve)
    check(p, enumerate_swaps(u, v, gs, h), convolve)


def test_f1_of_forty_items():
    # the sums of one system determine those of the other, so two-dimensional counts are enough
    rng = np.random.default_rng(0)
    u, v = rng.integers(0, 5, (2, 40, 2)).tolist()
    counts = {(0, 0): 1}
    for x, y in zip(u, v, strict=True):
        new = Counter()
        for (tp, incorrect), c in counts.items():
            new[tp + x[0], incorrect + x[1]] += c
            new[tp + y[0], incorrect + y[1]] += c
        counts = new
    total = np.sum(u, axis=0) + np.sum(v, axis=0)
    observed = f1_difference(*np.sum(u, axis=0).tolist(), *np.sum(v, axis=0).tolist())
    hits = sum(
        c
        for (tp, incorrect), c in counts.items()
        if f1_difference(tp, incorrect, *(total - [tp, incorrect]).tolist()) >= observed
    )
    exact = Fraction(hits, 2**40)
    assert 0.01 < exact < 0.99
    for convolve in CONVOLUTIONS:
        check(exact_perm_test_m(u, v, F1_SUMS, f1_difference, convolve), exact, convolve)


def test_one_sum_may_come_as_a_list_of_one():
    u, v = read("paper_like_100.csv")
    assert exact_perm_test_m(u, v, [difference], abs) == exact_perm_test(u, v, difference, abs)


# --- convolutions ----------------------------------------------------------------------------

eighths = st.integers(1, 8).map(lambda k: k / 8)
points = st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(-2, 2))


def law_of_sum(pmfs, zero):
    law = {zero: Fraction(1)}
    for pmf in pmfs:
        new = Counter()
        for (s, p), (x, q) in itertools.product(law.items(), pmf.items()):
            key = s + x if zero == 0 else tuple(map(int.__add__, s, x))
            new[key] += p * Fraction(q)
        law = new
    return law


def check_law(pmf, law, convolve):
    assert pmf.keys() == law.keys()
    for key, probability in pmf.items():
        assert type(probability) is float
        bound = 1e-14 * sum(law.values()) if convolve is convolve_fft_only else 1e-14 * law[key]
        assert abs(Fraction(probability) - law[key]) <= bound


@every_convolution
@given(pmfs=st.lists(st.dictionaries(st.integers(-9, 9), eighths, min_size=1, max_size=4)))
@settings(max_examples=60, deadline=None)
def test_law_of_a_sum_of_integers(convolve, pmfs):
    pmfs = pmfs[:6]
    pmf = convolve(pmfs)
    check_law(pmf, law_of_sum(pmfs, 0), convolve)
    assert list(pmf) == sorted(pmf)
    assert {type(s) for s in pmf} == {int}


@every_convolution
@given(pmfs=st.lists(st.dictionaries(points, eighths, min_size=1, max_size=3), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_law_of_a_sum_of_vectors(convolve, pmfs):
    pmf = convolve(pmfs)
    check_law(pmf, law_of_sum(pmfs, (0, 0, 0)), convolve)
    assert list(pmf) == sorted(pmf)
    assert {type(x) for s in pmf for x in s} == {int}


@every_convolution
def test_binomial_law(convolve):
    n = 400
    pmf = convolve([{0: 0.75, 3: 0.25}] * n)
    law = {3 * k: Fraction(math.comb(n, k) * 3 ** (n - k), 4**n) for k in range(n + 1)}
    assert pmf.keys() == law.keys()
    assert min(pmf.values()) > 0
    relative = convolve in {convolve_dp, convolve_dict}
    for s, probability in pmf.items():
        assert abs(Fraction(probability) - law[s]) <= (1e-13 * law[s] if relative else 1e-15)


@every_convolution
def test_unattainable_sums_are_left_out(convolve):
    assert convolve([{0: 0.5, 1: 0.0, 2: 0.5}]) == {0: 0.5, 2: 0.5}
    # sums of 150 ones and two 1000s: there are gaps, and an FFT has noise in them
    pmf = convolve([{0: 0.5, 1: 0.5}] * 150 + [{0: 0.5, 1000: 0.5}] * 2)
    assert pmf.keys() == {1000 * i + j for i in range(3) for j in range(151)}
    assert sum(pmf.values()) == pytest.approx(1, abs=1e-14)


@every_convolution
def test_huge_integers(convolve):
    big = 10**18
    effects = [big + 1, big + 3, 17 * big, 5, 5, 5, 3 * big - 1, 0, 1]
    counts = count_signs(effects)
    pmf = convolve([{d: 0.5, -d: 0.5} if d else {0: 1.0} for d in effects])
    assert pmf == {s: c / 2 ** len(effects) for s, c in counts.items()}
    # a huge common divisor is no problem of size
    pmf = convolve([{0: 0.5, big**3: 0.5}] * 500)
    assert len(pmf) == 501
    assert max(pmf) == 500 * big**3


@every_convolution
def test_what_fits_nowhere_is_refused(convolve):
    pmfs = [{0: 0.5, 2**k: 0.5} for k in range(60)]
    with (
        mock.patch.object(paper, "_LARGEST_WORK", 1000),
        pytest.raises(ValueError, match=r"too many for 1,000 .*paired_test"),
    ):
        convolve(pmfs)


def test_the_empty_sum():
    for convolve in CONVOLUTIONS:
        assert convolve([]) == {0: 1.0}
        assert convolve(iter([{(2, 1): 1.0}])) == {(2, 1): 1.0}


# --- Monte Carlo -----------------------------------------------------------------------------


def test_monte_carlo_is_reproducible():
    u, v = read("paper_like_1000_gap2.csv")
    p = monte_carlo(u, v, difference, abs, rng=7)
    assert monte_carlo(u, v, difference, abs, K=20_000, rng=np.random.default_rng(7)) == p
    assert monte_carlo(u[::-1], v[::-1], difference, abs, rng=7) == p
    assert monte_carlo(v, u, difference, abs, rng=7) == p
    assert monte_carlo(u, v, difference, abs, rng=8) != p
    # two are equal in 2 of 100 cases, all eight in less than one of 10^9
    assert len({monte_carlo(u, v, difference, abs) for _ in range(8)}) > 1


@pytest.mark.parametrize("name", ["paper_like_100.csv", "paper_like_1000_gap2.csv"])
@pytest.mark.parametrize("h", [abs, identity])
def test_monte_carlo_is_consistent(name, h):
    u, v = read(name)
    exact = exact_perm_test(u, v, difference, h)
    estimate = monte_carlo(u, v, difference, h, K=200_000, rng=1)
    assert abs(estimate - exact) < 5 * math.sqrt(exact * (1 - exact) / 200_000)


def test_monte_carlo_returns_c_over_k():
    u, v = read("paper_like_10000_gap5.csv")
    assert monte_carlo(u, v, difference, abs, K=50, rng=0) == 0.0
    assert monte_carlo([], [], difference, abs, K=50) == 1.0
    p = monte_carlo([1, 1], [0, 0], difference, identity, K=7, rng=0)
    assert p * 7 == pytest.approx(round(p * 7), abs=1e-12)
    assert 0 < p < 1


def test_monte_carlo_of_huge_integers_and_other_g():
    u, v = [10**30, 10**30 + 1, 3], [0, 1, 4]
    assert monte_carlo(u, v, difference, abs, K=4000, rng=0) == pytest.approx(0.5, abs=0.04)
    # g(x, y) = x: the sum of the first system
    p = monte_carlo([5, 2], [1, 2], lambda x, _: x, identity, K=4000, rng=0)
    assert p == pytest.approx(0.5, abs=0.04)


# --- errors ----------------------------------------------------------------------------------

TESTS = [
    exact_perm_test,
    lambda u, v, g, h: exact_perm_test(u, v, g, h, convolve_dp),
    lambda u, v, g, h: exact_perm_test_m(u, v, [g, difference], lambda s, _: h(s)),
    lambda u, v, g, h: monte_carlo(u, v, g, h, rng=0),
]
every_test = pytest.mark.parametrize("test", TESTS, ids=["fft", "dp", "m", "monte_carlo"])


@every_test
def test_lengths_must_agree(test):
    with pytest.raises(ValueError, match=r"u and v .* 3 and 2 entries"):
        test([1, 2, 3], [1, 2], difference, abs)


@every_test
@pytest.mark.parametrize("result", [0.5, 2.0, "1", None, Fraction(1, 2)])
def test_g_must_return_integers(test, result):
    with pytest.raises(TypeError, match=r"g(s\[0\])? must return an integer, but g.*\(1, 2\) is"):
        test([1], [2], lambda *_: result, abs)


def test_the_function_that_is_wrong_is_named():
    with pytest.raises(TypeError, match=r"gs\[1\]\(1, 2\) is 0\.5, a float"):
        exact_perm_test_m([1], [2], [difference, lambda x, y: x / y], max)


@every_test
@pytest.mark.parametrize("result", [True, np.int8(1), np.array(1)])
def test_integers_of_every_kind_do(test, result):
    assert test([1], [2], lambda *_: result, lambda s: s) == 1.0


@every_test
def test_h_must_not_be_nan(test):
    with pytest.raises(ValueError, match=r"h is NaN at .*let h return a number"):
        test([1, 1], [0, 0], difference, lambda s: math.nan if s == 0 else s)


@every_test
@pytest.mark.parametrize("u", [{0: 1, 1: 2}, {1, 2}], ids=["dict", "set"])
def test_entries_must_have_an_order(test, u):
    with pytest.raises(TypeError, match="u must be a sequence with one entry per item"):
        test(u, [1, 2], difference, abs)


@every_test
def test_a_data_frame_is_not_its_rows(test):
    class Frame:
        columns = ("tp", "fp")

        def __iter__(self):
            return iter(self.columns)

    with pytest.raises(TypeError, match=r"v\.to_numpy\(\)"):
        test([1, 2], Frame(), difference, abs)


def test_there_must_be_a_function():
    with pytest.raises(ValueError, match="gs is empty"):
        exact_perm_test_m([1], [2], [], lambda: 0)


@pytest.mark.parametrize("samples", [0, -1, 1.5, True])
def test_number_of_samples(samples):
    with pytest.raises(ValueError, match="K, the number of samples"):
        monte_carlo([1], [2], difference, abs, K=samples)


@every_convolution
@pytest.mark.parametrize(
    ("pmfs", "error", "message"),
    [
        ([{0.5: 1.0}], TypeError, r"all integers .* got 0\.5, a float"),
        ([{0: 1.0}, {(0, 1): 1.0}], TypeError, "got 0, a int"),
        ([{(0, 1): 1.0}, {(0, 1, 2): 1.0}], ValueError, "one length"),
        ([{0: 0.5, 1: -0.5}], ValueError, r"probabilities; got -0\.5 for 1"),
        ([{0: math.nan}], ValueError, "probabilities; got nan"),
        ([{0: 1.5}], ValueError, "probabilities; got 1"),
        ([{0: 1.0}, {}], ValueError, "positive probability"),
    ],
)
def test_pmfs_must_be_pmfs(convolve, pmfs, error, message):
    with pytest.raises(error, match=message):
        convolve(pmfs)


def test_public_names():
    assert sorted(paper.__all__) == [
        "convolve_dp",
        "convolve_fft",
        "exact_perm_test",
        "exact_perm_test_m",
        "monte_carlo",
    ]
