"""The formats by name, and which one a file is in."""

from __future__ import annotations

import difflib
import importlib
from functools import cache

from exactperm.sources.base import Format
from exactperm.sources.files import Source
from exactperm.sources.head import Head

__all__ = ["FORMATS", "get", "recognise"]

#: the modules of this package with a `FORMAT`, in the order of the documentation
FORMATS = (
    "lm_eval",
)  # fmt: skip


@cache
def formats() -> dict[str, Format]:
    """All formats by name."""
    found = [importlib.import_module(f"exactperm.sources.{module}").FORMAT for module in FORMATS]
    return {format.name: format for format in found}


def get(name: str) -> Format:
    """The format of this name."""
    try:
        return formats()[name]
    except KeyError:
        close = difflib.get_close_matches(name, formats(), n=1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise ValueError(f"there is no format {name!r}; {hint}Known are {', '.join(formats())}") from None


def recognise(source: Source) -> Format:
    """The format of a file by its content, or an error that says why it is none."""
    head = Head(source)
    objections = {format.name: format.recognise(head) for format in formats().values()}
    found = [name for name, objection in objections.items() if objection is None]
    if len(found) == 1:
        return get(found[0])
    if found:
        raise source.error(f"this may be {' or '.join(found)}; say which with --format")
    reasons = "; ".join(f"{name}: {objection}" for name, objection in objections.items())
    raise source.error(f"the format was not recognised ({reasons}); name it with --format")
