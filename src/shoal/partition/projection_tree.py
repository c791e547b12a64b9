"""Projection tree: the table is cut on the widest of a few columns, where both sides become narrowest.

Paper        Wang, Luo, Jiang, Wu, Yu: Probabilistic Optimal Projection Partition KD-Tree k-Anonymity for Data
             Publishing Privacy Protection. Intelligent Data Analysis, 2018. Its formulas are our reconstruction.
Promises     k, l, t and a least size, in any mix: a cut is made only if both sides keep all of them.
Forms        generalized, centres.
Reads        sensitive values only where l or t is asked; then a refused cut tells that one side would have broken them.
Cost         n log n for each column: on each level of cuts a record is looked at a fixed number of times.
Why right    the whole table keeps every requirement (see eligible.py), and each cut is checked on both sides.
             Theorem: with relaxed ties, and k alone, there are floor(n / k) classes of k to 2k - 1 records. A node of
             n = qk + r records, q > 1 and r < k, is cut at ak to ak + r records with 0 < a < q, so its left side holds
             a times k records, and its right side q - a times k, each with less than k to spare: by induction they
             make a and q - a classes. Where it may be cut depends on the number of records alone, and any order of
             them will do, of equal values and of missing ones.

A record without a value on the axis of the cut goes to the side whose centre is nearer on the others.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import projecting
from shoal.partition.eligible import Eligible, eligible
from shoal.partition.growing import check_people
from shoal.partition.halving import class_starts
from shoal.plan.methods import ProjectionTree
from shoal.plan.plan import Plan
from shoal.privacy.search import Numbers
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes
from shoal.table.domain import Domain

Whole = NDArray[np.int64]

_PLACES = {
    "dual": projecting.DUAL,
    "ka-ppkt": projecting.SINGLE,
    "rounded": projecting.ROUNDED,
    "flexible": projecting.ROUNDED,
    "equilibrium": projecting.MIDDLE,
}

#: More records than this are laid out by all cores.
_MANY, _CORES = 1 << 16, os.cpu_count() or 1

#: A probability is found out on a sample of so many records, or of as many as make so many classes: the least of so
#: many steps at which the mean range of so many trees is so close to what it is with all columns.
_SAMPLE, _SAMPLED_CLASSES, _STEPS, _TREES, _CLOSE = 5_000, 100, 20, 3, 1.01


def group(codes: Codes, plan: Plan, chance: Chance) -> Classes:
    """Group the records into classes that keep every requirement of the plan."""
    check_people(codes, "projection-tree")
    chosen = eligible(codes, plan)
    if not len(chosen.places):
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))
    method = plan.method if isinstance(plan.method, ProjectionTree) else ProjectionTree()
    seed = chance.words(1)[0]
    way = projecting.Way(codes.quasi, _PLACES[method.variant], method.ties == "relaxed", seed)
    tree = _Tree(_table(codes, chosen, scaled=method.scaled), chosen.numbers, way)
    tree = replace(tree, way=way._replace(draws=_draws(tree, method, codes.quasi)))
    return Classes(tree.table.rows, tree.grown())


@dataclass(frozen=True, eq=False)
class _Tree:
    """The records, and how they are cut."""

    table: projecting.Points
    numbers: Numbers
    way: projecting.Way

    def grown(self) -> Whole:
        """Where each class starts, and their end."""
        return class_starts(len(self.table.rows), self._divide)

    def _divide(self, lo: int, hi: int, cuts: int) -> Whole:
        scratch = projecting.scratch(self.table, hi - lo, self.numbers.least, self.way.relaxed)
        starts = np.empty((hi - lo) // max(self.numbers.least, 1) + 1, np.int64)
        found = projecting.divide(self.table, lo, hi, self.numbers, self.way, scratch, cuts, starts)
        return starts[:found]

    def sample(self, records: int, draws: int, turn: int) -> _Tree:
        """The same for the first records, which lie in random order, and another draw."""
        points, rows = self.table.points[:records].copy(), self.table.rows[:records].copy()
        way = self.way._replace(draws=draws, seed=self.way.seed ^ np.uint64(turn))
        return replace(self, table=self.table._replace(points=points, rows=rows), way=way)


def _table(codes: Codes, chosen: Eligible, *, scaled: bool) -> projecting.Points:
    """The records as points, and their sensitive codes if anything is asked of these."""
    places, asked = chosen.places, codes.sensitive_domains if len(chosen.numbers.kind) else ()
    position = [*_axes(codes.domains[: codes.quasi], scaled=scaled), *(np.arange(len(d)) * 1.0 for d in asked)]
    offset = np.cumsum([0, *map(len, position)]).astype(np.int64)
    every, points = np.concatenate([*position, np.empty(0)]), np.empty((len(places), len(position)))
    shares = np.linspace(0, len(places), 1 + (_CORES if len(places) > _MANY else 1)).astype(np.int64)

    def lay(share: int) -> None:
        projecting.lay(codes.matrix, places, every, offset, shares[share], shares[share + 1], points)

    if len(shares) == 2:
        lay(0)
    else:
        with ThreadPoolExecutor(_CORES) as pool:
            list(pool.map(lay, range(_CORES)))
    ends = np.cumsum([0, *map(len, asked)]).astype(np.int64)
    return projecting.Points(points, places.astype(np.uint32), ends)


def _axes(domains: Sequence[Domain], *, scaled: bool) -> list[NDArray[np.float64]]:
    """Where each code lies on an axis from 0 to 1, not a number if it is missing; unscaled, the longest goes to 1."""
    axes = [domain.position(scaled=scaled) for domain in domains]
    longest = max(
        (axis[domain.known - 1] for domain, axis in zip(domains, axes, strict=True) if domain.known), default=0
    )
    for domain, axis in zip(domains, axes, strict=True):
        axis[domain.known :] = np.nan
        axis /= longest or 1.0
    return axes


# -- how many columns are drawn -----------------------------------------------------------------------------


def _draws(tree: _Tree, method: ProjectionTree, columns: int) -> int:
    """How many columns are drawn for a cut."""
    if columns < 2 or method.variant == "flexible":
        return 1
    if method.variant == "ka-ppkt":
        return columns
    if isinstance(method.probability, str):
        return _fewest(tree, columns)
    return math.ceil(method.probability * columns - 1e-9)


def _fewest(tree: _Tree, columns: int) -> int:
    """The fewest columns with which the classes of a sample are hardly wider than with all."""
    bound = _CLOSE * _mean_range(tree, columns, columns)
    for step in range(1, _STEPS):
        draws = math.ceil(columns * step / _STEPS)
        if _mean_range(tree, draws, columns) <= bound:
            return draws
    return columns


def _mean_range(tree: _Tree, draws: int, columns: int) -> float:
    """The average data range (Adr) of a few trees of a sample."""
    records = max(_SAMPLE, _SAMPLED_CLASSES * tree.numbers.least)
    total = 0.0
    for turn in range(_TREES):
        sample = tree.sample(records, draws, turn + 1)
        starts = sample.grown()[:-1]
        points = sample.table.points[:, :columns]
        ranges = np.fmax.reduceat(points, starts) - np.fmin.reduceat(points, starts)
        total += float(np.nansum(ranges)) / len(starts)
    return total / _TREES
