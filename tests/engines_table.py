"""Which engine can answer which kind of problem: the capability table, with a problem of each kind.

`CAN` is the claim. The tests hold it against `Engine.obstacle` and against an answer for every pair of an engine and a
kind; a pair that is not in the table is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from exactperm.effects import Effects
from exactperm.engines.base import Question
from exactperm.lattice import Lattice
from exactperm.reals import effects_of_reals
from exactperm.region import Region, Runs

#: engines by the module they live in
ENGINES = {
    "fourier": "Fourier",
    "torus": "Torus",
    "enumeration": "Enumeration",
    "rational": "Rational",
    "meet_in_the_middle": "MeetInTheMiddle",
    "bracket": "Bracket",
    "monte_carlo": "MonteCarlo",
    "control_variate": "ControlVariate",
    "importance": "Importance",
}


def half_line(effects: Effects, deviations: float = 1.5) -> Question:
    """P(X >= a), a somewhat above the mean."""
    lattice = Lattice.of(effects)
    span = lattice.span[0]
    return Question(lattice, Runs(((min(span // 2 + 1 + int(deviations * lattice.deviation), span), span),)))


def unrelated(number: int, bits: int) -> Effects:
    """Effects of that many bits with nothing in common."""
    rng = np.random.default_rng(bits)
    values = {
        sum(int(x) << (30 * i) for i, x in enumerate(rng.integers(2**30, size=-(-bits // 30)))) for _ in range(number)
    }
    return Effects.from_counts({1 + (x >> (-bits % 30)): 1 for x in values})


def in_space(number: int, dimensions: int, size: int, smooth: bool = True) -> Question:
    """A half-space, off the mean, in some dimensions."""
    rng = np.random.default_rng(number)
    rows = rng.integers(-size, size + 1, (number, dimensions))
    names = tuple(f"s{i}" for i in range(dimensions))
    lattice = Lattice.of(Effects.from_sums(rows, np.zeros_like(rows), names))
    weights = np.arange(1, lattice.rank + 1)
    middle = sum(w * s for w, s in zip(weights.tolist(), lattice.span, strict=True)) / 2
    spread = math.sqrt(float((lattice.counts * (lattice.steps.astype(float) @ weights) ** 2).sum())) / 2

    def distance(points: np.ndarray) -> np.ndarray:
        return points.astype(np.float64) @ weights - (middle + spread)

    return Question(lattice, Region(lambda x: distance(x) >= 0, increasing=True, value=distance if smooth else None))


def on_a_line(smooth: bool) -> Question:
    """A predicate in one dimension that nobody turned into runs."""
    lattice = Lattice.of(Effects.from_counts({1: 6, 2: 5, 5: 2}))

    def distance(points: np.ndarray) -> np.ndarray:
        return points[:, 0].astype(np.float64) - 17

    return Question(lattice, Region(lambda x: x[:, 0] >= 17, value=distance if smooth else None))


def real_scores() -> Question:
    """Differences of real scores that no grid holds, rounded to 61 bits."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(2, 5000))
    effects = effects_of_reals(scores[0], scores[1])
    assert effects.rounding > 0
    return half_line(effects)


def nothing() -> Question:
    return Question(Lattice.of(Effects.from_counts({0: 5})), Runs(((0, 0),)))


KINDS: dict[str, Callable[[], Question]] = {
    "no effect": nothing,
    "few small effects": lambda: half_line(Effects.from_counts({1: 4, 3: 3, 4: 2})),
    "many small effects": lambda: half_line(Effects.from_counts({1: 900, 2: 300, 3: 100, 7: 20, 13: 4, 30: 1})),
    "two runs": lambda: Question(Lattice.of(Effects.from_counts({1: 40, 2: 30, 5: 9})), Runs(((3, 20), (90, 100)))),
    "few effects of 40 bits": lambda: half_line(unrelated(12, 40)),
    "60 effects of 40 bits": lambda: half_line(unrelated(60, 40)),
    "few effects of 200 bits": lambda: half_line(unrelated(12, 200)),
    "60 effects of 200 bits": lambda: half_line(unrelated(60, 200)),
    "many equal effects of 200 bits": lambda: half_line(Effects.from_counts({2**200: 300, 3**126: 40})),
    "real scores": real_scores,
    "a predicate on a line": lambda: on_a_line(smooth=True),
    "few effects in two dimensions": lambda: in_space(10, 2, 4),
    "many effects in two dimensions": lambda: in_space(300, 2, 4),
    "an unsmooth predicate in two dimensions": lambda: in_space(300, 2, 4, smooth=False),
    "few effects in ten dimensions": lambda: in_space(14, 10, 3),
    "many effects in ten dimensions": lambda: in_space(300, 10, 3),
}

LINE = {"enumeration", "rational", "meet_in_the_middle", "monte_carlo", "control_variate", "importance", "fourier"}
SAMPLED_IN_SPACE = {"monte_carlo", "control_variate", "importance"}

#: the engines that can answer each kind; all others say why not
CAN: dict[str, set[str]] = {
    "no effect": LINE | {"bracket"},
    "few small effects": LINE | {"bracket"},
    "many small effects": LINE - {"enumeration"} | {"bracket"},
    "two runs": LINE - {"enumeration"},
    "few effects of 40 bits": {"enumeration", "meet_in_the_middle", "bracket", "monte_carlo", "importance"},
    "60 effects of 40 bits": {"bracket", "monte_carlo", "importance"},
    "few effects of 200 bits": {"enumeration", "meet_in_the_middle", "bracket", "monte_carlo"},
    "60 effects of 200 bits": {"bracket", "monte_carlo"},
    "many equal effects of 200 bits": {"meet_in_the_middle", "bracket", "monte_carlo"},
    "real scores": {"bracket", "monte_carlo"},
    "a predicate on a line": {"enumeration", "rational"} | SAMPLED_IN_SPACE,
    "few effects in two dimensions": {"torus", "enumeration", "rational"} | SAMPLED_IN_SPACE,
    "many effects in two dimensions": {"torus", "rational"} | SAMPLED_IN_SPACE,
    "an unsmooth predicate in two dimensions": {"torus", "rational", "monte_carlo"},
    "few effects in ten dimensions": {"enumeration"} | SAMPLED_IN_SPACE,
    "many effects in ten dimensions": SAMPLED_IN_SPACE,
}

#: who answers with method="auto"
AUTO = {
    "no effect": "meet-in-the-middle",
    "few small effects": "meet-in-the-middle",
    "many small effects": "fourier",
    "two runs": "meet-in-the-middle",
    "few effects of 40 bits": "meet-in-the-middle",
    "60 effects of 40 bits": "bracket",
    "few effects of 200 bits": "meet-in-the-middle",
    "60 effects of 200 bits": "bracket",
    "many equal effects of 200 bits": "meet-in-the-middle",
    "real scores": "bracket",
    "a predicate on a line": "rational",
    "few effects in two dimensions": "rational",
    "many effects in two dimensions": "fourier",
    "an unsmooth predicate in two dimensions": "fourier",
    "few effects in ten dimensions": "enumeration",
    "many effects in ten dimensions": "control-variate",
}
