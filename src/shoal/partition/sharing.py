"""Work that falls into parts while it is done, shared among the cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Parts of fewer records than this are worked through in one go; larger ones are divided first, to share the work.
LARGE = 1 << 16

_THREADS = os.cpu_count() or 1


def shared(first: Iterable[Task], work: Callable[[Task], tuple[list[Result], list[Task]]]) -> list[Result]:
    """All results of some tasks and of the tasks that these leave, in no particular order."""
    found: list[Result] = []
    with ThreadPoolExecutor(_THREADS) as pool:
        waiting = {pool.submit(work, task) for task in first}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                results, left = future.result()
                found += results
                waiting |= {pool.submit(work, task) for task in left}
    return found
