"""Incognito: one level of its hierarchy for each column, the same for all records; of those that will do, the best.

Paper        LeFevre, DeWitt, Ramakrishnan: Incognito: Efficient Full-Domain K-Anonymity. SIGMOD 2005. With t it is the
             tIncognito of Li, Li, Venkatasubramanian: Closeness: A New Privacy Measure for Data Publishing. TKDE 2010.
Promises     k, l, t and a least size, in any mix.
Forms        generalized, centres.
Reads        sensitive values only where l or t is asked; then the levels tell that lower ones would have broken them.
Cost         n log n for each combination of levels that is looked at; their number is exponential in the columns.
Why right    every class of the chosen combination is tested. What is never looked at cannot be better: each requirement
             that two classes keep is kept by both together (counts add up; frequency, entropy, recursive diversity and
             the earth mover's distance of a mixture are no worse than the worse part's). So a combination that
             will do makes all higher ones do (generalization property), and one that fails for some of the columns
             fails for all of them (subset property). Loss only grows when classes are merged.

Section 3 of the paper: subsets of the columns in the order of their size, the lattice of each from the bottom up, the
groups of a node made from those of a node below (rollup). Dropping a column or raising its level merges classes.

**Leaving records out.** The records of classes that fail may be left out where more records never spoil a class: for k,
size and distinct diversity, whose failing classes only vanish on the way up, so that both properties stay. For the
other kinds neither holds, and only those are left out without whom the table itself can keep nothing (eligible.py).
Since a higher node may leave out fewer people and lose less, the search goes on above a node that leaves out some,
as long as what is lost of all records, left out or not, is less than the least loss so far: that only grows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Unsupported
from shoal.kernels import cutting
from shoal.partition.eligible import Eligible, asked, eligible
from shoal.partition.levels import Levels, levels_of
from shoal.partition.loss import class_loss
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, Size
from shoal.privacy.search import Numbers
from shoal.table.classes import Classes
from shoal.table.codes import Codes
from shoal.table.numbering import numbered

Whole = NDArray[np.int64]
Small = NDArray[np.int32]
Node = tuple[int, ...]  # a level for each of some columns

#: Combinations of levels, over all subsets of the columns, beyond which nobody would wait for the search to end.
_MOST_NODES = 1 << 20


def group(codes: Codes, plan: Plan) -> Classes:
    """Group the records into classes that keep every requirement of the plan."""
    chosen = eligible(codes, plan)
    if not len(chosen.places):
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))
    levels = [levels_of(domain) for domain in codes.domains[: codes.quasi]]
    _check_size(levels)
    records = _records(codes, chosen)
    best = _Search(records, levels, chosen.numbers, _spare(codes, plan, chosen)).best()
    number = best.number[records.group]
    order = np.argsort(number, kind="stable")
    order = order[~best.broken[number[order]]]
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    return Classes(chosen.places[order].astype(np.uint32), np.append(starts, len(order)).astype(np.int64))


def _check_size(levels: list[Levels]) -> None:
    nodes = math.prod(len(column) + 1 for column in levels)
    if nodes > _MOST_NODES:
        raise Unsupported(
            f"{len(levels)} quasi-identifiers with up to {max(map(len, levels))} levels make {nodes:,} combinations, "
            f"and the method incognito searches {_MOST_NODES:,} at most: give them hierarchies with fewer levels, or "
            "choose another method, such as mondrian"
        )


def _spare(codes: Codes, plan: Plan, chosen: Eligible) -> int:
    """How many more records may be left out to keep levels low."""
    for requirement in asked(plan, codes.sensitive_domains):
        match requirement:
            case KAnonymity() | Size() | LDiversity(kind="distinct"):
                continue
        return 0
    return int(plan.suppress * len(codes) + 1e-9) - (len(codes) - len(chosen.places))


# -- what is counted ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Records:
    """The records, those with equal quasi-identifiers put together; and what each must be known by besides.

    A *mark* stands for all sensitive values that matter, or for a person where rows are not people. Entry i says that
    ``count[i]`` records with the quasi-identifiers ``codes[entry[i]]`` have the mark ``mark[i]``.
    """

    group: Small  # of each record, the row of ``codes``
    codes: Small
    size: Whole  # how many records have each row
    entry: Small
    mark: Small
    count: Whole
    marks: int
    sensitive: NDArray[np.unsignedinteger[Any]]  # of each mark, the sensitive values
    ends: Whole  # where each sensitive column's counts start, and their end
    people: bool


def _records(codes: Codes, chosen: Eligible) -> _Records:
    matrix = codes.matrix[chosen.places]
    quasi, sensitive = codes.domains[: codes.quasi], codes.sensitive_domains
    first, group = numbered([matrix[:, j] for j in range(codes.quasi)], [len(domain) for domain in quasi], len(matrix))
    ends = np.cumsum([0, *(len(domain) for domain in sensitive)]).astype(np.int64)
    held = matrix[:, codes.quasi : codes.quasi + codes.sensitive].copy()
    held[:, ~np.isin(ends[:-1], chosen.numbers.start)] = 0  # nothing is asked of these
    example, mark = numbered(list(held.T), np.diff(ends).tolist(), len(matrix))
    if codes.people is not None:
        _, mark = np.unique(codes.people[chosen.places], return_inverse=True)
    marks = int(mark.max(initial=0)) + 1
    entry, which = numbered([group, mark], [len(first), marks], len(matrix))
    return _Records(
        group,
        matrix[first, : codes.quasi].astype(np.int32),
        np.bincount(group, minlength=len(first)),
        group[entry],
        mark[entry].astype(np.int32),
        np.bincount(which, minlength=len(entry)),
        marks,
        held[example],
        ends,
        codes.people is not None,
    )


# -- the lattice --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Grouping:
    """The records at one node: the levels' groups in each class, and the class of each distinct record."""

    node: Node
    codes: Small
    number: Small

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class _Best:
    """The class of each distinct record, and the classes that are left out."""

    number: Small
    broken: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Lattice:
    """All combinations of levels of some columns, and the groupings from which others are made."""

    records: _Records
    levels: list[Levels]
    kept: list[_Grouping] = field(default_factory=list)

    @classmethod
    def of(cls, records: _Records, levels: list[Levels], columns: tuple[int, ...]) -> _Lattice:
        chosen = [levels[j] for j in columns]
        held = records.codes[:, columns]
        first, number = numbered(list(held.T), [column.sizes[0] for column in chosen], len(held))
        return cls(records, chosen, [_Grouping((0,) * len(columns), held[first], number)])

    @property
    def shape(self) -> Node:
        return tuple(len(column) for column in self.levels)

    def upward(self, may: NDArray[np.bool_]) -> Iterator[Node]:
        """The nodes in question, those with fewer steps above the bottom first."""
        nodes = np.argwhere(may)
        for node in nodes[np.argsort(nodes.sum(axis=1), kind="stable")].tolist():
            yield tuple(node)

    def at(self, node: Node) -> _Grouping:
        """The records at a node, made from the smallest grouping below it (rollup)."""
        below = [g for g in self.kept if all(low <= high for low, high in zip(g.node, node, strict=True))]
        nearest = min(below, key=len)
        if nearest.node == node:
            return nearest
        made = self._rolled(nearest, node)
        self._keep(made)
        return made

    def _rolled(self, below: _Grouping, node: Node) -> _Grouping:
        columns = []
        for place, (column, low, high) in enumerate(zip(self.levels, below.node, node, strict=True)):
            held = below.codes[:, place]
            columns.append(held if low == high else column.step(low, high)[held])
        sizes = [column.sizes[high] for column, high in zip(self.levels, node, strict=True)]
        first, number = numbered(columns, sizes, len(below))
        codes = np.stack([column[first] for column in columns], axis=1)
        return _Grouping(node, codes, number[below.number])

    def _keep(self, made: _Grouping) -> None:
        """Small groupings are worth most. Together they take a few times the memory of the records, no more."""
        others = sorted((*self.kept[1:], made), key=len)  # the first, at the bottom, stays
        each = [grouping.codes.size + len(grouping.number) for grouping in others]
        room = 4 * (self.records.codes.size + len(self.records.codes))
        self.kept[1:] = [grouping for grouping, used in zip(others, np.cumsum(each), strict=True) if used <= room]


