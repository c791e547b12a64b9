"""What is asked: how many records, or the sum or mean of a column, of those that meet conditions."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shoal.errors import DataError

__all__ = ["KNOWN", "Aggregate", "Between", "Condition", "Question", "aggregate", "between", "questions"]

Inclusive = Literal["both", "low", "high", "neither"]

#: What may stand between words.
GAP = r"[ \t\r\n\f\v]"
#: A name of a column: as a JSON string in quotes, or bare.
NAME = rf'("(?:[^"\\]|\\.)*"|(?!"|{GAP}).+?)'
_AGGREGATE = re.compile(rf"{GAP}*(COUNT|SUM|AVG){GAP}*\({GAP}*{NAME}{GAP}*\){GAP}*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Aggregate:
    """``COUNT`` of all records, or ``SUM`` or ``AVG`` of a column."""

    kind: Literal["COUNT", "SUM", "AVG"]
    column: str | None


@dataclass(frozen=True)
class Between:
    """All values from ``low`` to ``high``; see :func:`between`."""

    low: Any = None
    high: Any = None
    inclusive: Inclusive = "both"


@dataclass(frozen=True)
class Condition:
    """What is asked of one column: one of some values, or if these are None, any in a range; or a missing one."""

    values: tuple[Any, ...] | None = None
    range: Between = Between()
    missing: bool = False


#: Any value, but not a missing one.
KNOWN = Condition()

#: Conditions by column. All must hold, and all of a column's.
Question = Mapping[str, tuple[Condition, ...]]


def between(low: Any = None, high: Any = None, *, inclusive: Inclusive = "both") -> Between:
    """All values from ``low`` to ``high``, without an end where one is None.

    Of numbers, dates and times, and of categories in the order of their hierarchy, or without one of the alphabet.
    ``inclusive`` says which of the ends belong to it.
    """
    if inclusive not in ("both", "low", "high", "neither"):
        raise DataError("between: inclusive is one of both, low, high, neither")
    return Between(low, high, inclusive)


def aggregate(what: str) -> Aggregate:
    """``COUNT(*)``, ``SUM(column)`` or ``AVG(column)``, a column with odd characters in double quotes."""
    found = _AGGREGATE.fullmatch(str(what))
    kind, named = (found[1].upper(), found[2]) if found else ("", "")
    if (kind, named) == ("COUNT", "*"):
        return Aggregate("COUNT", None)
    if named != "*" and kind == "SUM":
        return Aggregate("SUM", name(named))
    if named != "*" and kind == "AVG":
        return Aggregate("AVG", name(named))
    raise DataError("what is asked cannot be read: expected COUNT(*), SUM(column) or AVG(column)")


def name(written: str) -> str:
    """A column's name as it is written in a query, bare or as a JSON string."""
    if not written.startswith('"'):
        return written
    try:
        return str(json.loads(written, strict=False))
    except ValueError:
        raise DataError(
            'a name in double quotes is no JSON string: write \\" and \\\\ for quotes and backslashes'
        ) from None


def questions(where: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None) -> list[Question]:
    """One question for each mapping; all that is wrong with them in one error."""
    given = [where or {}] if where is None or isinstance(where, Mapping) else list(where)
    wrong: dict[str, None] = {}
    asked = [_question(one, wrong) for one in given]
    if wrong:
        raise DataError(f"where cannot be understood: {'; '.join(wrong)}")
    return asked


def _question(one: object, wrong: dict[str, None]) -> Question:
    if not isinstance(one, Mapping):
        wrong["expected a mapping from columns to what is asked of them, or a list of such mappings"] = None
        return {}
    asked = {}
    for column, said in one.items():
        if not isinstance(column, str):
            wrong["a name of a column is no text"] = None
            continue
        try:
            asked[column] = tuple(_condition(part) for part in (said if _is_several(said) else [said]))
        except TypeError as error:
            wrong[f"{column}: {error}"] = None
    return asked


def _is_several(said: object) -> bool:
    """Whether several conditions are put to a column, as the notation of the command can."""
    return isinstance(said, tuple) and bool(said) and all(isinstance(part, Condition) for part in said)


def _condition(said: object) -> Condition:
    """A range, some values, one value; None is a missing value."""
    if isinstance(said, Condition):
        return said
    if isinstance(said, Between):
        return Condition(None, Between(_value(said.low), _value(said.high), said.inclusive))
    if isinstance(said, Iterable) and not isinstance(said, str | bytes | Mapping):
        held = [_value(value) for value in said]
        return Condition(tuple(value for value in held if value is not None), missing=None in held)
    value = _value(said)
    return Condition(() if value is None else (value,), missing=value is None)


def _value(given: Any) -> Any:
    """One value; NumPy's as Python's, not-a-number as missing."""
    if hasattr(given, "item") and getattr(given, "ndim", 1) == 0:
        given = given.item()
    if isinstance(given, bytes | Mapping) or (isinstance(given, Iterable) and not isinstance(given, str)):
        raise TypeError("expected a value, a collection of values, shoal.between(low, high), or None for missing")
    return None if isinstance(given, float) and math.isnan(given) else given
