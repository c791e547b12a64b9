"""How strongly two columns go together: the mean-square contingency coefficient (Cramér, 1946)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.table.domain import Domain

Codes = NDArray[np.integer[Any]]
Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

#: Pairs of values are counted in a table of so many cells at most; else by sorting them.
_CELLS = 1 << 22


def phi_squared(one: Codes, other: Codes, values: int, others: int) -> float:
    """The mean-square contingency coefficient of two columns of codes: 0 of nothing in common, 1 of everything."""
    pair, times = _pairs(one, other, values, others)
    first, second = np.divmod(pair, max(others, 1))
    of_one, of_other = np.bincount(first, times), np.bincount(second, times)
    squares = float((times**2 / (of_one[first] * of_other[second])).sum())
    return normed(squares, int((of_one > 0).sum()), int((of_other > 0).sum()))


def normed(squares: float, values: int, others: int) -> float:
    """The coefficient, given the sum of squared frequencies over the products of their marginals.

    A column of a single value goes together with nothing.
    """
    fewest = min(values, others)
    return min(max(squares - 1, 0.0) / (fewest - 1), 1.0) if fewest > 1 else 0.0


def _pairs(one: Codes, other: Codes, values: int, others: int) -> tuple[Integers, Integers]:
    """The pairs that occur, as numbers, and how often each does."""
    pair = one.astype(np.int64) * others + other
    if values * others > _CELLS:
        found, times = np.unique(pair, return_counts=True)
        return found, times
    counts = np.bincount(pair, minlength=values * others)
    found = np.flatnonzero(counts)
    return found, counts[found]


def binned(domain: Domain, counts: Integers, bins: int) -> Integers:
    """For each code of a column its group: numbers in intervals of equal frequency, categories as they are."""
    return np.arange(len(domain)) if domain.kind == "category" else intervals(counts, bins, gap=domain.missing)


def intervals(counts: Integers, bins: int, *, gap: bool) -> Integers:
    """For each number, in their order, which of so many intervals of equal frequency it falls in.

    The last code is a missing value's if there is a ``gap``: a group of its own. Where there are no more numbers than
    bins, each stays alone.
    """
    known = counts[: len(counts) - gap]
    if len(known) <= bins:
        return np.arange(len(counts))
    middle = np.cumsum(known) - known / 2
    groups = np.minimum(middle * bins // max(int(known.sum()), 1), bins - 1).astype(np.int64)
    return np.append(groups, bins) if gap else groups
