"""Bad input gets one clear error that names the argument and the way out."""

import sys
from fractions import Fraction

import numpy as np
import pytest

from exactperm import Effects, compare, metrics
from exactperm.metrics import Metric

F1 = metrics.get("f1")
GOOD = {"tp": [3, 2], "fp": [1, 0], "fn": [0, 1]}


def refused(message, kind=ValueError):
    return pytest.raises(kind, match=message)


# -- forms of counts -------------------------------------------------------------------------------


def test_forms_of_one_comparison():
    other = {"tp": [2, 3], "fp": [1, 1], "fn": [1, 0]}
    sizes = [{"tp": x["tp"], "pred": np.add(x["tp"], x["fp"]), "gold": [3, 3]} for x in (GOOD, other)]
    paper = [np.stack([x["tp"], np.add(x["fp"], x["fn"])], axis=1) for x in (GOOD, other)]
    arrays = [np.stack([x[s] for s in ("tp", "fp", "fn")], axis=1) for x in (GOOD, other)]
    pairs = [
        (GOOD, other),
        tuple(sizes),
        tuple(paper),
        tuple(arrays),
        tuple(x.tolist() for x in arrays),
    ]
    assert len({F1.scores(F1.effects(a, b)) for a, b in pairs}) == 1


def test_order_of_a_mapping_does_not_matter():
    turned = {name: GOOD[name] for name in ("fn", "tp", "fp")}
    assert F1.effects(turned, GOOD) == F1.effects(GOOD, GOOD)


def test_frames_are_mappings():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    assert F1.effects(pandas.DataFrame(GOOD), polars.DataFrame(GOOD)) == F1.effects(GOOD, GOOD)


def test_systems_in_different_forms():
    with refused(r"a has the sums \(tp, fp, fn\), but b has \(tp, incorrect\)"):
        F1.effects(GOOD, [[3, 1], [2, 1]])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"tp": [1], "fp": [1]}, "a came without fn"),
        ({**GOOD, "tn": [1, 1]}, "a came with tn"),
        ({"hits": [1], "fp": [1], "fn": [1]}, "a came without tp and with hits"),
        ([[1, 2, 3, 4]], r"columns \(tp, fp, fn\) or .* a has shape \(1, 4\)"),
        ([1, 2, 3], r"a has shape \(3,\)"),
        ({"tp": [1, 2], "fp": [1], "fn": [0, 0]}, "one integer per item each"),
        ({"tp": [-1, 2], "fp": [1, 1], "fn": [4, 1]}, "a has tp = -1 at item 0"),
    ],
)
def test_columns(data, message):
    with refused(message):
        F1.effects(data, GOOD)


def test_floats_are_not_counts():
    with refused(r"a\['tp'\] must hold integers", TypeError):
        F1.effects({**GOOD, "tp": [0.5, 1.0]}, GOOD)


def test_other_gold_standard():
    with refused(r"tp \+ fn is the size of the gold standard.*item 1 has 3 in a and 4 in b"):
        F1.effects(GOOD, {**GOOD, "fn": [0, 2]})
    with refused("ref_length is the size of the gold standard"):
        metrics.get("wer").effects([[1, 5]], [[1, 6]])


def test_other_gold_standard_in_effects():
    effects = Effects.from_counts({(1, 0, 0): 3}, totals_a=(9, 9, 9), names=F1.sums)
    with refused(r"tp \+ fn is the size of the gold standard"):
        F1.rejection_region(effects)


def test_more_right_than_there_are():
    sizes = {"tp": [1, 4], "pred": [2, 4], "gold": [1, 3]}
    with refused("tp cannot be larger than gold: b has tp = 4 and gold = 3 at item 1"):
        F1.effects({**sizes, "tp": [1, 1]}, sizes)
    with refused("correct cannot be larger than total: a has correct = 3 and total = 2 at item 0"):
        metrics.get("las").effects([[3, 2]], [[1, 2]])


def test_different_items():
    with refused("a has 2 and b has 1"):
        F1.effects(GOOD, {"tp": [3], "fp": [1], "fn": [0]})


def test_effects_of_other_sums():
    effects = Effects.from_counts({(1, 0): 3}, totals_a=(9, 9), names=("tp", "x"))
    with refused(r"needs the sums \(tp, fp, fn\) or .* the data have \(tp, x\)"):
        F1.scores(effects)


