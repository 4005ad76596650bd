"""The classical tests against scipy, published examples and exact integers."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import exactperm as xp
from exactperm.classical import mcnemar, sign_test, wilcoxon

RNG = np.random.default_rng(2)
ALTERNATIVES = ("two-sided", "less", "greater")


def exact_p(doubled_signed_ranks, alternative):
    """By adding up the polynomial prod (1 + x^rank), a big integer with n + 1 bits a coefficient."""
    steps = [abs(int(r)) for r in doubled_signed_ranks if r]
    width, packed = len(steps) + 1, 1
    for step in steps:
        packed += packed << (width * step)
    plus, span = sum(int(r) for r in doubled_signed_ranks if r > 0), sum(steps)
    mask = (1 << width) - 1
    counts = [(packed >> (width * x)) & mask for x in range(span + 1)]
    total = 2 ** len(steps)
    upper, lower = Fraction(sum(counts[plus:]), total), Fraction(sum(counts[: plus + 1]), total)
    return {"greater": upper, "less": lower}.get(alternative, min(Fraction(1), 2 * min(upper, lower)))


def mid_ranks(magnitudes):
    return [1 + 2 * sum(y < x for y in magnitudes) + sum(y == x for y in magnitudes) for x in magnitudes]  # doubled


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("n", [1, 4, 9, 25, 60])
def test_wilcoxon_with_ties_and_zeros_against_integers(n, zero_method, alternative):
    stats = pytest.importorskip("scipy.stats")
    for _ in range(5):
        d = RNG.integers(-6, 8, n)
        d[0] = 3
        kept = d[d != 0] if zero_method == "wilcox" else d
        ranks = np.array(mid_ranks(np.abs(kept).tolist())) * np.sign(kept)
        ours = wilcoxon(d, zero_method=zero_method, alternative=alternative)
        truth = exact_p(ranks, alternative)
        assert ours.pvalue == pytest.approx(float(truth), rel=1e-12)
        assert ours.pvalue_interval.low <= truth <= ours.pvalue_interval.high
        theirs = stats.wilcoxon(d, zero_method=zero_method, alternative=alternative, method="asymptotic")
        assert ours.statistic == theirs.statistic
        assert (ours.n_items, ours.n_zeros) == (n, np.count_nonzero(d == 0))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [3, 10, 40, 100])
def test_wilcoxon_without_ties_equals_scipys_exact(n, alternative):
    stats = pytest.importorskip("scipy.stats")
    x, y = RNG.standard_normal((2, n))
    ours = wilcoxon(x, y, alternative=alternative)
    theirs = stats.wilcoxon(x, y, alternative=alternative, method="exact")
    assert ours.statistic == theirs.statistic
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-10)
    statistic, pvalue = ours
    assert (statistic, pvalue) == (ours.statistic, ours.pvalue)


def test_wilcoxon_on_rs_published_example():
    """Depression scale factors of Hollander and Wolfe (1973), 29f., as in R's ?wilcox.test: V = 40, p = 0.01953."""
    x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    result = wilcoxon(x, y, alternative="greater")
    assert result.statistic == 40
    assert result.pvalue == pytest.approx(10 / 512, rel=1e-12)


def test_wilcoxon_on_scipys_published_example():
    """Heights of cross- and self-fertilized maize, as in scipy's documentation: 24 and 96, 0.0413 and 0.0206."""
    d = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
    assert tuple(wilcoxon(d)) == (24, 0.041259765625)
    assert tuple(wilcoxon(d, alternative="greater")) == (96, 0.0206298828125)


@pytest.mark.parametrize("decimals", [None, 1])
def test_wilcoxon_of_many_against_integers(decimals):
    d = RNG.standard_normal(100) + 0.15
    d = d if decimals is None else np.round(d, decimals)
    d = d[d != 0]
    ranks = np.array(mid_ranks(np.abs(d).tolist())) * np.sign(d)
    for alternative in ALTERNATIVES:
        result, truth = wilcoxon(d, alternative=alternative), exact_p(ranks, alternative)
        assert result.pvalue == pytest.approx(float(truth), rel=1e-11)
        assert result.pvalue_interval.low <= truth <= result.pvalue_interval.high


