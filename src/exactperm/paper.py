"""The algorithms of the paper, as printed, under the paper's names.

R. Zmigrod, T. Vieira, R. Cotterell, *Exact Paired-Permutation Testing for Structured Test
Statistics*, NAACL 2022. A statistic is *structured* when ``t(u, v) = h(sum_n g(u_n, v_n))`` with
an integer-valued ``g``. Under the null a fair coin swaps each pair, so that item n adds
``g(u_n, v_n)`` or ``g(v_n, u_n)`` with probability 1/2 each, independently of the others: the law
of the sum is the convolution of N two-point laws, and ``p = P(h(S) >= h(observed S))`` is read off.

=====================  =========================================  ==========================
function               what it does                               time, for sums of range G N
=====================  =========================================  ==========================
`monte_carlo`          estimates p from K random swaps            O(K N)
`exact_perm_test`      p, from the exact law of one sum           one convolution
`exact_perm_test_m`    the same for m sums at once (F1 has 4)     one convolution
`convolve_dp`          N-fold convolution, one factor at a time   O(G N^2)
`convolve_fft`         N-fold convolution, divide and conquer     O(G N log(G N) log N)
=====================  =========================================  ==========================

Nothing is truncated. `convolve_dp` only adds and multiplies numbers that are not negative, so that
even the far tail has full *relative* accuracy; `convolve_fft` is faster, with an *absolute* error
of about 1e-15. For larger data, smaller p-values and error bounds use ``exactperm.paired_test``.

Both convolutions work in one array. The attainable sums lie on a lattice; in coordinates with
respect to a basis of it, the vectors of m sums have as many coordinates as are really free (two
for F1) and no common divisor or parity is left. Kronecker's substitution then writes the vector
of coordinates as one number, in a mixed radix so wide that no digit can overflow.
"""

import functools
import math
import operator
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from exactperm.lattice import reduce

__all__ = ["convolve_dp", "convolve_fft", "exact_perm_test", "exact_perm_test_m", "monte_carlo"]

Sums = TypeVar("Sums", bound=int | tuple[int, ...])
Vector: TypeAlias = tuple[int, ...]
Law: TypeAlias = tuple[tuple[Vector, float], ...]
Factor: TypeAlias = tuple[tuple[int, float], ...]  # (code, probability), codes rising from 0
Convolution: TypeAlias = Callable[[Sequence[Mapping[Any, float]]], Mapping[Any, float]]
Array: TypeAlias = npt.NDArray[np.float64]

_LARGEST_ARRAY = 10_000_000  # cells; the answer, a dict, takes about a gigabyte at this size
_LARGEST_WORK = 10_000_000  # additions in a dict, when the sums are too far apart for an array
_LEAF = 128  # so few factors are multiplied faster, and more accurately, one by one
_FFT_FLOOR = 1e-12  # a p-value below this has less than about three digits from an FFT


