"""Blocks of records that are alike in one column after the other, put together where a sensitive value is too common.

Records are moved, not pointed at, as in :mod:`shoal.kernels.cutting`. A cut sorts the records of a block by one column;
its groups are then the runs of equal codes, and each holds a list of the sensitive values that occur in it, so that
what two groups hold together is found without looking at their records again. ``shares`` is a
:class:`shoal.privacy.shares.Shares`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

#: A pass of the sort looks at so many bits of a code at least, and at most.
_FEW, _MANY = 6, 16


class Records(NamedTuple):
    """The records: two views of the same memory, one to look at, one to move by, and their places in the table."""

    codes: Array
    words: Array
    rows: Array


#: What is held of a group: where its records and its values begin and end, its neighbours among the groups, in which
#: round it was put together with another, and whether it holds several values of the column.
FIRST, LAST, OPENS, CLOSES, LEFT, RIGHT, ROUND, MIXED = range(8)
#: What is held of a group and a sensitive column: how many records count, and how many hold the commonest value.
KNOWN, MOST = range(2)
#: What is held of a value of a group.
VALUE, COUNT = range(2)


class Groups(NamedTuple):
    """The groups of a cut in the order of the column; those that are put together are told by the first of them."""

    of: Array
    secret: Array  # by group and sensitive column
    entry: Array  # the values of all groups, end to end
    place: Array  # by value: its place among the entries, and one; 0 if it is not in the list that is looked at
    top: Array  # by sensitive column


class Spare(NamedTuple):
    """Memory for sorting."""

    words: Array
    rows: Array
    fill: Array


def groups(records: int, codes: int, values: int, columns: int) -> Groups:
    """Memory for the groups of any cut of so many records."""
    most = min(records, codes)
    return Groups(
        np.empty((most, 8), np.int64),
        np.empty((most, columns, 2), np.int64),
        np.empty((min(records * columns, most * values), 2), np.int64),
        np.zeros(values, np.int64),
        np.empty(columns, np.int64),
    )


def spare(records: int, width: int) -> Spare:
    """Memory for sorting so many records."""
    return Spare(
        np.empty((records, width), np.uint64), np.empty(records, np.uint32), np.empty((1 << _MANY) + 1, np.int64)
    )


@njit(cache=True, nogil=True)
def sort(records, lo, hi, axis, spare):
    """Sort the records of a block by one column, those that are equal in the order in which they lie."""
    codes, words, rows = records
    low = high = np.int64(codes[lo, axis])
    for i in range(lo + 1, hi):
        low, high = min(low, np.int64(codes[i, axis])), max(high, np.int64(codes[i, axis]))
    bits = _FEW
    while bits < _MANY and (1 << bits) < hi - lo:
        bits += 1
    shift, mask, width = 0, (1 << bits) - 1, words.shape[1]
    while (high - low) >> shift:
        for digit in range(min((high - low) >> shift, mask) + 2):
            spare.fill[digit] = 0
        for i in range(lo, hi):
            spare.fill[(((np.int64(codes[i, axis]) - low) >> shift) & mask) + 1] += 1
        for digit in range(min((high - low) >> shift, mask) + 1):
            spare.fill[digit + 1] += spare.fill[digit]
        for i in range(lo, hi):
            digit = ((np.int64(codes[i, axis]) - low) >> shift) & mask
            to = spare.fill[digit]
            spare.fill[digit] += 1
            for w in range(width):
                spare.words[to, w] = words[i, w]
            spare.rows[to] = rows[i]
        for i in range(lo, hi):
            for w in range(width):
                words[i, w] = spare.words[i - lo, w]
            rows[i] = spare.rows[i - lo]
        shift += bits
    return low < high


@njit(cache=True, nogil=True)
def _tally(codes, g, groups, shares):
    """List the sensitive values of a group, and how often each occurs."""
    of, secret, entry, place, _ = groups
    end = of[g, OPENS]
    for a in range(len(shares.column)):
        secret[g, a, KNOWN] = secret[g, a, MOST] = 0
        for i in range(of[g, FIRST], of[g, LAST]):
            value = shares.start[a] + np.int64(codes[i, shares.column[a]])
            if value < shares.start[a + 1]:
                if place[value] == 0:
                    entry[end, VALUE], entry[end, COUNT] = value, 0
                    end += 1
                    place[value] = end
                count = entry[place[value] - 1, COUNT] + 1
                entry[place[value] - 1, COUNT] = count
                secret[g, a, KNOWN] += 1
                secret[g, a, MOST] = max(secret[g, a, MOST], count)
    of[g, CLOSES] = end
    for at in range(of[g, OPENS], end):
        place[entry[at, VALUE]] = 0


@njit(cache=True, nogil=True)
def _groups(codes, lo, hi, axis, groups, shares):
    """The runs of equal codes in a sorted block."""
    of, g, begin = groups.of, np.int64(0), lo
    while begin < hi:
        end = begin + 1
        while end < hi and codes[end, axis] == codes[begin, axis]:
            end += 1
        of[g, FIRST], of[g, LAST], of[g, LEFT], of[g, RIGHT] = begin, end, g - 1, g + 1 if end < hi else -1
        of[g, ROUND], of[g, MIXED], of[g, OPENS] = 0, 0, of[g - 1, CLOSES] if g else 0
        _tally(codes, g, groups, shares)
        g, begin = g + 1, end


@njit(cache=True, nogil=True)
def _broken(g, groups, shares):
    """Whether a group is no block: too few records, or a value that is too common."""
    if groups.of[g, LAST] - groups.of[g, FIRST] < shares.least:
        return True
    for a in range(len(shares.column)):
        known, most = groups.secret[g, a, KNOWN], groups.secret[g, a, MOST]
        if known == 0 or known / most < shares.bound[a]:
            return True
    return False


@njit(cache=True, nogil=True)
def _deficit(one, other, groups, shares):
    """How many records two groups together lack to be a block."""
    of, secret, entry, place, top = groups
    for a in range(len(shares.column)):
        top[a] = max(secret[one, a, MOST], 1)
    for at in range(of[one, OPENS], of[one, CLOSES]):
        place[entry[at, VALUE]] = at + 1
    for at in range(of[other, OPENS], of[other, CLOSES]):
        value = entry[at, VALUE]
        both = entry[at, COUNT] + (entry[place[value] - 1, COUNT] if place[value] else 0)
        top[shares.of[value]] = max(top[shares.of[value]], both)
    for at in range(of[one, OPENS], of[one, CLOSES]):
        place[entry[at, VALUE]] = 0
    lack = 0.0
    for a in range(len(shares.column)):
        lack += max(shares.bound[a] * top[a] - secret[one, a, KNOWN] - secret[other, a, KNOWN], 0.0)
    return max(lack, shares.least - 0.0 - (of[one, LAST] - of[one, FIRST]) - (of[other, LAST] - of[other, FIRST]))


@njit(cache=True, nogil=True)
def _join(one, other, groups, shares, now):
    """Put a group together with its right neighbour, in the place of the first."""
    of, secret, entry, place, _ = groups
    end = of[one, CLOSES]
    for a in range(len(shares.column)):
        secret[one, a, KNOWN] += secret[other, a, KNOWN]
    for at in range(of[one, OPENS], of[one, CLOSES]):
        place[entry[at, VALUE]] = at + 1
    for at in range(of[other, OPENS], of[other, CLOSES]):
        value, count = entry[at, VALUE], entry[at, COUNT]
        if place[value]:
            count += entry[place[value] - 1, COUNT]
            entry[place[value] - 1, COUNT] = count
        else:
            entry[end, VALUE], entry[end, COUNT] = value, count
            end += 1
        a = shares.of[value]
        secret[one, a, MOST] = max(secret[one, a, MOST], secret[other, a, MOST], count)
    for at in range(of[one, OPENS], of[one, CLOSES]):
        place[entry[at, VALUE]] = 0
    of[one, CLOSES], of[one, LAST], of[one, RIGHT] = end, of[other, LAST], of[other, RIGHT]
    of[one, MIXED], of[one, ROUND] = 1, now
    if of[one, RIGHT] >= 0:
        of[of[one, RIGHT], LEFT] = one


@njit(cache=True, nogil=True)
def _neighbour(g, groups, shares, now, bit):
    """With which neighbour to put a group together, of those that were not in this round; -1 if there is none.

    ``bit`` is -1 for the better one, else it chooses the left or the right.
    """
    of = groups.of
    left, right = of[g, LEFT], of[g, RIGHT]
    if left >= 0 and of[left, ROUND] == now:
        left = -1
    if right >= 0 and of[right, ROUND] == now:
        right = -1
    if left < 0 or right < 0:
        return max(left, right)
    if bit >= 0:
        return right if bit else left
    on_left, on_right = _deficit(left, g, groups, shares), _deficit(g, right, groups, shares)
    if on_left == on_right:
        on_left, on_right = of[left, LAST] - of[left, FIRST], of[right, LAST] - of[right, FIRST]
    return right if on_right < on_left else left


@njit(cache=True, nogil=True)
def _merge(groups, shares, luck, depth):
    """Put groups together until each is a block, or one is left.

    In rounds, in each of which a group is put together once at most: else the first block would swallow, one by one,
    the neighbours that are too small to be blocks.
    """
    of, now, changed = groups.of, 0, True
    while changed:
        now, g, changed = now + 1, np.int64(0), False
        while g >= 0:
            if of[g, ROUND] != now and _broken(g, groups, shares):
                bit = -1
                if len(luck):
                    bit = np.int64((luck[of[g, FIRST]] >> np.uint64((now + 8 * depth) & 63)) & np.uint64(1))
                other = _neighbour(g, groups, shares, now, bit)
                if other >= 0:
                    g, other, changed = min(g, other), max(g, other), True
                    _join(g, other, groups, shares, now)
            g = of[g, RIGHT]


@njit(cache=True, nogil=True)
def divide(records, starts, depths, columns, shares, final, luck, once, groups, spare, begins, reached):
    """Cut blocks that lie side by side by the columns from their depths on; a single one once, if that is wanted.

    Writes where each new block begins, and the depth from which it is to be cut on; returns how many there are. With
    ``final`` a block that holds several values of a column is not cut by the next ones. ``luck`` is empty where groups
    go to the better neighbour.
    """
    deepest, found, of = len(columns), 0, groups.of
    waiting = np.empty((starts[-1] - starts[0]) // shares.least + len(starts) + 1, np.int64)
    depth_of = np.empty(len(waiting), np.int64)
    for block in range(len(depths)):
        lo, top = starts[block], 0
        waiting[0], depth_of[0] = starts[block + 1], depths[block]
        while top >= 0:
            hi, depth, cut = waiting[top], depth_of[top], False
            while depth < deepest and hi - lo >= 2 * shares.least and not cut:
                if sort(records, lo, hi, columns[depth], spare):
                    _groups(records.codes, lo, hi, columns[depth], groups, shares)
                    _merge(groups, shares, luck, depth)
                    cut = of[0, RIGHT] >= 0
                    if final and not cut:
                        depth = deepest
                depth += 1
            if not cut:
                begins[found], reached[found] = lo, deepest
                lo, found, top = hi, found + 1, top - 1
                continue
            g = 0
            while of[g, RIGHT] >= 0:
                g = of[g, RIGHT]
            while g >= 0:  # the last first, so that the first is cut on first
                go_on = deepest if final and of[g, MIXED] else depth
                if once:
                    begins[found], reached[found] = of[g, FIRST], go_on
                    found += 1
                else:
                    waiting[top], depth_of[top] = of[g, LAST], go_on
                    top += 1
                g = of[g, LEFT]
            top -= 1
            if once:
                break
    return found


@njit(cache=True, nogil=True)
def runs(codes, shares, begins):
    """The shortest runs of records that are blocks, as they lie; the last may be none. Returns how many there are."""
    columns, found, lo = len(shares.column), 0, 0
    counts = np.zeros(shares.start[columns], np.int64)
    known, most = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    for i in range(len(codes)):
        whole = i + 1 - lo >= shares.least
        for a in range(columns):
            value = shares.start[a] + np.int64(codes[i, shares.column[a]])
            if value < shares.start[a + 1]:
                counts[value] += 1
                known[a] += 1
                most[a] = max(most[a], counts[value])
            whole = whole and known[a] > 0 and known[a] / most[a] >= shares.bound[a]
        if not whole and i + 1 < len(codes):
            continue
        begins[found] = lo
        for j in range(lo, i + 1):
            for a in range(columns):
                value = shares.start[a] + np.int64(codes[j, shares.column[a]])
                if value < shares.start[a + 1]:
                    counts[value] = 0
        for a in range(columns):
            known[a] = most[a] = 0
        lo, found = i + 1, found + 1
    return found
