"""Tables as Parquet, read with what is installed of pyarrow, polars and DuckDB: only the columns that are used."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import SEEK_END
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactperm.sources.base import OF_LABELS, Block, Format, Head, Source, Wanted
from exactperm.sources.files import STDIN, SourceError
from exactperm.sources.layout import Columns, Sheet, as_objects, blocks_of
from exactperm.sources.roles import shown

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

__all__ = ["FORMAT", "MAGIC", "ParquetFile", "mentions"]

MAGIC = b"PAR1"
#: libraries that read Parquet, the first that is installed does
BACKENDS = ("pyarrow", "polars", "duckdb")


class ParquetFile:
    """The columns of a file: what they are, and those that are asked for as a narwhals frame."""

    def __init__(self, source: Source) -> None:
        self._source = source
        installed = [name for name in BACKENDS if importlib.util.find_spec(name)]
        if not installed:
            raise source.error("reading Parquet needs pyarrow, polars or duckdb; pip install 'exactperm[parquet]'")
        self._backend: Any = installed[0]

    def schema(self) -> Mapping[str, nw.dtypes.DType]:
        """The names and types of all columns."""
        import narwhals.stable.v2 as nw

        with self._opened() as path:
            if self._backend != "pyarrow":
                return dict(nw.scan_parquet(path, backend=self._backend).collect_schema())
            import pyarrow.parquet

            return dict(nw.from_native(pyarrow.parquet.read_schema(path).empty_table(), eager_only=True).schema)

    def read(self, names: Sequence[str]) -> nw.DataFrame[Any]:
        """Some columns."""
        import narwhals.stable.v2 as nw

        with self._opened() as path:
            if self._backend == "pyarrow":
                return nw.read_parquet(path, backend="pyarrow", columns=list(names))
            return nw.scan_parquet(path, backend=self._backend).select(*names).collect()

    def field(self, path: str) -> list[Any]:
        """The values of a column, or of a field inside of one: ``doc.id``."""
        import narwhals.stable.v2 as nw

        self._find(path)
        column, *inside = path.split(".")
        with self._opened() as file:
            if self._backend == "pyarrow":
                frame = nw.read_parquet(file, backend="pyarrow", columns=[path])
            else:
                value = nw.col(column)
                for name in inside:
                    value = value.struct.field(name)
                frame = nw.scan_parquet(file, backend=self._backend).select(value.alias("value")).collect()
        return self.values(frame[frame.columns[0]])

    def values(self, series: nw.Series[Any]) -> list[Any]:
        """The values of a column; text is decoded only here."""
        try:
            return series.to_list()
        except UnicodeDecodeError:
            raise self._source.error(
                f"column {series.name!r:.60} holds text that is not UTF-8; write it anew"
            ) from None

    def _find(self, path: str) -> None:
        """Refuse a path that leads nowhere."""
        import narwhals.stable.v2 as nw

        there: Mapping[str, Any] = self.schema()
        for name in path.split("."):
            if name not in there:
                raise self._source.error(f"there is no field {path!r:.60}; there is {', '.join(there) or 'none':.400}")
            kind = there[name]
            there = {field.name: field.dtype for field in kind.fields} if isinstance(kind, nw.Struct) else {}

    @contextmanager
    def _opened(self) -> Iterator[str]:
        """A path to the plain file; everything that the libraries say of a damaged one is a `SourceError`."""
        try:
            if self._source.path != STDIN and not self._source.is_compressed:
                yield self._source.path
                return
            with tempfile.NamedTemporaryFile(suffix=".parquet") as plain, self._source.open() as packed:
                shutil.copyfileobj(packed, plain)
                plain.flush()
                yield plain.name
        except SourceError:
            raise
        except Exception as error:  # noqa: BLE001  # each library has errors of its own
            reason = " ".join(str(error).split())
            raise self._source.error(f"cannot be read as Parquet ({reason:.200}); is the file complete?") from None


def mentions(source: Source, columns: Sequence[str]) -> bool:
    """Whether the end of the file has the names of these columns, so that no library is loaded just to say no.

    The footer holds them as they are, before its own length and the last `MAGIC`.
    """
    if source.is_compressed:  # it has no end before it is unpacked
        return True
    with source.open() as file:
        size = file.seek(0, SEEK_END)
        file.seek(max(size - 8, 0))
        length = int.from_bytes(file.read(4), "little")
        file.seek(max(size - 8 - length, 0))
        footer = file.read(length)
    return all(name.encode() in footer for name in columns)


def recognise(head: Head) -> str | None:
    """Say why this is not Parquet."""
    return None if head.start.startswith(MAGIC) else "not Parquet"


def blocks(source: Source, wanted: Wanted) -> list[Block]:
    """Read the columns that matter."""
    file = ParquetFile(source)
    kinds = {name: _kind(dtype) for name, dtype in file.schema().items()}
    return blocks_of(Sheet(source, kinds, lambda labels, numbers: _load(source, file, labels, numbers)), wanted)


def _kind(dtype: nw.dtypes.DType) -> str:
    import narwhals.stable.v2 as nw

    if dtype.is_numeric() or dtype == nw.Boolean:
        return "number"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return "text"
    return "empty" if dtype == nw.Unknown else str(dtype).partition("(")[0].lower()


def _load(source: Source, file: ParquetFile, labels: Sequence[str], numbers: Sequence[str]) -> Columns:
    frame = file.read(list(dict.fromkeys([*labels, *numbers])))
    return Columns(
        {name: as_objects(file.values(frame[name])) for name in labels},
        {name: _numbers(source, name, frame[name]) for name in numbers},
        len(frame),
        None,
    )


def _numbers(source: Source, name: str, series: nw.Series[Any]) -> NDArray[Any]:
    """A column as an array, masked or NaN where it is null."""
    import narwhals.stable.v2 as nw

    if series.dtype.is_decimal():
        series = series.cast(nw.Float64)
    absent = series.is_null().to_numpy()
    if series.dtype.is_float():
        values = series.to_numpy()
        if np.isinf(values).any():
            i = int(np.isinf(values).argmax())
            raise source.error(f"the column {shown(name)} is {values[i]} in row {i + 1}; scores are finite numbers")
        return values
    if not absent.any():
        return series.to_numpy()
    filled = series.fill_null(value=False if series.dtype == nw.Boolean else 0)
    return np.ma.MaskedArray(filled.to_numpy(), absent)


FORMAT = Format(
    name="parquet",
    title="tables as Parquet",
    recognise=recognise,
    blocks=blocks,
    generality=1,
    metrics={"label": OF_LABELS},
    details="Written by pandas, polars, DuckDB, Spark. Columns mean what they mean in csv. Needs pyarrow, polars or "
    "DuckDB.",
)
