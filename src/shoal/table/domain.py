"""A column's values as a small ordered set, and the column as integers into it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.schema.columns import Column, Numeric
from shoal.schema.hierarchy import Hierarchy
from shoal.table.texts import texts

Kind = Literal["number", "category"]
Codes1 = NDArray[np.unsignedinteger]

#: Integers that span no more than this are coded by a table look-up instead of a hash.
_LOOKUP = 1 << 20

#: Where a missing value lies on an axis from 0 to 1: so far off that it is cut away before anything else.
_BEYOND = 2.0


@dataclass(frozen=True, eq=False)
class Domain:
    """The distinct values of a column in order; the code after the last one stands for missing, if any is."""

    name: str
    kind: Kind
    values: pa.Array
    missing: bool
    tree: Hierarchy | None = None

    def __len__(self) -> int:
        return len(self.values) + self.missing

    @property
    def known(self) -> int:
        return len(self.values)

    def position(self) -> NDArray[np.float64]:
        """Where each code lies on an axis that runs from 0 to 1."""
        if self.kind == "number":
            place = ordinals(self.values)
        else:
            place = np.arange(self.known, dtype=np.float64)
        if self.known:
            place = place - place[0]
            place = place / place[-1] if place[-1] > 0 else place
        return np.append(place, _BEYOND) if self.missing else place


def ordinals(values: pa.Array) -> NDArray[np.float64]:
    """Numbers and dates as floats, for distances."""
    if pa.types.is_temporal(values.type):
        width = pa.int32() if values.type.bit_width == 32 else pa.int64()
        values = values.cast(width)
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=np.float64)


def is_ordered(kind: pa.DataType) -> bool:
    """Whether values of this type have ranges: numbers, dates and times."""
    return (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_temporal(kind)
    )


def encode(column: pa.ChunkedArray, how: Column, *, tree: Hierarchy | None) -> tuple[Codes1, Domain]:
    """A column as codes over its domain, in domain order."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise DataError(f"the column {how.name} holds {kind}: expected numbers, text, booleans or dates")
    as_number = is_ordered(kind) and tree is None
    if isinstance(how.coarsening, Numeric) and not as_number:
        raise DataError(f"the column {how.name} has bottom, top or step in the plan, but holds {kind}, not numbers")
    codes, values = _distinct(column)
    order = _domain_order(values, how.name, tree) if values.type != pa.null() else np.arange(len(values))
    missing = column.null_count > 0
    renumber = np.empty(len(values) + 1, dtype=smallest(len(values) + 1))
    renumber[order] = np.arange(len(order))
    renumber[-1] = len(order)
    values = values.take(pa.array(order))
    if isinstance(how.coarsening, Numeric):
        kept, merge = _coded(values, how.coarsening, how.name)
        merge = np.append(merge, len(kept)).astype(renumber.dtype)
        renumber, values = merge[renumber], kept
    return renumber[codes], Domain(how.name, "number" if as_number else "category", values, missing, tree)


def smallest(values: int) -> type[np.unsignedinteger]:
    """The smallest unsigned type that holds this many different codes."""
    return np.uint8 if values <= 1 << 8 else np.uint16 if values <= 1 << 16 else np.uint32


def _distinct(column: pa.ChunkedArray) -> tuple[NDArray[np.integer], pa.Array]:
    """Codes in no particular order, missing last, and the distinct known values."""
    if pa.types.is_integer(column.type) and len(column):
        extremes = pc.min_max(column).as_py()
        low, high = extremes["min"], extremes["max"]
        if low is not None and high - low < _LOOKUP:
            return _looked_up(column, low, high)
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries()
    values = column.chunk(0).dictionary if column.num_chunks else pa.array([], type=column.type.value_type)
    parts = [
        chunk.indices.fill_null(len(values)).to_numpy(zero_copy_only=False).astype(smallest(len(values) + 1), copy=False)
        for chunk in (_roomy(chunk, len(values)) for chunk in column.chunks)
    ]
    codes = np.concatenate(parts) if parts else np.empty(0, dtype=np.uint8)
    used = np.bincount(codes, minlength=len(values) + 1)[:-1] > 0
    if used.all() and _all_distinct(values):
        return codes, values
    return _compacted(codes, values, used)


