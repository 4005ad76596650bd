"""Ten systems on the same questions, a column each: ``python examples/make_wide.py [folder]``.

Questions come in groups, one for each text that they are about; a system is right or wrong on each.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

from english import run

#: the skill of each system
SYSTEMS = {
    "majority": -1.6, "tf-idf": -0.8, "small": -0.2, "small-tuned": 0.1, "base": 0.3, "base-tuned": 0.6, "large": 0.7,
    "large-tuned": 1.2, "ensemble": 1.25, "retrieval": 1.4,
}  # fmt: skip


def make(folder: Path) -> None:
    """Write the table."""
    rng = random.Random(10)
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["question_id", "passage", *SYSTEMS])
        for passage in range(1, 61):
            hard = rng.gauss(0, 0.7)
            for question in range(1, rng.randint(3, 6)):
                harder = hard + rng.gauss(0, 1)
                right = [int(skill + rng.gauss(0, 0.6) > harder) for skill in SYSTEMS.values()]
                table.writerow([f"p{passage:02}-{question}", f"p{passage:02}", *right])


if __name__ == "__main__":
    run(make, "wide")
