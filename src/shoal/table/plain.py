"""A column as the rest of Shoal takes it: few types, and what means that nothing is known is missing.

Text becomes a dictionary, so that it is looked at once for each distinct value and not once for each record. No value
is changed: a type becomes another only where every value of the first is one of the second.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def plain(column: pa.ChunkedArray, words: Collection[str]) -> pa.ChunkedArray:
    """The column with the plan's words for missing, and not-a-number, as missing values."""
    column = _without_extension(column)
    if is_text(column.type):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        return _of_dictionaries(column, words)
    kind = _values(pa.array([], column.type), words).type
    return pa.chunked_array([_values(chunk, words) for chunk in column.chunks], kind)


def is_text(kind: pa.DataType) -> bool:
    """Whether this is text, however it is laid out."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _without_extension(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Extensions that only say how a value is meant become what they hold; the encoder refuses others."""
    known = (pa.UuidType, pa.JsonType, pa.Bool8Type)
    if not isinstance(column.type, known):
        return column
    storage = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    return storage.cast(pa.bool_()) if isinstance(column.type, pa.Bool8Type) else storage


def _of_dictionaries(column: pa.ChunkedArray, words: Collection[str]) -> pa.ChunkedArray:
    """Chunks that share a dictionary have it looked at once."""
    kind = _values(pa.array([], column.type.value_type), words).type
    chunks: list[pa.DictionaryArray] = []
    given, held, place = None, None, None
    for chunk in column.chunks:
        if given is None or not chunk.dictionary.equals(given):
            given = chunk.dictionary
            held, place = _known(_values(given, words))
        indices = chunk.indices.cast(pa.int32())
        chunks.append(pa.DictionaryArray.from_arrays(indices if place is None else place.take(indices), held))
    return pa.chunked_array(chunks, pa.dictionary(pa.int32(), kind))


def _known(values: pa.Array) -> tuple[pa.Array, pa.Array | None]:
    """A dictionary without missing values, and where each of its places went."""
    if not values.null_count:
        return values, None
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    return values.drop_null(), pa.array(np.cumsum(valid) - 1, pa.int32(), mask=~valid)


def _values(values: pa.Array, words: Collection[str]) -> pa.Array:
    """Values outside of a dictionary, in one of the types that the encoder takes."""
    kind = values.type
    if pa.types.is_null(kind):
        return values.cast(pa.string())
    if is_text(kind):
        values = values.cast(pa.string())
    elif pa.types.is_binary_view(kind):
        values = values.cast(pa.binary())
    elif pa.types.is_float16(kind):
        values = values.cast(pa.float32())
    elif pa.types.is_decimal(kind) and kind.bit_width < 128:
        values = values.cast(pa.decimal128(kind.precision, kind.scale))
    if pa.types.is_floating(values.type):
        values = _one_zero(values)
    gone = _spelled(words, values.type)
    if len(gone) and pc.any(found := pc.is_in(values, gone)).as_py():
        return pc.if_else(found, pa.scalar(None, values.type), values)
    return values


def _one_zero(values: pa.Array) -> pa.Array:
    """Not-a-number is missing, and minus zero is zero."""
    values = pc.add(values, pa.scalar(0, values.type))
    strange = pc.is_nan(values)
    return pc.if_else(strange, pa.scalar(None, values.type), values) if pc.any(strange).as_py() else values


def _spelled(words: Collection[str], kind: pa.DataType) -> pa.Array:
    """The words for missing that can be values of this type: -99 is a number too."""
    if pa.types.is_string(kind):
        return pa.array(sorted(words), kind)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or _is_moment(kind)):
        return pa.array([], kind)
    found: list[Any] = []
    for word in words:
        try:
            found.append(pa.scalar(word).cast(kind))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    return pa.array(found, kind)


def _is_moment(kind: pa.DataType) -> bool:
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))
