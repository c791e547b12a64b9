"""Any table that people have, as one Arrow table; and the way back to the same kind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import DataError, Unsupported
from shoal.plan.plan import Read
from shoal.table import delimited
from shoal.table.checks import check_names
from shoal.table.plain import is_text, plain

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".parquet", ".arrow", ".feather", ".ipc")

GiveBack = Callable[[pa.Table], Any]

#: What other libraries raise when a column has no equal in Arrow; their messages quote cells.
_UNREADABLE = (pa.ArrowException, TypeError, ValueError, OverflowError, RuntimeError)


@dataclass(frozen=True, eq=False)
class Source:
    """A table as Arrow holds it, and how to give a table back in the kind that came in."""

    table: pa.Table
    give_back: GiveBack

    def __repr__(self) -> str:
        return f"<Source: {self.table.num_rows} records, {self.table.num_columns} columns>"


def read(given: Any, options: Read | None = None, *, as_text: Collection[str] = ()) -> Source:
    """The table in a file or in any kind of frame; values that mean missing are missing in it.

    Columns named in ``as_text`` are left as they are written, where the source is text.
    """
    options = options or Read()
    table, give_back = _open(given, options, as_text)
    check_names(table.column_names)
    columns = [plain(column, options.missing) for column in table.columns]
    return Source(pa.table(columns, names=table.column_names), give_back)


def _open(given: Any, options: Read, as_text: Collection[str]) -> tuple[pa.Table, GiveBack]:
    if isinstance(given, str | os.PathLike):
        return _open_file(Path(given), options, as_text), _same
    if isinstance(given, pa.Table):
        return given, _same
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given]), _to_batch
    if _is(given, "pandas", "DataFrame"):
        return _from_pandas(given), _to_pandas
    if _is(given, "polars", "DataFrame", "LazyFrame"):
        return _from_polars(given), _to_polars
    if _is(given, "duckdb", "DuckDBPyRelation"):
        return _from_duckdb(given), _to_duckdb
    if hasattr(given, "__arrow_c_stream__"):
        return _from_stream(given), _to_reader if isinstance(given, pa.RecordBatchReader) else _same
    raise _no_table(given)


def _is(given: object, library: str, *names: str) -> bool:
    """Whether this is an object of a library that Shoal does not import itself."""
    loaded = sys.modules.get(library)
    return loaded is not None and isinstance(given, tuple(getattr(loaded, name) for name in names))


def _no_table(given: object) -> Unsupported:
    return Unsupported(
        f"a table of the type {type(given).__name__} cannot be read: give a path, or a pandas, Polars, PyArrow or "
        "DuckDB table"
    )


# -- files --------------------------------------------------------------------------------------------------------


def _open_file(path: Path, options: Read, as_text: Collection[str]) -> pa.Table:
    name = path.name.lower()
    if path.is_dir():
        raise DataError(f"{path.name} is a folder: name the file of the table in it")
    if not path.is_file():
        raise DataError(f"there is no file {path.name} where the table should be")
    if not name.endswith(SUFFIXES):
        raise Unsupported(f"the table's file must end in one of {', '.join(SUFFIXES)}")
    try:
        if name.endswith(".parquet"):
            return _read_parquet(path)
        if name.endswith((".arrow", ".feather", ".ipc")):
            return _read_ipc(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"the table {path.name} cannot be read: it is damaged, or not what its name says",
            details={"error": str(error)},
        ) from None
    return delimited.read(path, options, as_text)


def _read_parquet(path: Path) -> pa.Table:
    """Text comes as dictionaries: a column of a few values is never spelled out record by record."""
    from pyarrow import parquet

    texts = [field.name for field in parquet.read_schema(path) if is_text(field.type)]
    return parquet.ParquetFile(path, read_dictionary=texts, memory_map=True).read()


def _read_ipc(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as mapped:
        try:
            return pa.ipc.open_file(mapped).read_all()
        except pa.ArrowInvalid:
            mapped.seek(0)
            return pa.ipc.open_stream(mapped).read_all()


# -- frames -------------------------------------------------------------------------------------------------------


def _from_pandas(frame: Any) -> pa.Table:
    """The columns of a frame; its index, its attributes and its metadata stay behind."""
    names = [str(name) if isinstance(name, int) else name for name in frame.columns]
    if not all(isinstance(name, str) for name in names):
        raise DataError("the columns of the pandas table have names that are no text: rename them")
    check_names(names)
    named = frame.set_axis(names, axis=1)

    def convert(columns: list[str]) -> pa.Table:
        return pa.Table.from_pandas(named[columns], preserve_index=False)

    return _converted("pandas", names, convert)


def _from_polars(frame: Any) -> pa.Table:
    polars = sys.modules["polars"]
    try:
        held = frame.collect() if isinstance(frame, polars.LazyFrame) else frame
    except polars.exceptions.PolarsError as error:
        raise _failed("Polars", error) from None
    return _converted("Polars", held.columns, lambda columns: held.select(columns).to_arrow())


def _converted(library: str, names: Sequence[str], convert: Callable[[list[str]], pa.Table]) -> pa.Table:
    """The table in Arrow; an error names the columns that have no equal there."""
    try:
        return convert(list(names))
    except _UNREADABLE as error:
        wrong = [name for name in names if not _converts(convert, name)]
        raise DataError(
            f"the {library} table has column(s) that cannot be read: {', '.join(wrong)}. They hold values of several "
            "types, or of a type that is none of numbers, text, booleans, dates and times: give each column one type",
            details={"error": str(error)},
        ) from None


def _converts(convert: Callable[[list[str]], pa.Table], name: str) -> bool:
    try:
        convert([name])
    except _UNREADABLE:
        return False
    return True


def _from_duckdb(relation: Any) -> pa.Table:
    convert = getattr(relation, "to_arrow_table", None) or relation.fetch_arrow_table
    try:
        return convert()
    except (sys.modules["duckdb"].Error, *_UNREADABLE) as error:
        raise _failed("DuckDB", error) from None


def _from_stream(given: Any) -> pa.Table:
    try:
        return pa.table(given)
    except _UNREADABLE as error:
        failure = _no_table(given)
        failure.details["error"] = str(error)
        raise failure from None


def _failed(library: str, error: Exception) -> DataError:
    return DataError(
        f"{library} could not compute the table ({type(error).__name__}): collect it first, to see why",
        details={"error": str(error)},
    )


# -- and back -----------------------------------------------------------------------------------------------------


def _same(table: pa.Table) -> pa.Table:
    return table


def _to_batch(table: pa.Table) -> pa.RecordBatch:
    batches: Iterable[pa.RecordBatch] = table.combine_chunks().to_batches()
    return next(iter(batches), pa.RecordBatch.from_pylist([], schema=table.schema))


def _to_reader(table: pa.Table) -> pa.RecordBatchReader:
    return table.to_reader()


def _to_pandas(table: pa.Table) -> Any:
    """Whole numbers with gaps stay whole: pandas would make floats of them, which hold 53 bits only."""
    pandas = sys.modules["pandas"]
    frame = table.to_pandas()
    for name in table.column_names:
        kind = table.column(name).type
        if pa.types.is_integer(kind) and table.column(name).null_count:
            nullable = {kind: pandas.api.types.pandas_dtype(str(kind).replace("int", "Int").replace("uI", "UI"))}
            frame[name] = table.column(name).to_pandas(types_mapper=nullable.get)
    return frame


def _to_polars(table: pa.Table) -> Any:
    return sys.modules["polars"].from_arrow(table)


def _to_duckdb(table: pa.Table) -> Any:
    return sys.modules["duckdb"].from_arrow(table)
