"""What the commands on files have in common: their arguments, and how these are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from exactperm.sources import Scores

__all__ = ["read_files"]


def _metrics() -> list[str]:
    from exactperm import metrics

    return list(metrics.names())


def _formats() -> list[str]:
    from exactperm.sources.registry import formats

    return list(formats())


def _methods() -> list[str]:
    from exactperm.engines.auto import METHODS

    return list(METHODS)


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        show_default=False,
        help="One file, quoted pattern or NAME=FILE for each system, or a table of several; - is standard input.",
    ),
]
Gold = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="The gold standard, where it is a file of its own (repeatable, for references), or of a table the column "
        "of right labels.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The format, see exactperm formats; found by itself.", autocompletion=_formats),
]
Filter = Annotated[
    str | None, typer.Option(metavar="NAME", help="Which version of the answers, where files hold several.")
]
A = Annotated[str | None, typer.Option("--a", metavar="COLUMN", help="The first of two columns of a table.")]
B = Annotated[str | None, typer.Option("--b", metavar="COLUMN", help="The second.")]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        help="What is compared, see exactperm metrics; once or more often.",
        autocompletion=_metrics,
    ),
]
LowerIsBetter = Annotated[bool, typer.Option("--lower-is-better", help="Smaller scores are better.")]
Epochs = Annotated[
    Literal["first", "min"] | None,
    typer.Option(
        metavar="first|min", help="Where items were answered unequally often: the first answer, or as many as all have."
    ),
]
Missing = Annotated[
    Literal["raise", "omit"],
    typer.Option(metavar="raise|omit", help="Items that a system lacks are an error, or left out."),
]
Group = Annotated[
    str | None,
    typer.Option(metavar="FIELD", help="The field whose items (of a document, a topic) change sides together."),
]
Id = Annotated[str | None, typer.Option("--id", metavar="FIELD", help="The field that names an item.")]
NoCheck = Annotated[bool, typer.Option("--no-check", help="Do not require that hashes of the questions agree.")]
MemoryLimit = Annotated[
    str | None, typer.Option(metavar="SIZE", help="For tables of over 256 MB: what DuckDB may use, as 2GB.")
]
Spill = Annotated[
    str | None, typer.Option(metavar="FOLDER", help="For tables of over 256 MB: where to put what does not fit.")
]
Alternative = Annotated[
    Literal["two-sided", "greater", "less"],
    typer.Option(metavar="two-sided|greater|less", help="greater: the first system of a pair is better."),
]
Baseline = Annotated[
    str | None, typer.Option(metavar="SYSTEM", help="Compare all others with this one; else all pairs are compared.")
]
Method = Annotated[
    str, typer.Option(metavar="NAME", help="auto, exact, or an engine by name.", autocompletion=_methods)
]
Output = Literal["table", "json", "csv", "latex", "markdown"]
Form = Annotated[Output, typer.Option(metavar="FORM", help="table, json, csv, latex or markdown.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Of the random numbers: equal seeds, equal answers.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No warnings, notes and progress.")]


def read_files(
    files: list[str],
    *,
    metrics: list[str] | None,
    **options: Any,
) -> Scores:
    """Read the files, the names of their systems taken off."""
    from exactperm.sources import read

    named = (_named(file) for file in files)
    return read(*named, metrics=tuple(metrics or ()), **options)


def _named(argument: str) -> str | dict[str, str]:
    """``NAME=FILE`` as a mapping; a path that holds an equals sign and exists is a path."""
    name, equals, path = argument.partition("=")
    if not equals or not name or not path or Path(argument).exists():
        return argument
    return {name: path}


def one_or_several(metrics: list[str] | None) -> Any:
    """What `exactperm.compare` takes as a metric."""
    return metrics[0] if metrics and len(metrics) == 1 else metrics or None


def system_called(name: str | None, scores: Scores) -> str | None:
    """The system of this name, or of the file of this name if it holds one system."""
    for source in scores.provenance:
        if name not in scores.systems and source.path == name and len(source.systems) == 1:
            return source.systems[0]
    return name
