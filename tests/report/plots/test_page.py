"""The pictures of docs/plots.md are those that its script draws."""

import importlib.util
import re
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
import matplotlib as mpl
import numpy as np
from matplotlib.image import imread

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "plots.md").read_text(encoding="utf-8")
#: the series of matplotlib that drew the pictures
SERIES = "3.11."


def generator():
    spec = importlib.util.spec_from_file_location("generate_plots", ROOT / "docs" / "generate_plots.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pictures_are_those_of_the_script(tmp_path):
    shown = set(re.findall(r"\]\(plots/(.*?)\)", PAGE))
    generator().main(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == shown == {p.name for p in (ROOT / "docs" / "plots").iterdir()}
    if not mpl.__version__.startswith(SERIES):
        pytest.skip(f"the pictures were drawn by matplotlib {SERIES}x, and this is {mpl.__version__}")
    for name in shown:
        new, old = imread(tmp_path / name), imread(ROOT / "docs" / "plots" / name)
        assert new.shape == old.shape
        assert np.sqrt(np.mean((new - old) ** 2)) < 0.02
