"""Rings: each record is generalized to cover its neighbours on a ring, of which any l have different sensitive values.

Paper        Wong, Mamoulis, Cheung: Non-homogeneous Generalization in Privacy Preserving Data Publishing. SIGMOD 2010;
             as the comparator NG of Zhu, Tian, Du, Xie: Anonymization on Refining Partition. ComSIS 2015.
Promises     nothing. Rows have boxes of their own, so an outsider finds no class in which to count, and whoever knows
             the rule can follow it. For measurements only: no plan names it, and no form writes it.
Reads        sensitive values always: they decide where a record stands.
Cost         n log n.
Why right    where no value is held by more than r = floor(n/l) of the n records of a block, and the records are laid
             out value by value, the commonest first, in columns of r, then a value spans at most two columns, and a
             value that fills one begins at its top; read row by row, two records of the same value are at least l
             apart, also around the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Unsupported
from shoal.kernels.shuffle import permutation
from shoal.partition.blocks import Blocks
from shoal.privacy.shares import Shares
from shoal.table.chance import Chance

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rings:
    """Row ``order[i]`` of the blocks stands at place i; places ``starts[b]`` to ``starts[b + 1] - 1`` are a ring.

    Each row covers ``l`` records from its own on; its sensitive value is that of the record ``shift`` places on.
    """

    order: Integers
    starts: Integers
    shift: Integers  # by ring
    l: int

    def covered(self) -> Integers:
        """For each place the places that its row covers."""
        return self._on(np.arange(self.l)[None, :])

    def shown(self) -> Integers:
        """For each place the place whose sensitive value its row has."""
        return self._on(np.repeat(self.shift, np.diff(self.starts))[:, None])[:, 0]

    def _on(self, steps: Integers) -> Integers:
        """The places so many steps on."""
        sizes = np.diff(self.starts)
        first, size = np.repeat(self.starts[:-1], sizes)[:, None], np.repeat(sizes, sizes)[:, None]
        return first + (np.arange(len(self.order))[:, None] - first + steps) % size


def rings(blocks: Blocks, shares: Shares, chance: Chance) -> Rings:
    """A ring of each block; one sensitive column, of which no block has a value oftener than once in l."""
    starts, sizes, l = blocks.starts, np.diff(blocks.starts), shares.size
    if len(shares.column) != 1:
        raise Unsupported("a ring is for one sensitive column that is to be diverse")
    block = np.repeat(np.arange(len(sizes)), sizes)
    value = blocks.codes[:, shares.column[0]].astype(np.int64)
    often = _times(block, value)
    if (value >= shares.start[1]).any() or (often > (sizes // l)[block]).any():
        raise Unsupported("a ring needs blocks without missing values in which no value is oftener than once in l")
    by_lot = permutation(chance.words(len(value)))
    laid = np.lexsort((by_lot, value, -often, block))
    rows = np.repeat(sizes // l, sizes)
    column, row = np.divmod(np.arange(len(value)) - np.repeat(starts[:-1], sizes), np.maximum(rows, 1))
    order = laid[np.lexsort((column, row, block))]
    shift = np.array([word * l >> 64 for word in chance.words(len(sizes)).tolist()], np.int64)
    return Rings(order, starts, shift, l)


def _times(block: Integers, value: Integers) -> Integers:
    """For each record how many of its block hold its value."""
    pairs = block * (int(value.max(initial=0)) + 1) + value
    _, place, times = np.unique(pairs, return_inverse=True, return_counts=True)
    return times[place]


def boxes(blocks: Blocks, held: Rings, columns: int) -> tuple[NDArray[np.integer], NDArray[np.integer]]:  # type: ignore[type-arg]
    """The least and the greatest code of each of the first columns in what each row covers."""
    covered = blocks.codes[held.order][:, :columns][held.covered()]
    return covered.min(axis=1), covered.max(axis=1)
