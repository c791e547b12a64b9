"""SABRE's classes before they hold anybody (Section 4.3): how many records each takes from each bucket."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import halving
from shoal.privacy.distances import Flows

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sizes:
    """Class c takes ``(held[b] + number[c]) >> depth[c]`` records from bucket b, which holds so many.

    Every class comes from halving all records again and again, each bucket's part for itself; the first half gets what
    does not divide. Which half was taken at which depth are the bits of its number.
    """

    held: Whole
    depth: Whole
    number: Whole

    def __len__(self) -> int:
        return len(self.depth)


def class_sizes(held: Whole, flows: Flows, most: float, least: int) -> Sizes:
    """The leaves of the paper's tree (Function ECSize): nodes are halved while both halves hold ``least`` records, and
    D, by ``flows`` over the buckets, is at most so large. The largest come first: they find what they want while there
    is plenty.

    At one depth a bucket's part has two sizes, the larger from some number on. So there are no more different nodes
    than buckets and one, and each of them is looked at once.
    """
    numbers, depths, found = np.zeros(1, np.int64), [], []
    surplus = np.zeros(len(held) + 1)
    for depth in range(63):
        from_here = np.sort((1 << depth) - held % (1 << depth))
        _, example, which = np.unique(
            np.searchsorted(from_here, numbers, side="right"), return_index=True, return_inverse=True
        )
        may = np.empty(len(example), np.bool_)
        halving.may_halve(held, depth, numbers[example], flows, most, least, surplus, may)
        stays = ~may[which]
        found.append(numbers[stays])
        depths.append(np.full(len(found[-1]), depth, np.int64))
        numbers = numbers[~stays]
        if not len(numbers):
            break
        numbers = np.concatenate([numbers, numbers + (1 << depth)])
    return _largest_first(Sizes(held, np.concatenate(depths), np.concatenate(found)))


def _largest_first(sizes: Sizes) -> Sizes:
    size = np.zeros(len(sizes), np.int64)
    for held in sizes.held.tolist():
        size += (held + sizes.number) >> sizes.depth
    order = np.argsort(-size, kind="stable")
    return Sizes(sizes.held, sizes.depth[order], sizes.number[order])
