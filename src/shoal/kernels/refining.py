"""Drawing classes of different sensitive values from blocks, and finding a place for what is left over.

``number`` holds for each record the number of its value in each sensitive column, -1 for one that does not count;
``shares`` (a :class:`shoal.privacy.shares.Shares`) says what is asked of these columns, the most demanding first, by
whose values records are put into buckets. ``home`` says of each record the class it is drawn for: those of block b have
the numbers from ``bases[b]`` on, of which ``made[b]`` are used; or why it has none yet (:data:`LEFT`, :data:`PARTIAL`).
All kernels of the search stand in this one file, since Numba's cache does not see changes in others.
"""

from __future__ import annotations

import numpy as np
from numba import njit

#: Records that are in no class: because they were left over, or because a value of theirs does not count.
LEFT, PARTIAL = -1, -2
#: Where several columns must be diverse: how many records of a bucket are looked at, for one whose other values a class
#: may still take, and how often a class is begun anew.
TRIES, ATTEMPTS = 16, 8
#: How many classes of a block are looked at for one that takes a record whose values are common.
PROBES = 64


@njit(cache=True, nogil=True)
def _fits(number, i, cap, held):
    """Whether a class that holds these values may take one more of each of the record's, but for the first column."""
    every = True
    for a in range(1, number.shape[1]):
        every = every and held[number[i, a]] < cap[a]
    return every


@njit(cache=True, nogil=True)
def _note(number, i, held, by):
    """Count the record's values, but for the first column."""
    for a in range(1, number.shape[1]):
        held[number[i, a]] += by


@njit(cache=True, nogil=True)
def _pick(number, bucket, start, count, word, cap, bound, held, left, tries):
    """A record of a bucket by lot, as its place; where other columns count too, the most pressing of some that fit.

    -1 if none of those that were looked at may join.
    """
    first = np.int64(np.float64(word >> np.uint64(24)) / 1099511627776.0 * count)
    if number.shape[1] == 1:
        return start + first
    best, pressing = np.int64(-1), -1.0
    for step in range(count):
        if step >= TRIES or (best >= 0 and step >= tries):
            break
        place = start + (first + step) % count
        if _fits(number, bucket[place], cap, held):
            most = 0.0
            for a in range(1, number.shape[1]):
                most = max(most, bound[a] * left[number[bucket[place], a]])
            if most > pressing:
                best, pressing = place, most
    return best


@njit(cache=True, nogil=True)
def _hash(number, lo, hi, home, count, left, rank, begin, bucket):
    """Algorithm 2, line 3: the records of a block by their value in the first column. Returns how many values occur."""
    present, total = 0, 0
    for i in range(lo, hi):
        home[i] = LEFT
        for a in range(number.shape[1]):
            if number[i, a] < 0:
                home[i] = PARTIAL
        if home[i] == LEFT:
            if count[number[i, 0]] == 0:
                rank[present] = number[i, 0]
                present += 1
            count[number[i, 0]] += 1
            _note(number, i, left, 1)
    for r in range(present):
        begin[rank[r]] = total
        total += count[rank[r]]
        count[rank[r]] = 0
    for i in range(lo, hi):
        if home[i] == LEFT:
            value = number[i, 0]
            bucket[begin[value] + count[value]] = i
            count[value] += 1
    return present


@njit(cache=True, nogil=True)
def _largest_first(rank, present, count, upto, sorted_rank):
    """Sort buckets by size; ``upto[c]`` becomes how many hold at least c. Returns the size of the largest."""
    most = 0
    for r in range(present):
        most = max(most, count[rank[r]])
    for c in range(most + 2):
        upto[c] = 0
    for r in range(present):
        upto[count[rank[r]]] += 1
    for c in range(most, 0, -1):
        upto[c] += upto[c + 1]
    for r in range(present):  # filled from behind; the counts are counted back and forth again
        upto[count[rank[r]]] -= 1
        sorted_rank[upto[count[rank[r]]]] = rank[r]
    for r in range(present):
        rank[r] = sorted_rank[r]
        upto[count[rank[r]]] += 1
    return most


