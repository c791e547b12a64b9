"""What a plan says of slicing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from shoal.plan.methods.card import Card
from shoal.plan.options import Number


@dataclass(frozen=True)
class Slicing:
    """The same slices of columns for the whole table, by how strongly columns go together; Mondrian's buckets.

    There are as many slices as would hold ``widest`` columns each. Values with a smaller share than ``rare`` are
    generalized in their bucket, and so is what stands in a slice with them.
    """

    widest: Annotated[int, Number(2, whole=True, tried=(4, 2))] = 4
    rare: Annotated[float, Number(0, 1, tried=(0, 0.1))] = 0.0

    card: ClassVar[Card] = Card(
        name="slicing",
        idea="keep those columns together that go together in the whole table, and cut the table into buckets at "
        "medians while both sides stay diverse",
        paper="Li, Li, Zhang and Molloy, Slicing: A New Approach for Privacy Preserving Data Publishing, TKDE 2012",
        promises=frozenset({"l", "size"}),
        forms=("slices",),
        reads_sensitive="always: how strongly columns go with a sensitive one decides which stand beside it, and a cut "
        "is refused when a side would break l",
        cost="n log n, and the square of the number of columns",
    )
