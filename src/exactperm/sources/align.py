"""Bring the records of all systems together by id: the same items in the same order, or an error that says which not.

Items are never matched by position where they have ids. Several answers to one item (epochs, samples) become one group,
because exchanging the two systems on an item exchanges all of its answers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from exactperm.sources.answers import Answers, called
from exactperm.sources.base import OF_LABELS, Counts, Format, Predicted, as_whole
from exactperm.sources.files import SourceError
from exactperm.sources.scores import Measure, Provenance, Scores

__all__ = ["align"]

#: ids that an error shows
SHOWN = 5
Key = tuple[Hashable, int]  # an item, and which of the answers to it


def align(systems: Sequence[Answers], *, epochs: str | None, missing: str, check: bool) -> Scores:
    """Match the answers of all systems.

    Parameters
    ----------
    epochs
        What to do where one item was answered more often by one system: None is an error, "first" takes the first
        answer to each item, "min" as many as all systems have.
    missing
        "raise", or "omit" to leave out items that a system lacks.
    check
        Whether what has to be the same for all systems is compared.
    """
    of_items = [answers.samples() for answers in systems]
    items = _common_items(systems, of_items, missing)
    keys, rows = _common_samples(systems, of_items, items, epochs)
    names = _common_measures(systems)
    if missing == "omit":
        keys, rows = _complete(systems, keys, rows, names)
    if check:
        _check_same(systems, keys, rows, lambda a, row: a.checks[row] or None, "is not the same question", "--no-check")
    several = len(keys) > len(items)
    groups = _groups(systems, keys, rows, several)
    return Scores(
        systems=tuple(answers.system for answers in systems),
        items=tuple(item for item, _ in keys),
        groups=groups,
        measures={name: _measure(name, systems, keys, rows) for name in names},
        provenance=_provenance(systems),
    )


# -- items -----------------------------------------------------------------------------------------------------


def _common_items(
    systems: Sequence[Answers], of_items: Sequence[Mapping[Hashable, Sequence[int]]], missing: str
) -> list[Hashable]:
    """The items of all systems, in the order of the first that has them."""
    everything = dict.fromkeys(item for items in of_items for item in items)
    if missing == "omit":
        common = [item for item in everything if all(item in items for items in of_items)]
        if not common:
            raise SourceError(f"{_names(systems)} have no item in common; are the files about the same test set?")
        return common
    for answers, items in zip(systems, of_items, strict=True):
        lost = [item for item in everything if item not in items]
        if lost:
            other = next(o for o, theirs in zip(systems, of_items, strict=True) if lost[0] in theirs)
            raise SourceError(
                f"{answers.files[0]}: {len(lost)} of {len(everything)} items are missing for {answers.system} but "
                f"there for {other.system}: {_few(lost)}; --missing omit leaves them out"
            )
    return list(everything)


def _common_samples(
    systems: Sequence[Answers],
    of_items: Sequence[Mapping[Hashable, Sequence[int]]],
    items: Sequence[Hashable],
    epochs: str | None,
) -> tuple[list[Key], list[list[int]]]:
    """The answers that all systems have, and for each system its row of each."""
    keys: list[Key] = []
    rows: list[list[int]] = [[] for _ in systems]
    for item in items:
        found = [there[item] for there in of_items]
        number = {len(x) for x in found}
        if len(number) > 1 and epochs is None:
            counts = ", ".join(f"{a.system} {len(x)}" for a, x in zip(systems, found, strict=True))
            raise SourceError(
                f"{systems[0].files[0]}: {called(item)} was answered a different number of times ({counts}); "
                "--epochs first takes the first answers, --epochs min as many as all have"
            )
        several = 1 if epochs == "first" else min(number)
        keys += [(item, i) for i in range(several)]
        for mine, x in zip(rows, found, strict=True):
            mine.extend(x[:several])
    return keys, rows


def _check_same(
    systems: Sequence[Answers],
    keys: Sequence[Key],
    rows: Sequence[Sequence[int]],
    take: Callable[[Answers, int], Hashable | None],
    wrong: str,
    flag: str,
) -> list[Hashable | None]:
    """What all systems say of each answer; an error where two say different things."""
    agreed: list[Hashable | None] = [None] * len(keys)
    first: list[int] = [0] * len(keys)
    for s, (answers, mine) in enumerate(zip(systems, rows, strict=True)):
        for i, row in enumerate(mine):
            said = take(answers, row)
            if said is None or said == agreed[i]:
                continue
            if agreed[i] is not None:
                other = systems[first[i]].place(rows[first[i]][i])
                raise SourceError(
                    f"{answers.place(row)}: {called(*keys[i])} {wrong} as in {other}; compare runs of the same "
                    f"test set, or use {flag}"
                )
            agreed[i], first[i] = said, s
    return agreed


def _groups(
    systems: Sequence[Answers], keys: Sequence[Key], rows: Sequence[Sequence[int]], several: bool
) -> tuple[Hashable, ...] | None:
    """The group of each answer: what the files say, else the item if it was answered several times."""
    groups = _check_same(
        systems, keys, rows, lambda a, row: a.groups[row], "is not in the same group", "another --group"
    )
    if all(group is None for group in groups):
        return tuple(item for item, _ in keys) if several else None
    lost = [item for (item, _), group in zip(keys, groups, strict=True) if group is None]
    if lost:
        raise SourceError(f"{systems[0].files[0]}: {len(lost)} items have no group: {_few(lost)}; give all one")
    return tuple(groups)


def _complete(
    systems: Sequence[Answers], keys: Sequence[Key], rows: Sequence[Sequence[int]], names: Sequence[str]
) -> tuple[list[Key], list[list[int]]]:
    """The answers without those that lack counts or predictions; missing numbers are left to the comparison."""
    lost: set[int] = set()
    for name in names:
        if not any(isinstance(value, Counts | Predicted) for a in systems for value in a.columns[name]):
            continue
        for answers, mine in zip(systems, rows, strict=True):
            lost |= {i for i, row in enumerate(mine) if answers.value(name, row) is None}
    kept = [i for i in range(len(keys)) if i not in lost]
    if not kept:
        raise SourceError(f"{_names(systems)} have no complete item in common; are the files about the same test set?")
    return [keys[i] for i in kept], [[mine[i] for i in kept] for mine in rows]


# -- measures --------------------------------------------------------------------------------------------------


def _common_measures(systems: Sequence[Answers]) -> list[str]:
    """The measures of all systems, in the order of the first."""
    names = [name for name in systems[0].columns if all(name in answers.columns for answers in systems)]
    for answers in systems:
        if not answers.columns:
            raise SourceError(f"{answers.files[0]}: no item of {answers.system} has a score; did its evaluation fail?")
    if not names:
        told = "; ".join(f"{a.system} has {', '.join(a.columns)}" for a in systems)
        raise SourceError(f"{systems[0].files[0]}: the systems have no measure in common: {told}")
    return names


def _measure(name: str, systems: Sequence[Answers], keys: Sequence[Key], rows: Sequence[Sequence[int]]) -> Measure:
    columns = {
        answers.system: [answers.value(name, row) for row in mine] for answers, mine in zip(systems, rows, strict=True)
    }
    kinds = {type(x) for column in columns.values() for x in column if x is not None}
    format = systems[0].format
    if Predicted in kinds:
        _check_complete(name, Predicted, systems, columns, keys)
        return _predictions(name, columns, format)
    if Counts in kinds:
        _check_complete(name, Counts, systems, columns, keys)
        metric, rows_of = _counts(columns)
        return Measure(name, rows_of, metrics=(metric,))
    return Measure(name, columns, higher_is_better=name not in format.lower_is_better)


def _check_complete(
    name: str, kind: type, systems: Sequence[Answers], columns: Mapping[str, list[Any]], keys: Sequence[Key]
) -> None:
    """Refuse items without a prediction, or without counts: no metric could leave one out."""
    for answers in systems:
        column = columns[answers.system]
        lost = [item for (item, _), value in zip(keys, column, strict=True) if not isinstance(value, kind)]
        if lost:
            raise SourceError(
                f"{answers.files[0]}: {answers.system} has no {name} for {len(lost)} of {len(keys)} items: "
                f"{_few(lost)}; --missing omit leaves them out"
            )


def _predictions(name: str, columns: Mapping[str, list[Any]], format: Format) -> Measure:
    gold: list[Any] | None = None
    if format.metrics[name] is OF_LABELS:
        columns = _as_integers(columns)
    for system, column in columns.items():
        theirs = [x.gold for x in column]
        if gold is not None and theirs != gold:
            i = next(i for i, (x, y) in enumerate(zip(gold, theirs, strict=True)) if x != y)
            raise SourceError(
                f"{system} was scored on another gold standard ({name}): item {i + 1} has {theirs[i]!r:.40}, and "
                f"{gold[i]!r:.40} for the systems before it; compare runs of the same test set"
            )
        gold = theirs
    return Measure(
        name,
        {system: [x.prediction for x in column] for system, column in columns.items()},
        tuple(gold or ()),
        format.metrics[name],
    )


def _as_integers(columns: Mapping[str, list[Any]]) -> Mapping[str, list[Any]]:
    """Labels as integers if all of them are, of all systems and in the gold standard."""
    whole = {system: [Predicted(*map(as_whole, x)) for x in column] for system, column in columns.items()}
    return columns if any(None in x for column in whole.values() for x in column) else whole


def _counts(columns: Mapping[str, list[Any]]) -> tuple[str, dict[str, Any]]:
    counted = [x for column in columns.values() for x in column]
    metric, width = counted[0].metric, len(counted[0].sums)
    return metric, {
        system: np.array([x.sums for x in column], dtype=np.int64).reshape(len(column), width)
        for system, column in columns.items()
    }


# -- words -----------------------------------------------------------------------------------------------------


def _provenance(systems: Sequence[Answers]) -> tuple[Provenance, ...]:
    by_file: dict[tuple[str, str], list[str]] = {}
    for answers in systems:
        for file in answers.files:
            by_file.setdefault((file, answers.format.name), []).append(answers.system)
    return tuple(Provenance(path, format, tuple(names)) for (path, format), names in by_file.items())


def _few(items: Sequence[Hashable]) -> str:
    more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    return ", ".join(f"{item!r:.40}" for item in items[:SHOWN]) + more


def _names(systems: Sequence[Answers]) -> str:
    return " and ".join(answers.system for answers in systems)
