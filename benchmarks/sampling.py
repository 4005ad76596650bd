"""Corpus BLEU by sampling: time per sample beside sacrebleu's, and interval widths.

    python benchmarks/sampling.py [--items 2000] [--samples 100000] [--repeat 3]

The first table tests two synthetic translation systems by sacrebleu's paired approximate
randomization and by our sampling engines, on the same sufficient statistics in the same run.
Asserted: our BLEU is sacrebleu's, and every p-value lies in every interval that was computed. The
time per sample of sacrebleu is the slope between two numbers of samples, without tokenisation and
counting, which both need; ours is the whole test from the sums of each sentence on.

The second table compares the width of the 95 % interval of control-variate with that of plain
Monte Carlo of the same size, for p from 0.01 to 0.9, and asserts that the p-values agree.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from exactperm.engines.base import Engine, Options, Question, Tail  # noqa: E402
from exactperm.engines.clopper_pearson import clopper_pearson  # noqa: E402
from exactperm.engines.control_variate import PILOT, ControlVariate  # noqa: E402
from exactperm.engines.importance import Importance  # noqa: E402
from exactperm.engines.monte_carlo import MonteCarlo  # noqa: E402
from exactperm.engines.sampling import Sampler  # noqa: E402
from sampling_problems import (  # noqa: E402 - found on the path just set
    BLEU_SUMS,
    Structured,
    bleu,
    bleu_corpus,
    macro_f1_corpus,
)


def measured(call: Callable[[], Any], repeat: int) -> tuple[Any, float]:
    """The result and the best time."""
    best = math.inf
    for _ in range(repeat):
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
    return result, best


def corpus(n: int, seed: int) -> tuple[list[str], list[str], list[str]]:
    """References and the output of two systems: words lost, inserted, exchanged."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(5000)])

    def sentence(length: int) -> list[str]:
        return [str(w) for w in words[np.minimum(rng.zipf(1.2, length), len(words)) - 1]]

    def translated(reference: list[str], loss: float) -> str:
        kept = [w for w in reference if rng.random() > loss]
        return " ".join([*kept, *sentence(int(rng.poisson(0.6 * loss * len(reference))))])

    references = [sentence(int(k)) for k in rng.integers(8, 50, n)]
    first = [translated(r, 0.150) for r in references]
    second = [translated(r, 0.153) for r in references]
    return [" ".join(r) for r in references], first, second


def beside_sacrebleu(items: int, samples: int, repeat: int) -> None:
    """The first table."""
    import sacrebleu
    from sacrebleu.significance import PairedTest

    references, first, second = corpus(items, seed=6)
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    a, b = (
        np.array(metric._extract_corpus_statistics(system, [references]), dtype=np.int64) for system in (first, second)
    )
    for system, sums in ((first, a), (second, b)):
        theirs = metric.corpus_score(system, [references]).score
        if not math.isclose(theirs, 100 * float(bleu(sums.sum(axis=0))), rel_tol=1e-12):
            raise SystemExit("our BLEU is not sacrebleu's")

    def their_test(number: int) -> tuple[float, float]:
        test = PairedTest([("first", first), ("second", second)], {"BLEU": metric}, [references], "ar", number)
        (_, scores), seconds = measured(test, 1)
        return float(scores["BLEU"][1].p_value), seconds

    _, short = min((their_test(100) for _ in range(repeat)), key=lambda x: x[1])
    their_p, long = min((their_test(10_000) for _ in range(repeat)), key=lambda x: x[1])
    their_time = (long - short) / 9_900
    low, high = clopper_pearson(round(their_p * 10_001) - 1, 10_000, 0.9999)
    print(f"{'method':16} {'samples':>8} {'p':>9} {'us/sample':>10} {'times faster':>13}")
    print(f"{'sacrebleu':16} {10_000:8} {their_p:9.5f} {their_time * 1e6:10.2f} {1:13}")
    engines: list[Engine] = [MonteCarlo(), ControlVariate(), Importance()]
    for engine in engines:

        def test(engine: Engine = engine) -> Tail:
            problem = Structured(a, b, BLEU_SUMS, bleu)
            least = abs(float(bleu(a.sum(axis=0)) - bleu(b.sum(axis=0))))
            options = Options(n_resamples=samples, rng=1, confidence_level=0.9999)
            return engine.answer(problem.question(least, options))

        tail, seconds = measured(test, repeat)
        p, own_low, own_high = map(math.exp, (tail.log_estimate, tail.log_low, tail.log_high))
        each = seconds / samples
        print(f"{engine.name:16} {samples:8} {p:9.5f} {each * 1e6:10.2f} {their_time / each:13.1f}")
        if not (low <= p <= high and max(low, own_low) <= min(high, own_high)):
            raise SystemExit(f"{engine.name}: p = {p} is not in sacrebleu's [{low}, {high}]")


def widths(items: int, samples: int) -> None:
    """The second table; the pilot of the control variate counts as samples."""
    print(f"\n{'metric':10} {'plain p':>9} {'width':>9} {'p':>10} {'width':>9} {'narrower':>9}")
    problems = [("BLEU", bleu_corpus(items, 1)), ("macro F1", macro_f1_corpus(items, 1))]
    for name, problem in problems:
        lattice = problem.lattice
        law = Sampler(lattice.steps, lattice.counts).fair(np.random.default_rng(5), 50_000)
        sizes = np.abs(problem.difference(law))
        for p in (0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.01):
            least = float(np.quantile(sizes, 1 - p))

            def ask(number: int, level: float = 0.95, least: float = least) -> Question:
                return problem.question(least, Options(None, number, None, level, 3))  # noqa: B023

            plain = MonteCarlo().answer(ask(samples))
            tail = ControlVariate().answer(ask(samples - PILOT))
            check = MonteCarlo().answer(ask(samples, level=0.99999))
            if not check.log_low < tail.log_estimate < check.log_high:
                raise SystemExit(f"{name}: control-variate and Monte Carlo disagree")
            wide, narrow = (math.exp(t.log_high) - math.exp(t.log_low) for t in (plain, tail))
            both = math.exp(plain.log_estimate), math.exp(tail.log_estimate)
            print(f"{name:10} {both[0]:9.5f} {wide:9.2e} {both[1]:10.6f} {narrow:9.2e} {wide / narrow:9.1f}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Time and width of sampled p-values.")
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    beside_sacrebleu(arguments.items, arguments.samples, arguments.repeat)
    widths(arguments.items, arguments.samples)


if __name__ == "__main__":
    main()
