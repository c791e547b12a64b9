"""Classes that grow record by record from a seed, on a course that keeps what is left of the table diverse.

The records of a class may hold a value of a sensitive column so many times at most (its *cap*), and must hold it so
many times at least (its *need*), or the records that are left over could not be diverse any more. All kernels of both
searches stand in this one file, since Numba's cache does not see changes in others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

NUMBER, TREE, SET = range(3)


class Axes(NamedTuple):
    """What a class loses of each quasi-identifier; axis j's codes begin at ``offset[j]``."""

    kind: Array
    offset: Array
    known: Array  # how many codes of each axis are known values; the one after them is missing
    position: Array  # by code: where a number lies between 0 and 1
    leaf: Array  # by code: its node
    parent: Array  # by node; -1 above a root
    first: Array  # the codes of an axis below each node, to ``last`` - 1
    last: Array
    loss: Array  # by node


class Diversity(NamedTuple):
    """The sensitive columns that must be diverse by frequency; column a's values begin at ``ends[a]``.

    The last of a column's values stands for all that do not count, such as missing ones.
    """

    held: Array  # of each record and column, the place of its value
    left: Array  # how many of the records that are left hold each value
    ends: Array
    l: Array
    cap: Array
    need: Array
    owed: Array  # of each column, the sum of its needs


class Grown(NamedTuple):
    """What a class holds of each axis: its extreme known codes (-1: none), whether any is missing, and the set."""

    low: Array
    high: Array
    absent: Array
    inside: Array
    held: Array


