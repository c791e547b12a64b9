"""The generalized form: all records of a class show the same quasi-identifiers, coarse enough to cover each of them.

Promises     k, l, t and a least size: an outsider can group by nothing finer than the classes.
Protects     identity and sensitive values; insensitive columns are published as they are.
Shows        numbers by their range; categories by the lowest node of their hierarchy, or without one by their set.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.plan.forms import Generalized
from shoal.plan.plan import Plan
from shoal.publish.assembly import assemble
from shoal.publish.draft import Draft
from shoal.publish.faces import Records, extents, show
from shoal.table.classes import Classes
from shoal.table.codes import Codes


def publish(codes: Codes, classes: Classes, plan: Plan, form: Generalized, column_order: Sequence[str]) -> Draft:
    """The classes as one table, its columns in the order of the original."""
    records = Records.of(codes, classes)
    shown = {
        column.name: show(records, axis, extent, column, form)
        for axis, (column, extent) in enumerate(zip(plan.quasi_identifying, extents(records), strict=True))
    }
    return assemble(shown, codes, classes, plan, column_order)
