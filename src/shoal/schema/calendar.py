"""Intervals of dates by the parts of the calendar: days, weeks, months, quarters, years, decades, centuries."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError

#: Days, and months, in a part.
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}

#: What the width of an interval may be called.
PARTS = ("day", "week", "month", "quarter", "year", "decade", "century")

#: Weeks cross the edges of months, so a column has either; most dates within two months are put in weeks.
_FEW_DAYS = 62

_MONDAY = 3  # days from the last Monday before 1970-01-01 to that day
_YEAR_ONE = 1970 * 12


def levels(values: pa.Array, first: float | str | None) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """Ever wider parts of the calendar that hold these dates, which ascend."""
    if first is not None and first not in PARTS:
        raise DataError(f"intervals of dates have one of these as their width: {', '.join(PARTS)}")
    days = _days(values)
    if not len(days):
        return
    low, high = np.quantile(days, [0.1, 0.9])
    by_weeks = first == "week" or (first is None and high - low <= _FEW_DAYS)
    chain = ["day", "week"] if by_weeks else ["day", *_MONTHS]
    for part in chain if first is None else chain[chain.index(str(first)) :]:
        held, group = np.unique(_index(days, part), return_inverse=True)
        with_times = pa.types.is_timestamp(values.type)
        yield group.astype(np.int64), [_label(part, place, with_times=with_times) for place in held.tolist()]


def _days(values: pa.Array) -> NDArray[np.int64]:
    """Days since 1970-01-01, by the clock in which the times are written."""
    if pa.types.is_date(values.type):
        days = np.asarray(values.cast(pa.date32()).cast(pa.int32()).to_numpy(zero_copy_only=False), np.int64)
    else:
        moments = np.asarray(values.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)
        days = moments // (86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[values.type.unit])
    first, last = (_count(edge) for edge in (date.min, date.max))
    if len(days) and (days[0] < first or days[-1] > last):
        raise DataError("dates before the year 1 or after the year 9999 lie in no interval: make them missing")
    return days


def _index(days: NDArray[np.int64], part: str) -> NDArray[np.int64]:
    """The number of each day's part of the calendar."""
    if part in _DAYS:
        return (days + _MONDAY * (part == "week")) // _DAYS[part]
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + _YEAR_ONE
    return np.asarray(months // _MONTHS[part])


def _label(part: str, place: int, *, with_times: bool) -> str:
    """Both ends within for dates; for times the second is the midnight after the last day."""
    low, after = _start(part, place), _start(part, place + 1)
    if not with_times:
        last = date.max if after is None else after - timedelta(days=1)
        return f"[{low}, {last}]"
    return f"[{low}, {after or '∞'}["


def _start(part: str, place: int) -> date | None:
    """The first day of a part; none after the year 9999."""
    if part in _DAYS:
        day = place * _DAYS[part] - _MONDAY * (part == "week")
        return date.fromordinal(max(day - _count(date.min) + 1, 1)) if day <= _count(date.max) else None
    year, month = divmod(place * _MONTHS[part], 12)
    if year > date.max.year:
        return None
    return date(year, month + 1, 1) if year else date.min


def _count(day: date) -> int:
    return (day - date(1970, 1, 1)).days
