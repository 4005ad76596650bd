"""Effects of data frames: the same, bit for bit, from every library, and the same as of arrays."""

from __future__ import annotations

from fractions import Fraction

import frame_kinds
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactperm as xp
from exactperm import Effects
from exactperm.sources.frames import effects_by_key

MOST = 2**63 - 1
every_kind = pytest.mark.parametrize("kind", frame_kinds.KINDS)


def column(values, dtype):
    return pl.Series(values, dtype=dtype)


def integers(seed, n, dtype=pl.Int16):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": column(rng.integers(-5, 6, n), dtype),
            "b": column(rng.integers(0, 7, n), pl.UInt8),
            "doc": rng.integers(0, n // 4, n),
        }
    )


#: name: the columns, the arguments, and the effects
AGREEING = {
    "short integers": (integers(0, 200), {}),
    "groups": (integers(1, 200), {"group": "doc"}),
    "32 bits": (integers(2, 50, pl.Int32), {}),
    "groups of texts": (integers(3, 60).with_columns(doc="d" + pl.col("doc").cast(pl.String)), {"group": "doc"}),
    "truth values": (pl.DataFrame({"a": [True, False, True], "b": [False, False, True]}), {}),
    "differences that wrap": (
        pl.DataFrame({"a": [MOST, -MOST - 1, 5, MOST], "b": [-MOST - 1, MOST, 5, 0]}),
        {},
    ),
    "sums that wrap": (
        pl.DataFrame({"a": [MOST, MOST, MOST, 5], "b": [-MOST - 1, MOST, 5, 0], "doc": ["x", "x", "y", "x"]}),
        {"group": "doc"},
    ),
    "unsigned": (pl.DataFrame({"a": column([MOST, 3, 7], pl.UInt64), "b": column([0, MOST, 7], pl.UInt64)}), {}),
    "floats": (pl.DataFrame({"a": [0.3, 0.2, 0.5], "b": [0.1, 0.0, 0.75]}), {}),
    "floats that a reciprocal misses": (
        pl.DataFrame({"a": [68247.1, -86765.6, -963.0], "b": [60175.1, -46508.2, 3900.2]}),
        {},
    ),
    "a unit that divides": (pl.DataFrame({"a": [49 / 3, 7.0], "b": [0.0, 77 / 3]}), {"grid": "7/3"}),
    "floats and integers": (pl.DataFrame({"a": [0.25, 2.0], "b": column([1, 1], pl.Int16)}), {}),
    "single precision": (
        pl.DataFrame({"a": column([0.3, 0.2, 0.8063], pl.Float32), "b": column([0.1, 0.0, 0.75], pl.Float32)}),
        {"grid": "1/10000"},
    ),
    "fractions": (pl.DataFrame({"a": [1 / 3, 0.5], "b": [0.25, 1 / 6]}), {"grid": "1/12"}),
    "a unit with a numerator": (pl.DataFrame({"a": [2.5, 5.0], "b": [0.0, 7.5]}), {"grid": 2.5}),
    "missing floats": (
        pl.DataFrame({"a": [0.3, float("nan"), 0.5, None], "b": [0.1, 0.0, 0.75, 1.0]}),
        {"nan_policy": "omit"},
    ),
    "missing integers": (
        pl.DataFrame({"a": column([3, None, 5, 1], pl.Int16), "b": column([1, 2, None, 1], pl.Int16)}),
        {"nan_policy": "omit"},
    ),
    "missing in groups": (
        pl.DataFrame(
            {"a": column([3, None, 5, 1], pl.Int16), "b": column([1, 2, None, 1], pl.Int16), "doc": [1, 1, 2, 3]}
        ),
        {"nan_policy": "omit", "group": "doc"},
    ),
}


def in_memory(frame: pl.DataFrame, group=None, nan_policy="raise", grid="auto"):
    """The same by `paired_test` on arrays."""
    groups = None if group is None else frame[group]
    if nan_policy == "omit":
        frame = frame.filter(~(pl.any_horizontal(pl.col("a", "b").is_null())))
        groups = None if group is None else frame[group]
    result = xp.paired_test(frame["a"], frame["b"], groups=groups, nan_policy=nan_policy, grid=grid)
    return result.problem.effects


@every_kind
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", AGREEING)
def test_all_kinds_agree_with_arrays(kind, case):
    frame, options = AGREEING[case]
    found = Effects.from_frame(frame_kinds.make(kind, frame), a="a", b="b", **options)
    assert found == in_memory(frame, **options)


