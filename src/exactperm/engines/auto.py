"""The choice of an engine: asked in order, the first without an obstacle answers.

Integer effects with one free sum (accuracy, recall, word errors, ratings, win rates, scores on a grid):

====================================================  ======================  ===========================
the effects                                           engine                  answer
====================================================  ======================  ===========================
few: at most 2^16 vectors of counts                   meet-in-the-middle      exact fraction
a circle of 64-bit size, not nearly all of it alive   fourier                 exact to rounding
few distinct ones, of any size                        meet-in-the-middle      exact fraction
anything else                                         bracket                 two proven bounds
====================================================  ======================  ===========================

Real effects without a grid: meet-in-the-middle where it can, else bracket. Two or more free sums (F1, precision, MCC):
rational where it takes milliseconds (some 50 items), fourier on a torus where its cost allows, enumeration up to 20
effects; beyond that the answer has to be sampled, and a `SamplingWarning` says so: control-variate where the statistic
is smooth, else monte-carlo.

`method="exact"` takes the same list without bracket and sampling. An engine asked by name runs or says why not.
"""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import cast

from exactperm.engines.base import CannotAnswer, Engine, Question, Tail
from exactperm.region import Region

__all__ = ["METHODS", "SamplingWarning", "ToleranceWarning", "answer_all", "candidates", "engine", "weighed"]

#: vectors of counts up to which counting them is quicker than anything else
FEW_VECTORS = 2**16
#: seconds that counting all assignments in several dimensions may take before a torus is quicker
QUICK = 5e-3
#: seconds an exact answer may take before `auto` takes a bracket, or a sample, instead
PATIENCE = 10.0

_CLASSES = {
    "enumeration": "Enumeration",
    "rational": "Rational",
    "meet_in_the_middle": "MeetInTheMiddle",
    "fourier": "Fourier",
    "torus": "Torus",
    "bracket": "Bracket",
    "monte_carlo": "MonteCarlo",
    "control_variate": "ControlVariate",
    "importance": "Importance",
}
METHODS = (
    "auto",
    "exact",
    "fourier",
    "enumeration",
    "rational",
    "meet-in-the-middle",
    "bracket",
    "monte-carlo",
    "control-variate",
    "importance",
)


class SamplingWarning(UserWarning):
    """No exact engine could answer, so the p-value was sampled; `TestResult.pvalue_interval` says how well."""


class ToleranceWarning(UserWarning):
    """The bracket is wider than the tolerance asked for; `TestResult.pvalue_interval` is certain all the same."""


def engine(name: str, question: Question) -> Engine:
    """The engine of this name for this question: "fourier" is two engines, on a line and on a torus."""
    module = name.replace("-", "_")
    return _loaded("torus" if module == "fourier" and question.lattice.rank > 1 else module)


@cache
def _loaded(module: str) -> Engine:
    """Engines hold no state: one of each kind is enough."""
    return cast(Engine, getattr(importlib.import_module(f"exactperm.engines.{module}"), _CLASSES[module])())


def candidates(question: Question, *, exact: bool = False) -> Iterator[Engine]:
    """The engines worth asking, in the order of the decision table."""
    lattice = question.lattice
    if lattice.rank > 1 or isinstance(question.region, Region):
        rational = engine("rational", question)
        if rational.obstacle(question) is None and rational.cost(question) < QUICK:
            yield rational
        torus = [engine("fourier", question)]
        few = [engine("enumeration", question)] if lattice.n <= 20 else []
        dear = few and torus[0].obstacle(question) is None and torus[0].cost(question) > PATIENCE
        yield from (*few, *torus) if dear else (*torus, *few)
        if not exact:
            smooth = isinstance(question.region, Region) and question.region.value is not None
            yield engine("control-variate" if smooth else "monte-carlo", question)
        return
    if lattice.rounding:  # scores that had to be rounded: what engines for integers find would not be exact
        if not exact:
            yield engine("bracket", question)
        return
    if _vectors(question) <= FEW_VECTORS:
        yield engine("meet-in-the-middle", question)
    yield engine("fourier", question)
    yield engine("meet-in-the-middle", question)
    if not exact:
        yield engine("bracket", question)


