"""The engine in one dimension against exact integers: relative errors, and whether its intervals hold the truth.

    python benchmarks/accuracy.py [--problems 3000] [--seed 0]

Random problems, family by family: p-values of all three alternatives through `paired_test(..., method="fourier")`;
half-lines and runs at random places through the engine; thresholds next to the mean and next to the ends; up to
10^4 items with several effects, and up to 10^9 with one effect that occurs often. The exact values are integers from
polynomials, or balls of 320 bits. Violations are printed, and the script then exits with 1. For points and runs inside
the law, which may be in a gap of it, errors are relative to the half-line that begins with the run.

A p-value below 1e-300 is reported as its logarithm, whose last digit alone is worth 1e-13 and more: there both bounds
grow with |log p|. The table has errors and widths divided by what they are allowed more, log p / log 1e-300; the last
line has them as they are.
"""

import argparse
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import problems  # noqa: E402 - found on the path just set
from claims import ERROR, LEAST, WIDTH, allowance, assert_converged, assert_honest, relative_error  # noqa: E402
from exactperm.api import paired_test  # noqa: E402
from exactperm.effects import Effects  # noqa: E402
from exactperm.engines.base import CannotAnswer, Question, Tail  # noqa: E402
from exactperm.engines.fourier import Fourier  # noqa: E402
from exactperm.lattice import Lattice  # noqa: E402
from exactperm.region import Runs  # noqa: E402


@dataclass
class Row:
    """The worst seen for one tag, and as it is: above 1e-300, below."""

    answers: int = 0
    refused: int = 0
    violations: int = 0
    error: float = 0.0
    width: float = 0.0
    plain: tuple[float, float] = (0.0, 0.0)
    deep: tuple[float, float] = (0.0, 0.0)
    deepest: float = 0.0
    notes: list[str] = field(default_factory=list)

    def enter_run(self, name: str, tail: Tail, exact: Fraction, whole: Fraction) -> None:
        """Check an answer for runs: honest, and accurate relative to the half-lines that begin with them."""
        self.answers += 1
        try:
            assert_honest(tail, exact, width=math.inf)
        except AssertionError as error:
            self.violations += 1
            self.notes.append(f"{name}: {error}")
        if whole < Fraction(LEAST):  # doubles cannot say what is left of it
            return
        low, middle, high = (math.exp(x) for x in (tail.log_low, tail.log_estimate, tail.log_high))
        width, error = (high - low) / float(whole), float(abs(Fraction(middle) - exact) / whole)
        if width > WIDTH or error > ERROR:
            self.violations += 1
            self.notes.append(f"{name}: {width:.1e} wide, error {error:.1e}")
        self.error, self.width = max(self.error, error), max(self.width, width)
        self.plain = max(self.plain[0], error), max(self.plain[1], width)

    def enter(self, name: str, tail: Tail, exact: object, width: float = WIDTH) -> None:
        """Check one answer by both claims."""
        self.answers += 1
        try:
            assert_honest(tail, exact, width)
            assert_converged(tail.log_estimate, exact)
        except AssertionError as error:
            self.violations += 1
            self.notes.append(f"{name}: {error}")
        if exact in (0, 1):
            return
        log_exact = problems.log_ball(exact) if isinstance(exact, Fraction) else exact
        scale = allowance(log_exact)
        found, wide = relative_error(tail.log_estimate, log_exact), math.expm1(tail.log_high - tail.log_low)
        self.error, self.width = max(self.error, found / scale), max(self.width, wide / scale)
        if scale > 1:
            self.deep = max(self.deep[0], found), max(self.deep[1], wide)
        else:
            self.plain = max(self.plain[0], found), max(self.plain[1], wide)
        self.deepest = min(self.deepest, tail.log_estimate)


#: nearly all frequencies are alive, and the interval says so; `auto` counts the assignments of these instead
FEW = "geometric progression, n < 20"
Found = Iterator[tuple[str, str, Tail | None, object]]


