"""Columns as numbers of their values: the judges' own encoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.release.cells import distinct, texts

Numbers = NDArray[np.unsignedinteger[Any]]

#: Whole numbers that lie no further apart are numbered by subtraction.
_SPAN = 1 << 16


@dataclass(frozen=True, eq=False)
class Coded:
    """A column: row i holds ``held[code[i]]``. Not all that is held need occur, and missing may be held twice."""

    code: Numbers
    held: pa.Array

    @cached_property
    def times(self) -> NDArray[np.int64]:
        """In how many rows each value occurs."""
        return np.bincount(self.code, minlength=len(self.held))


def coded(column: pa.ChunkedArray, name: str, missing: Sequence[str] = ()) -> Coded:
    """A column, in which these words of text mean that nothing is known."""
    if pa.types.is_integer(column.type) and len(column) and column.null_count == 0:
        values = column.to_numpy()
        low, high = int(values.min()), int(values.max())
        if high - low < _SPAN:
            wide = values.dtype if values.dtype.itemsize >= 4 else np.int32  # 100 - -100 is no int8
            held = np.arange(high - low + 1).astype(values.dtype) + values.dtype.type(low)  # wraps, at worst, twice
            return Coded(np.subtract(values, low, dtype=wide).astype(smallest(len(held))), pa.array(held))
    code, held = distinct(column, name)
    return Coded(code.astype(smallest(len(held))), _without(held, missing))


def _without(held: pa.Array, missing: Sequence[str]) -> pa.Array:
    """Text with the words that mean missing made so; other values as they are."""
    kind = held.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        return held
    plain = held.cast(pa.string())
    gone = pc.is_in(plain, pa.array(list(missing), pa.string()), skip_nulls=True)
    return pc.if_else(gone, pa.scalar(None, pa.string()), plain)


def smallest(count: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that tells this many things apart."""
    return np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32


def alike(one: pa.Array, other: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Values of two tables in one type, so that those that mean the same are equal: else as text."""
    kinds = [array.type for array in (one, other)]
    if kinds[0] == kinds[1]:
        return one, other
    if all(map(pa.types.is_integer, kinds)) and not any(map(pa.types.is_uint64, kinds)):
        return one.cast(pa.int64()), other.cast(pa.int64())
    if all(map(_is_number, kinds)) and not all(map(pa.types.is_integer, kinds)):
        return one.cast(pa.float64(), safe=False), other.cast(pa.float64(), safe=False)
    if all(pa.types.is_date(kind) or pa.types.is_timestamp(kind) for kind in kinds):
        return _moments(one), _moments(other)
    for family, common in ((pa.types.is_time, pa.time64("ns")), (pa.types.is_duration, pa.duration("us"))):
        if all(map(family, kinds)):
            return one.cast(common, safe=False), other.cast(common, safe=False)
    return texts(one), texts(other)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _moments(values: pa.Array) -> pa.Array:
    zone = values.type.tz if pa.types.is_timestamp(values.type) else None
    return values.cast(pa.timestamp("us", zone), safe=False).cast(pa.timestamp("us"))


@dataclass(frozen=True, eq=False)
class Matched:
    """A published column and its original, numbered alike: equal numbers are equal values, missing among them."""

    published: NDArray[np.integer[Any]]
    original: NDArray[np.integer[Any]]
    count: int


def matched(published: Coded, original: Coded) -> Matched:
    """Both columns over the same values."""
    one, other = alike(published.held, original.held)
    both = pa.concat_arrays([one, other]).dictionary_encode(null_encoding="encode")
    place = both.indices.to_numpy(zero_copy_only=False).astype(smallest(len(both.dictionary)))
    return Matched(
        np.take(place[: len(one)], published.code),
        np.take(place[len(one) :], original.code),
        len(both.dictionary),
    )
