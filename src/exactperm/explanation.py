"""What `compare` would do and why, without doing it: the engine for each pair, and what kept the others from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from exactperm import metrics
from exactperm.api import engine_options
from exactperm.comparison import couples_of
from exactperm.effects import Effects
from exactperm.engines.auto import weighed
from exactperm.engines.base import Options, Question
from exactperm.systems import gather

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """What would be done for one pair of systems.

    Attributes
    ----------
    a, b, metric
        What is compared.
    engine
        The engine that would be asked first; None if none can answer, or if p = 1 without any computation.
    exact
        Whether its only error is bounded rounding.
    seconds
        Its estimate of its time; only the order of magnitude counts.
    dimensions
        In how many dimensions the totals move under random exchange.
    n_groups, n_tied
        The units that are exchanged, and those of them whose exchange changes nothing.
    distinct
        How many different effects there are, up to sign.
    passed_over
        The engines that were asked before it, each with its reason.
    """

    a: str
    b: str
    metric: str
    engine: str | None
    exact: bool
    seconds: float
    dimensions: int
    n_groups: int
    n_tied: int
    distinct: int
    passed_over: tuple[tuple[str, str], ...]


def explain(
    systems: Any,
    *,
    y_true: Any = None,
    metric: Any = None,
    groups: Any = None,
    baseline: str | None = None,
    alternative: metrics.Alternative = "two-sided",
    nan_policy: str = "raise",
    method: str = "auto",
    tolerance: float | None = None,
    n_resamples: int | None = None,
    **options: Any,
) -> list[Explanation]:
    """Explain for each pair and metric which engine would run; the arguments are those of `compare`.

    Examples
    --------
    >>> [found] = explain({"A": [1, 2, 3, 5], "B": [0, 2, 2, 2]})
    >>> found.engine, found.dimensions, found.distinct
    ('meet-in-the-middle', 1, 2)
    """
    asked = engine_options(tolerance, n_resamples, 0.95, None)
    explanations = []
    for each in metric if isinstance(metric, list | tuple) else [metric]:
        data = gather(systems, y_true, each, groups, nan_policy, "auto", options)
        explanations += [
            _of_pair(a, b, data.effects(a, b), data.metric, alternative, method, asked)
            for a, b in couples_of(data.names, baseline)
        ]
    return explanations


def _of_pair(
    a: str,
    b: str,
    effects: Effects,
    metric: metrics.Metric,
    alternative: metrics.Alternative,
    method: str,
    options: Options,
) -> Explanation:
    lattice, region = metric.rejection_region(effects, alternative)
    chosen, passed_over = None, []
    question = None if region is None else Question(lattice, region, options)
    for engine, obstacle in () if question is None else weighed(question, method):
        if obstacle is None:
            chosen = engine
            break
        passed_over.append((engine.name, obstacle))
    return Explanation(
        a=a,
        b=b,
        metric=metric.name,
        engine=None if chosen is None else chosen.name,
        exact=chosen is None or chosen.exact,
        seconds=0.0 if chosen is None or question is None else chosen.cost(question),
        dimensions=lattice.rank,
        n_groups=effects.n_groups,
        n_tied=effects.n_tied,
        distinct=len(lattice.counts),
        passed_over=tuple(passed_over),
    )
