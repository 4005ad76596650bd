"""How long the command line takes to start, next to Python itself and to NumPy: run alone on a quiet machine."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 15
#: seconds that users may wait
BARS = {"exactperm --help": 0.25, "exactperm compare small.csv": 0.6}


def seconds(command: list[str]) -> tuple[float, float]:
    """The shortest of several runs, the files in memory, by the clock and of the processor.

    Other work on the machine moves the clock; the processor's time it moves less.
    """
    clock, processor = [], []
    for _ in range(RUNS):
        start, used = time.perf_counter(), sum(os.times()[2:4])
        subprocess.run(command, check=True, capture_output=True)
        clock.append(time.perf_counter() - start)
        processor.append(sum(os.times()[2:4]) - used)
    return min(clock), min(processor)


def small_table(folder: Path) -> str:
    """Three systems on 200 items."""
    draw = random.Random(0)
    rows = (f"q{i},{draw.randint(0, 1)},{draw.randint(0, 1)},{draw.randint(0, 1)}" for i in range(200))
    path = folder / "small.csv"
    path.write_text("\n".join(["id,A,B,C", *rows, ""]), encoding="utf-8")
    return str(path)


def main() -> None:
    """Print a line for each command."""
    program = [sys.executable, "-m", "exactperm"]
    with tempfile.TemporaryDirectory() as folder:
        table = small_table(Path(folder))
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            'python -c "import numpy"': [sys.executable, "-c", "import numpy"],
            "exactperm --help": [*program, "--help"],
            "exactperm demo": [*program, "demo"],
            "exactperm compare small.csv": [*program, "compare", table],
            "exactperm compare --output json": [*program, "compare", table, "--output", "json"],
            "exactperm explain": [*program, "explain", table],
        }
        measured = {name: seconds(command) for name, command in commands.items()}
    python, numpy = (clock for clock, _ in list(measured.values())[:2])
    print(f"{'':<38}{'seconds':>8}{'processor':>11}{'x python':>10}{'x numpy':>10}{'bar':>8}")
    for name, (clock, processor) in measured.items():
        bar = f"{BARS[name]:8.2f}" if name in BARS else ""
        print(f"{name:<38}{clock:8.3f}{processor:11.3f}{clock / python:10.1f}{clock / numpy:10.1f}{bar}")


if __name__ == "__main__":
    main()
