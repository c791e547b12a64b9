"""Cutting a table in two at medians, again and again, while both sides keep every requirement.

Records are moved, not pointed at: those of a node lie side by side, and most nodes fit the cache. ``codes`` and
``words`` are two views of the same memory, one to look at, one to move by. All kernels of a search stand in this one
file, since Numba's cache does not see changes in others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

#: For what only other kernels call: without a door for Python it compiles faster.
_within = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]


class Table(NamedTuple):
    """The records, and where their codes lie on each axis: axis j's at ``position[offset[j] + code]``."""

    codes: Array
    words: Array
    rows: Array
    people: Array  # by row number; empty where each record is a person
    position: Array
    offset: Array
    sensitive_offset: Array  # where each sensitive column's counts start, and their end


class Scratch(NamedTuple):
    """Memory of one search, so that no node allocates."""

    low: Array
    high: Array
    tried: Array
    histogram: Array
    node: Array
    left: Array
    right: Array
    surplus: Array
    rest: Array
    drawn: Array
    words: Array
    rows: Array
    seen: Array  # by person: when last seen
    clock: Array


def scratch(table: Table, records: int, people: int) -> Scratch:
    """Memory for a search in a node of this many records."""
    axes = len(table.offset) - 1
    counts = int(table.sensitive_offset[-1])
    return Scratch(
        np.empty(axes, np.int64),
        np.empty(axes, np.int64),
        np.empty(axes, np.bool_),
        np.empty(int(np.diff(table.offset).max(initial=0)) + 1, np.int64),
        np.zeros(counts, np.int64),
        np.zeros(counts, np.int64),
        np.zeros(counts, np.int64),
        np.zeros(counts + 1),
        np.zeros(counts, np.int64),
        np.empty(records, np.int64),
        np.empty((records, table.words.shape[1]), np.uint64),
        np.empty(records, np.uint32),
        np.zeros(people, np.int64),
        np.zeros(1, np.int64),
    )


@njit(cache=True, nogil=True)
def _nth(values, count, n):
    """The n-th smallest of the first values, which are left in another order (Hoare's selection)."""
    low, high = 0, count - 1
    while low < high:
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                kept = values[i]
                values[i] = values[j]
                values[j] = kept
                i, j = i + 1, j - 1
        if n <= j:
            high = j
        elif n >= i:
            low = i
        else:
            break
    return values[n]


@njit(cache=True, nogil=True)
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
def _unmatched(odds, others, most):
    """How many values of others no record is matched with, in the mean: see shoal/privacy/retention.py."""
    if odds == 0.0 or most >= others:
        return others / (1.0 + odds)
    often = others - odds * most
    start = min(max(np.int64(often if often >= most else (others - odds) / (1.0 + odds)), 0), others)
    whole, total = 1.0, np.float64(start)
    for step in (1, -1):
        term, unmatched = 1.0, start
        while 0 <= unmatched + step <= others and term > 1e-20 * whole:
            if step > 0:
                term *= (others - unmatched) / (odds * min(most, unmatched + 1))
            else:
                term *= odds * min(most, unmatched) / (others - unmatched + 1)
            unmatched += step
            whole, total = whole + term, total + term * unmatched
    return total / whole


@_within
def _hidden(counts, start, held, numbers, r, total, largest):
    """The l that a class reaches whose values are shown randomized, drawn from all that it holds."""
    values = 0
    for v in range(start, start + held):
        values += counts[v] > 0
    odds = numbers.c[r] * values
    return 1.0 + _unmatched(odds, total - largest, largest) / (largest * (1.0 + odds))


@_within
def _diverse(counts, start, values, held, numbers, r, rest):
    """Whether one sensitive column of a class is as diverse as row r of the numbers asks.

    Its counts begin at ``start``; the first ``values`` of them are judged, and there are ``held``.
    """
    bound = numbers.bound[r]
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
    if numbers.kind[r] == 5:
        return _hidden(counts, start, held, numbers, r, total, largest) >= bound
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


