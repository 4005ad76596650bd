"""The page in a browser: with mouse and keyboard, on large and small screens, in the dark, and on paper."""

import json
import re

import pytest

from exactperm.pair import as_known
from report_pages import LONG, ODD, answers

PAGES = ["five", "odd", "pair", "base", "metrics"]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def texts(page, selector):
    return page.locator(selector).all_inner_texts()


def focused(page):
    return page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent")


# -- systems ---------------------------------------------------------------------------------------------------


def test_a_click_sorts_and_another_turns_it_around(look):
    page = look("five")
    names = ".systems tbody .name"
    assert texts(page, names) == ["A", "B", "C", "D", "E"]
    title = page.locator(".systems th", has=page.get_by_role("button", name="mean", exact=True))
    title.get_by_role("button").click()
    assert title.get_attribute("aria-sort") == "ascending"
    assert texts(page, names) == ["E", "D", "C", "B", "A"]
    title.get_by_role("button").click()
    assert title.get_attribute("aria-sort") == "descending"
    assert texts(page, names) == ["A", "B", "C", "D", "E"]
    assert page.locator("[aria-sort]").count() == 1


def test_sorting_by_keyboard_is_announced(look):
    page = look("five")
    page.get_by_role("button", name="Rank").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    assert texts(page, ".systems tbody .name")[0] == "E"
    assert page.get_by_role("status").inner_text() == "Sorted by Rank, descending"


def test_p_values_are_sorted_as_numbers_and_words_as_words(look):
    page = look("five")
    page.locator("details.all summary").click()
    page.locator(".pairs").get_by_role("button", name="p", exact=True).click()
    shown = [float(p) for p in texts(page, ".pairs tbody td:nth-child(4)")]
    assert shown == sorted(shown)
    assert shown[0] < 1e-4 < shown[-1]  # so that sorting them as text would show
    page.locator(".pairs").get_by_role("button", name="Outcome").click()
    outcomes = texts(page, ".pairs tbody td:last-child")
    assert outcomes == sorted(outcomes)
    assert len(set(outcomes)) > 1


# -- pairs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("row", "column"), [("A", "C"), ("C", "A")])
def test_a_click_on_a_cell_opens_its_pair_as_its_row_sees_it(row, column, look, comparisons):
    page = look("five")
    page.get_by_role("button", name=re.compile(f"^{row} against {column}:")).click()
    panel = page.get_by_role("dialog")
    pair = next(p for p in comparisons["five"].pairs if {p.a, p.b} == {"A", "C"})
    assert panel.get_by_role("heading", level=2).inner_text() == f"{row} against {column}"
    text = panel.inner_text().replace("−", "-")
    assert pair.verdict in text
    wins, losses, sign = (pair.wins, pair.losses, 1) if pair.a == row else (pair.losses, pair.wins, -1)
    assert f"{wins} won, {losses} lost, {pair.ties} tied by {row}" in text
    assert f"{row} minus {column}\n{sign * pair.statistic:+.4g}" in text
    low, high = sorted(sign * end for end in pair.confidence_interval(method="BCa"))
    assert f"{low:+.4g} to {high:+.4g}" in text
    assert f"outcome: {'better' if pair.better == row else 'worse'}" in text
    assert pair.signature in text
    assert as_known(pair) in text
    assert panel.locator(".chart svg rect.mass").count() > 20
    [item] = panel.locator(".items tbody tr").first.all_inner_texts()
    number, mine, theirs, difference = item.replace("−", "-").split()
    mine, theirs, difference = int(mine), int(theirs), int(difference)
    assert difference == mine - theirs != 0
    columns = answers("EDCBA", 200, seed=3)
    index = int(number.removeprefix("#")) - 1
    assert (mine, theirs) == (columns[row][index], columns[column][index])
    assert panel.locator(".items tbody tr").count() == 10


def test_the_picture_of_the_null_distribution_is_the_null_distribution(look, comparisons):
    page = look("five")
    page.get_by_role("button", name=re.compile("^A against B:")).click()
    pair = next(p for p in comparisons["five"].pairs if {p.a, p.b} == {"A", "B"})
    law = pair.null_distribution()
    bars = page.locator("dialog .mass").evaluate_all("all => all.map((bar) => Number(bar.getAttribute('height')))")
    coloured = page.locator("dialog .extreme").evaluate_all("all => all.map((b) => Number(b.getAttribute('height')))")
    share = sum(coloured) / sum(bars)
    assert share == pytest.approx(pair.pvalue, abs=1e-4)
    assert pair.pvalue > 1e-3
    assert max(bars) / sum(bars) == pytest.approx(law.probabilities.max(), rel=1e-3)


