"""Monte Carlo: random assignments, counted honestly.

With c of K random points in the region, ties included because the region decides them exactly,

    p = (c + 1) / (K + 1),

which is a valid p-value and never zero (Phipson and Smyth 2010), with the exact interval of Clopper
and Pearson for the probability itself. Where `max_hits` is asked for, sampling stops at h hits;
then p = h / k, k the samples drawn, is valid too (Besag and Clifford 1991) and the interval is the
exact one for that rule.

Cost: see `sampling`, plus the region's own. It never fails, but its width shrinks only as 1 /
sqrt(K).
"""

from __future__ import annotations

import numpy as np

from exactperm.engines.base import Engine, Options, Question, Tail
from exactperm.engines.clopper_pearson import clopper_pearson, clopper_pearson_stopped
from exactperm.engines.sampling import (
    Sampler,
    batches,
    generator,
    inside,
    log,
    resamples,
    sampling_cost,
)
from exactperm.integers import whole

__all__ = ["MonteCarlo"]


class MonteCarlo(Engine):
    """Plain random assignments; answers every question."""

    name = "monte-carlo"
    exact = False

    def obstacle(self, question: Question) -> str | None:  # noqa: ARG002 - part of the interface
        """None: everything can be sampled."""
        return None

    def cost(self, question: Question) -> float:
        """Seconds, without the region's own."""
        return sampling_cost(question)

    def answer(self, question: Question) -> Tail:
        """Sample and count."""
        options = question.options
        rng, details = generator(options.rng)
        most = _max_hits(options)
        hits, drawn = _count(question, rng, resamples(options), most)
        if hits == most:
            estimate = hits / drawn
            low, high = clopper_pearson_stopped(hits, drawn, options.confidence_level)
        else:
            estimate = (hits + 1) / (drawn + 1)
            low, high = clopper_pearson(hits, drawn, options.confidence_level)
        details |= {"n_resamples": drawn, "hits": hits}
        if most is not None:
            details["max_hits"] = most
        # the estimate errs upwards, at low confidence levels past the interval
        return Tail(log(low), log(estimate), log(max(high, estimate)), details, options.confidence_level)


def _max_hits(options: Options) -> int | None:
    if options.max_hits is None:
        return None
    number = whole(options.max_hits, "max_hits")
    if number < 1:
        raise ValueError(f"max_hits must be at least 1; got {number}")
    return number


def _count(question: Question, rng: np.random.Generator, size: int, most: int | None) -> tuple[int, int]:
    """Samples in the region and samples drawn, up to the last hit that is wanted."""
    sampler = Sampler(question.lattice.steps, question.lattice.counts)
    hits = drawn = 0
    for batch in batches(size, sampler.rank):
        found = inside(question, sampler.fair(rng, batch))
        number = int(np.count_nonzero(found))
        if most is not None and hits + number >= most:
            last = int(np.flatnonzero(found)[most - hits - 1])
            return most, drawn + last + 1
        hits, drawn = hits + number, drawn + batch
    return hits, drawn
