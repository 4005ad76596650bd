"""The exact confidence interval of a probability from the number of times it came true.

The ends are the probabilities under which as many hits or more, and as few or fewer, have
probability alpha / 2 (Clopper and Pearson 1934), which are quantiles of beta laws:

    low = B^-1(alpha/2; h, k - h + 1),      high = B^-1(1 - alpha/2; h + 1, k - h).

Coverage is at least 1 - alpha for every probability and every number of trials. Cost: two
quantiles.
"""

from __future__ import annotations

__all__ = ["clopper_pearson", "clopper_pearson_stopped"]


def clopper_pearson(hits: int, trials: int, confidence_level: float) -> tuple[float, float]:
    """Bracket the probability of a hit seen `hits` times in a fixed number of trials.

    Examples
    --------
    >>> low, high = clopper_pearson(2, 10, 0.95)
    >>> print(f"{low:.4f} {high:.4f}")
    0.0252 0.5561
    """
    tail = (1 - confidence_level) / 2
    return _low(hits, trials, tail), _high(hits, trials, tail)


def clopper_pearson_stopped(hits: int, trials: int, confidence_level: float) -> tuple[float, float]:
    """Bracket it where sampling stopped at the given number of hits, the last at the last trial.

    Needing at most k trials for h hits is the event of at least h hits in k, needing at least k
    that of at most h - 1 hits in k - 1; so the ends are those of Clopper and Pearson for these
    counts. They also hold for a rule that stops at h hits or at a fixed number of trials, with
    `clopper_pearson` where the latter came first.
    """
    tail = (1 - confidence_level) / 2
    return _low(hits, trials, tail), _high(hits - 1, trials - 1, tail)


def _low(hits: int, trials: int, tail: float) -> float:
    from scipy.special import betaincinv

    return float(betaincinv(hits, trials - hits + 1, tail)) if hits else 0.0


def _high(hits: int, trials: int, tail: float) -> float:
    from scipy.special import betaincinv

    # by symmetry the distance from one, which keeps its digits where hits are frequent
    return 1.0 - float(betaincinv(trials - hits, hits + 1, tail)) if hits < trials else 1.0
