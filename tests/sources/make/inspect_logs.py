"""Make the cases of Inspect: two mock models on a toy task, run by inspect_ai, which needs no network for this.

    pip install 'inspect_ai==0.3.285'
    python tests/sources/make/inspect_logs.py

Everything is what the tool wrote, and the aggregates in ``case.json`` are those of its log. Identifiers
and times change with each run.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
import tempfile
import zipfile
from importlib.metadata import version
from pathlib import Path

from inspect_ai import Task, eval  # noqa: A004
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Score, accuracy, match, mean, scorer
from inspect_ai.solver import solver

DATA = Path(__file__).parents[1] / "data"
MADE_BY = f"inspect_ai {version('inspect_ai')}"
SKILLS = {"small": 0.5, "large": 0.75}
SYSTEMS = [f"mockllm/{name}" for name in SKILLS]


def chance(*parts: object) -> float:
    """A number in [0, 1) that depends on nothing but the arguments."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


@scorer(metrics={"len": [mean()], "ok": [mean()]})
def multi():
    """Two numbers."""

    async def score(state, target):
        said = state.output.completion
        return Score(value={"len": len(said) / 8, "ok": target.text in said})

    return score


@scorer(metrics=[accuracy()])
def letters():
    """The four letters of Inspect, and samples that were not scored."""

    async def score(state, target):  # noqa: ARG001
        draw = chance("letter", state.model, state.sample_id, state.epoch)
        return Score(value=math.nan if draw < 0.1 else "CIPN"[int(4 * draw)])

    return score


@solver
def answer(failing: float):
    """Ask the mock model, which may break down."""

    async def solve(state, generate):  # noqa: ARG001
        name = str(state.model)
        if chance("fail", name, state.sample_id, state.epoch) < failing:
            raise RuntimeError("the model broke down")
        skill = SKILLS[name.rpartition("/")[2]]
        right = chance(name, state.sample_id, state.epoch) < skill
        said = state.target.text if right else {"yes": "no", "no": "yes"}[state.target.text]
        state.output = ModelOutput.from_content(name, f"I say {said}")
        return state

    return solve


def toy(scorers: list, failing: float = 0) -> Task:
    samples = [
        Sample(
            id=f"s{i}",
            input=f"Is {i} even?",
            target="no" if i % 2 else "yes",
            metadata={"passage": i // 3},
        )
        for i in range(12)
    ]
    return Task(samples, solver=answer(failing), scorer=scorers, name="toy")


def run(folder: Path, task: Task, form: str, **options: object) -> list:
    """Evaluate both models, and keep their logs as small.eval and large.eval, or .json."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as logs:
        models = [get_model(name) for name in SYSTEMS]
        out = eval(task, model=models, log_dir=logs, log_format=form, display="none", **options)
        for log, name in zip(out, SKILLS, strict=True):
            keep(Path(log.location.removeprefix("file://")), folder / f"{name}.{form}")
    return out


def keep(log: Path, target: Path) -> None:
    """Copy a log, without the places of files on this machine, which are in the tracebacks of samples that failed."""
    if log.suffix == ".json":
        shutil.copy(log, target)
        return
    with zipfile.ZipFile(log) as source, zipfile.ZipFile(target, "w") as kept:
        for member in source.infolist():
            text = source.read(member).decode("utf-8")
            kept.writestr(member, re.sub(r"(?:/[\w.\-]+)+/([\w\-]+\.py)", r"\1", text), member.compress_type)


def reported(logs: list, scorer: str, metric: str) -> dict[str, float]:
    return {
        log.eval.model: score.metrics[metric].value
        for log in logs
        for score in log.results.scores
        if score.name == scorer
    }


def describe(folder: Path, form: str, **facts: object) -> None:
    facts = {
        "format": "inspect",
        "files": [f"{name}.{form}" for name in SKILLS],
        "systems": SYSTEMS,
        "made_by": MADE_BY,
        **({"needs": ["compression.zstd", "backports.zstd"]} if form == "eval" else {}),
        **facts,
    }
    (folder / "case.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def make() -> None:
    folder = DATA / "inspect_epochs"
    logs = run(folder, toy([match(location="end"), multi()]), "eval", epochs=2)
    describe(folder, "eval", metric="match", items=24, groups=12, scores=reported(logs, "match", "accuracy"))

    folder = DATA / "inspect_json"
    logs = run(folder, toy([match(location="end"), multi()]), "json")
    scores = reported(logs, "len", "mean")
    options = {"group": "metadata.passage"}
    describe(folder, "json", metric="multi.len", options=options, items=12, groups=4, scores=scores)

    folder = DATA / "inspect_unscored"
    logs = run(folder, toy([letters()], failing=0.15), "eval", fail_on_error=False)
    compare = {"nan_policy": "omit"}
    scores = reported(logs, "letters", "accuracy")
    describe(folder, "eval", metric="letters", compare=compare, items=12, groups=None, scores=scores)


if __name__ == "__main__":
    for old in DATA.glob("inspect_*"):
        shutil.rmtree(old)
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chdir(elsewhere)  # the log names the repository it is run in
        make()
