"""What is said of a class: one module a form."""

from __future__ import annotations

import pyarrow as pa

from shoal.errors import Unsupported
from shoal.plan.forms import Anatomy, Buckets, Centres, Generalized, Randomized, Slices
from shoal.plan.plan import Plan
from shoal.publish.draft import Draft
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes


def publish(codes: Codes, classes: Classes, plan: Plan, table: pa.Table, chance: Chance) -> Draft:
    """Show the classes in the plan's form; what falls by lot draws from ``chance``."""
    match plan.form:
        case Generalized() as form:
            from shoal.publish import generalized

            return generalized.publish(codes, classes, plan, form, table.column_names)
        case Centres():
            from shoal.publish import centres

            return centres.publish(codes, classes, plan, table.column_names)
        case Anatomy():
            from shoal.publish import anatomy

            return anatomy.publish(codes, classes, plan, table.column_names, chance)
        case Slices():
            from shoal.publish import slices

            return slices.publish(codes, classes, plan, table.column_names, chance)
        case Randomized() as form:
            from shoal.publish import randomized

            return randomized.publish(codes, classes, plan, form, table.column_names, chance)
        case Buckets():
            from shoal.publish import buckets

            return buckets.publish(codes, classes, plan, table.column_names, chance)
    raise Unsupported(f"no form shows {type(plan.form).__name__}")