def test_totals_are_needed():
    effects = Effects.from_counts({(1, 0, -1): 3}, names=F1.sums)
    with refused("totals_a or totals_b to Effects.from_counts"):
        F1.rejection_region(effects)
    mean = metrics.get("mean")
    assert mean.scores(Effects.from_counts({2: 3, 0: 1})) == (None, None, 1.5)


def test_counts_are_whole():
    effects = Effects.from_counts({(1, 0, -1): 3}, totals_a=(9, 9, 9), names=F1.sums, unit=Fraction(1, 2))
    with refused("in units of 1/2"):
        F1.scores(effects)


def test_alternative():
    with refused("alternative must be"):
        F1.rejection_region(F1.effects(GOOD, GOOD), "larger")


# -- values that do not exist ----------------------------------------------------------------------


def test_undefined_value():
    with refused("metric 'wer' is 0/0 at the totals of a, errors=0, ref_length=0"):
        metrics.get("wer").scores(metrics.get("wer").effects([[0, 0]], [[0, 0]]))


def test_undefined_value_that_some_assignment_attains():
    # all of one class: A predicts it as well, B does not
    kappa = metrics.get("cohen_kappa")
    a, b = [[0, 1, 0, 0], [0, 0, 0, 2]], [[0, 0, 0, 1], [0, 1, 0, 1]]
    with refused("0/0 at totals that some assignment gives, tp=0, fp=2, fn=0, tn=1 for a and tp=0, fp=0, "):
        _, region = kappa.rejection_region(kappa.effects(a, b), "greater")
        region.contains(np.array([[0], [1], [2]]))
    kappa = metrics.get("cohen_kappa", zero_division=0)
    assert kappa.rejection_region(kappa.effects(a, b))[1] is None


def own(value, **more):
    return Metric("mine", ("hits", "cost"), value=value, **more)


def region_of(metric, a=((3, 1), (2, 2), (5, 0)), b=((1, 1), (3, 2), (2, 4))):
    return metric.rejection_region(metric.effects(a, b), "greater")


def test_nan_at_the_observed_totals():
    with refused("value of metric 'mine' is not a finite number at the totals of a, hits=10, cost=3"):
        region_of(own(lambda hits, cost: np.where(hits == 10, np.nan, hits + cost)))


def test_nan_where_it_matters():
    _, region = region_of(own(lambda *sums: np.where(sums[0] == 9, np.nan, sums[0])))
    with refused("some assignment gives, hits=7, cost=3 for a and hits=9, cost=7 for b"):
        region.contains(np.array([[x, y] for x in range(8) for y in range(-4, 5)]))


def test_nan_where_it_cannot_matter():
    metric = own(lambda hits, cost: np.where(cost == 0, np.nan, hits - cost))
    effects = Effects.from_counts(
        {(0, 1): 5000, (1, 0): 900, (0, -1): 5000, (-1, 0): 900},
        totals_a=(900, 5000),
        names=("hits", "cost"),
    )
    lattice, region = metric.rejection_region(effects, "greater")
    corner = np.array([[900, 0]]) @ np.linalg.inv(lattice.basis).astype(int)  # no cost for A: 2^-10000
    assert region.contains(corner).tolist() == [True]


@pytest.mark.parametrize(
    "value",
    [
        lambda hits, cost: hits if hits > cost else cost,
        lambda *sums: float(sums[0]),
        lambda *_: 1.0,
        lambda *sums: np.sum(sums[0]),
        lambda hits, cost: [hits, cost],
        lambda *sums: np.array(["x"] * len(sums[0])),
        lambda hits: hits,
    ],
)
def test_functions_that_are_not_vectorised(value):
    with refused("value of metric 'mine' gets one array for each sum and must return one number for each"):
        region_of(own(value))


