"""compare: from scores, counts or predictions of several systems to tested pairs, tiers and tables."""

import importlib.util
import itertools
import json
import math
import pickle
import warnings
from dataclasses import fields

import numpy as np
import pytest

import exactperm as xp
from exactperm import metrics
from exactperm.engines.auto import METHODS
from exactperm.engines.base import CannotAnswer
from exactperm.inference.multiplicity import adjust
from exactperm.inference.tiers import cliques, letter
from exactperm.metrics import extract

N = 120
PLAIN = [f.name for f in fields(xp.TestResult) if f.name != "problem"]


def labels_of(seed, classes=2, systems=3):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, classes, N)
    return gold, {
        name: np.where(rng.random(N) < 0.6 + 0.1 * i, gold, rng.integers(0, classes, N))
        for i, name in enumerate("ABCDEFG"[:systems])
    }


def same_bits(pair, result):
    for name in PLAIN:
        assert getattr(pair, name) == getattr(result, name) or name == "signature", name
    assert pair.signature.partition("|exactperm")[0] == result.signature.partition("|exactperm")[0]


# -- what comes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "options", "classes"),
    [
        ("accuracy", {}, 4),
        ("f1", {}, 2),
        ("f1", {"pos_label": 0}, 2),
        ("f1", {"average": "micro", "labels": [0, 2]}, 3),
        ("precision", {"average": "macro"}, 2),
        ("precision", {}, 2),
        ("recall", {}, 2),
        ("jaccard", {}, 2),
        ("mcc", {}, 2),
        ("cohen_kappa", {}, 2),
        ("balanced_accuracy", {}, 2),
        ("fbeta", {"beta": 2}, 2),
    ],
)
def test_labels_have_the_values_of_scikit_learn_and_the_p_values_of_paired_test(metric, options, classes):
    sklearn = pytest.importorskip("sklearn.metrics")
    gold, systems = labels_of(1, classes)
    result = xp.compare(systems, y_true=gold, metric=metric, **options)
    found, counts = extract(gold, systems, metric, **options)
    names = {"accuracy": "accuracy_score", "mcc": "matthews_corrcoef", "cohen_kappa": "cohen_kappa_score"}
    score = getattr(sklearn, names.get(metric, f"{metric}_score"))
    for name, predicted in systems.items():
        assert result.scores[name] == pytest.approx(score(gold, predicted, **options), rel=1e-12)
    assert [(p.a, p.b) for p in result.pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    for pair in result.pairs:
        if metric == "accuracy":
            same_bits(pair, xp.paired_test(systems[pair.a] == gold, systems[pair.b] == gold, metric="accuracy"))
        else:
            same_bits(pair, xp.paired_test(counts[pair.a], counts[pair.b], metric=found))
        assert pair.scores == (result.scores[pair.a], result.scores[pair.b])


def test_macro_f1_of_many_classes_is_sampled_and_says_so():
    gold, systems = labels_of(2, 6, systems=2)
    with pytest.warns(xp.SamplingWarning) as caught:
        result = xp.compare(systems, y_true=gold, metric="f1", average="macro", rng=3, n_resamples=5000)
    assert [w.filename for w in caught] == [__file__]  # the line that asked
    metric, counts = extract(gold, systems, "f1", average="macro")
    with pytest.warns(xp.SamplingWarning) as caught:
        single = xp.paired_test(counts["A"], counts["B"], metric=metric, rng=3, n_resamples=5000)
    assert [w.filename for w in caught] == [__file__]
    same_bits(result.pairs[0], single)
    assert not result.pairs[0].exact
    assert "~" in repr(result)
    assert "exact" not in result.pairs[0].verdict
    with pytest.raises(CannotAnswer, match=r"free dimensions.* use method='control-variate' or 'monte-carlo'"):
        xp.compare(systems, y_true=gold, metric="f1", average="macro", method="exact")


def test_an_exact_question_of_fifty_classes_is_refused_with_the_way_out():
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 50, 800)
    systems = {name: np.where(rng.random(800) < 0.5, gold, rng.integers(0, 50, 800)) for name in "AB"}
    with pytest.raises(CannotAnswer, match=r"99 free dimensions.* use method='control-variate' or 'monte-carlo'"):
        xp.compare(systems, y_true=gold, metric="f1", average="macro", method="exact")


