"""SABRE's buckets (Section 4.2): runs of similar sensitive values, and how far classes may be away that take from all.

Costs are whole numbers of a unit that is the same for all buckets, so that no rounding decides which is split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.distances import Equal, Flows, GroundDistance, Hierarchical, Ordered

Whole = NDArray[np.int64]
#: A run of the occurring values, or a node of their hierarchy.
Node = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Buckets:
    """A partition of a sensitive column's values; bucket b begins at the code ``first[b]`` and ends before the next.

    ``upper`` is U, the most that a class may be away which holds records of all buckets in proportion to their sizes
    (Theorem 3). What it is away beyond that, D, is the earth mover's distance of its buckets' shares from the whole
    table's, by ``flows`` over the buckets (Lemma 1).
    """

    first: Whole
    upper: float
    flows: Flows

    def __len__(self) -> int:
        return len(self.first)

    def of(self, column: NDArray[np.unsignedinteger[Any]]) -> Whole:
        """The bucket of each record, by its code."""
        return np.searchsorted(self.first[1:], column, side="right")


class _Values(Protocol):
    """The values of a column that occur, and how they can be split."""

    @property
    def root(self) -> Node:
        """All values."""

    @property
    def unit(self) -> int:
        """How many units of cost make a distance of 1."""

    def cost(self, node: Node) -> int:
        """The upper bound of earth transportation within a bucket (Theorem 2), in units."""

    def split(self, node: Node) -> list[Node]:
        """The buckets that take its place; none for a single value."""

    def buckets(self, nodes: list[Node], upper: float) -> Buckets:
        """These nodes as buckets."""


def refinements(counts: Whole, distance: GroundDistance, t: float) -> Iterator[Buckets]:
    """Ever finer buckets, each time the one split whose cost falls most; the first are those with U < t.

    With these the paper's functions bucketCat and bucketNum end (lines 9-20); one may go on, down to single values,
    for which U is 0.
    """
    values: _Values = _Line(counts) if isinstance(distance, Ordered) else _branches(counts, distance)
    leaves, new, upper = {values.root}, [values.root], values.cost(values.root)
    waiting: list[tuple[int, Node, list[Node]]] = []
    while True:
        for node in new:
            parts = values.split(node)
            if parts:
                heappush(waiting, (sum(map(values.cost, parts)) - values.cost(node), node, parts))
        if upper / values.unit < t:
            yield values.buckets(sorted(leaves), upper / values.unit)
        if not waiting:
            return
        change, node, new = heappop(waiting)
        leaves.remove(node)
        leaves.update(new)
        upper += change


# -- numbers ------------------------------------------------------------------------------------------------


class _Line:
    """Ordered values: |i - j| / (m - 1) apart. A node is a run of those that occur."""

    def __init__(self, counts: Whole) -> None:
        self._code = np.flatnonzero(counts)
        held = counts[self._code]
        self._held = np.append(0, np.cumsum(held))
        self._moment = np.append(0, np.cumsum(held * self._code))
        self._span = max(len(counts) - 1, 1)

    @cached_property
    def root(self) -> Node:
        return 0, len(self._code)

    @cached_property
    def unit(self) -> int:
        return int(self._held[-1]) * self._span

    def cost(self, node: Node) -> int:
        return int(self._costs(*map(np.asarray, node)))

    def _costs(self, first: NDArray[Any], last: NDArray[Any]) -> Whole:
        """All earth at one value costs most if this is the run's first or last: the cost is convex in the value."""
        held, moment = self._held[last] - self._held[first], self._moment[last] - self._moment[first]
        costs: Whole = np.maximum(moment - self._code[first] * held, self._code[last - 1] * held - moment)
        return costs

    def split(self, node: Node) -> list[Node]:
        """In two, where both together cost least (Procedure split)."""
        first, last = node
        if last - first < 2:
            return []
        at = np.arange(first + 1, last)
        costs = self._costs(np.full_like(at, first), at) + self._costs(at, np.full_like(at, last))
        best = int(at[np.argmin(costs)])
        return [(first, best), (best, last)]

    def buckets(self, nodes: list[Node], upper: float) -> Buckets:
        """Buckets i < j are (last of j - first of i) / (m - 1) apart: the way between their middles, and half of both
        their widths, which is paid for what is taken from a bucket or brought to it."""
        runs = np.array(nodes, np.int64)
        low, high = self._code[runs[:, 0]], self._code[runs[:, 1] - 1]
        middle, each = (low + high) / 2, np.arange(len(nodes))
        return Buckets(
            low,
            upper,
            Flows(
                np.concatenate([np.zeros(len(nodes) - 1, np.int64), each]),
                np.concatenate([each[1:], each + 1]),
                np.concatenate([np.diff(middle), (high - low) / 2]) / self._span,
            ),
        )


