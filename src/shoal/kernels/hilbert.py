"""Where records lie along a Hilbert curve, which passes through every region of a space of many axes."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _along(point, bits):
    """Turns coordinates into the curve's index, its bits dealt out to the axes (Skilling, Programming the Hilbert
    Curve, AIP Conference Proceedings 707, 2004)."""
    one, axes = np.uint64(1), len(point)
    bit = one << np.uint64(bits - 1)
    while bit > one:
        below = bit - one
        for j in range(axes):
            if point[j] & bit:
                point[0] ^= below
            else:
                swapped = (point[0] ^ point[j]) & below
                point[0] ^= swapped
                point[j] ^= swapped
        bit >>= one
    for j in range(1, axes):
        point[j] ^= point[j - 1]
    turned = np.uint64(0)
    bit = one << np.uint64(bits - 1)
    while bit > one:
        if point[axes - 1] & bit:
            turned ^= bit - one
        bit >>= one
    for j in range(axes):
        point[j] ^= turned


@njit(cache=True, nogil=True)
def keys(codes, axes, coordinate, offset, bits, found):
    """The first 64 bits of each record's index along the curve; axis j's coordinates begin at ``offset[j]``."""
    point = np.empty(len(axes), np.uint64)
    one = np.uint64(1)
    for i in range(len(codes)):
        for j in range(len(axes)):
            point[j] = coordinate[offset[j] + np.int64(codes[i, axes[j]])]
        _along(point, bits)
        key, left = np.uint64(0), 64
        for bit in range(bits - 1, -1, -1):
            for j in range(len(axes)):
                if left > 0:
                    key = (key << one) | ((point[j] >> np.uint64(bit)) & one)
                    left -= 1
        found[i] = key
