"""Generated pages of the documentation are what the code says of itself."""

import importlib.util
from pathlib import Path

import pytest

from exactperm import metrics
from exactperm.cli.app import COMMANDS
from exactperm.engines import auto
from exactperm.sources import registry

DOCS = Path(__file__).parents[1] / "docs"


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
