"""Classes that break a requirement are put together with their neighbours until none does.

Whatever heuristic made the classes, this makes its promise true: two classes that keep a requirement keep it together,
and all records together keep every one (eligible.py). Where values are shown randomized, two classes may not keep
together what each keeps; such a pair is put together with more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import cutting
from shoal.privacy.search import Numbers
from shoal.table.codes import Codes

Whole = NDArray[np.int64]


def mended(codes: Codes, order: NDArray[np.uint32], starts: Whole, numbers: Numbers) -> Whole:
    """Where the classes start of which none is broken; each is a run of these classes."""
    sensitive = codes.matrix[:, codes.quasi : codes.quasi + codes.sensitive]
    return united(sensitive, [len(domain) for domain in codes.sensitive_domains], order, starts, numbers)


def united(
    values: NDArray[np.unsignedinteger[Any]],
    widths: Sequence[int],
    order: NDArray[np.integer[Any]],
    starts: Whole,
    numbers: Numbers,
) -> Whole:
    """The same, where the numbers ask of columns of so many different values."""
    ends, found = np.cumsum([0, *widths]).astype(np.int64), np.empty_like(starts)
    count = cutting.united(order.astype(np.uint32), starts, np.ascontiguousarray(values), numbers, ends, found)
    return found[: count + 1]


def joined(starts: Whole, broken: Callable[[Whole], NDArray[np.bool_]]) -> Whole:
    """Runs of classes of which none is broken, if all of them together are not."""
    together = 1
    while len(starts) > 2:
        wrong = broken(starts)
        if not wrong.any():
            break
        gone = np.zeros(len(starts), np.bool_)
        for place in np.flatnonzero(wrong).tolist():  # with more and more neighbours, so that few rounds are needed
            gone[max(place - together + 1, 0) : place + 1] = True
        gone[1] |= wrong[0]
        gone[0] = False
        starts = starts[~gone]
        together *= 2
    return starts
