"""Segment scores of the WMT metrics task, ``<metric>.seg.score``: ``system<TAB>score``, ``None`` if there is none.

The lines of a system are its segments in order, so items are named by position. The measure is called after the file.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from exactperm.sources.base import Format, Head, Record, Source, Wanted, group_among

__all__ = ["FORMAT"]

LINE = re.compile(r"([^\s,;]+)[ \t]+(None|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan)")
NUMBER = re.compile(r"[-+.\d]+")
NAME = re.compile(r"(.+)\.seg\.score")


def recognise(head: Head) -> str | None:
    """Say why these are not scores of segments."""
    systems = [found[1] for found in map(LINE.fullmatch, head.lines) if found]
    if not systems or len(systems) < len(head.lines):
        return "lines are not a system and a score"
    if any(map(NUMBER.fullmatch, systems)):
        return "the first column holds numbers, not systems"
    return None if len(set(systems)) < len(systems) else "no system has two lines"


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the segments of each system."""
    group_among(source, wanted)
    named = NAME.fullmatch(Path(source.path).name.removesuffix(".gz"))
    measure = named[1] if named else "score"
    segments: Counter[str] = Counter()
    for line, text in source.lines():
        found = LINE.fullmatch(text)
        if not found:
            raise source.error(f"a line holds a system and a score, not {text!r:.60}", line)
        system, score = found.groups()
        segments[system] += 1
        value = None if score == "None" else float(score)
        if value is not None and math.isinf(value):
            raise source.error(f"the score {score:.40} is too large for a floating-point number", line)
        yield Record(segments[system], {measure: value}, line=line, system=system)


FORMAT = Format(
    name="wmt-seg",
    title="segment scores of the WMT metrics task (<metric>.seg.score)",
    recognise=recognise,
    read=read,
    details="All systems are in one file. Items are segments in the order of the file; None is a missing score.",
)