def half_line(lattice: Lattice, low: int, high: int, ends: tuple[tuple[int, int], ...] = ()) -> Tail | None:
    """Ask the engine; None if it refuses."""
    question = Question(lattice, Runs(((low, high), *ends)))
    if Fourier().obstacle(question):
        return None
    try:
        return Fourier().answer(question)
    except CannotAnswer:
        return None


def public(number: int, seed: int) -> Found:
    """All three alternatives of random problems, as a user asks for them."""
    for problem in problems.random_problems(number, seed):
        for alternative in problems.ALTERNATIVES:
            result = paired_test(problem.effects, alternative=alternative, method="fourier")
            tail = Tail(result.log_pvalue_interval.low, result.log_pvalue, result.log_pvalue_interval.high)
            yield min(problem.tags), f"{problem.name} {alternative}", tail, problem.exact(alternative)


def anywhere(number: int, seed: int) -> Found:
    """Half-lines and runs of every problem at places that no data chose."""
    rng = np.random.default_rng(seed)
    for problem in problems.random_problems(number, seed + 1000):
        lattice, law = Lattice.of(problem.effects), problem.law
        if law.span < 4:
            continue
        middle = law.span // 2
        near = int(rng.integers(-2, 4))
        places = [
            ("next to the mean", (middle + near, law.span), ()),
            ("next to the end", (law.span - int(rng.integers(0, 4)), law.span), ()),
            ("anywhere", (int(rng.integers(0, law.span + 1)), law.span), ()),
            ("lower half-lines", (0, int(rng.integers(0, law.span + 1))), ()),
            ("single points", (int(rng.integers(0, law.span + 1)),) * 2, ()),
        ]
        ends = np.sort(rng.choice(law.span + 1, 4, replace=False)).tolist()
        places.append(("two runs", (ends[0], ends[1]), ((ends[2], ends[3]),)))
        for tag, (low, high), more in places:
            tail, name = half_line(lattice, low, high, more), f"{problem.counts} {low}..{high} {more}"
            exact = law.probability([(low, high), *more])
            yield tag, name, tail, exact if 0 in (low, law.span - high) else (exact, _half_lines(law, low, high, more))


