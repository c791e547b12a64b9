"""Dividing records around two far ones, again and again, for the least loss.

Records are moved, not pointed at, as in cutting. All kernels of the search stand in this one file, since Numba's cache
does not see changes in others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from shoal.kernels.clustering import Axes

Array = NDArray[Any]


class Sides(NamedTuple):
    """What the two sides hold of each axis: extreme known codes (-1: none), the node above them, missing ones, a set.

    A code of axis j is in the set of side s where ``inside[s, offset[j] + code]`` is the ``clock``.
    """

    low: Array
    high: Array
    node: Array
    absent: Array
    held: Array
    inside: Array
    clock: Array


class Scratch(NamedTuple):
    """Memory of one search, so that no node allocates."""

    sides: Sides
    words: Array
    rows: Array
    cost: Array
    cheapest: Array


def scratch(axes: Axes, words: Array, records: int, least: int) -> Scratch:
    """Memory for a search in a node of this many records."""
    count = len(axes.kind)
    shape = 2, count
    sides = Sides(
        np.empty(shape, np.int64),
        np.empty(shape, np.int64),
        np.empty(shape, np.int64),
        np.empty(shape, np.bool_),
        np.empty(shape, np.int64),
        np.zeros((2, int(axes.offset[-1])), np.int64),
        np.zeros(1, np.int64),
    )
    return Scratch(
        sides,
        np.empty((records, words.shape[1]), np.uint64),
        np.empty(records, np.uint32),
        np.empty(least),
        np.empty(least, np.int64),
    )


@njit(cache=True, nogil=True)
def _apart(axes, codes, i, k):
    """What a class of these two records would lose."""
    loss = 0.0
    for j in range(len(axes.kind)):
        one, other = np.int64(codes[i, j]), np.int64(codes[k, j])
        if one == other:
            continue
        start, known = axes.offset[j], axes.known[j]
        if axes.kind[j] == 2:
            loss += 1.0 / (axes.offset[j + 1] - start - 1)
        elif one >= known or other >= known:
            loss += 1.0
        elif axes.kind[j] == 0:
            loss += abs(axes.position[start + one] - axes.position[start + other])
        else:
            node = axes.leaf[start + one]
            while not axes.first[node] <= other < axes.last[node]:
                node = axes.parent[node]
            loss += axes.loss[node]
    return loss


@njit(cache=True, nogil=True)
def _farthest(axes, codes, lo, hi, from_record):
    """The record that is farthest from one, the first of several."""
    found, most = lo, -1.0
    for i in range(lo, hi):
        loss = _apart(axes, codes, from_record, i)
        if loss > most:
            found, most = i, loss
    return found


@njit(cache=True, nogil=True)
def _begin(axes, sides, s, codes, i):
    """Empties a side but for one record."""
    for j in range(len(axes.kind)):
        code, start = np.int64(codes[i, j]), axes.offset[j]
        known = code < axes.known[j]
        sides.low[s, j] = sides.high[s, j] = code if known else -1
        sides.node[s, j] = axes.leaf[start + code] if known else -1
        sides.absent[s, j] = not known
        sides.held[s, j] = 1
        sides.inside[s, start + code] = sides.clock[0]


@njit(cache=True, nogil=True)
def _with(axes, sides, s, codes, i):
    """What a side would lose with this record in it."""
    loss = 0.0
    for j in range(len(axes.kind)):
        code, start = np.int64(codes[i, j]), axes.offset[j]
        if axes.kind[j] == 2:
            new = sides.inside[s, start + code] != sides.clock[0]
            loss += (sides.held[s, j] + new - 1) / max(axes.offset[j + 1] - start - 1, 1)
        elif code >= axes.known[j] or sides.absent[s, j]:
            mixed = code < axes.known[j] or sides.low[s, j] >= 0
            loss += 1.0 if mixed else 0.0
        elif axes.kind[j] == 0:
            high, low = max(sides.high[s, j], code), min(sides.low[s, j], code)
            loss += axes.position[start + high] - axes.position[start + low]
        else:
            node = sides.node[s, j]
            while not axes.first[node] <= code < axes.last[node]:
                node = axes.parent[node]
            loss += axes.loss[node]
    return loss


@njit(cache=True, nogil=True)
def _join(axes, sides, s, codes, i):
    """Takes a record in."""
    for j in range(len(axes.kind)):
        code, start = np.int64(codes[i, j]), axes.offset[j]
        if sides.inside[s, start + code] == sides.clock[0]:
            continue
        sides.inside[s, start + code] = sides.clock[0]
        sides.held[s, j] += 1
        if code >= axes.known[j]:
            sides.absent[s, j] = True
        elif sides.low[s, j] < 0:
            sides.low[s, j] = sides.high[s, j] = code
            sides.node[s, j] = axes.leaf[start + code]
        else:
            sides.low[s, j] = min(sides.low[s, j], code)
            sides.high[s, j] = max(sides.high[s, j], code)
            if axes.kind[j] == 1:
                while not axes.first[sides.node[s, j]] <= code < axes.last[sides.node[s, j]]:
                    sides.node[s, j] = axes.parent[sides.node[s, j]]


@njit(cache=True, nogil=True)
def _swap(words, rows, i, k):
    """Exchanges two records."""
    for w in range(words.shape[1]):
        words[i, w], words[k, w] = words[k, w], words[i, w]
    rows[i], rows[k] = rows[k], rows[i]


@njit(cache=True, nogil=True)
def _part(axes, codes, words, rows, lo, hi, whole, scratch):
    """Two seeds, and each other record to the side whose loss grows less by it, or if ``whole`` to the one that then
    loses less; returns where the right side starts.

    The seeds come of three rounds, each from one end to the record farthest from it. Records come in the order in
    which they lie, which is by lot. Of two sides that are alike the smaller one is joined.
    """
    sides, spare_words, spare_rows = scratch.sides, scratch.words, scratch.rows
    one = _farthest(axes, codes, lo, hi, lo)
    one, other = _farthest(axes, codes, lo, hi, one), one
    one, other = _farthest(axes, codes, lo, hi, one), one
    if one == other:  # all are alike: any two will do
        other = lo + 1
    _swap(words, rows, lo, one)
    _swap(words, rows, lo + 1, one if other == lo else other)
    sides.clock[0] += 1
    _begin(axes, sides, 0, codes, lo)
    _begin(axes, sides, 1, codes, lo + 1)
    left, right, lost, gone = lo + 1, 1, 0.0, 0.0
    for w in range(words.shape[1]):
        spare_words[0, w] = words[lo + 1, w]
    spare_rows[0] = rows[lo + 1]
    for i in range(lo + 2, hi):
        first, second = _with(axes, sides, 0, codes, i), _with(axes, sides, 1, codes, i)
        if first - lost < second - gone or (first - lost == second - gone and left - lo <= right):
            lost = 0.0 if whole else first
            _join(axes, sides, 0, codes, i)
            for w in range(words.shape[1]):
                words[left, w] = words[i, w]
            rows[left] = rows[i]
            left += 1
        else:
            gone = 0.0 if whole else second
            _join(axes, sides, 1, codes, i)
            for w in range(words.shape[1]):
                spare_words[right, w] = words[i, w]
            spare_rows[right] = rows[i]
            right += 1
    for i in range(right):
        for w in range(words.shape[1]):
            words[left + i, w] = spare_words[i, w]
        rows[left + i] = spare_rows[i]
    return left


@njit(cache=True, nogil=True)
def _cheapest(axes, sides, s, codes, lo, hi, need, cost, found):
    """The records of lo..hi with which a side would lose least, in their order."""
    count = 0
    for i in range(lo, hi):
        loss = _with(axes, sides, s, codes, i)
        if count == need and loss >= cost[count - 1]:
            continue
        place = count if count < need else count - 1
        while place > 0 and cost[place - 1] > loss:
            cost[place], found[place] = cost[place - 1], found[place - 1]
            place -= 1
        cost[place], found[place] = loss, i
        count = min(count + 1, need)
    found[:need].sort()


@njit(cache=True, nogil=True)
def _fill(axes, codes, words, rows, lo, hi, middle, least, scratch):
    """Moves the cheapest records to a side that is too small; returns where the right side starts then."""
    found = scratch.cheapest
    if middle - lo < least:
        need = least - (middle - lo)
        _cheapest(axes, scratch.sides, 0, codes, middle, hi, need, scratch.cost, found)
        for n in range(need):
            _swap(words, rows, middle + n, found[n])
        return lo + least
    if hi - middle < least:
        need = least - (hi - middle)
        _cheapest(axes, scratch.sides, 1, codes, lo, middle, need, scratch.cost, found)
        for n in range(need):
            _swap(words, rows, middle - 1 - n, found[need - 1 - n])
        return hi - least
    return middle


@njit(cache=True, nogil=True)
def divide(axes, codes, words, rows, lo, hi, least, stop, scratch, cuts, starts):
    """Divide lo..hi, and each part again, at most so many times, as long as both sides hold ``least`` records.

    Where a side is too small, records are moved there. If ``stop``, all is as in Algorithm 4: the node is left whole
    then, and what counts is what a side loses, not by how much that grows. Writes where each part starts, and returns
    how many there are.
    """
    waiting = np.empty((hi - lo) // max(least, 1) + 2, np.int64)
    waiting[0] = hi
    depth, found = 1, 0
    while depth:
        hi, where = waiting[depth - 1], -1
        if hi - lo >= 2 * least and cuts > 0:
            middle = _part(axes, codes, words, rows, lo, hi, stop, scratch)
            if not stop:
                middle = _fill(axes, codes, words, rows, lo, hi, middle, least, scratch)
            if min(middle - lo, hi - middle) >= least:
                where = middle
        if where >= 0:
            cuts -= 1
            waiting[depth] = where
            depth += 1
        else:
            starts[found] = lo
            found += 1
            depth -= 1
            lo = hi
    return found
