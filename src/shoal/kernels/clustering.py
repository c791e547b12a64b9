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
    depth: Array  # by code: how many levels its leaf is below the root


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


class Pool(NamedTuple):
    """The records that are left, linked in an order in which those near each other are mostly alike.

    ``lists`` has the records by the place of their value in the first of the sensitive columns that must be diverse;
    those from ``i`` to ``jump[i] - 1`` are taken.
    """

    taken: Array
    before: Array  # by record; the record after the last stands for the ends
    after: Array
    lists: Array
    begins: Array
    jump: Array


@njit(cache=True, nogil=True)
def _lengths(codes, axes, seed, length):
    """Of each axis with a tree, how far each code is from the seed's (formula 4): the levels up to where they meet,
    over those up to the root. A missing value is 1 away from every other."""
    for j in range(len(axes.kind)):
        start, mine = axes.offset[j], np.int64(codes[seed, j])
        for code in range(start, axes.offset[j + 1]):
            length[code] = 1.0
        if axes.kind[j] != 1 or mine >= axes.known[j]:
            length[start + mine] = 0.0
            continue
        node, climbed, first, last = axes.leaf[start + mine], 0, 0, 0
        while node >= 0:
            for code in range(axes.first[node], axes.last[node]):
                if code < first or code >= last:
                    both = axes.depth[start + mine] + axes.depth[start + code]
                    length[start + code] = (both - 2 * (axes.depth[start + mine] - climbed)) / both
            first, last, node, climbed = axes.first[node], axes.last[node], axes.parent[node], climbed + 1


@njit(cache=True, nogil=True)
def _distances(codes, axes, seed, near, length, cost):
    """The distance of each of these records from the seed, the sum over the axes (formulas 3 and 5)."""
    for c in range(len(near)):
        cost[c] = 0.0
    for j in range(len(axes.kind)):
        start, known, mine = axes.offset[j], axes.known[j], np.int64(codes[seed, j])
        if axes.kind[j] == 0 and mine < known:
            here, position = axes.position[start + mine], axes.position[start : start + known]
            for c in range(len(near)):
                code = codes[near[c], j]
                cost[c] += abs(position[code] - here) if code < known else 1.0
        else:
            lengths = length[start : axes.offset[j + 1]]
            for c in range(len(near)):
                cost[c] += lengths[codes[near[c], j]]


@njit(cache=True, nogil=True)
def _prefer(codes, sets, s, near, cost):
    """Puts records behind all others for each value of a set that they do not have."""
    ranges, axis, first, last = sets
    for r in ranges[s]:
        if r >= 0:
            j, low, high = axis[r], first[r], last[r]
            for c in range(len(near)):
                code = np.int64(codes[near[c], j])
                cost[c] += codes.shape[1] * np.float64((code < low) | (code >= high))


@njit(cache=True, nogil=True)
def _around(seed, pool, found):
    """The seed and those that are left beside it, as many on one side as on the other where there are so many."""
    end = len(pool.taken)
    found[0], count = seed, 1
    back, on = pool.before[seed], pool.after[seed]
    while count < len(found) and (back < end or on < end):
        if back < end:
            found[count] = back
            count += 1
            back = pool.before[back]
        if on < end and count < len(found):
            found[count] = on
            count += 1
            on = pool.after[on]
    return count


@njit(cache=True, nogil=True)
def _cheapest(found, cost, places, diversity, chosen):
    """Those found records that cost least of all that may join a class with so many places left, as many as there is
    room for; returns how many. Who may not join it now may not join it later."""
    count, bar = 0, np.inf
    for c in range(len(found)):
        if cost[c] < bar and _is_allowed(found[c], places, diversity):
            count = min(count + 1, len(chosen))
            at = count - 1
            while at > 0 and cost[chosen[at - 1]] > cost[c]:
                chosen[at] = chosen[at - 1]
                at -= 1
            chosen[at] = c
            if count == len(chosen):
                bar = cost[chosen[-1]]
    return count


