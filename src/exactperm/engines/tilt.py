"""Exponential tilting of sums of independent coins, for many sums at once.

X = sum_n b_n v_n with fair coins b_n has its mean in the middle of its range. Under the tilt tau each coin shows one
with probability p = 1 / (1 + exp(-tau v)), and with the cumulant K(tau) = sum c log((1 + exp(tau v)) / 2)

    P(X = x) = exp(K(tau) - tau x) P_tau(X = x)                                                  for every tau,

so a far tail becomes a factor known to full relative precision times a probability of ordinary size (Esscher 1932;
Keich 2005). `Coins` holds several such sums back to back; `Tilt` the tilted coins of each, the exponent, and the
window outside which Chernoff's bound leaves less than a stated mass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Coins", "Tilt", "depth", "per_sum"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: unit roundoff of a double; an elementary function is taken to be within 4 ulp, which is 8 of these
EPS = 2.0**-53
#: a coin that shows zero less often than this is described by what it lacks
SATURATED = 0.25
#: stands for probabilities that underflow
TINY = 1e-300
#: a tilted mean this close to the threshold, in standard deviations, is as good as equal: every tilt is exact
CLOSE = 0.03


@dataclass(frozen=True)
class Coins:
    """Several sums X = sum_n b_n v_n, their steps back to back and rising, and a threshold a >= mean for each."""

    v: Ints
    c: Ints
    #: v and c v as doubles
    step: Floats
    weight: Floats
    start: NDArray[np.intp]
    owner: NDArray[np.intp]
    a: Ints
    span: Ints
    n: Ints
    #: steps of each sum, and additions that one goes through
    number: NDArray[np.intp]
    depth: Floats

    @classmethod
    def of(cls, sums: Sequence[tuple[Ints, Ints]], thresholds: Sequence[int]) -> Coins:
        """Lay out sums given by their positive steps, in rising order, and counts."""
        if len(sums) == 1:
            (v, c), number = sums[0], np.array([len(sums[0][0])])
        else:
            v, c = (np.concatenate(x) for x in zip(*sums, strict=True))
            number = np.array([len(v) for v, _ in sums])
        start = number.cumsum() - number
        span, n = np.add.reduceat(v * c, start), np.add.reduceat(c, start)
        owner = np.arange(len(sums)).repeat(number)
        step, a = v.astype(np.float64), np.array(thresholds, dtype=np.int64)
        return cls(v, c, step, c * step, start, owner, a, span, n, number, depth(number))


def per_sum(terms: NDArray[Any], start: NDArray[np.intp]) -> NDArray[Any]:
    """Add up each sum's terms, in an order that does not depend on what lies beside them."""
    return np.add.reduceat(terms, start, axis=-1)


def depth(terms: NDArray[Any]) -> Floats:
    """Additions that any one of so many terms goes through in `per_sum`, at most.

    NumPy adds pairwise: eight running sums over blocks of 128, blocks in a binary tree (Higham 2002, section 4.2). So
    EPS times this bounds the relative error of a sum of positive terms, and each sum's bound is its own.
    """
    return np.array([min(number, 26) + math.log2(max(number, 128)) - 7 for number in terms.tolist()])


@dataclass(frozen=True)
class Tilt:
    """Tilted coins: one entry a sum in `tau`, `excess`, `variance`, `exponent`; one a step in `p`, `q`, `t`."""

    tau: Floats
    p: Floats
    q: Floats
    #: p - q without cancellation
    t: Floats
    #: E_tau X - a, which the choice of tau made small but not zero
    excess: Floats
    variance: Floats
    #: K(tau) - tau a, and a bound on its rounding error
    exponent: Floats
    exponent_error: Floats

    @classmethod
    def to_thresholds(cls, coins: Coins) -> Tilt:
        """Tilt each sum so that its mean is close to its threshold, mean <= a < span."""
        tau, (p, q, t), (excess, excess_error), variance = _solve(coins)
        relative_entropy = per_sum(coins.c * _relative_entropy(tau[coins.owner] * coins.step, q, t), coins.start)
        shift = tau * excess
        # 32: an error of t moves x t + log1p(-t^2) / 2 by at most 16, the other operations add less than 16
        error = EPS * ((32 + coins.depth) * relative_entropy + 4 * np.abs(shift)) + tau * excess_error
        return cls(tau, p, q, t, excess, variance, shift - relative_entropy, error)

    def windows(self, coins: Coins, log_mass: float) -> tuple[Ints, Ints]:
        """Distances (below, above) from a, with P_tau(a - X > below) and P_tau(X - a > above) <= exp(-log_mass).

        Chernoff: P(X - EX >= y) <= exp(psi(lam) - lam y) for every lam > 0, psi the centred cumulant. The best lam
        solves lam psi'(lam) - psi(lam) = log_mass; a lam that is off only makes the window wider.
        """
        weight = np.array((self.p, self.q))  # below, above
        other = weight[::-1]
        v, c, cv, owner = coins.step, coins.c, coins.weight, coins.owner
        cvv = cv * v
        widest = log_mass / v[coins.start]
        lam = np.minimum(np.sqrt(2 * log_mass / self.variance), widest)
        lam = np.array((lam, lam))
        reach: Any = math.inf
        slack = EPS * (24 + coins.depth)
        for _ in range(12):
            x = lam[:, owner] * v
            e = weight * np.exp(-x)
            denominator = other + e + TINY  # larger than the truth, so psi stays a bound
            tilted = e / denominator
            drift = c * (x * weight)
            linear = per_sum(drift, coins.start)
            psi = per_sum(drift + c * np.log(denominator), coins.start)
            # psi itself is rounded: each logarithm is of a number near one, each term by what enters it
            psi += slack * (coins.n + linear)
            reach = np.fmin(reach, (psi + log_mass) / lam)
            # the reach is stationary: within a percent of its best where lam is within a sixteenth of its own. Of the
            # normal law psi is log_mass there, and by as much as it is off with the third cumulant, lam is too
            near = np.abs(psi - log_mass) <= log_mass / 16
            if np.count_nonzero(near) == near.size:
                break
            slope = per_sum(cv * (weight - tilted), coins.start)
            curvature = per_sum(cvv * (tilted * (1 - tilted)), coins.start)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                step = (lam * slope - psi - log_mass) / (lam * curvature)
            settled = np.abs(step) <= lam / 16
            if np.count_nonzero(settled) == settled.size:
                break
            target = np.where(np.isfinite(step), lam - step, 4 * lam)
            lam = np.where(settled, lam, np.clip(target, lam / 4, 4 * lam))
        wanted = np.ceil(reach + np.array((-self.excess, self.excess))) + 1
        below, above = np.minimum(wanted, np.array((coins.a, coins.span - coins.a))).astype(np.int64)
        return below, above


