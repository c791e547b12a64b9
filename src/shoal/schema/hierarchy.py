"""A tree over the values of a column: what may be published in place of a value.

Leaves stand in an order that makes every node a run of them, so that a class of records whose values lie
between two leaf positions is published as the lowest node that covers the run. A node is its path from the
root and not its label: real files use a label twice, in different branches (``Other``) or along one path
(``Other;Other;*``), and values that are categories themselves.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError

__all__ = ["ROOT", "Hierarchy", "Nested", "trimmed"]

ROOT = "*"
"""The label of a root that a hierarchy does not name itself, as ARX writes "any value"."""

Nested: TypeAlias = "Mapping[str, Nested] | Sequence[Nested] | str | float | None"
"""A hierarchy by hand: mappings are categories; lists, values and keys with nothing below are leaves."""

_QUOTED = 10  # as many values as an error's details show


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """A tree over the values of a column, its leaves in an order that makes every node a run of them.

    Attributes:
        labels: of the nodes in depth-first preorder; node 0 is the root.
        parent: the node above each node; -1 for the root.
        height: levels above the deepest leaf, as the file gives them: a label that is repeated on a path is a
            level like any other, and leaves that do not occur count. Leaves have height 0, other nodes more.
        first: the leaves of a node are those at positions ``first`` to ``last - 1``.
        last: see ``first``.
    """

    labels: tuple[str, ...]
    parent: NDArray[np.int32]
    height: NDArray[np.int32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def __post_init__(self) -> None:
        for array in (self.parent, self.height, self.first, self.last):
            array.setflags(write=False)

    def __repr__(self) -> str:  # labels are values of a table, which a log must not show
        return f"Hierarchy({len(self.leaf_node)} leaves, {len(self.labels)} nodes, height {self.height[0]})"

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[str]]) -> Hierarchy:
        """The tree of ARX rows, ``leaf, parent, ..., root``.

        Rows may differ in length: they are aligned at the root. Siblings keep the order of their first
        appearance, unless every leaf is a number: then leaves are in numeric order as far as the tree allows.
        """
        paths = _rooted(_paths(rows))
        labels, parent = _grown(paths)
        return _in_preorder(labels, parent, _ranks(list(paths)))

    @classmethod
    def from_nested(cls, nested: Nested) -> Hierarchy:
        """The tree of nested mappings and lists, ``{"Government": ["Federal", "State"], "Private": None}``.

        A single category at the top is the root; several are put below a root ``*``.
        """
        return cls.from_rows(_unnested(nested, ()))

    @classmethod
    def from_levels(
        cls, leaves: Sequence[str], levels: Sequence[tuple[NDArray[np.integer[Any]], Sequence[str]]]
    ) -> Hierarchy:
        """The tree of leaves that are grouped, groups of groups and so on, from the finest level to that below ``*``.

        A level has the number of each leaf's group, and the groups' labels. No group may lie in two of the next level.
        For trees of a million leaves, which :meth:`from_rows` would read value by value.
        """
        if not leaves:
            nowhere = np.zeros(1, np.int64)  # a root with nothing below it, which is no leaf for that
            return cls((ROOT,), np.array([-1], np.int32), np.array([1], np.int32), nowhere, nowhere)
        labels, parents = [ROOT], [np.array([-1])]
        node = np.zeros(len(leaves), np.int64)
        for group, names in reversed(levels):
            above = np.zeros(len(names), np.int64)
            above[group] = node
            node = len(labels) + group.astype(np.int64)
            labels += names
            parents.append(above)
        labels += leaves
        return _in_preorder(labels, np.concatenate([*parents, node]).astype(np.int32), _ranks(list(leaves)))

    @classmethod
    def flat(cls, leaves: Sequence[str]) -> Hierarchy:
        """A root with these leaves below it, in this order."""
        place = np.arange(len(leaves) + 1)
        first, last = np.maximum(place - 1, 0), np.append(len(leaves), place[1:])
        below = np.minimum(place, 1).astype(np.int32)
        return cls((ROOT, *leaves), below - 1, 1 - below, first, last)

    @cached_property
    def leaf_node(self) -> NDArray[np.int32]:
        """The node of each leaf, by leaf position."""
        return np.flatnonzero(self.height == 0).astype(np.int32)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The values that the tree is over, by leaf position."""
        return tuple(self.labels[node] for node in self.leaf_node.tolist())

    @cached_property
    def position(self) -> Mapping[str, int]:
        """The leaf position of each value."""
        return {leaf: position for position, leaf in enumerate(self.leaves)}

    @cached_property
    def depth(self) -> NDArray[np.int32]:
        """The levels between each node and the root."""
        return _depths(self.parent)

    def rows(self) -> list[list[str]]:
        """The tree as ARX rows, one for each leaf; :meth:`from_rows` reads them back."""
        above: dict[int, list[str]] = {-1: []}
        found = []
        parent, inner = self.parent.tolist(), (self.height > 0).tolist()
        for node, label in enumerate(self.labels):
            path = [label, *above[parent[node]]]
            if inner[node]:
                above[node] = path
            else:
                found.append(path)
        return found

    def keep(self, leaves: Collection[str]) -> Hierarchy:
        """Only these leaves, in the same order, and the nodes above them, each as high as before.

        For the values that occur in a table, whose loss is counted among themselves. Heights stay, because
        the distance of two values does not depend on which others happen to occur.
        """
        unknown = [leaf for leaf in leaves if leaf not in self.position]
        if unknown:
            raise DataError(
                f"values of the table missing from the hierarchy: {len(unknown):,} (add a row for each)",
                details={"values": unknown[:_QUOTED]},
            )
        kept = np.zeros(len(self.leaf_node) + 1, np.int64)
        kept[[self.position[leaf] + 1 for leaf in leaves]] = 1
        before = np.cumsum(kept)  # kept leaves at earlier positions
        first, last = before[self.first], before[self.last]
        stays = last > first
        stays[0] = True  # a tree without leaves still has its root
        renumbered = np.cumsum(stays, dtype=np.int32) - 1
        parent = np.where(self.parent < 0, -1, renumbered[self.parent]).astype(np.int32)
        labels = tuple(self.labels[node] for node in np.flatnonzero(stays).tolist())
        return Hierarchy(labels, parent[stays], self.height[stays], first[stays], last[stays])

    def lowest(self, first: NDArray[np.integer[Any]], last: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """The deepest node above each run of leaf positions ``first`` to ``last``, both inclusive.

        All runs climb together, a level at a time, and those that are covered drop out.
        """
        if len(first) and (first.min() < 0 or last.max() >= len(self.leaf_node) or (first > last).any()):
            raise IndexError(f"runs must lie within leaf positions 0 to {len(self.leaf_node) - 1}")
        node: NDArray[np.int32] = self.leaf_node[first]
        climbing = np.flatnonzero(self.last[node] <= last)
        while len(climbing):
            node[climbing] = self.parent[node[climbing]]
            climbing = climbing[self.last[node[climbing]] <= last[climbing]]
        return node

    def covers(self) -> Mapping[str, frozenset[str]]:
        """What an outsider may read in a published label: the leaves below every node that carries it."""
        return _Covers(self)


class _Covers(Mapping[str, frozenset[str]]):
    """The leaves below a label, gathered when asked for: all of them at once are leaves times levels."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._leaves = hierarchy.leaves
        self._runs: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._known: dict[str, frozenset[str]] = {}
        runs = zip(hierarchy.first.tolist(), hierarchy.last.tolist(), strict=True)
        for label, run in zip(hierarchy.labels, runs, strict=True):
            self._runs[label].append(run)

    def __getitem__(self, label: str) -> frozenset[str]:
        if label not in self._known:
            runs = self._runs.get(label)
            if runs is None:
                raise KeyError(label)
            self._known[label] = frozenset().union(*(self._leaves[first:last] for first, last in runs))
        return self._known[label]

    def __contains__(self, label: object) -> bool:
        return label in self._runs

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)


def trimmed(row: Sequence[str]) -> Sequence[str]:
    """The row without empty fields at its end, with which spreadsheets pad uneven rows."""
    end = len(row)
    while end and not row[end - 1]:
        end -= 1
    return row if end == len(row) else row[:end]


def _unnested(nested: Nested, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The rows of what stands below the path ``above``."""
    if isinstance(nested, Mapping):
        for label, below in nested.items():
            path = (_label(label), *above)
            nothing = below is None or (isinstance(below, Mapping | Sequence) and not below)
            yield from [path] if nothing else _unnested(below, path)
    elif isinstance(nested, Sequence) and not isinstance(nested, str | bytes):
        for item in nested:
            yield from _unnested(item, above)
    else:
        yield (_label(nested), *above)


def _label(given: object) -> str:
    """A label as text: TOML and JSON write numbers bare."""
    if isinstance(given, str):
        return given
    if isinstance(given, int | float | np.integer) and not isinstance(given, bool):
        return str(given)
    kind = type(given).__name__
    raise DataError(f"a nested hierarchy is made of mappings, lists, text and numbers: it holds a {kind}")


def _paths(rows: Iterable[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """What stands above each leaf, from its parent upward; or one error that counts everything wrong."""
    paths: dict[str, tuple[str, ...]] = {}
    torn: dict[str, None] = {}
    for row in rows:
        if fields := trimmed(row):
            leaf, path = fields[0], tuple(fields[1:])
            if paths.setdefault(leaf, path) != path:
                torn[leaf] = None
    holed = [leaf for leaf, path in paths.items() if "" in path]
    wrong = []
    if not paths:
        wrong.append("there are no rows (write one for each value, from the value up to the root)")
    if torn:
        wrong.append(f"values with rows that differ: {len(torn):,} (keep one row for each value)")
    if holed:
        wrong.append(f"rows with an empty field between others: {len(holed):,} (give it a label)")
    if wrong:
        details = {"rows that differ": list(torn)[:_QUOTED], "empty fields": holed[:_QUOTED]}
        raise DataError("; ".join(wrong), details={name: found for name, found in details.items() if found})
    return paths


def _rooted(paths: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The paths with one root at the end of all: their common top label, or else ``*`` above the others."""
    tops = {path[-1] if path else leaf for leaf, path in paths.items()}
    only_leaves = not any(paths.values())
    root = ROOT if only_leaves or len(tops) > 1 else tops.pop()
    return {leaf: path if path and path[-1] == root else (*path, root) for leaf, path in paths.items()}


def _grown(paths: dict[str, tuple[str, ...]]) -> tuple[list[str], NDArray[np.int32]]:
    """Labels and parents of the nodes, parents before children, inner nodes before the leaves.

    A value that is a category too (``Other;*`` beside ``Beekeeper;Other;*``) becomes a leaf below it, as if
    its row were ``Other;Other;*``.
    """
    labels: list[str] = []
    parents: list[int] = []
    children: dict[tuple[int, str], int] = {}
    node_of: dict[tuple[str, ...], int] = {}
    for path in paths.values():
        if path in node_of:
            continue
        node = -1
        for label in reversed(path):
            above, node = node, children.setdefault((node, label), len(labels))
            if node == len(labels):
                labels.append(label)
                parents.append(above)
        node_of[path] = node
    for leaf, path in paths.items():
        node = node_of[path]
        while (node, leaf) in children:
            node = children[node, leaf]
        labels.append(leaf)
        parents.append(node)
    return labels, np.array(parents, np.int32)


def _ranks(leaves: list[str]) -> NDArray[np.int64]:
    """Where each leaf wants to stand: by size if all are numbers, else where it is."""
    ranks = np.arange(len(leaves))
    try:
        order = np.argsort(np.array([_number(leaf) for leaf in leaves]), kind="stable")
    except ValueError:
        return ranks
    ranks[order] = np.arange(len(leaves))
    return ranks


def _number(text: str) -> float:
    """The number that a table would read in this text, exactly: none in ``1_000`` or ``nan``."""
    if "_" in text or not text.isascii():
        raise ValueError
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _in_preorder(labels: list[str], parent: NDArray[np.int32], rank: NDArray[np.int64]) -> Hierarchy:
    """The tree with its nodes renumbered, siblings in the order of the least rank below them.

    Works on whole levels, so that a million leaves cost a few sorts. The leaves are the last nodes.
    """
    levels = _levels(parent)
    size = np.ones(len(parent), np.int64)
    height = np.zeros(len(parent), np.int32)
    least = np.concatenate([np.full(len(parent) - len(rank), len(rank)), rank])
    for level in reversed(levels[1:]):
        np.add.at(size, parent[level], size[level])
        np.maximum.at(height, parent[level], height[level] + 1)
        np.minimum.at(least, parent[level], least[level])
    place = np.zeros(len(parent), np.int64)
    for level in levels[1:]:
        siblings = level[np.lexsort((least[level], parent[level]))]
        above = parent[siblings]
        place[siblings] = place[above] + 1 + _sum_before(size[siblings], above)
    order = np.argsort(place)
    parent = np.where(parent < 0, -1, place[parent])[order].astype(np.int32)
    size, height = size[order], height[order]
    through = np.cumsum(height == 0)  # leaves up to each node, itself included
    return Hierarchy(
        labels=tuple(labels[node] for node in order.tolist()),
        parent=parent,
        height=height,
        first=through - (height == 0),
        last=through[np.arange(len(size)) + size - 1],
    )


def _levels(parent: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """The nodes at each depth, from the root down."""
    depth = _depths(parent)
    return np.split(np.argsort(depth, kind="stable"), np.cumsum(np.bincount(depth))[:-1])


def _depths(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """The number of nodes above each node."""
    depth = np.zeros(len(parent), np.int32)
    node = np.flatnonzero(parent >= 0)
    above = parent[node]
    while len(node):
        depth[node] += 1
        above = parent[above]
        node, above = node[above >= 0], above[above >= 0]
    return depth


def _sum_before(sizes: NDArray[np.int64], group: NDArray[np.int32]) -> NDArray[np.int64]:
    """The sum of the sizes of earlier members of the same group, groups being runs."""
    before = np.cumsum(sizes) - sizes
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    return before - np.repeat(before[starts], np.diff(starts, append=len(group)))
