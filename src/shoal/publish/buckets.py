"""The form buckets: each cell is coarsened as its class is, or sensitive and shuffled within a bucket of its column.

Paper        Li, He: Local Generalization and Bucketization Technique for Personalized Privacy Preservation. Journal of
             King Saud University - Computer and Information Sciences 35, 2023.
Promises     k of what is coarsened, l or t of what is in buckets.
Protects     identity: who knows all that is not sensitive of a person finds a class of k; and sensitive values: of a
             record only the bucket is told, and which values the bucket holds.
Shows        `class`; quasi-identifiers as the generalized form does; of a semi-sensitive column `NAME_min` and
             `NAME_max`, or `NAME_general`, where the class is coarsened; of it and of sensitive ones `NAME` and
             `NAME_bucket`. Values of a bucket are shuffled uniformly, so that a record may keep its own. Classes and
             buckets are numbered by lot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.kernels import arrange
from shoal.kernels.shuffle import permutation
from shoal.plan.forms import Generalized
from shoal.plan.plan import Plan
from shoal.publish.draft import Draft
from shoal.publish.faces import Appearance, Face, Records, extents, ordered, show
from shoal.publish.numbered import Places, Shown, added, cells, in_order, numbers, plain
from shoal.release import buckets as meaning
from shoal.release.manifest import PublishedColumn
from shoal.release.notation import ANY
from shoal.schema.columns import Column
from shoal.table.chance import Chance
from shoal.table.classes import GENERALIZED, SUPPRESSED, Buckets, Classes
from shoal.table.codes import Codes

Numbers = NDArray[np.int32]


def publish(codes: Codes, classes: Classes, plan: Plan, column_order: Sequence[str], chance: Chance) -> Draft:
    """One table of all records, sorted by the numbers of their classes."""
    if classes.buckets is None:
        raise ValueError("the form buckets shows classes with buckets only")
    classes, held = _by_lot(classes, classes.buckets, chance)
    page = _Page(codes, classes, held, chance)
    columns = {column.name: column for column in plan.columns if column.role != "identifying"}
    parts = [page.show(columns[name]) for name in column_order if name in columns]
    rows = in_order([shown for part in parts for shown in part.of_rows], classes.starts)
    every = [shown for part in parts for shown in (*part.of_classes, *part.of_rows)]
    table = pa.table({"class": numbers(classes.sizes), **cells(every, rows)})
    link = codes.rows[classes.order[rows]]
    described = (added("class"), *(part.meaning for part in parts))
    return Draft({"release": table}, described, link, len(codes) - len(link))


def _by_lot(classes: Classes, buckets: Buckets, chance: Chance) -> tuple[Classes, dict[str, Numbers]]:
    """The classes in random order, and the buckets of their records with numbers by lot, from 0 on."""
    by_class = permutation(chance.words(len(classes))).astype(np.int64)
    places = np.empty(len(classes.order), np.uint32)
    arrange.in_class_order(np.arange(len(places), dtype=np.uint32), classes.starts, by_class, places)
    starts = np.concatenate([[0], np.cumsum(classes.sizes[by_class])]).astype(np.int64)
    held = {}
    for name, number in buckets.of.items():
        renumbered = permutation(chance.words(int(number.max(initial=-1)) + 1)).astype(np.int32)
        held[name] = np.append(renumbered, [SUPPRESSED, GENERALIZED]).astype(np.int32)[number[places]]
    return Classes(classes.order[places], starts), held


@dataclass(frozen=True, eq=False)
class _Part:
    """One column of the original: what all records of a class show, what each shows by itself, and what it means."""

    of_classes: Sequence[Shown]
    of_rows: Sequence[Shown]
    meaning: PublishedColumn


@dataclass(frozen=True, eq=False)
class _Page:
    """The records as they are about to be published."""

    codes: Codes
    classes: Classes
    buckets: dict[str, Numbers]
    chance: Chance

    def show(self, column: Column) -> _Part:
        """All that is published of one column."""
        if column.role == "insensitive":
            shown = plain(self.codes, column, self.classes.order)
            return _Part((), (shown,), shown.meaning)
        if column.role == "quasi-identifying":
            look = self._coarsened(column, np.ones(len(self.classes), np.bool_))
            return _Part((self._of_classes(look.faces, look.meaning),), (), look.meaning)
        if column.role == "sensitive":
            told = meaning.published(column.name, column.role, None)
            return _Part((), self._bucketized(column.name, told), told)
        look = self._where_public(column)
        told = meaning.published(column.name, column.role, look.meaning)
        return _Part((self._of_classes(look.faces, told),), self._bucketized(column.name, told), told)

    def _of_classes(self, faces: Sequence[Face], told: PublishedColumn) -> Shown:
        return Shown(faces, np.repeat(np.arange(len(self.classes)), self.classes.sizes), told)

    def _coarsened(self, column: Column, some: NDArray[np.bool_]) -> Appearance:
        """How some of the classes show a column."""
        place = self.codes.place(column.name)
        rows = self.classes.order[np.repeat(some, self.classes.sizes)]
        starts = np.concatenate([[0], np.cumsum(self.classes.sizes[some])]).astype(np.int64)
        domain = self.codes.domains[place]
        records = Records(np.ascontiguousarray(self.codes.matrix[rows, place][:, None]), starts, (domain,))
        return show(records, 0, extents(records)[0], column, Generalized())

    def _where_public(self, column: Column) -> Appearance:
        """What classes show of a column that nobody in them hides; others show nothing, or that it may be anything."""
        state = self.buckets[column.name][self.classes.starts[:-1]]
        public = state == GENERALIZED
        look = self._coarsened(column, public)
        category = look.meaning.shown in ("node", "set")
        faces = []
        for face in look.faces:
            nothing = [None, ANY if category else None]
            values = pa.concat_arrays([face.values, pa.array(nothing, face.values.type)])
            place = np.where(state == SUPPRESSED, len(face.values) + 1, len(face.values))
            place[public] = face.place
            name = f"{column.name}{meaning.GENERAL}" if category else face.name
            faces.append(ordered(name, values, place))
        names = tuple(face.name for face in faces)
        return Appearance(faces, msgspec.structs.replace(look.meaning, columns=names))

    def _bucketized(self, name: str, told: PublishedColumn) -> tuple[Shown, Shown]:
        """The values of a column, shuffled within its buckets, and the numbers of these."""
        place, bucket = self.codes.place(name), self.buckets[name]
        domain = self.codes.domains[place]
        code = np.full(len(bucket), domain.known, np.int64)  # past the known values: nothing
        by_bucket, by_lot = self._twice(bucket)
        code[by_bucket] = self.codes.matrix[self.classes.order[by_lot], place]
        used = np.flatnonzero(np.bincount(code, minlength=domain.known + 1))
        rank = np.zeros(domain.known + 1, np.int64)
        rank[used] = np.arange(len(used))
        values = pa.concat_arrays([domain.values, pa.nulls(1, domain.values.type)])
        count = int(bucket.max(initial=-1)) + 1
        number = Face(f"{name}{meaning.NUMBER}", np.arange(count + 1), _numbered(count))
        return (
            Shown([ordered(name, values, used)], rank[code], told),
            Shown([number], np.where(bucket < 0, count, bucket).astype(np.int64), told),
        )

    def _twice(self, bucket: Numbers) -> tuple[Places, Places]:
        """The rows that are in buckets, bucket by bucket, in two orders: as they lie, and by lot."""
        rows = np.flatnonzero(bucket >= 0)
        shuffled = rows[permutation(self.chance.words(len(rows)))]
        as_they_lie, by_lot = (some[np.argsort(bucket[some], kind="stable")] for some in (rows, shuffled))
        return as_they_lie, by_lot


def _numbered(count: int) -> pa.Array:
    """1, 2, 3 and so on, and nothing after the last."""
    return pa.concat_arrays([pa.array(np.arange(1, count + 1, dtype=np.int32)), pa.nulls(1, pa.int32())])
