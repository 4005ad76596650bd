"""Draw the pictures of docs/plots.md: ``python docs/generate_plots.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import exactperm as xp
from exactperm.report import plots

FOLDER = Path(__file__).with_name("plots")
EXAMPLES = Path(__file__).parents[1] / "examples"
#: pixels per inch
DPI = 150


def pictures() -> dict[str, Any]:
    """The axes of each picture by its name."""
    pos = EXAMPLES / "pos"
    parsers = xp.read(pos / "perceptron.conllu", pos / "biaffine.conllu", gold=pos / "gold.conllu")
    two, many = xp.compare(parsers, metric="las"), xp.compare(xp.read(EXAMPLES / "wide" / "scores.csv"))
    far = next(pair for pair in many.pairs if {pair.a, pair.b} == {"ensemble", "majority"})
    return {
        "null": two.plot(),
        "null_far": far.plot(),
        "differences": two.plot(kind="differences"),
        "ranking": many.plot(),
        "matrix": many.plot(kind="matrix"),
    }


def main(folder: Path = FOLDER) -> None:
    """Write the pictures."""
    folder.mkdir(exist_ok=True)
    for name, ax in pictures().items():
        plots.save(ax, folder / f"{name}.png", dpi=DPI)


if __name__ == "__main__":
    main()
