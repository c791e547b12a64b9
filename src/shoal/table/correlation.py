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
    """The mean-square contingency coefficient of two columns of codes: 0 of nothing in common, 1 of everything.

    A column that holds one value goes together with nothing.
    """
    pair, times = _pairs(one, other, values, others)
    return of_pairs(pair // others, pair % others, times.astype(np.float64))


def of_pairs(one: Codes, other: Codes, weight: Reals) -> float:
    """The same of pairs of values with weights, each pair given once."""
    total = float(weight.sum())
    of_one, of_other = np.bincount(one, weight), np.bincount(other, weight)
    fewest = min(int((of_one > 0).sum()), int((of_other > 0).sum()))
    if fewest < 2:
        return 0.0
    squares = weight**2 / (of_one[one] * of_other[other])
    return float(max(squares.sum() - 1, 0.0) / (fewest - 1)) if total else 0.0


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
    """For each code of a column its group: numbers in intervals of equal frequency, categories as they are.

    Missing is a group of its own. Where there are no more numbers than bins, each stays alone.
    """
    if domain.kind == "category" or domain.known <= bins:
        return np.arange(len(domain))
    known = counts[: domain.known]
    middle = np.cumsum(known) - known / 2
    groups = np.minimum(middle * bins // max(int(known.sum()), 1), bins - 1).astype(np.int64)
    return np.append(groups, bins) if domain.missing else groups
