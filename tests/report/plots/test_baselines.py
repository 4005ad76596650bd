"""Every plot looks as it did when somebody looked at it: ``python tests/report/plots/test_baselines.py`` draws anew.

Releases of matplotlib draw letters differently, and with them the layout moves by some pixels. So there are two
pictures of each plot. The whole one is compared where matplotlib is of the series that drew it. The other has no
text, and its axes are put in a fixed place: that one must look the same everywhere. Pixels are averaged over blocks
of 4 x 4, on a scale from 0 to 1, so that edges may move by a fraction of a pixel, and no block may differ by more
than the tolerance. Without text, matplotlib 3.9.0 and 3.11.2 (FreeType 2.6 and 2.14) differ by 0.06 in a plot with
dashes, by 0.04 in one with dots, and by less than 0.001 in all others. Any artist less, but for the border of an
empty cell, makes 0.085 or more (the last test).
"""

import io
from functools import cache
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
import matplotlib as mpl
from matplotlib.image import imread
from matplotlib.legend import Legend
from matplotlib.text import Text

from drawings import DRAWINGS
from exactperm.report.plots import style

FOLDER = Path(__file__).with_name("baseline")
#: the series of matplotlib that drew the whole pictures
SERIES = "3.11."
DPI = 72
BLOCK = 4
TOLERANCE = 0.075


def written(figure):
    """A figure as the bytes of a png file."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=DPI, metadata={"Software": None})
    return file.getvalue()


def bare(figure):
    """A figure without text, its axes in a fixed place."""
    figure.set_layout_engine("none")
    figure.axes[0].set_position((0.2, 0.2, 0.6, 0.6))
    for artist in figure.findobj(lambda x: isinstance(x, Text | Legend)):
        artist.set_visible(False)
    return figure


KINDS = ("whole", "bare")


@cache
def drawn(name):
    """A plot as it is, as bytes; without text, as bytes; and the figure without text."""
    figure = style.figure_of(DRAWINGS[name](style.COLUMN))
    whole = written(figure)
    return whole, written(bare(figure)), figure


def averaged(png):
    """The means of blocks of pixels, from 0 to 1; what does not fill a block is left out."""
    pixels = imread(io.BytesIO(png))[..., :3]
    rows, columns = (size // BLOCK for size in pixels.shape[:2])
    return pixels[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK, 3).mean(axis=(1, 3))


def distance(one, other):
    """How differently two pictures look where they differ most."""
    return float(np.abs(averaged(one) - averaged(other)).max())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", DRAWINGS)
def test_it_looks_as_it_did(name, kind):
    if kind == "whole" and not mpl.__version__.startswith(SERIES):
        pytest.skip(f"letters were drawn by matplotlib {SERIES}x, and this is {mpl.__version__}")
    picture = drawn(name)[KINDS.index(kind)]
    assert distance(picture, (FOLDER / kind / f"{name}.png").read_bytes()) <= TOLERANCE


def test_every_baseline_is_drawn():
    assert {(path.parent.name, path.stem) for path in FOLDER.glob("*/*.png")} == {
        (kind, name) for kind in KINDS for name in DRAWINGS
    }


@pytest.mark.parametrize("name", [name for name in DRAWINGS if not name.startswith("matrix")])
def test_an_artist_less_is_found(name):
    _, seen, figure = drawn(name)
    for artist in [*figure.axes[0].patches, *figure.axes[0].lines, *figure.axes[0].collections]:
        artist.set_visible(False)
        assert distance(seen, written(figure)) > TOLERANCE
        artist.set_visible(True)


def redraw():
    """Write the pictures; look at them before they are committed."""
    for i, kind in enumerate(KINDS):
        (FOLDER / kind).mkdir(parents=True, exist_ok=True)
        for name in DRAWINGS:
            (FOLDER / kind / f"{name}.png").write_bytes(drawn(name)[i])


if __name__ == "__main__":
    redraw()
