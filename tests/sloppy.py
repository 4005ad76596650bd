"""A library of elementary functions that is as far off as the engines allow for: each within 4 ulp, none right.

The bounds of rounding rest on that assumption, and the library at hand is much better than it: bounds that are far too
small would never be seen with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: 3 ulp of a number just above a power of two; the product may add a half
OFF = 3 * 2.0**-52
EXPONENTIALS = {"exp", "expm1"}
LOGARITHMS = {"log", "log1p", "logaddexp"}
ANGLES = {"sin", "tan", "arctan", "arctan2", "tanh"}
FUNCTIONS = EXPONENTIALS | LOGARITHMS | ANGLES | {"cos", "sqrt"}
#: which way each function errs: all up, all down, those in the second set the other way, or each element as it falls
WAYS = {
    "up": (1, set()),
    "down": (-1, set()),
    "logarithms down": (1, LOGARITHMS),
    "angles down": (1, ANGLES),
    "exponentials down": (1, EXPONENTIALS),
    "by chance": (0, set()),
}


class Sloppy:
    """Stands for `numpy` or `math` in a module."""

    def __init__(self, module: Any, way: str) -> None:
        self._module, (self._sign, self._others) = module, WAYS[way]
        self._rng = np.random.default_rng(0)

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._module, name)
        if name == "fft":
            return _SloppyTransforms(function, self._sign or 1)
        if name not in FUNCTIONS:
            return function
        sign = -self._sign if name in self._others else self._sign

        def wrong(*args: Any, **options: Any) -> Any:
            value = function(*args, **options)
            return value * (1 + (sign or self._rng.choice([-1, 1], np.shape(value))) * OFF)

        return wrong


class _SloppyTransforms:
    """Stands for `numpy.fft`: a transform of length n is off by 4 ulp for each of log2 n + 2 stages, nearly."""

    def __init__(self, module: Any, sign: int) -> None:
        self._module, self._sign = module, sign

    def __getattr__(self, name: str) -> Any:
        transform = getattr(self._module, name)

        def wrong(x: Any, n: int | None = None, axis: int = -1, **options: Any) -> Any:
            stages = np.log2(np.shape(x)[axis] if n is None else n) + 2
            return transform(x, n, axis=axis, **options) * (1 + self._sign * 3.5 * 2.0**-52 * stages)

        return wrong


def spoil(monkeypatch: Any, way: str, modules: list[Any]) -> None:
    """Give modules such a library in place of theirs."""
    for module in modules:
        for name in ("np", "math"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, Sloppy(getattr(module, name), way))
