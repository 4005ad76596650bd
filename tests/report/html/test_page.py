"""The text of the page: what is in it, that all of it is escaped, and how it comes into a file."""

import base64
import dataclasses
import hashlib
import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

import exactperm as xp
import exactperm.metrics
from report_pages import ODD, answers

CITATION = Path(__file__).parents[3] / "CITATION.cff"


def embedded(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


@pytest.fixture(scope="module")
def three():
    return xp.compare(answers("CBA", 120))


def test_what_a_page_says(three):
    page = three.to_html()
    text = html.unescape(page)
    for part in (three.verdict, three.signature, three.to_latex()):
        assert part in text
    for name in three.systems:
        assert f'<bdi class="name">{name}</bdi>' in page
    [data] = embedded(page)
    for pair, shown in zip(three.ranked_pairs, data["pairs"], strict=True):
        assert (three.ranking[shown["a"]], three.ranking[shown["b"]]) == (pair.a, pair.b)
        assert shown["signature"] == pair.signature
        assert shown["difference"] == pair.statistic
        assert shown["record"] == [pair.wins, pair.losses, pair.ties]
        interval = pair.confidence_interval()
        assert [shown["interval"][end] for end in ("low", "high")] == list(interval)


def test_the_policy_admits_the_one_style_and_the_one_script(three):
    page = three.to_html()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; ")
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        [text] = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert " style=" not in page  # it would be refused
    assert not re.search(r"<\w[^>]*\son\w+=", page)
    assert set(re.findall(r"""\b(?:src|href)=["']?([^"'> ]*)""", page)) == {"#results"}


def test_names_cannot_leave_the_text():
    page = xp.compare(answers(ODD, 60)).to_html()
    assert page.count("<script") == 2
    assert page.count("</script") == 2
    assert "<img" not in page
    assert "$title" in page  # as a part of a name, that is
    assert embedded(page)[0]["systems"]
    assert "<bdi>שלום_עולם 12</bdi>" in page  # isolated in the sentence


def test_line_separators_do_not_end_the_data():
    names = ["a\u2028b", "c\u2029d", "</SCRIPT><!--"]
    page = xp.compare(answers(names, 60)).to_html()
    [text] = re.findall(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert not set(text) & set("<>&\u2028\u2029")
    assert sorted(embedded(page)[0]["systems"]) == sorted(names)


def test_both_entries_of_the_citation_are_those_of_the_repository(three):
    page = html.unescape(three.to_html())
    bibtex = re.search(r'<pre id="bibtex"[^>]*>(.*?)</pre>', page, re.DOTALL)[1]
    kept = " ".join(bibtex.split())
    citation = CITATION.read_text(encoding="utf-8")
    fields = re.findall(r"^ *(?:title|abstract|doi|year): (.+)$", citation, re.MULTILINE)
    assert len(fields) == 5
    for value in fields:
        assert value.rstrip(".") in kept
    for name in re.findall(r"family-names: (\w+)", citation):
        assert name in kept
    assert kept.count("@") == 2
    assert f"version = {{{xp.__version__}}}" in kept


@pytest.mark.parametrize("name", ["report.html", "report.HTM"])
def test_a_file_holds_the_text(name, three, tmp_path):
    assert three.to_html(tmp_path / name) is None
    assert (tmp_path / name).read_text(encoding="utf-8") == three.to_html()
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("report.pdf", r"report\.pdf must end in \.html or \.htm"),
        ("report", r"must end in \.html"),
        ("missing/report.html", "there is no folder"),
        ("folder.html", "this is a folder"),
    ],
)
def test_a_path_that_cannot_be(path, message, three, tmp_path, monkeypatch):
    (tmp_path / "folder.html").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        three.to_html(path)
    assert [left.name for left in tmp_path.iterdir()] == ["folder.html"]


def test_a_report_that_fails_leaves_the_old_one(three, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        three.to_html(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert [left.name for left in tmp_path.iterdir()] == ["report.html"]


def test_the_same_data_make_the_same_page():
    assert xp.compare(answers("CBA", 120)).to_html() == xp.compare(answers("CBA", 120)).to_html()


def test_groups_and_items_of_files_are_called_what_they_are_called():
    answered = answers("AB", 60)
    documents = [f"doc {i % 20} & co" for i in range(60)]  # in another order than that of their names
    [data] = embedded(xp.compare(answered, groups=documents).to_html())
    [pair] = data["pairs"]
    a, b = (answered[data["systems"][pair[key]]] for key in "ab")
    ahead = dict.fromkeys(documents, 0.0)
    for name, x, y in zip(documents, a, b, strict=True):
        ahead[name] += (x - y) / 3
    assert len(pair["items"]) == 10
    for label, _, _, difference in pair["items"]:
        assert difference == pytest.approx(ahead[label])
    assert data["pairs"][0]["grouped"]
    [data] = embedded(xp.compare(answered).to_html())
    numbers = [int(item[0].removeprefix("#")) - 1 for item in data["pairs"][0]["items"]]
    a, b = (answered[data["systems"][data["pairs"][0][key]]] for key in "ab")
    assert [a[i] - b[i] for i in numbers] == [item[3] for item in data["pairs"][0]["items"]]


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        ({"A": [1, 1, 1], "B": [1, 1, 1]}, {}, "tied on every item"),
        ({"A": [1], "B": [0]}, {}, "Not testable"),
        ({"A": [0.1, np.nan, 0.3], "B": [0.2, 0.1, 0.4]}, {"nan_policy": "omit"}, "Not testable"),
    ],
    ids=["equal", "one item", "missing"],
)
def test_small_data(data, options, said):
    page = xp.compare(data, **options).to_html()
    assert said in page
    [shown] = embedded(page)[0]["pairs"]
    assert isinstance(shown["interval"], str)  # why there is none
    assert shown["interval"]


