"""Which associations records show, and which columns of a bucket stay together for it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


class Association(NamedTuple):
    """Sets of value ranges: range r is of the codes ``first[r]`` to ``last[r] - 1`` of axis ``axis[r]``."""

    ranges: Array  # a row for each set; -1 where it has no more
    axis: Array
    first: Array
    last: Array


@njit(cache=True, nogil=True)
def first_set(codes, sets, found):
    """The first set all of whose values each record has; the number of the sets if there is none."""
    ranges, axis, first, last = sets
    for i in range(len(codes)):
        found[i] = len(ranges)
        for s in range(len(ranges)):
            inside = True
            for r in ranges[s]:
                inside &= r < 0 or first[r] <= codes[i, axis[r]] < last[r]
            if inside:
                found[i] = s
                break


@njit(cache=True, nogil=True)
def _matches(codes, records, sets, matched):
    """For each range of values, which of these records have one of them, as bits."""
    for r in range(len(sets.axis)):
        for w in range(matched.shape[1]):
            matched[r, w] = 0
        for at in range(len(records)):
            if sets.first[r] <= codes[records[at], sets.axis[r]] < sets.last[r]:
                matched[r, at // 64] |= np.uint64(1) << np.uint64(at % 64)


@njit(cache=True, nogil=True)
def _shown(sets, matched, words, times):
    """How many records show each set."""
    for s in range(len(sets.ranges)):
        times[s] = 0
        for w in range(words):
            word = ~np.uint64(0)
            for r in sets.ranges[s]:
                if r >= 0:
                    word &= matched[r, w]
            while word:
                word &= word - np.uint64(1)
                times[s] += 1


@njit(cache=True, nogil=True)
def _commonest_first(times, most, below, order):
    """The sets, those first that most records show, else as they were."""
    for m in range(most + 2):
        below[m] = 0
    for s in range(len(times)):
        below[most - times[s] + 1] += 1
    for m in range(most + 1):
        below[m + 1] += below[m]
    for s in range(len(times)):
        order[below[most - times[s]]] = s
        below[most - times[s]] += 1


@njit(cache=True, nogil=True)
def lay_out(codes, order, starts, sets, axes, widest, narrowest, slices):
    """Puts the first ``axes`` columns of each bucket into slices, those that are in none yet (-1).

    A set puts its columns into one slice if so many of them are in none yet (Algorithm 2, lines 9 to 20); what is left
    makes one slice, or several of nearly the same width (lines 21 to 25).
    """
    most = 0
    for c in range(len(starts) - 1):
        most = max(most, starts[c + 1] - starts[c])
    matched = np.zeros((len(sets.axis), (most + 63) // 64), np.uint64)
    times, by_times = np.empty(len(sets.ranges), np.int64), np.empty(len(sets.ranges), np.int64)
    below = np.empty(most + 2, np.int64)
    for c in range(len(starts) - 1):
        records, of = order[starts[c] : starts[c + 1]], slices[c]
        _matches(codes, records, sets, matched)
        _shown(sets, matched, (len(records) + 63) // 64, times)
        _commonest_first(times, len(records), below, by_times)
        following, left = 0, 0
        for j in range(len(of)):
            following = max(following, of[j] + 1)
            left += j < axes and of[j] < 0
        for s in by_times:
            if left < narrowest or left == 0:
                break
            free = 0
            for r in sets.ranges[s]:
                free += r >= 0 and of[sets.axis[r]] < 0
            if free >= narrowest:
                for r in sets.ranges[s]:
                    if r >= 0 and of[sets.axis[r]] < 0:
                        of[sets.axis[r]] = following
                following, left = following + 1, left - free
        parts, at = -(-left // widest), 0
        for j in range(axes):
            if of[j] < 0:
                of[j] = following + at * parts // left
                at += 1
