"""Joint permutation: against all permutations, Holm, and what it says it guarantees."""

import itertools
import math

import numpy as np
import pytest

import exactperm as xp
from exactperm.inference import max_t
from exactperm.inference.max_t import Measure, step_down
from exactperm.metrics.comparison import values

SYSTEMS = "ABCDEFGHIJ"


def statistics(x, couples):
    """|t| of each couple by its formula, for scores (items, systems)."""
    d = np.array([x[:, i] - x[:, j] for i, j in couples])
    scale = np.sqrt((d * d).sum(axis=1))
    return np.abs(d.sum(axis=1)) / np.where(scale > 0, scale, 1)


def all_permutations(x, couples):
    """Step-down p-values from every permutation of every item."""
    orders = list(itertools.permutations(range(x.shape[1])))
    drawn = np.array(
        [
            statistics(np.array([row[list(order)] for row, order in zip(x, chosen, strict=True)]), couples)
            for chosen in itertools.product(orders, repeat=len(x))
        ]
    )
    observed = statistics(x, couples)
    rank = np.argsort(-observed)
    adjusted, least = np.empty(len(couples)), 0.0
    for r, test in enumerate(rank):
        share = (drawn[:, rank[r:]].max(axis=1) >= observed[test] - 1e-9).mean()
        adjusted[test] = least = max(least, share)
    return adjusted


@pytest.mark.parametrize("couples", [[(0, 1), (0, 2), (1, 2)], [(0, 2), (1, 2)]], ids=["all pairs", "a baseline"])
@pytest.mark.parametrize("seed", [0, 1])
def test_equals_all_permutations(couples, seed):
    x = np.random.default_rng(seed).integers(0, 5, (5, 3)).astype(float) + np.array([0, 0, 2])
    found = step_down([Measure(x[:, :, None], None, 0)], couples, 20_000, 0, 0.9999)
    exact = all_permutations(x, couples)
    assert ((found.low <= exact) & (exact <= found.high)).all()
    assert found.pvalues == pytest.approx(exact, abs=0.02)


