"""What is accepted from users, what is refused, and in which words."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from exactperm import Effects, Metric, paired_test

A, B = [3, 1, 2, 5, 4, 4], [1, 1, 3, 2, 2, 3]
PLAIN = paired_test(A, B)


def same(result, other=PLAIN):
    return (result.statistic, result.pvalue, result.n_items, result.n_tied) == (
        other.statistic,
        other.pvalue,
        other.n_items,
        other.n_tied,
    )


# -- refused: each names the argument, what came, and what would do ---------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "options", "error", "words"),
    [
        ([1, 2, 3], [1, 2], {}, ValueError, ["a and b", "3 scores and 2 scores", "same items in the same order"]),
        ([1], [1, 2], {}, ValueError, ["a and b", "nothing broadcasts"]),
        ([[1, 2], [3, 4]], [1, 2], {}, ValueError, ["a and b", "shape (2, 2)", "2 scores"]),
        ([[1, 2, 3]], [[1], [2], [3]], {}, ValueError, ["a and b", "(1, 3)", "(3, 1)"]),
        (5, [1], {}, TypeError, ["a must be a sequence", "5"]),
        ([1], 5, {}, TypeError, ["b must be a sequence", "5"]),
        (np.int64(5), np.int64(4), {}, TypeError, ["a must be a sequence of scores, one per item"]),
        (np.array(5), np.array(4), {}, ValueError, ["a and b"]),
        ({1, 2}, {2, 3}, {}, TypeError, ["a is a set", "no order", "list or an array"]),
        ([1, 2], [2, 3], {"confidence_level": "high"}, ValueError, ["confidence_level must be a number", "'high'"]),
        ([1, 2], [2, 3], {"tolerance": "x"}, ValueError, ["tolerance must be a positive number", "'x'"]),
        ([[1, 2]], [[2, 3]], {"axis": None}, TypeError, ["axis must be an integer", "None"]),
        ("abc", "abd", {}, TypeError, ["a must be a sequence", "abc"]),
        (["x", "y"], ["x", "z"], {}, TypeError, ["a must hold numbers", "text", "compare(", "y_true"]),
        ([1, 2], ["1", "2"], {}, TypeError, ["b must hold numbers", "text"]),
        ([1, "2"], [1, 2], {}, TypeError, ["a must hold numbers"]),
        (np.array([1, "x"], dtype=object), [1, 2], {}, TypeError, ["a must hold numbers", "'x'", "y_true"]),
        ([1 + 2j, 1], [1, 2], {}, TypeError, ["a must hold numbers", "complex"]),
        (np.array(["2024-01-01"], "M8[D]"), [1], {}, TypeError, ["a must hold numbers", "datetime64"]),
        ([[1, 2], [3]], [1, 2], {}, ValueError, ["a must hold one score per item", "differ in length"]),
        ([1, 2], [[1], [2, 3]], {}, ValueError, ["b must hold one score per item", "differ in length"]),
        (
            np.array([[1, 2], [3]], dtype=object),
            [1, 2],
            {},
            ValueError,
            ["a must hold one score per item", "differ in length"],
        ),
        ([1, 2], {"score": [1, 2]}, {}, TypeError, ["b is a mapping", "need a metric such as metric='f1'"]),
        ({"tp": [1]}, {"tp": [1]}, {}, ValueError, ["metric 'mean' needs", "score", "tp"]),
        ([1, math.nan], [1, 2], {}, ValueError, ["a has 1 missing", "index 1", 'nan_policy="omit"']),
        ([1, 2, 3], [None, 2, None], {}, ValueError, ["b has 2 missing", "index 0", 'nan_policy="omit"']),
        ([1, math.inf], [1, 2], {}, ValueError, ["a has infinite", "index 1", "finite"]),
        ([1.5, 2], [1, -math.inf], {"nan_policy": "omit"}, ValueError, ["b has infinite", "index 1"]),
        ([None, 2**70, math.inf], [1, 2, 3], {"nan_policy": "omit"}, ValueError, ["a has infinite", "index 2"]),
        ([1, 2], [1, 2], {"nan_policy": "propagate"}, ValueError, ["nan_policy", '"raise" or "omit"', "propagate"]),
        ([1, 2], [2, 2], {"alternative": "bigger"}, ValueError, ["alternative", '"greater"', "'bigger'"]),
        ([1, 2], [2, 2], {"metric": "f-one"}, ValueError, ["no metric 'f-one'", "Known are", "mean"]),
        ([1, 2], [2, 2], {"metric": "meen"}, ValueError, ["did you mean", "'mean'"]),
        ([1, 2], [2, 2], {"method": "magic"}, ValueError, ["method must be one of auto", "'magic'"]),
        ([1, 2], [2, 2], {"groups": [1]}, ValueError, ["groups", "2 of them", "(1,)"]),
        ([1, 2], [2, 2], {"groups": [[1, 2]]}, ValueError, ["groups", "(1, 2)"]),
        ([1, 2], [2, 2], {"groups": [1, math.nan]}, ValueError, ["groups has missing labels", "index 1"]),
        ([1, 2], [2, 2], {"groups": [None, "x"]}, ValueError, ["groups has missing labels", "index 0"]),
        ([1, 2], [2, 2], {"groups": "ab"}, TypeError, ["groups"]),
        ([1, 2], [2, 2], {"axis": 1}, ValueError, ["axis", "one-dimensional", "1"]),
        ([[1, 2]], [[2, 2]], {"axis": 2}, ValueError, ["axis must be between -2 and 1", "2"]),
        ([1, 2], [2, 2], {"confidence_level": 95}, ValueError, ["confidence_level", "between 0 and 1", "95"]),
        ([1, 2], [2, 2], {"tolerance": 0}, ValueError, ["tolerance", "positive"]),
        ([1, 2], [2, 2], {"tolerance": "fine"}, ValueError, ["tolerance", "such as 1e-4", "'fine'"]),
        ([1, 2], [2, 2], {"tolerance": True}, ValueError, ["tolerance", "such as 1e-4", "True"]),
        ([1, 2], [2, 2], {"tolerance": math.inf}, ValueError, ["tolerance", "such as 1e-4", "inf"]),
        ([1, 2], [2, 2], {"tolerance": [1e-3]}, ValueError, ["tolerance", "such as 1e-4", "[0.001]"]),
        ([Decimal("Infinity")], [1], {}, ValueError, ["a has infinite", "Infinity", "finite"]),
        ([1, Decimal("NaN")], [1, 2], {}, ValueError, ["a has 1 missing", "index 1"]),
        ([10**400, 5], [1, 2], {}, ValueError, ["a has a value past 2^1022", "scale the scores down"]),
        ([1, 2], [10**400, 0.5], {}, ValueError, ["b has a value past 2^1022", "scale the scores down"]),
        ([1, 2], [2, 2], {"n_resamples": 0}, ValueError, ["n_resamples", "positive integer"]),
        ([1, 2], [2, 2], {"n_resamples": 1e4}, ValueError, ["n_resamples", "positive integer"]),
        ([1, 2], None, {}, TypeError, ["b is missing", "Effects"]),
        ([1, 2], [2, 2], {"axis": 0.0}, TypeError, ["axis must be an integer", "0.0"]),
        (np.ones((4, 1)), np.zeros((4, 1)), {}, ValueError, ["(4, 1) are 4 tests of one item", "a.ravel()", "axis=1"]),
        ([2**60 + 1, 0.5], [2**60, 0.5], {}, ValueError, ["a has floats and integers that do not fit in float64"]),
        ([1, Decimal("sNaN")], [1, 2], {}, ValueError, ["a has 1 missing", "index 1"]),
        ([1, 2], [2, 2], {"groups": "doc"}, TypeError, ["groups must be a sequence of labels, one per item", "'doc'"]),
        ([1, 2], [2, 2], {"groups": {1: 2}}, TypeError, ["groups must be a sequence of labels", "{1: 2}"]),
        ([1, 2], [2, 2], {"groups": [{}, 1]}, TypeError, ["groups must hold labels such as text or numbers"]),
        ([1, 2], [2, 2], {"groups": ["x", math.nan]}, ValueError, ["groups has missing labels", "index 1"]),
        ([1, 2], [2, 2], {"rng": -1}, ValueError, ["rng must be a non-negative integer", "-1"]),
        ([1, 2], [2, 2], {"rng": "seed"}, ValueError, ["rng must be a non-negative integer", "'seed'"]),
        (Effects.from_counts({1: 2}), [1, 2], {}, TypeError, ["Effects", "alone"]),
        (Effects.from_counts({1: 2}), None, {"groups": [1, 2]}, TypeError, ["Effects", "groups", "alone"]),
        (np.zeros((0, 3), int), np.zeros((0, 3), int), {}, ValueError, ["batch of shape (0,) holds no test"]),
    ],
)
def test_refused(a, b, options, error, words):
    with pytest.raises(error) as caught:
        paired_test(a, b, **options)
    assert type(caught.value) in (error, *error.__subclasses__())
    for word in words:
        assert word in str(caught.value)


COUNTS = {"tp": [1, 2], "fp": [0, 1], "fn": [1, 0]}


@pytest.mark.parametrize(
    ("a", "error", "words"),
    [
        (COUNTS | {"tp": [1, math.nan]}, ValueError, ["a['tp'] has 1 missing values", "item 1", "for both systems"]),
        (COUNTS | {"fp": [None, 1]}, ValueError, ["a['fp'] has 1 missing values", "item 0"]),
        (COUNTS | {"tp": [1, 2.0]}, TypeError, ["a['tp'] must hold integers", "not float64", ".astype(int)"]),
        (COUNTS | {"tp": ["x", "y"]}, TypeError, ["a['tp'] must hold integers or booleans, not <U1"]),
        ([[1, 2], [1]], ValueError, ["a must hold as many integers for each item", "differ in length"]),
        (np.array([[1, 2], [1, np.nan]]), ValueError, ["a has 1 missing values", "item 1"]),
    ],
)
def test_counts_refused(a, error, words):
    with pytest.raises(error) as caught:
        paired_test(a, COUNTS, metric="f1")
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_data_frame_is_no_list_of_scores(library):
    """It would be a test of one item for each row."""
    kind = pytest.importorskip(library)
    frame = (kind.table if library == "pyarrow" else kind.DataFrame)({"x": A, "y": B})
    with pytest.raises(TypeError, match=r"a is a data frame; give one of its columns, or the frame itself to compare"):
        paired_test(frame, frame)
    with pytest.raises(TypeError, match=r"b is missing.*for a data frame .* use compare"):
        paired_test(frame)


def test_series_of_other_items():
    pandas = pytest.importorskip("pandas")
    a, b = pandas.Series(A), pandas.Series(B)
    assert same(paired_test(a, b))
    assert same(paired_test(a[::-1], b[::-1]))
    assert same(paired_test(a, B))
    with pytest.raises(
        ValueError, match=r"same labels in another order; align them, b.reindex\(a.index\), or give a.to_numpy\(\)"
    ):
        paired_test(a, b.sort_values())
    assert paired_test(a.to_numpy(), b.sort_values().to_numpy()).n_items == 6


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([2**63 + 1, -1], [2**63, -1]),  # NumPy makes floats of these
        ([2**63 + 1, None], [2**63, 5]),
        ([2**60 + 1, math.nan], [2**60, 1]),
        ([[2**63 + 1, -1]], [[2**63, -1]]),
    ],
)
def test_long_integers_in_lists_keep_their_digits(a, b):
    assert paired_test(a, b, nan_policy="omit").statistic in (0.5, 1.0)


def test_labels_are_what_they_are():
    """NumPy makes one type of all: floats of long integers, text of 1 beside "1"."""
    assert paired_test([1, 2, 3], [2, 1, 5], groups=[1, "1", 2]).n_groups == 3
    assert paired_test([1, 2, 3], [2, 1, 5], groups=[2**63, 2**63 + 1, -1]).n_groups == 3
    assert paired_test([1, 2, 3], [2, 1, 5], groups=[2**53, 2**53 + 1, 0.5]).n_groups == 3
    assert paired_test([1, 2, 3], [2, 1, 5], groups=["a", "b", "a"]).n_groups == 2


def test_exact_where_it_cannot_be_done():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    with pytest.raises(ValueError, match=r"method='exact' cannot do this.*method='bracket'"):
        paired_test(a, b, method="exact")
    assert not paired_test(a, b).exact


def test_ratio_metric_of_effects_without_totals():
    with pytest.raises(ValueError, match="totals"):
        paired_test(Effects.from_counts({(1, -1): 2}, names=("tp", "incorrect")), metric="f1")


# -- missing values --------------------------------------------------------------------------------------------

WITH_GAPS = [3, 1, None, 2, 5, 4, 4, 9], [1, 1, 7, 3, 2, 2, 3, None]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        WITH_GAPS,
        tuple([math.nan if x is None else x for x in scores] for scores in WITH_GAPS),
        tuple(np.array([np.nan if x is None else x for x in scores], dtype=np.float32) for scores in WITH_GAPS),
        tuple(np.array(scores, dtype=object) for scores in WITH_GAPS),
        tuple(np.ma.masked_array([x or 0 for x in s], [x is None for x in s]) for s in WITH_GAPS),
    ],
)
def test_omit_drops_the_pairs(a, b):
    assert same(paired_test(a, b, nan_policy="omit"))
    with pytest.raises(ValueError, match="missing values"):
        paired_test(a, b)


def test_omit_drops_the_groups_of_dropped_pairs_too():
    with_gaps = paired_test(*WITH_GAPS, groups=list("xxzxyywy"), nan_policy="omit")
    assert same(with_gaps, paired_test(A, B, groups=list("xxxyyw")))
    assert with_gaps.n_groups == 3


def test_omit_in_a_batch_is_test_by_test():
    a, b = np.array([[1.0, np.nan, 3, 4, 9], [2, 2, 2, 7, 1]]), np.array([[0.0, 1, 1, 1, 4], [1, np.nan, 0, 1, np.nan]])
    r = paired_test(a, b, nan_policy="omit")
    assert r.n_items.tolist() == [4, 3]
    for i in range(2):
        assert r.pvalue[i] == paired_test(a[i], b[i], nan_policy="omit").pvalue
    with pytest.raises(ValueError, match=r"a has 1 missing values .* index \(0, 1\)"):
        paired_test(a, b)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_series_of_nothing_but_missing_values_is_no_items(library):
    module = pytest.importorskip(library)
    dtype = "Float64" if library == "pandas" else module.Float64
    r = paired_test(module.Series([None, None], dtype=dtype), [0.5, 0.25], nan_policy="omit")
    assert (r.n_items, r.pvalue) == (0, 1.0)


def test_decimal_columns():
    pl = pytest.importorskip("polars")
    assert paired_test(pl.Series(DECIMALS[0]), pl.Series(DECIMALS[1])).pvalue == PLAIN.pvalue
    pa = pytest.importorskip("pyarrow")
    assert paired_test(pa.array(DECIMALS[0]), pa.array(DECIMALS[1])).pvalue == PLAIN.pvalue


def test_all_missing_is_no_items():
    r = paired_test([None, None], [1, 2], nan_policy="omit")
    assert (r.n_items, r.pvalue, r.min_pvalue) == (0, 1.0, 1.0)


# -- accepted --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]
)
def test_every_numeric_type(dtype):
    assert same(paired_test(np.array(A, dtype), np.array(B, dtype)))


@pytest.mark.parametrize("mixed", [(np.int8, np.uint64), (np.uint8, np.int64), (np.uint64, np.int8), (bool, np.int8)])
def test_mixed_types(mixed):
    a, b = np.array([1, 0, 1, 1, 0], mixed[0]), np.array([0, 0, 1, 0, 1], mixed[1])
    assert same(paired_test(a, b), paired_test([1, 0, 1, 1, 0], [0, 0, 1, 0, 1]))


def test_differences_do_not_wrap():
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        top, bottom = np.iinfo(dtype).max, np.iinfo(dtype).min
        r = paired_test(np.array([top] * 5, dtype), np.array([bottom] * 5, dtype))
        assert r.statistic == float(int(top) - int(bottom))
        assert r.pvalue == 2 / 32
    r = paired_test(np.array([0] * 5, np.uint64), np.array([2**64 - 1] * 5, np.uint64))
    assert r.statistic == -float(2**64 - 1)
    assert r.pvalue == 2 / 32


@pytest.mark.parametrize("scale", [10**17, 10**18, 9 * 10**18, 10**19, 10**40])
def test_scores_to_10_18_and_beyond(scale):
    r = paired_test([x * scale for x in A], [x * scale for x in B])
    assert r.pvalue == PLAIN.pvalue
    assert r.statistic == pytest.approx(PLAIN.statistic * scale, rel=1e-15)
    shifted = paired_test([x + scale for x in A], [x + scale for x in B])
    assert (shifted.pvalue, shifted.statistic) == (PLAIN.pvalue, PLAIN.statistic)


def test_scores_beyond_64_bits_with_none():
    a, b = [None if x is None else x + 2**80 for x in WITH_GAPS[0]], [x and x + 2**80 for x in WITH_GAPS[1]]
    assert same(paired_test(a, b, nan_policy="omit"))


def test_booleans():
    a, b = [True, True, False, True, True, True], [False, True, True, False, False, False]
    r = paired_test(a, b)
    assert r.statistic == 0.5
    assert r.pvalue == 2 * 6 / 32


def test_read_only_and_non_contiguous_arrays():
    table = np.array([A, B, A]).T.copy()
    table.flags.writeable = False
    assert same(paired_test(table[:, 0], table[:, 1]))
    backwards = np.array(A)[::-1], np.array(B)[::-1]
    assert same(paired_test(*backwards))
    big_endian = np.array(A, ">i4"), np.array(B, ">i8")
    assert same(paired_test(*big_endian))
    before = table.copy()
    paired_test(table[:, 0], table[:, 1], groups=table[:, 2])
    assert (table == before).all()


@pytest.mark.parametrize("kind", [list, tuple, np.array, iter, lambda x: (v for v in x), range])
def test_containers(kind):
    if kind is range:
        assert paired_test(range(5), range(1, 6)).pvalue == 2 / 32
    else:
        assert same(paired_test(kind(A), kind(B)))


def test_python_integers_and_numpy_scalars_in_a_list():
    assert same(paired_test([np.int8(x) for x in A], [np.uint64(x) for x in B]))
    assert same(paired_test(np.array(A, object), B))
    mixed = np.array([3, 1.0, np.float32(2), 5, True + 3, 4], object)
    assert same(paired_test(mixed, B))


DECIMALS = [Decimal(x) / 10 for x in A], [Decimal(x) / 10 for x in B]


@pytest.mark.parametrize(
    ("a", "b", "unit"),
    [
        (*DECIMALS, "1/10"),
        (DECIMALS[0], [x / 10 for x in B], "1/10"),
        ([x / 10 for x in A], DECIMALS[1], "1/10"),
        ([Fraction(x, 7) for x in A], [Fraction(x, 7) for x in B], "1/7"),
        ([Fraction(x, 3 * 10**20) for x in A], [Fraction(x, 3 * 10**20) for x in B], f"1/{3 * 10**20}"),
        ([Fraction(x, 5) for x in A], [Fraction(x, 5) if x > 1 else Decimal(x) / 5 for x in B], "1/5"),
    ],
)
def test_decimals_and_fractions_are_exact(a, b, unit):
    for options in ({}, {"grid": None}, {"groups": range(6)}):
        if options == {"grid": None} and float in {type(x) for x in (*a, *b)}:
            continue
        r = paired_test(a, b, **options)
        assert (r.pvalue, r.n_tied) == (PLAIN.pvalue, PLAIN.n_tied)
        assert r.statistic == pytest.approx(PLAIN.statistic * float(Fraction(unit)), rel=1e-15)
        assert f"|unit:{unit}|" in r.signature


def test_decimals_that_are_whole_missing_or_off_a_grid():
    assert same(paired_test([Decimal(x) for x in A], [Fraction(x) for x in B]))
    gaps = [[None if x is None else Decimal(x) / 10 for x in scores] for scores in WITH_GAPS]
    assert paired_test(*gaps, nan_policy="omit").pvalue == PLAIN.pvalue
    # equal as floats, not as decimals
    close = paired_test([Decimal("0.1000000000000000000001"), Decimal(1)], [Decimal("0.1"), Decimal(1)])
    assert (close.n_tied, close.pvalue) == (1, 1.0)
    with pytest.raises(ValueError, match=r"grid=1/4: 1/10 is not a multiple of it, the nearest is 0"):
        paired_test([Decimal("0.1")], [Decimal("0.5")], grid=0.25)
    with pytest.raises(ValueError, match="b has integers that do not fit in float64"):
        paired_test([0.5, 1.5], [2**80 + 1, 2])


@pytest.mark.parametrize(
    "labels", [list("xxyyzw"), [1, 1, 2, 2, 7, 9], [1.5, 1.5, 2, 2, 0, -1], [b"u", b"u", 2, 2, "a", 3]]
)
def test_labels_of_any_kind(labels):
    assert same(paired_test(A, B, groups=labels), paired_test(A, B, groups=[0, 0, 1, 1, 2, 3]))


# -- data frames -----------------------------------------------------------------------------------------------


def test_pandas_series():
    pd = pytest.importorskip("pandas")
    assert same(paired_test(pd.Series(A), pd.Series(B, index=range(10, 16))))
    assert same(paired_test(pd.Series(A, dtype="Int64"), pd.Series(B, dtype="UInt8")))
    with_gaps = [pd.Series(scores, dtype="Int64") for scores in WITH_GAPS]
    assert same(paired_test(*with_gaps, nan_policy="omit"))
    with pytest.raises(ValueError, match="a has 1 missing values"):
        paired_test(*with_gaps)
    assert same(paired_test(pd.Series(A), pd.Series(B), groups=pd.Series(list("abcdef"), dtype="category")))
    large = pd.Series([2**62 + 1, None], dtype="Int64"), pd.Series([2**62, 5], dtype="Int64")
    assert paired_test(*large, nan_policy="omit").statistic == 1.0  # not by way of floats
    assert same(paired_test(pd.Series(WITH_GAPS[0], dtype=object), WITH_GAPS[1], nan_policy="omit"))
    with pytest.raises(TypeError, match="a must hold numbers"):
        paired_test(pd.Series(["x", "y"]), pd.Series([1, 2]))
    with pytest.raises(ValueError, match="groups has missing labels, the first at index 1"):
        paired_test([1, 2], [2, 1], groups=pd.Series(["x", None]))


def test_polars_series():
    pl = pytest.importorskip("polars")
    assert same(paired_test(pl.Series(A), pl.Series(B)))
    assert same(paired_test(pl.Series(WITH_GAPS[0]), pl.Series(WITH_GAPS[1]), nan_policy="omit"))
    large = pl.Series([2**62 + 1, None]), pl.Series([2**62, 5])
    assert paired_test(*large, nan_policy="omit").statistic == 1.0
    assert same(
        paired_test(pl.Series([x > 2 for x in A]), pl.Series([x > 2 for x in B])),
        paired_test([x > 2 for x in A], [x > 2 for x in B]),
    )
    with pytest.raises(ValueError, match="b has 1 missing values"):
        paired_test(pl.Series([1, 2]), pl.Series([1, None]))


def test_pyarrow_arrays():
    pa = pytest.importorskip("pyarrow")
    assert same(paired_test(pa.chunked_array([A[:2], A[2:]]), pa.chunked_array([B])))
    assert same(paired_test(pa.array(A), pa.array(B)))
    assert same(paired_test(pa.array(WITH_GAPS[0]), pa.array(WITH_GAPS[1]), nan_policy="omit"))


def test_scores_of_a_metric_of_ones_own():
    mine = Metric("mine", sums=("hits", "cost"), value=lambda hits, cost: hits / (1 + cost))
    with pytest.raises(ValueError, match="hits"):
        paired_test({"hits": [1, 2]}, {"hits": [1, 2]}, metric=mine)


class Tensor:
    """What PyTorch and others have: an iteration of things that are no numbers, and a way to NumPy."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return map(Tensor, self.values)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


def test_what_can_make_an_array_of_itself():
    assert same(paired_test(Tensor(A), Tensor(B)))
