"""Importance sampling with tilted coins, for probabilities far below one over the sample size.

Coins e_j = 1 / (1 + exp(-theta . y_j)) move the mean of X to the boundary of the region. With the
weight w(x) = exp(K(theta) - theta . x), K(theta) = sum_j c_j log((1 + exp(theta . y_j)) / 2),

    P(R) = E_theta w(X) 1{X in R},       estimated by (w* + sum_i w(x_i) 1{x_i in R}) / (k + 1),

w* the weight of the observed point, so that it is never zero (after Harrison 2012). It is an
estimate: the tilt depends on the data, and what is proven is the upper end of the interval.

An average of weights has an honest interval only where they are bounded by a proven M. In one
dimension they are: x >= a on the region gives w(x) <= M = exp(K - theta a). A sample is then kept
with probability w / M; what is kept is binomial with P(R) / M, and Clopper and Pearson's interval
applies. In more dimensions nothing is proven, and the interval is [2^-n, 1]: an estimate without an
error.

Cost: one binomial or uniform number for each distinct step and sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import Engine, Question, Tail
from exactperm.engines.clopper_pearson import clopper_pearson
from exactperm.engines.sampling import Sampler, batches, floor, generator, log, resamples
from exactperm.engines.tilt import Coins, Tilt
from exactperm.region import Region, Runs

__all__ = ["Importance"]

Floats = NDArray[np.float64]
LOG_2 = math.log(2.0)


class Importance(Engine):
    """Tilted coins, with an interval where the weights are bounded by theorem."""

    name = "importance"
    exact = False

    def obstacle(self, question: Question) -> str | None:
        """In one dimension integers of ordinary size are needed, in more a guide for the tilt."""
        lattice, region = question.lattice, question.region
        if isinstance(region, Region):
            if region.value is None:
                return "the statistic gives no real value from which to find a tilt; method='monte-carlo' would do"
            return None
        if lattice.steps.dtype == object or (lattice.rank and lattice.span[0] >= 2**62):
            return "the effects add up to more than 2^62; method='monte-carlo' would do"
        return None

    def cost(self, question: Question) -> float:
        """Seconds, without the region's own."""
        return resamples(question.options) * (1e-6 + 2e-8 * len(question.lattice.counts))

    def answer(self, question: Question) -> Tail:
        """Estimate, with an interval in one dimension."""
        region = question.region
        if isinstance(region, Runs):
            return _on_a_line(question, region)
        return _in_space(question, region)


# -- one dimension: bounded weights
# ----------------------------------------------------------------------------


def _on_a_line(question: Question, region: Runs) -> Tail:
    """Keep each tilted sample with probability w / M, count what is kept."""
    lattice, level = question.lattice, question.options.confidence_level
    rng, details = generator(question.options.rng)
    span = lattice.span[0] if lattice.rank else 0
    runs, sides = _fold(region, span)
    if not runs:
        return Tail(-math.inf, -math.inf, -math.inf, {"n_resamples": 0}, level)
    start = min(low for low, _ in runs)
    # M is the weight at the start, times the two sides that were folded together, times two for the
    # mirror image
    log_bound = math.log(sides) + (LOG_2 if region.mirrored else 0.0)
    if start == span and span:
        # one assignment for each side: a closed form of three roundings
        exact = min(log_bound - lattice.n * LOG_2, 0.0)
        slack = 4 * math.ulp(exact)
        return Tail(exact - slack, exact, min(exact + slack, 0.0), {"n_resamples": 0}, level)
    tau, chances, exponent, error = _tilt(question, start)
    log_bound += exponent
    score, kept, drawn = 0.0, 0, resamples(question.options)
    sampler = Sampler(lattice.steps, lattice.counts)
    for batch in batches(drawn, 1):
        points = sampler.tilted(rng, batch, chances)
        x = points[:, 0] if lattice.rank else np.zeros(batch, dtype=np.int64)
        hit = np.zeros(batch)
        for low, high in runs:
            hit += (x >= low) & (x <= high)
        weight = hit / sides * np.exp(-tau * np.maximum(x - start, 0))
        score += math.fsum(weight)
        kept += int(np.count_nonzero(rng.random(batch) < weight))
    part = clopper_pearson(kept, drawn, level)
    log_low = max(log_bound + log(part[0]) - error, floor(question))
    log_high = min(log_bound + log(part[1]) + error, 0.0)
    estimate = min(max(log_bound + math.log((1 + score) / (drawn + 1)), log_low), log_high)
    return Tail(log_low, estimate, log_high, details | {"n_resamples": drawn, "kept": kept}, level)