@njit(cache=True, nogil=True)
def _next_left(at, end, pool):
    """The first record of a list from here on that is left; those before it are jumped over from now on."""
    here = at
    while at < end and pool.taken[pool.lists[at]]:
        at = pool.jump[at]
    while here < at:
        following = pool.jump[here]
        pool.jump[here] = at
        here = following
    return at


@njit(cache=True, nogil=True)
def _elsewhere(seed, places, pool, diversity, steps):
    """A record that may join, wherever it is: for each value the next ones after the seed; -1 if none of them may."""
    for v in range(len(pool.begins) - 1):
        if diversity.cap[v] <= 0 or (diversity.need[v] == 0 and diversity.owed[0] >= places):
            continue
        begin, end = pool.begins[v], pool.begins[v + 1]
        here, past = begin, end
        while here < past:  # the first after the seed
            middle = (here + past) // 2
            here, past = (middle + 1, past) if pool.lists[middle] < seed else (here, middle)
        for start in (here, begin):
            at = _next_left(start, end, pool)
            for _ in range(steps):
                if at == end or _is_allowed(pool.lists[at], places, diversity):
                    break
                at = _next_left(at + 1, end, pool)
            if at < end and _is_allowed(pool.lists[at], places, diversity):
                return pool.lists[at]
    return -1


@njit(cache=True, nogil=True)
def _take(i, pool, diversity):
    """Takes a record out of the pool, into a class."""
    pool.taken[i] = True
    pool.after[pool.before[i]] = pool.after[i]
    pool.before[pool.after[i]] = pool.before[i]
    _join(i, diversity)


@njit(cache=True, nogil=True)
def _fill(codes, axes, sets, s, seed, size, pool, diversity, window, order):
    """Fills a class with those nearest to the seed that may join it; returns how many joined.

    They are chosen from the ``window`` records around it, and where none of these may join, from elsewhere. Those who
    have more values of the set come first.
    """
    found, length = np.empty(window, np.int64), np.empty(axes.offset[-1])
    near = found[: _around(seed, pool, found)]
    cost, chosen = np.empty(len(near)), np.empty(2 * size, np.int64)
    _lengths(codes, axes, seed, length)
    for at in range(0, len(near), 1024):  # so that a record is still at hand when its next column is looked at
        part, costs = near[at : at + 1024], cost[at : at + 1024]
        _distances(codes, axes, seed, part, length, costs)
        if s < len(sets.ranges):
            _prefer(codes, sets, s, part, costs)
    joined, at, able = 0, 0, 0
    while joined < size:
        while at < able and not _is_allowed(near[chosen[at]], size - joined, diversity):
            at += 1
        if at == able:
            at, able = 0, _cheapest(near, cost, size - joined, diversity, chosen)
        if at < able:
            order[joined], cost[chosen[at]] = near[chosen[at]], np.inf
            at += 1
        else:
            order[joined] = _elsewhere(seed, size - joined, pool, diversity, window)
        if order[joined] < 0:
            break
        _take(order[joined], pool, diversity)
        joined += 1
    return joined


@njit(cache=True, nogil=True)
def gather(codes, axes, sets, led, seeds, pool, diversity, least, window, order, starts, leads):
    """Gathers records around one seed after the other; returns how many classes.

    Record i is led by the set ``led[i]``, and so is the class that it is the seed of: ``leads``. A class of too few is
    mended later.
    """
    records, count, place = len(codes), 0, 0
    for seed in seeds:
        while not pool.taken[seed]:
            starts[count], leads[count] = place, led[seed]
            count += 1
            size, joined = _course(least, records - place, diversity), 0
            if size < records - place:
                room = order[place : place + size]
                joined = _fill(codes, axes, sets, led[seed], seed, size, pool, diversity, window, room)
            place += joined
            while joined == 0 and place < records:  # the rest is one class, or nobody may begin one
                order[place] = pool.after[records]
                _take(order[place], pool, diversity)
                place += 1
    starts[count] = records
    return count
