"""The formats by name, and which one a file is in."""

from __future__ import annotations

import difflib
import importlib
from collections import deque
from functools import cache
from pathlib import Path

from exactperm.sources.base import Format
from exactperm.sources.files import Source
from exactperm.sources.head import Head

__all__ = ["FORMATS", "candidates", "get", "recognise"]

#: the modules of this package with a `FORMAT`, in the order of the documentation
FORMATS = (
    "lm_eval",
    "lighteval",
    "inspect_ai",
    "helm",
    "swe_bench",
    "human_eval",
    "evalplus",
    "every_eval_ever",
    "conllu",
    "bio",
    "text",
    "kaldi",
    "comet_json",
    "comet_text",
    "wmt",
    "trec_run",
    "trec_eval",
    "ir_measures",
    "pytrec_eval",
    "squad",
    "glue",
    "delimited",
    "jsonl",
    "parquet",
    "numbers",
)  # fmt: skip


#: what the end of a name promises; where no format is recognised, why not these is said first
ENDINGS = {
    ".csv": ("csv", "numbers"),
    ".tsv": ("csv", "numbers"),
    ".jsonl": ("jsonl",),
    ".conllu": ("conllu",),
    ".txt": ("text",),
    ".parquet": ("parquet",),
}


@cache
def formats() -> dict[str, Format]:
    """All formats by name."""
    found = [importlib.import_module(f"exactperm.sources.{module}").FORMAT for module in FORMATS]
    return {format.name: format for format in found}


def get(name: str) -> Format:
    """The format of this name."""
    try:
        return formats()[name]
    except KeyError:
        close = difflib.get_close_matches(name, formats(), n=1)
        hint = f"did you mean {close[0]}? Known" if close else "known"
        raise ValueError(f"there is no format {name!r}; {hint} are {', '.join(formats())}") from None


def candidates(head: Head, with_gold: bool) -> tuple[list[str], dict[str, str]]:
    """The least general formats that recognise a file, and why the others do not.

    Almost any text could be in a general format, so those also have to fit with whether a gold standard is given.
    """
    found: list[Format] = []
    objections: dict[str, str] = {}
    for format in formats().values():
        objection = format.recognise(head) or (_unfit(format, with_gold) if format.generality else None)
        if objection is None:
            found.append(format)
        else:
            objections[format.name] = objection
    least = min((format.generality for format in found), default=0)
    return [format.name for format in found if format.generality == least], objections


def _unfit(format: Format, with_gold: bool) -> str | None:
    if with_gold:
        return None if format.gold else "takes no gold standard"
    return "needs a gold standard (--gold)" if format.needs_gold else None


def recognise(source: Source, with_gold: bool = False, column: str | None = None) -> Format:
    """The format of a file by its content, or an error that says why it is none.

    `column` is the gold standard if it is no file: the column of right labels, if this is a table.
    """
    head = Head(source, column)
    found, objections = candidates(head, with_gold)
    if len(found) == 1:
        return get(found[0])
    if found:
        raise source.error(f"this may be {' or '.join(found)}; say which with --format")
    if not head.is_text and b"\x00" not in head.start:
        deque(source.lines(), maxlen=0)  # says where the text is in another encoding
    if column is not None:
        Source(column).start  # noqa: B018  # says that there is no such file
    promised = ENDINGS.get(Path(head.name).suffix.lower(), ())
    names: dict[str, list[str]] = {}
    for name in sorted(objections, key=lambda name: name not in promised):
        names.setdefault(objections[name], []).append(name)
    reasons = "; ".join(f"{', '.join(those)}: {objection}" for objection, those in names.items())
    raise source.error(f"the format was not recognised ({reasons}); name it with --format")
