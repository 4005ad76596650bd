"""Make the case of Kaldi: two toy recognisers, aligned here and counted by Kaldi's own scripts.

    python tests/sources/make/kaldi.py path/to/kaldi/egs/wsj/s5/utils/scoring

The scripts need perl alone. Kaldi's align-text, which has to be built, is replaced by the alignment of this script; the
rate is the last line but one that wer_per_spk_details.pl writes, of all speakers.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from saved import save_case

FOLDER = Path(__file__).parents[1] / "data" / "kaldi"
WORDS = ["old", "red", "house", "river", "a", "sees", "cat", "and", "dog", "the", "far", "green", "tree", "déjà"]
SYSTEMS = {"gmm": 0.35, "tdnn": 0.15}
UTTERANCES = [f"spk{i // 5}-utt{i:02}" for i in range(20)]
NOTHING = "***"
BELOW = "decode_test/scoring_kaldi/wer_details"


def aligned(words: list[str], rng: random.Random, rate: float) -> str:
    """Pairs of words as align-text writes them."""
    pairs = []
    for word in words:
        if rng.random() < rate / 4:
            pairs.append((NOTHING, rng.choice(WORDS)))
        heard = rng.choice([NOTHING, rng.choice(WORDS)]) if rng.random() < rate else word
        pairs.append((word, heard))
    return " ; ".join(f"{word} {heard}" for word, heard in pairs)


def perl(script: str, text: str, *arguments: str) -> str:
    command = ["perl", f"{sys.argv[1]}/{script}", *arguments]
    return subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=True).stdout


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    rng = random.Random(11)
    references = {utterance: [rng.choice(WORDS) for _ in range(rng.randint(3, 9))] for utterance in UTTERANCES}
    scores = {}
    for system, rate in SYSTEMS.items():
        lines = [f"{utterance} {aligned(words, rng, rate)}\n" for utterance, words in references.items()]
        counted = perl("wer_per_utt_details.pl", "".join(lines), "--special-symbol", NOTHING)
        folder = FOLDER / system / BELOW
        folder.mkdir(parents=True)
        (folder / "per_utt").write_text(counted, encoding="utf-8")
        with tempfile.NamedTemporaryFile("w") as speakers:
            speakers.writelines(f"{utterance} {utterance[:4]}\n" for utterance in UTTERANCES)
            speakers.flush()
            table = perl("wer_per_spk_details.pl", counted, speakers.name)
        (total,) = (line.split() for line in table.splitlines() if line.split()[:2] == ["SUM", "raw"])
        errors, length = int(total[-2]), int(total[3])
        scores[system] = errors / length
    save_case(
        FOLDER,
        format="kaldi",
        files=[f"{system}/{BELOW}/per_utt" for system in SYSTEMS],
        metric="wer",
        systems=list(SYSTEMS),
        items=len(UTTERANCES),
        scores=scores,
        made_by="wer_per_utt_details.pl of Kaldi, on alignments that were given, as align-text has to be built",
    )
