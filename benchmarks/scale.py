"""Tables larger than memory: the whole command against DuckDB's bare group-by, a billion rows, and 100,000 tests.

    python benchmarks/scale.py FOLDER [--rows 100000000] [--passes 10] [--keys 100000] [--repeats 3]

FOLDER gets shards of Parquet in a folder of their own (10 bytes a row), which is removed at the end. Each line is a
fresh process, its start included, next to a fresh process that only runs the bare group-by of the same rows: the
shortest of the repeats of each, in turn; the ratio of the processor's time moves less with other work on the machine.
Answers are compared with a test of the counts of the bare query.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import duckdb

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

import exactperm as xp  # noqa: E402

COMPILED = Path(tempfile.gettempdir()) / "exactperm-compiled"
SHARDS = 10
DOCUMENTS = 1_000_000
#: alike in the mean, so that the p-value is one that could be wrong
SCORES = "(hash(i) % 101)::smallint as x, (hash(i + 1000000007) % 101)::smallint as y"
BARE_ROWS = "select x - y as d, count(*) from '{}' group by d"
BARE_DOCUMENTS = "select d, count(*) from (select sum(x) - sum(y) as d from '{}' group by doc) group by d"
MEGABYTE = 2**10  # of kilobytes


class Run(NamedTuple):
    """What a fresh process took, and what it printed."""

    seconds: float
    processor: float
    megabytes: float
    printed: str


def run(*command: str) -> Run:
    """Run Python with these arguments."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONPYCACHEPREFIX": str(COMPILED)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the command as installed, which is compiled
    start = time.perf_counter()
    with (
        tempfile.TemporaryFile("w+") as out,
        subprocess.Popen([sys.executable, *command], stdout=out, env=environment) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{command} ended with {process.returncode}")
        out.seek(0)
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / MEGABYTE, out.read())


def write(folder: Path, rows: int, keys: int) -> None:
    """Make the shards: scores, documents and keys in no order."""
    each = rows // SHARDS
    for i in range(SHARDS):
        duckdb.execute(
            f"copy (select {SCORES}, (hash(i + 7) % {DOCUMENTS})::integer as doc, (i % {keys})::integer as task "
            f"from range({i * each}, {(i + 1) * each}) t(i)) to '{folder / f'{i}.parquet'}'"
        )


def link(shards: Path, folder: Path, passes: int) -> None:
    """The same rows several times, under other names."""
    folder.mkdir()
    for i in range(passes):
        for shard in shards.glob("*.parquet"):
            os.link(shard, folder / f"{i}-{shard.name}")


def bare(query: str, pattern: str) -> Run:
    """The counts of a group-by, by nothing but DuckDB."""
    program = (
        "import duckdb, json; duckdb.execute('set enable_progress_bar = false')\n"
        f"print(json.dumps(duckdb.execute({query.format(pattern)!r}).fetchall()))"
    )
    return run("-c", program)


def command(pattern: str, *options: str) -> Run:
    """What a user would type."""
    return run("-m", "exactperm", "compare", pattern, "--a", "x", "--b", "y", "--output", "json", "--quiet", *options)


def check(found: str, counts: str, rows: int) -> None:
    """Compare the answer with a test of the counts of the bare query."""
    pair = json.loads(found)["pairs"][0]
    table = {int(d): int(n) for d, n in json.loads(counts)}
    result = xp.paired_test(xp.Effects.from_counts(table, n_items=rows))
    expected = (result.pvalue, result.n_items, result.n_groups, result.n_tied, result.statistic)
    given = (pair["pvalue"], pair["n_items"], pair["n_groups"], pair["n_tied"], pair["statistic"])
    if given != expected:
        raise SystemExit(f"the command found {given}, the counts of the bare query give {expected}")


def against(name: str, query: str, pattern: str, rows: int, repeats: int, *options: str) -> None:
    """Run both in turn, compare their answers, and print a line."""
    pairs = [(command(pattern, *options), bare(query, pattern)) for _ in range(repeats)]
    ours, theirs = (min(each, key=lambda one: one.seconds) for each in zip(*pairs, strict=True))
    check(ours.printed, theirs.printed, rows)
    peak = max(one.megabytes for one, _ in pairs)
    print(
        f"{name:<28}{rows:>14,}{ours.seconds:>9.2f}{theirs.seconds:>9.2f}{ours.seconds / theirs.seconds:>7.2f}"
        f"{ours.processor / theirs.processor:>11.2f}"
        f"{peak:>9.0f}{theirs.megabytes:>9.0f}",
        flush=True,
    )


def tests_by_key(pattern: str, rows: int, keys: int) -> None:
    """Run `paired_tests` on every key in a fresh process, check some of them, and print a line."""
    program = (
        "import duckdb, json, exactperm as xp; duckdb.execute('set enable_progress_bar = false')\n"
        f"found = xp.paired_tests(duckdb.sql(\"from '{pattern}'\"), by='task', a='x', b='y')\n"
        f"print(json.dumps([len(found), dict(zip(map(int, found['task'][::{max(keys // 9, 1)}]), "
        f"map(float, found['pvalue'][::{max(keys // 9, 1)}])))]))"
    )
    done = run("-c", program)
    number, some = json.loads(done.printed)
    for key, pvalue in some.items():
        a, b = zip(*duckdb.execute(f"select x, y from '{pattern}' where task = {key}").fetchall(), strict=True)
        if xp.paired_test(a, b).pvalue != pvalue or number != keys:
            raise SystemExit(f"key {key} of {number} has p = {pvalue}, and not {xp.paired_test(a, b).pvalue}")
    print(f"{f'{keys:,} tests':<28}{rows:>14,}{done.seconds:>9.2f}{'':>27}{done.megabytes:>9.0f}")


def main() -> None:
    """Make the files, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the files are made; they are removed at the end")
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--passes", type=int, default=10, help="over the same files, for ten times as many rows")
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        shards, passes = Path(made) / "shards", Path(made) / "passes"
        shards.mkdir()
        write(shards, options.rows, options.keys)
        link(shards, passes, options.passes)
        rows, many = options.rows // SHARDS * SHARDS, options.rows // SHARDS * SHARDS * options.passes
        print(f"{'':<28}{'rows':>14}{'seconds':>9}{'bare':>9}{'ratio':>7}{'processor':>11}{'peak MB':>9}{'bare MB':>9}")
        against("rows", BARE_ROWS, f"{shards}/*.parquet", rows, options.repeats)
        against("documents", BARE_DOCUMENTS, f"{shards}/*.parquet", rows, options.repeats, "--group", "doc")
        against("rows, several passes", BARE_ROWS, f"{passes}/*.parquet", many, 1)
        tests_by_key(f"{shards}/*.parquet", rows, options.keys)


if __name__ == "__main__":
    main()
