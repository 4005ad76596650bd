"""Per-query results of ir_measures: ``query<TAB>measure<TAB>value`` (``-q``), or the same as JSON lines (``-o jsonl``).

Items are queries; those that a run lacks are there with 0. The lines of all queries together are skipped, after a look
whether they are the mean or the sum of what is there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from exactperm.sources.base import Format, Head, Record, Source, Wanted, group_among
from exactperm.sources.queries import ALL, Value, by_query, number

__all__ = ["FORMAT"]

MEASURE = re.compile(
    r"(AP|AP_IA|Accuracy|alpha_n?DCG|α_n?DCG|BPM|Bpref|Compat|ERR|ERR_IA|infAP|INSQ|INST|IPrec|Judged|nDCG|n?ERR_IA"
    r"|NERR(8|9|10|11)|nNRBP|NRBP|NumQ|NumRel|NumRelRet|NumRet|P|P_IA|R|RBP|Rprec|RR|SDCG|SetAP|SetF|SetP|SetR|SetRelP"
    r"|StRecall|Success)(\([^\t]*\))?(@[\d.]+)?"
)
KEYS = ("query_id", "measure", "value")
#: four decimals in a mean and in what it is the mean of
ROUNDED = 1.01e-4


def recognise(head: Head) -> str | None:
    """Say why this is not what ir_measures writes."""
    if head.is_json:
        lacking = [key for key in KEYS if key not in head.keys]
        return f"no {' and no '.join(lacking)}" if lacking else None
    rows = [line.split("\t") for line in head.lines if line.strip()]
    if not rows or any(len(row) != 3 for row in rows):
        return "lines are not three columns between tabs"
    unknown = next((row[1] for row in rows if not MEASURE.fullmatch(row[1])), None)
    return None if unknown is None else f"{unknown!r:.40} is no measure of ir_measures"


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the queries."""
    group_among(source, wanted)
    everything: dict[str, float] = {}
    queries: dict[str, list[float]] = {}
    yield from by_query(source, _single(_values(source), everything, queries))
    for measure, said in everything.items():
        found = queries.get(measure, [])
        total = math.fsum(found)
        rounded = ROUNDED * max(1, len(found))
        if found and abs(said - total / len(found)) > ROUNDED and abs(said - total) > rounded:
            raise source.error(
                f"the line for all queries has {measure} {said:g}, and those for single queries have the mean "
                f"{total / len(found):.4f}; is the file complete?"
            )


def _single(values: Iterable[Value], everything: dict[str, float], queries: dict[str, list[float]]) -> Iterator[Value]:
    """The values of single queries; all are noted by measure."""
    for value in values:
        if value.query == ALL:
            everything[value.measure] = value.value
        else:
            queries.setdefault(value.measure, []).append(value.value)
            yield value


def _values(source: Source) -> Iterator[Value]:
    for line, query, measure, value in _rows(source):
        if not isinstance(query, str) or not isinstance(measure, str):
            raise source.error("a query and a measure are texts; is the file complete?", line)
        yield Value(line, query, measure, number(source, line, value))


def _rows(source: Source) -> Iterator[tuple[int, object, object, object]]:
    if Head(source).is_json:
        for line, result in source.json_lines():
            if any(key not in result for key in KEYS):
                raise source.error(f"a result needs {', '.join(KEYS)}; is the file complete?", line)
            yield line, result["query_id"], result["measure"], result["value"]
        return
    for line, text in source.lines():
        if text.strip():
            row = text.split("\t")
            if len(row) != 3:
                raise source.error(f"a line holds a query, a measure and a value between tabs, not {text!r:.60}", line)
            yield line, row[0], row[1], row[2]


FORMAT = Format(
    name="ir-measures",
    title="results per query of ir_measures (-q, or -o jsonl)",
    recognise=recognise,
    read=read,
    details="Items are queries. The lines of all queries together are checked and skipped. Tab-separated values have "
    "four decimals, JSON lines all digits.",
)