def test_two_systems_are_exchanged_as_in_the_test_of_the_pair():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 9, (2, 40)) + np.array([[1], [0]])
    found = step_down([Measure(np.stack([a, b], 1)[:, :, None].astype(float), None, 0)], [(0, 1)], 40_000, 0, 0.9999)
    assert found.low[0] <= xp.paired_test(a, b).pvalue <= found.high[0]


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("higher_is_better", [True, False])
def test_one_sided(alternative, higher_is_better):
    """Of two metrics that are the same one, the adjusted p-value is that of the pair."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, (2, 30))
    metrics = [xp.metrics.get("mean", higher_is_better=higher_is_better).renamed(name) for name in ("x", "y")]
    c = xp.compare({"a": a, "b": b}, metric=metrics, correction="max-t", alternative=alternative, rng=0)
    alone = xp.paired_test(a, b, metric=metrics[0], alternative=alternative).pvalue
    for comparison in c.values():
        (pair,) = comparison.pairs
        assert pair.pvalue == alone
        assert pair.pvalue_adjusted == pytest.approx(alone, abs=0.02)
        assert pair.pvalue_adjusted >= alone


def counts(rng, systems, items=60):
    gold = rng.integers(1, 6, items)
    tp = [rng.binomial(gold, 0.7 + 0.04 * i) for i in range(systems)]
    return {
        name: {"tp": x, "fp": rng.poisson(0.8, items), "fn": gold - x}
        for name, x in zip(SYSTEMS[:systems], tp, strict=True)
    }


def family(data, metric, side=0):
    sums = np.stack([np.stack(list(x.values()), axis=1) for x in data.values()], axis=1).astype(float)
    return Measure(sums, lambda totals: values(metric, totals), side)


def test_a_ratio_by_its_linear_part():
    """By the formula, with the derivatives of 2 tp / (2 tp + fp + fn)."""
    rng = np.random.default_rng(0)
    measure = family(counts(rng, 3, 400), xp.metrics.get("f1"))
    couples = [(0, 1), (0, 2), (1, 2)]
    tp, fp, fn = measure.sums.sum(axis=0).mean(axis=0)
    slopes = np.array([2 * (fp + fn), -2 * tp, -2 * tp]) / (2 * tp + fp + fn) ** 2
    (test,) = max_t._tests([measure], couples)
    assert test.observed() == pytest.approx(statistics(measure.sums @ slopes, couples), rel=1e-3)


def test_two_systems_by_a_ratio_have_the_p_value_of_the_pair():
    """The linear part is that of the exact test but for the third order."""
    a, b = counts(np.random.default_rng(1), 2, 300).values()
    found = step_down([family({"a": a, "b": b}, xp.metrics.get("f1"))], [(0, 1)], 20_000, 0, 0.9999)
    assert found.low[0] - 0.002 <= xp.paired_test(a, b, metric="f1").pvalue <= found.high[0] + 0.002


def test_items_on_which_all_agree_count_for_the_slope_alone():
    data = counts(np.random.default_rng(0), 3)
    more = {name: {k: np.concatenate([v, [500, 0, 7]]) for k, v in x.items()} for name, x in data.items()}
    measure = family(more, xp.metrics.get("f1"))
    (test,) = max_t._tests([measure], [(0, 1)])
    alike = (measure.sums == measure.sums[:, :1]).all(axis=(1, 2))
    assert 0 < alike.sum() < 10
    assert len(test.scores) <= 63 - alike.sum()
    tp, fp, fn = measure.sums.sum(axis=0).mean(axis=0)
    slopes = np.array([2 * (fp + fn), -2 * tp, -2 * tp]) / (2 * tp + fp + fn) ** 2
    assert test.observed() == pytest.approx(statistics(measure.sums @ slopes, [(0, 1)]), rel=1e-3)


def test_the_order_of_items_does_not_matter_for_rounding():
    """Sums of permuted scores depend on the order in the last bits; ties are counted within a tolerance."""
    x = np.random.default_rng(0).normal(size=(8, 3)).round(1) * 0.1
    both = [step_down([Measure(y[:, :, None], None, 0)], [(0, 1), (1, 2)], 200, 0, 0.95) for y in (x, x[::-1])]
    assert both[0].pvalues.tolist() == both[1].pvalues.tolist()


def test_the_least_p_value_counts_the_data_themselves():
    data = {"A": [9] * 30, "B": [5] * 30, "C": [1] * 30}
    c = xp.compare(data, correction="max-t", n_resamples=99, rng=0)
    assert [pair.pvalue_adjusted for pair in c.pairs] == [0.01, 0.01, 0.01]
    assert all(pair.pvalue_adjusted_interval.low < 1e-6 for pair in c.pairs)


def test_never_below_the_pair_alone_and_rises_with_the_statistic():
    rng = np.random.default_rng(1)
    c = xp.compare(
        {n: rng.integers(0, 4, 50) + (i > 2) for i, n in enumerate("ABCDE")}, correction="max-t", rng=0, n_resamples=999
    )
    assert all(pair.pvalue_adjusted >= pair.pvalue for pair in c.pairs)
    assert all(pair.pvalue_adjusted_interval.low <= pair.pvalue_adjusted for pair in c.pairs)
    assert all(pair.pvalue_adjusted <= pair.pvalue_adjusted_interval.high for pair in c.pairs)
    for pair in c.pairs:
        low, high = pair.pvalue_adjusted_interval
        known = "different" if high <= 0.05 else "undecided" if low <= 0.05 else "not different"
        assert pair.outcome == known


def test_one_test_needs_no_correction():
    a, b = np.random.default_rng(0).integers(0, 4, (2, 50))
    c = xp.compare({"a": a, "b": b}, correction="max-t", rng=0)
    assert c.pairs[0].pvalue_adjusted == c.pairs[0].pvalue == xp.paired_test(a, b).pvalue
    assert not c.correction_details


def test_order_of_items_and_systems_and_the_seed():
    rng = np.random.default_rng(2)
    data = {name: rng.integers(0, 4, 40) for name in "CAB"}
    order = rng.permutation(40)
    options = {"correction": "Westfall-Young", "n_resamples": 500, "rng": 7}
    first = xp.compare(data, **options)
    other = xp.compare({name: data[name][order] for name in "ABC"}, **options)
    found = {frozenset((p.a, p.b)): p.pvalue_adjusted for p in other.pairs}
    assert {frozenset((p.a, p.b)): p.pvalue_adjusted for p in first.pairs} == found
    assert "|correction:max-t|permutations:500|permutation_seed:7|" in first.signature
    assert first.to_dict()["correction_details"] == {"permutations": 500, "permutation_seed": 7}
    drawn = xp.compare(data, correction="max-t", n_resamples=99)
    again = xp.compare(data, correction="max-t", n_resamples=99, rng=drawn.correction_details["permutation_seed"])
    assert [p.pvalue_adjusted for p in again.pairs] == [p.pvalue_adjusted for p in drawn.pairs]


def test_groups_are_permuted_whole():
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(20), 3)
    data = {name: rng.integers(0, 4, 60) for name in "ABC"}
    summed = {name: np.bincount(groups, x).astype(int) for name, x in data.items()}
    options = {"correction": "max-t", "n_resamples": 300, "rng": 1}
    grouped = xp.compare(data, groups=groups, **options)
    assert [p.pvalue_adjusted for p in grouped.pairs] == [
        p.pvalue_adjusted for p in xp.compare(summed, **options).pairs
    ]


def test_missing_scores_are_left_out_for_all():
    rng = np.random.default_rng(5)
    data = {name: rng.integers(0, 4, 60).astype(float) for name in "ABC"}
    lacking = {name: x.copy() for name, x in data.items()}
    lacking["B"][:9] = np.nan
    options = {"correction": "max-t", "n_resamples": 300, "rng": 1}
    found = xp.compare(lacking, nan_policy="omit", **options)
    whole = xp.compare({name: x[9:] for name, x in data.items()}, **options)
    floor = {(p.a, p.b): p.pvalue for p in found.pairs}
    joint = {(p.a, p.b): p.pvalue_adjusted for p in whole.pairs if p.pvalue_adjusted > p.pvalue}
    assert joint
    assert {(p.a, p.b): p.pvalue_adjusted for p in found.pairs if (p.a, p.b) in joint} == {
        couple: max(p, floor[couple]) for couple, p in joint.items()
    }


def test_twins_are_no_yardstick_for_others():
    """Ten systems, eight of which agree on nearly all items: two that differ are judged by their own spread."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 400)
    twins = {f"t{i}": np.where(rng.random(400) < 0.01, 1 - base, base) for i in range(8)}
    data = {**twins, "x": rng.integers(0, 2, 400), "y": rng.integers(0, 2, 400)}
    c = xp.compare(data, correction="max-t", n_resamples=999, rng=0)
    assert not [p for p in c.pairs if p.significant and {p.a, p.b} == {"x", "y"}]
    x = np.stack(list(data.values()), 1)[:, :, None].astype(float)
    (test,) = max_t._tests([Measure(x, None, 1)], [(8, 9)])
    orders = np.argsort(rng.random((400, len(test.scores), 10)), axis=-1)
    assert test.permuted(orders).std() == pytest.approx(1, abs=0.15)
    # which the raw difference is not: most permutations exchange what is nearly the same
    moved = np.take_along_axis(np.broadcast_to(test.scores, orders.shape), orders, axis=2).sum(axis=1)
    spread = math.sqrt(((data["x"] - data["y"]) ** 2).sum())
    assert (moved[:, 8] - moved[:, 9]).std() < 0.7 * spread


