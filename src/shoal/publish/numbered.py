"""Classes that are published with a number: numbered by lot, their rows in the order of what is published.

Rows are sorted by the number and then by all other published columns. They are sorted by what the cells show and not
by what stands behind them, so that two rows that look alike stand in no order of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.kernels import arrange
from shoal.kernels.shuffle import permutation
from shoal.plan.forms import Generalized
from shoal.publish.assembly import spelled
from shoal.publish.faces import Face, Records, extents, ordered, show
from shoal.release.manifest import PublishedColumn
from shoal.schema.columns import Column, Numeric
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes
from shoal.table.domain import Domain

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Shown:
    """One column of the original as it is published: row i shows what the faces have for ``group[i]``."""

    faces: Sequence[Face]
    group: Places
    meaning: PublishedColumn

    def rank(self) -> NDArray[np.integer[Any]]:
        """Where what a row shows stands in the order of all that is shown."""
        if len(self.faces) == 1:
            return self.faces[0].place[self.group]
        order = np.lexsort([face.place for face in reversed(self.faces)])
        fresh = np.zeros(len(order), np.int64)
        for face in self.faces:
            fresh[1:] |= face.place[order][1:] != face.place[order][:-1]
        rank = np.empty(len(order), np.int64)
        rank[order] = np.cumsum(fresh)
        return rank[self.group]


def by_lot(classes: Classes, chance: Chance) -> Classes:
    """The same classes in random order: class i is published with the number i + 1."""
    by_class = permutation(chance.words(len(classes))).astype(np.int64)
    order = np.empty(len(classes.order), np.uint32)
    arrange.in_class_order(classes.order, classes.starts, by_class, order)
    return Classes(order, np.concatenate([[0], np.cumsum(classes.sizes[by_class])]).astype(np.int64))


def plain(codes: Codes, column: Column, order: NDArray[np.uint32]) -> Shown:
    """A column as it is, for records in this order; numbers that have a step as the ends of it."""
    place = codes.place(column.name)
    domain, code = codes.domains[place], codes.matrix[order, place]
    used = np.flatnonzero(np.bincount(code, minlength=len(domain)))
    group = np.zeros(len(domain), np.int64)
    group[used] = np.arange(len(used))
    how = column.coarsening if isinstance(column.coarsening, Numeric) else Numeric()
    if how.step is not None:
        faces, meaning = _stepped(domain, used, column)
        return Shown(faces, group[code], meaning)
    face = ordered(column.name, values_of(domain), used)
    meaning = PublishedColumn(column.name, column.role, "value", (column.name,), bottom=how.bottom, top=how.top)
    return Shown([face], group[code], meaning)


def values_of(domain: Domain) -> pa.Array:
    """What each code stands for; missing is null."""
    return pa.concat_arrays([domain.values, pa.nulls(1, domain.values.type)]) if domain.missing else domain.values


def _stepped(domain: Domain, used: Places, column: Column) -> tuple[list[Face], PublishedColumn]:
    """Each of these codes as a class of its own would show it."""
    records = Records(used.astype(np.uint32)[:, None], np.arange(len(used) + 1), (domain,))
    appearance = show(records, 0, extents(records)[0], column, Generalized())
    return appearance.faces, appearance.meaning


def in_order(columns: Sequence[Shown], starts: Places) -> NDArray[np.uint32]:
    """The rows of each class sorted by what they show."""
    rows = np.arange(starts[-1], dtype=np.uint32)
    if columns:
        ranks = np.column_stack([column.rank().astype(np.uint32) for column in columns])
        arrange.sort_within(ranks, rows, starts, len(columns))
    return rows


def numbers(sizes: Places) -> pa.Array:
    """For each row the number of its class."""
    return pa.array(np.repeat(np.arange(1, len(sizes) + 1, dtype=np.int32), sizes))


def cells(columns: Sequence[Shown], rows: NDArray[np.uint32]) -> dict[str, pa.Array]:
    """These rows of all published columns."""
    return {
        face.name: spelled(face.values, face.place[column.group[rows]]) for column in columns for face in column.faces
    }


def added(name: str) -> PublishedColumn:
    """A published column that is none of the original's."""
    return PublishedColumn(name, "added", name, (name,))  # type: ignore[arg-type]
