"""Values from predictions agree with the libraries that users report them with."""

import warnings

import numpy as np
import pytest

from exactperm import metrics

#: logarithms of NumPy and of the C library differ in the last place, and BLEU adds up four of them
ROUNDING = 4e-15

SAME = 4e-16  # the oracles add and divide in floats: two ulp


def value_of(y_true, y_pred, metric, **options):
    found, counts = metrics.extract(y_true, {"a": y_pred}, metric, **options)
    effects = found.effects(counts["a"], counts["a"])
    a, b, difference = found.scores(effects)
    assert a == b
    assert difference == 0
    return a


def two_classes(rng):
    n = int(rng.integers(4, 200))
    y = rng.random((2, n)) < rng.uniform(0.1, 0.9)
    y[0, :2] = y[1, 1:3] = 0, 1
    return y.astype(int)


def several_classes(rng):
    n, k = int(rng.integers(10, 200)), int(rng.integers(3, 7))
    gold = rng.integers(0, k, n)
    gold[:k] = np.arange(k)
    names = np.array(["cat", "dog", "cow", "elk", "fox", "gnu"])
    return names[gold], names[np.where(rng.random(n) < 0.6, gold, rng.integers(0, k, n))]


@pytest.fixture
def sklearn_metrics():
    return pytest.importorskip("sklearn.metrics")


AVERAGED = [
    (name, average)
    for name in ("precision", "recall", "f1", "fbeta", "jaccard")
    for average in ("binary", "micro", "macro", "weighted")
]


@pytest.mark.parametrize(("name", "average"), AVERAGED)
def test_averages_agree_with_scikit_learn(sklearn_metrics, name, average):
    rng = np.random.default_rng([len(name), len(average)])
    options = {"beta": 0.5} if name == "fbeta" else {}
    oracle = getattr(sklearn_metrics, "fbeta_score" if name == "fbeta" else f"{name}_score")
    for _ in range(30):
        gold, predicted = two_classes(rng) if average == "binary" else several_classes(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = oracle(gold, predicted, average=average, **options)
        assert value_of(gold, predicted, name, average=average, **options) == pytest.approx(want, rel=SAME, abs=0)


@pytest.mark.parametrize("average", ["binary", "micro", "macro", "weighted"])
@pytest.mark.parametrize("zero_division", [0, 1])
@pytest.mark.parametrize("name", ["precision", "recall", "f1", "fbeta", "jaccard"])
def test_zero_division_agrees_with_scikit_learn(sklearn_metrics, name, average, zero_division):
    gold = [0, 0, 1, 0] if average == "binary" else ["a", "a", "b", "c"]
    predicted = [0, 0, 0, 0] if average == "binary" else ["a", "b", "b", "d"]
    options = {"zero_division": zero_division, **({"beta": 2} if name == "fbeta" else {})}
    if (name, average, zero_division) == ("precision", "weighted", 1):
        with pytest.raises(ValueError, match=r"counts 0 / 0 as 0; leave zero_division=1 out, or use average=.macro"):
            value_of(gold, predicted, name, average=average, **options)
        return
    want = getattr(sklearn_metrics, f"{name}_score")(gold, predicted, average=average, **options)
    found = value_of(gold, predicted, name, average=average, **options)
    assert found == pytest.approx(want, rel=SAME, abs=0)


@pytest.mark.parametrize("classes", [two_classes, several_classes])
@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("accuracy", "accuracy_score"),
        ("mcc", "matthews_corrcoef"),
        ("cohen_kappa", "cohen_kappa_score"),
        ("balanced_accuracy", "balanced_accuracy_score"),
    ],
)
def test_tables_agree_with_scikit_learn(sklearn_metrics, name, oracle, classes):
    rng = np.random.default_rng(len(name))
    for _ in range(30):
        gold, predicted = classes(rng)
        # kappa and mcc subtract in floats there, so a small value has fewer digits
        want = getattr(sklearn_metrics, oracle)(gold, predicted)
        assert value_of(gold, predicted, name) == pytest.approx(want, rel=1e-13, abs=1e-15)


