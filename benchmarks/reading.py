"""Samples of lm-evaluation-harness, of two systems: time against `json.loads` over the lines, and peak memory.

    python benchmarks/reading.py [--megabytes 1024] [--lengths 10000 400]

For each length of the documents two files of that size are made in a temporary folder, and read by a fresh process:
once with `exactperm.read`, once with nothing but `json.loads` on each line. What is read is compared with what was
written. Times are of the processor, without the start of Python.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

SYSTEMS = ("small", "large")
WORDS = "the quick brown fox jumps over a lazy dog \\n and “says” so "


def right(system: str, item: int) -> bool:
    """Whether a system is right on an item."""
    return item * 7919 % 100 < {"small": 40, "large": 60}[system]


def write(path: Path, system: str, size: int, length: int) -> int:
    """Make a file of about `size` bytes, and say how many items it has."""
    document = json.dumps(WORDS * (length // len(WORDS)), ensure_ascii=False)
    item = 0
    with path.open("w", encoding="utf-8") as file:
        while item % 256 or file.tell() < size:
            target = f"{item * 31 % 997}"
            file.write(
                f'{{"doc_id": {item}, "doc": {{"question": {document}, "answer": "{target}"}}, "target": "{target}", '
                f'"arguments": {{"gen_args_0": {{"arg_0": {document}, "arg_1": {{"until": ["\\n"]}}}}}}, '
                f'"resps": [["{target}"]], "filtered_resps": ["{target}"], "filter": "none", '
                f'"metrics": ["exact_match"], "doc_hash": "{item:064x}", "prompt_hash": "{item:064x}", '
                f'"target_hash": "{item:064x}", "exact_match": {float(right(system, item))}}}\n'
            )
            item += 1
    return item


def read_with_exactperm(paths: list[str]) -> list[float]:
    """The sums of the scores, of two systems aligned by document."""
    import exactperm

    columns = exactperm.read(*paths).measures["exact_match"].columns
    return [sum(column) for column in columns.values()]


def read_with_json(paths: list[str]) -> list[float]:
    """The sums of the scores, file by file."""
    sums = []
    for path in paths:
        with Path(path).open("rb") as file:
            sums.append(sum(json.loads(line)["exact_match"] for line in file))
    return sums


READERS = {"exactperm": read_with_exactperm, "json": read_with_json}


def measure(reader: str, paths: list[str]) -> dict:
    """Read in a fresh process: seconds, megabytes at the peak, and the sums of the scores."""
    command = [sys.executable, __file__, "--reader", reader, *paths]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def report(reader: str, paths: list[str]) -> None:
    """What the fresh process does."""
    start = time.process_time()
    sums = READERS[reader](paths)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak": peak, "sums": sums}))


def compare(size: int, length: int, repeats: int) -> None:
    """Make the files, read them both ways, and print one line."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / f"{system}.jsonl") for system in SYSTEMS]
        items = [write(Path(path), system, size, length) for path, system in zip(paths, SYSTEMS, strict=True)]
        truth = [float(sum(right(system, i) for i in range(n))) for system, n in zip(SYSTEMS, items, strict=True)]
        best = {}
        for reader in list(READERS) * repeats:
            found = measure(reader, paths)
            if found["sums"] != truth:
                raise SystemExit(f"{reader} read {found['sums']}, not {truth}")
            best[reader] = min(best.get(reader, found), found, key=lambda each: each["seconds"])
    ours, theirs = best["exactperm"], best["json"]
    print(
        f"{length:>9,} {items[0]:>10,} {ours['seconds']:>10.2f} {theirs['seconds']:>10.2f} "
        f"{ours['seconds'] / theirs['seconds']:>7.2f} {ours['peak']:>9.0f} {theirs['peak']:>9.0f}",
        flush=True,
    )


def main() -> None:
    """Read the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=1024, help="size of each of the two files")
    parser.add_argument("--lengths", type=int, nargs="+", default=[10_000, 400], help="characters of a document")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--reader", choices=READERS, help=argparse.SUPPRESS)
    parser.add_argument("paths", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.reader:
        return report(options.reader, options.paths)
    print("   length      items  exactperm json.loads   ratio peak (MB) json (MB)")
    for length in options.lengths:
        compare(options.megabytes * 2**20, length, options.repeats)
    return None


if __name__ == "__main__":
    main()
