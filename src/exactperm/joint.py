"""Several systems by several metrics as what joint permutation takes, see `exactperm.inference.max_t`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from exactperm.engines.base import Options
from exactperm.inference.max_t import DEFAULT_RESAMPLES, Measure, StepDown, step_down
from exactperm.metrics.comparison import values
from exactperm.metrics.tails import looks_up
from exactperm.systems import Systems

__all__ = ["permuted_jointly"]


def permuted_jointly(data: list[Systems], couples: list[tuple[str, str]], alternative: str, asked: Options) -> StepDown:
    """Adjusted p-values by permuting the systems of each item, by all metrics at once, on the items that all have."""
    names = sorted(data[0].names)  # the order they came in does not matter
    masks = [mask for each in data if (mask := each.missing()) is not None]
    lost = np.logical_or.reduce(masks) if masks else None
    return step_down(
        [_measure(each, names, lost, alternative) for each in data],
        [(names.index(a), names.index(b)) for a, b in couples],
        asked.n_resamples or DEFAULT_RESAMPLES,
        asked.rng,
        asked.confidence_level,
    )


def _measure(data: Systems, names: list[str], lost: Any, alternative: str) -> Measure:
    metric = data.metric
    if metric.h is not None:
        raise ValueError(
            f"correction='max-t' needs a value of each system, and metric {metric.name!r} has a statistic h of two; "
            "use 'holm'"
        )
    sums = np.stack([data.sums(name, lost) for name in names], axis=1).astype(np.float64)
    side = 0 if alternative == "two-sided" else 1 if looks_up(alternative, metric.higher_is_better) else -1
    return Measure(sums, None if metric.additive else partial(values, metric), side)