def _half_lines(law: problems.Law, low: int, high: int, more: tuple[tuple[int, int], ...]) -> Fraction:
    """The probability of the half-lines outward that hold the runs, those below the mean and those above."""
    middle = -(-law.span // 2)
    pieces = [(low, high), *more]
    below = [(0, min(end, middle - 1)) for start, end in pieces if start < middle]
    above = [(max(start, middle), law.span) for start, end in pieces if end >= middle]
    return sum((law.probability([x]) for x in below + above), Fraction(0))


def hard(number: int, seed: int) -> Found:
    """Built to break it: gaps, effects a hair apart, resonances of several divisors, up to 2^31 with few items."""
    rng = np.random.default_rng([seed, 7])
    for i in range(number):
        tag, sizes = HARD[i % len(HARD)](rng)
        lattice, law = Lattice.of(Effects.from_counts(sizes)), problems.Law.of(sizes)
        heavy = max(sizes) // law.unit
        spots = [law.span // 2 + 1, heavy, law.span - heavy, heavy + 1, law.span - heavy + 1, int(0.6 * law.span)]
        for low in spots:
            tail = half_line(lattice, low, law.span)
            yield tag, f"{sizes} {low}..", tail, law.probability([(low, law.span)])


def _gap(rng: np.random.Generator) -> tuple[str, dict[int, int]]:
    ones = int(rng.integers(3, 60))
    return "a gap in the law", {1: ones, int(rng.integers(20, 2000)) + ones: int(rng.integers(1, 4))}


def _alike(rng: np.random.Generator) -> tuple[str, dict[int, int]]:
    base = int(rng.integers(300, 1500))
    return "effects a hair apart", {base + i: int(rng.integers(1, 30)) for i in range(int(rng.integers(2, 5)))}


def _divisors(rng: np.random.Generator) -> tuple[str, dict[int, int]]:
    p, q = rng.choice([2, 3, 5, 7, 11, 13], 2, replace=False).tolist()
    return "two divisors", {p * q: int(rng.integers(50, 400)), p: int(rng.integers(1, 4)), q: int(rng.integers(1, 4))}


def _progression(rng: np.random.Generator) -> tuple[str, dict[int, int]]:
    base = int(rng.integers(2, 8))
    top = int(math.log(30000, base))
    return FEW, {base**i: 1 for i in range(top + 1)}


def _deep(rng: np.random.Generator) -> tuple[str, dict[int, int]]:
    return "thousands of small effects", {
        v: int(c) for v, c in enumerate(rng.integers(1, 1500, int(rng.integers(2, 5))), 1)
    }


HARD = [_gap, _alike, _divisors, _progression, _deep]


def many(seed: int) -> Found:
    """10^4 items with their polynomials, and 10^5 to 10^9 with balls."""
    for problem in problems.many_items(10**4, seed):
        result = paired_test(problem.effects, method="fourier")
        tail = Tail(result.log_pvalue_interval.low, result.log_pvalue, result.log_pvalue_interval.high)
        yield "10^4 items", problem.name, tail, problem.exact()
    rng = np.random.default_rng([seed, 8])
    for exponent in (5, 6, 7, 8, 9):
        number = 10**exponent
        for others in ({}, {3: 1, 1000: 2}, {2: 40, 7: 5}, {2 * math.isqrt(number) + 1: 2}):
            lattice = Lattice.of(Effects.from_counts({1: number} | others))
            span = lattice.span[0]
            for z in (0.0, 1.0, 5.0, 15.0, 36.0, float(rng.uniform(0, 36))):
                low = span // 2 + 1 + int(z * lattice.deviation)
                exact = problems.log_tail_of_many_equal(number, 1, others, low)
                yield f"10^{exponent} items", f"{number} + {others}, {low}", half_line(lattice, low, span), exact


def main() -> int:
    """Print the table; 1 if anything was violated."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    number, seed = arguments.problems, arguments.seed
    rows: dict[str, Row] = {}
    start = time.perf_counter()
    for found in (public(number, seed), anywhere(number // 3, seed), hard(number // 6, seed), many(seed)):
        for tag, name, tail, exact in found:
            row = rows.setdefault(tag, Row())
            if tail is None:
                row.refused += 1
            elif isinstance(exact, tuple):
                row.enter_run(name, tail, *exact)
            else:
                row.enter(name, tail, exact, math.inf if tag == FEW else WIDTH)
    print("error and width are relative to p; below p = 1e-300 they are divided by log p / log 1e-300")
    print(f"{'problems':<30} {'answers':>8} {'refused':>8} {'violated':>8} {'error':>9} {'width':>9} {'log10 p':>9}")
    for tag, row in rows.items():
        deepest = row.deepest / math.log(10)
        print(
            f"{tag:<30} {row.answers:>8} {row.refused:>8} {row.violations:>8} "
            f"{row.error:>9.1e} {row.width:>9.1e} {deepest:>9.1f}"
        )
        for note in row.notes[:5]:
            print(f"    {note:.300}")
    answers, violations = (sum(getattr(row, x) for row in rows.values()) for x in ("answers", "violations"))
    worst, widest = (max(getattr(row, x) for row in rows.values()) for x in ("error", "width"))
    print(
        f"{answers} answers, {violations} violations; error at most {worst:.1e}, width at most {widest:.1e}; "
        f"{time.perf_counter() - start:.0f} s"
    )
    above, below = ([max(getattr(row, x)[i] for row in rows.values()) for i in (0, 1)] for x in ("plain", "deep"))
    deepest = min(row.deepest for row in rows.values()) / math.log(10)
    print(
        f"not divided: p from 1 to 1e-300, error at most {above[0]:.1e}, width at most {above[1]:.1e}; "
        f"p down to 10^{deepest:.0f}, {below[0]:.1e} and {below[1]:.1e}"
    )
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
