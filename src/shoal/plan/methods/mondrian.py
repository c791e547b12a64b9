"""What a plan says of Mondrian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from shoal.plan.methods.card import Card


@dataclass(frozen=True)
class Mondrian:
    """Median cuts along the widest axis, as long as both sides keep every requirement.

    ``ties``: ``strict`` keeps equal values together, ``relaxed`` may put them on both sides of a cut.
    """

    ties: Literal["strict", "relaxed"] = "strict"

    card: ClassVar[Card] = Card(
        name="mondrian",
        idea="cut the table at the median of its widest column, again and again, while both sides keep every promise",
        paper="LeFevre, DeWitt and Ramakrishnan, Mondrian Multidimensional K-Anonymity, ICDE 2006; with t it is the "
        "tMondrian of Li, Li and Venkatasubramanian, Closeness: A New Privacy Measure for Data Publishing, TKDE 2010",
        promises=frozenset({"k", "l", "t", "size"}),
        forms=("generalized", "centres", "anatomy", "slices", "randomized"),
        reads_sensitive="only where l or t is required: a cut is refused when a side would break them",
        cost="n log n",
    )
