"""exactperm, explain, metrics and formats: what users are told before they compare."""

import inspect
import random
import re

import pytest

import exactperm as xp
from exactperm import metrics
from exactperm.cli.errors import in_flags
from exactperm.cli.explain import MOST_SHOWN
from exactperm.engines.auto import METHODS
from exactperm.explanation import explain
from exactperm.sources import registry


def test_alone_it_says_what_to_do_first(invoke):
    done = invoke()
    assert done.exit_code == 0
    assert "Start here:\n    exactperm demo" in done.stdout
    assert done.stdout == invoke("--help").stdout


def test_help_of_compare_teaches_by_example(invoke):
    text = invoke("compare", "--help").stdout
    examples = [line for line in text.splitlines() if line.startswith("    exactperm compare ")]
    assert len(examples) >= 5
    assert max(map(len, text.splitlines())) <= 80


def test_metrics(invoke):
    text = invoke("metrics").stdout
    listed = {line.split()[0] for line in text.splitlines() if line[:1].strip()}
    assert set(metrics.names()) <= listed
    for name in metrics.names():
        assert metrics.summary(name) in " ".join(invoke("metrics", name).stdout.split())
    assert "options   beta=..., zero_division=" in invoke("metrics", "fbeta").stdout
    assert "sums      tp, fp, fn" in invoke("metrics", "fbeta(beta=2)").stdout


def test_formats(invoke):
    text = invoke("formats", columns=200).stdout
    for each in registry.formats().values():
        assert f"{each.name} " in text
        assert each.title in text
        assert each.details in invoke("formats", each.name).stdout


def test_unknown_names(refuses):
    refuses("metrics", "fi", match="^there is no metric 'fi'; did you mean 'f1'")
    refuses("formats", "lm_eval", match="^there is no format 'lm_eval'; did you mean lm-eval")


# -- explain ---------------------------------------------------------------------------------------------------


def test_explain_names_the_engine_that_then_runs(samples, invoke):
    files = [samples(name, share) for name, share in (("A", 0.9), ("B", 0.6), ("C", 0.3))]
    for method in ("auto", "rational", "fourier"):
        text = invoke("explain", *files, "--method", method, "--metric", "length").stdout
        result = xp.compare(xp.read(*files), metric="length", method=method)
        rows = [line.split() for line in text.splitlines()[3:6]]
        assert [row[:3] for row in rows] == [[p.a, p.b, p.method] for p in result.pairs]
        assert [row[5] for row in rows] == [f"{p.n_groups - p.n_tied}/{p.n_groups}" for p in result.pairs]
    assert len(invoke("explain", *files, "--baseline", "A").stdout.split("\n\n")[1].splitlines()) == 3


def test_explain_says_why_others_were_passed_over(samples, invoke):
    draw = random.Random(0)
    gold = [draw.randrange(9) for _ in range(80)]
    answers = {name: [g if draw.random() < 0.5 else draw.randrange(9) for g in gold] for name in "AB"}
    [found] = explain(answers, y_true=gold, metric="f1", average="macro")
    assert (found.engine, found.exact, found.dimensions) == ("control-variate", False, 17)
    assert [name for name, _ in found.passed_over] == ["fourier"]
    assert "17 free dimensions" in found.passed_over[0][1]
    files = [
        samples(name, metrics=["f1"], f1=lambda i, mine=mine: [f"c{gold[i]}", f"c{mine[i]}"])
        for name, mine in answers.items()
    ]
    text = " ".join(invoke("explain", *files, "--metric", "f1(average='macro')").stdout.split())
    assert f"fourier was passed over: {in_flags(found.passed_over[0][1])}." in text
    assert "--method control-variate" in text
    assert "control-variate: not exact, the p-value comes with an interval." in text


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"exact"}))
def test_explanations_agree_with_results(method):
    a, b = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3], [2, 7, 1, 8, 2, 8, 1, 8, 2, 8]
    [found] = explain({"A": a, "B": b}, method=method)
    if found.engine is None:
        with pytest.raises(ValueError, match=re.escape(found.passed_over[0][1])):
            xp.paired_test(a, b, method=method, rng=0)
    else:
        result = xp.paired_test(a, b, method=method, rng=0)
        assert (found.engine, found.exact) == (result.method, result.exact)
        assert found.n_groups - found.n_tied == result.n_groups - result.n_tied


def test_nothing_is_computed_where_every_exchange_is_as_extreme():
    [found] = explain({"A": [1, 0], "B": [0, 1]})
    assert (found.engine, found.passed_over) == (None, ())


def test_explain_says_what_needs_no_engine_and_what_is_not_shown(tmp_path, invoke):
    path = tmp_path / "many.csv"
    names = [f"s{i}" for i in range(12)]
    path.write_text(f"id,{','.join(names)}\nx,{','.join('01' * 6)}\ny,{','.join('10' * 6)}\n")
    text = invoke("explain", path).stdout
    assert f"Shown are {MOST_SHOWN} of 66 pairs.\n" in text
    assert " not needed " in text
    assert "not needed: every exchange gives a statistic as extreme as the observed one, so that p = 1." in text


def test_explain_refuses_what_compare_refuses(samples, refuses):
    refuses("explain", samples("A"), samples("B"), "--method", "fft", match="^--method must be one of auto")
    refuses("explain", samples("A"), "nowhere", match="nowhere: there is no such file")


def test_arguments_of_explain_are_those_of_compare():
    ours, theirs = inspect.signature(explain).parameters, inspect.signature(xp.compare).parameters
    assert {name: p.default for name, p in ours.items() if p.kind is p.KEYWORD_ONLY} == {
        name: theirs[name].default for name, p in ours.items() if p.kind is p.KEYWORD_ONLY
    }


# -- completion ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("exactperm compare --metric fb", {"fbeta"}),
        ("exactperm compare --format lm", {"lm-eval"}),
        ("exactperm compare --method me", {"meet-in-the-middle"}),
        ("exactperm compare --correction ho", {"holm", "hochberg", "hommel"}),
        ("exactperm compare --output j", {"json"}),
        ("exactperm metrics chr", {"chrf", "chrf++"}),
        ("exactperm formats hel", {"helm"}),
        ("exactperm exp", {"explain"}),
    ],
)
def test_completion(invoke, typed, expected):
    words = typed.split()
    environment = {"_EXACTPERM_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    done = invoke(env=environment, prog_name="exactperm")
    assert set(done.stdout.split()) == expected
