"""How often the intervals of the sampling engines hold, over problems whose exact p is known.

    python benchmarks/interval_coverage.py [--problems 2000]

Each problem has at most 14 items, so that the exact p is counted over all assignments; each is
tested once with each engine. Printed: the share of intervals that hold the exact p, the least share
that chance allows at the nominal level (three standard deviations below), and the mean width.
Asserted: the share is not below that. Clopper-Pearson intervals hold more often than they promise,
because counts are discrete.
"""

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from exactperm.engines.base import Engine, Options, Question  # noqa: E402
from exactperm.engines.control_variate import ControlVariate  # noqa: E402
from exactperm.engines.importance import Importance  # noqa: E402
from exactperm.engines.monte_carlo import MonteCarlo  # noqa: E402
from sampling_problems import small_line, small_structured  # noqa: E402 - found on that path

Problem = Callable[[int, Options], tuple[Question, float]]

CASES: list[tuple[str, Engine, Problem, int | None]] = [
    ("monte-carlo, F1", MonteCarlo(), small_structured, None),
    ("monte-carlo, line", MonteCarlo(), small_line, None),
    ("monte-carlo, F1, 10 hits", MonteCarlo(), small_structured, 10),
    ("control-variate, F1", ControlVariate(), small_structured, None),
    ("importance, line", Importance(), small_line, None),
]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure the coverage of sampled intervals.")
    parser.add_argument("--problems", type=int, default=2000)
    number = parser.parse_args().problems
    columns = f"{'samples':>8} {'level':>6} {'held':>7} {'least':>7} {'width':>8}"
    print(f"{'engine and problem':26} {columns}")
    for name, engine, problem, hits in CASES:
        for samples, level in ((200, 0.8), (200, 0.95), (1000, 0.95)):
            held, width = 0, 0.0
            for seed in range(number):
                options = Options(n_resamples=samples, max_hits=hits, confidence_level=level, rng=seed)
                question, exact = problem(seed, options)
                tail = engine.answer(question)
                low, high = math.exp(tail.log_low), math.exp(tail.log_high)
                held += low * (1 - 1e-12) <= exact <= high * (1 + 1e-12)
                width += high - low
            least = level - 3 * math.sqrt(level * (1 - level) / number)
            print(
                f"{name:26} {samples:8} {level:6} {held / number:7.4f} {least:7.4f} {width / number:8.4f}",
                flush=True,
            )
            if held / number < least:
                raise SystemExit(f"{name}: intervals hold less often than they promise")


if __name__ == "__main__":
    main()
