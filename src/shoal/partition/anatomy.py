"""Anatomy's grouping: classes of l different sensitive values from the whole table, whatever else its records hold.

Paper        Xiao, Tao: Anatomy: Simple and Effective Privacy Preservation. VLDB 2006, Section 5.2, algorithm Anatomize.
Promises     l and a least size.
Forms        anatomy, slices, randomized.
Reads        sensitive values and nothing else.
Cost         linear.
Why right    a class that is drawn holds l different values, each once; at most l - 1 records are left over, no two
             alike, and each finds a class that lacks its value (their Properties 1 and 2). Where l is no whole number,
             or several columns are sensitive, as in refining_partition.py with the whole table as one block.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.blocks import Blocks, Search
from shoal.partition.drawing import Drawn, classes_of, draw
from shoal.partition.randomizing import drawn
from shoal.partition.refining_partition import settled
from shoal.plan.plan import Plan
from shoal.privacy.shares import Shares
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes


def group(codes: Codes, plan: Plan, chance: Chance) -> Classes:
    """Group the records into classes that keep every requirement of the plan."""
    return drawn(codes, plan, "anatomy", lambda search: _grouped(search, chance))


def _grouped(search: Search, chance: Chance) -> Classes:
    blocks = one_block(search)
    found = draw(blocks, search.shares, chance)
    if len(search.shares.column) == 1 and len(found.left) < search.shares.size:
        residue(blocks, search.shares, found, chance)
    return classes_of(search, blocks, settled(blocks, search.shares, found))


def one_block(search: Search) -> Blocks:
    """All records as one block."""
    rows = search.places.astype(np.uint32)
    return Blocks(search.codes.matrix[rows], rows, np.array([0, len(rows)]), np.empty(0, np.int64))


def residue(blocks: Blocks, shares: Shares, found: Drawn, chance: Chance) -> None:
    """Lines 9 to 12: each record that is left over goes into a class by lot, of those that lack its value."""
    values = blocks.codes[:, shares.column[0]]
    for i, word in zip(found.left.tolist(), chance.words(len(found.left)).tolist(), strict=True):
        holds = np.zeros(int(found.made[0]), np.bool_)
        alike = found.home[values == values[i]]
        holds[alike[alike >= 0]] = True
        lacking = np.flatnonzero(~holds)
        if len(lacking):
            found.home[i] = lacking[word * len(lacking) >> 64]
