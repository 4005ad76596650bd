"""Writing ``case.json``, for the scripts beside this one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def save_case(folder: Path, **facts: Any) -> None:
    """Describe a folder of files, see ``cases.py``."""
    facts = {"gold": None, "groups": None, **facts}
    (folder / "case.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
