"""Slicing: the same slices of columns for the whole table, and buckets by Mondrian's cuts.

Paper        Li, Li, Zhang, Molloy: Slicing: A New Approach for Privacy Preserving Data Publishing. TKDE 2012.
Promises     l and a least bucket size.
Forms        slices.
Reads        sensitive values always: how strongly columns go with them decides what may stand beside them, and a cut
             that would break l is refused.
Cost         n log n, and the square of the number of columns.
Why right    the buckets are Mondrian's, which keep every requirement. Beside a sensitive column stand only
             quasi-identifiers whose every combination in the bucket has diverse values; others leave its slice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.partition import columns, mondrian
from shoal.partition.eligible import eligible
from shoal.plan.methods import Slicing
from shoal.plan.plan import Plan
from shoal.privacy.search import Numbers
from shoal.table.classes import Classes
from shoal.table.codes import Codes

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

#: Sums of distances are compared up to rounding.
_NEAR = 1e-9


def group(codes: Codes, plan: Plan) -> Classes:
    """Group the records into buckets that keep every requirement of the plan, and the columns into slices."""
    chosen = eligible(codes, plan)
    if not len(chosen.places):
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))
    method = plan.method if isinstance(plan.method, Slicing) else Slicing()
    classes = mondrian.divided(codes, chosen.places, chosen.numbers)
    slices = _slices(codes, classes, columns.asked_of(codes, chosen.numbers), method.widest)
    whole = columns.generalized(codes, classes, slices, method.rare)
    return replace(classes, slices=columns.laid_out(codes, slices, whole))


def _slices(codes: Codes, classes: Classes, asked: Mapping[int, Numbers], widest: int) -> Integers:
    """For each bucket and column, the number of its slice.

    What may not stand beside a sensitive column in a bucket makes a slice of its own there.
    """
    phi = np.sqrt(columns.correlations(codes, classes.order.astype(np.int64)))
    together = _together(phi, codes.quasi, list(asked), widest)
    slices = np.tile(together, (len(classes), 1))
    for place, requirements in asked.items():
        beside = np.flatnonzero(together[: codes.quasi] == together[place])
        wanted = np.tile(beside[np.argsort(-phi[place, beside], kind="stable")], (len(classes), 1))
        bucket, which = np.nonzero(~columns.beside(codes, classes, requirements, wanted))
        slices[bucket, wanted[bucket, which]] = len(phi) + place
    return slices


def _together(phi: Reals, quasi: int, asked: Sequence[int], widest: int) -> Integers:
    """For each column the number of its slice: by how strongly columns go together, each sensitive one by itself.

    Of several sensitive columns in one cluster each of the others joins that with which it goes most strongly; one that
    l is not asked of stands alone.
    """
    chosen = np.array([*range(quasi), *asked], np.int64)
    cluster = np.arange(len(phi))
    cluster[chosen] = len(phi) + medoids(1 - phi[np.ix_(chosen, chosen)], -(-len(chosen) // widest))
    slices = np.where(np.arange(len(phi)) < quasi, cluster, np.arange(len(phi)))
    for column in range(quasi):
        secret = [place for place in asked if cluster[place] == cluster[column]]
        if secret:
            slices[column] = max(secret, key=lambda place: phi[column, place])
    return slices


def medoids(distance: Reals, count: int) -> Integers:
    """Partitioning around medoids (Kaufman and Rousseeuw 1990): for each item the number of its cluster.

    The first medoids are chosen one by one, each the best beside those before; then the best exchange of one is made
    until none is better.
    """
    chosen: list[int] = []
    for _ in range(min(count, len(distance))):
        nearest = distance[:, chosen].min(axis=1, initial=np.inf)
        costs = np.minimum(nearest[:, None], distance).sum(axis=0)
        costs[chosen] = np.inf
        chosen.append(int(np.argmin(costs)))
    if not chosen:
        return np.zeros(len(distance), np.int64)
    best = _cost(distance, chosen)
    while True:
        exchanged = [
            [*chosen[:at], other, *chosen[at + 1 :]] for at in range(len(chosen)) for other in range(len(distance))
        ]
        costs = [_cost(distance, medoids) for medoids in exchanged]
        at = int(np.argmin(costs))
        if costs[at] >= best - _NEAR:
            return np.argmin(distance[:, chosen], axis=1)
        chosen, best = exchanged[at], costs[at]


def _cost(distance: Reals, chosen: list[int]) -> float:
    """The sum of the distances from the nearest medoid."""
    return float(distance[:, chosen].min(axis=1).sum())
