"""Published tables as files: Parquet or CSV, with nothing in them but the tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from shoal.errors import DataError
from shoal.plan.plan import Read
from shoal.release.manifest import PublishedColumn
from shoal.table import delimited

Format = Literal["parquet", "csv"]
FORMATS: tuple[Format, ...] = ("parquet", "csv")

#: File systems take names of so many bytes, the ending included.
_LONGEST = 240

_NAMES = {
    pa.string(): "text",
    pa.int64(): "integer",
    pa.float64(): "number",
    pa.bool_(): "boolean",
    pa.date32(): "date",
    pa.timestamp("us"): "datetime",
}
_TYPES = {name: kind for kind, name in _NAMES.items()}


def type_name(kind: pa.DataType) -> str:
    """A published type as the manifest spells it."""
    if pa.types.is_dictionary(kind):
        return type_name(kind.value_type)
    return _NAMES.get(kind, str(kind))


def _type_of(name: str) -> pa.DataType:
    if name in _TYPES:
        return _TYPES[name]
    if decimal := re.fullmatch(r"decimal(128|256)\((\d+), (-?\d+)\)", name):
        of_width = {"128": pa.decimal128, "256": pa.decimal256}[decimal[1]]
        return of_width(int(decimal[2]), int(decimal[3]))
    if zoned := re.fullmatch(r"timestamp\[(s|ms|us|ns), tz=(.+)\]", name):
        return pa.timestamp(zoned[1], zoned[2])
    return pa.type_for_alias(name)


def plain(table: pa.Table) -> pa.Table:
    """The table without dictionaries and metadata: plain values only."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def file_name(name: str, form: Format) -> str:
    """The file of a table: what some file system takes for more than a letter is escaped as in a web address."""
    written = re.sub(r'[\x00-\x1f%/\\:*?"<>|]', lambda found: f"%{ord(found[0]):02X}", name)
    if len(written.encode()) > _LONGEST:
        raise DataError(f"the name of the table {name} is too long for that of a file: rename the column")
    return f"{written}.{form}"


def table_name(file: str) -> str:
    """The table in a file, by the file's name."""
    return unquote(file.rpartition(".")[0])


def write(table: pa.Table, folder: Path, name: str, form: Format) -> Path:
    """One table as one file; returns its path."""
    path = folder / file_name(name, form)
    if form == "parquet":
        parquet.write_table(table, path, store_schema=False, write_statistics=False, row_group_size=1 << 20)
        return path
    _refuse_empty_text(table)
    with pa.OSFile(str(path), "wb") as sink:
        csv.write_csv(plain(table), sink)
    return path


def _refuse_empty_text(table: pa.Table) -> None:
    """In CSV an empty text and a missing value look alike to most readers."""
    for name in table.column_names:
        column = table.column(name)
        if type_name(column.type) == "text" and pc.any(pc.equal(column.unique().cast(pa.string()), "")).as_py():
            raise DataError(
                f"the column {name} has empty texts, which CSV cannot tell from missing values: "
                'write Parquet, or say missing = [""] in [read]'
            )


def read(path: Path, columns: Iterable[PublishedColumn]) -> pa.Table:
    """One table as it was written."""
    types = {name: kind for column in columns for name, kind in zip(column.columns, column.types, strict=False)}
    try:
        if path.suffix == ".parquet":
            texts = [name for name, kind in types.items() if kind == "text"]
            return _as_said(parquet.read_table(path, read_dictionary=texts), types)
        return _read_csv(path, types)
    except (pa.ArrowException, OSError, ValueError) as error:  # the last: a type that nobody knows
        raise DataError(f"the release's table {path.name} cannot be read: {type(error).__name__}") from None


def _as_said(table: pa.Table, types: Mapping[str, str]) -> pa.Table:
    """The columns in the types of the manifest: Parquet has no durations, few units, and forgets time zones."""
    for at, name in enumerate(table.column_names):
        held, said = table.column(at), types.get(name, "text")
        if said != "text" and held.type != (kind := _type_of(said)):
            table = table.set_column(at, name, held.cast(kind))
    return table


def _read_csv(path: Path, types: Mapping[str, str]) -> pa.Table:
    as_text = dict.fromkeys(types, "text")
    table = delimited.read(path, Read(types=as_text), ())
    columns = [_typed(table.column(name), types.get(name, "text")) for name in table.column_names]
    return pa.table(columns, names=table.column_names)


def _typed(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Text from a CSV file as the type that the manifest says, an empty field being missing."""
    encoded = column.combine_chunks()
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    words = encoded.dictionary
    words = pc.if_else(pc.equal(words, ""), pa.scalar(None, pa.string()), words)
    return pa.chunked_array([_cast(words, _type_of(name)).take(encoded.indices)])


def _cast(words: pa.Array, kind: pa.DataType) -> pa.Array:
    """Text as values; times of day and durations by way of types that Arrow reads."""
    if pa.types.is_time(kind):
        return pc.binary_join_element_wise("1970-01-01", words, " ").cast(pa.timestamp(kind.unit)).cast(kind)
    return words.cast(pa.int64()).cast(kind) if pa.types.is_duration(kind) else words.cast(kind)
