"""Which column of a table is what, by the names that evaluation tools and people give to columns.

A column is taken for the id, the group or the system only under a name of these lists or if the user names it, and
`Roles.said` tells which were taken and which left out, so that nothing happens in silence.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from exactperm import metrics
from exactperm.sources.base import Wanted
from exactperm.sources.files import Source

__all__ = [
    "LEFT_OUT",
    "Kind",
    "Roles",
    "assign",
    "counts_by_system",
    "gold_of",
    "is_gold",
    "is_id",
    "is_long",
    "listed",
    "metrics_of",
    "no_numbers",
    "shown",
    "the_prediction",
]

#: what the cells of a column are: "number", "text", "empty" or, in formats that nest, "other"
Kind = str

#: what names an item, the best first; a column of row numbers has no name (pandas, R)
IDS = (
    "id", "item_id", "item", "example_id", "sample_id", "instance_id", "question_id", "task_id", "query_id", "qid",
    "segment_id", "seg_id", "sentence_id", "sent_id", "prompt_id", "doc_id", "uid", "uuid", "key", "example", "query",
    "topic", "segment", "sentence", "utterance", "prompt", "question", "index", "idx", "",
)  # fmt: skip
#: what is exchanged together without being asked
GROUPS = ("group", "group_id", "cluster", "cluster_id")
#: what names a system in a long table
SYSTEMS = (
    "system", "system_id", "system_name", "model", "model_id", "model_name", "run", "run_id", "run_name", "method",
    "submission",
)  # fmt: skip
#: which of several answers to one item this is
SAMPLES = ("epoch", "sample", "repeat", "trial")
#: what holds the score in a long table
SCORES = ("score", "value", "correct", "is_correct", "acc", "accuracy")
#: what holds the right answer in a table of labels
GOLDS = ("gold", "gold_label", "y_true", "true_label", "ground_truth", "truth", "target", "label", "expected")
#: what holds the answer of the system in a table about one
PREDICTIONS = ("y_pred", "prediction", "predicted", "pred", "predicted_label", "y_hat")
#: what labels are given to, and is no label
TEXTS = ("text", "input", "context", "premise", "hypothesis", "title", "content", "comment", "review", "source")
#: what describes an item, and is never a system
DESCRIPTIONS = ("doc", "document", "document_id", "passage", "passage_id", "line", "seed", "fold", "split", "subset")
NEVER_SYSTEMS = frozenset((*IDS, *GROUPS, *SYSTEMS, *SAMPLES, *DESCRIPTIONS))
SEPARATORS = "_.- :/"
#: what is said before columns that are not used
LEFT_OUT = "left out"
#: names that a message lists
SHOWN = 10


@dataclass(frozen=True)
class Roles:
    """The parts that the columns of a table play.

    Attributes
    ----------
    id, group, system, sample
        The names of columns, or None.
    scores
        The columns of numbers, or in a table of labels those of predictions.
    gold
        The column of right labels, if this is a table of labels.
    left_out
        All others, each with the reason.
    """

    id: str | None
    group: str | None
    system: str | None
    sample: str | None
    scores: tuple[str, ...]
    left_out: Mapping[str, str]
    gold: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns whose cells are names of something."""
        return tuple(dict.fromkeys(x for x in (self.id, self.group, self.system, self.sample) if x is not None))

    @property
    def said(self) -> str:
        """What was made of the columns, for the user."""
        parts = [f"{role} {shown(name)}" for role, name in self._named() if name is not None]
        if self.id is None:
            parts.insert(0, "items by their row")
        what = "scores" if self.gold is None else "predictions"
        parts.append(f"{what} {listed(self.scores)}" if self.scores else f"no {what}")
        if self.left_out:
            parts.append(f"{LEFT_OUT} {listed(self.left_out, self.left_out)}")
        return "; ".join(parts)

    def _named(self) -> tuple[tuple[str, str | None], ...]:
        return (
            ("items by", self.id),
            ("groups by", self.group),
            ("systems by", self.system),
            ("samples by", self.sample),
            ("gold", self.gold),
        )


def shown(name: str) -> str:
    """A column as it is called in messages."""
    return " ".join(name.split()) or "the column without a name"


