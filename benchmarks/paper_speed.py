"""The paper's algorithms, ours beside the authors' own code on the same data in the same run.

    python benchmarks/paper_speed.py [--checkout PATH] [--repeat 3]

PATH is a checkout of https://github.com/rycolab/paired-perm-test, which needs SciPy and Numba. Our
answers are asserted. Theirs are only shown: their code drops every state whose probability is
under 1e-8 (accuracy) or 1e-6 (F1). Times are the best of the repeats, after a first call on a few
items (their code compiles then).
"""

import argparse
import csv
import importlib
import json
import math
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from exactperm.paper import (  # noqa: E402 - found on the path just set
    convolve_dp,
    convolve_fft,
    exact_perm_test,
    exact_perm_test_m,
    monte_carlo,
)

DATA = ROOT / "tests" / "data"
SAMPLES = 5000
Problem = tuple[str, list[Any], list[Any], float]


def difference(x: int, y: int) -> int:
    """How many more the first system has right."""
    return x - y


F1_SUMS: list[Callable[[Any, Any], int]] = [
    lambda x, _: x[0],
    lambda x, _: x[1],
    lambda _, y: y[0],
    lambda _, y: y[1],
]


def f1_difference(tp_u: int, in_u: int, tp_v: int, in_v: int) -> float:
    """|F1 of u - F1 of v|, where F1 = tp / (tp + incorrect / 2)."""

    def f1(tp: int, incorrect: int) -> float:
        return tp / (tp + 0.5 * incorrect) if tp + incorrect else 0.0

    return abs(f1(tp_u, in_u) - f1(tp_v, in_v))


def accuracy_problem(name: str) -> Problem:
    """Two systems' correct counts, and the exact p-value."""
    with (DATA / name).open(newline="", encoding="utf-8") as lines:
        rows = [(int(a), int(b)) for a, b in csv.reader(lines)]
    exact = json.loads((DATA / "exact.json").read_text(encoding="utf-8"))[name]["two_sided"]
    label = name.removeprefix("paper_like_").removesuffix(".csv")
    return label, [a for a, _ in rows], [b for _, b in rows], float(exact)


def f1_problem(n: int) -> Problem:
    """Two systems' (tp, incorrect), and the exact p-value by counting in integers."""
    rng = np.random.default_rng(0)
    u, v = ([tuple(item) for item in system] for system in rng.integers(0, 5, (2, n, 2)).tolist())
    counts: Counter[tuple[int, ...]] = Counter({(0, 0, 0, 0): 1})
    for x, y in zip(u, v, strict=True):
        new: Counter[tuple[int, ...]] = Counter()
        for sums, c in counts.items():
            new[tuple(map(sum, zip(sums, x + y, strict=True)))] += c
            new[tuple(map(sum, zip(sums, y + x, strict=True)))] += c
        counts = new
    observed = f1_difference(*(sum(column) for column in zip(*map(tuple.__add__, u, v), strict=True)))
    hits = sum(c for sums, c in counts.items() if f1_difference(*sums) >= observed)
    return f"{n}", u, v, hits / 2**n


def measured(run: Callable[[], float], repeat: int) -> tuple[float, float]:
    """The answer and the best time."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        p = run()
        times.append(time.perf_counter() - start)
    return p, min(times)


def authors_code(checkout: Path) -> dict[str, Callable[..., float]]:
    """The authors' functions of the same algorithms, compiled."""
    sys.path.insert(0, str(checkout))
    dp = importlib.import_module("pairedpermtest.accuracy").perm_test
    fft = importlib.import_module("pairedpermtest.accuracy_polymul").perm_test_polymul
    f1 = importlib.import_module("pairedpermtest.f1")
    sampling = importlib.import_module("pairedpermtest.monte_carlo").perm_test_acc
    small = np.array([1, 2, 3]), np.array([2, 0, 3])
    dp(*small)
    sampling(*small, 10)
    return {
        "dp": lambda u, v: dp(np.array(u), np.array(v)),
        "fft": lambda u, v: fft(np.array(u), np.array(v)),
        "monte carlo": lambda u, v: sampling(np.array(u), np.array(v), SAMPLES),
        "f1": lambda u, v: f1.perm_test(*([f1.f1state(*x) for x in system] for system in (u, v))),
    }


def assert_right(name: str, p: float, exact: float) -> None:
    """Fail unless p is as near to the exact value as the algorithm promises."""
    bound = {
        "dp": 1e-12 * exact,
        "fft": 2e-14,
        "monte carlo": 6 * math.sqrt(exact * (1 - exact) / SAMPLES) + 1 / SAMPLES,
    }[name.removeprefix("f1 ")]
    if not abs(p - exact) <= bound:
        raise SystemExit(f"{name}: p = {p!r} is wrong, the exact value is {exact!r}")


def main() -> None:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description="Time the paper's algorithms.")
    parser.add_argument("--checkout", type=Path, help="a checkout of the authors' repository")
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    theirs = authors_code(arguments.checkout) if arguments.checkout else {}

    # no warning for tails an FFT cannot reach: the table shows what it gives there
    warnings.simplefilter("ignore", RuntimeWarning)
    accuracy: dict[str, Callable[..., float]] = {
        "dp": partial(exact_perm_test, g=difference, h=abs, convolve=convolve_dp),
        "fft": partial(exact_perm_test, g=difference, h=abs, convolve=convolve_fft),
        "monte carlo": partial(monte_carlo, g=difference, h=abs, K=SAMPLES, rng=0),
    }
    f1: dict[str, Callable[..., float]] = {
        "f1 dp": partial(exact_perm_test_m, gs=F1_SUMS, h=f1_difference, convolve=convolve_dp),
        "f1 fft": partial(exact_perm_test_m, gs=F1_SUMS, h=f1_difference, convolve=convolve_fft),
    }
    names = ["1000", "1000_gap5", "10000", "10000_gap2", "10000_gap5"]
    problems = [accuracy_problem(f"paper_like_{name}.csv") for name in names]

    header = f"{'algorithm':12} {'data':12} {'exact p':>12} {'p':>12} {'seconds':>9}"
    print(header + (f" {'their p':>12} {'seconds':>9} {'ratio':>7}" if theirs else ""))
    runs = [(*item, problem) for item in accuracy.items() for problem in problems]
    runs += [(*item, f1_problem(40)) for item in f1.items()]
    for name, function, (label, u, v, exact) in runs:
        p, seconds = measured(partial(function, u, v), arguments.repeat)
        assert_right(name, p, exact)
        line = f"{name:12} {label:12} {exact:12.5g} {p:12.5g} {seconds:9.4f}"
        if theirs:
            their_name = "f1" if name.startswith("f1") else name
            their_p, their_seconds = measured(partial(theirs[their_name], u, v), arguments.repeat)
            line += f" {their_p:12.5g} {their_seconds:9.4f} {their_seconds / seconds:7.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
