"""Error rates of texts: edits of a whole corpus by the length of its references; lower is better.

The rate of a corpus is not the mean of the rates of its sentences. With R references per text the
edits and the lengths of all references are both counted R times and once, so that the mean length
stays an integer.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactperm.metrics.base import Metric
from exactperm.metrics.registry import register

__all__: list[str] = []


@register
def wer() -> Metric:
    """Word error rate."""
    return _rate("wer", "Substituted, deleted and inserted words per word of the references.")


@register
def cer() -> Metric:
    """Character error rate."""
    return _rate("cer", "Substituted, deleted and inserted characters per character of the references.")


@register
def ter() -> Metric:
    """Translation edit rate, in percent."""
    about = "Edits with shifts of blocks per word of the mean reference, as sacrebleu counts them."
    return _rate("ter", about, scale=100, zero_division=Fraction(0))


def _rate(name: str, about: str, scale: int = 1, zero_division: Fraction | None = None) -> Metric:
    return Metric(
        name,
        ("errors", "ref_length"),
        ratio=_quotient,
        increasing={"errors": 1},
        gold=(("ref_length",),),
        higher_is_better=False,
        perfect=0,
        zero_division=zero_division,
        scale=scale,
        formula="errors / ref_length",
        about=about,
    )


def _quotient(errors: Any, length: Any) -> tuple[Any, Any]:
    return errors, length
