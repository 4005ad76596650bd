"""What readers of per-query results share: values of measures, brought together by query."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from exactperm.sources.base import Record, Source

__all__ = ["ALL", "Value", "by_query", "is_trec_measure", "number"]

#: where a file gives the aggregate of all queries
ALL = "all"
#: the measures of trec_eval; cutoffs follow after an underscore
TREC = re.compile(
    r"(map|gm_map|Rprec|bpref|gm_bpref|recip_rank|ndcg|ndcg_rel|Rndcg|infap|11pt_avg|binG|G|utility|yaap|rbp|rbp_resid"
    r"|P|recall|ndcg_cut|map_cut|success|relative_P|Rprec_mult|iprec_at_recall|unjudged|runid|relstring"
    r"|set_(P|recall|relative_P|map|F)|num_\w+|prefs_\w+|\w+_avgjg)(_-?[\d.,]+)*"
)


class Value(NamedTuple):
    """The value of a measure for one query."""

    line: int
    query: str
    measure: str
    value: float


def is_trec_measure(name: str) -> bool:
    """Whether trec_eval has a measure of this name."""
    return TREC.fullmatch(name) is not None


def number(source: Source, line: int | None, written: object) -> float:
    """A finite number, as text or as JSON has it."""
    try:
        value = float(written) if isinstance(written, str | int | float) else math.nan
    except (ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise source.error(f"a finite number is needed here, not {written!r:.40}", line)
    return value


def by_query(source: Source, values: Iterable[Value]) -> Iterator[Record]:
    """One record for each query, in the order of the file; tools may write them measure by measure."""
    found: dict[str, dict[str, float]] = {}
    lines: dict[str, int] = {}
    for line, query, measure, value in values:
        measures = found.setdefault(query, {})
        if measure in measures:
            raise source.error(f"{measure:.60} of query {query!r:.60} is there twice; keep one of them", line)
        measures[measure] = value
        lines.setdefault(query, line)
    for query, measures in found.items():
        yield Record(query, measures, line=lines[query])
