"""What a power is asked of: a law or a pilot, the test, and how the answer is found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple, cast

from exactperm import __version__, metrics
from exactperm.inference import power_binary as binary
from exactperm.inference.crossing import crossing
from exactperm.inference.pair_law import PairLaw, as_written
from exactperm.inference.power_simulation import (
    LinePopulation,
    Population,
    Rejections,
    RowPopulation,
    Simulation,
    entropy,
)
from exactperm.metrics import Alternative, Metric
from exactperm.metrics.tails import looks_up
from exactperm.result import Problem, TestResult
from exactperm.signature import line_of

__all__ = ["Plan", "planned"]

#: data sets for each size where the metric is a mean, and where it is not
SIMULATIONS, FEW_SIMULATIONS = 2_000, 200
#: below this the probabilities that are compared with it are no normal doubles
LEAST_ALPHA = Fraction(1, 10**300)
#: units beyond which a simulated sample size is not looked for
MOST_UNITS = 10**7
#: stated differences that are listed one by one
MOST_LISTED = 8


@dataclass(frozen=True, eq=False)
class Plan:
    """Data sets drawn from a law of pairs, or from the units of a pilot, and the test of each.

    Attributes
    ----------
    metric, alternative, alpha
        Of the test.
    law
        Of the differences of a mean; None for other metrics.
    rows
        The pilot's units, for other metrics.
    difference, size
        What is to be found, and the mean number of items of a unit.
    assumptions, known
        In words, and in the signature.
    number, level, seed, seed_shown
        Of a simulation.
    """

    metric: Metric
    alternative: Alternative
    alpha: Fraction
    law: PairLaw | None
    rows: RowPopulation | None
    difference: float
    size: Fraction
    assumptions: str
    known: str
    number: int
    level: float
    seed: int
    seed_shown: Any

    @property
    def side(self) -> binary.Side:
        """Where the difference has to lie to be found."""
        if self.alternative == "two-sided":
            return "both"
        return "above" if looks_up(self.alternative, self.metric.higher_is_better) else "below"

    @property
    def exact(self) -> bool:
        """Whether the power is summed and not simulated."""
        return self.law is not None and self.law.is_binary

    @property
    def _test(self) -> binary.BinaryTest:
        law = cast(PairLaw, self.law)
        win, loss = float(law.plus.sum()), float(law.minus.sum())
        return binary.BinaryTest(win, loss, self.side, self.alpha)

    @cached_property
    def _simulation(self) -> Simulation:
        population: Population
        if self.law is None:
            population = cast(RowPopulation, self.rows)
        else:
            population = LinePopulation(self.metric, self.law.oriented() if self.side == "both" else self.law)
        return Simulation(population, self.alternative, self.alpha, self.number, self.seed)

    def units(self, n: int) -> int:
        """How many units n items make: groups of the mean size, at least one."""
        return max(1, round(n / self.size))

    def items(self, units: int) -> int:
        """How many items so many units are, rounded up."""
        return math.ceil(units * self.size)

    def at(self, units: int) -> tuple[float, float, float]:
        """The power with so many units, between its bounds."""
        if self.exact:
            return self._test.power(units)
        found = self._simulation.rejections(units)
        low, high = found.interval(self.level)
        return low, found.power, high

    def facts(self, n: list[int] | None = None, wanted: float | None = None) -> dict[str, Any]:
        """What the result says of this plan."""
        sizes = {} if n is None else {"n": ",".join(map(str, n))}
        aims = {} if wanted is None else {"power": f"{wanted:g}"}
        drawn = {"simulations": self.number, "confidence": self.level, "seed": self.seed_shown}
        parts = {
            "metric": self.metric.name,
            "alternative": self.alternative,
            "alpha": f"{float(self.alpha):g}",
            "law": self.known,
            **sizes,
            **aims,
            "method": "exact" if self.exact else "simulation",
            **({} if self.exact else drawn),
            "exactperm": __version__,
        }
        return {
            "difference": self.difference,
            "alpha": float(self.alpha),
            "alternative": self.alternative,
            "metric": self.metric.name,
            "exact": self.exact,
            "n_simulations": None if self.exact else self.number,
            "confidence_level": None if self.exact else self.level,
            "assumptions": self.assumptions,
            "signature": line_of(parts),
        }

    # -- the size that is needed -------------------------------------------------------------------------------

    def check_direction(self) -> None:
        """Refuse what no number of items can find."""
        wrong = {"both": self.difference == 0, "above": self.difference <= 0, "below": self.difference >= 0}[self.side]
        if not wrong:
            return
        if self.difference == 0:
            why = "A and B are equal on average under the assumptions"
        else:
            claim = "better" if self.alternative == "greater" else "worse"
            why = f"A is not {claim}, the difference is {self.difference:.4g}"
        raise ValueError(f"no sample size is defined: {why}, so that more items do not make a rejection likely")

    def units_for(self, wanted: float) -> tuple[int, int, int]:
        """The units that this power takes, and two numbers that hold it."""
        if self.exact:
            units = binary.stays_above(self._test, wanted)
            return units, units, units
        found = crossing(
            lambda x, again: self._simulation.rejections(_squared(x), again),
            math.sqrt(self._guess(wanted)),
            (1.0, math.sqrt(MOST_UNITS)),
            wanted,
            self._one_sided,
            self.level,
        )
        if math.isinf(found.x):
            raise ValueError(f"the difference is too small to plan for: {MOST_UNITS:,} items or groups are not enough")
        return _squared(found.x), max(_squared(found.low), 1), _squared(found.high)

    @property
    def _one_sided(self) -> float:
        return float(self.alpha) / (2 if self.side == "both" else 1)

    def _guess(self, wanted: float) -> float:
        """About the number of units, by the normal law; for other metrics than means the pilot's."""
        if self.law is None:
            return float(len(cast(RowPopulation, self.rows).a))
        return min((self._reach(wanted) * self.law.deviation / self.difference) ** 2 + 1, MOST_UNITS / 2)

    def _reach(self, wanted: float) -> float:
        """In standard errors, how far the difference has to be from zero."""
        from scipy.special import ndtri

        return float(max(ndtri(wanted) - ndtri(self._one_sided), 0.1))

    # -- the difference that can be found ----------------------------------------------------------------------

    def favouring(self, difference: float) -> Plan:
        """The same plan with another difference, see `pair_law`."""
        return replace(self, law=cast(PairLaw, self.law).favouring(difference), difference=difference)

    def difference_for(self, units: int, wanted: float) -> tuple[float, float, float]:
        """The smallest difference that is found with this power, and two that hold it."""
        if self.law is None:
            raise ValueError(
                f"detectable_difference is for means: it changes how often differences go which way, and metric "
                f"{self.metric.name!r} is no sum of them; use power and sample_size"
            )
        largest = self.law.largest_difference
        if largest == 0:
            raise ValueError("no difference is defined: A and B never differ under the assumptions")
        if self.side == "below":
            largest = -largest
        if self.exact:
            low, high = binary.least_difference(self._test, units, wanted)
            share = largest / self._test.discordance
            return share * high, share * low, share * high

        def simulate(x: float, again: int) -> Rejections:
            moved = self.favouring(math.copysign(x, largest))
            return moved._simulation.rejections(units, again)

        best = replace(self, law=self.law.one_way(largest > 0))._simulation.rejections(units)
        if best.interval(self.level)[1] < wanted:
            raise ValueError(_never(wanted, best.power))
        guess = self._reach(wanted) * self.law.deviation / math.sqrt(units)
        limits = (0.0, abs(largest) * (1 - 1e-9))
        found = crossing(simulate, min(guess, 0.9 * limits[1]), limits, wanted, self._one_sided, self.level)
        if math.isinf(found.x):
            raise ValueError(_never(wanted, best.power))
        least, low, high = (math.copysign(x, largest) for x in found)
        return least, low, high


