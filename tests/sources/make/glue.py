"""Make predictions of two classes as Hugging Face's run_glue.py writes them, scored by scikit-learn.

    python tests/sources/make/glue.py

The script writes ``predict_results_<task>.txt`` with open(), one line for each prediction (transformers 4,
examples/pytorch/text-classification/run_glue.py); its models have to be downloaded, so the predictions are random.
"""

import random
from importlib.metadata import version
from pathlib import Path

from saved import save_case
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

HERE = Path(__file__).parents[1] / "data" / "glue"


def main():
    rng = random.Random(12)
    HERE.mkdir(exist_ok=True)
    gold = [rng.choice([0, 1, 1]) for _ in range(60)]
    rows = "".join(f"{i}\tSentence {i}.\tAnother one.\t{label}\n" for i, label in enumerate(gold))
    (HERE / "dev.tsv").write_text(f"index\tsentence1\tsentence2\tlabel\n{rows}", encoding="utf-8")
    scores = {"accuracy": {}, "f1": {}, "mcc": {}}
    for name, quality in (("bert", 0.85), ("lstm", 0.7)):
        predicted = [label if rng.random() < quality else 1 - label for label in gold]
        with (HERE / f"{name}.txt").open("w", encoding="utf-8") as file:
            file.write("index\tprediction\n")
            for index, item in enumerate(predicted):
                file.write(f"{index}\t{item}\n")
        for metric, function in zip(scores, (accuracy_score, f1_score, matthews_corrcoef), strict=True):
            scores[metric][name] = float(function(gold, predicted))
    facts = {"format": "glue", "files": ["bert.txt", "lstm.txt"], "gold": "dev.tsv", "systems": ["bert", "lstm"]}
    facts["made_by"] = (
        f"schema-faithful to run_glue.py of transformers 4, scored by scikit-learn {version('scikit-learn')}"
    )
    save_case(HERE, **facts, items=60, metric="accuracy", scores=scores.pop("accuracy"), others=scores)


if __name__ == "__main__":
    main()
