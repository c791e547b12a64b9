"""How a range or a set of values is written in one cell of text: by Shoal, and by others.

Ranges are read in every notation that is in use: ``[20, 32]`` and ``[20, 32] or missing`` (Shoal),
``[20, 30[`` (ARX), ``[20, 30)`` (ANJANA), ``20-30`` (AnonyPy), ``[5 - 10]`` (Spark), ``>=90`` and ``<20``,
single values; ends are numbers, dates or times. Sets are ``{a, b}`` or, by AnonyPy, ``a,b``, ``[a,b]``. Reading never
fails: what has no meaning is marked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

#: "Any value", as ARX and most others write a suppressed cell.
ANY = "*"
#: "No value", as ARX writes it.
NULL = "NULL"
#: An unquoted member of a set that stands for a missing value, as in JSON.
_NULL_MEMBER = "null"

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_CLOCK = r"\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
_MOMENT = rf"\d{{4}}-\d{{2}}-\d{{2}}(?:[ T]{_CLOCK}Z?)?"
_END = rf"(?:{_MOMENT}|{_CLOCK}|{_NUMBER})"
_OPEN_END = rf"(?:{_END}|[+-]?(?:inf|Inf|∞)|\*|)"

#: Every pattern has the same four groups; an empty bracket means that the end belongs to the range. The order
#: matters: a date is a single value before it is a subtraction of numbers.
_RANGES = (
    rf"^(?P<open>)(?P<low>{_END})(?P<high>)(?P<close>)$",
    rf"^(?P<open>[\[\](])\s*(?P<low>{_OPEN_END})\s*[,;]\s*(?P<high>{_OPEN_END})\s*(?P<close>[\[\])])$",
    rf"^(?P<open>[\[\](])\s*(?P<low>{_END})\s*-\s*(?P<high>{_END})\s*(?P<close>[\[\])])$",
    rf"^(?P<open>)(?P<low>{_END})\s*-\s*(?P<high>{_END})(?P<close>)$",
    rf"^(?:>=|≥)\s*(?P<open>)(?P<low>{_END})(?P<high>)(?P<close>)$",
    rf"^(?P<open>>)\s*(?P<low>{_END})(?P<high>)(?P<close>)$",
    rf"^(?:<=|≤)\s*(?P<open>)(?P<low>)(?P<high>{_END})(?P<close>)$",
    rf"^(?P<close><)\s*(?P<open>)(?P<low>)(?P<high>{_END})$",
)
_SINGLE = 0  # the pattern whose one end is both


@dataclass(frozen=True, eq=False)
class Ranges:
    """Texts read as ranges: inclusive ends, NaN where only missing values are meant; which could be read."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    missing: NDArray[np.bool_]
    readable: NDArray[np.bool_]


def ranges(written: pa.Array) -> Ranges:
    """The ranges that these texts stand for, on the scale of :func:`shoal.release.cells.ordinals`."""
    trimmed = pc.utf8_trim_whitespace(written)
    bare = pc.replace_substring_regex(trimmed, r"\s+or missing$", "")
    low, high = np.full(len(written), np.nan), np.full(len(written), np.nan)
    whole, nothing = _flags(pc.equal(bare, ANY)), _flags(pc.equal(bare, NULL), of_null=True)
    low[whole], high[whole] = -np.inf, np.inf
    readable = whole | nothing
    for which, pattern in enumerate(_RANGES):
        found = pc.extract_regex(bare, pattern)
        fits = np.flatnonzero(_flags(found.is_valid()) & ~readable)
        low[fits], high[fits] = _inclusive(found.take(pa.array(fits)), single=which == _SINGLE)
        readable[fits] = low[fits] <= high[fits]  # not NaN, and not the wrong way round
    either = _flags(pc.not_equal(bare, trimmed))
    return Ranges(low, high, nothing | whole | either, readable)


def _flags(mask: pa.Array, *, of_null: bool = False) -> NDArray[np.bool_]:
    return np.asarray(mask.fill_null(of_null).to_numpy(zero_copy_only=False), dtype=np.bool_)


