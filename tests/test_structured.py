"""Structured statistics end to end: `paired_test` against counts of all assignments in exact arithmetic."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

import exactperm as xp
from claims import assert_result_converged, assert_result_honest
from exactperm.engines.base import CannotAnswer
from exactperm.engines.torus import _tail
from exactperm.engines.torus_dominant import islands
from exactperm.engines.torus_tilt import TiltedCoins
from exactperm.lattice import Lattice
from exactperm.paper import exact_perm_test_m
from exactperm.region import Region
from metrics.brute import fraction_of_assignments
from structured_problems import (
    ALTERNATIVES,
    KNOWN,
    counted,
    every_assignment,
    f1,
    kappa,
    mcc,
    mcc_of_three,
    p_values,
    tables,
    three_classes,
)

#: relative error and relative width of the interval
ERROR, WIDTH = 1e-11, 1e-10


def assert_exact(result, exact):
    """Right, certified, and not by sampling."""
    assert result.exact
    assert_result_converged(result, exact, ERROR)
    assert_result_honest(result, exact, WIDTH)


def assert_all_alternatives(a, b, metric, exact, **options):
    for alternative in ALTERNATIVES:
        result = xp.paired_test(a, b, metric=metric, alternative=alternative, method="fourier", **options)
        assert result.method == "fourier"
        assert_exact(result, exact[alternative])


# -- the oracles among themselves ----------------------------------------------------------------


def test_three_ways_to_count_agree():
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 8):
        a, b = tables(rng, n)
        law = every_assignment(a, b)
        assert sum(law.values()) == 2**n
        assert counted(a, b) == law
        for value in (f1, kappa):
            exact = p_values(law, a, b, value)
            for alternative in ALTERNATIVES:
                slow = fraction_of_assignments(a.tolist(), b.tolist(), lambda x, y, v=value: v(x) - v(y), alternative)
                assert exact[alternative] == slow


def test_ties_of_roots_are_seen():
    """Two different differences of correlations that are one number: sqrt(2) / 2 both."""
    a = np.array([[1, 0, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    b = a[::-1].copy()
    assert p_values(every_assignment(a, b), a, b, mcc)["two-sided"] == 1


# -- against rational brute force ----------------------------------------------------------------


@pytest.mark.parametrize("name", KNOWN)
def test_random_problems_of_up_to_16_items(name):
    known = KNOWN[name]
    rng = np.random.default_rng([16, list(KNOWN).index(name)])
    for _ in range(12):
        a, b = (x[:, : known.columns] for x in tables(rng, int(rng.integers(2, 15))))
        exact = p_values(every_assignment(a, b), a, b, known.value)
        assert_all_alternatives(a, b, known.metric, exact)


@pytest.mark.parametrize("name", KNOWN)
def test_sixteen_items(name):
    known = KNOWN[name]
    a, b = (x[:, : known.columns] for x in tables(np.random.default_rng(16), 16, largest=9))
    assert_all_alternatives(a, b, known.metric, p_values(every_assignment(a, b), a, b, known.value))


def test_groups_are_the_items_that_are_swapped():
    rng = np.random.default_rng(2)
    a, b = (x[:, :3] for x in tables(rng, 40))
    groups = rng.integers(0, 12, 40)
    grouped = [np.stack([x[groups == g].sum(axis=0) for g in np.unique(groups)]) for x in (a, b)]
    exact = p_values(every_assignment(*grouped), *grouped, f1)
    assert_all_alternatives(a, b, "f1", exact, groups=groups)


# -- against an exact dynamic program ------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "n", "largest"), [("f1", 50, 5), ("precision", 120, 2), ("mcc", 60, 2), ("kappa", 80, 1)]
)
def test_against_a_dynamic_program(name, n, largest):
    known = KNOWN[name]
    a, b = (x[:, : known.columns] for x in tables(np.random.default_rng([n, largest]), n, largest))
    assert_all_alternatives(a, b, known.metric, p_values(counted(a, b), a, b, known.value))


def test_a_p_value_of_ten_to_the_minus_fifty():
    rng = np.random.default_rng(50)
    gold = rng.integers(1, 4, 240)
    a = np.stack([gold, rng.binomial(1, 0.1, 240), 0 * gold], axis=1)
    lost = rng.binomial(gold, 0.55)
    b = np.stack([gold - lost, rng.binomial(1, 0.2, 240), lost], axis=1)
    exact = p_values(counted(a, b), a, b, f1)
    assert 1e-55 < exact["two-sided"] < 1e-45
    assert_all_alternatives(a, b, "f1", exact)


def test_three_classes():
    a, b = three_classes(np.random.default_rng(3), 60)
    exact = p_values(counted(a, b), a, b, mcc_of_three)
    assert_all_alternatives(a, b, "multiclass_mcc(labels=[0, 1, 2])", exact)


# -- a document among sentences ------------------------------------------------------------------


def with_documents(n, *documents):
    """Sentences, and documents of very different size, each of the two systems' tp, fp, fn."""
    a, b = (x[:, :3] for x in tables(np.random.default_rng(n), n, 4))
    first, second = zip(*documents, strict=True)
    return np.concatenate([first, a]), np.concatenate([second, b])


