"""The initial partition: blocks of records that are alike in the columns that go most with the sensitive values.

Paper        Zhu, Tian, Du, Xie: Anonymization on Refining Partition: Same Privacy, More Utility. ComSIS 2015,
             Section 4.1 and Algorithm 1 (the comparator AIP of its experiments).
Promises     k, l and a least size.
Forms        anatomy, generalized, slices, randomized.
Reads        sensitive values always: for the order of the columns, and to see which blocks are diverse.
Cost         n log n: a record is sorted once for each column, and counted once for each column.
Why right    the whole table keeps every requirement (eligible.py); a cut puts groups together until each is in order,
             at worst until they are the block that was cut, which was in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import blocks
from shoal.partition.blocks import Blocks, Search, moved, searched
from shoal.partition.mending import mended
from shoal.partition.sharing import LARGE, shared
from shoal.plan.methods import InitialPartition, RefiningPartition
from shoal.plan.plan import Plan
from shoal.privacy.shares import Shares
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes
from shoal.table.correlation import binned, phi_squared

Integers = NDArray[np.int64]
#: Blocks that lie side by side, where they start, and from which column on each is to be cut.
_Task = tuple[Integers, Integers]


def group(codes: Codes, plan: Plan, chance: Chance) -> Classes:
    """Group the records into blocks that keep every requirement of the plan."""
    search = searched(codes, plan, "initial-partition")
    if not len(search.places):
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))
    method = plan.method if isinstance(plan.method, InitialPartition) else InitialPartition()
    found = initial(search, method, chance)
    starts = found.starts if search.is_exact else mended(codes, found.rows, found.starts, search.numbers)
    return Classes(found.rows, starts)


def initial(search: Search, method: InitialPartition | RefiningPartition, chance: Chance) -> Blocks:
    """Algorithm 1, called with the whole table and the first column."""
    records = moved(search)
    columns = by_correlation(search, method.bins)
    luck = chance.words(len(records.rows)) if method.merge == "random" else np.empty(0, np.uint64)
    starts = _Partitioning(records, columns, search.shares, method.merged == "final", luck, _sizes(search)).run()
    return Blocks(records.codes, records.rows, starts, columns)


def by_correlation(search: Search, bins: int) -> Integers:
    """The quasi-identifying columns, those first that go most strongly with the sensitive columns, on average.

    Section 4.1: phi², numbers in intervals. Equals stay in the order of the plan.
    """
    codes, places = search.codes, search.places
    secret = [one.place for one in search.asked] or list(range(codes.quasi, codes.quasi + codes.sensitive))
    matrix = codes.matrix if len(places) == len(codes) else codes.matrix[places]
    strength = np.zeros(codes.quasi)
    for column in range(codes.quasi):
        domain = codes.domains[column]
        groups = binned(domain, np.bincount(matrix[:, column], minlength=len(domain)), bins)[matrix[:, column]]
        for place in secret:
            strength[column] += phi_squared(groups, matrix[:, place], len(domain) + bins, len(codes.domains[place]))
    return np.argsort(-np.round(strength, 12), kind="stable")


def _sizes(search: Search) -> int:
    """The most codes that a quasi-identifying column has."""
    return max((len(domain) for domain in search.codes.domains[: search.codes.quasi]), default=1)


@dataclass(frozen=True, eq=False)
class _Partitioning:
    """Algorithm 1, its large blocks shared among the cores. Which core takes a block changes nothing."""

    records: blocks.Records
    columns: Integers
    shares: Shares
    final: bool
    luck: NDArray[np.uint64]
    codes: int

    def run(self) -> Integers:
        """Where each block starts, and their end."""
        records = len(self.records.rows)
        whole = (np.array([0, records]), np.zeros(1, np.int64))
        found = shared([whole], self._work)
        return np.sort(np.concatenate([*found, np.array([records])])).astype(np.int64)

    def _work(self, task: _Task) -> tuple[list[Integers], list[_Task]]:
        starts, depths = task
        sizes = np.diff(starts)
        once = bool(sizes.max() > LARGE)
        values = int(self.shares.start[-1])
        room = blocks.groups(int(sizes.max()), self.codes, values, len(self.shares.column))
        spare = blocks.spare(int(sizes.max()), self.records.words.shape[1])
        begins = np.empty(int(sizes.sum()) // self.shares.least + len(sizes), np.int64)
        reached = np.empty(len(begins), np.int64)
        found = blocks.divide(
            self.records, starts, depths, self.columns, self.shares, self.final, self.luck, once, room, spare,
            begins, reached,
        )  # fmt: skip
        if not once:
            return [begins[:found]], []
        order = np.argsort(begins[:found])
        begins, reached = begins[order], reached[order]
        done = reached == len(self.columns)
        return [begins[done]], list(_tasks(begins, reached, int(starts[-1]), done))


def _tasks(begins: Integers, depths: Integers, end: int, done: NDArray[np.bool_]) -> Iterator[_Task]:
    """The blocks that are to be cut on, small neighbours together."""
    ends = np.append(begins[1:], end)
    first = 0
    for block in range(len(begins)):
        if done[block]:
            first = block + 1
            continue
        last = block + 1 == len(begins) or bool(done[block + 1])
        if last or ends[block + 1] - begins[first] > LARGE:
            yield np.append(begins[first : block + 1], ends[block]), depths[first : block + 1]
            first = block + 1
