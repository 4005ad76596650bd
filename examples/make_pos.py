"""Two part-of-speech taggers and parsers, with gold, in CoNLL-U: ``python examples/make_pos.py [folder]``."""

from __future__ import annotations

import random
from pathlib import Path

from english import Token, documents, run

#: what tags are taken for
CONFUSED = {"NOUN": "PROPN", "PROPN": "NOUN", "ADJ": "NOUN", "VERB": "NOUN", "ADV": "ADJ", "ADP": "ADV", "DET": "PRON"}


def predicted(rng: random.Random, tokens: list[Token], tag: float, head: float) -> list[Token]:
    """The same words with mistakes at these rates."""
    found = []
    for i, token in enumerate(tokens, 1):
        said, hung = token.tag, token.head
        if rng.random() < tag:
            said = CONFUSED.get(token.tag, token.tag)
        if rng.random() < head:
            hung = rng.choice([j for j in range(1, len(tokens) + 1) if j != i])
        found.append(token._replace(tag=said, head=hung))
    return found


def conllu(texts: list[list[list[Token]]]) -> str:
    """Documents in CoNLL-U."""
    lines = []
    for d, document in enumerate(texts, 1):
        lines.append(f"# newdoc id = text{d:02}")
        for s, tokens in enumerate(document, 1):
            lines.append(f"# sent_id = text{d:02}-{s}")
            for i, t in enumerate(tokens, 1):
                cells = [i, t.form, t.form.lower(), t.tag, "_", "_", t.head, t.relation, "_", "_"]
                lines.append("\t".join(map(str, cells)))
            lines.append("")
    return "\n".join([*lines, ""])


def make(folder: Path) -> None:
    """Write the gold standard and two systems."""
    rng = random.Random(2022)
    gold = documents(rng, 20)
    systems = {"perceptron": (0.10, 0.14), "biaffine": (0.06, 0.08)}
    (folder / "gold.conllu").write_text(conllu(gold), encoding="utf-8", newline="\n")
    for name, rates in systems.items():
        texts = [[predicted(rng, tokens, *rates) for tokens in document] for document in gold]
        (folder / f"{name}.conllu").write_text(conllu(texts), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    run(make, "pos")
