"""Many tests of one frame are the tests of its parts."""

from datetime import date, timedelta
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import exactperm as xp
from exactperm.sources.frames import effects_by_key


def languages(n=90, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "lang": rng.choice(["de", "en", "fr"], n),
            "x": rng.integers(0, 9, n),
            "y": rng.integers(0, 7, n),
            "doc": rng.integers(0, 12, n),
        }
    )


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "pyarrow", "duckdb"])
def test_a_row_for_each_key(kind):
    frame = languages()
    given = {
        "polars": frame,
        "lazy": frame.lazy(),
        "pandas": frame.to_pandas(),
        "pyarrow": frame.to_arrow(),
        "duckdb": duckdb.connect().from_arrow(frame.to_arrow()),
    }[kind]
    found = xp.paired_tests(given, by="lang", a="x", b="y", group="doc", correction="bh")
    library = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": type(frame.to_arrow())}.get(kind)
    assert library is None or type(found) is library
    rows = pl.DataFrame(found).to_dicts()
    assert [row["lang"] for row in rows] == ["de", "en", "fr"]
    alone = {}
    for row in rows:
        part = frame.filter(pl.col("lang") == row["lang"])
        result = xp.paired_test(part["x"], part["y"], groups=part["doc"])
        assert (row["pvalue"], row["statistic"], row["n_items"]) == (result.pvalue, result.statistic, len(part))
        assert (row["a"], row["b"], row["signature"]) == ("x", "y", result.signature)
        alone[row["lang"]] = result.pvalue
    from exactperm.inference.multiplicity import adjust

    assert [row["pvalue_adjusted"] for row in rows] == adjust(list(alone.values()), "bh").tolist()


def test_counts_of_a_metric():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"{name}_{s}": rng.integers(0, 5, 60) for name in ("tp", "incorrect") for s in "ab"})
    frame = frame.with_columns(task=pl.Series(["t1", "t2"] * 30))
    columns = [{name: f"{name}_{s}" for name in ("tp", "incorrect")} for s in "ab"]
    found = xp.paired_tests(frame, by=["task"], a=columns[0], b=columns[1], metric="f1")
    for row in found.to_dicts():
        part = frame.filter(pl.col("task") == row["task"])
        a, b = ({name: part[column] for name, column in each.items()} for each in columns)
        assert row["pvalue"] == xp.paired_test(a, b, metric="f1").pvalue


def test_more_keys_than_a_block():
    frame = pl.DataFrame({"key": np.repeat(np.arange(2500), 3), "x": [1, 2, 3] * 2500, "y": [0, 0, 1] * 2500})
    found = xp.paired_tests(frame, by="key", a="x", b="y", correction=None)
    assert found["key"].to_list() == list(range(2500))
    assert set(found["pvalue"]) == {0.25}


KEYS = {
    "integers": [3, 5, None],
    "texts": ["a", "b", None],
    "truth": [False, True],
    "long integers": [2**62 + 1, 2**62 + 2],
    "days": [date(2026, 1, 1), date(2026, 1, 2), None],
    "decimals": [Decimal("0.1"), Decimal("0.25")],
    "spans": [timedelta(microseconds=1), timedelta(days=2)],
}


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
@pytest.mark.parametrize("case", KEYS)
def test_keys_are_what_they_were_and_their_cells_come_in_several_blocks(kind, case):
    """Results are fetched in blocks of 8192 cells; of each key there are 5,000."""
    rng, each = np.random.default_rng(0), 5000
    frame = pl.concat(
        pl.DataFrame({"x": rng.permutation(each) * 3 + i, "y": np.zeros(each, dtype=np.int64)}).with_columns(
            key=pl.Series([key] * each, dtype=pl.Series(KEYS[case]).dtype)
        )
        for i, key in enumerate(KEYS[case])
    )
    given = frame if kind == "polars" else duckdb.connect().from_arrow(frame.to_arrow())
    found = dict(effects_by_key(given, "key", "x", "y"))
    assert set(found) == {(key,) for key in KEYS[case]}
    for (key,), effects in found.items():
        part = frame.filter(pl.col("key").eq_missing(key))
        assert effects == xp.Effects.from_scores(part["x"].to_numpy(), part["y"].to_numpy())
        assert type(key) is type(next(k for k in KEYS[case] if k == key))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": []}, "by names no column"),
        ({"by": "method"}, "by='method' is also a column of the results"),
        ({"by": "language"}, "by='language' is no column of the frame"),
        ({"by": "lang", "correction": "tukey"}, "correction must be one of"),
    ],
)
def test_wrong_arguments(options, message):
    frame = languages().with_columns(method=pl.lit("m"))
    with pytest.raises(ValueError, match=message):
        xp.paired_tests(frame, a="x", b="y", **options)
