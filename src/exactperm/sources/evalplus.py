"""Results of EvalPlus, ``*_eval_results.json``: for each task its samples, each with how the tests ended.

The samples of a task are one group; with as many for each task, the means of ``plus`` and ``base`` are the pass@1 that
the tool prints: ``base`` by the tests of the original data set, ``plus`` by those and the additional ones. The hash of
the data set must agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from exactperm.sources.base import Format, Head, Record, Source, Wanted, group_among, name_before

__all__ = ["FORMAT"]

PASS = "pass"
#: how the tests of a sample can end; the additional tests may not have been run
STATUSES = (PASS, "fail", "timeout")


def recognise(head: Head) -> str | None:
    """Say why these are not results of EvalPlus."""
    if not head.is_json:
        return "not JSON"
    inside = any(path[0] == "eval" and path[2:] == (0, "base_status") for path in head.paths)
    return None if inside else "no base_status of a sample of a task under eval"


def system(source: Source) -> str | None:
    """The file of samples, or its folder if it has the name that the documentation of the tool gives it."""
    return name_before(source, "_eval_results.json", {"samples"}) or name_before(source, "eval_results.json", {""})


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the samples."""
    group_among(source, wanted)
    results = source.json()
    tasks = results.get("eval") if isinstance(results, dict) else None
    if not isinstance(tasks, dict):
        raise source.error("there are no results by task under eval; is the file complete?")
    for task, samples in tasks.items():
        if not isinstance(samples, list) or not all(isinstance(sample, dict) for sample in samples):
            raise source.error(f"the samples of {task!r:.60} are no list of objects; let EvalPlus evaluate them again")
        for number, sample in enumerate(samples, 1):
            yield Record(task, _values(source, sample), sample=number, check=results.get("hash"))


def _values(source: Source, sample: Mapping[str, Any]) -> dict[str, int]:
    """Whether it passed; only by the tests of the original data set where those are all that were run."""
    base, plus = (sample.get(key) for key in ("base_status", "plus_status"))
    for status in (base, plus or PASS):
        if status not in STATUSES:
            raise source.error(
                f"a sample of {sample.get('task_id')!r:.60} ended as {status!r:.40}, not as one of "
                f"{', '.join(STATUSES)}; is the file complete?"
            )
    passed = int(base == PASS)
    return {"base": passed} if plus is None else {"plus": int(base == plus == PASS), "base": passed}


FORMAT = Format(
    name="evalplus",
    title="results of EvalPlus (*_eval_results.json)",
    recognise=recognise,
    read=read,
    system=system,
    details="Items are tasks (the hash of the data set is checked), and the samples of one are a group; measures are "
    "plus (all tests) and base (those of the original data set).",
)
