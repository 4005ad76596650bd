"""What files said of several systems, brought together: the same items for all, in the same order."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.metrics import Metric
from exactperm.metrics.registry import get, parse
from exactperm.sources.files import SourceError

__all__ = ["Measure", "Provenance", "Scores"]


#: what users may call the mean of the only number there is
MEANS = ("mean", "accuracy", "exact_match", "win_rate")
#: items that an error shows
SHOWN = 5


class Provenance(NamedTuple):
    """Where scores came from."""

    path: str
    format: str
    systems: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Measure:
    """One thing that files say of every item and system.

    Attributes
    ----------
    columns
        By system, one entry per item: numbers, the integer sums of a metric, or predictions.
    gold
        What is right, one entry per item, for predictions.
    metrics
        The metrics by which it can be compared, the default first. For numbers none: their mean, under the name of
        the measure.
    higher_is_better
        For numbers.
    """

    name: str
    columns: Mapping[str, Any]
    gold: tuple[Any, ...] | None = None
    metrics: tuple[str, ...] = ()
    higher_is_better: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """What users can ask for: the metrics, or the measure itself if it is a number."""
        return self.metrics or (self.name,)

    def metric(self, asked: str | None = None) -> str | Metric:
        """The metric by this name, or the default one; numbers are compared by their mean."""
        if self.metrics:
            return asked or self.metrics[0]
        return get("mean").renamed(asked or self.name, higher_is_better=self.higher_is_better)


@dataclass(frozen=True, eq=False)
class Scores:
    """What was read: systems, items, and what is known of each system on each item.

    Attributes
    ----------
    systems
        The names, in the order in which they came.
    items
        The id of each item; the answers to one item that was sampled several times follow each other.
    groups
        What is swapped together: one label per item, or None.
    measures
        By name, in the order of the files.
    provenance
        The files.
    notes
        What was made of the columns of tables: which were taken for what, and which left out.
    counted
        The effects of the two systems, if the rows were counted where they are; the measures are then empty.
    """

    systems: tuple[str, ...]
    items: Sequence[Hashable]
    groups: tuple[Hashable, ...] | None
    measures: Mapping[str, Measure]
    provenance: tuple[Provenance, ...]
    notes: tuple[str, ...] = ()
    counted: Effects | None = None

    @property
    def n_groups(self) -> int | None:
        """The number of groups; None if each item is swapped by itself."""
        if self.counted is not None:
            return self.counted.n_groups if self.counted.n_groups != self.counted.n_items else None
        return None if self.groups is None else len(set(self.groups))

    @property
    def metrics(self) -> tuple[str, ...]:
        """All names that `compare(..., metric=)` takes for these files, the default first."""
        return tuple(dict.fromkeys(name for measure in self.measures.values() for name in measure.names))

    def find(self, metric: str | Metric | None) -> tuple[Measure, str | Metric]:
        """The measure that a metric is about, and that metric; by default the first of both.

        Raises
        ------
        ValueError
            If the files do not hold it.
        """
        measures = list(self.measures.values())
        if metric is None:
            return measures[0], measures[0].metric()
        if isinstance(metric, Metric):
            return next((m for m in measures if m.gold is None), measures[0]), metric
        name = parse(metric)[0]
        for measure in measures:
            if name in measure.names:
                return measure, measure.metric(metric)
        if metric in self.measures:
            return self.measures[metric], self.measures[metric].metric()
        numbers = [measure for measure in measures if not measure.metrics]
        if len(numbers) == 1 and name in MEANS:
            return numbers[0], numbers[0].metric(name)
        folded = {known.casefold(): known for known in self.metrics}
        close = [folded[name] for name in difflib.get_close_matches(metric.casefold(), folded, n=1)]
        hint = f"did you mean {close[0]}? They" if close else "they"
        raise ValueError(f"these files have no metric {metric!r}; {hint} have {', '.join(self.metrics)}")

    def refuse_missing(self, measure: str, lost: Mapping[str, NDArray[np.bool_] | None]) -> None:
        """Say in which file, and of which items, a score is missing, if one is."""
        for name, mask in lost.items():
            if mask is None or not mask.any():
                continue
            file = next((source.path for source in self.provenance if name in source.systems), self.provenance[0].path)
            items = [self.items[i] for i in np.flatnonzero(mask)[:SHOWN].tolist()]
            raise SourceError(
                f"{file}: {name} has no {measure} for {mask.sum()} of {len(self.items)} items: "
                f"{', '.join(f'{item!r:.40}' for item in items)}{' ...' if mask.sum() > SHOWN else ''}; --missing omit "
                "leaves them out"
            )

    def __repr__(self) -> str:
        """The sizes in one line, and then the systems and the metrics."""
        groups = "" if self.n_groups is None else f" in {self.n_groups} groups"
        return "\n".join(
            [
                f"Scores of {len(self.systems)} systems on {len(self.items)} items{groups}",
                f"systems     {', '.join(self.systems)}",
                f"metrics     {', '.join(self.metrics)}",
                *(f"read from   {p.path} ({p.format})" for p in self.provenance),
                *(f"columns     {note}" for note in self.notes),
            ]
        )