ONE = (([900_000, 50_000, 100_000], [500_000, 150_000, 500_000]),)
TWO = (*ONE, ([0, 70_000, 90_001], [90_001, 0, 0]))
EQUAL = (*TWO, TWO[1])


@pytest.mark.parametrize(("documents", "parts"), [(ONE, 2), (TWO, 4), (EQUAL, 6)])
@pytest.mark.parametrize("name", ["f1", "precision"])
def test_documents_that_dwarf_the_sentences(name, documents, parts):
    known = KNOWN[name]
    a, b = (x[:, : known.columns] for x in with_documents(11, *documents))
    metric = xp.metrics.get(known.metric)
    assert len(islands(*metric.rejection_region(metric.effects(a, b)))) == parts
    assert_all_alternatives(a, b, known.metric, p_values(every_assignment(a, b), a, b, known.value))


@pytest.mark.parametrize("tail", [False, True])
def test_a_document_and_many_sentences(tail):
    """In the tail one of the two islands of the law is all but empty."""
    a, b = with_documents(80, ONE[0])
    if tail:
        a[1:], b[1:] = np.sort([a[1:], b[1:]], axis=0)[::-1]
        a[1:, 1:], b[1:, 1:] = b[1:, 1:].copy(), a[1:, 1:].copy()
        b[:, 2] = a[:, 0] + a[:, 2] - b[:, 0]
    law = {}
    for first, ways in counted(a[1:], b[1:]).items():
        for document in (a[0], b[0]):
            totals = tuple(x + int(y) for x, y in zip(first, document, strict=True))
            law[totals] = law.get(totals, 0) + ways
    exact = p_values(law, a, b, f1)
    assert (exact["greater"] < 1e-15) == tail
    assert_all_alternatives(a, b, "f1", exact)


def test_a_hopeless_tilt_says_that_it_knows_nothing():
    """Weights overflow: the answer is the interval from 0 to 1 and no error."""
    steps = np.array([[1, 0], [0, 1], [1, 3]])
    coins = TiltedCoins.of(
        Lattice(steps, np.array([300, 300, 300]), np.eye(2, dtype=np.int64), (0, 0)), np.array([40.0, -40.0])
    )
    tail = _tail(coins, Region(lambda x: x[:, 0] < x[:, 1]))
    assert (tail.log_low, tail.log_high) == (-math.inf, 0.0)


def test_two_items_that_make_the_weights_overflow():
    """The tilt to the end of the law has weights of both signs that no float holds; the fair one answers."""
    a = np.array([[408, 38, 278, 76], [241, 126, 161, 198]])
    b = np.array([[431, 44, 255, 70], [261, 122, 141, 202]])
    assert_all_alternatives(a, b, "mcc", p_values(every_assignment(a, b), a, b, mcc))


# -- regions that are entered from several sides -------------------------------------------------


@pytest.mark.parametrize(
    ("h", "antisymmetric"),
    [
        (lambda x, y, u, v: np.maximum(x, y) - np.maximum(u, v), True),
        (lambda x, y, u, v: x - u + (y - v) / 4, False),  # |h| >= c: two half-planes
        (lambda x, y, u, v: (x - u) ** 2 + (y - v) ** 2, False),  # all around the centre
        (lambda x, y, u, v: np.where(x > u, 5.0, -3.0) + (y - v) / 64, False),  # a jump
    ],
)
def test_own_statistics_keep_their_digits_in_the_tails(h, antisymmetric):
    rng = np.random.default_rng(110)
    a, b = rng.integers(0, 3, (2, 110, 2))
    worse = rng.random(110) < 0.8
    b[worse] = np.minimum(a, b)[worse]
    both = (a + b).sum(axis=0)
    law = counted(a, b)
    points = np.array([a.sum(axis=0), *law], dtype=np.float64)
    observed, *sizes = np.abs(h(*points.T, *(both - points).T)).tolist()
    exact = Fraction(sum(ways for ways, size in zip(law.values(), sizes, strict=True) if size >= observed), 2**110)
    assert 1e-12 < exact < 1e-4
    metric = xp.Metric("own", ("x", "y"), h=h, antisymmetric=antisymmetric)
    assert_exact(xp.paired_test(a, b, metric=metric, method="fourier"), exact)


# -- general functions of general sums -----------------------------------------------------------


