"""Make a data set in the form of SQuAD 2.0 and two sets of answers, scored by the script in transformers.

    python tests/sources/make/squad.py path/to/transformers/data/metrics/squad_metrics.py

Texts are drawn at random. Of the script, which is the one of SQuAD 2.0, only the functions are executed.
"""

import ast
import collections
import json
import random
import re
import string
import sys
from pathlib import Path
from types import SimpleNamespace

from saved import save_case

HERE = Path(__file__).parents[1] / "data" / "squad"
LIST = HERE.parent / "squad_list"
WORDS = ["the", "Denver", "Broncos", "in", "1999", "a", "small", "river", "Café", "U.S.", "north-west", "of"]


def functions(script):
    tree = ast.parse(Path(script).read_text(encoding="utf-8"))
    found = {"collections": collections, "re": re, "string": string}
    body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    exec(compile(ast.Module(body, []), "squad_metrics.py", "exec"), found)
    return found


def phrase(rng):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 5)))


def dataset(rng):
    articles = []
    for a in range(3):
        paragraphs = []
        for p in range(4):
            questions = []
            for q in range(rng.randint(1, 4)):
                impossible = rng.random() < 0.2
                answers = (
                    [] if impossible else [{"text": phrase(rng), "answer_start": 0} for _ in range(rng.randint(1, 3))]
                )
                questions.append(
                    {"id": f"{a}-{p}-{q}", "question": "What?", "answers": answers, "is_impossible": impossible}
                )
            paragraphs.append({"context": phrase(rng), "qas": questions})
        articles.append({"title": f"Article {a}", "paragraphs": paragraphs})
    return {"version": "v2.0", "data": articles}


def answered(data, rng, quality):
    answers = {}
    for question in (q for article in data for paragraph in article["paragraphs"] for q in paragraph["qas"]):
        right = rng.choice([answer["text"] for answer in question["answers"]] or [""])
        draw = rng.random()
        close = f"The {right}, {rng.choice(WORDS)}" if draw < (1 + quality) / 2 else rng.choice([phrase(rng), ""])
        answers[question["id"]] = right if draw < quality else close
    return answers


def main(script):
    score = functions(script)["get_raw_scores"]
    rng = random.Random(6)
    found = dataset(rng)
    questions = [q for article in found["data"] for paragraph in article["paragraphs"] for q in paragraph["qas"]]
    examples = [SimpleNamespace(qas_id=q["id"], answers=q["answers"]) for q in questions]
    em, f1 = {}, {}
    for folder in (HERE, LIST):
        folder.mkdir(exist_ok=True)
        (folder / "dev.json").write_text(json.dumps(found), encoding="utf-8")
    for name, quality in (("bert", 0.6), ("bidaf", 0.4)):
        answers = answered(found["data"], rng, quality)
        (HERE / f"{name}.json").write_text(json.dumps(answers, indent=4) + "\n", encoding="utf-8")
        as_list = [{"id": q, "prediction_text": text, "no_answer_probability": 0.0} for q, text in answers.items()]
        (LIST / f"{name}.json").write_text(json.dumps(as_list), encoding="utf-8")
        exact, overlap = score(examples, answers)
        em[name], f1[name] = (100 * sum(found.values()) / len(found) for found in (exact, overlap))
    facts = {"format": "squad", "files": [f"{name}.json" for name in em], "gold": "dev.json", "items": len(questions)}
    facts |= {"metric": "squad_em", "systems": list(em), "scores": em, "others": {"squad_f1": f1}}
    facts["made_by"] = "random texts; scored by the SQuAD 2.0 script in transformers 4.49.0"
    save_case(HERE, **facts, groups=12, options={"group": "paragraph"})
    save_case(LIST, **facts, groups=3, options={"group": "article"})


if __name__ == "__main__":
    main(sys.argv[1])
