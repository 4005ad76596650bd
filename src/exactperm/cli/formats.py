"""``exactperm formats``: the formats by name, or one of them."""

from __future__ import annotations

from typing import Annotated

import typer

from exactperm.cli.terminal import listed

__all__ = ["formats"]


def _names() -> list[str]:
    from exactperm.sources.registry import formats as registered

    return list(registered())


def formats(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Tell more about this one.", autocompletion=_names)
    ] = None,
) -> None:
    """List the file formats, or tell more about one.

    \b
    Examples:
      exactperm formats
      exactperm formats lm-eval
    """
    from exactperm.sources import registry

    if name is None:
        listed([(each.name, each.title) for each in registry.formats().values()])
        typer.echo("\nFormats are recognised by content; --format NAME says it. exactperm formats NAME tells more.")
        return
    chosen = registry.get(name)
    gold = "needed" if chosen.needs_gold else "taken" if chosen.gold is not None else "in the files"
    lines = [f"{chosen.name}: {chosen.title}", f"--gold    {gold}"]
    lines += [f"--metric  of {measure}: {', '.join(names)}" for measure, names in chosen.metrics.items()]
    typer.echo("\n".join([*lines, *([chosen.details] if chosen.details else [])]))
