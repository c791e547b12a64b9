"""Whether a plan can be kept over a stream, of which nobody has seen the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from shoal.errors import PlanError, Problem
from shoal.plan.plan import Plan
from shoal.plan.values import is_whole
from shoal.privacy.requirements import KAnonymity, LDiversity, Size, TCloseness
from shoal.schema.columns import Column, Intervals, Listed, Prefixes

#: Columns that a stream adds to what is published.
ADDED: tuple[Literal["batch"], Literal["window"]] = ("batch", "window")
#: Forms that show each class in rows of its own, so that it can leave alone.
FORMS = ("generalized", "centres")


def check_stream(plan: Plan, window: object, advance: object) -> None:
    """Refuse what a stream cannot promise; all mistakes in one error."""
    if problems := [*_of_sizes(plan, window, advance), *_of_plan(plan)]:
        raise PlanError(problems)


def least(plan: Plan) -> int:
    """The smallest class that the plan allows."""
    sizes = [r.k if isinstance(r, KAnonymity) else r.size for r in plan.require if isinstance(r, KAnonymity | Size)]
    return max(sizes, default=1)


def _of_sizes(plan: Plan, window: object, advance: object) -> Iterator[Problem]:
    if not is_whole(advance) or advance < 1:
        yield Problem("advance", "expected a whole number of at least 1")
    elif not is_whole(window) or window < advance or window % advance:
        yield Problem("window", "expected a whole multiple of the advance")
    elif window < least(plan):
        yield Problem("window", f"expected at least {least(plan)}: a class is made of the records of one window")


def _of_plan(plan: Plan) -> Iterator[Problem]:
    for column in plan.columns:
        if column.name in ADDED and column.role != "identifying":
            yield Problem(f"columns.{column.name}", "its name is needed for a column that a stream adds; rename it")
        if isinstance(column.coarsening, Prefixes | Intervals):
            yield Problem(
                f"columns.{column.name}",
                "a stream has no table to build a hierarchy from: write one to a file with `shoal hierarchy`, and "
                "name it in the plan",
            )
    for requirement in plan.require:
        if isinstance(requirement, LDiversity):
            yield Problem("require.l", "a stream promises k, t and size: no window is sure to be diverse")
        elif isinstance(requirement, TCloseness):
            yield from _of_closeness(requirement, next(c for c in plan.columns if c.name == requirement.on))
    if plan.form.name not in FORMS:
        yield Problem("publish.form", f"a stream can be shown as {' or '.join(FORMS)}, not as {plan.form.name}")


def _of_closeness(requirement: TCloseness, column: Column) -> Iterator[Problem]:
    if requirement.distance == "equal" or column.has_hierarchy or isinstance(column.coarsening, Listed):
        return
    yield Problem(
        f"columns.{column.name}",
        "t over a stream needs to know all values that may come: give the column a domain, such as "
        '{ role = "sensitive", domain = [1, 2, 3] } or domain = { bottom = 0, top = 99, step = 1 }, or a hierarchy; '
        'or ask for t with distance = "equal"',
    )
