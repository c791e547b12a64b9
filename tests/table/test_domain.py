"""Codes say exactly what the column said, in the order of the values; against the same in plain Python."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.schema.columns import Column, Numeric
from shoal.schema.hierarchy import Hierarchy
from shoal.table.distinct import smallest
from shoal.table.domain import Domain, encode, is_ordered
from shoal.table.plain import plain
from shoal.table.texts import texts

moment = dt.datetime.fromisoformat
WHOLE = [(pa.int8(), 8, True), (pa.uint8(), 8, False), (pa.int16(), 16, True), (pa.uint16(), 16, False)]
WHOLE += [(pa.int32(), 32, True), (pa.uint32(), 32, False), (pa.int64(), 64, True), (pa.uint64(), 64, False)]


def _whole(bits: int, signed: bool) -> st.SearchStrategy[int]:
    """Whole numbers of a type: near each other, and at its ends."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    near = st.integers(max(low, -3), 3)
    ends = st.sampled_from([low, low + 1, high - 1, high])
    return near | ends | st.integers(low, high)


KINDS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    **{str(kind): (kind, _whole(bits, signed)) for kind, bits, signed in WHOLE},
    "float": (
        pa.float64(),
        st.sampled_from([0.0, -0.0, 1.5, 1e300, -1e300]) | st.floats(allow_nan=False, allow_infinity=False),
    ),
    "float32": (pa.float32(), st.floats(width=32, allow_nan=False, allow_infinity=False)),
    "half": (pa.float16(), st.floats(width=16, allow_nan=False, allow_infinity=False).map(np.float16)),
    "decimal": (pa.decimal128(9, 2), st.decimals(-1000, 1000, places=2)),
    "narrow decimal": (pa.decimal32(9, 2), st.decimals(-1000, 1000, places=2)),
    "text": (pa.string(), st.text(alphabet="aäZ \u20ac\U0001f600", max_size=3)),
    "large text": (pa.large_string(), st.text(max_size=2)),
    "text view": (pa.string_view(), st.text(max_size=2)),
    "truth": (pa.bool_(), st.booleans()),
    "date": (pa.date32(), st.dates()),
    "moment": (pa.timestamp("us"), st.datetimes()),
    "zoned": (
        pa.timestamp("us", "Europe/Berlin"),
        st.datetimes(timezones=st.just(dt.UTC), max_value=moment("9000-01-01")),
    ),
    "time": (pa.time64("us"), st.times()),
    "duration": (pa.duration("us"), st.timedeltas(dt.timedelta(-9), dt.timedelta(9))),
}


@st.composite
def columns(draw: st.DrawFn) -> tuple[str, pa.ChunkedArray]:
    """A column of some type, in chunks, now and then as dictionaries with unused, repeated and missing values."""
    name = draw(st.sampled_from(sorted(KINDS)))
    kind, values = KINDS[name]
    pool = draw(st.lists(values, min_size=1, max_size=6))
    chunks = draw(st.lists(st.lists(st.none() | st.sampled_from(pool), max_size=8), max_size=3))
    if not draw(st.booleans()) or pa.types.is_string_view(kind) or pa.types.is_decimal32(kind):
        return name, pa.chunked_array([pa.array(chunk, kind) for chunk in chunks], kind)
    index = draw(st.sampled_from([pa.int8(), pa.uint16(), pa.int32(), pa.int64()]))
    made = []
    for chunk in chunks:
        held = draw(st.permutations([*pool, None, pool[0]]))
        places = {value: [at for at, other in enumerate(held) if other == value] for value in {*chunk, None}}
        at = [
            None if value is None and draw(st.booleans()) else draw(st.sampled_from(places[value])) for value in chunk
        ]
        made.append(pa.DictionaryArray.from_arrays(pa.array(at, index), pa.array(held, kind)))
    return name, pa.chunked_array(made, pa.dictionary(index, kind))


def spelled(column: pa.ChunkedArray) -> list[Any]:
    """The values as Python has them."""
    if pa.types.is_dictionary(column.type):
        values = [chunk.dictionary.take(chunk.indices).to_pylist() for chunk in column.chunks]
        return [value for chunk in values for value in chunk]
    return list(column.to_pylist())


def back(codes: np.ndarray[Any, Any], domain: Domain) -> list[Any]:
    values = [*domain.values.to_pylist(), *([None] if domain.missing else [])]
    return [values[code] for code in codes.tolist()]


@given(columns())
def test_codes_say_what_the_column_said(drawn: tuple[str, pa.ChunkedArray]) -> None:
    name, column = drawn
    said = spelled(column)
    codes, domain = encode(plain(column, ()), Column("x", "insensitive"), tree=None)
    assert back(codes, domain) == said
    assert domain.values.to_pylist() == sorted({value for value in said if value is not None})
    assert domain.missing == (None in said)
    assert len(domain) == len(set(said))
    assert domain.kind == ("category" if "text" in name or name == "truth" else "number")


