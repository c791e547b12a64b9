"""What a release shows that its classes do not hide: rare endpoints, and values that few records share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from shoal.privacy.requirements import KAnonymity, Requirement, Size
from shoal.privacy.verdict import Finding, Note
from shoal.verify.case import Case, Quasi
from shoal.verify.covering import numbers


def endpoints(case: Case, asked: Sequence[Requirement]) -> Iterator[Note]:
    """Ends of published ranges that are the value of a few records: someone is 104."""
    least = [r.k if isinstance(r, KAnonymity) else r.size for r in asked if isinstance(r, KAnonymity | Size)]
    for quasi in case.quasi if least else []:
        rare = _rare(quasi, max(least))
        if rare:
            says = (
                f"{rare:,} end(s) of its published ranges are values that fewer than {max(least)} records of the "
                "original hold; top, bottom and step hide them"
            )
            yield Note(quasi.column.name, says, {"ends": float(rare)})


def _rare(quasi: Quasi, least: int) -> int:
    """How many different ends are held by someone, but by too few."""
    if quasi.cells.low is None or quasi.cells.high is None:
        return 0
    ends = np.unique(np.concatenate([quasi.cells.low, quasi.cells.high]))
    number = numbers(quasi.original.held)
    order = np.argsort(number)
    before = np.concatenate([[0], np.cumsum(quasi.original.times[order])])
    first, last = (np.searchsorted(number[order], ends[np.isfinite(ends)], side=side) for side in ("left", "right"))
    holders = before[last] - before[first]
    return int(((holders > 0) & (holders < least)).sum())


def unique(case: Case, allowed: Collection[str]) -> Iterator[Finding]:
    """An insensitive column that is different for most records names them as well as their names do."""
    for column in case.of_role("insensitive"):
        if column.name in allowed:
            continue
        alone = int((case.coded(column.name).times == 1).sum())
        holds = 2 * alone <= case.original.num_rows
        says = "" if holds else f"{alone:,} records have a value of their own: allow_unique, or another role"
        yield Finding("keeper", f"{column.name} is not unique for most records", holds=holds, says=says)
