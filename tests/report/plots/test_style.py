"""Colours stay apart in grey and for the colour-blind, text can be read, and nothing of matplotlib is changed."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
import matplotlib as mpl
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import exactperm
from drawings import comparison, power, scores, seconds
from exactperm.report import plots
from exactperm.report.plots import style
from exactperm.report.plots.matrix import SHADES

#: linear RGB as a protanope, a deuteranope and a tritanope see it (Machado, Oliveira and Fernandes 2009, severity 1)
VISION = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
#: colours that touch or are compared
MEETING = [(style.PALE, style.VERMILION), (style.BLUE, style.ORANGE), ("#FFFFFF", style.BLUE), ("#FFFFFF", style.GREY)]
MEETING += list(pairwise([*(colour for _, colour, _ in SHADES), "#FFFFFF"]))


def linear(colour):
    """A colour in linear RGB."""
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def luminance(colour, vision=VISION["normal"]):
    """Relative luminance as WCAG 2 has it."""
    return float(np.clip(np.array(vision) @ linear(colour), 0, 1) @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    """The ratio of WCAG 2, from 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lightness(colour, vision):
    """CIE L*, from 0 to 100."""
    y = luminance(colour, vision)
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


@pytest.mark.parametrize("vision", VISION.values(), ids=VISION)
@pytest.mark.parametrize("colours", MEETING, ids="-".join)
def test_colours_that_meet_differ_in_grey(colours, vision):
    one, other = (lightness(colour, vision) for colour in colours)
    assert abs(one - other) >= 15


def test_lines_differ_in_more_than_colour():
    colours, dashes, markers = zip(*style.SERIES, strict=True)
    assert all(len({str(x) for x in kind}) == len(style.SERIES) for kind in (colours, dashes, markers))


def test_text_can_be_read():
    assert contrast(style.BLACK, "white") >= 7
    assert all(contrast(colour, text) >= 4.1 for _, colour, text in SHADES)
    assert contrast(style.VERMILION, "white") >= 3.5  # only the title that names what has this colour


def test_contrast_is_that_of_the_standard():
    assert contrast("white", "black") == pytest.approx(21)
    assert contrast("#777777", "white") == pytest.approx(4.48, abs=0.01)


def test_sizes_grow_with_the_figure():
    assert [style.font_size(width) for width in (2.0, style.COLUMN, style.SLIDE)] == [8, 8, 16]
    for width in (style.COLUMN, style.SLIDE):
        assert style.figure_of(plots.power_curve(power(), width=width)).get_figwidth() == width


@pytest.mark.parametrize("width", [0, -1.0])
def test_a_width_that_is_none(width):
    with pytest.raises(ValueError, match="width must be a positive number of inches"):
        scores(100, 0.4).plot(width=width)


def test_settings_of_others_are_left_alone():
    before = dict(mpl.rcParams)
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 7, "font.family": "monospace"}):
        changed = plots.power_curve(power())
    assert dict(mpl.rcParams) == before
    same = plots.power_curve(power())
    assert [text.get_fontproperties() for text in changed.get_xticklabels()] == [
        text.get_fontproperties() for text in same.get_xticklabels()
    ]
    assert changed.lines[0].get_linewidth() == same.lines[0].get_linewidth()


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: plots.null_distribution(scores(100, 0.4), ax),
        lambda ax: plots.differences(scores(100, 0.4), ax),
        lambda ax: plots.matrix(comparison(5), ax),
        lambda ax: plots.ranking(comparison(5), ax=ax),
        lambda ax: plots.power_curve(power(), ax=ax),
        lambda ax: plots.runtime(seconds(), ax=ax),
        lambda ax: comparison(5).plot(ax),
        lambda ax: scores(100, 0.4).plot(ax=ax),
    ],
)
def test_axes_that_are_given_are_drawn_into(draw):
    figure = Figure()
    part = figure.subfigures(1, 2)[0].add_subplot()
    assert draw(part) is part
    assert part.has_data()
    assert style.figure_of(part) is figure


def test_pyplot_is_never_loaded():
    program = (
        f"import sys; sys.path.insert(0, {str(Path(exactperm.__file__).parents[1])!r}); import exactperm; "
        "exactperm.paired_test([1, 2, 3], [0, 0, 1]).plot(); "
        "print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_without_matplotlib():
    program = (
        f"import sys; sys.path.insert(0, {str(Path(exactperm.__file__).parents[1])!r}); import exactperm; "
        "sys.modules['matplotlib'] = None; exactperm.paired_test([1, 2, 3], [0, 0, 1]).plot()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "ImportError: plots need matplotlib: pip install 'exactperm[plot]'"
