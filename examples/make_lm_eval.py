"""Two language models on sums in words, logged as by lm-evaluation-harness: ``python examples/make_lm_eval.py [DIR]``.

Each model has a folder with one file, in which every question is answered through two filters.
"""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

from english import NAMES, run

FILE = "samples_word_sums_2026-01-15T10-00-00.000000.jsonl"
#: how often each model is right, and how often it then says no more than the number
MODELS = {"acme__tiny-1b": (0.55, 0.7), "acme__large-7b": (0.75, 0.9)}


def question(rng: random.Random) -> tuple[str, int]:
    """A sum of two numbers in words, and what it makes."""
    name, (a, b) = rng.choice(NAMES["PER"])[0], (rng.randint(2, 60), rng.randint(2, 60))
    return f"{name} has {a} letters and gets {b} more. How many letters does {name} have?", a + b


def digest(value: object) -> str:
    """What tells questions apart."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def sample(i: int, text: str, right: int, said: str, through: str, found: str) -> dict[str, object]:
    """One line of the log."""
    doc = {"question": text, "answer": str(right)}
    prompt = f"Q: {text}\nA:"
    return {
        "doc_id": i,
        "doc": doc,
        "target": str(right),
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": ["\n"]}}},
        "resps": [[said]],
        "filtered_resps": [found],
        "filter": through,
        "metrics": ["exact_match"],
        "doc_hash": digest(doc),
        "prompt_hash": digest(prompt),
        "target_hash": digest(str(right)),
        "exact_match": float(found == str(right)),
    }


def answered(rng: random.Random, right: int, skill: float, terse: float) -> tuple[str, str]:
    """What a model says, and the number in it."""
    number = str(right if rng.random() < skill else right + rng.choice([-10, -1, 1, 10]))
    return (number if rng.random() < terse else f"The answer is {number} letters."), number


def make(folder: Path) -> None:
    """Write the samples of two models."""
    rng = random.Random(8)
    questions = [question(rng) for _ in range(80)]
    for model, rates in MODELS.items():
        answers = [answered(rng, right, *rates) for _, right in questions]
        lines = [
            sample(i, text, right, said, through, number if through == "flexible-extract" else said)
            for through in ("strict-match", "flexible-extract")
            for i, ((text, right), (said, number)) in enumerate(zip(questions, answers, strict=True))
        ]
        (folder / model).mkdir(exist_ok=True)
        written = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / model / FILE).write_text(written, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    run(make, "lm_eval")
