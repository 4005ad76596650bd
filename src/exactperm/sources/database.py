"""Tables larger than memory: DuckDB reads the files and counts, and only the `Effects` of two systems come back.

Any number of files of one kind (Parquet, csv, tsv, JSON lines) are one table, with a column or a group of counts for
each of two systems. Or two tables of one system each are joined by id: a hash aggregation over both, in which an item
that one of them lacks or holds twice is found rather than lost. DuckDB spills to disk what does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from exactperm.effects import Effects
from exactperm.sources.base import Wanted
from exactperm.sources.files import STDIN, Source, SourceError
from exactperm.sources.roles import Roles, assign, counts_by_system, listed, metrics_of
from exactperm.sources.scores import Measure, Provenance, Scores

__all__ = ["COUNTED", "LARGE", "Limits", "Table", "count", "is_large"]

#: bytes of files from which they are counted instead of loaded
LARGE = 1 << 28
#: the same for parts of one table with two systems, which are loaded row by row
LARGE_PARTS = 1 << 22
#: how DuckDB reads the formats that are tables
READERS = {"parquet": "read_parquet", "csv": "read_csv", "tsv": "read_csv", "jsonl": "read_json"}
Connection = Any
#: given a function that says how many percent are done, by whoever shows progress
COUNTED: ContextVar[Callable[[Callable[[], float]], None] | None] = ContextVar("COUNTED", default=None)
#: ids that an error shows
SHOWN = 5


@dataclass(frozen=True)
class Limits:
    """What DuckDB may use: memory, as "2GB" (by default four fifths of it), and a folder for what does not fit."""

    memory: str | None = None
    spill: str | None = None

    @property
    def given(self) -> bool:
        """Whether the user asked for any."""
        return self.memory is not None or self.spill is not None


@dataclass(frozen=True)
class Table:
    """Files of one format that are one table, and the name of the system if it is about one."""

    name: str
    sources: Sequence[Source]
    format: str


def is_large(tables: Sequence[Table], wanted: Wanted, limits: Limits) -> bool:
    """Whether to count these files instead of loading them: if they are tables, and large or limits are given."""
    sources = [source for table in tables for source in table.sources]
    if any(table.format not in READERS for table in tables) or any(source.path == STDIN for source in sources):
        return False
    parts = len(tables) == 1 < len(sources) and wanted.a is not None and find_spec("duckdb") is not None
    size = sum(Path(source.path).stat().st_size for source in sources)
    return limits.given or size >= (LARGE_PARTS if parts else LARGE)


def count(tables: Sequence[Table], wanted: Wanted, limits: Limits, missing: str) -> Scores:
    """Count one table of two systems, or two tables of one system each."""
    first = tables[0].sources[0]
    duckdb = _duckdb(first)
    connection = duckdb.connect()
    try:
        _set(connection, limits)
    except duckdb.Error as error:
        raise ValueError(f"memory_limit={limits.memory!r}, spill={limits.spill!r}: DuckDB says {error}") from None
    if tell := COUNTED.get():
        tell(lambda: _percent(connection, duckdb))
    try:
        if len(tables) == 1:
            return _one_table(connection, tables[0], wanted, missing)
        if len(tables) == 2:
            return _two_tables(connection, tables, wanted, missing)
    except duckdb.Error as error:
        raise first.error(_said(error)) from None
    finally:
        connection.close()  # which removes what was spilled
    raise first.error(
        f"{len(tables)} tables of this size cannot be compared at once; give two, or one with --a and --b"
    )


def _percent(connection: Connection, duckdb: Any) -> float:
    """How much of the query is done, as far as DuckDB knows."""
    try:
        return float(connection.query_progress())
    except duckdb.Error:  # it is closed
        return 0.0


def _said(error: Exception) -> str:
    """What DuckDB says, and what to do."""
    said = " ".join(str(error).split())
    full = re.search(r"out of memory|no space|max_temp_directory_size|could not write|disk", said, re.IGNORECASE)
    todo = (
        "allow more with --memory-limit, or a folder on a larger disk with --spill"
        if full
        else "are the files complete, and of one kind?"
    )
    return f"DuckDB cannot count this ({said:.300}); {todo}"


def _duckdb(source: Source) -> Any:
    try:
        import duckdb
    except ImportError:
        raise source.error(
            "tables that are large, or come with limits, are counted by DuckDB; pip install 'exactperm[duckdb]'"
        ) from None
    return duckdb


def _set(connection: Connection, limits: Limits) -> None:
    for setting, value in (("memory_limit", limits.memory), ("temp_directory", limits.spill)):
        if value is not None:
            connection.execute(f"set {setting} = {_quoted(value)}")
    if COUNTED.get():
        connection.execute("set enable_progress_bar = true")
        connection.execute("set enable_progress_bar_print = false")
    connection.execute("set preserve_insertion_order = false")  # counts have no order; this saves memory


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# -- one table -------------------------------------------------------------------------------------------------


def _one_table(connection: Connection, table: Table, wanted: Wanted, missing: str) -> Scores:
    rows, roles = _opened(connection, table, wanted)
    source = table.sources[0]
    by_system: Mapping[str, Any] = counts_by_system(roles.scores) or {name: name for name in roles.scores}
    if roles.system is not None:
        raise source.error(
            f"a table of this size needs a column for each system, not a row ({roles.said}); pivot it, or split it "
            "into a file for each system"
        )
    pair = [name for name in (wanted.a, wanted.b) if name is not None] or list(by_system)
    if len(pair) != 2 or not set(pair) <= set(by_system):
        raise source.error(f"this table has {listed(by_system)}; choose two of them with --a and --b")
    a, b = (by_system[name] for name in pair)
    return _scores(rows, (pair[0], pair[1]), a, b, roles, [table], missing)


def _opened(connection: Connection, table: Table, wanted: Wanted) -> tuple[Any, Roles]:
    """The table as a query, and what its columns are."""
    rows = _rows(connection, table.format, table.sources)
    types = dict(zip(rows.columns, map(str, rows.types), strict=True))
    roles = assign(table.sources[0], {name: _kind(kind) for name, kind in types.items()}, wanted)
    if roles.gold is not None:
        raise table.sources[0].error(
            "tables of labels are read whole, not counted by DuckDB; leave out --memory-limit and --spill"
        )
    used = {name: types[name] for name in (*roles.labels, *roles.scores)}
    if len(table.sources) > 1:
        _check_one_schema(connection, table, used)
    if table.format != "parquet":
        rows = _rows(connection, table.format, table.sources, _losing_nothing(table.format, used, roles))
    return rows, roles


def _rows(
    connection: Connection, format: str, sources: Sequence[Source], types: Mapping[str, str] | None = None
) -> Any:
    """The rows of some files; of texts with columns of these types, or of what the first rows look like."""
    files = ", ".join(_quoted(source.path) for source in sources)
    given = ", ".join(f"{_quoted(name)}: {_quoted(kind)}" for name, kind in (types or {}).items())
    argument = f", {'columns' if format == 'jsonl' else 'types'} = {{{given}}}" if given else ""
    return connection.sql(f"from {READERS[format]}([{files}]{argument})")


def _kind(dtype: str) -> str:
    if re.match(r"U?(TINY|SMALL|BIG|HUGE)?INT|BOOLEAN|FLOAT|DOUBLE|DECIMAL", dtype):
        return "number"
    return "text" if dtype in ("VARCHAR", "UUID") else dtype.lower()


def _losing_nothing(format: str, types: Mapping[str, str], roles: Roles) -> dict[str, str]:
    """Types for columns of text files: 0.6 after thousands of integers would be read as 1, and an id 1.5 as 2."""
    exact = "INT|BOOLEAN" if format == "jsonl" else "INT"  # in csv a number among truth values is an error
    safe = {name: "DOUBLE" if re.search(exact, kind) else kind for name, kind in types.items()}
    return safe | dict.fromkeys(roles.labels, "VARCHAR")


def _check_one_schema(connection: Connection, table: Table, used: Mapping[str, str]) -> None:
    """Parts of a table without a column, or with other types, would be filled with nulls or cast in silence."""
    if table.format != "parquet":
        for source in table.sources:
            there = _rows(connection, table.format, [source]).columns
            if lost := [name for name in used if name not in there]:
                raise source.error(f"there is no column {lost[0]!r}; there is {listed(there)}")
        return
    files = ", ".join(_quoted(source.path) for source in table.sources)
    query = f"""
        select name, count(distinct coalesce(type, '') || coalesce(logical_type::varchar, '')), count(*)
        from parquet_schema([{files}]) where num_children is null group by name"""
    for name, kinds, parts in connection.execute(query).fetchall():
        number = len(table.sources)
        if name in used and (kinds > 1 or parts != number):
            wrong = "is not of one type in all" if kinds > 1 else f"is in {parts} of"
            raise table.sources[0].error(f"the column {name!r} {wrong} {number} files; write them with one schema")


# -- two tables ------------------------------------------------------------------------------------------------


def _two_tables(connection: Connection, tables: Sequence[Table], wanted: Wanted, missing: str) -> Scores:
    """Both tables under each other, gathered by id: what is there once of each system is a row."""
    opened = [_opened(connection, table, wanted) for table in tables]
    for table, (_, roles) in zip(tables, opened, strict=True):
        if roles.id is None:
            raise table.sources[0].error(f"files of this size are joined by an id ({roles.said}); name it with --id")
    opened = [
        (rows, replace(roles, scores=_sums(table, roles))) for table, (rows, roles) in zip(tables, opened, strict=True)
    ]
    sums = [roles.scores for _, roles in opened]
    if sums[0] != sums[1]:
        raise tables[1].sources[0].error(f"this file has {listed(sums[1])}, the other one {listed(sums[0])}")
    grouped = all(roles.group is not None for _, roles in opened)
    _join(connection, opened, len(sums[0]), grouped=grouped)
    _check_join(connection, tables, missing, grouped=grouped)
    a, b = (
        f"{side}0" if len(sums[0]) == 1 else {name: f"{side}{i}" for i, name in enumerate(sums[0])} for side in "ab"
    )
    roles = replace(opened[0][1], group="label" if grouped else None)
    rows = connection.sql("from joined where n_a = 1 and n_b = 1")
    return _scores(rows, (tables[0].name, tables[1].name), a, b, roles, tables, missing)


def _join(connection: Connection, opened: Sequence[tuple[Any, Roles]], n_sums: int, *, grouped: bool) -> None:
    """Make the table `joined`: for each id how often either file has it, its group, and the sums of both."""
    parts = []
    for side, (rows, roles) in zip("ab", opened, strict=True):
        rows.create_view(f"rows_{side}")
        names = {"id": str(roles.id), **({"label": str(roles.group)} if grouped else {})}
        names |= {f"{side}{i}": name for i, name in enumerate(roles.scores[:n_sums])}
        columns = ", ".join(f"{_identifier(name)} as {alias}" for alias, name in names.items())
        parts.append(f"select '{side}' as side, {columns} from rows_{side}")
    gathered = [f"count(*) filter (side = '{side}') as n_{side}" for side in "ab"]
    gathered += ["min(label) as label", "max(label) as last_label", "count(label) as labels"] if grouped else []
    gathered += [f"any_value({side}{i}) as {side}{i}" for side in "ab" for i in range(n_sums)]
    both = " union all by name ".join(parts)
    connection.execute(f"create temp table joined as select id, {', '.join(gathered)} from ({both}) group by id")


def _sums(table: Table, roles: Roles) -> tuple[str, ...]:
    """The columns that are compared: the counts of a metric, or the only score."""
    if counted := metrics_of(list(roles.scores)):
        return next(iter(counted))
    if len(roles.scores) != 1:
        many = "several columns" if roles.scores else "no column"
        raise table.sources[0].error(f"this table has {many} of scores ({roles.said}); it needs one")
    return roles.scores


def _check_join(connection: Connection, tables: Sequence[Table], missing: str, *, grouped: bool) -> None:
    """Every id once in each file, and in the same group."""
    if grouped:
        number, few = _few(connection, "labels <> n_a + n_b")
        if number:
            raise tables[0].sources[0].error(f"{number} items have no group: {few}; give each one, in both files")
        number, few = _few(connection, "label is distinct from last_label")
        if number:
            raise tables[1].sources[0].error(f"{number} items are in another group than in the other file: {few}")
    for side, table in zip("ab", tables, strict=True):
        source = table.sources[0]
        for wrong, said in (("id is null", "have no id"), (f"n_{side} > 1", "are there twice; keep one row of each")):
            number, few = _few(connection, wrong)
            if number:
                raise source.error(f"{number} items {said}: {few}")
        number, few = _few(connection, f"n_{side} = 0")
        if number and missing == "raise":
            raise source.error(f"{number} items are missing here: {few}; --missing omit leaves them out")


def _few(connection: Connection, where: str) -> tuple[int, str]:
    """How many items are so, and the first of them."""
    number = int(connection.execute(f"select count(*) from joined where {where}").fetchall()[0][0])
    first = (
        connection.execute(f"select id from joined where {where} order by id limit {SHOWN}").fetchall()
        if number
        else []
    )
    return number, ", ".join(f"{row[0]!r:.40}" for row in first) + (" ..." if number > SHOWN else "")


# -- scores ----------------------------------------------------------------------------------------------------


def _scores(
    rows: Any, pair: tuple[str, str], a: Any, b: Any, roles: Roles, tables: Sequence[Table], missing: str
) -> Scores:
    known: tuple[str, ...] = ()
    name = "score"
    if isinstance(a, Mapping):
        sums, known = next(iter(metrics_of(list(a)).items()))
        name, a, b = ",".join(sums), {sum: a[sum] for sum in sums}, {sum: b[sum] for sum in sums}
    try:
        effects = Effects.from_frame(rows, a=a, b=b, group=roles.group, nan_policy=missing)
    except (ValueError, TypeError) as error:
        said = str(error).replace("nan_policy='omit'", "--missing omit")
        raise SourceError(f"{tables[0].sources[0].name}: {said}") from None
    provenance = [
        Provenance(source.name, table.format, pair if len(tables) == 1 else (table.name,))
        for table in tables
        for source in table.sources
    ]
    return Scores(
        systems=pair,
        items=range(1, effects.n_items + 1),
        groups=None,
        measures={name: Measure(name, dict.fromkeys(pair, ()), metrics=known)},
        provenance=tuple(provenance),
        notes=(roles.said,),
        counted=effects,
    )
