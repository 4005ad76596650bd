"""The paper's Figure 1: runtime against the number of sentences, with our engine as one more line.

    python benchmarks/figure1.py [--checkout PATH] [--images PATH] [--sizes 500 1000 ... 10000]

Data are simulated from Table 1 (`simulation`). The two exact algorithms and Monte Carlo with K = 5,000 to 40,000 are
those of `exactperm.paper`; with a checkout of https://github.com/rycolab/paired-perm-test (it needs SciPy and Numba)
the authors' own code runs beside them, and the claims of the paper's section 4 are checked on both, as ratios within
one run. Every answer of ours is asserted. Then growth: exponents of time and memory in N and G, beside the theorems.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from measure import best_time, exponent, machine, peak_memory, table, three_digits, versions  # noqa: E402 - found on the path just set
from simulation import ACCURACY, LENGTH, Integers, systems  # noqa: E402

import exactperm as xp  # noqa: E402
from exactperm.paper import convolve_dp, convolve_fft, exact_perm_test, monte_carlo  # noqa: E402

SIZES = (500, *range(1000, 10001, 1000))
SAMPLES = (5_000, 10_000, 20_000, 40_000)
OURS = "exactperm.paired_test"
DP, FFT = "exact, DP", "exact, FFT"
Test = Callable[[Integers, Integers], float]
Times = dict[str, list[float]]
Formula = Callable[[float, float], float]


def sampler(K: int) -> str:
    """Monte Carlo as the paper's legend has it."""
    return f"Monte Carlo, K = {K:,}"


def difference(x: int, y: int) -> int:
    """How many more words the first system has right."""
    return x - y


def our_test(u: Integers, v: Integers) -> float:
    """The engine of this package."""
    return float(xp.paired_test(u, v).pvalue)


def paper_tests() -> dict[str, Test]:
    """The paper's algorithms, from `exactperm.paper`."""
    exact = {DP: convolve_dp, FFT: convolve_fft}
    tests: dict[str, Test] = {
        name: lambda u, v, c=c: exact_perm_test(u, v, difference, abs, c) for name, c in exact.items()
    }
    for K in SAMPLES:
        tests[sampler(K)] = lambda u, v, K=K: monte_carlo(u, v, difference, abs, K, rng=0)
    return tests


def authors_tests(checkout: Path) -> dict[str, Test]:
    """The authors' code, compiled by a first call on a few items."""
    sys.path.insert(0, str(checkout))
    dp = importlib.import_module("pairedpermtest.accuracy").perm_test
    fft = importlib.import_module("pairedpermtest.accuracy_polymul").perm_test_polymul
    sampling = importlib.import_module("pairedpermtest.monte_carlo").perm_test_acc
    tests: dict[str, Test] = {DP: dp, FFT: fft}
    for K in SAMPLES:
        tests[sampler(K)] = lambda u, v, K=K: sampling(u, v, K)
    for test in tests.values():
        test(np.array([1, 2, 3]), np.array([2, 0, 3]))
    return tests


# -- one run -------------------------------------------------------------------------------------


class Run:
    """Times and p-values of some tests at some sizes."""

    def __init__(self, tests: dict[str, Test], sizes: Sequence[int]) -> None:
        self.sizes = list(sizes)
        self.times: Times = {name: [] for name in tests}
        self.answers: Times = {name: [] for name in tests}
        for n in sizes:
            u, v, _ = systems(n, 0)
            for name, test in tests.items():
                p, seconds = best_time(lambda test=test, u=u, v=v: test(u, v))
                self.times[name].append(seconds)
                self.answers[name].append(float(p))

    def ratio(self, slow: str, fast: str) -> np.ndarray:
        """How many times longer one took than the other, size by size."""
        return np.array(self.times[slow]) / np.array(self.times[fast])

    def last_ahead(self, fast: str, slow: str) -> str:
        """Up to which N one is faster than the other, between sizes by interpolation of the logarithm."""
        lead = np.log(self.ratio(slow, fast))
        behind = np.flatnonzero(lead < 0)
        if not len(behind):
            return f"at every N up to {self.sizes[-1]:,}"
        if behind[0] == 0:
            return "at no N"
        i = behind[0]
        share = lead[i - 1] / (lead[i - 1] - lead[i])
        return f"up to N = {round(self.sizes[i - 1] + share * (self.sizes[i] - self.sizes[i - 1]), -2):,.0f}"


def assert_ours(engine: Run, paper: Run) -> None:
    """The engine and the dynamic program agree to 1e-11; the FFT and the samples as well as each promises."""
    for i, exact in enumerate(engine.answers[OURS]):
        found = {name: answers[i] for name, answers in paper.answers.items()}
        bounds = {DP: 1e-11 * exact, FFT: 2e-14}
        bounds |= {sampler(K): 6 * math.sqrt(exact * (1 - exact) / K) + 1 / K for K in SAMPLES}
        for name, p in found.items():
            if not abs(p - exact) <= bounds[name]:
                raise SystemExit(f"N = {paper.sizes[i]}, {name}: p = {p!r}, but paired_test gives {exact!r}")


