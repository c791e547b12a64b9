"""Distances between distributions of a sensitive column: what it costs to turn one into the other.

All three are earth mover's distances (Li, Li and Venkatasubramanian, "t-Closeness", ICDE 2007); they differ in how
far two values are apart. Each is written twice: :meth:`between` is the definition and judges; :meth:`flows` is the
same sum in a form that one loop can evaluate for all three. Where values may be as many as records, :meth:`reached`
says the same of classes by the values that they hold, and not by all that there are. Values are in domain order; a
missing value has the last place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.schema.hierarchy import Hierarchy

Shares = NDArray[np.float64]


class Flows(NamedTuple):
    """A distance as a sum of weight x |surplus of the values first..last-1|, the earth that must cross a border."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    weight: NDArray[np.float64]


class Held(NamedTuple):
    """The values that classes hold, class by class and each in order: whose, which, and how often."""

    by: NDArray[np.int64]
    value: NDArray[np.int64]
    times: NDArray[np.int64]


@dataclass(frozen=True)
class Ordered:
    """Values i and j are |i - j| / (m - 1) apart.

    Where the domain is ``declared``, a value has its rank in it whether or not it occurs.
    """

    declared: bool = False

    def between(self, classes: Shares, whole: Shares) -> Shares:
        surplus = np.cumsum(classes - whole, axis=1)
        return np.abs(surplus).sum(axis=1) / max(classes.shape[1] - 1, 1)

    def reached(self, held: Held, whole: NDArray[np.int64]) -> Shares:
        """Between one held value and the next a class's part up to there stays the same, and the whole's grows: it is
        less than the class's at first, and more from some place on."""
        upto = np.cumsum(whole)
        area = np.append(0, np.cumsum(upto))  # whole numbers, so that nothing is lost in differences
        records = int(upto[-1])
        starts = np.flatnonzero(np.diff(held.by, prepend=-1))
        running = np.cumsum(held.times)
        before = np.append(0, running)[starts]
        total = np.diff(np.append(before, running[-1]))
        part = (running - before[held.by]) / total[held.by]
        first, last = held.value, np.append(held.value[1:], 0)
        last[np.append(starts[1:], len(first)) - 1] = len(whole) - 1
        turn = np.clip(np.searchsorted(upto, part * records), first, last)
        more = part * (2 * turn - first - last) + (area[last] - 2 * area[turn] + area[first]) / records
        cost = np.bincount(held.by, weights=more) + area[first[starts]] / records
        return cost / max(len(whole) - 1, 1)

    def flows(self, values: int) -> Flows:
        last = np.arange(1, values, dtype=np.int64)
        return Flows(np.zeros_like(last), last, np.full(len(last), 1 / max(values - 1, 1)))


@dataclass(frozen=True)
class Equal:
    """Any two values are 1 apart."""

    def between(self, classes: Shares, whole: Shares) -> Shares:
        return np.maximum(classes - whole, 0).sum(axis=1)

    def reached(self, held: Held, whole: NDArray[np.int64]) -> Shares:
        share = held.times / np.bincount(held.by, weights=held.times)[held.by]
        surplus = np.maximum(share - whole[held.value] / whole.sum(), 0)
        found: Shares = np.add.reduceat(surplus, np.flatnonzero(np.diff(held.by, prepend=-1)))  # adds pair by pair
        return found

    def flows(self, values: int) -> Flows:
        first = np.arange(values, dtype=np.int64)
        return Flows(first, first + 1, np.full(values, 0.5))


@dataclass(frozen=True, eq=False)
class Hierarchical:
    """Values are as far apart as their lowest common ancestor is high, the root being 1 high.

    ``tree`` holds exactly the known values, in domain order. A missing value hangs directly below the root.
    """

    tree: Hierarchy

    def between(self, classes: Shares, whole: Shares) -> Shares:
        """The recursion of Li et al.: at each node, what its children exchange among themselves."""
        tree = self.tree
        surplus = classes - whole
        extra = np.zeros((len(surplus), len(tree.labels)))
        given, taken = np.zeros_like(extra), np.zeros_like(extra)
        extra[:, tree.leaf_node] = surplus[:, : len(tree.leaf_node)]
        missing = surplus[:, len(tree.leaf_node) :].sum(axis=1)
        given[:, 0], taken[:, 0] = np.maximum(missing, 0), np.maximum(-missing, 0)
        cost = np.zeros(len(surplus))
        for node in range(len(tree.labels) - 1, -1, -1):  # preorder, so children come before their parents
            cost += tree.height[node] / self._root * np.minimum(given[:, node], taken[:, node])
            if (above := tree.parent[node]) >= 0:
                extra[:, above] += extra[:, node]
                given[:, above] += np.maximum(extra[:, node], 0)
                taken[:, above] += np.maximum(-extra[:, node], 0)
        return cost

    def reached(self, held: Held, whole: NDArray[np.int64]) -> Shares:
        """Below most nodes a class holds nothing: the edges above them carry what the whole has there, and only on the
        way from the held values to the root it is otherwise."""
        flows, known = self.flows(len(whole)), len(self.tree.leaf_node)
        upto = np.append(0, np.cumsum(whole))
        expected = (upto[flows.last] - upto[flows.first]) / upto[-1]
        node = np.append(self.tree.leaf_node, len(self.tree.labels))[np.minimum(held.value, known)]
        parent = np.append(self.tree.parent, 0)  # missing hangs below the root
        by, times = held.by, held.times
        edges, carried = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        while (climbs := node > 0).any():
            by, node, times = by[climbs], node[climbs], times[climbs]
            edges.append(by * len(expected) + node - 1)
            carried.append(times)
            node = parent[node]
        keys, edge = np.unique(np.concatenate(edges), return_inverse=True)
        whose, edge_of = np.divmod(keys, max(len(expected), 1))
        below = np.bincount(edge, weights=np.concatenate(carried), minlength=len(keys))
        total = np.bincount(held.by, weights=held.times)
        surplus = np.abs(below / total[whose] - expected[edge_of]) - expected[edge_of]
        cost = np.bincount(whose, weights=flows.weight[edge_of] * surplus, minlength=len(total))
        return cost + float((flows.weight * expected).sum())

    def flows(self, values: int) -> Flows:
        """Each edge of the tree carries the surplus below it over half the difference in height."""
        tree = self.tree
        below = np.arange(1, len(tree.labels))
        climb = tree.height[tree.parent[below]] - tree.height[below]
        first, last, weight = tree.first[below], tree.last[below], climb / (2 * self._root)
        if values > len(tree.leaf_node):
            first, last = np.append(first, values - 1), np.append(last, values)
            weight = np.append(weight, 0.5)
        return Flows(first.astype(np.int64), last.astype(np.int64), weight.astype(np.float64))

    @property
    def _root(self) -> float:
        return max(float(self.tree.height[0]), 1.0)


GroundDistance = Ordered | Equal | Hierarchical
