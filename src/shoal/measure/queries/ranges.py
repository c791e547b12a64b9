"""Columns of numbers, dates and times: a cell stands for all values of a range, and perhaps for a missing one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.errors import DataError
from shoal.measure.queries.axes import (
    NEVER,
    PERHAPS,
    SURELY,
    Amounts,
    Asked,
    Codes,
    Figures,
    Flags,
    Met,
    States,
    settled,
)
from shoal.measure.queries.question import Condition
from shoal.measure.queries.scale import Scale

__all__ = ["Ranges"]

#: Where a range meets a grid, rounding is forgiven.
_NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class _Wanted:
    """What one question asks for: all between two ends, or of these only ``members``; perhaps missing values."""

    low: float
    high: float
    members: Figures | None
    missing: bool


@dataclass(frozen=True, eq=False)
class Ranges:
    """Cells as ranges of numbers.

    Attributes:
        code: of each row, the number of its cell. The others are of each cell.
        low: the least number that it may stand for, perhaps -inf; NaN where it stands for missing values only.
        high: the greatest.
        first: the least number that the estimate reckons with: finite wherever anything is known of it.
        last: the greatest.
        missing: it may stand for a missing value.
        gap: the share of its records that the estimate takes to be missing.
        scale: how the numbers are written.
    """

    code: Codes
    low: Figures
    high: Figures
    first: Figures
    last: Figures
    missing: Flags
    gap: Figures
    scale: Scale

    steady = True

    def __len__(self) -> int:
        return len(self.low)

    def meets(self, asked: Asked) -> Met:
        wanted = [self._wanted(conditions) for conditions in asked]
        low, high = _ends(wanted)
        inside = (low <= self.low) & (self.high <= high)
        touched = np.maximum(self.low, low) <= np.minimum(self.high, high)
        state = np.where(inside, SURELY, np.where(touched, PERHAPS, NEVER)).astype(np.uint8)
        share = None if self._is_exact else self._overlap(low, high)
        for place, one in enumerate(wanted):
            if one.members is not None:
                state[place] = self._held(one.members)
                if share is not None:
                    share[place] = self._share_held(one.members)
        gaps = np.array([one.missing for one in wanted], np.bool_)
        settled_state = settled(state, self.missing, np.isnan(self.low), gaps)
        if share is None:
            return Met(settled_state, None)
        share = np.where(state == SURELY, 1.0, np.where(state == NEVER, 0.0, share))
        return Met(settled_state, share * (1 - self.gap) + self.gap * gaps[:, None])

    @property
    def _is_exact(self) -> bool:
        """Whether each cell is one value."""
        gone = np.isnan(self.low)
        return bool(((self.low == self.high) & ~self.missing | gone).all())

    def _wanted(self, conditions: tuple[Condition, ...]) -> _Wanted:
        """All conditions of a question in one."""
        low, high, members = -np.inf, np.inf, None
        for condition in conditions:
            if condition.values is not None:
                held = np.unique(self.scale.numbers(condition.values))
                members = held if members is None else np.intersect1d(members, held)
            ends = self.scale.ends(condition.range)
            low, high = max(low, ends[0]), min(high, ends[1])
        if members is not None:
            members = members[(low <= members) & (members <= high)]
            low, high = (members[0], members[-1]) if len(members) else (np.inf, -np.inf)
            members = members if len(members) > 1 else None
        return _Wanted(low, high, members, all(condition.missing for condition in conditions))

    # -- how much of a cell is asked for --------------------------------------------------------------------

    def _overlap(self, low: Figures, high: Figures) -> Figures:
        """The share of each cell's values between these ends."""
        domain = self.scale.domain
        if domain is not None:
            occurring = _between(domain, np.maximum(self.low, low), np.minimum(self.high, high))
            return occurring / np.maximum(_between(domain, self.low, self.high), 1)
        first, last = self._met(low, high)
        unit = self.scale.unit
        with np.errstate(invalid="ignore"):
            held = np.where(first <= last, last / 2 - first / 2 + unit / 2, 0.0)  # halves: no range is too wide
            every = self.last / 2 - self.first / 2 + unit / 2
        share = np.divide(held, every, out=(first <= last).astype(np.float64), where=every > 0)
        return np.where(np.isnan(self.first), 0.5, np.clip(share, 0, 1))

    def _met(self, low: Figures, high: Figures) -> tuple[Figures, Figures]:
        """The least and the greatest number of each cell between these ends, as the estimate reckons."""
        unit = self.scale.unit
        if unit > 0:
            with np.errstate(over="ignore", invalid="ignore"):
                low, high = np.ceil(low / unit - _NEAR) * unit, np.floor(high / unit + _NEAR) * unit
        return np.maximum(self.first, low), np.minimum(self.last, high)

    def _held(self, members: Figures) -> States:
        """Of a set of numbers, whether each cell may or must be one."""
        held = _between(members, self.low, self.high)
        with np.errstate(invalid="ignore"):
            every = np.where(self.scale.whole, self.high - self.low + 1, np.where(self.low == self.high, 1, np.inf))
        return np.where(held == 0, NEVER, np.where(held == every, SURELY, PERHAPS)).astype(np.uint8)

    def _share_held(self, members: Figures) -> Figures:
        """Of a set of numbers, which share of each cell's values it is."""
        domain, unit = self.scale.domain, self.scale.unit
        if domain is not None:
            occurring = _between(np.intersect1d(members, domain), self.low, self.high)
            return occurring / np.maximum(_between(domain, self.low, self.high), 1)
        held = _between(members, self.first, self.last).astype(np.float64)
        with np.errstate(invalid="ignore"):
            width = self.last / 2 - self.first / 2 + unit / 2
        share = np.divide(held * unit / 2, width, out=(held > 0).astype(np.float64), where=width > 0)
        return np.where(np.isnan(self.first), 0.5, np.clip(share, 0, 1))

    # -- sums and means -------------------------------------------------------------------------------------

    def amounts(self, asked: Asked) -> Amounts:
        if not self.scale.is_numeric:
            raise DataError(f"SUM and AVG take columns of numbers, which {self.scale.name} is not")
        wanted = [self._wanted(conditions) for conditions in asked]
        low, high = _ends(wanted)
        first, last = self._met(low, high)
        least, most = np.maximum(self.low, low), np.minimum(self.high, high)
        with np.errstate(invalid="ignore"):  # what meets nothing has no mean
            mean = np.clip(first / 2 + last / 2, np.fmin(least, most), np.fmax(least, most))
        if self.scale.domain is not None:
            mean = _mean_between(self.scale.domain, least, most, mean)
        for place, one in enumerate(wanted):
            if one.members is not None:
                least[place], most[place] = _nearest(one.members, self.low, self.high)
                mean[place] = _mean_between(one.members, least[place], most[place], least[place])
        return Amounts(least, most, mean)