@pytest.mark.parametrize(
    ("ratio", "message"),
    [
        (lambda hits, cost: (hits / 2, 1 + cost), "for hits=10, cost=3 it returned"),
        (lambda hits, cost: (0.5 * hits, 1 + cost), "for hits=10, cost=3 it returned"),
        (lambda hits, cost: (np.int64(2) * hits, 1 + cost), "for hits=10, cost=3 it returned"),
        (lambda hits, cost: hits + cost, "it returned 13"),
        (lambda *_: [], r"it returned \[\]"),
        (lambda hits: (hits, 1), "it raised: .* takes 1 positional argument"),
        (lambda hits, cost: (hits**2, 1 + cost), "it raised: unsupported operand"),
    ],
)
def test_ratios_that_are_not_quotients_of_integer_polynomials(ratio, message):
    with refused(r"ratio of metric 'mine' must make a pair .* of integers; " + message):
        lattice, region = region_of(Metric("mine", ("hits", "cost"), ratio=ratio))
        region.contains(np.array([lattice.observed]))


def test_denominators_are_not_negative():
    with refused("ratio of metric 'mine' has a negative denominator at hits=10, cost=3"):
        region_of(Metric("mine", ("hits", "cost"), ratio=lambda hits, cost: (hits, -1 - cost)))
    metric = Metric("mine", ("hits", "cost"), ratio=lambda hits, cost: (cost, hits - 7), root=True)
    a, b = [[3, 1], [2, 2], [5, 0]], [[2, 1], [4, 1], [2, 0]]
    lattice, region = metric.rejection_region(metric.effects(a, b))
    with refused("some assignment gives"):  # 2 + 2 + 2 hits for A
        region.contains(every_point(lattice))


def every_point(lattice):
    coins = (np.arange(2**lattice.n)[:, None] >> np.arange(lattice.n)) & 1
    return coins @ np.repeat(lattice.steps, lattice.counts, axis=0)


def test_empty_columns_are_no_items():
    assert F1.effects({"tp": [], "fp": [], "fn": []}, {"tp": [], "fp": [], "fn": []}).n_items == 0
    with refused("metric 'mean' has no value without items"):
        metrics.get("mean").scores(Effects.from_counts({}))


def test_one_column_is_enough_for_a_mean():
    right, wrong = np.array([1, 0, 1]), np.array([0, 0, 1])
    accuracy = metrics.get("accuracy")
    assert accuracy.effects(right, wrong) == accuracy.effects(right[:, None], wrong[:, None])


def test_objects_can_be_labels():
    _, counts = extract(np.array(["a", "b", "c"], dtype=object), ["a", "b", "b"])
    assert counts["A"].tolist() == [[1], [1], [0]]


def test_false_antisymmetry():
    metric = Metric("mine", ("x",), h=lambda a, b: a / (1 + b), antisymmetric=True)
    with refused("leave out antisymmetric=True"):
        metric.rejection_region(metric.effects([[1], [2]], [[0], [2]]))


@pytest.mark.parametrize("increasing", [{"hits": -1}, {"cost": 1}, {"hits": -1, "cost": 1}])
@pytest.mark.parametrize("known", [{"value": lambda h, c: h / (1 + c)}, {"ratio": lambda h, c: (h, 1 + c)}])
def test_false_shapes(increasing, known):
    with refused("increasing of metric 'mine' is not true: the statistic goes the other way from hits=.* leave it out"):
        region_of(Metric("mine", ("hits", "cost"), increasing=increasing, **known))
    with refused("increasing of metric 'mine' is not true"):  # one free sum
        region_of(Metric("mine", ("hits", "cost"), increasing=increasing, **known), [[3, 1], [2, 1]], [[1, 2], [1, 2]])


def test_functions_see_attainable_totals_only():
    seen = []

    def value(hits, cost):
        seen.append((hits, cost))
        return hits - cost

    rng = np.random.default_rng(0)
    metric = own(value)
    a, b = rng.integers(0, 5, (2, 10, 2))
    _, region = metric.rejection_region(metric.effects(a, b))
    region.contains(rng.integers(-50, 50, (500, 2)))
    region.value(rng.normal(0, 50, (500, 2)))
    low, high = np.minimum(a, b).sum(axis=0), np.maximum(a, b).sum(axis=0)
    for i in range(2):
        values = np.concatenate([columns[i] for columns in seen])
        assert values.min() >= low[i]
        assert values.max() <= high[i]