@given(columns())
def test_positions_keep_the_order(drawn: tuple[str, pa.ChunkedArray]) -> None:
    _, domain = encode(plain(drawn[1], ()), Column("x", "insensitive"), tree=None)
    place = domain.position()
    known = place[: domain.known]
    assert len(place) == len(domain)
    assert ((known >= 0) & (known <= 1)).all()
    assert (np.diff(known) >= 0).all()
    assert (place[domain.known :] > 1).all()
    if domain.known > 1:
        assert known[0] == 0


@given(st.lists(_whole(64, True), min_size=2, unique=True))
def test_positions_are_in_proportion(values: list[int]) -> None:
    _, domain = encode(pa.chunked_array([pa.array(values)]), Column("x", "insensitive"), tree=None)
    low, high = min(values), max(values)
    assert domain.position().tolist() == pytest.approx([(value - low) / (high - low) for value in sorted(values)])


def test_positions_of_values_very_far_apart() -> None:
    _, domain = encode(pa.chunked_array([[0.0, 1.7e308, -1.7e308]]), Column("x", "quasi-identifying"), tree=None)
    assert domain.position().tolist() == [0.0, 0.5, 1.0]


def test_close_values_far_from_zero_are_told_apart() -> None:
    values = [(1 << 63) - 1, (1 << 63) - 3, (1 << 63) - 2]
    _, domain = encode(pa.chunked_array([pa.array(values)]), Column("x", "quasi-identifying"), tree=None)
    assert domain.position().tolist() == [0.0, 0.5, 1.0]
    _, domain = encode(pa.chunked_array([pa.array(values, pa.timestamp("ns"))]), Column("x", "sensitive"), tree=None)
    assert domain.position().tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    "values",
    [
        [-128, 127, None],
        [(1 << 64) - 1, (1 << 64) - 2],
        [1 << 63, (1 << 63) + 5],
        [-(1 << 63), -(1 << 63) + 9],
        [0, (1 << 64) - 1],
    ],
    ids=str,
)
def test_the_ends_of_whole_numbers(values: list[int | None]) -> None:
    for kind, bits, signed in WHOLE:
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        if any(value is not None and not low <= value <= high for value in values):
            continue
        column = pa.chunked_array([pa.array(values, kind), pa.array(values[:1], kind)])
        codes, domain = encode(column, Column("x", "quasi-identifying"), tree=None)
        assert back(codes, domain) == [*values, values[0]]
        assert domain.values.type == kind


@pytest.mark.parametrize("count", [0, 1, 2, 126, 127, 128, 255, 256, 257, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("gap", [False, True])
@pytest.mark.parametrize("kind", [pa.int64(), pa.string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_the_ends_of_code_types(count: int, gap: bool, kind: pa.DataType) -> None:
    values: list[Any] = [*range(count), *([None] if gap else [])]
    text = [None if value is None else f"{value:06}" for value in values]
    column = pa.chunked_array([pa.array(values if kind == pa.int64() else text, kind)])
    codes, domain = encode(column, Column("x", "insensitive"), tree=None)
    assert back(codes, domain) == column.to_pylist()
    assert codes.dtype == smallest(count + 1)


def test_a_dictionary_that_repeats_a_value() -> None:
    column = pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "b", "a"]))])
    codes, domain = encode(column, Column("x", "insensitive"), tree=None)
    assert (back(codes, domain), len(domain)) == (["a", "b", "a"], 2)


def test_a_million_values() -> None:
    column = pa.chunked_array([pa.array(np.random.default_rng(1).permutation(1_000_000)).cast(pa.string())])
    codes, domain = encode(column, Column("x", "sensitive"), tree=None)
    assert len(domain) == 1_000_000
    assert domain.values.take(pa.array(codes)).equals(column.combine_chunks())


# -- hierarchies ------------------------------------------------------------------------------------------------

TREES = Hierarchy.from_nested({"high": ["17", "3.5", "x"], "low": {"two": ["2020-01-31", "true"], "a": ["false", "a"]}})


@pytest.mark.parametrize(
    "values",
    [
        ["x", "a", None, "17"],
        [17],
        [17.0, 3.5, None],
        [Decimal("3.5")],
        [True, False, None],
        [dt.date(2020, 1, 31)],
        [],
        [None],
    ],
    ids=str,
)
def test_domains_follow_the_leaves(values: list[Any]) -> None:
    kind = pa.string() if set(values) <= {None} else None
    codes, domain = encode(pa.chunked_array([pa.array(values, kind)]), Column("x", "sensitive"), tree=TREES)
    assert domain.kind == "category"
    assert domain.tree is not None
    assert list(domain.tree.leaves) == texts(domain.values).to_pylist()
    assert list(domain.tree.leaves) == [leaf for leaf in TREES.leaves if leaf in domain.tree.leaves]
    assert back(codes, domain) == values