def _ends(wanted: list[_Wanted]) -> tuple[Figures, Figures]:
    """The ends of each question, one below the other."""
    return np.array([[one.low] for one in wanted]), np.array([[one.high] for one in wanted])


def _between(numbers: Figures, low: Figures, high: Figures) -> Codes:
    """How many of some ascending numbers lie between these ends, both included; none where an end is NaN."""
    last = np.searchsorted(numbers, high, side="right")
    found = last - np.searchsorted(numbers, low, side="left")
    return np.where(np.isnan(low) | np.isnan(high), 0, np.maximum(found, 0))


def _mean_between(numbers: Figures, low: Figures, high: Figures, otherwise: Figures) -> Figures:
    """The mean of the ascending numbers between these ends."""
    before = np.concatenate([[0.0], np.cumsum(numbers)])
    last = np.searchsorted(numbers, high, side="right")
    count = _between(numbers, low, high)
    total = before[last] - before[last - count]
    return np.divide(total, count, out=np.array(otherwise, np.float64), where=count > 0)


def _nearest(members: Figures, low: Figures, high: Figures) -> tuple[Figures, Figures]:
    """The least and the greatest of some numbers in each range; any where there are none."""
    last = len(members) - 1
    least = members[np.minimum(np.searchsorted(members, low, side="left"), last)]
    most = members[np.clip(np.searchsorted(members, high, side="right") - 1, 0, last)]
    return least, most