def _fold(region: Runs, span: int) -> tuple[list[tuple[int, int]], int]:
    """The runs with those below the middle reflected, and how many sides there were.

    The law is symmetric, so the sum of the probabilities stays. Where a run contains the middle
    there is nothing to tilt to, and all stay as they are.
    """
    runs = [(max(low, 0), min(high, span)) for low, high in region.intervals if low <= span and high >= 0]
    if any(2 * low <= span <= 2 * high for low, high in runs):
        return runs, 1
    below = [(span - high, span - low) for low, high in runs if 2 * high < span]
    above = [(low, high) for low, high in runs if 2 * low > span]
    return above + below, 2 if above and below else 1


def _tilt(question: Question, start: int) -> tuple[float, Floats, float, float]:
    """Theta, the chances of the coins, K - theta start, and the rounding error of that."""
    lattice = question.lattice
    if not lattice.rank or 2 * start <= lattice.span[0]:
        return 0.0, np.full(len(lattice.counts), 0.5), 0.0, 0.0
    steps = lattice.steps[:, 0].astype(np.int64)
    tilt = Tilt.to_thresholds(Coins.of([(steps, lattice.counts)], [start]))
    return float(tilt.tau[0]), tilt.p, float(tilt.exponent[0]), float(tilt.exponent_error[0])


# -- more dimensions: an estimate
# ------------------------------------------------------------------------------


def _in_space(question: Question, region: Region) -> Tail:
    """Average the weights of the samples that fall in the region, the observed point among them."""
    lattice = question.lattice
    rng, details = generator(question.options.rng)
    theta = _towards(lattice.steps.astype(np.float64), lattice.counts, region)
    tilt = lattice.steps.astype(np.float64) @ theta
    chances = _sigmoid(tilt)
    mean = lattice.steps.astype(np.float64).T @ (lattice.counts * chances)
    # K - theta . m = -sum of the relative entropies of the coins
    exponent = math.fsum(lattice.counts * (np.logaddexp(0.0, tilt) - LOG_2 - tilt * chances))

    def log_weights(points: NDArray[np.generic]) -> Floats:
        found = np.asarray(region.contains(points), dtype=np.bool_)
        return exponent - (points[found].astype(np.float64) - mean) @ theta

    sampler, drawn = Sampler(lattice.steps, lattice.counts), resamples(question.options)
    own = _observed(question)
    parts = [log_weights(own[:1])]
    if not parts[0].size and region.mirrored:
        parts = [log_weights(own[1:])]
    for batch in batches(drawn, lattice.rank):
        parts.append(log_weights(sampler.tilted(rng, batch, chances)))
    total = np.concatenate(parts)
    least = floor(question)
    estimate = float(np.logaddexp.reduce(total)) - math.log(drawn + 1) + (LOG_2 if region.mirrored else 0.0)
    details |= {"n_resamples": drawn, "interval": "none: the weights have no proven bound"}
    return Tail(least, min(max(estimate, least), 0.0), 0.0, details, question.options.confidence_level)


def _observed(question: Question) -> NDArray[np.generic]:
    """The observed point and its mirror image, as two rows."""
    dtype = object if question.lattice.steps.dtype == object else np.int64
    observed = np.array([question.lattice.observed], dtype=dtype)
    return np.concatenate([observed, np.array(question.lattice.span, dtype=dtype) - observed])


def _sigmoid(x: Floats) -> Floats:
    return np.exp(-np.logaddexp(0.0, -x))


def _towards(steps: Floats, counts: NDArray[np.int64], region: Region) -> Floats:
    """A tilt along the gradient with its mean on the boundary; zero if the middle is in the region.

    At the dominating point of a smooth region theta is parallel to the gradient (Sadowsky and
    Bucklew 1990); a theta that is off costs precision only.
    """
    value = region.value
    theta = np.zeros(steps.shape[1])
    if value is None or not theta.size:
        return theta

    def mean(theta: Floats) -> Floats:
        return steps.T @ (counts * _sigmoid(steps @ theta))

    offsets = np.sqrt(steps.T**2 @ counts) / 200
    for _ in range(4):
        here = mean(theta)
        nearby = np.diag(offsets)
        gradient = (value(here + nearby) - value(here - nearby)) / (2 * offsets)
        size = math.sqrt(float(counts @ (steps @ gradient) ** 2)) / 2
        if not math.isfinite(size) or size == 0:
            return theta
        theta = _first_crossing(lambda way: float(value(mean(way)[None])[0]), gradient / size)
    return theta


def _first_crossing(height: Callable[[Floats], float], way: Floats) -> Floats:
    """The multiple of `way` where the height reaches zero, by doubling and halving; 0 if none."""
    near, far = 0.0, 1 / 64
    if height(near * way) >= 0:
        return near * way
    while not height(far * way) >= 0:
        near, far = far, 2 * far
        if far > 64:
            return np.zeros_like(way)
    for _ in range(30):
        middle = (near + far) / 2
        near, far = (near, middle) if height(middle * way) >= 0 else (middle, far)
    return far * way