@njit(cache=True, nogil=True)
def _remove(at, rank, count, upto):
    """One record less in the bucket that stands here; the order by size stays."""
    value = rank[at]
    last = upto[count[value]] - 1
    rank[at], rank[last] = rank[last], value
    upto[count[value]] -= 1
    count[value] -= 1


@njit(cache=True, nogil=True)
def _choose(number, shares, luck, attempt, count, begin, left, held, rank, bucket, upto, taken, place):
    """Lines 5-8: one record of each of the largest buckets, ties broken by lot. Returns how many were found.

    ``taken`` are the buckets by rank, ascending, and ``place`` is where their records stand. In the first attempt the
    records are taken that press most, in others those that come first.
    """
    found = at = 0
    tries = 1 if attempt else TRIES
    while found < shares.size and at < min(upto[1], len(luck)):
        end, word = upto[count[rank[at]]], luck[(at + attempt) % len(luck)]
        other = at + np.int64(((word & np.uint64(0xFFFFFF)) * np.uint64(end - at)) >> np.uint64(24))
        value = rank[other]
        rank[at], rank[other] = value, rank[at]
        one = _pick(number, bucket, begin[value], count[value], word, shares.cap, shares.bound, held, left, tries)
        if one >= 0:
            _note(number, bucket[one], held, 1)
            taken[found], place[found] = at, one
            found += 1
        at += 1
    for t in range(found):
        _note(number, bucket[place[t]], held, -1)
    return found


@njit(cache=True, nogil=True)
def draw(number, starts, blocks, shares, luck, looks, bases, home, made):
    """Algorithm 2, lines 2-9, of some blocks: classes of one record each of the largest buckets.

    For each class ``looks`` buckets are looked at, at most; luck has so many words for each class.
    """
    largest = 0
    for b in blocks:
        largest = max(largest, starts[b + 1] - starts[b])
    values, all_values = shares.start[1], shares.start[-1]
    count, begin = np.zeros(values, np.int64), np.empty(values, np.int64)
    left, held = np.zeros(all_values, np.int64), np.zeros(all_values, np.int64)
    rank, spare = np.empty(min(values, largest), np.int64), np.empty(min(values, largest), np.int64)
    bucket, upto = np.empty(largest, np.int64), np.empty(largest + 2, np.int64)
    taken, place = np.empty(shares.size, np.int64), np.empty(shares.size, np.int64)
    for b in blocks:
        made[b] = 0
        present = _hash(number, starts[b], starts[b + 1], home, count, left, rank, begin, bucket)
        _largest_first(rank, present, count, upto, spare)
        while upto[1] >= shares.size:
            c, found, attempt = bases[b] + made[b], 0, 0
            words = luck[c * looks : (c + 1) * looks]
            while found < shares.size and attempt < (ATTEMPTS if number.shape[1] > 1 else 1):
                found = _choose(
                    number, shares, words, attempt, count, begin, left, held, rank, bucket, upto, taken, place
                )
                attempt += 1
            if found < shares.size:
                break
            for t in range(found - 1, -1, -1):  # from behind, so that those before stay where they are
                value, i = rank[taken[t]], bucket[place[t]]
                home[i] = c
                bucket[place[t]] = bucket[begin[value] + count[value] - 1]
                _note(number, i, left, -1)
                _remove(taken[t], rank, count, upto)
            made[b] += 1
        for r in range(present):
            for at in range(begin[rank[r]], begin[rank[r]] + count[rank[r]]):
                _note(number, bucket[at], left, -1)
            count[rank[r]] = 0


@njit(cache=True, nogil=True)
def _add(value, rank, place, count, upto):
    """One record more in a bucket, which becomes the last of those of its size."""
    if count[value] == 0:
        rank[upto[1]], place[value] = value, upto[1]
    count[value] += 1
    _swap(place[value], upto[count[value]], rank, place)
    upto[count[value]] += 1


@njit(cache=True, nogil=True)
def _swap(one, other, rank, place):
    rank[one], rank[other] = rank[other], rank[one]
    place[rank[one]], place[rank[other]] = one, other


