"""exactperm compare --plot: a picture beside the tables, or one line and no file."""

import sys

import pytest

pytest.importorskip("matplotlib")

import exactperm as xp
from exactperm.report import plots


@pytest.mark.parametrize("systems", [2, 3])
def test_the_picture_that_python_draws(samples, invoke, tmp_path, systems):
    files = [samples(name, share) for name, share in (("A", 0.9), ("B", 0.6), ("C", 0.4))[:systems]]
    plain = invoke("compare", *files)
    done = invoke("compare", *files, "--plot", tmp_path / "figure.svg")
    assert (done.exit_code, done.stdout, done.stderr) == (0, plain.stdout, "")
    plots.save(xp.compare(xp.read(*files)).plot(), tmp_path / "expected.svg")
    assert (tmp_path / "figure.svg").read_bytes() == (tmp_path / "expected.svg").read_bytes()


def test_bad_input_is_one_line_and_no_file(samples, refuses, tmp_path):
    files = samples("A", 0.9), samples("B", 0.6)
    before = sorted(tmp_path.iterdir())
    refuses("compare", *files, "--plot", tmp_path / "x.gif", match=r"x\.gif: a plot is a file that ends in \.png")
    refuses("compare", *files, "--plot", tmp_path / "no" / "x.png", match="there is no folder .*; make it first")
    two = ["--metric", "exact_match", "--metric", "length"]
    refuses("compare", *files, *two, "--plot", tmp_path / "x.png", match="--plot draws one metric, and here are 2")
    refuses("compare", files[0], tmp_path / "nowhere", "--plot", tmp_path / "x.png", match="there is no such file")
    assert sorted(tmp_path.iterdir()) == before


def test_without_matplotlib_it_says_what_to_install(samples, refuses, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("exactperm.report.plots")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    files = samples("A", 0.9), samples("B", 0.6)
    needs = r"^plots need matplotlib: pip install 'exactperm\[plot\]'$"
    refuses("compare", *files, "--plot", tmp_path / "x.png", match=needs)
