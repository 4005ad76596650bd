"""A drawing of every plot, for the tests that look at all of them: from a name to a function of the width."""

import random
from functools import cache
from types import SimpleNamespace

import numpy as np

import exactperm as xp
from exactperm.report import plots

#: names that must be shown as text
ODD_NAMES = (
    "$x_1$ and $y$",
    "<script>alert(1)</script>",
    "שלום_עולם",
    "مرحبا",
    "m" * 200,
    "meta-llama/Llama-3.1-8B-Instruct-finetuned-on-something-v1",
    "meta-llama/Llama-3.1-8B-Instruct-finetuned-on-something-v2",
    "back\\slash_$\\alpha$ 100%",
)


@cache
def comparison(k, *, names=None, **options):
    """Systems that get fewer items right, one after the other."""
    draw = random.Random(7)
    hardness = [draw.random() for _ in range(300)]
    called = names or [f"system-{i + 1}" for i in range(k)]
    shares = [0.9 - 0.4 * i / len(called) for i in range(len(called))]
    return xp.compare(
        {
            name: [int(0.5 * draw.random() + 0.5 * x < share) for x in hardness]
            for name, share in zip(called, shares, strict=True)
        },
        **options,
    )


@cache
def scores(items, gain, **options):
    """Two systems that get words right."""
    draw = random.Random(3)
    b = [draw.randint(5, 20) for _ in range(items)]
    a = [x + (draw.random() < gain) - (draw.random() < 0.15) + draw.choice([0, 0, 2, -2]) for x in b]
    return xp.paired_test(a, b, **options)


@cache
def f1(items=200):
    """Two systems by a metric whose null law lives in two dimensions."""
    draw = random.Random(5)

    def system(share):
        found = [sum(draw.random() < share for _ in range(6)) for _ in range(items)]
        return {"tp": found, "fp": [draw.randint(0, 2) for _ in found], "fn": [6 - x for x in found]}

    return xp.paired_test(system(0.8), system(0.78), metric="f1")


def power(n=(100, 200, 400, 800, 1600)):
    """What the power of a test looks like."""
    found = 1 - np.exp(-np.array(n) / 500)
    interval = SimpleNamespace(low=found - 0.05 * (1 - found), high=found + 0.05 * (1 - found))
    return SimpleNamespace(n=np.array(n), power=found, interval=interval)


def seconds():
    """What the running times of some methods look like."""
    n = 10 ** np.arange(2, 7)
    return {
        "exactperm": (n, 1e-4 + 1e-8 * n),
        "sampling, 10,000 times": (n, 1e-5 * n),
        "convolution": (n[:4], 1e-8 * n[:4] ** 1.5),
    }


DRAWINGS = {
    "null": lambda width: plots.null_distribution(scores(100, 0.4), width=width),
    "null-few": lambda width: plots.null_distribution(scores(9, 0.9, alternative="greater"), width=width),
    "null-far": lambda width: plots.null_distribution(scores(2000, 0.5), width=width),
    "null-sampled": lambda width: plots.null_distribution(f1(), width=width),
    "null-names": lambda width: plots.null_distribution(comparison(8, names=ODD_NAMES).pairs[13], width=width),
    "differences": lambda width: plots.differences(scores(200, 0.25), width=width),
    "differences-f1": lambda width: plots.differences(f1(), width=width),
    "differences-names": lambda width: plots.differences(comparison(8, names=ODD_NAMES).pairs[-5], width=width),
    "matrix-2": lambda width: plots.matrix(comparison(2), width=width),
    "matrix-5": lambda width: plots.matrix(comparison(5), width=width),
    "matrix-20": lambda width: plots.matrix(comparison(20), width=width),
    "matrix-names": lambda width: plots.matrix(comparison(8, names=ODD_NAMES), width=width),
    "matrix-baseline": lambda width: plots.matrix(comparison(5, baseline="system-3"), width=width),
    "matrix-greater": lambda width: plots.matrix(comparison(5, alternative="greater"), width=width),
    "ranking-2": lambda width: plots.ranking(comparison(2), width=width),
    "ranking-5": lambda width: plots.ranking(comparison(5), width=width),
    "ranking-20": lambda width: plots.ranking(comparison(20), width=width),
    "ranking-names": lambda width: plots.ranking(comparison(8, names=ODD_NAMES), width=width),
    "ranking-baseline": lambda width: plots.ranking(comparison(5, baseline="system-3"), width=width),
    "power": lambda width: plots.power_curve(power(), width=width),
    "runtime": lambda width: plots.runtime(seconds(), width=width),
}
