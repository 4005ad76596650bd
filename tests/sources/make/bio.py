"""Make tagged sentences as in CoNLL-2003 and two taggings of them, scored by seqeval.

    python tests/sources/make/bio.py

The folder conlleval beside this one holds the same sentences with gold and prediction in one file. A port of conlleval
(the package conlleval by sighsmile) gives the same scores.
"""

import random
from pathlib import Path

from saved import save_case
from seqeval.metrics import accuracy_score, f1_score

HERE = Path(__file__).parents[1] / "data" / "bio"
THERE = HERE.parent / "conlleval"
TAGS = ["O", "O", "O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC", "B-MISC"]
FORMS = ["EU", "rejects", "German", "call", "to", "boycott", "British", "lamb", "Peter", "Blackburn"]


def noisy(tags, rng, quality):
    return [tag if rng.random() < quality else rng.choice(TAGS) for tag in tags]


def sentence(rng):
    """Forms and tags of a sentence, spans begun by B- or by I- as the older scheme has it."""
    n = rng.randint(1, 10)
    return [rng.choice(FORMS) for _ in range(n)], [rng.choice(TAGS) for _ in range(n)]


def write(path, documents, columns):
    with path.open("w", encoding="utf-8") as file:
        for d, document in enumerate(documents):
            file.write("-DOCSTART- -X- -X- O" + (" O" if columns > 1 else "") + "\n\n")
            for s, (forms, *tags) in enumerate(document):
                for form, *row in zip(forms, *tags[-columns:], strict=True):
                    file.write(" ".join([form, "NNP", "B-NP", *row]) + "\n")
                file.write("\n" if (d, s) != (len(documents) - 1, len(document) - 1) else "")


def facts_of(gold, systems, **facts):
    return {
        "metric": "span_f1",
        "systems": list(systems),
        "items": len(gold),
        "scores": {name: float(f1_score(gold, tags)) for name, tags in systems.items()},
        "others": {"token_accuracy": {name: float(accuracy_score(gold, tags)) for name, tags in systems.items()}},
        **facts,
    }


def main():
    rng = random.Random(3)
    gold = [[sentence(rng) for _ in range(rng.randint(2, 8))] for _ in range(7)]
    flat = [tags for document in gold for _, tags in document]
    tagged = {
        name: [[(forms, tags, noisy(tags, rng, quality)) for forms, tags in document] for document in gold]
        for name, quality in (("tagger1", 0.9), ("tagger2", 0.75))
    }
    predicted = {name: [tags for document in there for _, _, tags in document] for name, there in tagged.items()}
    write(HERE / "gold.txt", gold, 1)
    for name, documents in tagged.items():
        write(HERE / f"{name}.txt", documents, 1)
        write(THERE / f"{name}.txt", documents, 2)
    facts = facts_of(
        flat,
        predicted,
        format="bio",
        made_by="random tags; scored by seqeval 1.2.2",
        files=[f"{name}.txt" for name in tagged],
    )
    save_case(HERE, **facts, gold="gold.txt", options={"group": "document"}, groups=len(gold))
    save_case(THERE, **facts)


if __name__ == "__main__":
    main()
