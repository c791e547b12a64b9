"""What a plan says of greedy clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.plan.methods.card import Card


@dataclass(frozen=True)
class GreedyClusters:
    """Classes grown from far seeds, each time by the record that raises the loss least.

    ``slow`` lets it work on large tables too, for as long as that takes.
    """

    slow: bool = False

    card: ClassVar[Card] = Card(
        name="greedy-clusters",
        idea="grow each class from a record far from the last one, adding the record that raises its loss least, until "
        "it is large and diverse enough",
        paper="Jiang, Zeng and Ma, Greedy Clustering-Anonymity Method for Privacy Preservation of Table "
        "Data-Publishing, Journal of Software 2017, extended to l-diversity as in Wang, Yu and Zhang, Research on "
        "Anonymization Algorithms Based on Local Partitioning, 2018",
        promises=frozenset({"k", "l", "size"}),
        forms=("generalized", "centres", "anatomy", "slices", "randomized"),
        reads_sensitive="only where l is required: records whose value a class holds too often are passed over",
        cost="quadratic: every record that is left is looked at for every record that joins",
        by_lot=True,
    )
