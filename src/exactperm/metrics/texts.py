"""Per-item integer sums from texts: edit distances, and sacrebleu's sufficient statistics.

The edit distances of many pairs are found together, one row of all their tables at a time. Within a
row D[j] = min(c[j], D[j-1] + 1) is a running minimum: D[j] - j = min over i <= j of c[i] - i. Cost:
the sum over batches of longest text times longest reference, in whole-array operations.
"""

from __future__ import annotations

import importlib
import math
import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["edit_counts", "edit_distances", "exact_answers", "normalised", "translation_counts"]

Integers = NDArray[np.int64]
Systems = Mapping[str, Sequence[str]]

#: cells of a batch of rows
CELLS = 1 << 18
#: which options of sacrebleu change the statistics but not the value
OPTIONS = {
    "bleu": ("tokenize", "lowercase", "trg_lang"),
    "chrf": ("lowercase", "whitespace"),
    "chrf++": ("lowercase", "whitespace"),
    "ter": ("normalized", "no_punct", "asian_support", "case_sensitive"),
}


def edit_distances(first: Sequence[Integers], second: Sequence[Integers]) -> Integers:
    """Levenshtein's distance of each pair of sequences of non-negative integers."""
    sizes = np.array([[len(x), len(y)] for x, y in zip(first, second, strict=True)], dtype=np.int64).reshape(-1, 2)
    order = np.lexsort((sizes[:, 1], sizes[:, 0]))
    distances = np.zeros(len(sizes), dtype=np.int64)
    start = 0
    while start < len(order):
        width = int(sizes[order[start:], 1].max()) + 1
        batch = order[start : start + max(1, CELLS // width)]
        distances[batch] = _batch([first[i] for i in batch], [second[i] for i in batch], sizes[batch])
        start += len(batch)
    return distances


def _batch(first: Sequence[Integers], second: Sequence[Integers], sizes: Integers) -> Integers:
    """The same for sequences that are padded to the longest; `first` comes in increasing length."""
    rows, columns = sizes.max(axis=0).tolist()
    x, y = _padded(first, rows, -1), _padded(second, columns, -2)
    place = np.arange(columns + 1, dtype=np.int32)
    table = np.tile(place, (len(sizes), 1))
    for i in range(rows):
        active = slice(int(np.searchsorted(sizes[:, 0], i, side="right")), None)
        above = table[active]
        row = above + 1
        np.minimum(row[:, 1:], above[:, :-1] + (x[active, i : i + 1] != y[active]), out=row[:, 1:])
        table[active] = np.minimum.accumulate(row - place, axis=1) + place
    return table[np.arange(len(sizes)), sizes[:, 1]].astype(np.int64)


def _padded(sequences: Sequence[Integers], width: int, filler: int) -> NDArray[np.int64]:
    padded = np.full((len(sequences), width), filler, dtype=np.int64)
    for row, sequence in zip(padded, sequences, strict=True):
        row[: len(sequence)] = sequence
    return padded


def edit_counts(y_true: Sequence[str], systems: Systems, unit: str) -> dict[str, Integers]:
    """Of each text the edits, in words or characters, and the length of its reference."""
    vocabulary: dict[str, int] = {}

    def coded(text: str) -> Integers:
        parts = text.split() if unit == "word" else list(text.strip())
        return np.array([vocabulary.setdefault(part, len(vocabulary)) for part in parts], dtype=np.int64)

    _check_texts(y_true, systems)
    references = [coded(text) for text in y_true]
    lengths = np.array([len(reference) for reference in references], dtype=np.int64)
    found = {}
    for name, texts in systems.items():
        errors = edit_distances([coded(text) for text in texts], references)
        found[name] = np.stack([errors, lengths], axis=1)
    return found


def _check_texts(y_true: Sequence[Any], systems: Mapping[str, Sequence[Any]], several: bool = False) -> None:
    for name, texts in {"y_true": y_true, **systems}.items():
        if isinstance(texts, str):
            raise TypeError(f"{name} must be a sequence of texts, not one string")
        if len(texts) != len(y_true):
            raise ValueError(f"{name} has {len(texts)} texts, y_true has {len(y_true)}")
        for i, text in enumerate(texts):
            lists = several and name == "y_true" and isinstance(text, (list, tuple)) and len(text) > 0
            if not (isinstance(text, str) or (lists and all(isinstance(part, str) for part in text))):
                raise TypeError(f"{name} must hold texts; item {i} is {text!r}")


def translation_counts(
    name: str, y_true: Sequence[Any], systems: Systems, options: Mapping[str, Any]
) -> dict[str, Integers]:
    """The sums of BLEU, chrF, chrF++ or TER; each item has one reference, or a list of them."""
    _check_texts(y_true, systems, several=True)
    unknown = [key for key in options if key not in OPTIONS[name]]
    if unknown:
        raise TypeError(f"metric {name!r} takes {', '.join(OPTIONS[name])}; got {', '.join(unknown)}")
    scorer = _scorer(name, options)
    listed = [[text] if isinstance(text, str) else list(text) for text in y_true]
    most = max((len(texts) for texts in listed), default=1)
    # sacrebleu takes streams, one for each place in the lists, with None where a text has no
    # further reference
    streams = [[texts[i] if i < len(texts) else None for texts in listed] for i in range(most)]
    factor = math.lcm(*(len(texts) for texts in listed)) if name == "ter" else 1
    return {
        system: np.rint(factor * np.array(scorer._extract_corpus_statistics(texts, streams))).astype(np.int64)
        for system, texts in systems.items()
    }


def _scorer(name: str, options: Mapping[str, Any]) -> Any:
    try:
        sacrebleu = importlib.import_module("sacrebleu.metrics")
    except ImportError as error:
        raise ImportError(f"metric {name!r} needs sacrebleu: pip install 'exactperm[mt]'") from error
    if name == "bleu":
        try:
            return sacrebleu.BLEU(**options)
        except KeyError as error:
            known = ", ".join(name for name in sacrebleu.BLEU.TOKENIZERS if name != "none")
            raise ValueError(f"tokenize={error} is no tokenizer of sacrebleu; known are {known}") from None
    if name == "ter":
        return sacrebleu.TER(**options)
    return sacrebleu.CHRF(word_order=2 if name == "chrf++" else 0, **options)


def exact_answers(y_true: Sequence[Any], systems: Systems) -> dict[str, Integers]:
    """SQuAD's exact match: whether any gold answer equals the answer after normalisation."""
    _check_texts(y_true, systems, several=True)
    gold = [{normalised(text) for text in ([item] if isinstance(item, str) else item)} for item in y_true]
    return {
        name: np.array(
            [[normalised(text) in answers] for text, answers in zip(texts, gold, strict=True)],
            dtype=np.int64,
        )
        for name, texts in systems.items()
    }


def normalised(text: str) -> str:
    """Lower case, no punctuation, no articles, single spaces: the order of the SQuAD script."""
    bare = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())
