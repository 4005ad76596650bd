"""The import rule of the architecture: data flows from sources to reports and never back."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import exactperm

PACKAGE = Path(exactperm.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

# What the modules of a part may import of the package.
ALLOWED = {
    "integers.py": set(),
    "counting.py": {"integers"},
    "engines": {"engines", "integers", "effects", "lattice", "region"},
    "metrics": {"metrics", "integers", "effects", "lattice", "region"},
    "sources": {"sources", "metrics", "integers", "counting", "effects", "grid"},
}


def parts_imported(source: str, module: Path) -> set[str]:
    """The first name below ``exactperm`` of every import: ``effects`` for ``exactperm.effects``."""
    parents = ("exactperm", *module.parent.parts)
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = parents[: len(parents) - node.level + 1] if node.level else ()
            stem = ".".join([*start, *(node.module or "").split(".")]).strip(".")
            names |= {f"{stem}.{alias.name}" for alias in node.names}
    split = [name.split(".") for name in names]
    return {name[1] if len(name) > 1 else "exactperm" for name in split if name[0] == "exactperm"}


def forbidden_parts(source: str, module: Path) -> set[str]:
    part = module.parts[0]
    imported = parts_imported(source, module)
    if part in ALLOWED:
        return imported - ALLOWED[part]
    return imported & {"cli"} if part not in {"cli", "__main__.py"} else set()


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_module_keeps_the_import_rule(module):
    source = (PACKAGE / module).read_text(encoding="utf-8")
    assert forbidden_parts(source, module) == set()


@pytest.mark.parametrize("part", ["engines", "metrics"])
def test_there_are_modules_to_check(part):
    assert any(module.parts[0] == part for module in MODULES)


@pytest.mark.parametrize(
    ("module", "source", "forbidden"),
    [
        ("engines/fourier.py", "import numpy, exactperm.effects", set()),
        ("engines/fourier.py", "from .base import Engine", set()),
        ("engines/fourier.py", "from ..effects import Effects", set()),
        ("engines/fourier.py", "from exactperm import lattice", set()),
        ("engines/fourier.py", "from exactperm import Effects", {"Effects"}),
        ("engines/fourier.py", "import exactperm", {"exactperm"}),
        ("engines/fourier.py", "from ..metrics.f1 import F1", {"metrics"}),
        ("engines/fourier.py", "from .. import result", {"result"}),
        ("engines/fourier.py", "def f():\n    from exactperm.api import compare", {"api"}),
        ("metrics/f1.py", "from exactperm.engines import fourier", {"engines"}),
        ("metrics/f1.py", "from exactperm.metrics.base import Metric", set()),
        ("sources/csv.py", "from exactperm.effects import Effects", set()),
        ("sources/csv.py", "import exactperm.engines.auto", {"engines"}),
        ("counting.py", "from exactperm.integers import dot", set()),
        ("counting.py", "from exactperm.effects import Effects", {"effects"}),
        ("api.py", "from exactperm.engines import auto", set()),
        ("api.py", "from .cli import main", {"cli"}),
        ("cli/app.py", "from exactperm.cli.demo import demo", set()),
        ("__main__.py", "from exactperm.cli import main", set()),
    ],
)
def test_the_rule_itself(module, source, forbidden):
    assert forbidden_parts(source, Path(module)) == forbidden


@pytest.mark.parametrize(
    ("statement", "slow"),
    [
        ("import exactperm", {"scipy", "narwhals", "typer", "rich"}),
        ("import exactperm.cli", {"numpy", "scipy", "narwhals", "rich"}),
    ],
)
def test_import_loads_nothing_slow(statement, slow):
    # The tests may run on a source tree that is not installed.
    program = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); {statement}"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "exactperm" in loaded
    assert loaded & slow == set()


def test_comparing_a_file_loads_no_more_than_it_needs(tmp_path):
    """The command starts at once: NumPy and the libraries of the command line, and nothing that only others need."""
    table = tmp_path / "small.csv"
    table.write_text("id,A,B\n1,1,0\n2,1,1\n3,0,0\n", encoding="utf-8")
    program = (
        f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\n"
        f"sys.argv = ['exactperm', 'compare', {str(table)!r}]\n"
        "from exactperm.cli.app import run\n"
        "run()\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert {"numpy", "rich", "exactperm.report.text"} <= loaded
    slow = {"scipy", "narwhals", "pandas", "polars", "pyarrow", "duckdb", "sacrebleu", "matplotlib"}
    assert loaded & slow == set()
