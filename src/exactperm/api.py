"""The friendly layer: check what came, count effects, ask an engine, word the result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm import inputs, metrics
from exactperm.answers import batch_of, results_of
from exactperm.effects import Effects
from exactperm.engines.base import Options
from exactperm.inference.margin import as_margin
from exactperm.items import Items
from exactperm.result import Problem, TestResult

__all__ = ["effects_of_scores", "engine_options", "paired_test", "problem_of", "problems_of"]


def paired_test(
    a: Any,
    b: Any = None,
    *,
    metric: str | metrics.Metric | None = None,
    alternative: metrics.Alternative = "two-sided",
    margin: Any = None,
    groups: Any = None,
    axis: int = -1,
    nan_policy: str = "raise",
    method: str = "auto",
    tolerance: float | None = None,
    grid: Any = "auto",
    n_resamples: int | None = None,
    max_hits: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> TestResult:
    """Test whether system A differs from system B on the same items, exactly.

    Under the null hypothesis the two outputs of an item could have been exchanged. The p-value is the probability that
    exchanging each pair by the toss of a coin gives a statistic at least as extreme as the one observed.

    Parameters
    ----------
    a, b
        One score per item for each system: integers, booleans or floats; or the counts a metric is made of, as a
        mapping such as ``{"tp": ..., "fp": ..., "fn": ...}`` or an array (items, k). Or an `Effects` alone, or what
        `exactperm.read` found in files of two systems.
    metric
        A name, see `exactperm.metrics.names`, or a `Metric`. By default "mean", and the first metric of files.
    alternative
        "two-sided", "greater" (A is better) or "less" (A is worse).
    margin
        For means, a positive number in units of the statistic. "greater" then tests that A is not worse than B by so
        much or more (non-inferiority), "less" that it is not better, and "two-sided" both: that they are equivalent.
        0.1 is a tenth; fractions and decimals are exact. Items are moved as in the interval by inversion.
    groups
        One label per item; the items of a group (a document, a prompt) are swapped together.
    axis
        The axis of the items where there are several; every other one is a batch of tests.
    nan_policy
        "raise", or "omit" to drop pairs with a missing value.
    method
        "auto", "exact" (any exact engine or an error), or an engine by name, see `exactperm.engines.auto`.
    tolerance
        For method "bracket": the half-width of `pvalue_interval` to reach, relative to `pvalue`.
    grid
        For real scores: "auto" finds the decimals or fractions they lie on, a number is the step, None forbids it.
    n_resamples, confidence_level, rng
        For samplers: their number, the level of the interval, and the generator or its seed.
    max_hits
        For method "monte-carlo": stop as soon as so many samples are at least as extreme as the data. p-value and
        interval allow for the rule, so that both hold.

    Returns
    -------
    TestResult
        With `statistic`, `pvalue`, `pvalue_interval` and more; ``statistic, pvalue = paired_test(a, b)`` works.

    Examples
    --------
    >>> from exactperm import paired_test
    >>> a = [12, 9, 15, 11, 8, 14, 10, 13]
    >>> b = [11, 9, 12, 10, 8, 11, 9, 12]
    >>> result = paired_test(a, b)
    >>> result.pvalue, result.as_fraction()
    (0.03125, Fraction(1, 32))
    """
    options = engine_options(tolerance, n_resamples, confidence_level, rng, max_hits, method)
    chosen, tests, shape, items = _gathered(a, b, metric, groups, axis, nan_policy, grid)
    results = results_of(problems_of(tests, chosen, alternative, items, margin), method, options)
    return results[0] if shape == () else batch_of(results, shape)


def problems_of(
    tests: Sequence[Effects],
    metric: metrics.Metric,
    alternative: metrics.Alternative,
    items: Sequence[Items | None] | None = None,
    margin: Any = None,
) -> list[Problem]:
    """Tests by one metric; `items` are those behind each, where there are any."""
    exact, behind = as_margin(margin, alternative), [None] * len(tests) if items is None else items
    return [Problem(effects, metric, alternative, each, exact) for effects, each in zip(tests, behind, strict=True)]


def problem_of(
    a: Any,
    b: Any,
    metric: str | metrics.Metric | None,
    alternative: metrics.Alternative,
    groups: Any,
    nan_policy: str,
    grid: Any,
) -> Problem:
    """What `paired_test` would be asked, for one test; everything is checked and nothing is answered."""
    chosen, tests, shape, items = _gathered(a, b, metric, groups, -1, nan_policy, grid)
    if shape != ():
        raise ValueError(f"a and b must be one comparison, not a batch of shape {shape}")
    return Problem(tests[0], chosen, alternative, None if items is None else items[0])


def _gathered(
    a: Any, b: Any, metric: str | metrics.Metric | None, groups: Any, axis: int, nan_policy: str, grid: Any
) -> tuple[metrics.Metric, list[Effects], Shape, Sequence[Items | None] | None]:
    """Whatever came: the metric, the effects of each test of a batch, its shape, and the items behind them."""
    if b is None and not isinstance(a, Effects):
        return _of_files(a, metric, groups, nan_policy, grid)
    chosen = metrics.get("mean" if metric is None else metric)
    if isinstance(a, Effects):
        if b is not None or groups is not None:
            raise TypeError("an Effects holds both systems and their groups: give it alone")
        return chosen, [a], (), None
    return chosen, *_count(a, b, chosen, groups, axis, nan_policy, grid)


def _of_files(
    scores: Any, metric: str | metrics.Metric | None, groups: Any, nan_policy: str, grid: Any
) -> tuple[metrics.Metric, list[Effects], Shape, Sequence[Items | None] | None]:
    """The two systems that were read from files."""
    from exactperm.sources.scores import Scores
    from exactperm.systems import gather

    if not isinstance(scores, Scores):
        raise TypeError(
            "b is missing: it takes the scores of two systems, an Effects, or what read returns; for a data frame with "
            "a column for each system use compare"
        )
    if len(scores.systems) != 2:
        raise ValueError(
            f"paired_test is about two systems; these files are about {len(scores.systems)}, "
            f"{', '.join(scores.systems)}: use compare, or pick two of them, read(..., a=, b=)"
        )
    data, (a, b) = gather(scores, None, metric, groups, nan_policy, grid, {}), scores.systems
    return data.metric, [data.effects(a, b)], (), [data.items(a, b)]


def engine_options(
    tolerance: Any, n_resamples: Any, level: Any, rng: Any, max_hits: Any = None, method: str = "auto"
) -> Options:
    """What engines are told, checked."""
    if not isinstance(level, float | int) or not 0 < level < 1:
        raise ValueError(f"confidence_level must be a number between 0 and 1, not {level!r}")
    if tolerance is not None and not _positive(tolerance):
        raise ValueError(
            "tolerance must be a positive number, the half-width of pvalue_interval relative to pvalue, such as 1e-4; "
            f"got {tolerance!r}"
        )
    for name, number in (("n_resamples", n_resamples), ("max_hits", max_hits)):
        if number is not None and (not _is_whole(number) or number < 1):
            raise ValueError(f"{name} must be a positive integer, not {number!r}")
    _check_rng(rng)
    if max_hits is not None and method != "monte-carlo":
        raise ValueError(f'max_hits is for method="monte-carlo", which can stop early; method={method!r} does not')
    tolerance = None if tolerance is None else float(tolerance)
    return Options(tolerance=tolerance, n_resamples=n_resamples, max_hits=max_hits, confidence_level=level, rng=rng)


def _check_rng(rng: Any) -> None:
    """Whether or not it comes to sampling: what NumPy takes for a seed or a generator."""
    if rng is None:
        return
    try:
        np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ValueError(
            f"rng must be a non-negative integer, a numpy.random.Generator, or None for a fresh seed; got {rng!r:.60}"
        ) from None


def _positive(x: Any) -> bool:
    """Whether this is a number above zero, and finite."""
    try:
        return not isinstance(x, bool) and 0.0 < float(x) < math.inf
    except (TypeError, ValueError):
        return False


def _is_whole(x: Any) -> bool:
    return isinstance(x, Integral) and not isinstance(x, bool)


# -- from what came to effects ---------------------------------------------------------------------------------

Shape = tuple[int, ...]


def _count(
    a: Any, b: Any, metric: metrics.Metric, groups: Any, axis: int, nan_policy: str, grid: Any
) -> tuple[list[Effects], Shape, list[Items] | None]:
    """The effects of each test of a batch, the shape of the batch, and the items where they may be asked for."""
    if metric.additive and not isinstance(a, Mapping):
        return _count_scores(a, b, groups, axis, nan_policy, grid)
    if _are_one_test(a):
        labels = None if groups is None else inputs.labels(groups, "groups", _items(a))
        form, counts_a, counts_b = metric.read(a, b)
        effects = Effects.from_sums(counts_a, counts_b, form.sums, labels)
        return [effects], (), [Items(counts_a, counts_b, labels)]
    first, second = np.asarray(a), np.asarray(b)
    _check_same_shape(first, second)
    rows, others, shape = _rows(first, axis, 1), _rows(second, axis, 1), _batch_shape(first, axis, 1)
    labels = None if groups is None else inputs.labels(groups, "groups", rows.shape[1])
    return [metric.effects(x, y, labels) for x, y in zip(rows, others, strict=True)], shape, None


def _are_one_test(counts: Any) -> bool:
    """Whether there is no axis but items and sums; lists of unequal lengths are refused where they are read."""
    try:
        return isinstance(counts, Mapping) or np.ndim(counts) <= 2
    except ValueError:
        return True


def _items(counts: Any) -> int:
    """The number of items of a mapping or an array of counts."""
    return len(next(iter(counts.values()), ())) if isinstance(counts, Mapping) else len(counts)


def _count_scores(
    a: Any, b: Any, groups: Any, axis: int, nan_policy: str, grid: Any
) -> tuple[list[Effects], Shape, list[Items] | None]:
    """One number per item."""
    inputs.check_index(a, b)
    first, lost_a = inputs.numbers(a, "a")
    second, lost_b = inputs.numbers(b, "b")
    _check_same_shape(first, second)
    lost = inputs.missing([lost_a, lost_b], ["a", "b"], nan_policy)
    if first.ndim == 1:
        _axis(first, axis, 0)  # checks it
        labels = None if groups is None else inputs.labels(groups, "groups", first.size)
        return [effects_of_scores(first, second, labels, lost, grid)], (), [Items(first, second, labels, lost)]
    if first.ndim == 2 and first.shape[1] == 1 < len(first) and axis == -1:
        raise ValueError(
            f"a and b of shape {first.shape} are {len(first)} tests of one item each; for one test give a.ravel() and "
            "b.ravel(), or axis=1 if one item each is what is meant"
        )
    rows, others = _rows(first, axis, 0), _rows(second, axis, 0)
    shape = _batch_shape(first, axis, 0)
    if groups is None and lost is None and inputs.is_whole(rows) and inputs.is_whole(others):
        return Effects.from_score_rows(rows, others), shape, None
    gone = None if lost is None else _rows(lost, axis, 0)
    labels = None if groups is None else inputs.labels(groups, "groups", rows.shape[1])
    items = [
        Items(x, y, labels, None if gone is None else gone[i])
        for i, (x, y) in enumerate(zip(rows, others, strict=True))
    ]
    return [effects_of_scores(each.a, each.b, labels, each.lost, grid) for each in items], shape, items


def _check_same_shape(a: NDArray[Any], b: NDArray[Any]) -> None:
    if a.ndim == 0 or a.shape != b.shape:
        raise ValueError(
            f"a and b must hold the same items in the same order; got {_sizes(a)} and {_sizes(b)} (nothing broadcasts)"
        )


def _sizes(x: NDArray[Any]) -> str:
    return f"{x.size} scores" if x.ndim == 1 else f"shape {x.shape}"


def _rows(x: NDArray[Any], axis: int, last: int) -> NDArray[Any]:
    """A batch as one axis of tests, then the items, then the sums if there are `last` axes of them."""
    moved = np.moveaxis(x, _axis(x, axis, last), x.ndim - 1 - last)
    tests = moved.shape[: x.ndim - 1 - last]
    return moved.reshape(math.prod(tests), *moved.shape[len(tests) :])  # -1 would not do for no items


def _batch_shape(x: NDArray[Any], axis: int, last: int) -> Shape:
    item = _axis(x, axis, last)
    return tuple(size for i, size in enumerate(x.shape[: x.ndim - last]) if i != item)


def _axis(x: NDArray[Any], axis: Any, last: int) -> int:
    """The axis of the items, counted among those that are not sums."""
    dimensions = x.ndim - last
    if not _is_whole(axis):
        raise TypeError(f"axis must be an integer, not {axis!r}")
    if not -dimensions <= axis < dimensions:
        allowed = (
            "0 or -1 for one-dimensional scores" if x.ndim == 1 else f"between {-dimensions} and {dimensions - 1} here"
        )
        raise ValueError(f"axis must be {allowed}, not {axis}")
    return int(axis % dimensions)


def effects_of_scores(
    a: NDArray[Any], b: NDArray[Any], groups: NDArray[Any] | None, lost: NDArray[np.bool_] | None, grid: Any
) -> Effects:
    """The effects of one number per item, without the items of the mask `lost`."""
    a, b = inputs.without(lost, a, b)
    if groups is not None:
        (groups,) = inputs.without(lost, groups)
    if inputs.is_whole(a) and inputs.is_whole(b) and (grid is None or (isinstance(grid, str) and grid == "auto")):
        return Effects.from_scores(a, b, groups)
    from exactperm.reals import effects_of_reals

    return effects_of_reals(a, b, groups, grid)
