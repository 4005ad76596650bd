"""What is drawn is what was computed: shaded masses, differences, cells, intervals."""

import math
import random

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib.colors import to_hex, to_rgba

import exactperm as xp
from drawings import comparison, f1, power, scores, seconds
from exactperm.pair import adjusted_as_known
from exactperm.report import plots
from exactperm.report.plots import style
from exactperm.report.plots.differences import differences_of
from exactperm.report.plots.law import DRAWS, law_of
from exactperm.report.plots.matrix import SHADES
from exactperm.tables import latex_pvalue

# -- the null distribution -------------------------------------------------------------------------------------


def tail_steps(ax):
    """Middles and heights of the shaded steps."""
    whole, tail = (patch.get_data() for patch in ax.patches)
    shaded = tail.values > tail.baseline
    assert (tail.values[shaded] == whole.values[shaded]).all()
    middles = (tail.edges[1:] + tail.edges[:-1]) / 2
    return middles[shaded], tail.values[shaded]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("gain", [0.4, 0.6, 0.1])
def test_the_shaded_steps_add_up_to_p(alternative, gain):
    result = scores(30, gain, alternative=alternative)
    ax = result.plot()
    assert ax.get_title("right").startswith("shaded: $p$ = ")
    _, heights = tail_steps(ax)
    drawn = heights.sum() if ax.get_ylim()[0] == 0 else (10**heights).sum()
    assert drawn == pytest.approx(result.pvalue, rel=1e-3)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("higher", [True, False])
def test_the_tail_is_on_the_side_asked_for(alternative, higher):
    draw = random.Random(1)
    a, b = ([draw.randint(0, 5) for _ in range(40)] for _ in "ab")
    result = xp.compare({"A": a, "B": b}, higher_is_better=higher, alternative=alternative).pairs[0]
    middles, _ = tail_steps(result.plot())
    larger = (alternative == "greater") == higher
    assert (middles.min() if larger else middles.max()) == pytest.approx(result.statistic)


def test_far_tails_are_logarithmic_and_right():
    result = scores(2000, 0.5)
    ax = result.plot()
    low, high = ax.get_ylim()
    assert low < result.log_pvalue / math.log(10) < -30
    assert high <= 0.5 + 0.05 * (high - low)
    middles, heights = tail_steps(ax)
    assert (np.abs(middles) >= abs(result.statistic) * 0.99).all()
    # the probability of the observed value itself is the largest part of half of p
    assert result.log_pvalue / math.log(10) - 1.5 < heights.max() < result.log_pvalue / math.log(10)
    assert "10^{-" in ax.get_yticklabels()[0].get_text()


def test_the_logarithmic_law_is_the_null_distribution():
    result = scores(100, 0.4)
    law, exact = law_of(result), result.null_distribution()
    here = np.searchsorted(exact.support, law.support)
    assert exact.support[here] == pytest.approx(law.support)
    assert np.exp(law.log_probabilities) == pytest.approx(exact.probabilities[here], abs=1e-12)


def test_a_sampled_law_says_so_and_is_always_the_same():
    result = f1()
    law, again = law_of(result), law_of(result)
    assert law.draws == DRAWS
    assert (law.support == again.support).all()
    assert (law.log_probabilities == again.log_probabilities).all()
    share = np.exp(law.log_probabilities)[np.abs(law.support) >= abs(result.statistic) * (1 - 1e-9)].sum()
    assert share == pytest.approx(result.pvalue, abs=5 * math.sqrt(result.pvalue / DRAWS))
    ax = result.plot()
    assert "99,999 random exchanges (a sample)" in ax.get_xlabel()
    assert ax.get_ylabel() == "share of the sample"


def test_real_scores_on_no_grid_are_sampled():
    draw = random.Random(2)
    result = xp.paired_test([draw.random() for _ in range(60)], [draw.random() for _ in range(60)])
    assert law_of(result).draws == DRAWS
    assert "(a sample)" in result.plot().get_xlabel()


