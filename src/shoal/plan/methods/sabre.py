"""What a plan says of SABRE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from shoal.plan.methods.card import Card


@dataclass(frozen=True)
class Sabre:
    """Buckets of similar sensitive values, and classes that take from each bucket in proportion to its size.

    ``search``: a class takes the records that are nearest to its seed (``nearest``, the paper's SABRE-KNN), or those
    that are next to it along a Hilbert curve (``hilbert``, its SABRE-AK). ``seeds``: drawn by lot (``random``), or one
    after the other along the curve (``sweep``). ``slack``: classes are as large as the worst of them would have to be
    (``paper``), or as small as pays, and put together with others where they turn out to be too far away (``best``).
    """

    search: Literal["nearest", "hilbert"] = "nearest"
    seeds: Literal["random", "sweep"] = "random"
    slack: Literal["best", "paper"] = "best"

    card: ClassVar[Card] = Card(
        name="sabre",
        idea="put similar sensitive values into buckets, and let every class take records near each other from all "
        "buckets, in proportion to their sizes",
        paper="Cao, Karras, Kalnis and Tan, SABRE: a Sensitive Attribute Bucketization and REdistribution framework "
        "for t-closeness, VLDB Journal 2011",
        promises=frozenset({"k", "t", "size"}),
        forms=("generalized", "centres", "anatomy"),
        reads_sensitive="always where t is required: a class takes so many records from each bucket of values",
        cost="n log n along the curve; searching for the nearest takes longer the more columns there are",
        by_lot=True,
    )
