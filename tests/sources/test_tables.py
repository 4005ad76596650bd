"""Tables: what a column is, what cells are worth, and where a table is wrong."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import sys

import numpy as np
import pytest

import exactperm as xp
from exactperm.sources import cells
from exactperm.sources.base import Source
from exactperm.sources.roles import counts_by_system, metrics_of


def save(folder, text, name="scores.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def columns(scores, measure="score"):
    return {system: np.ma.asarray(column).tolist() for system, column in scores.measures[measure].columns.items()}


def refused(folder, message, *texts, **options):
    paths = [save(folder, text, f"{i}.csv") for i, text in enumerate(texts)]
    with pytest.raises(xp.sources.SourceError, match=re.escape(message)) as caught:
        xp.read(*paths, **options)
    assert "\n" not in str(caught.value)


# -- what cells are worth --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "worth", "kind"),
    [
        (["1", "2", "-3"], [1, 2, -3], "i"),
        (["0.1", "0.2", "1e-3"], [0.1, 0.2, 1e-3], "f"),
        (["1", "0.5"], [1.0, 0.5], "f"),
        (["TRUE", "False", "true"], [True, False, True], "b"),
        ([str(2**70), "1"], [2**70, 1], "O"),
        (["1", "NA", "3"], [1, None, 3], "i"),
        ([str(2**70), ""], [2**70, None], "O"),
        (["", "null"], [None, None], "i"),
        ([" 4", "5 "], [4, 5], "i"),
    ],
)
def test_text_as_numbers(written, worth, kind):
    numbers = cells.of_text(written)
    assert numbers.tolist() == worth
    assert numbers.dtype.kind == kind


def test_missing_decimals_are_nan():
    assert np.array_equal(cells.of_text(["0.5", "", "NA", "nan"]), [0.5, np.nan, np.nan, np.nan], equal_nan=True)


def test_decimal_commas_where_commas_do_not_separate():
    assert cells.of_text(["0,5", "7"], decimal_comma=True).tolist() == [0.5, 7.0]
    with pytest.raises(cells.BadCell):
        cells.of_text(["0,5", "7"])


@pytest.mark.parametrize(
    ("written", "index"),
    [
        (["1", "x"], 1),
        (["1_000"], 0),
        (["0.5", "inf"], 1),
        (["1e999"], 0),
        (["1", "true"], 1),
        (["", "2", "nope", "3"], 2),
        (["1.000,5"], 0),
        (["1", "9" * 5000], 1),
        (["9" * 5000, "x"], 1),
    ],
)
def test_text_that_is_no_number(written, index):
    with pytest.raises(cells.BadCell) as caught:
        cells.of_text(written, decimal_comma=True)
    assert caught.value.index == index


def test_values_of_json_as_numbers():
    assert cells.of_values([1, None, True]).tolist() == [1, None, 1]
    assert cells.of_values([2**70, 1]).tolist() == [2**70, 1]
    assert cells.of_values([0.1, 2]).tolist() == [0.1, 2.0]
    for wrong in (["1"], [[1]], [float("inf")], [0.5, 10**400]):
        with pytest.raises(cells.BadCell):
            cells.of_values(wrong)


def test_parts_of_a_column_are_joined():
    parts = [cells.of_text(x) for x in (["1", ""], ["0.5"], [str(2**70)])]
    assert np.array_equal(cells.joined(parts), [1.0, np.nan, 0.5, 2.0**70], equal_nan=True)
    assert cells.joined([cells.of_text(["1"]), cells.of_text(["", "2"])]).tolist() == [1, None, 2]
    with pytest.raises(cells.BadCell):
        cells.joined([cells.of_text(["0.5"]), cells.of_text(["9" * 400])])


# -- which column is what --------------------------------------------------------------------------------------


def test_wide_says_what_it_took(tmp_path):
    scores = xp.read(save(tmp_path, "item,A,B,line,comment\nx,1,0,1,good\ny,0,1,2,bad\n"))
    assert scores.items == ("x", "y")
    assert columns(scores) == {"A": [1, 0], "B": [0, 1]}
    assert scores.notes == ("items by item; scores A, B; left out line (describes items), comment (text)",)
    assert scores.notes[0] in repr(scores)


def test_two_columns_by_name(tmp_path):
    path = save(tmp_path, "id,A,B,C\nx,1,0,3\ny,0,1,4\n")
    assert columns(xp.read(path, a="C", b="A")) == {"C": [3, 4], "A": [1, 0]}
    with pytest.raises(xp.sources.SourceError, match="there is no column 'D'; there is id, A, B, C"):
        xp.read(path, a="A", b="D")
    with pytest.raises(xp.sources.SourceError, match="there is no column 'D'"):
        xp.read(path, id="D")
    with pytest.raises(ValueError, match="give both"):
        xp.read(path, a="A")
    with pytest.raises(ValueError, match="a and b are both 'A'; name two systems"):
        xp.read(path, a="A", b="A")


def test_two_systems_of_a_long_table(tmp_path):
    rows = "".join(f"{item},{system},{i}\n" for i, system in enumerate("CAB") for item in "xy")
    path = save(tmp_path, f"id,model,score\n{rows}")
    assert columns(xp.read(path)) == {"C": [0, 0], "A": [1, 1], "B": [2, 2]}
    assert xp.read(path, a="B", b="C").systems == ("B", "C")
    with pytest.raises(xp.sources.SourceError, match="no column and no system 'D'; there is C, A, B"):
        xp.read(path, a="A", b="D")


def test_long_tables_are_aligned_by_id(tmp_path):
    scores = xp.read(save(tmp_path, "query,run,value,score\n1,A,10,0\n2,A,20,1\n2,B,21,1\n1,B,11,0\n"))
    assert columns(scores) == {"A": [0, 1], "B": [0, 1]}
    assert columns(scores, "value") == {"A": [10, 20], "B": [11, 21]}
    assert scores.metrics == ("score", "value")


def test_systems_may_be_numbers_where_the_score_is_clear(tmp_path):
    assert xp.read(save(tmp_path, "id,run,score\nx,1,5\nx,2,6\n")).systems == ("1", "2")
    assert xp.read(save(tmp_path, "id,method,other\nx,1,5\ny,2,6\n"), a="method", b="other").systems[0] == "method"


def test_groups_and_epochs(tmp_path):
    path = save(tmp_path, "id,doc,cluster,A,B\na,1,p,1,0\nb,1,p,0,1\nc,2,q,1,1\n")
    assert xp.read(path).groups == ("p", "p", "q")
    assert xp.read(path, group="doc").groups == ("1", "1", "2")
    scores = xp.read(save(tmp_path, "id,epoch,A,B\na,1,1,0\na,2,0,1\nb,1,1,1\nb,2,1,1\n"))
    assert scores.groups == scores.items == ("a", "a", "b", "b")


def test_counts(tmp_path):
    wide = "id,A.tp,A.fp,A.fn,B.tp,B.fp,B.fn\nx,1,2,3,2,1,2\ny,4,5,6,5,4,5\n"
    long = "id,system,tp,fp,fn\nx,A,1,2,3\ny,A,4,5,6\nx,B,2,1,2\ny,B,5,4,5\n"
    shuffled = "id,system,tp,fp,fn\ny,A,4,5,6\nx,A,1,2,3\nx,B,2,1,2\ny,B,5,4,5\n"
    results = [xp.paired_test(xp.read(save(tmp_path, text))) for text in (wide, long, shuffled)]
    assert {r.metric for r in results} == {"f1"}
    assert {r.scores for r in results} == {(10 / 26, 14 / 26)}
    by_recall = xp.paired_test(xp.read(save(tmp_path, shuffled)), metric="recall")
    assert by_recall.scores == (5 / 14, 7 / 14)
    one = [save(tmp_path, f"id,tp,fp,fn\nx,{i},2,3\n", f"{i}.csv") for i in (1, 2)]
    assert xp.read(*one).metrics[0] == "f1"


def test_counts_are_found_by_name():
    assert metrics_of(["tp", "fp", "fn"])["tp", "fp", "fn"][0] == "f1"
    assert metrics_of(["errors", "ref_length", "x"]) == {("errors", "ref_length"): ("wer", "cer", "ter")}
    assert metrics_of(["score", "correct"]) == {}
    assert counts_by_system(["correct_A", "correct_B"]) == {}
    assert counts_by_system(["tp_A", "fp_A", "tp_B"]) == {}
    assert set(counts_by_system(["tp A", "incorrect A", "B tp", "B incorrect"])) == {"A", "B"}


@pytest.mark.parametrize("cell", ["-1", "0.5", "", "NA"])
def test_counts_count(tmp_path, cell):
    text = f"id,tp_A,incorrect_A,tp_B,incorrect_B\nx,1,2,3,4\ny,1,2,{cell},4\n"
    refused(tmp_path, "0.csv:3: the count in tp_B is", text)


def test_columns_with_the_same_rows_are_not_touched(tmp_path):
    """Items in the same order are taken as they are; in another order they give the same, item by item."""
    first, second = "id,acc\na,1\nb,0\nc,1\n", "id,acc\na,0\nb,1\nc,1\n"
    same = xp.read(save(tmp_path, first, "A.csv"), save(tmp_path, second, "B.csv"))
    assert isinstance(same.measures["acc"].columns["A"], np.ndarray)
    other = xp.read(save(tmp_path, first, "A.csv"), save(tmp_path, "id,acc\nc,1\na,0\nb,1\n", "B.csv"))
    assert not isinstance(other.measures["acc"].columns["A"], np.ndarray)
    assert columns(same, "acc") == columns(other, "acc") == {"A": [1, 0, 1], "B": [0, 1, 1]}
    assert same.items == other.items


def test_files_by_row_where_there_are_no_ids(tmp_path):
    paths = [save(tmp_path, f"score\n{a}\n{b}\n", f"{i}.csv") for i, (a, b) in enumerate([(0.5, 1), (2, 3)])]
    scores = xp.read(*paths)
    assert scores.items == (1, 2)
    assert columns(scores) == {"0": [0.5, 1.0], "1": [2, 3]}


def test_parts_of_a_table(tmp_path):
    for i in range(3):
        save(tmp_path, f"A,B\n{i},1\n{i},2\n", f"part{i}.csv")
    scores = xp.read(str(tmp_path / "part*.csv"))
    assert len(scores.items) == 6
    assert columns(scores)["A"] == [0, 0, 1, 1, 2, 2]


# -- traps -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffid,A,B\nx,1,0\ny,0,1\n",
        "id;A;B\r\nx;1;0\r\ny;0;1\r\n",
        "id\tA\tB\nx\t1\t0\ny\t0\t1\n",
        "id|A|B\nx|1|0\ny|0|1",
        "\n\nid,A,B\n\nx,1,0\n,,\ny,0,1\n\n",
        '"id","A","B"\n"x","1","0"\n"y","0","1"\n',
        "A\tB\nx\t1\t0\ny\t0\t1\n",
        "id;A;B;;\nx;1;0;;\ny;0;1;;\n",
    ],
    ids=["bom", "semicolons", "tabs", "bars", "empty rows", "quotes", "write.table", "empty columns"],
)
def test_ways_to_write_the_same(tmp_path, text):
    scores = xp.read(save(tmp_path, text))
    assert scores.items == ("x", "y")
    assert columns(scores) == {"A": [1, 0], "B": [0, 1]}


def test_lines_are_those_of_the_file(tmp_path):
    body = "".join(f'{i},"one\ntwo\r\nthree",{i},1\n' for i in range(200))
    refused(tmp_path, f"0.csv:{1 + 3 * 200 + 3}: the column A holds 'x'", f'id,text,A,B\n{body}z,"a\nb\nc",x,1\n')


def test_many_columns(tmp_path):
    names = [f"a system with quite a long name, number {i}" for i in range(5000)]
    rows = [",".join([f"q{j}", *(str((i * j) % 7) for i in range(5000))]) for j in range(3)]
    text = "\n".join([",".join(["id", *(f'"{name}"' for name in names)]), *rows, ""])
    scores = xp.read(save(tmp_path, text))
    assert scores.systems == tuple(names)
    assert [column[2] for column in scores.measures["score"].columns.values()] == [2 * i % 7 for i in range(5000)]
    assert len(scores.notes[0]) < 1000


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("0.csv:3: this row has 2 cells, the header 3", "id,A,B\nx,1,0\ny,1\nz,1,0\nw,1,0\n"),
        ("0.csv:1: 2 columns are called 'A'", "id,A,A\nx,1,0\n"),
        ("0.csv:3: the column B holds 'zero'", "id,A,B\nx,1,0\ny,1,zero\nz,1,1\n"),
        ("0.csv:2: the id in id is missing", "id,A,B\n,1,0\ny,1,1\n"),
        ("0.csv:3: item 'x' of A is there twice, the first time in", "id,A,B\nx,1,0\nx,1,1\n"),
        ("0.csv:3: the cells cannot be told apart", 'id,A,B\nx,1,0\n"y"z,1,1\nw,1,1\n'),
        ("holds numbers instead of names of columns", "x,1,0\ny,0,1\n"),
        ("may be pandas' names of columns, or scores", "0,1\n5,6\n"),
        (
            "there is one column of scores only (items by id; scores A; left out B (text))",
            "id,A,B\nx,1,good\ny,2,bad\n",
        ),
        (
            "0.csv: the format was not recognised (csv: no column of numbers, only id, A, B; write scores",
            "id,A,B\nx,p,good\ny,q,bad\n",
        ),
        ("needs a column that names the items", "model,score\na,1\nb,2\n"),
        ("3 columns of numbers without names; write the names", "1,2,3\n4,5,6\n"),
        ("in UTF-16; convert it to UTF-8", "id,A,B\nx,1,0\n".encode("utf-16")),
        ("a workbook; save the sheet as csv", b"PK\x03\x04"),
        ("holds 'inf'", "id,A,B\nx,1,inf\ny,1,1\nz,1,1\n"),
    ],
)
def test_tables_that_are_wrong(tmp_path, message, text):
    if "workbook" in message:
        with pytest.raises(xp.sources.SourceError, match=message):
            xp.read(save(tmp_path, text, "scores.xlsx"))
    else:
        refused(tmp_path, message, text)


def test_blank_rows_are_skipped_however_many(tmp_path):
    text = "id,A,B\nx,1,0\n" + "\n" * 3000 + "y,0,1\n"
    assert xp.read(save(tmp_path, text)).items == ("x", "y")
    refused(tmp_path, "0.csv:3003: the column A holds 'one'", text.replace("y,0", "y,one"))


def test_a_header_alone(tmp_path):
    refused(tmp_path, "there is no row below the header; is the file complete?", "id,A,B\n", a="A", b="B", format="csv")


def test_objects_without_numbers(tmp_path):
    path = save(tmp_path, '{"id": "x", "answer": "good"}\n{"id": "y", "answer": "bad"}\n', "a.jsonl")
    with pytest.raises(xp.sources.SourceError, match=r"recognised \(jsonl: no column of numbers, only id, answer;"):
        xp.read(path)


def test_json_without_objects(tmp_path):
    with pytest.raises(xp.sources.SourceError, match=r"recognised \(jsonl: no object for each row;"):
        xp.read(save(tmp_path, "[0.5, 1.0]", "a.jsonl"))


def test_a_metric_with_a_slip_is_found(tmp_path):
    scores = xp.read(save(tmp_path, "id,BLEU,chrf\nx,1,2\n", "a.csv"), save(tmp_path, "id,BLEU,chrf\nx,2,1\n", "b.csv"))
    with pytest.raises(ValueError, match=r"no metric 'blue'; did you mean BLEU\? They have BLEU, chrf"):
        xp.compare(scores, metric="blue")


def test_metrics_of_numbers(tmp_path):
    """By the name of their column, as a mean of another name, or by a metric of one's own; no options of counts."""
    scores = xp.read(save(tmp_path, "id,BLEU\nx,10\ny,12\n", "a.csv"), save(tmp_path, "id,BLEU\nx,9\ny,12\n", "b.csv"))
    mine = xp.Metric("mine", ("score",), additive=True, higher_is_better=False)
    for metric, name, best in (("BLEU", "BLEU", "a"), ("accuracy", "accuracy", "a"), (mine, "mine", "b")):
        result = xp.compare(scores, metric=metric)
        assert (result.metric, dict(result.scores), result.ranking[0]) == (name, {"a": 11, "b": 10.5}, best)
    with pytest.raises(TypeError, match="beta: BLEU of numbers from files takes no such option"):
        xp.compare(scores, beta=2)
    with pytest.raises(TypeError, match=r"y_true is for predictions in memory; files are read with their gold, read\("):
        xp.compare(scores, y_true=[1, 0])