def monte_carlo(
    u: Iterable[Any],
    v: Iterable[Any],
    g: Callable[[Any, Any], int],
    h: Callable[[int], Any],
    K: int = 20_000,
    rng: Any = None,
) -> float:
    """Estimate the p-value from K random swaps; returns c / K, as printed.

    ::

        repeat K times: swap each pair (u_n, v_n) with probability 1/2;
                        count c up if the statistic is at least the observed one
        return c / K

    The swaps are drawn together: of c_d items with the same g(u_n, v_n) - g(v_n, u_n) = d a
    Binomial(c_d, 1/2) number is swapped, which is the same law. Standard error
    sqrt(p (1 - p) / K). c / K can be 0, which no p-value is; ``paired_test`` has samplers that
    return (c + 1) / (K + 1) with an interval.

    Parameters
    ----------
    u, v : iterables
        The entries of the two systems, item by item: anything that `g` takes.
    g : callable
        ``g(u_n, v_n)``, an integer.
    h : callable
        ``h(sum)``, of a Python int. Two-sidedness is an absolute value inside h.
    K : int
        Number of samples.
    rng : None, int, numpy.random.Generator, ...
        Whatever ``numpy.random.default_rng`` takes.

    Examples
    --------
    >>> monte_carlo([3, 1, 4], [1, 1, 2], lambda a, b: a - b, abs, K=1000, rng=0)
    0.498
    """
    if isinstance(K, bool) or not hasattr(K, "__index__") or K < 1:
        raise ValueError(f"K, the number of samples, must be a positive integer; got {K!r}")
    generator = np.random.default_rng(rng)
    pairs = _stay_and_swap(u, v, g)
    lowest = sum(min(pair) for pair in pairs)
    effects = Counter(abs(stay - swap) for stay, swap in pairs if stay != swap)
    reach = abs(lowest) + sum(d * count for d, count in effects.items())
    sums = np.full(K, lowest, dtype=np.int64 if reach < 2**62 else object)
    for d, count in sorted(effects.items()):
        # numpy draws single coins, the usual case when effects are large, much faster as integers
        coins = generator.binomial(count, 0.5, K) if count > 1 else generator.integers(0, 2, K)
        sums += coins.astype(sums.dtype) * d
    observed = _value(h, sum(stay for stay, _ in pairs))
    counts = Counter(sums.tolist())
    return sum(c for s, c in counts.items() if _value(h, s) >= observed) / K


def convolve_dp(pmfs: Iterable[Mapping[Sums, float]]) -> dict[Sums, float]:
    """The law of a sum of independent integers (or vectors of integers), by dynamic programming.

    ::

        row = {0: 1}
        for each pmf:  new[s + x] += row[s] * pmf[x]  for all s, x;   row = new
        return row

    O(G N^2) time and O(G N) space, where each pmf has a bounded number of points in a range of
    length G: only the last two rows are kept. All terms are positive, so no digits cancel: for
    two-point pmfs the relative error of every probability is at most 3N / 2^53, and fair coins
    are exact up to 53 of them. Probabilities under about 1e-300 lose digits and become 0.0 under
    5e-324.

    Parameters
    ----------
    pmfs : iterable of mappings
        Each maps integers, or tuples of m integers, to their probabilities.

    Returns
    -------
    dict
        Every attainable sum and its probability, in rising order.

    Raises
    ------
    ValueError
        If the range of the sums needs more than 10^7 cells, and there are too many of them (10^7
        additions) for a dict.

    Examples
    --------
    >>> convolve_dp([{0: 0.5, 1: 0.5}, {0: 0.5, 1: 0.5}])
    {0: 0.25, 1: 0.5, 2: 0.25}
    >>> convolve_dp([{(0, 0): 0.5, (1, 2): 0.5}, {(0, 0): 0.5, (10**18, 0): 0.5}])[10**18 + 1, 2]
    0.25
    """
    problem = _encode(pmfs)
    if problem.cells > _LARGEST_ARRAY:
        return problem.decode(*_multiply_as_dict(problem.factors))
    codes = _attainable_codes(problem.counts)
    return problem.decode(codes, _multiply_one_by_one(problem.factors)[codes])


def convolve_fft(pmfs: Iterable[Mapping[Sums, float]]) -> dict[Sums, float]:
    """The law of a sum of independent integers (or vectors of integers), by divide and conquer.

    ::

        convolve(pmfs) = pmfs[0]                                        if there is one
                         FFT_multiply(convolve(half of them),
                                      convolve(the other half))         otherwise

    O(G N log(G N) log N) time and O(G N) space. Up to 128 pmfs that are not single points are
    multiplied as in `convolve_dp` (a constant that changes neither bound), and results are then as
    accurate as there.

    The rounding of an FFT is *absolute*: sums of the probabilities are right to about 1e-15 (3e-15
    for 10,000 sentences), and what is smaller than that is noise. The noise is not hidden by a
    threshold: which sums are attainable is known exactly, all of them are returned and no others,
    and a probability is raised to its proven lower bound (the product of the smallest
    probabilities, at least the smallest positive float) where rounding left it below. For small
    tails use `convolve_dp` or ``paired_test``.

    Parameters, Returns, Raises
        As for `convolve_dp`.

    Examples
    --------
    >>> pmf = convolve_fft([{-1: 0.5, 1: 0.5}] * 1000)
    >>> round(pmf[0], 15)  # C(1000, 500) / 2^1000
    0.025225018178361
    >>> len(pmf), min(pmf.values()) > 0
    (1001, True)
    """
    problem = _encode(pmfs)
    if problem.cells > _LARGEST_ARRAY:
        return problem.decode(*_multiply_as_dict(problem.factors))
    codes = _attainable_codes(problem.counts)
    probabilities = _multiply_halves(problem.factors)[codes]
    smallest = math.prod(min(p for _, p in factor) for factor in problem.factors)
    return problem.decode(codes, np.maximum(probabilities, max(smallest, 5e-324)))


