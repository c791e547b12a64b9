"""Randomized: bounds as of anatomy, since any value of a class may be any record's; the values shown are a hint.

A record shows its own value with the chance a = p + (1 - p)/m, each other of the m values of its class with
b = (1 - p)/m. So the value that it shows is taken to be a/b times as likely its own as it would be without. Then these
weights are balanced, until those of a record sum to 1 and those of a value to how often the class holds it, as they do
in every way of giving the values to the records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.measure.queries.axes import Axis, Figures
from shoal.measure.queries.counting import Bounded, ask
from shoal.measure.queries.forms.anatomy import joined
from shoal.measure.queries.mixtures import Mixture
from shoal.measure.queries.parts import Axes, Part, Section
from shoal.measure.queries.question import Aggregate, Question
from shoal.measure.queries.sets import Members
from shoal.measure.queries.sheets import Sheets
from shoal.release.manifest import PublishedColumn
from shoal.verify.anatomized import Anatomized
from shoal.verify.coding import coded, matched

Integers = NDArray[np.int64]

#: Weights are balanced until no sum is further off, or so many times.
_NEAR = 1e-12
_ROUNDS = 500


def answered(sheets: Sheets, what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """Bounds by class, the estimate record by record."""
    release = Anatomized(sheets.published)
    section = joined(sheets, release)
    bounds = ask(lambda _: [section], what, asked)
    own = sheets.axes(release.rows, [column for column in release.true if column.role != "added"])
    read = {**own.read, **{column.name: _Hint(sheets, release, column).axis for column in release.sensitive}}
    rows = np.arange(release.rows.num_rows)
    hinted = Part(Axes(read), list(read), rows)
    likely = ask(lambda _: [Section([hinted], np.array([len(rows)]))], what, asked).estimate
    return Bounded(np.clip(likely, bounds.low, bounds.high), bounds.low, bounds.high)


@dataclass(frozen=True, eq=False)
class _Hint:
    """A sensitive column, as the values that its records are likely to have."""

    sheets: Sheets
    release: Anatomized
    column: PublishedColumn

    def axis(self) -> Axis:
        """Records of a class that show the same are one cell."""
        of, count, table = self.release.counted(self.column.name)
        shown = coded(self.release.rows.column(self.column.name), self.column.name)
        held = coded(table.column(self.column.name), self.column.name)
        both = matched(shown, held)
        cells, code = np.unique(self.release.of_row * np.int64(both.count) + both.published, return_inverse=True)
        group, seen = np.divmod(cells, both.count)
        by_class = np.argsort(of, kind="stable")
        first = np.searchsorted(of[by_class], np.arange(len(self.release.numbers[1]) + 1))
        size = np.diff(first)
        entry = by_class[
            _runs(first[group], size[group])
        ]  # of each cell, the rows of the table that speak of its class
        cell = np.repeat(np.arange(len(cells)), size[group])
        odds = self._retention * size / (1 - self._retention)
        weight = count[entry] * np.where(both.original[entry] == seen[cell], 1 + odds[group][cell], 1.0)
        times = np.bincount(code, minlength=len(cells))
        weight = _balanced(weight, cell, entry, times, count)
        values = self.sheets.axes(table, [self.column])[self.column.name]
        members = Members(values.code[entry].astype(np.int64), np.concatenate([[0], np.cumsum(size[group])]))
        return Mixture(code, values, members, weight)

    @property
    def _retention(self) -> float:
        given = self.sheets.published.options.get("retention")
        if not isinstance(given, int | float) or not 0 <= given < 1:
            raise DataError("the manifest does not say with which retention the sensitive values are randomized")
        return float(given)


def _runs(first: Integers, lengths: Integers) -> Integers:
    """The members of runs, one run after the other."""
    return np.repeat(first - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def _balanced(weight: Figures, cell: Integers, entry: Integers, times: Integers, count: Integers) -> Figures:
    """Weights that sum to 1 in each cell, and over all records of a class to how often it holds each value."""
    for _ in range(_ROUNDS):
        weight = weight / np.bincount(cell, weights=weight, minlength=len(times))[cell]
        held = np.bincount(entry, weights=weight * times[cell], minlength=len(count))
        if np.abs(held - count).max(initial=0) <= _NEAR * max(int(count.max(initial=1)), 1):
            break
        weight = weight * (count / held)[entry]
    return weight / np.bincount(cell, weights=weight, minlength=len(times))[cell]
