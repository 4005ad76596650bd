"""The line from which a test can be repeated: ``metric:mean|alternative:two-sided|...``, written and taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["line_of", "parts_of"]


def line_of(parts: Mapping[str, Any]) -> str:
    """The line that says this."""
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def parts_of(signature: str) -> dict[str, str]:
    """What a line says."""
    return dict(part.partition(":")[::2] for part in signature.split("|"))
