"""What the scripts that write pages share: best times, peak memory, the machine, tables between markers."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import time
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

Answer = TypeVar("Answer")
#: a call is repeated for so long, or so often; the fastest counts, as other work on the machine only slows down
SECONDS, CALLS = 0.3, 200


def best_time(call: Callable[[], Answer], seconds: float = SECONDS) -> tuple[Answer, float]:
    """What a call returns, and the least time of several, in seconds of the processor.

    By the clock a long call would be charged for what else runs on the machine, and a short one would find a gap.
    """
    times: list[float] = []
    while not times or (sum(times) < seconds and len(times) < CALLS):
        start = time.process_time()
        answer = call()
        times.append(time.process_time() - start)
    return answer, min(times)


def peak_memory(call: Callable[[], object]) -> int:
    """The largest number of bytes that a call holds at once, beyond what there was."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def three_digits(x: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{float(f'{x:.3g}'):,.12g}"


def exponent(x: Sequence[float], y: Sequence[float]) -> float:
    """The slope of log y against log x: what power of x fits best."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def machine() -> str:
    """Processor, system and Python, without a name of a computer."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = {line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")}
    model = ", ".join(sorted(models)) or platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, {platform.system()}; Python {platform.python_version()}"


def versions(packages: Iterable[str]) -> str:
    """Installed versions, in the order given; packages that are not installed are left out."""
    found = []
    for name in packages:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, the others to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_blocks(page: Path, blocks: dict[str, str]) -> None:
    """Replace what stands between `<!-- begin:NAME -->` and `<!-- end:NAME -->`, for every name."""
    text = page.read_text(encoding="utf-8")
    for name, block in blocks.items():
        begin, end = f"<!-- begin:{name} -->", f"<!-- end:{name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"{page.name} must have the lines {begin} and {end} once each")
        before, rest = text.split(begin)
        after = rest.split(end)[1]
        text = f"{before}{begin}\n{block}\n{end}{after}"
    page.write_text(text, encoding="utf-8")
