"""Other packages' paired tests on the problems of `twelve`, each in its own convention and with its own defaults.

A peer is loaded only if it is installed; what it has no test for is None. Numbers of samples are the peers' defaults,
but for scipy and permute (9,999 and 10,000), and the tables name them.
"""

from __future__ import annotations

import csv
import importlib
import importlib.metadata
import math
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from twelve import Array, Compared

Answer = float | str | None


@dataclass(frozen=True)
class Peer:
    """A test of another package: a p-value, words if it fails, None if it does not offer such a test."""

    name: str
    version: str
    test: Callable[[Compared], Answer]
    samples: int = 0  # 0 where it claims to be exact
    largest: int = 10**7  # items beyond which it takes minutes or more memory than there is
    says: str = "exact"  # where it does not sample

    def answer(self, problem: Compared) -> Answer:
        """What it gives, or the name of its error."""
        if len(problem.a) > self.largest:
            return "not run"
        try:
            return self.test(problem)
        except (ArithmeticError, RecursionError, ValueError) as error:
            return type(error).__name__


def on_means(test: Callable[[Array, Array], float]) -> Callable[[Compared], Answer]:
    """A test of mean scores; of the sums over groups, as none of these knows groups."""

    def answer(problem: Compared) -> Answer:
        return float(test(*problem.units())) if problem.kind == "mean" else None

    return answer


# -- Python --------------------------------------------------------------------------------------


def scipy_permutation() -> Peer:
    """All assignments if they are no more than n_resamples, else a sample."""
    stats = importlib.import_module("scipy.stats")

    def run(data: Any, statistic: Any, vectorized: bool) -> float:
        found = stats.permutation_test(
            data, statistic, permutation_type="samples", vectorized=vectorized, n_resamples=9_999, batch=1_000, rng=0
        )
        return float(found.pvalue)

    def f1(problem: Compared) -> float:
        """Its documented way for rows: permute their numbers."""
        rows, n = np.concatenate([problem.a, problem.b]), len(problem.a)

        def value(numbers: Array) -> float:
            return naive_f1(rows[numbers.astype(int)].sum(0))

        return run((np.arange(n), np.arange(n) + n), lambda x, y: value(x) - value(y), False)

    def test(problem: Compared) -> Answer:
        if problem.kind == "f1":
            return f1(problem)
        if problem.kind == "signed ranks":
            return None
        return run(problem.units(), lambda x, y, axis: np.mean(x - y, axis=axis), True)

    return Peer("scipy", version("scipy"), test, 9_999, largest=10_000)


def scipy_wilcoxon() -> Peer:
    """The signed-rank test as it chooses its method."""
    wilcoxon = importlib.import_module("scipy.stats").wilcoxon

    def test(problem: Compared) -> Answer:
        return float(wilcoxon(problem.a, problem.b).pvalue) if problem.kind == "signed ranks" else None

    return Peer("scipy wilcoxon", version("scipy"), test, says="exact or normal")


def naive_f1(totals: Array) -> float:
    """F1 in floats."""
    tp, fp, fn = totals
    return float(tp / (tp + 0.5 * (fp + fn))) if tp + fp + fn else 0.0


def mlxtend() -> Peer:
    """Exact by a loop over 2^N in Python by default, which ends up to some 15 items; else a sample."""
    test = importlib.import_module("mlxtend.evaluate").permutation_test

    def paired(a: Array, b: Array) -> float:
        how = {"method": "exact"} if len(a) <= 14 else {"method": "approximate", "num_rounds": 1_000, "seed": 0}
        return float(test(a, b, paired=True, **how))

    return Peer("mlxtend", version("mlxtend"), on_means(paired), 1_000, largest=10_000)


def permute() -> Peer:
    """statlab's permute: one sample of differences."""
    one_sample = importlib.import_module("permute.core").one_sample
    return Peer(
        "permute",
        version("permute"),
        on_means(lambda a, b: one_sample(a, b, alternative="two-sided", reps=10_000, seed=0)[0]),
        10_000,
        largest=1_000,
    )


def ranx() -> Peer:
    """Fisher's randomization test of mean scores."""
    test = importlib.import_module("ranx.statistical_tests").fisher_randomization_test
    return Peer(
        "ranx", version("ranx"), on_means(lambda a, b: test(a * 1.0, b * 1.0, 1_000, 0.01, 42)[0]), 1_000, 10_000
    )


def nltk() -> Peer:
    """Approximate randomization, which pools the items of both systems: not paired."""
    test = importlib.import_module("nltk.metrics.scores").approxrand

    def run(a: Array, b: Array) -> float:
        random.seed(0)
        return float(test(a.tolist(), b.tolist())[0])

    return Peer("nltk", version("nltk"), on_means(run), 999, largest=1_000)


