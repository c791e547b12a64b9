"""Searches that cut a table in two and each part again: their large nodes are shared among the cores.

Which core takes a node must change nothing: a search decides by the node alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.partition.sharing import LARGE, shared

Starts = NDArray[np.int64]

#: The records from one place to another.
Span = tuple[int, int]
#: Cuts a span at most so many times; where the parts start.
Divide = Callable[[int, int, int], Starts]


def class_starts(records: int, divide: Divide, parts: Sequence[Span] | None = None) -> Starts:
    """Where each class starts, and the end of all records; only of some parts, if these are given."""
    spans = [(0, records)] if parts is None else list(parts)

    def cut(span: Span) -> tuple[list[Starts], list[Span]]:
        """One cut of a large node, or all the class starts of a small one."""
        lo, hi = span
        found = divide(lo, hi, 1 if hi - lo > LARGE else hi - lo)
        if hi - lo <= LARGE or len(found) < 2:
            return [found], []
        middle = int(found.max())
        return [], [(lo, middle), (middle, hi)]

    found = shared(spans, cut) if records > LARGE else [part for span in spans for part in cut(span)[0]]
    return np.sort(np.concatenate([*found, np.array([records])])).astype(np.int64)
