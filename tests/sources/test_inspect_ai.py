"""Logs of Inspect: values as the tool makes numbers of them, and what an archive can lack."""

from __future__ import annotations

import gzip
import io
import json
import math
import re
import sys
import zipfile
from pathlib import Path

import pytest
from cases import DATA

from exactperm.sources import SourceError, read

SMALL, LARGE = (str(DATA / "inspect_epochs" / f"{name}.eval") for name in ("small", "large"))


def log(path, model, values, **fields):
    """A log of one scorer with these values."""
    samples = [
        {"id": i, "epoch": 1, "input": "?", "target": "!", "scores": {"s": {"value": value}}, **fields}
        for i, value in enumerate(values)
    ]
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": {"model": model}, "samples": samples}))
    return str(path)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("C", 1),
        ("P", 0.5),
        ("I", 0),
        ("N", 0),
        ("Yes", 1),
        ("FALSE", 0),
        ("0.25", 0.25),
        (True, 1),
        (3, 3),
        ("inf", None),
        ("something", None),
        ([1, 2], None),
        (None, None),
    ],
)
def test_values(tmp_path, value, number):
    scores = read(log(tmp_path / "a.json", "a", [value, 1]), log(tmp_path / "b.json", "b", [0, 0]))
    assert scores.measures["s"].columns["a"] == [number, 1]


def test_unscored_samples_have_no_value(tmp_path):
    scores = read(log(tmp_path / "a.json", "a", [math.nan, 1]), log(tmp_path / "b.json", "b", [0, 0]))
    assert math.isnan(scores.measures["s"].columns["a"][0])


def test_several_scorers_and_keys_are_measures():
    pytest.importorskip("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")
    scores = read(SMALL, LARGE)
    assert scores.metrics == ("match", "multi.len", "multi.ok")
    assert scores.items[:3] == ("s0", "s0", "s1")


def test_other_questions_are_refused(tmp_path):
    files = log(tmp_path / "a.json", "a", [1]), log(tmp_path / "b.json", "b", [1], input="another?")
    with pytest.raises(SourceError, match="is not the same question"):
        read(*files)
    assert read(*files, check=False).items == (0,)


def test_messages_have_new_ids_in_each_run(tmp_path):
    files = [log(tmp_path / f"{x}.json", x, [1], input=[{"id": x, "content": "?"}]) for x in "ab"]
    assert read(*files).items == (0,)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python has a reader of zstd")
def test_without_a_reader_of_zstd_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "backports.zstd.zipfile", None)
    with pytest.raises(SourceError, match=r"needs pip install 'exactperm\[inspect\]'"):
        read(SMALL, LARGE)


@pytest.mark.parametrize("opened", [open, gzip.open], ids=["plain", "gz"])
def test_archives_of_other_compression_need_nothing(tmp_path, monkeypatch, opened):
    monkeypatch.setitem(sys.modules, "backports.zstd.zipfile", None)
    paths = []
    for model in "ab":
        paths.append(str(tmp_path / f"{model}.eval"))
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", json.dumps({"eval": {"model": model}}))
            archive.writestr("summaries.json", json.dumps([{"id": 1, "epoch": 1, "scores": {"s": {"value": 1}}}]))
        with opened(paths[-1], "wb") as file:
            file.write(written.getvalue())
    assert read(*paths).systems == ("a", "b")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"epoch": "first"}, "the epoch of sample 0 is 'first', not a number; is the log complete?"),
        ({"scores": [1]}, "the scores of sample 0 are [1], not an object; is the log complete?"),
    ],
)
def test_samples_that_are_damaged(tmp_path, fields, message):
    with pytest.raises(SourceError, match=re.escape(f"a.json: {message}")):
        read(log(tmp_path / "a.json", "a", [1], **fields), log(tmp_path / "b.json", "b", [1]))


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("samples", None, "the log holds no list of samples; did the evaluation end?"),
        ("samples", [1], "the log holds no list of samples; did the evaluation end?"),
        ("eval", None, "the log does not say what was evaluated; is it complete?"),
    ],
)
def test_logs_that_are_damaged(tmp_path, part, value, message):
    damaged = json.loads(Path(log(tmp_path / "a.json", "a", [1])).read_text()) | {part: value}
    (tmp_path / "a.json").write_text(json.dumps(damaged))
    with pytest.raises(SourceError, match=re.escape(f"a.json: {message}")):
        read(str(tmp_path / "a.json"), log(tmp_path / "b.json", "b", [1]))


def test_an_evaluation_that_did_not_end(tmp_path):
    path = tmp_path / "unfinished.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with pytest.raises(SourceError, match=r"there is no header.json in the archive; did the evaluation end\?"):
        read(str(path), SMALL)


def test_models_of_one_name_are_called_after_their_folders(tmp_path):
    for folder in "ab":
        (tmp_path / folder).mkdir()
    names = read(*(log(tmp_path / x / f"2026_{x}.json", "mock", [1]) for x in "ab")).systems
    assert names == ("a", "b")
    assert read(*(log(tmp_path / f"{x}.json", "mock", [1]) for x in "cd")).systems == ("c", "d")


def test_evaluations_that_failed_have_no_score(tmp_path):
    failed = log(tmp_path / "a.json", "a", [1], scores={})
    with pytest.raises(SourceError, match=r"a\.json: no item of a has a score; did its evaluation fail\?"):
        read(failed, log(tmp_path / "b.json", "b", [1]))
