"""Answers to the questions of SQuAD: ``{"<id>": "answer"}``, with the data set as the gold standard.

Also the list of ``{"id", "prediction_text"}`` that Hugging Face's metric takes. Items are questions by id; ``--group
paragraph`` or ``--group article`` exchanges what is about the same text together. Both scores are as in the script of
SQuAD 2.0, which differs from 1.1 only for gold answers of nothing but articles and punctuation: a question without
other answers is right if left unanswered. The F1 of a question is the double nearest to 200 c / (p + g) for c words in
common: a rational number, which comparisons take for what it is as long as the common denominator is not too large.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from exactperm.metrics.texts import normalised
from exactperm.sources.base import Format, Head, Predicted, Record, Source, Wanted, group_among
from exactperm.sources.files import HEAD

__all__ = ["FORMAT"]

TEXT = r'"(?:[^"\\]|\\.)*+"'
PAIR = rf"\s*{TEXT}\s*:\s*{TEXT}\s*"
#: an object of texts, and one that the end of the head cut
WHOLE = re.compile(rf"\s*\{{(?:{PAIR},)*+{PAIR}\}}")
CUT = re.compile(rf"\s*\{{(?:{PAIR},)++")
GROUPS = ("paragraph", "article")


class Question(NamedTuple):
    """The gold answers of a question, and where it belongs."""

    answers: list[str]
    groups: dict[str, Hashable]


def recognise(head: Head) -> str | None:
    """Say why these are not answers."""
    if not head.is_json:
        return "not JSON"
    if (0, "id") in head.paths and (0, "prediction_text") in head.paths:
        return None
    text = head.start.decode("utf-8-sig", errors="ignore")
    whole = WHOLE.match(text)
    if whole is not None:
        return None if not text[whole.end() :].strip() else "more than one object"
    return None if len(head.start) == HEAD and CUT.match(text) else "not an object of texts by id"


def gold(source: Source, wanted: Wanted) -> dict[str, Question]:
    """Read the data set."""
    group_among(source, wanted, *GROUPS)
    questions: dict[str, Question] = {}
    try:
        for a, article in enumerate(source.json()["data"]):
            for p, paragraph in enumerate(article["paragraphs"]):
                for question in paragraph["qas"]:
                    answers = [answer["text"] for answer in question["answers"]]
                    name, groups = question["id"], {"article": a, "paragraph": f"{a}/{p}"}
                    if not isinstance(name, str) or not all(isinstance(answer, str) for answer in answers):
                        raise TypeError
                    if questions.setdefault(name, found := Question(_real(answers), groups)) is not found:
                        raise source.error(f"there are two questions {name!r:.60}; keep one of them")
    except (KeyError, TypeError):
        raise source.error(
            "the data set must hold data, their paragraphs, and in these qas with an id and answers with a text each"
        ) from None
    if not questions:
        raise source.error("there is no question in this data set; is the file complete?")
    return questions


def _real(answers: list[str]) -> list[str]:
    return [answer for answer in answers if normalised(answer)] or [""]


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the questions of the data set, those without an answer as missing."""
    questions: dict[str, Question] = wanted.gold
    answers = _answers(source)
    unknown = next((name for name in answers if name not in questions), None)
    if unknown is not None:
        raise source.error(f"question {unknown!r:.60} is not in the data set; give the one that was answered")
    for name, question in questions.items():
        answer = answers.get(name)
        yield Record(
            id=name,
            values={
                "answer": None if answer is None else Predicted(answer, question.answers),
                "squad_f1": None if answer is None else max(_f1(answer, right) for right in question.answers),
            },
            group=question.groups[wanted.group] if wanted.group else None,
        )


def _answers(source: Source) -> dict[str, str]:
    """The answers by question."""
    found = source.json()
    if isinstance(found, dict):
        pairs = list(found.items())
    elif isinstance(found, list) and all(isinstance(one, dict) for one in found):
        pairs = [(one.get("id"), one.get("prediction_text")) for one in found]
    else:
        raise source.error("answers are one object of texts by id, or a list of objects with id and prediction_text")
    answers: dict[str, str] = {}
    for name, answer in pairs:
        if not isinstance(name, str) or not isinstance(answer, str):
            raise source.error(f"an id and an answer are texts; {name!r:.60} has {answer!r:.60}")
        if name in answers:
            raise source.error(f"question {name!r:.60} is answered twice; keep one of the answers")
        answers[name] = answer
    return answers


def _f1(answer: str, right: str) -> float:
    """The F1 of the words in percent; without words on a side both must have none."""
    words, expected = normalised(answer).split(), normalised(right).split()
    if not words or not expected:
        return 100.0 * (words == expected)
    common = (Counter(words) & Counter(expected)).total()
    return 200 * common / (len(words) + len(expected))


FORMAT = Format(
    name="squad",
    title="answers to the questions of SQuAD, with the data set",
    recognise=recognise,
    read=read,
    gold=gold,
    needs_gold=True,
    metrics={"answer": ("squad_em",)},
    details="Items are questions; --group paragraph or --group article takes those about one text together. squad_em "
    "and squad_f1 are in percent, as in the script of SQuAD 2.0.",
)
