"""Who shares a class: an order of the records, and where each class starts in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Slices:
    """Which columns of a class stay together where classes are shown in slices.

    Each of the ``layouts`` divides the quasi-identifying and the sensitive columns into slices; ``layout[c]`` is the
    one of class c. ``generalized[c, j]`` says that all records of class c are to show what the whole class has of
    quasi-identifier j, in the order of the codes; what l needs beside that is added when the classes are shown.
    """

    layouts: tuple[tuple[tuple[str, ...], ...], ...]
    layout: NDArray[np.int32]
    generalized: NDArray[np.bool_] | None = None


#: In place of the number of a bucket: the class shows the column coarsened, or nothing of it.
GENERALIZED, SUPPRESSED = -1, -2


@dataclass(frozen=True, eq=False)
class Buckets:
    """Which values of a column are shuffled among each other, where columns are bucketized one by one.

    ``of[name][i]`` is the bucket in which record ``order[i]`` has its value of that column. A class either has all its
    records in buckets, or is ``GENERALIZED`` or ``SUPPRESSED`` as a whole.
    """

    of: Mapping[str, NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class Classes:
    """Records ``order[starts[i]:starts[i + 1]]`` share class i. Records that are not in ``order`` are suppressed.

    Without ``slices`` the quasi-identifiers of a class stay together, and each sensitive column is a slice of its own.
    """

    order: NDArray[np.uint32]
    starts: NDArray[np.int64]
    slices: Slices | None = None
    buckets: Buckets | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def __repr__(self) -> str:
        return f"<Classes: {len(self.order)} records in {len(self)} classes>"
