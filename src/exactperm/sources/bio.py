"""Columns of CoNLL-2003: a token a line, its tag in the last column, an empty line after each sentence.

With ``--gold`` the tags of the systems are compared with the last column of the gold standard, for the same tokens.
Without it each file has to hold both, as the input of conlleval: gold and prediction in the last two columns. Items are
sentences, by position; ``--group document`` exchanges what is between two ``-DOCSTART-`` together. Spans are read as
conlleval and seqeval do unless a strict ``scheme`` is given to `compare`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from exactperm.sources.base import Format, Head, Predicted, Record, Source, Wanted, group_among

__all__ = ["FORMAT"]

TAG = re.compile(r"O|[BIESLU](-\S+)?")
DOCUMENT = "-DOCSTART-"


class Sentence(NamedTuple):
    """The columns of each token, the document they are in, and the line of the first."""

    line: int
    document: int
    rows: list[list[str]]


def recognise(head: Head) -> str | None:
    """Say why these are not columns with tags."""
    rows = [line.split() for line in head.lines if line.strip() and not line.startswith(DOCUMENT)]
    if not rows:
        return "no lines of tokens"
    if len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
        return "lines are not two or more columns, as many on each"
    return None if all(TAG.fullmatch(row[-1]) for row in rows) else "the last column is not of tags (O, B-PER, ...)"


def gold(source: Source, wanted: Wanted) -> list[Sentence]:
    """Read the gold standard."""
    group_among(source, wanted, "document")
    return list(_sentences(source, 2))


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the tags of each sentence."""
    group = group_among(source, wanted, "document")
    columns = 2 if wanted.gold is not None else 3
    labels: tuple[set[str], set[str]] = (set(), set())
    for position, (sentence, right) in enumerate(_paired(source, wanted.gold, columns), 1):
        tags = [row[-1] for row in sentence.rows]
        expected = [row[-2 if wanted.gold is None else -1] for row in right.rows]
        for known, found in zip(labels, (tags, expected), strict=True):
            known.update(tag[2:] for tag in found if tag != "O")
        yield Record(
            id=position,
            values={"tags": Predicted(tags, expected)},
            line=sentence.line,
            group=right.document if group else None,
            check=" ".join(row[0] for row in sentence.rows),
        )
    if all(labels) and not labels[0] & labels[1]:
        few = [", ".join(sorted(known)[:3]) for known in labels]
        raise source.error(
            f"the predicted labels ({few[0]}) and those of the gold standard ({few[1]}) have none in common; give the "
            "gold standard with --gold, or both as the last two columns"
        )


def _paired(source: Source, standard: list[Sentence] | None, columns: int) -> Iterator[tuple[Sentence, Sentence]]:
    """Each sentence with that of the gold standard, which is itself if the file holds both."""
    if standard is None:
        yield from ((sentence, sentence) for sentence in _sentences(source, columns))
        return
    for sentence, right in zip_longest(_sentences(source, columns), standard):
        if sentence is None or right is None:
            more, fewer = ("the gold standard", "here") if sentence is None else ("this file", "in the gold standard")
            raise source.error(
                f"{more} goes on where there is no further sentence {fewer}; give files of the same sentences",
                sentence.line if sentence else None,
            )
        tokens, expected = ([row[0] for row in rows] for rows in (sentence.rows, right.rows))
        if tokens != expected:
            raise source.error(
                f"the tokens {' '.join(tokens)!r:.60} are not those of the gold standard, {' '.join(expected)!r:.60} "
                f"(line {right.line}); tag the same tokens",
                sentence.line,
            )
        yield sentence, right


def _sentences(source: Source, columns: int) -> Iterator[Sentence]:
    rows: list[list[str]] = []
    document = start = 0
    for line, text in source.lines():
        row = text.split()
        starts_document = bool(row) and row[0] == DOCUMENT
        if rows and (not row or starts_document):
            yield Sentence(start, document, rows)
            rows = []
        if starts_document:
            document += 1
        elif row:
            _check(source, line, row, columns)
            start = start if rows else line
            rows.append(row)
    if rows:
        yield Sentence(start, document, rows)


def _check(source: Source, line: int, row: list[str], columns: int) -> None:
    """A token and its tags; both gold and predicted ones if there is no other gold standard."""
    if len(row) < columns:
        raise source.error(
            f"a line needs {columns} columns or more, not {' '.join(row)!r:.60}; the gold standard is the column "
            "before the last, or a file of its own (--gold)",
            line,
        )
    for tag in row[1 - columns :]:
        if not TAG.fullmatch(tag):
            raise source.error(f"{tag!r:.40} is not a tag such as O, B-PER or I-PER", line)


FORMAT = Format(
    name="bio",
    title="tokens and tags in columns (CoNLL-2003), with a gold standard or with gold and prediction in one file",
    recognise=recognise,
    read=read,
    gold=gold,
    metrics={"tags": ("span_f1", "token_accuracy")},
    details="Items are sentences by position, and tokens have to agree; --group document takes those from one "
    "-DOCSTART- to the next together. Without --gold the last two columns are gold and prediction, as for conlleval.",
)