def _roomy(chunk: pa.DictionaryArray, values: int) -> pa.DictionaryArray:
    """Indices wide enough to hold one more code, for missing."""
    if not chunk.null_count or values < 127:
        return chunk
    return pa.DictionaryArray.from_arrays(chunk.indices.cast(pa.int64()), chunk.dictionary)


def _all_distinct(values: pa.Array) -> bool:
    return values.null_count == 0 and pc.count_distinct(values).as_py() == len(values)


def _compacted(codes: NDArray[np.integer], values: pa.Array, used: NDArray[np.bool_]) -> tuple[NDArray[np.integer], pa.Array]:
    """Foreign dictionaries may hold unused, repeated and missing values: none of these is in a domain."""
    held = values.filter(pa.array(used)).drop_null().dictionary_encode()
    place = np.full(len(values) + 1, len(held.dictionary), dtype=np.uint32)
    known = used & values.is_valid().to_numpy(zero_copy_only=False)
    place[:-1][known] = held.indices.to_numpy(zero_copy_only=False)
    return place[codes], held.dictionary


def _looked_up(column: pa.ChunkedArray, low: int, high: int) -> tuple[NDArray[np.integer], pa.Array]:
    span = high - low + 1
    parts = []
    for chunk in column.chunks:
        filled = chunk.fill_null(low).to_numpy(zero_copy_only=False) if chunk.null_count else chunk.to_numpy()
        part = np.subtract(filled, low, dtype=np.int64 if filled.dtype.itemsize < 8 else None).astype(
            smallest(span + 1), copy=False
        )
        if chunk.null_count:
            part[chunk.is_null().to_numpy(zero_copy_only=False)] = span
        parts.append(part)
    offsets = parts[0] if len(parts) == 1 else np.concatenate(parts)
    used = np.bincount(offsets, minlength=span + 1)[:-1] > 0
    place = np.empty(span + 1, dtype=smallest(int(used.sum()) + 1))
    place[:-1] = np.cumsum(used) - 1
    place[-1] = used.sum()
    values = pa.array(np.flatnonzero(used) + low).cast(column.type)
    return place[offsets], values


def _domain_order(values: pa.Array, name: str, tree: Hierarchy | None) -> NDArray[np.int64]:
    """The order of a domain: that of the hierarchy's leaves, else that of the values."""
    if tree is None:
        return np.asarray(pc.array_sort_indices(values).to_numpy(), dtype=np.int64)
    place = pc.index_in(texts(values), pa.array(tree.leaves, pa.string()))
    return np.argsort(place.to_numpy(zero_copy_only=False), kind="stable")


def tree_over(column_values: pa.Array, hierarchy: Hierarchy, name: str) -> Hierarchy:
    """The part of a hierarchy that speaks of these values; each of them must be a leaf of it."""
    written = texts(column_values).to_pylist()
    leaves = set(hierarchy.leaves)
    strange = [value for value in written if value not in leaves]
    if strange:
        raise DataError(
            f"{len(strange)} value(s) of the column {name} are missing from its hierarchy: add them to it, or name "
            "them in [read] missing if they mean that nothing is known",
            details={"values": strange[:10]},
        )
    return hierarchy.keep(written)


def occurring(column: pa.ChunkedArray) -> Collection[pa.Scalar]:
    """The distinct known values of a column."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.unique().drop_null()


def _coded(values: pa.Array, how: Numeric, name: str) -> tuple[pa.Array, NDArray[np.int64]]:
    """Values beyond bottom and top become these; returns the domain that is left, and where each value went."""
    coded = values
    try:
        if how.top is not None:
            coded = pc.if_else(pc.greater(coded, how.top), pa.scalar(how.top).cast(coded.type), coded)
        if how.bottom is not None:
            coded = pc.if_else(pc.less(coded, how.bottom), pa.scalar(how.bottom).cast(coded.type), coded)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(f"the column {name} holds {values.type}: its bottom and top must be of that type") from None
    encoded = coded.dictionary_encode()
    return encoded.dictionary, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