def test_results_of_counts_alone_and_of_samplers():
    scores = {"A": [0.25, 0.5, 0.125, 0.75] * 9, "B": [0.2, 0.5, 0.3, 0.1] * 9}
    page = xp.compare(scores, method="monte-carlo", n_resamples=999, rng=0).to_html()
    assert "Not exact: monte-carlo" in page
    assert not embedded(page)[0]["pairs"][0]["exact"]


def test_results_without_their_data_say_so(three):
    pairs = tuple(dataclasses.replace(pair, problem=None) for pair in three.pairs)
    [data] = embedded(dataclasses.replace(three, pairs=pairs).to_html())
    said = {(shown["interval"], shown["null"], *shown["items"]) for shown in data["pairs"]}
    assert said == {("The result does not hold the data of its test.",) * 2}


def test_p_values_that_are_not_corrected_are_called_so():
    page = xp.compare(answers("ABC", 60), correction="none", alpha=0.01).to_html()
    assert "The p-values are not corrected for their number: each test by itself has the level 0.01." in page


def test_twenty_systems_and_ten_thousand_items_are_small():
    result = xp.compare(answers([f"system {i}" for i in range(20)], 10_000))
    page = result.to_html()
    assert len(page.encode()) < 2_000_000
    [data] = embedded(page)
    assert len(data["pairs"]) == 190
    assert all(sum(pair["null"]["bars"]) == pytest.approx(1e6, abs=100) for pair in data["pairs"])
    assert all(len(pair["items"]) == 10 for pair in data["pairs"])
    best = [pair for pair in data["pairs"] if 0 in (pair["a"], pair["b"])]
    assert len(best) == 19
    assert all(isinstance(pair["interval"], dict) for pair in best)


def test_intervals_of_many_items_are_left_out_and_the_page_says_so(monkeypatch):
    monkeypatch.setattr("exactperm.report.html.intervals.BUDGET", 3 * 8)
    [data] = embedded(xp.compare(answers("DCBA", 120)).to_html())
    intervals = [pair["interval"] for pair in data["pairs"]]
    assert [isinstance(interval, dict) for interval in intervals] == [True] * 3 + [False] * 3
    assert {interval["method"] for interval in intervals[:3]} == {"BCa"}
    assert "confidence_interval() of the pair gives it" in intervals[3]


def test_a_statistic_of_ones_own_and_less_that_is_better():
    own = xp.Metric("own", sums=("x", "y"), h=lambda x, y, u, v: (x - u) * 1.0 + (v - y), antisymmetric=True)
    draw = np.random.default_rng(2)
    counts = {name: draw.integers(0, 5, (40, 2)) for name in "ABC"}
    page = xp.compare(counts, metric=own).to_html()
    assert [pair["scores"] for pair in embedded(page)[0]["pairs"]] == [[None, None]] * 3
    scores = answers("AB", 50)
    mean = xp.metrics.get("mean").renamed("error", higher_is_better=False)
    page = xp.compare(scores, metric=mean, alternative="greater").to_html()
    assert "error (lower is better)" in page
    assert embedded(page)[0]["tail"] == "lower"
    assert embedded(page)[0]["pairs"][0]["interval"]["low"] is None


@pytest.mark.parametrize(
    ("options", "asked", "drawn"),
    [
        ({"alternative": "greater"}, "Is A not worse than B by more than 0.1 in mean?", True),
        ({}, "Is A equivalent to B within ±0.1 in mean?", False),
    ],
    ids=["non-inferiority", "equivalence"],
)
def test_a_margin_is_asked_about(options, asked, drawn):
    result = xp.compare(answers("AB", 100), margin=0.1, **options)
    page = result.to_html()
    assert f"<h1>{asked}</h1>" in page
    assert html.escape(result.verdict) in page
    law = embedded(page)[0]["pairs"][0]["null"]
    assert isinstance(law, dict) if drawn else "two null laws" in law