@njit(cache=True, nogil=True)
def keeps(counts, numbers, surplus, rest):
    """Whether a class with these sensitive counts keeps every requirement but its size."""
    for r in range(len(numbers.kind)):
        if numbers.kind[r] == 4:
            if not _close(counts, numbers, r, surplus):
                return False
        elif not _diverse(counts, numbers.start[r], numbers.values[r], numbers.held[r], numbers, r, rest):
            return False
    return True


@_within
def _sort(values, count):
    """Puts the first values in order, by a heap: NumPy's own way takes Numba seconds to compile."""
    for end in range(2 * count - 1, 0, -1):
        root, size = (end - count, count) if end >= count else (0, end)
        if end < count:
            values[0], values[end] = values[end], values[0]
        held = values[root]
        child = 2 * root + 1
        while child < size:
            if child + 1 < size and values[child + 1] > values[child]:
                child += 1
            if values[child] <= held:
                break
            values[root] = values[child]
            root, child = child, 2 * child + 1
        values[root] = held


@_within
def _can_be_told_by_few(numbers):
    """Whether a class can be judged by the values that it holds, without looking at all others."""
    trees = 0
    for r in range(len(numbers.kind)):
        trees += numbers.kind[r] == 4 and numbers.shape[r] == 0
    return trees == 0


@_within
def _are_few(records, ends):
    """Whether records are so few that it is less work to sort their values than to look at all that there are."""
    return ends[-1] > 16 * records


