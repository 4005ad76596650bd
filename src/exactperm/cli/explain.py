"""``exactperm explain``: what `compare` would do with the same files, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from exactperm.cli import arguments as given
from exactperm.cli.errors import in_flags
from exactperm.cli.progress import progress
from exactperm.cli.terminal import printer, show

if TYPE_CHECKING:
    from exactperm.explanation import Explanation
    from exactperm.report.text import Block

__all__ = ["explain"]

#: pairs that are shown one by one
MOST_SHOWN = 30
HEAD = ["system", "against", "engine", "seconds", "dimensions", "differ", "distinct"]


def explain(
    files: given.Files,
    gold: given.Gold = None,
    metric: given.Metrics = None,
    baseline: given.Baseline = None,
    group: given.Group = None,
    id: given.Id = None,
    format: given.Format = None,
    filter: given.Filter = None,
    a: given.A = None,
    b: given.B = None,
    epochs: given.Epochs = None,
    missing: given.Missing = "raise",
    no_check: given.NoCheck = False,
    memory_limit: given.MemoryLimit = None,
    spill: given.Spill = None,
    alternative: given.Alternative = "two-sided",
    method: given.Method = "auto",
) -> None:
    """Tell which engine would run, in how many dimensions, and why.

    Nothing is tested. For each pair: the engine, its estimate of its time, in how many dimensions the totals move
    when outputs are exchanged, on how many items (or groups) the systems differ, and how many distinct effects that
    makes; and which engines were passed over, and why.

    \b
    Examples:
      exactperm explain scores.csv
      exactperm explain A.conllu B.conllu --gold gold.conllu --metric las
      exactperm explain scores.csv --method exact
    """
    from exactperm.explanation import explain as explain_systems

    with progress(quiet=False) as watch:
        scores = given.read_files(
            files, metrics=metric, gold=gold, format=format, filter=filter, id=id, group=group, a=a, b=b,
            epochs=epochs, missing=missing, check=not no_check, memory_limit=memory_limit, spill=spill,
        )  # fmt: skip
        watch.say("counting")
        explanations = explain_systems(
            scores,
            metric=given.one_or_several(metric),
            baseline=given.system_called(baseline, scores),
            alternative=alternative,
            nan_policy=missing,
            method=method,
        )
    console = printer()
    show(console, _blocks(explanations, console.width))


def _blocks(explanations: Sequence[Explanation], width: int) -> Iterator[Block]:
    from exactperm.report.text import fitted

    for name, same in groupby(explanations, lambda e: e.metric):
        pairs = list(same)
        shown = pairs[:MOST_SHOWN]
        yield name
        yield ""
        yield from fitted((HEAD, [_row(e) for e in shown], 2), width)
        if len(shown) < len(pairs):
            yield f"Shown are {len(shown)} of {len(pairs)} pairs."
        yield ""
        yield from _reasons(pairs)
        yield ""


def _row(e: Explanation) -> list[str]:
    engine = ("none" if e.passed_over else "not needed") if e.engine is None else e.engine
    differ = f"{e.n_groups - e.n_tied}/{e.n_groups}"
    return [e.a, e.b, engine, f"{e.seconds:.1g}", str(e.dimensions), differ, str(e.distinct)]


def _reasons(pairs: Sequence[Explanation]) -> Iterator[str]:
    """Every reason once, with the number of pairs it holds for."""
    reasons: dict[tuple[str, str], int] = {}
    for pair in pairs:
        for reason in pair.passed_over:
            reasons[reason] = reasons.get(reason, 0) + 1
    for (engine, why), n in reasons.items():
        which = "" if n == len(pairs) else f" ({n} of {len(pairs)} pairs)"
        yield f"{engine} was passed over{which}: {in_flags(why)}."
    if not reasons:
        yield "The first engine that was asked can answer; none was passed over."
    if any(pair.engine is None and not pair.passed_over for pair in pairs):
        yield "not needed: every exchange gives a statistic as extreme as the observed one, so that p = 1."
    if inexact := sorted({pair.engine for pair in pairs if pair.engine and not pair.exact}):
        yield f"{', '.join(inexact)}: not exact, the p-value comes with an interval."
