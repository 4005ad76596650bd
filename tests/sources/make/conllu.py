"""Make a small treebank and two parses of it, and score them.

    python tests/sources/make/conllu.py path/to/conll18_ud_eval.py

The text is drawn at random. The script of the CoNLL 2018 shared task is in stanza, stanza/utils/conll18_ud_eval.py.
"""

import importlib.util
import random
import sys
from pathlib import Path

from saved import save_case

HERE = Path(__file__).parents[1] / "data" / "conllu"
WORDS = {
    "NOUN": (["dog", "house", "idea", "river", "test"], ["NN"], ["Number=Sing", "Number=Plur"]),
    "VERB": (["run", "see", "build", "think"], ["VB", "VBD"], ["Tense=Pres", "Tense=Past"]),
    "DET": (["the", "a"], ["DT"], ["_"]),
    "ADJ": (["old", "exact", "small"], ["JJ"], ["Degree=Pos"]),
}
RELATIONS = ["nsubj", "nsubj:pass", "obj", "obl", "obl:tmod", "det", "amod", "nmod:poss"]


def sentence(rng):
    """Columns of each word of a random tree."""
    n = rng.randint(2, 9)
    order = rng.sample(range(1, n + 1), n)
    heads = {order[0]: 0, **{word: rng.choice(order[:i]) for i, word in enumerate(order) if i}}
    words = []
    for i in range(1, n + 1):
        upos = rng.choice(list(WORDS))
        forms, xpos, feats = (rng.choice(choices) for choices in WORDS[upos])
        relation = rng.choice(RELATIONS) if heads[i] else "root"
        words.append(
            [str(i), forms + rng.choice(["", "s"]), forms, upos, xpos, feats, str(heads[i]), relation, "_", "_"]
        )
    return words


def parsed(words, rng, quality):
    """The same words with errors; the tree stays a tree, because a word that is nobody's head moves."""
    words = [list(word) for word in words]
    for word in words:
        if rng.random() > quality:
            word[3] = rng.choice(list(WORDS))
        if rng.random() > quality:
            word[4] = "XX"
        if rng.random() > quality:
            word[5] = "Number=Sing"
        if rng.random() > quality:
            word[2] += "x"
        if word[6] != "0" and rng.random() > quality:
            word[7] = rng.choice(RELATIONS)
        if word[6] != "0" and word[0] not in {other[6] for other in words} and rng.random() > quality:
            word[6] = rng.choice([other[0] for other in words if other is not word])
    return words


def write(name, documents, comments):
    with (HERE / name).open("w", encoding="utf-8") as file:
        for d, sentences in enumerate(documents):
            for s, words in enumerate(sentences):
                if comments and s == 0:
                    file.write(f"# newdoc id = doc{d}\n")
                file.write(f"# sent_id = doc{d}-{s}\n")
                if comments:
                    file.write(f"# text = {' '.join(word[1] for word in words)}\n")
                for word in words:
                    if word[0] == "1" and s % 4 == 1:  # a range, as in "don't"
                        file.write("\t".join(["1-2", word[1] + words[1][1], *"_" * 8]) + "\n")
                    file.write("\t".join(word) + "\n")
                    if word[0] == "2" and s % 4 == 2 and comments:  # an empty node
                        file.write("\t".join(["2.1", "ran", "run", "VERB", *"___", "_", "2:conj", "_"]) + "\n")
                file.write("\n")


def scores(evaluate, name):
    found = evaluate.evaluate(
        evaluate.load_conllu_file(str(HERE / "gold.conllu")), evaluate.load_conllu_file(str(HERE / name))
    )
    return {metric: found[metric].aligned_accuracy for metric in ("LAS", "UAS", "UPOS", "XPOS", "UFeats", "Lemmas")}


def main(script):
    spec = importlib.util.spec_from_file_location("conll18_ud_eval", script)
    evaluate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(evaluate)
    rng = random.Random(5)
    gold = [[sentence(rng) for _ in range(rng.randint(3, 7))] for _ in range(6)]
    write("gold.conllu", gold, True)
    write("parser1.conllu", [[parsed(words, rng, 0.85) for words in d] for d in gold], True)
    write("parser2.conllu", [[parsed(words, rng, 0.7) for words in d] for d in gold], False)
    found = {name: scores(evaluate, f"{name}.conllu") for name in ("parser1", "parser2")}
    names = {"UAS": "uas", "UPOS": "upos", "XPOS": "xpos", "UFeats": "feats", "Lemmas": "lemma"}
    facts = {
        "format": "conllu",
        "files": ["parser1.conllu", "parser2.conllu"],
        "gold": "gold.conllu",
        "options": {"group": "document"},
        "metric": "las",
        "systems": ["parser1", "parser2"],
        "items": sum(map(len, gold)),
        "groups": len(gold),
        "scores": {name: found[name]["LAS"] for name in found},
        "others": {mine: {name: found[name][theirs] for name in found} for theirs, mine in names.items()},
        "made_by": "random trees; scored by conll18_ud_eval of the CoNLL 2018 shared task (aligned accuracy)",
    }
    save_case(HERE, **facts)


if __name__ == "__main__":
    main(sys.argv[1])
