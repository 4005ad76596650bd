"""Means of one integer per item, and shares of correct words.

The mean of K right or wrong answers per item is their total divided by the items: the test is the
exact sign test (McNemar's) when each is 0 or 1. Shares of words divide by the number of gold words,
the same for both systems.
"""

from __future__ import annotations

from typing import Any

from exactperm.metrics.base import Metric, bounded
from exactperm.metrics.registry import register

__all__: list[str] = []


@register
def mean(higher_is_better: bool = True) -> Metric:
    """The mean of a score per item."""
    return Metric("mean", ("score",), additive=True, higher_is_better=higher_is_better, formula="sum of score / items")


@register
def accuracy() -> Metric:
    """The share of items that are right."""
    return _right_or_wrong("accuracy", forms=(_share("accuracy"),))


@register
def exact_match() -> Metric:
    """The share of items that match exactly."""
    return _right_or_wrong("exact_match", forms=(_share("exact_match"),))


@register
def win_rate() -> Metric:
    """The share of items that are won, a tie counted as the user counts it."""
    return bounded("win_rate", ("wins",), additive=True, formula="wins / items")


@register
def squad_em() -> Metric:
    """SQuAD's exact match, in percent."""
    return _right_or_wrong(
        "squad_em",
        about="An item counts if any gold answer matches after normalisation.",
        scale=100,
    )


@register
def token_accuracy() -> Metric:
    """The share of tokens with the right tag."""
    return _share("token_accuracy", about="A sentence is an item.")


@register
def upos() -> Metric:
    """The share of words with the right universal part of speech."""
    return _words("upos")


@register
def xpos() -> Metric:
    """The share of words with the right part of speech of the language's own tag set."""
    return _words("xpos")


@register
def feats() -> Metric:
    """The share of words with all morphological features right."""
    return _words("feats")


@register
def lemma() -> Metric:
    """The share of words with the right lemma."""
    return _words("lemma")


@register
def uas() -> Metric:
    """Unlabelled attachment: the share of words with the right head."""
    return _words("uas")


@register
def las() -> Metric:
    """Labelled attachment: the share of words with the right head and relation."""
    return _words("las")


@register
def las_subtypes() -> Metric:
    """Labelled attachment with subtypes: nsubj:pass is not nsubj."""
    return _words("las_subtypes")


def _right_or_wrong(name: str, **more: Any) -> Metric:
    return bounded(name, ("correct",), additive=True, formula="correct / items", **more)


def _share(name: str, **more: Any) -> Metric:
    return bounded(
        name,
        ("correct", "total"),
        ratio=_quotient,
        increasing={"correct": 1},
        gold=(("total",),),
        within=(("correct", "total"),),
        zero_division=None,
        formula="correct / total",
        **more,
    )


def _words(name: str) -> Metric:
    """Over gold words, or F1 where systems have words of their own (CoNLL 2018 shared task)."""
    own_words = bounded(
        name,
        ("correct", "system", "total"),
        ratio=_f1_of_words,
        increasing={"correct": 1},
        gold=(("total",),),
        within=(("correct", "system"), ("correct", "total")),
        zero_division=None,
        formula="2 correct / (system + total)",
    )
    return _share(name, forms=(own_words,))


def _quotient(correct: Any, total: Any) -> tuple[Any, Any]:
    return correct, total


def _f1_of_words(correct: Any, system: Any, total: Any) -> tuple[Any, Any]:
    return 2 * correct, system + total
