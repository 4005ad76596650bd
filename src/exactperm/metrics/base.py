"""What a metric declares, and what it gives to the rest: values, effects, a question.

A metric is a function of the totals of a few integers per item. Everything a paired-permutation
test has to know of it is in the declaration: which sums, the value of their totals, how two values
are compared exactly, in which sums the value is monotone, and whether more is better.
`rejection_region` turns that and an `Effects` into the lattice and the set of points at least as
extreme as the data, which is all an engine sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from exactperm.effects import Effects
from exactperm.lattice import Lattice
from exactperm.metrics import counts, tails
from exactperm.region import Region, Runs

__all__ = ["Alternative", "Metric", "bounded"]

Alternative = Literal["two-sided", "greater", "less"]
Ratio = Callable[..., "tuple[Any, Any] | list[tuple[Any, Any]]"]


@dataclass(frozen=True)
class Metric:
    """A value of the totals of integer sums per item.

    Parameters
    ----------
    name
        As users write it, ``"f1"``.
    sums
        The names of the k integers that each item has.
    value
        A vectorised function of the k totals (float64 arrays, exact below 2^53). Values within
        1e-12, relative to the observed ones, count as ties. Not needed with `ratio`, `h` or
        `additive`.
    h
        Instead of the difference of two values, a statistic of one's own: a vectorised function of
        A's k totals and then B's. Ties as for `value`. Two-sided then adds up both tails of |h|,
        each as it is.
    ratio
        The value as integers, so that ties are decided exactly: a function of the k totals that
        returns a pair (numerator, denominator), or a list of pairs whose quotients are added up.
        Only ``+``, ``-`` and ``*`` may be used; denominators must not be negative.
    root
        Whether the denominators of `ratio` are under a square root, as in Matthews' correlation.
    additive
        The value is the total of the only sum divided by the number of items.
    antisymmetric
        States that h(A, B) = -h(B, A), so that one tail is the mirror image of the other.
    higher_is_better
        Whether ``alternative="greater"`` (A is better) means a larger value.
    perfect
        The value without any error, before `scale`; None if there is none. The error of a system is how far its value
        is from that.
    increasing
        For each sum in which the value is monotone 1 (it never falls as the sum grows) or -1;
        others are left out.
    gold
        Groups of sums whose total is a property of the gold standard, so that it is the same for
        both systems on every item, as ``("tp", "fn")``.
    within
        Pairs of a part and its whole, as ``("tp", "pred")``: on no item can the part be larger.
    zero_division
        The value of a quotient with denominator zero; None if it has none, which is then an error.
    scale
        The factor by which reports multiply the value, 100 for BLEU.
    forms
        The same metric from other sums.
    formula, about
        For the documentation: the value as TeX or text, and what else should be known.

    Examples
    --------
    >>> mine = Metric("mine", sums=("hits", "cost"), value=lambda hits, cost: hits / (1 + cost))
    >>> effects = mine.effects({"hits": [3, 1], "cost": [0, 1]}, {"hits": [1, 1], "cost": [1, 2]})
    >>> mine.scores(effects)
    (2.0, 0.5, 1.5)
    """

    name: str
    sums: tuple[str, ...]
    value: Callable[..., Any] | None = None
    h: Callable[..., Any] | None = None
    ratio: Ratio | None = field(default=None, kw_only=True)
    root: bool = field(default=False, kw_only=True)
    additive: bool = field(default=False, kw_only=True)
    antisymmetric: bool = field(default=False, kw_only=True)
    higher_is_better: bool = field(default=True, kw_only=True)
    perfect: int | None = field(default=None, kw_only=True)
    increasing: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    gold: tuple[tuple[str, ...], ...] = field(default=(), kw_only=True)
    within: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)
    zero_division: Fraction | None = field(default=Fraction(0), kw_only=True)
    scale: int = field(default=1, kw_only=True)
    forms: tuple[Metric, ...] = field(default=(), kw_only=True)
    formula: str = field(default="", kw_only=True)
    about: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        """Refuse declarations that cannot mean anything."""
        if isinstance(self.sums, str):  # type: ignore[unreachable]
            raise TypeError(f'sums must be a tuple of names; write sums=("{self.sums}",)')
        object.__setattr__(self, "sums", tuple(self.sums))
        if not self.sums or len(set(self.sums)) < len(self.sums):
            raise ValueError(f"sums of metric {self.name!r} must be one or more different names; got {self.sums}")
        given = [self.value is not None, self.h is not None, self.ratio is not None, self.additive]
        if sum(given) != 1:
            raise ValueError(f"metric {self.name!r} needs exactly one of value, h, ratio or additive=True")
        for argument, function in (("value", self.value), ("h", self.h), ("ratio", self.ratio)):
            if function is not None and not callable(function):
                raise TypeError(f"{argument} of metric {self.name!r} must be a function, not {function!r}")
        if self.additive and len(self.sums) != 1:
            raise ValueError(f"an additive metric has one sum; metric {self.name!r} has {', '.join(self.sums)}")
        self._check_shape()

    def _check_shape(self) -> None:
        named = {
            *self.increasing,
            *chain.from_iterable(self.gold),
            *chain.from_iterable(self.within),
        }
        if unknown := sorted(named - set(self.sums)):
            raise ValueError(
                f"increasing, gold or within of metric {self.name!r} name {unknown}, which are no sums of it"
            )
        if not set(self.increasing.values()) <= {1, -1}:
            raise ValueError(f"increasing of metric {self.name!r} takes 1 or -1 for a sum; got {self.increasing}")
        if self.h is not None and self.increasing:
            raise ValueError(f"metric {self.name!r}: increasing is for a value, not for h")

    # -- from data ---------------------------------------------------------------------------------

    def form(self, names: tuple[str, ...]) -> Metric:
        """The form of this metric that takes the sums of these names, in this order."""
        if self.additive and len(names) == 1:
            return self
        for metric in (self, *self.forms):
            if metric.sums == names:
                return metric
        raise ValueError(f"metric {self.name!r} needs the sums {self.accepted}; the data have ({', '.join(names)})")

    @property
    def accepted(self) -> str:
        """The sums it takes, in words."""
        return " or ".join(f"({', '.join(metric.sums)})" for metric in (self, *self.forms))

    def effects(self, a: Any, b: Any, groups: NDArray[Any] | None = None) -> Effects:
        """Check two systems' counts per item and count their effects.

        Parameters
        ----------
        a, b
            A mapping from each sum to one integer per item, or an array (items, k) in the declared
            order.
        groups
            One label per item: the items of a group are swapped together.
        """
        form, first, second = self.read(a, b)
        return Effects.from_sums(first, second, form.sums, groups)

    def read(self, a: Any, b: Any) -> tuple[Metric, NDArray[Any], NDArray[Any]]:
        """Check two systems' counts per item: the form of this metric that takes them, and two arrays (items, k)."""
        form, first = counts.read(a, self, "a")
        other, second = counts.read(b, self, "b")
        if form.sums != other.sums:
            raise ValueError(f"a has the sums ({', '.join(form.sums)}), but b has ({', '.join(other.sums)})")
        counts.check_pair(first, second, form)
        return form, first, second

    # -- from effects ------------------------------------------------------------------------------

    def scores(self, effects: Effects) -> tuple[float | None, float | None, float]:
        """A's value, B's value and the statistic: nearest floats where rational or roots.

        The two values are None if only differences are known, or if the statistic is an own `h`.
        """
        return tails.scores(self.form(effects.names), effects)

    def rejection_region(
        self, effects: Effects, alternative: Alternative = "two-sided"
    ) -> tuple[Lattice, Runs | Region | None]:
        """The lattice of the effects, and its points at least as extreme as the data.

        None instead of a region means every point: p = 1. "greater" means that A is better, which
        for a metric where lower is better is a smaller value.

        Null laws of antisymmetric statistics are symmetric (mathematics.md, section 1), so each
        question is brought to the form P(statistic >= c): the answer for A and B exchanged has the
        same bits. `Lattice.observed` is the mirror image of the data where that is what lies in the
        region.
        """
        return tails.rejection_region(self.form(effects.names), effects, alternative)

    def statistic(self, effects: Effects, lattice: Lattice, points: NDArray[Any]) -> NDArray[np.float64]:
        """The statistic at lattice points (n, r), in the units of `scores`."""
        return tails.statistic(self.form(effects.names), effects, lattice, points)

    def shown(self, totals: Sequence[int]) -> str:
        """Totals in words, ``tp=3, fp=1``."""
        return ", ".join(f"{name}={x}" for name, x in zip(self.sums, totals, strict=True))

    def no_value(self, where: str) -> str:
        """Say that there is no value, and what to do."""
        if self.ratio is not None:
            return f"metric {self.name!r} is 0/0 at {where}; where it takes zero_division, 0 counts that as 0"
        what = "value" if self.h is None else "h"
        return f"{what} of metric {self.name!r} is not a finite number at {where}; return a number there"

    def renamed(self, name: str, **changes: Any) -> Metric:
        """The same declaration under another name, with other fields changed, in all its forms."""
        forms = tuple(replace(form, name=name, **changes) for form in self.forms)
        return replace(self, name=name, forms=forms, **changes)


#: a metric of which more is better, up to 1
bounded = partial(Metric, perfect=1)
