"""The metrics by name: ``get("f1")``, ``get("fbeta", beta=2)``, ``get("fbeta(beta=2)")``.

A name stands for a function that returns the declaration; its keyword arguments are the options of
the metric, and its spelling with options is the name that results carry, in Python, on the command
line and in JSON.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from exactperm.metrics.base import Metric

__all__ = ["get", "names", "options", "parse", "register", "spelled", "summary"]

_FACTORIES: dict[str, Callable[..., Metric]] = {}


def register(factory: Callable[..., Metric]) -> Callable[..., Metric]:
    """Enter a function under its name with the trailing underscore, if any, taken off."""
    _FACTORIES[factory.__name__.rstrip("_")] = factory
    return factory


def names() -> tuple[str, ...]:
    """The names of all metrics, in the order in which they are documented."""
    return tuple(_FACTORIES)


def options(name: str) -> dict[str, Any]:
    """The options of a metric with their defaults, `inspect.Parameter.empty` for none."""
    return {key: parameter.default for key, parameter in inspect.signature(_factory(name)).parameters.items()}


def summary(name: str) -> str:
    """What a metric is, in one line."""
    return (inspect.getdoc(_factory(name)) or "").partition("\n")[0]


def get(metric: str | Metric, **given: Any) -> Metric:
    """Return the metric of this name with these options; a `Metric` is returned as it is.

    Parameters
    ----------
    metric
        A name, with or without options: ``"f1"``, ``"fbeta(beta=2)"``.
    **given
        Options that differ from their defaults.

    Examples
    --------
    >>> get("f1").sums
    ('tp', 'fp', 'fn')
    >>> get("fbeta(beta=0.5)").name
    'fbeta(beta=0.5)'
    """
    if isinstance(metric, Metric):
        if given:
            raise TypeError(f"options {', '.join(given)} are for metrics given by name, not for a Metric")
        return metric
    if not isinstance(metric, str):
        raise TypeError(f'metric must be a name such as "f1" or a Metric, not {type(metric).__name__}')
    return _made(metric, given) if given else _as_named(metric)


@lru_cache(maxsize=256)
def _as_named(metric: str) -> Metric:
    """The metric of a name, options written in it; declarations are frozen, so one serves everybody."""
    return _made(metric, {})


def _made(metric: str, given: dict[str, Any]) -> Metric:
    """Call the factory of a name with its options checked."""
    name, written = parse(metric)
    given = {**written, **given}
    factory = _factory(name)
    known = options(name)
    if unknown := [key for key in given if key not in known]:
        takes = f"takes {', '.join(known)}" if known else "takes no options"
        raise TypeError(f"metric {name!r} {takes}; got {', '.join(unknown)}")
    required = [key for key, default in known.items() if default is inspect.Parameter.empty and key not in given]
    if required:
        raise TypeError(f'metric {name!r} needs {", ".join(required)}, as in "{name}({required[0]}=...)"')
    made = factory(**given)
    changed = {key: value for key, value in given.items() if value != known[key] and value is not None}
    return made.renamed(spelled(name, changed))


def spelled(name: str, options: Mapping[str, Any]) -> str:
    """The name with these options written in it, after those that are there."""
    if not options:
        return name
    plain = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in options.items()}  # of NumPy
    written = ", ".join(f"{key}={value!r}" for key, value in plain.items())
    return f"{name[:-1]}, {written})" if name.endswith(")") else f"{name}({written})"


def _factory(name: str) -> Callable[..., Metric]:
    try:
        return _FACTORIES[name]
    except KeyError:
        close = difflib.get_close_matches(name, _FACTORIES, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
        raise ValueError(
            f"there is no metric {name!r}; {hint}Known are {', '.join(_FACTORIES)}, and Metric(...) makes your own"
        ) from None


def parse(written: str) -> tuple[str, dict[str, Any]]:
    """Split ``name(option=literal, ...)``."""
    name, bracket, _ = written.partition("(")
    if not bracket:
        return written, {}
    try:
        call = ast.parse(written, mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(word.arg is None for word in call.keywords):
            raise ValueError
        return name, {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError):
        raise ValueError(
            f"cannot read the metric {written!r}; write it as fbeta(beta=2), texts in quotes as f1(pos_label='spam')"
        ) from None


def beta_rule(beta: Any) -> Fraction:
    """Check scikit-learn's ``beta``; as the decimal that was written."""
    if isinstance(beta, (bool, str)) or not 0 < beta < math.inf:
        raise ValueError(f"beta must be a positive number, not {beta!r}")
    return Fraction(str(beta))


def zero_division_rule(x: float) -> Fraction:
    """Check scikit-learn's ``zero_division``."""
    if x not in (0, 1):
        raise ValueError(f"zero_division must be 0 or 1, not {x!r}")
    return Fraction(x)