# -- tables --------------------------------------------------------------------------------------


def span(ratios: np.ndarray) -> str:
    """The least and the largest of some ratios."""
    return f"{three_digits(ratios.min())} to {three_digits(ratios.max())}"


def moments() -> str:
    """Table 1 beside what the simulation gives for 100,000 sentences."""
    u, _, lengths = systems(100_000, 0)
    kept = lengths > 0
    accuracy = u[kept] / lengths[kept]
    rows = [
        (name, f"{mean} ± {deviation}", f"{values.mean():.4g} ± {values.std():.4g}")
        for name, (mean, deviation), values in (
            ("accuracy of a sentence", ACCURACY, accuracy),
            ("length of a sentence", LENGTH, lengths),
        )
    ]
    return table(("", "Table 1", "as simulated"), rows)


def claims(runs: dict[str, Run], engine: Run) -> str:
    """The claims of the paper, and what was measured."""
    samplers = [sampler(K) for K in SAMPLES]
    rows = [
        (
            "FFT against Monte Carlo, K = 20,000",
            "10 times faster (abstract)",
            *(f"{span(run.ratio(sampler(20_000), FFT))} times" for run in runs.values()),
        ),
        (
            "FFT against Monte Carlo, K = 5,000 to 40,000",
            "3 to 30 times faster (section 4)",
            *(f"{span(np.array([run.ratio(x, FFT) for x in samplers]))} times" for run in runs.values()),
        ),
        (
            "DP ahead of Monte Carlo, K = 20,000",
            "up to N about 8,000 (section 4)",
            *(run.last_ahead(DP, sampler(20_000)) for run in runs.values()),
        ),
    ]
    for name in (FFT, DP, sampler(20_000)):
        ratios = (np.array(run.times[name]) / np.array(engine.times[OURS]) for run in runs.values())
        rows.append((f"paired_test against {name}", "", *(f"{span(x)} times" for x in ratios)))
    return table(("claim", "paper", *runs), rows)


def runtimes(runs: dict[str, Run], engine: Run) -> str:
    """Milliseconds at some of the sizes."""
    shown = [i for i, n in enumerate(engine.sizes) if n in (500, 1000, 2000, 5000, 10_000)]
    lines = [(OURS, engine.times[OURS])]
    lines += [(f"{name}, {whose}", times) for whose, run in runs.items() for name, times in run.times.items()]
    header = ("milliseconds", *(f"N = {engine.sizes[i]:,}" for i in shown))
    return table(header, [(name, *(three_digits(1e3 * times[i]) for i in shown)) for name, times in lines])


def answers(runs: dict[str, Run], engine: Run) -> str:
    """The p-values of the exact algorithms."""
    shown = [i for i, n in enumerate(engine.sizes) if n in (500, 1000, 2000, 5000, 10_000)]
    lines = [(OURS, engine.answers[OURS])]
    lines += [(f"{name}, {whose}", run.answers[name]) for whose, run in runs.items() for name in (DP, FFT)]
    header = ("two-sided p", *(f"N = {engine.sizes[i]:,}" for i in shown))
    return table(header, [(name, *(f"{found[i]:.7g}" for i in shown)) for name, found in lines])


# -- growth --------------------------------------------------------------------------------------

#: what the paper's theorems say of N sentences and a range of G
THEOREMS: dict[str, Formula] = {
    DP: lambda N, G: G * N**2,
    FFT: lambda N, G: G * N * math.log(G * N) * math.log(N),
    sampler(5_000): lambda N, _: 5_000 * N,
}
SPACE: dict[str, Formula] = dict.fromkeys((DP, FFT), lambda N, G: G * N)
NAMES = {DP: "G N^2", FFT: "G N log(G N) log N", sampler(5_000): "K N"}
#: the larger, the nearer to the law of growth; the authors' samples take seconds at the smaller sizes
N_AUTHORS, N_PAPER, N_ENGINE = (
    (1_250, 2_500, 5_000, 10_000),
    (5_000, 10_000, 20_000, 40_000),
    (10**3, 10**4, 10**5, 10**6),
)
STRETCHES = (1, 2, 4, 8, 16)


def reach(u: Integers, v: Integers) -> int:
    """G: the largest difference on a sentence."""
    return int(np.abs(u - v).max())


