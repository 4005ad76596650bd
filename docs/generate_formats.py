"""Write docs/formats.md from the registry and the files of the tests: ``python docs/generate_formats.py``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from exactperm.sources import Format, registry

PAGE = Path(__file__).with_name("formats.md")
CASES = Path(__file__).parents[1] / "tests" / "sources" / "data"
#: characters of a line that are shown
WIDTH = 100

HEAD = """\
# File formats

This page is generated from the registry by `docs/generate_formats.py`.

`exactperm compare FILE FILE` and `exactperm.read(...)` take the files that evaluation tools write, one for each system
or a table of several. The format is found from the content of the file; `--format NAME` (`format=`) says it. Files may
be compressed with gzip, and `-` is standard input. Items are matched by their id, and by position only in formats that
have none. What is missing, there twice, or about another question is an error that says where and which option settles
it.

Of every format there is a file in the tests, made by the tool itself wherever the tool runs offline; "schema-faithful"
says that it was written after the tool's own description instead.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The whole page."""
    by_format: dict[str, list[tuple[Path, dict[str, Any]]]] = {}
    for path in sorted(CASES.glob("*/case.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        by_format.setdefault(facts["format"], []).append((path.parent, facts))
    formats = registry.formats()
    return "\n".join([HEAD, contents(formats), *(section(f, by_format.get(f.name, [])) for f in formats.values())])


def contents(formats: dict[str, Format]) -> str:
    """A table of all formats."""
    rows = [f"| [{f.name}](#{f.name}) | {plain(f.title)} |" for f in formats.values()]
    return "\n".join(["| format | what it is |", "|---|---|", *rows, ""])


def section(of: Format, cases: list[tuple[Path, dict[str, Any]]]) -> str:
    """One format."""
    lines = [f"## {of.name}", "", plain(f"{of.title[0].upper()}{of.title[1:]}.")]
    lines += ["", plain(of.details)] if of.details else []
    lines += ["", f"- Gold standard: {gold(of)}."]
    for measure, names in of.metrics.items():
        first, *others = (f"`{name}`" for name in names)
        also = f", also {', '.join(others)}" if others else ""
        lines.append(f"- Metric of {measure}: {first}{also}.")
    if not of.metrics:
        lines.append("- Metric: the mean of the numbers in the files, under the name that the files give them.")
    if of.lower_is_better:
        lines.append(f"- Less is better: {', '.join(f'`{name}`' for name in sorted(of.lower_is_better))}.")
    by_tool: dict[str, list[str]] = {}
    for folder, facts in cases:
        by_tool.setdefault(facts["made_by"], []).append(f"`{folder.name}`")
    lines += [f"- Tested on: {plain(made_by)} ({', '.join(names)})." for made_by, names in by_tool.items()]
    return "\n".join([*lines, *(sample(*cases[0]) if cases else []), ""])


def gold(of: Format) -> str:
    """Where what is right comes from."""
    if of.gold is None:
        return "in the files, or not needed"
    return "has to be given, `--gold`" if of.needs_gold else "may be given, `--gold`"


def plain(text: str) -> str:
    """Text in which Markdown sees no marks."""
    return re.sub(r"([*_<])", r"\\\1", text)


def sample(folder: Path, facts: dict[str, Any]) -> list[str]:
    """The first two lines of the first file of a case."""
    files = facts["files"]
    pattern = next(iter(files.values() if isinstance(files, dict) else files))
    start = sorted(folder.glob(pattern))[0].read_bytes()
    if b"\x00" in start:
        return ["", f"`{folder.name}/{pattern}` is binary."]
    lines = start.decode("utf-8-sig").splitlines()[:2]
    shown = [line if len(line) <= WIDTH else f"{line[:WIDTH]} ..." for line in lines]
    return ["", "```text", *shown, "```"]


if __name__ == "__main__":
    main()
