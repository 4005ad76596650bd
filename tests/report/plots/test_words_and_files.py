"""Names are shown as text; files are written whole or not at all, with the same bytes every time."""

import xml.etree.ElementTree as ET

import pytest

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

from drawings import ODD_NAMES, comparison, power, scores
from exactperm.report import plots
from exactperm.report.plots import style, words
from exactperm.whole_file import whole_file

SUFFIXES = (".png", ".svg", ".pdf")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain_name", "plain_name"),
        ("$x$", r"\$x\$"),
        ("two\nlines\tand  spaces", "two lines and spaces"),
        ("bell\x07", "bell\N{REPLACEMENT CHARACTER}"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}evil", "evil"),
        ("שלום", "\N{LEFT-TO-RIGHT MARK}שלום\N{LEFT-TO-RIGHT MARK}"),
    ],
)
def test_a_name_as_text(name, shown):
    assert words.as_text(name) == shown


def test_long_names_are_shortened_in_the_middle():
    (short,) = words.fitted(["beginning-" + "x" * 200 + "-end"], 1.0)
    assert short.startswith("begin")
    assert short.endswith("-end")
    assert "…" in short
    assert 0.8 < words.width_of(short) <= 1.0
    assert words.fitted(["short"], 1.0) == ["short"]


def test_shortened_names_stay_different():
    names = [f"{'x' * 100}{i}{'y' * 100}" for i in range(3)]
    short = words.fitted(names, 1.5)
    assert len(set(short)) == 3
    assert all(words.width_of(name) <= 1.5 for name in short)


def test_numbers():
    assert [words.number(x) for x in (0.5, -0.25, 0, 1e-7)] == [
        "+0.5",
        "\N{MINUS SIGN}0.25",
        "0",
        "+1e\N{MINUS SIGN}07",
    ]
    assert [words.percent(x) for x in (0.95, 1 - 0.05 / 7, 1 - 0.1)] == ["95 %", "99.2857 %", "90 %"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_bytes_every_time(tmp_path, suffix):
    files = [tmp_path / f"{i}{suffix}" for i in range(2)]
    for file in files:
        plots.save(scores(100, 0.4).plot(), file)
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert first.startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix])
    assert sorted(tmp_path.iterdir()) == files


def test_pdf_has_the_fonts_that_publishers_ask_for(tmp_path):
    plots.save(plots.power_curve(power()), tmp_path / "x.pdf")
    content = (tmp_path / "x.pdf").read_bytes()
    assert b"/Type3" not in content
    assert b"/CIDFontType2" in content
    assert b"/CreationDate" not in content


def test_nothing_in_svg_runs(tmp_path):
    names = (*ODD_NAMES, "--><script>alert(2)</script>")
    for kind in ("ranking", "matrix"):
        path = tmp_path / f"{kind}.svg"
        plots.save(comparison(9, names=names).plot(kind=kind), path)
        tags = {element.tag.rpartition("}")[2] for element in ET.parse(path).iter()}
        assert "script" not in tags
        assert {"svg", "g", "path"} <= tags


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("x.gif", "x.gif: a plot is a file that ends in .png, .svg or .pdf, not in .gif"),
        ("x", "ends in .png, .svg or .pdf, and this name has no suffix"),
        ("nowhere/x.png", "nowhere/x.png: there is no folder .*nowhere; make it first"),
        ("folder.png", "folder.png: this is a folder; give the name of a file"),
    ],
)
def test_files_that_cannot_be(tmp_path, name, match):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(ValueError, match=match):
        plots.save(plots.power_curve(power()), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "x.png"
    path.write_bytes(b"before")

    def fails(_, file, **__):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", fails)
    with pytest.raises(OSError, match="No space left"):
        plots.save(plots.power_curve(power()), path)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, whole_file(tmp_path / "nowhere" / "x"):
        pass
    assert caught.value.filename == str(tmp_path / "nowhere" / "x")


def test_capital_suffixes_and_resolution(tmp_path):
    plots.save(plots.power_curve(power()), tmp_path / "x.PNG", dpi=50)
    from matplotlib.image import imread

    assert imread(tmp_path / "x.PNG").shape[1] == int(50 * style.COLUMN)


@pytest.mark.parametrize("draw", [lambda path: scores(9, 0.4).plot(path), lambda path: comparison(5).plot(path)])
def test_a_path_is_no_axes(tmp_path, draw):
    with pytest.raises(TypeError, match=r"not the path '.*x.pdf'; to write a file use exactperm.report.plots.save"):
        draw(str(tmp_path / "x.pdf"))