def test_ids_that_do_not_match(tmp_path):
    refused(tmp_path, "1 of 3 items are missing for 1", "id,acc\nx,1\ny,0\nz,1\n", "id,acc\nx,1\ny,0\n")
    refused(tmp_path, "no measure in common: 0 has f1; 1 has acc", "id,f1\nx,1\n", "id,acc\nx,1\n")
    refused(tmp_path, "0 and 1 have no item in common; are", "id,acc\nx,1\n", "id,acc\ny,1\n", missing="omit")


# -- JSON, Parquet, and numbers ---------------------------------------------------------------------------------


def test_json_text_is_no_number(tmp_path):
    rows = [{"id": i, "A": str(i), "B": i, "C": {"f1": 0.5, "n": [1]}} for i in range(3)]
    scores = xp.read(save(tmp_path, "\n".join(map(json.dumps, rows)), "x.jsonl"))
    assert scores.systems == ("B", "C.f1")
    assert scores.notes == ("items by id; scores B, C.f1; left out A (text), C.n (a list)",)


def test_json_lines_are_named(tmp_path):
    path = save(tmp_path, '{"id": 1, "A": 1, "B": 2}\n\n{"id": 2, "A": 1, "B": "x"}\n', "x.jsonl")
    with pytest.raises(xp.sources.SourceError, match="jsonl:3: the column B holds 'x'"):
        xp.read(path)


