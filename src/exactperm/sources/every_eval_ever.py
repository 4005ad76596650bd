"""Samples of Every Eval Ever, ``*_samples.jsonl``, into which its converters bring the logs of several tools.

A line is about one sample and one result: a file may hold several metrics, or filters, of which ``--filter`` chooses
one by its ``evaluation_result_id``. Items are named by ``sample_id``; a sample that comes again was answered again. The
hash of the sample, or else its input, must agree. Samples with an error have no value.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Any

from exactperm.sources.base import Format, Head, Record, Source, Wanted, field_of, is_number

__all__ = ["FORMAT"]

MEASURES = ("score", "is_correct")


def recognise(head: Head) -> str | None:
    """Say why these are not samples of Every Eval Ever."""
    if not head.is_json:
        return "not JSON"
    lacking = [key for key in ("schema_version", "evaluation_id", "model_id", "sample_id") if key not in head.keys]
    return f"no {' and no '.join(lacking)}" if lacking else None


def system(source: Source) -> str | None:
    """The model of the first sample."""
    return next((str(sample["model_id"]) for _, sample in source.json_lines() if "model_id" in sample), None)


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the samples of the one model, with the result that is wanted."""
    model = system(source)
    results: dict[str, None] = {}
    times: Counter[Hashable] = Counter()
    for line, sample in source.json_lines():
        if str(other := sample.get("model_id")) != model:
            raise source.error(f"the model is {other!r:.60} and not {model!r:.60}; give each its own file", line)
        result = str(sample.get("evaluation_result_id") or sample.get("evaluation_name"))
        results[result] = None
        if result == (wanted.filter or next(iter(results))):
            id = field_of(source, line, sample, "sample_id")
            times[id] += 1
            group = field_of(source, line, sample, wanted.group) if wanted.group else None
            name = f"{sample.get('evaluation_name')}:{id}" if wanted.several else id
            yield Record(
                name, _values(source, line, sample), line, sample=times[id], group=group, check=_question(sample)
            )
        elif wanted.filter is None:
            raise source.error(f"there are several results, {' and '.join(results)}; choose one with --filter", line)
    if results and wanted.filter is not None and wanted.filter not in results:
        raise source.error(f"there is no result {wanted.filter!r}; there is {', '.join(results)}")


def _values(source: Source, line: int, sample: dict[str, Any]) -> dict[str, Any]:
    evaluation = sample.get("evaluation")
    if not isinstance(evaluation, dict):
        raise source.error("a sample has no evaluation; is the file complete?", line)
    if sample.get("error"):
        return {}
    return {name: value for name in MEASURES if is_number(value := evaluation.get(name))}


def _question(sample: dict[str, Any]) -> str:
    return str(sample.get("sample_hash") or json.dumps(sample.get("input"), sort_keys=True))


FORMAT = Format(
    name="every-eval-ever",
    title="samples of Every Eval Ever (*_samples.jsonl)",
    recognise=recognise,
    read=read,
    system=system,
    details="Items are samples (their hashes are checked); measures are score and is_correct; `--filter` takes the id "
    "of a result; the system is the model.",
)
