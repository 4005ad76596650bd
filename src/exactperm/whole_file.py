"""Files that are written as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["check_folder", "whole_file"]


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write, for a `with` statement: it takes its place at the end, and where something fails there is none.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "answer.txt")
    >>> with whole_file(path) as file:
    ...     _ = file.write(b"42")
    ...     path.exists()
    False
    >>> path.read_text()
    '42'
    """
    target = Path(path)
    part = target.with_name(f"{target.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(target)
    except OSError as error:
        if error.filename == str(part):  # of which the caller knows nothing
            raise type(error)(error.errno, error.strerror, str(target)) from None
        raise
    finally:
        part.unlink(missing_ok=True)


def check_folder(path: str | Path) -> None:
    """Refuse a file whose folder is not there, or that is one."""
    target = Path(path)
    if not target.parent.is_dir():
        raise ValueError(f"{target}: there is no folder {target.parent}; make it first")
    if target.is_dir():
        raise ValueError(f"{target}: this is a folder; give the name of a file")
