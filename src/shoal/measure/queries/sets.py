"""Columns of categories: a cell stands for each of some values, or for any, and perhaps for a missing one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.measure.queries.axes import NEVER, PERHAPS, SURELY, Amounts, Asked, Codes, Figures, Flags, Met, settled
from shoal.measure.queries.question import Between, Condition
from shoal.release.cells import texts
from shoal.release.notation import ranges
from shoal.schema.hierarchy import Hierarchy

__all__ = ["Members", "Sets"]

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Members:
    """Which values each cell holds: those of cell i are ``value[first[i]:first[i + 1]]``."""

    value: Integers
    first: Integers

    @classmethod
    def of(cls, held: Sequence[Sequence[int]]) -> Members:
        sizes = [len(values) for values in held]
        value = np.fromiter((place for values in held for place in values), np.int64, sum(sizes))
        return cls(value, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    @property
    def sizes(self) -> Integers:
        return np.diff(self.first)

    def reduced(self, with_: np.ufunc, figures: NDArray[Any], nothing: float) -> NDArray[Any]:
        """What is known of each value (across), as one figure for each cell."""
        found = np.full((len(figures), len(self.first) - 1), nothing, figures.dtype)
        held = np.flatnonzero(self.sizes)
        if len(held):
            found[:, held] = with_.reduceat(figures[:, self.value], self.first[held], axis=1)
        return found


@dataclass(frozen=True, eq=False)
class Sets:
    """Cells as sets of texts.

    Attributes:
        name: of the column.
        code: of each row, the number of its cell.
        texts: the values that are spoken of, each once.
        members: which of them each cell may stand for.
        likely: which of them the estimate reckons with: fewer, where more is known than the cell says.
        anything: of each cell, whether it may stand for any value.
        missing: whether it may stand for a missing one.
        gap: the share of its records that the estimate takes to be missing.
        tree: the hierarchy of the values, if they have one.
    """

    name: str
    code: Codes
    texts: Sequence[str]
    members: Members
    likely: Members
    anything: Flags
    missing: Flags
    gap: Figures
    tree: Hierarchy | None

    def __len__(self) -> int:
        return len(self.missing)

    @property
    def steady(self) -> bool:
        return bool((self.members.sizes <= 1).all())

    @property
    def _gone(self) -> Flags:
        return (self.members.sizes == 0) & ~self.anything

    def meets(self, asked: Asked) -> Met:
        wanted = self._wanted(asked)
        every = np.array([all(self._is_all(one) for one in conditions) for conditions in asked], np.bool_)
        some = every | np.array([all(c.values is None or c.values for c in conditions) for conditions in asked])
        gaps = np.array([all(condition.missing for condition in conditions) for conditions in asked], np.bool_)
        count = self.members.reduced(np.add, wanted.astype(np.int32), 0)
        state = np.where(count == 0, NEVER, np.where(count == self.members.sizes, SURELY, PERHAPS))
        of_any = np.where(every, SURELY, np.where(some, PERHAPS, NEVER))
        state = np.where(self.anything, of_any[:, None], state).astype(np.uint8)
        settled_state = settled(state, self.missing, self._gone, gaps)
        return Met(settled_state, None if self._is_exact else self._share(wanted, every, gaps))

    @property
    def _is_exact(self) -> bool:
        """Whether each cell is one value, or surely missing."""
        single = (self.members.sizes == 1) & ~self.missing
        return bool((single | self._gone).all()) and self.likely is self.members

    def _share(self, wanted: Flags, every: Flags, gaps: Flags) -> Figures:
        sizes = self.likely.sizes
        held = self.likely.reduced(np.add, wanted.astype(np.int32), 0)
        overall = wanted.mean(axis=1) if len(self.texts) else np.where(every, 1.0, 0.5)
        known = np.divide(held, sizes, out=np.broadcast_to(overall[:, None], held.shape).copy(), where=sizes > 0)
        return gaps[:, None] * self.gap + known * (1 - self.gap)

    # -- which values are asked for -------------------------------------------------------------------------

    def _wanted(self, asked: Asked) -> Flags:
        """For each question (down) and text (across), whether it is asked for."""
        wanted = np.ones((len(asked), len(self.texts)), np.bool_)
        for place, conditions in enumerate(asked):
            for condition in conditions:
                if not self._is_all(condition):
                    wanted[place] &= self._flags(condition)
        return wanted

    @staticmethod
    def _is_all(condition: Condition) -> bool:
        """Whether every known value will do."""
        return condition.values is None and condition.range.low is None and condition.range.high is None

    def _flags(self, condition: Condition) -> Flags:
        if condition.values is None:
            return self._in_range(condition.range)
        found = np.zeros(len(self.texts), np.bool_)
        strange = 0
        for value in condition.values:
            text = written(value)
            strange += self.tree is not None and text not in self._covers and text not in self._place
            for named in self._covers.get(text, (text,)):
                place = self._place.get(named)
                if place is not None:
                    found[place] = True
        if strange:
            raise DataError(
                f"where cannot be understood: {self.name} is asked for {strange} value(s) that are neither published "
                "nor in its hierarchy"
            )
        return found

    @cached_property
    def _place(self) -> dict[str, int]:
        return {text: place for place, text in enumerate(self.texts)}

    @cached_property
    def _covers(self) -> Mapping[str, frozenset[str]]:
        """What a label of the hierarchy stands for."""
        return {} if self.tree is None else self.tree.covers()

    def _in_range(self, asked: Between) -> Flags:
        """By number, if all texts are numbers or dates; by the hierarchy; by the alphabet."""
        if self._numbers is not None:
            place = self._numbers
            low, high = (None if end is None else self._number(end) for end in (asked.low, asked.high))
        elif self.tree is not None:
            position = self.tree.position
            place = np.array([position.get(text, -1) for text in self.texts], np.float64)
            low, high = (
                None if end is None else self._leaf(end, last=last)
                for end, last in ((asked.low, False), (asked.high, True))
            )
        else:
            return np.array([_within(text, asked) for text in self.texts], np.bool_)
        found = np.ones(len(self.texts), np.bool_)
        if low is not None:
            found &= place >= low if asked.inclusive in ("both", "low") else place > low
        if high is not None:
            found &= place <= high if asked.inclusive in ("both", "high") else place < high
        return found

    @cached_property
    def _numbers(self) -> Figures | None:
        """The texts as numbers, if each of them is one, or a date."""
        if not self.texts:
            return None
        found = ranges(pa.array(self.texts, pa.string()))
        return found.low if (found.readable & (found.low == found.high)).all() else None

    def _number(self, end: Any) -> float:
        found = ranges(pa.array([written(end)]))
        if not found.readable[0] or found.low[0] != found.high[0]:
            raise DataError(
                f"where cannot be understood: {self.name} is a column of numbers or dates, and so are its ends"
            )
        return float(found.low[0])

    def _leaf(self, end: Any, *, last: bool) -> int:
        place = {} if self.tree is None else self.tree.position
        below = [place[leaf] for leaf in self._covers.get(written(end), ())]
        if not below:
            raise DataError(f"where cannot be understood: an end of a range of {self.name} is not in its hierarchy")
        return max(below) if last else min(below)

    # -- sums and means -------------------------------------------------------------------------------------

    def amounts(self, asked: Asked) -> Amounts:
        number = self._numbers
        if number is None and len(self.texts):
            raise DataError(f"SUM and AVG take columns of numbers, which {self.name} is not")
        number = np.zeros(0) if number is None else number
        wanted = self._wanted(asked)
        low = self.members.reduced(np.minimum, np.where(wanted, number, np.inf), np.inf)
        high = self.members.reduced(np.maximum, np.where(wanted, number, -np.inf), -np.inf)
        low[:, self.anything], high[:, self.anything] = -np.inf, np.inf
        held = self.likely.reduced(np.add, wanted.astype(np.float64), 0)
        total = self.likely.reduced(np.add, wanted * number, 0)
        named = wanted.sum(axis=1)
        overall = np.divide(wanted @ number, named, out=np.full(len(asked), np.nan), where=named > 0)
        mean = np.divide(total, held, out=np.broadcast_to(overall[:, None], held.shape).copy(), where=held > 0)
        return Amounts(low, high, mean)


def written(value: Any) -> str:
    """A value of a query as it would be published."""
    return value if isinstance(value, str) else str(texts(pa.array([value]))[0].as_py())


def _within(text: str, asked: Between) -> bool:
    """By the alphabet."""
    low, high = (None if end is None else written(end) for end in (asked.low, asked.high))
    if low is not None and (text < low or (text == low and asked.inclusive in ("high", "neither"))):
        return False
    return high is None or not (text > high or (text == high and asked.inclusive in ("low", "neither")))
