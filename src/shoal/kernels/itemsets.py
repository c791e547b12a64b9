"""Which items often stand together in a record: set by set, each one item larger than those before it.

An item is a row of bits, one for each record that has it. A set is frequent only if all its subsets are, so sets of one
size are joined to those of the next. All kernels of the search stand in this one file, since Numba's cache does not see
changes in others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


class Frequent(NamedTuple):
    """All frequent sets of one size, in lexicographic order."""

    items: Array  # a row for each set, ascending
    support: Array  # how many records have all items of each set
    key: Array  # of each set: the place of its set without the last item among those, and the last item


def bits_of(flags: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of flags as rows of bits, filled up with zeros."""
    packed = np.packbits(flags, axis=-1)
    room = -(-packed.shape[-1] // 8) * 8 - packed.shape[-1]
    return np.pad(packed, [*[(0, 0)] * (packed.ndim - 1), (0, room)]).view(np.uint64)


def frequent(
    bits: NDArray[np.uint64], column: NDArray[np.int64], least: int, largest: int | None = None, most: int | None = None
) -> list[Frequent]:
    """The sets that at least so many records have, by size; each item must be frequent itself.

    ``column`` ascends, and no set has two items of one column. Sets grow to the ``largest`` size; of more than ``most``
    sets of one size only those that most records have are joined to larger ones, and others may not be found.
    """
    every = np.arange(len(bits))
    found = [Frequent(every[:, None], counts(bits, every[:, None]), every)]
    while len(found[-1].support) and (largest is None or len(found) < largest):
        row, item = _joined(found[-1], column, most)
        support = np.empty(len(row), np.int64)
        _count(bits, found[-1].items, row, item, support)
        kept = support >= least
        row, item = row[kept], item[kept]
        larger = np.column_stack([found[-1].items[row], item])
        found.append(Frequent(larger, support[kept], row * len(bits) + item))
    return found


def counts(bits: NDArray[np.uint64], items: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many records have all items of each of these sets."""
    support = np.empty(len(items), np.int64)
    others, last = (np.ascontiguousarray(part) for part in (items[:, :-1], items[:, -1]))
    _count(bits, others, np.arange(len(items)), last, support)
    return support


def places(found: Sequence[Frequent], sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of these sets, all of one size, stands among those of its size; -1 if it was not found."""
    place = sets[:, 0].astype(np.int64)
    for size in range(1, sets.shape[1]):
        key = np.where(place < 0, -1, place * len(found[0].items) + sets[:, size])
        place = np.searchsorted(found[size].key, key)
        place = np.where(np.append(found[size].key, -2)[place] == key, place, -1)
    return place


def _joined(found: Frequent, column: NDArray[np.int64], most: int | None) -> tuple[Array, Array]:
    """Sets, and items that stand with all but their last item too: the sets that may be frequent together."""
    chosen = np.arange(len(found.support))
    if most is not None and len(chosen) > most:
        chosen = np.sort(np.argsort(-found.support, kind="stable")[:most])
    last = found.items[chosen, -1]
    parent = (found.key[chosen] - last) if found.items.shape[1] > 1 else np.zeros(len(chosen), np.int64)
    end = np.searchsorted(parent, parent, side="right")
    later = end - np.arange(len(chosen)) - 1
    row = np.repeat(np.arange(len(chosen)), later)
    other = np.arange(len(row)) - np.repeat(np.cumsum(later) - later, later) + row + 1
    apart = column[last[row]] != column[last[other]]
    return chosen[row[apart]], last[other[apart]]


@njit(cache=True, nogil=True)
def _count(bits, items, row, item, support):
    """How many records have the items of each set and one more item; equal rows stand together."""
    held = np.empty(bits.shape[1], np.uint64)
    before = -1
    for c in range(len(row)):
        if row[c] != before:
            before = row[c]
            for w in range(len(held)):
                held[w] = ~np.uint64(0)
                for i in range(items.shape[1]):
                    held[w] &= bits[items[before, i], w]
        total = np.uint64(0)
        for w in range(len(held)):
            word = held[w] & bits[item[c], w]
            word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
            word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
            word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
            total += (word * np.uint64(0x0101010101010101)) >> np.uint64(56)
        support[c] = np.int64(total)
