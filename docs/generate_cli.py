"""Write docs/cli.md from the help of the commands: ``python docs/generate_cli.py``."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from typer.main import get_command

from exactperm.cli.app import COMMANDS, app

PAGE = Path(__file__).with_name("cli.md")

HEAD = """\
# The command line

This page is generated from the help of the commands by `docs/generate_cli.py`.

Results go to standard output; progress, notes and warnings to standard error. Colour is for terminals only, and
`NO_COLOR` turns it off. `exactperm --install-completion` completes commands, options and the names of metrics, formats
and methods in bash, zsh, fish and PowerShell.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | with `--gate`: a system is significantly worse than the baseline |
| 2 | the input or an option is wrong; one line, `file:line: what is wrong; what to do` |
| 70 | an error of exactperm itself, with a traceback; please report it |
| 130 | interrupted |

The json form has a `schema` number, which changes when a field does. The csv form has one row for each pair and metric
with all digits, the interval of the p-value, and the signature from which the test can be repeated. The latex form is
for `booktabs`.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The whole page."""
    group = get_command(app)
    commands = [section(f"exactperm {command.__name__}", group.commands[command.__name__]) for command in COMMANDS]
    return "\n".join([HEAD, section("exactperm", group), *commands])


def section(name: str, command: Any) -> str:
    """A command: its help, with lists of lines as they stand, and its arguments and options."""
    parts = [f"## {name}", *(paragraph(text) for text in inspect.cleandoc(command.help).split("\n\n"))]
    rows = [f"| {spelling(p)} | {meaning(p)} |" for p in command.params if not p.opts[0].endswith("-completion")]
    if rows:
        parts.append("\n".join(["| option | meaning |", "|:---|:---|", *rows]))
    return "\n\n".join(parts) + "\n"


def paragraph(text: str) -> str:
    """Lines that click is told to leave as they are, as code; all others as text."""
    kept, mark, lines = text.partition("\b\n")
    return text if not mark else f"{kept}```text\n{lines.rstrip()}\n```"


def spelling(parameter: Any) -> str:
    """An argument or option as one writes it."""
    names = ", ".join(reversed(parameter.opts)) if parameter.param_type_name == "option" else ""
    value = "" if getattr(parameter, "is_flag", False) else parameter.metavar
    return f"`{' '.join(filter(None, (names, value)))}`".replace("|", "\\|")


def meaning(parameter: Any) -> str:
    """What its help says, and its default."""
    default = parameter.default
    shown = "" if default is None or isinstance(default, bool) else f" Default: `{default}`."
    return f"{parameter.help}{shown}"


if __name__ == "__main__":
    main()