# -- declarations ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sums": ("x", "x"), "value": np.add}, "different names"),
        ({"sums": (), "value": np.add}, "one or more"),
        ({"sums": ("x",)}, "exactly one of value, h, ratio or additive"),
        ({"sums": ("x",), "value": np.abs, "additive": True}, "exactly one of"),
        ({"sums": ("x", "y"), "additive": True}, "an additive metric has one sum"),
        ({"sums": ("x",), "value": np.abs, "increasing": {"y": 1}}, r"\['y'\]"),
        ({"sums": ("x",), "value": np.abs, "gold": (("y",),)}, r"\['y'\]"),
        ({"sums": ("x",), "value": np.abs, "increasing": {"x": 2}}, "1 or -1"),
        ({"sums": ("x",), "h": np.subtract, "increasing": {"x": 1}}, "not for h"),
    ],
)
def test_declarations_that_mean_nothing(arguments, message):
    with refused(message):
        Metric("mine", **arguments)


def test_types_of_declarations():
    with refused("sums must be a tuple of names", TypeError):
        Metric("mine", "hits", np.abs)
    with refused("value of metric 'mine' must be a function", TypeError):
        Metric("mine", ("hits",), "abs")


# -- predictions -----------------------------------------------------------------------------------


def extract(y_true, y_pred, *arguments, **options):
    return metrics.extract(y_true, {"A": y_pred}, *arguments, **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: extract([0, 1, 2], [0, 1, 1], "f1"),
            'average="binary" is for two classes, and there are 3',
        ),
        (
            lambda: extract(["a", "b"], ["a", "a"], "f1"),
            "pos_label=1 does not occur; the labels are 'a', 'b'",
        ),
        (lambda: extract([0, 1], [0, 1], "f1", average="samples"), "average must be 'binary' or"),
        (
            lambda: extract([0, 1], [0, 1, 1]),
            r"A has labels of shape \(3,\), y_true of shape \(2,\)",
        ),
        (lambda: extract(["a", None], ["a", "b"]), "y_true has no label for item 1"),
        (lambda: extract([0.0, 1.0], [np.nan, 1.0]), "A has no label for item 0"),
        (
            lambda: extract([0, 1], [0, 1], "f1", average="macro", labels=[0, 7]),
            "labels has 7, which occurs in neither",
        ),
        (
            lambda: extract([0, 1], [0, 1], "accuracy", average="macro"),
            "'accuracy' does not take average",
        ),
        (lambda: extract([0, 1], [0, 1], "accuracy", pos_label=1), "'accuracy' does not take pos_label"),
        (lambda: extract(["a", "b"], ["a", "b"], "mcc", pos_label="a"), "'mcc' does not take pos_label"),
        (
            lambda: extract(["a", "b"], ["a", "b"], "f1", average="macro", pos_label="a"),
            "'f1' does not take pos_label with average='macro'",
        ),
        (
            lambda: extract(["a"], ["a"], "bleu", tokenize="words"),
            "tokenize='words' is no.*known are zh, 13a",
        ),
        (lambda: extract([0, 1], [0, 1], "mean"), "'mean' is not found from predictions"),
        (lambda: extract([0, 1], [0, 1], "f2"), "no metric 'f2'; did you mean"),
        (lambda: extract([0, 1], [0, 1], sample_weight=[1, -1]), "sample_weight needs"),
        (lambda: extract([["a"]], ["a"], "squad_em", sample_weight=[1]), "'squad_em' does not take sample_weight"),
        (
            lambda: extract([[[0]]], [[[0]]]),
            r"y_true needs one label per item, or an indicator matrix; got .*\(1, 1, 1\)",
        ),
        (lambda: extract([[("x", 0, 1)]], [[], []], "span_f1"), "A has 2 items, y_true has 1"),
        (
            lambda: extract([["O", "O"]], [["B-x", ""]], "span_f1"),
            "item 0 of A: the tag of word 1 is empty; outside of spans it is 'O'",
        ),
        (lambda: extract([[0, 2]], [[0, 1]], "f1", average="micro"), "y_true has other values"),
        (lambda: extract([[0, 1]], [[0, 1]], "f1"), 'average="binary" needs one label per item'),
        (lambda: extract([[0, 1]], [[0, 1]], "mcc"), "needs one label per item, not an indicator"),
        (
            lambda: extract([["O"]], [["O", "O"]], "span_f1"),
            "item 0 has 2 labels in A, and 1 in y_true",
        ),
        (
            lambda: extract([["O"]], [["X-a"]], "span_f1", scheme="IOB2"),
            "'X-a' of word 0 is not of the scheme",
        ),
        (
            lambda: extract([["O"]], [["O"]], "span_f1", scheme="BIO"),
            "scheme must be None or one of",
        ),
        (lambda: extract([["O"]], [["O"], ["O"]], "token_accuracy"), "A has 2 items, y_true has 1"),
        (lambda: extract(["a"], ["a", "b"], "wer"), "A has 2 texts, y_true has 1"),
        (
            lambda: extract([0, 1], [0, 1], "f1", average="weighted", zero_division=0, beta=2),
            "beta",
        ),
    ],
)
def test_predictions(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


TAGS = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
SENTENCES = ["The cat sat there .", "A dog ran to the house ."]


@pytest.mark.parametrize(
    ("gold", "metric", "options", "name"),
    [
        ([0, 1, 1], "f1", {}, "f1"),
        ([0, 1, 1], "f1", {"pos_label": 1, "average": "binary"}, "f1"),
        ([0, 1, 1], "f1", {"pos_label": 0}, "f1(pos_label=0)"),
        (["a", "b", "b"], "f1", {"pos_label": np.str_("a")}, "f1(pos_label='a')"),
        (["a", "b", "c"], "f1", {"average": "micro", "labels": np.array(["a"])}, "f1(average='micro', labels=['a'])"),
        (["a", "b", "b"], "specificity", {"pos_label": "b"}, "specificity(pos_label='b')"),
        (["a", "b", "b"], "fbeta", {"beta": 2, "pos_label": "a"}, "fbeta(beta=2, pos_label='a')"),
        (["a", "b", "c"], "precision", {"average": "micro"}, "precision(average='micro')"),
        (["a", "b", "c"], "recall", {"average": "micro", "labels": ["a"]}, "recall(average='micro', labels=['a'])"),
        (["a", "b", "c"], "f1", {"average": "macro"}, "macro_f1(labels=['a', 'b', 'c'])"),
        (TAGS, "span_f1", {}, "span_f1"),
        (TAGS, "span_f1", {"scheme": "IOB2"}, "span_f1(scheme='IOB2')"),
        (SENTENCES, "bleu", {"lowercase": True, "tokenize": "char"}, "bleu(lowercase=True, tokenize='char')"),
    ],
)
def test_the_name_holds_all_that_changes_the_value(gold, metric, options, name):
    """So that a result can be repeated from its signature."""
    assert metrics.extract(gold, {"A": gold, "B": gold[::-1]}, metric, **options)[0].name == name
    if metric != "span_f1" and "macro" not in name:  # what the name says, written as a metric, is the same
        assert compare({"A": gold, "B": gold[::-1]}, y_true=gold, metric=name).pairs[0].metric == name


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    with refused(r"metric 'bleu' needs sacrebleu: pip install 'exactperm\[mt\]'", ImportError):
        extract(["a"], ["a"], "bleu")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: extract("abc", ["a"], "accuracy"), "y_true must be a sequence of labels"),
        (
            lambda: extract(["1", "0"], [1, 0]),
            "labels of y_true are strings, those of A are numbers",
        ),
        (lambda: extract("abc", ["a", "b", "c"], "wer"), "y_true must be a sequence of texts"),
        (lambda: extract(["a"], [1], "cer"), "A must hold texts; item 0 is 1"),
        (
            lambda: extract(["a"], ["a"], "bleu", smooth_method="none"),
            "'bleu' takes tokenize, lowercase",
        ),
        (lambda: extract(["B-x"], ["B-x"], "span_f1"), "must be a sequence of tags or of spans"),
        (lambda: extract([[(0, 1)]], [[3]], "span_f1"), "tags .strings. or spans .tuples."),
        (lambda: extract(["ab"], ["ab"], "token_accuracy"), "a sequence of labels, one per word"),
        (
            lambda: extract([0, 1], [0, 1], sample_weight=[0.5, 1]),
            "sample_weight must hold integers",
        ),
        (
            lambda: extract([0, 1], [0, 1], "f1", average="macro", labels="ab"),
            "labels must be a list",
        ),
    ],
)
def test_types_of_predictions(call, message):
    with refused(message, TypeError):
        call()