def test_no_shading_is_claimed_where_no_sample_is_extreme():
    better = {"tp": [9] * 60, "fp": [0] * 60, "fn": [0, 1] * 30}
    worse = {"tp": [5] * 60, "fp": [1, 2, 3] * 20, "fn": [4, 5] * 30}
    result = xp.paired_test(better, worse, metric="f1")
    ax = result.plot()
    assert ax.get_title("right").startswith("$p$ ")
    assert ax.get_xlim()[1] > result.statistic


@pytest.mark.parametrize("data", [([1], [0]), ([1, 1], [1, 1]), ([3, 2, 1], [1, 2, 3])])
def test_the_smallest(data):
    result = xp.paired_test(*data)
    for kind in ("null", "differences"):
        result.plot(kind=kind)


# -- differences -----------------------------------------------------------------------------------------------


def test_differences_of_scores_are_those_of_the_items():
    a, b = [3, 1, 4, 1, 5, 9.5], [2, 7, 1, 1, 2, 8]
    found = differences_of(xp.paired_test(a, b))
    assert np.repeat(found.values, found.counts).tolist() == sorted((x - y for x, y in zip(a, b, strict=True)))[::-1]


def test_differences_of_f1_are_half_of_what_an_exchange_changes():
    a = {"tp": [3, 0, 2, 4], "fp": [1, 0, 0, 2], "fn": [0, 2, 1, 0]}
    b = {"tp": [2, 1, 2, 1], "fp": [0, 1, 0, 2], "fn": [1, 1, 1, 3]}

    def exchanged(i):
        first, second = ({name: list(values) for name, values in x.items()} for x in (a, b))
        for name in a:
            first[name][i], second[name][i] = b[name][i], a[name][i]
        return xp.paired_test(first, second, metric="f1").statistic

    result = xp.paired_test(a, b, metric="f1")
    found = differences_of(result)
    expected = sorted(((result.statistic - exchanged(i)) / 2 for i in range(4)), reverse=True)
    assert np.repeat(found.values, found.counts).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("higher", [True, False])
def test_the_legend_counts_who_is_better(higher):
    (pair,) = xp.compare({"A": [3, 1, 4, 1], "B": [2, 7, 1, 1]}, higher_is_better=higher).pairs
    texts = [text.get_text() for text in pair.plot(kind="differences").get_legend().get_texts()]
    assert texts == [f"A better: {pair.wins}", f"tied: {pair.ties}", f"B better: {pair.losses}"]


# -- the matrix ------------------------------------------------------------------------------------------------


def test_every_pair_has_a_cell_with_its_number():
    found = comparison(5)
    ax = found.plot(kind="matrix")
    rows = [label.get_text().rsplit("  ", 1)[0] for label in ax.get_yticklabels()]
    assert rows == list(found.ranking)
    texts = {text.get_position(): text.get_text() for text in ax.texts}
    assert len(texts) == len(found.pairs)
    for pair in found.pairs:
        number = latex_pvalue(adjusted_as_known(pair))
        expected = rf"$\mathbf{{{number[1:-1]}}}$" if pair.significant else number
        assert texts[tuple(sorted((rows.index(pair.a), rows.index(pair.b))))] == expected


def test_every_pair_has_the_colour_of_its_adjusted_p():
    found = comparison(20)
    ax = found.plot(kind="matrix")
    colours = {tuple(patch.get_center()): to_hex(patch.get_facecolor()) for patch in ax.patches}
    assert len(colours) == len(found.pairs)
    place = {name: i for i, name in enumerate(found.ranking)}
    for pair in found.pairs:
        expected = next((c for share, c, _ in SHADES if pair.pvalue_adjusted <= share * pair.alpha), "#ffffff")
        assert colours[tuple(sorted((place[pair.a], place[pair.b])))] == expected.lower()


