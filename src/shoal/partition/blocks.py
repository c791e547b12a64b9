"""What the methods have in common that cut a table into blocks and draw classes from these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import blocks
from shoal.partition.eligible import asked, counts_of, eligible
from shoal.partition.growing import check_people
from shoal.plan.plan import Plan
from shoal.privacy.requirements import LDiversity, Requirement
from shoal.privacy.search import Numbers
from shoal.privacy.shares import Asked, Shares, shares
from shoal.table.codes import Codes

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Search:
    """The records to group, and what is asked of their classes: said as shares, and as it will be tested."""

    codes: Codes
    places: Integers
    numbers: Numbers
    asked: Sequence[Asked]
    shares: Shares
    together: Sequence[Requirement] | None  # what all records together keep, if that is not what classes must

    @property
    def is_exact(self) -> bool:
        """Whether a block in which no value has more than its share keeps all that is asked."""
        return all(one.is_exact for one in self.asked)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Records ``rows[starts[i]:starts[i + 1]]`` are block i, and row j of ``codes`` is record ``rows[j]``.

    The blocks lie in the order of the ``columns`` by which they were cut, so that those side by side are alike.
    """

    codes: NDArray[np.unsignedinteger[Any]]
    rows: NDArray[np.uint32]
    starts: Integers
    columns: Integers

    def numbered(self, shares: Shares) -> NDArray[np.int32]:
        """The number of each record's value in each column that must be diverse; -1 for one that does not count."""
        found = np.empty((len(self.rows), len(shares.column)), np.int32)
        for a, column in enumerate(shares.column.tolist()):
            found[:, a] = self.codes[:, column]
            found[:, a] += np.int32(shares.start[a])
            found[found[:, a] >= shares.start[a + 1], a] = -1
        return found


def searched(codes: Codes, plan: Plan, method: str, together: Sequence[Requirement] | None = None) -> Search:
    """The records to group; an error says why there is no grouping that keeps the plan's promises.

    ``together`` is what all records together must keep, where that is not what each class must.
    """
    check_people(codes, method)
    chosen = eligible(codes, plan, together)
    found = asked_of(codes, plan, chosen.places)
    return Search(codes, chosen.places, chosen.numbers, found, shares(found, chosen.numbers.least), together)


def asked_of(codes: Codes, plan: Plan, places: Integers | None) -> list[Asked]:
    """What is asked of each sensitive column, of which something is, and what these records hold of it."""
    requirements, found = asked(plan, codes.sensitive_domains), []
    for domain, counts in zip(codes.sensitive_domains, counts_of(codes, places), strict=True):
        here = [r for r in requirements if isinstance(r, LDiversity) and r.on == domain.name]
        if here:
            found.append(Asked(codes.place(domain.name), here, counts, domain.known))
    return found


def moved(search: Search) -> blocks.Records:
    """A copy of the records that may be moved about."""
    every = len(search.places) == len(search.codes)
    words = search.codes.words.copy() if every else search.codes.words[search.places]
    return blocks.Records(words.view(search.codes.matrix.dtype), words, search.places.astype(np.uint32))
