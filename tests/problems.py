"""Problems in one dimension with their exact answers, each tagged with what is hard about it.

A problem is a table of signed effects, as `Effects.from_counts` takes it. Its answer is a fraction, found here in
integers without the package: the polynomial prod (1 + z^v)^c, multiplied out by python-flint; an enumeration of every
assignment; or, for one effect that occurs up to 10^9 times and a few others, binomial tails in ball arithmetic.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, product

import flint
import numpy as np

from exactperm.effects import Effects

#: bits of ball arithmetic: far more than any comparison with a double needs
BITS = 320
ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class Problem:
    """Signed effects with their numbers of items."""

    name: str
    tags: frozenset[str]
    counts: dict[int, int]

    @cached_property
    def effects(self) -> Effects:
        return Effects.from_counts(self.counts)

    @property
    def n(self) -> int:
        """Effects that are not zero."""
        return sum(number for effect, number in self.counts.items() if effect)

    @property
    def difference(self) -> int:
        return sum(effect * number for effect, number in self.counts.items())

    @cached_property
    def law(self) -> Law:
        return Law.of(self.counts)

    def exact(self, alternative: str = "two-sided") -> Fraction:
        """The p-value as defined: ties count as extreme."""
        law, d = self.law, self.difference
        if alternative == "greater":
            return law.probability([(law.point(d), law.span)])
        if alternative == "less":
            return law.probability([(0, law.point(d))])
        return min(Fraction(1), 2 * law.probability([(law.point(abs(d)), law.span)]))


@dataclass(frozen=True)
class Law:
    """The law of X = sum of fair coins times |effect| / unit: how many of the 2^n assignments give each point."""

    ways: Sequence[int]
    unit: int
    n: int

    @classmethod
    def of(cls, counts: dict[int, int]) -> Law:
        return _law(tuple(sorted(magnitudes(counts).items())))

    @property
    def span(self) -> int:
        return len(self.ways) - 1

    def point(self, difference: int) -> int:
        """Where the sum of e_n |d_n| = difference lies."""
        return (difference + self.span * self.unit) // (2 * self.unit)

    @cached_property
    def below(self) -> list[int]:
        """How many assignments give less than each point."""
        return list(accumulate(self.ways, initial=0))

    def probability(self, intervals: Sequence[tuple[int, int]]) -> Fraction:
        ends = [(max(low, 0), min(high, self.span) + 1) for low, high in intervals]
        number = sum(int(self.below[high] - self.below[low]) for low, high in ends if low < high)
        return Fraction(number, 2**self.n)


@lru_cache(maxsize=2)
def _law(sizes: tuple[tuple[int, int], ...]) -> Law:
    """Problems that differ in their signs alone share it."""
    unit = math.gcd(*(v for v, _ in sizes)) or 1
    return Law(multiply_out({v // unit: c for v, c in sizes}), unit, sum(c for _, c in sizes))


def magnitudes(counts: dict[int, int]) -> dict[int, int]:
    """How often each effect occurs, whatever its sign; zero left out."""
    sizes: Counter[int] = Counter()
    for effect, number in counts.items():
        if effect and number:
            sizes[abs(effect)] += number
    return dict(sizes)


def multiply_out(sizes: dict[int, int]) -> list[int]:
    """The coefficients of prod (1 + z^v)^c."""
    factors = [flint.fmpz_poly([1])]
    for v, c in sizes.items():
        row = [0] * (v * c + 1)
        row[::v] = list(accumulate(range(c), lambda b, k, c=c: b * (c - k) // (k + 1), initial=1))
        factors.append(flint.fmpz_poly(row))
    while len(factors) > 1:
        factors.sort(key=len, reverse=True)
        factors.append(factors.pop() * factors.pop())
    return list(factors[0].coeffs())


def enumerate_ways(counts: dict[int, int]) -> Counter[int]:
    """How many of the 2^n assignments give each difference, one assignment at a time."""
    effects = [abs(effect) for effect, number in counts.items() if effect for _ in range(number)]
    signs = product((1, -1), repeat=len(effects))
    return Counter(sum(s * e for s, e in zip(sign, effects, strict=True)) for sign in signs)


# -- ball arithmetic -------------------------------------------------------------------------------------------


def log_ball(probability: Fraction) -> flint.arb:
    """The natural logarithm of a fraction as a ball of 320 bits."""
    with flint.ctx.workprec(BITS):
        if probability > Fraction(1, 2):  # the distance from one is what its digits say
            rest = probability - 1
            return flint.arb(flint.fmpq(rest.numerator, rest.denominator)).log1p()
        return flint.arb(flint.fmpq(probability.numerator, probability.denominator)).log()


def log_tail_of_many_equal(number: int, effect: int, others: dict[int, int], a: int) -> flint.arb:
    """log P(X >= a) as a ball, X the sum of `number` coins worth `effect` and of some others."""
    with flint.ctx.workprec(BITS):
        total = flint.arb(0)
        for x, ways in enumerate(multiply_out(others)):
            if ways:
                total += flint.arb(ways) * binomial_tail(number, -(-(a - x) // effect))
        return total.log() - sum(others.values()) * flint.arb(2).log()


def binomial_tail(n: int, a: int) -> flint.arb:
    """P(Binomial(n, 1/2) >= a) as a ball: the first term by the gamma function, the others by their ratios."""
    if a <= 0:
        return flint.arb(1)
    if a > n:
        return flint.arb(0)
    if 2 * a <= n:
        return 1 - binomial_tail(n, n - a + 1)
    one = flint.arb(1)
    first = ((one * (n + 1)).lgamma() - (one * (a + 1)).lgamma() - (one * (n - a + 1)).lgamma()).exp()
    first *= flint.arb(2) ** (-n)
    # terms in units of 2^-BITS of the first; each step rounds down by less than a unit, which later ratios < 1 keep
    scale = 1 << BITS
    term, total, k = scale, 0, a
    while term:
        total, term, k = total + term, term * (n - k) // (k + 1), k + 1
    # a term lost less than its index times a unit; what follows the last is under (number of terms) / (1 - ratio)
    steps = k - a
    lost = steps * (steps + 1) + (n - a + 1)
    return first * flint.arb(total + lost // 2, lost) / scale


# -- the table -------------------------------------------------------------------------------------------------

RNG = np.random.Generator


def _signed(rng: RNG, sizes: dict[int, int]) -> dict[int, int]:
    """Give effects signs, at random with a bias that spreads p-values from 1 to the smallest possible."""
    bias = 1.0 if rng.random() < 0.04 else 0.5 + 0.5 * rng.beta(0.6, 2.0)
    counts: dict[int, int] = {}
    for v, c in sizes.items():
        plus = int(rng.binomial(c, bias))
        if rng.random() < 0.1:  # one effect against the others
            plus = c - plus
        counts[v], counts[-v] = plus, c - plus
    return counts


def _draw(rng: RNG, values: np.ndarray, size: int) -> dict[int, int]:
    return dict(Counter(rng.choice(values, size).tolist()))


def _few(rng: RNG) -> dict[int, int]:
    return _draw(rng, np.arange(1, 30), int(rng.integers(1, 13)))


def _all_equal(rng: RNG) -> dict[int, int]:
    return {int(rng.integers(1, 10**9)): int(rng.integers(1, 3000))}


def _paper_like(rng: RNG) -> dict[int, int]:
    size = int(10 ** rng.uniform(1, 3.2))
    return dict(Counter((1 + rng.geometric(0.35, size) % 20).tolist()))


def _one_dominating(rng: RNG) -> dict[int, int]:
    ones = int(rng.integers(5, 400))
    return {1: ones, int(rng.integers(2, 40) * ones // 4 + 2): 1}


def _two_dominating(rng: RNG) -> dict[int, int]:
    small = _draw(rng, np.arange(1, 4), int(rng.integers(20, 200)))
    large = int(rng.integers(500, 5000))
    return small | {large: 1, large + int(rng.integers(1, 50)): 1}


def _resonant(rng: RNG) -> dict[int, int]:
    m = int(rng.choice([2, 3, 4, 5, 6, 7, 10, 12, 25]))
    most = _draw(rng, m * np.arange(1, 8), int(rng.integers(50, 800)))
    few = _draw(rng, np.arange(1, 4 * m), int(rng.integers(1, 8)))
    return dict(Counter(most) + Counter(few))


def _heavy_tails(rng: RNG) -> dict[int, int]:
    draws = np.minimum(rng.pareto(rng.uniform(0.6, 2.0), int(rng.integers(20, 600))) + 1, 3000)
    return dict(Counter(draws.astype(int).tolist()))


def _geometric(rng: RNG) -> dict[int, int]:
    base = int(rng.choice([2, 3, 4, 10]))
    top = int(rng.integers(2, int(math.log(4000, base)) + 1))
    return {base**i: int(rng.integers(1, 6)) for i in range(top + 1)}


def _ranks(rng: RNG) -> dict[int, int]:
    return dict.fromkeys(range(1, int(rng.integers(2, 200))), 1)


def _parity(rng: RNG) -> dict[int, int]:
    return _draw(rng, np.arange(2, 30, 2), int(rng.integers(20, 400))) | {int(rng.integers(0, 20)) * 2 + 1: 1}


def _far(rng: RNG) -> dict[int, int]:
    return _draw(rng, np.arange(1, 8), int(rng.integers(400, 1000)))


def _two_scales(rng: RNG) -> dict[int, int]:
    ones = int(rng.integers(10, 300))
    return {1: ones, int(rng.integers(ones // 2, 3 * ones)) + 1: int(rng.integers(2, 60))}


Family = Callable[[RNG], dict[int, int]]

FAMILIES: dict[str, Family] = {
    "few items": _few,
    "all equal": _all_equal,
    "paper-like": _paper_like,
    "one dominating effect": _one_dominating,
    "two dominating effects": _two_dominating,
    "multiples but a few": _resonant,
    "heavy tails": _heavy_tails,
    "geometric progression": _geometric,
    "signed ranks": _ranks,
    "one odd effect": _parity,
    "far tail": _far,
    "two scales": _two_scales,
}


def random_problem(family: str, seed: int) -> Problem:
    """One problem of a family."""
    rng = np.random.default_rng([seed, *family.encode()])
    counts = _signed(rng, FAMILIES[family](rng))
    if family == "far tail":  # nearly all one way, as if A were far better
        counts = {v: c if v > 0 else c // 30 for v, c in counts.items()}
    return Problem(f"{family} {seed}", frozenset({family}), counts)


def random_problems(number: int, seed: int = 0) -> Iterator[Problem]:
    """So many problems, the families in turn."""
    names = list(FAMILIES)
    for i in range(number):
        yield random_problem(names[i % len(names)], 10**6 * seed + i // len(names))


def many_items(n: int, seed: int) -> Iterator[Problem]:
    """Problems with about n items whose polynomial is still small: few small effects."""
    rng = np.random.default_rng([seed, n])
    tables = {
        "paper-like": dict(Counter(rng.geometric(0.6, n).tolist())),
        "multiples but a few": {3: n - 7, 6: 4, 1: 2, 2: 1},
        "one dominating effect": {1: n - 1, 3 * n // 2: 1},
    }
    for family, sizes in tables.items():
        for share in (0.5, 0.51, 0.56, 0.75):
            counts = {}
            for v, c in sizes.items():
                plus = int(rng.binomial(c, share))
                counts[v], counts[-v] = plus, c - plus
            yield Problem(f"{family}, {n} items, {share}", frozenset({family, "many items"}), counts)


def problem(name: str, tags: str, counts: dict[int, int]) -> Problem:
    return Problem(name, frozenset(tags.split(", ")), counts)


TABLE = [
    problem("no items", "nothing to test", {}),
    problem("all tied", "nothing to test, ties", {0: 12}),
    problem("one item", "few items, all one way", {3: 1}),
    problem("one item and ties", "few items, ties", {-3: 1, 0: 5}),
    problem("two equal and opposite", "few items, statistic zero", {2: 1, -2: 1}),
    problem("all one way", "all one way", {1: 3, 2: 4, 7: 1}),
    problem("all the other way", "all one way", {-1: 3, -2: 4, -7: 1}),
    problem("one against", "far tail", {1: 9, -1: 1}),
    problem("smallest one against", "far tail", {5: 6, 3: 5, -1: 1}),
    problem("two dominating, equal", "dominating", {100: 1, -100: 1, 1: 6, -1: 3}),
    problem("one dominating, in a gap", "dominating, gap", {1000: 1, -1: 6, 1: 4}),
    problem("just above the mean", "near the mean", {4: 3, -3: 4, 1: 1}),
    problem("just above the mean, even", "near the mean, common divisor", {8: 3, -6: 4, 2: 1}),
    problem("multiples of five but one", "resonance", {5: 5, -5: 4, 10: 2, -1: 1}),
    problem("powers of two", "geometric progression, every sum once", {2**i: 1 for i in range(10)} | {-(2**10): 1}),
    problem("powers of three", "geometric progression, gap", {-(3**i): 1 for i in range(9)} | {3**9: 1}),
    problem("odd effect among even", "parity", {2: 5, -4: 4, 7: 1, -2: 1}),
    problem("huge and equal", "huge integers, common divisor", {10**18: 6, -(10**18): 3}),
    problem("huger than 64 bits", "huge integers, common divisor", {3 * 10**40: 6, -(10**40): 4}),
    problem("statistic zero", "statistic zero", {3: 2, -2: 3, 1: 1, -1: 1}),
    problem("ties in the law", "ties", {2: 4, -2: 3, 4: 1, -6: 1, 0: 40}),
]
