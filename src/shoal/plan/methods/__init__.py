"""How records may be grouped: the options that a steward sets, and what each method can promise."""

from __future__ import annotations

from shoal.plan.methods.anatomy import Anatomize
from shoal.plan.methods.card import Card, Promise
from shoal.plan.methods.greedy_clusters import GreedyClusters
from shoal.plan.methods.incognito import Incognito
from shoal.plan.methods.mondrian import Mondrian
from shoal.plan.methods.refining_partition import InitialPartition, RefiningPartition

__all__ = [
    "METHODS",
    "Anatomize",
    "Card",
    "GreedyClusters",
    "Incognito",
    "InitialPartition",
    "Method",
    "Mondrian",
    "Promise",
    "RefiningPartition",
]

Method = Mondrian | Incognito | GreedyClusters | RefiningPartition | InitialPartition | Anatomize

METHODS: dict[str, type[Method]] = {
    kind.card.name: kind
    for kind in (Mondrian, Incognito, GreedyClusters, RefiningPartition, InitialPartition, Anatomize)
}
