"""Hierarchies that a plan names, or wants built from the values of the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import DataError
from shoal.plan.plan import Plan
from shoal.schema import arx, building
from shoal.schema.columns import Column, Intervals, Prefixes
from shoal.schema.hierarchy import Hierarchy
from shoal.table import domain as domains
from shoal.table.texts import texts


def hierarchies(plan: Plan) -> dict[str, Hierarchy]:
    """The hierarchies that the plan names, read; those that it wants built need the table."""
    found = {}
    for column in plan.columns:
        held = column.hierarchy
        if held is not None:
            found[column.name] = arx.read(held, column=column.name) if isinstance(held, Path) else held
    return found


def built(plan: Plan, table: pa.Table) -> dict[str, Hierarchy]:
    """The hierarchies of all columns of which the plan says how to build one."""
    return {
        column.name: of_column(column, column.coarsening, table.column(column.name))
        for column in plan.columns
        if isinstance(column.coarsening, Prefixes | Intervals) and column.name in table.column_names
    }


def of_column(column: Column, how: Prefixes | Intervals, values: pa.ChunkedArray) -> Hierarchy:
    """The hierarchy of one column."""
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    domains.check_kind(kind, column.name)
    known: Any = domains.occurring(values)
    try:
        if isinstance(how, Prefixes):
            codes = known if pa.types.is_integer(known.type) else texts(known)
            return building.prefixes(codes, keep=how.keep, fill=how.fill)
        return building.intervals(known, width=how.width, factor=how.factor, levels=how.levels)
    except DataError as error:
        raise DataError(f"the hierarchy of {column.name}: {error.message}", details=error.details) from None
