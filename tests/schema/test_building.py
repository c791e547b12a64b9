"""Built hierarchies against what anybody would say of a single value: does this label stand for it?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.release.cells import ordinals
from shoal.release.notation import ranges
from shoal.schema import arx
from shoal.schema.building import intervals, prefixes
from shoal.schema.hierarchy import Hierarchy

CODES = st.text("0127AE.é", min_size=1, max_size=6)
WHOLE = st.one_of(st.integers(-60, 60), st.integers(-(10**6), 10**6), st.integers(-(2**62), 2**62))
CENTS = st.integers(-(10**7), 10**7).map(lambda cents: cents / 100)
FRACTIONS = st.one_of(CENTS, st.floats(-1e6, 1e6), st.floats(0, 1))
DATES = st.one_of(st.dates(), st.dates(date(2019, 11, 1), date(2020, 3, 1)))
MOMENTS = st.datetimes(*map(datetime.fromisoformat, ("1200-01-01", "9999-12-31T23:59:59")))
WIDTHS = st.sampled_from([1, 2, 5, 7, 10, 25, 1000])


def same(one: Hierarchy, other: Hierarchy) -> bool:
    """Whether two hierarchies mean the same, the order of their leaves among it."""
    return one.labels == other.labels and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("parent", "height", "first", "last")
    )


def is_sound(tree: Hierarchy) -> None:
    """Every level lies within the next, no label stands for two things, and a file keeps the meaning."""
    assert same(Hierarchy.from_rows(tree.rows()), tree)
    leaves_of: dict[str, set[str]] = {}
    for row in tree.rows():
        assert len(row) == tree.height[0] + 1, "rows are of uneven length"
        for label in row[1:]:
            leaves_of.setdefault(label, set()).add(row[0])
    for label, leaves in leaves_of.items():
        assert tree.covers()[label] == leaves
    assert not [fault for fault in arx.lint(tree.rows()) if fault.level != "note" and fault.kind != "idle levels"]


# -- prefixes ---------------------------------------------------------------------------------------------------


def beginnings(code: str, longest: int, keep: int) -> list[str]:
    """The oracle: a level at a time, with plain slices."""
    levels = range(longest - 1, keep - 1, -1)
    return [code, *(code if len(code) < kept else code[:kept] + "*" * (longest - kept) for kept in levels), "*"]


@given(st.lists(CODES, min_size=1, max_size=30), st.one_of(st.none(), st.integers(1, 7)))
@example(["2", "21", "211", "2111", "22"], None)
@example(["211", "22"], None)
def test_prefixes_hide_the_end(codes: list[str], keep: int | None) -> None:
    tree = prefixes(codes, keep=keep)
    longest = max(map(len, codes))
    assert sorted(tree.rows()) == sorted(beginnings(code, longest, keep or 1) for code in set(codes))
    is_sound(tree)


def test_prefixes_of_postal_codes() -> None:
    tree = prefixes(["8000", "8001", "8400", "3000"])
    assert ["8000", "800*", "80**", "8***", "*"] in tree.rows()
    assert tree.covers()["8***"] == {"8000", "8001", "8400"}


def test_kept_characters_are_never_hidden() -> None:
    assert prefixes(["E11.65", "E11.9"], keep=3).rows() == [
        ["E11.65", "E11.6*", "E11.**", "E11***", "*"],
        ["E11.9", "E11.9*", "E11.**", "E11***", "*"],
    ]


def test_whole_numbers_are_codes_that_lost_their_zeros() -> None:
    tree = prefixes(pa.array([1234, 12345, 1299]))
    assert tree.rows()[0] == ["1234", "0123*", "012**", "01***", "0****", "*"]
    is_sound(tree)


@pytest.mark.parametrize(
    ("values", "options", "says"),
    [
        (["800*", "8001"], {}, "hidden character"),
        (["80x0", "8001"], {"fill": "x"}, "hidden character"),
        (["*", "8001"], {"fill": "x"}, "hidden character"),
        (["", "8001"], {}, "empty"),
        (["a" * 100, "b"], {}, "not codes"),
        ([-1, 2], {}, "below zero"),
        ([1.5], {}, "not of double"),
        ([date(2020, 1, 1)], {}, "not of date"),
        ([b"12"], {}, "not of binary"),
    ],
)
def test_what_is_no_code_is_refused_without_quoting_it(values: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says) as raised:
        prefixes(values, **options)
    assert "8001" not in raised.value.message


# -- intervals of numbers ---------------------------------------------------------------------------------------


def stands_for_its_values(tree: Hierarchy, values: list[Any], kind: pa.DataType) -> None:
    """A reader of the labels finds each value in all intervals above it, and in no other of the same level."""
    rows = {row[0]: row for row in tree.rows()}
    held = pa.array(values, kind)
    places, texts = ordinals(held), held.cast(pa.string()).to_pylist()
    for level in range(1, int(tree.height[0])):
        labels = sorted({row[level] for row in rows.values()})
        read = ranges(pa.array(labels))
        assert read.readable.all()
        within = (read.low[:, None] <= places) & (places <= read.high[:, None])
        above = np.array([[rows[text][level] == label for text in texts] for label in labels])
        assert np.array_equal(within, above)


@given(st.lists(WHOLE, min_size=1, max_size=20, unique=True), st.one_of(st.none(), WIDTHS))
def test_intervals_of_whole_numbers(values: list[int], width: int | None) -> None:
    assume(all(abs(value) < 2**53 for value in values) or width is None)
    tree = intervals(pa.array(values, pa.int64()), width=width)
    is_sound(tree)
    if all(abs(value) < 2**52 for value in values):  # a reader of the label has floats
        stands_for_its_values(tree, values, pa.int64())
    for low, high in (label[1:-1].split(", ") for label in tree.labels if label.startswith("[")):
        assert (int(high) + 1 - int(low)) % (width or 1) == 0


@given(st.lists(FRACTIONS, min_size=1, max_size=20, unique=True), st.sampled_from([None, 0.1, 0.25, 1, 3.7, 1000]))
@example([0.1 * step for step in range(40)], 0.1)
@example([-0.5, 0.0, 0.3, 0.7], 0.1)
def test_intervals_of_fractions(values: list[float], width: float | None) -> None:
    values = [value + 0.0 for value in values]
    assume(len(set(values)) == len(values))
    tree = intervals(pa.array(values, pa.float64()), width=width)
    is_sound(tree)
    stands_for_its_values(tree, values, pa.float64())


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=15, unique=True))
def test_intervals_of_other_types(values: list[int]) -> None:
    for kind, found in (
        (pa.decimal128(9, 2), [Decimal(value).scaleb(-2) for value in values]),
        (pa.float32(), sorted({float(np.float32(value / 8)) for value in values})),
        (pa.int32(), values),
    ):
        tree = intervals(pa.array(found, kind))
        is_sound(tree)
        stands_for_its_values(tree, found, kind)


def test_values_at_an_edge_and_just_beside_it() -> None:
    for width in (0.1, 0.3, 0.07):
        edges = [round(step * width, 2) for step in range(-300, 300)]
        values = sorted({v + 0.0 for edge in edges for v in (edge, float(np.nextafter(edge, -9)), edge + width / 3)})
        tree = intervals(pa.array(values, pa.float64()), width=width, levels=1)
        stands_for_its_values(tree, values, pa.float64())


def test_ages_get_the_intervals_that_people_use() -> None:
    tree = intervals(range(17, 91))
    assert tree.rows()[0] == ["17", "[15, 19]", "[10, 19]", "[0, 19]", "*"]
    assert tree.rows()[-1] == ["90", "[90, 94]", "[90, 99]", "[80, 99]", "*"]


def test_a_width_a_factor_and_levels_are_obeyed() -> None:
    tree = intervals(range(100), width=7, factor=3, levels=2)
    assert tree.rows()[50] == ["50", "[49, 55]", "[42, 62]", "*"]
    assert intervals([0.5, 1.0, 9.0], width=0.25, levels=1).rows()[1] == ["1", "[0, 2[", "*"]  # the first that tells


def test_a_few_values_far_off_do_not_make_all_others_one() -> None:
    tree = intervals([*range(100), 10**9])
    assert len({row[1] for row in tree.rows()}) > 15


def test_missing_values_and_minus_zero_are_no_leaves_of_their_own() -> None:
    assert intervals(pa.array([None, float("nan"), -0.0, 0.0, 5.0])).leaves == ("0", "5")


@pytest.mark.parametrize("values", [[], [None], [5], [5, 5]])
def test_nothing_to_tell_apart(values: list[Any]) -> None:
    held = pa.array(values, pa.int64())
    for tree in (intervals(held), prefixes(held)):
        assert tree.leaves == (("5",) if 5 in values else ())
        assert tree.height[0] == 1


# -- intervals of dates -----------------------------------------------------------------------------------------


@given(st.lists(DATES, min_size=1, max_size=15, unique=True), st.sampled_from([None, "week", "month", "decade"]))
@example([date.min, date.max], "week")
@example([date.min, date.max, date(1970, 1, 1), date(1969, 12, 31)], None)
@example([date(2019, 12, 30), date(2020, 1, 5), date(2020, 1, 6)], "week")
def test_intervals_of_dates(values: list[date], width: str | None) -> None:
    tree = intervals(pa.array(values, pa.date32()), width=width)
    is_sound(tree)
    stands_for_its_values(tree, values, pa.date32())


@given(st.lists(MOMENTS, min_size=1, max_size=15, unique=True), st.sampled_from([None, "day", "year"]))
@example([datetime.fromisoformat(text) for text in ("9999-12-31T23:59", "9999-12-31T20:00", "1999-01-01")], "day")
def test_intervals_of_moments(values: list[datetime], width: str | None) -> None:
    tree = intervals(pa.array(values, pa.timestamp("us")), width=width)
    is_sound(tree)
    stands_for_its_values(tree, values, pa.timestamp("us"))


def test_births_are_put_in_months_quarters_years_and_decades() -> None:
    days = [date(1950, 1, 1) + timedelta(days=day) for day in range(0, 25_000, 9)]
    assert intervals(days).rows()[0] == [
        "1950-01-01",
        "[1950-01-01, 1950-01-31]",
        "[1950-01-01, 1950-03-31]",
        "[1950-01-01, 1950-12-31]",
        "[1950-01-01, 1959-12-31]",
        "[1900-01-01, 1999-12-31]",
        "*",
    ]


def test_a_month_of_dates_is_put_in_weeks() -> None:
    days = [date(2024, 2, 1) + timedelta(days=day) for day in range(30)]
    assert intervals(days).rows()[0] == ["2024-02-01", "[2024-01-29, 2024-02-04]", "*"]


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (["a", "b"], {}),
        ([True, False], {}),
        ([1, "a"], {}),
        ([float("inf"), 1.0], {}),
        ([1e300, 1.0], {"width": 1}),
        ([1e-300, 2e-300], {}),
        ([1, 2, 3], {"width": 0.5}),
        ([1, 2, 3], {"width": -2}),
        ([1, 2, 3], {"width": "month"}),
        ([1, 2, 3], {"factor": 1}),
        ([1, 2, 3], {"levels": 0}),
        ([2**64 - 1, 1], {}),
        ([1, 2], {"width": 1e300}),
        ([date(2020, 1, 1)], {"width": 3}),
        ([date(2020, 1, 1)], {"width": "fortnight"}),
        ([date(2020, 1, 1)], {"factor": 2}),
    ],
)
def test_what_has_no_intervals_is_one_clear_error(values: list[Any], options: dict[str, Any]) -> None:
    try:
        tree = intervals(values, **options)
    except DataError:
        return
    assert values == [1e-300, 2e-300], "accepted"
    is_sound(tree)


# -- and back ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "build",
    [
        lambda: prefixes(["A01", "A01.1", "B2", "B2;3", 'C"4']),
        lambda: intervals([-3.5, 0.25, 19.75, 400.5]),
        lambda: intervals(range(-20, 50)),
        lambda: intervals([datetime(2020, 1, 1, 12, tzinfo=UTC), datetime(1990, 5, 5, tzinfo=UTC)]),
    ],
)
def test_a_file_that_is_read_again_means_the_same(build: Callable[[], Hierarchy], tmp_path: Path) -> None:
    tree = build()
    arx.write(tree, tmp_path / "tree.csv")
    assert same(arx.read(tmp_path / "tree.csv"), tree)


@pytest.mark.slow
def test_a_million_values() -> None:
    numbers = np.random.default_rng(1).permutation(3_000_000)[:1_000_000]
    assert len(intervals(numbers).leaves) == 1_000_000
    assert len(prefixes(pa.array(numbers).cast(pa.string())).leaves) == 1_000_000
