"""Every way in which a plan can contradict itself, found in one go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import Problem
from shoal.privacy.requirements import (
    DISTANCES,
    DIVERSITY_KINDS,
    KAnonymity,
    LDiversity,
    Requirement,
    Size,
    TCloseness,
)
from shoal.schema.columns import ROLES, Column, Numeric

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def problems_of(plan: Plan) -> list[Problem]:
    """All mistakes, in the order in which a reader of the plan meets them."""
    return [
        *_of_columns(plan),
        *_of_person(plan),
        *_of_requirements(plan),
        *_of_promises(plan),
        *_of_published_names(plan),
        *_of_the_rest(plan),
    ]


def _of_columns(plan: Plan) -> Iterator[Problem]:
    repeated = [name for name, times in Counter(column.name for column in plan.columns).items() if times > 1]
    for name in repeated:
        yield Problem(f"columns.{name}", "has more than one role; name it once")
    for column in plan.columns:
        key = f"columns.{column.name}"
        if column.role not in ROLES:
            yield Problem(key, f"expected a role, one of {', '.join(ROLES)}")
        if column.role == "semi-sensitive":
            yield Problem(
                key,
                "semi-sensitive columns are taken by the method local-buckets, which this version does not have yet; "
                "make the column sensitive, or quasi-identifying",
            )
        if isinstance(column.coarsening, Numeric):
            yield from _of_numeric(key, column.coarsening)
        if isinstance(column.hierarchy, Path) and not column.hierarchy.is_file():
            yield Problem(f"{key}.hierarchy", f"there is no file {column.hierarchy.name} where the plan points to")


def _of_numeric(key: str, how: Numeric) -> Iterator[Problem]:
    if how.bottom is not None and how.top is not None and how.bottom >= how.top:
        yield Problem(key, "expected bottom below top")
    if how.step is not None and not how.step > 0:
        yield Problem(f"{key}.step", "expected a number above 0")


def _of_person(plan: Plan) -> Iterator[Problem]:
    if plan.person is None or plan.person == "row":
        return
    roles = {column.name: column.role for column in plan.columns}
    if plan.person not in roles:
        yield Problem("person", 'expected "row", or the name of an identifying column')
    elif roles[plan.person] != "identifying":
        yield Problem("person", f"the column {plan.person} tells people apart, so its role must be identifying")


def _of_requirements(plan: Plan) -> Iterator[Problem]:
    if not plan.require:
        yield Problem("require", "expected at least one of k, l, t, size")
    sensitive = {column.name: column for column in plan.sensitive}
    for requirement in plan.require:
        match requirement:
            case KAnonymity(k):
                yield from _whole_number("require.k", k)
            case Size(size):
                yield from _whole_number("require.size", size)
            case LDiversity():
                yield from _of_diversity(requirement, sensitive)
            case TCloseness():
                yield from _of_closeness(requirement, sensitive)


def _whole_number(key: str, value: object) -> Iterator[Problem]:
    if not isinstance(value, int) or isinstance(value, bool) or value < 2:
        yield Problem(key, "expected a whole number of at least 2: a class of one protects nobody")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of_diversity(requirement: LDiversity, sensitive: dict[str, Column]) -> Iterator[Problem]:
    key = f"require.l.{requirement.on}" if requirement.on else "require.l"
    yield from _on_sensitive(key, requirement.on, sensitive)
    if requirement.kind not in DIVERSITY_KINDS:
        yield Problem(f"{key}.kind", f"expected one of {', '.join(DIVERSITY_KINDS)}")
    elif not _is_number(requirement.l) or not requirement.l > 1:
        yield Problem(key, "expected a number above 1: with l = 1 a class may tell everybody's value")
    elif requirement.kind in ("distinct", "recursive") and int(requirement.l) != requirement.l:
        yield Problem(key, f"expected a whole number of at least 2 for {requirement.kind} diversity")
    if requirement.kind == "recursive" and (not _is_number(requirement.c) or not (requirement.c or 0) > 0):
        yield Problem(f"{key}.c", "expected a number above 0: recursive diversity is (c, l)-diversity")
    if requirement.kind != "recursive" and requirement.c is not None:
        yield Problem(f"{key}.c", "belongs to recursive diversity only")


def _of_closeness(requirement: TCloseness, sensitive: dict[str, Column]) -> Iterator[Problem]:
    key = f"require.t.{requirement.on}"
    yield from _on_sensitive(key, requirement.on, sensitive)
    if not _is_number(requirement.t) or not 0 < requirement.t <= 1:
        yield Problem(key, "expected a number above 0 and at most 1")
    if requirement.distance not in (None, *DISTANCES):
        yield Problem(f"{key}.distance", f"expected one of {', '.join(DISTANCES)}")
    column = sensitive.get(requirement.on)
    if requirement.distance == "hierarchical" and column is not None and column.hierarchy is None:
        yield Problem(f"columns.{requirement.on}", "needs a hierarchy, since t is asked with the hierarchical distance")


def _on_sensitive(key: str, on: str | None, sensitive: dict[str, Column]) -> Iterator[Problem]:
    if not sensitive:
        yield Problem(key, "speaks of sensitive columns, and the plan has none")
    elif on is not None and on not in sensitive:
        yield Problem(key, f"expected a sensitive column, one of {', '.join(sensitive)}")


def promise_of(requirement: Requirement) -> str:
    """The letter by which forms and methods name what they can promise."""
    match requirement:
        case KAnonymity():
            return "k"
        case Size():
            return "size"
        case LDiversity():
            return "l"
        case TCloseness():
            return "t"


def _of_promises(plan: Plan) -> Iterator[Problem]:
    asked = dict.fromkeys(promise_of(requirement) for requirement in plan.require)
    card = plan.method.card
    for promise in asked:
        if promise not in plan.form.promises:
            yield Problem("publish.form", f"the form {plan.form.name} cannot promise {promise}")
        if promise not in card.promises:
            yield Problem("method.name", f"the method {card.name} cannot promise {promise}")
    if plan.form.name not in card.forms:
        yield Problem("publish.form", f"{card.name} can be shown as {', '.join(card.forms)}, not as {plan.form.name}")


def _of_published_names(plan: Plan) -> Iterator[Problem]:
    published = {column.name for column in plan.columns if column.role != "identifying"}
    for column in plan.quasi_identifying:
        for suffix in ("_min", "_max", "_missing"):
            if column.name + suffix in published:
                yield Problem(
                    f"columns.{column.name}{suffix}",
                    f"its name is needed to publish {column.name}; rename it in the table",
                )


def _of_the_rest(plan: Plan) -> Iterator[Problem]:
    if not _is_number(plan.suppress) or not 0 <= plan.suppress <= 1:
        yield Problem("require.suppress", "expected a share from 0 to 1")
    insensitive = {column.name for column in plan.insensitive}
    for name in plan.allow_unique:
        if name not in insensitive:
            yield Problem("allow_unique", f"{name} is not an insensitive column of the plan")
