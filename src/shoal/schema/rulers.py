"""Intervals of numbers with round edges: which widths, and what an interval is called.

An interval is a whole multiple of its width, which is a whole number times a power of ten; so edges are computed in
whole numbers, those of wider intervals fall on those of narrower ones, and no edge is off by a rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError

#: Into so many of the finest intervals the middle eight tenths of the values are cut at most, or into the square root
#: of the number of values where that is more.
_INTERVALS = 20

#: Whole numbers up to here, and powers of ten up to there, are exact as floats; and so are their quotients, rounded.
_EXACT, _POWER = 1 << 53, 22
_MOST_LEVELS = 200


@dataclass(frozen=True)
class Width:
    """``units`` times ten to the power of ``exponent``."""

    units: int
    exponent: int

    @classmethod
    def of(cls, number: float) -> Width:
        sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
        units = int("".join(map(str, digits)))
        if sign or not units or not isinstance(exponent, int):
            raise DataError("the width of an interval must be a number above 0")
        return cls(units, exponent)

    def times(self, number: int) -> Decimal:
        return Decimal(self.units * number).scaleb(self.exponent)


def levels(
    values: pa.Array, width: float | str | None, factor: int | None
) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """Ever wider intervals of these numbers, which ascend, until one of them holds all."""
    if isinstance(width, str):
        raise DataError("intervals of numbers have a number as their width, and not a part of the calendar")
    whole = pa.types.is_integer(values.type)
    numbers = _numbers(values, whole=whole)
    if not len(numbers):
        return
    finest = _finest(numbers, whole=whole) if width is None else Width.of(width)
    index = _whole(numbers, finest) if whole else _broken(numbers, finest)
    times = 1
    for _ in range(_MOST_LEVELS):
        held, group = np.unique(index, return_inverse=True)
        wide = Width(finest.units * times, finest.exponent)
        yield group.astype(np.int64), [_label(wide, place, whole=whole) for place in held.tolist()]
        if len(held) == 1 or (len(held) == 2 and held[0] < 0 <= held[1]):  # below and above zero never meet
            return
        by = factor or _next(finest.units * times)
        index, times = index // by, times * by


def _numbers(values: pa.Array, *, whole: bool) -> NDArray[Any]:
    if whole:
        try:
            return np.asarray(values.cast(pa.int64()).to_numpy(zero_copy_only=False))
        except pa.ArrowInvalid:
            raise DataError("numbers too large to be put in intervals") from None
    plain = values
    if not pa.types.is_float64(plain.type):
        plain = plain.cast(pa.string())  # by way of text: 0.7 of a shorter type is a little less than the edge 0.7
    plain = plain.cast(pa.float64())
    if pc.any(pc.is_inf(plain)).as_py():
        raise DataError("infinite numbers, which lie in no interval: make them missing")
    return np.asarray(plain.to_numpy(zero_copy_only=False), dtype=np.float64)


def _finest(numbers: NDArray[Any], *, whole: bool) -> Width:
    """A round width by how far apart most values are: some that lie far off do not make all others one."""
    low, high = np.quantile(numbers.astype(np.float64), [0.1, 0.9])
    span = high - low or float(numbers[-1]) - float(numbers[0]) or 1.0
    furthest = max(abs(float(numbers[0])), abs(float(numbers[-1])))
    least = max(span / max(_INTERVALS, math.isqrt(len(numbers))), furthest / (_EXACT >> 4), 10.0**-_POWER)
    if not math.isfinite(least):
        raise DataError("numbers too far apart to be put in intervals: give a width")
    exponent = math.floor(math.log10(least))
    if whole and exponent < 0:
        return Width(2, 0)
    units = next((units for units in (1, 2, 5) if units * 10.0**exponent >= least * (1 - 1e-9)), 10)
    found = Width(1, exponent + 1) if units == 10 else Width(units, exponent)
    return Width(2, 0) if whole and found == Width(1, 0) else found


def _next(units: int) -> int:
    """How many intervals make a wider one whose width is round: 1, 2 or 5 times a power of ten, if one can be."""
    for times in (2, 4, 5):
        if str(units * times).rstrip("0") in ("1", "2", "5"):
            return times
    return 2


def _whole(numbers: NDArray[np.int64], width: Width) -> NDArray[np.int64]:
    """The number of each value's interval."""
    if width.exponent < 0:
        raise DataError("whole numbers need intervals of a whole width")
    step = width.units * 10**width.exponent
    if step >= 1 << 62:
        raise DataError("the width of the intervals is larger than any number can be")
    return numbers // step


def _broken(numbers: NDArray[np.float64], width: Width) -> NDArray[np.int64]:
    """The number of each value's interval, by its edges as they are read from their text."""
    if abs(width.exponent) > _POWER or float(width.times(1)) * (_EXACT >> 1) < np.abs(numbers).max() * width.units:
        raise DataError("numbers too far apart, or too small, for intervals of this width: choose a larger one")
    index = np.floor(numbers / float(width.times(1))).astype(np.int64)
    index -= numbers < _edges(index, width)
    index += numbers >= _edges(index + 1, width)
    return index


def _edges(index: NDArray[np.int64], width: Width) -> NDArray[np.float64]:
    """The lower ends, each the float that its decimal text is read as."""
    exact, power = (index * width.units).astype(np.float64), 10.0 ** abs(width.exponent)
    return exact * power if width.exponent >= 0 else exact / power


def _label(width: Width, place: int, *, whole: bool) -> str:
    low, high = width.times(place), width.times(place + 1)
    if whole:
        return f"[{low:f}, {high - 1:f}]"
    return f"[{_text(low)}, {_text(high)}["


def _text(number: Decimal) -> str:
    written = f"{number:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written