def rejections(correction, truth, number, seed, systems=10, items=60):
    """For each data set: whether a true hypothesis was rejected, and how many false ones were."""
    false, power = 0, 0
    for i in range(number):
        rng = np.random.default_rng([seed, i])
        easy = rng.normal(size=items)
        scores = {
            name: np.rint(4 * (easy + rng.normal(size=items) + shift)).astype(int)
            for name, shift in zip(SYSTEMS[:systems], truth, strict=True)
        }
        c = xp.compare(scores, correction=correction, n_resamples=199, rng=i, method="monte-carlo")
        level = dict(zip(SYSTEMS, truth, strict=False))
        hits = [pair for pair in c.pairs if pair.pvalue_adjusted <= 0.05]
        false += any(level[p.a] == level[p.b] for p in hits)
        power += sum(level[p.a] != level[p.b] for p in hits)
    return false / number, power / number


@pytest.mark.parametrize("truth", [[0] * 6, [0, 0, 0, 2, 2, 2]], ids=["complete null", "two blocks"])
def test_familywise_error(truth):
    """A small version of benchmarks/familywise.py: five standard errors above the level is no chance."""
    number = 150
    false, _ = rejections("max-t", truth, number, 0, systems=6, items=40)
    assert false <= 0.05 + 5 * math.sqrt(0.05 * 0.95 / number)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: xp.compare({"a": [1, 2], "b": [2, 1]}, correction="maxi"), "correction must be one of .*max-t; not"),
        (
            lambda: xp.paired_tests(None, by="x", a="a", b="b", correction="max-t"),
            "correction='max-t' permutes the outputs of several systems",
        ),
    ],
)
def test_names(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_what_it_cannot_do():
    rng = np.random.default_rng(0)
    data = {name: rng.integers(0, 3, (20, 1)) for name in "ABC"}
    own = xp.Metric("own", ("n",), h=lambda a, b: a - b, antisymmetric=True)
    with pytest.raises(ValueError, match="needs a value of each system, and metric 'own' has a statistic h"):
        xp.compare(data, metric=own, correction="max-t")
    wild = xp.Metric("wild", ("n",), value=lambda n: np.where(n == data["A"].sum(), 1.0, np.nan))
    sums = np.stack(list(data.values()), axis=1).astype(float)
    with pytest.raises(ValueError, match="has no value near the mean totals"):
        step_down([Measure(sums, lambda t: values(wild, t), 0)], [(0, 1)], 99, 0, 0.95)


def test_a_margin_is_no_exchange():
    data = {name: np.arange(9) % 4 for name in "ABC"}
    with pytest.raises(ValueError, match="correction='max-t' permutes what a margin says is not alike"):
        xp.compare(data, baseline="A", margin=0.5, correction="max-t")


def test_metrics_on_other_items():
    x = np.arange(12.0).reshape(4, 3, 1)
    with pytest.raises(ValueError, match="needs the same items for all metrics"):
        step_down([Measure(x, None, 0), Measure(x[:3], None, 0)], [(0, 1)], 99, 0, 0.95)


def test_all_alike():
    c = xp.compare({name: [1, 2, 3, 4] for name in "ABC"}, correction="max-t", n_resamples=99, rng=0)
    assert [p.pvalue_adjusted for p in c.pairs] == [1.0, 1.0, 1.0]


def test_what_is_printed():
    rng = np.random.default_rng(0)
    c = xp.compare({name: rng.integers(0, 4, 40) for name in "ABC"}, correction="max-t", n_resamples=1999, rng=0)
    assert "p (max-T)" in c.pairs_table()[0]
    assert "\nAdjusted by max-T: 1,999 permutations of all systems together.\n" in repr(c)
    assert "max-T" in c.verdict
    holm = xp.compare({name: rng.integers(0, 4, 40) for name in "ABC"})
    assert "permutations" not in repr(holm)
    assert "permutation_seed" not in holm.signature
