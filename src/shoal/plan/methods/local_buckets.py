"""What a plan says of local generalization and bucketization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from shoal.plan.methods.card import Card


@dataclass(frozen=True)
class LocalBuckets:
    """Known values are generalized in classes of k, sensitive ones put into buckets of their column, person by person.

    ``partition``: ``ncp`` divides around two far records for the least loss, ``mdp`` cuts at medians as Mondrian does.
    ``small``: what ``ncp`` does where a side has fewer than k: ``move`` the nearest records there, or ``stop``, as the
    paper does; it then also chooses sides as the paper does.
    """

    partition: Literal["mdp", "ncp"] = "ncp"
    small: Literal["move", "stop"] = "move"

    card: ClassVar[Card] = Card(
        name="local-buckets",
        idea="generalize what others may know of a person and bucketize what that person holds private, column by "
        "column",
        paper="Li and He, Local Generalization and Bucketization Technique for Personalized Privacy Preservation, "
        "Journal of King Saud University - Computer and Information Sciences 2023",
        promises=frozenset({"k", "l", "t"}),
        forms=("buckets",),
        reads_sensitive="for the buckets only: classes are made of what is generalized, and do not depend on sensitive "
        "values",
        cost="n log n",
        by_lot=True,
        semi_sensitive=True,
    )
