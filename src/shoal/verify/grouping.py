"""Which rows of a published table an outsider cannot tell apart.

A class is a set of rows whose published cells are all equal, a missing cell being a value like any other.
Whatever the order of the rows, the classes are the same; where rows of a class stand together, as in a sorted
release, only the first row of each run is looked at more than once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.release.cells import distinct, unified
from shoal.verify import threads

Integers = NDArray[Any]
Words = NDArray[np.uint64]

#: Rows that are compared in one go: as many as the caches hold.
_BLOCK = 1 << 17
#: Below this, sorting numbers the distinct keys faster than hashing.
_SORTED = 1 << 21


@dataclass(frozen=True, eq=False)
class Classes:
    """Rows in classes.

    Attributes:
        rows: how many rows there are.
        starts: where each run of equal rows begins.
        of_run: the class of each run.
        count: how many classes there are.
    """

    rows: int
    starts: NDArray[np.int64]
    of_run: NDArray[np.int64]
    count: int

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts, append=self.rows)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows in each class."""
        return np.bincount(self.of_run, weights=self._lengths, minlength=self.count).astype(np.int64)

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """Where each class begins among the arranged rows, and where the last one ends."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def _order(self) -> NDArray[np.int64] | None:
        """The rows class by class; None if they stand so already."""
        if (self.of_run[1:] > self.of_run[:-1]).all():
            return None
        runs = np.argsort(self.of_run, kind="stable")
        return spread_out(self.starts[runs], self._lengths[runs])

    def arranged(self, values: NDArray[Any]) -> NDArray[Any]:
        """Something that each row has, class by class."""
        return values if self._order is None else values[self._order]


def spread_out(first: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The members of runs, one run after the other."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(first - before, lengths) + np.arange(lengths.sum())


def classes(table: pa.Table, names: Sequence[str]) -> Classes:
    """The classes of a table by all of these columns; without any, one class holds every row."""
    found = threads.each(lambda name: integers(table.column(name), name), names)
    return of_integers([part for parts in found for part in parts], table.num_rows)


def of_integers(columns: Sequence[Integers], rows: int) -> Classes:
    """The classes of so many rows by all of these columns."""
    starts = _run_starts(columns, rows)
    heads = threads.each(lambda column: column[starts], columns)
    of_run = _numbered(_packed(heads, len(starts)))
    return Classes(rows, starts, of_run, int(of_run.max(initial=-1)) + 1)


def integers(column: pa.ChunkedArray, name: str) -> list[Integers]:
    """A column as arrays of integers that are equal exactly where its cells are."""
    kind = column.type
    if pa.types.is_dictionary(kind) and _each_once(column := unified(column)):
        return _with_gaps(pa.chunked_array([chunk.indices for chunk in column.chunks], column.type.index_type))
    if pa.types.is_integer(kind) or (pa.types.is_temporal(kind) and not pa.types.is_interval(kind)):
        return _with_gaps(column.cast(_bare(kind)))
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return _with_gaps(_bits(column))
    return [distinct(column, name)[0]]


def _each_once(column: pa.ChunkedArray) -> bool:
    """Whether the one dictionary of all chunks holds each value once: then indices are as good as values."""
    if column.num_chunks == 0:
        return True
    dictionary = column.chunk(0).dictionary
    return bool(dictionary.null_count == 0 and pc.count_distinct(dictionary).as_py() == len(dictionary))


def _bare(kind: pa.DataType) -> pa.DataType:
    """Dates and times as the integers that they are stored in."""
    if pa.types.is_integer(kind):
        return kind
    return pa.int32() if kind.bit_width == 32 else pa.int64()


def _bits(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Floats by their bits, as whoever reads the file can tell -0 from 0; but there is only one NaN."""
    kind = column.type
    one_nan = pc.if_else(pc.is_nan(column), pa.scalar(np.nan, kind), column)
    return pa.chunked_array([chunk.view(_bare(kind)) for chunk in one_nan.chunks], _bare(kind))


def _with_gaps(column: pa.ChunkedArray) -> list[Integers]:
    """The values, and where some are missing, which."""
    if column.null_count == 0:
        return [column.to_numpy()]
    return [column.fill_null(0).to_numpy(), column.is_null().cast(pa.uint8()).to_numpy()]


def _run_starts(columns: Sequence[Integers], rows: int) -> NDArray[np.int64]:
    """The rows that differ from the one before them."""

    if rows == 0:
        return np.zeros(0, np.int64)

    def differing(first: int) -> NDArray[np.int64]:
        last = min(first + _BLOCK, rows)
        fresh = np.zeros(last - first, np.bool_)
        for column in columns:
            fresh |= column[first:last] != column[first - 1 : last - 1]
        return np.flatnonzero(fresh) + first

    return np.concatenate([[0], *threads.each(differing, range(1, rows, _BLOCK))])


def _packed(columns: Sequence[Integers], rows: int) -> list[Words]:
    """Columns side by side in as few words as their ranges allow."""
    words, room = [np.zeros(rows, np.uint64)], 64
    for column in columns:
        low, high = (int(column.min()), int(column.max())) if rows else (0, 0)
        bits = (high - low).bit_length()
        if bits > room:
            words.append(np.zeros(rows, np.uint64))
            room = 64
        offset = column.astype(np.uint64) - np.uint64(low % 2**64)  # modulo 2^64, so below zero is no matter
        words[-1] = (words[-1] << np.uint64(bits % 64)) | offset
        room -= bits
    return words


def _numbered(words: Sequence[Words]) -> NDArray[np.int64]:
    """Equal rows of words as equal numbers, from 0 without gaps."""
    if any(_all_different(word) for word in words):
        return np.arange(len(words[0]))
    number = _as_numbers(words[0])
    for word in words[1:]:
        further = _as_numbers(word)
        number = _as_numbers((number * (further.max(initial=0) + 1) + further).astype(np.uint64))
    return number


def _all_different(word: Words) -> bool:
    ordered = np.sort(word)
    return bool((ordered[1:] != ordered[:-1]).all())


def _as_numbers(word: Words) -> NDArray[np.int64]:
    if len(word) < _SORTED:
        return np.unique(word, return_inverse=True)[1].astype(np.int64)
    return np.asarray(pa.array(word).dictionary_encode().indices.to_numpy(), dtype=np.int64)


def dense(key: NDArray[np.int64], total: int) -> tuple[NDArray[np.int64], int]:
    """Keys below ``total`` as numbers without gaps, in the same order, and how many there are."""
    if total > 4 * len(key) + _BLOCK:
        different, number = np.unique(key, return_inverse=True)
        return number, len(different)
    seen = np.zeros(total, np.bool_)
    seen[key] = True
    place = np.cumsum(seen) - 1
    return place[key], int(place[-1]) + 1 if total else 0
