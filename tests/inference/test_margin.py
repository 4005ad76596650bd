"""Non-inferiority and equivalence: the definition, the law that ties them to intervals, and the words."""

import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactperm as xp
from exactperm.inference import margin as margins
from exactperm.metrics import get
from shift_model import data, pvalue

A, B = [11, 17, 8, 10, 14, 9, 12, 16, 13, 10], [10, 15, 8, 9, 13, 10, 11, 14, 13, 8]

groups_of_items = st.lists(st.tuples(st.integers(-6, 6), st.integers(1, 3)), min_size=1, max_size=6)
single_items = st.lists(st.tuples(st.integers(-6, 6), st.just(1)), min_size=1, max_size=7)
positive = st.fractions(min_value=Fraction(1, 8), max_value=8, max_denominator=8)
sides = st.sampled_from(["two-sided", "greater", "less"])


def by_definition(d, m, margin, alternative):
    """The larger of the one-sided p-values at the borders."""
    found = []
    if alternative in ("greater", "two-sided"):
        found.append(pvalue(d, m, -margin, "greater"))
    if alternative in ("less", "two-sided"):
        found.append(pvalue(d, m, margin, "less"))
    return max(found)


@settings(max_examples=150)
@given(st.one_of(single_items, groups_of_items), positive, sides)
def test_is_the_enumeration_of_the_moved_effects(differences, margin, alternative):
    d, m = zip(*differences, strict=True)
    a, b, groups = data(d, m)
    result = xp.paired_test(a, b, groups=groups, alternative=alternative, margin=margin)
    expected = by_definition(d, m, margin, alternative)
    assert result.as_fraction() == expected
    assert result.pvalue == float(expected)
    assert result.min_pvalue <= result.pvalue
    assert (result.n_groups, result.n_tied) == (len(d), d.count(0))
    assert result.statistic == pytest.approx(sum(d) / sum(m))


@settings(max_examples=150)
@given(st.one_of(single_items, groups_of_items), positive, st.sampled_from([0.5, 0.75, 0.8, 0.9]))
def test_the_interval_by_inversion_decides_the_same(differences, margin, level):
    """No worse at alpha: the one-sided interval lies above -margin. Equivalent: that of 1 - 2 alpha lies within."""
    d, m = zip(*differences, strict=True)
    if len({Fraction(x, size) for x, size in differences}) == 1:
        return  # there is no interval
    a, b, groups = data(d, m)
    alpha = 1 - Fraction(str(level))
    for alternative in ("greater", "less"):
        result = xp.paired_test(a, b, groups=groups, alternative=alternative, margin=margin)
        low, high = result.confidence_interval(level)
        assert (result.as_fraction() <= alpha) == (low > -margin if alternative == "greater" else high < margin)
    result = xp.paired_test(a, b, groups=groups, margin=margin)
    low, high = result.confidence_interval(level)
    assert (result.as_fraction() <= alpha / 2) == (-margin < low and high < margin)


@settings(max_examples=60)
@given(single_items, positive, sides)
def test_exchange_turns_the_side(differences, margin, alternative):
    a, b, _ = data(*zip(*differences, strict=True))
    turned = {"greater": "less", "less": "greater", "two-sided": "two-sided"}[alternative]
    one, other = (
        xp.paired_test(*pair, alternative=side, margin=margin)
        for pair, side in (((a, b), alternative), ((b, a), turned))
    )
    assert one.pvalue == other.pvalue
    # where less is better, what was better is worse
    lower = xp.paired_test(a, b, alternative=turned, margin=margin, metric=get("mean", higher_is_better=False))
    assert lower.pvalue == one.pvalue


@settings(max_examples=60)
@given(single_items, positive, positive, sides)
def test_a_larger_margin_is_easier_to_keep(differences, margin, more, alternative):
    a, b, _ = data(*zip(*differences, strict=True))
    small, large = (xp.paired_test(a, b, alternative=alternative, margin=x) for x in (margin, margin + more))
    assert large.as_fraction() <= small.as_fraction()


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_no_margin_is_the_ordinary_test(alternative):
    plain = xp.paired_test(A, B, alternative=alternative)
    for zero in (0, 0.0, Fraction(0)):
        assert xp.paired_test(A, B, alternative=alternative, margin=zero).to_dict() == plain.to_dict()
    assert plain.margin is None


@pytest.mark.parametrize(
    "margin", [0.1, "0.1", "1/10", Fraction(1, 10), Decimal("0.1"), np.float64(0.1), np.float32(0.1)]
)
def test_a_tenth_is_a_tenth(margin):
    """A mean of exactly -0.1 is on the border, where p is that of a difference of zero."""
    a, b = [0.3, 0.5, 0.1], [0.4, 0.6, 0.2]
    result = xp.paired_test(a, b, margin=margin, alternative="greater")
    assert (result.pvalue, result.n_tied, result.margin) == (1.0, 0, 0.1)
    assert "|margin:0.1|" in result.signature


