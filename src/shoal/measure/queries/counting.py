"""Counts, sums and means over parts: the estimate, and the bounds that it cannot leave.

Of one part it is known row by row what it says. Parts that are joined by a class are independent within it: if s_i of
the n records of a class surely are, and p_i possibly are, what the question asks of part i, then all m parts agree on
at least sum s_i - (m - 1) n and at most min p_i of its records, and on the product of the shares if every way of
joining them is as likely. Which of a part's rows those are is open. So a sum is largest if, class by class, as many
records as must be are the largest of those that surely are what is asked, and others join them as long as that adds; a
mean, if they join from the largest of all downwards for as long as it rises. A count is the sum of a one for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Unsupported
from shoal.measure.groups import Whole
from shoal.measure.queries.axes import Figures
from shoal.measure.queries.parts import Rows, Section, Seen, Tally
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


def ask(sections: Callable[[frozenset[str]], Sequence[Section]], what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """What is to be said to some questions; ``sections`` are those of all records, where these columns are asked."""
    if what.column is not None:  # a record without a value adds nothing
        asked = [{**one, what.column: (*one.get(what.column, ()), KNOWN)} for one in asked]
    found = Bounded(*(np.zeros(len(asked)) for _ in range(3)))
    for columns, places in _alike(asked).items():
        joined = [_Joined.of(section, what.column, columns) for section in sections(columns)]
        for some in _portions(joined, places):
            answer = _answer(joined, what, [asked[place] for place in some])
            found.estimate[some], found.low[some], found.high[some] = answer.estimate, answer.low, answer.high
    return found


def _alike(asked: Sequence[Question]) -> dict[frozenset[str], list[int]]:
    """The questions of the same columns."""
    found: dict[frozenset[str], list[int]] = {}
    for place, question in enumerate(asked):
        found.setdefault(frozenset(question), []).append(place)
    return found


def _portions(joined: Sequence[_Joined], places: Sequence[int]) -> Iterator[list[int]]:
    """The questions, as many at once as fit."""
    step = max(1, _AT_ONCE // max(1, sum(one.width for one in joined)))
    for start in range(0, len(places), step):
        yield list(places[start : start + step])


@dataclass(frozen=True, eq=False)
class _Found:
    """Of each question (down) and some groups of records (across): how many are asked for, and their numbers.

    For the smallest and for the largest answer, those that must and those that may be among them; then those that are
    likely to be.
    """

    smallest: tuple[Whole, Whole]
    largest: tuple[Whole, Whole]
    likely: Figures
    low: Figures
    high: Figures
    mean: Figures


@dataclass(frozen=True, eq=False)
class _Joined:
    """The parts of a section of which something is asked, the one with the column to be summed up first."""

    column: str | None
    rows: Sequence[Rows]
    sizes: Whole

    @classmethod
    def of(cls, section: Section, column: str | None, columns: frozenset[str]) -> _Joined:
        needed = [part for part in section.parts if columns.intersection(part.names)] or list(section.parts[:1])
        needed.sort(key=lambda part: column not in part.names)
        if len(needed) == 1:  # its rows are known one by one: whatever joins them to others says nothing
            needed = [replace(needed[0], group=None)]
        rows = [part.among([name for name in part.names if name in columns]) for part in needed]
        if len(rows) > 1 and column is not None and not rows[0].axes[column].steady:
            raise Unsupported(
                f"SUM and AVG of {column}, whose cells are sets of numbers, cannot be bounded together with columns "
                "that are published apart from it: ask without these"
            )
        return cls(column, rows, section.sizes)

    @property
    def width(self) -> int:
        """As many figures are held for each question."""
        return sum(rows.cells for rows in self.rows) + (len(self.sizes) if len(self.rows) > 1 else 1)

    def found(self, asked: Sequence[Question]) -> _Found:
        """How many records are asked for."""
        seen = [rows.seen(asked) for rows in self.rows]
        agreed = self._agreed(seen) if len(seen) > 1 else None
        if self.column is None:
            count = seen[0].tally(self.rows[0].group, 1) if agreed is None else agreed.tally
            alike, one = (count.surely, count.possibly - count.surely), np.ones_like(count.likely)
            return _Found(alike, alike, count.likely, one, one, one)
        axis, cell = seen[0].rows.axes[self.column], seen[0].rows.cell(self.column)
        amounts = axis.amounts([question[self.column] for question in asked])
        ends = amounts.low, amounts.high, amounts.mean
        if agreed is None:
            count = seen[0].tally(cell, len(axis))
            alike = count.surely, count.possibly - count.surely
            return _Found(alike, alike, count.likely, *ends)
        raw = axis.amounts([()])
        orders = [np.lexsort([end[0][cell], seen[0].rows.group]) for end in (raw.low, -raw.high)]
        bounds = agreed.tally.surely, agreed.tally.possibly
        smallest, largest = (seen[0].allot(order, cell, len(axis), *bounds) for order in orders)
        return _Found(smallest, largest, seen[0].tally(cell, len(axis), agreed.left).likely, *ends)

    def _agreed(self, seen: Sequence[Seen]) -> _Agreed:
        n = self.sizes
        by_class = [one.tally(one.rows.group, len(n)) for one in seen]
        surely = np.add.reduce([one.surely for one in by_class]) - (len(seen) - 1) * n
        possibly = np.minimum.reduce([one.possibly for one in by_class])
        left = np.multiply.reduce([one.likely / n for one in by_class[1:]])
        return _Agreed(Tally(np.maximum(surely, 0), possibly, by_class[0].likely * left), left)


@dataclass(frozen=True, eq=False)
class _Agreed:
    """Of each question (down) and class (across), on how many records all parts must or may agree.

    ``left`` is the share of the first part's records that the others are estimated to leave.
    """

    tally: Tally
    left: Figures


def _answer(joined: Sequence[_Joined], what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """The estimate and the bounds, of all sections together."""
    found = [one.found(asked) for one in joined]
    nothing = np.zeros((len(asked), 0))

    def together(of: Callable[[_Found], NDArray[Any]]) -> NDArray[Any]:
        return np.hstack([nothing, *map(of, found)])

    largest = _largest_mean if what.kind == "AVG" else _largest_sum
    least = largest(
        together(lambda one: one.smallest[0]), together(lambda one: one.smallest[1]), together(lambda one: -one.low)
    )
    most = largest(
        together(lambda one: one.largest[0]), together(lambda one: one.largest[1]), together(lambda one: one.high)
    )
    likely = together(lambda one: one.likely)
    estimate = _weighted(likely, together(lambda one: one.mean)).sum(axis=1)
    estimate = _mean(estimate, likely.sum(axis=1)) if what.kind == "AVG" else estimate
    return Bounded(estimate, 0.0 - least, most)


def _weighted(times: NDArray[Any], value: Figures) -> Figures:
    """What is nowhere has no value."""
    return times * np.where(times > 0, value, 0.0)


def _largest_sum(must: Figures, may: Figures, value: Figures) -> Figures:
    return np.asarray((_weighted(must, value) + _weighted(may, np.maximum(value, 0.0))).sum(axis=1))


def _largest_mean(must: Figures, may: Figures, value: Figures) -> Figures:
    """What may be joins from the largest downwards; the largest mean on the way is the largest of all."""
    total, count = _weighted(must, value).sum(axis=1), must.sum(axis=1)
    order = np.argsort(-np.where(may > 0, value, -np.inf), axis=1)
    may, value = np.take_along_axis(may, order, axis=1), np.take_along_axis(value, order, axis=1)
    joined = _mean(total[:, None] + np.cumsum(_weighted(may, value), axis=1), count[:, None] + np.cumsum(may, axis=1))
    return np.asarray(np.fmax(_mean(total, count), np.fmax.reduce(joined, axis=1, initial=np.nan, where=may > 0)))


def _mean(total: Figures, count: NDArray[Any]) -> Figures:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