@njit(cache=True, nogil=True)
def _gather(number, records, shares, rank, count, upto, below, top, held, taken):
    """A class from what is left over: of the commonest values, the newest record of each.

    Among values that are as common those go first of which a record came last. Returns how many were found.
    """
    found, at = 0, 0
    while found < shares.size and at < upto[1]:
        begin, end = at, upto[count[rank[at]]]
        while found < shares.size and at < end:
            r, tries = top[rank[end - 1 - (at - begin)]], 0
            while r >= 0 and tries < TRIES and not _fits(number, records[r], shares.cap, held):
                r, tries = below[r], tries + 1
            if r >= 0 and tries < TRIES:
                taken[found] = r
                _note(number, records[r], held, 1)
                found += 1
            at += 1
    for t in range(found):
        _note(number, records[taken[t]], held, -1)
    return found


@njit(cache=True, nogil=True)
def pool(number, records, blocks, shares, home, first, after):
    """Algorithm 2, lines 10-15: classes of records that are left over, from blocks that are neighbours.

    ``blocks[r]`` is the block of ``records[r]``. The numbers of these classes begin at ``first``, and ``after`` says of
    each the last block that gave to it; returns how many there are. Where several columns must be diverse, a pool that
    gives none though it holds twice the values is emptied: those records stay with their own blocks.
    """
    values, made, r = shares.start[1], 0, 0
    count, top = np.zeros(values, np.int64), np.full(values, -1)
    rank, place = np.empty(values, np.int64), np.empty(values, np.int64)
    below, upto = np.full(len(records), -1), np.zeros(len(records) + 2, np.int64)
    held, taken = np.zeros(shares.start[-1], np.int64), np.empty(shares.size, np.int64)
    while r < len(records):
        block = blocks[r]
        while r < len(records) and blocks[r] == block:
            value = number[records[r], 0]
            below[r], top[value] = top[value], r
            _add(value, rank, place, count, upto)
            r += 1
        while upto[1] >= shares.size:
            if _gather(number, records, shares, rank, count, upto, below, top, held, taken) < shares.size:
                break
            for one in taken:
                value = number[records[one], 0]
                if top[value] == one:
                    top[value] = below[one]
                else:
                    above = top[value]
                    while below[above] != one:
                        above = below[above]
                    below[above] = below[one]
                home[records[one]] = first + made
                _swap(place[value], upto[count[value]] - 1, rank, place)
                upto[count[value]] -= 1
                count[value] -= 1
            after[made] = block
            made += 1
        if upto[1] >= 2 * shares.size:
            for at in range(upto[1]):
                count[rank[at]], top[rank[at]] = 0, -1
            size = 1
            while upto[size]:
                upto[size] = 0
                size += 1
    return made


@njit(cache=True, nogil=True)
def _nearer(codes, i, one, other, columns):
    """Whether a record is nearer to one than to another: less far off in the first column in which they differ."""
    for column in columns:
        here = np.int64(codes[i, column])
        off, far = abs(np.int64(codes[one, column]) - here), abs(np.int64(codes[other, column]) - here)
        if off != far:
            return off < far
    return False


@njit(cache=True, nogil=True)
def _nearest(codes, number, lo, hi, i, columns, home, base, made, size, seen):
    """Algorithm 2, line 19: the class of the record's block that lacks its value; of these the smallest, then nearest.

    -1 if there is none.
    """
    best = -1
    for j in range(lo, hi):
        if base <= home[j] < base + made and number[j, 0] == number[i, 0]:
            seen[home[j]] = i
    for j in range(lo, hi):
        if base <= home[j] < base + made and seen[home[j]] != i:
            fewer = size[home[j]] - size[home[best]] if best >= 0 else -1
            if fewer < 0 or (fewer == 0 and _nearer(codes, i, j, best, columns)):
                best = j
    return home[best] if best >= 0 else -1


@njit(cache=True, nogil=True)
def settle(codes, number, starts, columns, most, home, bases, made, size, seen):
    """Algorithm 2, lines 17-22: each record that is left over goes into a class of its own block that lacks its value.

    Blocks that leave more than ``most`` are passed over: two of their records are alike. ``size`` is zero for each
    class, and ``seen`` none of the records.
    """
    for i in range(len(home)):
        if 0 <= home[i] < bases[-1]:
            size[home[i]] += 1
    for b in range(len(made)):
        lo, hi, left = starts[b], starts[b + 1], 0
        for i in range(lo, hi):
            left += home[i] == LEFT
        for i in range(lo if left <= most else hi, hi):
            if home[i] == LEFT:
                home[i] = _nearest(codes, number, lo, hi, i, columns, home, bases[b], made[b], size, seen)
                if home[i] >= 0:
                    size[home[i]] += 1