def test_wilcoxon_ties_that_float_noise_would_break():
    result = wilcoxon([0.3, 0.5, 0.7, 0.0], [0.1, 0.3, 0.1, 0.2])
    assert result.statistic == 2  # ranks 2, 2, 4 and -2
    assert result.pvalue == pytest.approx(float(exact_p([4, 4, 8, -4], "two-sided")))


def test_wilcoxon_far_out():
    assert wilcoxon(np.arange(1, 3001)).log_pvalue == pytest.approx(-2999 * math.log(2), rel=1e-12)
    assert wilcoxon(np.arange(1, 3001)).pvalue == 0
    assert wilcoxon(np.arange(1, 3001)).pvalue_interval.high == 5e-324
    assert wilcoxon([0.0, 0.0]).pvalue == 1
    assert wilcoxon([]).pvalue == 1


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("plus", "minus"), [(5, 1), (1, 8), (7, 7), (40, 60), (0, 3), (0, 0)])
def test_sign_test_is_binomial(plus, minus, alternative):
    result = sign_test([2] * plus + [-3] * minus + [0, 0], alternative=alternative)
    n = plus + minus
    upper = Fraction(sum(math.comb(n, k) for k in range(plus, n + 1)), 2**n)
    lower = Fraction(sum(math.comb(n, k) for k in range(plus + 1)), 2**n)
    truth = {"greater": upper, "less": lower}.get(alternative, min(1, 2 * min(upper, lower)))
    assert result.pvalue == pytest.approx(float(truth), rel=1e-12)
    assert (result.statistic, result.n_items, result.n_zeros) == (plus, n + 2, 2)


@pytest.mark.parametrize(("first", "second"), [(59, 121), (3, 9), (4, 4), (0, 5), (0, 0), (600, 640)])
def test_mcnemar(first, second):
    n, k = first + second, min(first, second)
    lower = Fraction(sum(math.comb(n, i) for i in range(k + 1)), 2**n)
    table = [[1010, first], [second, 33]]
    assert mcnemar(table).pvalue == pytest.approx(float(min(1, 2 * lower)), rel=1e-11)
    middle = 2 * lower - Fraction(math.comb(n, k), 2**n)
    assert mcnemar(table, method="mid-p").pvalue == pytest.approx(float(middle), rel=1e-11)
    one_sided = Fraction(sum(math.comb(n, i) for i in range(first, n + 1)), 2**n)
    assert mcnemar(table, alternative="greater").pvalue == pytest.approx(float(one_sided), rel=1e-11)
    half = one_sided - Fraction(math.comb(n, first), 2 * 2**n)
    midp = mcnemar(table, method="mid-p", alternative="greater").pvalue
    assert midp == pytest.approx(float(half), rel=1e-11)


def test_mcnemar_on_agrestis_example():
    """Approval ratings, Agresti (1990), 350, as in R's ?mcnemar.test: discordant 150 and 86."""
    result = mcnemar([[794, 86], [150, 570]])
    assert result.statistic == 86
    assert result.pvalue == pytest.approx(3.7159e-05, rel=1e-4)


def test_mcnemar_of_a_table_in_floats_or_a_frame():
    expected = mcnemar([[10, 5], [9, 3]])
    assert mcnemar(np.array([[10.0, 5.0], [9.0, 3.0]])) == expected
    pd = pytest.importorskip("pandas")
    assert mcnemar(pd.DataFrame([[10, 5], [9, 3]])) == expected


@pytest.mark.parametrize(
    "table", [[[1, -2], [3, 4]], [[1, 2.5], [3, 4]], [[1, math.nan], [3, 4]], [[1, math.inf], [3, 4]]]
)
def test_mcnemar_of_what_is_no_count(table):
    with pytest.raises(ValueError, match="table must hold four counts"):
        mcnemar(table)


