"""The region of a metric has exactly the probability that counting all assignments gives."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from exactperm import Effects, metrics
from exactperm.lattice import Lattice
from exactperm.metrics import Metric
from exactperm.metrics.tails import BLOCK
from exactperm.region import Region, Runs
from metrics.brute import ALTERNATIVES, fraction_of_assignments, law, probability

K = 3


def quotient(n, d):
    return Fraction(n, d) if d else Fraction(0)


def root(n, square):
    """To 40 digits: equal values come out equal, as 20 digits more than they could differ by are
    kept."""
    if not square:
        return Fraction(0)
    with localcontext() as context:
        context.prec = 70
        return Fraction(round(Decimal(n) / Decimal(square).sqrt(), 40))


def f1(t):
    return quotient(2 * t[0], 2 * t[0] + t[1] + t[2])


def macro(t):
    return sum(f1(t[i : i + 3]) for i in range(0, len(t), 3)) * 3 / len(t)


def weighted(t):
    n = sum(t[i] + t[i + 2] for i in range(0, len(t), 3))
    return sum(f1(t[i : i + 3]) * (t[i] + t[i + 2]) for i in range(0, len(t), 3)) / n if n else Fraction(0)


def mcc(t):
    tp, fp, fn, tn = t
    return root(tp * tn - fp * fn, (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def kappa(t):
    tp, fp, fn, tn = t
    n = tp + fp + fn + tn
    chance = quotient((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn), n * n)
    return (quotient(tp + tn, n) - chance) / (1 - chance) if chance != 1 else Fraction(0)


def rk(t):
    pred, gold, correct = t[:K], t[K : 2 * K], t[-1]
    n = sum(gold)
    chance = sum(p * g for p, g in zip(pred, gold, strict=True))
    return root(
        correct * n - chance,
        (n * n - sum(p * p for p in pred)) * (n * n - sum(g * g for g in gold)),
    )


def classes_kappa(t):
    n = sum(t[K : 2 * K])
    chance = sum(p * g for p, g in zip(t[:K], t[K : 2 * K], strict=True))
    return quotient(t[-1] * n - chance, n * n - chance)


# -- random systems: each function draws items for two systems on one gold standard ----------------


def table(rng, n):
    gold, rest = rng.integers(0, 4, (2, n))

    def system():
        tp, fp = rng.binomial(gold, 0.6), rng.binomial(rest, 0.4)
        return np.stack([tp, fp, gold - tp, rest - fp], axis=1)

    return system(), system()


def columns(*chosen):
    def draw(rng, n):
        a, b = table(rng, n)
        return a[:, chosen], b[:, chosen]

    return draw


def incorrect(rng, n):
    a, b = table(rng, n)
    return tuple(np.stack([x[:, 0], x[:, 1] + x[:, 2]], axis=1) for x in (a, b))


def sizes(rng, n):
    a, b = table(rng, n)
    return tuple(np.stack([x[:, 0], x[:, 0] + x[:, 1], x[:, 0] + x[:, 2]], axis=1) for x in (a, b))


def errors(rng, n):
    length = rng.integers(1, 5, n)
    return tuple(np.stack([rng.integers(0, 5, n), length], axis=1) for _ in "ab")


def loose(rng, n):
    return rng.integers(0, 4, (n, 2)), rng.integers(0, 4, (n, 2))


def labelled(k, counts):
    def draw(rng, n):
        gold = rng.integers(0, k, n)
        predicted = [np.where(rng.random(n) < 0.5, gold, rng.integers(0, k, n)) for _ in "ab"]
        one = np.eye(k, dtype=np.int64)
        return tuple(counts(one[gold], one[p]) for p in predicted)

    return draw


def class_counts(gold, predicted):
    cells = (gold * predicted, (1 - gold) * predicted, gold * (1 - predicted))
    return np.stack(cells, axis=2).reshape(len(gold), -1)


def margins(gold, predicted):
    return np.hstack([predicted, gold, (gold * predicted).sum(axis=1, keepdims=True)])


BENEFIT = Metric("benefit", ("hits", "cost"), value=lambda hits, cost: hits / (1 + cost))
MONOTONE = Metric(
    "monotone",
    ("hits", "cost"),
    lambda hits, cost: hits / (1 + cost),
    increasing={"hits": 1, "cost": -1},
)
WAVE = Metric("wave", ("x",), value=lambda x: (x % 3) - x / 7)
LOSS = Metric("loss", ("hits", "cost"), value=lambda hits, cost: cost - hits * hits, higher_is_better=False)

# name: the metric, the items, the value as an independent function of the totals
CASES = {
    "f1": (metrics.get("f1"), columns(0, 1, 2), f1),
    "f1, paper": (metrics.get("f1"), incorrect, lambda t: quotient(2 * t[0], 2 * t[0] + t[1])),
    "f1, sizes": (
        metrics.get("f1").form(("tp", "pred", "gold")),
        sizes,
        lambda t: quotient(2 * t[0], t[1] + t[2]),
    ),
    "precision, sizes": (
        metrics.get("precision").form(("tp", "pred")),
        lambda rng, n: [x[:, :2] for x in sizes(rng, n)],
        lambda t: quotient(t[0], t[1]),
    ),
    "f2": (
        metrics.get("fbeta", beta=2),
        columns(0, 1, 2),
        lambda t: quotient(5 * t[0], 5 * t[0] + 4 * t[2] + t[1]),
    ),
    "precision": (metrics.get("precision"), columns(0, 1), lambda t: quotient(t[0], t[0] + t[1])),
    "recall": (metrics.get("recall"), columns(0, 2), lambda t: quotient(t[0], t[0] + t[1])),
    "jaccard": (metrics.get("jaccard"), columns(0, 1, 2), lambda t: quotient(t[0], sum(t))),
    "specificity": (
        metrics.get("specificity"),
        columns(3, 1),
        lambda t: quotient(t[0], t[0] + t[1]),
    ),
    "mcc": (metrics.get("mcc"), table, mcc),
    "kappa": (metrics.get("cohen_kappa", zero_division=0), table, kappa),
    "wer": (metrics.get("wer"), errors, lambda t: quotient(t[0], t[1])),
    "macro, 2": (metrics.get("macro_f1", labels=["x", "y"]), labelled(2, class_counts), macro),
    "macro, 3": (
        metrics.get("macro_f1", labels=["x", "z", "y"]),
        labelled(3, class_counts),
        macro,
    ),
    "weighted, 3": (
        metrics.get("weighted_f1", labels=[0, 1, 2]),
        labelled(3, class_counts),
        weighted,
    ),
    "mcc, 3": (metrics.get("multiclass_mcc", labels=[0, 1, 2]), labelled(3, margins), rk),
    "kappa, 3": (
        metrics.get("multiclass_kappa", labels=[0, 1, 2]).renamed("kappa", zero_division=Fraction(0)),
        labelled(3, margins),
        classes_kappa,
    ),
    "function": (BENEFIT, loose, lambda t: quotient(t[0], 1 + t[1])),
    "monotone function": (MONOTONE, loose, lambda t: quotient(t[0], 1 + t[1])),
    "one sum": (
        WAVE,
        lambda rng, n: rng.integers(0, 9, (2, n, 1)),
        lambda t: t[0] % 3 - Fraction(t[0], 7),
    ),
    "loss": (LOSS, loose, lambda t: t[1] - t[0] * t[0]),
    "mean": (
        metrics.get("mean"),
        lambda rng, n: rng.integers(-4, 9, (2, n, 1)),
        lambda t: Fraction(t[0]),
    ),
    "difference": (
        Metric("difference", ("x", "y"), h=lambda xa, ya, xb, yb: xa * yb - xb * ya, antisymmetric=True),
        loose,
        None,
    ),
    "ratio": (
        Metric("ratio", ("x", "y"), h=lambda xa, ya, xb, _: (1 + xa) / (1 + xb) + ya - 1),
        loose,
        None,
    ),
}
OWN = {
    "difference": lambda p, q: p[0] * q[1] - q[0] * p[1],
    "ratio": lambda p, q: Fraction(1 + p[0], 1 + q[0]) + p[1] - 1,
}


def oracle(name):
    value = CASES[name][2]
    return OWN[name] if value is None else lambda p, q: value(p) - value(q)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_probability_equals_the_share_of_assignments(name, alternative):
    metric, draw, _ = CASES[name]
    rng = np.random.default_rng(len(name))
    for n in [1, 2, 3, *rng.integers(4, 8, 22).tolist()]:
        a, b = draw(rng, n)
        want = fraction_of_assignments(a.tolist(), b.tolist(), oracle(name), alternative, metric.higher_is_better)
        lattice, region = metric.rejection_region(metric.effects(a, b), alternative)
        assert probability(lattice, region) == want


@pytest.mark.parametrize("name", ["f1", "mcc", "kappa", "macro, 3", "mcc, 3", "function", "ratio"])
def test_twelve_items(name):
    metric, draw, _ = CASES[name]
    a, b = draw(np.random.default_rng(2), 12)
    want = fraction_of_assignments(a.tolist(), b.tolist(), oracle(name), "two-sided")
    lattice, region = metric.rejection_region(metric.effects(a, b))
    assert probability(lattice, region) == want


@pytest.mark.parametrize("name", CASES)
def test_scores_are_the_nearest_numbers(name):
    metric, draw, value = CASES[name]
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = draw(rng, 6)
        first, second, difference = metric.scores(metric.effects(a, b))
        totals = a.sum(axis=0).tolist(), b.sum(axis=0).tolist()
        if value is None:
            assert (first, second) == (None, None)
            assert difference == pytest.approx(float(oracle(name)(*totals)), rel=1e-14)
            continue
        items = 6 if metric.additive else 1
        exact = [Fraction(value(t)) / items for t in totals]
        tight = {"rel": 1e-14, "abs": 1e-14} if metric.value else {"rel": 0, "abs": 0}
        assert first == pytest.approx(float(exact[0]), **tight)
        assert second == pytest.approx(float(exact[1]), **tight)
        assert difference == pytest.approx(float(exact[0] - exact[1]), **tight)


INCREASING = [
    "f1",
    "f1, sizes",
    "precision, sizes",
    "f1, paper",
    "f2",
    "precision",
    "jaccard",
    "mcc",
    "kappa",
    "macro, 2",
    "mcc, 3",
    "monotone function",
]


@pytest.mark.parametrize("name", INCREASING)
def test_increasing_regions_are_closed_upwards(name):
    metric, draw, _ = CASES[name]
    rng = np.random.default_rng(4)
    seen = 0
    for _ in range(30):
        a, b = draw(rng, 8)
        lattice, region = metric.rejection_region(metric.effects(a, b), "greater")
        if lattice.rank < 2 or region is None:
            continue
        # few items may span no direction of `correct` or `tp` alone
        if name in ("mcc, 3", "f1, sizes", "precision, sizes") and not region.increasing:
            continue
        assert region.increasing
        seen += 1
        # also where no assignment leads
        points = np.array(list(law(lattice))).repeat(4, axis=0)
        points = points + rng.integers(-6, 7, points.shape)
        above = points.copy()
        above[:, -1] += rng.integers(1, 9, len(points))
        assert not (region.contains(points) & ~region.contains(above)).any()
    assert seen > 10


@pytest.mark.parametrize("name", CASES)
def test_exchange_of_the_systems_asks_the_same_question(name):
    metric, draw, value = CASES[name]
    if value is None and not metric.antisymmetric:
        return
    rng = np.random.default_rng(5)
    for _ in range(10):
        a, b = draw(rng, 7)
        one, other = metric.effects(a, b), metric.effects(b, a)
        for here, there in (("two-sided", "two-sided"), ("greater", "less")):
            lattice, region = metric.rejection_region(one, here)
            exchanged, same = metric.rejection_region(other, there)
            if region is None:
                assert same is None
                continue
            assert lattice.observed == exchanged.observed
            assert np.array_equal(lattice.steps, exchanged.steps)
            assert np.array_equal(lattice.basis, exchanged.basis)
            if isinstance(region, Region):
                points = np.array(list(law(lattice)))
                assert np.array_equal(region.contains(points), same.contains(points))
            else:
                assert region == same


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_identical_systems(name, alternative):
    metric, draw, value = CASES[name]
    a, _ = draw(np.random.default_rng(6), 9)
    effects = metric.effects(a, a)
    lattice, region = metric.rejection_region(effects, alternative)
    assert lattice.rank == 0
    assert region is None
    if value is not None:
        first, second, difference = metric.scores(effects)
        assert first == second
        assert difference == 0


def test_one_differing_item_leaves_p_at_1():
    metric = metrics.get("f1")
    a = np.array([[3, 1, 2], [5, 0, 0]])
    b = np.array([[4, 1, 1], [5, 0, 0]])
    assert probability(*metric.rejection_region(metric.effects(a, b))) == 1


def test_equal_values_of_different_systems_give_p_1():
    metric = metrics.get("f1")
    a, b = [[2, 1, 1], [1, 1, 1]], [[1, 1, 2], [2, 1, 0]]
    assert metric.scores(metric.effects(a, b))[2] == 0
    assert metric.rejection_region(metric.effects(a, b))[1] is None
    lattice, region = metric.rejection_region(metric.effects(a, b), "greater")
    assert probability(lattice, region) == fraction_of_assignments(a, b, oracle("f1"), "greater")


def test_groups_are_swapped_together():
    metric = metrics.get("f1")
    a, b = columns(0, 1, 2)(np.random.default_rng(7), 12)
    groups = np.array([0, 0, 1, 2, 2, 2, 3, 4, 5, 5, 6, 6])
    summed = [np.array([x[groups == g].sum(axis=0) for g in range(7)]).tolist() for x in (a, b)]
    want = fraction_of_assignments(*summed, oracle("f1"), "two-sided")
    assert probability(*metric.rejection_region(metric.effects(a, b, groups))) == want


def test_dimensions():
    rng = np.random.default_rng(8)
    ranks = {
        "f1": 2,
        "precision": 2,
        "recall": 1,
        "mcc": 2,
        "kappa": 2,
        "wer": 1,
        "macro, 2": 2,
        "mcc, 3": 3,
    }
    for name, rank in ranks.items():
        metric, draw, _ = CASES[name]
        a, b = draw(rng, 60)
        assert metric.rejection_region(metric.effects(a, b))[0].rank == rank


# -- at a million items ----------------------------------------------------------------------------


def million(rng):
    """Effects of a size at which float64 cannot decide all ties of F1: cross products reach
    10^29."""
    steps = [(1, 0, -1), (0, 1, 0), (1, 1, -1), (1, -1, -1), (2, 1, -2), (0, 3, 0)]
    counts = {}
    for step in steps:
        n = int(rng.integers(20_000, 300_000))
        plus = int(n * rng.uniform(0.45, 0.55))
        counts[step] = plus
        counts[tuple(-x for x in step)] = n - plus
    totals = (8_000_000, 2_500_000, 2_000_000)
    return Effects.from_counts(counts, totals_a=totals, names=("tp", "fp", "fn"))


def boundary(lattice, line, statistic, observed):
    """The least last coordinate on a line with statistic >= observed, in fractions."""
    middle = lattice.span[-1] // 2
    low, high = middle - 200_000, middle + 200_000
    assert statistic((*line, low)) < observed <= statistic((*line, high))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if statistic((*line, middle)) >= observed else (middle, high)
    return high


@pytest.mark.parametrize(
    ("name", "value"),
    [("f1", f1), ("jaccard", lambda t: quotient(t[0], sum(t)))],
    ids=["f1", "jaccard"],
)
def test_near_ties_at_a_million_items(name, value):
    rng = np.random.default_rng(9)
    metric = metrics.get(name)
    effects = million(rng)
    lattice, region = metric.rejection_region(effects, "greater")
    totals_a, totals_b = effects.totals_a, effects.totals_b
    origin = [t - int(x) for t, x in zip(totals_a, np.array(lattice.observed) @ lattice.basis, strict=True)]

    def statistic(x):
        first = [
            o + sum(int(y) * int(b) for y, b in zip(x, lattice.basis[:, i], strict=True)) for i, o in enumerate(origin)
        ]
        second = [s + t - f for s, t, f in zip(totals_a, totals_b, first, strict=True)]
        return value(first) - value(second)

    observed = statistic(lattice.observed)
    assert region.contains(np.array([lattice.observed]))[0]
    points, want = [], []
    centre = np.array(lattice.span[:-1]) // 2
    for _ in range(300):
        line = tuple((centre + rng.integers(-3000, 3000, len(centre))).tolist())
        edge = boundary(lattice, line, statistic, observed)
        for offset in (-2, -1, 0, 1):
            points.append((*line, edge + offset))
            want.append(offset >= 0)
    assert region.contains(np.array(points)).tolist() == want


def test_exact_ties_at_a_million_items():
    # F1 depends on tp : (fp + fn) alone, so a whole line through the origin is tied with equality
    metric = metrics.get("f1").renamed("f1", gold=())
    m = 10**6
    effects = Effects.from_counts(
        {(1, 0, 0): m, (0, 1, 0): m, (0, 0, 1): m},
        totals_a=(2 * m, 2 * m, 2 * m),
        names=metric.sums,
    )
    assert metric.scores(effects)[2] == 0
    lattice, region = metric.rejection_region(effects, "greater")
    k = np.random.default_rng(10).integers(1, m - 1, 2000)
    inverse = np.rint(np.linalg.inv(lattice.basis.astype(float))).astype(int)

    def at(tp, fp, fn):
        return region.contains(np.stack([tp, fp, fn], axis=1) @ inverse)

    # A has 1m + k of each sum and B has 2m - k: the F1 of both is 1/2
    assert at(k, k, k).all()
    assert at(k + 1, k, k).all()
    assert at(k, k + 1, k - 1).all()
    assert not at(k, k, k + 1).any()
    assert not at(k - 1, k, k).any()


def test_matthews_near_ties_at_a_million_items():
    metric = metrics.get("mcc")
    rng = np.random.default_rng(11)
    counts = {
        (1, 0, -1, 0): 200_000,
        (-1, 0, 1, 0): 210_000,
        (0, 1, 0, -1): 150_000,
        (0, -1, 0, 1): 140_000,
    }
    effects = Effects.from_counts(counts, totals_a=(600_000, 300_000, 400_000, 900_000), names=metric.sums)
    lattice, region = metric.rejection_region(effects, "greater")
    frame = [t - int(x) for t, x in zip(effects.totals_a, np.array(lattice.observed) @ lattice.basis, strict=True)]
    both = [s + t for s, t in zip(effects.totals_a, effects.totals_b, strict=True)]

    def statistic(x):
        first = [
            o + sum(int(y) * int(b) for y, b in zip(x, lattice.basis[:, i], strict=True)) for i, o in enumerate(frame)
        ]
        return mcc(first) - mcc([t - f for t, f in zip(both, first, strict=True)])

    observed = statistic(lattice.observed)
    for _ in range(40):
        line = tuple((np.array(lattice.span[:-1]) // 2 + rng.integers(-500, 500, 1)).tolist())
        edge = boundary(lattice, line, statistic, observed)
        points = np.array([(*line, edge + offset) for offset in (-1, 0)])
        assert region.contains(points).tolist() == [False, True]


@pytest.mark.parametrize(("gap", "tied"), [(1e-10, False), (1e-14, True)])
def test_functions_tie_within_1e_12(gap, tied):
    # observed: 3 against 1; all to A: just under 2 against 0
    metric = Metric("near", ("x",), value=lambda x: np.where(x == 4, 2 - gap, np.where(x == 0, 0.0, x)))
    _, region = metric.rejection_region(metric.effects([[3], [0]], [[0], [1]]), "greater")
    assert region.contains(np.array([3, 4])).tolist() == [True, tied]


# -- one dimension ---------------------------------------------------------------------------------


def test_half_line_by_search_needs_no_enumeration():
    effects = Effects.from_counts(
        {(10**12 + 1, 0): 300, (-3, 0): 500},
        totals_a=(10**15, 10**16),
        names=("errors", "ref_length"),
    )
    lattice, region = metrics.get("wer").rejection_region(effects, "less")
    assert region == Runs(((lattice.observed[0], lattice.span[0]),))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("largest", "kind"), [(3 * 10**5, Runs), (2 * 10**7, Region)])
def test_a_value_that_falls_and_rises(largest, kind, alternative):
    """As runs of points where all can be looked at, in blocks; else as a predicate."""

    def square(x):
        return (x - largest) ** 2

    metric = Metric("square", ("x",), value=square)
    a, b = np.random.default_rng(3).integers(0, largest, (2, 7, 1))
    lattice, region = metric.rejection_region(metric.effects(a, b), alternative)
    assert type(region) is kind
    expected = fraction_of_assignments(
        a.tolist(), b.tolist(), lambda first, second: square(first[0]) - square(second[0]), alternative
    )
    assert probability(lattice, region) == expected < 1
    runs = region.intervals if kind is Runs else []
    assert all(end + 1 < start for (_, end), (start, _) in pairwise(runs))
    assert not runs or any(start // BLOCK < end // BLOCK for start, end in runs)


def test_past_int64():
    big = 10**25
    effects = Effects.from_counts(
        {(big, 0): 30, (-3, 0): 50}, totals_a=(60 * big, 10**30), names=("errors", "ref_length")
    )
    lattice, region = metrics.get("wer").rejection_region(effects, "less")
    assert region == Runs(((lattice.observed[0], lattice.span[0]),))
    f1_effects = Effects.from_counts(
        {(big, 0, -big): 3, (0, big, 0): 2, (0, -1, 0): 4},
        totals_a=(9 * big, 9 * big, 9 * big),
        names=("tp", "fp", "fn"),
    )
    lattice, region = metrics.get("f1").rejection_region(f1_effects, "greater")
    assert region.contains(np.array([lattice.observed], dtype=object))[0]


def test_guide_follows_the_region():
    metric = metrics.get("f1")
    rng = np.random.default_rng(12)
    a, b = columns(0, 1, 2)(rng, 3000)
    lattice, region = metric.rejection_region(metric.effects(a, b), "greater")
    points = np.array(lattice.observed) + rng.integers(-200, 200, (2000, 2))
    inside = region.contains(points)
    assert np.mean((region.value(points.astype(float)) >= 0) == inside) > 0.999
    assert np.isfinite(region.value(rng.normal(0, 1e6, (100, 2)))).all()


def test_statistic_at_lattice_points():
    for name in ("mean", "f1", "function", "difference"):
        metric, draw, _ = CASES[name]
        a, b = draw(np.random.default_rng(13), 9)
        effects = metric.effects(a, b)
        lattice = Lattice.of(effects)
        found = metric.statistic(effects, lattice, np.array([lattice.observed]))[0]
        assert found == pytest.approx(metric.scores(effects)[2], rel=1e-14)
