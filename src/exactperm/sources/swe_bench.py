"""Reports of the SWE-bench harness, ``<model>.<run_id>.json``: which instances a model resolved.

Every instance of the data set counts: those that were not submitted, that failed or whose patch was empty are not
resolved. The lists have to add up to the number of instances that the report gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exactperm.sources.base import Format, Head, Record, Source, Wanted, group_among

__all__ = ["FORMAT"]

#: the lists of which every instance is in one
STATES = ("completed_ids", "incomplete_ids", "empty_patch_ids", "error_ids")


def recognise(head: Head) -> str | None:
    """Say why this is not a report."""
    if not head.is_json:
        return "not JSON"
    lacking = [key for key in ("total_instances", "resolved_instances") if key not in head.keys]
    return f"no {' and no '.join(lacking)}" if lacking else None


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the instances, 1 if resolved."""
    by_repository = group_among(source, wanted, "repository") is not None
    report = source.json()
    if not isinstance(report, dict):
        raise source.error("a report is one JSON object; is the file complete?")
    resolved = set(_ids(source, report, "resolved_ids"))
    instances = dict.fromkeys(id for state in STATES for id in _ids(source, report, state))
    total = report.get("total_instances")
    if total != len(instances) or not resolved <= instances.keys():
        raise source.error(
            f"{', '.join(STATES)} name {len(instances)} instances, and total_instances is {total!r:.40}; let the "
            "harness make the report again"
        )
    for id in instances:
        group = id.rpartition("-")[0] if by_repository else None
        yield Record(id=id, values={"resolved": int(id in resolved)}, group=group)


def _ids(source: Source, report: dict[str, Any], key: str) -> list[str]:
    ids = report.get(key)
    if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        raise source.error(f"{key} must be a list of ids; make the report again with a newer version of the harness")
    return ids


FORMAT = Format(
    name="swe-bench",
    title="reports of the SWE-bench harness",
    recognise=recognise,
    read=read,
    details="Items are instances, 1 if resolved, 0 if not, not run or in error; `--group repository` groups them.",
)
