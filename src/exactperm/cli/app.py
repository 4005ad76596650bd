"""The application: what is true of every command, and the list of the commands.

A command is a function in a module of its own, registered here. What is slow to load (NumPy, rich,
the engines) is imported inside the commands, so that ``exactperm --help`` answers at once.
"""

import signal
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from exactperm import __version__
from exactperm.cli.compare import compare
from exactperm.cli.demo import demo
from exactperm.cli.errors import one_line_errors
from exactperm.cli.explain import explain
from exactperm.cli.formats import formats
from exactperm.cli.metrics import metrics
from exactperm.cli.power import power
from exactperm.cli.terminal import survive_any_encoding, survive_closed_streams

__all__ = ["COMMANDS", "app", "run"]

#: exit code of an error that is no fault of the input: EX_SOFTWARE of BSD
BUG = 70


class Commands(TyperGroup):
    """The commands, any of which may meet bad input."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        with one_line_errors():
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()  # where it is noticed that a disk is full


app = typer.Typer(
    name="exactperm",
    cls=Commands,
    invoke_without_command=True,
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
def _exactperm(ctx: typer.Context, version: Version = False) -> None:  # noqa: ARG001  # its callback answers
    """Tell whether one system is better than another on the same test set, by exact paired-permutation tests.

    \b
    Start here:
      exactperm demo                            one test on built-in data
      exactperm compare runA.jsonl runB.jsonl   your files, one for each system
      exactperm compare scores.csv              or a table with a column for each
      exactperm formats                         what can be read
      exactperm compare --help                  more examples
    """
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


#: in the order of the help
COMMANDS = (compare, explain, power, metrics, formats, demo)

for command in COMMANDS:
    app.command()(command)


def run() -> int:
    """Run the command that the arguments name; return the exit code."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end in silence where a reader such as head has seen enough
    survive_closed_streams()
    survive_any_encoding()
    try:
        app()
    except SystemExit as ended:
        return int(ended.code or 0)
    except Exception:  # noqa: BLE001  # a bug of ours: its traceback, and not the exit code of --gate
        sys.excepthook(*sys.exc_info())
        return BUG
    return 0
