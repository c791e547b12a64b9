"""Published quasi-identifiers read back: which originals each cell may stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.release.manifest import PublishedColumn
from shoal.release.notation import ANY, as_set, members, quoted, ranges
from shoal.schema.hierarchy import Hierarchy

__all__ = ["Cells", "as_set", "distinct", "is_ordered", "ordinals", "quoted", "read", "texts", "unified"]

Codes = NDArray[np.integer[Any]]
Values = tuple[frozenset[str] | None, ...]
#: The values that a cell covers, None for any, and whether it covers a missing one.
Meaning = tuple[frozenset[str] | None, bool]
_MISSING_ONLY: Meaning = (frozenset(), True)

#: As many unreadable cells as an error's details show.
_QUOTED = 10
#: Keys below this are numbered by a table look-up instead of a hash.
_LOOKUP = 1 << 22
_A_SECOND = {"s": 1e0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_STATES = ("none", "some", "all")


@dataclass(frozen=True, eq=False)
class Cells:
    """A published quasi-identifier, row by row, as the originals that it may stand for.

    Attributes:
        code: per row, the number of its distinct cell. All others are per distinct cell.
        low: of ranges, the least original, on the scale of :func:`ordinals`; -inf where there is none, as for
            ``*`` or a bottom code; NaN where the cell stands for missing values only. None for categories.
        high: of ranges, the greatest original.
        values: of categories, the texts of the values that a cell covers, None for any. None for ranges.
        missing: the cell may stand for a missing value.
    """

    code: Codes
    low: NDArray[np.float64] | None
    high: NDArray[np.float64] | None
    values: Values | None
    missing: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.missing)


def read(table: pa.Table, column: PublishedColumn, tree: Hierarchy | None) -> Cells:
    """What a released table says of one quasi-identifier; an error counts the cells that cannot be read."""
    absent = [name for name in column.columns if name not in table.column_names]
    if absent:
        raise DataError(f"the published table has no column {', '.join(absent)}")
    parts = [table.column(name) for name in column.columns]
    if column.shown == "bounds":
        return _bounds(parts, column)
    code, values = distinct(parts[0], column.name)
    if column.shown == "centre":
        return _anything(code, values)
    if column.shown in ("value", "interval") and is_ordered(values.type):
        ends = ordinals(values)
        return _ranges(code, ends, ends, np.isnan(ends), column)
    written = texts(values)
    match column.shown:
        case "interval":
            found = ranges(written)
            _refuse(~found.readable, code, column.name, written.to_pylist())
            return _ranges(code, found.low, found.high, found.missing, column)
        case "node":
            return _nodes(code, written, tree, column.name)
        case "set":
            return _sets(code, written, column.name)
        case _:
            return _plainly(code, written, column.name)


def _anything(code: Codes, values: pa.Array) -> Cells:
    """A centre says nothing sure of a single record: it may stand for any."""
    count, every = len(values), np.ones(len(values), np.bool_)
    if is_ordered(values.type):
        return Cells(code, np.full(count, -np.inf), np.full(count, np.inf), None, every)
    return Cells(code, None, None, (None,) * count, every)


# -- values -------------------------------------------------------------------------------------------------


def texts(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Values as hierarchies and sets write them: dates as ISO 8601, whole numbers without a point."""
    plain = _plain(values)
    if pa.types.is_floating(plain.type):
        plain = _known(plain)
    return plain.cast(pa.string())


def ordinals(values: pa.Array | pa.ChunkedArray) -> NDArray[np.float64]:
    """Numbers as they are, dates and times as days since 1970-01-01, missing as NaN: order is kept."""
    plain, a_day = _plain(values), 1.0
    kind = plain.type
    if pa.types.is_date(kind):
        plain = plain.cast(pa.date32()).cast(pa.int32())
    elif pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        a_day = 86_400 * _A_SECOND[kind.unit]
        plain = plain.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    elif pa.types.is_duration(kind):
        plain = plain.cast(pa.int64())
    elif pa.types.is_decimal(kind):  # by way of text, which rounds as reading an interval does
        plain = plain.cast(pa.string())
    numbers = plain.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(numbers if a_day == 1 else numbers / a_day, dtype=np.float64)


def is_ordered(kind: pa.DataType) -> bool:
    """Whether values of this type have ranges: numbers, dates and times."""
    among = pa.types
    return bool(among.is_integer(kind) or among.is_floating(kind) or among.is_decimal(kind) or among.is_temporal(kind))


