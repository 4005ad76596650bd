"""Details of lighteval, ``details_<task>_<date>.parquet``: a row for each document and kind of answer.

Items are named by ``doc.id``, and the query must agree. What likelihoods and generated texts say of a document stands
in two rows and is brought together. Versions before 0.11 wrote no id, so that the rows with the same metrics are
numbered there, and before 0.8 the metrics as the text of a Python dictionary. The other columns, of answers and logits,
are not read.

Texts are stored as golds and predictions, as are the choices of ``mcc``. Perplexities are stored as log-likelihoods
with weights that are the same for all systems; what is compared is the log-likelihood, of which more is better. BLEU
takes the first of several references, as in lighteval. Of chrF and TER lighteval (0.13.0) reports the score of the
first document alone, as it hands sacrebleu the references the wrong way round; here they are those of all documents.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from exactperm.sources.base import Format, Head, Predicted, Record, Source, SourceError, Wanted, is_label, is_number
from exactperm.sources.parquet import MAGIC, ParquetFile, mentions

__all__ = ["FORMAT"]

#: the columns by which either layout is recognised
LAYOUTS = (("doc", "metric", "model_response"), ("example", "full_prompt", "metrics", "predictions"))
NO_LAYOUT = "neither the columns " + " nor ".join(", ".join(layout) for layout in LAYOUTS)
DATE = r"\d{4}-\d\d-\d\dT[\d.-]+"
NAME = re.compile(rf"details_(.+)_{DATE}\.parquet")
#: stored as references and hypotheses
TEXTS = ("bleu", "chrf", "chrf++", "ter")
#: what is no literal of Python; an ellipsis stands for it
NAN = re.compile(r"\bnan\b")


class Document(NamedTuple):
    """What is asked, the group, and what rows say of the answers."""

    query: str
    group: Hashable
    values: dict[str, Any]


def recognise(head: Head) -> str | None:
    """Say why these are not details, by the names of the columns, which a file of Parquet has at its end."""
    if not head.start.startswith(MAGIC):
        return "not Parquet"
    if not any(mentions(head.source, layout) for layout in LAYOUTS):
        return NO_LAYOUT
    try:
        columns = ParquetFile(head.source).schema()
    except SourceError:
        return "its columns cannot be read"
    if any(columns.keys() >= set(layout) for layout in LAYOUTS):
        return None
    return NO_LAYOUT


def system(source: Source) -> str | None:
    """The model, after which the tool names a folder, in which there is one of the date."""
    folder = Path(source.path).absolute().parent
    if not _task(source):
        return None
    return folder.parent.name if re.fullmatch(DATE, folder.name) else folder.name


def _task(source: Source) -> str | None:
    found = NAME.fullmatch(Path(source.path).name.removesuffix(".gz"))
    return found and found[1]


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the documents, each with all its metrics."""
    prefix = f"{_task(source) or source.name}:" if wanted.several else ""
    for id, document in _documents(source, wanted.group).items():
        yield Record(f"{prefix}{id}" if prefix else id, document.values, group=document.group, check=document.query)


def _documents(source: Source, group: str | None) -> dict[Hashable, Document]:
    """The documents by id, in the order of the file."""
    file = ParquetFile(source)
    has_ids = "metric" in file.schema()
    metrics = file.field("metric" if has_ids else "metrics")
    queries = file.field("doc.query" if has_ids else "example")
    ids = file.field("doc.id") if has_ids else [""] * len(metrics)
    groups = file.field(group) if group else [None] * len(metrics)
    documents: dict[Hashable, Document] = {}
    times: Counter[frozenset[str]] = Counter()
    for row, (id, said, query, its_group) in enumerate(zip(ids, metrics, queries, groups, strict=True), 1):
        for label in (id, query, "" if group is None else its_group):
            if not is_label(label):
                raise source.error(f"an id, query or group must be a text or a number, not {label!r:.60} in row {row}")
        values = dict(_values(_dictionary(source, row, said)))
        times[frozenset(values)] += 1
        name = id or times[frozenset(values)]
        document = documents.setdefault(name, Document(query, its_group, {}))
        twice = sorted(document.values.keys() & values.keys())
        if twice or document.query != query:
            what = f"has {twice[0]:.60} twice" if twice else "has another query"
            raise source.error(f"document {name!r:.60} {what}, again in row {row}; evaluate each document once")
        document.values.update(values)
    return documents


def _dictionary(source: Source, row: int, said: Any) -> Mapping[str, Any]:
    """The metrics of a row."""
    if isinstance(said, str):
        try:
            said = ast.literal_eval(NAN.sub("...", said))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            said = None
    if not isinstance(said, dict) or not all(isinstance(name, str) for name in said):
        raise source.error(f"the metrics of row {row} are no dictionary of names; is this a file of details?")
    return {name: math.nan if value is ... else value for name, value in said.items()}


def _values(metrics: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Numbers, and predictions where the tool stores what a metric of the corpus needs; other things are left out."""
    for name, value in metrics.items():
        if is_number(value):
            yield name, value
        elif isinstance(value, dict):
            golds, predictions = (
                each if isinstance(each, list) else [each] for each in (value.get("golds"), value.get("preds"))
            )
            if name in TEXTS and predictions and all(isinstance(text, str) for text in [*golds, predictions[0]]):
                yield name, Predicted(predictions[0], golds[0] if name == "bleu" or len(golds) == 1 else golds)
            elif name == "mcc" and len(golds) == len(predictions) == 1 and all(map(is_label, [*golds, *predictions])):
                yield name, Predicted(predictions[0], golds[0])
            elif is_number(value.get("logprobs")):
                yield "loglikelihood", value["logprobs"]


FORMAT = Format(
    name="lighteval",
    title="details of lighteval (details_*.parquet)",
    recognise=recognise,
    read=read,
    system=system,
    metrics={"mcc": ("mcc",), "bleu": TEXTS, "chrf": ("chrf",), "chrf++": ("chrf++",), "ter": ("ter",)},
    lower_is_better=frozenset({"brier_score", "edit_distance"}),
    details="Items are documents (the queries are checked), by position in files of versions before 0.11, which have "
    "no ids; `--group doc.specific.subject` takes a field. The system is the folder, named after the model. Needs "
    "pyarrow, polars or DuckDB.",
)
