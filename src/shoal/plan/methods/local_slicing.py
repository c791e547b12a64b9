"""What a plan says of local slicing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from shoal.plan.methods.card import Card
from shoal.plan.options import Number


@dataclass(frozen=True)
class LocalSlicing:
    """Buckets around records that show what goes together, each cut into slices of columns of its own.

    Values go together if at least the share ``support`` of the records has them, and of the records that have all but
    one of them at least the share ``confidence`` has this one too. A slice has at most ``widest`` columns, and one that
    is made of what goes together at least ``narrowest``. Values with a smaller share than ``rare`` are generalized in
    their bucket, and so is what stands in a slice with them.
    """

    support: Annotated[float, Number(0.01, 1, tried=(0.2, 0.05))] = 0.2
    confidence: Annotated[float, Number(0, 1, tried=(0.8, 0.4))] = 0.8
    widest: Annotated[int, Number(2, whole=True, tried=(4, 2))] = 4
    narrowest: Annotated[int, Number(1, whole=True, tried=(2,))] = 2
    rare: Annotated[float, Number(0, 1, tried=(0, 0.1))] = 0.0

    card: ClassVar[Card] = Card(
        name="local-slicing",
        idea="find values that go together, gather buckets of near records around them, and keep in each bucket those "
        "columns together that go together there",
        paper="Wang, Yu and Zhang, Research on Anonymization Algorithms Based on Local Partitioning, 2018 (ASG-LS)",
        promises=frozenset({"l", "size"}),
        forms=("slices",),
        reads_sensitive="always: which values go with a sensitive one decides where buckets begin and which columns "
        "stand beside it",
        cost="n log n for a stated number of neighbours that each bucket is chosen from, and the number of sets of "
        "values that go together",
        by_lot=True,
    )
