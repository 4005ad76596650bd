"""Damaged files: read as what they say, or refused in one line; never a traceback, and never other items.

A damaged file may still be a good one (a line lost from all systems would be). So what is accepted must agree with
itself: the same items for all systems, each once.
"""

from __future__ import annotations

import random

import pytest
from cases import by_case
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactperm.sources import SourceError, read


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def reorder_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    rng.shuffle(lines)
    return b"".join(lines)


def drop_a_line(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def repeat_a_line(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    return b"".join(lines)


def flip_bytes(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.randrange(1, 9)):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    return bytes(damaged)


def replace_a_value(data: bytes, rng: random.Random) -> bytes:
    """Put something else where a number stands."""
    digits = [i for i, byte in enumerate(data) if chr(byte).isdigit()]
    if not digits:
        return data
    i = rng.choice(digits)
    other = [b"null", b"NaN", b"-1", b"[]", b"{}", b'"x"', b"true", b"1e999", b"9" * 5000, b"", b"0.5", b"\t", b"\n"]
    return data[:i] + rng.choice(other) + data[i + 1 :]


def swap_names(data: bytes, rng: random.Random) -> bytes:
    """Give one word of the file the place of another, so that keys and values are of other kinds."""
    words = sorted({word for word in data.replace(b'"', b" ").split() if len(word) < 40})
    if len(words) < 2:
        return data
    return data.replace(rng.choice(words), rng.choice(words))


def widen(data: bytes, rng: random.Random) -> bytes:
    """A field of a megabyte."""
    i = rng.randrange(len(data) + 1)
    return data[:i] + b"x" * 2**20 + data[i:]


def other_encoding(data: bytes, rng: random.Random) -> bytes:
    return data.decode("latin-1").encode(rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp037"]))


def rubbish(data: bytes, rng: random.Random) -> bytes:
    return rng.randbytes(rng.randrange(1, 2000)) + data[: rng.randrange(50)]


DAMAGES = [
    cut,
    reorder_lines,
    drop_a_line,
    repeat_a_line,
    flip_bytes,
    replace_a_value,
    swap_names,
    widen,
    other_encoding,
    rubbish,
]


def agree(scores) -> None:
    """What every reading has to be."""
    n = len(scores.items)
    assert n > 0
    assert scores.groups is None or len(scores.groups) == n
    assert len(set(scores.systems)) == len(scores.systems) >= 2
    if scores.groups is None:
        assert len(set(scores.items)) == n
    for measure in scores.measures.values():
        assert set(measure.columns) == set(scores.systems)
        assert all(len(column) == n for column in measure.columns.values())
        assert measure.gold is None or len(measure.gold) == n


def read_or_refuse(case, **options):
    try:
        return read(*case.files, **case.options, **options)
    except SourceError as refusal:
        return refusal


@by_case
@pytest.mark.parametrize("told", [False, True], ids=["recognised", "told"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damage=st.sampled_from(DAMAGES), seed=st.integers(0, 2**32), which=st.integers(0, 99))
def test_a_damaged_file(case, told, tmp_path, damage, seed, which):
    case = case.copied(tmp_path)
    victims = [*case.paths, *case.golds]
    victim = victims[which % len(victims)]
    victim.write_bytes(damage(victim.read_bytes(), random.Random(seed)))
    outcome = read_or_refuse(case, **({"format": case.facts["format"]} if told else {}))
    if isinstance(outcome, SourceError):
        assert "\n" not in str(outcome)
        assert len(str(outcome)) < 2000
    else:
        agree(outcome)
