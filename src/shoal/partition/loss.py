"""What classes lose of a column, by the general loss metric (GLM), from codes: for searches that compare groupings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.table.domain import Domain

Codes1 = NDArray[np.integer[Any]]
Whole = NDArray[np.int64]
Figures = NDArray[np.float64]


def class_loss(domain: Domain, codes: Codes1, starts: Whole) -> Figures:
    """What each class loses of one column, its records' codes lying class by class.

    This is the general loss metric of what is published of a class: the range of its numbers over that of all,
    the leaves below the lowest node over all leaves, its values over all values; 0 for one value.
    """
    if domain.kind == "category" and domain.tree is None:
        return _of_sets(codes, starts, len(domain))
    low = np.minimum.reduceat(codes, starts[:-1])
    high = np.maximum.reduceat(codes, starts[:-1])
    known = high < domain.known
    cost = np.where(low < domain.known, 1.0, 0.0)  # known values and missing ones together: anything
    cost[known] = _of_runs(domain, low[known], high[known])
    return cost


def _of_runs(domain: Domain, low: Codes1, high: Codes1) -> Figures:
    if domain.tree is None:
        position = domain.position()
        return np.asarray(position[high] - position[low])
    node = domain.tree.lowest(low, high)
    leaves = domain.tree.last[node] - domain.tree.first[node]
    return np.where(leaves <= 1, 0.0, leaves / len(domain))


def _of_sets(codes: Codes1, starts: Whole, every: int) -> Figures:
    """The share of all values that each class has."""
    classes = len(starts) - 1
    number = np.repeat(np.arange(classes, dtype=np.int64), np.diff(starts))
    held = np.bincount(np.unique(number * every + codes) // every, minlength=classes)
    return np.where(held <= 1, 0.0, held / every)
