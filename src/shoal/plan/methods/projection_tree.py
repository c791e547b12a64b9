"""What a plan says of the projection tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from shoal.plan.methods.card import Card
from shoal.plan.options import Number


@dataclass(frozen=True)
class ProjectionTree:
    """Cuts on the widest of a few columns that are drawn, where both sides become narrowest.

    ``probability`` is the share of the columns that is drawn for each cut; ``auto`` finds the least that loses nothing
    to speak of. ``ties``: ``strict`` keeps equal values together, ``relaxed`` may put them on both sides of a cut.
    ``scaled`` measures columns by their range in the table, so that their units do not matter. ``variant`` names the
    ways of cutting that the paper compares with: ``ka-ppkt`` looks at all columns, and at half of the places;
    ``rounded`` and ``equilibrium`` look at one place; ``flexible`` cuts any column, at a rounded place.
    """

    probability: Annotated[float | str, Number(0, 1, above=True, words=("auto",), tried=(0.25, 1.0, "auto"))] = 0.5
    ties: Literal["strict", "relaxed"] = "strict"
    scaled: bool = True
    variant: Literal["dual", "ka-ppkt", "rounded", "equilibrium", "flexible"] = "dual"

    card: ClassVar[Card] = Card(
        name="projection-tree",
        idea="cut the table on the widest of a few columns that are drawn, where both sides become narrowest of all "
        "places that keep the number of classes at its most",
        paper="Wang, Luo, Jiang, Wu and Yu, Probabilistic Optimal Projection Partition KD-Tree k-Anonymity for Data "
        "Publishing Privacy Protection, Intelligent Data Analysis 2018; its formulas are our reconstruction",
        promises=frozenset({"k", "l", "t", "size"}),
        forms=("generalized", "centres"),
        reads_sensitive="only where l or t is required: a cut is refused when a side would break them",
        cost="n log n for each column",
        by_lot=True,
    )
