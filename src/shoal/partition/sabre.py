"""SABRE: buckets of similar sensitive values, and classes that take from each bucket in proportion to its size.

Paper        Cao, Karras, Kalnis, Tan: SABRE: a Sensitive Attribute Bucketization and REdistribution framework for
             t-closeness. VLDB Journal 20, 2011 (Sections 4 and 7).
Promises     k, t and a least size. Without t there is one bucket, and classes are halved down to k.
Forms        generalized, centres, anatomy.
Reads        sensitive values always where t is asked: they decide how many records a class takes from where.
Cost         along the curve n log n; for the nearest the same in few dimensions, and up to n for each class in many.
Why right    a class with exactly the buckets' proportions is at most U from the table, the sum of what it costs at
             most to move earth within each bucket (Theorems 1 to 3). One whose proportions are D off is at most D + U
             away (Theorem 4), and classes are halved only while D + U <= t and both halves hold k records. What
             several t ask is kept by putting classes together (mending.py).

Where the records are a part of the table that classes are compared with, and D0 away from it, they are grouped by
their own distribution with t - D0: distances add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import arrange
from shoal.partition.bucketization import Buckets, refinements
from shoal.partition.eligible import Eligible, asked, counts_of, distance_of, eligible
from shoal.partition.growing import check_people
from shoal.partition.mending import mended
from shoal.partition.redistribution import Sizes, class_sizes
from shoal.partition.taking import Space, Taken, along_curve, nearest
from shoal.plan.methods import Sabre
from shoal.plan.plan import Plan
from shoal.privacy import definitions
from shoal.privacy.definitions import TOLERANCE
from shoal.privacy.distances import Flows
from shoal.privacy.requirements import TCloseness
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes

Whole = NDArray[np.int64]

#: So many divisions beyond the best are tried before no better one is expected.
_PATIENCE = 2
#: Each division that is tried has at least so many times the buckets of the one before.
_MORE = 9 / 8

#: All values in one bucket, at no cost: for classes of which no t is asked.
_ONE = Buckets(np.zeros(1, np.int64), 0.0, Flows(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)))


@dataclass(frozen=True, eq=False)
class Division:
    """The bucket of each record, and how many records each class takes from each bucket."""

    bucket: Whole
    sizes: Sizes


def group(codes: Codes, plan: Plan, chance: Chance) -> Classes:
    """Group the records into classes that keep every requirement of the plan."""
    check_people(codes, "sabre")
    chosen = eligible(codes, plan)
    if not len(chosen.places):
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))
    method = plan.method if isinstance(plan.method, Sabre) else Sabre()
    space = Space(codes.matrix[chosen.places, : codes.quasi], codes.domains[: codes.quasi])
    taken = _taken(space, divisions(codes, plan, chosen), method, chance)
    if len(chosen.numbers.kind) > 1:
        return _united(codes, taken, space, chosen)
    return Classes(chosen.places[taken.order].astype(np.uint32), taken.starts)


def divisions(codes: Codes, plan: Plan, chosen: Eligible) -> Iterator[Division]:
    """The paper's division first (Algorithm SABRE, lines 1-9), then those with ever finer buckets."""
    least, everybody = chosen.numbers.least, np.zeros(len(chosen.places), np.int64)
    first = next((r for r in asked(plan, codes.sensitive_domains) if isinstance(r, TCloseness)), None)
    if first is None:
        yield Division(everybody, class_sizes(np.array([len(everybody)]), _ONE, 0.0, least))
        return
    place = codes.place(first.on)
    distance, column = distance_of(first, codes.domains[place]), codes.matrix[chosen.places, place]
    counts = counts_of(codes, chosen.places)[place - codes.quasi]
    t = first.t
    if codes.whole is not None:
        t -= float(definitions.closeness(counts[None, :], codes.whole[place - codes.quasi], distance)[0])
    if t <= 0:
        yield Division(everybody, class_sizes(np.array([len(everybody)]), _ONE, 0.0, len(everybody)))
        return
    least_buckets = 0.0
    for buckets in refinements(counts, distance, t):
        if len(buckets) < least_buckets:
            continue
        least_buckets = _MORE * len(buckets)
        bucket = buckets.of(column)
        held = np.bincount(bucket, minlength=len(buckets))
        yield Division(bucket, class_sizes(held, buckets, t + TOLERANCE / 2, least))


def _taken(space: Space, ways: Iterator[Division], method: Sabre, chance: Chance) -> Taken:
    """Lines 10 to 15: classes filled by the paper's division, or by one that loses less."""
    sweep, take = method.seeds == "sweep", nearest if method.search == "nearest" else along_curve
    way = next(ways)
    if method.slack == "best":
        way = _least_loss(space, chain([way], ways), chance, sweep=sweep)
    return take(space, way.bucket, way.sizes, chance, sweep=sweep)


def _least_loss(space: Space, ways: Iterable[Division], chance: Chance, *, sweep: bool) -> Division:
    """Buckets are split on past U < t, as long as classes along the curve lose less for it.

    Just below t, U leaves no D for small classes: some more splits may allow many more. Beyond that they only make it
    harder to find records near each other in every bucket.
    """
    losses: list[float] = []
    tried: list[Division] = []
    for way in ways:
        tried.append(way)
        losses.append(space.loss(along_curve(space, way.bucket, way.sizes, chance, sweep=sweep)))
        if len(losses) - np.argmin(losses) > _PATIENCE:
            break
    return tried[int(np.argmin(losses))]


def _united(codes: Codes, taken: Taken, space: Space, chosen: Eligible) -> Classes:
    """What several requirements ask (Section 7): a class that breaks one joins the next along the curve."""
    classes = np.argsort(space.keys[taken.seeds], kind="stable")
    arranged = np.empty_like(taken.order)
    arrange.in_class_order(taken.order, taken.starts, classes, arranged)
    starts = np.append(0, np.cumsum(np.diff(taken.starts)[classes]))
    order = chosen.places[arranged].astype(np.uint32)
    return Classes(order, mended(codes, order, starts, chosen.numbers))
