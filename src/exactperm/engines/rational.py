"""The exact answer as a fraction, from a polynomial with integer coefficients.

    p = 2^-n sum_{x in region} [z^x] prod_j (1 + z^{y_j})^{c_j}

In several dimensions the coordinates are packed into one exponent (Kronecker's substitution), so
that the same polynomial serves every rank. With B = (degree + 1)(n + 1) bits of coefficients:

- in Python alone the polynomial is one integer with a field of n + 1 bits a coefficient, and a
  factor 1 + z^y is one shift and one addition: n B / 2 bit operations, 0.02 s at 1,000 effects
  like those of an accuracy, 5 s at 6,000;
- with python-flint, a product tree: O(B log B), 0.15 s at 6,000.

It fails where the effects are large on their lattice: the polynomial is dense, so B must fit.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.util import find_spec
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import CannotAnswer, Engine, Options, Question, Tail
from exactperm.integers import dot
from exactperm.lattice import Lattice
from exactperm.region import Region, Runs

__all__ = ["Rational", "exact_fraction"]

#: bits of all coefficients together: 2^33 are one gigabyte, and some 20 s
MOST_BITS = 2**33
#: seconds that the polynomial may take in Python alone
MOST_SECONDS = 60.0
#: below this many seconds python-flint is not worth loading
SHORT = 0.02
#: an amount of work that floats can hold and nobody waits for
ENDLESS = 10**30


class Rational(Engine):
    """Multiply out the generating polynomial in exact integers."""

    name = "rational"
    exact = True

    def obstacle(self, question: Question) -> str | None:
        """Too many bits of coefficients, or too much work for Python alone."""
        if question.lattice.rounding:
            return "the effects are rounded real numbers, and this engine counts integers; use method='bracket'"
        box = _Box.of(question.lattice)
        if box.bits > MOST_BITS:
            return (
                f"the exact fraction needs up to 2^{box.coefficients.bit_length()} coefficients of "
                f"{box.n + 1} bits each, and the limit is {MOST_BITS} bits together; "
                "for few effects of any size use method='meet-in-the-middle', else method='fourier'"
            )
        if box.seconds_alone > MOST_SECONDS and not _has_flint():
            return (
                f"the exact fraction would take about {box.seconds_alone:.0f} s in Python alone; "
                "pip install 'exactperm[exact]' (python-flint), or use method='fourier'"
            )
        return None

    def cost(self, question: Question) -> float:
        """The polynomial, and its coefficients one by one."""
        box = _Box.of(question.lattice)
        bits = min(box.bits, ENDLESS)
        product = 1e-3 + 2.5e-9 * bits if box.needs_flint else box.seconds_alone
        return 2e-5 + product + 3e-7 * min(box.coefficients, ENDLESS)

    def answer(self, question: Question) -> Tail:
        """Round the exact fraction outward."""
        return Tail.from_fraction(_fraction(question))


def exact_fraction(lattice: Lattice, region: Runs | Region) -> Fraction:
    """P(X in region) as a fraction; raises `CannotAnswer` where the polynomial is too large.

    Examples
    --------
    >>> from exactperm.effects import Effects
    >>> lattice = Lattice.of(Effects.from_counts({1: 2, 3: 1}))
    >>> exact_fraction(lattice, Runs(((4, 5),)))
    Fraction(3, 8)
    """
    question = Question(lattice, region, Options())
    from exactperm.engines.meet_in_the_middle import MeetInTheMiddle

    rational, counting = Rational(), MeetInTheMiddle()
    obstacle = rational.obstacle(question)
    # a few effects of any size: the polynomial is long and empty, or does not fit, but they can be counted
    if counting.obstacle(question) is None and (obstacle or counting.cost(question) < rational.cost(question)):
        fraction = counting.answer(question).fraction
        if fraction is not None:
            return fraction
    if obstacle is not None:
        raise CannotAnswer(obstacle)
    return _fraction(question)


def _fraction(question: Question) -> Fraction:
    return Fraction(count_assignments(question), 2**question.lattice.n)


def count_assignments(question: Question) -> int:
    """How many of the 2^n assignments give a point of the region."""
    lattice, region = question.lattice, question.region
    box = _Box.of(lattice)
    coefficients, lowest = _multiply_out(lattice, box)
    if isinstance(region, Runs):
        # rank zero or one: the exponent is the point
        runs = ((low - lowest, high - lowest) for low, high in region.intervals)
        parts = (coefficients[max(low, 0) : max(high + 1, 0)] for low, high in runs)
        count = sum(int(sum(part)) for part in parts)
    else:
        support = np.array([k for k, c in enumerate(coefficients) if c != 0], dtype=np.int64)
        inside = support[region.contains(box.points(support + lowest))]
        count = int(sum(coefficients[k] for k in inside.tolist()))
    return 2 * count if region.mirrored else count


@dataclass(frozen=True)
class _Box:
    """A box that holds every point, numbered with the last coordinate fastest.

    Attributes
    ----------
    lows, sizes
        Its lowest corner and its sides.
    n
        The number of coins.
    """

    lows: tuple[int, ...]
    sizes: tuple[int, ...]
    n: int

    @classmethod
    def of(cls, lattice: Lattice) -> _Box:
        """From the sums of the negative and of the positive steps in each coordinate."""
        columns, counts = lattice.steps.T, lattice.counts
        lows = tuple(dot(np.minimum(column, 0), counts) for column in columns)
        highs = tuple(dot(np.maximum(column, 0), counts) for column in columns)
        sizes = tuple(high - low + 1 for low, high in zip(lows, highs, strict=True))
        return cls(lows, sizes, lattice.n)

    @property
    def coefficients(self) -> int:
        """A bound on their number."""
        return math.prod(self.sizes)

    @property
    def bits(self) -> int:
        """A bound on all coefficients together: none exceeds 2^n."""
        return self.coefficients * (self.n + 1)

    @property
    def seconds_alone(self) -> float:
        """Shift and add n times a number that grows to all the bits."""
        return 1.5e-11 * min(self.n * self.bits, ENDLESS)

    @property
    def needs_flint(self) -> bool:
        """Whether python-flint is there and worth loading."""
        return self.seconds_alone > SHORT and _has_flint()

    def key(self, step: Iterable[int]) -> int:
        """The exponent of a step: its coordinates as digits, negative ones included."""
        key = 0
        for x, size in zip(step, self.sizes, strict=True):
            key = key * size + x
        return key

    def points(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The points, one a row, that have these exponents."""
        rest = keys - self.key(self.lows)
        points = np.empty((keys.size, len(self.sizes)), dtype=np.int64)
        for i in range(len(self.sizes) - 1, -1, -1):
            rest, points[:, i] = np.divmod(rest, self.sizes[i])
        return points + np.array(self.lows, dtype=np.int64)


