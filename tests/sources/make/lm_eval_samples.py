"""Make the lm-eval cases: two toy models on toy tasks, run by lm-evaluation-harness, which needs no network for this.

    pip install 'lm-eval==0.4.13' scikit-learn
    python tests/sources/make/lm_eval_samples.py

The models answer at random, by a hash of the question. What the tool wrote is kept as it is, but for the date in the
names of the files; the aggregates that the tool reports go into ``case.json``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

import datasets
from lm_eval.api.model import LM
from lm_eval.evaluator import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

DATA = Path(__file__).parents[1] / "data"
DATE = "2026-11-19T08-00-00.000000"
MADE_BY = f"lm-eval {version('lm-eval')}"
MODELS = {"toy__small": 0.55, "toy__large": 0.75}

GENERATE = """
task: toy_sums
dataset_path: json
dataset_kwargs: {data_files: {test: DOCS}}
test_split: test
output_type: generate_until
doc_to_text: "Q: {{question}}\\nA:"
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["\\n\\n"]}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
filter_list:
  - name: strict-match
    filter: [{function: regex, regex_pattern: "#### (\\\\-?[0-9]+)"}, {function: take_first}]
  - name: flexible-extract
    filter: [{function: regex, group_select: -1, regex_pattern: "(-?[0-9]+)"}, {function: take_first}]
"""

CHOOSE = """
task: toy_choice_NAME
dataset_path: json
dataset_kwargs: {data_files: {test: DOCS}}
test_split: test
output_type: multiple_choice
doc_to_text: "Q: {{question}}\\nA:"
doc_to_target: "{{label}}"
doc_to_choice: ["yes, certainly", "no"]
metric_list:
  - {metric: acc}
  - {metric: acc_norm}
  - {metric: f1}
  - {metric: mcc}
"""

ROLLING = """
task: toy_perplexity
dataset_path: json
dataset_kwargs: {data_files: {test: DOCS}}
test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "{{text}}"
metric_list:
  - {metric: word_perplexity}
  - {metric: byte_perplexity}
  - {metric: bits_per_byte}
"""


def chance(*parts: object) -> float:
    """A number in [0, 1) that depends on nothing but the arguments."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


class ToyModel(LM):
    """Right with some probability, and sometimes in the wrong form."""

    def __init__(self, name: str, skill: float) -> None:
        super().__init__()
        self.name, self.skill = name, skill

    def generate_until(self, requests):
        return [self._sum(request.args[0]) for request in requests]

    def _sum(self, text: str) -> str:
        x, y = map(int, re.findall(r"(\d+) \+ (\d+) = \?\nA:$", text)[-1])
        value = x + y if chance(self.name, text) < self.skill else x + y + 1
        return f"That makes {value}." if chance("form", self.name, text) < 0.2 else f"Adding up. #### {value}"

    def loglikelihood(self, requests):
        return [(self._score(*request.args), False) for request in requests]

    def _score(self, text: str, choice: str) -> float:
        right = ("yes" in choice) == ("even" in text) if chance(self.name, text) < self.skill else "yes" in choice
        return -0.2 * len(choice) - (0 if right else 4 * chance("by", self.name, text))

    def loglikelihood_rolling(self, requests):
        return [-len(text) * (2 - self.skill + chance(self.name, text)) for (text,) in (r.args for r in requests)]


