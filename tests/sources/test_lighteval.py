"""Details of lighteval: documents over several rows, and texts that hold the metrics."""

import math
import sys

import pytest
from cases import DATA

import exactperm as xp
from exactperm.sources import SourceError, parquet, read

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def details(folder, name, rows):
    path = folder / f"{name}.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return str(path)


def new(name, metric, query="?", **specific):
    return {
        "doc": {"query": query, "id": name, "specific": specific or {"x": 1}},
        "metric": metric,
        "model_response": {"text": ""},
    }


def old(query, metrics):
    return {"example": query, "full_prompt": query, "metrics": metrics, "predictions": "[]"}


def twice(folder, rows, **options):
    return read(*(details(folder, name, rows) for name in "ab"), **options)


def test_documents_are_brought_together_by_id(tmp_path):
    scores = twice(tmp_path, [new("7", {"acc": 1}), new("3", {"acc": 0}), new("3", {"em": 1}), new("7", {"em": 0})])
    assert scores.items == ("7", "3")
    assert {name: m.columns["a"] for name, m in scores.measures.items()} == {"acc": [1, 0], "em": [0, 1]}


def test_old_rows_are_numbered_by_their_metrics(tmp_path):
    rows = [old("p", "{'acc': 1}"), old("q", "{'acc': 0}"), old("p", "{'em': nan}"), old("q", "{'em': 1}")]
    scores = twice(tmp_path, rows)
    assert scores.items == (1, 2)
    assert scores.measures["acc"].columns["a"] == [1, 0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([new("1", {"em": 1}), new("1", {"em": 1})], "document '1' has em twice, again in row 2"),
        ([new("1", {"em": 1}), new("1", {"f1": 1}, "!")], "document '1' has another query, again in row 2"),
        ([old("p", "{'em': print()}")], "the metrics of row 1 are no dictionary of names"),
        ([old("p", "[1]")], "the metrics of row 1 are no dictionary of names"),
    ],
)
def test_what_is_refused(tmp_path, rows, message):
    with pytest.raises(SourceError, match=message):
        twice(tmp_path, rows)


def test_other_queries_are_refused(tmp_path):
    files = [details(tmp_path, name, [new("1", {"em": 1}, name)]) for name in "ab"]
    with pytest.raises(SourceError, match="is not the same question"):
        read(*files)


def test_groups_by_a_field(tmp_path):
    rows = [new(str(i), {"em": 1}, subject=subject) for i, subject in enumerate("xxy")]
    assert twice(tmp_path, rows, group="doc.specific.subject").groups == ("x", "x", "y")
    with pytest.raises(
        SourceError, match=r"an id, query or group must be a text or a number, not \{'subject': 'x'\} in row 1"
    ):
        twice(tmp_path, rows, group="doc.specific")
    with pytest.raises(SourceError, match=r"there is no field 'doc\.topic'; there is (query, id|id, query), specific"):
        twice(tmp_path, rows, group="doc.topic")


def test_chrf_is_that_of_all_documents():
    sacrebleu = pytest.importorskip("sacrebleu")
    files = sorted(map(str, (DATA / "lighteval").rglob("*.parquet")))
    scores = read(*files)
    rows = [row["metric"]["chrf"] for row in pq.read_table(files[0]).to_pylist() if row["metric"]["chrf"]]
    hypotheses, references = [row["preds"][0] for row in rows], [row["golds"][0] for row in rows]
    expected = sacrebleu.CHRF().corpus_score(hypotheses, [references]).score
    assert dict(xp.compare(scores, metric="chrf", rng=0).scores)["large"] == pytest.approx(expected, rel=1e-12)


def test_log_likelihoods(tmp_path):
    scores = twice(tmp_path, [new("1", {"ppl": {"logprobs": -2.5, "weights": 4}, "em": math.nan})])
    assert scores.measures["loglikelihood"].columns["a"] == [-2.5]
    other = twice(tmp_path, [new("1", {"ppl": {"logprobs": "low"}, "em": 1})])
    assert other.metrics == ("em",)


@pytest.mark.parametrize("backend", parquet.BACKENDS)
def test_each_library_reads_the_same(backend, monkeypatch):
    pytest.importorskip(backend)
    files = sorted(map(str, (DATA / "lighteval").rglob("*.parquet")))
    expected = read(*files)
    monkeypatch.setattr(parquet, "BACKENDS", (backend,))
    scores = read(*files)
    assert scores.items == expected.items
    assert {n: m.columns for n, m in scores.measures.items()} == {n: m.columns for n, m in expected.measures.items()}


def test_parquet_without_a_library_is_told(monkeypatch):
    monkeypatch.setattr(parquet, "BACKENDS", ())
    with pytest.raises(SourceError, match=r"pip install 'exactperm\[parquet\]'"):
        read(*sorted(map(str, (DATA / "lighteval").rglob("*.parquet"))))
    assert "pyarrow" in sys.modules
