"""CoNLL-U: parsed sentences, compared with a gold standard of the same words.

Items are sentences, named by ``sent_id`` if the gold standard has one for each, else by position; ``--group document``
exchanges what is between two ``# newdoc`` together. Ranges (1-2) and empty nodes (3.1) are skipped. As both files have
the same words, the F1 of the CoNLL 2018 shared task is the share of gold words that are right. Like there, relations
are compared up to the colon; ``las_subtypes`` compares them whole.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from exactperm.sources.base import Format, Head, Predicted, Record, Source, Wanted, group_among

__all__ = ["FORMAT"]

COLUMNS = 10
ID = re.compile(r"(\d+)([-.]\d+)?")
FORM = 1
#: what is compared, by the metric: the columns of a word
MEASURES = {
    "las": (6, 7),
    "las_subtypes": (6, 7),
    "uas": (6,),
    "upos": (3,),
    "xpos": (4,),
    "feats": (5,),
    "lemma": (2,),
}


class Sentence(NamedTuple):
    """The words of a sentence, each with its columns, and the line of the first."""

    line: int
    name: str | None
    document: Hashable
    words: list[list[str]]


class Gold(NamedTuple):
    """The sentences of the gold standard by id, these ids in order, and the measures for which it has values."""

    sentences: dict[Hashable, Sentence]
    order: list[Hashable]
    named: bool
    measures: list[str]


def recognise(head: Head) -> str | None:
    """Say why this is not CoNLL-U."""
    rows = [line.split("\t") for line in head.lines if line.strip() and not line.startswith("#")]
    if not rows:
        return "no lines of words"
    return None if all(map(_is_word, rows)) else "lines are not an id and 9 more columns between tabs"


def _is_word(columns: list[str]) -> bool:
    return len(columns) == COLUMNS and ID.fullmatch(columns[0]) is not None


def gold(source: Source, wanted: Wanted) -> Gold:
    """Read the gold standard."""
    found = list(_sentences(source))
    named = all(sentence.name is not None for sentence in found)
    sentences: dict[Hashable, Sentence] = {}
    for position, sentence in enumerate(found, 1):
        name = sentence.name if named else position
        if sentences.setdefault(name, sentence) is not sentence:
            raise source.error(f"there are two sentences {name!r:.60}; rename one of them", sentence.line)
    if not found:
        raise source.error("there is no sentence in this gold standard; is the file complete?")
    if group_among(source, wanted, "document") and found[0].document is None:
        raise source.error("the gold standard has no # newdoc before its first sentence; leave out --group", 1)
    words = [word for sentence in found for word in sentence.words]
    measures = [name for name, columns in MEASURES.items() if any(word[columns[0]] != "_" for word in words)]
    if not measures:
        raise source.error("all columns that could be compared are empty; is this the gold standard?")
    return Gold(sentences, list(sentences), named, measures)


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the sentences, and those of the gold standard that are not there without predictions."""
    standard: Gold = wanted.gold
    seen = set()
    for position, sentence in enumerate(_sentences(source), 1):
        name, right = _find(source, standard, sentence, position)
        _check_words(source, sentence, right)
        seen.add(name)
        yield Record(
            id=name,
            values={m: Predicted(_labels(sentence, m), _labels(right, m)) for m in standard.measures},
            line=sentence.line,
            group=right.document if wanted.group else None,
        )
    for name, right in standard.sentences.items():
        if name not in seen:
            yield Record(name, dict.fromkeys(standard.measures), group=right.document if wanted.group else None)


def _find(source: Source, standard: Gold, sentence: Sentence, position: int) -> tuple[Hashable, Sentence]:
    if standard.named and sentence.name is not None:
        name: Hashable = sentence.name
    elif position <= len(standard.order):
        name = standard.order[position - 1]
    else:
        raise source.error(f"the gold standard has only {len(standard.order)} sentences", sentence.line)
    if name not in standard.sentences:
        raise source.error(
            f"sentence {name!r:.60} is not in the gold standard; leave out the sent_id if order is what matches them",
            sentence.line,
        )
    return name, standard.sentences[name]


def _labels(sentence: Sentence, measure: str) -> list[tuple[str, ...]]:
    columns = MEASURES[measure]
    if measure == "las":  # subtypes are left out, as in the CoNLL 2018 shared task
        return [(word[6], word[7].partition(":")[0]) for word in sentence.words]
    return [tuple(word[column] for column in columns) for word in sentence.words]


def _check_words(source: Source, sentence: Sentence, right: Sentence) -> None:
    forms, expected = ([word[FORM] for word in words] for words in (sentence.words, right.words))
    if forms == expected:
        return
    i = next(i for i, (x, y) in enumerate(zip_longest(forms, expected)) if x != y)
    said = [f"{words[i]!r:.40}" if i < len(words) else "not there" for words in (forms, expected)]
    raise source.error(
        f"word {i + 1} of this sentence is {said[0]}, and in the gold standard (line {right.line}) it is {said[1]}; "
        "parse the words of the gold standard",
        sentence.line,
    )


def _sentences(source: Source) -> Iterator[Sentence]:
    name: str | None = None
    document: Hashable = None
    documents = 0
    words: list[list[str]] = []
    line = start = 0
    for line, text in source.lines():
        if text.startswith("#"):
            key, _, value = text[1:].partition("=")
            if key.strip() == "sent_id":
                name = value.strip()
            elif key.split()[:1] == ["newdoc"]:
                documents += 1
                document = value.strip() or documents
        elif text.strip():
            columns = text.split("\t")
            if not _is_word(columns):
                raise source.error(f"a word has an id and 9 more columns between tabs, not {text!r:.60}", line)
            if columns[0].isdecimal():
                start = line if not words else start
                words.append(columns)
        elif words:
            yield Sentence(start, name, document, words)
            name, words = None, []
    if words:
        yield Sentence(start, name, document, words)


FORMAT = Format(
    name="conllu",
    title="parsed sentences in CoNLL-U, with a gold standard of the same words",
    recognise=recognise,
    read=read,
    gold=gold,
    needs_gold=True,
    metrics={name: (name,) for name in MEASURES},
    details="Items are sentences (sent_id, else by position); --group document takes those from one # newdoc to the "
    "next together. Relations are compared up to the colon, as in the CoNLL 2018 shared task; las_subtypes compares "
    "them whole.",
)
