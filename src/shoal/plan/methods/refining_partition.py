"""What a plan says of the refining partition, and of the initial partition that it starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from shoal.plan.methods.card import Card
from shoal.plan.options import Number

_PAPER = (
    "Zhu, Tian, Du and Xie, Anonymization on Refining Partition: Same Privacy, More Utility, Computer Science and "
    "Information Systems 2015"
)

#: Into how many intervals numbers are put to measure how strongly a column goes with the sensitive ones.
Bins = Annotated[int, Number(2, most=10_000, whole=True, tried=(16, 2))]


@dataclass(frozen=True)
class RefiningPartition:
    """Small classes of different sensitive values, drawn from blocks of records that are alike.

    ``initial`` makes the blocks: ``phi`` cuts by one column after the other, the one that goes most strongly with the
    sensitive values first; ``mondrian`` by median cuts; ``lexicographic`` sorts the records by the columns as the plan
    names them, and takes the shortest runs that are diverse. The other options are those of ``phi``, see
    :class:`InitialPartition`.
    """

    initial: Literal["phi", "mondrian", "lexicographic"] = "phi"
    merge: Literal["best", "random"] = "best"
    merged: Literal["continue", "final"] = "continue"
    bins: Bins = 16

    card: ClassVar[Card] = Card(
        name="refining-partition",
        idea="draw classes of l different sensitive values from blocks of records that are alike in the columns that "
        "go most strongly with them, so that little of what goes together is lost",
        paper=_PAPER,
        promises=frozenset({"k", "l", "size"}),
        forms=("anatomy", "generalized", "slices", "randomized"),
        reads_sensitive="always: blocks are cut where they stay diverse, and a class takes one record of each of the "
        "commonest values of its block",
        cost="n log n",
        by_lot=True,
    )


@dataclass(frozen=True)
class InitialPartition:
    """Blocks of records that are alike in the columns that go most strongly with the sensitive values.

    A block that is not diverse is put together with a neighbour in the column's order: ``merge`` takes the ``best`` of
    the two, or one at ``random``. One that holds several values of a column since then is ``merged``: it may
    ``continue`` to be cut by the next column, or is ``final``. ``bins`` is into how many intervals numbers are put to
    measure how strongly a column goes with the sensitive ones.
    """

    merge: Literal["best", "random"] = "best"
    merged: Literal["continue", "final"] = "continue"
    bins: Bins = 16

    card: ClassVar[Card] = Card(
        name="initial-partition",
        idea="cut the table by one column after the other, those that go most strongly with the sensitive values "
        "first, and put together neighbours that are not diverse",
        paper=_PAPER,
        promises=frozenset({"k", "l", "size"}),
        forms=("anatomy", "generalized", "slices", "randomized"),
        reads_sensitive="always: the order of the columns, and which blocks are put together",
        cost="n log n",
        by_lot=True,
    )
