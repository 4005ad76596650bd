"""The two claims every exact answer makes: it is right (converged), and it knows how right it is (honest)."""

from __future__ import annotations

import math
from fractions import Fraction

import flint

from exactperm.engines.base import Tail
from exactperm.result import TestResult
from problems import BITS, log_ball

#: relative error of a p-value, and relative width of its interval, for p-values from 1 down to 1e-300
ERROR, WIDTH = 1e-11, 2e-11
LEAST = 1e-300
#: the smallest positive double
SMALLEST = 5e-324


def relative_error(log_estimate: float, log_exact: flint.arb) -> float:
    """|estimate / exact - 1| of a probability given by its logarithm."""
    with flint.ctx.workprec(BITS):
        return abs(float((flint.arb(log_estimate) - log_exact).expm1()))


def allowance(log_exact: flint.arb) -> float:
    """The factor by which the bounds grow below 1e-300, where the last digit of the logarithm is worth more."""
    return max(1.0, float(log_exact) / math.log(LEAST))


def inside(low: float, log_exact: flint.arb, high: float) -> bool:
    """Whether low <= the exact value <= high for certain."""
    with flint.ctx.workprec(BITS):
        return bool(flint.arb(low) <= log_exact) and bool(log_exact <= flint.arb(high))


def assert_converged(log_estimate: float, exact: Fraction | flint.arb, error: float = ERROR) -> None:
    """The estimate of a probability, given by its logarithm, is within the stated relative error."""
    if exact == 0:
        assert log_estimate == -math.inf
        return
    log_exact = _log(exact)
    found = relative_error(log_estimate, log_exact)
    assert found <= error * allowance(log_exact), f"relative error {found:.2e} > {error:.0e}"


def assert_honest(tail: Tail, exact: Fraction | flint.arb, width: float = WIDTH) -> None:
    """The exact probability lies in the interval, the estimate as well, and the interval is narrow."""
    assert tail.log_low <= tail.log_estimate <= tail.log_high <= 0.0
    if exact == 0:
        assert tail.log_low == -math.inf
        return
    if exact == 1:
        assert tail.log_high == 0.0
        assert tail.log_low >= -width
        return
    log_exact = _log(exact)
    assert inside(tail.log_low, log_exact, tail.log_high), (
        f"[{tail.log_low!r}, {tail.log_high!r}] misses {log_exact.str(25, radius=False)}"
    )
    found = math.expm1(tail.log_high - tail.log_low)
    assert found <= width * allowance(log_exact), f"the interval is {found:.2e} wide, more than {width:.0e}"


def assert_result_honest(result: TestResult, exact: Fraction, width: float = WIDTH) -> None:
    """What `assert_honest` asks, of the logarithms and of `pvalue_interval`."""
    assert_honest(
        Tail(result.log_pvalue_interval.low, result.log_pvalue, result.log_pvalue_interval.high), exact, width
    )
    low, high = result.pvalue_interval
    assert Fraction(low) <= exact <= Fraction(high), f"[{low!r}, {high!r}] misses the exact p-value"
    assert low <= result.pvalue <= high
    # doubles below the normal range have few bits: there one unit in the last place is allowed at either end
    assert high - low <= width * high + 4 * SMALLEST


def assert_result_converged(result: TestResult, exact: Fraction, error: float = ERROR) -> None:
    """What `assert_converged` asks, of `log_pvalue` and of `pvalue`."""
    assert_converged(result.log_pvalue, exact, error)
    assert abs(Fraction(result.pvalue) - exact) <= Fraction(error) * exact + 2 * Fraction(SMALLEST)


def _log(exact: Fraction | flint.arb) -> flint.arb:
    return log_ball(exact) if isinstance(exact, Fraction) else exact
