"""Make the case of HELM: two toy models that say whether numbers are even, run and summarized by the tool.

pip install 'crfm-helm[images]==0.5.16'
python tests/sources/make/helm_runs.py

Instances are also perturbed (written in lower case), and there are two trials. Only the measured times differ when the
case is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from unittest import mock

from saved import save_case

FOLDER = Path(__file__).parents[1] / "data" / "helm"
MODELS = {"toy/small": 0.3, "toy/large": 0.6}
INSTANCES = 4
TRIALS = 2
CONFIGURED = {
    "model_metadata.yaml": """models:
  - {name: NAME, display_name: NAME, description: A toy., creator_organization_name: Toy, access: open,
     release_date: 2026-01-01, tags: [TEXT_MODEL_TAG, FULL_FUNCTIONALITY_TEXT_MODEL_TAG]}
""",
    "model_deployments.yaml": """model_deployments:
  - {name: NAME, model_name: NAME, tokenizer_name: simple/tokenizer1, max_sequence_length: 2048,
     client_spec: {class_name: helm_runs.Toy}}
""",
}


def toy_client() -> type:
    """A client that is right as often as its name says."""
    from helm.clients.simple_client import SimpleClient

    class Toy(SimpleClient):
        def invoke_model(self, raw_request):
            prompt, engine = raw_request["prompt"], raw_request["engine"]
            question = prompt.splitlines()[-2] + str(len(prompt))
            digest = hashlib.sha256(f"{engine}|{question}".encode()).digest()
            is_right = int.from_bytes(digest[:8], "big") / 2**64 < MODELS[f"toy/{engine}"]
            is_even = int(next(word for word in question.split() if word.isdigit())) % 2 == 0
            return {"completions": ["Even" if is_even == is_right else "Odd"]}

    return Toy


def add_run() -> None:
    """The run of which HELM knows the parts: numbers from a scenario of its own, two trials, one perturbation."""
    from dataclasses import replace

    from helm.benchmark.augmentations.data_augmenter import DataAugmenterSpec
    from helm.benchmark.augmentations.perturbation import PerturbationSpec
    from helm.benchmark.metrics.common_metric_specs import get_basic_generation_metric_specs
    from helm.benchmark.run_spec import run_spec_function
    from helm.benchmark.run_specs.simple_run_specs import get_simple_short_answer_qa_run_spec

    lower = PerturbationSpec(class_name="helm.benchmark.augmentations.lowercase_perturbation.LowerCasePerturbation")

    @run_spec_function("parity")
    def parity():
        spec = get_simple_short_answer_qa_run_spec()
        return replace(
            spec,
            name="parity",
            adapter_spec=replace(spec.adapter_spec, num_train_trials=TRIALS, max_train_instances=2),
            metric_specs=get_basic_generation_metric_specs(["exact_match", "f1_score"]),
            data_augmenter_spec=DataAugmenterSpec(
                perturbation_specs=[lower], should_augment_eval_instances=True, should_include_original_eval=True
            ),
        )


def run(folder: Path) -> None:
    """Run and summarize."""
    from helm.benchmark import run as runner
    from helm.benchmark.presentation import summarize

    configured = folder / "prod_env"
    configured.mkdir()
    for name, text in CONFIGURED.items():
        head, entry = text.split("\n", 1)
        entries = "".join(entry.replace("NAME", model) for model in MODELS)
        (configured / name).write_text(f"{head}\n{entries}", encoding="utf-8")
    entries = [f"parity:model={model}" for model in MODELS]
    asked = ["--suite", "v1", "--max-eval-instances", str(INSTANCES), "--num-threads", "1"]
    with mock.patch.object(sys, "argv", ["helm-run", "--run-entries", *entries, *asked]):
        runner.main()
    with mock.patch.object(sys, "argv", ["helm-summarize", "--suite", "v1"]):
        summarize.main()


def averages(path: Path, perturbed: bool) -> dict[str, float]:
    """The statistics that HELM reports for the instances as they are, or for the perturbed ones."""
    found = {}
    for stat in json.loads(path.read_text(encoding="utf-8")):
        perturbation = stat["name"].get("perturbation")
        if (perturbation is None) != perturbed and (not perturbed or perturbation["computed_on"] == "perturbed"):
            found[stat["name"]["name"]] = stat.get("mean")
    return found


def portable(name: str) -> str:
    """The name of a folder without the colon, which not every system allows."""
    return name.replace(":", ",")


def keep(runs: Path) -> None:
    """Of the runs, what the case needs."""
    names = [path.name for path in sorted(runs.glob("parity*"), reverse=True)]
    for name in names:
        (FOLDER / portable(name)).mkdir(parents=True)
        for kept in ("per_instance_stats.json", "instances.json"):
            (FOLDER / portable(name) / kept).write_bytes((runs / name / kept).read_bytes())
    means = {name.partition("model=")[2]: averages(runs / name / "stats.json", perturbed=False) for name in names}
    scores = {metric: {model: mean[metric] for model, mean in means.items()} for metric in ("exact_match", "f1_score")}
    save_case(
        FOLDER,
        format="helm",
        files=[f"{portable(name)}/per_instance_stats.json" for name in names],
        metric="exact_match",
        systems=list(means),
        items=INSTANCES * TRIALS,
        groups=INSTANCES,
        scores=scores.pop("exact_match"),
        others=scores,
        made_by=f"crfm-helm {version('crfm-helm')}",
    )


Toy = None
if __name__ == "__main__":
    sys.modules["helm_runs"] = sys.modules["__main__"]  # where the configuration finds the client
    Toy = toy_client()
    add_run()
    shutil.rmtree(FOLDER, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)
        run(Path(temporary))
        keep(Path(temporary) / "benchmark_output" / "runs" / "v1")
