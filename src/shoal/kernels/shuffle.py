"""Uniform permutations from random words."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def permutation(words: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Fisher and Yates' shuffle of 0..n-1; each draw scales 53 random bits, so its bias is below n / 2^53."""
    order = np.arange(len(words)).astype(np.uint32)
    for last in range(len(words) - 1, 0, -1):
        drawn = np.int64(np.float64(words[last] >> np.uint64(11)) * (last + 1) / 9007199254740992.0)
        kept = order[last]
        order[last] = order[drawn]
        order[drawn] = kept
    return order


@njit(cache=True, nogil=True)
def permutation_within(starts: NDArray[np.int64], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The same of each run of places by itself: place i of a run gets one of the run's, all ways alike likely."""
    order = np.arange(len(words))
    for c in range(len(starts) - 1):
        first = starts[c]
        for last in range(starts[c + 1] - 1, first, -1):
            share = np.float64(words[last] >> np.uint64(11)) / 9007199254740992.0
            drawn = first + np.int64(share * (last - first + 1))
            kept = order[last]
            order[last] = order[drawn]
            order[drawn] = kept
    return order
