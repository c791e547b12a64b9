"""What a release keeps of how columns go together with the sensitive ones, against its original.

It can be said where a record's other values are published as they are, and its sensitive value is one of its class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from shoal.errors import DataError
from shoal.measure import correspondence
from shoal.release.cells import is_ordered, ordinals
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.table.correlation import intervals, phi_squared
from shoal.verify.coding import Matched, coded, matched
from shoal.verify.grouping import dense

#: Into how many intervals of equal frequency numbers are put for phi².
BINS = 16
_NO_ORIGINAL = "it compares the release with the original table, which was not given"
_NOT_EXACT = (
    "it is known where quasi-identifying columns are published as they are, and sensitive ones class by class: in "
    "the form anatomy, and in slices that keep the quasi-identifying ones together"
)


@dataclass(frozen=True)
class Phi:
    """phi² of a column and a sensitive one, in the original and as far as the release tells it."""

    before: float
    after: float


@dataclass(frozen=True)
class Correspondence:
    """What is kept of one sensitive column; see :mod:`shoal.measure.correspondence`.

    Attributes:
        glp: the global loss penalty, 0 at best.
        reconstruction: the reconstruction error over the number of records: how likely a record gets a value that is
            not its own.
        phi: by quasi-identifying column.
    """

    glp: float
    reconstruction: float
    phi: Mapping[str, Phi]


@dataclass(frozen=True)
class Correspondences:
    """What is kept of each sensitive column, and why it is not known if it is not."""

    columns: Mapping[str, Correspondence] = field(default_factory=dict)
    reason: str | None = None


def correspondences(published: Published, original: pa.Table | None, missing: Sequence[str] = ()) -> Correspondences:
    """What a release keeps, of the records that are published."""
    quasi = [column for column in published.columns if column.role == "quasi-identifying"]
    secret = [column.name for column in published.columns if column.role == "sensitive"]
    if not secret or any(column.shown != "value" for column in quasi) or not _stands_apart(published, quasi):
        return Correspondences(reason=_NOT_EXACT)
    if original is None:
        return Correspondences(reason=_NO_ORIGINAL)
    rows = published.rows
    both = {column.name: _alike(rows, original, column, missing) for column in quasi}
    alike = _combined(list(both.values()), rows.num_rows, original.num_rows)
    return Correspondences({name: _of(name, published, both, alike, original, missing) for name in secret})


def _stands_apart(published: Published, quasi: Sequence[PublishedColumn]) -> bool:
    """Whether all quasi-identifiers stand together in each row, and of sensitive values only the class is told."""
    if published.form != "slices":
        return published.form == "anatomy"
    names = {column.name for column in quasi}
    secret = {column.name for column in published.columns if column.role == "sensitive"}
    slices = [set(held) for layout in published.layouts for held in layout.slices]
    return all(held >= names and not held & secret for held in slices if held & names)


def _of(
    name: str,
    published: Published,
    both: Mapping[str, Matched],
    alike: Matched,
    original: pa.Table,
    missing: Sequence[str],
) -> Correspondence:
    number = "class" if published.form == "anatomy" else "bucket"
    held = published.tables[f"sat_{name}"] if published.form == "anatomy" else published.rows
    values = matched(coded(held.column(name), name), coded(_column(original, name), name, missing))
    of = published.rows.column(number).to_numpy() - 1
    count = held.column("count").to_numpy() if "count" in held.column_names else None
    told = correspondence.counted(of, held.column(number).to_numpy() - 1, values.published, values.count, count)
    return Correspondence(
        correspondence.glp(alike.published, told, correspondence.known(alike.original, values.original)),
        correspondence.reconstruction_error(told) / max(len(of), 1),
        {
            quasi: Phi(
                phi_squared(codes.original, values.original, codes.count, values.count),
                correspondence.phi_squared_told(codes.published, told),
            )
            for quasi, codes in ((quasi, _grouped(codes)) for quasi, codes in both.items())
        },
    )


def _column(original: pa.Table, name: str) -> pa.ChunkedArray:
    if name not in original.column_names:
        raise DataError(f"the original table has no column {name}, which is published: give the table it was made from")
    return original.column(name)


@dataclass(frozen=True, eq=False)
class _Ordered(Matched):
    """Columns of numbers, numbered in their order; the last number is a missing value's, if there is ``gap``."""

    gap: bool


def _alike(rows: pa.Table, original: pa.Table, column: PublishedColumn, missing: Sequence[str]) -> Matched:
    """A published column and the original's, as it was coded at bottom and top."""
    one = coded(rows.column(column.name), column.name)
    other = coded(_column(original, column.name), column.name, missing)
    if not (is_ordered(one.held.type) and is_ordered(other.held.type)):
        return matched(one, other)
    low, high = (-np.inf if column.bottom is None else column.bottom), (np.inf if column.top is None else column.top)
    numbers = np.concatenate([ordinals(one.held), np.clip(ordinals(other.held), low, high)])
    values, place = np.unique(numbers, return_inverse=True)
    published, held = place[: len(one.held)], place[len(one.held) :]
    return _Ordered(published[one.code], held[other.code], len(values), bool(np.isnan(values[-1:]).any()))


def _grouped(column: Matched) -> Matched:
    """The same with numbers in intervals of equal frequency in the original."""
    if not isinstance(column, _Ordered):
        return column
    groups = intervals(np.bincount(column.original, minlength=column.count), BINS, gap=column.gap)
    return Matched(groups[column.published], groups[column.original], int(groups.max(initial=0)) + 1)


def _combined(columns: Sequence[Matched], published: int, records: int) -> Matched:
    """Which records are alike in all columns."""
    number, count = np.zeros(published + records, np.int64), 1
    for column in columns:
        code = np.concatenate([column.published, column.original]).astype(np.int64)
        number, count = dense(number * column.count + code, count * column.count)
    return Matched(number[:published], number[published:], count)
