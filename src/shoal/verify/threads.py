"""Work that is done side by side: NumPy and Arrow let go of the interpreter while they compute."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


def each(task: Callable[[Given], Found], over: Iterable[Given]) -> list[Found]:
    """The task done for each, results in the order given."""
    items = list(over)
    workers = min(len(items), _cores())
    if workers < 2:
        return [task(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(task, items))


def _cores() -> int:
    """The cores that this process may use, which in a container are fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
