"""Samples of lm-evaluation-harness, ``--log_samples``: one JSON object per document and filter.

Items are named by ``doc_id``; ``doc_hash`` must agree. Where a file holds several filters, ``--filter`` chooses. Files
from before November 2024 say neither their filter nor their metrics: those are then the numeric values at the top, and
a document that comes again is the next filter, so that filters are called 1, 2 and so on. The system is the folder of
the file, which is the model's name.

``f1`` and ``mcc`` are stored as a pair of gold and predicted label, texts as reference and hypothesis. Perplexities are
stored as log-likelihoods with weights that are the same for all systems; what is compared is the log-likelihood, of
which more is better.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

from exactperm.sources.base import Format, Head, Predicted, Record, Source, Wanted, field_of, is_label, is_number

__all__ = ["FORMAT"]

#: what older files have at the top besides metrics
NOT_METRICS = frozenset({"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"})
#: stored as a pair of the gold label and the predicted one
LABELS = ("f1", "mcc")
#: stored as a pair of the reference and the hypothesis
TEXTS = ("bleu", "chrf", "ter")
#: stored as a log-likelihood and a number of words or bytes that is the same for all systems
WEIGHTED = ("word_perplexity", "byte_perplexity", "bits_per_byte")
#: the task in samples_<task>_<date>.jsonl
TASK = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT.*\.jsonl(?:\.gz)?")


def recognise(head: Head) -> str | None:
    """Say why this is not a file of samples."""
    if not head.is_json:
        return "not JSON"
    # what comes after a long document may be past the head, so then its key has to do
    last = "doc" if len(head.lines) == 1 else "resps"
    lacking = [key for key in ("doc_id", last) if key not in head.keys]
    return f"no {' and no '.join(lacking)}" if lacking else None


def system(source: Source) -> str | None:
    """The model, after which the tool names the folder."""
    return Path(source.path).absolute().parent.name if _task(source) else None


def _task(source: Source) -> str | None:
    found = TASK.fullmatch(Path(source.path).name)
    return found and found[1]


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the documents, answered by the filter that is wanted."""
    prefix = f"{_task(source) or source.name}:" if wanted.several else ""
    filters: dict[str, None] = {}
    times: Counter[Hashable] = Counter()
    for line, sample in source.json_lines():
        id = field_of(source, line, sample, "doc_id")
        name = sample.get("filter")
        if name is None:
            times[id] += 1
            name = str(times[id])
        filters[str(name)] = None
        if name == (wanted.filter or next(iter(filters))):
            yield _record(source, line, sample, f"{prefix}{id}" if prefix else id, wanted)
        elif wanted.filter is None:
            raise source.error(f"there are several filters, {' and '.join(filters)}; choose one with --filter", line)
    if filters and wanted.filter is not None and wanted.filter not in filters:
        raise source.error(f"there is no filter {wanted.filter!r}; there is {', '.join(filters)}")


def _record(source: Source, line: int, sample: dict[str, Any], id: Hashable, wanted: Wanted) -> Record:
    names = sample.get("metrics")
    if names is None:
        names = [name for name, value in sample.items() if name not in NOT_METRICS and is_number(value)]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise source.error(f"metrics must be a list of names, not {names!r:.60}; is the file complete?", line)
    return Record(
        id=id,
        values=dict(_values(sample, names)),
        line=line,
        group=field_of(source, line, sample, wanted.group) if wanted.group else None,
        check=sample.get("doc_hash"),
    )


def _values(sample: dict[str, Any], names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Numbers, and predictions where the tool stores what a metric of the corpus needs; other things are left out."""
    for name in names:
        value = sample.get(name)
        if value is None or is_number(value):
            yield name, value
        elif isinstance(value, list) and len(value) == 2:
            gold, predicted = value
            if (name in LABELS and is_label(gold) and is_label(predicted)) or (name in TEXTS and _are_texts(*value)):
                yield name, Predicted(predicted, gold)
            elif name in WEIGHTED and is_number(gold):
                yield "loglikelihood", gold


def _are_texts(reference: Any, hypothesis: Any) -> bool:
    references = reference if isinstance(reference, list) else [reference]
    return isinstance(hypothesis, str) and all(isinstance(text, str) for text in references)


FORMAT = Format(
    name="lm-eval",
    title="samples of lm-evaluation-harness (--log_samples)",
    recognise=recognise,
    read=read,
    system=system,
    metrics={"f1": ("f1",), "mcc": ("mcc",), "bleu": ("bleu", "chrf", "ter"), "chrf": ("chrf",), "ter": ("ter",)},
    lower_is_better=frozenset({"brier_score"}),
    details="Items are documents (doc_id, with doc_hash checked); the system is the folder, named after the model.",
)
