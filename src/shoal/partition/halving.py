"""Searches that cut a table in two and each part again: their large nodes are shared among the cores.

Which core takes a node must change nothing: a search decides by the node alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np
from numpy.typing import NDArray

#: Nodes below this many records are cut to the end in one go; larger ones are halved first, to share the work.
_SHARED = 1 << 16

Starts = NDArray[np.int64]

#: Cuts the records from one place to another, at most so many times; where the parts start.
Divide = Callable[[int, int, int], Starts]


def class_starts(records: int, divide: Divide) -> Starts:
    """Where each class starts, and their end."""
    starts = [np.array([records])]
    if records <= _SHARED:
        return np.sort(np.concatenate([*starts, divide(0, records, records)])).astype(np.int64)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        waiting: dict[Future[Starts], tuple[int, int]] = {}

        def take(lo: int, hi: int) -> None:
            waiting[pool.submit(divide, lo, hi, 1 if hi - lo > _SHARED else hi - lo)] = lo, hi

        take(0, records)
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
