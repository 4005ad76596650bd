"""Generated pages are what the code says of itself; the examples of all pages and docstrings are executed."""

import doctest
import importlib
import importlib.util
import pkgutil
import re

import pytest

import exactperm
from exactperm import metrics
from exactperm.cli.app import COMMANDS
from exactperm.engines import auto
from exactperm.sources import registry
from shown import ROOT, answer, failures, fenced

DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.glob("*.md"))
MODULES = sorted(info.name for info in pkgutil.walk_packages(exactperm.__path__, "exactperm."))


def page(name):
    spec = importlib.util.spec_from_file_location(f"generate_{name}", DOCS / f"generate_{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.page()


@pytest.mark.parametrize("name", ["cli", "engines", "formats", "metrics"])
def test_page_is_up_to_date(name):
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == page(name)


@pytest.mark.parametrize(
    ("name", "sections"),
    [
        ("cli", {f"exactperm {command.__name__}" for command in COMMANDS}),
        ("engines", set(auto.METHODS) - {"auto", "exact"}),
        ("formats", set(registry.formats())),
        ("metrics", set(metrics.names())),
    ],
)
def test_page_has_every_section(name, sections):
    text = page(name)
    assert {section for section in sections if f"\n## {section}\n" not in text} == set()


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # of Ibis, about DuckDB 2
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_examples_of_a_page_give_the_output_shown(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = path.read_text(encoding="utf-8")
    shown = [block for block in fenced(text, "python") if ">>> " in block]
    assert failures("\n".join(shown), path.name) == ""
    for block in fenced(text, "console"):
        given, expected = answer(block)
        assert given == expected


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_examples_of_docstrings_give_the_output_shown(name):
    report = []
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
        doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert "".join(report) == ""


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    places = [place for place in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in place]
    assert [place for place in places if not (path.parent / place).exists()] == []
