"""How many items (or groups) were won, lost and tied, where an item says that by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from exactperm.effects import Effects
    from exactperm.metrics.base import Metric

__all__ = ["record"]


def record(effects: Effects, metric: Metric) -> tuple[int, int, int] | None:
    """On how many groups A is better, worse, neither: where one sum differs, and the metric is monotone in it."""
    metric = metric.form(effects.names)
    differing = np.flatnonzero((effects.values != 0).any(axis=0))
    if differing.size == 0:
        return 0, 0, effects.n_groups
    sign = 1 if metric.additive else metric.increasing.get(metric.sums[differing[0]], 0)
    if differing.size > 1 or sign == 0:
        return None
    more, fewer = int(effects.n_plus.sum()), int(effects.n_minus.sum())
    better = (sign > 0) == metric.higher_is_better
    return (more, fewer, effects.n_tied) if better else (fewer, more, effects.n_tied)
