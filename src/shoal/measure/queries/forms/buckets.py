"""Buckets: of each record its class and its buckets are known, and of a bucket which values its records have.

The values of one column, that which is summed up if it has buckets, are a part, joined by its buckets to all else that
is told of their records. Of each other column with buckets it is known row by row which values may be the record's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from shoal.measure.queries.axes import Amounts, Asked, Axis, Codes, Met
from shoal.measure.queries.counting import Bounded, ask
from shoal.measure.queries.mixtures import Mixture
from shoal.measure.queries.parts import Axes, Part, Section
from shoal.measure.queries.question import Aggregate, Question
from shoal.measure.queries.sets import Members
from shoal.measure.queries.sheets import Sheets
from shoal.release import buckets as meaning
from shoal.release.manifest import PublishedColumn
from shoal.verify.buckets import Bucketized

Integers = NDArray[np.int64]


def answered(sheets: Sheets, what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """Bounds by the buckets of one column, which is chosen for each question."""
    page = Page(sheets, Bucketized(sheets.published))
    return ask(lambda columns: page.sections(columns, what.column), what, asked)


@dataclass(frozen=True, eq=False)
class Page:
    """The published table; the columns with buckets are read when they are asked for."""

    sheets: Sheets
    release: Bucketized
    known: dict[str, _Values] = field(default_factory=dict)

    def sections(self, columns: frozenset[str], summed: str | None) -> list[Section]:
        """The records in buckets of the chosen column, and the others."""
        chosen = next((c for c in self._hidden if c.name == summed), None)
        chosen = chosen or next((c for c in self._hidden if c.name in columns), None)
        names, rows = [column.name for column in self.sheets.columns], np.arange(self.release.rows.num_rows)
        if chosen is None:
            return [Section([Part(self.axes, names, rows)], np.array([len(rows)]))]
        held, inside = self.values(chosen), self.release.bucket(chosen) >= 0
        others = [name for name in names if name != chosen.name]
        values = Part(
            Axes({chosen.name: lambda: held.axis}), [chosen.name], np.arange(len(held.bucket)), None, held.bucket
        )
        rest = Part(self.axes, others, rows[inside], None, held.bucket)
        outside = Part(self.axes, names, rows[~inside])
        return [Section([values, rest], held.sizes), Section([outside], np.array([int((~inside).sum())]))]

    @property
    def _hidden(self) -> list[PublishedColumn]:
        return self.release.hidden

    @cached_property
    def axes(self) -> Axes:
        """All columns, each by what is told of it row by row."""
        hidden = {column.name: column for column in self._hidden}
        plain = [column for column in self.sheets.columns if column.name not in hidden]
        read = dict(self.sheets.axes(self.release.rows, plain, ["class"]).read)
        return Axes({**read, **{name: partial(self._row_by_row, column) for name, column in hidden.items()}})

    def values(self, column: PublishedColumn) -> _Values:
        """What is in a column's buckets."""
        if column.name not in self.known:
            number = self.release.bucket(column)
            _, bucket, sizes = np.unique(number[number >= 0], return_inverse=True, return_counts=True)
            value = PublishedColumn(
                column.name, column.role, "value", (meaning.value_of(column),), (), column.bottom, column.top
            )
            axis = self.sheets.axes(self.release.in_buckets(column), [value], [])[column.name]
            self.known[column.name] = _Values(axis, bucket, sizes.astype(np.int64))
        return self.known[column.name]

    def _row_by_row(self, column: PublishedColumn) -> Axis:
        """What may be a record's value: any of its bucket, or what its class shows."""
        held, inside = self.values(column), self.release.bucket(column) >= 0
        by_bucket = np.argsort(held.bucket, kind="stable")
        members = Members(held.axis.code[by_bucket].astype(np.int64), np.append(0, np.cumsum(held.sizes)))
        mixture = Mixture(held.bucket, held.axis, members, 1 / np.repeat(held.sizes, held.sizes))
        general = meaning.general_of(column)
        if general is None:
            return mixture
        reader = self.sheets.reader(self.release.rows, ["class"])
        shown = meaning.read(self.release.rows, column, self.sheets.trees.get(column.name))
        coarse = reader.of_cells(general, shown.cells)
        code = coarse.code.astype(np.int64)
        code[inside] = len(coarse) + held.bucket
        return _Either(code, coarse, mixture)


@dataclass(frozen=True, eq=False)
class _Values:
    """The values of a column that are in buckets: their cells, the bucket of each, and the buckets' sizes."""

    axis: Axis
    bucket: Integers
    sizes: Integers


@dataclass(frozen=True, eq=False)
class _Either:
    """A column that is coarsened for some rows, and in buckets for the others, whose cells are numbered last."""

    code: Codes
    coarse: Axis
    inside: Axis

    def __len__(self) -> int:
        return len(self.coarse) + len(self.inside)

    @property
    def steady(self) -> bool:
        return self.coarse.steady and self.inside.steady

    def meets(self, asked: Asked) -> Met:
        found = self.coarse.meets(asked), self.inside.meets(asked)
        return Met(np.hstack([one.state for one in found]), np.hstack([one.shares for one in found]))

    def amounts(self, asked: Asked) -> Amounts:
        found = self.coarse.amounts(asked), self.inside.amounts(asked)
        return Amounts(*(np.hstack([getattr(one, end) for one in found]) for end in ("low", "high", "mean")))
