"""The order in which records are published."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def in_class_order(order, starts, classes, arranged):
    """The records class by class, the classes in the order given."""
    place = 0
    for c in classes:
        for i in range(starts[c], starts[c + 1]):
            arranged[place] = order[i]
            place += 1


@njit(cache=True, nogil=True)
def spread(values, sizes, spread_out):
    """Each value as often as its size says."""
    place = 0
    for c in range(len(values)):
        for _ in range(sizes[c]):
            spread_out[place] = values[c]
            place += 1


@njit(cache=True, nogil=True)
def _before(codes, one, other, last):
    """Whether one record sorts before another by its first codes."""
    for column in range(last):
        if codes[one, column] != codes[other, column]:
            return codes[one, column] < codes[other, column]
    return False


@njit(cache=True, nogil=True)
def sort_within(codes, arranged, starts, last):
    """Sort the records of each class by their first codes (Shell's sort, in place: most classes are tiny)."""
    for c in range(len(starts) - 1):
        lo, hi = starts[c], starts[c + 1]
        gap = (hi - lo) // 2
        while gap:
            for i in range(lo + gap, hi):
                record, j = arranged[i], i
                while j >= lo + gap and _before(codes, record, arranged[j - gap], last):
                    arranged[j] = arranged[j - gap]
                    j -= gap
                arranged[j] = record
            gap = 1 if gap == 2 else gap * 5 // 11
