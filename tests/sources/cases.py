"""Files as tools write them, with what must come out: a folder of `data` each, described by its ``case.json``.

``format``        the name of the format, which must be recognised without being told
``files``         the files of the systems, or patterns, relative to the folder; a list, or a mapping from names
``gold``          the file of the gold standard, a list of several references, or null
``options``       other arguments of `read`
``metric``        the metric that is compared; ``compare`` holds other arguments of `compare`
``systems``       the names that are found
``items``         how many items there are; ``groups`` how many groups, or null
``scores``        the aggregate of each system, as the tool that wrote the files reports it
``others``        the same by further metrics
``rounded``       the largest difference that the digits which the tool prints allow
``needs``         modules of which there has to be one, or the case is skipped; the extra `test` has one
``made_by``       the tool and its version, or "schema-faithful" and the reason
"""

from __future__ import annotations

import gzip
import importlib
import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

__all__ = ["CASES", "Case", "by_case"]

DATA = Path(__file__).parent / "data"


def can_import(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


@dataclass(frozen=True)
class Case:
    """One folder of files."""

    name: str
    folder: Path
    facts: dict[str, Any]

    @property
    def files(self) -> list[Any]:
        """What `read` is given."""
        files = self.facts["files"]
        if isinstance(files, dict):
            return [{name: str(self.folder / path) for name, path in files.items()}]
        return [str(self.folder / path) for path in files]

    @property
    def paths(self) -> list[Path]:
        """The files of the systems."""
        files = self.facts["files"]
        patterns = files.values() if isinstance(files, dict) else files
        return [path for pattern in patterns for path in sorted(self.folder.glob(pattern))]

    @property
    def golds(self) -> list[Path]:
        """The files of the gold standard."""
        gold = self.facts.get("gold") or []
        return [self.folder / path for path in ([gold] if isinstance(gold, str) else gold)]

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `read`."""
        return {**self.facts.get("options", {}), **({"gold": [str(path) for path in self.golds]} if self.golds else {})}

    @property
    def parameter(self) -> Any:
        """The case as a parameter of a test, skipped without the modules that it needs."""
        needs = self.facts.get("needs")
        lacking = needs is not None and not any(map(can_import, needs))
        return pytest.param(self, id=self.name, marks=pytest.mark.skipif(lacking, reason=f"could not import {needs}"))

    def copied(self, folder: Path) -> Case:
        """The same files in another place."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return replace(self, folder=folder)

    def compressed(self, folder: Path) -> Case:
        """The same files in another place, those of the systems compressed."""
        case = self.copied(folder)
        for path in case.paths:
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
        files = self.facts["files"]
        packed = {k: f"{p}.gz" for k, p in files.items()} if isinstance(files, dict) else [f"{p}.gz" for p in files]
        return replace(case, facts={**self.facts, "files": packed})


CASES = [
    Case(path.parent.name, path.parent, json.loads(path.read_text(encoding="utf-8")))
    for path in sorted(DATA.glob("*/case.json"))
]
by_case = pytest.mark.parametrize("case", [case.parameter for case in CASES])
