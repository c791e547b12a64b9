"""Records written as lines, CSV or JSON: each line is one record, so that a bad one spoils no other.

A quoted field does not go on over lines. What is no record is refused with its line; blank lines are skipped.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv

from shoal.engine.stream.intake import Incoming, Refusal
from shoal.errors import DataError
from shoal.plan.plan import Plan, Read
from shoal.table.checks import check_columns, check_names

Format = Literal["csv", "jsonl"]
FORMATS: tuple[Format, ...] = ("csv", "jsonl")

_DELIMITERS = (",", ";", "\t", "|")
_WORDS = pa.dictionary(pa.int32(), pa.string())

#: What a JSON record may hold.
_Plain = str | int | float | bool | None


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """Whole lines, each with its end, and the number of the first, counted from 1."""

    data: bytes
    first: int

    @cached_property
    def lines(self) -> list[bytes]:
        return self.data.split(b"\n")[:-1]


class Parser(Protocol):
    """Makes records of lines. What it must know again in the middle of a stream is ``remembered``."""

    has_header: bool
    names: list[str]
    remembered: list[str]

    def begin(self, line: bytes) -> None:
        """Look at the header."""

    def parse(self, block: Block) -> Incoming:
        """The records of these lines."""


def parser(form: Format, plan: Plan) -> Parser:
    """The parser of a format."""
    return Csv(plan) if form == "csv" else Json(plan)


def _incoming(
    columns: Mapping[str, pa.Array],
    block: Block,
    rows: NDArray[np.int64],
    options: Read,
    refused: Sequence[Refusal] = (),
) -> Incoming:
    """Columns of words as records, of which row i was line ``rows[i]`` of the block."""
    gone = pa.array(sorted(options.missing), pa.string())
    known = {
        name: pc.if_else(pc.is_in(words, gone), pa.scalar(None, pa.string()), words) for name, words in columns.items()
    }
    encoding = options.encoding or "utf-8"

    def raw(row: int) -> str:
        return block.lines[rows[row]].decode(encoding, errors="replace")

    return Incoming(pa.table(known), pa.array(rows + block.first), raw, True, refused)


class Csv:
    """Delimited text; the first line names the columns."""

    has_header = True

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._options = plan.read_options
        self._encoding = self._options.encoding or "utf-8"
        self._delimiter = self._options.delimiter
        self.names: list[str] = []

    @property
    def remembered(self) -> list[str]:
        return [self._delimiter or ",", *self.names]

    @remembered.setter
    def remembered(self, held: list[str]) -> None:
        self._delimiter, *self.names = held

    def begin(self, line: bytes) -> None:
        header = line.decode(self._encoding, errors="replace").removeprefix("\ufeff").rstrip("\r\n")
        if self._delimiter is None:
            self._delimiter = max((d for d in _DELIMITERS if d != self._options.decimal), key=header.count)
        self.names = self._fields(header)
        check_names(self.names)
        check_columns(self.names, self._plan)

    def parse(self, block: Block) -> Incoming:
        words = self._quickly(block) or self._strictly(block)
        if words is None:
            return self._line_by_line(block)
        rows = np.arange(len(words[0]))
        return _incoming(dict(zip(self.names, words, strict=True)), block, rows, self._options)

    def _quickly(self, block: Block) -> list[pa.Array] | None:
        """All lines at once, where each is plainly a record: as many fields as there are names, and no quotes."""
        if b'"' in block.data or not self._is_utf8:
            return None
        try:
            table = arrow_csv.read_csv(
                pa.py_buffer(block.data),
                read_options=arrow_csv.ReadOptions(column_names=self.names, use_threads=False, block_size=1 << 24),
                parse_options=arrow_csv.ParseOptions(delimiter=self._delimiter, quote_char=False),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(self.names, pa.string()), strings_can_be_null=False
                ),
            )
        except pa.ArrowInvalid:
            return None
        if table.num_rows != block.data.count(b"\n"):  # there are blank lines, or other ends of lines
            return None
        return [column.combine_chunks() for column in table.columns]

    def _strictly(self, block: Block) -> list[pa.Array] | None:
        """All lines with a reader who insists that quotes are closed, and stand around whole fields."""
        if any(line.count(b'"') % 2 for line in block.lines):
            return None
        try:
            texts = [line.decode(self._encoding).rstrip("\r") for line in block.lines]
            rows = list(csv.reader(texts, delimiter=self._delimiter or ",", strict=True))
        except (UnicodeDecodeError, csv.Error):
            return None
        if len(rows) != len(texts) or any(len(row) != len(self.names) for row in rows):
            return None
        return [pa.array(words, pa.string()) for words in zip(*rows, strict=True)]

    @property
    def _is_utf8(self) -> bool:
        return self._encoding.lower().replace("_", "-") in ("utf-8", "utf8", "ascii")

    def _line_by_line(self, block: Block) -> Incoming:
        rows: list[int] = []
        found: list[list[str]] = []
        refused: list[Refusal] = []
        for place, line in enumerate(block.lines):
            try:
                text = line.decode(self._encoding).rstrip("\r\n")
                if not text.strip() and len(self.names) > 1:
                    continue
                fields = self._fields(text)
            except (UnicodeDecodeError, DataError):
                refused.append(self._refusal(len(rows), block.first + place, "quotes or letters that are wrong", line))
                continue
            if len(fields) != len(self.names):
                why = f"{len(fields)} fields, expected {len(self.names)}"
                refused.append(self._refusal(len(rows), block.first + place, why, line))
                continue
            rows.append(place)
            found.append(fields)
        held = zip(*found, strict=True) if found else ((),) * len(self.names)
        columns = {name: pa.array(words, pa.string()) for name, words in zip(self.names, held, strict=True)}
        return _incoming(columns, block, np.array(rows, np.int64), self._options, refused)

    def _refusal(self, row: int, number: int, why: str, line: bytes) -> Refusal:
        return Refusal(row, number, why, line.decode(self._encoding, errors="replace"))

    def _fields(self, text: str) -> list[str]:
        try:
            return next(csv.reader([text], delimiter=self._delimiter or ",", strict=True), [""])
        except csv.Error:
            raise DataError("the header cannot be read: a quote in it is not closed") from None


class Json:
    """Each line an object with plain values; a column that it does not name has no value in it."""

    has_header = False
    remembered: list[str] = []  # noqa: RUF012

    def __init__(self, plan: Plan) -> None:
        self._options = plan.read_options
        self._decoder = msgspec.json.Decoder(dict[str, _Plain])
        self.names = [column.name for column in plan.columns]
        self._known = frozenset(self.names)

    def begin(self, line: bytes) -> None:
        """There is no header."""

    def parse(self, block: Block) -> Incoming:
        rows, found, refused = self._records(block)
        columns, texts = {}, set()
        for name in self.names:
            columns[name], has_text = _words([record.get(name) for record in found])
            if has_text:
                texts.add(name)
        made = _incoming(columns, block, np.array(rows, np.int64), self._options, refused)
        return replace(made, texts=frozenset(texts))

    def _records(self, block: Block) -> tuple[Sequence[int], list[dict[str, _Plain]], list[Refusal]]:
        """The records, the lines that they are of, and the lines that are none."""
        try:
            found = self._decoder.decode_lines(block.data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return self._line_by_line(block)
        if len(found) != block.data.count(b"\n") or not all(map(self._known.issuperset, found)):
            return self._line_by_line(block)
        return range(len(found)), found, []

    def _line_by_line(self, block: Block) -> tuple[list[int], list[dict[str, _Plain]], list[Refusal]]:
        rows: list[int] = []
        found: list[dict[str, _Plain]] = []
        refused: list[Refusal] = []
        for place, line in enumerate(block.lines):
            if not line.strip():
                continue
            try:
                record = self._decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                record = None
            if record is None or not self._known.issuperset(record):
                why = "no object of plain values" if record is None else "a field that the plan does not know"
                refused.append(Refusal(len(rows), block.first + place, why, line.decode(errors="replace")))
            else:
                rows.append(place)
                found.append(record)
        return rows, found, refused


def _words(values: list[_Plain]) -> tuple[pa.Array, bool]:
    """Values as CSV would have them, and whether any was told to be text."""
    try:
        held = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # of several types
        return pa.array(list(map(_word, values)), pa.string()), any(isinstance(value, str) for value in values)
    if pa.types.is_floating(held.type):  # by the shortest text that gives the number back
        return pa.array(list(map(_word, values)), pa.string()), False
    return held.cast(pa.string()), pa.types.is_string(held.type)


def _word(value: Any) -> str | None:
    """A value as CSV would have it."""
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else repr(value)
