"""Counts, sums and means over parts: the estimate, and the bounds that it cannot leave.

Of one part it is known row by row what it says. Parts that are joined by a class are independent within it: if s_i of
the n records of a class surely are, and p_i possibly are, what the question asks of part i, then all m parts agree on
at least sum s_i - (m - 1) n and at most min p_i of its records, and on the product of the shares if every way of
joining them is as likely. Which of a part's rows those are is open. So a sum is largest if, class by class, as many
records as must be are the largest of those that surely are what is asked, and others join them as long as that adds; a
mean, if they join from the largest of all downwards for as long as it rises.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Unsupported
from shoal.measure.groups import Whole
from shoal.measure.queries.axes import Figures
from shoal.measure.queries.parts import Part, Rows, Seen, Tally
from shoal.measure.queries.question import KNOWN, Aggregate, Question

__all__ = ["Bounded", "ask"]

#: As many cells, or classes, times questions are looked at in one go.
_AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class Bounded:
    """Of each question the estimate and the bounds; NaN where there is none."""

    estimate: Figures
    low: Figures
    high: Figures


def ask(parts: Sequence[Part], sizes: Whole, what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """What the parts say of some questions; ``sizes`` are those of the classes that join them."""
    if what.column is not None:  # a record without a value adds nothing
        asked = [{**one, what.column: (*one.get(what.column, ()), KNOWN)} for one in asked]
    found = Bounded(*(np.zeros(len(asked)) for _ in range(3)))
    for columns, places in _alike(asked).items():
        joined = _Joined.of(parts, sizes, what, columns)
        for some in joined.portions(places):
            answer = joined.answer([asked[place] for place in some])
            found.estimate[some], found.low[some], found.high[some] = answer.estimate, answer.low, answer.high
    return found


def _alike(asked: Sequence[Question]) -> dict[frozenset[str], list[int]]:
    """The questions of the same columns."""
    found: dict[frozenset[str], list[int]] = {}
    for place, question in enumerate(asked):
        found.setdefault(frozenset(question), []).append(place)
    return found


@dataclass(frozen=True, eq=False)
class _Joined:
    """The parts of which something is asked, the one with the column to be summed up first."""

    what: Aggregate
    rows: Sequence[Rows]
    sizes: Whole

    @classmethod
    def of(cls, parts: Sequence[Part], sizes: Whole, what: Aggregate, columns: frozenset[str]) -> _Joined:
        needed = [part for part in parts if columns & part.columns.keys()] or list(parts[:1])
        needed.sort(key=lambda part: what.column not in part.columns)
        if len(needed) == 1:  # its rows are known one by one: whatever joins them to others says nothing
            needed = [replace(needed[0], group=None)]
        rows = [part.among([name for name in part.columns if name in columns]) for part in needed]
        if len(rows) > 1 and what.column is not None and not rows[0].axes[what.column].steady:
            raise Unsupported(
                f"SUM and AVG of {what.column}, whose cells are sets of numbers, cannot be bounded together with "
                "columns that are published apart from it: ask without these"
            )
        return cls(what, rows, sizes)

    def portions(self, places: Sequence[int]) -> Iterator[list[int]]:
        """The questions, as many at once as fit."""
        width = sum(rows.cells for rows in self.rows) + (len(self.sizes) if len(self.rows) > 1 else 1)
        step = max(1, _AT_ONCE // max(1, width))
        for start in range(0, len(places), step):
            yield list(places[start : start + step])

    def answer(self, asked: Sequence[Question]) -> Bounded:
        """The estimates and the bounds of some of the questions."""
        seen = [rows.seen(asked) for rows in self.rows]
        agreed = self._agreed(seen) if len(seen) > 1 else None
        if self.what.column is not None:
            return self._amount(asked, self.what.column, seen[0], agreed)
        found = seen[0].tally(self.rows[0].group, 1) if agreed is None else agreed.tally
        return Bounded(found.likely.sum(axis=1), *(part.sum(axis=1) for part in (found.surely, found.possibly)))

    def _agreed(self, seen: Sequence[Seen]) -> _Agreed:
        n = self.sizes
        by_class = [one.tally(one.rows.group, len(n)) for one in seen]
        surely = np.add.reduce([one.surely for one in by_class]) - (len(seen) - 1) * n
        possibly = np.minimum.reduce([one.possibly for one in by_class])
        left = np.multiply.reduce([one.likely / n for one in by_class[1:]])
        return _Agreed(Tally(np.maximum(surely, 0), possibly, by_class[0].likely * left), left)

    # -- sums and means -------------------------------------------------------------------------------------

    def _amount(self, asked: Sequence[Question], column: str, seen: Seen, agreed: _Agreed | None) -> Bounded:
        axis, cell = seen.rows.axes[column], seen.rows.cell(column)
        amounts = axis.amounts([question[column] for question in asked])
        if agreed is None:
            alone = seen.tally(cell, len(axis))
            sides = [(alone.surely, alone.possibly - alone.surely)] * 2
            likely = alone.likely
        else:
            raw = axis.amounts([()])
            bounds = agreed.tally.surely, agreed.tally.possibly
            orders = [np.lexsort([end[0][cell], seen.rows.group]) for end in (raw.low, -raw.high)]
            sides = [seen.allot(order, cell, len(axis), *bounds) for order in orders]
            likely = seen.tally(cell, len(axis), agreed.left).likely
        largest = _largest_sum if self.what.kind == "SUM" else _largest_mean
        low, high = -largest(*sides[0], -amounts.low), largest(*sides[1], amounts.high)
        return Bounded(_estimated(self.what, likely, amounts.mean), low + 0.0, high + 0.0)  # no minus zero


@dataclass(frozen=True, eq=False)
class _Agreed:
    """Of each question (down) and class (across), on how many records all parts must or may agree.

    ``left`` is the share of the first part's records that the others are estimated to leave.
    """

    tally: Tally
    left: Figures


def _estimated(what: Aggregate, likely: Figures, mean: Figures) -> Figures:
    total = _weighted(likely, mean).sum(axis=1)
    return total if what.kind == "SUM" else _mean(total, likely.sum(axis=1))


def _weighted(times: NDArray[Any], value: Figures) -> Figures:
    """What is nowhere has no value."""
    return times * np.where(times > 0, value, 0.0)


def _largest_sum(must: Whole, may: Whole, value: Figures) -> Figures:
    return np.asarray((_weighted(must, value) + _weighted(may, np.maximum(value, 0.0))).sum(axis=1))


def _largest_mean(must: Whole, may: Whole, value: Figures) -> Figures:
    """What may be joins from the largest downwards; the largest mean on the way is the largest of all."""
    total, count = _weighted(must, value).sum(axis=1), must.sum(axis=1)
    order = np.argsort(-np.where(may > 0, value, -np.inf), axis=1)
    may, value = np.take_along_axis(may, order, axis=1), np.take_along_axis(value, order, axis=1)
    joined = _mean(total[:, None] + np.cumsum(_weighted(may, value), axis=1), count[:, None] + np.cumsum(may, axis=1))
    return np.asarray(np.fmax(_mean(total, count), np.fmax.reduce(joined, axis=1, initial=np.nan, where=may > 0)))


def _mean(total: Figures, count: NDArray[Any]) -> Figures:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
