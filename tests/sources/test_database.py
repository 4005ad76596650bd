"""Tables that are counted by DuckDB: the same as if they were loaded, whatever their size."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

import exactperm as xp
from exactperm.sources import SourceError, database

LIMITS = {"memory_limit": "500MB"}  # any limit asks for DuckDB
DUCKDB = tuple(map(int, duckdb.__version__.split(".")[:2]))
WRITERS = {
    "parquet": pl.DataFrame.write_parquet,
    "csv": pl.DataFrame.write_csv,
    "jsonl": pl.DataFrame.write_ndjson,
    "tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
}
every_format = pytest.mark.parametrize("ending", WRITERS)


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": np.arange(n),
            "old": rng.integers(0, 9, n),
            "new": rng.integers(0, 10, n),
            "other": rng.integers(0, 10, n),
            "doc": rng.integers(0, n // 5, n),
        }
    )


def written(folder, ending, **frames):
    folder.mkdir(exist_ok=True)
    for name, frame in frames.items():
        WRITERS[ending](frame, folder / f"{name}.{ending}")
    return [str(folder / f"{name}.{ending}") for name in frames]


def same(counted, loaded):
    assert counted.systems == loaded.systems
    assert len(counted.items) == len(loaded.items)
    assert counted.n_groups == loaded.n_groups
    first, second = xp.compare(counted), xp.compare(loaded)
    assert dict(first.scores) == dict(second.scores)
    assert first.pairs[0].signature == second.pairs[0].signature
    assert first.pairs[0].pvalue_interval == second.pairs[0].pvalue_interval
    assert xp.paired_test(counted).pvalue == first.pairs[0].pvalue


@every_format
@pytest.mark.parametrize("group", [None, "doc"])
def test_one_table(tmp_path, ending, group):
    (path,) = written(tmp_path, ending, scores=table())
    options = {"a": "old", "b": "new", "group": group}
    same(xp.read(path, **options, **LIMITS), xp.read(path, **options))


@every_format
def test_shards_are_one_table(tmp_path, ending):
    frame = table()
    (whole,) = written(tmp_path, ending, whole=frame)
    written(tmp_path / "shards", ending, first=frame[:150], second=frame[150:])
    options = {"a": "old", "b": "new", "group": "doc"}
    same(xp.read(str(tmp_path / "shards" / f"*.{ending}"), **options, **LIMITS), xp.read(whole, **options))


@every_format
def test_two_tables_are_joined_by_id(tmp_path, ending):
    frame = table()
    old = frame.select("id", "doc", score="old").sample(fraction=1.0, shuffle=True, seed=1)
    new = frame.select("id", "doc", score="new")
    paths = written(tmp_path, ending, old=old, new=new)
    same(xp.read(*paths, group="doc", **LIMITS), xp.read(*paths, group="doc"))


def test_counts_of_a_metric(tmp_path):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({f"{name}_{s}": rng.integers(0, 5, 90) for s in ("x", "y") for name in ("tp", "incorrect")})
    (path,) = written(tmp_path, "parquet", counts=frame)
    counted, loaded = (xp.read(path, a="x", b="y", **limits) for limits in (LIMITS, {}))
    results = [xp.compare(scores, metric="f1").pairs[0] for scores in (counted, loaded)]
    assert results[0].signature == results[1].signature
    assert results[0].pvalue == results[1].pvalue


def test_decimals_and_missing_values(tmp_path):
    frame = pl.DataFrame({"a": [0.3, 0.2, None, 0.5], "b": [0.1, 0.0, 0.5, 0.75]})
    (path,) = written(tmp_path, "parquet", scores=frame)
    with pytest.raises(SourceError, match=r"scores\.parquet: column 'a' lacks 1 values"):
        xp.read(path, **LIMITS)
    counted = xp.read(path, missing="omit", **LIMITS)
    assert counted.counted.counts.tolist() == [2, 1]
    assert xp.compare(counted, nan_policy="omit").pairs[0].n_items == 3


def test_large_files_are_counted_without_being_asked(tmp_path, monkeypatch):
    (path,) = written(tmp_path, "csv", scores=table())
    assert xp.read(path, a="old", b="new").counted is None
    monkeypatch.setattr(database, "LARGE", 100)
    assert xp.read(path, a="old", b="new").counted is not None


def test_parts_of_a_table_are_counted_sooner(tmp_path, monkeypatch):
    frame = table()
    written(tmp_path, "parquet", first=frame[:150], second=frame[150:])
    pattern = str(tmp_path / "*.parquet")
    assert xp.read(pattern, a="old", b="new").counted is None
    monkeypatch.setattr(database, "LARGE_PARTS", 100)
    assert xp.read(pattern, a="old", b="new").counted is not None
    assert xp.read(pattern).counted is None  # three systems


def test_results_say_that_there_are_no_items(tmp_path):
    (path,) = written(tmp_path, "csv", scores=table())
    counted = xp.read(path, a="old", b="new", **LIMITS)
    assert repr(counted).startswith("Scores of 2 systems on 400 items\n")
    alone = xp.compare(counted, baseline="new", higher_is_better=False)
    assert alone.pairs[0].better in (None, "old", "new")
    assert not alone.higher_is_better


def refusal(*paths, **options):
    with pytest.raises(SourceError) as error:
        xp.read(*paths, **{**LIMITS, **options})
    assert "\n" not in str(error.value)
    return str(error.value)


def test_what_cannot_be_counted(tmp_path):
    frame = table()
    (path,) = written(tmp_path, "parquet", scores=frame)
    assert "this table has old, new, other" in refusal(path)
    assert "there is no column 'x'" in refusal(path, a="x", b="new")
    with pytest.raises(ValueError, match=r"memory_limit='much'.* must have a number"):
        xp.read(path, a="old", b="new", memory_limit="much")
    long = pl.DataFrame({"id": [1, 1], "system": ["x", "y"], "score": [1, 2]})
    (path,) = written(tmp_path, "parquet", long=long)
    assert "needs a column for each system, not a row" in refusal(path)


def test_shards_of_several_types(tmp_path):
    frame = table()
    shards = tmp_path / "shards"
    written(shards, "parquet", first=frame, second=frame.with_columns(pl.col("old").cast(pl.Float64)))
    pattern = str(shards / "*.parquet")
    assert "the column 'old' is not of one type in all 2 files" in refusal(pattern, a="old", b="new")


def test_ids_have_to_match(tmp_path):
    frame = table(50)
    old, new = frame.select("id", "doc", score="old"), frame.select("id", "doc", score="new")

    def told(old, new, **options):
        return refusal(*written(tmp_path, "parquet", old=old, new=new), **options)

    assert "new.parquet: 3 items are missing here: 0, 1, 2; --missing omit" in told(old, new[3:])
    assert "old.parquet: 2 items are there twice; keep one row of each: 0, 1" in told(pl.concat([old, old[:2]]), new)
    assert "1 items have no id" in told(old.with_columns(pl.col("id").replace(4, None)), new[:3], missing="omit")
    regrouped = new.with_columns(doc=pl.when(pl.col("id") == 7).then(99).otherwise(pl.col("doc")))
    assert "1 items are in another group than in the other file: 7" in told(old, regrouped, group="doc")
    paths = written(tmp_path, "parquet", old=old, new=new[3:])
    assert len(xp.read(*paths, missing="omit", **LIMITS).items) == 47


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["id,s\n1,2\n"] * 3, "0.csv: 3 tables of this size cannot be compared at once; give two, or one with --a and"),
        (["s\n1\n2\n"] * 2, "0.csv: files of this size are joined by an id (items by their row; scores s); name it"),
        (["id,s\n1,2\n", "id,t\n1,2\n"], "1.csv: this file has t, the other one s"),
        (
            ["id,s,t\n1,2,3\n"] * 2,
            "0.csv: this table has several columns of scores (items by id; scores s, t); it needs",
        ),
        (["id,s\n1,x\n"] * 2, "0.csv: this table has no column of scores (items by id; no scores; left out s (text));"),
    ],
)
def test_tables_that_cannot_be_joined(tmp_path, texts, message):
    paths = [tmp_path / f"{i}.csv" for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    assert message in refusal(*map(str, paths), format="csv")


def test_counts_of_two_tables_are_joined(tmp_path):
    draw = np.random.default_rng(4)
    frames = {name: pl.DataFrame({"id": range(60), "tp": draw.integers(0, 5, 60), "incorrect": 1}) for name in "xy"}
    paths = written(tmp_path, "csv", **frames)
    counted, loaded = (xp.compare(xp.read(*paths, **limits), metric="f1").pairs[0] for limits in (LIMITS, {}))
    assert counted.signature == loaded.signature
    assert counted.pvalue == loaded.pvalue


def test_without_duckdb_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (path,) = written(tmp_path, "csv", scores=table(9))
    assert "are counted by DuckDB; pip install 'exactperm[duckdb]'" in refusal(path, a="old", b="new")


def test_what_needs_the_items_says_that_there_are_none(tmp_path):
    first, second = (
        {"tp": [3, 1, 0], "fp": [1, 2, 0], "fn": [0, 2, 3]},
        {"tp": [2, 2, 1], "fp": [0, 1, 1], "fn": [1, 1, 2]},
    )
    counts = {f"{name}_{s}": column for s, x in (("x", first), ("y", second)) for name, column in x.items()}
    (path,) = written(tmp_path, "csv", scores=pl.DataFrame(counts))
    counted = xp.read(path, a="x", b="y", **LIMITS)
    with pytest.raises(ValueError, match=r"the items of x were counted where they are, .*; use correction='holm'"):
        xp.compare(counted, metric=["f1", "precision"], correction="max-t")


def test_damaged_files(tmp_path):
    (path,) = written(tmp_path, "parquet", scores=table(3000))
    Path(path).write_bytes(Path(path).read_bytes()[:2000])
    assert "scores.parquet: DuckDB cannot count this" in refusal(path, a="old", b="new")


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("column", ["score", "id"])
def test_what_comes_after_many_integers_is_not_rounded(tmp_path, ending, column):
    """DuckDB takes the types of texts from their first rows, and would round whatever follows."""
    n = 30_000
    rows = [(i, 1, 0) for i in range(n - 1)] + [(n, 1, 0.6) if column == "score" else (2.5, 1, 0)]
    form = "{},{},{}\n" if ending == "csv" else '{{"doc": {}, "x": {}, "y": {}}}\n'
    path = tmp_path / f"late.{ending}"
    path.write_text(("doc,x,y\n" if ending == "csv" else "") + "".join(form.format(*row) for row in rows))
    effects = xp.read(str(path), a="x", b="y", group="doc", **LIMITS).counted
    assert effects.n_groups == n
    if column == "score":
        assert [value * effects.unit for value in effects.values.ravel().tolist()] == [Fraction(2, 5), 1]
        assert effects.counts.tolist() == [1, n - 1]


def test_a_number_after_many_truth_values(tmp_path):
    path = tmp_path / "late.jsonl"
    path.write_text('{"x": true, "y": false}\n' * 30_000 + '{"x": true, "y": 0.5}\n')
    if DUCKDB < (2, 0):  # which calls such a column JSON
        assert "this table has x; choose two of them" in refusal(str(path))
        return
    effects = xp.read(str(path), **LIMITS).counted
    assert effects.values.ravel().tolist() == [5, 10]
    assert effects.counts.tolist() == [1, 30_000]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_shard_without_a_column(tmp_path, ending):
    frame = table()
    written(tmp_path, ending, first=frame, second=frame.rename({"new": "newer"}))
    told = refusal(str(tmp_path / f"*.{ending}"), a="old", b="new", missing="omit")
    assert f"second.{ending}: there is no column 'new'; there is id, old, newer" in told


def test_a_parquet_shard_without_a_column(tmp_path):
    frame = table()
    written(tmp_path, "parquet", first=frame, second=frame.rename({"new": "newer"}))
    told = refusal(str(tmp_path / "*.parquet"), a="old", b="new", missing="omit")
    assert "the column 'new' is in 1 of 2 files; write them with one schema" in told


def test_bad_columns_are_named(tmp_path):
    def told(**columns):
        options = {"a": "x", "b": "y"} if "x" in columns else {}
        group = {"group": "doc"} if "doc" in columns else {}
        return refusal(*written(tmp_path, "parquet", bad=pl.DataFrame(columns)), **options, **group)

    assert "bad.parquet: group column 'doc' is null in 1 rows" in told(x=[1, 2], y=[0, 1], doc=["u", None])
    assert "bad.parquet: column 'x' holds String" in told(x=["u", "v"], y=[0, 1])
    assert "holds no rows" in told(x=pl.Series([], dtype=pl.Int16), y=pl.Series([], dtype=pl.Int16))
    assert "column 'x' lacks 1 values; --missing omit drops" in told(x=[1, None], y=[0, 1])
    halves = told(tp_a=[1, 2], incorrect_a=[0.5, 1.0], tp_b=[1, 2], incorrect_b=[1, 2])
    assert "column 'incorrect_a' holds 1 floats that are no whole numbers; counts are" in halves


def test_items_without_a_group_in_one_of_two_tables(tmp_path):
    frame = table(50)
    paths = written(
        tmp_path,
        "parquet",
        old=frame.select("id", "doc", score="old"),
        new=frame.select("id", pl.when(pl.col("id") != 3).then("doc").alias("doc"), score="new"),
    )
    assert "1 items have no group: 3; give each one, in both files" in refusal(*paths, group="doc")


def many_groups(folder, rows=400_000):
    """A table whose groups are as many as its rows, in an order that no engine likes."""
    frame = pl.DataFrame({"x": np.arange(rows) % 6, "y": np.arange(rows) % 5, "doc": np.arange(rows) * 7919 % rows})
    return written(folder, "parquet", groups=frame)[0]


def test_what_does_not_fit_is_spilled(tmp_path):
    path, spill = many_groups(tmp_path), tmp_path / "spill"
    counted = xp.read(path, a="x", b="y", group="doc", memory_limit="60MB", spill=str(spill))
    assert counted.counted == xp.Effects.from_frame(pl.scan_parquet(path), a="x", b="y", group="doc")
    assert not spill.exists() or not list(spill.iterdir())


def test_a_full_disk_is_an_error(tmp_path, monkeypatch):
    set_limits = database._set

    def on_a_full_disk(connection, limits):
        set_limits(connection, limits)
        connection.execute("set max_temp_directory_size = '1MB'")

    monkeypatch.setattr(database, "_set", on_a_full_disk)
    path = many_groups(tmp_path)
    told = refusal(path, a="x", b="y", group="doc", memory_limit="20MB", spill=str(tmp_path / "spill"))
    assert "allow more with --memory-limit, or a folder on a larger disk with --spill" in told


def test_a_run_that_was_killed_while_it_spilled_is_run_again(tmp_path):
    path, spill = many_groups(tmp_path, 3_000_000), tmp_path / "spill"
    options = ["--a", "x", "--b", "y", "--group", "doc", "--memory-limit", "80MB", "--spill", str(spill)]
    command = [sys.executable, "-m", "exactperm", "compare", path, *options, "--output", "json"]
    environment = {**os.environ, "PYTHONPATH": str(Path(xp.__file__).parents[1])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as first:
        while not (spill.exists() and list(spill.iterdir())) and first.poll() is None:
            time.sleep(0.001)
        first.kill()
        assert first.stdout.read() == b""
    assert first.returncode == -signal.SIGKILL
    second = subprocess.run(command, capture_output=True, env=environment, check=True)
    pair = json.loads(second.stdout)["pairs"][0]
    expected = xp.paired_test(xp.Effects.from_frame(pl.scan_parquet(path), a="x", b="y", group="doc"))
    assert (pair["pvalue"], pair["statistic"], pair["n_groups"]) == (expected.pvalue, expected.statistic, 3_000_000)


def test_counting_loads_duckdb_and_no_other_library_of_frames(tmp_path):
    (path,) = written(tmp_path, "parquet", scores=table())
    program = (
        "import sys, exactperm as xp\n"
        f"xp.paired_test(xp.read({path!r}, a='old', b='new', group='doc', memory_limit='500MB'))\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(xp.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    loaded = set(done.stdout.split())
    assert "duckdb" in loaded
    # before 2.0 it loads some of them by itself
    assert loaded & {"pyarrow", "pandas", "polars", "scipy"} == set() or DUCKDB < (2, 0)
