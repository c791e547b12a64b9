"""Columns of the original or of a population, as the publication speaks of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.release.cells import Cells, Codes, distinct, is_ordered, ordinals, read, texts
from shoal.release.manifest import PublishedColumn

Figures = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Originals:
    """A column's distinct values and the one of each record: numbers if its cells are ranges, else texts.

    Attributes:
        code: of each record, the number of its distinct value.
        numbers: of each distinct value of a column published as ranges; NaN for missing.
        texts: of each distinct value of any other column; None for missing.
    """

    code: Codes
    numbers: Figures | None
    texts: Sequence[str | None] | None


def originals(table: pa.Table, column: PublishedColumn, published: Cells, *, of: str) -> Originals:
    """The column of which ``published`` speaks; ``of`` names the table in errors."""
    if column.name not in table.column_names:
        raise DataError(f"the {of} has no column {column.name}, which is published: give the table it was made from")
    code, values = distinct(table.column(column.name), column.name)
    if published.values is not None:
        return Originals(code, None, texts(values).to_pylist())
    if is_ordered(values.type):
        return Originals(code, ordinals(values), None)
    return _written_numbers(table, column, of)


def _written_numbers(table: pa.Table, column: PublishedColumn, of: str) -> Originals:
    """Numbers that stand in a column of text."""
    plain = PublishedColumn(column.name, column.role, "interval", (column.name,))
    wrong = DataError(f"the column {column.name} is published as ranges, but the {of} has other text in it")
    try:
        cells = read(table, plain, None)
    except DataError:
        raise wrong from None
    if cells.low is None or cells.high is None or not np.array_equal(cells.low, cells.high, equal_nan=True):
        raise wrong
    return Originals(cells.code, cells.low, None)


def without(table: pa.Table, columns: Sequence[str], missing: Sequence[str]) -> pa.Table:
    """The table with these texts read as missing values in these columns."""
    for name in columns:
        place = table.schema.get_field_index(name)
        if place < 0 or not missing:
            continue
        held = table.column(place)
        if pa.types.is_dictionary(held.type):
            held = held.cast(held.type.value_type)
        if pa.types.is_string(held.type) or pa.types.is_large_string(held.type):
            unknown = pc.is_in(held, value_set=pa.array(missing, held.type))
            table = table.set_column(place, name, pc.if_else(unknown, pa.scalar(None, held.type), held))
    return table
