"""Write docs/metrics.md from the registry: ``python docs/generate_metrics.py``."""

from __future__ import annotations

import inspect
from pathlib import Path

from exactperm import metrics
from exactperm.metrics import Metric

PAGE = Path(__file__).with_name("metrics.md")
#: values of options without a default, to have a declaration to show
EXAMPLES = {"beta": 2, "labels": ["a", "b"]}

HEAD = """\
# Metrics

This page is generated from the registry by `docs/generate_metrics.py`.

A metric is a function of the totals of a few integers per item. Give the integers to `paired_test`
as a mapping of columns or as an array (items, sums) in the order shown; `metrics.extract` finds
them from predictions and a gold standard. Options are written `metric="fbeta(beta=2)"`, in Python
and on the command line.

The statistic is the value of A minus the value of B. Whether it ties with the observed one is
decided in integers for every metric whose values are rational numbers or have square roots below.
Values that are neither (BLEU, chrF, and functions of your own) tie within 1e-12, relative to the
observed values.

Counts on which systems cannot differ because the gold standard fixes them are checked item by item.
"""

OWN = """\
## Your own

```python
mine = xp.Metric("mine", sums=("hits", "cost"), value=lambda hits, cost: hits / (1 + cost))
r = xp.paired_test({"hits": [3, 1], "cost": [0, 1]}, {"hits": [1, 1], "cost": [1, 2]}, metric=mine)
```

`value` gets one float64 array for each sum and returns an array; it is called only with totals that
lie within what the data can attain. `h` instead of `value` is a statistic of all sums of A and then
of B; two-sided then means |h|, and both tails are added up unless `antisymmetric=True`. `ratio`
instead of `value` returns a pair (numerator, denominator) of integer polynomials, and ties are
decided exactly. `increasing={"hits": 1, "cost": -1}` states in which sums the value never falls or
never rises: larger problems are then exact. A wrong statement gives a wrong p-value, unless a look at
the data finds it out, which is then an error.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(section(name) for name in metrics.names()), OWN])


def section(name: str) -> str:
    """One metric."""
    options = metrics.options(name)
    metric = metrics.get(name, **{key: EXAMPLES[key] for key in options if key in EXAMPLES})
    lines = [f"## {name}", "", metrics.summary(name)]
    if metric.about and metric.about != metrics.summary(name):
        lines.append(metric.about)
    lines += [
        "",
        f"- Value: `{metric.formula}`" + (f", times {metric.scale}" if metric.scale != 1 else ""),
    ]
    lines += [f"- Sums: {' or '.join(f'`{sums(form)}`' for form in (metric, *metric.forms))}"]
    if options:
        lines.append(f"- Options: {', '.join(f'`{option(*item)}`' for item in options.items())}")
    lines.append(f"- {'Higher' if metric.higher_is_better else 'Lower'} is better. {ties(metric)}")
    if fixed := [" + ".join(group) for group in metric.gold]:
        lines.append(f"- The same for both systems: {', '.join(f'`{group}`' for group in fixed)}")
    return "\n".join([*lines, ""])


def sums(metric: Metric) -> str:
    """The sums of a metric; of many classes the first."""
    return ", ".join(metric.sums)


def option(name: str, default: object) -> str:
    """An option as one writes it."""
    return name if default is inspect.Parameter.empty else f"{name}={default!r}"


def ties(metric: Metric) -> str:
    """How ties are decided and what division by zero gives."""
    if metric.value is not None:
        return "Ties: within 1e-12."
    if metric.additive:
        return "Ties: exact."
    rule = "an error" if metric.zero_division is None else metric.zero_division
    return f"Ties: exact. Division by zero: {rule}."


if __name__ == "__main__":
    main()
