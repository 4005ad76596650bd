"""How long the command line takes to start, next to Python itself and to NumPy: run alone on a quiet machine."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 15
#: seconds that users may wait
BARS = {"exactperm --help": 0.25, "exactperm compare, two small files": 0.6}


def seconds(command: list[str]) -> float:
    """The median of several runs, the files in memory."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return sorted(times)[RUNS // 2]


def small_files(folder: Path) -> list[str]:
    """Two systems of 200 items, as samples of lm-evaluation-harness."""
    draw = random.Random(0)
    for name in "AB":
        rows = ({"doc_id": i, "resps": [], "metrics": ["acc"], "acc": draw.randint(0, 1)} for i in range(200))
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return [str(folder / f"{name}.jsonl") for name in "AB"]


def main() -> None:
    """Print a line for each command."""
    program = [sys.executable, "-m", "exactperm"]
    with tempfile.TemporaryDirectory() as folder:
        files = small_files(Path(folder))
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            'python -c "import numpy"': [sys.executable, "-c", "import numpy"],
            "exactperm --help": [*program, "--help"],
            "exactperm demo": [*program, "demo"],
            "exactperm compare, two small files": [*program, "compare", *files],
            "exactperm compare --output json": [*program, "compare", *files, "--output", "json"],
            "exactperm explain": [*program, "explain", *files],
        }
        measured = {name: seconds(command) for name, command in commands.items()}
    python, numpy = list(measured.values())[:2]
    print(f"{'':<38}{'seconds':>8}{'x python':>10}{'x numpy':>10}{'bar':>8}")
    for name, found in measured.items():
        bar = f"{BARS[name]:8.2f}" if name in BARS else ""
        print(f"{name:<38}{found:8.3f}{found / python:10.1f}{found / numpy:10.1f}{bar}")


if __name__ == "__main__":
    main()
