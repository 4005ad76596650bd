"""Two translations of a text and its reference, a segment a line: ``python examples/make_mt.py [folder]``."""

from __future__ import annotations

import random
from pathlib import Path

from english import WORDS, Token, documents, run


def translated(rng: random.Random, tokens: list[Token], other: float, dropped: float) -> str:
    """The words with some exchanged for others of their kind, and some left out."""
    words = []
    for token in tokens:
        if rng.random() < dropped and token.tag != "PUNCT":
            continue
        words.append(rng.choice(WORDS[token.tag]) if token.tag in WORDS and rng.random() < other else token.form)
    return text(words)


def text(words: list[str]) -> str:
    """Words as a sentence."""
    return " ".join(words).replace(" .", ".")


def make(folder: Path) -> None:
    """Write the reference and two systems."""
    rng = random.Random(2018)
    segments = [tokens for document in documents(rng, 18) for tokens in document]
    lines = {"reference": [text([token.form for token in tokens]) for tokens in segments]}
    for name, rates in {"phrases": (0.24, 0.06), "neural": (0.16, 0.04)}.items():
        lines[name] = [translated(rng, tokens, *rates) for tokens in segments]
    for name, written in lines.items():
        (folder / f"{name}.txt").write_text("\n".join([*written, ""]), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    run(make, "mt")