def _solve(
    coins: Coins,
) -> tuple[Floats, tuple[Floats, Floats, Floats], tuple[Floats, Floats], Floats]:
    """Solve E_tau X = a by Newton's method, kept inside a bracket and hurried where it crawls.

    The mean is concave in tau >= 0, so Newton's steps from the left never overshoot, but over steps of very
    different size they crawl: then the geometric mean of the bracket is taken. The upper end: span - a = sum c v q
    <= span exp(-tau min v).
    """
    v, cv = coins.step, coins.weight
    cvv = cv * v
    second = per_sum(cvv, coins.start)
    low = (2 * coins.a - coins.span) * 2 / second
    high = np.maximum(np.log(coins.span / (coins.span - coins.a)) / v[coins.start], low)
    # one term more of the series of the mean in tau, as far as it can be trusted
    cubic = low * low * per_sum(cvv * (v * v), coins.start) / (12 * second)
    tau = np.minimum(low * (1 + np.minimum(cubic, 0.1)), high)
    before: Any = math.inf
    for _ in range(200):
        y = tau[coins.owner] * v
        e = np.exp(-y)
        p = 1 / (1 + e)
        q, t = e * p, -np.expm1(-y) * p
        variance = per_sum(cvv * (p * q), coins.start)
        excess, error = _excess(coins, cv, q, t)
        done = np.abs(excess) <= np.maximum(CLOSE * np.sqrt(variance), error)
        done |= high <= low * (1 + 4 * EPS)
        if np.count_nonzero(done) == done.size:
            break
        low, high = np.where(excess < 0, tau, low), np.where(excess > 0, tau, high)
        newton = tau - excess / variance
        crawling = np.abs(excess) > before / 2
        inside = (newton > low) & (newton < high) & ~crawling
        before = np.where(crawling, np.inf, np.abs(excess))
        tau = np.where(done, tau, np.where(inside, newton, np.sqrt(low * high)))
    return tau, (p, q, t), (excess, error), variance


def _excess(coins: Coins, cv: Floats, q: Floats, t: Floats) -> tuple[Floats, Floats]:
    """E_tau X - a without cancellation, and a bound on its error.

    2 E X - span = sum c v t. Coins that nearly always show one enter as the exact integer c v minus 2 c v q.
    """
    saturated = q < SATURATED
    exact = coins.span - 2 * coins.a
    terms = cv * t
    if np.count_nonzero(saturated):
        exact = exact + per_sum(np.where(saturated, coins.c * coins.v, 0), coins.start)
        terms = np.where(saturated, -2 * cv * q, terms)
    total = (exact + per_sum(terms, coins.start)) / 2
    size = per_sum(np.abs(terms), coins.start)
    return total, EPS * ((16 + coins.depth) * size / 2 + 2 * np.abs(total))


def _relative_entropy(y: Floats, q: Floats, t: Floats) -> Floats:
    """KL(p || 1/2) of a coin with p = 1 / (1 + exp(-y)), y >= 0, to full relative precision.

    With x = y / 2 and t = tanh x it is x t + log1p(-t^2) / 2, which cancels for large x; there it is log 2 - H(p).
    """
    small = q > SATURATED / 2
    if np.count_nonzero(small) == small.size:
        return y / 2 * t + np.log1p(-(t * t)) / 2
    near_half = y / 2 * t + np.log1p(-np.where(small, t * t, 0.0)) / 2
    return np.where(small, near_half, math.log(2.0) - np.log1p(np.exp(-y)) - y * q)
