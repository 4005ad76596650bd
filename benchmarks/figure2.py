"""Figure 2: the null law of the difference, with the observed value and the tail that is the p-value.

    python benchmarks/figure2.py [--checkout PATH] [--images PATH]

Two systems on 500 and on 10,000 sentences, simulated from Table 1 (`simulation`). The law as the paper's algorithms
find it, from `exactperm.paper` and, with a checkout of https://github.com/rycolab/paired-perm-test, from the authors'
code, is compared point by point with the law of our engine; ours are asserted to agree.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from measure import table  # noqa: E402 - found on the path just set
from simulation import Integers, systems  # noqa: E402

import exactperm as xp  # noqa: E402
from exactperm.paper import convolve_dp, convolve_fft  # noqa: E402

SIZES = (500, 10_000)
Law = Mapping[int, float]
Finder = Callable[[Integers, Integers], Law]


def of_engine(u: Integers, v: Integers) -> Law:
    """The law of the summed difference, from the result of the test."""
    law = xp.paired_test(u, v).null_distribution()
    return dict(zip((law.support * len(u)).round().astype(int).tolist(), law.probabilities.tolist(), strict=True))


def of_paper(convolve: Callable[..., Law]) -> Finder:
    """The law by an algorithm of the paper."""
    return lambda u, v: convolve([{d: 0.5, -d: 0.5} if d else {0: 1.0} for d in (u - v).tolist()])


def of_authors(checkout: Path) -> dict[str, Finder]:
    """The law in the authors' code."""
    sys.path.insert(0, str(checkout))
    dp = importlib.import_module("pairedpermtest.accuracy").pmf
    fft = importlib.import_module("pairedpermtest.accuracy_polymul").pmf_polymul

    def by_dp(u: Integers, v: Integers) -> Law:
        largest = int(abs(u - v).max())
        row = dp(u, v, largest)
        return {i - largest * len(u): p for i, p in enumerate(row.tolist()) if p}

    return {"the authors, DP": by_dp, "the authors, FFT": lambda u, v: fft(u, v).to_sparse()}


def compared(law: Law, exact: Law, observed: int) -> tuple[str, ...]:
    """How much of the law is there, how far it is off at most, and the p-value it gives."""
    missing = 1 - math.fsum(law.values())
    off = max(abs(law.get(x, 0.0) - exact.get(x, 0.0)) for x in law.keys() | exact.keys())
    p = math.fsum(p for x, p in law.items() if abs(x) >= observed)
    return f"{sum(p > 0 for p in law.values()):,}", f"{missing:.1e}", f"{off:.1e}", f"{p:.7g}"


def laws(checkout: Path | None) -> str:
    """A table of the laws at each size."""
    finders: dict[str, Finder] = {
        "exactperm.paper, DP": of_paper(convolve_dp),
        "exactperm.paper, FFT": of_paper(convolve_fft),
    }
    if checkout:
        finders |= of_authors(checkout)
    rows = []
    for n in SIZES:
        u, v, _ = systems(n, 0)
        observed, exact = abs(int((u - v).sum())), of_engine(u, v)
        for name, finder in finders.items():
            law = finder(u, v)
            cells = compared(law, exact, observed)
            if "exactperm" in name and float(cells[2]) > 1e-14:
                raise SystemExit(f"N = {n}: {name} and paired_test disagree by {cells[2]}")
            rows.append((f"N = {n:,}: {name}", *cells))
        rows.append((f"N = {n:,}: paired_test", *compared(exact, exact, observed)[:2], "", f"{our_p(u, v):.7g}"))
    header = ("law", "points of positive probability", "mass that is missing", "largest error of a point", "p from it")
    return table(header, rows)


def our_p(u: Integers, v: Integers) -> float:
    """By tilted inversion, which does not sum the law."""
    return float(xp.paired_test(u, v).pvalue)


def draw(file: Path) -> None:
    """The law of the first problem."""
    from exactperm.report.plots import null_distribution, save

    u, v, _ = systems(SIZES[0], 0)
    save(null_distribution(xp.paired_test(u, v), width=5.0), file)


def measure(checkout: Path | None, images: Path | None) -> dict[str, str]:
    """The block of the page, and the picture."""
    if images:
        draw(images / "figure2.svg")
    return {"laws": laws(checkout)}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The null law, as the paper's algorithms and ours find it.")
    parser.add_argument("--checkout", type=Path, help="a checkout of the authors' repository")
    parser.add_argument("--images", type=Path, help="where figure2.svg goes")
    arguments = parser.parse_args()
    print(measure(arguments.checkout, arguments.images)["laws"])


if __name__ == "__main__":
    main()
