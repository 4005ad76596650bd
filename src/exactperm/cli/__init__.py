"""The command line. Thin: each command parses, calls the Python interface, and prints."""

import atexit
import gc
import os

__all__ = ["main"]

#: objects that are made before the collector looks for garbage among them: loading modules makes many, and no garbage
MANY = 100_000


def main() -> None:
    """Run the command that the arguments name, in a process of its own, and end it.

    A command over in a fraction of a second spends a tenth of it on collecting garbage while modules are loaded, and on
    taking them apart at the end, when the system takes all memory back at once.
    """
    gc.set_threshold(MANY)
    from exactperm.cli.app import run

    code = run()
    atexit._run_exitfuncs()
    os._exit(code)
