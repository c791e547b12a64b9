"""For whom each value of a semi-sensitive column is sensitive, record by record.

A rule that cannot be decided, since a value is missing, is taken to hold: nothing is shown of somebody by accident. So
is a missing tick.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.schema.columns import Column
from shoal.schema.rules import All, Any, Compared, Holds, Listed, Missing, Not, Rule, Value
from shoal.table.distinct import distinct
from shoal.table.domain import is_ordered

Flags = NDArray[np.bool_]
#: Of each record whether a rule holds of it, and whether it does not; neither where a missing value decides.
States = tuple[Flags, Flags]

_COMPARED: Mapping[str, Callable[[pa.Array, pa.Scalar], pa.Array]] = {
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "==": pc.equal,
    "!=": pc.not_equal,
}


def held_sensitive(table: pa.Table, column: Column) -> Flags:
    """The records whose value of this column is sensitive."""
    if column.mask is None:
        raise ValueError("the column is sensitive for everybody or for nobody")
    _, fails = _states(table, column.mask.rule(column.name), f"the mask of {column.name}")
    return ~fails


def _states(table: pa.Table, rule: Rule, said: str) -> States:
    match rule:
        case Not(inner):
            holds, fails = _states(table, inner, said)
            return fails, holds
        case All(rules):
            found = [_states(table, one, said) for one in rules]
            return reduce(np.logical_and, [h for h, _ in found]), reduce(np.logical_or, [f for _, f in found])
        case Any(rules):
            found = [_states(table, one, said) for one in rules]
            return reduce(np.logical_or, [h for h, _ in found]), reduce(np.logical_and, [f for _, f in found])
    return _of_values(table, rule, said)


def _of_values(table: pa.Table, rule: Holds | Missing | Compared | Listed, said: str) -> States:
    """A rule about one column, looked at once for each of its different values."""
    codes, values = distinct(table.column(rule.column))
    if isinstance(rule, Missing):
        gone = codes == len(values)
        return gone, ~gone
    holds = np.append(_holds(values, rule, f"{said} looks at the column {rule.column}, which holds"), False)
    fails = np.append(~holds[:-1], False)
    return holds[codes], fails[codes]


def _holds(values: pa.Array, rule: Holds | Compared | Listed, said: str) -> Flags:
    """Of each known value whether the rule holds."""
    match rule:
        case Holds():
            if not pa.types.is_boolean(values.type) and len(values):
                raise DataError(
                    f"{said} {values.type}, where true and false are expected: say what it is compared with, such as "
                    "NAME == 'yes', or that it is a boolean in [read] types"
                )
            return _flags(values) if len(values) else np.zeros(0, np.bool_)
        case Compared(by=by, value=value):
            return _compared(values, by, value, said)
        case Listed(values=listed):
            return reduce(np.logical_or, [_compared(values, "==", value, said) for value in listed])


def _compared(values: pa.Array, by: str, value: Value, said: str) -> Flags:
    """Values beside one that must be of their kind; text beside a number is read as numbers."""
    wrong = DataError(f"{said} {values.type}, and compares it with {_kind(value)} ({by})")
    if not len(values):
        return np.zeros(0, np.bool_)
    if isinstance(value, str | bool) and not is_ordered(values.type) and by not in ("==", "!="):
        raise wrong
    try:
        if isinstance(value, bool) or pa.types.is_boolean(values.type):
            if not (isinstance(value, bool) and pa.types.is_boolean(values.type)):
                raise wrong
            return _flags(_COMPARED[by](values, pa.scalar(value)))
        if isinstance(value, int | float):
            if pa.types.is_temporal(values.type):
                raise wrong
            if pa.types.is_decimal(values.type):  # as it is written, which a float may not be
                return _flags(_COMPARED[by](values, pa.scalar(Decimal(str(value)))))
            numbers = values if pa.types.is_integer(values.type) else values.cast(pa.float64(), safe=False)
            return _flags(_COMPARED[by](numbers, pa.scalar(value)))
        if not (pa.types.is_string(values.type) or pa.types.is_temporal(values.type)):
            raise wrong
        return _flags(_COMPARED[by](values, pa.scalar(value).cast(values.type)))
    except (pa.ArrowException, OverflowError):  # which quote the value
        raise wrong from None


def _kind(value: Value) -> str:
    kinds = {bool: "true or false", str: "text", int: "a number", float: "a number"}
    return "a date" if isinstance(value, date) else kinds[type(value)]


def _flags(found: pa.Array) -> Flags:
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.bool_)
