"""How far a column can be raised: from its own values, by the levels of its hierarchy, to one group of all.

A level puts each code of a column into a group, and each group lies within one of the next level. A column of numbers
or dates without a hierarchy gets one of round intervals; a category without one has two levels, its values and all of
them together. A missing value has a group of its own below the last level.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.schema import building
from shoal.schema.hierarchy import Hierarchy
from shoal.table.domain import Domain

Groups = NDArray[np.int32]

#: As many levels of intervals at most between a number and all numbers: each multiplies what has to be searched. The
#: finest cut the middle of the values into some 20, and each level of numbers puts two together.
_MOST_INTERVALS, _TOGETHER = 5, 2


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels of one column: ``groups[level][code]`` is the group of a code."""

    domain: Domain
    groups: tuple[Groups, ...]

    def __len__(self) -> int:
        return len(self.groups)

    @cached_property
    def sizes(self) -> list[int]:
        """How many groups each level has."""
        return [int(groups.max(initial=-1)) + 1 for groups in self.groups]

    def step(self, level: int, higher: int) -> Groups:
        """For each group of a level, the group of a higher level in which it lies."""
        above = np.zeros(self.sizes[level], np.int32)
        above[self.groups[level]] = self.groups[higher]
        return above


def levels_of(domain: Domain) -> Levels:
    """The levels of a column, those that put nothing together left out."""
    found = [np.arange(len(domain), dtype=np.int32)]
    for groups in _known(domain):
        groups = np.append(groups, groups.max(initial=-1) + 1) if domain.missing else groups
        if groups.max() < found[-1].max():
            found.append(groups.astype(np.int32))
    if found[-1].max(initial=0) > 0:
        found.append(np.zeros(len(domain), np.int32))
    return Levels(domain, tuple(found))


def _known(domain: Domain) -> list[NDArray[Any]]:
    """The groups of the known codes, on each level between the values and all of them together."""
    if domain.known < 2:
        return []
    if domain.tree is not None:
        return _cuts(domain.tree)
    return [] if domain.kind == "category" else _cuts(_intervals(domain))


def _intervals(domain: Domain) -> Hierarchy:
    try:
        together = None if pa.types.is_temporal(domain.values.type) else _TOGETHER
        tree = building.intervals(domain.values, factor=together, levels=_MOST_INTERVALS)
    except DataError as error:
        raise DataError(
            f"the method incognito needs a hierarchy for {domain.name}, and cannot build one: {error.message}; name "
            "a file with one in the plan, or choose another method"
        ) from None
    if len(tree.leaf_node) != domain.known:
        raise DataError(f"the method incognito needs a hierarchy for {domain.name}: name a file with one in the plan")
    return tree


def _cuts(tree: Hierarchy) -> list[NDArray[Any]]:
    """A level for each height below the root's: leaves climb as long as they get no higher.

    All leaves below the node that one of them reaches get there too, so the nodes that are reached part the leaves.
    """
    node, found = tree.leaf_node.copy(), []
    for height in range(1, int(tree.height[0])):
        above = tree.parent[node]
        node = np.where((above >= 0) & (tree.height[above] <= height), above, node)
        found.append(np.unique(node, return_inverse=True)[1])
    return found
