"""SABRE's classes filled (Section 4.4, Function takeOut): around seeds, with what is near them in each bucket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import hilbert, taking
from shoal.partition.loss import class_loss
from shoal.partition.redistribution import Sizes
from shoal.table.chance import Chance
from shoal.table.domain import Domain
from shoal.table.numbering import numbered

Whole = NDArray[np.int64]
Bucket = NDArray[np.unsignedinteger[Any]]

#: As many bits of an axis as matter at most.
_MOST_BITS = 32
#: Boxes of so few points are not divided further: looking at each point costs less.
_SMALL = 8


@dataclass(frozen=True, eq=False)
class Taken:
    """Records ``order[starts[c]:starts[c + 1]]`` are class c, made around the record ``seeds[c]``."""

    order: Whole
    starts: Whole
    seeds: Whole


@dataclass(frozen=True, eq=False)
class Space:
    """The quasi-identifiers as axes from 0 to 1, and the records in it, in random order."""

    codes: NDArray[np.unsignedinteger[Any]]
    domains: Sequence[Domain]

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """How far along a Hilbert curve each record is; axes with a single value have no part in it."""
        axes = [j for j, domain in enumerate(self.domains) if len(domain) > 1]
        found = np.zeros(len(self.codes), np.uint64)
        if axes:
            bits = min(max(64 // len(axes), 1), _MOST_BITS)
            place = [self.domains[j].position() for j in axes]
            coordinate = [np.rint(at / at.max() * (2**bits - 1)).astype(np.uint64) for at in place]
            offset = np.cumsum([0, *map(len, place)])
            hilbert.keys(self.codes, np.array(axes), np.concatenate(coordinate), offset, bits, found)
        return found

    @cached_property
    def along(self) -> Whole:
        """The records in the order of the curve; of equal ones, that which comes first is by lot."""
        return np.argsort(self.keys, kind="stable")

    @cached_property
    def alike(self) -> tuple[Whole, NDArray[np.int32]]:
        """An example of each different point, and the number of each record's."""
        columns = [self.codes[:, j] for j in range(len(self.domains))]
        return numbered(columns, [len(domain) for domain in self.domains], len(self.codes))

    def points(self, records: Whole) -> NDArray[np.float64]:
        """Where these records lie."""
        found = np.empty((len(records), len(self.domains)))
        for j, domain in enumerate(self.domains):
            found[:, j] = domain.position()[self.codes[records, j]]
        return found

    def loss(self, taken: Taken) -> float:
        """The mean loss of classes over all records and columns (AIL, Section 3.2)."""
        held, size = self.codes[taken.order], np.diff(taken.starts)
        lost = [class_loss(domain, held[:, j], taken.starts) @ size for j, domain in enumerate(self.domains)]
        return float(np.sum(lost) / max(len(self.codes) * len(self.domains), 1))


def along_curve(space: Space, bucket: Bucket, sizes: Sizes, chance: Chance, *, sweep: bool) -> Taken:
    """SABRE-AK: each class takes those whose place on the curve is closest to its seed's."""
    order = space.along[np.argsort(bucket[space.along], kind="stable")]
    starts = np.append(0, np.cumsum(sizes.held))
    place = _inverse(order)
    classes = _classes(space, bucket, sizes, place, chance, sweep=sweep)
    taken, ends, seeds = _nothing_taken(len(order), len(sizes))
    taking.along_curve(space.keys[order], starts, classes, taken, ends, seeds)
    return Taken(order[taken], np.append(0, ends), order[seeds])


def nearest(space: Space, bucket: Bucket, sizes: Sizes, chance: Chance, *, sweep: bool) -> Taken:
    """SABRE-KNN: each class takes those that are nearest to its seed."""
    buckets, (some, alike) = len(sizes.held), space.alike
    example, number = numbered([bucket, alike], [buckets, len(some)], len(bucket))
    order = np.argsort(number, kind="stable")
    records = np.bincount(number, minlength=len(example))
    last = np.cumsum(records)
    starts = np.searchsorted(bucket[example], np.arange(buckets + 1))
    point, slot = space.points(example), np.arange(len(example))
    leaf, forest = np.empty_like(slot), _forest(starts, point.shape[1])
    taking.grow(point, starts, records, _SMALL, slot, leaf, forest)
    classes = _classes(space, bucket, sizes, _inverse(order), chance, sweep=sweep)
    taken, ends, seeds = _nothing_taken(len(order), len(sizes))
    of = _inverse(slot)[number[order]]
    taking.nearest(point[slot], last[slot], records[slot], leaf, of, forest, classes, taken, ends, seeds)
    return Taken(order[taken], np.append(0, ends), order[seeds])


def _classes(
    space: Space, bucket: Bucket, sizes: Sizes, place: Whole, chance: Chance, *, sweep: bool
) -> taking.Classes:
    """What each class takes, and the queues of seeds: a random one for each bucket, or the curve."""
    queue = space.along if sweep else np.argsort(bucket, kind="stable")
    following = np.zeros(1, np.int64) if sweep else np.cumsum(sizes.held) - sizes.held
    drawn = chance.words(len(sizes))
    return taking.Classes(sizes.held, sizes.depth, sizes.number, drawn, place[queue], following)


def _forest(starts: Whole, axes: int) -> taking.Forest:
    """Room for a tree over each bucket's points."""
    nodes = int((2 * np.maximum(np.diff(starts) // ((_SMALL + 1) // 2), 1)).sum())
    right, above, first, last, left = np.empty((5, nodes), np.int64)
    root, low, high = np.empty(len(starts) - 1, np.int64), np.empty((nodes, axes)), np.empty((nodes, axes))
    return taking.Forest(root, right, above, first, last, low, high, left)


def _nothing_taken(records: int, classes: int) -> tuple[Whole, Whole, Whole]:
    return np.empty(records, np.int64), np.empty(classes, np.int64), np.empty(classes, np.int64)


def _inverse(order: Whole) -> Whole:
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place
