"""Greedy clusters: each class grows from a far seed by the record that raises its loss least.

Paper        Jiang, Zeng, Ma: Greedy Clustering-Anonymity Method for Privacy Preservation of Table Data-Publishing.
             Journal of Software 28(2), 2017 (GAA-CP); extended to l-diversity (LGAA-CP) as the comparator of Wang, Yu,
             Zhang: Research on Anonymization Algorithms Based on Local Partitioning. 2018.
Promises     k, l and a least size.
Forms        generalized, centres, anatomy, slices, randomized.
Reads        sensitive values only where l is asked; then a record that was passed over tells that its value was common.
Cost         quadratic: for each record that joins, every record that is left is looked at.
Why right    classes that break a requirement are put together with others until none does (mending.py); by frequency
             none breaks it but for the last, as long as one sensitive column is asked for, since each class takes as
             many of the commonest values as the rest cannot bear.
"""

from __future__ import annotations

import numpy as np

from shoal.errors import Unsupported
from shoal.kernels import clustering
from shoal.partition.eligible import eligible
from shoal.partition.growing import axes_of, check_people, diversity_of, roomy
from shoal.partition.mending import mended
from shoal.plan.methods import GreedyClusters
from shoal.plan.plan import Plan
from shoal.table.classes import Classes
from shoal.table.codes import Codes

#: Above so many records nobody is made to wait who did not ask for it: twice as many take four times as long.
_MOST = 100_000


def group(codes: Codes, plan: Plan) -> Classes:
    """Group the records into classes that keep every requirement of the plan."""
    check_people(codes, "greedy-clusters")
    _check_size(codes, plan)
    chosen = eligible(codes, plan)
    if not len(chosen.places):
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))
    columns = np.ascontiguousarray(codes.matrix[chosen.places, : codes.quasi].T)
    order = chosen.places.astype(np.uint32)
    starts = np.empty(len(order) + 1, np.int64)
    diversity = diversity_of(codes, chosen.places, chosen.numbers)
    axes = axes_of(codes.domains[: codes.quasi])
    size = roomy(chosen.numbers.least, diversity)
    found = clustering.cluster(columns, order, axes, diversity, size, starts)
    return Classes(order, mended(codes, order, starts[: found + 1], chosen.numbers))


def _check_size(codes: Codes, plan: Plan) -> None:
    if len(codes) > _MOST and not (isinstance(plan.method, GreedyClusters) and plan.method.slow):
        raise Unsupported(
            f"the method greedy-clusters looks at every record for every record, and the table has {len(codes):,}: "
            f"above {_MOST:,} say slow = true for it, or choose another method, such as mondrian"
        )
