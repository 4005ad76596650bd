"""The page of the documentation is what the registry says."""

import importlib.util
from pathlib import Path

from exactperm import metrics

DOCS = Path(__file__).parents[2] / "docs"


def generator():
    spec = importlib.util.spec_from_file_location("generate_metrics", DOCS / "generate_metrics.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_up_to_date():
    assert (DOCS / "metrics.md").read_text(encoding="utf-8") == generator().page()


def test_page_has_every_metric():
    page = generator().page()
    for name in metrics.names():
        assert f"\n## {name}\n" in page
