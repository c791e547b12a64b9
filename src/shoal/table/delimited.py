"""Delimited text: every field is read as text first, so that no value is changed by being guessed at."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from shoal.errors import DataError
from shoal.plan.plan import Read
from shoal.table import written
from shoal.table.checks import check_names

_DELIMITERS = (",", ";", "\t", "|")  # in the order in which a tie is decided
_SNIFFED = 200  # records that decide the delimiter

#: A field may be this long; what is longer is a quote that was never closed.
_BLOCK = 1 << 24


def read(path: Path, options: Read, as_text: Collection[str]) -> pa.Table:
    """The file as a table: each column has the narrowest type that loses nothing of how it is written."""
    with _named(path):
        head = _head(path, options)
        check_names(head.names)
        table = _read_text(path, options, head)
        if _spans_lines(table):
            _check_quotes(path, options, head, table.num_rows)
    wanted = {**dict.fromkeys(as_text, "text"), **options.types}
    typed = [written.typed(table.column(name), name, wanted.get(name), options) for name in head.names]
    return pa.table(typed, names=head.names)


@dataclass(frozen=True)
class _Head:
    """What must be known of a file before it is read."""

    names: list[str]
    delimiter: str
    skipped: int  # empty lines above the header
    alone: bool  # no records follow


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors of the libraries, which quote cells, as errors that name the file and what to do."""
    try:
        yield
    except LookupError:
        raise DataError("[read] encoding is not the name of an encoding") from None
    except (pa.ArrowException, OSError, EOFError, UnicodeError) as error:
        if isinstance(error, UnicodeError) or "invalid UTF8" in str(error):
            says = 'is not in the expected encoding: say which in [read] encoding, such as "latin-1"'
        elif "straddling" in str(error):
            says = "has a field that never ends: a quote is opened in it and not closed"
        else:
            says = "cannot be read as delimited text"
        raise DataError(f"the table {path.name} {says}", details={"error": str(error)}) from None


def _encoding(options: Read) -> str:
    """A byte order mark is no part of the first name."""
    encoding = options.encoding or "utf-8"
    return "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding


def _is_compressed(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _text(path: Path, options: Read) -> TextIO:
    if _is_compressed(path):
        return gzip.open(path, "rt", encoding=_encoding(options), newline="")
    return path.open(encoding=_encoding(options), newline="")


# -- the header -----------------------------------------------------------------------------------------------------


def _head(path: Path, options: Read) -> _Head:
    with _text(path, options) as file:
        sample = list(islice(_lines(file), _SNIFFED))
    if not any(line.strip() for line in sample):
        raise DataError(f"the table {path.name} is empty: expected a header line")
    if any("\0" in line for line in sample):
        raise UnicodeError("zero bytes: UTF-16, or no text at all")
    delimiter = options.delimiter or _sniffed(path, options, sample)
    reader = csv.reader(sample, delimiter=delimiter, strict=True)
    try:
        rows = [next(reader)]
        while not rows[-1]:
            rows.append(next(reader))
    except (csv.Error, TypeError):  # told without the header: where a quote is open, records are in it
        raise DataError(
            f"the header of {path.name} cannot be read: a quote in it is not closed, or the delimiter is not one "
            "character"
        ) from None
    return _Head(rows[-1], delimiter, len(rows) - 1, len(sample) == reader.line_num)


def _lines(file: TextIO) -> Iterator[str]:
    """Lines of bounded length: a file without line ends is no table, and may be large."""
    while line := file.readline(_BLOCK):
        yield line


def _sniffed(path: Path, options: Read, sample: list[str]) -> str:
    """The delimiter by which most records have as many fields as the header, and more than one."""
    if path.name.lower().removesuffix(".gz").endswith(".tsv"):
        return "\t"

    def agreement(delimiter: str) -> tuple[bool, float, int]:
        try:
            rows = [row for row in csv.reader(sample, delimiter=delimiter) if row]
        except csv.Error:
            return False, 0.0, 0
        width = len(rows[0])
        return width > 1, sum(len(row) == width for row in rows) / len(rows), width

    return max((d for d in _DELIMITERS if d != options.decimal), key=agreement)


# -- the records ----------------------------------------------------------------------------------------------------


def _read_text(path: Path, options: Read, head: _Head) -> pa.Table:
    """All fields as text, in dictionaries; an empty field is an empty text."""
    text = pa.dictionary(pa.int32(), pa.string())
    if head.alone:
        return pa.table([pa.chunked_array([], text) for _ in head.names], names=head.names)
    ragged: list[None] = []

    def skip(row: Any) -> str:
        ragged.append(None)
        return "skip"

    with pa.input_stream(str(path), compression="gzip" if _is_compressed(path) else None) as stream:
        table = arrow_csv.read_csv(
            stream,
            read_options=arrow_csv.ReadOptions(
                column_names=head.names,
                skip_rows_after_names=head.skipped + 1,
                encoding=_encoding(options).removesuffix("-sig"),
                block_size=_BLOCK,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=head.delimiter,
                newlines_in_values=True,
                invalid_row_handler=skip,
                ignore_empty_lines=len(head.names) > 1,  # in a single column, an empty line is a missing value
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(head.names, text), strings_can_be_null=False, null_values=[]
            ),
        )
    if ragged:
        raise DataError(
            f"{len(ragged)} line(s) of {path.name} do not have the {len(head.names)} fields of the header: check the "
            "delimiter and the quotes"
        )
    return table


def _spans_lines(table: pa.Table) -> bool:
    """Whether a field has a line end in it: few tables have, and where a quote is wrong, fields swallow records."""
    return any(
        pc.any(pc.match_substring_regex(chunk.dictionary, "[\r\n]")).as_py()
        for column in table.columns
        for chunk in column.chunks
    )


def _check_quotes(path: Path, options: Read, head: _Head, records: int) -> None:
    """A second reader, who insists that quotes are closed and stand around whole fields, must find the same records."""
    with _text(path, options) as file:
        try:
            rows = csv.reader(file, delimiter=head.delimiter, strict=True)
            found = sum(1 for row in rows if row or len(head.names) == 1)
        except csv.Error:
            found = 0
    if found - head.skipped * (len(head.names) == 1) != records + 1:
        raise DataError(
            f"the table {path.name} has quotes that are not closed, or stand inside of a field, and fields that go on "
            "over lines: correct the quotes, or lines would be lost"
        )
