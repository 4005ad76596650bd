"""Write docs/engines.md from the docstrings of the engines: ``python docs/generate_engines.py``."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

from exactperm.engines import auto

PAGE = Path(__file__).with_name("engines.md")
#: in the order of the decision table; "fourier" is two modules, on a line and in several dimensions
MODULES = (
    "fourier",
    "torus",
    "meet_in_the_middle",
    "rational",
    "enumeration",
    "bracket",
    "control_variate",
    "monte_carlo",
    "importance",
)

HEAD = """\
# Engines

This page is generated from the docstrings by `docs/generate_engines.py`.

An engine answers one question: with what probability does a sum of independent coins times integer steps fall into a
region? The result names the engine that answered. `exact` is True if its only error is bounded rounding, and
`pvalue_interval` then is certain to hold the truth; so it is for the bracket. Rounding is bounded on assumptions about
elementary functions and transforms that [the mathematics](mathematics.md#11-what-is-proved-and-what-is-not) names. For
samplers it is a confidence interval.

Each engine has the letters of its sources. The proofs are in [the mathematics](mathematics.md), in one notation.

## auto
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, quoted(inspect.getdoc(auto)), *(section(name) for name in MODULES)])


def section(module: str) -> str:
    """One engine."""
    text = inspect.getdoc(importlib.import_module(f"exactperm.engines.{module}"))
    name = "fourier, two and more dimensions" if module == "torus" else module.replace("_", "-")
    return f"## {name}\n\n{quoted(text)}"


def quoted(text: str | None) -> str:
    """Text with formulas, as it stands."""
    return f"```text\n{text}\n```\n"


if __name__ == "__main__":
    main()
