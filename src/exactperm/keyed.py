"""Many tests at once: a data frame with a key (language, task), one group-by, then a test for each key.

The counting is one query where the data are (`exactperm.sources.frames`); tests go to the engines a block at a time.
Cost: a pass over the rows, then well under a millisecond for each key. Memory: the results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from exactperm import metrics
from exactperm.answers import results_of
from exactperm.api import engine_options, problems_of
from exactperm.inference.multiplicity import method_name
from exactperm.pair import adjusted_pairs, frame_of, row
from exactperm.result import TestResult
from exactperm.sources.frames import effects_by_key
from exactperm.systems import frame_library

__all__ = ["paired_tests"]

T = TypeVar("T")
#: tests that are put to the engines together
BLOCK = 1024


def paired_tests(
    frame: Any,
    *,
    by: str | Sequence[str],
    a: str | Mapping[str, str],
    b: str | Mapping[str, str],
    group: str | None = None,
    weight: str | None = None,
    metric: str | metrics.Metric = "mean",
    alternative: metrics.Alternative = "two-sided",
    correction: str | None = "holm",
    alpha: float = 0.05,
    nan_policy: str = "raise",
    method: str = "auto",
    tolerance: float | None = None,
    grid: Any = "auto",
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> Any:
    """Test two systems apart for every key of a data frame of any library and size.

    Parameters
    ----------
    frame, a, b, group, weight, nan_policy, grid
        As for `Effects.from_frame`.
    by
        The column, or columns, whose values tell the tests apart.
    metric, alternative, method, tolerance, n_resamples, confidence_level, rng
        As for `paired_test`, for each test.
    correction, alpha
        As for `compare`: p-values are adjusted for the number of keys.

    Returns
    -------
    A data frame with a row for each key, in the library of `frame` if that holds data, else in the first installed. The
    columns are those of `by`, and those of `Comparison.to_frame`.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"lang": ["de"] * 6 + ["fr"] * 4, "x": [3, 5, 2, 4, 6, 3, 1, 2, 2, 1], "y": [1] * 10})
    >>> paired_tests(frame, by="lang", a="x", b="y").select("lang", "n_items", "pvalue").rows()
    [('de', 6, 0.03125), ('fr', 4, 0.5)]
    """
    keys = (by,) if isinstance(by, str) else tuple(by)
    if not keys:
        raise ValueError("by names no column; name one or more, or use paired_test for one test")
    correction = method_name(correction)
    chosen, options = metrics.get(metric), engine_options(tolerance, n_resamples, confidence_level, rng)
    found = effects_by_key(frame, keys, a, b, group=group, weight=weight, nan_policy=nan_policy, grid=grid)
    values: list[tuple[Any, ...]] = []
    results: list[TestResult] = []
    for block in _blocks(found, BLOCK):  # warnings count the frames up to the caller
        values += [key for key, _ in block]
        results += results_of(problems_of([effects for _, effects in block], chosen, alternative), method, options)
    systems = (a, b) if isinstance(a, str) and isinstance(b, str) else ("A", "B")
    pairs = adjusted_pairs([systems] * len(results), results, correction, alpha)
    rows = [{**dict(zip(keys, key, strict=True)), **row(pair)} for key, pair in zip(values, pairs, strict=True)]
    if len(rows[0]) < len(keys) + len(row(pairs[0])):
        twice = next(key for key in keys if key in row(pairs[0]))
        raise ValueError(f"by={twice!r} is also a column of the results; rename it in the frame")
    return frame_of(rows, frame_library(frame))


def _blocks(things: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(things)
    while block := list(islice(rest, size)):
        yield block
