"""Real-valued scores: grid, bracket and signed ranks; every line asserts its answer.

python benchmarks/real_scores.py
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from exactperm.classical import wilcoxon
from exactperm.engines.base import Options, Question
from exactperm.engines.bracket import Bracket
from exactperm.lattice import Lattice
from exactperm.reals import effects_of_reals
from exactperm.region import Runs


def best_of(function: Callable[[], Any], repeats: int = 5) -> tuple[Any, float]:
    """The result and the shortest time in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return result, 1e3 * min(times)


def line(what: str, milliseconds: float, found: str) -> None:
    """One row of the table."""
    print(f"{what:<58}{milliseconds:>10.1f} ms  {found}")


def bracket(n: int, deviations: float, tolerance: float) -> None:
    """A threshold so many standard deviations above the mean of n uniform effects."""
    effects = np.random.default_rng(0).random(n)
    lattice = Lattice.of(effects_of_reals(effects, np.zeros(n), grid=None))
    spread = math.sqrt(float((lattice.steps.astype(float) ** 2).sum())) / 2
    threshold = int(lattice.span[0] / 2 + deviations * spread)
    question = Question(lattice, Runs(((threshold, lattice.span[0]),)), Options(tolerance=tolerance))
    tail, milliseconds = best_of(lambda: Bracket().answer(question), 3)
    assert tail.details["reached"] <= tolerance
    found = f"log10 p = {tail.log_estimate / math.log(10):.6f}, reached {tail.details['reached']:.1e}"
    line(f"bracket, N = {n}, relative tolerance {tolerance:g}", milliseconds, found)


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(1)
    a, b = np.round(rng.random((2, 2000)), 4)
    effects, milliseconds = best_of(lambda: effects_of_reals(a, b))
    assert effects.unit.denominator == 10**4
    line("grid and effects of 4-decimal scores, N = 2000", milliseconds, f"unit {effects.unit}")
    bracket(1000, 0.5, 3e-4)
    bracket(1000, 0.5, 3e-6)
    bracket(100_000, 30.2, 1e-2)
    for n, decimals in ((100_000, None), (10_000, 2)):
        d = rng.standard_normal(n) + 0.02
        d = d if decimals is None else np.round(d, decimals)
        result, milliseconds = best_of(lambda d=d: wilcoxon(d))
        assert result.pvalue_interval.low <= result.pvalue <= result.pvalue_interval.high
        ties = "no ties" if decimals is None else "ties"
        line(f"Wilcoxon, N = {n}, {ties}", milliseconds, f"p = {result.pvalue:.6g}")


if __name__ == "__main__":
    main()
