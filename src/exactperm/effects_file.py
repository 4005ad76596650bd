"""`Effects` in a small JSON file, so that shards, days or sites are tested together without sharing their rows.

The file holds counts of distinct differences and totals, nothing of single items. It is data: numbers are checked, and
brought to canonical form, as if they came from a query.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from exactperm.effects import Effects
from exactperm.integers import whole
from exactperm.whole_file import whole_file

__all__ = ["from_json", "load", "save", "to_json"]

#: what kind of file this is, and the version of its form
KIND, SCHEMA = "exactperm.Effects", 1


def to_json(effects: Effects) -> str:
    """Everything an `Effects` holds; integers of any size stay integers."""
    rows = zip(effects.values.tolist(), effects.n_plus.tolist(), effects.n_minus.tolist(), strict=True)
    content = {
        "kind": KIND,
        "schema": SCHEMA,
        "sums": effects.names,
        "unit": str(effects.unit),
        "n_items": effects.n_items,
        "n_tied": effects.n_tied,
        "totals_a": effects.totals_a,
        "rounding": effects.rounding,
        "effects": [[*values, plus, minus] for values, plus, minus in rows],
    }
    return json.dumps(content)


def from_json(text: str) -> Effects:
    """The `Effects` that `to_json` wrote.

    Raises
    ------
    ValueError
        If this is something else, or does not agree with itself.
    """
    content = json.loads(text)
    if not isinstance(content, Mapping) or content.get("kind") != KIND:
        raise ValueError(f"this is no file of effects: it needs {{'kind': {KIND!r}, ...}}, as Effects.save writes it")
    if content.get("schema") != SCHEMA:
        raise ValueError(f"this file of effects has version {content.get('schema')!r}; this exactperm reads {SCHEMA}")
    try:
        return _checked(content)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"this file of effects is damaged: {error}") from None


def _checked(content: Mapping[str, Any]) -> Effects:
    names, counts = tuple(content["sums"]), {(0,) * len(content["sums"]): content["n_tied"]}
    for row in content["effects"]:
        *values, plus, minus = row
        counts[tuple(values)] = counts.get(tuple(values), 0) + plus
        opposite = tuple(-whole(x, "an effect") for x in values)
        counts[opposite] = counts.get(opposite, 0) + minus
    unit = Fraction(content["unit"])
    if unit <= 0:
        raise ValueError(f"the unit is {unit}")
    totals = content["totals_a"]
    effects = Effects.from_counts(
        counts,
        totals_a=None if totals is None else tuple(totals),
        names=names,
        n_items=content["n_items"],
        unit=unit,
    )
    rounding = whole(content["rounding"], "rounding")
    if rounding < 0:
        raise ValueError(f"rounding is {rounding}")
    return replace(effects, rounding=rounding)


def save(effects: Effects, path: str | Path) -> None:
    """Write a file; one that is there is replaced as a whole or not at all."""
    with whole_file(path) as file:
        file.write(to_json(effects).encode())


def load(path: str | Path) -> Effects:
    """Read a file that `save` wrote; errors begin with its name."""
    try:
        return from_json(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
