"""What the columns of the form buckets say: of one column of the original, the part that is coarsened, and buckets."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.release import cells
from shoal.release.cells import Cells
from shoal.release.manifest import PublishedColumn
from shoal.release.notation import ANY
from shoal.schema.hierarchy import Hierarchy

Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]

#: What follows a column's name in those of the columns that speak of it too.
NUMBER, GENERAL = "_bucket", "_general"
#: Roles of columns whose values are in buckets, for everybody or for some.
ROLES = ("sensitive", "semi-sensitive")


def published(name: str, role: str, general: PublishedColumn | None) -> PublishedColumn:
    """The meaning of a column with buckets, and of what is coarsened for those who do not hold it sensitive."""
    own = (name, f"{name}{NUMBER}")
    if general is None:
        return PublishedColumn(name, role, "bucketized", own)
    return msgspec.structs.replace(general, role=role, columns=(*general.columns, *own))


def has_buckets(column: PublishedColumn) -> bool:
    """Whether some values of this column are in buckets."""
    return column.role in ROLES and column.columns[-1] == f"{column.name}{NUMBER}"


def value_of(column: PublishedColumn) -> str:
    """The published column with a value for each record in a bucket."""
    return column.columns[-2]


def bucket_of(column: PublishedColumn) -> str:
    """The published column with the number of each record's bucket."""
    return column.columns[-1]


def general_of(column: PublishedColumn) -> PublishedColumn | None:
    """The published columns that coarsen it for those who do not hold it sensitive; None where everybody does."""
    if column.shown == "bucketized":
        return None
    types = column.types[:-2]
    return msgspec.structs.replace(column, role="quasi-identifying", columns=column.columns[:-2], types=types)


# -- read back ----------------------------------------------------------------------------------------------------


def numbers(table: pa.Table, column: PublishedColumn) -> Integers:
    """The bucket of each row; -1 where it is in none."""
    return np.asarray(table.column(bucket_of(column)).cast(pa.int64()).fill_null(-1).to_numpy(), np.int64)


def shows_nothing(table: pa.Table, column: PublishedColumn) -> Flags:
    """The rows that neither coarsen a column nor have it in a bucket."""
    general = general_of(column)
    if general is None:
        return np.zeros(table.num_rows, np.bool_)
    parts = [table.column(name) for name in general.columns]
    if general.shown == "bounds":
        nothing = np.logical_and.reduce([np.asarray(part.is_null().to_numpy(), np.bool_) for part in parts])
    else:
        nothing = np.asarray(pc.equal(parts[0].cast(pa.string()), ANY).fill_null(False).to_numpy(), np.bool_)
    return nothing & (numbers(table, column) < 0)


@dataclass(frozen=True, eq=False)
class General:
    """What a semi-sensitive column says of each row, where some hide it: their cells come last, and may be anything.

    ``coarse`` is how many of the cells say something. Of the others the first is for values in buckets, if there are
    any, and the next for rows of which nothing is shown.
    """

    cells: Cells
    coarse: int
    in_buckets: Flags


def read(table: pa.Table, column: PublishedColumn, tree: Hierarchy | None) -> General:
    """The coarsened part of a column."""
    general = general_of(column)
    if general is None:
        raise ValueError("everybody holds the column sensitive")
    inside, nothing = numbers(table, column) >= 0, shows_nothing(table, column)
    public = ~(inside | nothing)
    found = cells.read(table.filter(pa.array(public)), general, tree)
    code = np.empty(table.num_rows, np.int64)
    code[public] = found.code
    more = 0
    for some in (inside, nothing):
        if some.any():
            code[some] = len(found) + more
            more += 1
    missing = np.append(found.missing, np.ones(more, np.bool_))
    if found.low is not None and found.high is not None:
        low, high = np.append(found.low, [-np.inf] * more), np.append(found.high, [np.inf] * more)
        return General(Cells(code, low, high, None, missing), len(found), inside)
    return General(Cells(code, None, None, (*(found.values or ()), *[None] * more), missing), len(found), inside)
