"""Whether the names of published columns are free, where a form needs more columns than the table has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.errors import Problem
from shoal.plan.checks.known import Known
from shoal.plan.forms import Anatomy, Buckets, Randomized, Slices
from shoal.plan.plan import Decisions, Read
from shoal.schema.columns import Categorical, Column, Numeric

_CATEGORIES = ("text", "boolean")


def of_published_names(plan: Decisions, known: Known) -> Iterator[Problem]:
    """Ranges, and what a form adds, are published in columns of their own, whose names must be free."""
    published = {name for name, role in known.roles.items() if role != "identifying"}
    for name in getattr(plan.form, "adds", ()):
        if name in published:
            says = f"its name is needed for a column that the form {plan.form.name} adds; rename it in the table"
            yield Problem(f"columns.{name}", says)
    types = _types(plan.read_options)
    for column in known.columns:
        for name in (f"{column.name}{suffix}" for suffix in _suffixes(column, plan.form, types)):
            if name in published:
                yield Problem(f"columns.{name}", f"its name is needed to publish {column.name}; rename it in the table")


def _suffixes(column: Column, form: object, types: Mapping[Any, Any]) -> Iterator[str]:
    """What follows a column's name in those of the published columns that speak of it too."""
    if isinstance(form, Buckets) and column.role in ("sensitive", "semi-sensitive"):
        yield "_bucket"
    if column.role not in ("quasi-identifying", "semi-sensitive"):
        return
    is_category = (
        column.has_hierarchy or isinstance(column.coarsening, Categorical) or types.get(column.name) in _CATEGORIES
    )
    if not is_category and _has_bounds(form, column):
        yield from ("_min", "_max", "_missing")
    if column.role == "semi-sensitive":
        yield "_general"


def _has_bounds(form: object, column: Column) -> bool:
    """Whether numbers of this column would be published by two ends."""
    if isinstance(form, Anatomy | Randomized):  # a step has ends where a value has none
        return isinstance(column.coarsening, Numeric) and column.coarsening.step is not None
    if isinstance(form, Slices | Buckets):  # in some of them, as it turns out
        return True
    return getattr(form, "ranges", None) == "bounds"


def _types(read: object) -> Mapping[Any, Any]:
    types: object = read.types if isinstance(read, Read) else None
    return types if isinstance(types, Mapping) else {}
