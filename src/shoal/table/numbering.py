"""Numbers for rows that differ in some column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Small = NDArray[np.int32]

#: Numbers for combinations of codes stay below this, or are made dense first.
_ROOM = 1 << 62


def numbered(columns: Sequence[NDArray[Any]], sizes: Sequence[int], rows: int) -> tuple[Whole, Small]:
    """Numbers rows that differ in some column, in the order of their values; a row of each, and each row's number."""
    key, room = np.zeros(rows, np.int64), 1
    for column, size in zip(columns, sizes, strict=True):
        if room * size > _ROOM:
            first, key = _distinct(key, room)
            room = len(first)
        key = key * size + column
        room *= size
    first, number = _distinct(key, room)
    return first, number.astype(np.int32)


def _distinct(key: Whole, room: int) -> tuple[Whole, Whole]:
    if room > 4 * len(key) + 1024:
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        return first, number
    place = np.full(room, -1, np.int64)
    place[key] = np.arange(len(key))
    used = place >= 0
    return place[used], (np.cumsum(used) - 1)[key]
