"""How many of the original's association rules are found again in a release (association retention, AR).

An item is a column and one of its values; of numbers and dates one of four intervals that hold as many records each, as
far as equal values allow. A published cell is an item if all that it may stand for is. A rule says that records with
some items have others too: so large a share of all records has both (support), and so large a share of those that have
the first (confidence). It is found again if both shares reach the same thresholds among the published records. Rules as
in Agrawal and Srikant, "Fast Algorithms for Mining Association Rules", VLDB 1994; the measure as in Wang, Yu and Zhang,
"Research on Anonymization Algorithms Based on Local Partitioning", 2018.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.kernels import itemsets
from shoal.measure.originals import Figures, Originals, originals, without
from shoal.release import buckets
from shoal.release.cells import Cells, read
from shoal.release.manifest import PublishedColumn
from shoal.schema.hierarchy import Hierarchy

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: Numbers are put in so many intervals.
_PARTS = 4

#: So many sets of items that are frequent together are looked through at most.
_MOST = 1 << 18

#: Shares are compared up to rounding.
_NEAR = 1e-9


@dataclass(frozen=True)
class Rules:
    """How many rules of so large a support and confidence the original has, and how many of them the release."""

    support: float
    confidence: float
    original: int
    kept: int

    @property
    def retention(self) -> float | None:
        """The share that is kept; None if there are no rules."""
        return self.kept / self.original if self.original else None


def rules_kept(
    table: pa.Table,
    columns: Sequence[PublishedColumn],
    original: pa.Table,
    trees: Mapping[str, Hierarchy],
    missing: Sequence[str],
    support: float,
    confidence: float,
) -> Rules:
    """The rules of the original that are found again in a published table.

    They speak of all columns that the table has, sensitive and insensitive ones too.
    """
    spoken = [c for c in columns if c.role != "added" and set(c.columns) <= set(table.column_names)]
    published = without(table, [column.columns[0] for column in spoken if column.shown != "bounds"], missing)
    compared = without(original, [column.name for column in spoken], missing)
    cells = [(column, _cells(published, column, trees.get(column.name))) for column in spoken]
    pairs = [(originals(compared, column, held, of="original table"), held) for column, held in cells]
    return rules_of(pairs, original.num_rows, table.num_rows, support, confidence)


def _cells(table: pa.Table, column: PublishedColumn, tree: Hierarchy | None) -> Cells:
    """What each cell may stand for; a centre, and a value that hides among others, for what it says."""
    if column.role == "semi-sensitive":
        return buckets.read(table, column, tree).cells
    if column.shown in ("centre", "randomized", "bucketized"):
        name = buckets.value_of(column) if column.shown == "bucketized" else column.columns[0]
        column = msgspec.structs.replace(column, shown="value", columns=(name,))
    return read(table, column, tree)


def rules_of(
    columns: Sequence[tuple[Originals, Cells]], records: int, rows: int, support: float, confidence: float
) -> Rules:
    """The rules of the original with ``records``, and how many of them are rules of the release with ``rows`` too."""
    if not (0 < support <= 1 and 0 <= confidence <= 1):
        raise DataError("the support of rules is a share above 0, and their confidence one from 0 to 1")
    items = [_items(original, cells) for original, cells in columns]
    column, ours, theirs = _frequent_items(items, _least(support, records), records, rows)
    found = itemsets.frequent(ours, column, _least(support, records), most=_MOST)
    if max(len(level.support) for level in found) > _MOST:
        raise DataError(f"more than {_MOST:,} sets of values are frequent together: ask for a larger support")
    again = [itemsets.counts(theirs, level.items) for level in found]
    original = kept = 0
    for size in range(2, len(found) + 1):
        for first in _proper(size):
            place = itemsets.places(found, found[size - 1].items[:, first])
            rule = _follows(found[size - 1].support, found[len(first) - 1].support[place], confidence)
            frequent = again[size - 1] >= _least(support, rows)
            original += int(rule.sum())
            kept += int((rule & frequent & _follows(again[size - 1], again[len(first) - 1][place], confidence)).sum())
    return Rules(support, confidence, original, kept)


def _least(support: float, records: int) -> int:
    return max(math.ceil(support * records - _NEAR), 1)


def _proper(size: int) -> Iterator[list[int]]:
    """The places of each part of a set that something may follow from."""
    for parts in range(1, size):
        yield from map(list, combinations(range(size), parts))


def _follows(both: Integers, first: Integers, confidence: float) -> NDArray[np.bool_]:
    return np.asarray((both > 0) & (both >= (confidence - _NEAR) * first))


# -- items --------------------------------------------------------------------------------------------------

#: Of each record of the original, and of each published row, the number of its item in one column; -1 for none.
_Items = tuple[Integers, Integers]


def _frequent_items(
    columns: Sequence[_Items], least: int, records: int, rows: int
) -> tuple[Integers, NDArray[np.uint64], NDArray[np.uint64]]:
    """The items that so many records have: their columns, and who has them in the original and in the release."""
    column: list[int] = []
    ours, theirs = ([np.zeros((0, -(-count // 64)), np.uint64)] for count in (records, rows))
    for place, (original, published) in enumerate(columns):
        for item in np.flatnonzero(np.bincount(original + 1)[1:] >= least).tolist():
            column.append(place)
            ours.append(itemsets.bits_of(original == item)[None])
            theirs.append(itemsets.bits_of(published == item)[None])
    return np.array(column, np.int64), np.concatenate(ours), np.concatenate(theirs)


def _items(original: Originals, cells: Cells) -> _Items:
    if original.numbers is not None and cells.low is not None and cells.high is not None:
        ends = cells.low, cells.high
        of_value, of_cell = _of_numbers(original.numbers, np.bincount(original.code), ends, cells.missing)
    else:
        of_value, of_cell = _of_texts(original.texts or (), cells)
    return of_value[original.code], of_cell[cells.code]


def _of_numbers(numbers: Figures, counts: Integers, ends: tuple[Figures, Figures], missing: Flags) -> _Items:
    """Intervals of equal frequency; missing values are one more item."""
    unknown = np.isnan(numbers)
    order = np.argsort(numbers)[: int((~unknown).sum())]
    held = counts[order]
    middle = np.cumsum(held) - held / 2
    part = (middle * _PARTS // max(int(held.sum()), 1)).astype(np.int64)
    begins = numbers[order][np.diff(part, prepend=-1) > 0]
    low, high = (np.maximum(np.searchsorted(begins, end, side="right") - 1, 0) for end in ends)
    of_value = np.where(unknown, _PARTS, np.searchsorted(begins, numbers, side="right") - 1)
    return of_value, np.where(np.isnan(ends[0]), _PARTS, np.where((low == high) & ~missing, low, -1))


def _of_texts(texts: Sequence[str | None], cells: Cells) -> _Items:
    """Values, a missing one among them."""
    place = {text: item for item, text in enumerate(texts)}
    found = np.full(len(cells), -1, np.int64)
    for cell, values in enumerate(cells.values or ()):
        may_be = None if values is None else [*values, *([None] if cells.missing[cell] else [])]
        if may_be is not None and len(may_be) == 1:
            found[cell] = place.get(may_be[0], -1)
    return np.arange(len(texts)), found
