"""The refining partition: small classes of different sensitive values, drawn from blocks of records that are alike.

Paper        Zhu, Tian, Du, Xie: Anonymization on Refining Partition: Same Privacy, More Utility. ComSIS 2015,
             Section 4.2 and Algorithm 2; on top of any initial partition, that of Algorithm 1 by default.
Promises     k, l and a least size.
Forms        anatomy, generalized, slices, randomized.
Reads        sensitive values always: a class takes a record of each of the commonest values of its block.
Cost         n log n for the initial partition; the rest is linear, whatever the size of a block.
Why right    a class that is drawn holds l different values, each once (with several sensitive columns: none oftener
             than its column allows); a record joins a class only if it stays in order (Properties 2 to 4 say that one
             does, if l is a whole number and one column is sensitive); what finds no class is put together with the
             classes of its own block until all are in order, at worst with the whole table (mending.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import blocks as cutting
from shoal.kernels import refining
from shoal.partition import mondrian
from shoal.partition.blocks import Blocks, Search, moved
from shoal.partition.drawing import Drawn, classes_of, draw
from shoal.partition.initial_partition import initial
from shoal.partition.randomizing import drawn
from shoal.plan.forms import Anatomy
from shoal.plan.methods import Mondrian, RefiningPartition
from shoal.plan.plan import Plan
from shoal.privacy.shares import Shares, reached
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes

Integers = NDArray[np.int64]


def group(codes: Codes, plan: Plan, chance: Chance) -> Classes:
    """Group the records into classes that keep every requirement of the plan."""
    return drawn(
        codes, plan, "refining-partition", lambda search: refined(search, blocks_of(search, plan, chance), chance)
    )


def refined(search: Search, blocks: Blocks, chance: Chance) -> Classes:
    """Algorithm 2 on any initial partition."""
    found = pooled(blocks, search.shares, draw(blocks, search.shares, chance))
    return classes_of(search, blocks, settled(blocks, search.shares, found))


def pooled(blocks: Blocks, shares: Shares, found: Drawn) -> Drawn:
    """Lines 10 to 15: classes of the records that neighbouring blocks leave over."""
    left, after = found.left, np.empty(len(found.left) // shares.size, np.int64)
    if len(after):
        block = np.searchsorted(blocks.starts, left, side="right") - 1
        first = int(found.bases[-1])
        after = after[: refining.pool(blocks.numbered(shares), left, block, shares, found.home, first, after)]
    return replace(found, after=after)


def settled(blocks: Blocks, shares: Shares, found: Drawn) -> Drawn:
    """Lines 17 to 22: the other records go into classes of their own block.

    The paper's rule is for records of which no block leaves two alike. Those that it finds no place for, or that do not
    count, go where they leave a class in order.
    """
    home, bases, made = found.home, found.bases, found.made
    number = blocks.numbered(shares) if (home < 0).any() else np.empty((0, 0), np.int32)
    if len(shares.column) == 1 and len(found.left):
        size, seen = np.zeros(bases[-1], np.int64), np.full(bases[-1], -1)
        refining.settle(
            blocks.codes, number, blocks.starts, blocks.columns, shares.size - 1, home, bases, made, size, seen
        )
    if (home < 0).any():
        enough = np.full((shares.start[1] + 1, 3), -1)
        head, following = np.full(bases[-1], -1), np.full(len(home), -1)
        refining.spread(number, blocks.starts, shares.bound, enough, home, bases, made, head, following)
    return found


# -- initial partitions -------------------------------------------------------------------------------------


def blocks_of(search: Search, plan: Plan, chance: Chance) -> Blocks:
    """Algorithm 2, line 1: the initial partition that the plan names."""
    method = plan.method if isinstance(plan.method, RefiningPartition) else RefiningPartition()
    match method.initial:
        case "mondrian":
            found = mondrian.group(search.codes, _for_blocks(search, plan))
            return Blocks(search.codes.matrix[found.order], found.order, found.starts, _as_planned(search))
        case "lexicographic":
            return _sorted(search)
        case "phi":
            return initial(search, method, chance)


def _for_blocks(search: Search, plan: Plan) -> Plan:
    """The same records, asked for what blocks must keep."""
    if search.together is None:
        return replace(plan, method=Mondrian())
    return replace(plan, method=Mondrian(), form=Anatomy(), require=search.together)


def _as_planned(search: Search) -> Integers:
    return np.arange(search.codes.quasi)


def _sorted(search: Search) -> Blocks:
    """The records sorted by the columns in the plan's order, in the shortest runs that are blocks."""
    records = moved(search)
    count = len(records.rows)
    spare = cutting.spare(count, records.words.shape[1])
    for column in _as_planned(search)[::-1]:
        cutting.sort(records, 0, count, column, spare)
    begins = np.empty(count + 1, np.int64)
    found = cutting.runs(records.codes, search.shares, begins)
    last, step = found - 1, 1  # the last run may be no block: it joins those before it
    while last and not _in_order(records.codes[begins[last] :], search.shares):
        last, step = max(last - step, 0), 2 * step
    starts = np.append(begins[: last + 1], count)
    return Blocks(records.codes, records.rows, starts, _as_planned(search))


def _in_order(codes: NDArray[np.unsignedinteger[Any]], shares: Shares) -> bool:
    """Whether these records are a block."""
    holds = len(codes) >= shares.least
    for column, bound, values in zip(shares.column, shares.bound, np.diff(shares.start), strict=True):
        counts = np.bincount(codes[:, column], minlength=values)[:values]
        holds = holds and bool(counts.sum()) and reached(counts) >= bound
    return holds
