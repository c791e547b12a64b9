"""Published cells read back: every notation that is in use, and nothing that has no meaning."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.release.cells import Cells, as_set, distinct, ordinals, read, texts
from shoal.release.manifest import PublishedColumn, Shown
from shoal.release.notation import members, ranges
from shoal.schema.hierarchy import Hierarchy

INF = float("inf")
BELOW_30, ABOVE_20 = np.nextafter(30, 0), np.nextafter(20, 99)
TREE = Hierarchy.from_nested({"Public": ["Federal", "State"], "Private": None, "Other": ["Other", "None"]})
ALL = frozenset({"Federal", "State", "Private", "Other", "None"})


def cells(values: Any, shown: Shown, **how: Any) -> Cells:
    table = pa.table({"x": values})
    return read(table, PublishedColumn("x", "quasi-identifying", shown, ("x",), **how), TREE)


def bounds(low: Any, high: Any, missing: Any = None, **how: Any) -> Cells:
    columns = {"x_min": low, "x_max": high} | ({} if missing is None else {"x_missing": missing})
    column = PublishedColumn("x", "quasi-identifying", "bounds", tuple(columns), **how)
    return read(pa.table(columns), column, None)


def spans(found: Cells) -> list[tuple[float, float, bool]]:
    """Row by row."""
    assert found.low is not None
    assert found.high is not None
    low, high, missing = (part[found.code].tolist() for part in (found.low, found.high, found.missing))
    return list(zip(low, high, missing, strict=True))


def covered(found: Cells) -> list[tuple[frozenset[str] | None, bool]]:
    assert found.values is not None
    return [(found.values[code], bool(found.missing[code])) for code in found.code.tolist()]


@pytest.mark.parametrize(
    ("cell", "low", "high"),
    [
        ("[20, 32]", 20, 32),
        ("20", 20, 20),
        ("-1.5e-3", -0.0015, -0.0015),
        ("5e-3", 0.005, 0.005),
        ("[20, 30[", 20, BELOW_30),
        ("]20, 30]", ABOVE_20, 30),
        ("]20, 30[", ABOVE_20, BELOW_30),
        ("[20, 30)", 20, BELOW_30),
        ("(20, 30]", ABOVE_20, 30),
        ("[20;30]", 20, 30),
        ("20-30", 20, 30),
        ("-5--1", -5, -1),
        ("-5-3", -5, 3),
        ("-5 - -1", -5, -1),
        ("1e1-2.5E1", 10, 25),
        ("[5 - 10]", 5, 10),
        ("[-5--1]", -5, -1),
        (">=90", 90, INF),
        ("≥ 90", 90, INF),
        ("> 20", ABOVE_20, INF),
        ("<= 20", -INF, 20),
        ("<30", -INF, BELOW_30),
        ("*", -INF, INF),
        ("[90, inf[", 90, INF),
        ("]-∞, 30[", -INF, BELOW_30),
        ("[, 5]", -INF, 5),
        ("[5, *]", 5, INF),
        ("2020-01-02", 18263, 18263),
        ("2020-01-01-2020-02-01", 18262, 18293),
        ("[2020-01-01, 2020-02-01]", 18262, 18293),
        ("[2020-01-01 06:00, 2020-01-01T12:00:00Z]", 18262.25, 18262.5),
        ("12:00-18:00:00", 0.5, 0.75),
    ],
)
def test_a_range_is_read_in_every_notation(cell: str, low: float, high: float) -> None:
    assert spans(cells([cell], "interval")) == [(low, high, cell == "*")]


@pytest.mark.parametrize(
    "cell", ["", "Zoe", "2020-01", "[5, 3]", "]2, 2]", "[2020-02-30, 2020-03-01]", "20 - ", "[20, 30", "1,5", "nan"]
)
def test_a_cell_without_meaning_is_counted_and_not_quoted(cell: str) -> None:
    with pytest.raises(DataError, match=r"column x has 1 different cell\(s\), in 2 row\(s\)") as caught:
        cells([cell, "[1, 2]", cell], "interval")
    assert caught.value.details == {"cells": [cell]}
    assert not cell or cell not in caught.value.message


def test_missing_values_among_a_range() -> None:
    found = spans(cells(["[20, 32] or missing", "20 or missing", None, "NULL"], "interval"))
    assert found[:2] == [(20, 32, True), (20, 20, True)]
    assert all(np.isnan(low) and np.isnan(high) and missing for low, high, missing in found[2:])


def test_an_end_at_a_top_or_bottom_code_is_open() -> None:
    found = spans(cells(["[17, 90]", "90", "17", "20"], "interval", bottom=17, top=90))
    assert found == [(-INF, INF, False), (90, INF, False), (-INF, 17, False), (20, 20, False)]
    assert spans(bounds([17, 20], [30, 90], bottom=17, top=90)) == [(-INF, 30, False), (20, INF, False)]
    assert spans(cells([17, 50], "value", bottom=17)) == [(-INF, 17, False), (50, 50, False)]


def test_bounds_say_what_is_missing() -> None:
    found = spans(bounds([1, 1, None, 1], [2, 2, None, 2], ["none", "some", "all", "none"]))
    assert [missing for _, _, missing in found] == [False, True, True, False]
    assert found[:2] == [(1, 2, False), (1, 2, True)]
    assert np.isnan(found[2][0])
    assert [missing for _, _, missing in spans(bounds([1.5, None], [2.5, None]))] == [False, True]


@pytest.mark.parametrize(
    ("low", "high", "missing"),
    [([2], [1], None), ([1], [2], ["all"]), ([None], [None], ["none"]), ([None], [None], ["some"])],
)
def test_bounds_that_contradict_each_other(low: Any, high: Any, missing: Any) -> None:
    ends = pa.array([*low, 5], pa.int64()), pa.array([*high, 5], pa.int64())
    with pytest.raises(DataError, match="1 row"):
        bounds(*ends, None if missing is None else [*missing, "none"])


def test_bounds_of_dates_and_of_small_and_large_numbers() -> None:
    day = dt.date(2020, 1, 1)
    assert spans(bounds(pa.array([day]), pa.array([day + dt.timedelta(3)]))) == [(18262, 18265, False)]
    assert spans(bounds(pa.array([-100, 100], pa.int8()), pa.array([100, 100], pa.int8()))) == [
        (-100, 100, False),
        (100, 100, False),
    ]
    assert spans(bounds([-(2**60)], [2**60])) == [(-(2.0**60), 2.0**60, False)]


def test_a_label_covers_the_leaves_below_every_node_that_has_it() -> None:
    found = covered(cells(["Public", "State", "*", None, "Other", "{State, Private}", "{State, null}"], "node"))
    assert found == [
        (frozenset({"Federal", "State"}), False),
        (frozenset({"State"}), False),
        (ALL, True),
        (frozenset(), True),
        (frozenset({"Other", "None"}), False),
        (frozenset({"State", "Private"}), False),
        (frozenset({"State"}), True),
    ]


def test_a_label_that_the_hierarchy_does_not_have() -> None:
    with pytest.raises(DataError, match="cannot be read"):
        cells(["Public", "Martian"], "node")
    with pytest.raises(DataError, match="give a plan"):
        read(pa.table({"x": ["a"]}), PublishedColumn("x", "quasi-identifying", "node", ("x",)), None)


def test_sets_in_every_notation() -> None:
    found = covered(cells(["a", "{a, b}", '{"a, b", null}', "a,b", "*", None, '{"null"}', "NULL"], "set"))
    assert found == [
        (frozenset("a"), False),
        (frozenset("ab"), False),
        (frozenset({"a, b"}), True),
        (frozenset({"a,b", "a", "b"}), False),
        (None, True),
        (frozenset(), True),
        (frozenset({"null"}), False),
        (frozenset({"NULL"}), True),
    ]


@pytest.mark.parametrize("cell", ["{", "{a", "{}", "{a,}", "{a}}", '{"a}', '{a "b"}'])
def test_a_set_without_meaning(cell: str) -> None:
    assert members(cell) is None


VALUES = st.one_of(
    st.text(max_size=6),
    st.text(alphabet='ab,{}"\\ \n\u00a0*', max_size=5),
    st.sampled_from(["null", "*", "NULL", "", " ", "a or missing", "\u00e9", "{", '"']),
)


@given(st.lists(st.none() | VALUES, min_size=1, max_size=5))
def test_a_set_is_read_as_it_was_written(values: Sequence[str | None]) -> None:
    (found,) = covered(cells(pa.array([as_set(values)], pa.string()), "set"))
    assert found == (frozenset(value for value in values if value is not None), None in values)


ENDS = st.integers(-999, 999) | st.floats(-1e9, 1e9, width=32).map(float)


@given(ENDS, ENDS, st.sampled_from(["[{}, {}]", "{}-{}", "{} - {}", "[{} - {}]", "[{};{}]", "[{}, {}] or missing"]))
def test_ranges_of_any_numbers(one: float, other: float, shape: str) -> None:
    low, high = sorted((one, other))
    found = ranges(pa.array([shape.format(low, high)]))
    assert found.readable.all()
    assert (found.low[0], found.high[0]) == (low, high)
    assert found.missing[0] == shape.endswith("missing")


#: Nanoseconds since 1970-01-01, as far as they reach.
MOMENTS = st.integers(-(2**62), 2**62)


@given(MOMENTS, MOMENTS, st.sampled_from(["s", "ms", "us", "ns"]))
def test_moments_mean_the_same_in_text_and_in_columns(one: int, other: int, unit: str) -> None:
    typed = pa.array(sorted((one, other)), pa.timestamp("ns")).cast(pa.timestamp(unit), safe=False)
    low, high = texts(typed).to_pylist()
    assert spans(cells([f"[{low}, {high}]"], "interval"))[0][:2] == tuple(ordinals(typed).tolist())


def test_values_as_text() -> None:
    def written(*values: Any, kind: Any = None) -> list[str | None]:
        found: list[str | None] = texts(pa.array(values, kind)).to_pylist()
        return found

    assert written(34, None) == ["34", None]
    assert written(34.0, 0.1, -0.0, float("nan")) == ["34", "0.1", "0", None]
    assert written(0.1, kind=pa.float32()) == ["0.1"]
    assert written(True, False) == ["true", "false"]
    assert written(dt.date(2020, 1, 2)) == ["2020-01-02"]
    assert written(Decimal("1.50")) == ["1.50"]
    assert written("a", "b", "a", kind=pa.dictionary(pa.int8(), pa.large_string())) == ["a", "b", "a"]


@given(st.lists(st.lists(st.sampled_from(["a", "b", None]), max_size=4), max_size=3))
def test_a_column_as_numbers_of_its_values(chunks: list[list[str | None]]) -> None:
    """Each chunk with a dictionary of its own, in which values repeat, are missing, or are never used."""
    held = pa.array(["b", None, "unused", "a", "b"])
    where = {"a": 3, "b": 4, None: 1}
    parts = [
        pa.DictionaryArray.from_arrays(pa.array([where[v] for v in chunk], pa.int8()), held.slice(0))
        for chunk in chunks
    ]
    column = pa.chunked_array(parts, pa.dictionary(pa.int8(), pa.string()))
    code, values = distinct(column, "x")
    flat = [value for chunk in chunks for value in chunk]
    assert values.take(pa.array(code)).to_pylist() == flat
    assert sorted(map(str, values.to_pylist())) == sorted(map(str, set(flat)))


def test_a_column_of_lists_is_refused() -> None:
    with pytest.raises(DataError, match="column x holds list"):
        distinct(pa.chunked_array([[[1], [2]]]), "x")


def test_a_published_column_that_is_not_there() -> None:
    with pytest.raises(DataError, match="no column y"):
        read(pa.table({"x": [1]}), PublishedColumn("x", "quasi-identifying", "value", ("y",)), None)
