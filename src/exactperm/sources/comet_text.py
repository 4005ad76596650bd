"""COMET, what ``comet-score`` prints: a line for each system and segment, and one for the mean of each system.

``sysA.txt<TAB>Segment 0<TAB>score: 0.8312`` and ``sysA.txt<TAB>score: 0.8201``. Items are segments, by their number.
The means must be those of the segments, so that a lost line does not go unnoticed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from exactperm.sources.base import Format, Head, Record, Source, Wanted, group_among

__all__ = ["FORMAT"]

NUMBER = r"(-?\d+\.\d{4}|-?nan)"
SEGMENT = re.compile(rf"(.+)\tSegment (\d{{1,18}})\tscore: {NUMBER}")
SYSTEM = re.compile(rf"(.+)\tscore: {NUMBER}")
SAVED = "Predictions saved in: "
#: a mean of numbers rounded to four decimals, rounded again
ROUNDED = 1.01e-4


def recognise(head: Head) -> str | None:
    """Say why this is not what comet-score prints."""
    return None if any(map(SEGMENT.fullmatch, head.lines)) else "no lines such as 'system, Segment 0, score: 0.8312'"


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the segments."""
    group_among(source, wanted)
    scores: dict[str, list[float]] = {}
    means: dict[str, float] = {}
    for line, text in source.lines():
        if segment := SEGMENT.fullmatch(text):
            system, number, score = segment[1], int(segment[2]), float(segment[3])
            scores.setdefault(system, []).append(score)
            yield Record(number, {"COMET": score}, line=line, system=system)
        elif system_mean := SYSTEM.fullmatch(text):
            means[system_mean[1]] = float(system_mean[2])
        elif text.strip() and not text.startswith(SAVED):
            raise source.error(f"{text!r:.60} is not a line of comet-score; is the file complete?", line)
    _check_means(source, scores, means)


def _check_means(source: Source, scores: Mapping[str, Sequence[float]], means: Mapping[str, float]) -> None:
    for system, found in scores.items():
        if system not in means:
            raise source.error(f"there is no line with the mean of {system:.60}; is the file complete?")
        mean = math.fsum(found) / len(found)
        if abs(mean - means[system]) > ROUNDED:
            raise source.error(
                f"the segments of {system:.60} have the mean {mean:.4f}, and the file says {means[system]:.4f}; is it "
                "complete?"
            )


FORMAT = Format(
    name="comet-text",
    title="segments scored by COMET, as comet-score prints them",
    recognise=recognise,
    read=read,
    details="All systems are in one file. Items are segments by number; the means of the systems are checked.",
)
