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


def lots(classes: Classes, chance: Chance) -> Places:
    """The classes in random order: class ``lots[i]`` is published with the number i + 1."""
    return permutation(chance.words(len(classes))).astype(np.int64)


def arranged(classes: Classes, by_class: Places) -> Classes:
    """The same classes in this order."""
    order = np.empty(len(classes.order), np.uint32)
    arrange.in_class_order(classes.order, classes.starts, by_class, order)
    return Classes(order, np.concatenate([[0], np.cumsum(classes.sizes[by_class])]).astype(np.int64))


def plain(codes: Codes, column: Column, order: NDArray[np.uint32]) -> Shown:
    """A column as it is, for records in this order; numbers that have a step as the ends of it."""
    place = codes.place(column.name)
    return as_coded(codes.domains[place], codes.matrix[order, place], column)


def as_coded(domain: Domain, code: NDArray[np.integer[Any]], column: Column) -> Shown:
    """A column whose rows have these codes."""
    used, group = _used(domain, code)
    how = column.coarsening if isinstance(column.coarsening, Numeric) else Numeric()
    if how.step is not None:
        faces, meaning = _faces(domain, used, np.arange(len(used) + 1), column)
        return Shown(faces, group, meaning)
    face = ordered(column.name, values_of(domain), used)
    meaning = PublishedColumn(column.name, column.role, "value", (column.name,), bottom=how.bottom, top=how.top)
    return Shown([face], group, meaning)


def coarse(codes: Codes, column: Column, order: NDArray[np.uint32], starts: Places, whole: NDArray[np.bool_]) -> Shown:
    """A column that some classes show as a whole, and the others as it is."""
    place = codes.place(column.name)
    domain, code = codes.domains[place], codes.matrix[order, place]
    sizes = np.diff(starts)
    in_whole = np.repeat(whole, sizes)
    used, own = _used(domain, code[~in_whole])
    ends = len(used) + np.concatenate([[0], np.cumsum(sizes[whole])])
    held = np.concatenate([used, code[in_whole].astype(np.int64)])
    faces, meaning = _faces(domain, held, np.concatenate([np.arange(len(used)), ends]), column)
    group = np.empty(len(code), np.int64)
    group[~in_whole] = own
    group[in_whole] = len(used) + np.repeat(np.arange(int(whole.sum())), sizes[whole])
    return Shown(faces, group, meaning)


def _used(domain: Domain, code: NDArray[np.integer[Any]]) -> tuple[Places, Places]:
    """The codes that occur, and the place of each row's among them."""
    used = np.flatnonzero(np.bincount(code, minlength=len(domain)))
    place = np.zeros(len(domain), np.int64)
    place[used] = np.arange(len(used))
    return used, place[code]


def values_of(domain: Domain) -> pa.Array:
    """What each code stands for; missing is null."""
    return pa.concat_arrays([domain.values, pa.nulls(1, domain.values.type)]) if domain.missing else domain.values


def _faces(domain: Domain, held: Places, starts: Places, column: Column) -> tuple[list[Face], PublishedColumn]:
    """What classes of records with these codes would show."""
    records = Records(held.astype(np.uint32)[:, None], starts.astype(np.int64), (domain,))
    appearance = show(records, 0, extents(records)[0], column, Generalized())
    return appearance.faces, appearance.meaning


def in_order(columns: Sequence[Shown], starts: Places) -> NDArray[np.uint32]:
    """The rows of each class sorted by what they show, by quasi-identifiers first."""
    rows = np.arange(starts[-1], dtype=np.uint32)
    if columns:
        first = sorted(columns, key=lambda column: column.meaning.role != "quasi-identifying")
        ranks = np.column_stack([column.rank().astype(np.uint32) for column in first])
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


def counted(codes: Codes, classes: Classes, name: str) -> pa.Table:
    """How often each class holds each value of a sensitive column."""
    place = codes.place(name)
    code = codes.matrix[classes.order, place]
    used = np.flatnonzero(np.bincount(code, minlength=len(codes.domains[place])))
    face = ordered(name, values_of(codes.domains[place]), used)
    rank = np.zeros(len(codes.domains[place]), np.int64)
    rank[used] = face.place
    width = max(len(face.values), 1)
    of_row = np.repeat(np.arange(len(classes)), classes.sizes)
    pairs, times = np.unique(of_row * width + rank[code], return_counts=True)
    number, value = np.divmod(pairs, width)
    return pa.table({"class": number.astype(np.int32) + np.int32(1), name: spelled(face.values, value), "count": times})


def added(name: str) -> PublishedColumn:
    """A published column that is none of the original's."""
    return PublishedColumn(name, "added", name, (name,))  # type: ignore[arg-type]
