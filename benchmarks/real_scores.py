"""Real-valued scores and the classical tests, through the functions users call; every line asserts its answer.

python benchmarks/real_scores.py [--part brackets exact large classical countable] [--problems 1000]

Times are the best of some repeats, also as multiples of a yardstick, the time of sorting 10^6 random floats in the same
run. Memory is what Python and NumPy allocate at most while the call runs.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import exactperm as xp

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from real_problems import problems


def best_of(function: Callable[[], Any], repeats: int = 5) -> tuple[Any, float]:
    """The result and the shortest time in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return result, min(times)


@dataclass(frozen=True)
class Table:
    """Rows of what was done, its time, its time in yardsticks, its memory, and what was found."""

    yardstick: float

    def row(self, what: str, function: Callable[[], Any], found: Callable[[Any], str], repeats: int = 5) -> Any:
        """Measure and print one row."""
        result, seconds = best_of(function, repeats)
        tracemalloc.start()
        function()
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(f"{what:<54}{1e3 * seconds:>9.1f} ms{seconds / self.yardstick:>8.2f}{peak:>8.0f} MB  {found(result)}")
        return result


def brief(result: Any) -> str:
    """Method and p-value."""
    method = getattr(result, "method", "")
    return f"{method} p = 10^{result.log_pvalue / math.log(10):.6f}"


def half_width(result: Any) -> str:
    """The half-width, as it is and relative to the p-value."""
    low, high = result.pvalue_interval
    return f"{brief(result)}, +- {(high - low) / 2:.1e}, relative {(high - low) / (high + low):.1e}"


def countable(number: int, tolerance: float = 1e-2) -> None:
    """Random problems of 20 to 36 effects, each method in turn, against the pairs of all half-sums."""
    narrowest, spent = 0.0, {"bracket": 0.0, "meet-in-the-middle": 0.0}
    for problem in problems(number, 2026, 36):
        truth, near = problem.exact()
        for method in spent:
            start = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", xp.ToleranceWarning)
                result = xp.paired_test(problem.a, problem.b, grid=None, method=method, tolerance=tolerance)
            spent[method] += time.perf_counter() - start
            low, high = result.pvalue_interval
            assert low <= truth <= high, (problem, method)
            if method == "meet-in-the-middle":
                assert result.pvalue == float(truth), problem
            else:  # what is not asked for is the probability of what lies within a thousandth of the spread
                assert high - low <= 2.001 * tolerance * float(truth) + 1.01 * float(near), problem
                narrowest += high - low <= 2.001 * tolerance * float(truth)
    for method, seconds in spent.items():
        print(f"{number} problems of 20 to 36 effects, {method:<20}{1e3 * seconds / number:>9.1f} ms each")
    print(
        f"  every answer right; {narrowest:.0f} brackets within {tolerance:g} of p, the others as narrow as the atoms"
    )


def shifted(n: int, deviations: float, decimals: int | None, seed: int = 0) -> tuple[Any, Any]:
    """Scores of n items whose total difference is so many standard deviations, positive ones first made larger."""
    rng = np.random.default_rng(seed)
    d = rng.standard_normal(n)
    d += (deviations * math.sqrt(float(d @ d)) - d.sum()) / n
    for _ in range(20):  # the shift changes the deviation as well
        d += (deviations * math.sqrt(float(d @ d)) - d.sum()) / n
    b = rng.random(n)
    return (b + d, b) if decimals is None else (np.round(b + d, decimals), np.round(b, decimals))


def brackets(table: Table) -> None:
    """Near the mean and far out: the width asked for, and the exact answer of the inversion inside."""
    a, b = shifted(1000, 1.03, None)
    for half in (1e-4, 1e-6):
        result = table.row(
            f"N = 1,000, p near 0.3, half-width {half:g}",
            lambda half=half: xp.paired_test(a, b, tolerance=half / 0.31),
            half_width,
            3,
        )
        low, high = result.pvalue_interval
        assert result.method == "bracket"
        assert 0.29 < low < 0.31
        assert high - low <= 2 * half
    a, b = shifted(100_000, 30.2, None)
    result = table.row("N = 100,000, p near 10^-200, 1 %", lambda: xp.paired_test(a, b, tolerance=0.01), half_width, 3)
    assert abs(result.log_pvalue / math.log(10) + 200) < 2
    assert result.pvalue_interval.high - result.pvalue_interval.low <= 0.02 * result.pvalue
    result = table.row("  the same to 0.01 %", lambda: xp.paired_test(a, b), half_width, 3)
    for n, z, decimals in ((1000, 1.03, 6), (100_000, 30.2, 5), (20_000, 60.0, 5)):
        scores = shifted(n, z, decimals)
        exact = xp.paired_test(*scores, method="fourier")
        low, high = xp.paired_test(*scores, method="bracket").log_pvalue_interval
        assert low <= exact.log_pvalue <= high
        assert high - low <= 4e-4