def test_spans_have_the_values_of_seqeval():
    seqeval = pytest.importorskip("seqeval.metrics")
    rng = np.random.default_rng(5)
    tags = np.array(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
    gold = [tags[rng.integers(0, 5, int(rng.integers(1, 9)))].tolist() for _ in range(N)]
    systems = {
        name: [[str(rng.choice(tags)) if rng.random() < 0.3 else tag for tag in sentence] for sentence in gold]
        for name in "AB"
    }
    result = xp.compare(systems, y_true=gold, metric="span_f1")
    for name, predicted in systems.items():
        assert result.scores[name] == pytest.approx(seqeval.f1_score(gold, predicted), rel=1e-12)
    _, counts = extract(gold, systems, "span_f1")
    same_bits(result.pairs[0], xp.paired_test(counts["A"], counts["B"], metric="span_f1"))


def test_word_error_rate_is_better_when_it_is_lower():
    gold = ["the cat sat on the mat", "a dog", "one two three four"] * 10
    systems = {"good": gold, "bad": [text.replace("the", "a").replace("two", "to") for text in gold]}
    result = xp.compare(systems, y_true=gold, metric="wer")
    (pair,) = result.pairs
    assert result.scores == {"good": 0.0, "bad": 0.25}
    assert result.ranking == ("good", "bad")
    assert (pair.statistic, pair.better) == (-0.25, "good")
    assert (pair.wins, pair.losses, pair.ties) == (20, 0, 10)
    assert pair.pvalue == 2.0**-19
    assert "good is better than bad" in pair.verdict
    greater = xp.compare(systems, y_true=gold, metric="wer", alternative="greater").pairs[0]
    assert (greater.pvalue, greater.better) == (2.0**-20, "good")


def test_bleu_has_the_value_of_sacrebleu():
    sacrebleu = pytest.importorskip("sacrebleu")
    rng = np.random.default_rng(6)
    words = np.array(["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "tree", "and", "then"])
    gold = [" ".join(words[rng.integers(0, 12, 12)]) for _ in range(60)]
    systems = {
        name: [" ".join(w if rng.random() < q else str(rng.choice(words)) for w in text.split()) for text in gold]
        for name, q in (("A", 0.8), ("B", 0.75))
    }
    with pytest.warns(xp.SamplingWarning):
        result = xp.compare(systems, y_true=gold, metric="bleu", rng=7, n_resamples=4000, tokenize="none")
    for name, texts in systems.items():
        assert result.scores[name] == pytest.approx(sacrebleu.corpus_bleu(texts, [gold], tokenize="none").score)
    low, high = result.pairs[0].pvalue_interval
    assert low <= result.pairs[0].pvalue <= high


def counts_of(seed):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 4, N)
    systems = {}
    for name in "ABC":
        tp = rng.binomial(gold, 0.7)
        systems[name] = {"tp": tp, "fp": rng.integers(0, 3, N), "fn": gold - tp}
    return systems


def test_counts():
    systems = counts_of(8)
    groups = np.arange(N) // 3
    for labels in (None, groups, [f"document {g}" for g in groups]):
        result = xp.compare(systems, metric="f1", groups=labels)
        for pair in result.pairs:
            same_bits(pair, xp.paired_test(systems[pair.a], systems[pair.b], metric="f1", groups=labels))
            assert pair.wins is None  # more true and more false positives: who won the item?
    by_order = {name: np.stack(list(x.values()), axis=1) for name, x in systems.items()}
    assert [p.pvalue for p in xp.compare(by_order, metric="f1").pairs] == [
        p.pvalue for p in xp.compare(systems, metric="f1").pairs
    ]


def scores_of(seed, decimals=None):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=N)
    columns = {name: base + rng.normal(0.1 * i, 0.5, N) for i, name in enumerate("ABC")}
    return {name: np.rint(3 * x).astype(int) if decimals is None else x.round(decimals) for name, x in columns.items()}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("decimals", [None, 3])
def test_frames(library, decimals):
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    scores = scores_of(9, decimals)
    result = xp.compare(make(scores))
    for pair in result.pairs:
        same_bits(pair, xp.paired_test(scores[pair.a], scores[pair.b]))
    documents = [f"d{i // 4}" for i in range(N)]
    grouped = xp.compare(make({**scores, "document": documents}), groups="document")
    assert [p.pvalue for p in grouped.pairs] == [p.pvalue for p in xp.compare(scores, groups=documents).pairs]
    gold, systems = labels_of(10)
    text = {name: np.where(x == 1, "yes", "no") for name, x in {**systems, "gold": gold}.items()}
    predicted = xp.compare(make(text), y_true="gold", metric="f1", pos_label="yes")
    assert [p.pvalue for p in predicted.pairs] == [
        p.pvalue for p in xp.compare(systems, y_true=gold, metric="f1").pairs
    ]
    counts = counts_of(8)
    framed = xp.compare({name: make(x) for name, x in counts.items()}, metric="f1")
    assert [p.pvalue for p in framed.pairs] == [p.pvalue for p in xp.compare(counts, metric="f1").pairs]
    with pytest.raises(TypeError, match=r"column 'document' .*holds text.*groups="):
        xp.compare(make({**scores, "document": documents}))
    frame = result.to_frame()
    assert type(frame).__module__.startswith(library)
    assert list(getattr(frame, "column_names", frame.columns))[:3] == ["metric", "a", "b"]


@pytest.mark.parametrize("decimals", [None, 3])
def test_groups_change_sides_together(decimals):
    scores = scores_of(9, decimals)
    documents = [f"document {i // 4}" for i in range(N)]
    for pair in xp.compare(scores, groups=documents).pairs:
        assert pair.n_groups == N / 4
        same_bits(pair, xp.paired_test(scores[pair.a], scores[pair.b], groups=documents))


def test_missing_scores_are_dropped_pair_by_pair():
    scores = {name: x.astype(float) for name, x in scores_of(11).items()}
    scores["A"][3] = scores["B"][5] = math.nan
    with pytest.raises(ValueError, match=r"systems\['A'\] has 1 missing values.* index 3; nan_policy"):
        xp.compare(scores)
    result = xp.compare(scores, nan_policy="omit")
    assert [p.n_items for p in result.pairs] == [N - 2, N - 1, N - 1]
    for pair in result.pairs:
        same_bits(pair, xp.paired_test(scores[pair.a], scores[pair.b], nan_policy="omit"))
    for name, x in scores.items():
        assert result.scores[name] == pytest.approx(np.nanmean(x), rel=1e-14)


def test_options_and_written_options_are_the_same():
    gold, systems = labels_of(12)
    by_keyword = xp.compare(systems, y_true=gold, metric="fbeta", beta=2)
    written = xp.compare(systems, y_true=gold, metric="fbeta(beta=2)")
    assert by_keyword.metric == written.metric == "fbeta(beta=2)"
    assert [p.pvalue for p in by_keyword.pairs] == [p.pvalue for p in written.pairs]


def test_sample_weight_counts_an_item_more_than_once():
    gold, systems = labels_of(13, systems=2)
    weight = np.arange(N) % 3
    weighted = xp.compare(systems, y_true=gold, sample_weight=weight)
    (pair,) = weighted.pairs
    right = {name: (x == gold) * weight for name, x in systems.items()}
    assert pair.pvalue == xp.paired_test(right["A"], right["B"]).pvalue
    assert weighted.scores["A"] == right["A"].sum() / weight.sum()


def test_a_metric_of_ones_own():
    rng = np.random.default_rng(14)
    systems = {name: rng.integers(0, 5, (25, 2)) for name in "ABC"}
    quotient = [
        xp.Metric("q", ("hits", "cost"), value=lambda hits, cost: hits / (1 + cost)),
        xp.Metric("q", ("hits", "cost"), ratio=lambda hits, cost: (hits, 1 + cost)),
        xp.Metric("q", ("hits", "cost"), h=lambda h1, c1, h2, c2: h1 / (1 + c1) - h2 / (1 + c2), antisymmetric=True),
    ]
    results = [xp.compare(systems, metric=metric) for metric in quotient]
    for pairs in zip(*(result.pairs for result in results), strict=True):
        assert pairs[0].pvalue == pytest.approx(pairs[1].pvalue, rel=1e-12)
        assert pairs[0].pvalue == pytest.approx(pairs[2].pvalue, rel=1e-12)
        assert pairs[0].statistic == pytest.approx(pairs[2].statistic, rel=1e-12)
    assert set(results[2].scores.values()) == {None}  # h has no value of one system
    assert results[2].ranking == ("A", "B", "C")
    repr(results[2])
    assert results[0].scores["A"] == pytest.approx(systems["A"][:, 0].sum() / (1 + systems["A"][:, 1].sum()))


# -- identical systems, and nearly identical ones ---------------------------------------------------------------

NEEDED = {"beta": 2, "labels": ["x", "y", "z"]}


def declared(name):
    return metrics.get(name, **{key: NEEDED[key] for key in metrics.options(name) if key in NEEDED})


def sound_counts(metric):
    """Counts of twelve items with which a metric has no fault to find."""
    counts = np.random.default_rng(15).integers(1, 9, (12, len(metric.sums)))
    for part, _ in metric.within:
        counts[:, metric.sums.index(part)] = 1
    if metric.name.startswith("multiclass_") and "correct" in metric.sums:
        counts[:, :3] = counts[:, 3:6]
        counts[:, -1] = 1
    return counts


def differing_in_one_item(metric, counts):
    """The same counts but for one item, on which the metric's value depends."""
    k = counts.shape[1]
    unit = np.eye(k, dtype=int)
    moves = [*unit, *(unit[i] - unit[j] for i, j in itertools.permutations(range(k), 2))]
    for move in moves:
        changed = counts.copy()
        changed[4] += move
        try:
            if metric.scores(metric.effects(counts, changed))[2]:
                return changed
        except ValueError:
            continue  # what the gold standard fixes cannot differ
    raise AssertionError(f"no single item changes {metric.name}")


def attempt(a, b, metric, method):
    if metric.additive:  # one number per item
        a, b = a[:, 0], b[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xp.SamplingWarning)
        return xp.paired_test(a, b, metric=metric, method=method, rng=0, n_resamples=50)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", metrics.names())
def test_an_identical_copy_and_a_single_difference_have_p_one(name, method):
    metric = declared(name)
    counts = sound_counts(metric)
    same = attempt(counts, counts, metric, method)
    assert (same.pvalue, same.log_pvalue, same.min_pvalue, same.statistic) == (1.0, 0.0, 1.0, 0.0)
    changed = differing_in_one_item(metric, counts)
    for a, b in ((counts, changed), (changed, counts)):
        result = attempt(a, b, metric, method)
        assert result.statistic != 0
        assert result.pvalue == result.pvalue_interval.high == 1.0
        assert result.log_pvalue == 0.0
        assert result.min_pvalue == 1.0
        assert result.n_groups - result.n_tied == 1


def test_identical_systems_are_not_testable():
    scores = scores_of(16)
    result = xp.compare({"one": scores["A"], "two": scores["A"], "three": scores["C"]})
    pair = next(p for p in result.pairs if (p.a, p.b) == ("one", "two"))
    assert (pair.outcome, pair.pvalue_adjusted) == ("not testable", 1.0)
    assert (pair.wins, pair.losses, pair.ties) == (0, 0, N)
    assert "tied on every item" in pair.verdict


# -- what follows ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("correction", ["none", "holm", "hochberg", "hommel", "bonferroni", "bh", "by"])
def test_p_values_are_adjusted(correction):
    result = xp.compare(scores_of(17), correction=correction)
    p = [pair.pvalue for pair in result.pairs]
    assert [pair.pvalue_adjusted for pair in result.pairs] == adjust(p, correction).tolist()
    for pair in result.pairs:
        low, high = pair.pvalue_adjusted_interval
        assert low <= pair.pvalue_adjusted <= high
        assert pair.significant == (pair.pvalue_adjusted <= 0.05)
        assert math.exp(pair.log_pvalue_adjusted) == pytest.approx(pair.pvalue_adjusted, rel=1e-12)


def test_tiny_p_values_stay_apart():
    n = 3000
    systems = {"A": np.ones(n, dtype=int), "B": np.zeros(n, dtype=int), "C": -(np.arange(n) % 2)}
    result = xp.compare(systems)
    logs = {(p.a, p.b): p.log_pvalue_adjusted / math.log(10) for p in result.pairs}
    assert logs["A", "B"] == pytest.approx(-2999 * math.log10(2) + math.log10(3))
    assert logs["A", "B"] == logs["A", "C"] < logs["B", "C"] < -400
    assert "10^-902.3" in repr(result)
    assert "$10^{-902.3}$" in result.to_latex()


def test_a_p_value_equal_to_alpha_is_significant():
    a, b = [1] * 6, [0] * 6
    pair = xp.compare({"A": a, "B": b}, alpha=2.0**-5).pairs[0]
    assert (pair.pvalue, pair.outcome) == (2.0**-5, "different")


def test_not_testable_is_not_the_same_as_not_different():
    five = xp.compare({"A": [1] * 5, "B": [0] * 5}).pairs[0]
    assert (five.pvalue, five.outcome, five.significant) == (2.0**-4, "not testable", False)
    assert "Not testable: A and B differ on 5 of 5 pairs" in five.verdict
    six = xp.compare({"A": [1] * 5 + [0], "B": [0] * 5 + [1]}).pairs[0]
    assert (six.outcome, six.significant) == ("not different", False)
    assert "do not show a difference" in six.verdict


def test_a_sampled_p_value_near_alpha_is_undecided():
    gold, systems = labels_of(18, 2, systems=2)
    exact = xp.compare(systems, y_true=gold, metric="f1").pairs[0]
    few = {"method": "monte-carlo", "n_resamples": 200, "rng": 0}
    sampled = xp.compare(systems, y_true=gold, metric="f1", alpha=exact.pvalue, **few).pairs[0]
    assert (sampled.outcome, sampled.better) == ("undecided", None)
    assert "Undecided" in sampled.verdict
    assert exact.outcome != "undecided"


def test_tiers_overlap():
    # each system is one wrong item further than the one before; ten wrong items make a difference
    n = 100
    systems = {f"s{k}": (np.arange(n) >= k).astype(int) for k in range(0, 24, 4)}
    result = xp.compare(systems, correction="none")
    apart = {(p.a, p.b) for p in result.pairs if p.significant}
    assert result.ranking == ("s0", "s4", "s8", "s12", "s16", "s20")
    assert result.tiers == (("s0", "s4"), ("s4", "s8"), ("s8", "s12"), ("s12", "s16"), ("s16", "s20"))
    assert result.letters == {"s0": "a", "s4": "ab", "s8": "bc", "s12": "cd", "s16": "de", "s20": "e"}
    for a, b in itertools.combinations(result.ranking, 2):
        assert ((a, b) in apart) == (not set(result.letters[a]) & set(result.letters[b]))


def test_cliques_are_all_maximal_ones():
    rng = np.random.default_rng(19)
    for n in (1, 2, 3, 5, 8):
        for _ in range(20):
            apart = {pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.4}
            free = [
                set(s)
                for k in range(1, n + 1)
                for s in itertools.combinations(range(n), k)
                if not any(pair in apart for pair in itertools.combinations(s, 2))
            ]
            maximal = [s for s in free if not any(s < other for other in free)]
            assert cliques(n, apart) == sorted(tuple(sorted(s)) for s in maximal)
    assert [letter(i) for i in (0, 25, 26, 51, 52)] == ["a", "z", "A", "Z", "a1"]


def test_a_baseline_is_compared_with_each_of_the_others():
    scores = scores_of(20)
    result = xp.compare(scores, baseline="B", alternative="greater")
    assert [(p.a, p.b) for p in result.pairs] == [("A", "B"), ("C", "B")]
    for pair in result.pairs:
        same_bits(pair, xp.paired_test(scores[pair.a], scores["B"], alternative="greater"))
    assert result.tiers == ()
    assert result.letters == {"A": "", "B": "", "C": ""}
    assert result.verdict.startswith("B ")


def test_one_sided_comparisons_speak_of_their_side():
    right = {"A": [1] * 20, "B": [0] * 20, "C": [1, 0] * 10}
    greater = xp.compare(right, baseline="C", alternative="greater")
    assert greater.verdict.startswith("C is worse than A; not shown to be worse than B (exact one-sided")
    assert "not better" in greater.to_markdown()
    less = xp.compare(right, baseline="C", alternative="less")
    assert less.verdict.startswith("C is better than B; not shown to be better than A (exact one-sided")
    assert [p.better for p in less.pairs] == [None, "C"]
    assert "that A is worse than C" in less.pairs[0].verdict


def test_a_pair_alone_can_be_written_down():
    pair = xp.compare({"one_a": [1] * 20, "two": [0] * 20}, correction="none").pairs[0]
    assert pair.to_markdown().splitlines()[-1] == "| one_a | two | +1.0000 | 1.9e-06 | 20-0-0 | better |"
    assert pair.to_latex().splitlines()[4] == (r"one\_a & two & $+1.0000$ & $1.9\cdot 10^{-6}$ & 20-0-0 & better \\")
    assert "20 won, 0 lost, 0 tied by one_a" in repr(pair)


def test_exchanging_systems_changes_no_bit():
    scores = scores_of(21, 3)
    one, other = xp.compare(scores), xp.compare(dict(reversed(scores.items())))
    values = {frozenset((p.a, p.b)): (p.pvalue, p.pvalue_adjusted, p.pvalue_interval) for p in other.pairs}
    assert {frozenset((p.a, p.b)): (p.pvalue, p.pvalue_adjusted, p.pvalue_interval) for p in one.pairs} == values
    assert one.tiers == other.tiers


def test_everything_can_be_written_down():
    gold, systems = labels_of(22, 3)
    result = xp.compare(systems, y_true=gold)
    again = json.loads(result.to_json())
    assert again["schema"] == 1
    assert [s["name"] for s in again["systems"]] == list(result.ranking)
    assert again["pairs"][0]["pvalue_adjusted"] == result.pairs[0].pvalue_adjusted
    assert again["pairs"][0]["significant"] is result.pairs[0].significant
    assert again["verdict"] == result.verdict
    copy = pickle.loads(pickle.dumps(result))
    assert copy.to_dict() == result.to_dict()
    assert copy.pairs[0].as_fraction() == result.pairs[0].as_fraction()
    systems_table, pairs_table = result.to_markdown().split("\n\n")
    assert len(systems_table.splitlines()) == 2 + 3
    assert len(pairs_table.splitlines()) == 2 + 3
    assert all(line.count("|") == pairs_table.splitlines()[0].count("|") for line in pairs_table.splitlines())
    statistic, pvalue = result.pairs[0]
    assert (statistic, pvalue) == (result.pairs[0].statistic, result.pairs[0].pvalue)


def test_latex_is_escaped():
    scores = scores_of(23)
    result = xp.compare({"a_b & 50%": scores["A"], "plain": scores["B"]})
    assert r"a\_b \& 50\%" in result.to_latex()
    assert "a_b & 50%" in result.to_markdown()


def test_the_printed_form():
    right = {"A": [1] * 9 + [0], "B": [0] * 8 + [1, 1], "C": [0, 1] * 5}
    assert repr(xp.compare(right, correction="none")).splitlines() == [
        "system    mean  tier",
        "A       0.9000  a",
        "C       0.5000  ab",
        "B       0.2000  b",
        "",
        "system  against  difference      p  won-lost-tied  outcome",
        "A       C          +0.40000  0.219          5-1-4  not different",
        "A       B          +0.70000  0.039          8-1-1  better",
        "B       C          -0.30000  0.375          1-4-5  not testable",
        "",
        "A has the best score and is better than B; not told apart from C "
        "(exact two-sided paired-permutation tests, not corrected, level 0.05).",
    ]


def test_many_pairs_are_not_all_printed():
    rng = np.random.default_rng(24)
    result = xp.compare({f"s{i}": rng.integers(0, 3, 30) for i in range(12)})
    assert "... and 36 more pairs" in repr(result)
    assert len(result.pairs) == 66


# -- bad input -------------------------------------------------------------------------------------------------

SCORES = {"A": [1, 2, 3, 4], "B": [1, 3, 3, 2]}
GOLD = ["x", "y", "x", "y"]
LABELS = {"A": ["x", "x", "x", "y"], "B": ["y", "y", "x", "x"]}
COUNTS = {name: {"tp": [1, 0], "fp": [0, 1], "fn": [0, 1]} for name in "AB"}


@pytest.mark.parametrize(
    ("systems", "options", "error", "message"),
    [
        ([1, 2], {}, TypeError, r"mapping from names to data.* not a list"),
        ("scores.csv", {}, TypeError, r"mapping from names to data.* not 'scores.csv'"),
        ({"A": [1, 2]}, {}, ValueError, "needs two systems or more; got A"),
        ({1: [1, 2], "1": [1, 2]}, {}, ValueError, "two systems have the same name"),
        (SCORES, {"baseline": "Z"}, ValueError, "baseline='Z' is none of the systems; they are A, B"),
        ({"A": [1, 2], "B": [1, 2, 3]}, {}, ValueError, "same items in the same order; they have A 2, B 3"),
        ({"A": [[1, 2]], "B": [[1, 2]]}, {}, ValueError, r"systems\['A'\] must hold one score per item, not shape"),
        (LABELS, {}, TypeError, r"systems\['A'\] must hold numbers or booleans, not text; .*y_true"),
        (SCORES, {"alpha": 5}, ValueError, "alpha must be between 0 and 1, not 5"),
        (SCORES, {"correction": "sidak"}, ValueError, "correction must be one of none, bonferroni"),
        (SCORES, {"alternative": "larger"}, ValueError, 'alternative must be "two-sided"'),
        (SCORES, {"method": "fft"}, ValueError, "method must be one of auto"),
        (SCORES, {"average": "macro"}, TypeError, "average is for predictions with a gold standard; give y_true"),
        (SCORES, {"groups": [1, 2]}, ValueError, "groups needs one label per item: 4 of them"),
        (SCORES, {"groups": "doc"}, TypeError, "groups='doc' can name a column of a data frame only"),
        (
            {"A": [["O"], ["O", "B-X"]], "B": [["O"], ["O", "O"]]},
            {"y_true": [["O"], ["O", "O"]]},
            ValueError,
            'y_true holds sequences of labels .*"token_accuracy" and "span_f1"',
        ),
        (SCORES, {"metric": "f1"}, ValueError, r"needs an array of shape \(items, k\).*systems\['A'\] has shape"),
        (SCORES, {"beta": 2}, TypeError, "metric 'mean' takes higher_is_better; got beta"),
        (COUNTS, {}, TypeError, "need a metric, as in metric='f1'"),
        (LABELS, {"y_true": GOLD[:3]}, ValueError, r"A has labels of shape \(4,\), y_true of shape \(3,\)"),
        (LABELS, {"y_true": GOLD, "metric": "f1"}, ValueError, "pos_label=1 does not occur; the labels are 'x', 'y'"),
        (LABELS, {"y_true": GOLD, "metric": "f1", "average": "macro", "labels": ["x", "z"]}, ValueError, "has 'z'"),
        (LABELS, {"y_true": GOLD, "metric": "las2"}, ValueError, "no metric 'las2'; did you mean 'las'"),
        (LABELS, {"y_true": GOLD, "metric": []}, ValueError, "metric is an empty list; name one metric or more"),
        (LABELS, {"y_true": GOLD, "metric": "fbeta", "pos_label": "x"}, TypeError, r'as in "fbeta\(beta=...\)"'),
        (LABELS, {"y_true": GOLD, "metric": metrics.get("f1")}, TypeError, "with y_true the metric is given by name"),
        (LABELS, {"y_true": [1, 0, 1, 0]}, TypeError, "labels of y_true are numbers, those of A are strings"),
        ({**LABELS, "A": ["x", float("nan"), "x", "y"]}, {"y_true": GOLD}, ValueError, "A has no label for item 1"),
        ({**LABELS, "A": ["x", 3, "x", "y"]}, {"y_true": GOLD}, TypeError, "A mixes strings and other labels"),
        (
            {**COUNTS, "B": {"tp": [1, 1], "fp": [0, 1], "fn": [0, 1]}},
            {"metric": "f1"},
            ValueError,
            r"tp \+ fn .*must be the same for systems\['A'\] and systems\['B'\]; item 1 has 1 .* and 2 ",
        ),
        (
            {**COUNTS, "B": {"tp": [1, -1], "fp": [0, 1], "fn": [0, 2]}},
            {"metric": "f1"},
            ValueError,
            r"cannot be negative: systems\['B'\] has tp = -1 at item 1",
        ),
        (
            {**COUNTS, "B": {"tp": [1, 3], "pred": [3, 3], "gold": [1, 1]}},
            {"metric": "f1"},
            ValueError,
            r"tp cannot be larger than gold: systems\['B'\] has tp = 3 and gold = 1 at item 1",
        ),
        ({**COUNTS, "B": {"tp": [1, 0]}}, {"metric": "f1"}, ValueError, r"systems\['B'\] came without fp, fn"),
        (
            {**COUNTS, "B": {"tp": [1, 0], "incorrect": [0, 2]}},
            {"metric": "f1"},
            ValueError,
            r"systems\['B'\] has the sums \(tp, incorrect\), but systems\['A'\] has \(tp, fp, fn\)",
        ),
    ],
)
def test_bad_input_is_refused_with_the_way_out(systems, options, error, message):
    with pytest.raises(error, match=message):
        xp.compare(systems, **options)


def test_labels_in_an_array_of_another_library():
    pa = pytest.importorskip("pyarrow")
    plain = xp.compare(LABELS, y_true=GOLD)
    arrays = xp.compare({name: pa.array(labels) for name, labels in LABELS.items()}, y_true=pa.array(GOLD))
    assert arrays.to_dict() == plain.to_dict()


def test_a_statistic_of_ones_own_has_no_scores_to_show():
    ahead = xp.Metric("ahead", ("x",), h=lambda x, y: (x - y) * 1.0, antisymmetric=True)
    [pair] = xp.compare({"A": [[3], [2], [4]], "B": [[1], [2], [5]]}, metric=ahead).pairs
    assert pair.scores == (None, None)
    assert [line.split()[0] for line in repr(pair).splitlines()] == ["pair", "p", "statistic", "verdict", "signature"]


def test_a_frame_is_of_the_first_library_that_is_installed(monkeypatch):
    polars, find = pytest.importorskip("polars"), importlib.util.find_spec
    result = xp.compare(SCORES)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pandas" else find(name))
    assert isinstance(result.to_frame(), polars.DataFrame)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"to_frame needs pandas, polars or pyarrow; rows\(\) holds the same"):
        result.to_frame()