def sums(n: int) -> list[dict]:
    pairs = [(int(90 * chance("x", i)) + 10, int(90 * chance("y", i)) + 10) for i in range(n)]
    return [{"question": f"{x} + {y} = ?", "answer": str(x + y), "unit": i // 4} for i, (x, y) in enumerate(pairs)]


def choices(n: int, topic: str) -> list[dict]:
    kinds = ["even" if chance(topic, i) < 0.4 else "odd" for i in range(n)]
    return [{"question": f"{topic} {i}: {kind}, is it?", "label": int(kind != "even")} for i, kind in enumerate(kinds)]


def texts(n: int) -> list[dict]:
    return [{"text": " ".join(["word"] * (3 + int(9 * chance("text", i))) + [f"é{i}"])} for i in range(n)]


def run(tasks: dict[str, tuple[str, list[dict]]], folder: Path, scratch: Path) -> dict[str, dict]:
    """Evaluate both models on the tasks, keep the samples in `folder`, and return what the tool reports."""
    configs = scratch / folder.name
    configs.mkdir(parents=True)
    for name, (config, docs) in tasks.items():
        path = configs / f"{name}.jsonl"
        path.write_text("".join(json.dumps(doc, ensure_ascii=False) + "\n" for doc in docs), encoding="utf-8")
        (configs / f"{name}.yaml").write_text(config.replace("DOCS", str(path)), encoding="utf-8")
    reported = {}
    for model, skill in MODELS.items():
        out = simple_evaluate(
            ToyModel(model, skill),
            tasks=list(tasks),
            num_fewshot=0,
            task_manager=TaskManager(include_path=str(configs), include_defaults=False),
            bootstrap_iters=0,
            random_seed=0,
        )
        tracker = EvaluationTracker(output_path=str(scratch / "out" / folder.name))
        tracker.general_config_tracker.model_name_sanitized = model
        tracker.date_id = DATE
        for name, samples in out["samples"].items():
            tracker.save_results_samples(name, samples)
        shutil.copytree(scratch / "out" / folder.name / model, folder / model)
        reported[model] = out["results"]
    return reported


def describe(folder: Path, **facts: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    facts = {"format": "lm-eval", "systems": list(MODELS), "groups": None, "made_by": MADE_BY, **facts}
    (folder / "case.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def files(task: str) -> list[str]:
    return [f"{model}/samples_{task}_{DATE}.jsonl" for model in MODELS]


def means(reported: dict[str, dict], task: str, key: str) -> dict[str, float]:
    return {model: results[task][key] for model, results in reported.items()}


def make_filters(scratch: Path) -> None:
    """Two filters; the same files as an older version wrote them; grouped by a field of the document."""
    folder, docs = DATA / "lm_eval_filters", sums(24)
    reported = run({"toy_sums": (GENERATE, docs)}, folder, scratch)
    for name in ("strict-match", "flexible-extract"):
        case = folder if name == "strict-match" else DATA / "lm_eval_filters_group"
        facts = {"options": {"filter": name}, "groups": None}
        if case != folder:
            facts = {"options": {"filter": name, "group": "doc.unit"}, "groups": 6}
            shutil.copytree(folder, case, ignore=shutil.ignore_patterns("case.json"))
        scores = means(reported, "toy_sums", f"exact_match,{name}")
        describe(case, files=files("toy_sums"), metric="exact_match", items=len(docs), scores=scores, **facts)
    old = DATA / "lm_eval_old"
    for path in files("toy_sums"):
        (old / path).parent.mkdir(parents=True)
        samples = [json.loads(line) for line in (folder / path).read_text(encoding="utf-8").splitlines()]
        for sample in samples:
            del sample["filter"], sample["metrics"]
        (old / path).write_text("".join(json.dumps(s, ensure_ascii=False) + "\n" for s in samples), encoding="utf-8")
    describe(
        old,
        files=files("toy_sums"),
        metric="exact_match",
        options={"filter": "2"},
        items=len(docs),
        scores=means(reported, "toy_sums", "exact_match,flexible-extract"),
        made_by=f"{MADE_BY}, without the fields filter and metrics, as versions before 0.4.6 wrote",
    )


def make_choices(scratch: Path) -> None:
    """Several tasks, joined by a pattern; and one of them with its pairs of labels."""
    topics = {"algebra": choices(17, "algebra"), "history": choices(15, "history")}
    folder = DATA / "lm_eval_parts"
    tasks = {f"toy_choice_{topic}": (CHOOSE.replace("NAME", topic), docs) for topic, docs in topics.items()}
    reported = run(tasks, folder, scratch)
    pooled = {
        model: sum(results[f"toy_choice_{t}"]["acc_norm,none"] * len(d) for t, d in topics.items()) / 32
        for model, results in reported.items()
    }
    describe(
        folder, files=[f"{m}/samples_toy_choice_*.jsonl" for m in MODELS], metric="acc_norm", items=32, scores=pooled
    )
    for metric in ("f1", "mcc"):
        case = DATA / f"lm_eval_{metric}"
        for path in files("toy_choice_algebra"):
            (case / path).parent.mkdir(parents=True)
            shutil.copy(folder / path, case / path)
        scores = means(reported, "toy_choice_algebra", f"{metric},none")
        describe(case, files=files("toy_choice_algebra"), metric=metric, items=17, scores=scores)


def make_perplexity(scratch: Path) -> None:
    """Log-likelihoods: the mean per document is what word_perplexity is made of."""
    folder, docs = DATA / "lm_eval_perplexity", texts(14)
    reported = run({"toy_perplexity": (ROLLING, docs)}, folder, scratch)
    words = sum(len(re.split(r"\s+", doc["text"])) for doc in docs)
    scores = {
        model: -math.log(value) * words / len(docs)
        for model, value in means(reported, "toy_perplexity", "word_perplexity,none").items()
    }
    describe(folder, files=files("toy_perplexity"), metric="loglikelihood", items=len(docs), scores=scores)


if __name__ == "__main__":
    datasets.disable_progress_bars()
    for old in DATA.glob("lm_eval_*"):
        shutil.rmtree(old)
    with tempfile.TemporaryDirectory() as scratch:
        for make in (make_filters, make_choices, make_perplexity):
            make(Path(scratch))
