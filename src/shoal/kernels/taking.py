"""Classes that take records from buckets around a seed: the next ones along a curve, or the nearest in space.

Records lie bucket by bucket. A class takes (bucket + number) >> depth of each bucket's records. Both searches stand in
this one file, since Numba's cache does not see changes in others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


class Classes(NamedTuple):
    """What each class takes, and where its seed comes from: of one queue, or of a queue for each bucket."""

    held: Array  # by bucket
    depth: Array  # by class
    number: Array
    drawn: Array  # by class: a random word, which names the bucket that its seed is from
    queue: Array  # the records as seeds, queue by queue
    following: Array  # by queue: where its next seed stands


class Forest(NamedTuple):
    """A tree of nested boxes over each bucket's points; a node's left child is the next node."""

    root: Array  # by bucket
    right: Array  # 0 below a leaf
    above: Array
    first: Array  # the points of a node
    last: Array
    low: Array  # its box
    high: Array
    left: Array  # how many of its records are left


@njit(cache=True, nogil=True)
def _seed(held, depth, number, drawn, queue, following, gone):
    """The record around which a class is made: one that is left in a bucket from which it takes some."""
    q = np.int64(drawn % np.uint64(len(following)))
    while len(following) > 1 and (held[q] + number) >> depth == 0:
        q = (q + 1) % len(following)
    while gone[queue[following[q]]]:
        following[q] += 1
    return queue[following[q]]


# -- along a curve ------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _end(link, place):
    """Follows the links from a place to the one that links to itself, and shortens them."""
    while link[place] != place:
        link[place] = link[link[place]]
        place = link[place]
    return place


@njit(cache=True, nogil=True)
def _place(keys, lo, hi, key):
    """Where a key would stand among those of a bucket."""
    while lo < hi:
        middle = (lo + hi) // 2
        if keys[middle] < key:
            lo = middle + 1
        else:
            hi = middle
    return lo


@njit(cache=True, nogil=True)
def along_curve(keys, starts, classes, taken, ends, seeds):
    """Each class takes those of each bucket whose keys are closest to its seed's; keys ascend within a bucket."""
    held, depth, number, drawn, queue, following = classes
    records = len(keys)
    after, before = np.arange(records + 1), np.arange(records + 1)  # before[p]: 1 + the last at or below p - 1 left
    gone = np.zeros(records, np.bool_)
    count = 0
    for c in range(len(depth)):
        seeds[c] = _seed(held, depth[c], number[c], drawn[c], queue, following, gone)
        key = keys[seeds[c]]
        for b in range(len(held)):
            wanted, lo, hi = (held[b] + number[c]) >> depth[c], starts[b], starts[b + 1]
            place = _place(keys, lo, hi, key) if wanted else lo
            up, down = place, place
            for _ in range(wanted):
                up, down = _end(after, up), _end(before, down)
                if up < hi and (down <= lo or keys[up] - key <= key - keys[down - 1]):
                    chosen = up
                else:
                    chosen = down - 1
                after[chosen], before[chosen + 1] = chosen + 1, chosen
                gone[chosen] = True
                taken[count] = chosen
                count += 1
        ends[c] = count


