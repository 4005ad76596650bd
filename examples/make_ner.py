"""Two named-entity recognisers, with gold, in columns as of CoNLL-2003: ``python examples/make_ner.py [folder]``."""

from __future__ import annotations

import random
from pathlib import Path

from english import NAMES, Token, documents, run


def predicted(rng: random.Random, tokens: list[Token], missed: float, mistaken: float) -> list[str]:
    """Tags in which entities are missed, taken for others, or cut short."""
    tags = [token.entity for token in tokens]
    for start in [i for i, tag in enumerate(tags) if tag.startswith("B-")]:
        stop = next((i for i in range(start + 1, len(tags)) if not tags[i].startswith("I-")), len(tags))
        if rng.random() < missed:
            tags[start:stop] = ["O"] * (stop - start)
        elif rng.random() < mistaken:
            kind = rng.choice(list(NAMES))
            tags[start:stop] = [tag[:2] + kind for tag in tags[start:stop]]
        elif stop - start > 1 and rng.random() < mistaken:
            tags[stop - 1] = "O"
    return tags


def columns(texts: list[list[list[Token]]], tags: list[list[list[str]]]) -> str:
    """Documents in columns: the word, its part of speech, its chunk (not given), its entity."""
    lines = []
    for document, of_document in zip(texts, tags, strict=True):
        lines += ["-DOCSTART- -X- -X- O", ""]
        for tokens, of_sentence in zip(document, of_document, strict=True):
            lines += [f"{t.form} {t.tag} O {tag}" for t, tag in zip(tokens, of_sentence, strict=True)]
            lines.append("")
    return "\n".join([*lines, ""])


def make(folder: Path) -> None:
    """Write the gold standard and two systems."""
    rng = random.Random(2003)
    texts = documents(rng, 25)
    gold = [[[token.entity for token in tokens] for tokens in document] for document in texts]
    (folder / "gold.txt").write_text(columns(texts, gold), encoding="utf-8", newline="\n")
    for name, rates in {"crf": (0.22, 0.15), "transformer": (0.10, 0.08)}.items():
        tags = [[predicted(rng, tokens, *rates) for tokens in document] for document in texts]
        (folder / f"{name}.txt").write_text(columns(texts, tags), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    run(make, "ner")