@pytest.mark.parametrize("table", [None, 5, [1, 2, 3], np.ones((3, 3), int)])
def test_mcnemar_of_what_is_no_table(table):
    with pytest.raises(ValueError, match="table must be 2 x 2 or a pair of vectors"):
        mcnemar(table)


def test_decimals_and_fractions_rank_exactly():
    x, y = [Decimal("0.3"), Decimal("0.5"), Decimal("0.7"), 0], [Decimal("0.1"), Decimal("0.3"), Decimal("0.1"), 0.2]
    assert wilcoxon(x[:3], y[:3]) == wilcoxon([3, 5, 7], [1, 3, 1])
    assert wilcoxon(x, y) == wilcoxon([3, 5, 7, 0], [1, 3, 1, 2])
    thirds = [Fraction(1, 3), Fraction(-2, 3), Fraction(10**30 + 1, 3 * 10**30)]  # the last is no tie of the first
    assert wilcoxon(thirds).statistic == wilcoxon([1, -3, 2]).statistic == 3
    assert sign_test(thirds).statistic == 2


def test_mcnemar_of_vectors():
    x, y = [1, 1, 0, 1, 1, 0], [0, 0, 1, 1, 0, 0]
    for result in (mcnemar(x, y), mcnemar((x, y))):
        assert (result.statistic, result.pvalue, result.n_zeros) == (1, pytest.approx(0.625), 2)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_wilcoxon_with_ties_and_zeros_against_all_signs(zero_method, alternative):
    for n in (1, 2, 5, 9, 11):
        d = RNG.integers(-3, 5, n)
        kept = d[d != 0] if zero_method == "wilcox" else d
        ranks = np.array([r for r, x in zip(mid_ranks(np.abs(kept).tolist()), kept, strict=True) if x])
        sums = np.array([0])  # doubled ranks of the positive, for every assignment of signs
        for rank in ranks:
            sums = np.concatenate([sums, sums + rank])
        observed = int(ranks[kept[kept != 0] > 0].sum()) if ranks.size else 0
        upper, lower = (
            Fraction(int((sums >= observed).sum()), sums.size),
            Fraction(int((sums <= observed).sum()), sums.size),
        )
        truth = {"greater": upper, "less": lower}.get(alternative, min(Fraction(1), 2 * min(upper, lower)))
        assert wilcoxon(d, zero_method=zero_method, alternative=alternative).pvalue == pytest.approx(
            float(truth), rel=1e-13
        )


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_wilcoxon_takes_scipys_arguments_in_scipys_order(alternative):
    stats = pytest.importorskip("scipy.stats")
    x, y = RNG.standard_normal((2, 12))
    theirs = stats.wilcoxon(x, y, "pratt", False, alternative, "exact")
    assert tuple(wilcoxon(x, y, "pratt", False, alternative, "exact")) == pytest.approx(tuple(theirs), rel=1e-12)
    ours = xp.wilcoxon(x=x, y=y, method="auto", axis=-1, nan_policy="raise", keepdims=False)
    assert ours.pvalue == wilcoxon(x, y).pvalue


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"correction": True}, "correction belongs to a normal approximation"),
        ({"method": "asymptotic"}, "method must be 'auto' or 'exact'.*'asymptotic'"),
        ({"method": "approx"}, "method must be"),
        ({"method": object()}, "method must be"),
        ({"axis": 1}, "axis is 0"),
        ({"axis": None}, "axis is 0"),
        ({"keepdims": True}, "keepdims False"),
        ({"nan_policy": "propagate"}, "nan_policy must be"),
    ],
)
def test_what_scipy_would_do_otherwise_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        wilcoxon([1.0, 2.0, -3.0], **arguments)
    with pytest.raises(ValueError, match="one value per pair"):
        wilcoxon(np.ones((3, 2)))


