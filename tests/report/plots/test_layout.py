"""No text is cut off and none lies on another, whatever the systems are called and however many there are."""

from itertools import combinations

import pytest

pytest.importorskip("matplotlib")
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from drawings import DRAWINGS, comparison, scores
from exactperm.report import plots
from exactperm.report.plots import style

WIDTHS = {"paper": style.COLUMN, "slide": style.SLIDE}
#: pixels at 100 per inch by which boxes around letters may overlap, which are larger than the letters
SLACK = 1.0


def shown_texts(figure):
    """The texts that are drawn, with their boxes in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    unseen = {id(text) for axis in figure.findobj(Axis) for text in texts_out_of_view(axis)}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [(text.get_text(), text.get_window_extent(renderer)) for text in texts if id(text) not in unseen]


def texts_out_of_view(axis):
    """Labels of ticks beyond the ends of an axis, and those that are switched off with their side."""
    low, high = sorted(axis.get_view_interval())
    for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
        inside = low - 1e-9 * (high - low) <= tick.get_loc() <= high + 1e-9 * (high - low)
        if not inside or not axis.get_visible():
            yield from (tick.label1, tick.label2)


def overlap(one, other):
    """By how many pixels two boxes overlap, the shorter way out."""
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    return min(wide, high)


def faults(figure):
    """Texts that leave the figure, and pairs that lie on each other."""
    found, box = shown_texts(figure), figure.bbox
    assert found
    cut = [
        text
        for text, b in found
        if b.x0 < box.x0 - SLACK or b.y0 < box.y0 - SLACK or b.x1 > box.x1 + SLACK or b.y1 > box.y1 + SLACK
    ]
    return cut + [(x, y) for (x, one), (y, other) in combinations(found, 2) if overlap(one, other) > SLACK]


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("name", DRAWINGS)
def test_text_is_whole_and_apart(name, width):
    assert faults(style.figure_of(DRAWINGS[name](width))) == []


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("kind", ["ranking", "matrix"])
def test_twenty_systems_with_long_names(kind, width):
    names = tuple(f"{'organisation/a-rather-long-name-of-a-model' * 4}-{i}-instruct" for i in range(20))
    assert faults(style.figure_of(comparison(20, names=names).plot(kind=kind, width=width))) == []


def test_two_long_names_on_one_plot():
    pair = comparison(2, names=("w" * 200, "W" * 200)).pairs[0]
    for kind in ("null", "differences"):
        assert faults(style.figure_of(pair.plot(kind=kind))) == []


def test_axes_of_someone_else():
    """Half of a figure with the settings that matplotlib comes with."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    assert plots.null_distribution(scores(100, 0.4), left) is left
    assert plots.ranking(comparison(5), right) is right
    assert faults(figure) == []


def test_faults_are_found():
    figure = Figure(figsize=(3, 2), layout="constrained")
    ax = figure.add_subplot()
    assert faults(figure) == []
    ax.set_xticks([0.5, 0.51], ["one label", "another"])
    assert ("one label", "another") in faults(figure)
    ax.set_xticks([])
    ax.set_ylabel("far too long for a figure of this height")
    assert faults(figure) == ["far too long for a figure of this height"]