@njit(cache=True, nogil=True)
def _may(size, records, diversity):
    """Whether a class of this size can be diverse and leave the others diverse; sets caps and needs."""
    left, ends, cap, need = diversity.left, diversity.ends, diversity.cap, diversity.need
    for a in range(len(ends) - 1):
        other = ends[a + 1] - 1
        known = 0
        for v in range(ends[a], other):
            known += left[v]
        within = -(-size * known // records)  # so many of the class, that values that do not count are spread evenly
        most, rest = np.int64(within / diversity.l[a] + 1e-9), np.int64((known - within) / diversity.l[a] + 1e-9)
        room, owed = 0, 0
        for v in range(ends[a], other):
            cap[v], need[v] = min(most, left[v]), max(left[v] - rest, 0)
            if need[v] > cap[v]:
                return False
            room += cap[v]
            owed += need[v]
        if room < within or owed > within:
            return False
        cap[other] = need[other] = size - within
        diversity.owed[a] = owed + size - within
    return True


@njit(cache=True, nogil=True)
def _course(least, records, diversity):
    """The size of the next class, the least that leaves the others diverse; sets caps and needs."""
    reach = least
    for a in range(len(diversity.l)):
        reach = max(reach, np.int64(np.ceil(diversity.l[a]) * (np.ceil(diversity.l[a]) + 2)))
    for size in range(least, min(records - least, least + reach) + 1):
        if _may(size, records, diversity):
            return size
    everything = records < 2 * (least + reach)
    for a in range(len(diversity.l)):
        most = records if everything else max(np.int64(least / diversity.l[a] + 1e-9), 1)
        diversity.cap[diversity.ends[a] : diversity.ends[a + 1]] = most
        diversity.need[diversity.ends[a] : diversity.ends[a + 1]] = 0
        diversity.owed[a] = 0
    return records if everything else least


@njit(cache=True, nogil=True)
def _is_allowed(i, places, diversity):
    """Whether record i may join a class that has so many places left."""
    for a in range(diversity.held.shape[1]):
        value = diversity.held[i, a]
        if diversity.cap[value] <= 0 or (diversity.need[value] == 0 and diversity.owed[a] >= places):
            return False
    return True


@njit(cache=True, nogil=True)
def _join(i, diversity):
    """Counts a record that has joined."""
    for a in range(diversity.held.shape[1]):
        value = diversity.held[i, a]
        diversity.left[value] -= 1
        diversity.cap[value] -= 1
        if diversity.need[value] > 0:
            diversity.need[value] -= 1
            diversity.owed[a] -= 1


@njit(cache=True, nogil=True)
def _price(axes, j, grown, price):
    """What a class would lose of axis j with each of its codes in it."""
    low, high, absent = grown.low[j], grown.high[j], grown.absent[j]
    start, known, end = axes.offset[j], axes.known[j], axes.offset[j + 1]
    if axes.kind[j] == 2:
        for code in range(start, end):
            price[code] = (grown.held[j] + (not grown.inside[code]) - 1) / max(end - start - 1, 1)
        return
    if end - start > known:
        price[end - 1] = 0.0 if low < 0 else 1.0
    if absent or low < 0:
        price[start : start + known] = 1.0 if absent else 0.0
    elif axes.kind[j] == 0:
        for code in range(known):
            reach = axes.position[start + max(high, code)] - axes.position[start + min(low, code)]
            price[start + code] = reach
    else:
        node, first, last = axes.leaf[start + low], 0, 0
        while axes.last[node] <= high:
            node = axes.parent[node]
        while node >= 0:
            for code in range(axes.first[node], axes.last[node]):
                if code < first or code >= last:
                    price[start + code] = axes.loss[node]
            first, last, node = axes.first[node], axes.last[node], axes.parent[node]


@njit(cache=True, nogil=True)
def _take_in(axes, j, code, grown):
    """Makes a code of axis j part of the class; returns whether its price list changes."""
    start, known = axes.offset[j], axes.known[j]
    if axes.kind[j] == 2:
        new = not grown.inside[start + code]
        grown.inside[start + code] = True
        grown.held[j] += new
        return new
    if code >= known:
        new = not grown.absent[j]
        grown.absent[j] = True
        return new
    low, high = grown.low[j], grown.high[j]
    grown.low[j] = code if low < 0 else min(low, code)
    grown.high[j] = max(high, code)
    return grown.low[j] != low or grown.high[j] != high


@njit(cache=True, nogil=True)
def _begin(axes, grown):
    """Empties the class."""
    grown.low[:] = -1
    grown.high[:] = -1
    grown.absent[:] = False
    grown.inside[:] = False
    grown.held[:] = 0


@njit(cache=True, nogil=True)
def _swap(codes, order, held, cost, i, k):
    """Exchanges two records."""
    for j in range(len(codes)):
        codes[j, i], codes[j, k] = codes[j, k], codes[j, i]
    for a in range(held.shape[1]):
        held[i, a], held[k, a] = held[k, a], held[i, a]
    order[i], order[k] = order[k], order[i]
    cost[i], cost[k] = cost[k], cost[i]


@njit(cache=True, nogil=True)
def _pick(cost, lo, places, diversity, farthest):
    """The record from lo on that costs least, or most, of those that may join; -1 if none may."""
    chosen, best = -1, np.inf
    for i in range(lo, len(cost)):
        costs = -cost[i] if farthest else cost[i]
        if costs < best and _is_allowed(i, places, diversity):
            chosen, best = i, costs
    return chosen


@njit(cache=True, nogil=True)
def cluster(codes, order, axes, diversity, least, starts):
    """Grows one class after the other, each time by the record that raises its loss least; returns how many.

    ``codes`` has a row for each axis. The first seed is the first record, each other one that costs the class before
    it most. Of what each record costs the class, only what changes is worked out anew.
    """
    records, count = codes.shape[1], 0
    cost, price, before = np.zeros(records), np.zeros(axes.offset[-1]), np.zeros(axes.offset[-1])
    axis = len(codes)
    grown = Grown(
        np.empty(axis, np.int64), np.empty(axis, np.int64), np.empty(axis, np.bool_),
        np.empty(len(price), np.bool_), np.empty(axis, np.int64),
    )  # fmt: skip
    lo = 0
    while lo < records:
        starts[count] = lo
        count += 1
        end = lo + _course(least, records - lo, diversity)
        _begin(axes, grown)
        before[:] = 0.0
        chosen = _pick(cost, lo, end - lo, diversity, True)
        cost[:] = 0.0
        while chosen >= 0:
            _swap(codes, order, diversity.held, cost, lo, chosen)
            _join(lo, diversity)
            lo += 1
            for j in range(axis):
                if _take_in(axes, j, np.int64(codes[j, lo - 1]), grown):
                    _price(axes, j, grown, price)
                    start, row = axes.offset[j], codes[j]
                    for code in range(start, axes.offset[j + 1]):
                        before[code] = price[code] - before[code]
                    for i in range(lo, records):
                        cost[i] += before[start + row[i]]
                    before[start : axes.offset[j + 1]] = price[start : axes.offset[j + 1]]
            chosen = _pick(cost, lo, end - lo, diversity, False) if lo < end else -1
        if lo == starts[count - 1]:  # nobody may begin a class: the rest is one, and mended later
            lo = records
    starts[count] = records
    return count