def sacrebleu() -> Peer:
    """Approximate randomization of a corpus metric: TER, on texts whose numbers of edits are the errors."""
    tests = importlib.import_module("sacrebleu.significance")
    ter = importlib.import_module("sacrebleu.metrics").TER

    def run(a: Array, b: Array) -> float:
        length = int(max(a.max(), b.max(), 1))
        gold = [" ".join(f"w{i}" for i in range(length))] * len(a)
        texts = [
            [" ".join([f"w{i}" for i in range(x)] + ["wrong"] * (length - x)) for x in system.tolist()]
            for system in (a, b)
        ]
        named = [("a", texts[0]), ("b", texts[1])]
        found = tests.PairedTest(named, {"TER": ter()}, [gold], test_type="ar", n_samples=10_000)()
        return float(found[1]["TER"][1].p_value)

    def test(problem: Compared) -> Answer:
        whole = problem.kind == "mean" and problem.a.dtype.kind == "i" and problem.a.max() < 100
        return run(*problem.units()) if whole else None

    return Peer("sacrebleu", version("sacrebleu"), test, 10_000, largest=500)


def statsmodels() -> Peer:
    """McNemar's exact test: right and wrong only."""
    mcnemar = importlib.import_module("statsmodels.stats.contingency_tables").mcnemar

    def test(problem: Compared) -> Answer:
        if not problem.binary or problem.groups is not None:
            return None
        a, b = problem.a, problem.b
        cells = [[int(np.sum((a == i) & (b == j))) for j in (1, 0)] for i in (1, 0)]
        return float(mcnemar(cells, exact=True).pvalue)

    return Peer("statsmodels", version("statsmodels"), test)


def version(package: str) -> str:
    """As installed."""
    return importlib.metadata.version(package)


PYTHON = (scipy_permutation, scipy_wilcoxon, mlxtend, permute, ranx, nltk, sacrebleu, statsmodels)

# -- the authors ---------------------------------------------------------------------------------

CHECKOUT_K = 20_000


def authors(checkout: Path) -> list[Peer]:
    """The code of the paper: accuracy by DP, FFT and Monte Carlo, and F1."""
    sys.path.insert(0, str(checkout))
    dp = importlib.import_module("pairedpermtest.accuracy").perm_test
    fft = importlib.import_module("pairedpermtest.accuracy_polymul").perm_test_polymul
    sampling = importlib.import_module("pairedpermtest.monte_carlo").perm_test_acc
    f1 = importlib.import_module("pairedpermtest.f1")

    def by_fft(problem: Compared) -> Answer:
        if problem.kind == "f1":
            states = ([f1.f1state(x[0], x[1] + x[2]) for x in s.tolist()] for s in (problem.a, problem.b))
            return float(f1.perm_test(*states))
        return whole(fft)(problem)

    def whole(test: Callable[[Array, Array], float]) -> Callable[[Compared], Answer]:
        return lambda problem: on_means(test)(problem) if problem.a.dtype.kind == "i" else None

    def sampled(a: Array, b: Array) -> float:
        return float(sampling(a, b, CHECKOUT_K))

    commit = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    small = Compared("", np.array([1, 2, 3]), np.array([2, 0, 3]), Fraction(1))
    found = [
        Peer("the paper, FFT", commit, by_fft),
        Peer("the paper, DP", commit, whole(dp), largest=100_000),
        Peer("the paper, Monte Carlo", commit, on_means(sampled), CHECKOUT_K, largest=100_000),
    ]
    for peer in found:
        peer.test(small)  # compiles
    return found


# -- R -------------------------------------------------------------------------------------------

SCRIPT = Path(__file__).with_name("peers.R")
PATIENCE = 10  # seconds for one test
TOO_LONG = f"no end in {PATIENCE} s"


def in_r(problems: list[Compared], timed: str) -> tuple[list[Peer], dict[str, float]]:
    """exactRankTests and coin, one session for each test; and the seconds of one of the problems."""
    peers, seconds = [], {}
    for package in ("exactRankTests", "coin"):
        name, version_of, found = f"R {package}", r_version(package), {}
        if not version_of:
            print(f"left out: {name}", file=sys.stderr)
            continue
        for problem in problems:
            if problem.kind == "f1":
                continue
            found[problem.name], elapsed = r_session(package, problem)
            if problem.name == timed and isinstance(found[problem.name], float):
                seconds[name] = elapsed
        peers.append(Peer(name, version_of, lambda x, answers=found: answers.get(x.name)))
    return peers, seconds


def r_version(package: str) -> str:
    """The version of an R package; nothing where it or R is not installed."""
    if shutil.which("Rscript") is None:
        return ""
    command = ["Rscript", "-e", f"cat(as.character(packageVersion('{package}')))"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return "" if done.returncode else done.stdout


def r_session(package: str, problem: Compared) -> tuple[Answer, float]:
    """The answer to one problem, and the seconds without those of starting R."""
    kind = "ranks" if problem.kind == "signed ranks" else "mean"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.csv"
        with file.open("w", newline="", encoding="utf-8") as lines:
            csv.writer(lines).writerows([("a", "b"), *np.stack(problem.units(), axis=1).tolist()])
        command = ["Rscript", str(SCRIPT), package, kind, str(file)]
        try:
            done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return TOO_LONG, math.inf
    number, elapsed = done.stdout.split()
    return ("error" if number == "NA" else float(number)), float(elapsed)
