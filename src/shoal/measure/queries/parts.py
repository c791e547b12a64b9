"""Columns that are published side by side: what one of their rows says is of one record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import tallying
from shoal.measure.groups import Whole, grouped
from shoal.measure.queries.axes import Axis, Codes, Figures, States
from shoal.measure.queries.question import Question
from shoal.verify import threads

__all__ = ["Axes", "Part", "Rows", "Section", "Seen", "Tally"]

#: Questions are shared out among the cores in so many portions.
_PORTIONS = 8


@dataclass(frozen=True, eq=False)
class Axes:
    """The columns of a table, each read when it is first asked for."""

    read: Mapping[str, Callable[[], Axis]]
    known: dict[str, Axis] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Axis:
        if name not in self.known:
            self.known[name] = self.read[name]()
        return self.known[name]


@dataclass(frozen=True, eq=False)
class Part:
    """Columns whose rows are whole.

    Attributes:
        axes: the columns of the table.
        names: which of them are of this part.
        rows: which rows of the table are, by their numbers.
        times: of each of these, how many records it stands for, if not one.
        group: of each of these, the number of its class, from 0 without gaps, if parts are joined by it.
    """

    axes: Axes
    names: Collection[str]
    rows: NDArray[np.int64]
    times: Whole | None = None
    group: Codes | None = None

    def among(self, names: Sequence[str]) -> Rows:
        """The different rows that some of its columns make, class by class."""
        axes = {name: self.axes[name] for name in names}
        group = np.zeros(len(self.rows), np.int64) if self.group is None else self.group
        codes = [axis.code[self.rows] for axis in axes.values()]
        groups = grouped([group, *codes], len(self.rows), self.times)
        order = np.argsort(groups.shown[0], kind="stable")
        of, *shown = (code[order] for code in groups.shown)
        cells = np.column_stack(shown) if shown else np.zeros((len(of), 0), np.int64)
        return Rows(axes, cells, groups.size[order], of)


@dataclass(frozen=True, eq=False)
class Section:
    """Records, the parts of which are joined by classes of these sizes."""

    parts: Sequence[Part]
    sizes: Whole


@dataclass(frozen=True, eq=False)
class Tally:
    """Of each question (down) and class, or cell of a column, (across) how many records it asks for."""

    surely: Whole
    possibly: Whole
    likely: Figures

    @classmethod
    def empty(cls, questions: int, buckets: int) -> Tally:
        shape = questions, buckets
        return cls(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape))


@dataclass(frozen=True, eq=False)
class Rows:
    """Different rows of some columns, sorted by class.

    Attributes:
        axes: the columns.
        shown: of each row (down) and column, the number of the cell.
        size: how many records each row stands for.
        group: the class of each row.
    """

    axes: Mapping[str, Axis]
    shown: NDArray[np.int64]
    size: Whole
    group: Whole

    @property
    def cells(self) -> int:
        """How many different cells all columns have."""
        return sum(len(axis) for axis in self.axes.values())

    def cell(self, name: str) -> NDArray[np.int64]:
        """The cell of a column that each row shows."""
        return self.shown[:, list(self.axes).index(name)]

    def seen(self, asked: Sequence[Question]) -> Seen:
        """What these rows say of some questions, all of the same columns."""
        met = [axis.meets([question.get(name, ()) for question in asked]) for name, axis in self.axes.items()]
        nothing = np.zeros((len(asked), 0))
        state = np.hstack([nothing.astype(np.uint8), *(one.state for one in met)])
        share = np.hstack([nothing, *(one.shares for one in met)])
        before = np.cumsum([0, *(len(axis) for axis in self.axes.values())])[:-1]
        return Seen(self, self.shown + before, state, share)


@dataclass(frozen=True, eq=False)
class Seen:
    """Rows beside what their cells say of questions; cells are numbered through all columns."""

    rows: Rows
    shown: NDArray[np.int64]
    state: States
    share: Figures

    def tally(self, bucket: NDArray[np.int64], buckets: int, left: Figures | None = None) -> Tally:
        """How many records of each bucket of rows each question asks for.

        ``left`` is the share of a class's records that the estimate counts, of each question and class.
        """
        found = Tally.empty(len(self.state), buckets)
        weight = np.ones((len(self.state), 1)) if left is None else left
        group = np.zeros_like(self.rows.group) if left is None else self.rows.group

        def portion(some: tuple[int, int]) -> None:
            counts = found.surely, found.possibly, found.likely
            sizes = self.rows.size, group, weight
            tallying.tally(self.shown, *sizes, bucket, self.state, self.share, *some, *counts)

        threads.each(portion, self._portions())
        return found

    def allot(
        self, order: NDArray[np.int64], bucket: NDArray[np.int64], buckets: int, least: Whole, most: Whole
    ) -> tuple[Whole, Whole]:
        """Of each bucket the records that must and that may be among those that parts agree on.

        They are taken in this order, which goes class by class, at least and at most so many of each class.
        """
        must, may = np.zeros((len(self.state), buckets), np.int64), np.zeros((len(self.state), buckets), np.int64)

        def portion(some: tuple[int, int]) -> None:
            sizes = self.rows.size, self.rows.group
            tallying.allot(self.shown, *sizes, order, bucket, self.state, *some, least, most, must, may)

        threads.each(portion, self._portions())
        return must, may

    def _portions(self) -> list[tuple[int, int]]:
        edges = np.linspace(0, len(self.state), _PORTIONS + 1).astype(int).tolist()
        return [(first, last) for first, last in pairwise(edges) if first < last]
