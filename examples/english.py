"""A little English to make the examples of: sentences of a small grammar, with tags, heads and names.

Everything is drawn from a seeded generator, so that the scripts write the same files wherever they run.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

WORDS = {
    "DET": ["the", "a", "this", "every", "some"],
    "ADJ": ["quiet", "old", "bright", "local", "careful", "recent", "small", "foreign"],
    "NOUN": ["committee", "river", "report", "engine", "teacher", "market", "letter", "garden", "bridge", "village"],
    "VERB": ["described", "crossed", "repaired", "welcomed", "measured", "visited", "praised", "left"],
    "ADP": ["near", "with", "after", "behind", "without", "under"],
    "ADV": ["slowly", "again", "yesterday", "quickly", "rarely"],
}
NAMES = {
    "PER": [["Ada", "Moreau"], ["Tom", "Lindqvist"], ["Mara"], ["Elena", "de", "Souza"], ["Okafor"]],
    "ORG": [["Northern", "Rail"], ["Hillside", "College"], ["Ferro", "Bank"], ["Unimark"]],
    "LOC": [["Lisbon"], ["Port", "Adair"], ["Lake", "Verel"], ["Kyoto"]],
}


class Token(NamedTuple):
    """A word with its tag, the place of its head (0 for the root), its relation, and the entity it is part of."""

    form: str
    tag: str
    head: int
    relation: str
    entity: str


def sentence(rng: random.Random) -> list[Token]:
    """Subject, verb, object, sometimes more."""
    parts = [*_nominal(rng, "nsubj"), [(rng.choice(WORDS["VERB"]), "VERB", "root", "O", 0)], *_nominal(rng, "obj")]
    if rng.random() < 0.5:
        parts += _nominal(rng, "obl", rng.choice(WORDS["ADP"]))
    if rng.random() < 0.3:
        parts.append([(rng.choice(WORDS["ADV"]), "ADV", "advmod", "O", 0)])
    parts.append([(".", "PUNCT", "punct", "O", 0)])
    return _with_heads([word for part in parts for word in part])


def _nominal(rng: random.Random, relation: str, preposition: str = "") -> list[list[tuple[str, str, str, str, int]]]:
    """A noun with what belongs to it, or a name; the last number is how far right the head is, 0 for the verb."""
    before = [(preposition, "ADP", "case")] if preposition else []
    if rng.random() < 0.4:
        kind = rng.choice(list(NAMES))
        name = rng.choice(NAMES[kind])
        words = [(form, "PROPN", "flat", f"{'B' if i == 0 else 'I'}-{kind}", 1) for i, form in enumerate(name)]
        words[-1] = (words[-1][0], "PROPN", relation, words[-1][3], 0)
    else:
        before.append((rng.choice(WORDS["DET"]), "DET", "det"))
        if rng.random() < 0.4:
            before.append((rng.choice(WORDS["ADJ"]), "ADJ", "amod"))
        words = [(rng.choice(WORDS["NOUN"]), "NOUN", relation, "O", 0)]
    return [[(form, tag, what, "O", 1) for form, tag, what in before] + words]


def _with_heads(words: list[tuple[str, str, str, str, int]]) -> list[Token]:
    """Dependents of a nominal hang on its last word, which hangs on the verb."""
    verb = 1 + next(i for i, word in enumerate(words) if word[2] == "root")
    tokens = []
    for i, (form, tag, relation, entity, inside) in enumerate(words):
        last = 1 + next(j for j in range(i, len(words)) if not words[j][4])
        head = 0 if relation == "root" else last if inside else verb
        tokens.append(Token(form.capitalize() if i == 0 else form, tag, head, relation, entity))
    return tokens


def documents(rng: random.Random, number: int) -> list[list[list[Token]]]:
    """Documents of three to eight sentences."""
    return [[sentence(rng) for _ in range(rng.randint(3, 8))] for _ in range(number)]


def run(make: Callable[[Path], None], name: str) -> None:
    """Write an example into its folder here, or below the folder that is given on the command line."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent) / name
    target.mkdir(parents=True, exist_ok=True)
    make(target)
