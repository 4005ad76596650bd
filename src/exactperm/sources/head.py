"""The beginning of a file, looked at from several sides, from which formats are recognised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path

from exactperm.sources.files import HEAD, Source

__all__ = ["Head"]

Keys = tuple[str | int, ...]
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(:?)|([\[{])|([\]}])|(,)')
#: keys of JSON that are looked at
MOST_KEYS = 2000


class Head:
    """The first 64 KiB of a file.

    Attributes
    ----------
    name
        The name of the file without its folders and without ``.gz``.
    start
        The bytes, decompressed.
    source
        The file itself, for formats of which the beginning says nothing.
    gold
        The column of a table that the user says is gold, or None.
    """

    def __init__(self, source: Source, gold: str | None = None) -> None:
        self.gold = gold
        self.name = Path(source.path).name.removesuffix(".gz")
        self.start = source.start
        self.source = source

    @cached_property
    def is_text(self) -> bool:
        """Whether it can be text in UTF-8."""
        try:
            self.start.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            return error.end == len(self.start) == HEAD  # a character that the end of the head cut
        return b"\x00" not in self.start

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines, without one that the end of the head cut."""
        if not self.is_text:
            return ()
        lines = self.start.decode("utf-8-sig", errors="ignore").split("\n")  # splitlines knows other ends as well
        if len(lines) > 1 and (not lines[-1] or len(self.start) == HEAD):
            del lines[-1]
        return tuple(line.rstrip("\r") for line in lines)

    @property
    def is_json(self) -> bool:
        """Whether it begins like a JSON object or a list."""
        return self.is_text and self.start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")

    @cached_property
    def paths(self) -> tuple[Keys, ...]:
        """The keys of the first JSON value, each with the keys and list positions that lead to it.

        ``{"a": [{"b": 1}]}`` has ``("a",)`` and ``("a", 0, "b")``. The end of the head may cut the value anywhere.
        """
        text = self.start.decode("utf-8-sig", errors="ignore") if self.is_json else ""
        return tuple(islice(_paths(text), MOST_KEYS))

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the first JSON value itself, if it is an object."""
        return frozenset(str(path[0]) for path in self.paths if len(path) == 1)


def _paths(text: str) -> Iterator[Keys]:
    """Walk the tokens of a JSON object or list that may end anywhere."""
    at: list[str | int] = []  # where the walk is: a key or a position for each open bracket
    for token in _TOKEN.finditer(text):
        key, colon, opening, closing, comma = token.groups()
        if opening:
            at.append(0 if opening == "[" else "")
        elif closing:
            at.pop()
            if not at:
                return  # the value is complete
        elif comma:
            if isinstance(at[-1], int):
                at[-1] += 1
        elif colon and isinstance(at[-1], str):
            at[-1] = key
            yield tuple(at)