def test_the_keyboard_opens_a_pair_and_escape_goes_back_to_its_cell(look):
    page = look("five")
    cells = page.locator(".matrix .cell button")
    assert cells.evaluate_all("all => all.filter((cell) => cell.tabIndex === 0).length") == 1
    cells.first.focus()
    assert focused(page).startswith("A against B:")
    page.keyboard.press("ArrowDown")  # over the diagonal
    assert focused(page).startswith("C against B:")
    page.keyboard.press("ArrowRight")
    assert focused(page).startswith("C against D:")
    page.keyboard.press("Enter")
    panel = page.get_by_role("dialog")
    assert panel.is_visible()
    assert focused(page) == "Close"
    for _ in range(12):  # the focus stays in
        page.keyboard.press("Tab")
        inside = "document.activeElement === document.body || document.activeElement.closest('dialog') !== null"
        assert page.evaluate(inside)
    page.keyboard.press("Escape")
    assert not panel.is_visible()
    assert focused(page).startswith("C against D:")


def test_the_focus_can_be_seen(look):
    page = look("five")
    page.keyboard.press("Tab")
    assert page.locator(".skip").evaluate("link => link.getBoundingClientRect().left") >= 0
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = page.evaluate(
            "(({outlineStyle, outlineWidth}) => [outlineStyle, parseFloat(outlineWidth)])"
            "(getComputedStyle(document.activeElement))"
        )
        assert outline[0] == "solid"
        assert outline[1] >= 2


def test_a_click_beside_the_panel_and_its_button_close_it(look):
    page = look("five")
    panel = page.get_by_role("dialog")
    for close in (
        lambda: panel.get_by_role("button", name="Close").click(),
        lambda: page.mouse.click(5, 5),
    ):
        page.locator(".matrix .cell button").first.click()
        assert panel.is_visible()
        close()
        assert not panel.is_visible()


def test_one_pair_is_open_from_the_start(look, comparisons):
    page = look("pair")
    [pair] = comparisons["pair"].pairs
    assert page.locator(".inline .chart svg").is_visible()
    assert pair.signature in page.locator(".inline").inner_text()


def test_pairs_with_a_baseline_open_from_their_table(look):
    page = look("base")
    assert page.locator(".matrix").count() == 0
    page.get_by_role("button", name="X", exact=True).click()
    assert page.get_by_role("dialog").get_by_role("heading", level=2).inner_text() == "X against Y"


def test_several_metrics_have_a_section_each_with_pairs_of_their_own(look, comparisons):
    page = look("metrics")
    for i, (metric, comparison) in enumerate(comparisons["metrics"].items()):
        section = page.locator(".comparison").nth(i)
        assert section.locator("h2").inner_text() == metric
        section.locator(".matrix .cell button").first.click()
        pair = comparison.ranked_pairs[0]
        assert pair.signature in page.get_by_role("dialog").inner_text()
        page.keyboard.press("Escape")


# -- copying ---------------------------------------------------------------------------------------------------


def copied(where, name):
    """What a button puts into the clipboard, which is emptied before."""
    page = getattr(where, "page", where)
    page.evaluate("Clipboard.prototype.writeText.call(navigator.clipboard, '')")
    where.get_by_role("button", name=name).click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text !== '')")
    assert page.get_by_role("status").inner_text() == "Copied"
    return page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("blocked", [False, True], ids=["allowed", "by selection"])
def test_copying(blocked, look, comparisons):
    page = look("five", permissions=["clipboard-read", "clipboard-write"])
    if blocked:
        page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('no')))")
    comparison = comparisons["five"]
    expected = {
        "Copy sentence": comparison.verdict,
        "Copy signature": comparison.signature,
        "Copy LaTeX": comparison.to_latex(),
    }
    for name, text in expected.items():
        assert copied(page, name) == text
    bibtex = copied(page, "Copy BibTeX")
    assert bibtex.count("@") == 2
    assert "10.18653/v1/2022.naacl-main.360" in bibtex
    page.locator(".matrix .cell button").first.click()
    assert copied(page.get_by_role("dialog"), "Copy signature") == comparison.ranked_pairs[0].signature


