r"""Exact tail probabilities in two and more dimensions, by tilted Fourier inversion on a torus.

The null law is that of X = sum_n b_n y_n with fair coins b_n and steps y_n in Z^r (see `Lattice`);
asked is P(X in R) for a region R given by an exact predicate. For every tilt tau in R^r

    P(X in R) = exp(L(tau) - tau . (x* - c)) sum_{x in R} exp(-tau . (x - x*)) P_tau(X = x),

    P_tau(X = x) = 1/(P_1 ... P_r) sum_k phi_k exp(-i omega_k . (x - c)),   omega_k = 2 pi (k_1/P_1, ..., k_r/P_r),

with c the centre of the law, x* any point of reference and phi the characteristic function of the
tilted coins. The first line is an identity. The second holds on a torus that covers all but a
negligible mass of the tilted law, and all but a few phi_k are zero to any precision. So

1. tau is put at the dominating point of R, where the region comes closest to the centre: the prefactor then carries
   the size of the probability, down to 10^-1000 and beyond, and the sum is of order one (`torus_point`);
2. the torus covers a window outside which *evaluated* Chernoff bounds leave 10^-18 (`torus_tilt`);
3. the frequencies that count are found by branch and bound, and proved to be all (`torus_support`);
4. the sum over R is closed along each line where R is increasing in the last coordinate (`torus_half_lines`), else
   taken over the points of the window, some layers of it at a time (`torus_slabs`).

Coins whose steps dwarf all others are conditioned upon first (`torus_dominant`).

Every mass that is left out is bounded and the bounds are added up: truncation is a theorem
(docs/mathematics.md, Theorem 8; half-lines need a tilt whose last component is not negative).
Rounding is bounded under the assumption that each elementary function is within 4 ulp. The
probability is a multiple of 2^-n, n the number of coins: where the interval holds only one
multiple, that is the answer, without any error.

**Cost.** sqrt(n) enters through the width of the window only. r = 2, half-lines: about 1,500
frequencies x distinct steps, 40 ns each, and lines x 35 frequencies: 5 to 30 ms up to 10^4 items,
0.1 s for 10^6. r = 3: some 50,000 frequencies. Slabs: 0.2 microseconds for each point of the
window.

**When it fails.** Few coins with large unrelated steps: then nearly every frequency is alive, and
enumeration or meeting in the middle is the right thing. Ranks above four. A tail whose guide
function leads the tilt astray, also where several tilts share the work (`torus_point`), costs digits; the interval
says so.

References: Zmigrod, Vieira and Cotterell 2022 (the problem); Keich 2005, Wilson and Keich 2016
(tilted transforms); Ney 1983 (dominating points).
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from exactperm.engines.base import CannotAnswer, Engine, Question, Tail
from exactperm.engines.torus_dominant import Island, islands, weighted_sum
from exactperm.engines.torus_half_lines import MOST_LINES, half_line_sum
from exactperm.engines.torus_point import cells, dominating_tilt
from exactperm.engines.torus_slabs import MOST_POINTS, slab_sum
from exactperm.engines.torus_support import MOST_BOXES, angles_are_exact, expected_frequencies
from exactperm.engines.torus_tilt import TiltedCoins, Window, fits
from exactperm.lattice import Lattice
from exactperm.region import Region

__all__ = ["Torus"]

#: the most dimensions in which a torus of some 60 frequencies a coordinate is a reasonable thing
MOST_DIMENSIONS = 4
#: an interval wider than this, relative to the probability, is worth a second tilt
WIDE = 1e-10
#: added to every error, as bounds far below it may have become zero
UNDERFLOW = 1e-300
NOTHING_KNOWN = Tail(-math.inf, math.log(0.5), 0.0)
#: a window for planning: wide enough for any probability that is not tiny
LOG_PLANNED = math.log(1e-24)


class Torus(Engine):
    """P(X in region) in r >= 2 dimensions: the part of ``method="fourier"`` beyond a line.

    Examples
    --------
    Heads minus tails, and heads, of ten coins as one law in two dimensions: P(five heads or more).

    >>> import numpy as np
    >>> from exactperm.lattice import Lattice
    >>> steps = np.array([[1, 0], [0, 1]])
    >>> lattice = Lattice(steps, np.array([4, 6]), np.eye(2, dtype=np.int64), (0, 0))
    >>> region = Region(lambda x: x.sum(axis=1) >= 5, increasing=True)
    >>> round(math.exp(Torus().answer(Question(lattice, region)).log_estimate) * 2**10)
    638
    """

    name = "fourier"
    exact = True

    def obstacle(self, question: Question) -> str | None:
        """Dimensions, sizes and the expected number of frequencies, lines or points."""
        lattice, region = question.lattice, question.region
        if not isinstance(region, Region) or lattice.rank < 2:
            return "this problem has one dimension: it belongs to the engine for one"
        elsewhere = "use method='control-variate' or 'monte-carlo'"
        if lattice.rank > MOST_DIMENSIONS:
            return (
                f"the statistic has {lattice.rank} free dimensions, and method='fourier' "
                f"goes up to {MOST_DIMENSIONS}; {elsewhere}"
            )
        if not fits(lattice):
            return f"the effects are too large for method='fourier'; {elsewhere}"
        island = islands(lattice, region)[0]
        coins = TiltedCoins.of(_decorrelated(island.lattice, island.region)[0])
        window = coins.box(LOG_PLANNED)
        work, limit = (_volume(window[:-1]), MOST_LINES) if region.increasing else (_volume(window), MOST_POINTS)
        if work > limit:
            what = "lines" if region.increasing else "points"
            return f"{work:.1e} {what} of the lattice count, too many for method='fourier'; {elsewhere}"
        periods = tuple(high - low + 1 for low, high in window)
        if not angles_are_exact(coins, periods) or expected_frequencies(coins, periods) > MOST_BOXES:
            return (
                "the effects are too large and too unrelated for their number for "
                "method='fourier'; use method='monte-carlo', or 'enumeration' if there are few"
            )
        return None

    def cost(self, question: Question) -> float:
        """Frequencies x distinct steps, and lines x frequencies along them or points."""
        region = question.region
        if not isinstance(region, Region):
            return math.inf
        parts = islands(question.lattice, region)
        coins = TiltedCoins.of(_decorrelated(parts[0].lattice, region)[0])
        window = coins.box(LOG_PLANNED)
        live = expected_frequencies(coins, tuple(high - low + 1 for low, high in window))
        support = live * (4e-6 + 40e-9 * len(coins.counts))
        region_sum = _volume(window[:-1]) * 2e-6 if region.increasing else _volume(window) * 2e-7
        return len(parts) * (5e-3 + support + region_sum)

    def answer(self, question: Question) -> Tail:
        """Tilt to the dominating point; where the interval stays wide, also try without a tilt."""
        lattice, region = question.lattice, question.region
        if not isinstance(region, Region):
            raise TypeError(f"a problem of rank {lattice.rank} needs a Region, not {type(region).__name__}")
        if lattice.rank < 2:
            raise ValueError("Torus needs at least two dimensions")
        parts = islands(lattice, region)
        tail = weighted_sum(parts, [_of_island(part.lattice, part.region) for part in parts])
        tail = _whole_count(tail, lattice.n)
        return tail.doubled() if region.mirrored else tail


def _of_island(lattice: Lattice, region: Region) -> Tail:
    """The probability of a region under a law without dominating coins."""
    lattice, straight = _decorrelated(lattice, region)
    tilted = TiltedCoins.of(lattice, dominating_tilt(lattice, straight))
    tail = _tail(tilted, straight)
    if _is_wide(tail) and tilted.tilt.any():
        tail = _intersection(tail, _tail(tilted.fair(), straight))
    return _intersection(tail, _by_cells(lattice, straight)) if _is_wide(tail) else tail


def _is_wide(tail: Tail) -> bool:
    return not tail.log_high - tail.log_low <= WIDE


def _by_cells(lattice: Lattice, region: Region) -> Tail:
    """The sum over the parts of a region that is entered from several sides, each by a tilt of its own."""
    parts = cells(lattice, replace(region, increasing=False))
    if not parts or len(parts) * _volume(TiltedCoins.of(lattice).box(LOG_PLANNED)) > MOST_POINTS:
        return NOTHING_KNOWN
    try:
        tails = [_tail(coins, part) for coins, part in parts]
    except CannotAnswer:  # a steep tilt needs a window that is too large
        return NOTHING_KNOWN
    return weighted_sum([Island(0.0, lattice, part) for _, part in parts], tails)


def _decorrelated(lattice: Lattice, region: Region) -> tuple[Lattice, Region]:
    """Choose other coordinates z = x T, T unimodular, in which the law fills its windows better.

    Multiples of one coordinate are taken from another as long as that lowers a variance (Lagrange's
    reduction of the covariance). The last coordinate of an increasing region is taken from none, so
    that its lines stay its lines. Points outside the box that holds the law are asked for at its
    nearest point: they have no mass, and there a region need not be monotone.
    """
    covariance = TiltedCoins.of(lattice).covariance
    r = lattice.rank
    change, back = np.eye(r, dtype=np.int64), np.eye(r, dtype=np.int64)
    pairs = [(i, j) for i in range(r) for j in range(r) if i != j and not (region.increasing and j == r - 1)]
    moved = True
    while moved:
        moved = False
        for i, j in pairs:
            multiple = round(float(covariance[i, j] / covariance[j, j]))
            if multiple:
                shear = np.eye(r, dtype=np.int64)
                shear[j, i] = -multiple
                covariance = shear.T @ covariance @ shear
                change, moved = change @ shear, True
                shear[j, i] = multiple
                back = shear @ back
    coins = TiltedCoins.of(lattice)
    value = region.value
    straight = replace(
        region,
        contains=lambda z: region.contains(np.clip(z @ back, coins.low, coins.high)),
        value=None if value is None else lambda z: value(z @ back),
    )
    return replace(lattice, steps=lattice.steps @ change), straight


def _volume(window: Window) -> float:
    return math.prod(float(high - low + 1) for low, high in window)


def _tail(coins: TiltedCoins, region: Region) -> Tail:
    """The probability of the region by one tilt."""
    exponent, rounding = coins.exponent
    with np.errstate(over="ignore", invalid="ignore"):  # a hopeless tilt overflows, and its interval is [0, 1]
        total = half_line_sum(coins, region) if region.increasing else slab_sum(coins, region)
    if not (math.isfinite(total.value) and math.isfinite(total.error)):
        return NOTHING_KNOWN
    error = total.error + UNDERFLOW
    low, high = _log(total.value - error), _log(total.value + error)
    low = min(exponent - rounding + low, 0.0)
    high = min(exponent + rounding + high, 0.0)
    return Tail(low, min(max(exponent + _log(total.value), low), high), high)


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def _intersection(a: Tail, b: Tail) -> Tail:
    """What two intervals that both hold the truth say together."""
    low, high = max(a.log_low, b.log_low), min(a.log_high, b.log_high)
    better = a if a.log_high - a.log_low < b.log_high - b.log_low else b
    return Tail(low, min(max(better.log_estimate, low), high), high)


def _whole_count(tail: Tail, n: int) -> Tail:
    """The one multiple of 2^-n in the interval, if there is only one."""
    most = tail.log_high + n * math.log(2)
    if most > 34:  # some 10^15 assignments: neighbours are not told apart any more
        return tail
    slack = 2.0**-50 * (n + 64)
    low = math.ceil(math.exp(tail.log_low + n * math.log(2)) * (1 - slack))
    high = math.floor(math.exp(most) * (1 + slack))
    return Tail.from_fraction(Fraction(low, 2**n)) if low == high else tail
