"""From published columns to axes: what each cell may stand for, and what the estimate makes of it."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.measure.originals import Originals
from shoal.measure.queries.axes import Axis, Figures, Flags
from shoal.measure.queries.ranges import Ranges
from shoal.measure.queries.scale import Scale, scale_of
from shoal.measure.queries.sets import Members, Sets
from shoal.release.cells import Cells, Values, distinct, is_ordered, ordinals, read, texts
from shoal.release.manifest import PublishedColumn
from shoal.schema.hierarchy import Hierarchy

__all__ = ["Reader"]

#: Types of moments by the parts of a day that they count.
_A_DAY = {"s": 86_400e0, "ms": 86_400e3, "us": 86_400e6, "ns": 86_400e9}


@dataclass(frozen=True, eq=False)
class Reader:
    """One published table.

    Attributes:
        table: the rows.
        tree: the hierarchy of a column, if it has one.
        together: of each row, how many rows show the same quasi-identifiers; asked only where classes have gaps.
        own: whether Shoal wrote it.
        occurring: of a column, the values that occur, if the original is known; the estimate then reckons with these.
    """

    table: pa.Table
    tree: Callable[[str], Hierarchy | None]
    together: Callable[[], NDArray[np.int64]]
    own: bool
    occurring: Callable[[PublishedColumn, Cells], Originals | None]

    def axis(self, column: PublishedColumn) -> Axis:
        """A column as questions can be put to it."""
        tree = self.tree(column.name)
        as_words = column.shown == "value" and tree is not None
        cells = _words(self.table, column) if as_words else read(self.table, column, tree)
        return self._centres(column, cells) if column.shown == "centre" else self.of_cells(column, cells)

    def of_cells(self, column: PublishedColumn, cells: Cells) -> Axis:
        """A column that has been read already."""
        tree = self.tree(column.name)
        cells, gap = self._with_gaps(cells, told=column.shown != "node")
        occurring = self.occurring(column, cells)
        if cells.values is None:
            return self._ranges(column, cells, gap, occurring)
        known = None if occurring is None or occurring.texts is None else set(occurring.texts)
        return _sets(column, cells, cells.values, gap, tree, known)

    def _ranges(self, column: PublishedColumn, cells: Cells, gap: Figures, occurring: Originals | None) -> Ranges:
        low, high = _ends(cells)
        scale = scale_of(column.name, self.table.column(column.columns[0]), low, high, own=self.own)
        if occurring is not None and occurring.numbers is not None:
            held = np.unique(occurring.numbers)
            scale = scale.knowing(held[~np.isnan(held)])
        first, last = _reckoned(low, high, column)
        low, high = _widened(low, high, scale)
        return Ranges(cells.code, low, high, first, last, cells.missing, gap, scale)

    def _with_gaps(self, cells: Cells, *, told: bool) -> tuple[Cells, Figures]:
        """Of each cell the share that is taken to be missing: of a class that is told to have some, one record."""
        gone = _gone(cells)
        mixed = cells.missing & ~gone & ~_says_nothing(cells) & told  # a root allows what it does not tell
        if not mixed.any():
            return cells, gone.astype(np.float64)
        size = np.where(mixed[cells.code], self.together(), 0)
        width = int(size.max()) + 1
        keys, code = np.unique(cells.code * np.int64(width) + size, return_inverse=True)
        of, size = np.divmod(keys, width)
        values = None if cells.values is None else tuple(cells.values[cell] for cell in of.tolist())
        low, high = (None if end is None else end[of] for end in (cells.low, cells.high))
        gap = np.where(size > 0, 1 / np.maximum(size, 1), gone[of])
        return Cells(code, low, high, values, cells.missing[of]), gap

    def _centres(self, column: PublishedColumn, cells: Cells) -> Axis:
        """Cells of which nothing is sure, the estimate taking records to be where the centre is."""
        code, held = distinct(self.table.column(column.columns[0]), column.name)
        gone = held.is_null().to_numpy(zero_copy_only=False)
        if is_ordered(held.type):
            place = ordinals(held)
            low, high = np.full(len(place), -np.inf), np.full(len(place), np.inf)
            scale = scale_of(column.name, self.table.column(column.columns[0]), place, place, own=False)
            return Ranges(code, low, high, place, place, cells.missing, gone.astype(np.float64), scale)
        named = texts(held).to_pylist()
        places = {text: place for place, text in enumerate(text for text in named if text is not None)}
        likely = Members.of([[] if text is None else [places[text]] for text in named])
        nothing = Members.of([[] for _ in named])
        anything = np.ones(len(named), np.bool_)
        gap = gone.astype(np.float64)
        tree = self.tree(column.name)
        return Sets(column.name, code, list(places), nothing, likely, anything, cells.missing, gap, tree)


def _words(table: pa.Table, column: PublishedColumn) -> Cells:
    """Values that have a hierarchy as the words that it is of, though they be numbers."""
    code, held = distinct(table.column(column.columns[0]), column.name)
    words = texts(held).to_pylist()
    values = tuple(frozenset[str]() if word is None else frozenset({word}) for word in words)
    return Cells(code, None, None, values, np.array([word is None for word in words], np.bool_))


def _ends(cells: Cells) -> tuple[Figures, Figures]:
    if cells.low is None or cells.high is None:
        raise TypeError("cells are either ranges or sets of values")
    return cells.low, cells.high


def _gone(cells: Cells) -> Flags:
    """Which cells stand for missing values only."""
    if cells.values is None:
        return np.isnan(_ends(cells)[0])
    return np.array([found is not None and not found for found in cells.values], np.bool_) & cells.missing


def _says_nothing(cells: Cells) -> Flags:
    """Which cells allow a missing value because they allow everything: that one is there is not said."""
    if cells.values is None:
        low, high = _ends(cells)
        return (low == -np.inf) & (high == np.inf)
    return np.array([found is None for found in cells.values], np.bool_)


def _reckoned(low: Figures, high: Figures, column: PublishedColumn) -> tuple[Figures, Figures]:
    """Finite ends: a code is taken for a value, and what has no end ends where the rest of the column does."""
    ends = np.concatenate([low, high])
    ends = ends[np.isfinite(ends)]
    least = column.bottom if column.bottom is not None else ends.min(initial=np.inf)
    most = column.top if column.top is not None else ends.max(initial=-np.inf)
    if not np.isfinite([least, most]).all():
        least = most = np.nan
    first = np.where(low == -np.inf, np.minimum(least, high), low)
    last = np.where(high == np.inf, np.maximum(most, low), high)
    endless = ~np.isfinite(first) & ~np.isnan(low) | ~np.isfinite(last) & ~np.isnan(low)
    return np.where(endless, np.nan, first), np.where(endless, np.nan, last)


def _widened(low: Figures, high: Figures, scale: Scale) -> tuple[Figures, Figures]:
    """Ends that are too large to be told from their neighbours in a float may be either."""
    step = _least_step(scale.kind)

    def coarse(ends: Figures) -> Flags:
        with np.errstate(invalid="ignore"):
            return np.isfinite(ends) & (np.spacing(np.abs(ends)) > step)

    return (
        np.where(coarse(low), np.nextafter(low, -np.inf), low),
        np.where(coarse(high), np.nextafter(high, np.inf), high),
    )


def _least_step(kind: pa.DataType) -> float:
    """How near two values of a type can be."""
    if pa.types.is_floating(kind):
        return np.inf  # floats are what they are
    if pa.types.is_decimal(kind):
        return float(10.0**-kind.scale)
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        return 1 / _A_DAY[kind.unit]
    return 1.0


def _sets(
    column: PublishedColumn,
    cells: Cells,
    values: Values,
    gap: Figures,
    tree: Hierarchy | None,
    occurring: Set[str | None] | None,
) -> Sets:
    """Categories; where it is known which values occur, the estimate reckons with these."""
    held = [sorted(found or ()) for found in values]
    place: dict[str, int] = {}
    members = Members.of([[place.setdefault(text, len(place)) for text in found] for found in held])
    likely = members
    if occurring is not None:
        fewer = [[place[text] for text in found if text in occurring] for found in held]
        likely = Members.of([few or [place[text] for text in found] for few, found in zip(fewer, held, strict=True)])
        for text in sorted(text for text in occurring if text is not None):
            place.setdefault(text, len(place))
    anything = np.array([found is None for found in values], np.bool_)
    return Sets(column.name, cells.code, list(place), members, likely, anything, cells.missing, gap, tree)
