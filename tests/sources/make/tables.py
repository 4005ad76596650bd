"""Make the cases of tables: small frames as pandas, polars and scripts write them, and as R and Excel would.

    pip install pandas polars pyarrow scikit-learn
    python tests/sources/make/tables.py

The aggregates in ``case.json`` are those of the frames themselves (means by pandas), or of scikit-learn where the
columns are counts.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

DATA = Path(__file__).parents[1] / "data"
PANDAS, POLARS = f"pandas {pd.__version__}", f"polars {pl.__version__}"


def save(name, files, **facts):
    """Write the files of a case, each by a function that takes its path, and its facts."""
    folder = DATA / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path, write in files.items():
        write(folder / path)
    facts = {"files": list(files), "groups": None, **facts}
    facts["items"] = facts.pop("items")
    (folder / "case.json").write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def frame(seed, items, qualities):
    """Scores with two decimals of some systems, by question."""
    rng = random.Random(seed)
    hard = [rng.random() for _ in range(items)]
    columns = {
        name: [round(min(1.0, max(0.0, quality + rng.gauss(0, 0.15) - h / 3)), 2) for h in hard]
        for name, quality in qualities.items()
    }
    return pd.DataFrame({"question_id": [f"q{i:02}" for i in range(items)], **columns})


def means(data, systems):
    """What pandas says the systems have."""
    return {name: float(data[name].mean()) for name in systems}


SYSTEMS = {"small": 0.55, "large, tuned": 0.7, "baseline": 0.5}


def wide():
    """With the index that pandas writes, text with line breaks, and truth values."""
    data = frame(1, 30, SYSTEMS)
    data["answer"] = [f'She said: "{i}",\nand left.' for i in range(len(data))]
    save(
        "csv_pandas",
        {"scores.csv": data.to_csv},
        format="csv",
        metric="score",
        systems=list(SYSTEMS),
        items=len(data),
        scores=means(data, SYSTEMS),
        made_by=PANDAS,
    )


def predictions(seed, items, classes, qualities):
    """Right labels and what some classifiers say."""
    rng = random.Random(seed)
    right = [rng.choice(classes) for _ in range(items)]
    said = {name: [x if rng.random() < q else rng.choice(classes) for x in right] for name, q in qualities.items()}
    return right, said


def labels():
    """Labels as texts beside the right ones, which are known by their name, and the text that they are given to."""
    right, said = predictions(7, 40, ["ham", "spam", "unsure"], {"svm": 0.8, "bert": 0.6})
    data = pd.DataFrame({"id": range(40), "text": [f"mail, no. {i}" for i in range(40)], "label": right, **said})
    save(
        "csv_labels",
        {"mails.csv": lambda path: data.to_csv(path, index=False)},
        format="csv",
        metric="accuracy",
        systems=list(said),
        items=len(data),
        scores={name: accuracy_score(right, said[name]) for name in said},
        others={"mcc": {name: matthews_corrcoef(right, said[name]) for name in said}},
        made_by=f"{PANDAS}, aggregates of scikit-learn",
    )


def labels_as_integers():
    """Right and predicted classes as integers: the user says which column is which."""
    right, said = predictions(8, 40, [0, 1], {"svm": 0.8, "bert": 0.6})
    rows = [
        dict(zip(("item", "y", *said), row, strict=True)) for row in zip(range(40), right, *said.values(), strict=True)
    ]
    save(
        "jsonl_labels",
        {"predictions.jsonl": lambda path: path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))},
        format="jsonl",
        options={"gold": "y"},
        metric="f1",
        systems=list(said),
        items=len(rows),
        scores={name: f1_score(right, said[name]) for name in said},
        others={"accuracy": {name: accuracy_score(right, said[name]) for name in said}},
        made_by="a script of Python's json, aggregates of scikit-learn",
    )


def long():
    """A row for each item and system, shuffled, with a measure that is missing now and then."""
    data = frame(2, 25, SYSTEMS).melt("question_id", var_name="model", value_name="score")
    data["cluster"] = data["question_id"].str[1]
    data["passed"] = data["score"] > 0.4
    data = data.sample(frac=1, random_state=0)
    table = pl.from_pandas(data)
    by_model = data.groupby("model")
    save(
        "csv_polars_long",
        {"results.tsv": lambda path: table.write_csv(path, separator="\t")},
        format="csv",
        metric="score",
        systems=list(dict.fromkeys(data["model"])),
        items=25,
        groups=data["cluster"].nunique(),
        scores={name: float(x) for name, x in by_model["score"].mean().items()},
        others={"passed": {name: float(x) for name, x in by_model["passed"].mean().items()}},
        made_by=POLARS,
    )


def files_of_systems():
    """A file for each system, in another order."""
    data = frame(3, 20, SYSTEMS)
    names = {"small.csv": "small", "large.csv": "large, tuned"}
    save(
        "csv_files",
        {
            path: lambda to, name=name: (
                data[["question_id", name]]
                .rename(columns={name: "accuracy"})
                .sample(frac=1, random_state=len(name))
                .to_csv(to, index=False)
            )
            for path, name in names.items()
        },
        format="csv",
        metric="accuracy",
        systems=["small", "large"],
        items=len(data),
        scores={path.removesuffix(".csv"): float(data[name].mean()) for path, name in names.items()},
        made_by=PANDAS,
    )


def excel():
    """As Excel saves where the decimal sign is a comma: byte order mark, semicolons, empty columns and rows."""
    data = frame(4, 20, {"A": 0.6, "B": 0.5})
    text = data.to_csv(sep=";", decimal=",", index=False, lineterminator="\r\n")
    lines = [f"{line};" for line in text.splitlines()] + [";;;"]
    save(
        "csv_excel",
        {"Mappe1.csv": lambda path: path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([*lines, ""]).encode())},
        format="csv",
        metric="score",
        systems=["A", "B"],
        items=len(data),
        scores=means(data, "AB"),
        made_by="schema-faithful, as Excel saves UTF-8 csv in German (Excel does not run in scripts)",
    )


def r():
    """As R writes a data frame: quoted names, row names, TRUE and NA."""
    data = frame(5, 20, {"A": 0.6, "B": 0.5})
    rows = [
        f'"{i}","{row.question_id}",{"TRUE" if row.A > 0.4 else "FALSE"},{"NA" if i == 7 else str(row.B > 0.4).upper()}'
        for i, row in enumerate(data.itertuples(), 1)
    ]
    kept = [i for i in range(len(data)) if i != 6]
    save(
        "csv_r",
        {"scores.csv": lambda path: path.write_text("\n".join(['"","question_id","A","B"', *rows, ""]))},
        format="csv",
        compare={"nan_policy": "omit"},
        metric="score",
        systems=["A", "B"],
        items=len(data),
        scores={"A": float((data.A > 0.4).mean()), "B": float((data.B > 0.4)[kept].mean())},
        made_by="schema-faithful, as write.csv of R (which is not a Python package)",
    )


def counts():
    """Counts of a metric for each system."""
    rng = random.Random(6)
    gold = [[rng.randrange(2) for _ in range(12)] for _ in range(20)]
    flips = {"crf": 0.2, "bilstm": 0.1}
    said = {name: [[x ^ (rng.random() < flip) for x in row] for row in gold] for name, flip in flips.items()}
    columns = {}
    for name, rows in said.items():
        pairs = [list(zip(predicted, right, strict=True)) for predicted, right in zip(rows, gold, strict=True)]
        for count, what in {"tp": (1, 1), "fp": (1, 0), "fn": (0, 1)}.items():
            columns[f"{count}_{name}"] = [row.count(what) for row in pairs]
    data = pl.DataFrame({"doc_id": range(len(gold)), **columns})
    flat = [x for row in gold for x in row]
    save(
        "csv_counts",
        {"counts.csv": data.write_csv},
        format="csv",
        metric="f1",
        systems=list(flips),
        items=len(gold),
        scores={name: float(f1_score(flat, [int(x) for row in rows for x in row])) for name, rows in said.items()},
        made_by=POLARS,
    )


def rows_as_json():
    """An object a line, the scores inside another one, with what is missing as null."""
    data = frame(7, 20, {"A": 0.6, "B": 0.5}).rename(columns={"question_id": "id"})
    data["topic"] = ["algebra", "number theory"] * 10
    records = [
        {"id": row.id, "topic": row.topic, "answers": ["x"], "scores": {"A": row.A, "B": row.B if i != 3 else None}}
        for i, row in enumerate(data.itertuples())
    ]
    text = "".join(json.dumps(record) + "\n" for record in records)
    kept = data.index != 3
    save(
        "jsonl_wide",
        {"scores.jsonl": lambda path: path.write_text(text)},
        format="jsonl",
        options={"group": "topic"},
        groups=2,
        compare={"nan_policy": "omit"},
        metric="score",
        systems=["scores.A", "scores.B"],
        items=len(data),
        scores={"scores.A": float(data.A.mean()), "scores.B": float(data.B[kept].mean())},
        made_by="a script, json.dumps",
    )


def list_as_json():
    """A list of objects, long, with large integers."""
    rng = random.Random(8)
    data = pd.DataFrame(
        [
            {"item": i, "system": name, "value": rng.randrange(10) + 10**17, "epoch": epoch}
            for name in ("A", "B")
            for i in range(8)
            for epoch in (1, 2)
        ]
    )
    totals = {name: sum(map(int, data.value[data.system == name])) for name in ("A", "B")}
    save(
        "jsonl_list",
        {"scores.json": lambda path: data.to_json(path, orient="records", indent=1)},
        format="jsonl",
        metric="value",
        systems=["A", "B"],
        items=16,
        groups=8,
        scores={name: total / 16 for name, total in totals.items()},
        made_by=PANDAS,
    )


def parquet():
    """By pandas with an index and categories, and long by polars."""
    data = frame(9, 20, SYSTEMS)
    data["split"] = pd.Categorical(["dev", "test"] * 10)
    save(
        "parquet_pandas",
        {"scores.parquet": data.to_parquet},
        format="parquet",
        metric="score",
        systems=list(SYSTEMS),
        items=len(data),
        scores=means(data, SYSTEMS),
        made_by=f"{PANDAS}, pyarrow {pyarrow.__version__}",
    )
    rows = data.melt("question_id", list(SYSTEMS), "system", "score")
    rows["score"] = (rows["score"] * 100).round().astype(int)
    table = pl.from_pandas(rows).sort("question_id", "system").with_columns(pl.col("score").cast(pl.Int16))
    save(
        "parquet_polars",
        {"scores.parquet": table.write_parquet},
        format="parquet",
        metric="score",
        systems=sorted(SYSTEMS),
        items=len(data),
        scores={name: float(rows["score"][rows["system"] == name].mean()) for name in sorted(SYSTEMS)},
        made_by=POLARS,
    )


def paper():
    """The files of the paper's program, as its description says."""
    rng = random.Random(10)
    correct = [(n := rng.randrange(5, 20), max(0, n - rng.randrange(-1, 3))) for _ in range(30)]
    save(
        "numbers_accuracy",
        {"accuracy.csv": lambda path: path.write_text("".join(f"{a},{b}\n" for a, b in correct))},
        format="numbers",
        metric="score",
        systems=["A", "B"],
        items=len(correct),
        scores={name: sum(row[i] for row in correct) / len(correct) for i, name in enumerate("AB")},
        made_by="schema-faithful (the program has no writer): rycolab/paired-perm-test, accuracy",
    )
    rows = [(rng.randrange(1, 9), rng.randrange(3), rng.randrange(1, 9), rng.randrange(4)) for _ in range(30)]
    tp_a, wrong_a, tp_b, wrong_b = map(sum, zip(*rows, strict=True))
    save(
        "numbers_f1",
        {"f1.tsv": lambda path: path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))},
        format="numbers",
        metric="f1",
        systems=["A", "B"],
        items=len(rows),
        scores={"A": tp_a / (tp_a + 0.5 * wrong_a), "B": tp_b / (tp_b + 0.5 * wrong_b)},
        made_by="schema-faithful (the program has no writer): rycolab/paired-perm-test, F1",
    )


def plain():
    """A score a line."""
    data = frame(11, 20, {"A": 0.6, "B": 0.5})
    save(
        "numbers_lines",
        {f"{name}.txt": lambda path, name=name: np.savetxt(path, data[name], "%.2f") for name in "AB"},
        format="numbers",
        metric="score",
        systems=["A", "B"],
        items=len(data),
        scores=means(data, "AB"),
        made_by=f"numpy {np.__version__}, savetxt",
    )


def main():
    """Make all of them."""
    for make in (
        wide,
        labels,
        labels_as_integers,
        long,
        files_of_systems,
        excel,
        r,
        counts,
        rows_as_json,
        list_as_json,
        parquet,
        paper,
        plain,
    ):
        make()


if __name__ == "__main__":
    main()
