"""Several systems on the same items: what came, checked once, and the effects of any two of them.

What came may be scores, counts, or predictions with a gold standard; in a mapping, a data frame, or read from files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exactperm import inputs, metrics
from exactperm.api import effects_of_scores
from exactperm.effects import Effects
from exactperm.items import Items
from exactperm.metrics import counts
from exactperm.metrics.registry import parse
from exactperm.sources.roles import is_gold, is_id
from exactperm.sources.scores import Scores

__all__ = ["Systems", "frame_library", "gather", "unit_labels"]

Labels = NDArray[Any] | None
#: whose data frames and series are known by sight
LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf")
#: what only makes sense of predictions
OF_PREDICTIONS = ("average", "labels", "pos_label", "scheme", "sample_weight")


class Systems(Protocol):
    """Systems of which any two can be compared."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems in the order in which they came."""

    @property
    def metric(self) -> metrics.Metric:
        """By what they are compared."""

    def effects(self, a: str, b: str) -> Effects:
        """The effects of exchanging two systems."""

    def items(self, a: str, b: str) -> Items | None:
        """The items behind them."""

    def missing(self) -> inputs.Mask | None:
        """The items that some system lacks."""

    def sums(self, name: str, lost: inputs.Mask | None) -> NDArray[Any]:
        """The sums of a system in each group, (G, k), without the items of the mask."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """One number per item and system, some of which may be missing."""

    metric: metrics.Metric
    columns: dict[str, tuple[NDArray[Any], NDArray[np.bool_] | None]]
    groups: Labels
    nan_policy: str
    grid: Any

    @property
    def names(self) -> tuple[str, ...]:
        """The systems in the order in which they came."""
        return tuple(self.columns)

    def effects(self, a: str, b: str) -> Effects:
        """The effects of exchanging two systems; items that one of them lacks are dropped."""
        (first, lost_a), (second, lost_b) = self.columns[a], self.columns[b]
        lost = inputs.missing([lost_a, lost_b], [_called(a), _called(b)], self.nan_policy)
        return effects_of_scores(first, second, self.groups, lost, self.grid)

    def items(self, a: str, b: str) -> Items:
        """The items behind them."""
        (first, lost_a), (second, lost_b) = self.columns[a], self.columns[b]
        lost = inputs.missing([lost_a, lost_b], [_called(a), _called(b)], self.nan_policy)
        return Items(first, second, self.groups, lost)

    def missing(self) -> inputs.Mask | None:
        """The items that some system lacks."""
        masks = [mask for _, mask in self.columns.values()]
        return inputs.missing(masks, [_called(name) for name in self.columns], self.nan_policy)

    def sums(self, name: str, lost: inputs.Mask | None) -> NDArray[Any]:
        """The sum of the scores of a system in each group, (G, 1), without the items of the mask."""
        scores, _ = self.columns[name]
        real = scores.astype(np.float64) if scores.dtype == object else scores
        return Items(real, real, self.groups, lost).sums().a


@dataclass(frozen=True, eq=False)
class Counts:
    """The integer sums of a metric per item and system."""

    metric: metrics.Metric
    columns: dict[str, NDArray[Any]]
    groups: Labels

    @property
    def names(self) -> tuple[str, ...]:
        """The systems in the order in which they came."""
        return tuple(self.columns)

    def effects(self, a: str, b: str) -> Effects:
        """The effects of exchanging two systems."""
        first, second = self.columns[a], self.columns[b]
        counts.check_pair(first, second, self.metric, (_called(a), _called(b)))
        return Effects.from_sums(first, second, self.metric.sums, self.groups)

    def items(self, a: str, b: str) -> Items:
        """The items behind them."""
        return Items(self.columns[a], self.columns[b], self.groups)

    def missing(self) -> None:
        """No item lacks counts."""

    def sums(self, name: str, lost: inputs.Mask | None) -> NDArray[Any]:
        """The sums of a system in each group, (G, k), without the items of the mask."""
        return Items(self.columns[name], self.columns[name], self.groups, lost).sums().a


@dataclass(frozen=True, eq=False)
class Counted:
    """Two systems whose rows were counted where they are; there are no items to look at."""

    metric: metrics.Metric
    names: tuple[str, ...]
    counted: Effects

    def effects(self, a: str, b: str) -> Effects:
        """The effects of exchanging the two systems, or one of them with itself."""
        first = self.names[0]
        if a != b:
            return self.counted if a == first else self.counted.exchanged()
        totals, tied = (self.counted if a == first else self.counted.exchanged()).totals_a, self.counted.n_groups
        alone = Effects.from_counts({(0,) * len(self.counted.names): tied}, totals_a=totals, names=self.counted.names)
        return replace(alone, n_items=self.counted.n_items, unit=self.counted.unit)

    def items(self, a: str, b: str) -> None:
        """There are none."""

    def missing(self) -> None:
        """Nobody knows."""

    def sums(self, name: str, lost: inputs.Mask | None) -> NDArray[Any]:
        """There are none."""
        del lost
        raise ValueError(
            f"the items of {name} were counted where they are, and only single items can be permuted together; "
            "use correction='holm'"
        )


def gather(
    systems: Any,
    y_true: Any,
    metric: str | metrics.Metric | None,
    groups: Any,
    nan_policy: str,
    grid: Any,
    options: dict[str, Any],
) -> Systems:
    """Find out what came. `options` are those of predictions and of the metric; None means not given."""
    if isinstance(systems, Scores):
        return _from_files(systems, y_true, metric, groups, nan_policy, grid, options)
    if frame_library(systems):
        systems, y_true, groups = _from_frame(systems, y_true, groups)
    elif isinstance(groups, str):
        raise TypeError(f"groups={groups!r} can name a column of a data frame only; else give one label per item")
    data = _by_name(systems)
    given = {key: value for key, value in options.items() if value is not None}
    if y_true is not None:
        return _predictions(data, y_true, "accuracy" if metric is None else metric, groups, given)
    if wrong := [key for key in OF_PREDICTIONS if key in given]:
        raise TypeError(f"{', '.join(wrong)} is for predictions with a gold standard; give y_true as well")
    by_name = any(_is_counts(x) for x in data.values())
    if by_name and metric is None:
        raise TypeError("mappings and data frames of counts need a metric, as in metric='f1'")
    chosen = metrics.get("mean" if metric is None else metric, **given)
    if by_name or not chosen.additive:
        return _counts(data, chosen, groups)
    return _scores(data, chosen, groups, nan_policy, grid)


def _by_name(systems: Any) -> dict[str, Any]:
    """The systems as a mapping from a name to its data."""
    if not isinstance(systems, Mapping):
        raise TypeError(
            'systems must be a mapping from names to data, {"A": ..., "B": ...}, or a data frame with a column for '
            f"each system, not {_kind(systems)}"
        )
    named = {str(name): data for name, data in systems.items()}
    if len(named) < len(systems):
        raise ValueError(f"two systems have the same name; the names are {', '.join(map(str, systems))}")
    if len(named) < 2:
        raise ValueError(f"compare needs two systems or more; got {', '.join(named) or 'none'}")
    return named


def _kind(x: Any) -> str:
    return repr(x) if isinstance(x, str) else f"a {type(x).__name__}"


def _called(name: str) -> str:
    return f"systems[{name!r}]"


# -- scores, counts, predictions -------------------------------------------------------------------------------


def _scores(data: dict[str, Any], metric: metrics.Metric, groups: Any, nan_policy: str, grid: Any) -> Numbers:
    columns = {name: inputs.numbers(x, _called(name)) for name, x in data.items()}
    for name, (values, _) in columns.items():
        if values.ndim != 1:
            raise ValueError(
                f"{_called(name)} must hold one score per item, not shape {values.shape}; for counts name the metric"
            )
    items = _same_length({name: len(values) for name, (values, _) in columns.items()})
    return Numbers(metric, columns, _groups(groups, items), nan_policy, grid)


def _is_counts(x: Any) -> bool:
    return isinstance(x, Mapping) or frame_library(x) is not None


def _counts(data: dict[str, Any], metric: metrics.Metric, groups: Any) -> Systems:
    columns: dict[str, NDArray[Any]] = {}
    form = metric
    for name, x in data.items():
        found, columns[name] = counts.read(_columns(x) if frame_library(x) else x, metric, _called(name))
        if found.sums != form.sums and len(columns) > 1:
            raise ValueError(
                f"{_called(name)} has the sums ({', '.join(found.sums)}), "
                f"but {_called(next(iter(columns)))} has ({', '.join(form.sums)})"
            )
        form = found
    items = _same_length({name: len(x) for name, x in columns.items()})
    return Counts(form, columns, _groups(groups, items))


def _predictions(
    data: dict[str, Any], y_true: Any, metric: str | metrics.Metric, groups: Any, options: dict[str, Any]
) -> Systems:
    if not isinstance(metric, str):
        raise TypeError(
            "with y_true the metric is given by name; count the sums of a metric of your own per item and leave out "
            "y_true"
        )
    name, written = parse(metric)
    predicted = {system: _as_list(x, _called(system)) for system, x in data.items()}
    found, counted = metrics.extract(_as_list(y_true, "y_true"), predicted, name, **{**written, **options})
    return _counts(dict(counted), found, groups)


def _same_length(lengths: dict[str, int]) -> int:
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise ValueError(f"the systems must hold the same items in the same order; they have {shown}")
    return next(iter(lengths.values()))


def _groups(groups: Any, items: int) -> Labels:
    """The groups as small integers, which every pair needs."""
    if groups is None:
        return None
    return np.unique(inputs.labels(groups, "groups", items), return_inverse=True)[1]


# -- files -----------------------------------------------------------------------------------------------------


def _from_files(
    scores: Scores,
    y_true: Any,
    metric: str | metrics.Metric | None,
    groups: Any,
    nan_policy: str,
    grid: Any,
    options: dict[str, Any],
) -> Systems:
    """What the files say about a metric, in the groups of the files unless others are given."""
    if y_true is not None:
        raise TypeError("y_true is for predictions in memory; files are read with their gold, read(..., gold=)")
    groups = scores.groups if groups is None else groups
    given = {key: value for key, value in options.items() if value is not None}
    measure, chosen = scores.find(metric)
    if scores.counted is not None:
        return Counted(_of_numbers(metrics.get(chosen), given), scores.systems, scores.counted)
    if measure.gold is not None:
        return _predictions(dict(measure.columns), measure.gold, chosen, groups, given)
    if measure.metrics:
        return _counts(dict(measure.columns), metrics.get(chosen, **given), groups)
    numbers = _scores(dict(measure.columns), _of_numbers(metrics.get(chosen), given), groups, nan_policy, grid)
    if nan_policy == "raise":
        scores.refuse_missing(measure.name, {name: lost for name, (_, lost) in numbers.columns.items()})
    return numbers


def _of_numbers(metric: metrics.Metric, given: dict[str, Any]) -> metrics.Metric:
    """A metric of numbers from files, of which a user may say that less is better."""
    others = {key: value for key, value in given.items() if key != "higher_is_better"}
    if others:
        raise TypeError(f"{', '.join(others)}: {metric.name} of numbers from files takes no such option")
    return metric.renamed(metric.name, **given) if given else metric


# -- data frames -----------------------------------------------------------------------------------------------


def unit_labels(systems: Any, groups: Any) -> Sequence[Any] | None:
    """What the groups are called, in the order of their codes, else what files call the items; None for row numbers."""
    if groups is None and isinstance(systems, Scores):
        if systems.groups is None:
            return systems.items
        groups = systems.groups
    if groups is None:
        return None
    if isinstance(groups, str):
        groups = _columns(systems)[groups]
    labels = groups if isinstance(groups, Sequence) else _as_list(groups, "groups")
    codes = inputs.labels(groups, "groups", len(labels))
    return [labels[i] for i in np.unique(codes, return_index=True)[1]]


def frame_library(x: Any) -> str | None:
    """The library of a data frame, without importing what is not there yet; None for anything else."""
    package = type(x).__module__.partition(".")[0]
    return (
        package if package in ("pandas", "polars", "pyarrow", "modin", "cudf") and hasattr(type(x), "columns") else None
    )


def _columns(frame: Any) -> dict[str, Any]:
    """The columns of a data frame by name, each a series of its library."""
    import narwhals.stable.v2 as nw

    if hasattr(frame, "collect"):
        raise TypeError(f"systems is a {type(frame).__name__}, which holds no data yet; collect() it first")
    names = [str(name) for name in (frame.column_names if hasattr(frame, "column_names") else frame.columns)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"two systems have the same name: the data frame has two columns {', '.join(twice)}")
    whole = nw.from_native(frame, eager_only=True)
    return {name: whole[:, i].to_native() for i, name in enumerate(names)}


def _from_frame(frame: Any, y_true: Any, groups: Any) -> tuple[dict[str, Any], Any, Any]:
    """The systems of a frame, whose other columns may hold the gold standard and the groups."""
    columns = _columns(frame)
    taken = []
    for argument, name in (("y_true", y_true), ("groups", groups)):
        if not isinstance(name, str):
            continue
        if name not in columns:
            raise ValueError(f"{argument}={name!r} is no column of the data frame; it has {', '.join(columns)}")
        taken.append(name)
    gold, labels = (columns[x] if isinstance(x, str) else x for x in (y_true, groups))
    of_systems = {name: x for name, x in columns.items() if name not in taken}
    if gold is None:
        _refuse_names(of_systems)
    return of_systems, gold, labels


def _refuse_names(columns: dict[str, Any]) -> None:
    """Every column is a system: refuse those that name or describe items."""
    import narwhals.stable.v2 as nw

    for name, column in columns.items():
        if is_id(name):
            raise TypeError(
                f"the column {name!r} of the data frame names items, it seems, and every column is a system: drop it, "
                "name it in groups=, or give it another name"
            )
        if is_gold(name):
            raise TypeError(
                f"the column {name!r} of the data frame holds what is right, it seems, and every column is a system: "
                "name it in y_true=, drop it, or give it another name"
            )
        if nw.from_native(column, series_only=True).dtype in (nw.String, nw.Categorical, nw.Enum):
            raise TypeError(
                f"the column {name!r} of the data frame holds text, and every column is a system: drop it, or name it "
                "in groups=; predictions need y_true="
            )


def _as_list(x: Any, name: str) -> Any:
    """A series of a data frame as a list of Python values; anything else as it is."""
    if type(x).__module__.partition(".")[0] not in LIBRARIES:
        return x
    import narwhals.stable.v2 as nw

    series = nw.from_native(x, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return x.to_pylist() if hasattr(x, "to_pylist") else x
    if lost := series.null_count():
        raise ValueError(
            f"{name} lacks {lost} of its labels, the first at index {int(series.is_null().arg_max() or 0)}"
        )
    return series.to_list()
