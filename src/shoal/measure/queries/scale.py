"""How the numbers of a column are written: their type, how finely, and how a query's values become numbers on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import DataError
from shoal.measure.queries.axes import Figures
from shoal.measure.queries.question import Between
from shoal.release.cells import ordinals, texts
from shoal.release.notation import ranges

__all__ = ["Scale", "scale_of"]

#: What numbers, and times of the day, may be multiples of: a day, an hour, a minute, a second, a microsecond.
_DECIMALS = tuple(10.0**-places for places in range(7))
_CLOCK = (1.0, 1 / 24, 1 / 1440, 1 / 86_400, 1 / 86_400e6)
_NEAR = 1e-6
#: Text with a date or a time of day in it.
_MOMENT = r"\d{4}-\d{2}-\d{2}|\d{2}:\d{2}"

Family = Literal["numbers", "moments", "either"]


@dataclass(frozen=True, eq=False)
class Scale:
    """What the numbers of a column are.

    Attributes:
        name: of the column.
        kind: its published type.
        family: numbers, dates and times, or either, where the column is text.
        unit: what all ends are multiples of; 0 if nothing is known to be.
        whole: whether nothing but whole numbers, or days, can stand behind the cells.
        domain: the values that occur, ascending, if they are known.
    """

    name: str
    kind: pa.DataType
    family: Family
    unit: float
    whole: bool
    domain: Figures | None = None

    @property
    def is_numeric(self) -> bool:
        return self.family != "moments"

    def knowing(self, domain: Figures | None) -> Scale:
        """The same, where it is known which values occur."""
        return self if domain is None else replace(self, domain=domain)

    def numbers(self, values: tuple[Any, ...]) -> Figures:
        """The values of a query as numbers on the scale of the cells."""
        return np.array([self._number(value) for value in values], np.float64)

    def ends(self, asked: Between) -> tuple[float, float]:
        """The ends of a range, both inclusive."""
        low = -np.inf if asked.low is None else self._number(asked.low)
        high = np.inf if asked.high is None else self._number(asked.high)
        if asked.inclusive in ("high", "neither") and asked.low is not None:
            low = float(np.nextafter(low, np.inf))
        if asked.inclusive in ("low", "neither") and asked.high is not None:
            high = float(np.nextafter(high, -np.inf))
        return (float(np.ceil(low)), float(np.floor(high))) if self.whole else (low, high)

    def _number(self, value: Any) -> float:
        """One value; text is read as a cell would be."""
        if isinstance(value, str):
            found = ranges(pa.array([value]))
            if found.readable[0] and found.low[0] == found.high[0]:
                return float(found.low[0])
        elif isinstance(value, date | time | timedelta):
            if self.family != "numbers":
                kind = self.kind if isinstance(value, timedelta) and pa.types.is_duration(self.kind) else None
                return float(ordinals(pa.array([value], kind))[0])
        elif isinstance(value, int | float | Decimal) and not isinstance(value, bool) and self.family != "moments":
            return self._as_published(value)
        expected = {"numbers": "numbers", "moments": "dates or times", "either": "numbers, or dates"}[self.family]
        raise DataError(
            f"where cannot be understood: {self.name} is asked for what it cannot hold: expected {expected}"
        )

    def _as_published(self, value: float | Decimal) -> float:
        """A number with as many digits as the column's have."""
        if pa.types.is_float32(self.kind) or pa.types.is_float16(self.kind):
            return float(np.float32(value) if pa.types.is_float32(self.kind) else np.float16(value))
        return float(value)


def scale_of(name: str, cells: pa.ChunkedArray, low: Figures, high: Figures, *, own: bool) -> Scale:
    """The scale of a column with these ends; ``own`` says that Shoal wrote it, so that its type is the original's."""
    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    family = _family(cells, kind)
    ends = np.concatenate([low, high])
    ends = np.unique(ends[np.isfinite(ends)])
    unit = _unit(ends, _CLOCK if family == "moments" else _DECIMALS)
    whole = own and bool(pa.types.is_integer(kind) or pa.types.is_date(kind))
    return Scale(name, kind, family, unit, whole)


def _family(cells: pa.ChunkedArray, kind: pa.DataType) -> Family:
    if pa.types.is_temporal(kind):
        return "moments"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    held = texts(cells.unique())
    has_moments = pc.any(pc.match_substring_regex(held, _MOMENT)).as_py()
    has_digits = pc.any(pc.match_substring_regex(held, r"\d")).as_py()
    return "moments" if has_moments else "numbers" if has_digits else "either"


def _unit(ends: Figures, units: tuple[float, ...]) -> float:
    """The coarsest of some units that all ends are multiples of."""
    for unit in units:
        with np.errstate(over="ignore", invalid="ignore"):
            place = ends / unit
            if (np.abs(place - np.rint(place)) <= _NEAR).all():
                return unit
    return 0.0
