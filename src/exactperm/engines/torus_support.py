"""The characteristic function of tilted coins on a torus, where it is not negligible.

On a torus of P_1 x ... x P_r points with frequencies omega_k = 2 pi k / P (coordinate by
coordinate) the law of X, measured from its centre c, has the characteristic function

    phi_k = prod_j (cos(a_j) + i t_j sin(a_j))^c_j,    a_j = omega_k . y_j / 2,
    |phi_k|^2 = prod_j (1 - s_j sin(a_j)^2)^c_j,       t_j = tanh(tau . y_j / 2), s_j = 1 - t_j^2.

Nearly all phi_k are zero to any precision, but resonances exist and it must be proved: branch and
bound over boxes of k. In a box with centre kappa and half-widths w the angle of factor j stays
within sum_i |y_ji| w_i pi / P_i of its value at kappa, so |sin| is at least its value at the
nearest admissible angle; every factor is at most one, so any subset of factors bounds the product.
A box is dropped when its bound times its size is negligible, and the sum of what was dropped is
kept, a bound of the whole truncation error. What survives is evaluated. phi at -k is the conjugate,
so half of the frequencies do.

Cost: (boxes) x (steps in the bound) + (live frequencies) x (distinct steps); for r = 2 about 1,500
frequencies are live whatever the number of items. It fails when few coins have large unrelated
steps: then all frequencies live.

Angles are rational multiples of pi, reduced in integers, so that sines and cosines have full
relative accuracy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.base import CannotAnswer
from exactperm.engines.torus_tilt import TiltedCoins, Window

__all__ = [
    "EPS",
    "Estimate",
    "Support",
    "angles_are_exact",
    "expected_frequencies",
    "live_support",
    "phases",
    "row_sums",
    "shaped",
    "transform_error",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

EPS = 2.0**-52
#: a box is dropped when its size times its bound is below this
LOG_NEGLIGIBLE = math.log(1e-18)
#: the bound of a box uses this many steps, the strongest ones
STRONGEST = 32
#: entries of one temporary array, so that a few of them stay in the second-level cache
BLOCK = 1 << 14
#: boxes alive at once beyond which the search is given up
MOST_BOXES = 1 << 22


@dataclass(frozen=True)
class Estimate:
    """A number and a bound of its error."""

    value: float
    error: float


@dataclass(frozen=True, eq=False)
class Support:
    """The live half of the characteristic function.

    Attributes
    ----------
    periods
        P_1, ..., P_r.
    k
        (K, r) integer frequencies, -P_i/2 < k_i <= P_i/2 and k_r >= 0.
    phi
        (K,) their complex values.
    error
        (K,) bounds of the rounding error of `phi`.
    multiplicity
        (K,) 2 where the conjugate at -k is left out, else 1.
    dropped
        A bound of the sum of |phi| over all frequencies that are left out, on either side.
    """

    periods: tuple[int, ...]
    k: Integers
    phi: NDArray[np.complex128]
    error: Floats
    multiplicity: Floats
    dropped: float

    @property
    def volume(self) -> float:
        """The number of points of the torus."""
        return math.prod(map(float, self.periods))


def live_support(coins: TiltedCoins, window: Window) -> Support:
    """Find all frequencies whose characteristic value is not negligible, and evaluate it there.

    The torus is the smallest that covers the window and has periods that are good for transforms.
    """
    periods = tuple(_smooth(high - low + 1) for low, high in window)
    if not angles_are_exact(coins, periods):
        raise CannotAnswer(
            "the effects are too large for their number for method='fourier'; "
            "use method='monte-carlo', or 'enumeration' if there are few of them"
        )
    k, dropped = _search(coins, periods)
    log_size, phase, turn = _characteristic(coins, periods, k)
    live = log_size > LOG_NEGLIGIBLE
    dropped += 2 * float(np.exp(log_size[~live]).sum()) * (1 + 1e-6)
    k, log_size, phase, turn = k[live], log_size[live], phase[live], turn[live]
    # each factor's logarithm is within 40 ulp and its argument within 24 ulp, relative; then they
    # are summed
    relative = EPS * (8 + (40 + len(coins.counts)) * (turn - log_size))
    size = np.exp(log_size)
    multiplicity = np.where((k[:, -1] == 0) | (2 * k[:, -1] == periods[-1]), 1.0, 2.0)
    return Support(periods, k, size * np.exp(1j * phase), size * relative, multiplicity, dropped)


def angles_are_exact(coins: TiltedCoins, periods: tuple[int, ...]) -> bool:
    """Tell whether numerators of all angles are below 2^53, so that float64 holds them exactly."""
    return math.prod(periods) * int(np.abs(coins.steps).sum(axis=1).max()) < 2**53


def expected_frequencies(coins: TiltedCoins, periods: tuple[int, ...]) -> float:
    """Estimate how many frequencies live.

    Those in an ellipsoid, or nearly all if the coins are too few to kill one: near zero log|phi| is
    -omega . cov . omega / 2; far from it a factor with unrelated angle loses log 2 on average.
    """
    volume = math.prod(map(float, periods)) / 2
    few = math.log(2) * float(coins.counts @ coins.sech2) < -LOG_NEGLIGIBLE
    determinant = float(np.linalg.det(coins.covariance))
    if few or determinant <= 0:
        return volume
    r = coins.rank
    ball = math.pi ** (r / 2) / math.gamma(r / 2 + 1) * (-2 * LOG_NEGLIGIBLE) ** (r / 2)
    inside = ball / math.sqrt(determinant) / (2 * math.pi) ** r
    return float(volume * min(inside, 1.0))


def shaped(x: Floats, axis: int, ndim: int) -> Floats:
    """A vector as an array that broadcasts along one axis of `ndim`."""
    return x.reshape([-1 if i == axis else 1 for i in range(ndim)])


def phases(numerators: Integers, period: int) -> NDArray[np.complex128]:
    """exp(-i pi n / period) for integers n, reduced before any rounding; by a table if it pays."""
    turn = 2 * period
    reduced = numerators - turn * ((numerators + period) // turn)  # below half a turn
    unit = -1j * math.pi / period
    if reduced.size <= turn:
        return np.asarray(np.exp(reduced * unit))
    half = np.arange(-period, period)
    return np.asarray(np.exp(half * unit)[reduced + period])


def _smooth(n: int) -> int:
    """The smallest integer from n on without prime factors above 5: good for transforms."""
    while True:
        rest = n
        for prime in (2, 3, 5):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return n
        n += 1


def transform_error(periods: tuple[int, ...]) -> float:
    """The relative error, in the Euclidean norm, of fast Fourier transforms of these lengths.

    Each stage adds less than 4 ulp (Higham 2002, theorem 24.2), phases to shift the origin 16 ulp.
    """
    return EPS * sum(4 * (math.log2(p) + 2) + 16 for p in periods)


def _products(rows: Floats, columns: Floats) -> Floats:
    """A product over the r coordinates: few, so that a library's threads would only cost time."""
    total: Floats = rows[:, :1] * columns[0]
    for i in range(1, len(columns)):
        total += rows[:, i : i + 1] * columns[i]
    return total


