"""Classes of different sensitive values, drawn from blocks, and in what order they lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import refining
from shoal.partition.blocks import Blocks, Search
from shoal.partition.mending import mended
from shoal.partition.sharing import LARGE, shared
from shoal.privacy.shares import Shares
from shoal.table.chance import Chance
from shoal.table.classes import Classes

Integers = NDArray[np.int64]

#: Where several columns must be diverse: how many buckets are looked at for each record of a class.
_LOOKS = 4


@dataclass(frozen=True, eq=False)
class Drawn:
    """Of each record the class that it is drawn for, or why it is in none yet (see :mod:`shoal.kernels.refining`).

    The classes of block b have the numbers from ``bases[b]`` on, ``made[b]`` of them; those that were made of several
    blocks have the numbers from ``bases[-1]`` on, each after the block that ``after`` says.
    """

    home: Integers
    bases: Integers
    made: Integers
    after: Integers

    @property
    def left(self) -> Integers:
        """The records that are left over."""
        return np.flatnonzero(self.home == refining.LEFT)


def draw(blocks: Blocks, shares: Shares, chance: Chance) -> Drawn:
    """Algorithm 2 of the refining partition, lines 2 to 9: as many classes of each block as can be drawn from it."""
    starts, nothing = blocks.starts, np.empty(0, np.int64)
    if not len(shares.column):  # nothing must be diverse: each record is a class
        return Drawn(np.arange(len(blocks.rows)), starts, np.diff(starts), nothing)
    looks = shares.size * (_LOOKS if len(shares.column) > 1 else 1)
    bases = np.append(0, np.cumsum(np.diff(starts) // shares.size)).astype(np.int64)
    found = Drawn(np.empty(len(blocks.rows), np.int64), bases, np.empty(len(starts) - 1, np.int64), nothing)
    luck = chance.words((int(bases[-1]) + 1) * looks)  # one more, for a class that is not found

    number = blocks.numbered(shares)

    def work(part: Integers) -> tuple[list[None], list[Integers]]:
        refining.draw(number, starts, part, shares, luck, looks, bases, found.home, found.made)
        return [], []

    shared(np.split(np.arange(len(starts) - 1), _borders(starts)), work)
    return found


def _borders(starts: Integers) -> Integers:
    """The blocks with which parts of about the same size begin."""
    return np.unique(np.searchsorted(starts, np.arange(LARGE, int(starts[-1]), LARGE)).clip(1, len(starts) - 1))


def classes_of(search: Search, blocks: Blocks, drawn: Drawn) -> Classes:
    """The classes, side by side in the order of the blocks; what is in none is mended together with its neighbours."""
    exact = search.is_exact and not (drawn.home < 0).any()
    most = int(drawn.bases[-1]) + len(drawn.after) + len(drawn.made)
    order, begins, of = np.empty(len(drawn.home), np.int64), np.empty(most + 1, np.int64), np.empty(most, np.int64)
    found = refining.arrange(blocks.starts, drawn.home, drawn.bases, drawn.made, drawn.after, order, begins, of)
    if search.shares.least > search.shares.size:
        found = refining.merge(begins, of[:found], search.shares.least)
    rows, starts = blocks.rows[order], begins[: found + 1]
    return Classes(rows, starts if exact else mended(search.codes, rows, starts, search.numbers))
