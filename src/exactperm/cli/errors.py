"""Bad input becomes one line on standard error and exit code 2; a bug keeps its traceback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import typer

__all__ = ["BAD_INPUT", "one_line_errors"]

BAD_INPUT = 2
#: arguments of the Python interface that are called something else here
FLAGS = {"nan_policy": "missing", "n_resamples": "samples", "rng": "seed", "groups": "group", "y_true": "gold"}
#: those that are called the same
NAMES = (
    "metric",
    "method",
    "baseline",
    "correction",
    "alpha",
    "alternative",
    "margin",
    "tolerance",
    "format",
    "epochs",
)
_ARGUMENT = "|".join((*FLAGS, *NAMES))
_WITH_VALUE = re.compile(rf"\b({_ARGUMENT})=(?:(['\"])(.*?)\2|([^\s,;]+))")
_AT_START = re.compile(rf"^({_ARGUMENT}) (?=must|is)")
_SYSTEM = re.compile(r"systems\[(['\"])(.*?)\1\]")


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn what this package says of its input, and what the system says of files, into a line and an exit code."""
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        fail(f"{where}{error.strerror or error}")
    except (ValueError, TypeError, ImportError) as error:
        if not _raised_by_this_package(error):
            raise
        from exactperm.sources.files import SourceError

        fail(str(error) if isinstance(error, SourceError) else in_flags(str(error)))


def fail(message: str) -> None:
    """Say what is wrong and leave."""
    typer.echo(" ".join(message.split()), err=True)
    raise typer.Exit(BAD_INPUT)


def _raised_by_this_package(error: BaseException) -> bool:
    """Whether a ``raise`` of this package made the error: a check did, and not an operation that failed.

    The innermost frame of the traceback is where the error came up, its last instruction what was being done.
    """
    from opcode import opmap

    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or not last.tb_frame.f_globals.get("__name__", "").startswith("exactperm."):
        return False
    return last.tb_frame.f_code.co_code[last.tb_lasti] == opmap["RAISE_VARARGS"]


def in_flags(message: str) -> str:
    """An error message of the Python interface as one of the command line: ``method='exact'`` as ``--method exact``."""

    def flag(found: re.Match[str]) -> str:
        value = found[3] if found[2] else found[4]
        shown = f'"{value}"' if set(value) & set(" ();&|'") else value
        return f"--{FLAGS.get(found[1], found[1])} {shown}"

    message = _SYSTEM.sub(r"\2", message)
    message = _AT_START.sub(lambda found: f"--{FLAGS.get(found[1], found[1])} ", message)
    return _WITH_VALUE.sub(flag, message)