@_within
def _border(last, low, high, value):
    """The first of the borders low..high that lies beyond a value."""
    while low < high:
        middle = (low + high) // 2
        if last[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@_within
def _turn(upto, low, high, part, records):
    """The first of the borders low..high before which the table has no smaller share than this part of the records."""
    while low < high:
        middle = (low + high) // 2
        if upto[middle] < part * records:
            low = middle + 1
        else:
            high = middle
    return low


@_within
def _close_by_few(values, times, count, total, numbers, r):
    """:func:`_close` by the values that a class holds, which are in order: what flows over the borders between one and
    the next is what the class has up to there less what the table has, and changes its direction once at most."""
    cost, lost = 0.0, 0.0
    if numbers.shape[r] == 2:
        for i in range(count):  # Kahan's sum: of very many terms the last bits would add up
            term = max(times[i] / total - numbers.share[numbers.start_of_share[r] + values[i]], 0.0) - lost
            lost = (cost + term) - cost - term
            cost += term
        return cost <= numbers.bound[r]
    begin, end, area = numbers.flow[r], numbers.flow[r + 1], numbers.area
    if begin == end:
        return True
    low, running = begin, 0
    for i in range(count + 1):
        high = _border(numbers.last, low, end, values[i]) if i < count else end
        part = running / total
        turn = _turn(numbers.upto, low, high, part, numbers.records[r])
        before = area[low - 1] if low > begin else 0
        amid = area[turn - 1] if turn > begin else 0
        after = area[high - 1] if high > begin else 0
        cost += part * (2 * turn - low - high) + (after - 2 * amid + before) / numbers.records[r]
        running += times[i] if i < count else 0
        low = high
    return cost * numbers.weight[begin] <= numbers.bound[r]


@njit(cache=True, nogil=True)
def _keeps_by_few(values, times, count, total, numbers, start, rest):
    """:func:`keeps` of one sensitive column, whose counts start there, by the values that a class holds."""
    for r in range(len(numbers.kind)):
        if numbers.start[r] != start:
            continue
        if numbers.kind[r] == 4:
            if not _close_by_few(values, times, count, total, numbers, r):
                return False
        else:
            judged = count
            while judged > 0 and values[judged - 1] >= numbers.values[r]:
                judged -= 1
            if not _diverse(times, 0, judged, count, numbers, r, rest):
                return False
    return True


@_within
def _extent(codes, lo, hi, low, high):
    """The smallest and largest code of each axis."""
    for j in range(len(low)):
        smallest = largest = codes[lo, j]
        for i in range(lo + 1, hi):
            smallest = min(smallest, codes[i, j])
            largest = max(largest, codes[i, j])
        low[j], high[j] = smallest, largest


@_within
def _median(codes, lo, hi, axis, low, high, histogram, drawn):
    """The median code of a node, how many records are below it and how many at it."""
    half = (hi - lo) // 2
    if high - low > 8 * (hi - lo):  # few records in a long domain: selecting among them beats counting it
        for i in range(lo, hi):
            drawn[i - lo] = codes[i, axis]
        middle, below, at = _nth(drawn, hi - lo, half), np.int64(0), np.int64(0)
        for i in range(hi - lo):
            below += drawn[i] < middle
            at += drawn[i] == middle
        return middle, below, at
    for code in range(high - low + 1):
        histogram[code] = 0
    for i in range(lo, hi):
        histogram[np.int64(codes[i, axis]) - low] += 1
    below = 0
    for code in range(high - low + 1):
        if below + histogram[code] > half:
            return low + code, below, histogram[code]
        below += histogram[code]
    return high, below, 0


@_within
def _tally(codes, lo, hi, column, counts):
    """Count the codes of one column among the records of a node."""
    for v in range(len(counts)):
        counts[v] = 0
    for i in range(lo, hi):
        counts[codes[i, column]] += 1


@_within
def _tally_left(codes, rows, lo, hi, axis, middle, tie, column, counts):
    """Count the codes of one column among the records that go left."""
    for v in range(len(counts)):
        counts[v] = 0
    for i in range(lo, hi):
        code = np.int64(codes[i, axis])
        counts[codes[i, column]] += (code < middle) | ((code == middle) & (np.int64(rows[i]) < tie))


@_within
def _count_people(codes, rows, people, lo, hi, axis, middle, tie, leftward, seen, now):
    """How many different people are on one side of a cut."""
    found = 0
    for i in range(lo, hi):
        code, row = np.int64(codes[i, axis]), np.int64(rows[i])
        if ((code < middle) | ((code == middle) & (row < tie))) == leftward and seen[people[row]] != now:
            seen[people[row]] = now
            found += 1
    return found


@_within
def _enough_people(codes, rows, people, lo, hi, axis, middle, tie, least, seen, clock):
    """Whether both sides of a cut hold enough different people."""
    for leftward in (True, False):
        clock[0] += 1
        if _count_people(codes, rows, people, lo, hi, axis, middle, tie, leftward, seen, clock[0]) < least:
            return False
    return True


@_within
def _sides_keep(codes, rows, lo, hi, axis, middle, tie, axes, ends, numbers, node, left, right, surplus, rest):
    """Whether both sides of a cut keep every requirement on sensitive columns."""
    for s in range(len(ends) - 1):
        _tally_left(codes, rows, lo, hi, axis, middle, tie, axes + s, left[ends[s] : ends[s + 1]])
    for v in range(len(left)):
        right[v] = node[v] - left[v]
    return keeps(left, numbers, surplus, rest) and keeps(right, numbers, surplus, rest)


@_within
def _sides_keep_by_few(codes, rows, lo, hi, axis, middle, tie, axes, ends, numbers, values, times, rest):
    """:func:`_sides_keep` where there are far more values than records: it looks at those of each side only."""
    for s in range(len(ends) - 1):
        for leftward in (True, False):
            total = 0
            for i in range(lo, hi):
                code = np.int64(codes[i, axis])
                if ((code < middle) | ((code == middle) & (np.int64(rows[i]) < tie))) == leftward:
                    values[total] = codes[i, axes + s]
                    total += 1
            _sort(values, total)
            count = 0
            for i in range(total):
                if count == 0 or values[i] != values[count - 1]:
                    values[count], times[count] = values[i], 0
                    count += 1
                times[count - 1] += 1
            if not _keeps_by_few(values, times, count, total, numbers, ends[s], rest):
                return False
    return True


@_within
def _is_allowed(
    codes, rows, people, lo, hi, axis, middle, tie, size, least, axes, ends, asked, few,
    node, left, right, surplus, rest, seen, clock,
):  # fmt: skip
    """Whether both sides of a cut, of which the left one has this size, are large enough and keep what is asked."""
    if min(size, hi - lo - size) < least:
        return False
    if len(people) and not _enough_people(codes, rows, people, lo, hi, axis, middle, tie, least, seen, clock):
        return False
    if asked is None:
        return True
    if few:
        return _sides_keep_by_few(codes, rows, lo, hi, axis, middle, tie, axes, ends, asked, left, right, rest)
    return _sides_keep(codes, rows, lo, hi, axis, middle, tie, axes, ends, asked, node, left, right, surplus, rest)


@_within
def _move(codes, words, rows, lo, hi, axis, middle, tie, spare_words, spare_rows):
    """Bring the records that go left to the front, keeping their order; returns where the right side starts.

    Every record is written to both sides and only one of the two places moves on: no branch to mispredict.
    """
    left, right, width = lo, 0, words.shape[1]
    for i in range(lo, hi):
        code, row = np.int64(codes[i, axis]), rows[i]
        goes = np.int64((code < middle) | ((code == middle) & (np.int64(row) < tie)))
        words[left, 0], spare_words[right, 0] = words[i, 0], words[i, 0]
        for w in range(1, width):
            words[left, w], spare_words[right, w] = words[i, w], words[i, w]
        rows[left], spare_rows[right] = row, row
        left += goes
        right += 1 - goes
    for i in range(right):
        words[left + i, 0] = spare_words[i, 0]
        for w in range(1, width):
            words[left + i, w] = spare_words[i, w]
        rows[left + i] = spare_rows[i]
    return left


@_within
def _tie(codes, rows, lo, hi, axis, middle, wanted, drawn):
    """The row number below which ``wanted`` records at the median lie; row numbers are random, so ties fall by lot."""
    count = 0
    for i in range(lo, hi):
        if np.int64(codes[i, axis]) == middle:
            drawn[count] = np.int64(rows[i])
            count += 1
    return _nth(drawn, count, wanted)


@_within
def _widest(low, high, tried, offset, position):
    """The widest axis that was not tried yet; -1 where none has two values."""
    axis, widest = -1, 0.0
    for j in range(len(low)):
        if not tried[j]:
            span = position[offset[j] + high[j]] - position[offset[j] + low[j]]
            if span > widest:
                axis, widest = j, span
    return axis


@njit(cache=True, nogil=True)
def divide(table, lo, hi, least, asked, relaxed, scratch, cuts, starts):
    """Cut lo..hi at the median of the widest axis that allows it, and each part again, at most so many times.

    Writes where each part starts, and returns how many there are. What is ``asked`` of sensitive columns is None if
    nothing is, and then no test of it is compiled. The arrays are unpacked once and not a node at a time: taking one
    out of a tuple costs as much as looking at a few records.
    """
    codes, words, rows, people, position, offset, ends = table
    low, high, tried, histogram, node, left, right, surplus, rest, drawn, spare_words, spare_rows, seen, clock = scratch
    axes, by_few, few = len(offset) - 1, False, False
    if asked is not None:
        by_few = _can_be_told_by_few(asked)
    waiting = np.empty((hi - lo) // max(least, 1) + 2, np.int64)
    waiting[0] = hi
    depth, found = 1, 0
    while depth:
        hi, where = waiting[depth - 1], -1
        if hi - lo >= 2 * least and cuts > 0:
            _extent(codes, lo, hi, low, high)
            if asked is not None:
                few = by_few and _are_few(hi - lo, ends)
                for s in range(0 if few else len(ends) - 1):
                    _tally(codes, lo, hi, axes + s, node[ends[s] : ends[s + 1]])
            for j in range(axes):
                tried[j] = False
            axis = _widest(low, high, tried, offset, position)
            while axis >= 0 and where < 0:
                tried[axis] = True
                middle, below, at = _median(codes, lo, hi, axis, low[axis], high[axis], histogram, drawn)
                upward = below >= hi - lo - below - at  # the median goes to the smaller side first, then to the other
                for _ in range(1 if relaxed else 2):
                    size, tie = (below, np.int64(0)) if upward else (below + at, np.int64(1) << 40)
                    if relaxed:
                        size = (hi - lo) // 2
                        tie = _tie(codes, rows, lo, hi, axis, middle, size - below, drawn)
                    upward = not upward
                    if _is_allowed(
                        codes, rows, people, lo, hi, axis, middle, tie, size, least, axes, ends, asked, few,
                        node, left, right, surplus, rest, seen, clock,
                    ):  # fmt: skip
                        where = _move(codes, words, rows, lo, hi, axis, middle, tie, spare_words, spare_rows)
                        break
                axis = _widest(low, high, tried, offset, position)
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


@_within
def _told(codes, column, held, count, lo, hi, values, times):
    """The values of one column that entries of a class hold, in order, and how often; how many they are, and all."""
    entries, kinds, total = hi - lo, 0, 0
    for i in range(entries):
        values[i] = np.int64(codes[held[lo + i], column]) * entries + i
    _sort(values, entries)
    for i in range(entries):
        value, entry = values[i] // entries, values[i] % entries
        if kinds == 0 or value != values[kinds - 1]:
            values[kinds], times[kinds] = value, 0
            kinds += 1
        times[kinds - 1] += count[lo + entry] if len(count) else 1
        total += count[lo + entry] if len(count) else 1
    return kinds, total


@_within
def _class_keeps(codes, held, count, lo, hi, numbers, by_few, ends, counts, others, surplus, rest):
    """Whether a class keeps every requirement on sensitive columns.

    Each entry stands for so many records with the sensitive values ``codes[held[i]]``; for one, if no count is given.
    """
    if by_few and _are_few(hi - lo, ends):
        for s in range(len(ends) - 1):
            kinds, total = _told(codes, s, held, count, lo, hi, counts, others)
            if not _keeps_by_few(counts, others, kinds, total, numbers, ends[s], rest):
                return False
        return True
    for v in range(len(counts)):
        counts[v] = 0
    for i in range(lo, hi):
        for s in range(len(ends) - 1):
            counts[ends[s] + np.int64(codes[held[i], s])] += count[i] if len(count) else 1
    return keeps(counts, numbers, surplus, rest)


@njit(cache=True, nogil=True)
def broken(order, starts, held, count, codes, numbers, ends, first_only, found):
    """Marks the classes that break a requirement on sensitive columns, in this order; only the first, if that will do.

    Entry i of a class stands for ``count[i]`` records with the sensitive values ``codes[held[i]]``.
    """
    counts, others, by_few = np.zeros(ends[-1], np.int64), np.zeros(ends[-1], np.int64), _can_be_told_by_few(numbers)
    surplus, rest = np.zeros(ends[-1] + 1), np.zeros(ends[-1], np.int64)
    for c in order:
        lo, hi = starts[c], starts[c + 1]
        if not _class_keeps(codes, held, count, lo, hi, numbers, by_few, ends, counts, others, surplus, rest):
            found[c] = True
            if first_only:
                return


@njit(cache=True, nogil=True)
def united(order, starts, codes, numbers, ends, found):
    """Puts each class that breaks a requirement together with those after it, until it keeps all; those that are left
    over in the end join the ones before. Writes where the classes start, and returns how many there are.

    One of many classes is tested again after each eighth more, so that tests are few where many have to be joined.
    """
    counts, others, by_few = np.zeros(ends[-1], np.int64), np.zeros(ends[-1], np.int64), _can_be_told_by_few(numbers)
    surplus, rest, once = np.zeros(ends[-1] + 1), np.zeros(ends[-1], np.int64), np.zeros(0, np.int64)
    classes, count, c, first, due = len(starts) - 1, 0, 0, starts[0], numbers.least
    while c < classes or first < starts[classes]:
        if c == classes:  # what is left over takes in the class before it
            if count == 0:
                found[0] = starts[0]
                count = 1
                break
            count -= 1
            first = found[count]
        c = min(c + 1, classes)
        end = starts[c]
        size = end - first
        if size >= numbers.least and (size >= due or c == classes):
            due = size + size // 8
            if _class_keeps(codes, order, once, first, end, numbers, by_few, ends, counts, others, surplus, rest):
                found[count] = first
                count += 1
                first, due = end, numbers.least
    found[count] = starts[classes]
    return count
