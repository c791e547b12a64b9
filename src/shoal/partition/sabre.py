"""SABRE: buckets of similar sensitive values, and classes that take from each bucket in proportion to its size.

Paper        Cao, Karras, Kalnis, Tan: SABRE: a Sensitive Attribute Bucketization and REdistribution framework for
             t-closeness. VLDB Journal 20, 2011 (Sections 4 and 7).
Promises     k, t and a least size. Without t there is one bucket, and classes are halved down to k.
Forms        generalized, centres, anatomy.
Reads        sensitive values always where t is asked: they decide how many records a class takes from where.
Cost         along the curve n log n; for the nearest the same in few dimensions, and up to n for each class in many.
Why right    a class with exactly the buckets' proportions is at most U from the table, the sum of what it costs at
             most to move earth within each bucket (Theorems 1 to 3). One whose proportions are D off is at most D + U
             away (Theorem 4). So by ``slack = "paper"`` classes are halved only while D + U <= t. Otherwise only while
             D <= t, and each is tested: one that breaks a requirement is put together with others until none does
             (mending.py). The same is done where more than one t is asked. Both halves hold k records always.

Where the records are a part of the table that classes are compared with, and D0 away from it, they are grouped by
their own distribution with t - D0: distances add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shoal.kernels import arrange
from shoal.partition.division import Aim, Division
from shoal.partition.eligible import Eligible, eligible
from shoal.partition.growing import check_people
from shoal.partition.mending import mended
from shoal.partition.taking import Space, Taken, along_curve, nearest
from shoal.plan.methods import Sabre
from shoal.plan.plan import Plan
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes

#: So many divisions beyond the best are tried before no better one is expected.
_PATIENCE = 2
#: The nearest lose between two thirds of what records along the curve lose, and as much.
_WORSE = 3 / 2

Take = Callable[..., Taken]


def group(codes: Codes, plan: Plan, chance: Chance) -> Classes:
    """Group the records into classes that keep every requirement of the plan."""
    check_people(codes, "sabre")
    chosen = eligible(codes, plan)
    if not len(chosen.places):
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))
    method = plan.method if isinstance(plan.method, Sabre) else Sabre()
    made = _Search(codes, Aim.of(codes, plan, chosen), method, chosen, chance).run()
    return Classes(chosen.places[made.order].astype(np.uint32), made.starts)


@dataclass(frozen=True, eq=False)
class _Search:
    """Algorithm SABRE, once, or as often as less is lost for it."""

    codes: Codes
    aim: Aim
    method: Sabre
    chosen: Eligible
    chance: Chance

    def run(self) -> Taken:
        ways = self.aim.divisions(bounded=self._bounded)
        take = nearest if self.method.search == "nearest" else along_curve
        made = [self.classes(way, take) for way in ([next(ways)] if self._bounded else self._promising(ways))]
        return made[0] if len(made) == 1 else min(made, key=self.space.loss)

    @property
    def _bounded(self) -> bool:
        """Whether classes are such that none can be too far away, and not looked at once they are made."""
        return self.method.slack == "paper"

    @cached_property
    def space(self) -> Space:
        return Space(self.codes.matrix[self.chosen.places, : self.codes.quasi], self.codes.domains[: self.codes.quasi])

    def _promising(self, ways: Iterable[Division]) -> list[Division]:
        """The division whose classes along the curve lose least, and the next if it is not much worse: of the nearest
        either may lose less.

        With few buckets many classes are too far away, and have to be put together; with many it is hard to find
        records near each other in every bucket. Somewhere between both the loss is least.
        """
        losses: list[float] = []
        tried: list[Division] = []
        for way in ways:
            tried.append(way)
            losses.append(self.space.loss(self.classes(way, along_curve)))
            if len(losses) - np.argmin(losses) > _PATIENCE:
                break
        best = np.argsort(losses, kind="stable")[:2].tolist()
        return [tried[place] for place in best if losses[place] <= _WORSE * losses[best[0]]]

    def classes(self, way: Division, take: Take) -> Taken:
        """Lines 10 to 15, and what has to be put together: a class that breaks a requirement joins the next along the
        curve, until none does (as in Section 7)."""
        taken = take(self.space, way.bucket, way.sizes, self.chance, sweep=self.method.seeds == "sweep")
        asked = len(self.chosen.numbers.kind)
        if asked == 0 or (asked == 1 and self._bounded):
            return taken
        taken = self._along(taken)
        order = self.chosen.places[taken.order].astype(np.uint32)
        return replace(taken, starts=mended(self.codes, order, taken.starts, self.chosen.numbers))

    def _along(self, taken: Taken) -> Taken:
        """The same classes in the order in which their seeds lie along the curve."""
        classes = np.argsort(self.space.keys[taken.seeds], kind="stable")
        order = np.empty_like(taken.order)
        arrange.in_class_order(taken.order, taken.starts, classes, order)
        return Taken(order, np.append(0, np.cumsum(np.diff(taken.starts)[classes])), taken.seeds[classes])
