"""Classes that break a requirement are put together with their neighbours until none does.

Whatever heuristic made the classes, this makes its promise true: two classes that keep a requirement keep it together,
and all records together keep every one (eligible.py). Where values are shown randomized, two classes may not keep
together what each keeps; such a pair is put together with more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import cutting
from shoal.privacy.search import Numbers
from shoal.table.codes import Codes

Whole = NDArray[np.int64]


def mended(codes: Codes, order: NDArray[np.uint32], starts: Whole, numbers: Numbers) -> Whole:
    """Where the classes start of which none is broken; each is a run of these classes."""
    sensitive = np.ascontiguousarray(codes.matrix[:, codes.quasi : codes.quasi + codes.sensitive])
    ends = np.cumsum([0, *(len(domain) for domain in codes.sensitive_domains)]).astype(np.int64)
    found = np.empty_like(starts)
    return found[: cutting.united(order, starts, sensitive, numbers, ends, found) + 1]


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
