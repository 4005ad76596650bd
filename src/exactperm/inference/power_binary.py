"""Power where all differences have one size, as of 0/1 scores: a sum over the law of wins and losses.

The exact test sees W wins among the M units that differ and is McNemar's, the sign test: given M = m it rejects when
too many went one way. With k = k(m) the largest number with P(Binomial(m, 1/2) <= k) <= alpha / 2 (alpha for one side)
it rejects W >= m - k, W <= k, or both. Wins, losses and ties are trinomial, so that M is binomial(n, w + l), and given
M = m W is binomial(m, w / (w + l)):

    power(n) = sum_m P(M = m) R(m),     R(m) = P(rejects | M = m),

without any random number. m runs over the window in which P(M = m) is not negligible; as the ratio of neighbouring
binomial probabilities falls, what lies outside is less than a geometric series, and is carried as a bound. k(m) comes
from a normal quantile, moved until the binomial distribution function says that it is right; where that is within
1e-9 of the level it is compared in integers.

Cost: O(sqrt n) values of m, a millisecond at n = 10^5. Error: what is left out, and the rounding of the incomplete
beta function, taken to be within 1e-10 relative (Boost's is within 1e-13).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["BinaryTest", "Side", "binomial_window", "critical", "least_difference", "stays_above"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: on which side of zero a difference has to lie to be found
Side = Literal["both", "above", "below"]

#: units that differ up to which sample sizes are looked for
MOST_DIFFERING = 5 * 10**6
#: relative error that the incomplete beta function is allowed
ROUNDING = 1e-10
#: distance from the level, relative to it, within which integers decide
CLOSE = 1e-9
#: the window reaches so many standard deviations, and points, to either side
REACH, MORE = 9.5, 40


@dataclass(frozen=True)
class BinaryTest:
    """The exact test at a level, of units that A wins and loses with these probabilities.

    Examples
    --------
    >>> low, power, high = BinaryTest(0.06, 0.04, "both", Fraction(1, 20)).power(1000)
    >>> print(f"{power:.6f}")
    0.478724
    """

    win: float
    loss: float
    side: Side
    alpha: Fraction

    @property
    def discordance(self) -> float:
        """The probability that a unit differs."""
        return min(self.win + self.loss, 1.0)

    @cached_property
    def toward(self) -> float:
        """The probability that a unit that differs goes to A; to the one that is ahead, for both sides."""
        share = self.win / (self.win + self.loss) if self.win + self.loss else 0.5
        return {"both": max(share, 1 - share), "above": share, "below": 1 - share}[self.side]

    @property
    def level(self) -> Fraction:
        """The level of one side."""
        return self.alpha / 2 if self.side == "both" else self.alpha

    def power(self, units: int) -> tuple[float, float, float]:
        """The probability of a rejection with so many units, between two bounds."""
        first, law, outside = binomial_window(units, self.discordance)
        value = float(law @ self.rejections(first + np.arange(len(law))))
        return max(value * (1 - outside - ROUNDING), 0.0), min(value, 1.0), min(value * (1 + ROUNDING) + outside, 1.0)

    def rejections(self, m: Ints) -> Floats:
        """R(m): the probability of a rejection when m units differ."""
        from scipy.special import betainc

        k = critical(m, self.level)
        able = k >= 0
        chance = np.zeros(len(m))
        upper, lower = (m - k)[able], (k + 1)[able].astype(np.float64)
        chance[able] = betainc(upper, lower, self.toward)  # P(W >= m - k)
        if self.side == "both":
            chance[able] += betainc(upper, lower, 1 - self.toward)  # P(W <= k)
        return chance


def binomial_window(n: int, p: float) -> tuple[int, Floats, float]:
    """The first point, the probabilities, and the mass outside of a window that holds almost all of binomial(n, p)."""
    if p <= 0 or p >= 1:
        return (0 if p <= 0 else n), np.ones(1), 0.0
    mode = min(math.floor((n + 1) * p), n)
    reach = math.ceil(REACH * math.sqrt(n * p * (1 - p))) + MORE
    low, high = max(mode - reach, 0), min(mode + reach, n)
    odds = p / (1 - p)
    up, down = np.arange(mode, high + 1), np.arange(mode, low - 1, -1)
    rising = (n - up) / (up + 1.0) * odds  # P(m + 1) / P(m)
    falling = down / (n - down + 1.0) / odds  # P(m - 1) / P(m)
    above, below = np.cumprod(rising[:-1]), np.cumprod(falling[:-1])
    weights = np.concatenate([below[::-1], [1.0], above])
    total = float(weights.sum())
    # ratios fall away from the mode: beyond the last weight a geometric series is more
    outside = sum(
        float(end[-1] if len(end) else 1.0) * ratio / (1 - ratio)
        for end, ratio in ((above, float(rising[-1])), (below, float(falling[-1])))
        if ratio
    )
    return low, weights / total, outside / total


def critical(m: Ints, level: Fraction) -> Ints:
    """k(m): the largest k with P(Binomial(m, 1/2) <= k) <= level, -1 if there is none."""
    from scipy.special import ndtri

    start = np.floor(m / 2 + float(ndtri(float(level))) * np.sqrt(m) / 2 - 0.5)
    k = np.clip(start, -1, m - 1).astype(np.int64)
    moving = np.arange(len(m))
    while moving.size:  # up as long as the next one is good as well
        moving = moving[k[moving] + 1 < m[moving]]
        moving = moving[_at_most(k[moving] + 1, m[moving], level)]
        k[moving] += 1
    moving = np.flatnonzero(k >= 0)
    while moving.size:  # down as long as this one is not
        moving = moving[(k[moving] >= 0)]
        moving = moving[~_at_most(k[moving], m[moving], level)]
        k[moving] -= 1
    return k


def _at_most(k: Ints, m: Ints, level: Fraction) -> NDArray[np.bool_]:
    """Whether P(Binomial(m, 1/2) <= k) <= level, for 0 <= k < m."""
    from scipy.special import betainc

    if level == Fraction(1, 2):  # by symmetry
        return np.asarray(2 * k < m)
    excess = betainc((m - k).astype(np.float64), k + 1.0, 0.5) / float(level) - 1
    answer = excess <= 0
    for i in np.flatnonzero(np.abs(excess) < CLOSE).tolist():
        answer[i] = _sum_of_binomials(int(m[i]), int(k[i])) * level.denominator <= level.numerator << int(m[i])
    return np.asarray(answer)


def _sum_of_binomials(m: int, k: int) -> int:
    """C(m, 0) + ... + C(m, k)."""
    term = total = 1
    for i in range(k):
        term = term * (m - i) // (i + 1)
        total += term
    return total


def stays_above(test: BinaryTest, wanted: float) -> int:
    """The smallest number of units from which on the power never falls below `wanted`.

    The power of a discrete test rises in a saw-tooth. With G(m) = E R(m + M0), M0 the number of the first n0 units that
    differ, let S(m) be the smallest of G(m), G(m + 1), ...: it rises, and the number of the other units that differ
    grows stochastically with n, so that its mean E S rises as well and is a lower bound of the power of *all* larger n.
    Where that bound passes `wanted` the search starts; it goes down from there as long as the power itself is enough.

    Beyond the last m that is computed Hoeffding's inequality (1963, theorem 2) takes over:

        1 - R(m) <= exp(-2 (sqrt(m) (t - 1/2) - sqrt(log(1 / level) / 2))^2),     t the probability of a win,

    because k(m) + 1 > m / 2 - sqrt(m log(1 / level) / 2), by the same inequality.
    """
    ahead, cap = test.toward - 0.5, (1 + wanted) / 2
    roots = math.sqrt(-math.log(test.level) / 2), math.sqrt(-math.log(1 - cap) / 2)
    last = 2 * math.ceil((sum(roots) / ahead) ** 2) + 100
    if last > MOST_DIFFERING:
        raise ValueError(f"the difference is too small to plan for: some {last:.0e} items that differ would be needed")
    chance = test.rejections(np.arange(last + 1))
    typical = int(np.argmax(chance >= wanted))  # about as many have to differ
    least, first_units = _least_to_come(test, chance, cap, int(typical / test.discordance / 2))

    def surely(units: int) -> bool:
        return _mean(test, least, units - first_units) >= wanted

    bottom, top = first_units, max(first_units, 1)
    while not surely(top):
        bottom, top = top, 2 * top
    while top - bottom > 1:
        middle = (top + bottom) // 2
        bottom, top = (bottom, middle) if surely(middle) else (middle, top)
    while top > 1 and _mean(test, chance, top - 1) >= wanted:
        top -= 1
    return top


def _least_to_come(test: BinaryTest, chance: Floats, cap: float, units: int) -> tuple[Floats, int]:
    """S(m), at most `cap`, and the number n0 of units over which it was smoothed."""
    first, law, _ = binomial_window(units, test.discordance)
    size = len(chance) + len(law)
    padded = np.concatenate([chance, np.full(size - len(chance), cap)])
    smooth = np.fft.irfft(np.fft.rfft(padded) * np.conj(np.fft.rfft(law, size)), size)[first : len(chance)]
    return np.minimum(np.minimum.accumulate(smooth[::-1])[::-1], cap), units


def _mean(test: BinaryTest, values: Floats, units: int) -> float:
    """Sum_m P(M = m) values(m), whose last entry holds for all larger m."""
    first, law, _ = binomial_window(units, test.discordance)
    return float(law @ values[np.minimum(first + np.arange(len(law)), len(values) - 1)])


def least_difference(test: BinaryTest, units: int, wanted: float) -> tuple[float, float]:
    """The smallest difference between win and loss that is found with this power, between two neighbours.

    Of tests with the same probability of a difference. R(m) rises with the probability t > 1/2 of a win: the
    derivative of P(W >= m - k) + P(W <= k) is m C(m-1, k) ((t^(m-k-1) (1-t)^k - t^k (1-t)^(m-k-1)) >= 0 as k < m / 2.
    """
    apart = test.discordance

    def enough(difference: float) -> bool:
        win, loss = (apart + difference) / 2, (apart - difference) / 2
        moved = BinaryTest(*((loss, win) if test.side == "below" else (win, loss)), test.side, test.alpha)
        return moved.power(units)[1] >= wanted

    if not enough(apart):
        best = BinaryTest(apart, 0.0, "above", test.level).power(units)[1]
        raise ValueError(
            f"no difference is found with probability {wanted:g}: even if every item that differs went one way, "
            f"it would be {best:.3g}; take more items, a lower power, or systems that agree less"
        )
    low, high = 0.0, apart
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return low, high