def f1_of_incorrect(tp, incorrect):
    return 2 * tp / (2 * tp + incorrect + ((tp == 0) & (incorrect == 0)))


def absolute_difference(tp_u, in_u, tp_v, in_v):
    return np.abs(f1_of_incorrect(tp_u, in_u) - f1_of_incorrect(tp_v, in_v))


def exactly(tp_u, in_u, tp_v, in_v):
    def value(tp, incorrect):
        return Fraction(2 * tp, 2 * tp + incorrect) if tp + incorrect else Fraction(0)

    return abs(value(tp_u, in_u) - value(tp_v, in_v))


@pytest.mark.parametrize("n", [6, 12, 25])
def test_the_papers_four_sums(n):
    """h on the totals of both systems is the paper's h on the sums of g_1, ..., g_4."""
    rng = np.random.default_rng(n)
    u, v = rng.integers(0, 5, (2, n, 2))
    gs = [lambda x, _: x[0], lambda x, _: x[1], lambda _, y: y[0], lambda _, y: y[1]]
    printed = exact_perm_test_m(u.tolist(), v.tolist(), gs, exactly)
    metric = xp.Metric("f1 by sums", ("tp", "in"), h=absolute_difference)
    ours = xp.paired_test(u, v, metric=metric, alternative="greater", method="fourier")
    assert ours.method == "fourier"
    assert math.isclose(ours.pvalue, printed, rel_tol=1e-11)
    declared = xp.paired_test(u, v, metric="f1")
    assert math.isclose(declared.pvalue, printed, rel_tol=1e-11)


def test_any_functions_of_the_paper():
    """Sums of g(u, v) as they are and with u and v exchanged, h of the first alone."""
    rng = np.random.default_rng(8)
    u, v = rng.integers(0, 6, (2, 14))
    gs = [lambda x, y: max(x, 2 * y), lambda x, y: x * x - y, min]

    def h(first, second, third):
        return abs(7 * first - 2 * second + third)

    printed = exact_perm_test_m(u.tolist(), v.tolist(), gs, h)
    stay, swap = (
        np.array([[g(x, y) for g in gs] for x, y in zip(one.tolist(), other.tolist(), strict=True)])
        for one, other in ((u, v), (v, u))
    )
    metric = xp.Metric("any", ("g1", "g2", "g3"), h=lambda first, second, third, *_: h(first, second, third))
    ours = xp.paired_test(stay, swap, metric=metric, alternative="greater", method="fourier")
    assert math.isclose(ours.pvalue, printed, rel_tol=1e-11)


# -- reproducible bits ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["f1", "mcc"])
def test_order_and_exchange_change_no_bit(name):
    known = KNOWN[name]
    rng = np.random.default_rng(4)
    a, b = (x[:, : known.columns] for x in tables(rng, 500))
    order = rng.permutation(500)
    results = [xp.paired_test(x, y, metric=known.metric) for x, y in ((a, b), (a[order], b[order]), (b, a))]
    assert len({r.pvalue for r in results}) == len({r.pvalue_interval for r in results}) == 1


# -- what is chosen, and what is said ------------------------------------------------------------


def class_counts(n, k, seed):
    """tp, fp, fn of every class for two classifiers."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, n)
    one = np.eye(k, dtype=np.int64)
    systems = []
    for skill in (0.7, 0.65):
        predicted = one[np.where(rng.random(n) < skill, gold, rng.integers(0, k, n))]
        cells = (one[gold] * predicted, (1 - one[gold]) * predicted, one[gold] * (1 - predicted))
        systems.append(np.stack(cells, axis=2).reshape(n, -1))
    return systems


def test_a_warning_exactly_where_the_answer_is_sampled():
    two, three = tables(np.random.default_rng(5), 300), three_classes(np.random.default_rng(5), 300)
    macro = "macro_f1(labels=[0, 1, 2, 3, 4])"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert xp.paired_test(*(x[:, :3] for x in two), metric="f1").exact
        assert xp.paired_test(*two, metric="mcc").exact
        assert xp.paired_test(*three, metric="multiclass_mcc(labels=[0, 1, 2])").exact
        assert xp.paired_test(*class_counts(16, 5, 1), metric=macro).exact
    with pytest.warns(xp.SamplingWarning, match="control-variate"):
        result = xp.paired_test(*class_counts(300, 5, 1), metric=macro, rng=0)
    assert not result.exact
    assert result.method == "control-variate"


def test_exact_or_an_error_that_names_the_way_out():
    with pytest.raises(CannotAnswer, match=r"9 free dimensions.*up to 4.*method='control-variate' or 'monte-carlo'"):
        xp.paired_test(*class_counts(300, 5, 1), metric="macro_f1(labels=[0, 1, 2, 3, 4])", method="exact")
