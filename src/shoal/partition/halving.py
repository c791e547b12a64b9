"""Searches that cut a table in two and each part again: their large nodes are shared among the cores.

Which core takes a node must change nothing: a search decides by the node alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np
from numpy.typing import NDArray

#: Nodes below this many records are cut to the end in one go; larger ones are halved first, to share the work.
_SHARED = 1 << 16

Starts = NDArray[np.int64]

#: The records from one place to another.
Span = tuple[int, int]
#: Cuts a span at most so many times; where the parts start.
Divide = Callable[[int, int, int], Starts]


def class_starts(records: int, divide: Divide, parts: Sequence[Span] | None = None) -> Starts:
    """Where each class starts, and the end of all records; only of some parts, if these are given."""
    starts = [np.array([records])]
    spans = [(0, records)] if parts is None else parts
    if records <= _SHARED:
        return np.sort(np.concatenate([*starts, *(divide(lo, hi, hi - lo) for lo, hi in spans)])).astype(np.int64)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        waiting: dict[Future[Starts], tuple[int, int]] = {}

        def take(lo: int, hi: int) -> None:
            waiting[pool.submit(divide, lo, hi, 1 if hi - lo > _SHARED else hi - lo)] = lo, hi

        for lo, hi in spans:
            take(lo, hi)
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                found, (lo, hi) = future.result(), waiting.pop(future)
                if hi - lo > _SHARED and len(found) == 2:
                    take(lo, int(found.max()))
                    take(int(found.max()), hi)
                else:
                    starts.append(found)
    return np.sort(np.concatenate(starts)).astype(np.int64)
