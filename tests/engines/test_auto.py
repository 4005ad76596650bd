"""The capability table held against the engines, and the decision table against what answers."""

import importlib
import math
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import engines_table
import exactperm as xp
from engines_table import AUTO, CAN, ENGINES, KINDS
from exactperm.effects import Effects
from exactperm.engines import auto
from exactperm.engines.auto import METHODS, SamplingWarning, answer_all, candidates
from exactperm.engines.base import CannotAnswer, Options, Question
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs

# sampled intervals are asked for at a level at which one in a million may miss
SURE = Options(rng=12345, confidence_level=1 - 1e-6, n_resamples=20_000)


def make(name):
    return getattr(importlib.import_module(f"exactperm.engines.{name}"), ENGINES[name])()


@cache
def question(kind):
    return replace(KINDS[kind](), options=SURE)


def sampled(name):
    return name in ("monte_carlo", "control_variate", "importance")


@cache
def certain(kind):
    """What all engines with a certified interval agree on."""
    tails = [make(name).answer(question(kind)) for name in sorted(CAN[kind]) if not sampled(name)]
    return max((t.log_low for t in tails), default=-math.inf), min((t.log_high for t in tails), default=0.0)


def test_the_table_is_complete():
    assert set(CAN) == set(KINDS) == set(AUTO)
    assert set().union(*CAN.values()) == set(ENGINES)
    assert {make(name).name for name in ENGINES} == set(METHODS) - {"auto", "exact"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_engine_on_every_kind(kind, engine):
    obstacle = make(engine).obstacle(question(kind))
    if engine not in CAN[kind]:
        assert isinstance(obstacle, str)
        assert len(obstacle) > 20
        return
    assert obstacle is None
    assert 0 <= make(engine).cost(question(kind)) < 60
    tail = make(engine).answer(question(kind))
    assert tail.log_low <= tail.log_estimate <= tail.log_high <= 0.0
    low, high = certain(kind)
    assert low <= high, "two certified intervals have nothing in common"
    # an interval of an engine that is certain, or sure to one in a million, meets what is certain
    assert tail.log_low <= high
    assert tail.log_high >= low
    if not sampled(engine) and engine != "bracket":
        assert tail.log_high - tail.log_low <= 2e-11


@pytest.mark.parametrize("kind", KINDS)
def test_auto_chooses_as_the_table_says(kind):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ((tail, chosen),) = answer_all([question(kind)], "auto")
    assert chosen.name == AUTO[kind]
    assert [w.category for w in caught] == ([SamplingWarning] if sampled(AUTO[kind].replace("-", "_")) else [])
    low, high = certain(kind)
    assert tail.log_low <= high
    assert tail.log_high >= low


@pytest.mark.parametrize("kind", KINDS)
def test_exact_never_brackets_and_never_samples(kind):
    if AUTO[kind] in ("bracket", "control-variate"):
        with pytest.raises(CannotAnswer, match="method='exact' cannot do this") as error:
            answer_all([question(kind)], "exact")
        assert all(f"{engine.name}: " in str(error.value) for engine in candidates(question(kind), exact=True))
    else:
        ((tail, chosen),) = answer_all([question(kind)], "exact")
        assert chosen.exact
        assert tail.confidence is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", sorted(set(METHODS) - {"auto", "exact"}))
def test_an_engine_asked_by_name_runs_or_says_why_not(kind, method):
    module = method.replace("-", "_")
    if method == "fourier" and question(kind).lattice.rank > 1:
        module = "torus"
    if module in CAN[kind]:
        ((_, chosen),) = answer_all([question(kind)], method)
        assert chosen.name == method
    else:
        with pytest.raises(CannotAnswer, match=f"method='{method}' cannot do this: "):
            answer_all([question(kind)], method)


def test_unknown_method_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"method must be one of auto, exact, fourier.*'fast'"):
        answer_all([], "fast")


def test_a_mixed_batch_gets_the_answers_of_single_questions():
    kinds = ["few small effects", "many small effects", "60 effects of 40 bits", "two runs", "few effects of 200 bits"]
    questions = [question(kind) for kind in kinds]
    together = answer_all(questions, "auto")
    for (tail, chosen), each in zip(together, questions, strict=True):
        ((alone, engine),) = answer_all([each], "auto")
        assert (tail.log_low, tail.log_estimate, tail.log_high) == (alone.log_low, alone.log_estimate, alone.log_high)
        assert chosen.name == engine.name


def test_an_engine_that_gives_up_hands_on_to_the_next(monkeypatch):
    """A search that finds too many live frequencies is known only once it has run."""
    questions = [question("many small effects"), question("two runs")]
    fourier = importlib.import_module("exactperm.engines.fourier").Fourier

    def gives_up(*_):
        raise CannotAnswer("too many frequencies")

    monkeypatch.setattr(fourier, "answer_all", gives_up)
    answers = answer_all(questions, "auto")
    assert [chosen.name for _, chosen in answers] == ["meet-in-the-middle", "meet-in-the-middle"]
    with pytest.raises(CannotAnswer, match="too many frequencies"):
        answer_all(questions, "fourier")


def test_an_exact_engine_that_would_take_too_long_is_passed_over(monkeypatch):
    monkeypatch.setattr(auto, "PATIENCE", 0.0)
    with pytest.warns(SamplingWarning, match="control-variate"):
        ((_, chosen),) = answer_all([question("many effects in two dimensions")], "auto")
    assert chosen.name == "control-variate"
    ((_, chosen),) = answer_all([question("many effects in two dimensions")], "exact")
    assert chosen.name == "fourier"


def test_without_a_guide_the_last_resort_is_monte_carlo():
    space = engines_table.in_space(300, 10, 3, smooth=False)
    with pytest.warns(SamplingWarning, match="monte-carlo"):
        ((_, chosen),) = answer_all([replace(space, options=SURE)], "auto")
    assert chosen.name == "monte-carlo"


def test_candidates_do_not_run_anything():
    def never(_):
        raise AssertionError("a region was asked")

    lattice = Lattice.of(Effects.from_counts({(1, 0): 3, (0, 1): 4}))
    names = [engine.name for engine in candidates(Question(lattice, Region(never)))]
    assert names == ["rational", "fourier", "enumeration", "monte-carlo"]
    line = Question(Lattice.of(Effects.from_counts({1: 10**6, 2: 10**6})), Runs(((10, 20),)))
    assert [engine.name for engine in candidates(line)] == ["fourier", "meet-in-the-middle", "bracket"]


def test_exact_takes_the_quick_engine_where_the_torus_is_dear():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 1500, (2, 9, 2))
    assert xp.paired_test(a, b, metric="f1", method="exact").method == "enumeration"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_weighed_is_what_would_answer(kind):
    asked = question(kind)
    for name in sorted(set(METHODS) - {"auto", "exact"}):
        ((engine, obstacle),) = auto.weighed(asked, name)
        assert engine.name == name
        assert obstacle == engine.obstacle(asked)
    able = [engine.name for engine, obstacle in auto.weighed(asked, "auto") if obstacle is None]
    assert able[0] == AUTO[kind]
    exact = {engine.name: obstacle for engine, obstacle in auto.weighed(asked, "exact")}
    assert not exact.keys() & {"bracket", "monte-carlo", "control-variate", "importance"}
    assert all(obstacle is None or len(obstacle) > 20 for obstacle in exact.values())


def test_a_method_that_is_none_is_not_weighed():
    with pytest.raises(ValueError, match="method must be one of auto, exact, fourier"):
        list(auto.weighed(question("no effect"), "magic"))