COUNTS = pl.DataFrame(
    {
        "tp_a": [5, 3, 4, 6],
        "fp_a": [1, 0, 1, 1],
        "fn_a": [0, 2, 0, 1],
        "tp_b": [4, 3, 3, 5],
        "fp_b": [2, 1, 1, 1],
        "fn_b": [1, 2, 1, 2],
    }
)
SUMS = ("tp", "fp", "fn")


@every_kind
@pytest.mark.filterwarnings("ignore")
def test_counts_of_a_metric(kind):
    of_a, of_b = ({name: f"{name}_{s}" for name in SUMS} for s in "ab")
    effects = Effects.from_frame(frame_kinds.make(kind, COUNTS), a=of_a, b=of_b)
    a, b = ({name: COUNTS[column].to_list() for name, column in columns.items()} for columns in (of_a, of_b))
    assert effects == xp.metrics.get("f1").effects(a, b)
    assert xp.paired_test(effects, metric="f1").pvalue == xp.paired_test(a, b, metric="f1").pvalue


@every_kind
@pytest.mark.filterwarnings("ignore")
def test_weights_are_equal_items_that_are_swapped_together(kind):
    frame = pl.DataFrame({"a": [1, 2, 3], "b": [2, 2, 1], "w": [1, 5, 2]})
    found = Effects.from_frame(frame_kinds.make(kind, frame), a="a", b="b", weight="w")
    rows = np.repeat(np.arange(3), [1, 5, 2])
    assert found == Effects.from_scores(np.array([1, 2, 3])[rows], np.array([2, 2, 1])[rows], rows)


@every_kind
@pytest.mark.filterwarnings("ignore")
def test_tests_by_key_are_those_of_the_rows_of_each_key(kind):
    frame = integers(5, 300).with_columns(lang=pl.Series(["de", "fr", "en"] * 100), part=pl.Series([1, 2] * 150))
    found = dict(effects_by_key(frame_kinds.make(kind, frame), ["lang", "part"], "a", "b", group="doc"))
    assert list(found) == sorted((lang, part) for lang in ("de", "en", "fr") for part in (1, 2))
    for (lang, part), effects in found.items():
        assert effects == in_memory(frame.filter(pl.col("lang") == lang, pl.col("part") == part), group="doc")


@every_kind
@pytest.mark.filterwarnings("ignore")
def test_nan_is_one_key(kind):
    nan = float("nan")
    frame = pl.DataFrame({"key": [nan, nan, 1.0, nan], "a": [1, 2, 3, 4], "b": [0, 0, 5, 0]})
    by_key = effects_by_key(frame_kinds.make(kind, frame), "key", "a", "b")
    found = [(str(key), effects.n_items) for (key,), effects in by_key]
    assert sorted(found) == [("1.0", 1), ("nan", 3)]


def nulls(**columns):
    return pl.DataFrame({name: column(values, pl.Int16) for name, values in columns.items()})


REFUSED = {
    "missing": (nulls(a=[3, None], b=[1, 2]), {}, "column 'a' lacks 1 values; nan_policy='omit'"),
    "missing in a group": (
        nulls(a=[3, 2], b=[1, None]).with_columns(doc=pl.lit(1)),
        {"group": "doc"},
        "column 'b' lacks 1 values",
    ),
    "nothing but missing": (
        pl.DataFrame({"a": column([None, None], pl.Int64), "b": column([1, 2], pl.Int64)}),
        {},
        "column 'a' lacks 2 values; nan_policy='omit'",
    ),
    "missing float": (pl.DataFrame({"a": [0.5, float("nan")], "b": [0.5, 1.0]}), {}, "column 'a' lacks 1 values"),
    "missing group": (
        nulls(a=[3, 2, 1], b=[1, 2, 1]).with_columns(doc=pl.Series(["x", None, "x"])),
        {"group": "doc"},
        "group column 'doc' is null in 1 rows",
    ),
    "infinite": (pl.DataFrame({"a": [0.5, float("inf")], "b": [0.5, 1.0]}), {}, "column 'a' holds infinities"),
    "no grid": (pl.DataFrame({"a": [1 / 3, 0.5], "b": [0.5, 1.0]}), {}, "column 'a' holds 1 floats that are no mult"),
    "no rows": (nulls(a=[], b=[]), {}, "holds no rows"),
    "no long rows": (pl.DataFrame({"a": column([], pl.Int64), "b": column([], pl.Int64)}), {}, "holds no rows"),
    "none left": (nulls(a=[None], b=[2]), {"nan_policy": "omit"}, "holds no rows"),
    "no rows in groups": (nulls(a=[], b=[], doc=[]), {"group": "doc"}, "holds no rows"),
    "none left in groups": (nulls(a=[None], b=[2], doc=[1]), {"group": "doc", "nan_policy": "omit"}, "holds no rows"),
}