def exact_perm_test(
    u: Iterable[Any],
    v: Iterable[Any],
    g: Callable[[Any, Any], int],
    h: Callable[[int], Any],
    convolve: Convolution = convolve_fft,
) -> float:
    """The exact p-value of the paired-permutation test for t(u, v) = h(sum_n g(u_n, v_n)).

    ::

        for n = 1..N:  pmf_n = {g(u_n, v_n): 1/2, g(v_n, u_n): 1/2}
        pmf = convolve(pmf_1, ..., pmf_N)
        return the sum of pmf[s] over all s with h(s) >= h(observed s)

    `h` is called with Python ints, so that it can return a ``Fraction`` where ties must be exact.
    The observed assignment is one of the 2^N, so p >= 2^-N > 0; a float is 0.0 only where
    `convolve_dp` underflows. p = 1.0 exactly when no sum is excluded, as for no items.

    Parameters
    ----------
    u, v : iterables
        The entries of the two systems, item by item: anything that `g` takes. (A
        one-dimensional NumPy array of integers gives Python ints, which cannot overflow.)
    g : callable
        ``g(u_n, v_n)``, an integer.
    h : callable
        ``h(sum)``, of a Python int. Two-sidedness is an absolute value inside h.
    convolve : callable
        `convolve_fft`, `convolve_dp` or one's own.

    Warns
    -----
    RuntimeWarning
        If p is so small that `convolve_fft` leaves it with few correct digits or none.

    Examples
    --------
    >>> exact_perm_test([3, 1, 4], [1, 1, 2], lambda a, b: a - b, abs)
    0.5
    >>> exact_perm_test(["cat", "dog"], ["cut", "dog"], lambda a, b: a.count("a") - b.count("a"),
    ...                 lambda s: s)
    0.5
    """
    pairs = _stay_and_swap(u, v, g)
    return _upper_tail(pairs, sum(stay for stay, _ in pairs), h, convolve)


def exact_perm_test_m(
    u: Iterable[Any],
    v: Iterable[Any],
    gs: Sequence[Callable[[Any, Any], int]],
    h: Callable[..., Any],
    convolve: Convolution = convolve_fft,
) -> float:
    """The exact p-value for t(u, v) = h(sum_n g_1(u_n, v_n), ..., sum_n g_m(u_n, v_n)).

    As `exact_perm_test`, with the pmfs over vectors of m integers. The cost is that of the box of
    attainable vectors *after* reduction to their lattice: O((G N)^r) cells with r <= m free
    directions.

    Parameters
    ----------
    u, v, convolve
        As for `exact_perm_test`.
    gs : sequence of callables
        Each an integer of ``(u_n, v_n)``.
    h : callable
        ``h(sum_1, ..., sum_m)``, of Python ints.

    Examples
    --------
    The difference in F1 of two systems with (true positives, incorrect) per item:

    >>> from fractions import Fraction
    >>> def f1(tp, incorrect):
    ...     return Fraction(2 * tp, 2 * tp + incorrect) if tp + incorrect else Fraction(0)
    >>> gs = [lambda a, b: a[0], lambda a, b: a[1], lambda a, b: b[0], lambda a, b: b[1]]
    >>> exact_perm_test_m([(3, 1), (2, 0), (4, 1)], [(1, 2), (2, 1), (3, 3)], gs,
    ...                   lambda tp_u, in_u, tp_v, in_v: abs(f1(tp_u, in_u) - f1(tp_v, in_v)))
    0.25
    """
    if not gs:
        raise ValueError("gs is empty; give at least one function g(u_n, v_n)")
    names = [f"gs[{i}]" for i in range(len(gs))]
    first, second = _entries(u, "u"), _entries(v, "v")
    columns = [_stay_and_swap(first, second, g, name) for g, name in zip(gs, names, strict=True)]
    pairs = [(tuple(stay for stay, _ in item), tuple(swap for _, swap in item)) for item in zip(*columns, strict=True)]
    observed = tuple(sum(stay for stay, _ in column) for column in columns)
    return _upper_tail(pairs, observed, lambda sums: h(*sums), convolve)