# -- everyone's screen -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(name, scheme, look, violations):
    page = look(name, color_scheme=scheme, reduced_motion="reduce")
    assert violations(page) == []
    page.locator(".cell button, .open-pair").first.click()
    assert page.get_by_role("dialog").is_visible()
    assert violations(page) == []


def test_it_is_dark_where_dark_is_preferred(look):
    def lightness(scheme):
        page = look("five", color_scheme=scheme)
        colours = page.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
        )
        return [sum(map(int, re.findall(r"\d+", colour)[:3])) / 765 for colour in colours]

    paper, ink = lightness("light")
    assert paper > 0.9
    assert ink < 0.2
    paper, ink = lightness("dark")
    assert paper < 0.2
    assert ink > 0.8


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_scrolls_down_only(name, look):
    page = look(name, **PHONE)
    fits = "document.documentElement.scrollWidth <= 390 && visualViewport.width === 390"
    assert page.evaluate(fits)
    page.locator(".cell button, .open-pair").first.tap()
    panel = page.get_by_role("dialog")
    assert panel.is_visible()
    assert page.evaluate(fits)
    assert panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth")
    box = panel.get_by_role("button", name="Close").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["height"] < 50


def test_nothing_moves_where_motion_is_not_wanted(look):
    def animations(motion):
        page = look("five", reduced_motion=motion)
        page.locator(".cell button").first.click()
        return page.evaluate("getComputedStyle(document.getElementById('panel')).animationName")

    assert animations("no-preference") == "rise"
    assert animations("reduce") == "none"


def test_it_prints_with_everything_unfolded_and_folds_again(look):
    page = look("five")
    count = "window.folded = document.querySelectorAll('details:not([open])').length"
    page.evaluate(f"addEventListener('beforeprint', () => {{ {count}; }})")
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF-")
    assert page.evaluate("window.folded") == 0
    assert page.locator("details[open]").count() == 0
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Copy sentence").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.set_viewport_size({"width": 680, "height": 900})  # about a page of A4
    assert page.evaluate("document.documentElement.scrollWidth") <= 680


# -- names -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "phone"])
def test_names_are_text_whatever_they_hold(options, look):
    page = look("odd", **options)
    assert sorted(texts(page, ".systems tbody .name")) == sorted(ODD)
    assert page.title() == "Which of 4 systems differ in mean?"
    assert page.locator("img").count() == 0
    page.locator(".matrix .cell button").first.click()
    heading = page.locator("#panel-title bdi").all_inner_texts()
    assert set(heading) <= set(ODD)
    widths = page.locator(".systems tbody .name").evaluate_all(
        "all => all.map((name) => name.getBoundingClientRect().width)"
    )
    assert max(widths) < 400
    assert len(LONG) == 199


def test_injected_scripts_and_requests_are_refused(files, browser):
    context = browser.new_context()
    page = context.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(files["five"].as_uri())
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.hit = 1'}))")
    page.evaluate("fetch('https://example.org/').catch(() => {})")
    page.evaluate("document.body.append(Object.assign(new Image(), {src: 'https://example.org/x.png'}))")
    page.wait_for_timeout(100)
    assert page.evaluate("window.hit") is None
    assert len([text for text in refused if "Content Security Policy" in text]) >= 3
    context.close()


def test_without_javascript_the_tables_are_there(look, comparisons):
    page = look("five", java_script_enabled=False)
    assert page.locator(".systems tbody tr").count() == 5
    assert page.locator(".matrix td.cell").count() == 20
    page.locator("details.all summary").click()
    assert page.locator(".pairs tbody tr").first.is_visible()
    assert not page.get_by_role("button", name="Copy sentence").is_visible()
    assert comparisons["five"].verdict in page.locator(".verdict").inner_text()


def test_what_is_embedded_is_what_was_compared(look, comparisons):
    page = look("five")
    [embedded] = json.loads(page.locator("#data").text_content())
    assert embedded["systems"] == list(comparisons["five"].ranking)
    assert [p["signature"] for p in embedded["pairs"]] == [p.signature for p in comparisons["five"].ranked_pairs]