def answer_all(questions: Sequence[Question], method: str) -> list[tuple[Tail, Engine]]:
    """Answer questions by one method, sharing the work between those that go to the same engine."""
    _check_known(method)
    if method in ("auto", "exact"):
        return _choose_and_answer(questions, method)
    engines = [engine(method, question) for question in questions]
    for chosen, question in zip(engines, questions, strict=True):
        if obstacle := chosen.obstacle(question):
            raise CannotAnswer(f"method={method!r} cannot do this: {obstacle}")
    results = _share(engines, questions)
    _warn_of_width(questions, results)
    return results


def _check_known(method: str) -> None:
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; not {method!r}")


def _choose_and_answer(questions: Sequence[Question], method: str) -> list[tuple[Tail, Engine]]:
    results = _share([_first(question, method) for question in questions], questions, method)
    if any(not chosen.exact and chosen.name != "bracket" for _, chosen in results):
        warnings.warn(
            "no exact engine can answer this in reasonable time, so the p-value is sampled, by "
            f"{next(c.name for _, c in results if not c.exact)}; its interval says how well",
            SamplingWarning,
            stacklevel=5,  # the caller of paired_test or compare
        )
    _warn_of_width(questions, results)
    return results


def _warn_of_width(questions: Sequence[Question], results: list[tuple[Tail, Engine]]) -> None:
    """Say so if a bracket is wider than the user asked for."""
    for question, (tail, _) in zip(questions, results, strict=True):
        tolerance, reached = question.options.tolerance, tail.details.get("reached", 0.0)
        if tolerance is not None and reached > tolerance:
            warnings.warn(
                f"the bracket reached a half-width of {reached:.2g} relative to the p-value, "
                f"not tolerance={tolerance:g}: the null law has atoms at the observed value, or the budget was spent. "
                "pvalue_interval is certain",
                ToleranceWarning,
                stacklevel=5,
            )


def weighed(question: Question, method: str) -> Iterator[tuple[Engine, str | None]]:
    """The engines that `method` allows, in their order, each with what keeps it from answering; None if nothing does.

    The answer comes from the first without an obstacle. This is how to ask what would be done without doing it.
    """
    _check_known(method)
    if method not in ("auto", "exact"):
        candidate = engine(method, question)
        yield candidate, candidate.obstacle(question)
        return
    for candidate in candidates(question, exact=method == "exact"):
        obstacle = candidate.obstacle(question)
        if obstacle is None and method == "auto" and candidate.exact and candidate.cost(question) > PATIENCE:
            obstacle = f"it would take about {candidate.cost(question):.0f} seconds"
        yield candidate, obstacle


def _first(question: Question, method: str, after: Engine | None = None) -> Engine:
    """The first engine without an obstacle, after another one that gave up."""
    said = []
    passed = after is None
    for candidate, obstacle in weighed(question, method):
        if not passed:
            passed = candidate.name == getattr(after, "name", None)
        elif obstacle is None:
            return candidate
        else:
            said.append(f"{candidate.name}: {obstacle}")
    if question.lattice.rounding:
        said.append("the scores had to be rounded to 61 bits; use method='bracket', or round them to a grid")
    raise CannotAnswer(f"method={method!r} cannot do this: {'; '.join(said)}")


def _share(
    engines: Sequence[Engine], questions: Sequence[Question], method: str | None = None
) -> list[tuple[Tail, Engine]]:
    """Let each engine answer its questions together; one that gives up hands on to the next in the table."""
    results: list[tuple[Tail, Engine] | None] = [None] * len(questions)
    for kind in {type(e): None for e in engines}:
        mine = [i for i, e in enumerate(engines) if type(e) is kind]
        for i, answer in zip(mine, _ask(engines[mine[0]], [questions[i] for i in mine], method), strict=True):
            results[i] = answer
    return cast(list[tuple[Tail, Engine]], results)


def _ask(chosen: Engine, questions: list[Question], method: str | None) -> list[tuple[Tail, Engine]]:
    try:
        return [(tail, chosen) for tail in chosen.answer_all(questions)]
    except CannotAnswer:
        if method is None:
            raise
        if len(questions) > 1:
            return [answer for question in questions for answer in _ask(chosen, [question], method)]
        return _ask(_first(questions[0], method, after=chosen), questions, method)


def _vectors(question: Question) -> int:
    counts = question.lattice.counts
    if len(counts) > 16:
        return 2**17
    return math.prod([c + 1 for c in counts.tolist()])