def test_truth_values_of_json_are_kept(tmp_path):
    scores = xp.read(save(tmp_path, '{"id": 1, "A": true, "B": false}\n{"id": 2, "A": true, "B": true}\n', "x.jsonl"))
    assert scores.measures["score"].columns["B"].dtype == bool
    assert columns(scores) == {"A": [True, True], "B": [False, True]}


def test_keys_with_dots(tmp_path):
    rows = ['{"id": 1, "a.b": {"c": 5}, "a": {"d": 1}}', '{"id": 2, "a.b": {"c": 6}, "a": 7}']
    scores = xp.read(save(tmp_path, "\n".join(rows), "x.jsonl"), a="a.b.c", b="a.d")
    assert columns(scores) == {"a.b.c": [5, 6], "a.d": [1, None]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"id": 1, "A": 1}, 3]', "a list of rows holds objects, {...}; row 2 is 3"),
        *(
            (f'{{"id": 1, "A": 1}}\n{line}\n', f":2: a line holds one JSON object, {{...}}; this one holds {kind}")
            for line, kind in (
                ("[1]", "a list"), ('"x"', "a string"), ("true", "a truth value"), ("null", "null"), ("3", "a number"),
            )
        ),
        ('{"id": 1, "A": 1}\n{"id": 2, "A": \n', ":2: not JSON at column 16: Expecting value; is the file complete?"),
        ('{"id": 1, "A": 1}\n' + "[" * 100_000, ":2: the JSON is nested too deeply"),
        ("[" * 100_000, ":1: the JSON is nested too deeply"),
        ('{\n  "results": {\n    "A": 1\n  }\n}\n', ":1: a line holds one JSON object, and here is one over many"),
        ('{"id": 1, "A": ' + "9" * 5000 + "}", ":1: the JSON holds a number with too many digits"),
    ],
    ids=lambda text: text[:30],
)  # fmt: skip
def test_json_that_is_wrong(tmp_path, text, message):
    with pytest.raises(xp.sources.SourceError, match=re.escape(message)):
        xp.read(save(tmp_path, text, "x.json"), format="jsonl")