def _multiply_out(lattice: Lattice, box: _Box) -> tuple[list[Any], int]:
    """The coefficients of the product, and the exponent of its lowest term."""
    keys = [box.key(step) for step in lattice.steps.tolist()]
    counts = lattice.counts.tolist()
    # 1 + z^-k = z^-k (1 + z^k)
    lowest = sum(min(key, 0) * c for key, c in zip(keys, counts, strict=True))
    factors = sorted((abs(key), c) for key, c in zip(keys, counts, strict=True))
    return (_product_tree if box.needs_flint else _shift_and_add)(factors), lowest


def _shift_and_add(factors: list[tuple[int, int]]) -> list[Any]:
    """Evaluate the product at z = 2^(8 width): coefficients are at most 2^n, so that they fit."""
    width = sum(count for _, count in factors) // 8 + 1
    product = 1
    for exponent, count in factors:
        for _ in range(count):
            product += product << (8 * width * exponent)
    fields = product.to_bytes((product.bit_length() + 7) // 8, "little")
    return [int.from_bytes(fields[i : i + width], "little") for i in range(0, len(fields), width)]


def _product_tree(factors: list[tuple[int, int]]) -> list[Any]:
    """Multiply polynomials over the integers in python-flint, always the two smallest."""
    from flint import fmpz_poly

    products = [fmpz_poly([1])]
    products += [fmpz_poly(_binomial_power(exponent, count)) for exponent, count in factors]
    products.sort(key=len)
    while len(products) > 1:
        insort(products, products.pop(0) * products.pop(0), key=len)
    coefficients: list[Any] = products[0].coeffs()
    return coefficients


def _binomial_power(exponent: int, count: int) -> list[int]:
    """The coefficients of (1 + z^exponent)^count."""
    coefficients = [0] * (exponent * count + 1)
    coefficients[::exponent] = binomials(count)
    return coefficients


def binomials(n: int) -> list[int]:
    """All C(n, k) for k from 0 to n."""
    return list(accumulate(range(n), lambda b, k: b * (n - k) // (k + 1), initial=1))


@cache
def _has_flint() -> bool:
    spec = find_spec("flint")
    return spec is not None and spec.origin is not None  # not merely a folder of that name
