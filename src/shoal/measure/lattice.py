"""How far counts by groups are from the truth: the Kullback-Leibler divergence on a level of the OLAP lattice.

As Cao, Karras, Kalnis and Tan measure it, "SABRE: a Sensitive Attribute Bucketization and REdistribution framework for
t-closeness", VLDB Journal 2011, Section 6.2: the cells of ``SELECT A1, ..., An, COUNT(*) WHERE S = value GROUP BY A1,
..., An`` for every value of a sensitive column and every choice of as many quasi-identifiers as the level says, counted
in the original and estimated from the release, whose records may be anything that their class covers. Of each choice
it is the sum of p log(p / q) over all cells, p and q being their shares of the records; of the level, the mean of
these. It is 0 where every count is right, and infinite where a release does not cover what was there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError, Unsupported
from shoal.kernels import lattice
from shoal.measure.originals import Figures, originals
from shoal.measure.population import axis_of
from shoal.release.cells import read
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy
from shoal.table.numbering import numbered
from shoal.verify import threads

__all__ = ["divergence"]

Codes = NDArray[np.integer]  # type: ignore[type-arg]
Whole = NDArray[np.int64]


def divergence(
    published: Published, original: pa.Table, trees: Mapping[str, Hierarchy], level: int, on: str | None = None
) -> float:
    """The divergence on a level of the lattice; ``on`` is a sensitive column, by default the first."""
    if published.form != "generalized":
        raise Unsupported(f"divergence is measured where classes are generalized, not in the form {published.form}")
    quasi = [column for column in published.columns if column.role == "quasi-identifying"]
    sensitive = [column for column in published.columns if column.role == "sensitive" and on in (None, column.name)]
    if not sensitive:
        raise DataError(f"{on or 'no column'} is not a sensitive column of the release")
    if not 1 <= level <= len(quasi):
        raise DataError(f"the lattice has levels 1 to {len(quasi)}, one for each quasi-identifier: level {level}")
    axes = [_Axis.of(published.rows, original, column, trees) for column in (*quasi, sensitive[0])]
    cube = _Cube(axes[:-1], axes[-1], published.rows.num_rows, original.num_rows)
    return float(np.mean(threads.each(cube.divergence, combinations(range(len(quasi)), level))))


@dataclass(frozen=True, eq=False)
class _Axis:
    """A column: what each published record shows and where each original lies among the values that occur.

    ``share[s, p]`` is the part of what is shown as s that is taken to be at p: all values that it covers are alike.
    """

    shown: Codes
    place: Codes
    share: Figures

    @classmethod
    def of(
        cls, published: pa.Table, original: pa.Table, column: PublishedColumn, trees: Mapping[str, Hierarchy]
    ) -> _Axis:
        cells = read(published, column, trees.get(column.name))
        axis = axis_of(cells, originals(original, column, cells, of="original table"))
        places = np.arange(int(axis.ranks.max(initial=-1)) + 1, dtype=np.int32)
        covers = axis.covers(np.arange(len(cells)), places)
        return cls(cells.code, axis.ranks, covers / np.maximum(covers.sum(axis=1, keepdims=True), 1))


@dataclass(frozen=True, eq=False)
class _Cube:
    """The original's and the release's counts by any of the axes and the sensitive value."""

    axes: Sequence[_Axis]
    sensitive: _Axis
    published: int
    records: int

    def divergence(self, which: Sequence[int]) -> float:
        """Of one choice of axes."""
        if not self.published or not self.records:
            return 0.0 if self.published == self.records else np.inf
        axes = [self.axes[j] for j in which]
        values = self.sensitive.share.shape[1]
        held = np.argmax(self.sensitive.share, axis=1)[self.sensitive.shown]
        place, count, cells = _counted([axis.place for axis in axes], self.sensitive.place, values)
        shown, size, rows = _counted([axis.shown for axis in axes], held, values)
        width = np.array([axis.share.shape[1] for axis in axes], np.int64)
        offset = np.cumsum([0, *(axis.share.size for axis in axes)]).astype(np.int64)
        share = np.concatenate([axis.share.ravel() for axis in axes])
        total = lattice.divergence(place, count, cells, shown, size, rows, share, offset, width)
        return float(total / self.records + np.log(self.published / self.records))


def _counted(columns: Sequence[Codes], value: Codes, values: int) -> tuple[Whole, Whole, Whole]:
    """The different rows, sorted by value; how often each occurs; where each value's begin, and their end."""
    sizes = [int(column.max(initial=-1)) + 1 for column in columns]
    first, number = numbered([value, *columns], [values, *sizes], len(value))
    rows = np.column_stack([column[first] for column in columns]).astype(np.int64)
    starts = np.searchsorted(value[first], np.arange(values + 1)).astype(np.int64)
    return rows, np.bincount(number, minlength=len(first)).astype(np.int64), starts
