"""Many tests of one frame are the tests of its parts."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import exactperm as xp


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