def test_bad_frames():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    with pytest.raises(ValueError, match="two columns A"):
        xp.compare(pandas.DataFrame([[1, 2], [3, 4]], columns=["A", "A"]))
    with pytest.raises(TypeError, match=r"LazyFrame, which holds no data yet; collect\(\) it first"):
        xp.compare(polars.LazyFrame(SCORES))
    with pytest.raises(ValueError, match="groups='doc' is no column of the data frame; it has A, B"):
        xp.compare(pandas.DataFrame(SCORES), groups="doc")
    with pytest.raises(ValueError, match=r"systems\['A'\] lacks 1 of its labels, the first at index 1"):
        xp.compare(polars.DataFrame({**LABELS, "A": ["x", None, "x", "y"]}), y_true=GOLD)


def user(**declaration):
    return xp.Metric("mine", ("hits", "cost"), **declaration)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (
            user(value=lambda hits, cost: hits * np.nan + cost),
            r"not a finite number at the totals of a, hits=\d+",
        ),
        (user(value=lambda hits, cost: hits[:1] + cost[:1]), r"one number for each entry; .* returned shape \(1,\)"),
        (
            user(value=lambda hits, cost: hits / cost if cost > 0 else 0.0),
            "use numpy functions, np.where instead of if",
        ),
        (user(value=lambda hits, cost: float(hits) - float(cost)), "use numpy functions"),
        (user(value=lambda hits, cost: 1.0), r"returned shape \(\)"),  # noqa: ARG005
        (user(value=lambda hits: hits), "takes 1 positional argument but 2 were given"),
        (user(h=lambda *sums: sums[0] * np.nan), "h of metric 'mine' is not a finite number at the totals"),
        (user(h=lambda a, b, c, d: a + b + c + d, antisymmetric=True), "leave out antisymmetric=True"),
        (user(value=lambda hits, cost: np.where(hits > 40, hits - cost, np.nan)), "totals that some assignment gives"),
    ],
)
def test_user_functions_that_cannot_be_used(metric, message):
    a = np.column_stack([[2, 5, 4, 5, 6, 3, 8, 9, 3, 4], np.arange(1, 11)])
    b = np.column_stack([[4, 4, 6, 1, 8, 3, 7, 5, 3, 3], np.arange(1, 11)[::-1]])
    with pytest.raises(ValueError, match=message):
        xp.paired_test(a, b, metric=metric)
    with pytest.raises(ValueError, match=message):
        xp.compare({"A": a, "B": b}, metric=metric)