@njit(cache=True, nogil=True)
def _takes(number, i, bound, j, following):
    """Whether a class, whose records follow j, stays in order with this one: 2 if it lacks all its values, else 1."""
    best = 2
    for a in range(number.shape[1]):
        known, alike, k = 0, 0, j
        while number[i, a] >= 0 and k >= 0:
            known += number[k, a] >= 0
            alike += number[k, a] == number[i, a]
            k = following[k]
        if alike and (known + 1) / (alike + 1) < bound[a]:
            return 0
        best = 1 if alike else best
    return best


@njit(cache=True, nogil=True)
def spread(number, starts, bound, enough, home, bases, made, head, following):
    """Records that are in no class go into those of their block in turn, each into the next one that it leaves in
    order; one that lacks its values goes before.

    ``head`` and ``following`` are -1 for each class and record. Where one column counts, what a value did not find is
    not looked for again in the block, first a class that lacks it, then any: ``enough`` says by value and answer in
    which block that was, and is -1 for each.
    """
    for i in range(len(home)):
        if 0 <= home[i] < bases[-1]:
            following[i], head[home[i]] = head[home[i]], i
    for b in range(len(made)):
        turn = 0
        for i in range(starts[b], starts[b + 1]):
            if home[i] >= 0:
                continue
            chosen, best, value = -1, 0, number[i, 0]
            wanted = 1 if enough[value, 2] == b else 2
            for step in range(0 if enough[value, 1] == b else min(made[b], PROBES)):
                one = bases[b] + (turn + step) % made[b]
                answer = _takes(number, i, bound, head[one], following)
                if answer > best:
                    chosen, best = one, answer
                if best >= wanted:
                    break
            if chosen >= 0:
                home[i], turn = chosen, chosen - bases[b] + 1
                following[i], head[chosen] = head[chosen], i
            if best < wanted and number.shape[1] == 1:
                enough[value, best + 1] = b


@njit(cache=True, nogil=True)
def arrange(starts, home, bases, made, after, order, begins, blocks):
    """The records class by class, the classes block by block: of each block those drawn, the rest that found no class,
    and those that were pooled up to it.

    Writes the order, where each class begins and the block it stands with; returns how many there are.
    """
    number, rest = np.full(bases[-1] + len(after), -1), np.full(len(made), -1)
    found, p = 0, 0
    for b in range(len(made)):
        for own in range(made[b]):
            number[bases[b] + own], blocks[found] = found, b
            found += 1
        for i in range(starts[b], starts[b + 1]):
            if home[i] < 0 and rest[b] < 0:
                rest[b], blocks[found] = found, b
                found += 1
        while p < len(after) and after[p] == b:
            number[bases[-1] + p], blocks[found] = found, b
            found, p = found + 1, p + 1
    for c in range(found + 1):
        begins[c] = 0
    for b in range(len(made)):
        for i in range(starts[b], starts[b + 1]):
            home[i] = number[home[i]] if home[i] >= 0 else rest[b]
            begins[home[i] + 1] += 1
    for c in range(found):
        begins[c + 1] += begins[c]
    for i in range(len(home)):
        order[begins[home[i]]] = i
        begins[home[i]] += 1
    for c in range(found, 0, -1):
        begins[c] = begins[c - 1]
    begins[0] = 0
    return found


@njit(cache=True, nogil=True)
def merge(begins, blocks, least):
    """Put classes together with the next ones until each has so many records; those of a block stay among themselves,
    if it has so many.

    Where the classes begin is written over where they began; returns how many there are.
    """
    found, opened, fresh = 0, 0, False
    for c in range(len(blocks)):
        end = begins[c + 1]
        if end - opened >= least:
            begins[found], opened, fresh = opened, end, True
            found += 1
        if c + 1 == len(blocks) or blocks[c + 1] != blocks[c]:
            opened, fresh = end if fresh else opened, False  # what is left of the block joins its last class
    begins[0], found = 0, max(found, 1)
    begins[found] = end
    return found
