"""Family-wise tests by joint permutation: step-down max-T (Westfall and Young 1993, section 4; Ge, Dudoit, Speed 2003).

The corrections of `multiplicity` know the p-values and nothing of how they depend on each other. Here the outputs of
all k systems on an item are permuted together, uniformly over the k! orders, item by item (group by group), with all
their metrics, so that every dependence stays. For the pair of i and j and one metric

    t_ij = sum_n (y_ni - y_nj) / sqrt(sum_n (y_ni - y_nj)^2)

is the statistic in standard deviations of its null law; it is |t_ij| for two-sided tests. For a mean y_ni is the score
of system i on item n. For another metric f it is the linear part, gradient of f . sums of i on item n, the gradient at
the mean totals of all systems, which no permutation changes. For two systems that is the midpoint of both, where the
value of A minus that of B is odd: its linear part is wrong in the third order only. The scale is computed anew for each
permutation. With t_(1) >= t_(2) >= ... observed, and t* on K permutations,

    p_(r) = max over s <= r of (1 + #{max(t*_(s), t*_(s+1), ...) >= t_(s)}) / (K + 1).

What this guarantees. H_ij says that exchanging the names of i and j does not change the law of what the k systems put
out on an item. Exchanges generate permutations, so the true hypotheses are the pairs inside the blocks of a partition
of the systems, and the systems of each block may be permuted.

- All systems alike (the complete null): the chance of any claim is at most alpha, for any number of items. The data are
  one of K + 1 draws that are exchangeable (Phipson and Smyth 2010).
- Two systems and several metrics: the chance of any false claim is at most alpha, whatever else is true, for any number
  of items, where H of a metric says that exchanging both systems' sums of the true metrics together changes nothing;
  that each true metric may be exchanged by itself is not enough. A claim in the wrong direction is not counted.
  The law of max t* over some metrics does not depend on the others: subset pivotality (Westfall and Young, p. 42).
- Several systems and one metric: the same as the number of items grows. Permuting a block gives its systems totals of
  one variance and one covariance, whatever the data are. So by Lindeberg's theorem t*_ij tends to (Z_i - Z_j) / sqrt 2
  with independent standard normal Z, independent over blocks as well; and for every set of pairs that is the law that
  permuting all systems gives them too: subset pivotality in the limit. It rests on the scale that is computed anew: by
  raw differences the spread of a dozen twins would be the yardstick for two systems that are not alike; and on the
  statistic being linear, as otherwise the slope where two systems are would be judged by that where all are. For a
  finite number of items it is no theorem; `benchmarks/familywise.py` measures it.
- Several systems and several metrics: the complete null alone. Metrics may depend on each other more among some systems
  than among others, and permuting all of them mixes that.

In every case the adjusted p-value is no smaller than the exact p-value of the pair alone. Exchanging each system with
a common baseline by coins of its own is not a symmetry, so with a baseline too all systems are permuted, and the
maximum runs over the pairs with the baseline (Dunnett 1955 for normal laws).

Cost: K N k (log k + k) operations, about a second for 10 systems, 1,000 items that differ, and K = 9,999.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactperm.engines.clopper_pearson import clopper_pearson
from exactperm.engines.sampling import generator

__all__ = ["DEFAULT_RESAMPLES", "Measure", "StepDown", "step_down"]

Floats = NDArray[np.float64]
Couples = Sequence[tuple[int, int]]

#: permutations drawn where nothing else is asked for
DEFAULT_RESAMPLES = 9_999
#: outputs that a batch of permutations holds
CELLS = 2**20
#: two statistics this close, in standard deviations, are tied
TIE = 1e-9
#: what is below this part of the terms it is the difference of is rounding
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Measure:
    """All systems by one metric.

    Attributes
    ----------
    sums
        (items or groups, systems, q) the sums that the metric is made of.
    value
        From q arrays of totals to values. None if the metric is the mean of one sum.
    side
        1 or -1 if larger or smaller values of A minus B are extreme, 0 if both are.
    """

    sums: Floats
    value: Callable[[list[Floats]], Floats] | None
    side: int


@dataclass(frozen=True, eq=False)
class StepDown:
    """Adjusted p-values, one for each measure and couple, the couples of the first measure first.

    Attributes
    ----------
    pvalues, low, high
        (c + 1) / (K + 1), and what the Clopper-Pearson intervals of the K draws leave open.
    n_resamples, seed
        K, and from where the permutations can be drawn again.
    """

    pvalues: Floats
    low: Floats
    high: Floats
    n_resamples: int
    seed: Any

    @property
    def details(self) -> dict[str, Any]:
        """What a signature has to say of it."""
        return {"permutations": self.n_resamples, "permutation_seed": self.seed}


def step_down(measures: Sequence[Measure], couples: Couples, number: int, rng: Any, level: float) -> StepDown:
    """Adjust by joint permutation.

    Parameters
    ----------
    measures
        The same items and the same systems in each.
    couples
        Pairs (i, j) of systems: i as A, j as B.
    number, rng
        How many permutations to draw, and the generator or its seed.
    level
        Of the intervals.
    """
    source, facts = generator(rng)
    tests = _tests(measures, couples)
    items, systems = tests[0].scores.shape[:2]
    observed = np.concatenate([test.observed() for test in tests])
    order = np.argsort(-observed, kind="stable")
    least = observed[order] - TIE * (1 + np.abs(observed[order]))
    hits = np.zeros(observed.size, dtype=np.int64)
    for orders in _permutations(items, systems, number, source):
        drawn = np.concatenate([test.permuted(orders) for test in tests], axis=1)[:, order]
        rest = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]  # the largest from here on
        hits += (rest >= least).sum(axis=0)
    ends = np.array([clopper_pearson(int(h), number, level) for h in hits])
    steps = np.stack([(hits + 1) / (number + 1), ends[:, 0], ends[:, 1]])
    adjusted = np.empty_like(steps)
    adjusted[:, order] = np.maximum.accumulate(steps, axis=1)
    return StepDown(adjusted[0], adjusted[1], adjusted[2], number, facts["seed"])


def _tests(measures: Sequence[Measure], couples: Couples) -> list[_Test]:
    """On the items on which systems differ, in an order that does not depend on the one they came in."""
    first, second = np.array(couples, dtype=np.intp).T
    scores = [_linear(each) for each in measures]
    if len({y.shape for y in scores}) > 1:
        raise ValueError("correction='max-t' needs the same items for all metrics; compare them one by one")
    here = np.flatnonzero(np.logical_or.reduce([(y != y[:, :1]).any(axis=1) for y in scores]))
    order = here[np.lexsort(np.concatenate(scores, axis=1)[here].T[::-1])]
    return [_Test(y[order], each.side, first, second) for y, each in zip(scores, measures, strict=True)]


def _permutations(items: int, systems: int, number: int, rng: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    """Batches (resamples, items, systems) of orders, each uniform over all."""
    batch = max(1, CELLS // max(items * systems, 1))
    for start in range(0, number, batch):
        yield np.argsort(rng.random((min(batch, number - start), items, systems)), axis=-1)


@dataclass(frozen=True, eq=False)
class _Test:
    """The statistics of one measure.

    Attributes
    ----------
    scores
        (items, systems) what is permuted.
    side
        As in `Measure`.
    first, second
        The two systems of each couple.
    """

    scores: Floats
    side: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]

    def observed(self) -> Floats:
        """The statistics of the data."""
        items, systems = self.scores.shape
        as_they_are = np.broadcast_to(np.arange(systems), (1, items, systems))
        return np.asarray(self.permuted(as_they_are)[0])

    def permuted(self, orders: NDArray[np.intp]) -> Floats:
        """The statistics (resamples, couples) with the systems of each item in these orders."""
        place = orders + orders.shape[2] * np.arange(orders.shape[1])[:, None]
        y = self.scores.ravel()[place]
        values = y.sum(axis=1)
        products = y.transpose(0, 2, 1) @ y
        squares = np.einsum("rii->ri", products)
        i, j = self.first, self.second
        variance = np.maximum(squares[:, i] + squares[:, j] - 2 * products[:, i, j], 0.0)
        difference = values[:, i] - values[:, j]
        # no difference on any item, up to rounding, is no evidence
        nothing = variance <= ROUNDING * (squares[:, i] + squares[:, j])
        found = np.where(nothing, 0.0, difference / np.sqrt(np.where(nothing, 1.0, variance)))
        return np.abs(found) if self.side == 0 else self.side * found


def _linear(measure: Measure) -> Floats:
    """What each output adds to the value in first order: (items, systems), the least of each item zero.

    The gradient is by central differences as wide as permutations move the totals, which smooths it over their law.
    """
    sums = measure.sums
    if measure.value is None:
        scores = sums[:, :, 0]
    else:
        centre = sums.sum(axis=0).mean(axis=0)
        away = np.sqrt(sums.var(axis=1).sum(axis=0))
        moves = np.diag(away)
        with np.errstate(all="ignore"):
            up, down = (measure.value(list((centre + sign * moves).T)) for sign in (1, -1))
            slopes = np.where(away > 0, (up - down) / (2 * away), 0.0)
        if not np.isfinite(slopes).all():
            raise ValueError(
                "correction='max-t': the metric has no value near the mean totals of the systems; use 'holm'"
            )
        scores = sums @ slopes
    return np.asarray(scores - scores.min(axis=1, keepdims=True))
