"""The values that columns are made of: ordinary ones, and those that have broken programs before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

__all__ = ["KINDS", "ODD_TEXTS", "UNUSUAL_KINDS", "Kind"]

#: Texts that look like something else: nothing, anything, a set, a range, a number, markup of a table.
ODD_TEXTS = (
    "",
    "*",
    "null",
    "NULL",
    "NA",
    "NaN",
    "None",
    "{a, b}",
    "{",
    "}",
    "a,b",
    "a;b",
    " x ",
    "x",
    '"',
    '"x"',
    "\\",
    "'",
    "[1, 2]",
    "[20, 30[",
    "20-30",
    "-1",
    "007",
    "1e5",
    ">=90",
    "2020-01-01",
    "true",
    "x or missing",
    "two\nlines",
    "carriage\rreturn",
    "tab\t",
    "\x00",
    "\ufeffmark",
    "ä",
    "a\u0308",
    "ß",
    "日本",
    "🐟",
    "\u200b",
)

_LAST_EXACT = 2**53  # above it, not every whole number is a float


@dataclass(frozen=True)
class Kind:
    """A type that a column may have, and where its values come from."""

    name: str
    type: pa.DataType
    values: st.SearchStrategy[Any]


def _dates() -> st.SearchStrategy[date]:
    near = st.dates(date(1930, 1, 1), date(2024, 12, 31))
    return st.one_of(near, st.sampled_from([date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(9999, 12, 31)]))


def _moments(tick: timedelta = timedelta(microseconds=1)) -> st.SearchStrategy[datetime]:
    start = datetime(1950, 1, 1)  # noqa: DTZ001 - most tables have moments without a zone
    return st.integers(0, 2**21).map(lambda ticks: start + ticks * 1009 * tick)


def _decimals() -> st.SearchStrategy[Decimal]:
    return st.integers(-99_999, 99_999).map(lambda cents: Decimal(cents).scaleb(-2))


def _floats() -> st.SearchStrategy[float]:
    tame = st.integers(-40, 40).map(lambda quarters: quarters / 4)
    return st.one_of(tame, tame, st.sampled_from([math.nan, 0.1, -0.0, 1 / 3, 1e-300, 1e15]))


def _words(texts: Sequence[str]) -> st.SearchStrategy[str]:
    return st.sampled_from(list(texts))


KINDS: tuple[Kind, ...] = (
    Kind("small whole numbers", pa.int8(), st.integers(-5, 20)),
    Kind("whole numbers", pa.int64(), st.integers(0, 99)),
    Kind("large whole numbers", pa.int64(), st.integers(-_LAST_EXACT, _LAST_EXACT)),
    Kind("numbers", pa.float64(), _floats()),
    Kind("short numbers", pa.float32(), st.integers(-9, 9).map(lambda eighths: eighths / 8)),
    Kind("words", pa.string(), _words(["amber", "blue", "cyan", "dun", "ecru", "fawn", "grey"])),
    Kind("odd texts", pa.string(), st.one_of(_words(ODD_TEXTS), st.text(max_size=4))),
    Kind("long texts", pa.large_string(), _words(["one", "two", "three", "*", ""])),
    Kind("truth", pa.bool_(), st.booleans()),
    Kind("dates", pa.date32(), _dates()),
    Kind("moments", pa.timestamp("us"), _moments()),
    Kind("decimals", pa.decimal128(9, 2), _decimals()),
)

UNUSUAL_KINDS: tuple[Kind, ...] = (
    Kind("nothing", pa.null(), st.none()),
    Kind("extreme numbers", pa.float64(), st.sampled_from([math.inf, -math.inf, 1e308, -1e308, 5e-324, 0.0])),
    Kind("extreme whole numbers", pa.int64(), st.sampled_from([-(2**63), 2**63 - 1, _LAST_EXACT + 1, 0])),
    Kind("unsigned numbers", pa.uint64(), st.sampled_from([0, 1, 2**63, 2**64 - 1])),
    Kind("half numbers", pa.float16(), st.sampled_from([0.5, 1.0, -2.0])),
    Kind("text views", pa.string_view(), _words(["one", "two", "three"])),
    Kind("dates as moments", pa.date64(), _dates()),
    Kind(
        "moments with a zone",
        pa.timestamp("ms", "UTC"),
        _moments(timedelta(seconds=1)).map(lambda m: m.replace(tzinfo=UTC)),
    ),
    Kind("nanoseconds", pa.timestamp("ns"), _moments()),
    Kind(
        "times",
        pa.time32("s"),
        st.integers(0, 86_399).map(lambda s: (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=s)).time()),
    ),
    Kind("durations", pa.duration("s"), st.integers(0, 9).map(lambda days: timedelta(days=days))),
    Kind("long decimals", pa.decimal256(40, 3), _decimals()),
    Kind("bytes", pa.binary(), st.binary(max_size=2)),
    Kind("lists", pa.list_(pa.int64()), st.lists(st.integers(0, 3), max_size=2)),
    Kind("records", pa.struct([("a", pa.int64())]), st.fixed_dictionaries({"a": st.integers(0, 3)})),
)