def test_of_several_metrics_each_says_that_it_was_adjusted():
    gold = [1, 0, 1, 1, 0, 1, 1, 1]
    found = xp.compare({"A": gold, "B": [0, 0, 1, 0, 1, 0, 0, 1]}, y_true=gold, metric=["accuracy", "specificity"])
    larger = found["specificity"].pairs[0]
    assert larger.pvalue_adjusted == larger.pvalue == 1  # as Holm leaves the largest
    for comparison in found.values():
        assert comparison.is_adjusted
        assert "p (Holm)" in comparison.pairs_table()[0]
        assert "|pairs:1|tests:2|correction:holm|" in comparison.signature


def test_several_metrics_have_the_forms_of_each():
    gold = [1, 0, 1, 1, 0, 1, 1, 1]
    systems = {"A": gold, "B": [0, 0, 1, 0, 1, 0, 0, 1]}
    found = xp.compare(systems, y_true=gold, metric=["accuracy", "specificity"])
    each = list(found.values())
    assert found.systems == ("A", "B")
    assert found.signature.splitlines() == [comparison.signature for comparison in each]
    assert json.loads(found.to_json())["metrics"] == [json.loads(comparison.to_json()) for comparison in each]
    assert found.to_frame("polars").rows(named=True) == found.rows()
    markdown = found.to_markdown().splitlines()
    assert [line for line in markdown if line.endswith(":")] == ["accuracy:", "specificity:"]
    assert "| B | 0.375 | a | 0.500 | a |" in markdown
    latex = found.to_latex().splitlines()
    assert [line for line in latex if line.startswith("%")] == ["% accuracy", "% specificity"]
    assert r"B & 0.375 & a & 0.500 & a \\" in latex