def row_sums(terms: Floats, weights: Floats) -> Floats:
    """The weighted sum of each row, in one thread and always in the same order."""
    return np.asarray(np.einsum("ij,j->i", terms, weights))


# -- the search ------------------------------------------------------------------------------------


def _search(coins: TiltedCoins, periods: tuple[int, ...]) -> tuple[Integers, float]:
    """Branch and bound from the whole half torus down to single frequencies."""
    first = [-((p - 1) // 2) for p in periods]
    first[-1] = 0
    low = np.array([first], dtype=np.int64)
    high = np.array([[p // 2 for p in periods]], dtype=np.int64)
    bound = _BoxBound(coins, periods)
    dropped, points = 0.0, [low[:0]]
    while len(low):
        mass = bound(low, high) + np.log((high - low + 1).astype(np.float64)).sum(axis=1)
        live = mass > LOG_NEGLIGIBLE
        dropped += 2 * float(np.exp(mass[~live]).sum())
        low, high = low[live], high[live]
        single = (low == high).all(axis=1)
        points.append(low[single])
        low, high = _split(low[~single], high[~single])
        if len(low) > MOST_BOXES:
            raise CannotAnswer(
                f"more than {MOST_BOXES} frequencies are alive: the effects are too large and too "
                "unrelated for method='fourier'; use method='monte-carlo', or 'enumeration' if "
                "there are few of them"
            )
    return np.concatenate(points), dropped


def _split(low: Integers, high: Integers) -> tuple[Integers, Integers]:
    """Halve every box in every coordinate that is longer than one."""
    for axis in range(low.shape[1]):
        middle = (low[:, axis] + high[:, axis]) >> 1
        left, right = high.copy(), low.copy()
        left[:, axis], right[:, axis] = middle, middle + 1
        proper = right[:, axis] <= high[:, axis]
        low = np.concatenate([low, right[proper]])
        high = np.concatenate([left, high[proper]])
    return low, high


class _BoxBound:
    """Upper bounds of log|phi| over boxes of frequencies."""

    def __init__(self, coins: TiltedCoins, periods: tuple[int, ...]) -> None:
        strength = coins.counts * coins.sech2
        strongest = np.sort(np.argsort(-strength, kind="stable")[:STRONGEST])
        self.turns = coins.steps[strongest].T / np.array(periods, dtype=np.float64)[:, None]
        self.counts = coins.counts[strongest].astype(np.float64)
        self.sech2 = coins.sech2[strongest]

    def __call__(self, low: Integers, high: Integers) -> Floats:
        """One bound per box, in blocks that stay in the cache."""
        size = max(BLOCK // len(self.counts), 1)
        blocks = [self._block(low[i : i + size], high[i : i + size]) for i in range(0, len(low), size)]
        return np.concatenate(blocks)

    def _block(self, low: Integers, high: Integers) -> Floats:
        turns = _products((low + high) / 2, self.turns)
        sweep = _products((high - low) / 2, np.abs(self.turns))
        # turns may be the small difference of large products: their rounding is that of the products
        largest = _products(np.maximum(np.abs(low), np.abs(high)), np.abs(self.turns))
        nearest = np.abs(turns - np.rint(turns))
        # the factors' zeros lie at whole turns: |sin| is at least its value at the nearest
        # admissible angle
        nearest = np.maximum(nearest - sweep - EPS * (8 * largest + 8), 0.0)
        sine = np.sin(math.pi * nearest)
        logs = np.log1p(-np.minimum(self.sech2 * sine * sine, 1 - EPS))
        return row_sums(logs, self.counts) * (0.5 * (1 - 1e-9))


# -- evaluation ------------------------------------------------------------------------------------


def _characteristic(coins: TiltedCoins, periods: tuple[int, ...], k: Integers) -> tuple[Floats, Floats, Floats]:
    """log|phi|, arg phi and the sum of the magnitudes of the factors' arguments."""
    half = math.prod(periods)  # angles are pi n / half, with integers n below 2^53: exact in float64
    steps = (coins.steps * [half // p for p in periods]).T.astype(np.float64)
    counts = coins.counts.astype(np.float64)
    odd = (coins.counts & 1).astype(np.float64)
    frequencies = k.astype(np.float64)
    results = np.empty((3, len(k)))
    size = max(BLOCK // len(counts), 1)
    for i in range(0, len(k), size):
        angles = _products(frequencies[i : i + size], steps)
        turns = np.rint(angles / half)
        angles -= turns * half
        sine, cosine = _sine_and_cosine(angles, half)
        argument = np.arctan2(coins.tanh * sine, cosine)
        results[0, i : i + size] = row_sums(_log_squared(sine, cosine, coins), counts / 2)
        # an odd number of half turns, an odd number of times, is a change of sign
        flips = row_sums(np.abs(turns) % 2, odd) % 2
        results[1, i : i + size] = row_sums(argument, counts) + math.pi * flips
        results[2, i : i + size] = row_sums(np.abs(argument), counts)
    return results[0], results[1], results[2]


def _sine_and_cosine(angles: Floats, half: int) -> tuple[Floats, Floats]:
    """Sine and cosine of pi n / half, |n| <= half / 2, each to full relative accuracy."""
    sine = np.sin(angles * (math.pi / half))
    square = sine * sine
    cosine = np.sqrt(np.maximum(1 - square, 0.0))
    steep = square > 0.5
    if steep.any():
        complement = half - 2 * np.abs(angles[steep])
        cosine[steep] = np.sin(complement * (math.pi / (2 * half)))
    return sine, cosine


def _log_squared(sine: Floats, cosine: Floats, coins: TiltedCoins) -> Floats:
    """log(1 - sech2 sin^2) of every factor, from whichever of its two forms does not cancel."""
    loss = coins.sech2 * (sine * sine)
    deep = loss > 0.5
    if not deep.any():
        return np.log1p(-loss)
    logs = np.log1p(-np.minimum(loss, 0.5))
    left = cosine * cosine + (coins.tanh * sine) ** 2
    logs[deep] = np.log(np.maximum(left[deep], 1e-300))  # the floor is only met where the factor is zero
    return logs
