"""Open files: a path or standard input, compressed or not, as lines, bytes or JSON, with errors that say where."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import sys
import tempfile
import weakref
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

__all__ = ["STDIN", "Source", "SourceError"]

#: the name by which standard input is asked for
STDIN = "-"
#: bytes from which a format is recognised
HEAD = 1 << 16
#: characters of a message
LONGEST = 1000
GZIP = b"\x1f\x8b"
#: what reading a damaged file raises
DAMAGED = (OSError, EOFError, zlib.error)
#: how other encodings than UTF-8 give themselves away
OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
#: told of every file that is opened, by whoever shows progress
OPENED: ContextVar[Callable[[str, IO[bytes]], None] | None] = ContextVar("OPENED", default=None)


class SourceError(ValueError):
    """A file is not what it should be; the message is one line, ``file:line: what is wrong; what to do``."""

    def __init__(self, message: str) -> None:
        # what comes from a file may be of any length and hold anything; what to do stands at the end
        shown = message if len(message) <= LONGEST else f"{message[: LONGEST // 2]} ... {message[-LONGEST // 2 :]}"
        super().__init__("".join(c if c.isprintable() else " " for c in shown))


class Source:
    """A file that can be read several times: `open`, `lines` and `json` each start from its beginning."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path == STDIN else path

    def error(self, message: str, line: int | None = None) -> SourceError:
        """What is wrong with the file, at a line if it is known."""
        message = " ".join(message.splitlines())  # names of columns may hold line breaks
        return SourceError(f"{self.name}: {message}" if line is None else f"{self.name}:{line}: {message}")

    @cached_property
    def start(self) -> bytes:
        """The first 64 KiB, decompressed."""
        with self.open() as file:
            try:
                start = file.read(HEAD)
            except DAMAGED as error:
                raise self._unreadable(error) from None
        if not start:
            raise self.error("the file is empty; give a file with at least one item")
        if encoding := OTHER_ENCODINGS.get(start[:2]):
            raise self.error(f"the text is in {encoding}; convert it to UTF-8 first")
        return start

    @cached_property
    def is_compressed(self) -> bool:
        """Whether the file is compressed with gzip."""
        with self._open() as raw:
            return raw.read(2) == GZIP

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The bytes of the file, decompressed, for a `with` statement."""
        with self._open() as raw:
            compressed = raw.read(2) == GZIP
            raw.seek(0)
            if tell := OPENED.get():
                tell(self.name, raw)
            if not compressed:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as file:
                yield cast(IO[bytes], file)

    @contextmanager
    def text(self) -> Iterator[IO[str]]:
        """The file as text, for parsers that find its lines themselves; in a `with` statement."""
        with self.open() as file, io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
            try:
                yield text
            except (UnicodeDecodeError, *DAMAGED):
                deque(self.lines(), maxlen=0)  # says in which line it is
                raise

    def lines(self) -> Iterator[tuple[int, str]]:
        """Each line without its end, and its number from 1."""
        for number, line in self._lines():
            yield number, line.rstrip("\r\n")

    def json_lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each line that is not blank as a JSON object, and its number."""
        for number, line in self._lines():
            if line.isspace():
                continue
            if line.strip() == "{":
                raise self.error(
                    "a line holds one JSON object, and here is one over many lines; is it a summary, as the "
                    "results_*.json beside the samples_*.jsonl of lm-evaluation-harness? Give a file with all items",
                    number,
                )
            value = self.parse(line.rstrip("\r\n"), number)  # so that an error at its end is on this line
            if not isinstance(value, dict):
                raise self.error(f"a line holds one JSON object, {{...}}; this one holds {_kind(value)}", number)
            yield number, value

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Each line with its end."""
        self.start  # noqa: B018  # which it refuses if it is in another encoding
        number = 0
        with self.open() as file:
            try:
                for number, line in enumerate(file, 1):
                    yield number, line.decode("utf-8" if number > 1 else "utf-8-sig")
            except UnicodeDecodeError as error:
                at = f"byte {error.start + 1} is not UTF-8"
                raise self.error(f"{at}; convert the file to UTF-8 first", number) from None
            except DAMAGED as error:
                raise self._unreadable(error) from None

    def json(self) -> Any:
        """The whole file as one JSON value."""
        return self.parse("\n".join(line for _, line in self.lines()))

    def parse(self, text: str, line: int | None = None) -> Any:
        """The JSON in a text, which is one line of the file if a number is given."""
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            at = error.lineno if line is None else line
            raise self.error(f"not JSON at column {error.colno}: {error.msg}; is the file complete?", at) from None
        except RecursionError:
            raise self.error("the JSON is nested too deeply", line or 1) from None
        except ValueError:  # Python refuses integers of more than 4,300 digits
            raise self.error("the JSON holds a number with too many digits", line or 1) from None

    def _open(self) -> IO[bytes]:
        if self.path == STDIN:
            self._standard_input.seek(0)
            return cast(IO[bytes], os.fdopen(os.dup(self._standard_input.fileno()), "rb"))
        try:
            return Path(self.path).open("rb")
        except FileNotFoundError:
            raise self.error("there is no such file; check the path") from None
        except IsADirectoryError:
            raise self.error("this is a folder; give the files in it, as in 'folder/*.jsonl'") from None
        except OSError as error:
            raise self.error(
                f"cannot be opened ({error.strerror or error}); check the path and its permissions"
            ) from None

    @cached_property
    def _standard_input(self) -> IO[bytes]:
        """All of it, so that it can be read from the beginning again."""
        spooled = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the source
        weakref.finalize(self, spooled.close)
        shutil.copyfileobj(sys.stdin.buffer, spooled)
        return cast(IO[bytes], spooled)

    def _unreadable(self, error: Exception) -> SourceError:
        return self.error(f"cannot be read to its end ({error}); is the file complete?")


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")
