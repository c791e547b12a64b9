"""How far the records that are left of a window are from it, and what to leave out at the end to bring them near."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.partition.eligible import Counts, asked, distance_of
from shoal.plan.plan import Plan
from shoal.privacy import definitions
from shoal.privacy.distances import GroundDistance
from shoal.privacy.requirements import TCloseness
from shoal.table.codes import Codes

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Measure:
    """One t that is asked: of which column of the codes, over how many values, from what, and how it is measured."""

    t: float
    column: int
    whole: Counts
    distance: GroundDistance

    @property
    def values(self) -> int:
        return len(self.whole)

    def over(self, counts: Counts) -> NDArray[np.float64]:
        """By how much each row of counts is too far away; below zero, it is near."""
        return definitions.closeness(counts, self.whole, self.distance) - self.t


def measures(codes: Codes, plan: Plan) -> list[Measure]:
    """Every t of the plan, against the window that these records are part of."""
    names = [domain.name for domain in codes.sensitive_domains]
    found = []
    for requirement in asked(plan, codes.sensitive_domains):
        if isinstance(requirement, TCloseness) and codes.whole is not None:
            place = names.index(requirement.on)
            ground = distance_of(requirement, codes.sensitive_domains[place])
            found.append(Measure(requirement.t, codes.quasi + place, codes.whole[place], ground))
    return found


def is_near(codes: Codes, plan: Plan) -> bool:
    """Whether the distance of these records from their window is below every t (line 13 of SABRE_W)."""
    return all(
        measure.over(np.bincount(codes.matrix[:, measure.column], minlength=measure.values)[None, :])[0] < 0
        for measure in measures(codes, plan)
    )


def most(codes: Codes, plan: Plan, least: int) -> Places:
    """As many of these records as can be near their window together, by place; none if fewer than ``least`` can.

    One at a time, the record is left out without whom the others are nearest. In a single column nobody found fewer to
    leave out (the tests look at all choices). Which of those with the same values goes, falls by lot, as they lie.
    """
    wanted = measures(codes, plan)
    if not wanted:
        return np.arange(len(codes) if len(codes) >= least else 0)
    kinds, kind = np.unique(codes.matrix[:, [measure.column for measure in wanted]], axis=0, return_inverse=True)
    left = np.bincount(kind.ravel(), minlength=len(kinds))
    while left.sum() >= max(least, 1):
        over = np.zeros(len(kinds))
        near = True
        for place, measure in enumerate(wanted):
            counts = np.bincount(kinds[:, place], weights=left, minlength=measure.values).astype(np.int64)
            near = near and bool(measure.over(counts[None, :])[0] < 0)
            without = counts[None, :] - np.eye(measure.values, dtype=np.int64)[kinds[:, place]]
            over += np.maximum(measure.over(np.maximum(without, 0)), 0 if len(wanted) > 1 else -np.inf)
        if near:
            return np.flatnonzero(_rank(kind.ravel()) < left[kind.ravel()])
        left[np.argmin(np.where(left > 0, over, np.inf))] -= 1
    return np.empty(0, np.int64)


def _rank(kind: NDArray[np.int64]) -> Places:
    """For each record, how many of its kind lie before it."""
    order = np.argsort(kind, kind="stable")
    ordered = kind[order]
    rank = np.empty(len(kind), np.int64)
    rank[order] = np.arange(len(kind)) - np.searchsorted(ordered, ordered)
    return rank
