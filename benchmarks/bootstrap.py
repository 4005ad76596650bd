"""The exact bootstrap of a mean: time against SciPy's resampling in the same run, every answer asserted.

    python benchmarks/bootstrap.py [--repeat 20]

Times are the best of the repeats. SciPy draws its 9,999 default resamples of the same differences, by BCa, vectorised.
Its ends have to be within the noise of that many draws of the exact ones.
"""

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

import exactperm as xp

ITEMS = 10_000


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


def main() -> None:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description="Time the exact bootstrap.")
    parser.add_argument("--repeat", type=int, default=20)
    repeat = parser.parse_args().repeat
    rng = np.random.default_rng(0)
    a, b = rng.binomial(12, 0.55, ITEMS), rng.binomial(12, 0.54, ITEMS)
    interval, seconds = best(lambda: xp.bootstrap(a, b), repeat)
    drawn, other = best(lambda: stats.bootstrap((a - b,), np.mean, rng=rng, batch=500), 1)
    theirs = drawn.confidence_interval
    # a quantile at level 0.025 of R draws is off by sqrt(0.025 * 0.975 / R) / density, the density of a normal law
    noise = 5 * math.sqrt(0.025 * 0.975 / 9999) / stats.norm.pdf(1.96) * drawn.standard_error
    for mine, sampled in zip(interval, theirs, strict=True):
        require(abs(mine - sampled) < noise, f"{mine!r}, and SciPy has {sampled!r}")
    require(interval.exact, "it is not exact")
    print(f"{'10,000 integer scores':30} {'ms':>10} {'low':>9} {'high':>9}")
    print(f"{'exact BCa':30} {seconds * 1e3:10.3f} {interval.low:9.5f} {interval.high:9.5f}   bar: <= 3 ms")
    print(f"{'SciPy, 9,999 resamples, BCa':30} {other * 1e3:10.1f} {theirs.low:9.5f} {theirs.high:9.5f}")
    print(f"{'times quicker':30} {other / seconds:10.0f} {'':19}   bar: >= 300")


if __name__ == "__main__":
    main()
