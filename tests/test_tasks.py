"""A macro average over tasks: its definition by enumeration, its laws, and what is refused."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactperm as xp
from exactperm.metrics import get

QA, MATH = ([1, 1, 1, 0, 1, 1], [0, 1, 0, 0, 1, 0]), ([40, 55, 70], [35, 55, 60])


def enumerated(tasks, weights, alternative="two-sided", shift=0):
    """By the definition, in fractions: every exchange of every pair, its statistic less a shift of every difference."""
    whole = sum(weights, Fraction(0))
    effects = [
        w / whole * (Fraction(x) - Fraction(y) - shift) / len(a)
        for w, (a, b) in zip(weights, tasks, strict=True)
        for x, y in zip(a, b, strict=True)
    ]
    observed = sum(effects)
    found = [
        sum(s * e for s, e in zip(signs, effects, strict=True))
        for signs in itertools.product((1, -1), repeat=len(effects))
    ]
    count = {
        "two-sided": sum(abs(t) >= abs(observed) for t in found),
        "greater": sum(t >= observed for t in found),
        "less": sum(t <= observed for t in found),
    }
    return observed + shift, Fraction(count[alternative], len(found))


def named(tasks, weights):
    names = "abc"[: len(tasks)]
    return dict(zip(names, tasks, strict=True)), dict(zip(names, weights, strict=True))


scores = st.integers(-5, 5)
one_task = st.lists(st.tuples(scores, scores), min_size=1, max_size=3).map(
    lambda pairs: tuple(map(list, zip(*pairs, strict=True)))
)
weight = st.fractions(min_value=Fraction(1, 4), max_value=4, max_denominator=4)
weighted = st.lists(st.tuples(one_task, weight), min_size=1, max_size=3).map(
    lambda both: tuple(zip(*both, strict=True))
)
sides = st.sampled_from(["two-sided", "greater", "less"])


@settings(max_examples=100)
@given(weighted, sides)
def test_is_the_enumeration_in_fractions(data, alternative):
    tasks, weights = named(*data)
    result = xp.macro_test(tasks, weights=weights, alternative=alternative)
    statistic, p = enumerated(*data, alternative)
    assert (result.as_fraction(), result.pvalue) == (p, float(p))
    assert result.statistic == float(statistic)
    assert result.scores[0] - result.scores[1] == pytest.approx(float(statistic), abs=1e-12)
    assert result.n_items == sum(len(a) for a, _ in data[0])


@settings(max_examples=60)
@given(weighted, st.sampled_from([Fraction(1, 2), Fraction(4, 3), Fraction(3)]), st.sampled_from([0.5, 0.75, 0.9]))
def test_a_shift_moves_every_item_of_every_task(data, margin, level):
    """The margin by enumeration, and the interval by inversion that belongs to it."""
    tasks, weights = named(*data)
    result = xp.macro_test(tasks, weights=weights, alternative="greater", margin=margin)
    assert result.as_fraction() == enumerated(*data, "greater", -margin)[1]
    differences = {Fraction(x) - y for a, b in data[0] for x, y in zip(a, b, strict=True)}
    if len(differences) > 1:
        low, high = result.confidence_interval(level)
        assert (result.as_fraction() <= 1 - Fraction(str(level))) == (low > -margin)
        assert high == np.inf


@settings(max_examples=60)
@given(weighted, st.integers(1, 9), sides)
def test_laws(data, factor, alternative):
    tasks, weights = named(*data)
    result = xp.macro_test(tasks, weights=weights, alternative=alternative)
    for scaled in (factor, Fraction(1, factor)):
        again = xp.macro_test(tasks, weights={t: w * scaled for t, w in weights.items()}, alternative=alternative)
        assert again.to_dict() == result.to_dict()
    back = {t: tasks[t] for t in reversed(tasks)}
    reversed_ = xp.macro_test(back, weights=weights, alternative=alternative)
    assert (reversed_.pvalue, reversed_.statistic) == (result.pvalue, result.statistic)
    turned = {"greater": "less", "less": "greater", "two-sided": "two-sided"}[alternative]
    exchanged = xp.macro_test({t: (b, a) for t, (a, b) in tasks.items()}, weights=weights, alternative=turned)
    assert (exchanged.pvalue, exchanged.statistic) == (result.pvalue, -result.statistic)
    assert exchanged.scores == result.scores[::-1]


@pytest.mark.parametrize("kind", ["integers", "decimals", "reals"])
@pytest.mark.parametrize("grouped", [False, True])
def test_one_task_is_the_plain_test(kind, grouped):
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 9, (2, 300)) if kind == "integers" else rng.normal(size=(2, 300))
    if kind == "decimals":
        a, b = np.round(a, 2), np.round(b, 2)
    groups = rng.integers(0, 80, 300) if grouped else None
    plain = xp.paired_test(a, b, groups=groups)
    macro = xp.macro_test({"only": (a, b)}, groups={"only": groups} if grouped else None, weights={"only": 0.3})
    fields = (
        "pvalue",
        "log_pvalue",
        "pvalue_interval",
        "statistic",
        "scores",
        "n_items",
        "n_groups",
        "n_tied",
        "method",
    )
    assert [getattr(macro, x) for x in fields] == [getattr(plain, x) for x in fields]
    if not grouped:
        assert macro.confidence_interval() == plain.confidence_interval()


def test_tasks_of_one_size_are_one_task():
    """Micro and macro averages differ by the sizes alone."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 9, (2, 3, 40))
    macro = xp.macro_test({str(i): (a[i], b[i]) for i in range(3)})
    assert macro.pvalue == xp.paired_test(a.ravel(), b.ravel()).pvalue
    assert "|tasks:3|method:" in macro.signature


