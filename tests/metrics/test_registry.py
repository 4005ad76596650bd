"""The registry: names, options, and declarations that are whole."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from exactperm import metrics
from exactperm.metrics import Metric
from exactperm.metrics.exact import exact_sum

NEEDED = {"beta": 2, "labels": ["x", "y", "z"]}


def made(name):
    return metrics.get(name, **{key: NEEDED[key] for key in metrics.options(name) if key in NEEDED})


def test_names():
    assert {
        *(
            "mean",
            "accuracy",
            "exact_match",
            "win_rate",
            "precision",
            "recall",
            "f1",
            "fbeta",
            "jaccard",
        ),
        *(
            "specificity",
            "balanced_accuracy",
            "mcc",
            "cohen_kappa",
            "wer",
            "cer",
            "ter",
            "token_accuracy",
        ),
        *(
            "uas",
            "las",
            "upos",
            "span_f1",
            "macro_f1",
            "weighted_f1",
            "squad_em",
            "bleu",
            "chrf",
            "chrf++",
        ),
    } <= set(metrics.names())


@pytest.mark.parametrize("name", metrics.names())
def test_declarations_are_whole(name):
    metric = made(name)
    assert metric.name.partition("(")[0] == name
    assert metric.formula
    for form in (metric, *metric.forms):
        assert form.name == metric.name
        assert form.higher_is_better == metric.higher_is_better == (name not in ("wer", "cer", "ter"))
        assert form.scale == metric.scale
        copy = pickle.loads(pickle.dumps(form))
        assert copy.sums == form.sums


@pytest.mark.parametrize("name", metrics.names())
def test_spelling_with_options_gives_the_metric_back(name):
    metric = made(name)
    again = metrics.get(metric.name)
    assert (again.name, again.sums, again.zero_division) == (
        metric.name,
        metric.sums,
        metric.zero_division,
    )


@pytest.mark.parametrize("name", metrics.names())
def test_a_system_against_an_identical_copy(name):
    for form in (made(name), *made(name).forms):
        counts = np.random.default_rng(1).integers(1, 9, (30, len(form.sums)))
        for part, _ in form.within:  # no more right than there are
            counts[:, form.sums.index(part)] = 1
        if name in ("multiclass_kappa", "multiclass_mcc"):
            counts[:, -1] = 1
            counts[:, :3] = counts[:, 3:6]
        effects = form.effects(counts, counts)
        first, second, difference = form.scores(effects)
        assert first == second
        assert np.isfinite(first)
        assert difference == 0
        for alternative in ("two-sided", "greater", "less"):
            assert form.rejection_region(effects, alternative)[1] is None


def test_forms_have_the_value_of_the_metric():
    tp, fp, fn = 7, 3, 5
    totals = {
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "pred": tp + fp,
        "gold": tp + fn,
        "incorrect": fp + fn,
        "tn": 4,
    }
    for name in ("precision", "recall", "f1", "fbeta", "span_f1", "jaccard", "specificity"):
        metric = made(name)
        values = set()
        for form in (metric, *metric.forms):
            numerator, denominator = form.ratio(*(totals[s] for s in form.sums))
            values.add(Fraction(numerator, denominator))
        assert len(values) == 1


def value(metric, totals):
    terms = metric.ratio(*totals)
    return exact_sum(terms if isinstance(terms, list) else [terms], metric.root, metric.zero_division)


RATIOS = [form for name in metrics.names() for form in (made(name), *made(name).forms) if form.ratio]


@pytest.mark.parametrize("metric", RATIOS, ids=lambda metric: f"{metric.name} {' '.join(metric.sums)}")
def test_values_are_monotone_as_declared(metric):
    rng = np.random.default_rng(2)
    partner = {name: group for group in metric.gold for name in group}
    for name, sign in metric.increasing.items():
        others = [s for s in partner.get(name, ()) if s != name]
        if partner.get(name) == (name,):
            continue  # the gold standard fixes it
        step = np.zeros(len(metric.sums), dtype=int)
        step[metric.sums.index(name)] = sign
        for other in others:  # what the gold standard gives to one, it takes from the other
            step[metric.sums.index(other)] = -sign
        for _ in range(300):
            low = rng.integers(0, int(rng.choice([2, 4, 30])), len(metric.sums)) + np.maximum(-step, 0)
            if not all(map(plausible, (low, low + step), [metric] * 2)):
                continue
            before, after = (value(metric, x.tolist()) for x in (low, low + step))
            if before is not None and after is not None:
                assert (after - before).sign() >= 0


def plausible(totals, metric):
    """Whether counts can be those of a system: margins add up, and no more is right than there
    is."""
    count = dict(zip(metric.sums, totals.tolist(), strict=True))
    if "correct" in count and len(count) > 2 and "system" not in count:
        pred, gold = ([x for s, x in count.items() if s.startswith(margin)] for margin in ("pred[", "gold["))
        return sum(pred) == sum(gold) and count["correct"] <= sum(map(min, pred, gold))
    return True


def test_options():
    assert metrics.options("fbeta").keys() == {"beta", "zero_division"}
    assert metrics.get("f1").name == "f1"
    assert metrics.get("f1", zero_division=0).name == "f1"
    assert metrics.get("f1", zero_division=1).name == "f1(zero_division=1)"
    assert {form.name for form in metrics.get("f1", zero_division=1).forms} == {"f1(zero_division=1)"}


def test_a_metric_is_returned_as_it_is():
    mine = Metric("mine", ("x",), value=np.abs)
    assert metrics.get(mine) is mine
    with pytest.raises(TypeError, match="for metrics given by name"):
        metrics.get(mine, beta=2)


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("f3", {}, ValueError, "no metric 'f3'; did you mean 'f1'"),
        ("f1", {"beta": 2}, TypeError, "'f1' takes zero_division; got beta"),
        ("mean", {"beta": 2}, TypeError, "takes higher_is_better"),
        ("exact_match", {"beta": 2}, TypeError, "takes no options"),
        ("fbeta", {}, TypeError, "needs beta, as in"),
        ("fbeta", {"beta": 0}, ValueError, "beta must be a positive number, not 0"),
        ("fbeta", {"beta": "2"}, ValueError, "beta must be a positive number, not .2."),
        ("f1", {"zero_division": 0.5}, ValueError, "zero_division must be 0 or 1"),
        ("macro_f1", {"labels": ["x"]}, ValueError, "at least two different classes"),
        ("macro_f1", {"labels": "xy"}, TypeError, "must be a list"),
        ("fbeta(2)", {}, ValueError, "cannot read the metric"),
        ("fbeta(beta=", {}, ValueError, "cannot read the metric"),
        (
            "f1(pos_label=dog)",
            {},
            ValueError,
            r"write it as fbeta\(beta=2\), texts in quotes as f1\(pos_label='spam'\)$",
        ),
        ("fbeta(beta=open('x'))", {}, ValueError, "cannot read the metric"),
        (3, {}, TypeError, "metric must be a name"),
    ],
)
def test_errors(name, options, error, message):
    with pytest.raises(error, match=message):
        metrics.get(name, **options)
