"""The line from which a test can be repeated: ``metric:mean|alternative:two-sided|...``, written and taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["line_of", "parts_of"]

#: how a bar is written inside of a value, as in a Python string
BAR = r"\x7c"


def line_of(parts: Mapping[str, Any]) -> str:
    """The line that says this."""
    return "|".join(f"{key}:{str(value).replace('|', BAR)}" for key, value in parts.items())


def parts_of(signature: str) -> dict[str, str]:
    """What a line says."""
    return {key: value.replace(BAR, "|") for key, _, value in (part.partition(":") for part in signature.split("|"))}