def test_json_that_is_nested_too_deeply_to_be_recognised(tmp_path):
    with pytest.raises(xp.sources.SourceError, match=r"x\.json:1: the JSON is nested too deeply"):
        xp.read(save(tmp_path, '[{"a":' * 30_000, "x.json"))


def test_numbers_of_parquet(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "x.parquet"
    prices = polars.DataFrame({"A": ["0.25", "1.50"], "B": ["0.75", None]}).cast(polars.Decimal(10, 2))
    prices.write_parquet(path)
    found = columns(xp.read(path))
    assert found["A"] == [0.25, 1.5]
    assert np.array_equal(found["B"], [0.75, np.nan], equal_nan=True)
    polars.DataFrame({"A": [0.5, 1.0], "B": [0.5, -np.inf]}).write_parquet(path)
    with pytest.raises(xp.sources.SourceError, match=r"x\.parquet: the column B is -inf in row 2; scores are finite"):
        xp.read(path)


@pytest.mark.parametrize("backend", ["pyarrow", "polars", "duckdb"])
def test_parquet_with_each_library(tmp_path, monkeypatch, backend):
    polars = pytest.importorskip("polars")
    pytest.importorskip(backend)
    monkeypatch.setattr("exactperm.sources.parquet.BACKENDS", (backend,))
    frame = polars.DataFrame(
        {"id": ["x", "y"], "A": [1, None], "B": [0.1, None], "C": [True, False], "D": [[1], [2]]},
        schema_overrides={"A": polars.Int8, "B": polars.Float64},
    )
    frame.write_parquet(tmp_path / "scores.parquet")
    scores = xp.read(tmp_path / "scores.parquet")
    found = columns(scores)
    assert scores.items == ("x", "y")
    assert (found["A"], found["B"][0], found["C"]) == ([1, None], 0.1, [True, False])
    assert np.isnan(found["B"][1])
    assert "left out D (list)" in scores.notes[0]


def test_parquet_without_a_library(tmp_path, monkeypatch):
    path = save(tmp_path, b"PAR1....", "x.parquet")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(xp.sources.SourceError, match=re.escape("pip install 'exactperm[parquet]'")):
        xp.read(path)


def test_a_score_a_line(tmp_path):
    scores = xp.read(save(tmp_path, "0.5\n1\n", "A.txt"), save(tmp_path, "0.25\n2\n", "B.txt"))
    assert columns(scores) == {"A": [0.5, 1.0], "B": [0.25, 2.0]}


def test_a_table_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"id,A,B\nx,1,0\ny,0,1\n")))
    assert xp.read("-").systems == ("A", "B")