def _squared(root: float) -> int:
    return max(math.ceil(root * root), 1)


def _never(wanted: float, best: float) -> str:
    return (
        f"no difference is found with probability {wanted:g}: even if every item that differs went one way, it "
        f"would be {best:.3g}; take more items or a lower power"
    )


# -- from what came to a plan ----------------------------------------------------------------------------------


def planned(
    a: Any,
    b: Any,
    p_a: Any,
    p_b: Any,
    agreement: Any,
    metric: str | Metric | None,
    alternative: Alternative | None,
    groups: Any,
    nan_policy: str,
    grid: Any,
    alpha: Any,
    n_simulations: Any,
    level: Any,
    rng: Any,
) -> Plan:
    """Check what came; nothing is computed yet."""
    from exactperm.api import engine_options

    engine_options(None, None, level, rng)  # checks the level
    share = as_written(alpha, "alpha")
    if not 0 < share < 1:
        raise ValueError(f"alpha must be between 0 and 1, not {alpha!r}")
    if share < LEAST_ALPHA:
        raise ValueError(f"alpha must be at least {float(LEAST_ALPHA):g}, not {alpha!r}")
    if alternative not in (None, "two-sided", "greater", "less"):
        raise ValueError(f'alternative must be "two-sided", "greater" or "less", not {alternative!r}')
    stated = {name: x for name, x in (("p_a", p_a), ("p_b", p_b), ("agreement", agreement)) if x is not None}
    if stated and (a is not None or b is not None):
        raise TypeError(f"{', '.join(stated)}: give a pilot or assumptions, not both")
    if a is None and not stated:
        raise TypeError("give a pilot (the scores of two systems), or p_a=, p_b= and agreement=")
    if stated or (isinstance(a, Mapping) and b is None):
        chosen = metrics.get("mean" if metric is None else metric)
        if not chosen.additive:
            raise ValueError(f"stated assumptions are about means; for metric {chosen.name!r} give a pilot")
        law, words, known = _stated(a, stated)
        law = replace(law, step=law.step * chosen.scale)
        found = _Given(chosen, alternative or "two-sided", law, None, law.difference, law.size, words, known)
    else:
        found = _of_pilot(_pilot(a, b, metric, alternative, groups, nan_policy, grid))
    seed, shown = entropy(rng)
    number = _number(n_simulations, SIMULATIONS if found.rows is None else FEW_SIMULATIONS)
    return Plan(**found._asdict(), alpha=share, number=number, level=float(level), seed=seed, seed_shown=shown)


