"""What a plan says of Anatomy's grouping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.plan.methods.card import Card


@dataclass(frozen=True)
class Anatomize:
    """Classes of l records with different sensitive values, drawn from the whole table without a look at the rest."""

    card: ClassVar[Card] = Card(
        name="anatomy",
        idea="draw classes of l different sensitive values, the commonest that are left first, from the whole table",
        paper="Xiao and Tao, Anatomy: Simple and Effective Privacy Preservation, VLDB 2006",
        promises=frozenset({"l", "size"}),
        forms=("anatomy", "slices", "randomized"),
        reads_sensitive="always, and nothing else: a class takes one record of each of the commonest values",
        cost="n",
        by_lot=True,
    )
