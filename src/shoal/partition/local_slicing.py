"""Local slicing: buckets around records that show what goes together, each with slices of its own.

Paper        Wang, Yu, Zhang: Research on Anonymization Algorithms Based on Local Partitioning. 2018 (ASG-LS).
Promises     l and a least bucket size.
Forms        slices.
Reads        sensitive values always: they decide where buckets begin, who joins, and what may stand beside them.
Cost         each bucket is chosen from a window of near records; n log n besides, and what associations.py costs.
Why right    buckets that break a requirement are put together with others until none does (mending.py). Beside a
             sensitive column stand only quasi-identifiers whose every combination in the bucket has diverse values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import clustering
from shoal.kernels import columns as kernels
from shoal.kernels.clustering import Diversity, Pool
from shoal.kernels.columns import Association
from shoal.partition import columns, mondrian
from shoal.partition.associations import Associations, Vertices, associations
from shoal.partition.eligible import eligible
from shoal.partition.growing import axes_of, check_people, diversity_of
from shoal.partition.mending import mended
from shoal.plan.methods import LocalSlicing
from shoal.plan.plan import Plan
from shoal.privacy.requirements import Size
from shoal.privacy.search import Numbers, numbers
from shoal.table.classes import Classes
from shoal.table.codes import Codes

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

#: A bucket is chosen from so many records at most: those that lie next to its seed in the order of median cuts, which
#: are made down to the second number. Within a window the search is exact.
_WINDOW, _LEAF = 1 << 15, 64


def group(codes: Codes, plan: Plan) -> Classes:
    """Group the records into buckets that keep every requirement of the plan, and their columns into slices."""
    check_people(codes, "local-slicing")
    chosen = eligible(codes, plan)
    if not len(chosen.places):
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))
    method = plan.method if isinstance(plan.method, LocalSlicing) else LocalSlicing()
    asked = columns.asked_of(codes, chosen.numbers)
    places = _near(codes, chosen.places)
    found = associations(codes, places, list(asked), method)
    classes, leads = _buckets(codes, places, found, chosen.numbers)
    slices = _slices(codes, classes, leads, found, asked, method)
    whole = columns.generalized(codes, classes, slices, method.rare)
    return replace(classes, slices=columns.laid_out(codes, slices, whole))


# -- buckets ------------------------------------------------------------------------------------------------


def _near(codes: Codes, places: Integers) -> Integers:
    """The records in an order in which near ones lie near each other, where a window does not hold them all."""
    if len(places) <= _WINDOW:
        return places
    return mondrian.divided(codes, places, numbers([Size(_LEAF)], {}), relaxed=True).order.astype(np.int64)


def _buckets(codes: Codes, places: Integers, found: Associations, asked: Numbers) -> tuple[Classes, Integers]:
    """Algorithm 2, lines 1 to 7, and the vertex that leads each bucket; the number of the vertices if there is none."""
    records = np.ascontiguousarray(codes.matrix[places])
    led = np.empty(len(places), np.int64)
    kernels.first_set(records, _sets(found, found.with_sensitive), led)
    seeds = np.lexsort((places, led))  # by importance, then by lot
    quasi = np.where(found.nodes.column[found.with_sensitive.nodes] < codes.quasi, found.with_sensitive.nodes, -1)
    sets = _sets(found, replace(found.with_sensitive, nodes=quasi))
    axes, diversity = axes_of(codes.domains[: codes.quasi]), diversity_of(codes, places, asked)
    window = min(max(_WINDOW, 2 * asked.least), len(places))
    order, starts, leads = (np.empty(len(places) + 1, np.int64) for _ in range(3))
    pool, least = _pool(len(places), diversity), asked.least
    count = clustering.gather(records, axes, sets, led, seeds, pool, diversity, least, window, order, starts, leads)
    in_order = places[order[:-1]].astype(np.uint32)
    kept = mended(codes, in_order, starts[: count + 1], asked)
    return Classes(in_order, kept), leads[np.searchsorted(starts[:count], kept[:-1])]


def _sets(found: Associations, vertices: Vertices) -> Association:
    return Association(vertices.nodes, found.nodes.column, found.nodes.first, found.nodes.last)


def _pool(records: int, diversity: Diversity) -> Pool:
    """All records, none of them taken."""
    every = np.arange(records + 1)
    before, after = np.roll(every, 1), np.roll(every, -1)
    lists, begins = every[:0], np.zeros(1, np.int64)
    if diversity.held.shape[1]:
        value = diversity.held[:, 0]
        lists = np.argsort(value, kind="stable")
        begins = np.searchsorted(value[lists], np.arange(diversity.ends[1] + 1))
    return Pool(np.zeros(records, np.bool_), before, after, lists, begins, np.arange(1, len(lists) + 1))


# -- slices -------------------------------------------------------------------------------------------------


def _slices(
    codes: Codes,
    classes: Classes,
    leads: Integers,
    found: Associations,
    asked: Mapping[int, Numbers],
    method: LocalSlicing,
) -> Integers:
    """Algorithm 2, lines 8 to 25: for each bucket and column, the number of its slice."""
    quasi = codes.quasi
    slices = np.full((len(classes), quasi + codes.sensitive), -1, np.int64)
    slices[:, quasi:] = np.arange(codes.sensitive)
    phi = columns.correlations(codes, classes.order.astype(np.int64))
    for place, requirements in asked.items():
        wanted = _wanted(found, place, phi[place, :quasi], method.widest)[leads]
        wanted[np.take_along_axis(slices, np.maximum(wanted, 0), axis=1) >= 0] = -1
        bucket, which = np.nonzero(columns.beside(codes, classes, requirements, wanted))
        slices[bucket, wanted[bucket, which]] = place - quasi
    others, widths = _sets(found, found.others), (method.widest, method.narrowest)
    kernels.lay_out(codes.matrix, classes.order, classes.starts, others, quasi, *widths, slices)
    return slices


def _wanted(found: Associations, place: int, strength: Reals, widest: int) -> Integers:
    """Which columns are to stand beside a sensitive one in the buckets of each vertex, those first that go most
    strongly with it: the columns of its own vertices; in all other buckets the one that goes most strongly."""
    vertices = found.with_sensitive.nodes
    wanted = np.full((len(vertices) + 1, widest - 1), -1, np.int64)
    if len(strength):
        wanted[:, 0] = np.argmax(strength)
    for row, vertex in enumerate(vertices.tolist()):
        held = found.nodes.column[[node for node in vertex if node >= 0]]
        if held[-1] == place:
            wanted[row] = -1
            wanted[row, : len(held) - 1] = sorted(held[:-1], key=lambda column: -strength[column])
    return wanted
