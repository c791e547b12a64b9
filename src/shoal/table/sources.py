"""Any table that people have, as one Arrow table; and the way back to the same kind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import DataError, Unsupported
from shoal.plan.plan import Read
from shoal.table import delimited

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".parquet", ".arrow", ".feather", ".ipc")


@dataclass(frozen=True, eq=False)
class Source:
    """A table as Arrow holds it, and how to give a table back in the kind that came in."""

    table: pa.Table
    give_back: Callable[[pa.Table], Any]

    def __repr__(self) -> str:
        return f"<Source: {self.table.num_rows} records, {self.table.num_columns} columns>"


def read(given: Any, options: Read | None = None, *, as_text: Collection[str] = ()) -> Source:
    """The table in a file or in any kind of frame; values that mean missing are missing in it.

    Columns named in ``as_text`` are left as they are written, where the source is text.
    """
    options = options or Read()
    table, give_back = _open(given, options, as_text)
    _check_names(table.column_names)
    columns = [_plain(column, options.missing) for column in table.columns]
    return Source(pa.table(columns, names=table.column_names), give_back)


def _open(given: Any, options: Read, as_text: Collection[str]) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    if isinstance(given, str | os.PathLike):
        return _open_file(Path(given), options, as_text), _same
    if isinstance(given, pa.Table):
        return given, _same
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given]), _same
    family = type(given).__module__.partition(".")[0].lstrip("_")
    if family == "pandas":
        return _from_pandas(given), _to_pandas
    if family == "polars":
        return _from_polars(given), _to_polars
    if family == "duckdb":
        return _from_duckdb(given), _to_duckdb
    if hasattr(given, "__arrow_c_stream__"):
        return pa.table(given), _same
    raise Unsupported(
        f"a table of the type {type(given).__name__} cannot be read: give a path, or a pandas, Polars, PyArrow or DuckDB table"
    )


def _open_file(path: Path, options: Read, as_text: Collection[str]) -> pa.Table:
    name = path.name.lower()
    if not path.is_file():
        raise DataError(f"there is no file {path.name} where the table should be")
    if not name.endswith(SUFFIXES):
        raise Unsupported(f"the table's file must end in one of {', '.join(SUFFIXES)}")
    try:
        if name.endswith(".parquet"):
            return _read_parquet(path)
        if name.endswith((".arrow", ".feather", ".ipc")):
            return _read_ipc(path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"the table {path.name} cannot be read: {type(error).__name__}") from None
    return delimited.read(path, options, as_text)


def _read_parquet(path: Path) -> pa.Table:
    """Text comes as dictionaries: a column of a few values is never spelled out record by record."""
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    texts = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)]
    return parquet.read_table(path, read_dictionary=texts, memory_map=True)


def _read_ipc(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as mapped:
        try:
            return pa.ipc.open_file(mapped).read_all()
        except pa.ArrowInvalid:
            mapped.seek(0)
            return pa.ipc.open_stream(mapped).read_all()


def _from_pandas(frame: Any) -> pa.Table:
    names = [str(name) for name in frame.columns]
    _check_names(names)
    try:
        table = pa.Table.from_pandas(frame.set_axis(names, axis=1), preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(
            "the pandas table has a column of mixed types: give each column one type",
            details={"error": str(error)},
        ) from None
    return table


def _from_polars(frame: Any) -> pa.Table:
    if type(frame).__name__ == "LazyFrame":
        frame = frame.collect()
    if type(frame).__name__ == "Series":
        frame = frame.to_frame()
    table: pa.Table = frame.to_arrow()
    return table


def _from_duckdb(relation: Any) -> pa.Table:
    convert = getattr(relation, "to_arrow_table", None) or relation.fetch_arrow_table
    table = convert()
    return table if isinstance(table, pa.Table) else table.read_all()


def _same(table: pa.Table) -> pa.Table:
    return table


def _to_pandas(table: pa.Table) -> Any:
    return table.to_pandas()


def _to_polars(table: pa.Table) -> Any:
    return sys.modules["polars"].from_arrow(table)


def _to_duckdb(table: pa.Table) -> Any:
    return sys.modules["duckdb"].from_arrow(table)


def _check_names(names: Sequence[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"{len(repeated)} column name(s) stand more than once in the table: {', '.join(repeated)}")
    if any(not name for name in names):
        raise DataError("a column of the table has no name")


def _plain(column: pa.ChunkedArray, words: Collection[str]) -> pa.ChunkedArray:
    """The column with what means missing made missing: the plan's words in text, and not-a-number."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column, kind = column.cast(kind.storage_type), kind.storage_type
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    if pa.types.is_dictionary(kind):
        return pa.chunked_array([_plain_dictionary(chunk, words) for chunk in column.chunks], kind_of_text(kind))
    if pa.types.is_floating(kind):
        return pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column) if _has_nan(column) else column
    if is_text(kind):
        column = column if pa.types.is_string(kind) else column.cast(pa.string())
        return pc.if_else(_means_missing(column, words), pa.scalar(None, pa.string()), column)
    return column


def kind_of_text(kind: pa.DataType) -> pa.DataType:
    """A dictionary of text has plain text below it, whatever the width of its offsets."""
    return pa.dictionary(pa.int32(), pa.string() if is_text(kind.value_type) else kind.value_type)


def is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _plain_dictionary(chunk: pa.DictionaryArray, words: Collection[str]) -> pa.DictionaryArray:
    values, indices = chunk.dictionary, chunk.indices.cast(pa.int32())
    if is_text(values.type):
        values = values.cast(pa.string())
        gone = _means_missing(values, words)
        if pc.any(gone).as_py():
            hidden = pc.take(gone, indices)
            indices = pc.if_else(hidden.fill_null(False), pa.scalar(None, pa.int32()), indices)
    return pa.DictionaryArray.from_arrays(indices, values)


def _means_missing(values: pa.Array | pa.ChunkedArray, words: Collection[str]) -> pa.Array:
    return pc.is_in(values, pa.array(sorted(words), pa.string()), skip_nulls=True)


def _has_nan(column: pa.ChunkedArray) -> bool:
    return bool(pc.any(pc.is_nan(column)).as_py())