def _number(n_simulations: Any, default: int) -> int:
    if n_simulations is None:
        return default
    if isinstance(n_simulations, bool) or not isinstance(n_simulations, Integral) or int(n_simulations) < 1:
        raise ValueError(f"n_simulations must be a positive integer, not {n_simulations!r}")
    return int(n_simulations)


class _Given(NamedTuple):
    """The fields of a `Plan` that come from a pilot or from stated assumptions."""

    metric: Metric
    alternative: Alternative
    law: PairLaw | None
    rows: RowPopulation | None
    difference: float
    size: Fraction
    assumptions: str
    known: str


def _stated(table: Any, stated: dict[str, Any]) -> tuple[PairLaw, str, str]:
    """The law of a table, or of accuracies, in words and for the signature."""
    if not stated:
        law = PairLaw.of_table(table)
        few = len(table) <= MOST_LISTED
        listed = {key: f"{float(p):g}" for key, p in table.items()} if few else {}
        words = ", ".join(f"{key}: {p}" for key, p in listed.items()) or f"{len(table)} differences"
        known = ",".join(f"{key}={p}" for key, p in listed.items()) or words
        return law, f"differences of A and B with probabilities {words}", known
    known = ",".join(f"{name}={x}" for name, x in stated.items())
    forms = {"p_a": "A right on {:g}", "p_b": "B right on {:g}", "agreement": "agreement on {:g} of the items"}
    said = ", ".join(forms[name].format(float(x)) for name, x in stated.items())
    if set(stated) == {"agreement"}:
        return PairLaw.of_agreement(stated["agreement"]), said, known
    if missing := [name for name in ("p_a", "p_b") if name not in stated]:
        raise TypeError(f"{missing[0]} is missing; give p_a, p_b and agreement, the shares of items")
    return PairLaw.of_accuracies(stated["p_a"], stated["p_b"], stated.get("agreement")), said, known


def _pilot(a: Any, b: Any, metric: Any, alternative: Any, groups: Any, nan_policy: str, grid: Any) -> Problem:
    """What `paired_test` would be asked of the pilot."""
    from exactperm.api import problem_of

    held = a.problem if isinstance(a, TestResult) else a
    if held is None:
        raise ValueError("this result does not hold the data of its test; give the scores of both systems")
    if not isinstance(held, Problem):
        return problem_of(a, b, metric, alternative or "two-sided", groups, nan_policy, grid)
    if b is not None or metric is not None or groups is not None:
        raise TypeError("a TestResult holds both systems, its metric and groups: give it alone")
    return replace(held, alternative=alternative or held.alternative)


def _of_pilot(problem: Problem) -> _Given:
    effects = problem.effects
    metric = problem.metric.form(effects.names)
    if effects.n_groups == 0:
        raise ValueError("the pilot holds no items; it needs one or more")
    size = Fraction(effects.n_items, effects.n_groups)
    words, known = f"a pilot of {effects.n_items:,} items", f"pilot,items={effects.n_items}"
    if effects.n_groups != effects.n_items:
        words, known = f"{words} in {effects.n_groups:,} groups", f"{known},groups={effects.n_groups}"
    difference = metric.scores(effects)[2]
    words = f"{words}, {metric.name} of A minus B {difference:+.4g}"
    law = rows = None
    if metric.additive:
        law = PairLaw.of_pilot(effects, metric.scale)
    elif not len(effects.values):  # never rejected, whatever the metric
        law = PairLaw.of_pilot(replace(effects, values=effects.values[:, :1]), metric.scale)
    else:
        sums = problem.group_sums(f"the power by {metric.name}")
        rows = RowPopulation.of(metric, sums.a, sums.b)
    side = cast(Alternative, problem.alternative)
    return _Given(metric, side, law, rows, difference, size, words, known)
