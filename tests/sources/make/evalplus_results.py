"""Make the cases of EvalPlus: samples of two toy models for toy problems, run by the tool.

pip install 'evalplus==0.3.1'
python tests/sources/make/evalplus_results.py
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from contextlib import redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path

from saved import save_case
from toy_problems import MODELS, PROBLEMS, SAMPLES, completion

DATA = Path(__file__).parents[1] / "data"
PRINTED = re.compile(r"pass@1:\t([\d.]+)")


def results(folder: Path, *, base_only: bool) -> dict[str, list[float]]:
    """Let the tool run the samples of each model; what it prints as pass@1, by base tests and by all."""
    import evalplus.data.humaneval as data
    import evalplus.evaluate as tool

    data.completeness_check = lambda *_: None  # these are not all tasks of HumanEval
    tool.CACHE_DIR = str(folder / "cache")
    printed = {}
    for model in MODELS:
        samples = folder / f"{model}.jsonl"
        lines = [
            {"task_id": problem["task_id"], "completion": completion(model, problem, i)}
            for problem in PROBLEMS
            for i in range(SAMPLES)
        ]
        samples.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        with redirect_stdout(StringIO()) as said:
            tool.evaluate("humaneval", str(samples), base_only=base_only, parallel=1)
        printed[model] = [float(number) for number in PRINTED.findall(said.getvalue())]
        path = folder / f"{model}_eval_results.json"
        evaluated = json.loads(path.read_text(encoding="utf-8"))
        evaluated["date"] = "2026-11-19 08:00"  # so that the file is the same when it is made again
        path.write_text(json.dumps(evaluated), encoding="utf-8")
        samples.unlink()
    shutil.rmtree(tool.CACHE_DIR)
    return printed


def make(name: str, *, base_only: bool) -> None:
    """One case; the tool prints three digits."""
    folder = DATA / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    printed = results(folder, base_only=base_only)
    metrics = ("base",) if base_only else ("base", "plus")
    metric = metrics[-1]
    by_metric = {name: {model: scores[i] for model, scores in printed.items()} for i, name in enumerate(metrics)}
    save_case(
        folder,
        format="evalplus",
        files=[f"{model}_eval_results.json" for model in MODELS],
        metric=metric,
        systems=list(MODELS),
        items=SAMPLES * len(PROBLEMS),
        groups=len(PROBLEMS),
        scores=by_metric.pop(metric),
        others=by_metric,
        rounded=0.0005,
        made_by=f"evalplus {version('evalplus')}",
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        problems = Path(temporary) / "problems.jsonl"
        problems.write_text("".join(json.dumps(problem) + "\n" for problem in PROBLEMS), encoding="utf-8")
        os.environ["HUMANEVAL_OVERRIDE_PATH"] = str(problems)
        make("evalplus", base_only=False)
        make("evalplus_base", base_only=True)
