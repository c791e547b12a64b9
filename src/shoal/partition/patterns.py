"""Who has the same columns hidden: people are generalized together only with those of whom as much is public.

A column that is public for some of a group and hidden for others must not be shown of any of them. To bucketize the
public values too would not do: who knows one of them looks for the buckets that hold it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import cutting
from shoal.partition.mondrian import cut
from shoal.privacy.requirements import KAnonymity
from shoal.privacy.search import numbers
from shoal.table.classes import GENERALIZED, SUPPRESSED

Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

#: A column whose values are to be put into buckets; which one is not known yet.
BUCKETIZED = 0
#: Patterns are told apart by so many columns at once.
_ROOM = 60


@dataclass(frozen=True, eq=False)
class Groups:
    """Records ``order[starts[g]:starts[g + 1]]`` are group g; ``state[g, j]`` says what it shows of column j."""

    order: Places
    starts: Places
    state: NDArray[np.int8]


def groups_of(hidden: Flags, least: int, kind: type[Any]) -> Groups:
    """Records by the columns that are hidden of them, in groups of ``least`` or more if there are as many records.

    Patterns that too few have are pooled, and cut again as long as both sides are large enough. ``kind`` is the type of
    the codes for which the search is compiled.
    """
    number, count = _patterns(hidden)
    order = np.argsort(number, kind="stable")
    few = count[number[order]] < least
    pooled, large = order[few], order[~few]
    if 0 < len(pooled) < least and len(large):
        lent = _lent(hidden, number, count, pooled, least)
        pooled, large = np.append(pooled, lent), large[~np.isin(large, lent)]
    pool = _pool(hidden, pooled, least, np.dtype(kind))
    starts = np.flatnonzero(np.diff(number[large], prepend=-1))
    held = [hidden[large[starts]].astype(np.int8), pool.state]
    state = np.vstack([np.where(held[0] > 0, BUCKETIZED, GENERALIZED).astype(np.int8), held[1]])
    ends = np.concatenate([starts, len(large) + pool.starts]).astype(np.int64)
    return Groups(np.append(large, pool.order), ends, state)


def _patterns(hidden: Flags) -> tuple[Places, Places]:
    """The number of each record's pattern, and how many have each."""
    number = np.zeros(len(hidden), np.int64)
    for first in range(0, hidden.shape[1], _ROOM):
        width = hidden[:, first : first + _ROOM].shape[1]
        bits = hidden[:, first : first + width] @ (np.int64(1) << np.arange(width, dtype=np.int64))
        number = np.unique(np.column_stack([number, bits]), axis=0, return_inverse=True)[1].ravel() if first else bits
    _, number, count = np.unique(number, return_inverse=True, return_counts=True)
    return number, count


def _lent(hidden: Flags, number: Places, count: Places, pooled: Places, least: int) -> Places:
    """Records of a common pattern, taken by lot, that make a pool large enough: where the fewest cells are lost.

    A pattern that cannot spare as many is taken whole.
    """
    example = np.zeros(len(count), np.int64)
    example[number] = np.arange(len(number))
    patterns = hidden[example]
    some, every = hidden[pooled].any(axis=0), hidden[pooled].all(axis=0)
    mixed = (patterns | some) & ~(patterns & every)
    need = least - len(pooled)
    taken = np.where(count - need >= least, need, count)
    lost = np.where(count >= least, mixed.sum(axis=1) * (taken + len(pooled)), np.iinfo(np.int64).max)
    best = int(np.argmin(lost))
    return np.flatnonzero(number == best)[: taken[best]]


def _pool(hidden: Flags, pooled: Places, least: int, kind: np.dtype[Any]) -> Groups:
    """Records of rare patterns, cut by column as long as both sides are large enough."""
    columns = hidden.shape[1]
    if not len(pooled):
        return Groups(pooled, np.zeros(1, np.int64), np.zeros((0, columns), np.int8))
    words = np.zeros((len(pooled), -(-columns * kind.itemsize // 8)), np.uint64)
    codes = words.view(kind)
    codes[:, :columns] = hidden[pooled]
    table = cutting.Table(
        codes,
        words,
        pooled.astype(np.uint32),
        np.empty(0, np.uint32),
        np.tile([0.0, 1.0], columns),
        2 * np.arange(columns + 1, dtype=np.int64),
        np.zeros(1, np.int64),
    )
    starts = cut(table, numbers([KAnonymity(least)], {}), [(0, len(pooled))])
    some = np.logical_or.reduceat(codes[:, :columns], starts[:-1])
    every = np.logical_and.reduceat(codes[:, :columns], starts[:-1])
    state = np.where(every, BUCKETIZED, np.where(some, SUPPRESSED, GENERALIZED)).astype(np.int8)
    return Groups(table.rows.astype(np.int64), starts, state)