def _plain(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """One array, without a dictionary."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _known(values: pa.Array) -> pa.Array:
    """NaN is a missing value, and minus zero is zero."""
    unsigned = pc.add(values, pa.scalar(0, values.type))
    return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), unsigned)


def distinct(column: pa.ChunkedArray, name: str) -> tuple[Codes, pa.Array]:
    """A column as numbers of its distinct values, a missing value among them if there is one."""
    if pa.types.is_nested(column.type):
        raise DataError(f"the column {name} holds {column.type}: expected numbers, text, booleans or dates")
    if pa.types.is_dictionary(column.type):
        return _distinct_of_dictionary(column)
    values = column.combine_chunks()
    if pa.types.is_floating(values.type):
        values = _known(values)
    encoded = values.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary


def _distinct_of_dictionary(column: pa.ChunkedArray) -> tuple[Codes, pa.Array]:
    """Dictionaries of others may hold unused, repeated and missing values, and each chunk its own."""
    column = unified(column)
    dictionary = column.chunk(0).dictionary if column.num_chunks else pa.array([], column.type.value_type)
    index = _indices(column, len(dictionary))
    used = np.zeros(len(dictionary) + 1, np.bool_)
    used[index] = True
    held = pa.concat_arrays([dictionary, pa.nulls(1, dictionary.type)]).filter(pa.array(used))
    if pa.types.is_floating(held.type):
        held = _known(held)
    encoded = held.dictionary_encode(null_encoding="encode")
    place = np.zeros(len(used), np.int32)
    place[used] = encoded.indices.to_numpy(zero_copy_only=False)
    return place[index], encoded.dictionary


def unified(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column with one dictionary for all chunks."""
    if any(chunk.dictionary.null_count for chunk in column.chunks):  # which Arrow does not unify
        column = column.cast(column.type.value_type).dictionary_encode()
    return column.unify_dictionaries()


def _indices(column: pa.ChunkedArray, missing: int) -> Codes:
    """The indices of all chunks, with this number for missing values."""
    parts = []
    for chunk in column.chunks:
        index = chunk.indices
        if chunk.null_count:
            index = index.cast(pa.int32()).fill_null(missing)
        parts.append(index.to_numpy(zero_copy_only=False))
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


# -- ranges -------------------------------------------------------------------------------------------------


def _ranges(
    code: Codes,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    missing: NDArray[np.bool_],
    column: PublishedColumn,
) -> Cells:
    """An end that is a bottom or top code, or was rounded beyond it, stands for everything past it."""
    if column.bottom is not None:
        low = np.where(low <= column.bottom, -np.inf, low)
    if column.top is not None:
        high = np.where(high >= column.top, np.inf, high)
    return Cells(code, low, high, None, missing)


def _bounds(parts: list[pa.ChunkedArray], column: PublishedColumn) -> Cells:
    """Two columns, inclusive, both null where there is no value; a third if there are missing values."""
    if not all(is_ordered(part.type) or pa.types.is_null(part.type) for part in parts[:2]):
        raise DataError(f"the bounds of {column.name} are not numbers or dates")
    (low_code, lows), (high_code, highs) = (_numbered(part, column.name) for part in parts[:2])
    state_code, states = _states(parts[2], column.name) if len(parts) > 2 else (None, np.zeros(1, np.int64))
    sizes = (len(lows), len(highs), len(states))
    keys, code = _joined([low_code, high_code, state_code], sizes)
    of_low, of_high, of_state = np.unravel_index(keys, sizes)
    low, high, state = lows[of_low], highs[of_high], states[of_state]
    empty = np.isnan(low) & np.isnan(high)
    missing = state > 0 if state_code is not None else empty
    low, high = (np.where(np.isnan(end) & ~empty, far, end) for end, far in ((low, -np.inf), (high, np.inf)))
    readable = np.where(empty, missing, ~(low > high))
    if state_code is not None:  # "some" and "none" have values, "all" has none
        readable &= empty == (state == _STATES.index("all"))
    _refuse(~readable, code, column.name, np.column_stack([low, high]).tolist())
    return _ranges(code, low, high, missing, column)


def _numbered(column: pa.ChunkedArray, name: str) -> tuple[Codes, NDArray[np.float64]]:
    """A column as numbers of its values; whole numbers that lie close together by subtraction alone."""
    if pa.types.is_integer(column.type) and len(column) and column.null_count == 0:
        values = column.combine_chunks().to_numpy(zero_copy_only=False)
        low, high = int(values.min()), int(values.max())
        if high - low < _LOOKUP:
            wide = values.dtype if values.dtype.itemsize >= 4 else np.int32  # 100 - -100 is no int8
            offset = np.subtract(values, low, dtype=wide)
            signed = offset.astype(np.int32) if wide == np.uint64 else offset  # else they would mix to floats
            return signed, np.arange(low, high + 1, dtype=np.float64)
    code, held = distinct(column, name)
    return code, ordinals(held) if is_ordered(held.type) else np.full(len(held), np.nan)


def _states(column: pa.ChunkedArray, name: str) -> tuple[Codes, NDArray[np.int64]]:
    code, held = distinct(column, name)
    known = pc.index_in(texts(held), pa.array(_STATES))
    if known.null_count:
        raise DataError(f"{name}_missing: expected {', '.join(_STATES)}, found other values")
    return code, known.to_numpy(zero_copy_only=False).astype(np.int64)


def _joined(codes: list[Codes | None], sizes: tuple[int, ...]) -> tuple[NDArray[np.int64], Codes]:
    """Several codes as one: the distinct combinations in mixed radix, and which one each row has."""
    total = int(np.prod(sizes, dtype=object))
    kind = np.int32 if total <= np.iinfo(np.int32).max else np.int64
    key = reduce(
        lambda key, part: key if part[0] is None else key * kind(part[1]) + part[0],
        zip(codes, sizes, strict=True),
        kind(0),
    )
    if total > _LOOKUP:
        encoded = pa.array(key).dictionary_encode()
        return encoded.dictionary.to_numpy().astype(np.int64), encoded.indices.to_numpy()
    seen = np.zeros(total, np.bool_)
    seen[key] = True
    return np.flatnonzero(seen), (np.cumsum(seen, dtype=np.int32) - 1)[key]


# -- categories ---------------------------------------------------------------------------------------------


def _nodes(code: Codes, written: pa.Array, tree: Hierarchy | None, name: str) -> Cells:
    """Labels of a hierarchy, or sets of them; the root stands for a missing value too."""
    if tree is None:
        raise DataError(
            f"the column {name} is published by a hierarchy: give a plan that says which (name its "
            "file; if it is to be built from the table, give the original too)"
        )
    covers, root = tree.covers(), tree.labels[0]

    def meaning(cell: str) -> Meaning | None:
        if cell in covers:
            return covers[cell], cell == root
        if cell == ANY:
            return None, True
        labels = (members(cell) or frozenset()) - {cell}
        if not labels or not all(label is None or label in covers for label in labels):
            return None
        below = [covers[label] for label in labels if label is not None]
        return frozenset[str]().union(*below), None in labels

    return _categories(code, written, meaning, name)


def _sets(code: Codes, written: pa.Array, name: str) -> Cells:
    """Sets of values; single values are written as they are."""

    def meaning(cell: str) -> Meaning | None:
        if cell == ANY:
            return None, True
        found = members(cell)
        if found is None:
            return None
        return frozenset(text for text in found if text is not None), None in found

    return _categories(code, written, meaning, name)


def _plainly(code: Codes, written: pa.Array, name: str) -> Cells:
    """Values as they are."""
    return _categories(code, written, lambda cell: (frozenset({cell}), False), name)


def _categories(code: Codes, written: pa.Array, meaning: Callable[[str], Meaning | None], name: str) -> Cells:
    """The distinct cells with what each one covers."""
    cells = written.to_pylist()
    found = [_MISSING_ONLY if cell is None else meaning(cell) for cell in cells]
    unreadable = np.array([meant is None for meant in found], np.bool_)
    _refuse(unreadable, code, name, cells)
    understood = [meant for meant in found if meant is not None]
    values = tuple(covered for covered, _ in understood)
    return Cells(code, None, None, values, np.array([missing for _, missing in understood], np.bool_))


def _refuse(unreadable: NDArray[np.bool_], code: Codes, name: str, cells: Sequence[object]) -> None:
    """One error for all cells of a column that have no meaning."""
    which = np.flatnonzero(unreadable)
    if len(which) == 0:
        return
    rows = int(unreadable[code].sum())
    raise DataError(
        f"the published column {name} has {len(which):,} different cell(s), in {rows:,} row(s), that cannot "
        "be read: expected values, ranges such as [20, 32], sets such as {a, b}, or labels of its hierarchy",
        details={"cells": [cells[index] for index in which[:_QUOTED]]},
    )