def _upper_tail(
    pairs: Sequence[tuple[Sums, Sums]],
    observed: Sums,
    h: Callable[[Sums], Any],
    convolve: Convolution,
) -> float:
    """P(h(S) >= h(observed)) when S is the sum of one of each pair, by fair coins."""
    if not pairs:
        return 1.0
    pmfs = [{stay: 0.5, swap: 0.5} if stay != swap else {stay: 1.0} for stay, swap in pairs]
    pmf = convolve(pmfs)
    threshold = _value(h, observed)
    tail = [probability for s, probability in pmf.items() if _value(h, s) >= threshold]
    if len(tail) == len(pmf):
        return 1.0
    p = min(1.0, math.fsum(tail))  # fsum: the same bits in any order
    if convolve is convolve_fft and p < _FFT_FLOOR and sum(map(len, pmfs)) > len(pmfs) + _LEAF:
        warnings.warn(
            f"p = {p:.2g} may be little but the rounding noise of an FFT, about 1e-15; pass "
            "convolve=convolve_dp, or use exactperm.paired_test, for a p-value this small",
            RuntimeWarning,
            stacklevel=3,
        )
    return p


def _value(h: Callable[[Sums], Any], sums: Sums) -> Any:
    """h(sums), which must not be NaN: no comparison with it is true, and p would be too small."""
    value = h(sums)
    if operator.ne(value, value):
        raise ValueError(
            f"h is NaN at the attainable sums {sums!r}; let h return a number there (0 for a ratio 0/0, say)"
        )
    return value


def _entries(u: Iterable[Any], name: str) -> list[Any]:
    """The items of one system as a list."""
    if isinstance(u, Mapping | Set) or hasattr(u, "columns"):
        raise TypeError(
            f"{name} must be a sequence with one entry per item, got a {type(u).__name__}, whose "
            f"iteration gives no items in order; for the rows of a data frame write "
            f"{name}.to_numpy()"
        )
    if isinstance(u, np.ndarray) and u.ndim == 1 and u.dtype.kind in "iu":
        entries: list[Any] = u.tolist()  # Python ints: uint8(3) - uint8(5) would be 254
        return entries
    return list(u)


def _stay_and_swap(
    u: Iterable[Any], v: Iterable[Any], g: Callable[[Any, Any], int], name: str = "g"
) -> list[tuple[int, int]]:
    """What each item adds to the sum as it is, g(u_n, v_n), and swapped, g(v_n, u_n)."""
    first, second = _entries(u, "u"), _entries(v, "v")
    if len(first) != len(second):
        raise ValueError(f"u and v must have one entry each per item, got {len(first)} and {len(second)} entries")

    def integer(x: Any, y: Any) -> int:
        result = g(x, y)
        try:
            return operator.index(result)
        except TypeError:
            raise TypeError(
                f"{name} must return an integer, but {name}({x!r}, {y!r}) is {result!r}, a "
                f"{type(result).__name__}; count in a unit in which all values are whole, or "
                "return int(...) if they are"
            ) from None

    return [(integer(x, y), integer(y, x)) for x, y in zip(first, second, strict=True)]