# -- categories ---------------------------------------------------------------------------------------------


def _branches(counts: Whole, distance: Equal | Hierarchical) -> _Branches:
    """The hierarchy over all codes, a missing value being a leaf below the root; one of height 1 for equal distance."""
    codes = len(counts)
    if isinstance(distance, Equal):
        parent, height = np.append(-1, np.zeros(codes, np.int64)), np.append(1, np.zeros(codes, np.int64))
        first, last = np.append(0, np.arange(codes)), np.append(codes, np.arange(1, codes + 1))
        return _Branches(counts, parent, height, first, last)
    tree = distance.tree
    gap = np.arange(len(tree.leaf_node), codes)
    last = np.append(tree.last, gap + 1)
    last[0] = codes
    return _Branches(
        counts,
        np.append(tree.parent, np.zeros_like(gap)).astype(np.int64),
        np.append(tree.height, np.zeros_like(gap)).astype(np.int64),
        np.append(tree.first, gap),
        last,
    )


class _Branches:
    """Values as far apart as their lowest common ancestor is high. A node is one of their hierarchy.

    Only what occurs counts: a node that has one child with such values is passed over for the child.
    """

    def __init__(self, counts: Whole, parent: Whole, height: Whole, first: Whole, last: Whole) -> None:
        self._parent, self._height, self._first, self._last = parent, height, first, last
        before = np.append(0, np.cumsum(counts))
        self._held = before[last] - before[first]
        ends = np.stack([first, last], axis=1).ravel()
        seldom = np.append(np.where(counts > 0, counts, np.iinfo(np.int64).max), 0)
        self._least = np.minimum.reduceat(seldom, ends)[::2]
        occurring = np.flatnonzero(self._held > 0)
        below = occurring[parent[occurring] >= 0]
        self._child = below[np.argsort(parent[below], kind="stable")]
        self._children = np.searchsorted(parent[self._child], np.arange(len(parent) + 1))

    @cached_property
    def root(self) -> Node:
        return (self._branching(0),)

    @cached_property
    def unit(self) -> int:
        return int(self._held[0]) * max(int(self._height[0]), 1)

    def cost(self, node: Node) -> int:
        """All earth at the rarest value, and every other value as far away as the node is high."""
        (place,) = node
        return int(self._height[place]) * int(self._held[place] - self._least[place])

    def split(self, node: Node) -> list[Node]:
        (place,) = node
        return [(self._branching(child),) for child in self._below(place)]

    def _below(self, place: int) -> list[int]:
        found: list[int] = self._child[self._children[place] : self._children[place + 1]].tolist()
        return found

    def _branching(self, place: int) -> int:
        """The lowest common ancestor of the values below a node."""
        below = self._below(place)
        while len(below) == 1:
            (place,) = below
            below = self._below(place)
        return place

    def buckets(self, nodes: list[Node], upper: float) -> Buckets:
        """Buckets are as far apart as the lowest common ancestor of their nodes is high: a tree once more, whose leaves
        they are."""
        leaf = np.array([place for (place,) in nodes], np.int64)
        height = self._height.copy()
        height[leaf] = 0
        above, marked = leaf, np.zeros(len(height), np.bool_)
        while len(above):
            marked[above] = True
            above = np.unique(self._parent[above])
            above = above[above >= 0]
            above = above[~marked[above]]
        edge = np.flatnonzero(marked & (self._parent >= 0))
        first = self._first[leaf]
        return Buckets(
            first,
            upper,
            Flows(
                np.searchsorted(first, self._first[edge]),
                np.searchsorted(first, self._last[edge]),
                (height[self._parent[edge]] - height[edge]) / (2 * max(int(self._height[0]), 1)),
            ),
        )
