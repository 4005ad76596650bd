"""`read`: from paths to `Scores`: the files, their formats, the names of the systems, and what they say, aligned."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from exactperm.sources import registry
from exactperm.sources.align import align
from exactperm.sources.answers import Answers, collect
from exactperm.sources.base import Block, Format, Wanted
from exactperm.sources.blocks import records, side_by_side
from exactperm.sources.database import Limits, Table, count, is_large
from exactperm.sources.files import STDIN, Source, SourceError
from exactperm.sources.scores import Provenance, Scores

__all__ = ["read"]

EPOCHS = (None, "first", "min")
MISSING = ("raise", "omit")


def read(
    *paths: Any,
    format: str | None = None,
    gold: Any = None,
    metrics: str | Sequence[str] = (),
    filter: str | None = None,
    id: str | None = None,
    group: str | None = None,
    a: str | None = None,
    b: str | None = None,
    epochs: str | None = None,
    missing: str = "raise",
    check: bool = True,
    memory_limit: str | None = None,
    spill: str | None = None,
) -> Scores:
    """Read what evaluation tools wrote, and align it by item.

    Parameters
    ----------
    *paths
        Files or patterns (``"runA/samples_*.jsonl"``), "-" for standard input; one for each system, or for a table of
        several. A pattern that matches several files stands for one system whose items are spread over them. Or a
        mapping from the names of the systems to paths.
    format
        The name of the format, see `exactperm formats`; None finds it out.
    gold
        The file with what is right, where systems and gold standard come apart; a list of files if there are several
        references. Of a table of labels the column of the right ones.
    metrics
        What will be compared; only formats that compute metrics on demand (TREC runs) need to know.
    filter
        Which of several versions of each answer, in formats that hold several (lm-evaluation-harness).
    id, group
        Fields that name an item, and the group (document, topic) with which it is exchanged.
    a, b
        Columns of two systems in a table that has more.
    epochs
        "first" or "min", where items were answered a different number of times by the systems.
    missing
        "raise", or "omit" to leave out items that not all systems have.
    check
        Whether the questions, where files hold hashes of them, have to be the same.
    memory_limit, spill
        Tables of more than 256 MB, or any if one of these is given, are counted by DuckDB instead of loaded: one table
        with two systems, or two with an id and one system each; from 4 MB on parts of a table, if `a` and `b` are
        given. It uses this much memory, as "2GB", and puts what does not fit into this folder.

    Returns
    -------
    Scores
        For `compare` and `paired_test`.

    Raises
    ------
    SourceError
        ``file:line: what is wrong; what to do``.
    """
    for argument, value, allowed in (("epochs", epochs, EPOCHS), ("missing", missing, MISSING)):
        if value not in allowed:
            raise ValueError(f"{argument} must be one of {', '.join(map(repr, allowed))}; not {value!r}")
    wanted = Wanted((metrics,) if isinstance(metrics, str) else tuple(metrics), filter, id, group, a, b)
    arguments = _arguments(paths)
    if not arguments:
        raise TypeError("read needs one or more paths")
    golds = [] if gold is None else [path for _, path in _arguments(gold if isinstance(gold, list | tuple) else [gold])]
    column = golds[0] if len(golds) == 1 and golds[0] != STDIN and not Path(golds[0]).is_file() else None
    given = [_Given.of(name, path, format, bool(golds) and column is None, column) for name, path in arguments]
    _refuse_twice(given, golds)
    if column is not None and all(one.format.blocks for one in given):
        wanted = replace(wanted, gold=column)
    elif golds:
        _refuse_different(given)
        wanted = replace(wanted, gold=_read_golds([Source(path) for path in golds], given[0].format, wanted))
    wanted = replace(wanted, alone=len(given) == 1)
    names = _names(given)
    tables = [Table(name, one.sources, one.format.name) for one, name in zip(given, names, strict=True)]
    limits = Limits(memory_limit, spill)
    if is_large(tables, wanted, limits):
        return count(tables, wanted, limits, missing)
    blocks = [one.blocks(name, wanted) for one, name in zip(given, names, strict=True)]
    return _with_notes(
        _in_columns(given, blocks) or _by_item(given, names, blocks, wanted, epochs, missing, check), blocks
    )


def _in_columns(given: Sequence[_Given], blocks: Sequence[Sequence[Sequence[Block]]]) -> Scores | None:
    """The scores, if all files are read by columns whose rows match."""
    if any(one.format.blocks is None or len(one.sources) > 1 for one in given):
        return None
    provenance = tuple(
        Provenance(one.sources[0].name, one.format.name, tuple(str(block.system) for block in theirs))
        for one, [theirs] in zip(given, blocks, strict=True)
    )
    lower = frozenset().union(*(one.format.lower_is_better for one in given))
    return side_by_side([block for [theirs] in blocks for block in theirs], provenance, lower)


def _by_item(
    given: Sequence[_Given],
    names: Sequence[str],
    blocks: Sequence[Sequence[Sequence[Block]]],
    wanted: Wanted,
    epochs: str | None,
    missing: str,
    check: bool,
) -> Scores:
    """The scores, aligned by item."""
    systems: list[Answers] = []
    for one, name, theirs in zip(given, names, blocks, strict=True):
        systems += one.read(name, wanted, theirs)
    _refuse_same_names(systems)
    if len(systems) < 2:
        raise SourceError(
            f"{given[0].sources[0].name}: there is one system here, {systems[0].system}; give the file of another one "
            "too, or a table with a column for each"
        )
    return align(systems, epochs=epochs, missing=missing, check=check)


def _with_notes(scores: Scores, blocks: Sequence[Sequence[Sequence[Block]]]) -> Scores:
    """The scores with what readers of columns made of them, and all metrics that their counts are made for."""
    every = [block for one in blocks for part in one for block in part]
    known = {name: metrics for block in every for name, metrics in block.metrics.items()}
    measures = {
        name: replace(measure, metrics=known[name]) if name in known else measure
        for name, measure in scores.measures.items()
    }
    return replace(scores, measures=measures, notes=tuple(dict.fromkeys(block.note for block in every)))


@dataclass(eq=False)
class _Given:
    """One argument: the files it stands for, in one format."""

    named: str | None
    sources: list[Source]
    format: Format

    @classmethod
    def of(cls, named: str | None, path: str, format: str | None, with_gold: bool, column: str | None) -> _Given:
        """Find the files of a path or a pattern, and their format; the gold standard may be a column of a table."""
        sources = [Source(found) for found in _expanded(path)]
        for source in sources:
            source.start  # noqa: B018  # a file that cannot be read, or is empty, has no format
        formats = [
            registry.get(format) if format else registry.recognise(source, with_gold, column) for source in sources
        ]
        for source, each in zip(sources, formats, strict=True):
            if each is not formats[0]:
                raise source.error(
                    f"this file is in the format {each.name}, but {sources[0].name}, of the same pattern, in "
                    f"{formats[0].name}; give files of one kind"
                )
        return cls(named, sources, formats[0])

    @property
    def name(self) -> str:
        """The name of the system, from the user, the file, or its path."""
        source = self.sources[0]
        inside = self.format.system(source) if self.format.system and not self.named else None
        return self.named or inside or _stem(source.path)

    def blocks(self, name: str, wanted: Wanted) -> list[list[Block]]:
        """What each file says by columns; nothing in formats that are read item by item."""
        if self.format.blocks is None:
            return []
        wanted = replace(wanted, several=len(self.sources) > 1)
        found = [self.format.blocks(source, wanted) for source in self.sources]
        return [[replace(block, system=block.system or name) for block in part] for part in found]

    def read(self, name: str, wanted: Wanted, blocks: Sequence[Sequence[Block]]) -> list[Answers]:
        """All answers in these files, by system; `blocks` are those that are there already."""
        if self.format.needs_gold and wanted.gold is None:
            raise self.sources[0].error(
                f"a file of the format {self.format.name} means nothing without its gold standard; give it with --gold"
            )
        wanted = replace(wanted, several=len(self.sources) > 1)
        found: dict[str, Answers] = {}
        for i, source in enumerate(self.sources):
            rows = records(blocks[i]) if self.format.read is None else self.format.read(source, wanted)
            collect(source, self.format, rows, name, found)
        return list(found.values())


def _arguments(paths: Iterable[Any]) -> list[tuple[str | None, str]]:
    """The name, if one is given, and the path of each argument."""
    arguments: list[tuple[str | None, str]] = []
    for path in paths:
        if isinstance(path, Mapping):
            arguments += [(str(name), os.fspath(each)) for name, each in path.items()]
        elif isinstance(path, str | os.PathLike):
            arguments.append((None, os.fspath(path)))
        else:
            raise TypeError(f"a path is a string or a Path, not {path!r:.60}; systems in memory go to compare")
    return arguments


def _expanded(path: str) -> list[str]:
    if path == STDIN or not glob.has_magic(path) or Path(path).exists():
        return [path]
    found = sorted(glob.glob(path, recursive=True))  # noqa: PTH207  # Path.glob takes no absolute pattern
    if not found:
        raise SourceError(f"{path}: no file matches this pattern; check it, and quote it for the shell")
    return found


def _read_golds(sources: Sequence[Source], format: Format, wanted: Wanted) -> Any:
    if format.gold is None:
        raise sources[0].error(f"files of the format {format.name} hold their own gold standard; leave out --gold")
    if len(sources) > 1 and not format.several_golds:
        raise sources[1].error(f"files of the format {format.name} have one gold standard; give one file with --gold")
    for source in sources:
        source.start  # noqa: B018
        wanted = replace(wanted, gold=format.gold(source, wanted))
    return wanted.gold


# -- names -----------------------------------------------------------------------------------------------------


def _stem(path: str, folders: int = 0) -> str:
    """The name of a file without its ending, with some of the folders before it."""
    if path == STDIN:
        return "stdin"
    parts = Path(path).parts
    name = parts[-1].removesuffix(".gz")
    stem, dot, _ = name.rpartition(".")
    return "/".join([*parts[max(len(parts) - 1 - folders, 0) : -1], stem if dot and stem else name])


def _names(given: Sequence[_Given]) -> list[str]:
    """The names of the systems; those that would be the same are told apart by their folders or files."""
    names = [one.name for one in given]
    clash = [i for i, name in enumerate(names) if names.count(name) > 1 and given[i].named is None]
    for longer in _longer([given[i] for i in clash]):
        if len(set(longer)) == len(longer):
            for i, name in zip(clash, longer, strict=True):
                names[i] = name
            break
    return names


def _longer(given: Sequence[_Given]) -> Iterator[list[str]]:
    """Names for systems of the same name: the folders if the files themselves say it, else paths, ever longer."""
    paths = [one.sources[0].path for one in given]
    if all(one.format.system for one in given) and STDIN not in paths:
        for folders in range(1, 20):
            yield ["/".join(Path(path).absolute().parts[1:-1][-folders:]) for path in paths]
    for folders in range(20):
        yield [_stem(path, folders) for path in paths]


def _refuse_same_names(systems: Sequence[Answers]) -> None:
    by_name: dict[str, Answers] = {}
    for answers in systems:
        other = by_name.setdefault(answers.system, answers)
        if other is not answers:
            raise SourceError(
                f"{answers.files[0]}: a system is called {answers.system}, and one in {other.files[0]} is too; name "
                f"the systems: NAME={answers.files[0]}"
            )


def _refuse_different(given: Sequence[_Given]) -> None:
    """A gold standard is read as one format says; no other would make sense of it."""
    first = given[0]
    for one in given:
        if one.format is not first.format:
            raise one.sources[0].error(
                f"this file is in the format {one.format.name}, and {first.sources[0].name} in {first.format.name}; "
                "systems with one gold standard need one format"
            )


def _refuse_twice(given: Sequence[_Given], golds: Sequence[str]) -> None:
    """The same file as two systems, or as a system and the gold standard, is a slip."""
    seen = {_identity(path): "the gold standard" for path in golds}
    for source in (source for one in given for source in one.sources):
        identity = _identity(source.path)
        if identity in seen:
            raise source.error(f"this file is given as a system and as {seen[identity]}; give each file once")
        seen[identity] = "another system"


def _identity(path: str) -> str:
    return path if path == STDIN else os.path.realpath(path)
