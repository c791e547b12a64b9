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


class Groups(NamedTuple):
    """The groups of a cut, in the order of the column; those that are put together are told by the first of them."""

    first: Array
    last: Array
    left: Array
    right: Array
    mixed: Array  # whether it holds several values of the column
    round: Array  # in which round it was put together
    opens: Array  # its values are value[opens:closes], with their counts
    closes: Array
    known: Array  # by column: how many of its records count, and how many hold the commonest value
    most: Array
    value: Array
    count: Array
    place: Array  # by value: its place in a list, and one; 0 if it is not in it
    top: Array  # by column


class Spare(NamedTuple):
    """Memory for sorting."""

    words: Array
    rows: Array
    fill: Array


def groups(records: int, codes: int, values: int, columns: int) -> Groups:
    """Memory for the groups of any cut of so many records."""
    most = min(records, codes)
    entries = min(records * columns, most * values)
    whole = [np.empty(most, np.int64) for _ in range(4)]
    return Groups(
        *whole,
        np.empty(most, np.bool_),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty((most, columns), np.int64),
        np.empty((most, columns), np.int64),
        np.empty(entries, np.int64),
        np.empty(entries, np.int64),
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
    columns = len(shares.column)
    end = groups.opens[g]
    for a in range(columns):
        groups.known[g, a] = groups.most[g, a] = 0
    for i in range(groups.first[g], groups.last[g]):
        for a in range(columns):
            value = shares.start[a] + np.int64(codes[i, shares.column[a]])
            if value < shares.start[a + 1]:
                if groups.place[value] == 0:
                    groups.value[end], groups.count[end] = value, 0
                    end += 1
                    groups.place[value] = end
                at = groups.place[value] - 1
                groups.count[at] += 1
                groups.known[g, a] += 1
                groups.most[g, a] = max(groups.most[g, a], groups.count[at])
    groups.closes[g] = end
    for at in range(groups.opens[g], end):
        groups.place[groups.value[at]] = 0


@njit(cache=True, nogil=True)
def _groups(codes, lo, hi, axis, groups, shares):
    """The runs of equal codes in a sorted block; returns how many there are."""
    found, begin = 0, lo
    while begin < hi:
        end = begin + 1
        while end < hi and codes[end, axis] == codes[begin, axis]:
            end += 1
        groups.first[found], groups.last[found] = begin, end
        groups.left[found], groups.right[found] = found - 1, found + 1
        groups.mixed[found], groups.round[found] = False, 0
        groups.opens[found] = groups.closes[found - 1] if found else 0
        _tally(codes, found, groups, shares)
        found, begin = found + 1, end
    groups.right[found - 1] = -1
    return found


@njit(cache=True, nogil=True)
def _broken(g, groups, shares):
    """Whether a group is no block: too few records, or a value that is too common."""
    if groups.last[g] - groups.first[g] < shares.least:
        return True
    for a in range(len(shares.column)):
        if groups.known[g, a] == 0 or groups.known[g, a] / groups.most[g, a] < shares.bound[a]:
            return True
    return False


@njit(cache=True, nogil=True)
def _deficit(one, other, groups, shares):
    """How many records two groups together lack to be a block."""
    groups.top[:] = groups.most[one]
    for at in range(groups.opens[one], groups.closes[one]):
        groups.place[groups.value[at]] = at + 1
    for at in range(groups.opens[other], groups.closes[other]):
        value = groups.value[at]
        held = groups.place[value]
        together = groups.count[at] + (groups.count[held - 1] if held else 0)
        a = shares.of[value]
        groups.top[a] = max(groups.top[a], together)
    for at in range(groups.opens[one], groups.closes[one]):
        groups.place[groups.value[at]] = 0
    lack = 0.0
    for a in range(len(shares.column)):
        lack += max(shares.bound[a] * max(groups.top[a], 1) - groups.known[one, a] - groups.known[other, a], 0.0)
    size = groups.last[one] - groups.first[one] + groups.last[other] - groups.first[other]
    return max(lack, np.float64(shares.least - size))


@njit(cache=True, nogil=True)
def _join(one, other, groups, shares, now):
    """Put a group together with its right neighbour, in the place of the first."""
    end = groups.closes[one]
    for at in range(groups.opens[one], groups.closes[one]):
        groups.place[groups.value[at]] = at + 1
    for at in range(groups.opens[other], groups.closes[other]):
        value, held = groups.value[at], groups.place[groups.value[at]]
        if held:
            groups.count[held - 1] += groups.count[at]
        else:
            groups.value[end], groups.count[end] = value, groups.count[at]
            end += 1
    for at in range(groups.opens[one], groups.closes[one]):
        groups.place[groups.value[at]] = 0
    groups.closes[one], groups.last[one] = end, groups.last[other]
    for a in range(len(shares.column)):
        groups.known[one, a] += groups.known[other, a]
        groups.most[one, a] = 0
    for at in range(groups.opens[one], end):
        a = shares.of[groups.value[at]]
        groups.most[one, a] = max(groups.most[one, a], groups.count[at])
    groups.mixed[one], groups.round[one] = True, now
    groups.right[one] = groups.right[other]
    if groups.right[one] >= 0:
        groups.left[groups.right[one]] = one


@njit(cache=True, nogil=True)
def _neighbour(g, groups, shares, now, bit):
    """With which neighbour to put a group together, of those that were not in this round; -1 if there is none.

    ``bit`` is -1 for the better one, else it chooses the left or the right.
    """
    left, right = groups.left[g], groups.right[g]
    if left >= 0 and groups.round[left] == now:
        left = -1
    if right >= 0 and groups.round[right] == now:
        right = -1
    if left < 0 or right < 0:
        return max(left, right)
    if bit >= 0:
        return right if bit else left
    on_left, on_right = _deficit(left, g, groups, shares), _deficit(g, right, groups, shares)
    if on_left == on_right:
        fewer = groups.last[right] - groups.first[right] < groups.last[left] - groups.first[left]
        return right if fewer else left
    return right if on_right < on_left else left


@njit(cache=True, nogil=True)
def _merge(groups, shares, luck, depth):
    """Put groups together until each is a block, or one is left.

    In rounds, in each of which a group is put together once at most: else the first block would swallow, one by one,
    the neighbours that are too small to be blocks.
    """
    now, changed = 0, True
    while changed:
        now, g, changed = now + 1, 0, False
        while g >= 0:
            if groups.round[g] != now and _broken(g, groups, shares):
                bit = np.int64(-1)
                if len(luck):
                    word = luck[groups.first[g]] >> np.uint64((now + 8 * depth) & 63)
                    bit = np.int64(word & np.uint64(1))
                other = _neighbour(g, groups, shares, now, bit)
                if other >= 0:
                    g, other, changed = min(g, other), max(g, other), True
                    _join(g, other, groups, shares, now)
            g = groups.right[g]


@njit(cache=True, nogil=True)
def divide(records, starts, depths, columns, shares, final, luck, once, groups, spare, begins, reached):
    """Cut blocks that lie side by side by the columns from their depths on; a single one once, if that is wanted.

    Writes where each new block begins, and the depth from which it is to be cut on; returns how many there are. With
    ``final`` a block that holds several values of a column is not cut by the next ones. ``luck`` is empty where groups
    go to the better neighbour.
    """
    deepest, found = len(columns), 0
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
                    cut = groups.right[0] >= 0
                    if final and not cut:
                        depth = deepest
                depth += 1
            if not cut:
                begins[found], reached[found] = lo, deepest
                lo, found, top = hi, found + 1, top - 1
                continue
            g = 0
            while groups.right[g] >= 0:
                g = groups.right[g]
            while g >= 0:  # the last first, so that the first is cut on first
                if once:
                    begins[found], reached[found] = groups.first[g], deepest if final and groups.mixed[g] else depth
                    found += 1
                else:
                    waiting[top], depth_of[top] = groups.last[g], deepest if final and groups.mixed[g] else depth
                    top += 1
                g = groups.left[g]
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
        known[:], most[:] = 0, 0
        lo, found = i + 1, found + 1
    return found
