"""Who shares a class: one module a method, named for its idea."""

from __future__ import annotations

from shoal.errors import Unsupported
from shoal.plan.methods import (
    Anatomize,
    GreedyClusters,
    Incognito,
    InitialPartition,
    LocalBuckets,
    LocalSlicing,
    Mondrian,
    ProjectionTree,
    RefiningPartition,
    Sabre,
    Slicing,
)
from shoal.plan.plan import Plan
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes


def group(codes: Codes, plan: Plan, chance: Chance) -> Classes:
    """Group the records by the plan's method; what falls by lot draws from ``chance``."""
    match plan.method:
        case Mondrian():
            from shoal.partition import mondrian

            return mondrian.group(codes, plan)
        case Incognito():
            from shoal.partition import incognito

            return incognito.group(codes, plan)
        case GreedyClusters():
            from shoal.partition import greedy_clusters

            return greedy_clusters.group(codes, plan)
        case ProjectionTree():
            from shoal.partition import projection_tree

            return projection_tree.group(codes, plan, chance)
        case LocalBuckets():
            from shoal.partition import local_buckets

            return local_buckets.group(codes, plan, chance)
        case LocalSlicing():
            from shoal.partition import local_slicing

            return local_slicing.group(codes, plan)
        case Slicing():
            from shoal.partition import slicing

            return slicing.group(codes, plan)
        case Sabre():
            from shoal.partition import sabre

            return sabre.group(codes, plan, chance)
        case RefiningPartition():
            from shoal.partition import refining_partition

            return refining_partition.group(codes, plan, chance)
        case InitialPartition():
            from shoal.partition import initial_partition

            return initial_partition.group(codes, plan, chance)
        case Anatomize():
            from shoal.partition import anatomy

            return anatomy.group(codes, plan, chance)
    raise Unsupported(f"no method groups by {type(plan.method).__name__}")