def exact_ones(table: Table) -> None:
    """On a grid, near the mean and far out, and few effects."""
    rng = np.random.default_rng(1)
    level = rng.normal(0.83, 0.05, 2000)
    comet = np.round(np.minimum(level + rng.normal(0, 0.03, (2, 2000)), 1), 4)
    for name, scores in (("", comet), (" as float32", comet.astype(np.float32))):
        result = table.row(f"N = 2,000, 4 decimals{name}", lambda scores=scores: xp.paired_test(*scores), brief, 9)
        assert result.exact
        assert "unit:1/10000|" in result.signature
        counts = xp.paired_test(*np.rint(comet * 10_000).astype(int))
        assert result.pvalue == counts.pvalue
    for z in (0.01, 3.0, 12.0):
        scores = shifted(2000, z, 4)
        result = table.row(f"  {z:g} standard deviations out", lambda scores=scores: xp.paired_test(*scores), brief, 9)
        assert result.exact
    x, y = rng.integers(0, 2**50, (2, 40)) * 2.0**-50
    result = table.row("40 real effects", lambda: xp.paired_test(x, y), brief)
    assert (result.method, result.exact) == ("meet-in-the-middle", True)
    low, high = xp.paired_test(x, y, method="bracket").pvalue_interval
    assert low <= result.pvalue <= high
    assert xp.paired_test([0.3, 0.5, 0.7], [0.1, 0.3, 0.1]).null_distribution().support.tolist()[-1] == 1.0 / 3


def large(table: Table) -> None:
    """Ten million items."""
    for n, decimals in ((10**7, 4), (10**7, None)):
        scores = shifted(n, 1.0, decimals)
        name = "real" if decimals is None else f"{decimals} decimals"
        table.row(f"N = {n:,}, {name}", lambda scores=scores: xp.paired_test(*scores), half_width, 1)


def classical(table: Table) -> None:
    """Signed ranks: against the shift algorithm of scipy, and an exact polynomial."""
    rng = np.random.default_rng(2)
    for n, decimals, z in (
        (100_000, None, 2),
        (100_000, None, 0),
        (100_000, None, 30),
        (10_000, 2, 2),
        (10_000, 2, 30),
        (10_000, 1, 2),
        (1_000_000, None, 2),
    ):
        d = rng.standard_normal(n) + z / math.sqrt(n)
        d = d if decimals is None else np.round(d, decimals)
        ties = f"{'no ties' if decimals is None else f'{decimals} decimals'}, {z} deviations"
        result = table.row(f"Wilcoxon, N = {n:,}, {ties}", lambda d=d: xp.wilcoxon(d), brief, 5 if n < 10**6 else 2)
        # normal approximation: close at this size, not more
        ranks = np.sort(np.abs(d[d != 0]))
        assert abs(result.pvalue - _normal(result, ranks)) < 2e-3
    d = rng.standard_normal(60)
    from scipy import stats

    for alternative in ("two-sided", "less", "greater"):
        ours, theirs = (
            xp.wilcoxon(d, alternative=alternative),
            stats.wilcoxon(d, alternative=alternative, method="exact"),
        )
        assert math.isclose(ours.pvalue, theirs.pvalue, rel_tol=1e-11)


def _normal(result: Any, magnitudes: Any) -> float:
    _, counts = np.unique(magnitudes, return_counts=True)
    n = len(magnitudes)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((counts.astype(float) ** 3 - counts).sum()) / 48
    return math.erfc(abs(result.statistic - n * (n + 1) / 4) / math.sqrt(2 * variance))


def main() -> None:
    """Print the table."""
    parts = {"brackets": brackets, "exact": exact_ones, "large": large, "classical": classical}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", nargs="*", choices=[*parts, "countable"], default=[*parts, "countable"])
    parser.add_argument("--problems", type=int, default=1000)
    asked = parser.parse_args()
    numbers = np.random.default_rng(0).random(10**6)
    table = Table(best_of(lambda: np.sort(numbers))[1])
    print(f"yardstick: {1e3 * table.yardstick:.1f} ms")
    for name, measure in parts.items():
        if name in asked.part:
            measure(table)
    if "countable" in asked.part:
        countable(asked.problems)


if __name__ == "__main__":
    main()
