"""Buckets of one column: which of its sensitive values are shuffled among each other.

With l alone a value occurs in a bucket once, and buckets are as narrow as Algorithm 2 of Li and He makes them. With t
each bucket is a small likeness of them all: sorted values are dealt round and round to as many buckets as will do.
Where values of others are hidden too, to cover for those who asked for it, a bucket consists of whole classes: of a
covered person an adversary knows the value, and so must find it in the buckets of all records of the class or of none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import bucketing
from shoal.kernels.bucketing import FREQUENCY, NESTED, ORDERED, Asked
from shoal.kernels.shuffle import permutation
from shoal.partition.eligible import distance_of, judged_of
from shoal.partition.mending import joined
from shoal.privacy.definitions import LEEWAY
from shoal.privacy.distances import Hierarchical, Ordered
from shoal.privacy.requirements import LDiversity, TCloseness
from shoal.table.chance import Chance
from shoal.table.domain import Domain

Codes1 = NDArray[np.unsignedinteger[Any]]
Counts = NDArray[np.int64]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Requirement = LDiversity | TCloseness

#: Up to this size each size of buckets is tried; it need not be so that a larger one will do where a smaller one does.
_SMALL = 8


@dataclass(frozen=True, eq=False)
class Wanted:
    """What each bucket of a column must keep, beside the distributions with which it is compared."""

    domain: Domain
    require: Sequence[Requirement]
    wholes: Sequence[Counts] = ()

    @property
    def diversities(self) -> list[LDiversity]:
        return [requirement for requirement in self.require if isinstance(requirement, LDiversity)]

    @property
    def least(self) -> int:
        """The size of the smallest bucket that can keep every l."""
        return max((ceil(requirement.l) for requirement in self.diversities), default=1)

    @property
    def once(self) -> int | None:
        """How many of the codes are to occur once in a bucket, if nothing else is asked; missing ones may not count."""
        judged = {judged_of(requirement, self.domain) for requirement in self.diversities}
        return judged.pop() if len(judged) == 1 and len(self.diversities) == len(self.require) else None

    def keeps(self, codes: Codes1) -> bool:
        """Whether all these values would do as one bucket."""
        alone = np.ones(len(codes), np.bool_)
        return not self.broken(np.sort(codes), alone, np.array([0, len(codes)])).any()

    def broken(self, codes: Codes1, holds: Flags, starts: Places) -> Flags:
        """Which buckets do not keep what is asked; the values of each are sorted. Who does not hold one covers."""
        found = np.zeros(len(starts) - 1, np.bool_)
        nodes = int(self._asked.values.max(initial=0)) + 1
        bucketing.broken(codes, holds, starts, self._asked, np.zeros(nodes, np.int64), found)
        return found

    @cached_property
    def _asked(self) -> Asked:
        return _packed([row for requirement in self.require for row in self._rows(requirement)])

    def _rows(self, requirement: Requirement) -> list[_Row]:
        if isinstance(requirement, LDiversity):
            none = np.zeros(0)
            return [_Row(FREQUENCY, requirement.l, judged_of(requirement, self.domain), none, none, none)]
        return [_distance(requirement, self.domain, whole) for whole in self.wholes]


@dataclass(frozen=True, eq=False)
class _Row:
    """One row of what is asked; see :class:`shoal.kernels.bucketing.Asked`."""

    kind: int
    bound: float
    values: int
    link: NDArray[Any]
    share: NDArray[np.float64]
    weight: NDArray[np.float64]


def _distance(requirement: TCloseness, domain: Domain, whole: Counts) -> _Row:
    """How far a bucket may be from the whole, in which only values that occur have a rank."""
    bound = requirement.t + LEEWAY
    distance, share = distance_of(requirement, domain), whole / max(int(whole.sum()), 1)
    if isinstance(distance, Ordered):
        occurs = whole > 0
        upto = np.cumsum(share[occurs])
        return _Row(ORDERED, bound, int(occurs.sum()), np.cumsum(occurs) - 1, upto, np.append(0.0, np.cumsum(upto)))
    if not isinstance(distance, Hierarchical):
        return _Row(NESTED, bound, len(whole), np.full(len(whole), -1), share, np.full(len(whole), 0.5))
    tree = distance.tree
    inner = np.flatnonzero(tree.height > 0)  # after the values, in their order; a missing value hangs below nothing
    place = np.empty(len(tree.labels), np.int64)
    place[tree.leaf_node], place[inner] = np.arange(domain.known), len(whole) + np.arange(len(inner))
    node = np.concatenate([tree.leaf_node, inner])
    above = tree.parent[node]
    climb = (tree.height[above] - tree.height[node]) / (2 * max(int(tree.height[0]), 1))
    before = np.append(0.0, np.cumsum(share[: domain.known]))
    split = domain.known
    missing = len(whole) - domain.known
    link = np.where(above < 0, -1, place[above])
    return _Row(
        NESTED,
        bound,
        len(whole) + len(inner),
        np.insert(link, split, [-1] * missing),
        np.insert(before[tree.last[node]] - before[tree.first[node]], split, share[domain.known :]),
        np.insert(np.where(above < 0, 0.0, climb), split, [0.5] * missing),
    )


def _packed(rows: Sequence[_Row]) -> Asked:
    """All rows end to end, each with as much room as its longest part needs."""
    room = [max(len(row.link), len(row.share), len(row.weight)) for row in rows]

    def joined(part: str, kind: type) -> NDArray[Any]:
        held = [
            np.pad(getattr(row, part), (0, size - len(getattr(row, part))))
            for row, size in zip(rows, room, strict=True)
        ]
        return np.concatenate([*held, np.empty(0)]).astype(kind)

    return Asked(
        np.array([row.kind for row in rows], np.int64),
        np.array([row.bound for row in rows], np.float64),
        np.array([row.values for row in rows], np.int64),
        np.cumsum([0, *room])[:-1].astype(np.int64),
        joined("link", np.int64),
        joined("share", np.float64),
        joined("weight", np.float64),
        np.array([float((row.share * row.weight).sum()) if row.kind == NESTED else 0.0 for row in rows]),
    )


# -- of values alone ----------------------------------------------------------------------------------------------


def bucketed(codes: Codes1, wanted: Wanted, chance: Chance) -> NDArray[np.int32]:
    """The bucket of each value; all of them together keep what is wanted."""
    order = permutation(chance.words(len(codes))).astype(np.int64)
    order = order[np.argsort(codes[order], kind="stable")]  # by value; those who hold the same, by lot
    counts = np.bincount(codes, minlength=len(wanted.domain))[: wanted.once].astype(np.int64)
    found = np.empty(len(codes), np.int32)
    if wanted.once is not None and counts.max(initial=0) * wanted.least <= counts.sum():
        found[order] = _of_different(counts, wanted.least, len(codes), chance)
    else:
        found[order] = _dealt(codes[order], wanted, chance)
    return found


def _of_different(counts: Counts, size: int, records: int, chance: Chance) -> NDArray[np.int32]:
    """Buckets in which no value occurs twice, for values in order; those that do not count are dealt out evenly."""
    ends = np.empty(len(counts) + 1, np.int64)
    ends = ends[: bucketing.ranges(counts, size, ends)]
    of_range = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    values = np.lexsort((-counts, of_range))
    known = int(counts.sum())
    found = np.empty(records, np.int32)
    slot = np.cumsum(counts) - counts
    number = bucketing.assign(values, counts[values], ends, size, slot, found)
    found[known:] = permutation(chance.words(records - known)) % max(number, 1)
    return found


def _dealt(codes: Codes1, wanted: Wanted, chance: Chance) -> NDArray[np.int32]:
    """Buckets that are each like the whole, for sorted values: of the sizes that will do the smallest that is found."""

    alone = np.ones(len(codes), np.bool_)

    def deal(size: int) -> NDArray[np.int32] | None:
        many = max(len(codes) // size, 1)
        found = _round(len(codes), many, chance)
        starts = np.append(0, np.cumsum(np.bincount(found, minlength=many)))
        return None if wanted.broken(codes[np.argsort(found, kind="stable")], alone, starts).any() else found

    low, high, best = wanted.least - 1, wanted.least, None
    while best is None and high < len(codes):
        best = deal(high)
        if best is None:
            low, high = high, max(high + 1, high * 3 // 2 if high >= _SMALL else 0)
    while best is not None and high - low > 1:
        middle = (low + high) // 2
        found = deal(middle)
        low, high, best = (middle, high, best) if found is None else (low, middle, found)
    return np.zeros(len(codes), np.int32) if best is None else best


def _round(records: int, many: int, chance: Chance) -> NDArray[np.int32]:
    """A bucket for each of a row of values: of every so many in a row, each goes to another, by lot.

    What is left over goes to one bucket, which takes its values from all along the row before the others are dealt.
    """
    size = records // many
    larger = size + records % many
    edges = np.arange(larger + 1) * records // larger
    taken = edges[:-1] + chance.words(larger).astype(np.uint64) % np.diff(edges).astype(np.uint64)
    found = np.zeros(records, np.int32)
    rest = np.ones(records, np.bool_)
    rest[taken.astype(np.int64)] = False
    keys = chance.words(size * (many - 1)).reshape(size, many - 1)
    found[rest] = 1 + np.argsort(keys, axis=1).astype(np.int32).ravel()
    return found


# -- of whole classes ---------------------------------------------------------------------------------------------


def of_classes(codes: Codes1, holds: Flags, classes: Places, every: Wanted, holders: Wanted) -> NDArray[np.int32]:
    """The bucket of each value, that of its class: runs of classes with near values that keep what is wanted.

    ``every`` speaks of all values of a bucket, ``holders`` of those that are held sensitive by themselves.
    """
    _, number, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    middle = np.bincount(number, weights=codes.astype(np.float64)) / sizes
    place = np.empty(len(sizes), np.int64)
    place[np.argsort(middle, kind="stable")] = np.arange(len(sizes))
    unit = place[number]
    starts = np.append(np.flatnonzero(_begins(np.bincount(unit, weights=holds) > 0)), len(sizes))
    for some, wanted in ((np.ones(len(codes), np.bool_), every), (holds, holders)):
        starts = joined(starts, _breaking(codes[some], holds[some], unit[some], wanted))
    return (np.searchsorted(starts, unit, side="right") - 1).astype(np.int32)


def _begins(held: Flags) -> Flags:
    """Where runs of classes begin of which each has somebody who holds the value sensitive."""
    begins = np.append(True, held[:-1]) if len(held) else held
    last = np.flatnonzero(begins)[-1:]
    if len(last) and last[0] and not held[last[0] :].any():
        begins[last] = False
    return begins


def _breaking(codes: Codes1, holds: Flags, unit: Places, wanted: Wanted) -> Callable[[Places], Flags]:
    """A test of runs of classes."""
    by_value = np.argsort(codes, kind="stable")

    def broken(starts: Places) -> Flags:
        run = np.searchsorted(starts, unit, side="right") - 1
        order = by_value[np.argsort(run[by_value], kind="stable")]
        ends = np.append(0, np.cumsum(np.bincount(run, minlength=len(starts) - 1)))
        return wanted.broken(codes[order], holds[order], ends)

    return broken
