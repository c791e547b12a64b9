"""What the records of each class span. The records lie class by class."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def extents(codes, starts, first, last, missing, low, high, absent):
    """For classes first..last and each axis: the extreme known codes, -1 if none is known, and how many are missing."""
    for c in range(first, last):
        for j in range(len(missing)):
            low[c, j], high[c, j], absent[c, j] = -1, -1, 0
        for i in range(starts[c], starts[c + 1]):
            for j in range(len(missing)):
                code = np.int32(codes[i, j])
                if code == missing[j]:
                    absent[c, j] += 1
                else:
                    high[c, j] = max(high[c, j], code)
                    low[c, j] = code if low[c, j] < 0 else min(low[c, j], code)


@njit(cache=True, nogil=True)
def masks(codes, starts, axis, found):
    """For each class the set of its codes on one axis, as bits."""
    for c in range(len(starts) - 1):
        held = np.uint64(0)
        for i in range(starts[c], starts[c + 1]):
            held |= np.uint64(1) << np.uint64(codes[i, axis])
        found[c] = held


@njit(cache=True, nogil=True)
def members(codes, starts, axis, seen, ends, found):
    """For each class its distinct codes on one axis in order, end to end; ``seen`` starts at -1 for every code."""
    count = 0
    for c in range(len(starts) - 1):
        begin = count
        for i in range(starts[c], starts[c + 1]):
            code = codes[i, axis]
            if seen[code] != c:
                seen[code] = c
                found[count] = code
                count += 1
        found[begin:count].sort()
        ends[c + 1] = count
    return count


@njit(cache=True, nogil=True)
def totals(codes, starts, axis, values, known, found, counted):
    """For each class the sum of its known values on one axis, and how many they are."""
    for c in range(len(starts) - 1):
        for i in range(starts[c], starts[c + 1]):
            code = codes[i, axis]
            if code < known:
                found[c] += values[code]
                counted[c] += 1


@njit(cache=True, nogil=True)
def modes(codes, starts, axis, count, found):
    """For each class its commonest code on one axis, the smallest of several; ``count`` starts and ends at zero."""
    for c in range(len(starts) - 1):
        best = np.int64(codes[starts[c], axis])
        for i in range(starts[c], starts[c + 1]):
            code = np.int64(codes[i, axis])
            count[code] += 1
            if count[code] > count[best] or (count[code] == count[best] and code < best):
                best = code
        for i in range(starts[c], starts[c + 1]):
            count[codes[i, axis]] = 0
        found[c] = best
