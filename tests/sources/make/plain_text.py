"""Make two translations and two references of random text, scored by sacrebleu's command.

python tests/sources/make/plain_text.py
"""

import random
import subprocess
import sys
from pathlib import Path

from saved import save_case

HERE = Path(__file__).parents[1] / "data" / "text"
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "house",
    "sees",
    "runs",
    ",",
    "on",
    "under",
    "small",
    "old",
    "red",
    "quick",
    "river",
    ".",
    "don't",
    "café",
    "naïve",
]


def noisy(words, rng, quality):
    kept = [word if rng.random() < quality else rng.choice(WORDS) for word in words]
    if rng.random() < 0.3:
        kept.insert(rng.randrange(len(kept) + 1), rng.choice(WORDS))
    if len(kept) > 3 and rng.random() < 0.3:
        kept = kept[2:] + kept[:2]
    return kept


def write(name, segments):
    (HERE / name).write_text("".join(" ".join(words) + "\n" for words in segments), encoding="utf-8")


def score(metric, options, name):
    """The score of one system in all digits that sacrebleu prints."""
    command = [
        sys.executable,
        "-m",
        "sacrebleu",
        "ref1.txt",
        "ref2.txt",
        "-i",
        name,
        "-m",
        metric,
        *options,
        "-w",
        "12",
    ]
    done = subprocess.run([*command, "-b"], cwd=HERE, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main():
    rng = random.Random(8)
    source = [[rng.choice(WORDS) for _ in range(rng.randint(3, 14))] for _ in range(40)]
    source[11] = ["\u2028", "cat"]  # a line separator of Unicode does not end a segment
    write("ref1.txt", source)
    write("ref2.txt", [noisy(words, rng, 0.8) for words in source])
    systems = {"translator1": 0.8, "translator2": 0.65}
    for name, quality in systems.items():
        translated = [noisy(words, rng, quality) for words in source]
        translated[5] = []  # nothing came out
        write(f"{name}.txt", translated)
    asked = {
        "bleu": ("bleu", []),
        "chrf": ("chrf", []),
        "chrf++": ("chrf", ["--chrf-word-order", "2"]),
        "ter": ("ter", []),
    }
    found = {mine: {n: score(*how, f"{n}.txt") for n in systems} for mine, how in asked.items()}
    facts = {
        "format": "text",
        "files": [f"{name}.txt" for name in systems],
        "gold": ["ref1.txt", "ref2.txt"],
        "metric": "bleu",
        "systems": list(systems),
        "items": len(source),
        "scores": found.pop("bleu"),
        "others": found,
        "rounded": 1e-10,
        "made_by": "random words; scored by the command of sacrebleu 2.6.0",
    }
    save_case(HERE, **facts)


if __name__ == "__main__":
    main()
