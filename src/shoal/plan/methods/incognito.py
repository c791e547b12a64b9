"""What a plan says of Incognito."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.plan.methods.card import Card


@dataclass(frozen=True)
class Incognito:
    """One level of its hierarchy for each column, the same for all records: of those that will do, the least loss."""

    card: ClassVar[Card] = Card(
        name="incognito",
        idea="raise whole columns to levels of their hierarchies, and of all combinations that keep every promise "
        "take the one that loses least",
        paper="LeFevre, DeWitt and Ramakrishnan, Incognito: Efficient Full-Domain K-Anonymity, SIGMOD 2005; with t it "
        "is the tIncognito of Li, Li and Venkatasubramanian, Closeness: A New Privacy Measure for Data Publishing, "
        "TKDE 2010",
        promises=frozenset({"k", "l", "t", "size"}),
        forms=("generalized", "centres"),
        reads_sensitive="only where l or t is required: columns are raised until no class breaks them",
        cost="n log n for each combination of levels that is looked at; their number grows exponentially with the "
        "columns",
    )
