"""The application: what is true of every command, and the list of the commands.

A command is a function in a module of its own, registered here. What is slow to load (NumPy, rich,
the engines) is imported inside the commands, so that ``exactperm --help`` answers at once.
"""

from typing import Annotated

import typer

from exactperm import __version__
from exactperm.cli.demo import demo

__all__ = ["app", "main"]

app = typer.Typer(
    name="exactperm",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: drawing boxes loads rich and doubles the time
    pretty_exceptions_enable=False,
)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"exactperm {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
]


@app.callback()
def _exactperm(version: Version = False) -> None:
    """Compare two systems on the same test set by exact paired-permutation tests."""


app.command()(demo)


def main() -> None:
    """Run the command that the arguments name."""
    app()
