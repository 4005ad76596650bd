"""Make the case of Every Eval Ever: its converter turns the samples of the case lm_eval_filters into its own.

pip install 'every-eval-ever==0.3.0'
python tests/sources/make/every_eval_ever_samples.py
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
FOLDER = DATA / "every_eval_ever"
LOGS = DATA / "lm_eval_filters"
FILTER = "strict-match"


def results(model: str, score: float) -> dict:
    """What the converter wants to know of the run besides the samples."""
    return {
        "results": {"toy_sums": {"alias": "toy_sums", f"exact_match,{FILTER}": score}},
        "configs": {"toy_sums": {"task": "toy_sums", "dataset_path": "json", "test_split": "test"}},
        "higher_is_better": {"toy_sums": {"exact_match": True}},
        "n-samples": {"toy_sums": {"original": 24, "effective": 24}},
        "config": {"model": "toy", "model_args": f"pretrained={model}"},
        "model_name": model,
        "date": 1795075200.0,
        "lm_eval_version": "0.4.13",
    }


def convert(folder: Path, model: str, score: float) -> Path:
    (folder / "results_2026-11-19T08-00-00.000000.json").write_text(json.dumps(results(model, score)))
    target = folder / "out"
    options = ["--include_samples", "--source_organization_name", "toy", "--evaluator_relationship", "first_party"]
    command = [sys.executable, "-m", "every_eval_ever", "convert", "lm_eval", *options]
    subprocess.run([*command, "--log_path", str(folder), "--output_dir", str(target)], check=True)
    return next(target.rglob("*_samples.jsonl"))


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    source = json.loads((LOGS / "case.json").read_text(encoding="utf-8"))
    scores = {name.replace("__", "/"): score for name, score in source["scores"].items()}
    files = [f"{model.rpartition('/')[2]}_samples.jsonl" for model in scores]
    for log, (model, score), file in zip(source["files"], scores.items(), files, strict=True):
        with tempfile.TemporaryDirectory() as scratch:
            shutil.copy(LOGS / log, scratch)
            shutil.copy(convert(Path(scratch), model, score), FOLDER / file)
    facts = {
        "format": "every-eval-ever",
        "files": files,
        "options": {"filter": f"exact_match:{FILTER}"},
        "metric": "score",
        "systems": list(scores),
        "items": source["items"],
        "groups": None,
        "scores": scores,
        "made_by": f"every-eval-ever {version('every-eval-ever')}, from the samples of the case lm_eval_filters",
    }
    (FOLDER / "case.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
