"""Whether classes of records from several buckets may be halved, each bucket's part for itself."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def _is_close(held, records, depth, number, flows, most, least, surplus):
    """Whether a class is large enough, and its buckets' shares are as near the whole table's as D may be."""
    first, last, weight = flows
    size = 0
    for b in range(len(held)):
        size += (held[b] + number) >> depth
    if size < least:
        return False
    for b in range(len(held)):
        surplus[b + 1] = surplus[b] + ((held[b] + number) >> depth) / size - held[b] / records
    away = 0.0
    for f in range(len(first)):
        away += weight[f] * abs(surplus[last[f]] - surplus[first[f]])
    return away <= most


@njit(cache=True, nogil=True)
def may_halve(held, depth, numbers, flows, most, least, surplus, may):
    """For classes that take (bucket + number) >> depth of each bucket: whether both halves are good classes too."""
    records = held.sum()
    for c in range(len(numbers)):
        may[c] = True
        for upper in range(2):
            number = numbers[c] + (upper << depth)
            if may[c]:
                may[c] = _is_close(held, records, depth + 1, number, flows, most, least, surplus)
