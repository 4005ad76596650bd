"""The tilted sum over a region that is closed upwards along the last coordinate.

Each line of the lattice along the last coordinate meets such a region in a half-line {x_r >= t(u)},
where u = (x_1, ..., x_{r-1}) names the line. The thresholds t(u) are found by bisection with the
region's exact predicate, most of them from a guess between their neighbours. In tilted terms, with
x* a point of reference,

    sum_x exp(-tau . (x - x*)) P_tau(x)  =  1/(P_1 ... P_r) sum_k phi_k F_k,
    F_k = sum_u w(u) e^{-i omega' . u} [e^{-i omega_r t(u)} - e^{-tau_r J(u)} e^{-i omega_r (b+1)}]
          / (1 - e^{-tau_r - i omega_r}),

where w(u) is the weight at the threshold, b the end of the window and J(u) = b + 1 - t(u): the
geometric series along each line in closed form. The sum over u is a fast Fourier transform of which
a few dozen frequencies a coordinate are kept. Cost: lines x live frequencies of the last
coordinate, and no array over the torus.

Lines are left out where a Chernoff bound shows that they do not count; the bounds of all that is
left out add up to a part of the error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import CannotAnswer
from exactperm.engines.torus_support import EPS, Estimate, Support, live_support, phases, shaped, transform_error
from exactperm.engines.torus_tilt import LOG_TINY, TiltedCoins, Window
from exactperm.region import Region

__all__ = ["MOST_LINES", "half_line_sum"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Complexes = NDArray[np.complex128]

#: lines of one problem
MOST_LINES = 1 << 22
#: entries of one temporary array
BLOCK = 1 << 20
#: one line in so many is bisected from scratch, the others from a guess
STRIDE = 16


def half_line_sum(coins: TiltedCoins, region: Region) -> Estimate:
    """Sum exp(level - tau . (x - reference)) P_tau(X = x) over an increasing region."""
    lines = _relevant_lines(coins, region)
    if not lines.keep.any():
        return Estimate(0.0, lines.skipped)
    largest = max(float(lines.log_weight[lines.keep].max()), 0.0)
    window = coins.box(LOG_TINY - largest, lines.window)
    support = live_support(coins, window)
    ends = _ends(coins, lines, window[-1])
    value, rounding = _series(coins, support, lines.window, ends)
    # |F_k| <= F_0: what the frequencies left out could add
    truncation = support.dropped * float(ends.sums.sum()) / support.volume
    # mass outside the window folds into it, and is missed at either end of a line; both weigh at
    # most `largest`
    outside = 2 * float(np.exp(coins.log_mass_outside(window) + largest))
    return Estimate(value, rounding + truncation + outside + lines.skipped)


# -- which lines -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Lines:
    """The lines that count, in a box of their first r - 1 coordinates.

    Attributes
    ----------
    window
        The box.
    start
        The first point of each line that lies in the region.
    log_weight
        level - tau . (x - reference) there.
    keep
        False for the lines of the box that do not count.
    skipped
        A bound of the sum over all lines left out.
    """

    window: Window
    start: Integers
    log_weight: Floats
    keep: NDArray[np.bool_]
    skipped: float


def _relevant_lines(coins: TiltedCoins, region: Region) -> _Lines:
    """Find where every line enters the region, and leave out those that do not count.

    Nothing is known of the region beyond the box of lines that are looked at, so the box is one
    that the *fair* law leaves with a probability that is small compared with the answer. On a line
    at u the sum is at most max(weight) P_tau(X_i = u_i), for each i < r, as weights decrease along
    the line.
    """
    fair, exponent = coins.fair(), coins.exponent[0]
    window = fair.box(LOG_TINY + exponent)[:-1]
    if math.prod(b - a + 1 for a, b in window) > MOST_LINES:
        raise CannotAnswer(
            f"more than {MOST_LINES} lines of the lattice count: too many for method='fourier'; "
            "use method='monte-carlo' or 'control-variate'"
        )
    skipped = float(np.exp(fair.log_mass_outside(window) - exponent))
    start = _thresholds(region, window, coins.low[-1], coins.high[-1])
    log_weight, mass = coins.level - coins.tilt[-1] * (start - coins.reference[-1]), np.zeros(())
    for axis, (low, high) in enumerate(window):
        u = np.arange(low, high + 1)
        away = coins.tilt[axis] * (u - coins.reference[axis])
        log_weight = log_weight - shaped(away, axis, start.ndim)
        mass = np.minimum(mass, shaped(coins.log_mass_beyond(axis, u), axis, start.ndim))
    entered = start <= coins.high[-1]
    keep = entered & (log_weight + mass > LOG_TINY - math.log(start.size))
    skipped += float(np.exp((log_weight + mass)[entered & ~keep]).sum())
    return _crop(_Lines(window, start, log_weight, keep, skipped))


def _crop(lines: _Lines) -> _Lines:
    """The smallest box around the lines that count."""
    if not lines.keep.any():
        return lines
    cuts, window = [], []
    for axis, (low, _) in enumerate(lines.window):
        others = tuple(i for i in range(lines.keep.ndim) if i != axis)
        live = np.flatnonzero(lines.keep.any(axis=others))
        first, last = int(live[0]), int(live[-1])
        cuts.append(slice(first, last + 1))
        window.append((low + first, low + last))
    at = tuple(cuts)
    return _Lines(tuple(window), lines.start[at], lines.log_weight[at], lines.keep[at], lines.skipped)


# -- the sum over lines and frequencies ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Ends:
    """Where each line's series begins and ends, clipped to the window, and its weights there.

    `sums` are the series at frequency zero, `first` and `last` the weights at `start` and just past
    the `stop`. Their exponents are exact, so they are within 16 ulp.
    """

    start: Integers
    stop: int
    first: Floats
    last: Floats
    sums: Floats


def _ends(coins: TiltedCoins, lines: _Lines, along: tuple[int, int]) -> _Ends:
    """Clip the lines to the window along the last coordinate and weigh their ends."""
    tau = float(coins.tilt[-1])
    stop = along[1] + 1
    start = np.maximum(lines.start, along[0])
    length = np.maximum(stop - start, 0)
    log_weight = lines.log_weight - tau * (start - lines.start)
    first = np.where(lines.keep & (length > 0), np.exp(log_weight), 0.0)
    sums = first * (np.expm1(-tau * length) / math.expm1(-tau) if tau > 0 else length)
    return _Ends(start, stop, first, first * np.exp(-tau * length), sums)


def _series(coins: TiltedCoins, support: Support, window: Window, ends: _Ends) -> tuple[float, float]:
    """The mean of phi_k F_k over the torus, and a bound of its rounding error."""
    phi, multiplicity, k = support.phi, support.multiplicity, support.k
    along, index = np.unique(k[:, -1], return_inverse=True)
    values = np.empty(len(k), dtype=np.complex128)
    ratio = _one_minus(float(coins.tilt[-1]), along, support.periods[-1])
    size = max(BLOCK // math.prod(support.periods[:-1]), 1)
    for i in range(0, len(along), size):
        series = _along_lines(coins.span[-1], support.periods[-1], along[i : i + size], ratio[i : i + size], ends)
        here = np.flatnonzero((index >= i) & (index < i + size))
        values[here] = _across_lines(series, support.periods, index[here] - i, k[here])
    for axis, (low, _) in enumerate(window):  # the transform began at the corner of the window
        values *= phases(k[:, axis] * (2 * low - coins.span[axis]), support.periods[axis])
    # Cauchy and Schwarz, then Parseval, for the error of F at each frequency along the lines
    weights = np.sqrt(np.bincount(index, np.abs(multiplicity * phi) ** 2))
    rounding = float(weights @ _transform_errors(support, along, ratio, ends))
    rounding += float(multiplicity @ ((support.error + 8 * EPS * np.abs(phi)) * np.abs(values)))
    terms = multiplicity * (phi * values).real
    # terms that overflowed have no sum, and `fsum` raises
    total = math.fsum(terms.tolist()) if np.isfinite(terms).all() else math.nan
    return total / support.volume, rounding * (1 + 1e-6) / support.volume


def _transform_errors(support: Support, along: Integers, ratio: Complexes, ends: _Ends) -> Floats:
    """Bounds of the Euclidean norm of the error of F over all k', for each k_r."""
    relative = transform_error(support.periods) + 32 * EPS
    flat = math.sqrt(float((ends.sums**2).sum()))
    steep = math.sqrt(float(((ends.first + ends.last) ** 2).sum()))
    lines = math.sqrt(math.prod(map(float, support.periods[:-1])))
    return relative * lines * np.where(along == 0, flat, steep / np.abs(ratio))


