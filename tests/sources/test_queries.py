"""Runs with qrels and results per query: what counts for which query, exact ties, and what is refused."""

import sys

import pytest
from cases import DATA
from written import read, refused, written

import exactperm as xp
from exactperm.sources import Source, registry
from exactperm.sources.head import Head

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 -1\nq3 0 d1 0\n"
RUN = "q1 Q0 d2 1 2.5 x\nq1 Q0 d1 2 2.0 x\nq2 Q0 d1 1 1 x\nq9 Q0 d1 1 1 x\n"


def columns(folder, run, *metrics):
    return read(folder, QRELS, a=run, b=RUN, options={"metrics": metrics}).measures


def test_queries_of_the_qrels_count(tmp_path):
    scores = read(tmp_path, QRELS, a=RUN.replace("q2 Q0 d1 1 1 x\n", ""), b=RUN)
    assert scores.items == ("q1", "q2", "q3")
    assert list(scores.metrics) == ["nDCG@10", "AP", "RR", "P@10", "R@100"]
    assert scores.measures["AP"].columns == {"a": [0.5, 0.0, 0.0], "b": [0.5, 1.0, 0.0]}


def test_documents_are_ranked_by_score(tmp_path):
    assert columns(tmp_path, RUN.replace("2.0", "3.0"), "RR")["RR"].columns["a"] == [1, 1, 0]


def test_blank_lines_say_nothing(tmp_path):
    apart = RUN.replace("\n", "\n\n")
    plain, blank = columns(tmp_path, RUN, "RR"), read(tmp_path, QRELS.replace("\n", "\n\n"), a=apart, b=apart).measures
    assert blank["RR"].columns["b"] == plain["RR"].columns["b"] == [0.5, 1, 0]
    for results in (TREC, TSV):
        assert read(tmp_path, a=results.replace("\n", "\n\n"), b=results).items == ("q1", "q2")


def test_cutoffs(tmp_path):
    measures = columns(tmp_path, RUN, "RR@1", "RR@2", "P@1", "ndcg_cut_1", "map", "recall_2")
    assert {name: measure.columns["a"] for name, measure in measures.items()} == {
        "RR@1": [0, 1, 0],
        "RR@2": [0.5, 1, 0],
        "P@1": [0, 1, 0],
        "ndcg_cut_1": [0, 1, 0],
        "map": [0.5, 1, 0],
        "recall_2": [1, 1, 0],
    }


def test_ties_of_precision_are_ties():
    folder = DATA / "trec_run"
    paths = [folder / "bm25.run", folder / "dense.run"]
    scores = xp.read(*paths, gold=folder / "qrels.txt", metrics="P@10")
    values = scores.measures["P@10"].columns.values()
    first, second = ([round(10 * x) for x in column] for column in values)
    test = xp.compare(scores, metric="P@10").pairs[0]
    assert len({x - y for x, y in zip(first, second, strict=True)}) > 3
    assert test.pvalue == xp.paired_test(first, second).pvalue
    assert test.exact


@pytest.mark.parametrize(
    ("qrels", "run", "metrics", "message"),
    [
        (QRELS, RUN + "q1 Q0 d2 3 1 x\n", (), "a.txt:5: document d2 of query q1 is there twice"),
        (QRELS, RUN.replace("2.5", "high"), (), "a.txt:1: a finite number is needed here, not 'high'"),
        (QRELS, RUN + "q1 Q0\n", (), "a.txt:5: a line of a run is"),
        (QRELS, "q9 Q0 d1 1 1 x\n", (), "a.txt: no query of this run is in the qrels"),
        (QRELS, RUN, ("f1",), "the measure 'f1' of a run is not known; there are nDCG, AP"),
        (QRELS, RUN, ("P@0",), "the measure 'P@0' of a run is not known"),
        (QRELS, RUN, ("P",), "the measure 'P' of a run is not known"),
        ("\n\n", RUN, (), "gold.txt: there is no judgement in these qrels; is the file complete?"),
        (QRELS + "q1 0 d1 1\n", RUN, (), "gold.txt:6: document d1 of query q1 is judged twice"),
        (QRELS + "q1 d5 1\n", RUN, (), "gold.txt:6: a line of qrels is"),
        (QRELS + "q1 0 d5 1000000000\n", RUN, (), "gold.txt:6: a line of qrels is"),
    ],
)
def test_refused(tmp_path, qrels, run, metrics, message):
    refused(message, tmp_path, qrels, a=run, b=RUN, options={"metrics": metrics, "format": "trec-run"})


def test_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pytrec_eval", None)
    with pytest.raises(ImportError, match=r"pip install 'exactperm\[ir\]'"):
        read(tmp_path, QRELS, a=RUN, b=RUN)


# -- results per query -----------------------------------------------------------------------------------------

TREC = "map                   \tq1\t0.5000\nmap                   \tq2\t0.2500\nmap                   \tall\t0.3750\n"
TSV = "q1\tAP\t0.5000\nq2\tAP\t0.2500\nall\tAP\t0.3750\n"


@pytest.mark.parametrize("text", [TREC, TSV, TSV.replace("all\tAP\t0.3750\n", "")], ids=["trec_eval", "tsv", "no-all"])
def test_all_queries_together_are_no_query(tmp_path, text):
    assert read(tmp_path, a=text, b=text).items == ("q1", "q2")


def test_measure_by_measure(tmp_path):
    text = TSV + "q2\tP@1\t0\nq1\tP@1\t1\n"
    scores = read(tmp_path, a=text, b=text)
    assert scores.measures["P@1"].columns["a"] == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TSV.replace("q1\tAP\t0.5000\n", ""),
            "a.txt: the line for all queries has AP 0.375, and those for",
        ),
        (TSV + "q1\tAP\t0.5\n", "a.txt:4: AP of query 'q1' is there twice"),
        (TSV.replace("0.2500", "nan"), "a.txt:2: a finite number is needed here, not 'nan'"),
        (TREC.replace("q1", "q5"), "1 of 3 items are missing for a but there for b: 'q1'"),
        ("map                   \tall\t0.3750\n", "run trec_eval with -q"),
        (TREC + "runid                 \tall\tbm25\n", None),
    ],
)
def test_results_refused(tmp_path, text, message):
    other = TREC if text.startswith(("map", "runid")) else TSV
    if message is None:
        assert read(tmp_path, a=text, b=other).metrics == ("map",)
    else:
        refused(message, tmp_path, a=text, b=other)


def test_other_json_is_not_pytrec_eval(tmp_path):
    paths = written(tmp_path, a='{"q1": {"map": 0.5}, "q2": 1}', b='{"q1": {"d1": 0.5}}')
    recognise = registry.get("pytrec-eval").recognise
    assert recognise(Head(Source(str(paths["b"])))) == "'d1' is no measure of trec_eval"
    with pytest.raises(xp.sources.SourceError, match=r"a.txt: query 'q2' has no object of measures"):
        xp.read(paths, format="pytrec-eval")
    refused("a.txt: this must be a JSON object with the", tmp_path, a="[1]", b="[1]", options={"format": "pytrec-eval"})


def test_results_of_ir_measures_as_json(tmp_path):
    lines = ['{"query_id": "q1", "measure": "AP", "value": 0.5}', '{"query_id": "q2", "measure": "AP", "value": 1}']
    assert read(tmp_path, a="\n".join(lines), b="\n\n".join(lines)).measures["AP"].columns["b"] == [0.5, 1]
    wrong = "\n".join(lines).replace('"q2"', "2")
    refused("a.txt:2: a query and a measure are texts; is the file complete?", tmp_path, a=wrong, b=wrong)
