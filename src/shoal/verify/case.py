"""A release beside its original: what the keeper has on the desk."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.release.cells import Cells, read
from shoal.release.manifest import PublishedColumn
from shoal.schema.columns import Column
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import threads
from shoal.verify.coding import Coded, Matched, coded, matched
from shoal.verify.covering import Cover, cover


@dataclass(frozen=True, eq=False)
class Kept:
    """What the keeper has beside the release.

    ``link[i]`` is the record of row i of the first table, if anybody says so. ``person`` names the column of the
    original that tells people apart; None and ``"row"`` say that each row is a person. Text in ``missing`` means that
    nothing is known.
    """

    original: pa.Table
    plan_columns: Sequence[Column]
    missing: tuple[str, ...] = ()
    link: NDArray[np.integer[Any]] | None = None
    person: str | None = None
    suppress: float = 0.0
    allow_unique: Collection[str] = ()


@dataclass(frozen=True, eq=False)
class Quasi:
    """A published quasi-identifier and its original."""

    column: PublishedColumn
    cells: Cells
    original: Coded
    cover: Cover


@dataclass(frozen=True, eq=False)
class Case:
    """A published table, what its columns mean, and the table that it was made from."""

    table: pa.Table
    columns: Sequence[PublishedColumn]
    original: pa.Table
    plan_columns: Sequence[Column]
    trees: Mapping[str, Hierarchy]
    missing: tuple[str, ...]

    def __post_init__(self) -> None:
        needed = [column.name for column in self.columns if column.role not in ("identifying", "added")]
        absent = [name for name in needed if name not in self.original.column_names]
        if absent:
            raise DataError(f"the original has no column {', '.join(absent)}, which the release speaks of")

    @property
    def left_out(self) -> int:
        """How many records of the original are not published."""
        return int(self.original.num_rows - self.table.num_rows)

    def of_role(self, *roles: str) -> list[PublishedColumn]:
        return [column for column in self.columns if column.role in roles]

    def coded(self, name: str) -> Coded:
        """A column of the original."""
        return coded(self.original.column(name), name, self.missing)

    @cached_property
    def quasi(self) -> list[Quasi]:
        """The quasi-identifiers."""
        return threads.each(self._quasi, self.of_role("quasi-identifying"))

    def _quasi(self, column: PublishedColumn) -> Quasi:
        cells = read(self.table, column, self.trees.get(column.name))
        original = self.coded(column.name)
        return Quasi(column, cells, original, cover(cells, original.held))

    @cached_property
    def unchanged(self) -> dict[str, Matched]:
        """The columns that are published as they are."""
        names = [column.name for column in self.of_role("sensitive", "insensitive")]
        return dict(zip(names, threads.each(self._matched, names), strict=True))

    def _matched(self, name: str) -> Matched:
        return matched(coded(self.table.column(name), name), self.coded(name))