def test_engines_agree_on_many_items():
    rng = np.random.default_rng(7)
    tasks = {str(n): (rng.binomial(1, 0.7, n), rng.binomial(1, 0.65, n)) for n in (211, 50, 97)}
    exact, counted, bracket = (
        xp.macro_test(tasks, method=method) for method in ("auto", "meet-in-the-middle", "bracket")
    )
    assert (exact.method, exact.exact, bracket.exact) == ("fourier", True, False)
    assert exact.pvalue == pytest.approx(counted.pvalue, rel=1e-11)
    assert bracket.pvalue_interval.low <= counted.pvalue <= bracket.pvalue_interval.high
    assert bracket.pvalue == pytest.approx(counted.pvalue, rel=1e-3)
    sampled = xp.macro_test(tasks, method="monte-carlo", rng=1, n_resamples=9999)
    assert sampled.pvalue == pytest.approx(counted.pvalue, abs=0.02)


def test_reals_and_integers_together():
    """Scores off any grid beside 0 and 1: the same law as in fractions, within the bracket."""
    rng = np.random.default_rng(8)
    real, right = rng.normal(size=(2, 60)), rng.binomial(1, 0.5, (2, 45))
    result = xp.macro_test({"real": tuple(real), "right": tuple(right)}, weights={"real": 1, "right": 2})
    whole = [[Fraction(x) / 60 for x in real[i]] + [Fraction(2 * int(x), 45) for x in right[i]] for i in (0, 1)]
    same = xp.paired_test(*whole, method="bracket")
    assert (result.method, result.exact) == ("bracket", False)
    assert result.pvalue == pytest.approx(same.pvalue, rel=2e-4)
    assert result.statistic == pytest.approx(same.statistic * 105 / 3)


def test_groups_are_of_a_task():
    a, b, groups = [3, 1, 4, 1, 5, 9], [2, 7, 1, 8, 2, 8], [0, 0, 1, 1, 2, 2]
    result = xp.macro_test({"x": (a, b), "y": QA}, groups={"x": groups}, margin=1, alternative="greater")
    summed = [2 * i for i in range(3)]
    moved = [sum(a[i : i + 2]) - sum(b[i : i + 2]) for i in summed]  # two items each
    effects = [Fraction(d + 2, 6) for d in moved] + [Fraction(x - y + 1, 6) for x, y in zip(*QA, strict=True)]
    found = [sum(s * e for s, e in zip(signs, effects, strict=True)) for signs in itertools.product((1, -1), repeat=9)]
    assert result.as_fraction() == Fraction(sum(t >= sum(effects) for t in found), len(found))
    assert (result.n_items, result.n_groups) == (12, 9)


def test_whatever_paired_test_takes():
    a, b = (np.array(x) for x in MATH)
    plain = xp.macro_test({"qa": QA, "math": MATH})
    for data in ((a, b), [a, b], xp.Effects.from_scores(a, b), ([40.0, 55, 70], [35, 55.0, 60])):
        assert xp.macro_test({"qa": QA, "math": data}).pvalue == plain.pvalue
    lower = xp.macro_test({"qa": QA, "math": MATH}, metric=get("mean", higher_is_better=False), alternative="less")
    assert lower.pvalue == xp.macro_test({"qa": QA, "math": MATH}, alternative="greater").pvalue
    share = xp.macro_test({"qa": QA, "other": QA}, metric="squad_em")
    assert share.statistic == pytest.approx(50.0)
    by_name = xp.macro_test({"qa": QA, "other": ({"correct": QA[0]}, {"correct": QA[1]})}, metric="exact_match")
    assert by_name.pvalue == share.pvalue
    gone = xp.macro_test({"qa": QA, "math": ([*MATH[0], None], [*MATH[1], 3])}, nan_policy="omit")
    assert gone.pvalue == plain.pvalue


