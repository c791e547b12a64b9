"""How wide the ranges of a publication are, in the units of its columns.

The measures of Wang, Luo, Jiang, Wu and Yu, "Probabilistic optimal projection partition KD-Tree k-anonymity for data
publishing privacy protection", Intelligent Data Analysis 2018, whose formulas are our reconstruction. They speak of
numbers and dates (in days) that are published as ranges; every class counts the same, however many records it holds.
The range of a class in which nothing is known is 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.measure.groups import Groups
from shoal.release.cells import Cells
from shoal.release.manifest import PublishedColumn

Figures = NDArray[np.float64]


@dataclass(frozen=True)
class ColumnRange:
    """The mean range of the classes, the same weighted by records, and the means of their ends, if any is known."""

    mean: float
    weighted: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True)
class ColumnRatio:
    """What one publication has of another's mean range (Rdr), upper ends (Rubr) and lower ends (Rlbr)."""

    mean: float | None
    upper: float | None
    lower: float | None


@dataclass(frozen=True)
class Ratios:
    """One publication over another: column by column, and in all (Radr); none where the other's figure is 0."""

    columns: Mapping[str, ColumnRatio]
    whole: float | None


@dataclass(frozen=True)
class Ranges:
    """The ranges of each column, and their sums over the columns.

    Attributes:
        columns: those that are published as ranges with known ends.
        adr: the average data range: the mean over the classes.
        adsr: the average data set range: the mean over the records.
        dq: the data quality, the logarithm of ``adr``; none if that is 0.
    """

    columns: Mapping[str, ColumnRange]
    adr: float
    adsr: float
    dq: float | None

    def over(self, other: Ranges) -> Ratios:
        """How this publication compares with another of the same table: below 1, it is narrower."""
        columns = {}
        for name in self.columns.keys() & other.columns.keys():
            one, two = self.columns[name], other.columns[name]
            ratios = _ratio(one.mean, two.mean), _ratio(one.upper, two.upper), _ratio(one.lower, two.lower)
            columns[name] = ColumnRatio(*ratios)
        return Ratios({name: columns[name] for name in self.columns if name in columns}, _ratio(self.adr, other.adr))


def ranges_of(cells: Mapping[PublishedColumn, Cells], groups: Groups) -> Ranges:
    """The ranges of the classes, by what they show of each column."""
    found = {}
    for (column, held), shown in zip(cells.items(), groups.shown, strict=True):
        if held.low is not None and held.high is not None and column.shown != "centre":
            low, high = (_coded(ends[shown], column) for ends in (held.low, held.high))
            one = _of_column(low, high, groups.size)
            if math.isfinite(one.mean + one.weighted):
                found[column.name] = one
    adr = sum(one.mean for one in found.values())
    return Ranges(found, adr, sum(one.weighted for one in found.values()), math.log(adr) if adr > 0 else None)


def _of_column(low: Figures, high: Figures, sizes: NDArray[np.int64]) -> ColumnRange:
    known = ~np.isnan(low)
    classes, records = max(len(sizes), 1), max(int(sizes.sum()), 1)
    with np.errstate(over="ignore", invalid="ignore"):  # ends may be infinite, or as good as that
        width = np.where(known, high - low, 0.0)
        ends = [float(end[known].mean()) if known.any() else None for end in (low, high)]
        return ColumnRange(float(width.sum()) / classes, float((width * sizes).sum()) / records, *ends)


def _coded(ends: Figures, column: PublishedColumn) -> Figures:
    """Ends as they are published: beyond bottom and top all values are these."""
    ends = ends if column.bottom is None else np.maximum(ends, column.bottom)
    return ends if column.top is None else np.minimum(ends, column.top)


def _ratio(one: float | None, other: float | None) -> float | None:
    return one / other if one is not None and other else None