def test_specificity_is_the_recall_of_the_other_class(sklearn_metrics):
    rng = np.random.default_rng(5)
    for _ in range(30):
        gold, predicted = two_classes(rng)
        want = sklearn_metrics.recall_score(gold, predicted, pos_label=0)
        assert value_of(gold, predicted, "specificity") == pytest.approx(want, rel=SAME, abs=0)


def test_balanced_accuracy_is_over_the_classes_of_the_gold_standard(sklearn_metrics):
    gold, predicted = list("aabbccab"), list("abdbcdab")
    with pytest.warns(UserWarning, match="not in y_true"):
        want = sklearn_metrics.balanced_accuracy_score(gold, predicted)
    assert value_of(gold, predicted, "balanced_accuracy") == pytest.approx(want, rel=SAME, abs=0)


def test_some_labels_only(sklearn_metrics):
    rng = np.random.default_rng(6)
    for average in ("micro", "macro", "weighted"):
        for name in ("f1", "recall", "precision", "jaccard"):
            gold, predicted = several_classes(rng)
            options = {"labels": ["cow", "cat"], "average": average}
            want = getattr(sklearn_metrics, f"{name}_score")(gold, predicted, **options)
            assert value_of(gold, predicted, name, **options) == pytest.approx(want, rel=SAME, abs=0)


def test_indicator_matrices(sklearn_metrics):
    rng = np.random.default_rng(7)
    for average in ("micro", "macro", "weighted"):
        gold, predicted = (rng.random((2, 50, 4)) < 0.4).astype(int)
        for name in ("f1", "recall"):
            want = getattr(sklearn_metrics, f"{name}_score")(gold, predicted, average=average)
            assert value_of(gold, predicted, name, average=average) == pytest.approx(want, rel=SAME, abs=0)
    assert value_of(gold, predicted, "accuracy") == sklearn_metrics.accuracy_score(gold, predicted)


def test_integer_sample_weights(sklearn_metrics):
    rng = np.random.default_rng(8)
    for _ in range(20):
        gold, predicted = two_classes(rng)
        weight = rng.integers(0, 4, len(gold))
        weight[:4] = 1
        for name in ("accuracy", "f1", "precision"):
            want = getattr(sklearn_metrics, f"{name}_score")(gold, predicted, sample_weight=weight)
            found = value_of(gold, predicted, name, sample_weight=weight)
            assert found == pytest.approx(want, rel=SAME, abs=0)


def tagged(rng, tags, sentences=20):
    gold = [[str(t) for t in rng.choice(tags, rng.integers(1, 12))] for _ in range(sentences)]
    kept = [[t if rng.random() < 0.7 else str(rng.choice(tags)) for t in sentence] for sentence in gold]
    return gold, kept


ANY_TAGS = ["O", "O", "B-x", "I-x", "I-y", "B-y", "E-x", "S-y", "B", "I"]


def test_spans_agree_with_seqeval():
    seqeval = pytest.importorskip("seqeval.metrics")
    rng = np.random.default_rng(9)
    for _ in range(100):
        gold, predicted = tagged(rng, ANY_TAGS)
        want = seqeval.f1_score(gold, predicted)
        assert value_of(gold, predicted, "span_f1") == pytest.approx(want, rel=SAME, abs=0)


@pytest.mark.parametrize(("scheme", "prefixes"), [("IOB2", "BI"), ("IOE2", "IE"), ("IOBES", "BIES"), ("BILOU", "BILU")])
def test_spans_agree_with_strict_seqeval(scheme, prefixes):
    seqeval = pytest.importorskip("seqeval.metrics")
    schemes = pytest.importorskip("seqeval.scheme")
    rng = np.random.default_rng(len(prefixes))
    tags = ["O", *(f"{prefix}-{label}" for prefix in prefixes for label in "xy")]
    for _ in range(100):
        gold, predicted = tagged(rng, tags)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = seqeval.f1_score(gold, predicted, mode="strict", scheme=getattr(schemes, scheme))
        found = value_of(gold, predicted, "span_f1", scheme=scheme)
        assert found == pytest.approx(want, rel=SAME, abs=0)