def no_numbers(names: Iterable[str]) -> str:
    """What to do with a table of texts alone, most often labels."""
    return (
        f"no column of numbers, only {listed(names)}; write scores, as 1 and 0 for right and wrong, or, if these are "
        "labels, name the column of the right ones with --gold"
    )


def gold_of(kinds: Mapping[str, Kind], wanted: str | None) -> str | None:
    """The column of right labels: the user names it, or it is called so where there are texts and no scores."""
    if wanted is not None or any(
        kind == "number" and _plain(name) not in NEVER_SYSTEMS for name, kind in kinds.items()
    ):
        return wanted
    return _first([name for name, kind in kinds.items() if kind == "text"], GOLDS)


def assign(source: Source, kinds: Mapping[str, Kind], wanted: Wanted) -> Roles:
    """Find out which column is what; `kinds` are the columns and what their cells are."""
    for name in (wanted.id, wanted.group, wanted.gold):
        if name is not None and name not in kinds:
            raise source.error(f"there is no column {name!r}; there is {listed(kinds)}")
    chosen = _chosen(source, kinds, wanted)
    gold = gold_of(kinds, wanted.gold)
    free = [name for name in kinds if name not in (wanted.id, wanted.group, gold, *chosen)]
    group = wanted.group or _first(free, GROUPS)
    identity = wanted.id or _first([name for name in free if name != group], IDS)
    free = [name for name in free if name not in (group, identity)]
    if gold is not None:
        if gold in chosen or (wanted.a is not None and not chosen):
            there = listed(name for name in kinds if name != gold)
            raise source.error(f"--a and --b name columns of predictions beside {shown(gold)}; there is {there}")
        reasons = {name: _no_label(name, kinds[name], chosen) for name in (*chosen, *free)}
        return _roles(identity, group, None, None, chosen, reasons, gold)
    system = None if chosen else _system(free, kinds)
    sample = _first([name for name in free if kinds[name] == "number"], SAMPLES)
    taken = {identity, group, system, sample}
    reasons = {name: _reason(name, kind, chosen) for name, kind in kinds.items() if name not in taken}
    roles = _roles(identity, group, system, sample, chosen, reasons)
    right = None if chosen or system is not None else _first(roles.scores, GOLDS)
    return roles if right is None or right in wanted.metrics else _without_gold(source, roles, right, wanted)


def _without_gold(source: Source, roles: Roles, right: str, wanted: Wanted) -> Roles:
    """The roles without a column that seems to hold what is right; an error where the others may be predictions."""
    others = tuple(name for name in roles.scores if name != right)
    if wanted.alone or not others or _first(others, PREDICTIONS) is not None:
        otherwise = "choose two systems with --a and --b, or drop it" if wanted.alone else "name a score with --metric"
        raise source.error(
            f"the column {shown(right)} may hold what is right ({roles.said}); if so, name it with --gold, else "
            f"{otherwise}"
        )
    return replace(roles, scores=others, left_out={**roles.left_out, right: "what is right, it seems"})


def the_prediction(names: Sequence[str]) -> Sequence[str]:
    """Of the columns of a table about one system the one that is called so, if there is one."""
    found = _first(names, PREDICTIONS)
    return names if found is None else (found,)


def is_long(roles: Roles) -> bool:
    """Whether a column that names systems was left out."""
    return any(_plain(name) in SYSTEMS for name in roles.left_out)


def _roles(
    identity: str | None,
    group: str | None,
    system: str | None,
    sample: str | None,
    chosen: Sequence[str],
    reasons: Mapping[str, str],
    gold: str | None = None,
) -> Roles:
    """The roles, with the columns that are chosen, else those that there is no reason to leave out, as scores."""
    scores = tuple(chosen or (name for name, reason in reasons.items() if not reason))
    return Roles(identity, group, system, sample, scores, {k: why for k, why in reasons.items() if why}, gold)


def _no_label(name: str, kind: Kind, chosen: Sequence[str]) -> str:
    """Why a column of a table of labels holds no predictions; nothing if it does."""
    if chosen:
        return "" if name in chosen else "not asked for"
    if kind not in ("number", "text"):
        return kind
    return "describes items" if _plain(name) in NEVER_SYSTEMS or _plain(name) in TEXTS else ""


