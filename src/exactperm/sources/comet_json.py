"""COMET, ``comet-score --to_json``: an object with a list of scored segments for each system.

Items are segments, by position; their source and reference must agree. All numbers of a segment are measures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exactperm.sources.base import Format, Head, Record, Source, Wanted, field_of, is_number

__all__ = ["FORMAT"]


def recognise(head: Head) -> str | None:
    """Say why this is not what comet-score writes."""
    if not head.is_json:
        return "not JSON"
    inside = {path[2] for path in head.paths if len(path) == 3 and path[1] == 0}
    lacking = [key for key in ("src", "mt") if key not in inside]
    return f"no {' and no '.join(lacking)} in a list for each system" if lacking else None


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the segments of each system."""
    systems = source.json()
    if not isinstance(systems, dict) or not all(isinstance(segments, list) for segments in systems.values()):
        raise source.error("this must be a JSON object with a list of segments for each system")
    for system, segments in systems.items():
        for position, segment in enumerate(segments, 1):
            yield _record(source, wanted, system, position, segment)


def _record(source: Source, wanted: Wanted, system: str, position: int, segment: Any) -> Record:
    if not isinstance(segment, dict) or not isinstance(segment.get("mt"), str):
        raise source.error(f"segment {position} of {system:.60} has no text mt; is the file complete?")
    return Record(
        id=position,
        values={name: value for name, value in segment.items() if is_number(value)},
        system=system,
        group=field_of(source, None, segment, wanted.group) if wanted.group else None,
        check=f"{segment.get('src')} ||| {segment.get('ref')}",
    )


FORMAT = Format(
    name="comet-json",
    title="segments scored by COMET (comet-score --to_json)",
    recognise=recognise,
    read=read,
    details="All systems are in one file. Items are segments by position; source and reference have to agree.",
)
