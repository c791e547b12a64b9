"""Cutting sets of points in two where both halves are narrowest, on the axis of largest variance among a few drawn.

The records of a node lie side by side and are moved, not pointed at. All kernels of the search stand in this one file,
since Numba's cache does not see changes in others; so the tests of requirements stand here once more, as in
:mod:`shoal.kernels.cutting` but for values that are shown randomized, a form in which these classes are not shown.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

#: For what only other kernels call: without a door for Python it compiles faster.
_within = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]

#: Where a node may be cut: at the places of two intervals, of one, at one rounded place, or in the middle.
DUAL, SINGLE, ROUNDED, MIDDLE = range(4)

#: Where equal values fill these, so many places are looked at anywhere in the node; of more, evenly spread ones.
_PLACES = 4096


class Points(NamedTuple):
    """The records: where each lies on every axis (not a number: missing), then its codes in the sensitive columns."""

    points: Array
    rows: Array
    ends: Array  # where each sensitive column's counts start, and their end; only a 0 where nothing is asked of them


class Way(NamedTuple):
    """How the search goes."""

    draws: int  # how many axes are drawn at a time
    places: int
    relaxed: bool
    seed: np.uint64


class Scratch(NamedTuple):
    """Memory of one search, so that no node allocates.

    The places where a node may be cut part its records, in order, into groups: ``at[g]`` records stand before group g.
    """

    drawn: Array  # the axes in random order
    spread: Array  # their variance
    keys: Array  # what the records are ordered by
    group: Array  # of each record
    ordered: Array  # the keys near the places, in order
    which: Array  # their records
    spare: Array
    spare_which: Array
    at: Array
    low: Array  # of each group; in the beginning the centres of two sides
    high: Array  # of each group; in the beginning how many records these centres are of
    later: Array  # the range of all records of a group and those after it
    counts: Array  # of the sensitive codes in the node, on its left and on its right, and one to spare
    surplus: Array


def scratch(table: Points, records: int, k: int, relaxed: bool) -> Scratch:
    """Memory for a search in a node of this many records."""
    counts = int(table.ends[-1])
    axes = table.points.shape[1] - (len(table.ends) - 1)
    groups = min(max(2 * k, 2 if relaxed else _PLACES), records) + 2
    return Scratch(
        np.arange(axes),
        np.empty(axes),
        np.empty(records),
        np.empty(records, np.int32),
        np.empty(records),
        np.empty(records, np.int32),
        np.empty(records),
        np.empty(records, np.int32),
        np.empty(groups, np.int64),
        np.empty((groups, axes)),
        np.empty((groups, axes)),
        np.empty(groups),
        np.zeros((4, counts), np.int64),
        np.zeros(counts + 1),
    )


@_within
def _tail(counts, start, values, l, rest):
    """What is left of the counts without the l - 1 largest."""
    left = 0
    for v in range(values):
        rest[v] = counts[start + v]
        left += rest[v]
    for _ in range(min(l - 1, values)):
        top = 0
        for v in range(values):
            if rest[v] > rest[top]:
                top = v
        left -= rest[top]
        rest[top] = 0
    return left


@_within
def _diverse(counts, numbers, r, rest):
    """Whether one sensitive column of a class is as diverse as row r of the numbers asks."""
    start, values, bound = numbers.start[r], numbers.values[r], numbers.bound[r]
    total, largest, distinct = 0, 0, 0
    for v in range(start, start + values):
        total += counts[v]
        distinct += counts[v] > 0
        largest = max(largest, counts[v])
    if total == 0:
        return False
    if numbers.kind[r] == 0:
        return total / largest >= bound
    if numbers.kind[r] == 1:
        return distinct >= bound
    if numbers.kind[r] == 2:
        entropy = 0.0
        for v in range(start, start + values):
            if counts[v] > 0:
                share = counts[v] / total
                entropy -= share * np.log(share)
        return np.exp(entropy) >= bound
    return largest < numbers.c[r] * _tail(counts, start, values, np.int64(bound), rest)


@_within
def _close(counts, numbers, r, surplus):
    """Whether one sensitive column of a class is distributed as in the table, up to the bound of row r."""
    start, values, whole = numbers.start[r], numbers.values[r], numbers.start_of_share[r]
    total = 0
    for v in range(start, start + values):
        total += counts[v]
    surplus[0] = 0.0
    for v in range(values):
        surplus[v + 1] = surplus[v] + counts[start + v] / total - numbers.share[whole + v]
    cost = 0.0
    for f in range(numbers.flow[r], numbers.flow[r + 1]):
        cost += numbers.weight[f] * abs(surplus[numbers.last[f]] - surplus[numbers.first[f]])
    return cost <= numbers.bound[r]


@_within
def keeps(counts, numbers, surplus, rest):
    """Whether a class with these sensitive counts keeps every requirement but its size."""
    for r in range(len(numbers.kind)):
        if numbers.kind[r] == 4:
            if not _close(counts, numbers, r, surplus):
                return False
        elif not _diverse(counts, numbers, r, rest):
            return False
    return True


@njit(cache=True, nogil=True)
def lay(codes, places, position, offset, first, last, points):
    """Lays the records first to last out as points: those of axis j lie at ``position[offset[j] + code]``."""
    for i in range(first, last):
        for j in range(points.shape[1]):
            points[i, j] = position[offset[j] + np.int64(codes[places[i], j])]


@njit(cache=True, nogil=True)
def draw(seed, lo, hi, axes):
    """A random order of the axes, the same for a node whichever core cuts it (splitmix64; Fisher and Yates)."""
    step = np.uint64(0x9E3779B97F4A7C15)
    state = np.uint64(seed) ^ ((np.uint64(lo) << np.uint64(32)) + np.uint64(hi)) * step
    for j in range(len(axes)):
        axes[j] = j
    for last in range(len(axes) - 1, 0, -1):
        state += step
        word = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word ^= word >> np.uint64(31)
        other = np.int64(np.float64(word >> np.uint64(11)) * (last + 1) / 9007199254740992.0)
        axes[last], axes[other] = axes[other], axes[last]


@_within
def _spread(points, lo, hi, axis):
    """The variance of the known values on an axis, about one of them lest it drown in their size."""
    some = np.nan
    for i in range(lo, hi):
        some = points[i, axis]
        if some == some:
            break
    known, total, squares = 0, 0.0, 0.0
    for i in range(lo, hi):
        x = points[i, axis] - some
        if x == x:
            known += 1
            total += x
            squares += x * x
    return max(squares - total * total / known, 0.0) / known if known else 0.0


@_within
def _nth(values, low, high, n):
    """The n-th smallest, the lesser before it and the greater after it. No branch to mispredict: what is met changes
    places with the first that is too large, and only the place of that one moves on or not."""
    while True:
        middle = (low + high) // 2
        one, other, third = values[low], values[middle], values[high]
        pivot, less = max(min(one, other), min(max(one, other), third)), low
        for i in range(low, high + 1):
            value = values[i]
            values[i], values[less] = values[less], value
            less += value < pivot
        if n < less:
            high = less - 1
            continue
        low = less
        for i in range(low, high + 1):
            value = values[i]
            values[i], values[low] = values[low], value
            low += value <= pivot
        if n < low:
            return pivot


@_within
def _sort(keys, which, count, spare, spare_which):
    """Sorts by key, and where keys are equal leaves the records as they lie (a merge sort of short sorted runs)."""
    width = 16
    for start in range(0, count, width):
        for i in range(start + 1, min(start + width, count)):
            key, one, j = keys[i], which[i], i
            while j > start and keys[j - 1] > key:
                keys[j], which[j] = keys[j - 1], which[j - 1]
                j -= 1
            keys[j], which[j] = key, one
    while width < count:
        for start in range(0, count - width, 2 * width):
            right, end, place = start + width, min(start + 2 * width, count), start
            if keys[right - 1] <= keys[right]:
                continue
            for i in range(width):
                spare[i], spare_which[i] = keys[start + i], which[start + i]
            for i in range(width):
                while right < end and keys[right] < spare[i]:
                    keys[place], which[place] = keys[right], which[right]
                    place, right = place + 1, right + 1
                keys[place], which[place] = spare[i], spare_which[i]
                place += 1
        width *= 2


@_within
def _deal(keys, which, count, spare, spare_which):
    """Deals many records into a few hundred boxes by their keys: few equal ones are left to be sorted."""
    least, most = keys[0], keys[0]
    for i in range(count):
        least, most = min(least, keys[i]), max(most, keys[i])
    ends, factor = np.zeros(258, np.int64), 255.0 / (most - least) if most > least else 0.0
    for i in range(count):
        ends[np.int64((keys[i] - least) * factor) + 2] += 1
        spare[i], spare_which[i] = keys[i], which[i]
    for box in range(2, 258):
        ends[box] += ends[box - 1]
    for i in range(count):
        box = np.int64((spare[i] - least) * factor) + 1
        keys[ends[box]], which[ends[box]] = spare[i], spare_which[i]
        ends[box] += 1


@_within
def _centres(points, lo, n, keys, value, mean, known):
    """The centres of those whose key is below a value and of those from there on, and of how many on each axis."""
    for side in range(2):
        for j in range(mean.shape[1]):
            mean[side, j], known[side, j] = 0.0, 0.0
    for i in range(n):
        if keys[i] == keys[i]:
            side = np.int64(keys[i] >= value)
            for j in range(mean.shape[1]):
                x = points[lo + i, j]
                if x == x:
                    mean[side, j] += x
                    known[side, j] += 1.0
    for side in range(2):
        for j in range(mean.shape[1]):
            mean[side, j] = mean[side, j] / known[side, j] if known[side, j] else np.nan


@_within
def _seat_missing(points, lo, n, where, keys, spare, regret, mean, known):
    """Keys for those without a value: before all others on the side of the left centre if it is nearer, else after all.

    The centres are of those with a value, cut where the node would be. Where one side would become too large, those of
    least regret go to the other.
    """
    have, gone, seats, axes = 0, 0, 0, mean.shape[1]
    for i in range(n):
        if keys[i] == keys[i]:
            spare[have] = keys[i]
            have += 1
    cut = have * where[0] // n
    _centres(points, lo, n, keys, _nth(spare, 0, have - 1, cut) if have else 0.0, mean, known)
    for i in range(n):
        if keys[i] != keys[i]:
            regret[i] = 0.0
            for j in range(axes):
                x, left, right = points[lo + i, j], mean[0, j], mean[1, j]
                nearer = (x - left) * (x - left) - (x - right) * (x - right)
                if nearer == nearer:  # the record and both centres are known
                    regret[i] += nearer
            spare[gone] = regret[i]
            gone += 1
            seats += regret[i] < 0.0
    seats = min(max(seats, where[0] - cut, 0), max(where[1], where[3]) - cut, gone)
    last = _nth(spare, 0, gone - 1, seats) if seats < gone else np.inf
    for i in range(n):
        if keys[i] != keys[i]:
            seats -= regret[i] < last
    for i in range(n):
        if keys[i] != keys[i]:
            goes = regret[i] < last or (regret[i] == last and seats > 0)
            seats -= regret[i] == last
            keys[i] = regret[i] - axes - 2 if goes else regret[i] + axes + 2  # known values lie from 0 to 1


@_within
def _extend(lower, upper, low, high):
    """Widens ranges by others; what is missing is neither below nor above."""
    for j in range(len(low)):
        low[j] = lower[j] if lower[j] < low[j] else low[j]  # noqa: FURB136 - min() asks twice
        high[j] = upper[j] if upper[j] > high[j] else high[j]  # noqa: FURB136


@_within
def _range(low, high):
    """The sum of the ranges (Esr)."""
    total = 0.0
    for j in range(len(low)):
        if high[j] > low[j]:
            total += high[j] - low[j]
    return total


@_within
def _places(n, k, places):
    """Where a node may be cut so that as many classes as possible come of it: a to b, and c to d."""
    most, spare = n // k, n % k
    half = most // 2
    if places == 3:  # MIDDLE: kernels have no globals
        return n // 2, n // 2, 1, 0
    if places == 2:
        return (most + 1) // 2 * k, (most + 1) // 2 * k, 1, 0
    if places == 1 or most < 3:
        return half * k, half * k + spare, 1, 0
    return half * k, half * k + spare, (half + 1) * k, (half + 1) * k + spare


@_within
def _is_place(s, where, keys, below, relaxed):
    """Whether a node may be cut before place s; so many records are below the first key."""
    asked = (where[0] <= s and s <= where[1]) or (where[2] <= s and s <= where[3])
    return asked and (relaxed or keys[s - 1 - below] != keys[s - below])


@_within
def _extents(points, lo, hi, group, groups, low, high):
    """The ranges of each group."""
    for g in range(groups):
        for j in range(low.shape[1]):
            low[g, j], high[g, j] = np.inf, -np.inf
    for i in range(lo, hi):
        g = group[i - lo]
        _extend(points[i], points[i], low[g], high[g])


@_within
def _count(points, i, axes, ends, counts):
    """Counts the sensitive codes of a record."""
    for s in range(len(ends) - 1):
        counts[ends[s] + np.int64(points[i, axes + s])] += 1


@_within
def _look_back(groups, low, high, later):
    """The range of each group and all that are after it; the last row of low and high is to spare."""
    for j in range(low.shape[1]):
        low[-1, j], high[-1, j] = low[groups - 1, j], high[groups - 1, j]
    for g in range(groups - 1, 0, -1):
        _extend(low[g], high[g], low[-1], high[-1])
        later[g] = _range(low[-1], high[-1])


@_within
def _best(table, lo, hi, groups, below, numbers, scratch):
    """The group before which a cut leaves the sides narrowest (Pm) of those where both keep all requirements, or 0."""
    points, ends, axes, low, high = table.points, table.ends, len(scratch.drawn), scratch.low, scratch.high
    at, node, left, right = scratch.at, scratch.counts[0], scratch.counts[1], scratch.counts[2]
    for v in range(len(left)):
        left[v] = 0
    for i in range(lo, hi if len(left) else lo):
        if scratch.group[i - lo] == 0:
            _count(points, i, axes, ends, left)
    least, best = np.inf, 0
    for g in range(1, groups):
        metric = at[g] * _range(low[0], high[0]) + (hi - lo - at[g]) * scratch.later[g]
        if metric < least and len(left):
            for v in range(len(left)):
                right[v] = node[v] - left[v]
            for side in range(1, 3):
                if metric < least and not keeps(scratch.counts[side], numbers, scratch.surplus, scratch.counts[3]):
                    metric = np.inf
        if metric < least:
            least, best = metric, g
        _extend(low[g], high[g], low[0], high[0])
        for t in range(at[g] - below, at[g + 1] - below if len(left) and g + 1 < groups else 0):
            _count(points, lo + scratch.which[t], axes, ends, left)
    return best


@_within
def _order(points, lo, hi, axis, where, scratch):
    """What a node is ordered by to be cut on an axis."""
    keys, gone = scratch.keys, 0
    for i in range(hi - lo):
        keys[i] = points[lo + i, axis]
        gone += keys[i] != keys[i]
    if gone:
        ordered, spare = scratch.ordered, scratch.spare
        _seat_missing(points, lo, hi - lo, where, keys, ordered, spare, scratch.low, scratch.high)


@_within
def _ask(n, where, relaxed, scratch):
    """Parts the records of a node into groups by the places where it may be cut.

    Returns how many groups there are, and how many records are below those that stand in order.
    """
    keys, ordered, which, group, at = scratch.keys, scratch.ordered, scratch.which, scratch.group, scratch.at
    first, last = where[0] - 1, max(where[1], where[3])
    for i in range(n):
        ordered[i] = keys[i]
    lower = _nth(ordered, 0, n - 1, first)
    upper = _nth(ordered, first, n - 1, last)
    below, held, places, groups = 0, 0, 0, 1
    for i in range(n):
        key = keys[i]
        ordered[held], which[held] = key, i
        below += key < lower
        held += np.int64(key >= lower) & np.int64(key <= upper)
    if held > 512:
        _deal(ordered, which, held, scratch.spare, scratch.spare_which)
    _sort(ordered, which, held, scratch.spare, scratch.spare_which)
    for s in range(first + 1, last + 1):
        places += _is_place(s, where, ordered, below, relaxed)
    step, left_out = -(-places // (len(at) - 2)), 0
    for t in range(held):
        if t + below > first and t + below <= last and _is_place(t + below, where, ordered, below, relaxed):
            left_out += 1
            if left_out == step:
                at[groups], left_out = t + below, 0
                groups += 1
        group[which[t]] = groups - 1
    for i in range(n):
        if keys[i] < lower:
            group[i] = 0
        elif keys[i] > upper:
            group[i] = groups - 1
    return groups, below


@_within
def _next_axis(points, lo, hi, way, drawn, spread, done):
    """The axis to be tried next, and how many have been drawn by then; -1 if there is none.

    The widest of the axes that were drawn first comes first, then the others of these, then as many others at a time.
    Axes on which nothing differs are left over: a cut by lot, where that may be.
    """
    begin = max((done - 1) // way.draws * way.draws, 0)
    while True:
        widest, axis = 0.0, -1
        for d in range(begin, done):
            if spread[d] > widest:
                widest, axis = spread[d], d
        if axis >= 0:
            spread[axis] = -1.0
            return drawn[axis], done
        if done == len(drawn):
            break
        begin, done = done, min(done + way.draws, len(drawn))
        for d in range(begin, done):
            spread[d] = _spread(points, lo, hi, drawn[d])
    for d in range(len(drawn) if way.relaxed else 0):
        if spread[d] == 0.0:
            for e in range(len(spread)):
                spread[e] = -1.0
            return drawn[d], done
    return -1, done


@_within
def _move(points, rows, lo, hi, group, cut):
    """Exchanges records until those of the groups before the cut are in front."""
    i, j = lo, hi - 1
    while True:
        while i < j and group[i - lo] < cut:
            i += 1
        while i < j and group[j - lo] >= cut:
            j -= 1
        if i >= j:
            return
        for w in range(points.shape[1]):
            points[i, w], points[j, w] = points[j, w], points[i, w]
        rows[i], rows[j] = rows[j], rows[i]
        i, j = i + 1, j - 1


@_within
def _begin(table, lo, hi, seed, drawn, counts):
    """Draws the order of the axes for a node, and counts its sensitive codes."""
    draw(seed, lo, hi, drawn)
    for v in range(counts.shape[1]):
        counts[0, v] = 0
    for i in range(lo, hi if counts.shape[1] else lo):
        _count(table.points, i, len(drawn), table.ends, counts[0])


@njit(cache=True, nogil=True)
def divide(table, lo, hi, numbers, way, scratch, cuts, starts):
    """Cuts lo..hi and each part again, at most so many times, as long as a part has 2k records and allows it.

    Writes where the parts start, in no order, and returns how many there are.
    """
    points, k, at = table.points, numbers.least, scratch.at
    waiting = np.empty((65, 2), np.int64)  # the smaller part goes first, so that few wait
    waiting[0, 0], waiting[0, 1] = lo, hi
    depth, found = 1, 0
    while depth:
        lo, hi = waiting[depth - 1, 0], waiting[depth - 1, 1]
        n, axis, done, cut = hi - lo, -1, 0, 0
        if n >= 2 * k and cuts > 0:
            _begin(table, lo, hi, way.seed, scratch.drawn, scratch.counts)
            axis = 0
        while axis >= 0 and cut == 0:
            axis, done = _next_axis(points, lo, hi, way, scratch.drawn, scratch.spread, done)
            if axis >= 0:
                where, groups, below = _places(n, k, way.places), 1, 0
                _order(points, lo, hi, axis, where, scratch)
                for _ in range(2):
                    if groups == 1:
                        groups, below = _ask(n, where, way.relaxed, scratch)
                        where = (k, n - k, 1, 0)
                if groups > 1:
                    _extents(points, lo, hi, scratch.group, groups, scratch.low, scratch.high)
                    _look_back(groups, scratch.low, scratch.high, scratch.later)
                    cut = _best(table, lo, hi, groups, below, numbers, scratch)
        if cut:
            _move(points, table.rows, lo, hi, scratch.group, cut)
            cuts -= 1
            top = np.int64(2 * at[cut] < n)
            waiting[depth - 1 + top, 0], waiting[depth - 1 + top, 1] = lo, lo + at[cut]
            waiting[depth - top, 0], waiting[depth - top, 1] = lo + at[cut], hi
            depth += 1
        else:
            starts[found] = lo
            found += 1
            depth -= 1
    return found