def test_source_text_says_where_it_is_wrong(tmp_path):
    refused(tmp_path, "0.csv:3: byte 1 is not UTF-8", b"id,A,B\nx,1,0\n\xff,0,1\n", format="csv")
    with Source(save(tmp_path, "a\n")).text() as file:
        assert file.read() == "a\n"


# -- what read returns, in memory -------------------------------------------------------------------------------


def test_paired_test_takes_scores(tmp_path):
    text = "id,cluster,A,B\n" + "".join(f"q{i},c{i % 5},{i % 3},{(i * 7) % 4}\n" for i in range(20))
    scores = xp.read(save(tmp_path, text))
    a, b, groups = ([f(i) for i in range(20)] for f in (lambda i: i % 3, lambda i: i * 7 % 4, lambda i: i % 5))
    expected = xp.paired_test(a, b, groups=groups)
    result = xp.paired_test(scores)
    assert (result.pvalue, result.scores, result.n_groups) == (expected.pvalue, expected.scores, 5)
    assert xp.compare(scores).pairs[0].pvalue == expected.pvalue
    assert xp.paired_test(scores, groups=list(range(20))).pvalue == xp.paired_test(a, b).pvalue
    one_sided = xp.paired_test(scores, alternative="greater")
    assert one_sided.pvalue == xp.paired_test(a, b, groups=groups, alternative="greater").pvalue