def _inclusive(found: pa.StructArray, *, single: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of matched ranges; one that is excluded moves to the next number inside."""
    low = _ends(found.field("low"), -np.inf)
    high = low.copy() if single else _ends(found.field("high"), np.inf)
    above = _flags(pc.is_in(found.field("open"), pa.array(["]", "(", ">"]))) & np.isfinite(low)
    below = _flags(pc.is_in(found.field("close"), pa.array(["[", ")", "<"]))) & np.isfinite(high)
    low[above] = np.nextafter(low[above], np.inf)
    high[below] = np.nextafter(high[below], -np.inf)
    return low, high


def _ends(written: pa.Array, unbounded: float) -> NDArray[np.float64]:
    """Numbers and dates as numbers; NaN for a date that is not in the calendar."""
    ends = np.full(len(written), unbounded)
    moments = np.flatnonzero(_flags(pc.match_substring_regex(written, rf"^{_MOMENT}$")))
    hours = np.flatnonzero(_flags(pc.match_substring_regex(written, rf"^{_CLOCK}$")))
    numbers = np.flatnonzero(_flags(pc.match_substring_regex(written, rf"^{_NUMBER}$")))
    ends[moments] = _days(written.take(pa.array(moments)))
    ends[hours] = _days(pc.binary_join_element_wise("1970-01-01", written.take(pa.array(hours)), " "))
    ends[numbers] = written.take(pa.array(numbers)).cast(pa.float64()).to_numpy(zero_copy_only=False)
    ends[_flags(pc.match_substring_regex(written, r"^\+?(?:inf|Inf|∞)$"))] = np.inf
    ends[_flags(pc.match_substring_regex(written, r"^-(?:inf|Inf|∞)$"))] = -np.inf
    return ends


def _days(written: pa.Array) -> NDArray[np.float64]:
    """ISO 8601 dates and times as days since 1970-01-01, divided as values of their unit are."""
    plain = pc.replace_substring_regex(written, r"(\.\d{9})\d*|Z$", r"\1")
    nano = pc.any(pc.match_substring_regex(plain, r"\.\d{7}")).as_py()
    unit, a_day = ("ns", 86_400e9) if nano else ("us", 86_400e6)
    try:
        moments = plain.cast(pa.timestamp(unit)).cast(pa.int64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:  # at least one is not in the calendar: look at each
        return np.array([_day(text) for text in plain.to_pylist()])
    return np.asarray(moments.astype(np.float64) / a_day)


def _day(written: str) -> float:
    try:
        since = datetime.fromisoformat(written).replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    except ValueError:
        return np.nan
    return ((since.days * 86_400 + since.seconds) * 10**6 + since.microseconds) / 86_400e6


# -- sets ---------------------------------------------------------------------------------------------------

_BLANKS = " \t\r\n\f\v"
_NEEDS_QUOTES = re.compile(rf'[,{{}}"]|^[{_BLANKS}]|[{_BLANKS}]\Z|^\Z|^{_NULL_MEMBER}\Z')
_MEMBER = re.compile(rf'[{_BLANKS}]*("(?:[^"\\]|\\.)*"|[^,{{}}"]*)[{_BLANKS}]*(,|\Z)', re.DOTALL)


def quoted(value: str | None) -> str:
    """A value as it stands in a set: a JSON string where it could be misread, ``null`` where missing."""
    if value is None:
        return _NULL_MEMBER
    return json.dumps(value, ensure_ascii=False) if _NEEDS_QUOTES.search(value) else value


def as_set(values: Iterable[str | None]) -> str | None:
    """A class's values in one cell: missing alone (None) as a missing cell, one plain value as it is."""
    held = list(dict.fromkeys(values))
    if held == [None] or not held:
        return None
    written = [quoted(value) for value in held]
    if written == held and len(held) == 1 and held[0] not in (ANY, NULL):
        return written[0]
    return "{" + ", ".join(written) + "}"


def members(cell: str) -> frozenset[str | None] | None:
    """The values that a cell of a set column covers, None among them for missing; None if it has no meaning.

    ``*`` is not a set: whoever asks knows what "any" means. A text with commas but no braces, or in brackets, is one
    value or, by AnonyPy, several: it may stand for either.
    """
    if cell.startswith("{"):
        return _in_braces(cell[1:-1]) if cell.endswith("}") else None
    if cell == NULL:  # as a value, or as ARX means it
        return frozenset({cell, None})
    bare = cell[1:-1] if cell.startswith("[") and cell.endswith("]") else cell
    return frozenset({cell, *(part.strip(_BLANKS) for part in bare.split(","))}) if bare else frozenset({cell})


def _in_braces(inside: str) -> frozenset[str | None] | None:
    found: set[str | None] = set()
    end, more = 0, True
    while more:
        match = _MEMBER.match(inside, end)
        if match is None:
            return None
        member, separator = match.groups()
        end, more = match.end(), separator == ","
        if member.startswith('"'):
            found.add(_unquoted(member))
        else:
            bare = member.strip(_BLANKS)
            if not bare:
                return None
            found.add(None if bare == _NULL_MEMBER else bare)
    return frozenset(found)


def _unquoted(member: str) -> str:
    try:
        return str(json.loads(member, strict=False))
    except ValueError:  # foreign quotes: the text between them
        return member[1:-1]
