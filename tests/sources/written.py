"""Small files for tests of single readers."""

from __future__ import annotations

import re

import pytest

import exactperm as xp
from exactperm.sources import SourceError


def written(folder, **texts):
    """Write texts under their names with the ending ``.txt``, and return the paths by name."""
    paths = {}
    for name, text in texts.items():
        paths[name] = folder / f"{name}.txt"
        paths[name].write_text(text, encoding="utf-8")
    return paths


def read(folder, gold=None, *, options=None, **texts):
    """Read the files of some systems."""
    paths = written(folder, **texts)
    standard = {} if gold is None else {"gold": written(folder, gold=gold)["gold"]}
    return xp.read(paths, **standard, **(options or {}))


def refused(message, folder, gold=None, **more):
    """Check that files are refused with a message that holds these words."""
    with pytest.raises(SourceError, match=re.escape(message)):
        read(folder, gold, **more)