def test_default_and_strict_spans_differ():
    gold = [["B-x", "I-x", "O", "B-y"]]
    predicted = [["I-x", "I-x", "O", "B-y"]]
    assert value_of(gold, predicted, "span_f1") == 1.0
    assert value_of(gold, predicted, "span_f1", scheme="IOB2") == 2 / 3


def test_spans_as_tuples():
    gold = [{(0, 2, "x"), (4, 5, "y")}, set()]
    predicted = [{(0, 2, "x")}, {(1, 2, "x")}]
    assert value_of(gold, predicted, "span_f1") == 0.5


WORDS = ["the", "a", "cat", "dog", "sat", "on", "mat", ",", ".", "ran", "fast", "blue"]


def texts(rng, n, longest=15):
    gold = [" ".join(rng.choice(WORDS, rng.integers(1, longest))) for _ in range(n)]
    changed = [" ".join(w for w in t.split() if rng.random() < 0.8) + " " + str(rng.choice(WORDS)) for t in gold]
    return gold, changed


@pytest.mark.parametrize(
    ("name", "scorer", "options"),
    [
        ("bleu", "BLEU", {}),
        ("bleu", "BLEU", {"lowercase": True, "tokenize": "char"}),
        ("chrf", "CHRF", {}),
        ("chrf++", "CHRF", {"word_order": 2}),
        ("ter", "TER", {}),
    ],
)
@pytest.mark.parametrize("n", [1, 3, 40])
def test_translation_agrees_with_sacrebleu(name, scorer, options, n):
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    rng = np.random.default_rng(n)
    ours = {key: value for key, value in options.items() if key != "word_order"}
    for _ in range(15):
        gold, system = texts(rng, n, longest=int(rng.integers(2, 20)))
        want = getattr(sacrebleu, scorer)(**options).corpus_score(system, [gold]).score
        assert value_of(gold, system, name, **ours) == pytest.approx(want, rel=ROUNDING, abs=0)


@pytest.mark.parametrize(("name", "scorer"), [("bleu", "BLEU"), ("chrf", "CHRF"), ("ter", "TER")])
def test_several_references(name, scorer):
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    rng = np.random.default_rng(11)
    gold, system = texts(rng, 12)
    other, _ = texts(rng, 12)
    third = [text if i % 2 else None for i, text in enumerate(other)]
    want = getattr(sacrebleu, scorer)().corpus_score(system, [gold, other, third]).score
    listed = [[g, o, *([t] if t else [])] for g, o, t in zip(gold, other, third, strict=True)]
    assert value_of(listed, system, name) == pytest.approx(want, rel=ROUNDING, abs=0)


def test_bleu_without_a_match_is_zero():
    assert value_of(["a b c d e"], ["x y z"], "bleu") == 0.0


def levenshtein(first, second):
    row = list(range(len(second) + 1))
    for i, x in enumerate(first, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(second, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


@pytest.mark.parametrize(("name", "split"), [("wer", str.split), ("cer", lambda text: list(text.strip()))])
def test_error_rates(name, split):
    rng = np.random.default_rng(12)
    for _ in range(10):
        gold, system = texts(rng, 30)
        system[0], gold[1] = "", " " + gold[1]
        edits = sum(levenshtein(split(s), split(g)) for s, g in zip(system, gold, strict=True))
        assert value_of(gold, system, name) == edits / sum(len(split(g)) for g in gold)


def test_squad_normalises_answers():
    assert value_of([["The cat!", "dog"], "x", "y"], ["cat", "an X.", "z"], "squad_em") == pytest.approx(200 / 3)


def test_words():
    assert value_of([["N", "V"], ["N"]], [["N", "N"], ["N"]], "token_accuracy") == 2 / 3
    assert value_of([[(2, "nsubj"), (0, "root")]], [[(2, "obj"), (0, "root")]], "las") == 0.5
