"""Word errors of Kaldi by utterance, ``per_utt`` of ``wer_per_utt_details.pl``: ``utterance #csid C S I D``.

Items are utterances. Where the file has the words of the reference, they must agree, and the operations must be as
many as are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from exactperm.sources.base import Counts, Format, Head, Record, Source, Wanted, group_among

__all__ = ["FORMAT"]

LINE = re.compile(r"(\S+) (ref|hyp|op|#csid)(?: +(.*?))? *")
#: how folders below that of a model are called
BELOW = re.compile("wer_details|scoring|decode")
COUNTED = "#csid"
NUMBERS = re.compile(r"(\d{1,9}) (\d{1,9}) (\d{1,9}) (\d{1,9})")
#: the operations, in the order in which they are counted
OPERATIONS = "CSID"


def recognise(head: Head) -> str | None:
    """Say why these are not errors by utterance."""
    found = [LINE.fullmatch(line) for line in head.lines]
    if not found or not all(found):
        return "lines are not an utterance and ref, hyp, op or #csid"
    return None if any(line and line[2] == COUNTED for line in found) else "no line of #csid"


def system(source: Source) -> str | None:
    """The folder of the model, below which Kaldi decodes and scores."""
    path = Path(source.path).absolute()
    if path.name.removesuffix(".gz") != "per_utt":
        return None
    return next((folder.name for folder in path.parents if not BELOW.match(folder.name)), None)


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the utterances."""
    group_among(source, wanted)
    told: dict[tuple[str, str], str] = {}
    for line, text in source.lines():
        found = LINE.fullmatch(text)
        if not found:
            raise source.error(f"a line holds an utterance and ref, hyp, op or #csid, not {text!r:.60}", line)
        utterance, kind, rest = found.groups(default="")
        if kind != COUNTED:
            told[utterance, kind] = rest
            continue
        operations, words = (told.pop((utterance, kind), None) for kind in ("op", "ref"))
        counts = _counts(source, line, rest, operations)
        values = {"wer": Counts("wer", (sum(counts[1:]), counts[0] + counts[1] + counts[3]))}
        yield Record(utterance, values, line=line, check=_reference(operations, words))


def _counts(source: Source, line: int, written: str, operations: str | None) -> list[int]:
    """How many words are correct, substituted, inserted and deleted."""
    numbers = NUMBERS.fullmatch(written)
    if not numbers:
        raise source.error(f"after #csid there are four numbers, not {written!r:.60}; is the file complete?", line)
    counts = [int(number) for number in numbers.groups()]
    if operations is not None and counts != [operations.split().count(name) for name in OPERATIONS]:
        raise source.error(
            f"#csid {written} does not count the operations {operations!r:.60}; let Kaldi score the run again", line
        )
    return counts


def _reference(operations: str | None, words: str | None) -> str | None:
    """The words of the reference, without the signs for words that were inserted."""
    if operations is None or words is None:
        return None
    aligned = zip(words.split(), operations.split(), strict=False)
    return " ".join(word for word, operation in aligned if operation != "I")


FORMAT = Format(
    name="kaldi",
    title="word errors of Kaldi by utterance (per_utt)",
    recognise=recognise,
    read=read,
    system=system,
    metrics={"wer": ("wer",)},
    details="Written by wer_per_utt_details.pl. Items are utterances (the references are checked if they are there); "
    "the system is the folder of the model.",
)