def test_paired_test_takes_two_systems(tmp_path):
    scores = xp.read(save(tmp_path, "id,A,B,C\nx,1,0,1\ny,0,1,1\n"))
    with pytest.raises(ValueError, match="these files are about 3, A, B, C: use compare"):
        xp.paired_test(scores)
    with pytest.raises(TypeError, match="b is missing"):
        xp.paired_test([1, 2])
    with pytest.raises(ValueError, match="these files have no metric 'f1'; they have score"):
        xp.paired_test(xp.read(save(tmp_path, "id,A,B\nx,1,0\n")), metric="f1")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_with_ids_and_groups(library):
    module = pytest.importorskip(library)
    data = {"doc": ["p", "p", "q", "q"], "A": [1, 0, 1, 1], "B": [0, 0, 1, 0], "C": [1, 1, 1, 0]}
    make = module.table if library == "pyarrow" else module.DataFrame
    grouped = xp.compare(make(data), groups="doc")
    assert grouped.systems == ("A", "B", "C")
    assert grouped.pairs[0].n_groups == 2
    plain = xp.compare({name: data[name] for name in "ABC"}, groups=data["doc"])
    assert [p.pvalue for p in grouped.pairs] == [p.pvalue for p in plain.pairs]
    for name, ids in (("question_id", [1, 2, 3, 4]), ("id", list("wxyz"))):
        with pytest.raises(TypeError, match=f"the column '{name}' of the data frame names items, it seems"):
            xp.compare(make({name: ids, **data}), groups="doc")


def test_text_of_parquet_that_is_not_utf8(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    text = b"q1\xebq"
    ends = np.array([0, 2, 4], dtype=np.int32)
    ids = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(text)])
    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"id": ids, "A": [1, 0], "B": [0, 1]}), path)
    with pytest.raises(xp.SourceError, match=r"x\.parquet: column 'id' holds text that is not UTF-8; write it anew"):
        xp.read(str(path))
