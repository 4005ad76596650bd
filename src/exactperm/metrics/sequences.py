"""Per-item integer sums from sequences: words with one label each, and labelled spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SCHEMES", "right_words", "span_counts", "spans"]

Integers = NDArray[np.int64]
Span = tuple[str, int, int]

#: the strict schemes
SCHEMES = ("IOB2", "IOE2", "IOBES", "BILOU")
#: after these prefixes nothing follows in the same span
CLOSING = "ESLU"


def right_words(y_true: Sequence[Any], systems: Mapping[str, Sequence[Any]]) -> dict[str, Integers]:
    """Of each sequence the number of words with the right label, and of its words."""
    found = {}
    for name, y in systems.items():
        _check_lengths(y_true, y, name)
        pairs = zip(y_true, y, strict=True)
        rows = [(sum(g == p for g, p in zip(gold, words, strict=True)), len(gold)) for gold, words in pairs]
        found[name] = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return found


def span_counts(y_true: Sequence[Any], systems: Mapping[str, Sequence[Any]], scheme: str | None) -> dict[str, Integers]:
    """Of each item the spans that are right, wrongly there, and missed.

    An item is a sequence of tags, ``["B-PER", "I-PER", "O"]``, or a collection of spans, each a
    tuple.
    """
    _check_scheme(scheme)
    gold = list(_all_spans(y_true, "y_true", scheme))
    found = {}
    for name, y in systems.items():
        if len(y) != len(gold):
            raise ValueError(f"{name} has {len(y)} items, y_true has {len(gold)}")
        if any(_is_tagged(item) for item in y_true):
            _check_lengths(y_true, y, name)
        rows = []
        for there, predicted in zip(gold, _all_spans(y, name, scheme), strict=True):
            right = len(there & predicted)
            rows.append((right, len(predicted) - right, len(there) - right))
        found[name] = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return found


def _check_lengths(y_true: Sequence[Any], y: Sequence[Any], name: str) -> None:
    if len(y) != len(y_true):
        raise ValueError(f"{name} has {len(y)} items, y_true has {len(y_true)}")
    for i, (gold, words) in enumerate(zip(y_true, y, strict=True)):
        if isinstance(words, str) or isinstance(gold, str):
            raise TypeError(f"item {i} must be a sequence of labels, one per word, not a string")
        if len(gold) != len(words):
            raise ValueError(f"item {i} has {len(words)} labels in {name}, and {len(gold)} in y_true")


def _is_tagged(item: Any) -> bool:
    return not isinstance(item, (set, frozenset)) and len(item) > 0 and all(isinstance(tag, str) for tag in item)


def _all_spans(items: Iterable[Any], name: str, scheme: str | None) -> Iterator[set[Any]]:
    for i, item in enumerate(items):
        try:
            yield _spans_of(item, scheme)
        except (TypeError, ValueError) as error:
            raise type(error)(f"item {i} of {name}: {error}") from None


def _spans_of(item: Any, scheme: str | None) -> set[Any]:
    if isinstance(item, str):
        raise TypeError(f"an item must be a sequence of tags or of spans, not the string {item!r}")
    if _is_tagged(item):
        return set(spans(item, scheme))
    if not all(isinstance(span, tuple) for span in item):
        raise TypeError(f"an item must hold tags (strings) or spans (tuples); got {list(item)[:3]!r}")
    return set(item)


def spans(tags: Sequence[str], scheme: str | None = None) -> list[Span]:
    """The labelled spans (label, first word, last word) that tags mean.

    Parameters
    ----------
    tags
        Like ``["B-PER", "I-PER", "O"]``.
    scheme
        None reads any tags as conlleval and seqeval's default mode do: a new label opens a span
        even with ``I-``. One of `SCHEMES` accepts only what the scheme allows, as seqeval's strict
        mode does.
    """
    if scheme is None:
        return list(_lenient(tags))
    _check_scheme(scheme)
    return list(_strict(tags, scheme))


def _check_scheme(scheme: str | None) -> None:
    if scheme is not None and scheme not in SCHEMES:
        raise ValueError(f"scheme must be None or one of {', '.join(SCHEMES)}, not {scheme!r}")


def _lenient(tags: Sequence[str]) -> Iterable[Span]:
    start: int = 0
    before, label_before = "O", ""
    for i, tag in enumerate([*tags, "O"]):
        if not tag:
            raise ValueError(f"the tag of word {i} is empty; outside of spans it is 'O'")
        prefix, label = tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"
        changed = label != label_before
        if before not in "O." and (changed or before in "ES" or (before in "BI" and prefix in "BSO")):
            yield label_before, start, i - 1
        if prefix in "BS" or (before in "ESO" and prefix in "EI") or (prefix not in "O." and changed):
            start = i
        before, label_before = prefix, label


#: scheme -> prefixes that may start a span, those that may follow in it, those it may end with
_RULES: dict[str, tuple[str, str, str]] = {
    "IOB2": ("B", "I", "BI"),
    "IOE2": ("IE", "IE", "E"),
    "IOBES": ("BS", "IE", "SE"),
    "BILOU": ("BU", "IL", "UL"),
}


def _strict(tags: Sequence[str], scheme: str) -> Iterable[Span]:
    starting, following, ending = _RULES[scheme]
    split = [_prefix_and_label(tag, i, scheme) for i, tag in enumerate(tags)]
    i = 0
    while i < len(split):
        prefix, label = split[i]
        if prefix not in starting:
            i += 1
            continue
        last = i
        while (
            split[last][0] not in CLOSING
            and last + 1 < len(split)
            and split[last + 1][0] in following
            and split[last + 1][1] == label
        ):
            last += 1
        if split[last][0] in ending:
            yield label, i, last
        i = last + 1


def _prefix_and_label(tag: str, i: int, scheme: str) -> tuple[str, str]:
    starting, following, _ = _RULES[scheme]
    if not tag or tag[0] not in {"O", *starting, *following}:
        raise ValueError(f"the tag {tag!r} of word {i} is not of the scheme {scheme}")
    return tag[0], tag[1:].strip("-") or "_"
