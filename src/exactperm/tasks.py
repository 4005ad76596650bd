"""A macro average over tasks: several test sets, each with its own weight, as one exact or bracketed test.

With weights w_t that add up to one the statistic is

    sum_t w_t (mean of A on task t - mean of B on task t) = (1/N) sum over items of f_t d,    f_t = w_t N / N_t,

where task t has N_t of all N items. So it is a mean over all items whose effects are the differences d times a factor
of their task. The factors are fractions, and become part of the unit of the effects: the tasks then merge like any
effects, by the least common multiple of their units, in integers of any size. Which engine answers depends on how
large they get; where no exact one can, the bracket gives two proven bounds. Nothing is sampled, and no tie is decided
on floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactperm import metrics
from exactperm.answers import results_of
from exactperm.api import engine_options, problem_of
from exactperm.effects import Effects
from exactperm.grid import as_written
from exactperm.inference.margin import as_margin
from exactperm.result import Problem, TestResult

if TYPE_CHECKING:
    from exactperm.sources import Scores

__all__ = ["macro_test"]


def macro_test(
    tasks: Mapping[str, tuple[Any, Any] | Effects | Scores],
    *,
    weights: Mapping[str, Any] | None = None,
    metric: str | metrics.Metric | None = None,
    alternative: metrics.Alternative = "two-sided",
    margin: Any = None,
    groups: Mapping[str, Any] | None = None,
    nan_policy: str = "raise",
    method: str = "auto",
    tolerance: float | None = None,
    grid: Any = "auto",
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> TestResult:
    """Test whether system A differs from system B in the weighted average of several tasks.

    Under the null hypothesis the two outputs of every item of every task could have been exchanged. The statistic is
    the weighted mean of the tasks' mean differences, however many items each task has.

    Parameters
    ----------
    tasks
        For each task the scores of both systems, ``{"qa": (a, b), "math": (a, b)}``, as `paired_test` takes them; or
        `Effects`, or what `exactperm.read` found in the files of two systems.
    weights
        A positive number for each task, of which only the proportions count; by default all tasks count alike.
    metric
        The name of a mean, or a `Metric` that is one, for all tasks. By default as in `paired_test`.
    groups
        For any of the tasks one label per item: the items of a group are swapped together.
    alternative, margin, nan_policy, method, tolerance, grid, n_resamples, confidence_level, rng
        As for `paired_test`. The margin is one of the average.

    Returns
    -------
    TestResult
        Its `scores` are the two averages; an interval by inversion shifts all tasks by the same amount.

    Examples
    --------
    >>> from exactperm import macro_test
    >>> qa = [1, 1, 1, 0, 1, 1], [0, 1, 0, 0, 1, 0]
    >>> math = [40, 55, 70], [35, 55, 60]
    >>> result = macro_test({"qa": qa, "math": math}, weights={"qa": 100, "math": 1})
    >>> result.statistic, result.as_fraction()
    (0.5445544554455446, Fraction(1, 16))
    """
    options = engine_options(tolerance, n_resamples, confidence_level, rng, None, method)
    _check_names(tasks, weights, groups)
    problems = {
        name: _problem(name, data, metric, alternative, (groups or {}).get(name), nan_policy, grid)
        for name, data in tasks.items()
    }
    [result] = results_of(
        [_average(problems, _shares(tasks, weights), as_margin(margin, alternative))], method, options
    )
    return result


def _check_names(tasks: Any, weights: Any, groups: Any) -> None:
    """Refuse what is no mapping of tasks, and weights and groups of others."""
    if not isinstance(tasks, Mapping):
        raise TypeError(f'tasks must be a mapping, {{"task": (a, b), ...}}, not a {type(tasks).__name__}')
    if not tasks:
        raise ValueError('tasks is empty; give one task or more, {"task": (a, b), ...}')
    for argument, given in (("weights", weights), ("groups", groups)):
        if given is None:
            continue
        if not isinstance(given, Mapping):
            raise TypeError(f"{argument} must be a mapping from the names of tasks, not a {type(given).__name__}")
        if unknown := [name for name in given if name not in tasks]:
            raise ValueError(
                f"{argument} names {unknown[0]!r}, which is no task; they are {', '.join(map(str, tasks))}"
            )


def _shares(tasks: Mapping[str, Any], weights: Mapping[str, Any] | None) -> dict[str, Fraction]:
    """Weights that add up to one."""
    if weights is None:
        return dict.fromkeys(tasks, Fraction(1, len(tasks)))
    if lacking := [name for name in tasks if name not in weights]:
        raise ValueError(f"weights lacks one for {lacking[0]!r}; every task needs one")
    exact = {}
    for name in tasks:
        weight = as_written(weights[name])
        if weight is None or weight <= 0:
            raise ValueError(
                f"weights[{name!r}] must be a positive number, not {weights[name]!r}; else leave the task out"
            )
        exact[name] = weight
    whole = sum(exact.values())
    return {name: weight / whole for name, weight in exact.items()}


def _problem(name: str, data: Any, *asked: Any) -> Problem:
    """The test of a single task, checked; an error says which task it is about."""
    pair = data if isinstance(data, tuple | list) else (data, None)
    if len(pair) != 2:
        raise ValueError(f"tasks[{name!r}] must be a pair (a, b) of the two systems, not {len(pair)} things")
    try:
        problem = problem_of(*pair, *asked)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"tasks[{name!r}]: {error}") from error
    form = problem.metric.form(problem.effects.names)
    if not form.additive:
        raise ValueError(
            f"macro_test averages means, and metric {form.name!r} is none; give one score per item, or test each task "
            "by itself with paired_test"
        )
    if not problem.effects.n_items:
        raise ValueError(f"tasks[{name!r}] has no items, so that it has no mean; leave the task out")
    return problem


def _average(problems: dict[str, Problem], shares: dict[str, Fraction], margin: Fraction | None) -> Problem:
    """All tasks as one mean over all items."""
    first = next(iter(problems.values()))
    kinds = {(p.metric.name, p.metric.scale, p.metric.higher_is_better) for p in problems.values()}
    if len(kinds) > 1:
        named = ", ".join(sorted({kind[0] for kind in kinds}))
        raise ValueError(f"the tasks are measured by different metrics, {named}; name one in metric=")
    n_items = sum(problem.effects.n_items for problem in problems.values())
    factors = [shares[name] * n_items / problem.effects.n_items for name, problem in problems.items()]
    effects = [
        replace(p.effects, names=("score",), unit=p.effects.unit * f)
        for f, p in zip(factors, problems.values(), strict=True)
    ]
    return Problem(
        sum(effects[1:], effects[0]),
        first.metric.renamed(f"{first.metric.name} over tasks"),
        first.alternative,
        margin=margin,
        tasks=tuple(zip(factors, problems.values(), strict=True)),
    )
