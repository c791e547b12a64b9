"""Buckets of the values of one column: by counts of its values where each may occur once, else tested one by one.

Values are numbers in the order of their domain. All kernels stand in this one file, since Numba's cache does not see
changes in others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

FREQUENCY, ORDERED, NESTED = range(3)


class Asked(NamedTuple):
    """What a bucket must keep. Row r stands in the arrays from ``first[r]`` on.

    Of ``FREQUENCY``, ``values[r]`` says how many of the values count. ``ORDERED``: for each value its rank in
    ``link``, for each rank the share of all that is not above it in ``share``, and the sum of these shares below it in
    ``weight``. ``NESTED``: a tree whose first nodes are the values; ``link`` is the node above (-1: none), ``share``
    what the whole has below it, ``weight`` what it costs to carry something across.
    """

    kind: Array
    bound: Array
    values: Array
    first: Array
    link: Array
    share: Array
    weight: Array
    base: Array


@njit(cache=True, nogil=True)
def _eligible(counts, lo, hi, total, l):
    """Whether no value of lo..hi is held by more than one in l."""
    largest = 0
    for v in range(lo, hi):
        largest = max(largest, counts[v])
    return largest * l <= total


@njit(cache=True, nogil=True)
def ranges(counts, l, ends):
    """Cut the values at their median while both halves stay eligible (Algorithm 2); writes the ends of the ranges.

    ``ends`` has room for one more than there are values; returns how many ranges there are.
    """
    below = np.zeros(len(counts) + 1, np.int64)
    for v in range(len(counts)):
        below[v + 1] = below[v] + counts[v]
    waiting = np.empty(len(counts) + 1, np.int64)
    waiting[0] = len(counts)
    depth, lo, found = 1, 0, 0
    while depth:
        hi = waiting[depth - 1]
        half = below[lo] + (below[hi] - below[lo] + 1) // 2
        middle = np.searchsorted(below[lo + 1 : hi + 1], half) + lo + 1  # the values up to the median, included
        left, right = below[middle] - below[lo], below[hi] - below[middle]
        # An empty half would pass the test, and its other half would be cut for ever.
        if (
            left > 0
            and right > 0
            and _eligible(counts, lo, middle, left, l)
            and _eligible(counts, middle, hi, right, l)
        ):
            waiting[depth] = middle
            depth += 1
        else:
            ends[found] = hi
            found += 1
            depth -= 1
            lo = hi
    return found


@njit(cache=True, nogil=True)
def _first_below(held, many, count):
    """The first place in a falling run of counts where they are less than ``count``."""
    lo, hi = 0, many
    while lo < hi:
        middle = (lo + hi) // 2
        if held[middle] >= count:
            lo = middle + 1
        else:
            hi = middle
    return lo


@njit(cache=True, nogil=True)
def assign(values, counts, ends, l, slot, bucket):
    """Buckets of l or more different values, nothing left over (the assignment of m-Invariance), range by range.

    ``values`` lie range by range, the commonest first, with their ``counts``. Records lie by value, those of value v
    from ``slot[v]`` on; their buckets are written. Returns how many there are.

    Counts stay in falling order, since of values that are equally common the last ones give first.
    """
    number, lo = 0, 0
    for hi in ends:
        value, held = values[lo:hi], counts[lo:hi]
        left, many = held.sum(), _first_below(held, hi - lo, 1)
        while left:
            ties, size = _first_below(held, many, held[0]), l
            while (held[0] if ties > size else held[0] - 1) * l > left - size:
                size += 1
            least = held[size - 1]
            first, last = _first_below(held, many, least + 1), _first_below(held, many, least)
            for taken in range(size):
                i = taken if taken < first else last - size + taken
                bucket[slot[value[i]]] = number
                slot[value[i]] += 1
                held[i] -= 1
            left -= size
            many = _first_below(held, many, 1)
            number += 1
        lo = hi
    return number


@njit(cache=True, nogil=True)
def _diverse(codes, holds, lo, hi, values, l):
    """Whether no value has more than 1/l of a bucket, whichever values of others are struck out of it.

    The worst is to strike out all but those of the same value: of T values that are held sensitive and n of one value,
    c of them not held sensitive, T + c are left.
    """
    mine = 0
    for i in range(lo, hi):
        mine += holds[i] and codes[i] < values
    same, others = 0, 0
    for i in range(lo, hi):
        if codes[i] >= values:
            break
        if i > lo and codes[i] != codes[i - 1]:
            same, others = 0, 0
        same += 1
        others += not holds[i]
        if (mine + others) / same < l:
            return False
    return mine > 0


@njit(cache=True, nogil=True)
def _across(asked, first, lowest, highest, level):
    """The sum of |level - F(rank)| over the ranks from lowest to highest - 1, F never falling."""
    lo, hi = lowest, highest
    while lo < hi:  # the first rank whose share is above the level
        middle = (lo + hi) // 2
        if asked.share[first + middle] > level:
            hi = middle
        else:
            lo = middle + 1
    weight = asked.weight
    below = level * (lo - lowest) - (weight[first + lo] - weight[first + lowest])
    return below + (weight[first + highest] - weight[first + lo]) - level * (highest - lo)


@njit(cache=True, nogil=True)
def _ordered(asked, r, codes, lo, hi):
    """The distance by rank of a bucket of sorted values from the whole."""
    first, ranks = asked.first[r], asked.values[r]
    cost, reached = 0.0, 0
    for i in range(lo, hi):
        rank = asked.link[first + codes[i]]
        cost += _across(asked, first, reached, rank, (i - lo) / (hi - lo))
        reached = rank
    cost += _across(asked, first, reached, ranks - 1, 1.0)
    return cost / max(ranks - 1, 1)


@njit(cache=True, nogil=True)
def _nested(asked, r, codes, lo, hi, held):
    """The distance of a bucket from the whole along a tree: what each edge carries, twice over."""
    first, cost = asked.first[r], asked.base[r]
    for i in range(lo, hi):
        node = np.int64(codes[i])
        while node >= 0:
            held[node] += 1
            node = asked.link[first + node]
    for i in range(lo, hi):
        node = np.int64(codes[i])
        while node >= 0 and held[node] > 0:  # each node once
            share = asked.share[first + node]
            cost += asked.weight[first + node] * (abs(held[node] / (hi - lo) - share) - share)
            held[node] = 0
            node = asked.link[first + node]
    return cost


@njit(cache=True, nogil=True)
def broken(codes, holds, starts, asked, held, found):
    """Marks the buckets that do not keep what is asked; their values are sorted. ``held`` is zero for each node."""
    for b in range(len(starts) - 1):
        lo, hi = starts[b], starts[b + 1]
        for r in range(len(asked.kind)):
            if asked.kind[r] == 0:
                keeps = _diverse(codes, holds, lo, hi, asked.values[r], asked.bound[r])
            elif hi == lo:
                keeps = False
            elif asked.kind[r] == 1:
                keeps = _ordered(asked, r, codes, lo, hi) <= asked.bound[r]
            else:
                keeps = _nested(asked, r, codes, lo, hi, held) <= asked.bound[r]
            if not keeps:
                found[b] = True
                break
