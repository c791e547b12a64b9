"""Delimited text: every field is read as text first, so that no value is changed by being guessed at."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from shoal.errors import DataError
from shoal.plan.plan import Read

_DELIMITERS = ",;\t|"
_WHOLE = r"^-?(0|[1-9][0-9]{0,17})$"
_NUMBER = r"^-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$"
_TRUTH = r"^([Tt]rue|[Ff]alse|TRUE|FALSE)$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$"

_TARGETS = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
}
_SHAPES = (("integer", _WHOLE), ("number", _NUMBER), ("boolean", _TRUTH), ("date", _DATE), ("datetime", _TIME))


def read(path: Path, options: Read, as_text: Collection[str]) -> pa.Table:
    """The file as a table: each column has the narrowest type that loses nothing of how it is written."""
    table = _read_text(path, options)
    unknown = sorted(set(options.types) - set(table.column_names))
    if unknown:
        raise DataError(f"[read] types speaks of {', '.join(unknown)}: the table has no such column")
    typed = [
        _typed(table.column(name), name, _wanted(name, options, as_text), options) for name in table.column_names
    ]
    return pa.table(typed, names=table.column_names)


def _wanted(name: str, options: Read, as_text: Collection[str]) -> str | None:
    return options.types.get(name, "text" if name in as_text else None)


def _read_text(path: Path, options: Read) -> pa.Table:
    header = _header(path, options)
    delimiter = options.delimiter or max(_DELIMITERS, key=header.count)
    try:
        names = next(csv.reader([header], delimiter=delimiter))
    except (csv.Error, TypeError):
        raise DataError(f"the table {path.name} has no header that can be read, or its delimiter is not one character") from None
    short: list[Any] = []
    parse = arrow_csv.ParseOptions(
        delimiter=delimiter, newlines_in_values=True, invalid_row_handler=lambda row: short.append(row.actual_columns) or "skip"
    )
    try:
        table = arrow_csv.read_csv(
            path,
            read_options=arrow_csv.ReadOptions(encoding=_encoding(options)),
            parse_options=parse,
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, null_values=[]
            ),
        )
    except (pa.ArrowException, OSError, UnicodeDecodeError, LookupError) as error:
        raise DataError(_why_unreadable(path, error), details={"error": str(error)}) from None
    if short:
        raise DataError(
            f"{len(short)} line(s) of {path.name} do not have the {len(names)} fields of the header: "
            "check the delimiter and the quotes"
        )
    return table


def _encoding(options: Read) -> str:
    return options.encoding or "utf-8"


def _header(path: Path, options: Read) -> str:
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    try:
        with opener(path, "rt", encoding=_encoding(options).replace("utf-8", "utf-8-sig"), newline="") as file:
            header = file.readline()
    except (UnicodeDecodeError, LookupError, OSError, EOFError) as error:
        raise DataError(_why_unreadable(path, error)) from None
    if not header.strip():
        raise DataError(f"the table {path.name} is empty: expected a header line")
    return str(header)


def _why_unreadable(path: Path, error: Exception) -> str:
    if isinstance(error, LookupError):
        return "[read] encoding is not the name of an encoding"
    if isinstance(error, UnicodeDecodeError) or "UTF8" in str(error) or "UTF-8" in str(error):
        return f"the table {path.name} is not in the expected encoding: say which in [read] encoding, such as \"latin-1\""
    return f"the table {path.name} cannot be read as delimited text"


def _typed(column: pa.ChunkedArray, name: str, wanted: str | None, options: Read) -> pa.ChunkedArray:
    """Types are found, and conversions made, on the distinct values."""
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    words = encoded.dictionary
    known = pc.invert(pc.is_in(words, pa.array(sorted(options.missing), pa.string())))
    words = pc.if_else(known, words, pa.scalar(None, pa.string()))
    if wanted is None:
        wanted = _found(words, options.decimal)
    if wanted == "text":
        return pa.chunked_array([pa.DictionaryArray.from_arrays(encoded.indices, encoded.dictionary)])
    return pa.chunked_array([_converted(words, wanted, name, options.decimal).take(encoded.indices)])


def _found(words: pa.Array, decimal: str | None) -> str:
    """The type of a column by how its values are written; a leading zero makes a code, not a number."""
    known = words.drop_null()
    if not len(known):
        return "text"
    for kind, shape in _SHAPES:
        written = _with_point(known, decimal) if kind == "number" else known
        if pc.all(pc.match_substring_regex(written, shape)).as_py():
            return kind
    return "text"


def _with_point(words: pa.Array, decimal: str | None) -> pa.Array:
    return words if decimal in (None, ".") else pc.replace_substring(words, decimal, ".")


def _converted(words: pa.Array, wanted: str, name: str, decimal: str | None) -> pa.Array:
    target = _TARGETS[wanted]
    if wanted == "number":
        words = _with_point(words, decimal)
    try:
        return pc.cast(words, target)
    except pa.ArrowInvalid as error:
        raise DataError(
            f"the column {name} cannot be read as {wanted}: write its values so, or change [read] types",
            details={"error": str(error)},
        ) from None


def header_names(path: Path, options: Read) -> Sequence[str]:
    """The column names of a file, without reading the rest."""
    header = _header(path, options)
    delimiter = options.delimiter or max(_DELIMITERS, key=header.count)
    return next(csv.reader([header], delimiter=delimiter))
