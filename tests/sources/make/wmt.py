"""Make segment scores of three systems as the WMT metrics task keeps them.

    python tests/sources/make/wmt.py path/to/mt_metrics_eval

The campaigns' files have to be downloaded, so the scores are drawn at random. The means are those of the scores as
``ReadScoreFile`` of mt_metrics_eval/data.py reads them, which is executed here on its own.
"""

import ast
import collections
import random
import sys
from pathlib import Path

from saved import save_case

HERE = Path(__file__).parents[1] / "data" / "wmt"


def reader(package):
    """The function alone: its module needs TensorFlow."""
    tree = ast.parse((Path(package) / "data.py").read_text(encoding="utf-8"))
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "ReadScoreFile")
    found = {"collections": collections}
    exec(compile(ast.Module([function], []), "data.py", "exec"), found)
    return found["ReadScoreFile"]


def main(package):
    rng = random.Random(2)
    path = HERE / "BLEURT-20-refA.seg.score"
    systems = {"Online-A": 0.7, "Online-B": 0.65, "refB": 0.72}
    with path.open("w", encoding="utf-8") as file:
        for name, quality in systems.items():
            for _ in range(25):
                file.write(f"{name}\t{quality + rng.gauss(0, 0.1)}\n")
    scores = {name: sum(found) / len(found) for name, found in reader(package)(path).items()}
    facts = {
        "format": "wmt-seg",
        "files": [path.name],
        "metric": "BLEURT-20-refA",
        "systems": list(systems),
        "items": 25,
        "scores": scores,
        "made_by": "schema-faithful, as the campaigns' files have to be downloaded; read by mt-metrics-eval",
    }
    save_case(HERE, **facts)


if __name__ == "__main__":
    main(sys.argv[1])
