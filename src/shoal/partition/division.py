"""What SABRE's classes are made for: a sensitive column, how far from it they may be, and the ways to divide it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bucketization import Buckets, refinements
from shoal.partition.eligible import Eligible, asked, counts_of, distance_of
from shoal.partition.redistribution import Sizes, class_sizes
from shoal.plan.plan import Plan
from shoal.privacy import definitions
from shoal.privacy.definitions import LEEWAY
from shoal.privacy.distances import Equal, GroundDistance
from shoal.privacy.requirements import TCloseness
from shoal.table.codes import Codes
from shoal.table.distinct import smallest

Whole = NDArray[np.int64]
Column = NDArray[np.unsignedinteger[Any]]

#: Each division has at least so many times the buckets of the one before.
_MORE = 9 / 8
#: Buckets whose U is so many times t are not tried: too many of their classes would have to be put together.
_HOPELESS = 8


@dataclass(frozen=True, eq=False)
class Division:
    """The bucket of each record, and how many records each class takes from each bucket."""

    bucket: Column
    sizes: Sizes


@dataclass(frozen=True, eq=False)
class Aim:
    """Classes of at least so many records, at most t away from all of them on one column."""

    column: Column
    counts: Whole
    distance: GroundDistance
    t: float
    least: int

    @classmethod
    def of(cls, codes: Codes, plan: Plan, chosen: Eligible) -> Aim:
        """The first t that the plan asks for; infinity, on a column of one value, where it asks for none."""
        least, records = chosen.numbers.least, len(chosen.places)
        anywhere = np.zeros(records, np.uint8), np.array([records]), Equal(), math.inf
        first = next((r for r in asked(plan, codes.sensitive_domains) if isinstance(r, TCloseness)), None)
        if first is None:
            return cls(*anywhere, least)
        place = codes.place(first.on)
        distance, counts = distance_of(first, codes.domains[place]), counts_of(codes, chosen.places)
        own, left = counts[place - codes.quasi], first.t
        if codes.whole is not None:
            left -= float(definitions.closeness(own[None, :], codes.whole[place - codes.quasi], distance)[0])
        return (
            cls(codes.matrix[chosen.places, place], own, distance, left, least) if left > 0 else cls(*anywhere, records)
        )

    def divisions(self, *, bounded: bool) -> Iterator[Division]:
        """Ever finer buckets, and the sizes of classes of them (Algorithm SABRE, lines 1-9).

        If ``bounded``, the first are the paper's: U < t and D + U <= t. If not, they begin with fewer and D <= t, since
        what a class costs within its buckets is seen once it is made, and far less than U as a rule.
        """
        least_buckets = 0.0
        for buckets in refinements(self.counts, self.distance, self.t if bounded else _HOPELESS * self.t):
            if len(buckets) < least_buckets:
                continue
            least_buckets = _MORE * len(buckets)
            bucket = self._among(buckets)
            held = np.bincount(bucket, minlength=len(buckets))
            most = self.t + LEEWAY - (buckets.upper if bounded else 0.0)
            yield Division(bucket, class_sizes(held, buckets.flows, most, self.least))

    def _among(self, buckets: Buckets) -> Column:
        return buckets.of(self.column).astype(smallest(len(buckets)))
