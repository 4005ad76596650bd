"""Make what comet-score writes and prints for two systems.

    python tests/sources/make/comet.py

The models of COMET have to be downloaded, so the scores are drawn at random. Keys, order and numbers are written as
comet/cli/score.py of unbabel-comet 2.2.7 does: float32 scores, as doubles in JSON and with four decimals in text.
"""

import json
import random
from pathlib import Path

import numpy as np
from saved import save_case

HERE = Path(__file__).parents[1] / "data" / "comet_json"
MADE_BY = "schema-faithful to comet/cli/score.py of unbabel-comet 2.2.7: its models have to be downloaded"


def main():
    rng = random.Random(4)
    data = {
        name: [
            {"src": f"Satz {i}.", "mt": f"sentence {i} by {name}", "ref": f"Sentence {i}."}
            | {"COMET": float(np.float32(rng.betavariate(shape, 2)))}
            for i in range(30)
        ]
        for name, shape in (("sysA.txt", 9), ("sysB.txt", 7))
    }
    for segment in data["sysA.txt"][:2]:  # models that explain themselves
        segment["errors"] = [{"start": 0, "end": 8, "confidence": 0.4, "severity": "minor", "text": "sentence"}]
    scores = {name: [segment["COMET"] for segment in segments] for name, segments in data.items()}
    means = {name: sum(found) / len(found) for name, found in scores.items()}
    (HERE / "out.json").write_text(json.dumps(data, ensure_ascii=False, indent=4), encoding="utf-8")
    lines = [f"{name}\tSegment {i}\tscore: {scores[name][i]:.4f}" for i in range(30) for name in data]
    lines += [f"{name}\tscore: {means[name]:.4f}" for name in data]
    (HERE.parent / "comet_text" / "out.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    facts = {"metric": "COMET", "systems": list(data), "items": 30, "made_by": MADE_BY}
    save_case(HERE, format="comet-json", files=["out.json"], scores=means, **facts)
    rounded = {name: round(mean, 4) for name, mean in means.items()}
    text = HERE.parent / "comet_text"
    save_case(text, format="comet-text", files=["out.txt"], scores=rounded, rounded=1e-4, **facts)


if __name__ == "__main__":
    main()
