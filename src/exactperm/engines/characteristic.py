"""The characteristic function of tilted coins at some frequencies, with a bound on what rounding does to it.

    phi_k exp(-i w_k a) = prod_j (q_j + p_j exp(i w_k v_j))^{c_j} exp(-i w_k a),      w_k = 2 pi k / P

as the logarithm of its modulus and as its phase. Angles are reduced modulo the circle in integers before any
elementary function sees them, and what is a multiple of a quantum of angle is added up in integers: the errors of many
factors would add up otherwise. Cost: frequencies x distinct steps.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.support import EXACT, Circle, residue, times_modulo
from exactperm.engines.tilt import EPS, SATURATED, Coins, Floats, Ints, Tilt, per_sum

__all__ = ["characteristic"]

#: elements evaluated at once: temporaries of this size stay in the cache
BLOCK = 1 << 14
#: pi, smaller by less than what is allowed for rounding, so that no angle is rounded past a half turn
HALF_TURN = math.pi * (1 - 4 * EPS)


def characteristic(
    coins: Coins, tilt: Tilt, circle: Circle, sums: NDArray[np.intp], k: Ints
) -> tuple[Floats, Floats, Floats]:
    """The logarithm of |phi_k|, the phase of phi_k exp(-i w_k a), and a bound on the error of both.

    The steps of a sum are taken in pieces that fit in the cache, cut alike whatever else is in the batch.
    """
    table = _Table.of(coins, tilt, circle)
    pieces = _Pieces.of(coins, sums)
    at_once = max(1, BLOCK // pieces.longest)
    parts = [
        table.sums(k[row], circle.size[sums[row]], pieces.start[i : i + at_once], pieces.length[i : i + at_once])
        for i in range(0, pieces.row.size, at_once)
        if (row := pieces.row[i : i + at_once]).size
    ]
    log_square, small, turns, error = (
        per_sum(np.concatenate(x), pieces.first) if len(x) > 1 else x[0] for x in zip(*parts, strict=True)
    )
    own = circle.size[sums]
    around = 2 * own
    turns = (turns.astype(np.int64) - 2 * times_modulo(k, coins.a[sums], own)) % around
    turns -= around * (turns > own)
    # operations, additions of terms in a piece, additions of pieces
    rounding = EPS * (64 + coins.depth + coins.number // BLOCK)
    return log_square / 2, small + np.pi * (turns / own), rounding[sums] * error


@dataclass(frozen=True)
class _Pieces:
    """The steps of each row's sum, at most `BLOCK` a piece: row, start and length of each, and each row's first."""

    row: NDArray[np.intp]
    start: NDArray[np.intp]
    length: NDArray[np.intp]
    first: NDArray[np.intp]
    longest: int

    @classmethod
    def of(cls, coins: Coins, sums: NDArray[np.intp]) -> _Pieces:
        length = coins.number[sums]
        longest = max(coins.number.tolist())
        rows = np.arange(len(sums))
        if longest <= BLOCK:
            return cls(rows, coins.start[sums], length, rows, longest)
        pieces = -(-length // BLOCK)
        row, first = rows.repeat(pieces), pieces.cumsum() - pieces
        offset = BLOCK * (np.arange(row.size) - first[row])
        start = coins.start[sums][row] + offset
        return cls(row, start, np.minimum(length[row] - offset, BLOCK), first, BLOCK)


@dataclass(frozen=True)
class _Table:
    """What a factor needs to be evaluated, per step.

    A factor is q + p exp(2is) = exp(is) (cos s + i t sin s) with s = pi k v / P and t = p - q. With T = tan s,

        log |.|^2 = log1p(-4 p q T^2 / (1 + T^2)),
        arg = s + arctan(t T)                         if t < 1/2,
            = 2 s - arctan(u T / (1 + t T^2))         if not, u = 1 - t,

    so that only small angles are ever rounded: the multiples of s add up in exact integers modulo 2 P.
    """

    step: NDArray[Any]
    w: Floats
    t: Floats
    u: Floats
    curve: Floats
    count: Ints
    signed: Ints
    multiple: NDArray[Any]

    @classmethod
    def of(cls, coins: Coins, tilt: Tilt, circle: Circle) -> _Table:
        u, curve, signed, multiple = tilt.t, 0 * tilt.t, coins.c, coins.c
        far = tilt.q < SATURATED
        if np.count_nonzero(far):
            u, curve = np.where(far, 2 * tilt.q, u), np.where(far, tilt.t, curve)
            signed, multiple = np.where(far, -signed, signed), np.where(far, 2 * multiple, multiple)
        # sums of them times residues are exact as doubles; where not, they are counted modulo 2 P, a whole turn
        exact = max(map(operator.mul, coins.n.tolist(), circle.size.tolist())) < EXACT
        multiple = multiple.astype(np.float64) if exact else multiple % (2 * circle.size[coins.owner])
        return cls(circle.step, 4 * tilt.p * tilt.q, tilt.t, u, curve, coins.c, signed, multiple)

    def sums(self, k: Ints, size: Ints, start: NDArray[np.intp], length: NDArray[np.intp]) -> tuple[Any, ...]:
        """For pieces of steps at frequencies k: sums of log |.|^2, small angles, multiples of s, sensitivities."""
        first = length.cumsum() - length
        if start[0] == start[-1]:  # the same steps in every row
            index: Any = slice(int(start[0]), int(start[0] + length[0]))
            k, size = k[:, None], size[:, None]
        else:
            index = np.arange(int(length.sum())) + (start - first).repeat(length)
            k, size = k.repeat(length), size.repeat(length)
        r = residue(k.astype(self.step.dtype), self.step[index], size)
        s = r * (HALF_TURN / size)
        tangent = np.tan(s)
        square = tangent * tangent
        u = self.u[index]
        z = self.w[index] * (square / (1 + square))
        gentle = np.minimum(z, 0.5)
        log_square = np.log1p(-gentle)
        angle = np.arctan(u * tangent / (1 + self.curve[index] * square))
        # log |.|^2 moves by z / (1 - z) times an error of z, the argument by u s / (1 - z) times one of s
        turning = u * np.abs(s)
        sensitivity = (z + turning) / (1 - gentle)
        steep = z > 0.5
        if np.count_nonzero(steep):
            t, square = np.broadcast_to(self.t[index], z.shape)[steep], square[steep]
            ratio = (1 + square) / (1 + t * t * square)
            log_square[steep] = -np.log(ratio)
            # log |.|^2 does not come from z here: it moves by at most 2 times a relative error of T, and by
            # z s / ((1 - z) T) times one of s, which is far less than z / (1 - z) near a quarter turn
            sensitivity[steep] = 2 + (z[steep] * np.abs(s[steep] / tangent[steep]) + turning[steep]) * ratio
        sensitivity += np.abs(angle) - log_square
        turns = self.multiple[index] * (r if self.multiple.dtype == np.float64 else r.astype(np.int64))
        count = self.count[index]
        terms = count * log_square, self.signed[index] * angle, turns, count * sensitivity
        return tuple(per_sum(x.ravel(), first) for x in terms)
