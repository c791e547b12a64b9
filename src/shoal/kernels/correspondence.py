"""What a record may hold, as its class tells, against what its like hold in truth."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def penalties(alike, first, held, begins, of, starts, value, count, mark, penalty):
    """For each record the share of what its class holds that no record like it holds.

    Records ``alike[first[q]:first[q + 1]]`` are alike, and hold the values ``held[begins[q]:begins[q + 1]]``; class c
    holds ``value[starts[c]:starts[c + 1]]``, each ``count`` times. ``mark`` is -1 for each value.
    """
    for q in range(len(first) - 1):
        for at in range(begins[q], begins[q + 1]):
            mark[held[at]] = q
        for place in range(first[q], first[q + 1]):
            c, total, other = of[alike[place]], 0, 0
            for at in range(starts[c], starts[c + 1]):
                total += count[at]
                if mark[value[at]] != q:
                    other += count[at]
            penalty[alike[place]] = other / total


@njit(cache=True, nogil=True)
def expected(alike, first, of, starts, value, count, sizes, whole, row):
    """The sum of squared expected frequencies over their marginal products, of all pairs of values.

    Arguments as above; a class has ``sizes`` records, ``whole`` is how often each value occurs, and ``row`` is zero for
    each.
    """
    squares = 0.0
    for q in range(len(first) - 1):
        for place in range(first[q], first[q + 1]):
            c = of[alike[place]]
            for at in range(starts[c], starts[c + 1]):
                row[value[at]] += count[at] / sizes[c]
        for place in range(first[q], first[q + 1]):
            c = of[alike[place]]
            for at in range(starts[c], starts[c + 1]):
                v = value[at]
                squares += row[v] * row[v] / (whole[v] * (first[q + 1] - first[q]))
                row[v] = 0.0
    return squares
