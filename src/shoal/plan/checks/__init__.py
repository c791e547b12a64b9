"""Every way in which a plan can contradict itself, found in one go.

Values are checked here and nowhere else, so that a plan in a file and one in Python get the same answers. A mistake is
said once: what only follows from it, such as a requirement on a column whose role is not known, is left unsaid.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import Problem
from shoal.plan.checks.columns import columns_of, of_allow_unique, of_person, of_schema
from shoal.plan.checks.known import Known
from shoal.plan.checks.masks import of_masks
from shoal.plan.checks.method_and_form import of_method_and_form
from shoal.plan.checks.published import of_published_names
from shoal.plan.checks.reading import of_reading, of_table
from shoal.plan.checks.requirements import of_requirements, of_suppress
from shoal.plan.plan import Decisions


def problems_of(plan: Decisions, found: Sequence[Problem] = ()) -> list[Problem]:
    """All mistakes beside those that were found already, in the order in which a reader of the plan meets them."""
    columns = columns_of(plan.schema)
    problems = list(of_schema(plan.schema, columns, found))
    known = Known(columns, frozenset(problem.key for problem in (*found, *problems)))
    return [
        *problems,
        *of_masks(known),
        *of_person(plan.person, known),
        *of_requirements(plan.require, known),
        *of_suppress(plan.suppress),
        *of_allow_unique(plan.allow_unique, known),
        *of_method_and_form(plan, known),
        *of_published_names(plan, known),
        *of_table(plan.table),
        *of_reading(plan.read_options, known),
    ]