def exponents(test: Test, sizes: Sequence[int], memory: bool) -> tuple[str, ...]:
    """The fitted powers of N and of G: of time, and of memory where it can be seen."""
    cells = []
    for data, x in ((sentences(sizes), sizes), stretched()):
        seconds = [best_time(lambda u=u, v=v: test(u, v))[1] for u, v in data]
        cells.append(f"{exponent(x, seconds):.2f}")
        cells.append(
            f"{exponent(x, [peak_memory(lambda u=u, v=v: test(u, v)) for u, v in data]):.2f}" if memory else ""
        )
    return tuple(cells)


def sentences(sizes: Sequence[int]) -> list[tuple[Integers, Integers]]:
    """Pairs of systems on more and more sentences."""
    return [systems(n, 0)[:2] for n in sizes]


def stretched() -> tuple[list[tuple[Integers, Integers]], list[int]]:
    """2,000 sentences that become longer and longer, with the range of each."""
    data = [systems(2_000, 0, stretch)[:2] for stretch in STRETCHES]
    return data, [reach(*pair) for pair in data]


def promised(formula: Formula, space: Formula | None, sizes: Sequence[int]) -> tuple[str, ...]:
    """The powers of N and of G that fit a theorem's formulas of time and space on the same data."""
    ranges = stretched()[1]
    problems = [(n, reach(*pair)) for n, pair in zip(sizes, sentences(sizes), strict=True)]
    cells = []
    for x, data in ((sizes, problems), (ranges, [(2_000, g) for g in ranges])):
        cells.append(f"{exponent(x, [formula(n, g) for n, g in data]):.2f}")
        cells.append(f"{exponent(x, [space(n, g) for n, g in data]):.2f}" if space else "")
    return tuple(cells)


def growth(authors: dict[str, Test]) -> str:
    """Exponents in N and in G: theorem, the authors' code, `exactperm.paper`, and our engine."""
    paper, rows = paper_tests(), []
    for name, formula in THEOREMS.items():
        rows.append((f"{name}: theorem, {NAMES[name]}", *promised(formula, SPACE.get(name), N_PAPER)))
        if authors:
            # their FFT is of SciPy; what compiled loops hold is not seen from Python
            rows.append((f"{name}: the authors' code", *exponents(authors[name], N_AUTHORS, memory=name == FFT)))
        rows.append((f"{name}: exactperm.paper", *exponents(paper[name], N_PAPER, memory=True)))
    rows.append((OURS, *exponents(our_test, N_ENGINE, memory=True)))
    return table(("exponent of", "time in N", "memory in N", "time in G", "memory in G"), rows)


# -- the picture ---------------------------------------------------------------------------------


def draw(runs: dict[str, Run], engine: Run, file: Path) -> None:
    """One panel for each implementation, both axes logarithmic."""
    from matplotlib.figure import Figure

    from exactperm.report.plots import runtime, save

    figure = Figure(figsize=(6 * len(runs), 4.4), layout="constrained")
    panels: Any = figure.subplots(1, len(runs), sharey=True, squeeze=False)[0]
    for panel, (whose, run) in zip(panels, runs.items(), strict=True):
        lines = run.times | engine.times
        runtime({name: (np.array(run.sizes), np.array(times)) for name, times in lines.items()}, ax=panel)
        panel.set_xlabel(f"number of sentences; exact and Monte Carlo: {whose}")
    save(panels[0], file)


def measure(checkout: Path | None, images: Path | None, sizes: Sequence[int]) -> dict[str, str]:
    """All blocks of the page, and the picture."""
    # no warning for tails that an FFT cannot reach: the table shows what it gives there
    warnings.simplefilter("ignore", RuntimeWarning)
    our_test(*systems(500, 0)[:2])  # loads what is loaded once
    authors = authors_tests(checkout) if checkout else {}
    engine, paper = Run({OURS: our_test}, sizes), Run(paper_tests(), sizes)
    assert_ours(engine, paper)
    runs = {"exactperm.paper": paper}
    if authors:
        runs = {"the authors' code": Run(authors, sizes)} | runs
    if images:
        draw(runs, engine, images / "figure1.svg")
    return {
        "machine": f"{machine()}; {versions(('exactperm', 'numpy', 'scipy', 'numba', 'matplotlib'))}.",
        "moments": moments(),
        "claims": claims(runs, engine),
        "runtimes": runtimes(runs, engine),
        "answers": answers(runs, engine),
        "growth": growth(authors),
    }


def main() -> None:
    """Print the blocks."""
    parser = argparse.ArgumentParser(description="The paper's Figure 1 and the claims about it.")
    parser.add_argument("--checkout", type=Path, help="a checkout of the authors' repository")
    parser.add_argument("--images", type=Path, help="where figure1.svg goes")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    arguments = parser.parse_args()
    for name, block in measure(arguments.checkout, arguments.images, arguments.sizes).items():
        print(f"-- {name}\n{block}\n", flush=True)


if __name__ == "__main__":
    main()
