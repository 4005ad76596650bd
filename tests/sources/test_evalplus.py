"""Results of EvalPlus: what passing is, and what is refused."""

import json

import pytest

from exactperm.sources import SourceError, read


def results(folder, name, statuses, data="h"):
    """Samples of tasks, each the pair of how the base and the additional tests ended."""
    tasks = {
        task: [{"task_id": task, "solution": "", "base_status": base, "plus_status": plus} for base, plus in samples]
        for task, samples in statuses.items()
    }
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(json.dumps({"date": "2026-11-19 08:00", "hash": data, "eval": tasks}))
    return str(path)


SAMPLES = {"t/1": [("pass", "pass"), ("pass", "fail")], "t/2": [("fail", "pass"), ("timeout", "timeout")]}


def test_plus_needs_all_tests(tmp_path):
    scores = read(*(results(tmp_path, f"{x}_eval_results.json", SAMPLES) for x in "ab"))
    assert scores.metrics == ("plus", "base")
    assert scores.measures["plus"].columns["a"] == [1, 0, 0, 0]
    assert scores.measures["base"].columns["a"] == [1, 1, 0, 0]
    assert scores.groups == ("t/1", "t/1", "t/2", "t/2")


def test_samples_in_folders_are_named_after_them(tmp_path):
    names = ("eval_results.json", "samples_eval_results.json")
    assert read(*(results(tmp_path / x, name, SAMPLES) for x, name in zip("ab", names, strict=True))).systems == (
        "a",
        "b",
    )


def test_another_version_of_the_data_set(tmp_path):
    files = [results(tmp_path, f"{x}_eval_results.json", SAMPLES, data=x) for x in "ab"]
    with pytest.raises(SourceError, match="is not the same question"):
        read(*files)
    assert len(read(*files, check=False).items) == 4


def test_other_numbers_of_samples(tmp_path):
    fewer = {task: samples[:1] for task, samples in SAMPLES.items()}
    files = [results(tmp_path, f"{x}_eval_results.json", samples) for x, samples in (("a", SAMPLES), ("b", fewer))]
    with pytest.raises(SourceError, match=r"answered a different number of times \(a 2, b 1\)"):
        read(*files)
    assert len(read(*files, epochs="min").items) == 2


@pytest.mark.parametrize(
    ("statuses", "message"),
    [
        ({"t/1": [("passed", "pass")]}, "a sample of 't/1' ended as 'passed', not as one of pass, fail, timeout"),
        ({"t/1": [(None, "pass")]}, "ended as None"),
        ({}, "there is no item in this evalplus file"),
    ],
)
def test_samples_that_are_refused(tmp_path, statuses, message):
    with pytest.raises(SourceError, match=message):
        read(*(results(tmp_path, f"{x}.json", statuses) for x in "ab"), format="evalplus")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"eval": []}', "a.json: there are no results by task under eval; is the file complete?"),
        ("[]", "a.json: there are no results by task under eval; is the file complete?"),
        (
            '{"eval": {"t/1": 1}}',
            "a.json: the samples of 't/1' are no list of objects; let EvalPlus evaluate them again",
        ),
        ('{"eval": {"t/1": ["pass"]}}', "a.json: the samples of 't/1' are no list of objects"),
    ],
)
def test_files_that_are_refused(tmp_path, text, message):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(SourceError, match=message):
        read(str(tmp_path / "a.json"), results(tmp_path, "b.json", SAMPLES), format="evalplus")
