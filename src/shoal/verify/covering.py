"""Whether published cells cover the originals that they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.release.cells import Cells, is_ordered, ordinals, texts
from shoal.release.notation import ranges

Codes = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]

#: Where cells times values are no more, who covers whom is looked up in a table.
_TABLE = 1 << 24


class Cover(Protocol):
    """Which distinct cells of a column cover which distinct originals."""

    def covers(self, cell: Codes, value: Codes) -> Flags:
        """Pair by pair, whether the cell covers the value."""

    def room(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each cell, how many records it covers, given how many hold each value."""

    def covered(self) -> Flags:
        """For each value, whether any cell covers it."""

    def only(self) -> Codes | None:
        """For each value, the one cell that covers it, or a number past all cells; None if several may."""


def cover(cells: Cells, held: pa.Array) -> Cover:
    """The cover of a column's cells over the original's distinct values."""
    found = _by_range(cells, held) if cells.values is None else _by_member(cells, held)
    size = len(cells) * len(held)
    if size > _TABLE:
        return found
    cell, value = np.divmod(np.arange(size), max(len(held), 1))
    return _ByTable(found.covers(cell, value).reshape(len(cells), len(held)))


@dataclass(frozen=True, eq=False)
class _ByTable:
    table: Flags

    def covers(self, cell: Codes, value: Codes) -> Flags:
        kind = np.int32 if self.table.size < 1 << 31 else np.int64
        found: Flags = np.take(self.table.ravel(), cell * kind(self.table.shape[1]) + value)
        return found

    def room(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.table @ times

    def covered(self) -> Flags:
        return self.table.any(axis=0)

    def only(self) -> Codes | None:
        if (self.table.sum(axis=0) > 1).any() or not self.table.size:
            return None
        return np.where(self.covered(), self.table.argmax(axis=0), len(self.table))


@dataclass(frozen=True, eq=False)
class _ByRange:
    """Ranges of numbers; a value that is no number is covered by what covers everything only."""

    low: Numbers
    high: Numbers
    missing: Flags
    number: Numbers
    gone: Flags

    def covers(self, cell: Codes, value: Codes) -> Flags:
        low, high, number = self.low[cell], self.high[cell], self.number[value]
        anything = (low == -np.inf) & (high == np.inf)
        known = ((low <= number) & (number <= high)) | (anything & ~self.gone[value])
        found: Flags = known | (self.missing[cell] & self.gone[value])
        return found

    def room(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        order = np.argsort(self.number)
        first, last = self._reach(order)
        before = np.concatenate([[0], np.cumsum(times[order])])
        strange = times[np.isnan(self.number) & ~self.gone].sum()
        anything = (self.low == -np.inf) & (self.high == np.inf)
        known: NDArray[np.int64] = before[last] - before[first] + anything * strange
        return known + self.missing * times[self.gone].sum()

    def covered(self) -> Flags:
        order = np.argsort(self.number)
        first, last = self._reach(order)
        depth = np.zeros(len(order) + 1, np.int64)
        np.add.at(depth, first, 1)
        np.add.at(depth, last, -1)
        found = np.zeros(len(order), np.bool_)
        found[order] = np.cumsum(depth)[:-1] > 0
        anything = ((self.low == -np.inf) & (self.high == np.inf)).any()
        found |= anything & np.isnan(self.number) & ~self.gone
        return np.where(self.gone, self.missing.any(), found)

    def only(self) -> Codes | None:
        return None  # so many different ranges overlap, or are not worth finding out

    def _reach(self, order: Codes) -> tuple[Codes, Codes]:
        """The run of values, in this order, that each cell covers; NaN stands last and is in none."""
        number = self.number[order]
        first, last = np.searchsorted(number, self.low), np.searchsorted(number, self.high, side="right")
        nothing = np.isnan(self.low)
        return np.where(nothing, 0, first), np.where(nothing, 0, last)


def _by_range(cells: Cells, held: pa.Array) -> _ByRange:
    gone = _flags(held.is_null())
    if cells.low is None or cells.high is None:
        raise ValueError("these cells are no ranges")
    return _ByRange(cells.low, cells.high, cells.missing, numbers(held), gone)


def numbers(held: pa.Array) -> Numbers:
    """Originals on the scale of published ranges, though they be numbers written as text; NaN where they are not."""
    if is_ordered(held.type):
        return ordinals(held)
    written = ranges(texts(held))
    return np.where(written.low == written.high, written.low, np.nan)


@dataclass(frozen=True, eq=False)
class _ByMember:
    """Sets of texts, as the sorted pairs of a cell and a value in it."""

    pairs: NDArray[np.int64]
    anything: Flags
    missing: Flags
    gone: Flags

    def covers(self, cell: Codes, value: Codes) -> Flags:
        pair = cell.astype(np.int64) * len(self.gone) + value
        at = np.minimum(np.searchsorted(self.pairs, pair), len(self.pairs) - 1)
        held = self.pairs[at] == pair if len(self.pairs) else np.zeros(len(pair), np.bool_)
        return np.where(self.gone[value], self.missing[cell], held | self.anything[cell])

    def room(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        cell, value = np.divmod(self.pairs, max(len(self.gone), 1))
        found = np.bincount(cell, weights=times[value], minlength=len(self.missing)).astype(np.int64)
        found[self.anything] = times[~self.gone].sum()
        return np.asarray(found + self.missing * times[self.gone].sum())

    def covered(self) -> Flags:
        found = np.full(len(self.gone), self.anything.any())
        found[self.pairs % max(len(self.gone), 1)] = True
        return np.where(self.gone, self.missing.any(), found)

    def only(self) -> Codes | None:
        return None  # as of ranges


def _by_member(cells: Cells, held: pa.Array) -> _ByMember:
    values = cells.values or ()
    sizes = [len(found or ()) for found in values]
    cell = np.repeat(np.arange(len(values)), sizes)
    members = pa.array(chain.from_iterable(found or () for found in values), pa.string())
    place = pc.index_in(members, texts(held), skip_nulls=True)
    occurs = _flags(place.is_valid())
    value = place.fill_null(0).to_numpy(zero_copy_only=False)
    pairs = np.sort((cell * len(held) + value)[occurs])
    anything = np.array([found is None for found in values], np.bool_)
    return _ByMember(pairs, anything, cells.missing, _flags(held.is_null()))


def _flags(mask: pa.Array) -> Flags:
    return np.asarray(mask.to_numpy(zero_copy_only=False), dtype=np.bool_)
