"""The evidence, again: every number and picture of docs/reproduction.md and docs/peers.md from one command.

    python benchmarks/reproduce.py [--checkout PATH] [--only figure1 figure2 peers]

PATH is a checkout of https://github.com/rycolab/paired-perm-test. What is not installed is left out of the tables (the
pages name the packages). It takes about five minutes on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import figure1
import figure2
import peers
from measure import write_blocks

DOCS = Path(__file__).parents[1] / "docs"
IMAGES = DOCS / "images"
#: each part, with the page it fills
PARTS: dict[str, tuple[Path, Callable[[Path | None], dict[str, str]]]] = {
    "figure1": (DOCS / "reproduction.md", lambda checkout: figure1.measure(checkout, IMAGES, figure1.SIZES)),
    "figure2": (DOCS / "reproduction.md", lambda checkout: figure2.measure(checkout, IMAGES)),
    "peers": (DOCS / "peers.md", peers.measure),
}


def main() -> None:
    """Run the parts and rewrite their tables."""
    parser = argparse.ArgumentParser(description="Rewrite the tables and pictures of the evidence.")
    parser.add_argument("--checkout", type=Path, help="a checkout of the authors' repository")
    parser.add_argument("--only", choices=tuple(PARTS), nargs="+", default=tuple(PARTS))
    arguments = parser.parse_args()
    IMAGES.mkdir(exist_ok=True)
    for name in arguments.only:
        page, measure = PARTS[name]
        write_blocks(page, measure(arguments.checkout))
        print(f"{name}: {page.name}", flush=True)


if __name__ == "__main__":
    main()
