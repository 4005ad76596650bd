"""A comparison in a sentence, how one system stands to all others, and in the line that says what was done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from exactperm.claims import KINDS, sidedness, within
from exactperm.pair import CORRECTIONS, Pair
from exactperm.signature import line_of, parts_of

if TYPE_CHECKING:
    from exactperm.comparison import Comparison

__all__ = ["about_correction", "sampled_methods", "signature_of", "verdict_of"]

WORDS = {
    "better": "better than",
    "worse": "worse than",
    "not different": "not told apart from",
    "not better": "not shown to be better than",
    "not worse": "not shown to be worse than",
    "undecided": "undecided against",
    "not testable": "not testable against",
}


def verdict_of(comparison: Comparison) -> str:
    """One sentence about the best system, or the baseline."""
    if len(comparison.pairs) == 1:
        return comparison.pairs[0].verdict
    exact = "exact " if all(pair.exact for pair in comparison.pairs) else ""
    correction = comparison.correction
    adjusted = "not corrected" if correction == "none" else CORRECTIONS[correction]
    subject = comparison.ranking[0] if comparison.baseline is None else comparison.baseline
    if comparison.margin is None:
        said, how = (
            _standing(subject, comparison),
            f"{exact}{sidedness(comparison.alternative)} paired-permutation tests",
        )
    else:
        said = _within(subject, comparison)
        how = f"{exact}paired-permutation tests of {KINDS[comparison.alternative]}"
    return f"{said} ({how}, {adjusted}, level {comparison.alpha:g})."


def _standing(subject: str, comparison: Comparison) -> str:
    others: defaultdict[str, list[str]] = defaultdict(list)
    for pair in comparison.ranked_pairs:
        if subject in (pair.a, pair.b):
            others[_outcome_for(subject, pair)].append(pair.b if pair.a == subject else pair.a)
    said = "; ".join(f"{WORDS[kind]} {_listed(others[kind])}" for kind in WORDS if others[kind])
    best = "has the best score and " if comparison.baseline is None and comparison.scores[subject] is not None else ""
    return f"{subject} {best}is {said}"


def _within(baseline: str, comparison: Comparison) -> str:
    """The systems that are within the margin of the baseline, and the others by what came of their test."""
    others: defaultdict[str, list[str]] = defaultdict(list)
    for pair in comparison.ranked_pairs:
        others[pair.outcome].append(pair.a)
    claim = within(comparison.alternative, comparison.margin or 0.0, baseline)
    shown = f"Shown to be {claim}: {_listed(others.pop('within margin', ['none']))}"
    return "; ".join([shown, *(f"{outcome}: {_listed(names)}" for outcome, names in others.items())])


def _outcome_for(subject: str, pair: Pair) -> str:
    if pair.better:
        return "better" if pair.better == subject else "worse"
    if pair.outcome == "not different" and pair.alternative != "two-sided":
        return "not better" if (pair.alternative == "greater") == (pair.a == subject) else "not worse"
    return pair.outcome


def _listed(names: list[str], most: int = 4) -> str:
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def signature_of(comparison: Comparison) -> str:
    """What the signatures of all pairs have in common, the engines that answered, and how they were corrected."""
    together = comparison.pairs[0].n_adjusted  # of several metrics
    if together == 1 and not comparison.correction_details:
        return comparison.pairs[0].signature
    lines = [parts_of(pair.signature) for pair in comparison.pairs]
    methods = ",".join(sorted({line["method"] for line in lines}))
    lines = [line | {"method": methods} for line in lines]
    common = {key: value for key, value in lines[0].items() if all(line.get(key) == value for line in lines)}
    version = common.pop("exactperm")
    parts = {
        **common,
        "systems": len(comparison.systems),
        **({} if comparison.baseline is None else {"baseline": comparison.baseline}),
        "pairs": len(lines),
        **({} if together == len(lines) else {"tests": together}),
        "correction": comparison.correction,
        **comparison.correction_details,
        "alpha": comparison.alpha,
        "exactperm": version,
    }
    return line_of(parts)


def about_correction(comparison: Comparison) -> str | None:
    """What has to be known of adjusted p-values that were drawn; None for others."""
    if not comparison.correction_details:
        return None
    number = comparison.correction_details["permutations"]
    return f"Adjusted by {CORRECTIONS[comparison.correction]}: {number:,} permutations of all systems together."


def sampled_methods(pairs: Sequence[Pair]) -> list[str]:
    """The engines whose answers are not exact, among those that answered."""
    return sorted({pair.method for pair in pairs if not pair.exact})
