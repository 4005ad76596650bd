"""Per-query results of pytrec_eval as JSON: ``{"q1": {"map": 0.5, "ndcg_cut_10": 0.63}}``.

Items are queries. pytrec_eval says nothing of queries that a run lacks; if the runs answered different queries that is
an error here.
"""

from __future__ import annotations

from collections.abc import Iterator

from exactperm.sources.base import Format, Head, Record, Source, Wanted, group_among
from exactperm.sources.queries import is_trec_measure, number

__all__ = ["FORMAT"]


def recognise(head: Head) -> str | None:
    """Say why this is not what pytrec_eval returns."""
    if not head.is_json:
        return "not JSON"
    inside = [path for path in head.paths if len(path) > 1]
    if not inside:
        return "no object for each query"
    unknown = [path[1:] for path in inside if len(path) > 2 or not is_trec_measure(str(path[1]))]
    return f"{unknown[0][0]!r:.40} is no measure of trec_eval" if unknown else None


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the queries."""
    group_among(source, wanted)
    queries = source.json()
    if not isinstance(queries, dict):
        raise source.error("this must be a JSON object with the measures of each query")
    for query, measures in queries.items():
        if not isinstance(measures, dict):
            raise source.error(f"query {query!r:.60} has no object of measures; is the file complete?")
        yield Record(query, {name: number(source, None, value) for name, value in measures.items()})


FORMAT = Format(
    name="pytrec-eval",
    title="results per query of pytrec_eval, as JSON",
    recognise=recognise,
    read=read,
    details="Items are queries, and all systems must have the same; give runs and qrels to have queries without "
    "results counted as 0.",
)