@dataclass(frozen=True)
class _Problem:
    """Factors in one variable, and the way back from its exponents ("codes") to the sums.

    code + zero = sum_i digit_i * strides_i,    sums = origin + sum_i digit_i * basis_i.
    """

    counts: dict[Factor, int]  # factors of more than one point, the narrowest first
    scale: float  # product of the probabilities of the factors that are single points
    scalar: bool  # sums are integers, not tuples
    origin: Vector
    basis: list[list[int]]
    strides: list[int]
    cells: int  # size of the box of digits
    zero: int

    @property
    def factors(self) -> list[Factor]:
        return [factor for factor, count in self.counts.items() for _ in range(count)]

    def decode(self, codes: Any, probabilities: Array) -> dict[Any, float]:
        """The dict from sums to probabilities."""
        largest = max(
            abs(start) + self.cells * max((abs(row[j]) for row in self.basis), default=0)
            for j, start in enumerate(self.origin)
        )
        dtype = np.int64 if largest * (len(self.basis) + 1) < 2**62 else object
        rest = np.asarray(codes, dtype=dtype) + self.zero
        columns = [np.full(rest.shape, start, dtype=dtype) for start in self.origin]
        for row, stride in zip(self.basis, self.strides, strict=True):
            digit, rest = rest // stride, rest % stride
            columns = [c + digit * step for c, step in zip(columns, row, strict=True)]
        lists = [column.tolist() for column in columns]
        keys: Iterable[Any] = lists[0] if self.scalar else zip(*lists, strict=True)
        return dict(zip(keys, (self.scale * probabilities).tolist(), strict=True))


def _encode(pmfs: Iterable[Mapping[Any, float]]) -> _Problem:
    """Write the pmfs as polynomials in one variable (lattice basis, then Kronecker)."""
    laws, scalar = _distinct_laws(pmfs)
    counts = list(laws.values())
    starts = [law[0][0] for law in laws]
    scale = math.prod(law[0][1] ** count for law, count in laws.items() if len(law) == 1)

    # all points of all laws, relative to the first of their law, in a basis of their lattice
    moves = [list(map(operator.sub, x, law[0][0])) for law in laws for x, _ in law]
    basis, steps = reduce(np.array(moves, dtype=object))
    rows = iter(steps.tolist())
    digits = [[next(rows) for _ in law] for law in laws]

    # the box of digits: that of the sum at basis_i lies between lows[i] and highs[i]
    lows, highs = [0] * len(basis), [0] * len(basis)
    for count, points in zip(counts, digits, strict=True):
        for i, column in enumerate(zip(*points, strict=True)):
            lows[i] += count * min(column)
            highs[i] += count * max(column)
    sizes = [high - low + 1 for low, high in zip(lows, highs, strict=True)]
    strides = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]

    factors = Counter[Factor]()
    for (law, count), points in zip(laws.items(), digits, strict=True):
        if len(law) > 1:
            # A law is sorted, the basis is an echelon form with positive pivots, and no digit
            # overflows: so the codes rise, from 0.
            codes = [_dot(point, strides) for point in points]
            factors[tuple((code, p) for code, (_, p) in zip(codes, law, strict=True))] += count
    origin = tuple(
        _dot(counts, [start[j] for start in starts]) + _dot(lows, [row[j] for row in basis])
        for j in range(len(starts[0]))
    )
    narrowest_first = dict(sorted(factors.items(), key=lambda item: (item[0][-1][0], item[0])))
    zero = -_dot(lows, strides)
    return _Problem(narrowest_first, scale, scalar, origin, basis, strides, math.prod(sizes), zero)


def _distinct_laws(pmfs: Iterable[Mapping[Any, float]]) -> tuple[dict[Law, int], bool]:
    """Checked pmfs with their multiplicities; and whether their keys are integers."""
    given = Counter(tuple(pmf.items()) for pmf in pmfs)
    scalar = not any(isinstance(key, tuple) for points in given for key, _ in points)
    laws = Counter[Law]()
    for points, count in given.items():
        laws[_checked(points, scalar)] += count
    if len({len(x) for law in laws for x, _ in law}) > 1:
        raise ValueError("the keys of pmfs must be tuples of one length; got several lengths")
    if not laws:  # the sum of nothing
        laws[(((0,), 1.0),)] = 1
    return laws, scalar


