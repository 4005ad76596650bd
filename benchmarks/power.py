"""Power curves: how long they take, every answer asserted.

    python benchmarks/power.py [--check 100000]

Exact powers are compared with the sum over all tables of wins and losses, in fractions; simulated ones with `--check`
simulations at one size, which have to be within five standard deviations of the noise of both. Printed: a curve of 10
values of n with 2,000 simulated tests each, exact curves, and sample sizes.
"""

import argparse
import math
import time
from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

import exactperm as xp

ALPHA = Fraction(1, 20)


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """The answer, and the time it took."""
    start = time.perf_counter()
    answer = run()
    return answer, time.perf_counter() - start


def require(condition: bool, what: str) -> None:
    """Stop with what is wrong."""
    if not condition:
        raise SystemExit(f"wrong: {what}")


def enumerated(n: int, win: Fraction, loss: Fraction) -> float:
    """The power of the two-sided exact sign test as a sum over all tables."""
    total = Fraction(0)
    for m in range(n + 1):
        tail = Fraction(0)
        for k in range(m // 2 + 1):
            tail += Fraction(comb(m, k), 2**m)
            if 2 * k == m or 2 * tail > ALPHA:
                break
            both = win ** (m - k) * loss**k + win**k * loss ** (m - k)
            total += comb(n, m) * comb(m, k) * both * (1 - win - loss) ** (n - m)
    return float(total)


def main() -> None:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description="Time power curves.")
    parser.add_argument("--check", type=int, default=100_000)
    check = parser.parse_args().check
    law = {"p_a": 0.71, "p_b": 0.51, "agreement": 0.6}
    for n in (10, 40, 80):
        exact = enumerated(n, Fraction(3, 10), Fraction(1, 10))
        require(abs(xp.power(**law, n=n).power - exact) < 1e-13, f"power at {n}, the sum over all tables is {exact}")
    print("exact powers equal the sums over all tables at n = 10, 40, 80")

    sizes = [100, 300, 500, 700, 900, 1100, 1300, 1500, 1700, 2000]
    rng = np.random.default_rng(0)
    a, b = rng.binomial(12, 0.57, 1000), rng.binomial(12, 0.54, 1000)
    curve, seconds = timed(lambda: xp.power(a, b, n=sizes, rng=0))
    print(f"{'integer scores, 10 sizes, 2,000 tests each':48} {seconds:8.2f} s   bar: <= 10 s")
    many, slow = timed(lambda: xp.power(a, b, n=900, n_simulations=check, rng=1))
    p = many.power
    noise = 5 * math.sqrt(p * (1 - p) * (1 / 2000 + 1 / check))
    require(abs(curve.power[4] - p) < noise, f"power at 900: {curve.power[4]}, and {p} of {check} simulations")
    print(f"{f'  {check:,} tests at n = 900':48} {slow:8.2f} s   {p:.4f}, the curve has {curve.power[4]:.4f}")

    powers, seconds = timed(lambda: xp.power(p_a=0.81, p_b=0.79, agreement=0.9, n=[10 * n for n in sizes]))
    require(bool((np.diff(powers.power) > 0).all()), "the exact curve does not rise")
    print(f"{'0/1 scores, exact, 10 sizes up to 20,000':48} {seconds:8.4f} s")
    _, seconds = timed(lambda: xp.power(p_a=0.801, p_b=0.8, agreement=0.9, n=100_000))
    print(f"{'0/1 scores, exact, n = 100,000':48} {seconds:8.4f} s")
    for p_a in (0.81, 0.802):
        size, seconds = timed(lambda p_a=p_a: xp.sample_size(p_a=p_a, p_b=0.8, agreement=0.9))
        before = xp.power(p_a=p_a, p_b=0.8, agreement=0.9, n=size.n - 1).power
        require(before < 0.8 <= size.power, f"{size.n} is not the smallest size")
        print(f"{f'0/1 scores, exact sample size, {size.n:,}':48} {seconds:8.4f} s")


if __name__ == "__main__":
    main()
