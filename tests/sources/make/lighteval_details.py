"""Make the cases of lighteval: two toy models on a toy task, run by the tool, with metrics of all its kinds.

    pip install 'lighteval==0.13.0' 'xxhash<3.7'
    HF_HUB_OFFLINE=1 python tests/sources/make/lighteval_details.py

The task has metrics of what is generated and of likelihoods, so that lighteval writes two rows about each document.
Versions before 0.8 wrote the fields as text and had other ones; the case lighteval_old holds the same scores so.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path
from unittest import mock

from datasets import Dataset
from lighteval.logging import evaluation_tracker
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.metrics.metrics import Metrics
from lighteval.models.dummy.dummy_model import DummyModel, DummyModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.registry import Registry
from lighteval.tasks.requests import Doc
from saved import save_case

DATA = Path(__file__).parents[1] / "data"
MODELS = {"small": 0.5, "large": 0.8}
DATE = "2026-11-19T08-00-00.000000"
WORDS = ["old", "red", "house", "river", "a", "sees", "cat", "and", "dog", "the", "far", "green", "tree"]
ITEMS = 24
#: not chrF, of which the tool (0.13.0) reports that of the first document: its references are the wrong way round
METRICS = ("acc", "em", "rougeL", "bleu", "mcc")


def draw(*parts: object) -> float:
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def write_dataset(folder: Path) -> None:
    """Copy a phrase; or say whether a word is in it."""
    rng = random.Random(5)
    lines = [
        {"phrase": " ".join(rng.sample(WORDS, rng.randint(4, 8))), "word": rng.choice(WORDS)} for _ in range(ITEMS)
    ]
    (folder / "test.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def prompt(line: dict, task_name: str | None = None) -> Doc:
    """The gold answer is the phrase for generation, and a choice for likelihoods."""
    is_in = line["word"] in line["phrase"].split()
    return Doc(
        task_name=task_name,
        query=f"Copy: {line['phrase']}; is {line['word']} in it?",
        choices=[line["phrase"], "nothing"],
        gold_index=0 if is_in else 1,
        specific={"word": line["word"]},
    )


class Toy(DummyModel):
    """Gets a part of the words, and of the choices, right."""

    def greedy_until(self, docs):
        return [ModelResponse(text=[self._copied(doc)]) for doc in docs]

    def _copied(self, doc):
        gold = doc.get_golds()[0].split()
        kept = [w for i, w in enumerate(gold) if draw(self.config.model_name, doc.query, i) < self._quality() ** 0.25]
        return " ".join(kept) or "none"

    def loglikelihood(self, docs):
        responses = []
        for doc in docs:
            is_right = draw(self.config.model_name, doc.query) < self._quality()
            logprobs = [-1.5, -1.5]
            logprobs[doc.gold_index if is_right else 1 - doc.gold_index] = -0.5
            responses.append(ModelResponse(logprobs=logprobs, argmax_logits_eq_gold=[is_right, is_right]))
        return responses

    def _quality(self):
        return MODELS[self.config.model_name.split("/")[-1]]


def task(folder: Path) -> LightevalTaskConfig:
    """Metrics of samples and of the corpus."""
    return LightevalTaskConfig(
        name="toy",
        prompt_function=prompt,
        hf_repo=str(folder),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        metrics=[
            Metrics.exact_match,
            Metrics.rougeL,
            Metrics.bleu,
            Metrics.chrf,
            Metrics.loglikelihood_acc,
            Metrics.mcc,
        ],
        generation_size=20,
        stop_sequence=["\n"],
    )


def run(model: str, output: Path) -> dict[str, float]:
    """Let lighteval evaluate a model and write everything; the scores it reports."""
    tracker = EvaluationTracker(output_dir=str(output), save_details=True)
    toy = Toy(DummyModelConfig(model_name=f"toy/{model}", cache_dir=str(output / "cache")))
    pipeline = Pipeline("toy|0", PipelineParameters(launcher_type=ParallelismManager.NONE), tracker, model=toy)
    pipeline.evaluate()
    with mock.patch.object(evaluation_tracker, "datetime") as clock:
        clock.now.return_value.isoformat.return_value = DATE
        pipeline.save_and_push_results()
    return pipeline.get_results()["results"]["toy:0"]


def save(folder: Path, scores: dict[str, dict[str, float]], made_by: str) -> None:
    by_metric = {metric: {model: scores[model][metric] for model in MODELS} for metric in METRICS}
    save_case(
        folder,
        format="lighteval",
        files=[str(path.relative_to(folder)) for model in MODELS for path in folder.glob(f"{model}/**/*.parquet")],
        metric="acc",
        systems=list(MODELS),
        items=ITEMS,
        scores=by_metric.pop("acc"),
        others=by_metric,
        needs=["pyarrow", "polars", "duckdb"],
        made_by=made_by,
    )


def keep(folder: Path, target: Path) -> None:
    """The details, and what an old version would have made of them."""
    for model in MODELS:
        (path,) = (folder / "details" / "toy" / model).glob("*/*.parquet")
        name = path.name.replace("|", "_")  # not every system allows a bar
        for case in ("lighteval", "lighteval_old"):
            (target / case / model / DATE).mkdir(parents=True)
        shutil.copy(path, target / "lighteval" / model / DATE / name)
        rows = Dataset.from_parquet(str(path)).to_list()
        as_text = Dataset.from_list([{key: str(value) for key, value in before_0_8(row).items()} for row in rows])
        as_text.to_parquet(str(target / "lighteval_old" / model / DATE / name))


def before_0_8(row: dict) -> dict:
    """A row as the dataclass Detail of lighteval 0.7.0 has it."""
    doc, response = row["doc"], row["model_response"]
    fields = {
        "example": doc["query"],
        "instruction": "",
        "full_prompt": doc["query"],
        "num_effective_few_shots": 0,
        "num_asked_few_shots": 0,
        "predictions": response["text"] or response["logprobs"],
        "input_tokens": [],
        "cont_tokens": [],
        "truncated": [0],
        "padded": [0],
        "gold": [doc["choices"][doc["gold_index"]]],
        "pred_logits": [],
        "choices": doc["choices"],
        "gold_index": [doc["gold_index"]],
        "metrics": {name: value for name, value in row["metric"].items() if value is not None},
        "specifics": doc["specific"],
    }
    return dict(sorted(fields.items()))


if __name__ == "__main__":
    for case in ("lighteval", "lighteval_old"):
        shutil.rmtree(DATA / case, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_dataset(folder)
        # importing all of its own tasks needs a network
        Registry.load_all_task_configs = staticmethod(lambda **_: {"toy": task(folder)})
        scores = {model: run(model, folder) for model in MODELS}
        keep(folder, DATA)
    save(DATA / "lighteval", scores, f"lighteval {version('lighteval')}")
    old = "schema-faithful to lighteval 0.7.0 (which does not run with today's torch), from the case lighteval"
    save(DATA / "lighteval_old", scores, old)
