"""The tutorial is executed: what the notebook shows is what its cells put out."""

import importlib.util
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def tutorial():
    spec = importlib.util.spec_from_file_location("generate_tutorial", DOCS / "generate_tutorial.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def notebook():
    return json.loads((DOCS / "tutorial.ipynb").read_text(encoding="utf-8"))


def test_the_notebook_is_up_to_date(tutorial, notebook):
    assert json.loads(tutorial.page()) == notebook


def test_it_is_a_notebook(notebook):
    pytest.importorskip("nbformat").validate(notebook)


def test_all_its_code_has_been_run(notebook):
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 10
    assert sum(bool(cell["outputs"]) for cell in code) == len(code) - 1  # but for the import
    assert any("text/html" in output.get("data", {}) for cell in code for output in cell["outputs"])


def test_words_about_the_outputs_are_true(notebook):
    said = ["".join(cell["source"]) for cell in notebook["cells"]]
    shown = {
        source: cell["outputs"][-1]["data"]["text/plain"]
        for cell, source in zip(notebook["cells"], said, strict=True)
        if cell["cell_type"] == "code" and cell["outputs"] and "data" in cell["outputs"][-1]
    }
    smaller = next(source for source in shown if "by_sentence" in source)
    assert shown[smaller] == ["True"]
    assert any("sentences of 25 documents" in text for text in said)
    [named] = [text for source, text in shown.items() if "names = xp.read" in source]
    assert "25 pairs" in "".join(named)