def test_files(tmp_path):
    for name, (a, b) in (("qa", QA), ("math", MATH)):
        rows = "\n".join(f"{i},{x},{y}" for i, (x, y) in enumerate(zip(a, b, strict=True)))
        (tmp_path / f"{name}.csv").write_text(f"id,A,B\n{rows}\n")
    read = {name: xp.read(tmp_path / f"{name}.csv") for name in ("qa", "math")}
    assert xp.macro_test(read).pvalue == xp.macro_test({"qa": QA, "math": MATH}).pvalue
    for name in "AB":
        (tmp_path / f"{name}.csv").write_text("id,bleu\nx,1\ny,0\n")
    other = xp.read(tmp_path / "A.csv", tmp_path / "B.csv")
    with pytest.raises(
        ValueError, match="the tasks are measured by different metrics, bleu, score; name one in metric="
    ):
        xp.macro_test({**read, "other": other})


def test_the_result_says_what_it_is():
    result = xp.macro_test({"qa": QA, "math": MATH}, weights={"qa": 0.1, "math": "0.3"})
    assert result.metric == "mean over tasks"
    assert "|tasks:2|weights:1/4,3/4|method:" in result.signature
    assert "unit:" not in result.signature
    with pytest.raises(ValueError, match="not there for an average over tasks; use method='inversion'"):
        result.confidence_interval(method="BCa")


# -- refused ---------------------------------------------------------------------------------------------------

F1 = {"tp": [1, 2], "fp": [0, 1], "fn": [1, 0]}


@pytest.mark.parametrize(
    ("tasks", "options", "error", "match"),
    [
        ([QA, MATH], {}, TypeError, "tasks must be a mapping, .* not a list"),
        ({}, {}, ValueError, "tasks is empty; give one task or more"),
        ({"x": (*QA, [1])}, {}, ValueError, r"tasks\['x'\] must be a pair \(a, b\) of the two systems, not 3 things"),
        ({"x": QA[0]}, {}, ValueError, r"tasks\['x'\] must be a pair \(a, b\) of the two systems, not 6 things"),
        ({"x": np.ones(3)}, {}, TypeError, r"tasks\['x'\]: b is missing"),
        ({"x": QA, "y": ([1, 2], [1])}, {}, ValueError, r"tasks\['y'\]: a and b must hold the same items"),
        ({"x": QA, "y": (["a"], ["b"])}, {}, TypeError, r"tasks\['y'\]: a must hold numbers"),
        ({"x": QA, "y": ([1, None], [1, 2])}, {}, ValueError, r"tasks\['y'\]: a has 1 missing values"),
        ({"x": ([[1, 2]], [[2, 3]])}, {}, ValueError, r"tasks\['x'\]: a and b must be one comparison, not a batch"),
        ({"x": QA, "y": ([], [])}, {}, ValueError, r"tasks\['y'\] has no items, so that it has no mean; leave the"),
        ({"x": QA}, {"weights": [1]}, TypeError, "weights must be a mapping from the names of tasks, not a list"),
        ({"x": QA}, {"groups": [1] * 6}, TypeError, "groups must be a mapping from the names of tasks, not a list"),
        ({"x": QA}, {"groups": {"x": [1]}}, ValueError, r"tasks\['x'\]: groups needs one label per item"),
        ({"x": QA, "y": MATH}, {"weights": {"x": 1}}, ValueError, "weights lacks one for 'y'; every task needs one"),
        ({"x": QA}, {"weights": {"x": 1, "z": 2}}, ValueError, "weights names 'z', which is no task; they are x"),
        ({"x": QA}, {"weights": {"x": 0}}, ValueError, r"weights\['x'\] must be a positive number, not 0; else leave"),
        ({"x": QA}, {"weights": {"x": float("nan")}}, ValueError, r"weights\['x'\] must be a positive number, not nan"),
        ({"x": (F1, F1)}, {"metric": "f1"}, ValueError, "macro_test averages means, and metric 'f1' is none; give one"),
        ({"x": QA}, {"margin": -1}, ValueError, "margin must be a positive number"),
        ({"x": QA}, {"alternative": "more"}, ValueError, "alternative must be"),
        ({"x": QA}, {"method": "fft"}, ValueError, "method must be one of auto"),
    ],
)  # fmt: skip
def test_bad_input(tasks, options, error, match):
    with pytest.raises(error, match=match):
        xp.macro_test(tasks, **options)