@every_kind
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", REFUSED)
def test_all_kinds_refuse_alike(kind, case):
    frame, options, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        Effects.from_frame(frame_kinds.make(kind, frame), a="a", b="b", **options)


@pytest.mark.parametrize(
    ("frame", "arguments", "error", "message"),
    [
        (nulls(a=[1], b=[2]), {"a": "x", "b": "b"}, ValueError, "a='x' is no column of the frame; it has a, b"),
        (nulls(a=[1], b=[2]), {"a": "a", "b": "b", "group": "g"}, ValueError, "group='g' is no column"),
        (pl.DataFrame({"a": ["u"], "b": ["v"]}), {"a": "a", "b": "b"}, TypeError, "column 'a' holds String"),
        (nulls(a=[1], b=[2]), {"a": "a", "b": {"tp": "b"}}, TypeError, "both be names of columns, or both mappings"),
        (nulls(a=[1], b=[2]), {"a": {"tp": "a"}, "b": {"fp": "b"}}, ValueError, "same sums; got tp and fp"),
        (nulls(a=[1], b=[2]), {"a": "a", "b": "b", "nan_policy": "drop"}, ValueError, "nan_policy must be"),
        (
            pl.DataFrame({"a": [1], "b": [2], "w": [0.5]}),
            {"a": "a", "b": "b", "weight": "w"},
            TypeError,
            "weights must be integers",
        ),
        (
            pl.DataFrame({"a": column([2**64 - 1], pl.UInt64), "b": column([0], pl.UInt64)}),
            {"a": "a", "b": "b"},
            ValueError,
            "column 'a' holds integers of more than 64 bits",
        ),
        (
            pl.DataFrame({"a": column([2**63], pl.UInt64), "b": column([0], pl.UInt64)}).to_pandas(),
            {"a": "a", "b": "b"},
            ValueError,
            "column 'a' holds integers of more than 64 bits",
        ),
        *(
            (
                pl.DataFrame({"a": [1, 2], "b": [0, 0], "w": column([weight, weight], dtype)}),
                {"a": "a", "b": "b", "weight": "w"},
                ValueError,
                "weight='w' must be positive",
            )
            for weight, dtype in ((0, pl.Int64), (-2, pl.Int8), (False, pl.Boolean))
        ),
        (
            pl.DataFrame({"a": [2**61], "b": [0], "w": [4]}),
            {"a": "a", "b": "b", "weight": "w"},
            ValueError,
            "may not fit into 64 bits; count parts",
        ),
        (
            pl.DataFrame({"a": [1, 2], "b": [0.5, 1.0]}),
            {"a": {"tp": "a", "fp": "b"}, "b": {"tp": "a", "fp": "a"}},
            ValueError,
            "column 'b' holds 1 floats that are no whole numbers; counts are",
        ),
        (pl.DataFrame({"a": [0.5], "b": [0.25]}), {"a": "a", "b": "b", "grid": None}, ValueError, "grid=None"),
        ([1, 2], {"a": "a", "b": "b"}, TypeError, "frame must be a data frame or a query .* not a list"),
    ],
)
def test_wrong_arguments_are_named(frame, arguments, error, message):
    with pytest.raises(error, match=message):
        Effects.from_frame(frame, **arguments)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(-(2**63), MOST), st.integers(-(2**63), MOST), st.integers(0, 3)), min_size=1, max_size=12
    ),
    grouped=st.booleans(),
)
def test_integers_of_any_size(rows, grouped):
    a, b, doc = map(list, zip(*rows, strict=True))
    frame = pl.DataFrame({"a": a, "b": b, "doc": doc}, schema={"a": pl.Int64, "b": pl.Int64, "doc": pl.Int64})
    found = Effects.from_frame(frame, a="a", b="b", group="doc" if grouped else None)
    assert found == Effects.from_scores(
        np.array(a, dtype=object), np.array(b, dtype=object), np.array(doc) if grouped else None
    )


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6)), min_size=1, max_size=20),
    decimals=st.integers(0, 6),
)
def test_decimals_are_integers_in_disguise(rows, decimals):
    a, b = ([x / 10**decimals for x in column] for column in zip(*rows, strict=True))
    found = Effects.from_frame(pl.DataFrame({"a": a, "b": b}), a="a", b="b")
    whole = Effects.from_scores(*(np.array(column) for column in zip(*rows, strict=True)))
    scale = found.unit * 10**decimals
    assert found.unit >= Fraction(1, 10**decimals)
    assert (found.values * scale).tolist() == whole.values.tolist()
    assert found.n_plus.tolist() == whole.n_plus.tolist()
