"""Published tables, ready to be asked: their columns are read when a question needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.measure.groups import Whole
from shoal.measure.originals import Originals, originals
from shoal.measure.queries.axes import Axis, Codes
from shoal.measure.queries.columns import Reader
from shoal.measure.queries.parts import Part
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

    def part(
        self,
        table: pa.Table,
        columns: Sequence[PublishedColumn],
        group: Codes | None = None,
        times: Whole | None = None,
    ) -> Part:
        """These columns of a table, whose rows are whole."""
        reader = Reader(table, self.trees.get, _together(table, columns), self.own, self._occurring)
        read: dict[str, Callable[[], Axis]] = {column.name: partial(reader.axis, column) for column in columns}
        return Part(read, table.num_rows, group, times)

    def _occurring(self, column: PublishedColumn, cells: Cells) -> Originals | None:
        return None if self.original is None else originals(self.original, column, cells, of="original table")


def _together(table: pa.Table, columns: Sequence[PublishedColumn]) -> Callable[[], NDArray[np.int64]]:
    """Of each row, how many rows show the same quasi-identifiers."""
    quasi = [name for column in columns if column.role == "quasi-identifying" for name in column.columns]

    @cache
    def sizes() -> NDArray[np.int64]:
        classes = grouping.classes(table, quasi)
        found = np.empty(table.num_rows, np.int64)
        found[classes.arranged(np.arange(table.num_rows))] = np.repeat(classes.sizes, classes.sizes)
        return found

    return sizes
