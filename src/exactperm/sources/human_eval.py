"""Results of HumanEval, ``samples.jsonl_results.jsonl``: one JSON object per sample, with whether it passed.

The samples of a task are one group; with as many for each task, the mean of ``passed`` is pass@1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from exactperm.sources.base import Format, Head, Record, Source, Wanted, field_of, name_before

__all__ = ["FORMAT"]


def recognise(head: Head) -> str | None:
    """Say why these are not results of HumanEval."""
    if not head.is_json:
        return "not JSON"
    lacking = [key for key in ("task_id", "passed", "result") if key not in head.keys]
    return f"no {' and no '.join(lacking)}" if lacking else None


def system(source: Source) -> str | None:
    """The file of samples, or its folder if it has the name that the documentation of the tool gives it."""
    return name_before(source, ".jsonl_results.jsonl", {"samples"})


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the samples."""
    times: Counter[Hashable] = Counter()
    for line, sample in source.json_lines():
        task = field_of(source, line, sample, "task_id")
        times[task] += 1
        passed = sample.get("passed")
        if not isinstance(passed, bool):
            raise source.error(f"passed must be true or false, not {passed!r:.60}; is the file complete?", line)
        group = field_of(source, line, sample, wanted.group) if wanted.group else None
        yield Record(id=task, values={"passed": int(passed)}, line=line, sample=times[task], group=group)


FORMAT = Format(
    name="human-eval",
    title="results of HumanEval (*_results.jsonl)",
    recognise=recognise,
    read=read,
    system=system,
    details="Items are tasks, and the samples of one are a group; the measure is passed.",
)
