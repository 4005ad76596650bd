"""From effects to results: ask an engine for each, and word what it answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactperm import __version__
from exactperm.engines.auto import answer_all
from exactperm.engines.base import Options, Question, Tail
from exactperm.inference.margin import as_text
from exactperm.result import Interval, Problem, TestResult
from exactperm.signature import line_of, parts_of

__all__ = ["batch_of", "results_of"]

#: told how many of how many tests are done, by whoever shows progress
TESTED: ContextVar[Callable[[int, int], None] | None] = ContextVar("TESTED", default=None)
#: tests that are done between two reports; all at once share more work
AT_ONCE = 16
#: an elementary function within 4 ulp, and then some
OUTWARD = 2.0**-49


class _Answer(NamedTuple):
    """What an engine says of one side of a test."""

    tail: Tail
    method: str
    exact: bool


def results_of(problems: Sequence[Problem], method: str, options: Options) -> list[TestResult]:
    """Many tests, put to the engines together."""
    if any(len(problem.sides) > 1 for problem in problems):
        options = _for_two_sides(options)
    asked = [region for problem in problems for region in problem.regions()]
    open_ones = [i for i, (_, region) in enumerate(asked) if region is not None]
    questions = [Question(asked[i][0], asked[i][1], options) for i in open_ones]  # type: ignore[arg-type]
    answers = [_Answer(Tail(0.0, 0.0, 0.0), _certain(method), True)] * len(asked)
    tell = TESTED.get()
    step = AT_ONCE if tell else len(questions) or 1
    for start in range(0, len(questions) or 1, step):
        if tell:
            tell(start, len(questions))
        found = answer_all(questions[start : start + step], method)
        for i, (tail, engine) in zip(open_ones[start : start + step], found, strict=True):
            answers[i] = _Answer(tail, engine.name, engine.exact)
    in_order = iter(answers)
    return [_result(problem, _largest([next(in_order) for _ in problem.sides])) for problem in problems]


def _for_two_sides(options: Options) -> Options:
    """Samplers: half of what an interval may miss for each side, and one seed for both."""
    rng = np.random.SeedSequence().entropy if options.rng is None else options.rng
    return replace(options, confidence_level=(1 + options.confidence_level) / 2, rng=rng)


def _largest(sides: list[_Answer]) -> _Answer:
    """The largest p-value of all sides, and what is known of it."""
    if len(sides) == 1:
        return sides[0]
    worst, tails = max(sides, key=lambda side: side.tail.log_estimate), [side.tail for side in sides]
    counted = [tail.fraction for tail in tails if tail.fraction is not None]
    levels = [round(2 * tail.confidence - 1, 12) for tail in tails if tail.confidence is not None]
    tail = replace(
        worst.tail,
        log_low=max(tail.log_low for tail in tails),
        log_high=max(tail.log_high for tail in tails),
        fraction=max(counted) if len(counted) == len(tails) else None,
        confidence=min(levels, default=None),
    )
    return _Answer(tail, worst.method, all(side.exact for side in sides))


def _certain(method: str) -> str:
    """The method named for a test that needs no engine: every assignment is as extreme as the data."""
    return "enumeration" if method in ("auto", "exact") else method


def _result(problem: Problem, answer: _Answer) -> TestResult:
    effects, metric, alternative, tail = problem.effects, problem.metric, problem.alternative, answer.tail
    score_a, score_b, statistic = metric.scores(effects) if effects.n_items else (math.nan, math.nan, math.nan)
    pvalue = math.exp(tail.log_estimate) if tail.fraction is None else _nearest(tail.fraction)
    low, high = _outward(tail)
    return TestResult(
        statistic=statistic,
        pvalue=pvalue,
        log_pvalue=tail.log_estimate,
        pvalue_interval=Interval(min(low, pvalue), max(high, pvalue)),
        log_pvalue_interval=Interval(tail.log_low, tail.log_high),
        method=answer.method,
        exact=answer.exact,
        alternative=alternative,
        metric=metric.name,
        scores=(score_a, score_b),
        n_items=effects.n_items,
        n_groups=effects.n_groups,
        n_tied=effects.n_tied,
        min_pvalue=max(_smallest(moved.n_groups - moved.n_tied, side) for side, moved in problem.sides),
        signature=_signature(problem, answer),
        higher_is_better=metric.higher_is_better,
        margin=None if problem.margin is None else float(problem.margin),
        problem=problem,
    )


def _nearest(probability: Any) -> float:
    """The double nearest to a fraction, however long its integers."""
    return float(probability)


def _outward(tail: Tail) -> tuple[float, float]:
    """The bracket of the logarithm as one of the p-value, rounded outward: 0 .. 5e-324 where it underflows."""
    if tail.log_low == 0.0:
        return 1.0, 1.0
    low = math.exp(tail.log_low) * (1 - OUTWARD)
    high = math.exp(tail.log_high) * (1 + OUTWARD)
    return math.nextafter(low, 0.0), min(math.nextafter(high, 1.0), 1.0)


def _smallest(n: int, alternative: str) -> float:
    """The p-value if all n effects that are not zero went one way."""
    if n == 0:
        return 1.0
    return math.ldexp(1.0, 1 - n) if alternative == "two-sided" else math.ldexp(1.0, -n)


def _signature(problem: Problem, answer: _Answer) -> str:
    effects, tail = problem.effects, answer.tail
    parts: dict[str, Any] = {"metric": problem.metric.name, "alternative": problem.alternative}
    if problem.margin is not None:
        parts["margin"] = as_text(problem.margin)
    if problem.tasks:
        parts["tasks"] = len(problem.tasks)
        if len({factor * task.effects.n_items for factor, task in problem.tasks}) > 1:
            shares = (factor * task.effects.n_items / effects.n_items for factor, task in problem.tasks)
            parts["weights"] = ",".join(map(str, shares))
    parts |= {"method": answer.method, "items": effects.n_items}
    if effects.n_groups != effects.n_items:
        parts["groups"] = effects.n_groups
    parts["tied"] = effects.n_tied
    if effects.unit != 1 and not problem.tasks:
        parts["unit"] = _in_words(effects.unit)
    parts |= tail.details
    if tail.confidence is not None:
        parts["confidence"] = tail.confidence
    parts["exactperm"] = __version__
    return line_of(parts)


def _in_words(unit: Fraction) -> str:
    """1/10000 on a grid; 2^-61 for floats as they are, which are multiples of a power of two."""
    n, d = unit.numerator, unit.denominator
    power_of_two = n & (n - 1) == 0 and d & (d - 1) == 0
    return f"2^{n.bit_length() - d.bit_length()}" if power_of_two and max(n, d) > 2**20 else str(unit)


def batch_of(results: list[TestResult], shape: tuple[int, ...]) -> TestResult:
    """Many results as one whose numeric fields are arrays."""

    def stack(take: Callable[[TestResult], Any], dtype: Any = np.float64) -> NDArray[Any]:
        return np.array([take(r) for r in results], dtype=dtype).reshape(shape)

    if not results:
        raise ValueError(f"a batch of shape {shape} holds no test")
    first = results[0]
    margin = parts_of(first.signature).get("margin")
    methods = ",".join(sorted({r.method for r in results}))
    return TestResult(
        statistic=stack(lambda r: r.statistic),
        pvalue=stack(lambda r: r.pvalue),
        log_pvalue=stack(lambda r: r.log_pvalue),
        pvalue_interval=Interval(stack(lambda r: r.pvalue_interval.low), stack(lambda r: r.pvalue_interval.high)),
        log_pvalue_interval=Interval(
            stack(lambda r: r.log_pvalue_interval.low), stack(lambda r: r.log_pvalue_interval.high)
        ),
        method=methods,
        exact=all(r.exact for r in results),
        alternative=first.alternative,
        metric=first.metric,
        scores=(stack(lambda r: r.scores[0]), stack(lambda r: r.scores[1])),
        n_items=stack(lambda r: r.n_items, np.int64),
        n_groups=stack(lambda r: r.n_groups, np.int64),
        n_tied=stack(lambda r: r.n_tied, np.int64),
        min_pvalue=stack(lambda r: r.min_pvalue),
        signature=f"metric:{first.metric}|alternative:{first.alternative}"
        f"{'' if margin is None else f'|margin:{margin}'}|method:{methods}|tests:{len(results)}"
        f"|exactperm:{__version__}",
        higher_is_better=first.higher_is_better,
        margin=first.margin,
    )
