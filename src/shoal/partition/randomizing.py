"""Classes that are drawn to be shown randomized: they may keep an l that all records together do not.

A class of different values keeps l of randomized ones if it has enough of them, and there are as many such classes as
are needed if no value is too common. All records as one class hold each value often, and keep less.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.errors import Unachievable
from shoal.partition.blocks import Search, asked_of, searched
from shoal.partition.eligible import asked
from shoal.plan.plan import Plan
from shoal.privacy.requirements import LDiversity, RandomizedDiversity, Requirement
from shoal.privacy.retention import largest_retention
from shoal.privacy.shares import Asked, reached, values_randomized
from shoal.table.classes import Classes
from shoal.table.codes import Codes


def drawn(codes: Codes, plan: Plan, method: str, make: Callable[[Search], Classes]) -> Classes:
    """The classes that a method draws, by what all records together must keep for that, else by the plan itself."""
    together = _for_drawing(codes, plan)
    if together is not None:
        try:
            classes = make(searched(codes, plan, method, together))
        except Unachievable:
            pass
        else:
            if len(classes) > 1:  # of one class nothing is known: what could not be drawn may have been put into it
                return classes
    try:
        search = searched(codes, plan, method)
    except Unachievable as error:
        raise Unachievable(error.message + _instead(codes, plan)) from None
    return make(search) if len(search.places) else Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))


def _for_drawing(codes: Codes, plan: Plan) -> list[Requirement] | None:
    """What all records together must keep for classes to be drawn that hold enough values, each once.

    None if nothing is shown randomized, or no number of values will do.
    """
    requirements = asked(plan, codes.sensitive_domains)
    if not any(isinstance(requirement, RandomizedDiversity) for requirement in requirements) or not len(codes):
        return None
    found: list[Requirement] = [requirement for requirement in requirements if not isinstance(requirement, LDiversity)]
    for column in asked_of(codes, plan, None):
        for requirement in column.requirements:
            values = values_randomized(requirement, column.occurring, gap=column.gap)
            if values is None:
                return None
            found.append(LDiversity(values, requirement.on, missing_is_sensitive=requirement.missing_is_sensitive))
    return found


def _instead(codes: Codes, plan: Plan) -> str:
    """With which retention classes could be drawn: there is one for the number of values that they can hold."""
    asked_for = [(column, r) for column in asked_of(codes, plan, None) for r in column.requirements]
    found = [_most(column, r) for column, r in asked_for if isinstance(r, RandomizedDiversity)]
    able = [retention for retention in found if retention is not None]
    if not found or len(able) < len(found):
        return ""
    return f"; classes that hold each value once would keep it with a retention of at most {min(able):g}"


def _most(column: Asked, requirement: RandomizedDiversity) -> float | None:
    """The largest retention that a class can bear of as many values as there is room for beside the commonest."""
    values = int(reached(column.counts[: column.judged]))
    return largest_retention(requirement.l, values + column.gap, values) if values else None
