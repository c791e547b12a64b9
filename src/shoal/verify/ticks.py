"""For whom a column of the original is sensitive, decided by the judge for himself.

A rule is true, false, or not to be told where a value is missing: 2, 0 and 1, so that `and` is the least of them and
`or` the greatest. What is not to be told counts as sensitive.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.schema import rules
from shoal.schema.columns import Column
from shoal.schema.rules import Rule, Value
from shoal.verify.coding import Coded

Flags = NDArray[np.bool_]
States = NDArray[np.int8]

_BY: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def ticked(column: Column, coded: Callable[[str], Coded]) -> Flags:
    """The records whose value of this column is sensitive."""
    if column.mask is None:
        raise DataError(f"it is not said for whom {column.name} is sensitive: give the plan, which does")
    try:
        return _state(column.mask.rule(column.name), coded) > 0
    except (TypeError, ValueError):  # which quote values
        raise DataError(f"the mask of {column.name} cannot be decided: it compares values of different kinds") from None


def _state(rule: Rule, coded: Callable[[str], Coded]) -> States:
    match rule:
        case rules.Not(inner):
            return (2 - _state(inner, coded)).astype(np.int8)
        case rules.All(several):
            return reduce(np.minimum, [_state(one, coded) for one in several])
        case rules.Any(several):
            return reduce(np.maximum, [_state(one, coded) for one in several])
    column = coded(rule.column)
    known = [_decided(rule, value, column.held.type) for value in column.held.to_pylist()]
    return np.array(known, np.int8)[column.code]


def _decided(rule: rules.Holds | rules.Missing | rules.Compared | rules.Listed, value: Any, kind: pa.DataType) -> int:
    """The state of a rule for one value."""
    if isinstance(rule, rules.Missing):
        return 2 if value is None else 0
    if value is None:
        return 1
    match rule:
        case rules.Holds():
            return 2 if value else 0
        case rules.Compared(by=by, value=other):
            return 2 if _holds(by, value, other, kind) else 0
        case rules.Listed(values=others):
            return 2 if any(_holds("==", value, other, kind) for other in others) else 0


def _holds(by: str, value: Any, other: Value | Decimal, kind: pa.DataType) -> bool:
    """Whether a comparison holds: of text with a number as numbers, of a moment with text as moments."""
    if isinstance(value, str) and isinstance(other, int | float):
        value = float(value)
    elif isinstance(value, Decimal) and isinstance(other, float):
        other = Decimal(str(other))
    elif isinstance(value, str) and isinstance(other, date):
        other = other.isoformat()
    elif isinstance(other, str | date) and pa.types.is_temporal(kind):
        other = pa.scalar(other).cast(kind).as_py()
    return _BY[by](value, other)
