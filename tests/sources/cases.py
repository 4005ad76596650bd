"""Files as tools write them, with what must come out: a folder of `data` each, described by its ``case.json``.

``format``        the name of the format, which must be recognised without being told
``files``         the files of the systems, relative to the folder; a list, or a mapping from names
``gold``          the file of the gold standard, a list of several references, or null
``options``       other arguments of `read`
``metric``        the metric that is compared; ``compare`` holds other arguments of `compare`
``systems``       the names that are found
``items``         how many items there are; ``groups`` how many groups, or null
``scores``        the aggregate of each system, as the tool that wrote the files reports it
``made_by``       the tool and its version, or "schema-faithful" and the reason
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["CASES", "Case"]

DATA = Path(__file__).parent / "data"


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
        return [self.folder / path for path in (files.values() if isinstance(files, dict) else files)]

    @property
    def golds(self) -> list[Path]:
        """The files of the gold standard."""
        gold = self.facts.get("gold") or []
        return [self.folder / path for path in ([gold] if isinstance(gold, str) else gold)]

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `read`."""
        return {**self.facts.get("options", {}), **({"gold": [str(path) for path in self.golds]} if self.golds else {})}


CASES = [
    Case(path.parent.name, path.parent, json.loads(path.read_text(encoding="utf-8")))
    for path in sorted(DATA.glob("*/case.json"))
]
