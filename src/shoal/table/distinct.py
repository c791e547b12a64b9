"""A column's distinct values, and the column as places among them: by a look-up where numbers lie close, or a hash."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Codes1 = NDArray[np.unsignedinteger[Any]]

#: Integers that span no more than this are coded by a table look-up instead of a hash.
_LOOKUP = 1 << 20


def smallest(values: int) -> type[np.unsignedinteger[Any]]:
    """The smallest unsigned type that holds this many different codes."""
    return np.uint8 if values <= 1 << 8 else np.uint16 if values <= 1 << 16 else np.uint32


def distinct(column: pa.ChunkedArray) -> tuple[Codes1, pa.Array]:
    """Codes in no particular order, missing last, and the distinct known values."""
    if pa.types.is_integer(column.type) and len(column):
        extremes = pc.min_max(column).as_py()
        low, high = extremes["min"], extremes["max"]
        if low is not None and high - low < _LOOKUP:
            return _looked_up(column, low, high - low + 1)
    return _hashed(column)


def _looked_up(column: pa.ChunkedArray, low: int, span: int) -> tuple[Codes1, pa.Array]:
    kind = smallest(span + 1)
    offsets = np.empty(len(column), dtype=kind)
    at = 0
    for chunk in column.chunks:
        _offsets(chunk, low, span, offsets[at : at + len(chunk)])
        at += len(chunk)
    used = np.bincount(offsets, minlength=span + 1)[:span] > 0
    place = np.empty(span + 1, dtype=smallest(int(used.sum()) + 1))
    place[:span] = np.cumsum(used) - 1
    place[span] = used.sum()
    wide = np.uint64 if pa.types.is_unsigned_integer(column.type) else np.int64
    values = pa.array(np.flatnonzero(used).astype(wide) + wide(low)).cast(column.type)
    return (offsets if used.all() else place[offsets]), values


def _offsets(chunk: pa.Array, low: int, span: int, into: Codes1) -> None:
    """How far each value lies above the least; missing after the last."""
    filled = (chunk.fill_null(low) if chunk.null_count else chunk).to_numpy()
    wide = np.int32 if filled.dtype.kind == "i" and filled.dtype.itemsize < 4 else filled.dtype  # 127 - -128 is no int8
    np.subtract(filled, filled.dtype.type(low), out=into, dtype=wide, casting="unsafe")
    if chunk.null_count:
        into[chunk.is_null().to_numpy(zero_copy_only=False)] = span


def _hashed(column: pa.ChunkedArray) -> tuple[Codes1, pa.Array]:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = _roomy(column).unify_dictionaries()
    values = column.chunk(0).dictionary if column.num_chunks else pa.array([], type=column.type.value_type)
    codes = np.empty(len(column), dtype=smallest(len(values) + 1))
    at = 0
    for chunk in column.chunks:
        indices = chunk.indices.fill_null(len(values)) if chunk.null_count else chunk.indices
        codes[at : at + len(chunk)] = indices.to_numpy(zero_copy_only=False)
        at += len(chunk)
    used = np.bincount(codes, minlength=len(values) + 1)[: len(values)] > 0
    if used.all() and values.null_count == 0 and pc.count_distinct(values).as_py() == len(values):
        return codes, values
    return _compacted(codes, values, used)


def _roomy(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Indices wide enough for all chunks' values together, and one more code for missing."""
    if column.type.index_type == pa.int32():
        return column
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices.cast(pa.int32()), chunk.dictionary) for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, pa.dictionary(pa.int32(), column.type.value_type))


def _compacted(codes: Codes1, values: pa.Array, used: NDArray[np.bool_]) -> tuple[Codes1, pa.Array]:
    """Foreign dictionaries may hold unused, repeated and missing values: none of these is among the distinct ones."""
    known = used & values.is_valid().to_numpy(zero_copy_only=False)
    held = values.filter(pa.array(known)).dictionary_encode()
    place = np.full(len(values) + 1, len(held.dictionary), dtype=smallest(len(held.dictionary) + 1))
    place[:-1][known] = held.indices.to_numpy(zero_copy_only=False)
    return place[codes], held.dictionary
