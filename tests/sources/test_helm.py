"""Statistics of HELM: what of an instance is compared, and which instances are the same."""

import json

import pytest
from cases import DATA

from exactperm.sources import SourceError, read

RUNS = [str(DATA / "helm" / f"parity,model=toy_{size}" / "per_instance_stats.json") for size in ("small", "large")]


def entry(name, trial=0, perturbation=None, split="test", **means):
    about = {} if perturbation is None else {"perturbation": {"name": perturbation}}
    stats = [
        {"name": {"name": of, "split": split, **about}, "count": 1, **({} if mean is None else {"mean": mean})}
        for of, mean in means.items()
    ]
    return {"instance_id": name, **about, "train_trial_index": trial, "stats": stats}


def run(folder, model, entries, instances=None):
    folder = folder / f"task,model={model}"
    folder.mkdir()
    path = folder / "per_instance_stats.json"
    path.write_text(json.dumps(entries))
    if instances is not None:
        texts = [{"id": name, "input": {"text": text}, "references": []} for name, text in instances.items()]
        (folder / "instances.json").write_text(json.dumps(texts))
    return str(path)


def runs(folder, entries, other=None):
    return [run(folder, "a", entries), run(folder, "b", other or entries)]


def test_scores_come_before_what_is_said_of_every_run():
    scores = read(*RUNS)
    assert scores.metrics[:2] == ("exact_match", "f1_score")
    assert not scores.measures["inference_runtime"].higher_is_better


def test_perturbed_instances_are_asked_for():
    plain, lower = read(*RUNS), read(*RUNS, filter="test/lowercase")
    assert plain.items == lower.items
    assert plain.measures["f1_score"].columns != lower.measures["f1_score"].columns


def test_trials_are_one_group(tmp_path):
    scores = read(*runs(tmp_path, [entry("id1", 0, em=1), entry("id2", 0, em=0), entry("id1", 1, em=0)]))
    assert scores.items == ("id1", "id1", "id2")
    assert scores.measures["em"].columns["a"] == [1, 0, 0]


def test_metrics_that_stand_apart_are_brought_together(tmp_path):
    scores = read(*runs(tmp_path, [entry("id1", em=1), entry("id1", em=1, f1=0.5), entry("id1", rouge=None)]))
    assert {name: m.columns["a"] for name, m in scores.measures.items()} == {"em": [1], "f1": [0.5], "rouge": [None]}


def test_a_statistic_twice(tmp_path):
    with pytest.raises(SourceError, match="em of 'id1' is there twice, 1 and 0"):
        read(*runs(tmp_path, [entry("id1", em=1), entry("id1", em=0)]))


def test_several_splits(tmp_path):
    files = runs(tmp_path, [entry("id1", em=1), entry("id2", split="valid", em=0)])
    with pytest.raises(SourceError, match="there are several versions, test and valid; choose one with --filter"):
        read(*files)
    assert read(*files, filter="valid").items == ("id2",)
    with pytest.raises(SourceError, match="there is no version 'train'; there is test, valid"):
        read(*files, filter="train")


def test_other_questions_are_refused(tmp_path):
    entries = [entry("id1", em=1)]
    files = [run(tmp_path, x, entries, {"id1": f"{x}?"}) for x in "ab"]
    with pytest.raises(SourceError, match="is not the same question"):
        read(*files)
    assert read(*files, run(tmp_path, "c", entries), check=False).systems == ("a", "b", "c")


def test_several_scenarios_are_one_test_set(tmp_path):
    for model in "ab":
        for subject in ("anatomy", "law"):
            folder = tmp_path / f"mmlu,subject={subject},model={model}"
            folder.mkdir()
            (folder / "per_instance_stats.json").write_text(json.dumps([entry("id1", em=1)]))
    scores = read(*(f"{tmp_path}/*model={model}/per_instance_stats.json" for model in "ab"))
    assert scores.systems == ("a", "b")
    assert scores.items == ("mmlu,subject=anatomy:id1", "mmlu,subject=law:id1")


@pytest.mark.parametrize(
    "damaged",
    [
        {"stats": 1},
        {"train_trial_index": "x"},
        {"stats": [{"name": "em"}]},
        {"stats": [{"name": {"name": "em"}, "mean": "1"}]},
    ],
)
def test_an_entry_that_is_none(tmp_path, damaged):
    files = runs(tmp_path, [entry("id1", em=1), {**entry("id2", em=1), **damaged}])
    with pytest.raises(SourceError, match="entry 2 is not an instance_id, a train_trial_index and stats"):
        read(*files)


def test_files_that_hold_something_else(tmp_path):
    files = runs(tmp_path, [entry("id1", em=1)])
    instances = tmp_path / "task,model=a" / "instances.json"
    for text in ('{"id1": "?"}', '["id1"]'):
        instances.write_text(text)
        with pytest.raises(SourceError, match=r"instances\.json: the instances are one JSON list of objects; let HELM"):
            read(*files)
    instances.with_name("per_instance_stats.json").write_text("{}")
    with pytest.raises(SourceError, match=r"stats\.json: the statistics are one JSON list; is the file complete\?"):
        read(*files, format="helm")
