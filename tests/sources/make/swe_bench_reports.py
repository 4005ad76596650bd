"""Make the case of SWE-bench: the harness's report of two toy models.

    pip install 'swebench==5.0.2'
    python tests/sources/make/swe_bench_reports.py

Running the tests of an instance needs containers; here their outcomes are given, and the harness makes its report.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

from swebench.harness.constants import LOG_REPORT, RUN_EVALUATION_LOG_DIR
from swebench.harness.reporting import make_run_report

FOLDER = Path(__file__).parents[1] / "data" / "swe_bench"
MODELS = {"toy__small": 0.3, "toy__large": 0.55}
RUN = "verified"
INSTANCES = [f"{repository}-{1000 + i}" for repository in ("toy__web", "toy__plot", "toy__db") for i in range(8)]


def chance(*parts: object) -> float:
    """A number in [0, 1) that depends on nothing but the arguments."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def predict(model: str) -> dict[str, dict]:
    """A patch for most instances, empty for some, with the outcome of its tests where they ran."""
    predictions = {}
    for id in INSTANCES:  # noqa: A001
        fate = chance("fate", model, id)
        if fate < 0.1:
            continue  # not submitted
        patch = "" if fate < 0.2 else "--- a\n+++ b\n"
        predictions[id] = {"instance_id": id, "model_name_or_path": model, "model_patch": patch}
        if fate > 0.25:  # between: an error
            log = RUN_EVALUATION_LOG_DIR / RUN / model / id / LOG_REPORT
            log.parent.mkdir(parents=True)
            log.write_text(json.dumps({id: {"resolved": chance(model, id) < MODELS[model]}}))
    return predictions


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        data = [{"instance_id": instance} for instance in INSTANCES]
        for model in MODELS:
            make_run_report(predict(model), data, RUN, report_dir=str(FOLDER))
        os.chdir(FOLDER)
    files = [f"{model}.{RUN}.json" for model in MODELS]
    reports = [json.loads((FOLDER / file).read_text(encoding="utf-8")) for file in files]
    systems = [f"{model}.{RUN}" for model in MODELS]
    facts = {
        "format": "swe-bench",
        "files": files,
        "options": {"group": "repository"},
        "metric": "resolved",
        "systems": systems,
        "items": len(INSTANCES),
        "groups": 3,
        "scores": {
            system: report["resolved_instances"] / report["total_instances"]
            for system, report in zip(systems, reports, strict=True)
        },
        "made_by": f"swebench {version('swebench')}, from outcomes that were given, as running tests needs containers",
    }
    (FOLDER / "case.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