def test_integers_of_any_size_and_differences_that_overflow():
    large = 2**70
    assert wilcoxon([large + 3, large + 1, large], [large, large + 2, large + 5]).statistic == 2
    assert wilcoxon(np.array([2**63 - 1, 0]), np.array([0, -(2**63)])).n_zeros == 0
    assert (
        wilcoxon(np.array([1, 2], dtype=np.uint64), np.array([2, 4], dtype=np.uint64), alternative="less").pvalue
        == 0.25
    )
    assert sign_test(np.array([200, 1], dtype=np.uint8), np.array([1, 200], dtype=np.uint8)).statistic == 1
    with pytest.raises(ValueError, match="overflow"):
        wilcoxon([1.7e308, 0.1], [-1.7e308, 0.3])


@pytest.mark.parametrize(("first", "second"), [(59, 121), (3, 9), (4, 4), (0, 5), (7, 6), (600, 640)])
def test_mcnemar_and_sign_test_against_scipy_and_statsmodels(first, second):
    stats = pytest.importorskip("scipy.stats")
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    table = [[10, first], [second, 33]]
    theirs = tables.mcnemar(table, exact=True)
    assert tuple(mcnemar(table)) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10)
    for alternative in ALTERNATIVES:
        binomial = stats.binomtest(first, first + second, alternative=alternative).pvalue
        assert mcnemar(table, alternative=alternative).pvalue == pytest.approx(binomial, rel=1e-10)
        signs = sign_test([1] * first + [-1] * second, alternative=alternative)
        assert (signs.statistic, signs.pvalue) == (first, pytest.approx(binomial, rel=1e-10))
    point = stats.binom.pmf(min(first, second), first + second, 0.5)
    # the mid-p-value of Fagerland, Lydersen and Laake (2013)
    midp = 1.0 if first == second else theirs.pvalue - point
    assert mcnemar(table, method="mid-p").pvalue == pytest.approx(midp, rel=1e-9)


def test_order_and_exchange_give_the_same_bits():
    x, y = np.round(RNG.standard_normal((2, 500)), 2)
    order = RNG.permutation(500)
    result = wilcoxon(x, y)
    assert wilcoxon(x[order], y[order]) == result
    assert wilcoxon(y, x) == result
    greater, less = wilcoxon(x, y, alternative="greater"), wilcoxon(y, x, alternative="less")
    assert (greater.pvalue, greater.pvalue_interval) == (less.pvalue, less.pvalue_interval)


def test_intervals_hold_the_exact_value():
    for n in (30, 80):
        d = RNG.standard_normal(n) + 0.3
        ranks = np.array(mid_ranks(np.abs(d).tolist())) * np.sign(d)
        for alternative in ALTERNATIVES:
            result = wilcoxon(d, alternative=alternative)
            truth = exact_p(ranks, alternative)
            assert result.pvalue_interval.low <= truth <= result.pvalue_interval.high
            assert result.pvalue_interval.high <= result.pvalue_interval.low * (1 + 1e-11)
    midp = mcnemar([[0, 40], [25, 0]], method="mid-p")
    truth = Fraction(2 * sum(math.comb(65, k) for k in range(25)) + math.comb(65, 25), 2**65)
    assert midp.pvalue_interval.low <= truth <= midp.pvalue_interval.high


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="zero_method must be"):
        wilcoxon([1], zero_method="drop")
    with pytest.raises(ValueError, match="alternative must be"):
        wilcoxon([1], alternative="larger")
    with pytest.raises(ValueError, match="one value per pair"):
        sign_test([1, 2], [1])
    with pytest.raises(ValueError, match="four counts"):
        mcnemar([[1.5, 2], [3, 4]])
    with pytest.raises(ValueError, match="vector of 0 and 1"):
        mcnemar([1, 2, 0], [1, 0, 1])
    with pytest.raises(ValueError, match=r"one value per pair; got shapes \(3,\) and \(2,\)"):
        mcnemar([1, 0, 1], [1, 0])
    with pytest.raises(ValueError, match="method must be 'exact' or 'mid-p', not 'asymptotic'"):
        mcnemar([[1, 2], [3, 4]], method="asymptotic")
    with pytest.raises(ValueError, match="nan_policy"):
        wilcoxon([1.0, math.nan])
    assert wilcoxon([1.0, math.nan, 2.0], nan_policy="omit").n_items == 2
