"""What a published cell says, read again in plain Python: the contract's own understanding, slow and obvious.

Nothing here is shared with the judges of :mod:`shoal.verify`, nor with the room that publishes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from shoal.release.manifest import PublishedColumn
from shoal.schema.hierarchy import Hierarchy

#: Means are published with a few decimals.
_ROUNDING = 1e-6

__all__ = ["Original", "covers"]


@dataclass(frozen=True)
class Original:
    """A value of the original, None if it is missing, and how it is written as text."""

    value: Any
    text: str | None


def covers(
    column: PublishedColumn, row: Mapping[str, Any], original: Original, paths: Mapping[str, Sequence[str]] | None
) -> bool:
    """Whether a published row may stand for this original; a centre may stand for any.

    ``paths`` says of a column with a hierarchy what stands at and above each leaf.
    """
    cells = [row[name] for name in column.columns]
    match column.shown:
        case "value":
            return same(cells[0], clamped(column, original.value))
        case "bounds":
            return _in_bounds(column, cells, original)
        case "interval":
            return _in_interval(column, cells[0], original)
        case "node":
            assert paths is not None, f"{column.name} is shown by a hierarchy that the plan does not have"
            return _under_node(cells[0], original, paths)
        case "set":
            return _in_set(cells[0], original)
        case "centre":
            return True  # of its class it says something: see is_centre
        case _:
            raise AssertionError(f"{column.name} is none of the original's columns")


def is_centre(column: PublishedColumn, row: Mapping[str, Any], members: Sequence[Original]) -> bool:
    """Whether a published centre is one of its class: between the extremes but for a step, or the commonest value."""
    cell, *rest = (row[name] for name in column.columns)
    gaps = sum(original.value is None for original in members)
    if rest:
        assert rest == ["all" if gaps == len(members) else "some" if gaps else "none"], "the class has other gaps"
    known = [clamped(column, original.value) for original in members if original.value is not None]
    if not known or (cell is None and rest):
        return cell is None and not known
    if isinstance(known[0], str | bool) or isinstance(cell, str) or cell is None:
        held = Counter(original.text for original in members)
        return held[cell] == max(held.values())
    if isinstance(known[0], int | float | Decimal):
        rounding = column.step or _ROUNDING * max(1.0, abs(float(cell)))
        return bool(float(min(known)) - rounding <= float(cell) <= float(max(known)) + rounding)
    return bool(min(known) <= cell <= max(known))


def same(one: Any, other: Any) -> bool:
    """Equal values, a missing one being equal to a missing one only; 1 is not True."""
    if one is None or other is None:
        return one is other
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def clamped(column: PublishedColumn, value: Any) -> Any:
    """Values beyond bottom and top stand as these; missing as missing."""
    if value is None:
        return None
    if column.top is not None and value > column.top:
        return column.top
    if column.bottom is not None and value < column.bottom:
        return column.bottom
    return value


def _in_bounds(column: PublishedColumn, cells: Sequence[Any], original: Original) -> bool:
    low, high, *rest = cells
    state = rest[0] if rest else None
    assert state in ("none", "some", "all", None), "a cell says none, some or all"
    assert (low is None) == (high is None)
    assert low is None or low <= high
    if state is not None:
        assert (state == "all") == (low is None), "all are missing exactly where there are no bounds"
    if original.value is None:
        return state in ("some", "all") if state is not None else low is None
    return low is not None and low <= clamped(column, original.value) <= high


def _in_interval(column: PublishedColumn, cell: str | None, original: Original) -> bool:
    if cell is None:
        return original.value is None
    bare = cell.removesuffix(" or missing")
    if original.value is None:
        return bare != cell
    value = clamped(column, original.value)
    if not bare.startswith("["):
        end = _end(bare, value)
        return bool(end == value)
    assert bare.endswith("]")
    low, high = bare[1:-1].split(", ")
    return bool(_end(low, value) <= value <= _end(high, value))


def _end(written: str, like: Any) -> Any:
    """One end of a range in text, in the type of a value to compare it with."""
    match like:
        case datetime():
            return datetime.fromisoformat(written)
        case date():
            return date.fromisoformat(written)
        case time():
            return time.fromisoformat(written)
        case timedelta():
            return timedelta(seconds=int(written))
        case Decimal():
            return Decimal(written)
        case int():
            return Decimal(written)
    return float(written)


def _under_node(cell: str | None, original: Original, paths: Mapping[str, Sequence[str]]) -> bool:
    if cell is None:
        return original.text is None
    if original.text is None:
        return cell == next(iter(paths.values()))[-1]
    return cell in paths[original.text]


def paths_of(tree: Hierarchy) -> dict[str, list[str]]:
    """For each leaf the labels from itself up to the root."""
    return {path[0]: path for path in tree.rows()}


def _in_set(cell: str | None, original: Original) -> bool:
    if cell is None:
        return original.text is None
    if cell.startswith("{"):
        assert cell.endswith("}"), "a cell that begins like a set is one"
        return original.text in _members(cell[1:-1])
    return cell == original.text


def _members(inside: str) -> list[str | None]:
    """The members of a set: JSON strings, bare texts, and a bare null for missing."""
    found: list[str | None] = []
    rest = inside
    while True:
        if rest.startswith('"'):
            member, end = json.JSONDecoder(strict=False).raw_decode(rest)
        else:
            end = rest.index(", ") if ", " in rest else len(rest)
            member = rest[:end]
            assert not any(sign in member for sign in ',{}"'), "a bare member has no sign of a set in it"
            member = None if member == "null" else member
        found.append(member)
        rest = rest[end:]
        if not rest:
            return found
        assert rest.startswith(", ")
        rest = rest[2:]
