"""Conditioning on a few steps: the same probabilities, from few pieces, as accurate as without such steps."""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest

import problems
from claims import assert_converged, assert_honest
from exactperm.effects import Effects
from exactperm.engines import conditioning
from exactperm.engines.base import Question, Tail
from exactperm.engines.conditioning import Piece, essential, pieces_of, set_apart, sum_of
from exactperm.engines.fourier import Fourier
from exactperm.engines.meet_in_the_middle import MeetInTheMiddle
from exactperm.lattice import Lattice
from exactperm.region import Runs
from sloppy import WAYS, spoil


def asked(counts, low, high=None):
    lattice = Lattice.of(Effects.from_counts(counts))
    return Question(lattice, Runs(((low, lattice.span[0] if high is None else high),)))


#: a few effects outside a common divisor: without conditioning the terms cancel in the gaps of the law
GAPS = [
    ({143: 381, 11: 1, 13: 1}, 54365),
    ({143: 367, 11: 3, 13: 1}, 52385),
    ({55: 296, 11: 1, 5: 1}, 16242),
    ({22: 398, 2: 1, 11: 1}, 8748),
    ({7 * 1000: 60, 3 * 1000: 50, 1: 4, 2: 2}, 400_003),
    ({1000: 200, 1: 2, 10**6 + 1: 1}, 10**6 + 150_001),  # both kinds of step
]


@pytest.mark.parametrize(("counts", "low"), GAPS)
def test_thresholds_in_the_gaps_between_multiples(counts, low):
    question, law = asked(counts, low), problems.Law.of(counts)
    tail, exact = Fourier().answer(question), law.probability([(low, law.span)])
    assert_converged(tail.log_estimate, exact, 2e-12)
    assert_honest(tail, exact, 1e-11)
    complement = Fourier().answer(asked(counts, 0, low - 1))
    assert_honest(complement, 1 - exact)
    two_runs = Question(question.lattice, Runs(((low - 9, low - 9), (low, low + 40))))
    assert_honest(Fourier().answer(two_runs), law.probability([(low - 9, low - 9), (low, low + 40)]), math.inf)


def test_effects_of_size_2_20_with_a_few_small_ones():
    """Their circle would have millions of points; given the small ones it has a few hundred."""
    counts = {2**20: 18, 2**21: 22, 3 * 2**20: 98, 5 * 2**20: 28, 6: 3}
    span = sum(v * c for v, c in counts.items()) // 2
    question = asked(counts, span // 2 + 2**20 * 40 + 5)
    assert Fourier().obstacle(question) is None
    assert_honest(Fourier().answer(question), MeetInTheMiddle().answer(question).fraction)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_islands_that_are_decided_are_not_looked_into(count):
    """Of 5^9 combinations of dominating steps those far from the threshold count as a whole."""
    counts = {41**i: count for i in range(10)} | {1: 7}
    span = sum(v * c for v, c in counts.items())
    for low in (span // 2 + 5, 41**9 * count, span - 3, 41**9 + 41**5 + 2):
        question = asked(counts, low)
        assert len(pieces_of(question)) < 100
        exact = MeetInTheMiddle().answer(question).fraction
        assert_honest(Fourier().answer(question), exact)


def test_what_is_conditioned_upon():
    def chosen(counts):
        lattice = Lattice.of(Effects.from_counts(counts))
        return set_apart(lattice.steps[:, 0], lattice.counts, lattice.deviation)

    assert chosen({1: 100, 2: 50, 3: 1}) is None
    assert chosen(dict.fromkeys(range(1, 200), 1)) is None
    assert chosen({1: 100, 1000: 1}) == 1  # dominates
    assert chosen({1: 100, 1000: 5}) is None  # too many of them
    assert chosen({3: 1, 10: 50, 20: 50}) == 0  # no multiple of ten
    assert chosen({3: 9, 10: 50, 20: 50}) is None  # frequent
    assert chosen({1: 1, 2: 50, 3: 1}) is None  # four terms for twice the frequencies: not worth while
    assert chosen(dict.fromkeys((1, 3, 7, 9, 11, 13, 17), 1) | {1000: 50}) is None  # 2^7 terms


def test_the_essential_steps_have_no_common_divisor():
    lattice = Lattice.of(Effects.from_counts({143: 381, 11: 1, 13: 1}))
    v, c, deviation = essential(lattice.steps[:, 0], lattice.counts, lattice.deviation)
    assert (v.tolist(), c.tolist()) == ([1], [381])
    assert deviation == pytest.approx(math.sqrt(381) / 2)


def test_weights_add_up_to_one():
    question = asked({1000: 200, 1: 2, 10**6 + 1: 1}, 0)
    whole = Fourier().answer(question)
    assert_honest(whole, Fraction(1))


def random_tails(rng, number):
    """Intervals of probabilities from 1/number down to 10^-200, some of them points and some empty."""
    tails = []
    for _ in range(number):
        log = -math.log(number) - float(rng.choice([0, 1e-9, 0.5, 30, 450])) * rng.random()
        width = float(rng.choice([0, 1e-15, 1e-9, 0.1]))
        tails.append(Tail(log - width, log - width / 2, log))
    return tails if rng.random() < 0.8 else [*tails, conditioning.IMPOSSIBLE]


def beside(found, exact, side):
    """Whether a bound lies on its side of the exact logarithm, no further than the rounding of a few operations."""
    distance = side * (flint.arb(found) - exact)
    return distance >= 0 and distance <= 3e-14 * (1 + abs(exact))


@pytest.mark.parametrize("way", WAYS)
def test_sums_complements_and_weights_are_rounded_outward(monkeypatch, way):
    spoil(monkeypatch, way, [conditioning])
    rng = np.random.default_rng(4)
    for _ in range(150):
        tails = random_tails(rng, int(rng.choice([2, 3, 8, 200])))
        with flint.ctx.workprec(400):
            ends = {
                end: sum((flint.arb(x).exp() for t in tails if (x := getattr(t, end)) > -math.inf), flint.arb(0))
                for end in ("log_low", "log_high")
            }
            total = sum_of(tails)
            assert beside(total.log_low, ends["log_low"].log(), -1)
            assert total.log_high == 0 or beside(total.log_high, ends["log_high"].log(), 1)
            assert total.log_low <= total.log_estimate <= total.log_high <= 0
            for weight in (1.0, 0.25, 3 / 8):
                part = Piece([], weight=weight).combine(tails)
                assert beside(part.log_low, (ends["log_low"] * weight).log(), -1)
                assert part.log_high == 0 or beside(part.log_high, (ends["log_high"] * weight).log(), 1)
                rest = Piece([], complement=True, weight=weight).combine(tails[:1])
                assert beside(rest.log_low, ((1 - flint.arb(tails[0].log_high).exp()) * weight).log(), -1)
                assert rest.log_high == 0 or beside(
                    rest.log_high, ((1 - flint.arb(tails[0].log_low).exp()) * weight).log(), 1
                )


def test_nothing_adds_up_to_nothing():
    assert sum_of([]).log_high == -math.inf
    assert sum_of([conditioning.IMPOSSIBLE] * 2).log_high == -math.inf
    whole = Piece([], complement=True).combine([])
    assert (whole.log_estimate, whole.log_high) == (0.0, 0.0)
