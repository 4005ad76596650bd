"""``exactperm demo``: one test on a built-in data set."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    from exactperm.result import TestResult

__all__ = ["demo"]

QUESTION = """\
Two systems, A and B, labelled the words of the same 1000 sentences (simulated data).
A got more words right in total. Is A different from B, or would exchanging their
outputs at random, sentence by sentence, often give a difference as large?
"""

NEXT = """\
The same test on your own scores, one number per item and system, in Python:

    import exactperm
    exactperm.paired_test(a, b)                         # the test above
    exactperm.paired_test(a, b, alternative="greater")  # is A better?
    exactperm.paired_test(a, b, groups=documents)       # swap whole documents
"""


def demo() -> None:
    """Run the test on a built-in data set."""
    from rich.console import Console
    from rich.text import Text

    from exactperm import paired_test

    result = paired_test(*_scores())
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(QUESTION)
    for name, value in _facts(result):
        console.print(Text.assemble((f"{name:<13}", "cyan"), value))
    console.print(f"\n{result.verdict}\n", style="bold")
    console.print(NEXT, end="")


def _scores() -> NDArray[int64]:
    """The words each system got right: a row per system, a column per sentence."""
    import numpy as np

    with (files("exactperm.cli") / "demo.csv").open(encoding="utf-8") as file:
        return np.loadtxt(file, dtype=np.int64, delimiter=",", skiprows=1, unpack=True)


def _facts(result: TestResult) -> list[tuple[str, str]]:
    score_a, score_b = result.scores
    low, high = result.pvalue_interval
    return [
        ("sentences", f"{result.n_items}, of which {result.n_tied} tied"),
        ("score of A", f"{score_a:.3f} words right per sentence"),
        ("score of B", f"{score_b:.3f}"),
        ("A - B", f"{result.statistic:+.3f}"),
        ("p-value", f"{result.pvalue:.12g}, {result.alternative}"),
        ("certified", f"{low:.17g} to {high:.17g}"),
        ("method", f"{result.method}{', exact' if result.exact else ''}"),
        ("signature", result.signature),
    ]
