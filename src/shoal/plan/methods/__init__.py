"""How records may be grouped: the options that a steward sets, and what each method can promise."""

from __future__ import annotations

from shoal.plan.methods.anatomy import Anatomize
from shoal.plan.methods.card import Card, Promise
from shoal.plan.methods.greedy_clusters import GreedyClusters
from shoal.plan.methods.incognito import Incognito
from shoal.plan.methods.local_buckets import LocalBuckets
from shoal.plan.methods.local_slicing import LocalSlicing
from shoal.plan.methods.mondrian import Mondrian
from shoal.plan.methods.projection_tree import ProjectionTree
from shoal.plan.methods.refining_partition import InitialPartition, RefiningPartition
from shoal.plan.methods.sabre import Sabre
from shoal.plan.methods.slicing import Slicing

__all__ = [
    "COMPARATORS",
    "METHODS",
    "Anatomize",
    "Card",
    "GreedyClusters",
    "Incognito",
    "InitialPartition",
    "LocalBuckets",
    "LocalSlicing",
    "Method",
    "Mondrian",
    "ProjectionTree",
    "Promise",
    "RefiningPartition",
    "Sabre",
    "Slicing",
]

Method = (
    Mondrian
    | Incognito
    | GreedyClusters
    | RefiningPartition
    | InitialPartition
    | Anatomize
    | ProjectionTree
    | LocalBuckets
    | LocalSlicing
    | Slicing
    | Sabre
)

_METHODS: tuple[type[Method], ...] = (
    Mondrian,
    Incognito,
    GreedyClusters,
    RefiningPartition,
    InitialPartition,
    Anatomize,
    ProjectionTree,
    LocalBuckets,
    LocalSlicing,
    Slicing,
    Sabre,
)

METHODS: dict[str, type[Method]] = {kind.card.name: kind for kind in _METHODS}

#: What is a method in papers, but none that a plan may name; and why.
COMPARATORS = {
    "ring": "is a comparator for measurements only: its rows have boxes of their own, so that an outsider finds no "
    "class to judge, and it promises nothing",
}
