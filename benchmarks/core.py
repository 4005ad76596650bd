"""The one-dimensional test: time and memory against yardsticks of the same run, every answer asserted.

    python benchmarks/core.py [--checkout PATH] [--repeat 5]

PATH is a checkout of https://github.com/rycolab/paired-perm-test (needs SciPy and Numba) for the row against the
paper's own code. Times are the best of the repeats; what counts are the ratios, which say how many times quicker or
slower than the yardstick the call was in this run.
"""

import argparse
import csv
import importlib
import json
import math
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import exactperm as xp

DATA = Path(__file__).parents[1] / "tests" / "data"


def best(run: Callable[[], Any], repeat: int) -> tuple[Any, float]:
    """The answer and the shortest time of some calls."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        answer = run()
        times.append(time.perf_counter() - start)
    return answer, min(times)


def require(condition: bool, what: str) -> None:
    """Stop with what is wrong."""
    if not condition:
        raise SystemExit(f"wrong: {what}")


def row(what: str, seconds: float, yardstick: str = "", other: float = math.nan, bar: str = "") -> None:
    """Print one line of the table."""
    ratio = "" if math.isnan(other) else f"{other * 1e3:11.3f} {other / seconds:9.2f}"
    print(f"{what:44} {seconds * 1e3:11.3f}  {yardstick:30} {ratio:21}  {bar}", flush=True)


def paper_like(name: str) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:
    """Correct counts of two systems, and the exact two-sided p-value."""
    with (DATA / f"{name}.csv").open(newline="", encoding="utf-8") as lines:
        a, b = np.array([[int(x) for x in line] for line in csv.reader(lines)]).T.copy()
    return a, b, float(json.loads((DATA / "exact.json").read_text(encoding="utf-8"))[f"{name}.csv"]["two_sided"])


def against_the_paper(checkout: Path | None, repeat: int) -> None:
    """N = 10,000, accuracy: the whole call against the authors' convolution by FFT."""
    a, b, exact = paper_like("paper_like_10000")
    result, seconds = best(lambda: xp.paired_test(a, b), 100 * repeat)
    require(abs(result.pvalue / exact - 1) < 1e-11, f"p = {result.pvalue!r}, not {exact!r}")
    if checkout is None:
        row("accuracy, N = 10,000", seconds, "(give --checkout)")
        return
    sys.path.insert(0, str(checkout))
    theirs = importlib.import_module("pairedpermtest.accuracy_polymul").perm_test_polymul
    theirs(a[:9], b[:9])
    _, other = best(lambda: theirs(a, b), repeat)
    row("accuracy, N = 10,000", seconds, "the authors' FFT", other, ">= 300 times")


def large(repeat: int) -> None:
    """N = 10^7 int64 scores against a bare histogram; the memory it takes beyond the scores."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 12, (2, 10**7))
    counts, other = best(lambda: np.bincount(np.abs(a - b)), repeat)
    result, seconds = best(lambda: xp.paired_test(a, b), repeat)
    table = dict(zip(range(len(counts)), counts.tolist(), strict=True))
    require(result.n_tied == table[0] and result.n_items == 10**7, "counts of ties or items")
    require(result.problem.effects.counts.tolist() == counts[1:][counts[1:] > 0].tolist(), "counts of effects")
    tracemalloc.start()
    xp.paired_test(a, b)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    require(peak < 16 * 2**20, f"{peak / 2**20:.0f} MB beyond the scores")
    row("accuracy, N = 10^7", seconds, "np.bincount(np.abs(a - b))", other, ">= 0.5 times")
    print(f"{'':44} {peak / 2**20:10.1f} MB beyond the scores, which are {2 * a.nbytes / 2**20:.0f} MB")


def signed_ranks(repeat: int) -> None:
    """100,000 effects, all different; the law against its normal limit, the bracket against its width."""
    rng = np.random.default_rng(0)
    ranks = np.arange(1, 100_001) * rng.choice([-1, 1], 100_000, p=[0.497, 0.503])
    zero = np.zeros_like(ranks)
    result, seconds = best(lambda: xp.paired_test(ranks, zero), repeat)
    z = abs(int(ranks.sum())) / math.sqrt(float((ranks.astype(float) ** 2).sum()))
    require(abs(result.pvalue / math.erfc(z / math.sqrt(2)) - 1) < 1e-3, f"p = {result.pvalue!r} at z = {z!r}")
    low, high = result.pvalue_interval
    require(high / low - 1 < 2e-11 and result.exact, f"interval {low!r} .. {high!r}")
    _, other = best(lambda: np.sort(np.abs(ranks)), repeat)
    row("signed ranks without ties, N = 100,000", seconds, "np.sort(np.abs(ranks))", other, "<= 250 ms")


def batch(repeat: int) -> None:
    """10,000 tests of 1,000 items in one call, the same bits as one by one."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 12, (2, 10_000, 1000))
    result, seconds = best(lambda: xp.paired_test(a, b), max(2, repeat // 2))
    start = time.perf_counter()
    single = [xp.paired_test(x, y).pvalue for x, y in zip(a[::10], b[::10], strict=True)]
    other = 10 * (time.perf_counter() - start)
    require(single == result.pvalue[::10].tolist(), "a batch differs from single calls")
    row("10,000 tests of N = 1,000", seconds, "one by one", other, "<= 1,500 ms")


def deep_tail() -> None:
    """10^5 items, all but a few the same way, against the binomial in integers."""
    for against in (0, 1, 10, 1000):
        scores = np.ones(100_000, dtype=np.int64)
        scores[:against] = -1
        result, seconds = best(lambda s=scores: xp.paired_test(s, np.zeros_like(s)), 3)
        count, term = 0, 1
        for k in range(against + 1):
            count += term
            term = term * (100_000 - k) // (k + 1)
        exact = log(Fraction(2 * count, 2**100_000))
        error = abs(result.log_pvalue / exact - 1)
        require(error < 1e-12, f"log p off by {error:.1e}")
        row(f"100,000 items, {against} the other way", seconds, f"log p = {exact:.6g}, off by {error:.0e}")


def log(fraction: Fraction) -> float:
    """The natural logarithm of a fraction of long integers."""
    shift = fraction.numerator.bit_length() - fraction.denominator.bit_length()
    return math.log(fraction / Fraction(2) ** shift) + shift * math.log(2)


def imports(repeat: int) -> None:
    """`import exactperm` and the first use of it, on top of importing NumPy."""
    program = "import time, numpy; t = time.perf_counter(); {}; print(time.perf_counter() - t)"

    def seconds(what: str) -> float:
        command = [sys.executable, "-c", program.format(what)]
        return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(repeat))

    row("import exactperm, after numpy", seconds("import exactperm"), bar="<= 60 ms")
    row("the same and paired_test", seconds("from exactperm import paired_test"), bar="<= 60 ms")


def main() -> None:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description="Time the one-dimensional test.")
    parser.add_argument("--checkout", type=Path, help="a checkout of the authors' repository")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    print(f"{'what':44} {'ms':>11}  {'yardstick':30} {'ms':>11} {'times':>9}  bar")
    against_the_paper(arguments.checkout, arguments.repeat)
    large(arguments.repeat)
    signed_ranks(arguments.repeat)
    batch(arguments.repeat)
    deep_tail()
    imports(arguments.repeat)


if __name__ == "__main__":
    main()