def _across_lines(series: Complexes, periods: tuple[int, ...], along: Integers, k: Integers) -> Complexes:
    """Transform over the lines, keeping of each coordinate the frequencies that live."""
    places = [along]
    for axis, period in enumerate(periods[:-1]):
        live, place = np.unique(k[:, axis], return_inverse=True)
        transformed = np.fft.fft(series, period, axis=axis + 1)
        series = np.take(transformed, live % period, axis=axis + 1)
        places.append(place)
    return series[tuple(places)]


def _along_lines(span: int, period: int, frequencies: Integers, ratio: Complexes, ends: _Ends) -> Complexes:
    """The geometric series of every line, for each frequency along it (the first axis)."""
    column = frequencies.reshape(-1, *(1,) * ends.start.ndim)
    turn = 2 * period
    series = phases(column * ((2 * ends.start - span) % turn), period)
    series *= ends.first
    series -= phases(column * ((2 * ends.stop - span) % turn), period) * ends.last
    series /= ratio.reshape(column.shape)
    series[frequencies == 0] = ends.sums
    return series


def _one_minus(tau: float, k: Integers, period: int) -> Complexes:
    """1 - exp(-tau - i omega_k) without cancellation; 1 at k = 0, where it is not used."""
    angle = k * (2 * math.pi / period)
    half = np.sin(angle / 2)
    real = -math.expm1(-tau) * np.cos(angle) + 2 * half * half
    return np.where(k == 0, 1.0, real + 1j * (math.exp(-tau) * np.sin(angle)))