def test_dots_mark_what_is_significant_where_numbers_have_no_room():
    found = comparison(20)
    ax = found.plot(kind="matrix")
    assert not ax.texts
    dots = {(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in ax.lines}
    place = {name: i for i, name in enumerate(found.ranking)}
    assert dots == {tuple(sorted((place[p.a], place[p.b]))) for p in found.pairs if p.significant}


def test_what_is_no_verdict_is_hatched():
    tiny = xp.compare({"A": [1, 1], "B": [0, 1], "C": [0, 0]})
    assert {pair.outcome for pair in tiny.pairs} == {"not testable"}
    ax = tiny.plot(kind="matrix")
    assert {patch.get_hatch() for patch in ax.patches} == {"xxxx"}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["not testable"]


# -- the ranking -----------------------------------------------------------------------------------------------


def drawn_gaps(ax):
    """By height: the ends of the interval, the middle, and whether the marker is filled."""
    lines = ax.lines[:-2]
    filled = [to_rgba(dot.get_markerfacecolor()) != (1, 1, 1, 1) for dot in lines[1::2]]
    return {
        int(bar.get_ydata()[0]): (*bar.get_xdata(), dot.get_xdata()[0], full)
        for bar, dot, full in zip(lines[::2], lines[1::2], filled, strict=True)
    }


@pytest.mark.parametrize(
    ("options", "level"),
    [
        ({}, 1 - 0.05 / 10),
        ({"baseline": "system-3"}, 1 - 0.05 / 4),
        ({"correction": "none", "alpha": 0.1}, 0.9),
        ({"correction": "bh"}, 0.95),
    ],
)
def test_intervals_are_those_of_the_differences(options, level):
    found = comparison(5, **options)
    ax = found.plot(kind="ranking")
    gaps = drawn_gaps(ax)
    reference = found.baseline or found.ranking[0]
    assert len(gaps) == 4
    for y, (low, high, middle, filled) in gaps.items():
        pair = next(p for p in found.pairs if {p.a, p.b} == {found.ranking[y], reference})
        sign = 1 if pair.a == found.ranking[y] else -1
        assert sorted((sign * low, sign * high)) == pytest.approx(list(pair.confidence_interval(level)))
        assert middle == pytest.approx(sign * pair.statistic)
        assert filled == pair.significant
    said = ax.get_xlabel()
    assert f"from {reference}" in said
    assert ("simultaneous" in said) == (found.correction == "holm")


def test_a_level_of_ones_own():
    ax = plots.ranking(comparison(5), confidence_level=0.8)
    assert "80 % interval each" in ax.get_xlabel()
    found = comparison(5)
    pair = next(p for p in found.pairs if {p.a, p.b} == set(found.ranking[:2]))
    assert sorted(abs(x) for x in drawn_gaps(ax)[1][:2]) == pytest.approx(
        sorted(abs(x) for x in pair.confidence_interval(0.8))
    )


def test_an_interval_without_an_end_goes_to_the_edge():
    ax = comparison(5, alternative="greater").plot(kind="ranking")
    assert all(np.isfinite(ax.get_xlim()))
    assert all(low < ax.get_xlim()[0] for low, *_ in drawn_gaps(ax).values())


# -- curves ----------------------------------------------------------------------------------------------------


def test_power_is_drawn_in_order_and_read_off():
    curve = power((1600, 100, 400, 200, 800))
    ax = plots.power_curve(curve)
    assert ax.lines[0].get_xdata().tolist() == [100, 200, 400, 800, 1600]
    assert ax.lines[0].get_ydata().tolist() == pytest.approx(sorted(curve.power))
    assert ax.get_title("left") == "80 % power from 1,600 items on"
    assert curve.power[curve.n == 800][0] < 0.8 < curve.power[curve.n == 1600][0]
    assert plots.power_curve(curve, power=0.99).get_title("left") == "99 % power is not reached with 1,600 items"
    assert plots.power_curve(power((500,)), power=0.5).get_title("left") == "50 % power from 500 items on"


def test_curves_that_cannot_be_drawn():
    with pytest.raises(ValueError, match="power must be between 0 and 1, not 80"):
        plots.power_curve(power(), power=80)
    broken = power()
    broken.n = broken.n[:2]
    with pytest.raises(ValueError, match="as many values of power and interval as of n; got 2 and 5"):
        plots.power_curve(broken)


def test_running_times():
    series = seconds()
    ax = plots.runtime(series)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    for line, (name, (n, taken)) in zip(ax.lines, series.items(), strict=True):
        assert line.get_label() == name
        assert line.get_xdata().tolist() == n.tolist()
        assert line.get_ydata().tolist() == taken.tolist()
    for wrong, match in (
        ({}, "1 to 8 methods"),
        ({str(i): ([1], [1]) for i in range(9)}, "got 9"),
        ({"x": ([1, 2], [1])}, r"series\['x'\] must be two arrays of one length; got 2 and 1"),
        ({"x": ([1, 2], [0, 1])}, "must be positive"),
    ):
        with pytest.raises(ValueError, match=match):
            plots.runtime(wrong)


# -- kinds -----------------------------------------------------------------------------------------------------


def test_the_usual_kind_depends_on_the_number_of_systems():
    assert comparison(2).plot().get_title("right").startswith("shaded")
    assert "simultaneous" in comparison(5).plot().get_xlabel()
    assert "sorted by difference" in comparison(2).plot(kind="differences").get_xlabel()
    assert comparison(2).plot(kind="ranking").get_yticklabels()[0].get_text() == "system-1"


@pytest.mark.parametrize(
    ("draw", "match"),
    [
        (lambda: scores(30, 0.4).plot(kind="matrix"), "one of null, differences for one test; not 'matrix'"),
        (lambda: comparison(5).plot(kind="pie"), "kind must be one of ranking, matrix for these systems; not 'pie'"),
        (lambda: comparison(2).plot(kind="pie"), "one of ranking, matrix, null, differences for these systems"),
        (lambda: comparison(5).plot(kind="null"), "kind='null' is about one pair, and here are 10; plot one of .pairs"),
        (lambda: xp.paired_test([[1, 2], [2, 3]], [[0, 0], [1, 1]]).plot(), "batch of tests; plot one test at a time"),
        (lambda: xp.paired_test([[1, 2]], [[0, 0]]).plot(kind="differences"), "batch of tests"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn(draw, match):
    with pytest.raises(ValueError, match=match):
        draw()


def test_a_result_without_its_data():
    from dataclasses import replace

    bare = replace(scores(30, 0.4), problem=None)
    for kind in ("null", "differences"):
        with pytest.raises(ValueError, match="does not hold the data of its test"):
            bare.plot(kind=kind)
    assert style.COLUMN == 3.3


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_margin_moves_the_law(alternative):
    draw = random.Random(4)
    a, b = ([draw.randint(0, 9) for _ in range(30)] for _ in "ab")
    result = xp.paired_test(a, b, alternative=alternative, margin=0.5)
    law, exact = law_of(result), result.null_distribution()
    assert law.support == pytest.approx(exact.support)
    assert np.exp(law.log_probabilities) == pytest.approx(exact.probabilities, abs=1e-12)
    assert (law.centre < 0) == (alternative == "greater")
    sign = 1 if alternative == "greater" else -1
    beyond = sign * law.support >= sign * result.statistic - 1e-9
    assert np.exp(law.log_probabilities[beyond]).sum() == pytest.approx(result.pvalue)
    middles, _ = tail_steps(result.plot())
    assert (sign * middles > sign * result.statistic - 0.05).all()
    with pytest.raises(ValueError, match="two null laws"):
        xp.paired_test(a, b, margin=0.5).plot()


def test_shares_of_several_tasks_add_up():
    result = xp.macro_test({"x": ([1, 1, 0, 1], [0, 1, 1, 0]), "y": ([5, 2], [3, 1])})
    found = differences_of(result)
    assert found.values @ found.counts == pytest.approx(result.statistic)
    assert result.plot(kind="differences").get_ylabel().startswith("share in the difference")


def test_a_curve_draws_itself():
    curve = xp.power(p_a=0.81, p_b=0.79, agreement=0.9, n=[2000, 500, 3000])
    ax = curve.plot(power=0.75)
    (line,) = [line for line in ax.lines if len(line.get_xdata()) == 3]
    assert line.get_xdata().tolist() == [500, 2000, 3000]
    assert sorted(curve.power.tolist()) == line.get_ydata().tolist()
    assert ax.get_title("left") == "75 % power from 2,000 items on"
