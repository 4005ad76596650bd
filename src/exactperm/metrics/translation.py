"""BLEU and chrF of a corpus, from the sufficient statistics of sacrebleu 2: scores from 0 to 100.

Both are smooth but irrational functions of 10, 18 and 24 integers, evaluated in float64 by one
routine, in the order of operations that sacrebleu uses. Values within 1e-12 of each other, relative
to the observed ones, are ties. The effects span too many dimensions for an exact engine: such tests
sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from exactperm.metrics.base import Metric
from exactperm.metrics.registry import register

__all__: list[str] = []

Floats = NDArray[np.float64]

#: the longest n-grams
WORDS = 4
CHARACTERS = 6


@register
def bleu() -> Metric:
    """Corpus BLEU with n-grams up to 4 and sacrebleu's default smoothing."""
    orders = range(1, WORDS + 1)
    return Metric(
        "bleu",
        ("sys_len", "ref_len", *(f"correct{n}" for n in orders), *(f"total{n}" for n in orders)),
        value=_bleu,
        perfect=100,
        formula="100 min(1, exp(1 - ref_len / sys_len)) (prod over n of correct_n / total_n)^(1/4)",
        about="A precision of zero becomes 1 / (2^i total), i counting them (NIST smoothing).",
    )


@register
def chrf() -> Metric:
    """Corpus chrF2: F-score of character n-grams up to 6, recall counting twice."""
    return _chrf_of("chrf", CHARACTERS)


# the name of the function is not the name of the metric, which no function can have
def _chrf_plus_plus() -> Metric:
    """Corpus chrF++: chrF2 with word n-grams up to 2 as well."""
    return _chrf_of("chrf++", CHARACTERS + 2)


_chrf_plus_plus.__name__ = "chrf++"
register(_chrf_plus_plus)


def _chrf_of(name: str, orders: int) -> Metric:
    return Metric(
        name,
        tuple(f"{what}{n}" for n in range(1, orders + 1) for what in ("hyp", "ref", "match")),
        value=_chrf,
        perfect=100,
        formula="100 (1 + 2^2) P R / (2^2 P + R)",
        about="P and R are the means over n of match_n / hyp_n and of match_n / ref_n. "
        "Orders without n-grams on either side are left out of the means.",
    )


def _bleu(sys_len: Floats, ref_len: Floats, *counts: Floats) -> Floats:
    correct, total = counts[:WORDS], counts[WORDS:]
    halves = np.ones_like(sys_len)
    logarithms = np.zeros_like(sys_len)
    for matches, ngrams in zip(correct, total, strict=True):
        missed = matches == 0
        halves = np.where(missed, 2 * halves, halves)
        precision = np.where(missed, 100.0 / (halves * ngrams), 100.0 * matches / ngrams)
        logarithms = logarithms + np.log(precision)
    brevity = np.where(sys_len < ref_len, np.exp(1 - ref_len / sys_len), 1.0)
    nothing = (np.add.reduce(correct) == 0) | (np.minimum.reduce(total) == 0)
    return np.where(nothing, 0.0, brevity * np.exp(logarithms / WORDS))


def _chrf(*counts: Floats, factor: float = 4.0) -> Floats:
    precision = recall = orders = np.zeros_like(counts[0])
    for hyp, ref, match in zip(counts[0::3], counts[1::3], counts[2::3], strict=True):
        there = (hyp > 0) & (ref > 0)
        precision = precision + np.where(there, match / hyp, 0.0)
        recall = recall + np.where(there, match / ref, 0.0)
        orders = orders + there
    precision, recall = precision / orders, recall / orders
    score = (1 + factor) * precision * recall / (factor * precision + recall)
    return np.where((orders > 0) & (precision + recall > 0), 100 * score, 0.0)
