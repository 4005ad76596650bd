"""The paper's Table 1 as data: two part-of-speech taggers, simulated sentence by sentence.

Accuracy and sentence length are normal with the moments of Table 1, drawn again where they are impossible (an accuracy
outside [0, 1], a length below 0). The number right is their product, rounded down. The second system has the mean of
its accuracy lowered by 2 %, so that there is something to find. This is what the authors' script does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
ACCURACY = (0.9543, 0.1116)
LENGTH = (12.08, 10.60)
GAP = 0.98


def systems(n: int, seed: int, stretch: float = 1.0) -> tuple[Integers, Integers, Integers]:
    """Words right of two systems on n sentences, and the sentences' lengths, which can be stretched."""
    rng = np.random.default_rng([seed, n])
    mean, deviation = ACCURACY
    lengths = np.ceil(truncated_normal(rng, stretch * LENGTH[0], stretch * LENGTH[1], math.inf, n))
    first = truncated_normal(rng, mean, deviation, 1.0, n)
    second = truncated_normal(rng, GAP * mean, deviation, 1.0, n)
    right = [np.floor(accuracy * lengths).astype(np.int64) for accuracy in (first, second)]
    return right[0], right[1], lengths.astype(np.int64)


def truncated_normal(rng: np.random.Generator, mean: float, deviation: float, highest: float, n: int) -> Any:
    """Normal numbers between 0 and `highest`, by drawing again those that are not."""
    values = rng.normal(mean, deviation, n)
    while (outside := (values < 0) | (values > highest)).any():
        values[outside] = rng.normal(mean, deviation, np.count_nonzero(outside))
    return values
