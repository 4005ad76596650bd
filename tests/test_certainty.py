"""Systems that are alike, or differ in one item: p = 1, for every metric in every form and by every method."""

import warnings

import numpy as np
import pytest

import exactperm as xp
from exactperm import metrics
from exactperm.engines.auto import METHODS

NEEDED = {"beta": 2, "labels": ["x", "y", "z"]}
ITEMS = 12


def forms():
    for name in metrics.names():
        metric = metrics.get(name, **{key: NEEDED[key] for key in metrics.options(name) if key in NEEDED})
        yield from (metric, *metric.forms)


FORMS = list(forms())
#: what becomes worse on one item, by the first sum that a form has; the gold standard stays
WORSE = {
    "tp": {"tp": -1, "fn": 1},
    "tn": {"tn": -1, "fp": 1},
    "tp[x]": {"tp[x]": -1, "fn[x]": 1},
    "pred[x]": {"pred[x]": -1, "pred[y]": 1, "correct": -1},
    "correct": {"correct": -1},
    "sys_len": {"correct1": -1},
    "hyp1": {"match1": -1},
    "errors": {"errors": 1},
    "score": {"score": -1},
    "wins": {"wins": -1},
}


def counts(form):
    """Counts of one system that no rule forbids."""
    table = np.random.default_rng(7).integers(2, 9, (ITEMS, len(form.sums)))
    column = {name: table[:, i] for i, name in enumerate(form.sums)}
    for part, _ in form.within:
        column[part][:] = 1
    if "pred[x]" in column:  # every item is of some class, and right
        gold = np.eye(3, dtype=np.int64)[np.arange(ITEMS) % 3]
        table[:] = np.hstack([gold, gold, np.ones((ITEMS, 1), dtype=np.int64)])
    return table


def with_one_change(form, table):
    """The same system, worse on the first item."""
    other = table.copy()
    for name, step in WORSE[form.sums[0]].items():
        if name in form.sums:
            other[0, form.sums.index(name)] += step
    return other


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.name} {' '.join(form.sums[:4])}")
def test_alike_and_all_but_one_item_alike(form, method):
    table = counts(form)
    other = with_one_change(form, table)
    assert (other != table).any()
    if form.additive:  # one score for each item, not a column of them
        table, other = table[:, 0], other[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # none of this needs samples that anybody should be warned of
        for first, second in ((table, table), (table, other), (other, table)):
            result = xp.paired_test(first, second, metric=form, method=method, n_resamples=99, rng=1)
            assert (result.pvalue, result.log_pvalue, result.pvalue_interval.high) == (1.0, 0.0, 1.0)
            assert result.n_tied == ITEMS - (first is not second)


@pytest.mark.parametrize("method", METHODS)
def test_one_group_that_differs(method):
    form = metrics.get("f1")
    table = counts(form)
    other = table - np.array([1, 0, -1])
    result = xp.paired_test(table, other, metric=form, groups=["one"] * ITEMS, method=method, n_resamples=99, rng=1)
    assert result.pvalue == 1.0
