"""Standard output and standard error: colour only where it may be, and nothing that a terminal could stumble over."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from exactperm.comparison import Comparison
    from exactperm.comparisons import Comparisons
    from exactperm.inference.power_result import Power

__all__ = [
    "listed",
    "note",
    "printer",
    "show",
    "spoken_warnings",
    "survive_any_encoding",
    "survive_closed_streams",
    "write",
]


def printer(*, stderr: bool = False) -> Console:
    """Rich's console, which knows the width, NO_COLOR and TERM; text is printed as it is."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def show(console: Console, blocks: Iterable[RenderableType]) -> None:
    """Print to standard output; lines are broken for a terminal, and left whole for whatever else reads them."""
    from rich.text import Text

    with console.capture() as captured:
        for block in blocks:
            whole = isinstance(block, str | Text) and (not console.is_terminal or getattr(block, "no_wrap", False))
            console.print(block, soft_wrap=whole)
    lines = captured.get().splitlines(keepends=True)
    sys.stdout.write("".join(lines if console.is_terminal else (line.rstrip() + "\n" for line in lines)))


def write(result: Comparison | Comparisons | Power, form: Literal["json", "csv", "latex", "markdown"]) -> None:
    """Write a result to standard output in a form for other programs, and for papers."""
    if form == "json":
        typer.echo(result.to_json(indent=2, ensure_ascii=False))
    elif form == "csv":
        typer.echo(result.to_csv(), nl=False)
    else:
        typer.echo(result.to_latex() if form == "latex" else result.to_markdown())


def listed(rows: list[tuple[str, str]]) -> None:
    """Print names with what they are, folded into two columns."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="cyan")
    for name, text in rows:
        table.add_row(Text(name), Text(text))
    show(printer(), [table])


def note(message: str) -> None:
    """Say something besides the results."""
    typer.echo(message, err=True)


def survive_closed_streams() -> None:
    """What is said to a stream that was closed, as a daemon's, is lost."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  # until the process ends


def survive_any_encoding() -> None:
    """Characters that the terminal has no code for become question marks, not errors."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


@contextmanager
def spoken_warnings(quiet: bool) -> Iterator[None]:
    """Say each warning of this package once, as a line on standard error."""
    from exactperm.engines.auto import SamplingWarning, ToleranceWarning

    with warnings.catch_warnings(record=True) as caught:
        for category in (SamplingWarning, ToleranceWarning):
            warnings.simplefilter("always", category)
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        if not quiet:
            note(f"warning: {message}")
