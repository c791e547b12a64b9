"""How records may be grouped: the options that a steward sets, and what each method can promise."""

from __future__ import annotations

from shoal.plan.methods.card import Card, Promise
from shoal.plan.methods.greedy_clusters import GreedyClusters
from shoal.plan.methods.incognito import Incognito
from shoal.plan.methods.local_buckets import LocalBuckets
from shoal.plan.methods.mondrian import Mondrian
from shoal.plan.methods.projection_tree import ProjectionTree
from shoal.plan.methods.sabre import Sabre

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
    "Sabre",
]

Method = Mondrian | Incognito | GreedyClusters | ProjectionTree | LocalBuckets | Sabre

METHODS: dict[str, type[Method]] = {
    kind.card.name: kind for kind in (Mondrian, Incognito, GreedyClusters, ProjectionTree, LocalBuckets, Sabre)
}
