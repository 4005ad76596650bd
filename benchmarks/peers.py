"""What other packages give for the same twelve problems, and how long they take, side by side in one run.

    python benchmarks/peers.py [--checkout PATH] [--page docs/peers.md]

Peers that are not installed are left out: scipy, mlxtend, permute, ranx, nltk, sacrebleu, statsmodels; R's
exactRankTests and coin (Debian: r-cran-exactranktests, r-cran-coin); the authors' code with a checkout of
https://github.com/rycolab/paired-perm-test (it needs Numba). Our answers are asserted against the exact ones, which are
counts of assignments. With --page the tables are written between the markers of the page.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from measure import best_time, machine, table, three_digits, versions, write_blocks  # noqa: E402 - found on the path just set
from peer_tests import PYTHON, Answer, Peer, authors, in_r  # noqa: E402
from twelve import Compared, all_problems  # noqa: E402

LARGE = "N = 10^4"
#: relative error of what calls itself exact, and of ours
EXACT, OURS = 1e-6, 1e-11
#: how many times longer the slow ones must take on 10,000 sentences
BARS = {"the paper, FFT": 300, "scipy": 5_000, "the paper, Monte Carlo": 3_000}


def load(checkout: Path | None) -> list[Peer]:
    """The Python peers that can be had."""
    peers = []
    for make in PYTHON:
        try:
            peers.append(make())
        except ImportError as error:
            print(f"left out: {make.__name__} ({error})", file=sys.stderr)
    return peers + (authors(checkout) if checkout else [])


# -- answers -------------------------------------------------------------------------------------


def is_off(peer: Peer, answer: float, exact: float) -> bool:
    """Whether rounding, or the samples drawn, cannot explain the difference."""
    if answer == 0:
        return True
    if not peer.samples:
        return abs(answer / exact - 1) > EXACT
    spread = (exact * (1 - exact) / peer.samples) ** 0.5
    return abs(answer - exact) > 4 * spread + 2 / peer.samples


def cell(peer: Peer, answer: Answer, exact: float) -> str:
    """An answer as it is shown: bold where it is off, or no answer at all."""
    if answer is None:
        return "–"
    if isinstance(answer, str):
        return answer if answer == "not run" else f"**{answer}**"
    if not is_off(peer, answer, exact):
        return f"{answer:.4g}"
    digits = next(d for d in range(4, 18) if f"{answer:.{d}g}" != f"{exact:.{d}g}")
    shown = digits if digits == 4 else digits + 2  # zeros at the end are left out
    return f"**{answer:.{shown}g}**"


def answer_table(peers: list[Peer], answers: dict[str, list[Answer]], problems: list[Compared]) -> str:
    """The twelve problems against some peers."""
    rows = []
    for i, problem in enumerate(problems):
        exact = float(problem.exact)
        cells = [cell(peer, answers[peer.name][i], exact) for peer in peers]
        rows.append((problem.name, f"{exact:.4g}", f"{checked(problem):.4g}", *cells))
    header = ("problem", "truth", "exactperm", *(f"{peer.name} {peer.version}" for peer in peers))
    return table(header, rows)


def checked(problem: Compared) -> float:
    """Our answer, which has to be the exact one."""
    p, exact = problem.ours(), float(problem.exact)
    if not abs(p / exact - 1) <= OURS:
        raise SystemExit(f"{problem.name}: {p!r}, but the exact p-value is {exact!r}")
    return p


def tally(peers: list[Peer], answers: dict[str, list[Answer]], problems: list[Compared]) -> str:
    """What became of each peer, in numbers."""
    rows = []
    for peer in peers:
        pairs = [(a, float(p.exact)) for a, p in zip(answers[peer.name], problems, strict=True)]
        numbers = [(a, exact) for a, exact in pairs if isinstance(a, float)]
        off = [a for a, exact in numbers if is_off(peer, a, exact)]
        failed = [a for a, _ in pairs if isinstance(a, str) and a != "not run"]
        zeros = sum(a == 0 for a in off)
        how = f"{peer.samples:,} samples" if peer.samples else peer.says
        rows.append(
            (f"{peer.name} {peer.version}", how, f"{len(numbers)}", f"{len(off)}", f"{zeros}", f"{len(failed)}")
        )
    return table(("peer", "says", "answers", "of them off", "of them 0", "failures"), rows)


# -- speed ---------------------------------------------------------------------------------------


def speed(peers: list[Peer], problem: Compared, in_r_seconds: dict[str, float]) -> str:
    """Seconds of the processor on 10,000 sentences, the best of several calls, and as multiples of ours."""
    _, ours = best_time(problem.ours)
    calls: dict[str, Callable[[], Answer]] = {
        peer.name: lambda peer=peer: peer.test(problem) for peer in peers if problem_of_size(peer, problem)
    }
    seconds = {name: best_time(call, 0.5)[1] for name, call in calls.items()}
    seconds |= in_r_seconds
    samples = {peer.name: peer.samples for peer in peers}
    _, again = best_time(problem.ours)
    ours = min(ours, again)
    rows = [("exactperm.paired_test", "exact", f"{ours:.3g}", "1", "")]
    for name, time in sorted(seconds.items(), key=lambda item: item[1]):
        how = f"{samples[name]:,} samples" if samples.get(name) else "exact"
        bar = f"≥ {BARS[name]:,}: {'met' if time / ours >= BARS[name] else 'missed'}" if name in BARS else ""
        rows.append((name, how, f"{time:.3g}", three_digits(time / ours), bar))
    return table(("10,000 sentences", "", "seconds", "times ours", "bar"), rows)


def problem_of_size(peer: Peer, problem: Compared) -> bool:
    """Whether a Python peer answers it, and in bearable time."""
    return isinstance(peer.answer(problem), float)


# -- everything ----------------------------------------------------------------------------------


def measure(checkout: Path | None) -> dict[str, str]:
    """All blocks of the page."""
    problems = all_problems()
    python = load(checkout)
    r, r_seconds = in_r(problems, LARGE)
    peers = python + r
    answers = {peer.name: [peer.answer(problem) for problem in problems] for peer in peers}
    exact, sampled = [p for p in peers if not p.samples], [p for p in peers if p.samples]
    large = next(problem for problem in problems if problem.name == LARGE)
    return {
        "machine": f"{machine()}; {versions(('exactperm', 'numpy', 'scipy', 'numba'))}.",
        "exact": answer_table(exact, answers, problems),
        "sampled": answer_table(sampled, answers, problems),
        "tally": tally(peers, answers, problems),
        "speed": speed(python, large, r_seconds),
    }


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(description="Other packages on the same twelve problems.")
    parser.add_argument("--checkout", type=Path, help="a checkout of the authors' repository")
    parser.add_argument("--page", type=Path, help="the page to write the tables into")
    arguments = parser.parse_args()
    blocks = measure(arguments.checkout)
    for name, block in blocks.items():
        print(f"-- {name}\n{block}\n", flush=True)
    if arguments.page:
        write_blocks(arguments.page, blocks)


if __name__ == "__main__":
    main()
