"""The Hilbert curve goes through every cell of a grid once, and from each cell to one beside it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.kernels import hilbert


def keys(cells: NDArray[np.uint8], bits: int) -> NDArray[np.uint64]:
    """The keys of these cells, whose coordinates are their codes."""
    axes = cells.shape[1]
    coordinate = np.tile(np.arange(1 << bits, dtype=np.uint64), axes)
    found = np.zeros(len(cells), np.uint64)
    hilbert.keys(cells, np.arange(axes), coordinate, np.arange(axes) << bits, bits, found)
    return found


@pytest.mark.parametrize(("axes", "bits"), [(1, 6), (2, 1), (2, 5), (3, 1), (3, 3), (4, 2), (6, 2), (7, 1)])
def test_the_curve_steps_from_cell_to_cell(axes: int, bits: int) -> None:
    cells = np.array(list(product(range(1 << bits), repeat=axes)), np.uint8)
    found = keys(cells, bits)
    assert sorted(found.tolist()) == list(range(1 << (axes * bits)))
    walk = cells[np.argsort(found)].astype(int)
    assert (np.abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all()


def test_of_many_axes_the_first_bits_count() -> None:
    """Ninety axes have more bits than a key: those that tell halves of the first axes apart are kept."""
    cells = np.zeros((2, 90), np.uint8)
    cells[1, 89] = 1
    assert len(np.unique(keys(cells, 1))) in (1, 2)
    cells[1, 0] = 1
    assert len(np.unique(keys(cells, 1))) == 2
