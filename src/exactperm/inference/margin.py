"""Non-inferiority and equivalence: the exact test of the data moved by a margin.

The model is that of the interval by inversion (see `inversion`): on every item A is ahead of B by delta, apart from an
exchange of the two by a fair coin. Group g of m_g items with difference d_g then has the effect d_g - m_g delta. With a
margin M > 0, in units of the statistic and written for metrics where more is better:

===============  =============  ===================  ===========================================================
alternative      test of        null hypothesis      p-value, e_g fair signs
===============  =============  ===================  ===========================================================
``greater``      no worse       delta <= -M          P(sum e_g (d_g + m_g M) >= sum (d_g + m_g M))
``less``         no better      delta >= M           P(sum e_g (d_g - m_g M) <= sum (d_g - m_g M))
``two-sided``    equivalence    either of both       the larger of both
===============  =============  ===================  ===========================================================

The first never falls as delta grows, so that of the whole null hypothesis its border has the largest p-value; the
second is its mirror image. The null hypothesis of the third is the union of both, and is rejected where both are: no
correction is needed (Berger 1982, theorem 1; two one-sided tests, Schuirmann 1987).

So at level alpha A is no worse if and only if the low end of the one-sided interval of level 1 - alpha lies above -M,
and both are equivalent if and only if the two-sided interval of level 1 - 2 alpha lies between -M and M.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactperm.grid import as_written
from exactperm.metrics.tails import looks_up

if TYPE_CHECKING:
    from exactperm.effects import Effects
    from exactperm.inference.shifted import Differences
    from exactperm.result import Problem

__all__ = ["as_margin", "as_text", "sides"]


def as_margin(margin: Any, alternative: str) -> Fraction | None:
    """The margin as it was written; None for none, which zero is to a one-sided test."""
    if margin is None:
        return None
    exact = as_written(margin)
    if exact is None or exact < 0:
        raise ValueError(
            f"margin must be a positive number in units of the statistic, such as 0.5 or '1/3', whatever the "
            f"alternative; got {margin!r}"
        )
    if exact == 0 and alternative == "two-sided":
        raise ValueError(
            'margin=0 with alternative="two-sided" asks whether A and B are equal, which no data can show; give a '
            "positive margin, or leave it out to test for a difference"
        )
    return exact or None


def as_text(margin: Fraction) -> str:
    """A decimal if it is one of up to twelve digits, ``0.5``, else the fraction, so that nothing is lost."""
    decimal = f"{float(margin):.12g}"
    return decimal if Fraction(decimal) == margin else str(margin)


def sides(problem: Problem) -> list[tuple[str, Effects]]:
    """The one-sided tests to be made: the alternative of each, and the effects under the border of its null."""
    from exactperm.inference.shifted import Differences

    form = problem.metric.form(problem.effects.names)
    if not form.additive:
        raise ValueError(
            f"margin is for means, as a shift moves nothing else item by item; for metric {form.name!r} leave it out "
            "and see on which side of the margin the interval of the difference lies, BCa at level 0.9"
        )
    law = Differences.of(problem, "a margin")
    both = ("greater", "less") if problem.alternative == "two-sided" else (problem.alternative,)
    return [(side, _moved(problem, law, side)) for side in both]


def _moved(problem: Problem, law: Differences, side: str) -> Effects:
    """The effects with every item of A moved by the margin, to where A is better for "greater"."""
    upwards = looks_up(side, problem.metric.higher_is_better)
    shift = (-1 if upwards else 1) * (problem.margin or 0) / (law.unit * problem.metric.scale)
    items = problem.effects.n_items
    unit = law.unit * Fraction(items, law.size or 1) / shift.denominator
    return replace(law.effects(shift), n_items=items, unit=unit or Fraction(1))
