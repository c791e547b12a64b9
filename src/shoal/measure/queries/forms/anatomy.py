"""Anatomy: a row for each record without its sensitive values, and of each sensitive column what the classes hold.

Within a class any of its values may be any record's, and values of two sensitive columns anyhow together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.measure.groups import Whole
from shoal.measure.queries.counting import Bounded, ask
from shoal.measure.queries.question import Aggregate, Question
from shoal.measure.queries.sheets import Sheets

_UNFIT = "the tables of the release do not fit together: judge it with shoal verify"


def answered(sheets: Sheets, what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """The records' own columns are one part, each sensitive column is one more."""
    tables = sheets.published.tables
    rows = sheets.published.rows
    numbers, group = np.unique(_whole(rows, "class"), return_inverse=True)
    sizes = np.bincount(group, minlength=len(numbers)).astype(np.int64)
    parts = [sheets.part(rows, [column for column in sheets.columns if column.role != "sensitive"], group)]
    for column in sheets.columns:
        if column.role == "sensitive":
            table = tables.get(f"sat_{column.name}")
            if table is None:
                raise DataError(f"the release has no table sat_{column.name}")
            times = _whole(table, "count")
            parts.append(sheets.part(table, [column], _places(table, numbers, times, sizes), times))
    return ask(parts, sizes, what, asked)


def _places(table: pa.Table, numbers: Whole, times: Whole, sizes: Whole) -> NDArray[np.int64]:
    """The class of each row of a table of sensitive values, of which it must have one for each record."""
    number = _whole(table, "class")
    place = np.searchsorted(numbers, number)
    if (times < 1).any() or not np.isin(number, numbers).all():
        raise DataError(_UNFIT)
    held = np.zeros(len(sizes), np.int64)
    np.add.at(held, place, times)
    if not np.array_equal(held, sizes):
        raise DataError(_UNFIT)
    return place


def _whole(table: pa.Table, name: str) -> Whole:
    """A column of whole numbers, all known."""
    column = table.column(name) if name in table.column_names else pa.chunked_array([pa.nulls(1)])
    if not pa.types.is_integer(column.type) or column.null_count:
        raise DataError(f"the release has no column {name} of whole numbers")
    return np.asarray(column.cast(pa.int64()).to_numpy(), dtype=np.int64)
