"""What a test claims, in words: for a result, for a pair of named systems, and with a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exactperm.result import TestResult

__all__ = ["KINDS", "claim", "doubt", "how_tested", "sidedness", "within"]

#: what a test with a margin is called
KINDS = {"two-sided": "equivalence", "greater": "non-inferiority", "less": "non-superiority"}
_MODEL = {"greater": "better", "less": "worse"}
_OTHER = {"greater": "worse", "less": "better"}


def claim(alternative: str, margin: float | None, a: str, b: str) -> str:
    """What a small p-value shows, for one-sided tests and for those with a margin."""
    if margin is None:
        return f"{a} is {_MODEL[alternative]} than {b}"
    if alternative == "two-sided":
        return f"{a} and {b} are equivalent within ±{margin:.12g}"
    return f"{a} is {within(alternative, margin, b)}"


def doubt(alternative: str, margin: float | None, a: str, b: str) -> str:
    """What data with a large p-value do not do."""
    if margin is not None and alternative != "two-sided":
        return f"exclude that {a} is {_OTHER[alternative]} than {b} by {margin:.12g} or more"
    if margin is None and alternative == "two-sided":
        return f"show a difference between {a} and {b}"
    return f"show that {claim(alternative, margin, a, b)}"


def within(alternative: str, margin: float, b: str) -> str:
    """How a system stands to `b` if the test with a margin is significant."""
    if alternative == "two-sided":
        return f"equivalent to {b} within ±{margin:.12g}"
    return f"not {_OTHER[alternative]} than {b} by more than {margin:.12g}"


def sidedness(alternative: str) -> str:
    """An alternative as papers call it."""
    return "two-sided" if alternative == "two-sided" else "one-sided"


def how_tested(result: TestResult) -> str:
    """The test behind a p-value, ``exact two-sided paired-permutation test, 10 pairs``."""
    exact, pairs = "exact " if result.exact else "", f"{result.n_groups} pairs"
    if result.margin is None:
        return f"{exact}{sidedness(result.alternative)} paired-permutation test, {pairs}"
    if result.alternative == "two-sided":
        return f"two one-sided {exact}paired-permutation tests, {pairs}"
    return f"{exact}paired-permutation test of {KINDS[result.alternative]}, {pairs}"
