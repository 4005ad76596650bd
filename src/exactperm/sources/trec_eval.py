"""Per-query results of trec_eval, ``trec_eval -q``: ``measure<TAB>query<TAB>value``, four decimals.

Items are queries. The lines of all queries together are skipped. trec_eval says nothing of queries that a run lacks,
with or without -c; if the runs answered different queries that is an error here. ``--missing omit`` leaves those out;
the runs themselves, compared with the qrels, count them as 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from exactperm.sources.base import Format, Head, Record, Source, Wanted, group_among
from exactperm.sources.queries import ALL, Value, by_query, is_trec_measure, number

__all__ = ["FORMAT"]

#: to which trec_eval pads the name of a measure
WIDTH = 22
#: measures that are texts
TEXTS = ("runid", "relstring")


def recognise(head: Head) -> str | None:
    """Say why this is not what trec_eval prints."""
    rows = [line.split("\t") for line in head.lines if line.strip()]
    if not rows or any(len(row) != 3 for row in rows):
        return "lines are not three columns between tabs"
    if any(len(row[0]) < WIDTH for row in rows):
        return f"the first column is not padded to {WIDTH} characters"
    unknown = next((row[0] for row in rows if not is_trec_measure(row[0].rstrip())), None)
    return None if unknown is None else f"{unknown.strip()!r:.40} is no measure of trec_eval"


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the queries."""
    group_among(source, wanted)
    yield from by_query(source, _values(source))


def _values(source: Source) -> Iterator[Value]:
    line, several = 0, False
    for line, text in source.lines():
        row = text.split("\t")
        if not text.strip():
            continue
        if len(row) != 3:
            raise source.error(f"a line holds a measure, a query and a value between tabs, not {text!r:.60}", line)
        measure, query, value = row[0].rstrip(), row[1], row[2]
        if query != ALL and measure not in TEXTS:
            several = True
            yield Value(line, query, measure, number(source, line, value))
    if not several:
        raise source.error("there are only results of all queries together; run trec_eval with -q")


FORMAT = Format(
    name="trec-eval",
    title="results per query of trec_eval (-q)",
    recognise=recognise,
    read=read,
    details="Items are queries, and all systems must have the same; give runs and qrels to have queries without "
    "results counted as 0. Values have four decimals.",
)