# -- in space -----------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _halve(point, slot, lo, hi, axis):
    """Brings the points with the smaller coordinates to the front (Hoare's selection); returns the middle."""
    middle, low, high = (lo + hi) // 2, lo, hi - 1
    while low < high:
        pivot, i, j = point[slot[(low + high) // 2], axis], low, high
        while i <= j:
            while point[slot[i], axis] < pivot:
                i += 1
            while point[slot[j], axis] > pivot:
                j -= 1
            if i <= j:
                kept = slot[i]
                slot[i] = slot[j]
                slot[j] = kept
                i, j = i + 1, j - 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break
    return middle


@njit(cache=True, nogil=True)
def grow(point, starts, records, small, slot, leaf, forest):
    """Divides each bucket's points at the middle of their widest axis, again and again, down to ``small`` ones.

    ``slot`` is brought into the order in which the points stand in the trees; ``leaf`` gets the node of each place in
    it; ``records`` says how many each point has.
    """
    stack_lo, stack_hi, stack_above = np.empty(128, np.int64), np.empty(128, np.int64), np.empty(128, np.int64)
    node = 0
    for b in range(len(starts) - 1):
        forest.root[b] = node
        stack_lo[0], stack_hi[0], stack_above[0], depth = starts[b], starts[b + 1], -1, 1
        while depth:
            depth -= 1
            lo, hi, above = stack_lo[depth], stack_hi[depth], stack_above[depth]
            if above >= 0 and node != above + 1:
                forest.right[above] = node
            forest.above[node], forest.first[node], forest.last[node], forest.right[node] = above, lo, hi, 0
            forest.left[node] = 0
            axis, widest = 0, -1.0
            for j in range(point.shape[1]):
                low, high = np.inf, -np.inf
                for i in range(lo, hi):
                    low, high = min(low, point[slot[i], j]), max(high, point[slot[i], j])
                forest.low[node, j], forest.high[node, j] = low, high
                if high - low > widest:
                    axis, widest = j, high - low
            for i in range(lo, hi):
                forest.left[node] += records[slot[i]]
            if hi - lo > small:
                middle = _halve(point, slot, lo, hi, axis)
                stack_lo[depth], stack_hi[depth], stack_above[depth] = middle, hi, node
                stack_lo[depth + 1], stack_hi[depth + 1], stack_above[depth + 1] = lo, middle, node
                depth += 2
            else:
                leaf[lo:hi] = node
            node += 1


@njit(cache=True, nogil=True)
def _away(low, high, node, x):
    """The squared distance of a point from a box."""
    away = 0.0
    for j in range(len(x)):
        short = max(low[node, j] - x[j], x[j] - high[node, j], 0.0)
        away += short * short
    return away


@njit(cache=True, nogil=True)
def _sink(far, held, count):
    """Puts the first of a heap, the farthest on top, where it belongs."""
    i = 0
    while 2 * i + 1 < count:
        child = 2 * i + 1
        if child + 1 < count and far[child + 1] > far[child]:
            child += 1
        if far[i] >= far[child]:
            break
        far[i], far[child] = far[child], far[i]
        held[i], held[child] = held[child], held[i]
        i = child


@njit(cache=True, nogil=True)
def _rise(far, held, i):
    """Puts the last of a heap where it belongs."""
    while i and far[i] > far[(i - 1) // 2]:
        above = (i - 1) // 2
        far[i], far[above] = far[above], far[i]
        held[i], held[above] = held[above], held[i]
        i = above


@njit(cache=True, nogil=True)
def _nearest(point, left, forest, root, x, wanted, far, near, stack, aways):
    """The nearest points that have so many records left between them, as a heap; returns how many points."""
    _, right, _, first, last, low, high, crowd = forest
    count, found = 0, 0
    stack[0], aways[0], depth = root, _away(low, high, root, x), 1
    while depth:
        depth -= 1
        node = stack[depth]
        if found >= wanted and aways[depth] >= far[0]:
            continue
        if right[node]:
            one, other = node + 1, right[node]
            away, other_away = _away(low, high, one, x), _away(low, high, other, x)
            if other_away < away:
                one, other, away, other_away = other, one, other_away, away
            if crowd[other]:
                stack[depth], aways[depth] = other, other_away
                depth += 1
            if crowd[one]:
                stack[depth], aways[depth] = one, away
                depth += 1
            continue
        for p in range(first[node], last[node]):
            if left[p] == 0:
                continue
            away = 0.0
            for j in range(len(x)):
                away += (point[p, j] - x[j]) * (point[p, j] - x[j])
            if found < wanted or away < far[0]:
                far[count], near[count] = away, p
                _rise(far, near, count)
                count, found = count + 1, found + left[p]
                while found - left[near[0]] >= wanted:
                    found -= left[near[0]]
                    count -= 1
                    far[0], near[0] = far[count], near[count]
                    _sink(far, near, count)
    return count


@njit(cache=True, nogil=True)
def nearest(point, last, left, leaf, of, forest, classes, taken, ends, seeds):
    """Each class takes those of each bucket that are nearest to its seed.

    Of each point, in the order of the trees: where its records end, how many are ``left``, and its ``leaf``; ``of`` has
    the point of each record. Of equal records those are taken first that would soon be seeds: points with many are then
    not served before their turn, and far less is lost.
    """
    held, depth, number, drawn, queue, following = classes
    root, _, above, _, _, _, _, crowd = forest
    gone = np.zeros(len(of), np.bool_)
    far, near = np.empty(len(point) + 1), np.empty(len(point) + 1, np.int64)
    stack, aways = np.empty(128, np.int64), np.empty(128)
    count = 0
    for c in range(len(depth)):
        seeds[c] = _seed(held, depth[c], number[c], drawn[c], queue, following, gone)
        x = point[of[seeds[c]]]
        for b in range(len(held)):
            wanted = (held[b] + number[c]) >> depth[c]
            points = _nearest(point, left, forest, root[b], x, wanted, far, near, stack, aways) if wanted else 0
            for h in range(points - 1, -1, -1):  # the farthest, of which some may stay, comes last
                p = near[h]
                here = min(left[p], wanted)
                for record in range(last[p] - left[p], last[p] - left[p] + here):
                    gone[record] = True
                    taken[count] = record
                    count += 1
                left[p] -= here
                wanted -= here
                node = leaf[p]
                while node >= 0:
                    crowd[node] -= here
                    node = above[node]
        ends[c] = count
