"""Which values go together: the association sets by which local slicing makes buckets and slices.

Wang, Yu and Zhang 2018, Section 2.2 (algorithm ASG). A vertex is a set of hierarchy nodes of different columns, and its
records are those below all of them. Kept are the vertices that many records have, and in which a node follows from the
others; of those over the same columns the most specific ones, so that no record has two of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.kernels import itemsets
from shoal.kernels.itemsets import Frequent
from shoal.plan.methods import LocalSlicing
from shoal.schema import building
from shoal.schema.hierarchy import Hierarchy
from shoal.table.codes import Codes
from shoal.table.domain import Domain

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Of more sets of one size than this only those that most records have are joined to larger ones.
_MOST = 1 << 16

#: Shares are compared up to rounding.
_NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class Nodes:
    """Hierarchy nodes: node i is of the codes ``first[i]`` to ``last[i] - 1`` of column ``column[i]``.

    ``level`` is its depth over that of the deepest leaf (1). A missing value is a leaf below the root.
    """

    column: Integers
    first: Integers
    last: Integers
    level: Reals

    def __len__(self) -> int:
        return len(self.column)

    @classmethod
    def of(cls, parts: Sequence[Nodes]) -> Nodes:
        """The nodes of several columns, one after the other."""
        level = np.concatenate([np.empty(0), *(part.level for part in parts)])
        column, first, last = (
            np.concatenate([np.empty(0, np.int64), *(getattr(part, name) for part in parts)])
            for name in ("column", "first", "last")
        )
        return cls(column, first, last, level)

    def take(self, chosen: Flags) -> Nodes:
        return Nodes(self.column[chosen], self.first[chosen], self.last[chosen], self.level[chosen])


@dataclass(frozen=True, eq=False)
class Vertices:
    """Sets of nodes by importance; a row has the numbers of its nodes, by column, and -1 where it has no more."""

    nodes: Integers
    importance: Reals

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True, eq=False)
class Associations:
    """What goes together: with a sensitive value, the last node of each vertex (S_T), and without one (R_T)."""

    nodes: Nodes
    with_sensitive: Vertices
    others: Vertices


def associations(codes: Codes, places: Integers, sensitive: Sequence[int], method: LocalSlicing) -> Associations:
    """Algorithm ASG over these records: their quasi-identifiers, and the sensitive columns at these places."""
    quasi, considered = codes.quasi, [*range(codes.quasi), *sensitive]
    least = max(int(np.ceil(method.support * len(places) - _NEAR)), 1)
    nodes, bits = _frequent_nodes(codes, places, considered, least)
    apart = np.minimum(nodes.column, quasi)  # no vertex has two sensitive nodes
    found = itemsets.frequent(bits, apart, least, method.widest, _MOST)
    confident = [_confident(nodes, bits, found, size, quasi, method.confidence) for size in range(2, len(found) + 1)]
    parts = [_most_specific(nodes, vertices) for vertices in confident]
    secret = [nodes.column[part.sets[:, -1]] >= quasi for part in parts]
    weight = 1 / max(len(considered), 1)
    with_sensitive = [part.take(flags) for part, flags in zip(parts, secret, strict=True)]
    others = [part.take(~flags) for part, flags in zip(parts, secret, strict=True)]
    return Associations(
        nodes,
        _by_importance(nodes, with_sensitive, method.widest, weight),
        _by_importance(nodes, others, method.widest, weight),
    )


# -- nodes --------------------------------------------------------------------------------------------------


def _frequent_nodes(
    codes: Codes, places: Integers, considered: Sequence[int], least: int
) -> tuple[Nodes, NDArray[np.uint64]]:
    """The nodes that so many records have (step a), and of each the records, as bits."""
    found, bits = [], [np.empty((0, -(-len(places) // 64)), np.uint64)]
    for place in considered:
        column, domain = codes.matrix[places, place], codes.domains[place]
        through = np.append(0, np.cumsum(np.bincount(column, minlength=len(domain))))
        nodes = _nodes(domain, place)
        nodes = nodes.take(through[nodes.last] - through[nodes.first] >= least)
        found.append(nodes)
        bits += [
            itemsets.bits_of((column >= first) & (column < last))[None]
            for first, last in zip(nodes.first.tolist(), nodes.last.tolist(), strict=True)
        ]
    return Nodes.of(found), np.concatenate(bits)


def _nodes(domain: Domain, place: int) -> Nodes:
    """All nodes of a column but its root; of several that mean the same, the deepest."""
    tree = domain.tree or _intervals(domain)
    if tree is None:
        first, last, level = np.arange(domain.known), np.arange(domain.known) + 1, np.ones(domain.known)
    else:
        first, last, level = tree.first[1:], tree.last[1:], tree.depth[1:] / max(int(tree.depth.max()), 1)
    if domain.missing:
        first, last = np.append(first, domain.known), np.append(last, domain.known + 1)
        level = np.append(level, 1 / max(int(tree.depth.max()), 1) if tree is not None else 1.0)
    order = np.lexsort((-level, last, first))
    first, last, level = first[order], last[order], level[order]
    kept = (last > first) & (last - first < len(domain))
    kept[1:] &= (first[1:] != first[:-1]) | (last[1:] != last[:-1])
    return Nodes(np.full(len(first), place), first, last, level).take(kept)


def _intervals(domain: Domain) -> Hierarchy | None:
    """Ever wider intervals of numbers and dates, where any can be made."""
    if domain.kind == "category":
        return None
    try:
        tree = building.intervals(domain.values)
    except DataError:
        return None
    return tree if len(tree.leaf_node) == domain.known else None


# -- vertices -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Confident:
    """Vertices of one size whose support and confidence are large enough."""

    sets: Integers
    level: Reals  # the sum over the nodes of each
    confidence: Reals

    def take(self, chosen: Integers | Flags) -> _Confident:
        return _Confident(self.sets[chosen], self.level[chosen], self.confidence[chosen])


def _confident(
    nodes: Nodes, bits: NDArray[np.uint64], found: Sequence[Frequent], size: int, quasi: int, confidence: float
) -> _Confident:
    """A sensitive node must follow from the others; where there is none, any node from the others."""
    sets, support = found[size - 1].items, found[size - 1].support
    without = np.array([_support(bits, found, np.delete(sets, place, axis=1)) for place in range(size)])
    secret = nodes.column[sets[:, -1]] >= quasi
    reached = support / np.where(secret, without[-1], without.min(axis=0))
    every = _Confident(sets, nodes.level[sets].sum(axis=1), reached)
    return every.take(reached >= confidence - _NEAR)


def _support(bits: NDArray[np.uint64], found: Sequence[Frequent], sets: Integers) -> Integers:
    """How many records have all nodes of each set; those that were not found because of too many are counted anew."""
    place = itemsets.places(found, sets)
    support = np.append(found[sets.shape[1] - 1].support, 0)[place]
    support[place < 0] = itemsets.counts(bits, sets[place < 0])
    return support


def _most_specific(nodes: Nodes, vertices: _Confident) -> _Confident:
    """Of vertices over the same columns, one after the other those that share records with none before.

    The deepest come first, so none is kept that another one refines.
    """
    sets = vertices.sets
    group = np.unique(nodes.column[sets], axis=0, return_inverse=True)[1].ravel()
    left = np.lexsort((-vertices.confidence, -np.round(vertices.level, 9), group))
    kept = [left[:0]]
    while len(left):
        leads = np.diff(group[left], prepend=-1) > 0
        kept.append(left[leads])
        lead = sets[left[leads]][np.cumsum(leads) - 1]
        own = sets[left]
        meet = (nodes.first[own] < nodes.last[lead]) & (nodes.first[lead] < nodes.last[own])
        left = left[~meet.all(axis=1)]
    return vertices.take(np.concatenate(kept))


def _by_importance(nodes: Nodes, parts: Sequence[_Confident], widest: int, weight: float) -> Vertices:
    """The vertices of all sizes, the most important first (formula 2 with the same weight for each column)."""
    importance = np.concatenate([np.empty(0), *(part.level * weight + part.confidence for part in parts)])
    padded = [np.pad(p.sets, ((0, 0), (0, widest - p.sets.shape[1])), constant_values=-1) for p in parts]
    order = np.argsort(-np.round(importance, 12), kind="stable")
    return Vertices(np.concatenate([np.empty((0, widest), np.int64), *padded])[order], importance[order])