def test_values_that_the_hierarchy_lacks_are_counted_and_not_told() -> None:
    column = pa.chunked_array([pa.array(["a", "secret one", "secret two", "secret one", None])])
    with pytest.raises(DataError, match=r"^2 value\(s\) of the column job are missing") as caught:
        encode(column, Column("job", "sensitive"), tree=TREES)
    assert "secret" not in caught.value.message
    assert sorted(caught.value.details["values"]) == ["secret one", "secret two"]


# -- numbers with ends ------------------------------------------------------------------------------------------


@given(
    st.sampled_from([pa.int8(), pa.uint16(), pa.int64(), pa.float64(), pa.decimal128(9, 2)]),
    st.lists(st.none() | st.integers(0, 100), max_size=20),
    st.none() | st.integers(-20, 60),
    st.none() | st.integers(61, 300),
)
def test_values_beyond_an_end_are_the_end(
    kind: pa.DataType, values: list[int | None], bottom: int | None, top: int | None
) -> None:
    column = pa.chunked_array([pa.array(values, kind)])
    codes, domain = encode(column, Column("x", "quasi-identifying", Numeric(bottom, top)), tree=None)
    low, high = -math.inf if bottom is None else bottom, math.inf if top is None else top
    expected = [None if value is None else min(max(value, low), high) for value in values]
    assert back(codes, domain) == expected
    assert domain.values.to_pylist() == sorted({value for value in expected if value is not None})
    assert domain.values.type == kind


def encoded(values: list[Any], how: Numeric, kind: pa.DataType | None = None) -> Domain:
    column = pa.chunked_array([pa.array(values, kind)])
    return encode(column, Column("age", "quasi-identifying", how), tree=None)[1]


def test_ends_that_cannot_be_values() -> None:
    assert encoded([1, 9], Numeric(top=8.0)).values.to_pylist() == [1, 8]
    assert encoded([Decimal("1.25"), Decimal("9.00")], Numeric(top=8.5)).values.to_pylist() == [
        Decimal("1.25"),
        Decimal("8.50"),
    ]
    with pytest.raises(DataError, match="the top of age cannot be a value"):
        encoded([1, 9], Numeric(top=8.5))
    with pytest.raises(DataError, match="the bottom of age cannot be a value"):
        encoded([1, 9], Numeric(bottom=1000), pa.int8())


@pytest.mark.parametrize(
    ("values", "how"),
    [
        (["a"], Numeric()),
        (["a"], Numeric(top=5)),
        ([True], Numeric()),
        ([dt.date(2020, 1, 1)], Numeric(top=5)),
        ([dt.date(2020, 1, 1)], Numeric(step=5)),
    ],
    ids=str,
)
def test_ends_of_what_is_no_number(values: list[Any], how: Numeric) -> None:
    with pytest.raises(DataError, match=r"the plan says .* of the column age, which holds .*, not numbers"):
        encoded(values, how)


def test_dates_are_ranges_without_ends() -> None:
    assert encoded([dt.date(2020, 1, 1)], Numeric()).kind == "number"


def test_infinite_numbers_are_no_end_of_a_range() -> None:
    with pytest.raises(DataError, match="age holds infinite numbers"):
        encoded([1.0, math.inf], Numeric())
    with pytest.raises(DataError, match="age holds infinite numbers"):
        encoded([1.0, -math.inf], Numeric(top=5))
    assert encoded([1.0, math.inf, -math.inf], Numeric(bottom=0, top=5)).values.to_pylist() == [0.0, 1.0, 5.0]
    codes, domain = encode(pa.chunked_array([[math.inf, 1.0]]), Column("x", "sensitive"), tree=None)
    assert back(codes, domain) == [math.inf, 1.0]


# -- what is no value -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        pa.array([b"x"]),
        pa.array([b"x"], pa.large_binary()),
        pa.array([b"x"], pa.binary_view()),
        pa.array([b"x" * 16], pa.uuid()),
        pa.array([[1]]),
        pa.array([{"a": 1}]),
        pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
        pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
        pa.array([b"x"]).dictionary_encode(),
    ],
    ids=lambda values: str(values.type)[:12],
)
def test_what_holds_no_single_values_is_refused_by_name(values: pa.Array) -> None:
    column = plain(pa.chunked_array([values]), ("",))
    with pytest.raises(DataError, match="the column scan holds"):
        encode(column, Column("scan", "quasi-identifying"), tree=None)
    assert not is_ordered(column.type)


def test_reprs_hold_no_values(tmp_path: Path) -> None:
    codes, domain = encode(pa.chunked_array([["secret"]]), Column("x", "sensitive"), tree=None)
    assert repr(domain) == "<Domain: x, 1 known values>"
    assert len(codes) == 1
