"""The waist: all that a paired-permutation test needs to know of the data.

Write stay_n for the sums of item n as they are and swap_n for the sums with the two systems exchanged. Under the
null each exchange is decided by a fair coin, and with d_n = stay_n - swap_n

    2 S = sum_n (stay_n + swap_n) + sum_n e_n d_n,        e_n = +1 or -1, fair and independent,

so the null law of S depends only on the totals and on the multiset of the effects {+-d_n}: pairs with d_n = 0 drop
out, d and -d are one effect, and equal effects become one value with a count (Zmigrod, Vieira and Cotterell 2022,
section 3). An `Effects` is that multiset. Two of them add up to the `Effects` of the united data, so chunks of a
file, shards and days are sources of `Effects` and nothing after this point ever sees the number of items.

All arithmetic is in integers: int64 where it provably fits, Python integers where it does not.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from numbers import Rational
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.counting import BLOCK, canonical, count_rows, count_scores, count_tests, sum_groups
from exactperm.integers import NARROW, Integers, as_narrow, dot, integer_array, largest, subtract, total, whole

__all__ = ["Effects"]


@dataclass(frozen=True, eq=False)
class Effects:
    """Distinct effects of a paired comparison with their counts.

    Build one with `from_scores`, `from_sums`, `from_counts`; add two with ``+``.

    Attributes
    ----------
    names
        The name of each of the k sums.
    values
        (D, k) distinct effects in increasing lexicographic order, none zero, the first coordinate that is not zero
        positive. int64 where they fit, else Python integers.
    n_plus, n_minus
        (D,) int64: how many groups have the effect with this sign, and how many with the opposite sign.
    n_tied
        Groups whose effect is zero.
    n_items
        Items before grouping.
    totals_a
        System A's observed totals, k Python integers; None if only differences were given.
    unit
        The value of one integer step: scores are integers times this fraction.
    rounding
        Zero, or for real scores that no grid holds a bound on what all effects together lost when they were
        rounded to integers, in units. Only engines that account for it may answer.
    """

    names: tuple[str, ...]
    values: Integers
    n_plus: NDArray[np.int64]
    n_minus: NDArray[np.int64]
    n_tied: int
    n_items: int
    totals_a: tuple[int, ...] | None
    unit: Fraction = Fraction(1)
    rounding: int = 0

    @classmethod
    def from_scores(cls, a: Integers, b: Integers, groups: NDArray[Any] | None = None) -> Effects:
        """Count the effects of two systems' integer scores on the same items.

        Parameters
        ----------
        a, b
            One integer or boolean per item, any integer type; Python integers of any size in an object array.
        groups
            One label per item: the items of a group are swapped together.

        Examples
        --------
        >>> import numpy as np
        >>> Effects.from_scores(np.array([3, 1, 2, 5]), np.array([1, 3, 2, 2]))
        Effects(score: 4 items, 1 tied, 2 distinct effects)
        """
        a, b = integer_array(a, "a"), integer_array(b, "b")
        if a.ndim != 1 or a.shape != b.shape:
            raise ValueError(f"a and b need one score per item each; got shapes {a.shape} and {b.shape}")
        if groups is not None:
            return cls.from_sums(a[:, None], b[:, None], ("score",), groups)
        sizes = largest(a), largest(b)
        if max(sizes) >= NARROW:
            return cls.from_sums(a[:, None], b[:, None], ("score",))
        table, total_a = count_scores(a, b, sizes)
        return cls(("score",), *table, a.size, (total_a,))

    @classmethod
    def from_score_rows(cls, a: Integers, b: Integers) -> list[Effects]:
        """Count the effects of many comparisons of the same size at once: a and b have shape (comparisons, items)."""
        a, b = integer_array(a, "a"), integer_array(b, "b")
        sizes = largest(a), largest(b)
        if max(sizes) >= NARROW:
            return [cls.from_scores(x, y) for x, y in zip(a, b, strict=True)]
        at_once = max(1, 4 * BLOCK // max(a.shape[1], 1))
        parts = (slice(i, i + at_once) for i in range(0, len(a), at_once))
        counted = (found for part in parts for found in count_tests(a[part], b[part], sizes))
        return [cls(("score",), *table, a.shape[1], (total_a,)) for table, total_a in counted]

    @classmethod
    def from_sums(
        cls,
        a: Integers,
        b: Integers,
        names: tuple[str, ...],
        groups: NDArray[Any] | None = None,
    ) -> Effects:
        """Count the effects of k integer sums per item: a and b have shape (items, k)."""
        a, b = integer_array(a, "a"), integer_array(b, "b")
        if a.ndim != 2 or a.shape != b.shape or a.shape[1] != len(names):
            raise ValueError(
                f"a and b need shape (items, {len(names)}) for the sums {', '.join(names)}; got {a.shape} and {b.shape}"
            )
        n_items, n_sums = a.shape
        differences = subtract(a, b)
        if groups is not None:
            differences = sum_groups(differences, groups)
        totals = tuple(total(a[:, i]) for i in range(n_sums))
        return cls(names, *count_rows(differences), n_items, totals)

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[Any, int],
        *,
        totals_a: Any = None,
        totals_b: Any = None,
        names: tuple[str, ...] | None = None,
        n_items: int | None = None,
        unit: Fraction = Fraction(1),
    ) -> Effects:
        """Build from a table: signed effect (a - b, an integer or a tuple of them) to its number of groups.

        Parameters
        ----------
        counts
            For example the result of a query, ``{-1: 310, 0: 9000, 2: 475}``.
        totals_a, totals_b
            The totals of A, of B, or both; needed by metrics that are ratios and for `TestResult.scores`.
        names
            The names of the sums, ``("score",)`` for one.
        n_items
            The number of items if they were summed by group first; else each count is an item.
        unit
            The value of one integer step.

        Examples
        --------
        >>> Effects.from_counts({-1: 310, 0: 9000, 2: 475})
        Effects(score: 9785 items, 9000 tied, 2 distinct effects)
        """
        if not isinstance(counts, Mapping):
            raise TypeError(f"counts must be a mapping from effects to numbers of items, not {type(counts).__name__}")
        keys = [key if isinstance(key, tuple) else (key,) for key in counts]
        n_sums = len(keys[0]) if keys else len(names or ("score",))
        names = names or (("score",) if n_sums == 1 else tuple(f"sum{i + 1}" for i in range(n_sums)))
        if any(len(key) != len(names) for key in keys):
            raise ValueError(f"every effect in counts needs {len(names)} integers for {', '.join(names)}")
        signed = np.empty((len(keys), len(names)), dtype=object)
        for i, key in enumerate(keys):
            signed[i] = [whole(x, "an effect in counts") for x in key]
        number = _numbers(counts.values())
        difference = [dot(signed[:, i], number) for i in range(len(names))]
        totals = _agree(_totals(totals_a, names), _totals(totals_b, names), difference)
        groups = int(number.sum())
        items = groups if n_items is None else whole(n_items, "n_items")
        if items < groups:
            raise ValueError(f"n_items={items} is less than the {groups} groups that counts adds up to")
        return cls(names, *canonical(signed, number), items, totals, _unit(unit))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        a: str | Mapping[str, str],
        b: str | Mapping[str, str],
        group: str | None = None,
        weight: str | None = None,
        nan_policy: str = "raise",
        grid: Any = "auto",
    ) -> Effects:
        """Count where the data are: a data frame or a lazy query of any library, of any size.

        Parameters
        ----------
        frame
            Of pandas, polars (eager or lazy), pyarrow, DuckDB, Dask, Spark or Ibis. Filters are left to its own query.
        a, b
            The column of each system; or for each a mapping from the sums of a metric to columns,
            ``{"tp": "tp_a", "fp": "fp_a", "fn": "fn_a"}``.
        group
            A column that names the group of each row: its rows are swapped together.
        weight
            A column of integers by which the numbers of a row are multiplied. A row of weight 3 stands for three equal
            items that are swapped together.
        nan_policy
            "raise", or "omit" to drop rows with a missing value.
        grid
            For floats: "auto" finds up to 9 decimals, a number is the unit of which all are multiples.

        Examples
        --------
        >>> import pandas as pd
        >>> scores = pd.DataFrame({"x": [3, 1, 2, 5], "y": [1, 3, 2, 2], "doc": [1, 1, 2, 3]})
        >>> Effects.from_frame(scores, a="x", b="y", group="doc")
        Effects(score: 4 items in 3 groups, 2 tied, 1 distinct effects)
        """
        from exactperm.sources.frames import effects_of_frame

        return effects_of_frame(frame, a, b, group=group, weight=weight, nan_policy=nan_policy, grid=grid)

    def save(self, path: str | Path) -> None:
        """Write these counts to a small JSON file, which `load` reads: rows stay where they are."""
        from exactperm.effects_file import save

        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Effects:
        """Read what `save` wrote."""
        from exactperm.effects_file import load

        return load(path)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(D,) how many groups have each effect, whatever its sign."""
        return self.n_plus + self.n_minus

    @cached_property
    def n_groups(self) -> int:
        """The number of units that are swapped: items, or groups of items."""
        return int(np.add.reduce(self.counts)) + self.n_tied

    @cached_property
    def difference(self) -> tuple[int, ...]:
        """The totals of A minus those of B."""
        net = self.n_plus - self.n_minus
        return tuple(dot(self.values[:, i], net) for i in range(self.values.shape[1]))

    @property
    def totals_b(self) -> tuple[int, ...] | None:
        """System B's observed totals."""
        if self.totals_a is None:
            return None
        return tuple(a - d for a, d in zip(self.totals_a, self.difference, strict=True))

    def __add__(self, other: Effects) -> Effects:
        """The effects of both data sets together; exact as long as no group is split between them."""
        if not isinstance(other, Effects):
            return NotImplemented
        if self.names != other.names:
            raise ValueError(
                f"cannot add effects of different sums: {', '.join(self.names)} and {', '.join(other.names)}"
            )
        if self.n_groups + other.n_groups >= NARROW:
            raise ValueError(f"{self.n_groups + other.n_groups} groups are too many; fewer than 2^62 can be counted")
        left, right = self._in_common_unit(other), other._in_common_unit(self)
        totals = None
        if left.totals_a is not None and right.totals_a is not None:
            totals = tuple(map(operator.add, left.totals_a, right.totals_a))
        table = canonical(
            np.concatenate([left.values, right.values]),
            np.concatenate([left.n_plus, right.n_plus]),
            np.concatenate([left.n_minus, right.n_minus]),
        )
        tied = table.n_tied + left.n_tied + right.n_tied
        items, rounding = left.n_items + right.n_items, left.rounding + right.rounding
        return Effects(self.names, *table._replace(n_tied=tied), items, totals, left.unit, rounding)

    def __radd__(self, other: object) -> Effects:
        """Let `sum` add up the effects of parts: it begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _in_common_unit(self, other: Effects) -> Effects:
        """These effects in the largest unit of which both units are multiples."""
        if self.unit == other.unit:
            return self
        denominator = math.lcm(self.unit.denominator, other.unit.denominator)
        mine = self.unit.numerator * (denominator // self.unit.denominator)
        theirs = other.unit.numerator * (denominator // other.unit.denominator)
        common = math.gcd(mine, theirs)
        factor = mine // common
        totals = self.totals_a
        return replace(
            self,
            values=as_narrow(self.values.astype(object) * factor),
            totals_a=None if totals is None else tuple(x * factor for x in totals),
            unit=Fraction(common, denominator),
            rounding=self.rounding * factor,
        )

    def exchanged(self) -> Effects:
        """The same comparison with A and B exchanged."""
        return replace(self, n_plus=self.n_minus, n_minus=self.n_plus, totals_a=self.totals_b)

    def __eq__(self, other: object) -> bool:
        """Equal if they describe the same data, whatever the order they came in."""
        if not isinstance(other, Effects):
            return NotImplemented
        return (
            (self.names, self.n_tied, self.n_items, self.totals_a, self.unit, self.rounding)
            == (other.names, other.n_tied, other.n_items, other.totals_a, other.unit, other.rounding)
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.n_plus, other.n_plus)
            and np.array_equal(self.n_minus, other.n_minus)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    def __repr__(self) -> str:
        """One line: the sums, the sizes."""
        groups = "" if self.n_groups == self.n_items else f" in {self.n_groups} groups"
        return (
            f"Effects({', '.join(self.names)}: {self.n_items} items{groups}, {self.n_tied} tied, "
            f"{len(self.values)} distinct effects)"
        )


# -- what a table of counts may hold ---------------------------------------------------------------------------


def _numbers(counts: Iterable[Any]) -> NDArray[np.int64]:
    """Numbers of items, none negative, that int64 can add up."""
    numbers = [whole(n, "a number of items in counts") for n in counts]
    if min(numbers, default=0) < 0:
        raise ValueError(f"a number of items in counts is negative: {min(numbers)}")
    if sum(numbers) >= NARROW:
        raise ValueError(f"counts adds up to {sum(numbers)} items; fewer than 2^62 can be counted")
    return np.array(numbers, dtype=np.int64)


def _unit(unit: Any) -> Fraction:
    if not isinstance(unit, Rational):
        raise TypeError(f"unit must be an integer or a Fraction, not {unit!r}; write Fraction('{unit}')")
    if unit <= 0:
        raise ValueError(f"unit must be positive, not {unit}")
    return Fraction(unit)


def _totals(totals: Any, names: tuple[str, ...]) -> tuple[int, ...] | None:
    if totals is None:
        return None
    values = tuple(totals) if isinstance(totals, (tuple, list, np.ndarray)) else (totals,)
    if len(values) != len(names):
        raise ValueError(f"totals need {len(names)} integers for {', '.join(names)}; got {len(values)}")
    return tuple(whole(x, "a total") for x in values)


def _agree(a: tuple[int, ...] | None, b: tuple[int, ...] | None, difference: list[int]) -> tuple[int, ...] | None:
    """A's totals from those given, which must differ by what the counts say."""
    from_b = None if b is None else tuple(x + d for x, d in zip(b, difference, strict=True))
    if a is not None and from_b is not None and a != from_b:
        raise ValueError(f"totals_a - totals_b is not the difference {difference} that the counts add up to")
    return a if a is not None else from_b
