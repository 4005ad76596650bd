"""From comparisons to the text of a page, and to a file.

Whatever comes from users is escaped; the policy of the page admits the one style sheet and the one script that belong
to it, by their hashes, and nothing else, so that nothing can be run in the page and nothing can leave it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from exactperm import __version__
from exactperm.report.html import data, parts
from exactperm.report.html.intervals import intervals
from exactperm.whole_file import check_folder, whole_file

if TYPE_CHECKING:
    from exactperm.comparison import Comparison

__all__ = ["checked", "deliver", "page"]

SUFFIXES = (".html", ".htm")


def checked(path: str | Path) -> Path:
    """The path of a report, refused before anything is computed if no report can be written there."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise ValueError(f"a report is HTML: {target} must end in .html or .htm")
    check_folder(target)
    return target


def deliver(comparisons: Sequence[Comparison], path: str | Path | None) -> str | None:
    """The page as text if there is no path; else it is written there, as a whole or not at all."""
    if path is None:
        return page(comparisons)
    target = checked(path)
    text = page(comparisons)
    with whole_file(target) as file:
        file.write(text.encode())
    return None


def page(comparisons: Sequence[Comparison]) -> str:
    """The whole page."""
    several = len(comparisons) > 1
    sections, embedded = [], []
    for i, comparison in enumerate(comparisons):
        found = intervals(comparison.ranked_pairs)
        embedded.append(data.of_comparison(comparison, found))
        fields = parts.section(comparison, found, i, 3 if several else 2)
        sections.append(_filled("section.html", fields))
    style, script = _resource("style.css"), _resource("script.js")
    return _filled(
        "page.html",
        {
            "policy": _policy(style, script),
            "version": __version__,
            "title": escape(parts.question(comparisons)),
            "eyebrow": escape(parts.eyebrow(comparisons)),
            "style": style,
            "script": script,
            "sections": "\n".join(sections),
            "bibtex": escape(_filled("citation.bib", {"version": __version__}).strip()),
            "data": data.as_script(embedded),
        },
    )


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _filled(name: str, fields: dict[str, str]) -> str:
    return Template(_resource(name)).substitute(fields)


def _resource(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