def _checked(points: Sequence[tuple[Any, Any]], scalar: bool) -> Law:
    """One pmf as sorted pairs of a vector of Python ints and a positive float."""
    law = []
    for key, value in points:
        try:
            vector = tuple(map(operator.index, (key,) if scalar else key))
        except TypeError:
            raise TypeError(
                f"the keys of pmfs must be all integers or all tuples of integers; got {key!r}, a {type(key).__name__}"
            ) from None
        probability = float(value)
        if not 0 <= probability <= 1:
            raise ValueError(f"the values of pmfs must be probabilities; got {value!r} for {key!r}")
        if probability > 0:
            law.append((vector, probability))
    if not law:
        raise ValueError("each of pmfs must give some integer a positive probability")
    return tuple(sorted(law))


def _dot(x: Sequence[int], y: Sequence[int]) -> int:
    return sum(map(operator.mul, x, y))


def _attainable_codes(counts: Mapping[Factor, int]) -> npt.NDArray[np.int64]:
    """The exponents that occur in the product of the factors, exactly: bit s of an integer."""
    bits = 1
    for factor, count in counts.items():
        if len(factor) == 2:  # {0, k} + ... + {0, k} is {0, k, ..., count k}: double it up
            step, left = 1, count
            while left:
                step = min(step, left)
                bits |= bits << step * factor[1][0]
                left -= step
                step *= 2
        else:
            for _ in range(count):
                bits = functools.reduce(operator.or_, (bits << code for code, _ in factor))
    raw = np.frombuffer(bits.to_bytes(bits.bit_length() // 8 + 1, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(raw, bitorder="little"))


def _multiply_one_by_one(factors: Sequence[Factor]) -> Array:
    """The coefficients of the product of the factors; two rows, sums of positive terms only."""
    row, new = np.zeros((2, 1 + sum(factor[-1][0] for factor in factors)))
    row[0] = 1.0
    width = 1  # both rows are zero from here on
    for (_, first), *others in factors:
        np.multiply(row[:width], first, out=new[:width])
        for code, probability in others:
            new[code : code + width] += probability * row[:width]
        row, new = new, row
        width += others[-1][0]
    return row


def _multiply_halves(factors: Sequence[Factor]) -> Array:
    """The coefficients of the product of the factors, by divide and conquer."""
    if len(factors) <= _LEAF:
        return _multiply_one_by_one(factors)
    # every other one, because FFTs multiply polynomials of like degree best
    left, right = _multiply_halves(factors[0::2]), _multiply_halves(factors[1::2])
    size = len(left) + len(right) - 1
    length = _fast_length(size)
    product = np.fft.rfft(left, length) * np.fft.rfft(right, length)
    return np.fft.irfft(product, length)[:size]


def _fast_length(size: int) -> int:
    """A length for an FFT: the smallest of 2^k, 9 2^k, 5 2^k, 3 2^k, 15 2^k that is >= size."""
    return min(odd << max(0, (-(-size // odd) - 1).bit_length()) for odd in (1, 3, 5, 9, 15))


def _multiply_as_dict(factors: Sequence[Factor]) -> tuple[list[int], Array]:
    """The exponents and coefficients of the product, when few exponents in a wide range occur."""
    row = {0: 1.0}
    work = 0
    for factor in factors:
        work += len(row) * len(factor)
        if work > _LARGEST_WORK:
            raise ValueError(
                f"the sums of g over the items lie in a range too wide for an array of "
                f"{_LARGEST_ARRAY:,} cells, and are too many for {_LARGEST_WORK:,} additions one by"
                " one; count in a coarser unit, or use exactperm.paired_test, which needs no table"
                " of all sums"
            )
        new: dict[int, float] = {}
        for start, weight in row.items():
            for code, probability in factor:
                new[start + code] = new.get(start + code, 0.0) + weight * probability
        row = new
    codes = sorted(row)
    return codes, np.array([row[code] for code in codes])