def test_units_are_those_of_the_statistic():
    right, wrong = [1, 1, 1, 0, 1, 1, 1, 1], [1, 0, 1, 1, 1, 0, 1, 1]
    percent = xp.paired_test(right, wrong, metric="squad_em", margin=20, alternative="greater")
    share = xp.paired_test(right, wrong, metric="exact_match", margin=0.2, alternative="greater")
    assert (
        percent.pvalue == share.pvalue == float(pvalue([1, -1, 1, 0, 0, 0, 0, 0], [1] * 8, Fraction(-1, 5), "greater"))
    )
    thirds = xp.paired_test([3], [2], margin=Fraction(1, 3))
    assert "margin:1/3|" in thirds.signature


def test_the_null_law_has_the_border_as_its_mean():
    result = xp.paired_test(A, B, alternative="greater", margin=0.5)
    support, probabilities = result.null_distribution()
    assert support @ probabilities == pytest.approx(-0.5)
    assert probabilities[support >= result.statistic - 1e-12].sum() == pytest.approx(result.pvalue)
    with pytest.raises(ValueError, match="two null laws; ask for one"):
        xp.paired_test(A, B, margin=0.5).null_distribution()


def test_engines_agree_on_many_items():
    rng = np.random.default_rng(3)
    a, b = rng.binomial(1, 0.8, 3000), rng.binomial(1, 0.8, 3000)
    results = [xp.paired_test(a, b, margin=0.03, method=m) for m in ("fourier", "meet-in-the-middle", "bracket")]
    low, high = results[2].pvalue_interval
    assert results[0].exact
    assert results[0].pvalue == pytest.approx(results[1].pvalue, rel=1e-11)
    assert low <= results[1].pvalue <= high
    assert xp.paired_test(xp.Effects.from_scores(a, b), margin=0.03).pvalue == results[1].pvalue
    interval = results[1].confidence_interval(1 - 2 * 0.01)
    assert (results[1].pvalue <= 0.01) == (interval.low > -0.03 and interval.high < 0.03)


def test_real_scores_off_any_grid():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 400))
    result = xp.paired_test(a, b, margin=0.2)
    assert result.method == "bracket"
    moved = [xp.paired_test([Fraction(x) + s * Fraction(1, 5) for x in a], [Fraction(x) for x in b], alternative=side,
                            method="bracket") for s, side in ((1, "greater"), (-1, "less"))]  # fmt: skip
    assert result.pvalue == pytest.approx(max(r.pvalue for r in moved), rel=1e-3)
    assert result.pvalue_interval.low <= result.pvalue <= result.pvalue_interval.high


def test_a_batch_is_its_tests():
    rng = np.random.default_rng(1)
    a, b, groups = *rng.integers(0, 9, (2, 4, 30)), rng.integers(0, 11, 30)
    for given_groups in (None, groups):
        batch = xp.paired_test(a, b, margin=1.5, groups=given_groups)
        singles = [xp.paired_test(x, y, margin=1.5, groups=given_groups) for x, y in zip(a, b, strict=True)]
        assert batch.pvalue.tolist() == [r.pvalue for r in singles]
        assert (batch.margin, "|margin:1.5|" in batch.signature) == (1.5, True)


def test_sampling_covers_both_sides_and_repeats():
    exact = xp.paired_test(A, B, margin=1.5).pvalue
    sampled = xp.paired_test(A, B, margin=1.5, method="monte-carlo")
    assert "confidence:0.95|" in sampled.signature
    assert sampled.pvalue == pytest.approx(exact, abs=0.01)
    d = [3, -1, -1, -1, 5, -2, -3, 1, 1, -2] * 2  # its mean is zero: either side may have the larger p
    for _ in range(8):
        sampled = xp.paired_test(d, [0] * 20, margin=0.5, method="monte-carlo", n_resamples=999)
        seed = int(dict(part.split(":") for part in sampled.signature.split("|"))["seed"])
        again = xp.paired_test(d, [0] * 20, margin=0.5, method="monte-carlo", n_resamples=999, rng=seed)
        assert (again.pvalue, again.pvalue_interval) == (sampled.pvalue, sampled.pvalue_interval)


def test_items_on_which_both_are_alike_count():
    result = xp.paired_test([1] * 12, [1] * 12, margin=0.25)
    assert (result.pvalue, result.min_pvalue, result.n_tied) == (2.0**-12, 2.0**-12, 12)
    assert "equivalent within ±0.25" in result.verdict
    assert xp.paired_test([], [], margin=1).pvalue == 1.0


# -- words -----------------------------------------------------------------------------------------------------


