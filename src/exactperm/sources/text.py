"""Plain text: one segment a line, as machine translation and speech recognition are scored; with references.

Items are lines, by position; the files must have the same number of them. Several references are several ``--gold``.
Any text could be this, so it is what a file is taken for only if a gold standard is given and nothing else fits.
"""

from __future__ import annotations

from collections.abc import Iterator

from exactperm.sources.base import Format, Head, Predicted, Record, Source, Wanted, group_among

__all__ = ["FORMAT"]

References = list[list[str]]
#: ends of the names of files that are no plain text
TABLES = (".csv", ".tsv", ".jsonl", ".json")


def recognise(head: Head) -> str | None:
    """Say why this is not text."""
    if head.name.lower().endswith(TABLES):
        return "the end of its name says that it is a table"
    return None if head.is_text else "not text in UTF-8"


def gold(source: Source, wanted: Wanted) -> References:
    """Read references, and put them beside those that were read before."""
    lines = [text for _, text in source.lines()]
    earlier: References = wanted.gold if wanted.gold is not None else [[] for _ in lines]
    if len(lines) != len(earlier):
        raise source.error(f"there are {len(lines)} lines here and {len(earlier)} in the reference before; both must "
                           "hold the same segments")  # fmt: skip
    return [[*before, line] for before, line in zip(earlier, lines, strict=True)]


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the segments."""
    group_among(source, wanted)
    references: References = wanted.gold
    number = 0
    for number, text in source.lines():
        if number > len(references):
            raise source.error(
                f"the references end after {len(references)} lines; give files of the same segments", number
            )
        right = references[number - 1]
        yield Record(number, {"text": Predicted(text, right[0] if len(right) == 1 else right)}, line=number)
    if number < len(references):
        raise source.error(
            f"the file ends here, and the references have {len(references)} lines; is it complete?", number
        )


FORMAT = Format(
    name="text",
    title="plain text, one segment a line, with references",
    recognise=recognise,
    read=read,
    gold=gold,
    needs_gold=True,
    several_golds=True,
    generality=2,
    metrics={"text": ("bleu", "chrf", "chrf++", "ter", "wer", "cer", "exact_match", "squad_em")},
    details="Items are lines; there may be several references, each a --gold. BLEU, chrF and TER are those of "
    "sacrebleu (pip install 'exactperm[mt]').",
)
