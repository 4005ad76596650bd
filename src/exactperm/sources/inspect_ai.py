"""Logs of Inspect: ``.eval``, a zip archive compressed with zstd, or ``.json``.

Of an archive only the summaries of the samples are read, which are small. A sample is named by its id, and its epochs
are one group. A measure is a scorer, or ``scorer.key`` where scores have several values. Values become numbers as
Inspect makes them: C is 1, P is 0.5, I and N are 0. Samples that were not scored, or that failed, have no value.

The target, and the input if it is one text, must agree; of long ones the beginning, as summaries hold no more.
"""

from __future__ import annotations

import importlib
import io
import json
import math
import struct
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from exactperm.sources.base import Format, Head, Record, Source, Wanted, field_of, is_number

__all__ = ["FORMAT"]

ZIP = b"PK\x03\x04"
#: what Inspect puts first into an archive
MEMBERS = (b"_journal/", b"samples/", b"summaries.json", b"header.json")
#: what makes a number of a word, in the words of Inspect's value_to_float
WORDS = {"yes": 1, "true": 1, "no": 0, "false": 0}
LETTERS = {"C": 1, "P": 0.5, "I": 0, "N": 0}
#: characters of a text that all logs hold
KEPT = 500


def recognise(head: Head) -> str | None:
    """Say why this is not a log of Inspect."""
    if head.start.startswith(ZIP):
        return None if head.start[30:].startswith(MEMBERS) else "a zip archive of other members"
    if not head.is_json:
        return "neither a zip archive nor JSON"
    lacking = [key for key in ("version", "status", "eval") if key not in head.keys]
    return f"no {' and no '.join(lacking)}" if lacking else None


def system(source: Source) -> str | None:
    """The model."""
    model = _evaluation(source, "header.json").get("model")
    return model if isinstance(model, str) and model else None


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the samples, each epoch on its own."""
    prefix = f"{_evaluation(source, 'header.json').get('task')}:" if wanted.several else ""
    for sample in _samples(source):
        id = field_of(source, None, sample, "id")
        epoch = sample.get("epoch", 1)
        if not isinstance(epoch, int):
            raise source.error(f"the epoch of sample {id!r} is {epoch!r:.60}, not a number; is the log complete?")
        scores = sample.get("scores") or {}
        if not isinstance(scores, dict):
            raise source.error(f"the scores of sample {id!r} are {scores!r:.60}, not an object; is the log complete?")
        yield Record(
            id=f"{prefix}{id}" if prefix else id,
            values=dict(_values(scores)),
            sample=epoch,
            group=field_of(source, None, sample, wanted.group) if wanted.group else None,
            check=_question(sample),
        )


def _samples(source: Source) -> list[dict[str, Any]]:
    log = _part(source, "summaries.json")
    samples = log.get("samples") if isinstance(log, dict) else log
    if not isinstance(samples, list) or not all(isinstance(sample, dict) for sample in samples):
        raise source.error("the log holds no list of samples; did the evaluation end?")
    return samples


def _evaluation(source: Source, member: str) -> Mapping[str, Any]:
    log = _part(source, member)
    evaluation = log.get("eval") if isinstance(log, dict) else None
    if not isinstance(evaluation, dict):
        raise source.error("the log does not say what was evaluated; is it complete?")
    return evaluation


def _values(scores: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else None
        if isinstance(value, dict):
            yield from ((f"{scorer}.{key}", _number(each)) for key, each in value.items())
        else:
            yield scorer, _number(value)


def _number(value: Any) -> float | None:
    """A value of Inspect as a number; None if it was not scored, or is none."""
    if is_number(value):
        return value  # type: ignore[no-any-return]
    if not isinstance(value, str):
        return None
    if value in LETTERS:
        return LETTERS[value]
    if value.lower() in WORDS:
        return WORDS[value.lower()]
    with suppress(ValueError):
        return number if math.isfinite(number := float(value)) else None
    return None


def _question(sample: Mapping[str, Any]) -> str:
    """What has to be the same in all logs; messages are left out, as they have an id that is new in each run."""
    question, target = sample.get("input"), sample.get("target")
    targets = target if isinstance(target, list) else [target]
    return json.dumps([str(x)[:KEPT] for x in (question if isinstance(question, str) else "", *targets)])


# -- archives --------------------------------------------------------------------------------------------------


def _part(source: Source, member: str) -> Any:
    """A member of an archive, or the whole of a ``.json`` log, in which all of them are keys."""
    return _member(source, member) if source.start.startswith(ZIP) else source.json()


def _member(source: Source, member: str) -> Any:
    zipfile = _zipfile()
    try:
        with source.open() as file:
            whole = io.BytesIO(file.read()) if source.is_compressed else file  # an archive is read from its end
            with zipfile.ZipFile(whole) as archive:
                text = archive.read(member).decode("utf-8")
    except KeyError:
        raise source.error(f"there is no {member} in the archive; did the evaluation end?") from None
    except NotImplementedError:
        raise source.error(
            "the archive is compressed with zstd, which needs pip install 'exactperm[inspect]'; or convert it with "
            "inspect log convert --to json"
        ) from None
    except _damaged(zipfile) as error:
        raise source.error(f"the archive cannot be read ({error}); is the file complete?") from None
    return source.parse(text)


def _zipfile() -> Any:
    """The module that reads archives, of members compressed with zstd too if there is one."""
    if sys.version_info < (3, 14):
        with suppress(ImportError):
            return importlib.import_module("backports.zstd.zipfile")
    return importlib.import_module("zipfile")


def _damaged(zipfile: Any) -> tuple[type[Exception], ...]:
    """What damaged archives raise, which depends on the module."""
    zstd = sys.modules.get("backports.zstd") or sys.modules.get("compression.zstd")
    of_module = [zipfile.BadZipFile, *([zstd.ZstdError] if zstd else [])]
    return (OSError, EOFError, RuntimeError, ValueError, struct.error, zlib.error, *of_module)


FORMAT = Format(
    name="inspect",
    title="logs of Inspect (.eval and .json)",
    recognise=recognise,
    read=read,
    system=system,
    details="Items are samples, and the epochs of one are a group; measures are scorers; the system is the model.",
)