# -- thresholds ------------------------------------------------------------------------------------


def _thresholds(region: Region, window: Window, low: int, high: int) -> Integers:
    """The first x_r in [low, high] inside on every line of a box; high + 1 where there is none."""
    axes = [np.arange(a, b + 1) for a, b in window]
    shape = tuple(map(len, axes))
    rows = np.unique(np.append(np.arange(0, shape[0], STRIDE), shape[0] - 1))
    coarse_lines = _grid([axes[0][rows], *axes[1:]])
    below = np.full(len(coarse_lines), low - 1)
    coarse = _bisect(region, coarse_lines, below, np.full_like(below, high + 1))
    guess = _between(rows, coarse.reshape(len(rows), -1), shape[0])
    return _gallop(region, _grid(axes), guess.ravel().clip(low, high), low, high).reshape(shape)


def _between(rows: Integers, known: Integers, n: int) -> Integers:
    """Interpolate linearly from some rows to all."""
    if len(rows) == 1:
        return known
    x = np.arange(n)
    at = np.minimum(np.searchsorted(rows, x, side="right"), len(rows) - 1) - 1
    part = ((x - rows[at]) / (rows[at + 1] - rows[at]))[:, None]
    guess: Integers = np.ceil(known[at] + part * (known[at + 1] - known[at])).astype(np.int64)
    return guess


def _grid(axes: list[Integers]) -> Integers:
    """All points of a box, one a row."""
    return np.stack([x.ravel() for x in np.meshgrid(*axes, indexing="ij")], axis=1)


def _inside(region: Region, lines: Integers, last: Integers) -> NDArray[np.bool_]:
    return region.contains(np.concatenate([lines, last[:, None]], axis=1))


def _bisect(region: Region, lines: Integers, below: Integers, above: Integers) -> Integers:
    """Close the brackets below < first point inside <= above."""
    while True:
        rest = np.flatnonzero(above - below > 1)
        if not len(rest):
            return above
        middle = (below[rest] + above[rest]) >> 1
        inside = _inside(region, lines[rest], middle)
        above[rest[inside]] = middle[inside]
        below[rest[~inside]] = middle[~inside]


def _gallop(region: Region, lines: Integers, guess: Integers, low: int, high: int) -> Integers:
    """Go from a guess in doubling steps until the threshold is bracketed, then bisect."""
    below, above = np.full(len(lines), low - 1), np.full(len(lines), high + 1)
    rest, test, stride = np.arange(len(lines)), guess, 1
    inside = down = _inside(region, lines, guess)
    while True:
        above[rest[inside]] = test[inside]
        below[rest[~inside]] = test[~inside]
        onward = (inside == down) & (above[rest] - below[rest] > 1)
        rest, test, down = rest[onward], test[onward], down[onward]
        if not len(rest):
            return _bisect(region, lines, below, above)
        test = np.where(down, test - stride, test + stride).clip(below[rest] + 1, above[rest] - 1)
        inside = _inside(region, lines[rest], test)
        stride *= 2
