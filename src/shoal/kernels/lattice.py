"""Cells of a datacube, counted from classes of which each record lies anywhere in its box."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def divergence(place, count, cells, shown, size, rows, share, offset, width):
    """The sum of count x log(count / estimate) over the cells of a group-by, each within its sensitive value.

    The cells of value v are ``place[cells[v]:cells[v + 1]]``, the places of their values on each axis; the classes that
    hold it are ``shown[rows[v]:rows[v + 1]]``, what they show on each axis, and they hold it ``size`` times. Of what is
    shown as s on axis j, the place p has the ``share[offset[j] + s * width[j] + p]``.
    """
    total, axes = 0.0, place.shape[1]
    for v in range(len(cells) - 1):
        for c in range(cells[v], cells[v + 1]):
            estimate = 0.0
            for r in range(rows[v], rows[v + 1]):
                part = np.float64(size[r])
                for j in range(axes):
                    part *= share[offset[j] + shown[r, j] * width[j] + place[c, j]]
                    if part == 0.0:
                        break
                estimate += part
            total += count[c] * np.log(count[c] / estimate) if estimate > 0 else np.inf
    return total
