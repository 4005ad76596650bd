"""Tables of labels: what systems predicted beside what is right, in one table or one for each system."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score

import exactperm as xp

GOLD = ["cat", "dog", "dog", "cat", "bird", "dog"]
SAID = {"A": ["cat", "dog", "dog", "cat", "bird", "cat"], "B": ["dog", "dog", "cat", "cat", "dog", "dog"]}


def save(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def table(gold="label", right=GOLD, said=SAID, **more):
    columns = {"id": range(len(right)), **more, gold: right, **said}
    return "\n".join(",".join(map(str, row)) for row in [columns, *zip(*columns.values(), strict=True)]) + "\n"


def refused(folder, message, text, **options):
    texts = [text] if isinstance(text, str) else text
    paths = [save(folder, f"{i}.csv", text) for i, text in enumerate(texts)]
    with pytest.raises(xp.SourceError, match=re.escape(message)) as caught:
        xp.compare(xp.read(*paths, **options))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (table(), {}),
        (table("ground_truth", text=["a mail"] * 6), {}),
        (table("right one"), {"gold": "right one"}),
        (table(seconds=[3, 1, 2, 2, 4, 5]), {"gold": "label", "a": "A", "b": "B"}),
    ],
)
def test_accuracy_is_that_of_scikit_learn(tmp_path, text, options):
    scores = xp.read(save(tmp_path, "mails.csv", text), **options)
    assert scores.systems == ("A", "B")
    expected = {name: accuracy_score(GOLD, said) for name, said in SAID.items()}
    assert dict(xp.compare(scores).scores) == pytest.approx(expected)
    expected = {name: f1_score(GOLD, said, labels=["dog"], average="micro") for name, said in SAID.items()}
    assert dict(xp.compare(scores, metric="f1", average="micro", labels=["dog"]).scores) == pytest.approx(expected)


def test_a_table_for_each_system(tmp_path):
    paths = [save(tmp_path, f"{name}.csv", table("y", said={"said": said})) for name, said in SAID.items()]
    scores = xp.read(*paths, gold="y")
    assert scores.systems == ("A", "B")
    assert xp.compare(scores).pairs[0].pvalue == xp.compare(SAID, y_true=GOLD).pairs[0].pvalue
    paths[1] = save(tmp_path, "C.csv", table("y", right=["cat"] * 6, said={"said": SAID["B"]}))
    with pytest.raises(
        xp.SourceError, match=r"C was scored on another gold standard \(label\): item 2 has 'cat', and 'dog'"
    ):
        xp.read(*paths, gold="y")


def test_integers_are_integers(tmp_path):
    text = table(right=[1, 0, 1, 1], said={"A": ["1", " 0", "1", "0 "], "B": [0, 0, 1, 1]})
    scores = xp.read(save(tmp_path, "numbers.csv", text), gold="label")
    expected = {"A": f1_score([1, 0, 1, 1], [1, 0, 1, 0]), "B": f1_score([1, 0, 1, 1], [0, 0, 1, 1])}
    assert dict(xp.compare(scores, metric="f1").scores) == pytest.approx(expected)


def test_json_and_parquet(tmp_path):
    frame = pd.DataFrame({"gold": GOLD, **SAID})
    frame.to_parquet(tmp_path / "labels.parquet")
    rows = "".join(json.dumps(row) + "\n" for row in frame.to_dict("records"))
    found = [xp.compare(xp.read(path)) for path in (save(tmp_path, "x.jsonl", rows), str(tmp_path / "labels.parquet"))]
    assert [dict(c.scores) for c in found] == [dict(xp.compare(SAID, y_true=GOLD).scores)] * 2
    assert found[0].signature == found[1].signature


def test_items_without_a_prediction(tmp_path):
    text = table(said={"A": ["cat", "", "dog", "cat", "bird", "dog"], "B": SAID["B"]})
    refused(tmp_path, "0.csv: A has no label for 1 of 6 items: '1'; --missing omit leaves them out", text)
    scores = xp.read(save(tmp_path, "mails.csv", text), missing="omit")
    assert len(scores.items) == 5
    assert dict(xp.compare(scores).scores) == {"A": 1.0, "B": 0.4}


@pytest.mark.parametrize(
    ("message", "text", "options"),
    [
        (
            "0.csv: the column y_true may hold what is right (items by id; scores y_true, A, B); if so, name it with "
            "--gold, else choose two systems with --a and --b",
            table("y_true", [1, 0], {"A": [1, 1], "B": [0, 1]}),
            {},
        ),
        (
            "0.csv: the column y_true may hold what is right",
            [table("y_true", [1, 0], {"y_pred": [1, 1]})] * 2,
            {},
        ),
        ("0.csv: there is no column 'lable'; there is id, label, A, B", table(), {"gold": "lable"}),
        ("0.csv:4: there is no label in label; give every row one", table(right=["cat", "dog", "", *GOLD[3:]]), {}),
        (
            "0.csv: note holds mostly other things than the labels in label, bird, cat, dog; choose the columns of "
            "predictions with --a and --b, or drop it",
            table(note=["fine"] * 6),
            {},
        ),
        (
            "0.csv: a table of labels needs a column of predictions for each system; choose them with --a and --b "
            "(items by id; gold label; predictions A)",
            table(said={"A": SAID["A"]}),
            {},
        ),
        (
            "0.csv: a table of labels about one system needs one column of predictions; drop the others, or call "
            "it prediction (items by id; gold label; predictions A, B)",
            [table()] * 2,
            {},
        ),
        ("0.csv: a table of labels needs a column of predictions", "id,label,A,B\n", {"gold": "label"}),
        (
            "0.csv: a row for each system cannot hold labels; write a column for each, or a file for each",
            "id,model,label,prediction\n1,A,cat,cat\n1,B,cat,dog\n",
            {"gold": "label"},
        ),
        (
            "0.csv: --a and --b name columns of predictions beside label; there is id, A, B",
            table(),
            {"a": "label", "b": "A"},
        ),
        (
            "0.csv: --a and --b name columns of predictions beside label; there is id, A, B",
            table(),
            {"a": "X", "b": "Y"},
        ),
        ("0.csv: length holds mostly other things than", table(length=[10, 2, 5, 1, 7, 8]), {"gold": "label"}),
        ("0.csv: tables of labels are read whole, not counted by DuckDB", table(), {"memory_limit": "1GB"}),
        (
            "0.csv: the column label may hold what is right (items by id; scores label); if so, name it with --gold, "
            "else name a score with --metric",
            ["id,label\n1,0\n2,1\n"] * 2,
            {},
        ),
        ("gold.txt: there is no such file; check the path", ["what, no table\n"] * 2, {"gold": "gold.txt"}),
        ("0.csv: there is no column 'D'", table(), {"a": "A", "b": "D"}),
        (
            "A has no label for 1 of 6 items: '2'",
            table(right=[1, 0, 1, 1, 0, 1], said={"A": [1, 0, "NA", 1, 0, 0], "B": [0] * 6}),
            {"gold": "label"},
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path, message, text, options):
    refused(tmp_path, message, text, **options)


def test_a_score_beside_what_is_right_is_a_score(tmp_path):
    texts = [table("target", [1, 0, 1], {"score": [a, 0.5, 0.25]}) for a in (1, 0.75)]
    scores = xp.read(*(save(tmp_path, f"{i}.csv", text) for i, text in enumerate(texts)))
    assert scores.metrics[0] == "score"


@pytest.mark.parametrize("metric", ["exact_match", "rouge"])
def test_what_is_right_beside_scores_of_any_name_is_left_out(tmp_path, metric):
    texts = [table("target", [1, 0, 1], {metric: [a, 0.5, 0.25]}) for a in (1, 0.75)]
    scores = xp.read(*(save(tmp_path, f"{i}.csv", text) for i, text in enumerate(texts)))
    assert scores.metrics == (metric,)
    assert "left out target (what is right, it seems)" in scores.notes[0]


def test_the_user_says_that_it_is_a_score(tmp_path):
    paths = [save(tmp_path, f"{i}.csv", f"id,label\n1,{i}\n2,1\n") for i in range(2)]
    assert dict(xp.compare(xp.read(*paths, metrics="label")).scores) == {"0": 0.5, "1": 1.0}


def test_what_scikit_learn_scripts_write(tmp_path):
    said = {
        "0": [1, 0, 1, 1],
        "1": [0.0, 1.0, 1.0, "unsure"],
    }  # floats, as pandas writes integers beside what is missing
    paths = [
        save(tmp_path, f"{name}.csv", table("y_true", [1, 0, 1, 0], {"y_pred": x, "proba": [0.9, 0.1, 0.7, 0.6]}))
        for name, x in said.items()
    ]
    assert dict(xp.compare(xp.read(*paths, gold="y_true"), metric="accuracy").scores) == {"0": 0.75, "1": 0.0}
    paths[1] = save(tmp_path, "2.csv", table("y_true", [1, 0, 1, 0], {"y_pred": [0.0, 1.0, 1.0, 0.0]}))
    scores = xp.read(*paths, gold="y_true")
    assert dict(xp.compare(scores, metric="accuracy").scores) == {"0": 0.75, "2": 0.5}
    assert scores.measures["label"].gold == (1, 0, 1, 0)


def test_floats_that_pandas_wrote_beside_integers_are_the_same_classes(tmp_path):
    text = table(right=[1, 0, 1, 1], said={"A": ["1.0", "0.0", "", "1.0"], "B": [0, 0, 1, 1]})
    scores = xp.read(save(tmp_path, "numbers.csv", text), gold="label", missing="omit")
    assert scores.measures["label"].gold == (1, 0, 1)
    assert dict(xp.compare(scores).scores) == {"A": 1.0, "B": 2 / 3}


def test_long_integers_stay_apart(tmp_path):
    """Two that are one as doubles, and one beyond all doubles."""
    labels = [2**60, 2**60 + 1, 10**400]
    rows = [{"gold": x, "A": x, "B": labels[0]} for x in labels]
    scores = xp.read(save(tmp_path, "x.jsonl", "".join(json.dumps(row) + "\n" for row in rows)), gold="gold")
    assert scores.measures["label"].gold == tuple(labels)
    assert scores.measures["label"].columns["A"] == labels


def test_parts_may_hold_one_class_each(tmp_path):
    for system, said in (("A", ["no", "yes"]), ("B", ["yes", "no"])):
        for part, (right, x) in enumerate(zip(["yes", "no"], said, strict=True)):
            save(tmp_path, f"{system}{part}.csv", f"id,gold,pred\n{part},{right},{x}\n")
    scores = xp.read({name: str(tmp_path / f"{name}*.csv") for name in "AB"})
    assert dict(xp.compare(scores).scores) == {"A": 0.0, "B": 1.0}
    for part, right in enumerate(["yes", "no"]):
        save(tmp_path, f"both{part}.csv", f"id,gold,A,B\n{part},{right},{'no' if right == 'yes' else 'yes'},{right}\n")
    assert dict(xp.compare(xp.read(str(tmp_path / "both*.csv"))).scores) == {"A": 0.0, "B": 1.0}


def test_a_folder_that_is_called_like_the_column(tmp_path, monkeypatch):
    path = save(tmp_path, "mails.csv", table())
    (tmp_path / "label").mkdir()
    monkeypatch.chdir(tmp_path)
    assert xp.read(path, gold="label").systems == ("A", "B")


def test_tables_are_no_texts_for_bleu(tmp_path):
    gold, *said = (save(tmp_path, f"{i}.csv", "id,label\n1,cat\n2,dog\n") for i in range(3))
    with pytest.raises(
        xp.SourceError, match=r"csv: takes no gold standard.*text: the end of its name says that it is a"
    ):
        xp.read(*said, gold=gold)


def test_a_frame_with_what_is_right_says_so():
    frame = pd.DataFrame({"y_true": [1, 0, 1], "A": [1, 1, 1], "B": [0, 0, 1]})
    with pytest.raises(TypeError, match=r"'y_true' of the data frame holds what is right, it seems, .* y_true="):
        xp.compare(frame)
    assert dict(xp.compare(frame, y_true="y_true").scores) == {"A": 2 / 3, "B": 2 / 3}
