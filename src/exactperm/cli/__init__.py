"""The command line. Thin: each command parses, calls the Python interface, and prints."""

from exactperm.cli.app import main

__all__ = ["main"]
