"""Whether what a plan says of a hierarchy that is to be built makes sense."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.errors import Problem
from shoal.plan.spelling import did_you_mean
from shoal.plan.values import is_number, is_whole
from shoal.schema.calendar import PARTS
from shoal.schema.columns import Intervals, Prefixes

_WIDTH = f"expected a number above 0, or for dates one of {', '.join(PARTS)}"


def of_building(key: str, how: Prefixes | Intervals) -> Iterator[Problem]:
    """The mistakes in what is said of one column."""
    yield from _of_prefixes(key, how) if isinstance(how, Prefixes) else _of_intervals(key, how)


def _of_prefixes(key: str, how: Prefixes) -> Iterator[Problem]:
    keep: object = how.keep
    fill: object = how.fill
    if keep is not None and (not is_whole(keep) or keep < 1):
        yield Problem(f"{key}.prefixes.keep", "expected a whole number of at least 1")
    if not isinstance(fill, str) or len(fill) != 1 or fill.isspace():
        yield Problem(f"{key}.prefixes.fill", 'expected one character, such as "*"')


def _of_intervals(key: str, how: Intervals) -> Iterator[Problem]:
    width: object = how.width
    if isinstance(width, str) and width not in PARTS:
        hint = did_you_mean(width, PARTS)
        yield Problem(f"{key}.intervals.width", _WIDTH + (f"; {hint}" if hint else ""))
    elif width is not None and not isinstance(width, str) and (not is_number(width) or width <= 0):
        yield Problem(f"{key}.intervals.width", _WIDTH)
    if how.factor is not None and (not is_whole(how.factor) or how.factor < 2):
        yield Problem(f"{key}.intervals.factor", "expected a whole number of at least 2")
    elif how.factor is not None and isinstance(width, str):
        yield Problem(f"{key}.intervals.factor", "belongs to numbers: intervals of dates follow the calendar")
    if how.levels is not None and (not is_whole(how.levels) or how.levels < 1):
        yield Problem(f"{key}.intervals.levels", "expected a whole number of at least 1")
