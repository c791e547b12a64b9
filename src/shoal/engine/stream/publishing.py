"""Classes that leave, as rows in the same columns for every batch, judged before anybody sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from shoal import publish
from shoal.plan.checks.stream import ADDED
from shoal.plan.plan import Plan
from shoal.release.files import plain
from shoal.release.manifest import PublishedColumn
from shoal.release.release import refuse
from shoal.schema.columns import Column, Numeric
from shoal.schema.hierarchy import Hierarchy
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes
from shoal.verify import streaming


class Publisher:
    """Shows classes by the plan for the records of one window."""

    def __init__(self, plan: Plan, trees: Mapping[str, Hierarchy], chance: Chance) -> None:
        self._plan = plan
        self._trees = trees
        self._chance = chance

    def show(
        self, codes: Codes, classes: Classes, records: pa.Table, window: pa.Table, numbers: tuple[int, int]
    ) -> pa.Table:
        """The classes as rows; ``numbers`` are those of the batch and of the window in which the classes were made.

        ``records`` are those that the codes are of, and ``window`` has the sensitive columns of the whole window.
        """
        draft = publish.publish(codes, classes, self._plan, records, self._chance)
        table = _numbered(_plain(next(iter(draft.tables.values())), draft.columns, self._plan.columns), numbers)
        columns = (*(PublishedColumn(name, "added", name, (name,)) for name in ADDED), *draft.columns)
        leaving = streaming.Leaving(table, columns, draft.link, records, window)
        refuse(streaming.judge(leaving, self._plan.require, self._plan.columns, self._trees))
        return table


def _numbered(table: pa.Table, numbers: Sequence[int]) -> pa.Table:
    held = [pa.array(np.full(table.num_rows, number, np.int64)) for number in numbers]
    return pa.table([*held, *table.columns], names=[*ADDED, *table.column_names])


def _plain(table: pa.Table, meaning: Sequence[PublishedColumn], columns: Sequence[Column]) -> pa.Table:
    """The same types in every batch, however small the numbers of this one are."""
    fractions = {column.name for column in columns if _has_fractions(column)}
    finer = {name for column in meaning if column.name in fractions for name in column.columns[:2]}
    held = plain(table)
    kinds = [pa.field(field.name, _kind(field.type, field.name in finer)) for field in held.schema]
    return held.cast(pa.schema(kinds))


def _has_fractions(column: Column) -> bool:
    """Whether ends are rounded to a step that is not whole."""
    step = column.coarsening.step if isinstance(column.coarsening, Numeric) else None
    return step is not None and not float(step).is_integer()


def _kind(kind: pa.DataType, finer: bool) -> pa.DataType:
    if pa.types.is_integer(kind):
        return pa.float64() if finer else pa.int64()
    return pa.float64() if pa.types.is_floating(kind) else kind
