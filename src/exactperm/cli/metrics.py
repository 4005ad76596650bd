"""``exactperm metrics``: the metrics by name, or one of them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated

import typer

from exactperm.cli.terminal import listed

if TYPE_CHECKING:
    from exactperm.metrics import Metric

__all__ = ["metrics"]


def _names() -> list[str]:
    from exactperm import metrics as registry

    return list(registry.names())


def metrics(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Tell more about this one.", autocompletion=_names)
    ] = None,
) -> None:
    """List the metrics, or tell more about one.

    \b
    Examples:
      exactperm metrics
      exactperm metrics fbeta
      exactperm compare A.tsv B.tsv --gold gold.tsv --metric 'fbeta(beta=2)'
    """
    from exactperm import metrics as registry

    if name is not None:
        typer.echo(_about(name))
        return
    listed([(each, registry.summary(each)) for each in registry.names()])
    typer.echo(
        "\nexactperm metrics NAME tells more. Numbers in files have names of their own: any field, such as exact_match."
    )


def _about(written: str) -> str:
    from exactperm import metrics as registry
    from exactperm.metrics.registry import parse

    name, given = parse(written)
    known = registry.options(name)
    lines = [f"{name}: {registry.summary(name)}"]
    if known:
        lines.append(f"options   {', '.join(_option(*item) for item in known.items())}")
    if all(default is not inspect.Parameter.empty or key in given for key, default in known.items()):
        lines += _declared(registry.get(written), registry.summary(name))
    return "\n".join(lines)


def _declared(metric: Metric, summary: str) -> list[str]:
    """What can be said once its options have values."""
    return [
        f"sums      {' or '.join(', '.join(form.sums) for form in (metric, *metric.forms))}",
        f"value     {metric.formula}" + (f", times {metric.scale}" if metric.scale != 1 else ""),
        f"better    {'higher' if metric.higher_is_better else 'lower'}",
        *([metric.about] if metric.about and metric.about != summary else []),
    ]


def _option(name: str, default: object) -> str:
    return f"{name}=..." if default is inspect.Parameter.empty else f"{name}={default!r}"
