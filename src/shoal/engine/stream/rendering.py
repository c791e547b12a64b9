"""Batches as bytes, CSV or JSON lines; what was written is read back and compared before anybody gets it."""

from __future__ import annotations

import io

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, json

from shoal.engine.stream.lines import Format
from shoal.errors import Violation
from shoal.table.texts import texts


def render(table: pa.Table, form: Format, *, header: bool) -> bytes:
    """The rows of a batch, each on a line; a CSV header before them, if it is asked for."""
    data = _csv(table, header=header) if form == "csv" else _json(table)
    again = _from_csv(data, table.schema, header=header) if form == "csv" else _from_json(data, table.schema)
    if not again.equals(table):
        raise Violation("a batch is not what was judged once it is written; this is a bug in Shoal, please report it")
    return data


def _csv(table: pa.Table, *, header: bool) -> bytes:
    sink = io.BytesIO()
    csv.write_csv(table, sink, csv.WriteOptions(include_header=header))
    return sink.getvalue()


def _from_csv(data: bytes, schema: pa.Schema, *, header: bool) -> pa.Table:
    return csv.read_csv(
        pa.py_buffer(data),
        read_options=csv.ReadOptions(column_names=schema.names, skip_rows=int(header), use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=schema, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
        ),
    ).combine_chunks()


def _json(table: pa.Table) -> bytes:
    """One object a row, column by column: Python sees the distinct values only."""
    parts: list[pa.Array | str] = []
    for place, name in enumerate(table.column_names):
        parts += [f"{',' if place else '{'}{_spelled(name)}:", _cells(table.column(name))]
    lines = pc.binary_join_element_wise(*parts, "}\n", "")
    return lines.buffers()[2].to_pybytes()  # they lie end to end


def _cells(column: pa.ChunkedArray) -> pa.Array:
    """Values as JSON has them; missing is null."""
    encoded = column.combine_chunks().dictionary_encode()
    held = encoded.dictionary
    plain = texts(held) if pa.types.is_temporal(held.type) else held
    spelled = pa.array([_spelled(value) for value in plain.to_pylist()], pa.string())
    return spelled.take(encoded.indices).fill_null("null")


def _spelled(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _from_json(data: bytes, schema: pa.Schema) -> pa.Table:
    """Moments are text in JSON."""
    words = pa.schema([pa.field(f.name, pa.string() if pa.types.is_temporal(f.type) else f.type) for f in schema])
    read = json.read_json(
        pa.py_buffer(data),
        read_options=json.ReadOptions(use_threads=False, block_size=max(len(data), 1)),
        parse_options=json.ParseOptions(explicit_schema=words, unexpected_field_behavior="error"),
    )
    return read.cast(schema).combine_chunks()
