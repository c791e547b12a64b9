"""How records may be grouped: the options that a steward sets, and what each method can promise."""

from __future__ import annotations

from shoal.plan.methods.card import Card, Promise
from shoal.plan.methods.greedy_clusters import GreedyClusters
from shoal.plan.methods.incognito import Incognito
from shoal.plan.methods.local_buckets import LocalBuckets
from shoal.plan.methods.mondrian import Mondrian
from shoal.plan.methods.projection_tree import ProjectionTree

__all__ = [
    "METHODS",
    "Card",
    "GreedyClusters",
    "Incognito",
    "LocalBuckets",
    "Method",
    "Mondrian",
    "ProjectionTree",
    "Promise",
]

Method = Mondrian | Incognito | GreedyClusters | ProjectionTree | LocalBuckets

METHODS: dict[str, type[Method]] = {
    kind.card.name: kind for kind in (Mondrian, Incognito, GreedyClusters, ProjectionTree, LocalBuckets)
}
