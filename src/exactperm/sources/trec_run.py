"""TREC runs with qrels: ``query Q0 document rank score tag`` and, as the gold standard, ``query 0 document relevance``.

Items are the queries of the qrels. One that a run lacks counts 0 by every measure, and one that the qrels lack is left
out. Documents are ranked by score, as trec_eval does, and not by the column of ranks. The measures are computed by
trec_eval itself (pytrec_eval) and named as in ir_measures (nDCG@10, AP, RR, P@10, R@100) or as in trec_eval
(ndcg_cut_10, map, ...). P@10 of a query is the double nearest to hits/10, which comparisons take for the integer that
it is: nothing is rounded before the sum, so ties are ties.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any

from exactperm.sources.base import Format, Head, Record, Source, Wanted, group_among
from exactperm.sources.queries import number

__all__ = ["FORMAT"]

Qrels = dict[str, dict[str, int]]
COLUMNS = 6
INTEGER = re.compile(r"\d{1,9}")
#: trec_eval makes a table of as many rows as the largest relevance
RELEVANCE = re.compile(r"[-+]?\d{1,3}")
#: what is computed unless measures are named
DEFAULT = ("nDCG@10", "AP", "RR", "P@10", "R@100")
#: names of ir_measures as in trec_eval, without and with a cutoff
WHOLE = {"nDCG": "ndcg", "AP": "map", "RR": "recip_rank", "Rprec": "Rprec", "Bpref": "bpref"}
CUT = {"nDCG": "ndcg_cut", "AP": "map_cut", "P": "P", "R": "recall", "Success": "success"}
MEASURE = re.compile(r"(\w+)(?:@([1-9]\d{0,5}))?")


def recognise(head: Head) -> str | None:
    """Say why this is not a run."""
    rows = [line.split() for line in head.lines if line.strip()]
    if not rows or any(len(row) != COLUMNS for row in rows):
        return "lines are not six columns"
    if all(row[1] == "#csid" for row in rows):
        return "the second column is that of word errors in Kaldi"
    return None if all(INTEGER.fullmatch(row[3]) for row in rows) else "the fourth column is not a rank"


def gold(source: Source, wanted: Wanted) -> Qrels:
    """Read the qrels; a negative relevance means not judged, as in trec_eval."""
    group_among(source, wanted)
    qrels: Qrels = {}
    for line, text in source.lines():
        row = text.split()
        if not row:
            continue
        if len(row) != 4 or not RELEVANCE.fullmatch(row[3]):
            raise source.error(f"a line of qrels is 'query 0 document relevance', not {text!r:.60}", line)
        query, document, relevance = row[0], row[2], int(row[3])
        judged = qrels.setdefault(query, {})
        if document in judged:
            raise source.error(f"document {document:.60} of query {query:.60} is judged twice; keep one line", line)
        judged[document] = relevance
    if not qrels:
        raise source.error("there is no judgement in these qrels; is the file complete?")
    return {query: {d: relevance for d, relevance in j.items() if relevance >= 0} for query, j in qrels.items()}


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the queries of the qrels."""
    names = {measure: _trec_name(source, measure) for measure in wanted.metrics or DEFAULT}
    qrels: Qrels = wanted.gold
    run = {query: scores for query, scores in _run(source).items() if query in qrels}
    if not run:
        raise source.error("no query of this run is in the qrels; are they about the same topics?")
    found = _pytrec_eval().RelevanceEvaluator(qrels, set(names.values())).evaluate(run)
    for query in qrels:
        values = found.get(query)
        yield Record(query, {name: _value(values, name, trec) for name, trec in names.items()})


def _value(values: dict[str, float] | None, name: str, trec: str) -> float:
    if values is None:
        return 0.0
    value = values[trec.replace(".", "_")]
    cutoff = MEASURE.fullmatch(name)
    if trec == "recip_rank" and cutoff and cutoff[2] and value * int(cutoff[2]) < 1 - 1e-9:
        return 0.0  # the first relevant document comes after the cutoff
    return float(value)


def _trec_name(source: Source, measure: str) -> str:
    """The measure as pytrec_eval is asked for it, a cutoff after a point."""
    parts = MEASURE.fullmatch(measure)
    if parts and parts[1] == "RR":
        return "recip_rank"
    if parts and parts[2] is None and parts[1] in WHOLE:
        return WHOLE[parts[1]]
    if parts and parts[2] is not None and parts[1] in CUT:
        return f"{CUT[parts[1]]}.{parts[2]}"
    name, _, cutoff = measure.rpartition("_")
    if measure in WHOLE.values():
        return measure
    if name in CUT.values() and MEASURE.fullmatch(f"P@{cutoff}"):
        return f"{name}.{cutoff}"
    known = ", ".join([*WHOLE, *(f"{name}@k" for name in [*CUT, "RR"])])
    raise source.error(f"the measure {measure!r:.40} of a run is not known; there are {known}")


def _run(source: Source) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    for line, text in source.lines():
        row = text.split()
        if not row:
            continue
        if len(row) != COLUMNS:
            raise source.error(f"a line of a run is 'query Q0 document rank score tag', not {text!r:.60}", line)
        scores = run.setdefault(row[0], {})
        if row[2] in scores:
            raise source.error(f"document {row[2]:.60} of query {row[0]:.60} is there twice; keep one line", line)
        scores[row[2]] = number(source, line, row[4])
    return run


def _pytrec_eval() -> Any:
    try:
        return importlib.import_module("pytrec_eval")
    except ImportError as error:
        raise ImportError("measures of TREC runs need pytrec_eval: pip install 'exactperm[ir]'") from error


FORMAT = Format(
    name="trec-run",
    title="TREC runs, with qrels",
    recognise=recognise,
    read=read,
    gold=gold,
    needs_gold=True,
    details="Items are the queries of the qrels; a query that a run lacks counts 0. Measures are computed by trec_eval "
    "(pip install 'exactperm[ir]') and named as in ir_measures; --metric names others than nDCG@10, AP, RR, P@10 and "
    "R@100.",
)
