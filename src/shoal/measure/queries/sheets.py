"""Published tables, ready to be asked: their columns are read when a question needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pyarrow as pa

from shoal.measure.groups import Whole
from shoal.measure.originals import Originals, originals
from shoal.measure.queries.columns import Reader
from shoal.measure.queries.parts import Axes
from shoal.release.cells import Cells
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import grouping

__all__ = ["Sheets"]


@dataclass(frozen=True, eq=False)
class Sheets:
    """All that was published, and what is known besides.

    Attributes:
        published: the tables, and what their columns mean.
        trees: the hierarchies, by column.
        own: whether Shoal wrote it.
        original: the table that it was made from, if the estimate may reckon with the values that occur there.
    """

    published: Published
    trees: Mapping[str, Hierarchy]
    own: bool
    original: pa.Table | None = None

    @property
    def columns(self) -> list[PublishedColumn]:
        """The columns of the original of which something is published."""
        return [column for column in self.published.columns if column.role != "added"]

    def axes(self, table: pa.Table, columns: Sequence[PublishedColumn], together: Sequence[str] | None = None) -> Axes:
        """Columns of a table; rows that agree in ``together`` are of one class, if not those that look alike."""
        quasi = [name for column in columns if column.role == "quasi-identifying" for name in column.columns]
        reader = self.reader(table, quasi if together is None else together)
        return Axes({column.name: partial(reader.axis, column) for column in columns})

    def reader(self, table: pa.Table, together: Sequence[str]) -> Reader:
        """A table, of which rows that agree in these columns are of one class."""
        return Reader(table, self.trees.get, _sizes(table, together), self.own, self._occurring)

    def _occurring(self, column: PublishedColumn, cells: Cells) -> Originals | None:
        return None if self.original is None else originals(self.original, column, cells, of="original table")


def _sizes(table: pa.Table, names: Sequence[str]) -> Callable[[], Whole]:
    """Of each row, how many rows agree with it."""

    @cache
    def sizes() -> Whole:
        classes = grouping.classes(table, names)
        found = np.empty(table.num_rows, np.int64)
        found[classes.arranged(np.arange(table.num_rows))] = np.repeat(classes.sizes, classes.sizes)
        return found

    return sizes
