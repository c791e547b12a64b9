"""Conditions as the command takes them: ``age >= 30``, ``job in clerk, cook``, ``ward is missing``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.errors import DataError
from shoal.measure.queries.question import GAP, KNOWN, NAME, Between, Condition, Inclusive, name
from shoal.release.notation import members

__all__ = ["FORMS", "conditions"]

FORMS = "COLUMN = VALUE, COLUMN >= VALUE (also >, <=, <), COLUMN in A, B, C, COLUMN is missing, COLUMN is known"

_COMPARED = re.compile(rf"{GAP}*{NAME}{GAP}*(>=|<=|=|>|<){GAP}*(.*?){GAP}*", re.DOTALL)
_AMONG = re.compile(rf"{GAP}*{NAME}{GAP}+in{GAP}+(.+?){GAP}*", re.DOTALL)
_STATE = re.compile(rf"{GAP}*{NAME}{GAP}+is{GAP}+(missing|known){GAP}*", re.DOTALL)


def conditions(written: Sequence[str]) -> dict[str, tuple[Condition, ...]]:
    """The conditions of all these texts, which must all hold, by column."""
    found: dict[str, tuple[Condition, ...]] = {}
    wrong = 0
    for text in written:
        read = _read(text)
        if read is None:
            wrong += 1
        else:
            column, condition = read
            found[column] = (*found.get(column, ()), condition)
    if wrong:
        raise DataError(
            f"{wrong} of {len(written)} condition(s) cannot be read: expected {FORMS}; names and values with signs of "
            "this notation in them stand in double quotes"
        )
    return found


def _read(text: str) -> tuple[str, Condition] | None:
    """A column, and what is asked of it; the sign that stands first decides."""
    matches = [found for pattern in (_COMPARED, _AMONG, _STATE) if (found := pattern.fullmatch(text))]
    if not matches:
        return None
    found = min(matches, key=lambda match: match.end(1))
    column = name(found[1])
    if found.re is _STATE:
        return column, Condition((), missing=True) if found[2] == "missing" else KNOWN
    if found.re is _AMONG:
        return _among(column, found[2])
    if found[2] == "=":
        return _among(column, found[3], most=1)
    held = _values(found[3])
    if held is None or len(held) != 1 or None in held:
        return None
    inclusive: Inclusive = "both" if found[2].endswith("=") else "neither"
    range_ = Between(held[0], None, inclusive) if found[2].startswith(">") else Between(None, held[0], inclusive)
    return column, Condition(None, range_)


def _among(column: str, written: str, most: int | None = None) -> tuple[str, Condition] | None:
    held = _values(written)
    if held is None or (most is not None and len(held) > most):
        return None
    return column, Condition(tuple(value for value in held if value is not None), missing=None in held)


def _values(written: str) -> list[str | None] | None:
    """Values as a set is published: with commas between them, ``null`` for missing, in quotes where they need it."""
    found = members("{" + written + "}")
    return None if found is None else sorted(found, key=lambda value: (value is None, value))