def test_the_result_says_it_in_words():
    words = [
        ("greater", 0.5, "A is not worse than B by more than 0.5 (p = 0.0039, exact paired-permutation test of "
         "non-inferiority, 10 pairs)."),
        ("less", 0.5, "The data do not exclude that A is better than B by 0.5 or more (p = 0.917, exact "
         "paired-permutation test of non-superiority, 10 pairs)."),
        ("two-sided", 2, "A and B are equivalent within ±2 (p = 0.0078, two one-sided exact paired-permutation tests, "
         "10 pairs)."),
        ("two-sided", 0.5, "The data do not show that A and B are equivalent within ±0.5 (p = 0.917, two one-sided "
         "exact paired-permutation tests, 10 pairs)."),
    ]  # fmt: skip
    for alternative, margin, sentence in words:
        result = xp.paired_test(A, B, alternative=alternative, margin=margin)
        assert result.verdict == sentence
        assert f"with margin {margin}, exact)" in repr(result)
        assert f"alternative:{alternative}|margin:{margin}|method:" in result.signature
        assert json.loads(result.to_json())["margin"] == margin
    assert "with 3 pairs no result could be below" in xp.paired_test([1, 2, 3], [1, 2, 3], margin=1).verdict


def test_comparisons_say_it_too():
    result = xp.compare({"new": B, "old": A, "odd": A[::-1]}, baseline="old", margin=2)
    assert [(pair.a, pair.outcome, pair.better) for pair in result.pairs] == [
        ("new", "within margin", None),
        ("odd", "not shown", None),
    ]
    assert result.verdict.startswith("Shown to be equivalent to old within ±2: new; not shown: odd (exact paired")
    assert (result.tiers, result.to_dict()["margin"]) == ((), 2.0)
    assert "|margin:2|" in result.signature
    [pair] = xp.compare({"new": B, "old": A}, margin=1.9, alternative="greater").pairs
    assert pair.verdict.startswith("new is not worse than old by more than 1.9 (p = 0.0078, exact")
    assert pair.significant
    assert pair.pvalue == xp.paired_test(B, A, margin=1.9, alternative="greater").pvalue
    [pair] = xp.compare({"new": B, "old": A}, margin=0.1).pairs
    assert pair.verdict.startswith("The data do not show that new and old are equivalent within ±0.1 (p = ")
    none = xp.compare({"new": A, "old": A}, margin=1).pairs[0].verdict
    assert none.startswith("new and old are equivalent within ±1")


# -- refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("margin", [-1, -0.5, "half", float("nan"), float("inf"), True, [1], 1j])
def test_a_margin_is_a_positive_number(margin):
    with pytest.raises(ValueError, match=r"margin must be a positive number in units of the statistic, such as 0.5"):
        xp.paired_test(A, B, margin=margin)


@pytest.mark.parametrize(
    ("arguments", "options", "match"),
    [
        ((A, B), {"margin": 0}, "asks whether A and B are equal, which no data can show; give a positive margin"),
        ((A, B), {"margin": 1, "alternative": "bigger"}, 'alternative must be "two-sided", "greater" or "less"'),
        (
            ({"tp": [1], "fp": [0], "fn": [2]},) * 2,
            {"metric": "f1", "margin": 1},
            r"margin is for means.*'f1' leave it",
        ),
        (
            (xp.Effects.from_counts({1: 3, -1: 2}, n_items=9),),
            {"margin": 1},
            "a margin for groups of several items needs the single items",
        ),
    ],
)
def test_what_cannot_be_tested(arguments, options, match):
    with pytest.raises(ValueError, match=match):
        xp.paired_test(*arguments, **options)


def test_a_margin_needs_to_know_who_is_compared():
    with pytest.raises(ValueError, match="margin is about one system and another; there are 3, a, b, c: name the base"):
        xp.compare({"a": A, "b": B, "c": B}, margin=1)


def test_text_that_loses_nothing():
    for margin in (Fraction(1, 2), Fraction(1, 3), Fraction(3), Fraction(1, 10**9), Fraction(10**15 + 1)):
        assert Fraction(margins.as_text(margin)) == margin


@pytest.mark.parametrize("exact_sign", [1, -1])
@pytest.mark.parametrize("others", [1, -1])
def test_rounding_may_turn_an_effect_at_the_margin(exact_sign, others):
    """70 items, all but one better by far, or worse; 2^-70 from the margin, more than the effects are rounded to."""
    rng = np.random.default_rng(0)
    a, b = rng.random(70) + 1, -rng.random(70) * 2.0**-9
    a, b = others * a, others * b
    a[0], b[0] = -0.5, -exact_sign * 2.0**-70
    result = xp.paired_test(a, b, margin=0.5, alternative="greater", grid=None)
    assert result.method == "bracket"
    exact = [Fraction(x) - Fraction(y) + Fraction(1, 2) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    # where all go one way the data are the most or the least extreme, else next to it by turning the small one
    assert sorted(map(abs, exact))[0] == Fraction(1, 2**70)
    extreme = Fraction(1 if exact_sign == 1 else 2, 2**70)
    truth = extreme if others == 1 else 1 - (Fraction(1, 2**70) if exact_sign == 1 else 0)
    low, high = result.pvalue_interval
    assert Fraction(low) <= truth <= Fraction(high)
    log = result.log_pvalue_interval
    assert log.low <= math.log(truth) <= log.high or (truth > Fraction(1, 2) and log.high == 0.0)
