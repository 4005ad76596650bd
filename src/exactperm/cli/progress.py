"""Progress on standard error, for work that takes more than a second and only on a terminal.

What is shown is what is known: the bytes that were read of a file and its size, the tests that were done and their
number; where neither is known, what is going on and for how long.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from exactperm.cli.terminal import printer

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Progress", "progress"]

#: seconds after which something is shown
PATIENCE = 1.0
WIDTH = 30


class Progress:
    """What is going on, told by one thread and drawn by another."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.finished = threading.Event()
        self.doing = "waiting for input"
        self.file: IO[bytes] | None = None
        self.percent: Callable[[], float] | None = None
        self.done = self.total = 0

    def say(self, doing: str) -> None:
        """Something of unknown length begins."""
        self.doing, self.file, self.percent, self.done, self.total = doing, None, None, 0, 0

    def opened(self, name: str, file: IO[bytes]) -> None:
        """A file begins."""
        self.doing, self.file, self.total = f"reading {name}", file, os.fstat(file.fileno()).st_size

    def counted(self, percent: Callable[[], float]) -> None:
        """A database begins to count rows."""
        self.say("counting rows")
        self.percent = percent

    def tested(self, done: int, total: int) -> None:
        """So many of so many tests are done."""
        self.say("testing")
        self.done, self.total = done, total

    def where(self) -> tuple[str, int, int]:
        """What is being done, how much of it is done, and how much there is to do; 0 if that is not known."""
        if self.percent is not None:
            done = int(self.percent())
            return self.doing, max(done, 0), 100 if done > 0 else 0
        if self.file is None:
            return self.doing, self.done, self.total
        try:
            return self.doing, os.lseek(self.file.fileno(), 0, os.SEEK_CUR), self.total
        except ValueError:  # it is closed
            return "matching items", 0, 0

    def draw(self) -> None:
        """Keep a line up to date until all is done."""
        if self.finished.wait(PATIENCE):
            return
        from rich.live import Live

        console = printer(stderr=True)
        with Live(
            get_renderable=self._line,
            console=console,
            transient=True,
            refresh_per_second=5,
            redirect_stdout=False,
            redirect_stderr=False,
        ):
            self.finished.wait()

    def _line(self) -> Table:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        doing, done, total = self.where()
        line = Table.grid(padding=(0, 1))
        cells: list[Text | ProgressBar] = [Text(doing, no_wrap=True, overflow="ellipsis")]
        if total:
            cells += [ProgressBar(total=total, completed=done, width=WIDTH), Text(f"{done / total:4.0%}")]
        line.add_row(*cells, Text(f"{time.monotonic() - self.started:.0f} s"))
        return line


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Show progress while the body runs."""
    watch = Progress()
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield watch
        return
    from exactperm.answers import TESTED
    from exactperm.sources.database import COUNTED
    from exactperm.sources.files import OPENED

    tokens = OPENED.set(watch.opened), TESTED.set(watch.tested), COUNTED.set(watch.counted)
    thread = threading.Thread(target=watch.draw, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        watch.finished.set()
        thread.join()
        OPENED.reset(tokens[0])
        TESTED.reset(tokens[1])
        COUNTED.reset(tokens[2])
