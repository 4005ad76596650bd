"""The kinds of data frames that are counted where they are, each made from the same columns."""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl
import pytest

__all__ = ["KINDS", "make"]


def _duckdb(frame: pl.DataFrame) -> Any:
    return _connection().from_arrow(frame.to_arrow())


@cache
def _connection() -> Any:
    return pytest.importorskip("duckdb").connect()


def _dask(frame: pl.DataFrame) -> Any:
    dask = pytest.importorskip("dask.dataframe")
    return dask.from_pandas(frame.to_pandas(use_pyarrow_extension_array=True), npartitions=2)


def _dask_numpy(frame: pl.DataFrame) -> Any:
    return pytest.importorskip("dask.dataframe").from_pandas(frame.to_pandas(), npartitions=2)


def _ibis(frame: pl.DataFrame) -> Any:
    return pytest.importorskip("ibis").memtable(frame.to_arrow())


@cache
def _session() -> Any:
    sql = pytest.importorskip("pyspark.sql")
    options = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    builder = sql.SparkSession.builder.master("local[2]")
    for key, value in options.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _spark(frame: pl.DataFrame) -> Any:
    wider = {pl.UInt8: pl.Int16, pl.UInt16: pl.Int32, pl.UInt32: pl.Int64}  # Spark has no unsigned types
    if pl.UInt64 in frame.dtypes:
        pytest.skip("Spark has no unsigned 64-bit integers")
    return _session().createDataFrame(frame.cast(wider).to_arrow())


_MAKERS = {
    "pandas": lambda frame: frame.to_pandas(),
    "pandas-arrow": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
    "polars": lambda frame: frame,
    "polars-lazy": lambda frame: frame.lazy(),
    "pyarrow": lambda frame: frame.to_arrow(),
    "duckdb": _duckdb,
    "dask": _dask,
    "dask-numpy": _dask_numpy,
    "ibis": _ibis,
    "spark": _spark,
}
KINDS = tuple(_MAKERS)


def make(kind: str, frame: pl.DataFrame) -> Any:
    """The same columns as a frame of another kind."""
    return _MAKERS[kind](frame)