@dataclass(frozen=True, eq=False)
class _Search:
    """The search of all subsets of the columns; ``spare`` records may be left out."""

    records: _Records
    levels: list[Levels]
    numbers: Numbers
    spare: int

    def best(self) -> _Best:
        """Of all nodes that will do, the one that loses least; of equals, the one that comes first."""
        everything = tuple(range(len(self.levels)))
        passing: dict[tuple[int, ...], NDArray[np.bool_]] = {}
        for size in range(1, len(everything)):
            passing = {columns: self._passing(columns, passing) for columns in combinations(everything, size)}
        lattice = _Lattice.of(self.records, self.levels, everything)
        best, least = None, math.inf
        possible = _possible(everything, lattice.shape, passing)
        settled = np.zeros_like(possible)  # no better than what was found
        for node in lattice.upward(possible):
            if settled[node]:
                continue
            grouping = lattice.at(node)
            broken, gone = self._broken(grouping)
            if gone > self.spare:
                continue
            bound, loss = self._loss(grouping, broken)
            if loss < least:
                best, least = _Best(grouping.number, broken), loss
            if not gone or bound >= least:
                settled[_above(node)] = True
        if best is None:
            raise AssertionError("one class of all records was found to break what the table keeps")
        return best

    def _passing(self, columns: tuple[int, ...], fewer: dict[tuple[int, ...], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """The combinations of these columns' levels that will do, given those of all but one of them."""
        lattice = _Lattice.of(self.records, self.levels, columns)
        passes = np.zeros(lattice.shape, np.bool_)
        for node in lattice.upward(_possible(columns, lattice.shape, fewer)):
            if not passes[node] and self._broken(lattice.at(node))[1] <= self.spare:
                passes[_above(node)] = True  # generalization property
        return passes

    def _broken(self, grouping: _Grouping) -> tuple[NDArray[np.bool_], int]:
        """The classes that break some requirement, and how many records they hold; not all, if none may be left out."""
        records, numbers = self.records, self.numbers
        size = np.bincount(grouping.number, weights=records.size, minlength=len(grouping)).astype(np.int64)
        broken = size < numbers.least
        if (self.spare or not broken.any()) and (records.people or len(numbers.kind)):
            cell, which = numbered(
                [grouping.number[records.entry], records.mark], [len(grouping), records.marks], len(records.entry)
            )
            owner = grouping.number[records.entry[cell]]
            starts = np.searchsorted(owner, np.arange(len(grouping) + 1))
            if records.people:
                broken = np.diff(starts) < numbers.least
            else:
                count = np.bincount(which, weights=records.count, minlength=len(cell)).astype(np.int64)
                order = np.argsort(size, kind="stable")  # small classes break more easily
                cutting.broken(
                    order, starts, records.mark[cell], count, records.sensitive, numbers, records.ends,
                    self.spare == 0, broken,
                )  # fmt: skip
        return broken, int(size[broken].sum())

    def _loss(self, grouping: _Grouping, broken: NDArray[np.bool_]) -> tuple[float, float]:
        """What is lost of all records if nobody is left out, and if those are whose classes break a requirement."""
        order = np.argsort(grouping.number, kind="stable")
        starts = np.searchsorted(grouping.number[order], np.arange(len(grouping) + 1))
        codes = self.records.codes[order]
        lost = np.zeros(len(grouping))
        for place, column in enumerate(self.levels):
            lost += class_loss(column.domain, codes[:, place], starts)
        lost /= max(len(self.levels), 1)
        size = np.add.reduceat(self.records.size[order], starts[:-1])
        return float((size * lost).sum()), float((size * np.where(broken, 1.0, lost)).sum())


def _possible(
    columns: tuple[int, ...], shape: Node, fewer: dict[tuple[int, ...], NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    """The combinations that will do for all but any one of the columns: others cannot for all (subset property)."""
    possible = np.ones(shape, np.bool_)
    for place in range(len(columns)) if fewer else ():
        possible &= np.expand_dims(fewer[columns[:place] + columns[place + 1 :]], place)
    return possible


def _above(node: Node) -> tuple[slice, ...]:
    """A node and all that are higher in some column."""
    return tuple(slice(level, None) for level in node)
