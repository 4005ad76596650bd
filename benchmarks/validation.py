"""The measured part of docs/validation.md again: each script is run, fails if a claim does, and its output is shown.

    python benchmarks/validation.py [--only accuracy structured real sampling]

It takes some ten minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from measure import machine, versions, write_blocks

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "validation.md"
#: the script behind each block, with its arguments
PARTS = {
    "accuracy": ["accuracy.py"],
    "structured": ["structured.py", "--problems", "1000", "--items", "50", "100", "200"],
    "real": ["real_scores.py"],
    "sampling": ["interval_coverage.py", "--problems", "1000"],
}


def shown(name: str) -> str:
    """What a script prints, as a block; an error of the script is one of this."""
    command = PARTS[name]
    done = subprocess.run(
        [sys.executable, HERE / command[0], *command[1:]], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    where = f"{machine()}, {versions(['numpy', 'scipy', 'exactperm'])}"
    return f"`python benchmarks/{' '.join(command)}` ({where})\n\n```text\n{done.stdout.rstrip()}\n```"


def main() -> None:
    """Run the scripts and rewrite their blocks."""
    parser = argparse.ArgumentParser(description="Rewrite the measured blocks of docs/validation.md.")
    parser.add_argument("--only", choices=tuple(PARTS), nargs="+", default=tuple(PARTS))
    for name in parser.parse_args().only:
        write_blocks(PAGE, {name: shown(name)})
        print(f"{name}: {PAGE.name}", flush=True)


if __name__ == "__main__":
    main()