def _chosen(source: Source, kinds: Mapping[str, Kind], wanted: Wanted) -> list[str]:
    """The columns that --a and --b name; none if they name systems inside the table."""
    asked = [name for name in (wanted.a, wanted.b) if name is not None]
    if len(asked) == 1:
        raise ValueError("a and b name the two systems of a table; give both")
    if len(set(asked)) < len(asked):
        raise ValueError(f"a and b are both {asked[0]!r}; name two systems")
    found = [name for name in asked if name in kinds]
    if len(found) == 1:
        lost = next(name for name in asked if name not in kinds)
        raise source.error(f"there is no column {lost!r}; there is {listed(kinds)}")
    return found


def _first(names: Sequence[str], aliases: Sequence[str]) -> str | None:
    """The column with the best of these names."""
    known = {_plain(name): name for name in reversed(names)}
    return next((known[alias] for alias in aliases if alias in known), None)


def _system(names: Sequence[str], kinds: Mapping[str, Kind]) -> str | None:
    """The column that names systems, if this is a long table.

    Its cells are text; numbers may name systems only where another column is clearly the score.
    """
    system = _first(names, SYSTEMS)
    if system is None or kinds[system] == "text":
        return system
    has_score = any(_plain(name) in SCORES and kinds[name] == "number" for name in names)
    return system if kinds[system] == "number" and has_score else None


def _reason(name: str, kind: Kind, chosen: Sequence[str]) -> str:
    """Why a column is no score; nothing if it is one."""
    if chosen:
        return "" if name in chosen else "not asked for"
    if kind != "number":
        return kind
    return "describes items" if _plain(name) in NEVER_SYSTEMS else ""


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_") if name != "Unnamed: 0" else ""


def is_id(name: str) -> bool:
    """Whether a column of this name holds ids or row numbers."""
    return _plain(name) in IDS


def is_gold(name: str) -> bool:
    """Whether a column of this name holds what is right."""
    return _plain(name) in GOLDS


def listed(names: Iterable[str], reasons: Mapping[str, str] | None = None) -> str:
    """The first names, with what there is to say of each, for messages."""
    every = list(names)
    parts = [f"{shown(name):.40}" + (f" ({reasons[name]})" if reasons else "") for name in every[:SHOWN]]
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return ", ".join(parts) + more


# -- counts ----------------------------------------------------------------------------------------------------


def metrics_of(names: Sequence[str]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """The sums of metrics among columns, as tp, fp and fn, with the metrics that they are the counts of.

    Each metric takes as many of the columns as it can; those that are made of just these sums come first.
    """
    there = set(names)
    found: dict[tuple[str, ...], list[str]] = {}
    for metric, forms in _forms().items():
        fitting = [sums for sums in forms if there.issuperset(sums)]
        if fitting:
            found.setdefault(max(fitting, key=len), []).append(metric)
    return {sums: tuple(sorted(by, key=lambda metric: sums != _forms()[metric][0])) for sums, by in found.items()}


def counts_by_system(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """The columns of each system by sum, where columns are called tp_A, fp_A, fn_A, tp_B or A.tp and so on.

    Empty unless every column is one, and all systems have the same sums.
    """
    found: dict[str, dict[str, str]] = {}
    for name in names:
        parts = _sum_and_system(name)
        if parts is None or parts[0] in found.get(parts[1], {}):
            return {}
        found.setdefault(parts[1], {})[parts[0]] = name
    same = len({frozenset(columns) for columns in found.values()}) == 1
    return found if same and len(found) > 1 and metrics_of(list(next(iter(found.values())))) else {}


def _sum_and_system(name: str) -> tuple[str, str] | None:
    for sum in sorted({sum for forms in _forms().values() for sums in forms for sum in sums}, key=len, reverse=True):
        for separator in SEPARATORS:
            if name.startswith(sum + separator):
                return sum, name.removeprefix(sum + separator)
            if name.endswith(separator + sum):
                return sum, name.removesuffix(separator + sum)
    return None


@cache
def _forms() -> dict[str, list[tuple[str, ...]]]:
    """The sums that each metric is made of, where they are several; not of metrics that need options."""
    forms = {}
    for name in metrics.names():
        if inspect.Parameter.empty not in metrics.options(name).values():
            metric = metrics.get(name)
            forms[name] = [form.sums for form in (metric, *metric.forms) if len(form.sums) > 1]
    return {name: sums for name, sums in forms.items() if sums}
