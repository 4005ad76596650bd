"""The page of the documentation is what the engines say of themselves."""

import importlib.util
from pathlib import Path

from exactperm.engines import auto

DOCS = Path(__file__).parents[2] / "docs"


def generator():
    spec = importlib.util.spec_from_file_location("generate_engines", DOCS / "generate_engines.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_up_to_date():
    assert (DOCS / "engines.md").read_text(encoding="utf-8") == generator().page()


def test_page_has_every_method_but_the_two_that_choose():
    page = generator().page()
    for name in set(auto.METHODS) - {"auto", "exact"}:
        assert f"\n## {name}\n" in page
