"""The report for a terminal fits its width, whatever the systems are called, and cuts nothing off."""

import io
import random

import pytest

pytest.importorskip("rich")
from rich.cells import cell_len
from rich.console import Console

import exactperm as xp
from exactperm.report.text import blocks, printable
from exactperm.sources import Measure, Provenance, Scores

LONG = "meta-llama/Llama-3.1-8B-Instruct-finetuned-on-something-rather-long-v"
NAMES = [f"{LONG}1", f"{LONG}2", "模型甲-大规模语言模型-第一版", "שלום_עולם", "x\x1b[31m\r\ny", "short"]


def scores_of(names, items=60, measures=("accuracy",)):
    draw = random.Random(1)
    columns = {name: [int(draw.random() < 0.9 / (i + 1)) for _ in range(items)] for i, name in enumerate(names)}
    return Scores(
        systems=tuple(names),
        items=tuple(range(items)),
        groups=tuple(i // 2 for i in range(items)),
        measures={measure: Measure(measure, columns) for measure in measures},
        provenance=(Provenance("scores.csv", "csv", tuple(names)),),
    )


def printed(result, scores, width):
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    for block in blocks(result, scores, width):
        console.print(block, soft_wrap=getattr(block, "no_wrap", False) is True)
    return console.file.getvalue()


def squeezed(text):
    return "".join(text.split())


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("names", [NAMES, ["A", "B", "C"], [f"system-{i}" for i in range(20)]], ids=["odd", "ab", "20"])
def test_it_fits_and_holds_all_names(names, width):
    scores = scores_of(names)
    result = xp.compare(scores)
    text = printed(result, scores, width)
    lines = [line for line in text.splitlines() if line != result.signature]
    assert max(map(cell_len, lines)) <= width
    for name in names:
        assert squeezed(printable(name)) in squeezed(text)
    assert squeezed(printable(result.verdict)) in squeezed(text)
    assert printable(result.signature) in text.splitlines()


def test_control_characters_do_not_reach_the_terminal():
    assert printable("x\x1b[31m\r\ny\x9b") == "x\ufffd[31m\ufffd\ufffdy\ufffd"
    assert printable("plain naïve 模型") == "plain naïve 模型"


def test_names_from_right_to_left_leave_the_numbers_where_they_are():
    assert printable("שלום") == "שלום\u200e"
    assert cell_len(printable("שלום")) == 4


def test_columns_are_dropped_before_names_are_folded_and_rows_become_sentences_at_last():
    scores = scores_of(["first-system", "second-system", "third-system"])
    result = xp.compare(scores)
    wide, middle, narrow = (printed(result, scores, width) for width in (120, 80, 40))
    assert "won-lost-tied" in wide
    assert "won-lost-tied" not in middle
    assert "system         against        difference" in middle
    assert "first-system against second-system:" in narrow.replace("\n", " ")
    assert "won-lost-tied" in narrow  # nothing is lost in a sentence


def test_many_pairs_are_summed_up():
    scores = scores_of([f"s{i}" for i in range(20)])
    result = xp.compare(scores)
    text = printed(result, scores, 80)
    assert "Shown are 19 of 190 pairs, those with the best system" in text
    counts = [int(part.split()[0]) for part in text.partition("All pairs: ")[2].partition(".")[0].split(", ")]
    assert sum(counts) == 190
    best = result.ranking[0]
    rows = [line.split() for line in text.splitlines() if line.rstrip().endswith(("better", "worse", "different"))]
    assert len([row for row in rows if best in row[:2]]) == 19


def test_several_metrics_share_a_table_where_it_fits():
    scores = scores_of(["A", "B"], measures=("accuracy", "recall_at_ten"))
    result = xp.compare(scores, metric=["accuracy", "recall_at_ten"])
    together, apart = (printed(result, scores, width) for width in (80, 30))
    assert "system  accuracy  tier  recall_at_ten  tier" in together
    assert "system  accuracy  tier\n" in apart
    for comparison in result.values():
        assert squeezed(f"{comparison.metric}\nsystem  against") in squeezed(together)
        assert squeezed(comparison.verdict) in squeezed(together)
        assert squeezed(comparison.verdict) in squeezed(apart)


def test_notes_say_what_words_and_signs_mean():
    scores = scores_of(["A", "B", "C"], items=8)
    assert "not testable: too few items differ" in printed(xp.compare(scores), scores, 80)
    scores = scores_of(["A", "B", "C"])
    text = printed(xp.compare(scores, method="monte-carlo", rng=0, n_resamples=999), scores, 80)
    assert "~ and <: not exact (monte-carlo)" in text
    assert "60 items in 30 groups, read as csv" in text
    assert "Systems that share a letter were not told apart." in text
    assert "letter" not in printed(xp.compare(scores, baseline="A"), scores, 80)
    drawn = printed(xp.compare(scores, correction="max-t", n_resamples=999, rng=0), scores, 80)
    assert "Adjusted by max-T: 999 permutations of all systems together." in drawn


def test_what_is_better_is_said_where_it_is_less():
    scores = scores_of(["A", "B"])
    assert printed(xp.compare(scores), scores, 80).startswith("accuracy on 60 items")
    lower = xp.compare(scores, higher_is_better=False)
    assert printed(lower, scores, 80).startswith("accuracy (lower is better) on 60 items")


def test_a_signature_names_all_engines_and_what_the_pairs_have_in_common():
    scores = {"A": [1, 0, 1, 1] * 9, "B": [0, 1, 1, 0] * 9, "C": list(range(0, 1800, 50))}
    result = xp.compare(scores, method="exact")
    methods = sorted({pair.method for pair in result.pairs})
    assert len(methods) > 1
    assert result.signature == (
        f"metric:mean|alternative:two-sided|method:{','.join(methods)}|items:36|systems:3|pairs:3|correction:holm|"
        f"alpha:0.05|exactperm:{xp.__version__}"
    )
