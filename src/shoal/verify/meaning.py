"""Anybody's release: which published columns speak of which column of a plan, and in what notation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from shoal.errors import DataError
from shoal.release.cells import distinct, is_ordered, texts
from shoal.release.manifest import PublishedColumn, Shown
from shoal.release.notation import ranges
from shoal.schema.columns import Column, Intervals, Numeric


def of(table: pa.Table, columns: Sequence[Column]) -> tuple[PublishedColumn, ...]:
    """What the columns of a published table mean, by the roles of a plan.

    Identifying columns that are published are among them, for the judge to see. Columns of the plan that are
    not published, and published columns that the plan does not know, are an error.
    """
    published = set(table.column_names)
    found = {column.name: _columns_of(column.name, published) for column in columns}
    absent = [c.name for c in columns if not found[c.name] and c.role != "identifying"]
    known = {name for names in found.values() for name in names}
    stray = [name for name in table.column_names if name not in known]
    wrong = []
    if absent:
        wrong.append(f"columns of the plan are not published: {', '.join(absent)}")
    if stray:
        wrong.append(f"published columns have no role in the plan, and an outsider sees them: {', '.join(stray)}")
    if wrong:
        raise DataError("; ".join(wrong))
    return tuple(_meaning(table, column, found[column.name]) for column in columns if found[column.name])


def _columns_of(name: str, published: set[str]) -> tuple[str, ...]:
    """The published columns that speak of a column."""
    if name in published:
        return (name,)
    low, high, missing = (f"{name}_{end}" for end in ("min", "max", "missing"))
    if not {low, high} <= published:
        return ()
    return (low, high, missing) if missing in published else (low, high)


def _meaning(table: pa.Table, column: Column, names: tuple[str, ...]) -> PublishedColumn:
    if column.role != "quasi-identifying":
        return PublishedColumn(column.name, column.role, "value", names)
    how = column.coarsening if isinstance(column.coarsening, Numeric) else Numeric()
    shown = "bounds" if len(names) > 1 else _shown(table.column(names[0]), column)
    return PublishedColumn(column.name, column.role, shown, names, (), how.bottom, how.top, how.step)


def _shown(cells: pa.ChunkedArray, column: Column) -> Shown:
    """The notation of one column of cells, by the plan, or else by how they look."""
    if column.stays_text:
        return "node"
    _, held = distinct(cells, column.name)
    if is_ordered(held.type) or pa.types.is_boolean(held.type):
        return "value"
    if isinstance(column.coarsening, Numeric | Intervals):
        return "interval"
    found = ranges(texts(held))
    with np.errstate(invalid="ignore"):
        spans = bool((found.low < found.high)[np.isfinite(found.low) | np.isfinite(found.high)].any())
    return "interval" if spans and found.readable.all() else "set"
