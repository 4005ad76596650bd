"""Tables as text, Markdown, LaTeX and CSV: whatever systems are called, the form holds."""

import csv
import io
import math
import random
import shutil
import subprocess

import pytest

import exactperm as xp
from exactperm import tables

NAMES = ["a_b & 50%", r"C#^~\x", "{curly} $1", "<b>|x", "$a_b_c$", "+5", "two\nlines", "naïve"]


def comparison():
    draw = random.Random(0)
    return xp.compare({name: [draw.randint(0, 3) for _ in range(40)] for name in NAMES}, method="monte-carlo", rng=0)


def test_names_are_text_in_latex_and_values_mathematics():
    table = tables.latex(["system", "difference"], [["$a_b$", "+0.5"], ["+5", "$<0.1$"], ["<|>", "a_b"]], 1)
    assert table.splitlines()[4:7] == [
        r"\$a\_b\$ & $+0.5$ \\",
        r"+5 & $<0.1$ \\",
        r"\textless{}\textbar{}\textgreater{} & a\_b \\",
    ]


def test_latex_compiles(tmp_path):
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("pdflatex is not installed")
    several = xp.compare({"A": [1, 2, 3], "B": [0, 0, 0]}).to_latex()
    body = "\n\n".join([comparison().to_latex(), several])
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n" + body + "\n\\end{document}\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [compiler, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 0


def test_markdown_has_as_many_cells_in_every_row():
    systems, pairs = comparison().to_markdown().split("\n\n")
    for table in (systems, pairs):
        bars = {line.replace(r"\|", "").count("|") for line in table.splitlines()}
        assert len(bars) == 1
    assert r"| \<b\>\|x |" in systems
    assert "| two lines |" in systems


def test_csv_comes_back():
    result = comparison()
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert [(row["a"], row["b"]) for row in rows] == [(pair.a, pair.b) for pair in result.pairs]
    assert [float(row["statistic"]) for row in rows] == [pair.statistic for pair in result.pairs]
    assert tables.csv([{"x": math.nan, "y": None, "z": 'a,"b"'}]) == 'x,y,z\n,,"a,""b"""\n'


def test_columns_of_wide_characters_are_aligned():
    text = tables.plain(["system", "score", "tier"], [["模型", "1.5", "a"], ["x", "10.5", "ab"]], 1)
    assert text.splitlines() == ["system  score  tier", "模型      1.5  a", "x        10.5  ab"]


@pytest.mark.parametrize(("text", "columns"), [("", 0), ("abc", 3), ("模型", 4), ("naïve", 5), ("e\u0301", 1)])
def test_cells(text, columns):
    assert tables.cells(text) == columns
