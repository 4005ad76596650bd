"""The engines that count assignments in exact integers: time, memory, one against the other.

    python benchmarks/few_effects.py [--repeat 5]

Small effects v_j are stretched to v_j u + r_j with a large unit u and remainders r_j >= 0 that add
up to less than u. Then sum v_j u + r_j >= s u exactly where sum v_j >= s, so meet in the middle on
the large integers must count what the polynomial counts on the small ones, to the last assignment.
Times are the best of the repeats; memory is what Python and NumPy allocated at the worst moment of
one more run (python-flint allocates outside both).
"""

import argparse
import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from exactperm.effects import Effects  # noqa: E402 - found on the path just set
from exactperm.engines import enumeration, meet_in_the_middle, rational  # noqa: E402
from exactperm.engines.base import Question  # noqa: E402
from exactperm.lattice import Lattice  # noqa: E402
from exactperm.region import Runs  # noqa: E402


@dataclass
class Case:
    """A count of assignments, how it is made, and what it must be."""

    name: str
    count: Callable[[], int]
    expected: int
    repeat: int


def upper_tail(effects: dict[int, int], threshold: int) -> Question:
    """The question how often the sum of the effects that go A's way reaches a threshold."""
    lattice = Lattice.of(Effects.from_counts(effects))
    divisor = int(lattice.basis[0, 0])
    return Question(lattice, Runs(((-(-threshold // divisor), lattice.span[0]),)))


def stretched(effects: dict[int, int], unit: int, remainders: list[int]) -> dict[int, int]:
    """The same comparison in large integers."""
    if sum(r * c for r, c in zip(remainders, effects.values(), strict=True)) >= unit:
        raise ValueError("the remainders reach the unit")
    return {v * unit + r: c for (v, c), r in zip(effects.items(), remainders, strict=True)}


def few_effects(name: str, effects: dict[int, int], share: float, repeat: int) -> list[Case]:
    """One small problem, stretched to int64 and to 100 bits, the latter with and without ties."""
    rng = np.random.default_rng(7)
    threshold = int(share * sum(v * c for v, c in effects.items()))
    n, number = sum(effects.values()), len(effects)
    expected = rational.count_assignments(upper_tail(effects, threshold))

    def remainders(bits: int) -> list[int]:
        return [int.from_bytes(rng.bytes(16)) % (2**bits // n) for _ in range(number)]

    kinds = {
        "int64": (2**42, remainders(42)),
        "100 bits": (2**87, remainders(87)),
        "100 bits, tied in the first 62": (2**87, list(range(number))),
    }
    return [
        Case(
            f"meet-in-the-middle, {name}, {kind}",
            partial(
                meet_in_the_middle.count_assignments,
                upper_tail(stretched(effects, unit, rest), threshold * unit),
            ),
            expected,
            repeat,
        )
        for kind, (unit, rest) in kinds.items()
    ]


def plain_enumeration(repeat: int) -> list[Case]:
    """22 coins, one assignment at a time."""
    effects = dict.fromkeys((k * k for k in range(5, 27)), 1)
    question = upper_tail(effects, 3600)
    expected = meet_in_the_middle.count_assignments(question)
    count = partial(enumeration.count_assignments, question)
    return [Case("enumeration, 22 effects", count, expected, repeat)]


def ten_thousand_items(repeat: int) -> list[Case]:
    """Accuracy-like data against the stored answer, with python-flint and without."""
    name = "paper_like_10000_gap2.csv"
    a, b = np.loadtxt(ROOT / "tests" / "data" / name, delimiter=",", dtype=np.int64).T
    lattice = Lattice.of(Effects.from_scores(a, b))
    question = Question(lattice, Runs(((lattice.observed[0], lattice.span[0]),)))
    stored = json.loads((ROOT / "tests" / "data" / "exact.json").read_text())[name]["greater"]
    alone = partial(with_flint, False, question)
    expected = alone()
    error = abs(Fraction(expected, 2**lattice.n) / Fraction(stored) - 1)
    if error > Fraction(1, 10**19):
        raise SystemExit(f"the fraction differs from the stored answer {stored} by {float(error)}")
    items = f"10,000 items, {lattice.n} not tied"
    cases = [Case(f"rational in Python alone, {items}", alone, expected, 1)]
    if with_flint(True, question) is not None:
        fast = partial(with_flint, True, question)
        cases.append(Case(f"rational with python-flint, {items}", fast, expected, repeat))
    return cases


def with_flint(wanted: bool, question: Question) -> int:
    """Count with python-flint or without it."""
    found = rational._has_flint
    rational._has_flint = lambda: wanted  # type: ignore[assignment]
    try:
        return rational.count_assignments(question)
    finally:
        rational._has_flint = found


def best_time(count: Callable[[], int], repeat: int) -> tuple[float, int]:
    """The shortest of some runs, and the answer."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        answer = count()
        best = min(best, time.perf_counter() - start)
    return best, answer


def peak_memory(count: Callable[[], int]) -> int:
    """The most bytes allocated at once."""
    tracemalloc.start()
    count()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def main() -> None:
    """Check and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    rng = np.random.default_rng(3)
    forty = dict.fromkeys(rng.choice(4000, 40, replace=False).tolist(), 1)
    cases = [
        *few_effects("40 effects", forty, 0.6, repeat),
        *few_effects("470 items of 3 sizes", {7: 200, 12: 150, 19: 120}, 0.55, repeat),
        *plain_enumeration(repeat),
        *ten_thousand_items(repeat),
    ]
    print(f"{'':68}{'ms':>9}{'MB':>7}")
    for case in cases:
        seconds, answer = best_time(case.count, case.repeat)
        if answer != case.expected:
            raise SystemExit(f"{case.name}: counted {answer}, and it should be {case.expected}")
        print(f"{case.name:68}{seconds * 1e3:9.1f}{peak_memory(case.count) / 1e6:7.1f}")


if __name__ == "__main__":
    main()
