"""The parts of a page that are HTML from the start: they can be read and printed without JavaScript."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from exactperm import tables
from exactperm.claims import KINDS, within
from exactperm.pair import CORRECTIONS, Pair, adjusted_as_known, in_a_word
from exactperm.report.html.forest import Forest, differences
from exactperm.report.html.intervals import LEVEL, Found
from exactperm.standing import sampled_methods

if TYPE_CHECKING:
    from exactperm.comparison import Comparison

__all__ = ["eyebrow", "question", "section"]

#: sign of a cell of the matrix, and its class
SIGNS = {
    "better": ("▲", "better"),
    "worse": ("▼", "worse"),
    "not different": ("≈", "alike"),
    "not better": ("≈", "alike"),
    "not worse": ("≈", "alike"),
    "undecided": ("?", "open"),
    "not testable": ("–", "open"),
}
OPPOSITE = {"better": "worse", "worse": "better", "not better": "not worse", "not worse": "not better"}
#: longer names are not put into the title
SHORT = 40
#: from so many systems on, cells of the matrix hold a sign and no p-value
MANY = 9
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


def question(comparisons: Sequence[Comparison]) -> str:
    """What the comparison asks, as the title."""
    first = comparisons[0]
    names, metrics = first.systems, " and ".join(c.metric for c in comparisons)
    a, b = first.pairs[0].a, first.pairs[0].b
    is_short, is_pair = max(len(a), len(b)) <= SHORT, len(names) == 2
    if first.margin is not None and is_short:
        which = f"Is {a}" if is_pair else "Which systems are"
        return f"{which} {within(first.alternative, first.margin, b)} in {metrics}?"
    if is_pair and is_short:
        words = {"greater": "better than", "less": "worse than"}.get(first.alternative)
        return f"Is {a} {words} {b} by {metrics}?" if words else f"Do {a} and {b} differ in {metrics}?"
    if first.baseline is not None and len(b) <= SHORT:
        return f"Which of {len(names) - 1} systems differ from {b} in {metrics}?"
    return f"Which of {len(names)} systems differ in {metrics}?"


def eyebrow(comparisons: Sequence[Comparison]) -> str:
    """The size of the data in a line."""
    items, groups = _most(comparisons[0].pairs)
    return f"Paired-permutation tests · {len(comparisons[0].systems)} systems · {items}{groups}"


def _most(pairs: Sequence[Pair]) -> tuple[str, str]:
    largest = max(pairs, key=lambda pair: pair.n_items)
    groups = f" in {largest.n_groups:,} groups" if largest.n_groups != largest.n_items else ""
    return f"{largest.n_items:,} items", groups


def section(comparison: Comparison, found: Sequence[Found], number: int, level: int) -> dict[str, str]:
    """What fills the template of a section."""
    several = level == 3
    titled = f'<h2 id="m{number}">{escape(comparison.metric)}</h2>' if several else ""
    return {
        "id": f"m{number}",
        "level": str(level),
        "metric": escape(comparison.metric),
        "heading": titled,
        "verdict": isolated(comparison.verdict, comparison.systems),
        "facts": _facts(comparison),
        "systems": _systems(comparison, found),
        "systems_note": _systems_note(comparison, found),
        "pairs": _pairs(comparison, number),
        "method": _method(comparison),
        "signature": escape(comparison.signature),
        "latex": escape(comparison.to_latex()),
    }


def isolated(text: str, names: Iterable[str]) -> str:
    """Text as HTML, in which names that are written from right to left move nothing but themselves."""
    turning = sorted((name for name in names if _RIGHT_TO_LEFT.search(name)), key=len, reverse=True)
    if not turning:
        return escape(text)
    parts = re.split(f"({'|'.join(map(re.escape, turning))})", text)
    return "".join(f"<bdi>{escape(part)}</bdi>" if i % 2 else escape(part) for i, part in enumerate(parts))


def _name(name: str) -> str:
    return f'<bdi class="name">{escape(name)}</bdi>'


def _facts(comparison: Comparison) -> str:
    pairs = comparison.pairs
    asked = comparison.alternative if comparison.margin is None else KINDS[comparison.alternative]
    facts = [
        ("Metric", comparison.metric + ("" if comparison.higher_is_better else " (lower is better)")),
        ("Tests", f"{len(pairs)} {'pair' if len(pairs) == 1 else 'pairs'}, {asked}"),
        ("Correction", _corrected(comparison)),
        ("Level", f"{comparison.alpha:g}"),
    ]
    if comparison.baseline is not None:
        facts.insert(1, ("Baseline", comparison.baseline))
    if comparison.margin is not None:
        facts.insert(1, ("Margin", f"{comparison.margin:.12g}"))
    return "".join(f"<div><dt>{name}</dt><dd><bdi>{escape(value)}</bdi></dd></div>" for name, value in facts)


def _corrected(comparison: Comparison) -> str:
    """How the p-values were adjusted; one pair may have been, together with those of other metrics."""
    if comparison.correction != "none" and not comparison.is_adjusted:
        return "none needed for one pair"
    return CORRECTIONS[comparison.correction]


# -- systems ---------------------------------------------------------------------------------------------------


def _systems(comparison: Comparison, found: Sequence[Found]) -> str:
    forest = differences(comparison, found)
    reference = "baseline" if comparison.baseline is not None else "best"
    tiers = [_title("Tier", "text")] if comparison.tiers else []
    metric = comparison.score_head()[0]
    head = [
        _title("Rank"),
        _title("System", "text"),
        _title(metric),
        *tiers,
        _title(f"Difference from the {reference}", place="forest"),
    ]
    rows = [_system(comparison, forest, name, rank) for rank, name in enumerate(comparison.ranking, 1)]
    return (
        f'<table class="sortable systems"><thead><tr>{"".join(head)}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def _title(text: str, kind: str = "number", place: str | None = None) -> str:
    return f'<th scope="col" data-kind="{kind}" class="{place or kind}">{escape(text)}</th>'


def _system(comparison: Comparison, forest: Forest, name: str, rank: int) -> str:
    score = comparison.scores[name]
    tier = []
    if comparison.tiers:
        letters = comparison.letters[name]
        chips = "".join(f'<span class="chip">{letter}</span>' for letter in letters)
        tier = [f'<td class="word" data-value="{letters}">{chips}</td>']
    cells = [
        f'<td class="number" data-value="{rank}">{rank}</td>',
        f'<th scope="row">{_name(name)}</th>',
        f'<td class="number" data-value="{_sortable(score)}">{escape(comparison.score_cells(name)[0])}</td>',
        *tier,
        f'<td class="forest" data-value="{_sortable(forest.of(name))}">{forest.cell(name)}</td>',
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _sortable(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else repr(float(value))


def _systems_note(comparison: Comparison, found: Sequence[Found]) -> str:
    notes = []
    if comparison.tiers and len(comparison.systems) > 2:
        notes.append("Systems that share a letter were not told apart.")
    given = sorted({each.interval.method for each in found if each.interval is not None})
    if given:
        words = {"inversion": "from the exact test", "BCa": "by the bootstrap (BCa)"}
        how = ", ".join(words.get(method, method) for method in given)
        notes.append(f"Intervals: {100 * LEVEL:g} %, for each difference by itself, {how}.")
    return escape(" ".join(notes))


# -- pairs -----------------------------------------------------------------------------------------------------


def _pairs(comparison: Comparison, number: int) -> str:
    rows = _rows(comparison)
    if len(comparison.pairs) == 1:
        return f'{rows}<div class="inline" data-comparison="{number}" data-pair="0"></div>'
    if comparison.baseline is not None:
        return f'<p class="note">Choose a pair to see what its test rests on.</p>{rows}'
    return (
        f"{_legend(comparison)}{_matrix(comparison, number)}"
        f'<details class="all"><summary>All {len(comparison.pairs)} pairs as a table</summary>{rows}</details>'
    )


def _legend(comparison: Comparison) -> str:
    seen = {in_a_word(pair) for pair in comparison.pairs}
    seen |= {OPPOSITE.get(word, word) for word in seen}
    entries = (
        f'<li><span class="key {kind}" aria-hidden="true">{sign}</span> the row is {word}'
        f"{' than the column' if word in ('better', 'worse') else ''}</li>"
        if word in OPPOSITE
        else f'<li><span class="key {kind}" aria-hidden="true">{sign}</span> {word}</li>'
        for word, (sign, kind) in SIGNS.items()
        if word in seen
    )
    hint = "Rows and columns are ranked. Choose a cell to see what its test rests on."
    return f'<p class="note">{hint}</p><ul class="legend">{"".join(entries)}</ul>'


def _matrix(comparison: Comparison, number: int) -> str:
    """Every ordered pair; which of the two was first in the test does not show."""
    ranking = comparison.ranking
    at = {frozenset((pair.a, pair.b)): (i, pair) for i, pair in enumerate(comparison.ranked_pairs)}
    head = "".join(
        f'<th scope="col" title="{escape(name)}">{i}<span class="unseen"> {_name(name)}</span></th>'
        for i, name in enumerate(ranking, 1)
    )
    rows = []
    for rank, row in enumerate(ranking, 1):
        cells = [
            '<td class="self"><span class="unseen">itself</span></td>'
            if row == column
            else _cell(*at[frozenset((row, column))], row, len(ranking) < MANY)
            for column in ranking
        ]
        rows.append(f'<tr><th scope="row"><span class="rank">{rank}</span> {_name(row)}</th>{"".join(cells)}</tr>')
    size = "wide" if len(ranking) < MANY else "narrow"
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Matrix of pairs by {escape(comparison.metric)}">'
        f'<table class="matrix {size}" data-comparison="{number}" aria-label="Matrix of pairs">'
        f'<thead><tr><th scope="col"><span class="unseen">System</span></th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(index: int, pair: Pair, row: str, with_p: bool) -> str:
    word = in_a_word(pair)
    if pair.a != row:
        word = OPPOSITE.get(word, word)
    sign, kind = SIGNS[word]
    known = adjusted_as_known(pair)
    p = f'<span class="p">{escape(known)}</span>' if with_p else ""
    return (
        f'<td class="cell {kind}" data-pair="{index}"><span aria-hidden="true">{sign}</span>'
        f'<span class="unseen">{word}{"" if with_p else f", p {escape(known)}"}</span>{p}</td>'
    )


def _rows(comparison: Comparison) -> str:
    """The pairs as a table that can be sorted."""
    head, rows, left = comparison.pairs_table()
    titles = "".join(
        _title(
            name.capitalize() if name[:2] not in ("p", "p ") else name,
            "text" if tables.is_words(head, i, left) else "number",
        )
        for i, name in enumerate(head)
    )
    body = []
    for index, (pair, row) in enumerate(zip(comparison.ranked_pairs, rows, strict=True)):
        kinds = ["word" if tables.is_words(head, i, left) else "number" for i in range(len(head))]
        values = _values(pair, head)
        names = f'<th scope="row" data-open="{index}">{_name(row[0])}</th><td>{_name(row[1])}</td>'
        cells = "".join(
            f'<td class="{kind}" data-value="{value}">{escape(cell)}</td>'
            for cell, kind, value in list(zip(row, kinds, values, strict=True))[left:]
        )
        body.append(f"<tr>{names}{cells}</tr>")
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table of pairs by {escape(comparison.metric)}">'
        '<table class="sortable pairs">'
        f"<thead><tr>{titles}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _values(pair: Pair, head: Sequence[str]) -> list[str]:
    """By what the cells of a row are sorted."""
    known = {"difference": pair.statistic, "p": pair.log_pvalue, "won-lost-tied": pair.wins}
    values = []
    for name in head:
        value = pair.log_pvalue_adjusted if name.startswith("p (") else known.get(name)
        values.append(_sortable(value if value is None or math.isfinite(value) else -1e308))
    return [value or escape(in_a_word(pair)) for value in values]


# -- method ----------------------------------------------------------------------------------------------------


def _method(comparison: Comparison) -> str:
    engines = ", ".join(sorted({pair.method for pair in comparison.pairs}))
    paragraphs = [
        "If two systems were alike, exchanging their outputs on any item would change nothing. The p-value is the "
        "share of all such exchanges whose difference is at least as extreme as the one observed.",
        f"Computed by: {engines}. {_bounds(comparison)}",
    ]
    if comparison.margin is not None:
        paragraphs.insert(
            1,
            "With a margin, one system is first moved by it on every item, against what is to be shown.",
        )
    if comparison.is_adjusted or len(comparison.pairs) > 1:
        paragraphs.append(_correction(comparison))
    return "".join(f"<p>{escape(text)}</p>" for text in paragraphs)


def _bounds(comparison: Comparison) -> str:
    pairs = comparison.pairs
    widths = [high - low for low, high in (pair.log_pvalue_interval for pair in pairs) if low > -math.inf]
    widest = math.expm1(min(max(widths, default=0.0), 700.0))
    if sampled := sampled_methods(pairs):
        return (
            f"Not exact: {', '.join(sampled)}. Each such p-value has an interval, shown in the panel of its pair, and "
            "an outcome is called undecided where the interval leaves it open."
        )
    if widest == 0:
        return "All p-values are exact fractions, rounded once."
    return f"All p-values are exact up to rounding, with certified bounds less than a factor of 1 + {widest:.1e} apart."


def _correction(comparison: Comparison) -> str:
    if comparison.correction == "none":
        return (
            f"The p-values are not corrected for their number: each test by itself has the level {comparison.alpha:g}."
        )
    name = CORRECTIONS[comparison.correction]
    what = (
        "the expected share of false claims"
        if comparison.correction in ("bh", "by")
        else "the chance of any false claim"
    )
    return f"The p-values are adjusted by {name}'s procedure, which holds {what} at {comparison.alpha:g} at most."
