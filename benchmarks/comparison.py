"""Comparisons of many systems, and the reduction of the effects of many classes to a lattice basis."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import exactperm as xp
from exactperm.lattice import Lattice
from exactperm.metrics import extract

N = 2000


def best(task: Callable[[], object], repeat: int = 5) -> float:
    """The shortest time of several."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def predictions(classes: int, systems: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """A gold standard and systems that get more and more of it right."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, classes, N)
    return gold, {
        f"s{i}": np.where(rng.random(N) < 0.6 + 0.01 * i, gold, rng.integers(0, classes, N)) for i in range(systems)
    }


def twenty_systems() -> None:
    """All 190 pairs of 20 systems."""
    gold, systems = predictions(4, 20)
    result = xp.compare(systems, y_true=gold)
    assert len(result.pairs) == 190
    for pair in result.pairs[::17]:
        alone = xp.paired_test(systems[pair.a] == gold, systems[pair.b] == gold, metric="accuracy")
        assert pair.pvalue == alone.pvalue
    documents = [f"d{i // 10}" for i in range(N)]
    binary, answers = predictions(2, 20)
    print(f"20 systems, {N} items, 190 pairs            seconds")
    for name, task in {
        "accuracy from labels": lambda: xp.compare(systems, y_true=gold),
        "accuracy, groups of 10 items": lambda: xp.compare(systems, y_true=gold, groups=documents),
        "F1 of two classes": lambda: xp.compare(answers, y_true=binary, metric="f1"),
    }.items():
        print(f"  {name:<42}{best(task, 3):7.3f}")


def twenty_systems_from_a_file() -> None:
    """The same from a table, through the API and the command: after reading, and with it."""
    gold, systems = predictions(4, 20)
    right = {name: (x == gold).astype(int) for name, x in systems.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        rows = np.column_stack([np.arange(N), *right.values()])
        np.savetxt(path, rows, fmt="%d", delimiter=",", header=",".join(["id", *right]), comments="")
        scores = xp.read(path)
        result = xp.compare(scores)
        assert [p.pvalue for p in result.pairs] == [p.pvalue for p in xp.compare(systems, y_true=gold).pairs]
        command = [sys.executable, "-m", "exactperm", "compare", str(path), "--output", "json"]
        done = subprocess.run(command, check=True, capture_output=True)
        assert [p["pvalue"] for p in json.loads(done.stdout)["pairs"]] == [p.pvalue for p in result.pairs]
        print(f"the same from a table of {N} rows             seconds")
        for name, task in {
            "read": lambda: xp.read(path),
            "compare, after reading": lambda: xp.compare(scores),
            "to_json": result.to_json,
            "exactperm compare, from start to end": lambda: subprocess.run(command, check=True, capture_output=True),
        }.items():
            print(f"  {name:<42}{best(task):7.3f}")


def many_classes() -> None:
    """The lattice of macro-F1."""
    print(f"lattice of macro-F1, {N} items, K classes     seconds")
    for classes in (10, 20, 50):
        gold, systems = predictions(classes, 2)
        metric, counts = extract(gold, systems, "f1", average="macro")
        effects = metric.effects(counts["s0"], counts["s1"])
        lattice = Lattice.of(effects)
        assert (lattice.steps @ lattice.basis == effects.values).all()
        assert lattice.rank == 2 * classes - 1
        seconds = best(lambda effects=effects: Lattice.of(effects), 3)
        print(f"  K = {classes}, {len(effects.values)} effects, rank {lattice.rank:<20}{seconds:10.3f}")


if __name__ == "__main__":
    twenty_systems()
    twenty_systems_from_a_file()
    many_classes()
