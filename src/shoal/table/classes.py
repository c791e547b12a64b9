"""Who shares a class: an order of the records, and where each class starts in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Classes:
    """Records ``order[starts[i]:starts[i + 1]]`` share class i. Records that are not in ``order`` are suppressed."""

    order: NDArray[np.uint32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def __repr__(self) -> str:
        return f"<Classes: {len(self.order)} records in {len(self)} classes>"
