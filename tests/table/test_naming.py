"""A column that repeats names under another title is found before anything is published, as the keeper finds it."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError
from shoal.table.naming import repeated

DAYS = [dt.date(1950, 1, 1), dt.date(1960, 2, 2), dt.date(1970, 3, 3), dt.date(1980, 4, 4)]
MOMENTS = [dt.datetime(day.year, day.month, day.day) for day in DAYS]  # noqa: DTZ001


@pytest.mark.parametrize(
    ("named", "shown"),
    [
        (pa.array(["a", "b", "c", "d"]), pa.array(["a", "b", "c", "x"]).dictionary_encode()),
        (pa.array([1, 2, 3, 4]), pa.array([1.0, 2.0, 3.0, 9.0])),
        (pa.array([10**16, 2, 3, 4]), pa.array([1e16, 2.0, 3.0, None])),
        (pa.array([1, 2, 3, 4], pa.uint64()), pa.array([1, 2, 3, 4], pa.int8())),
        (
            pa.array([Decimal("1.50"), Decimal("2.50"), Decimal("3.00"), Decimal("4.00")]),
            pa.array([1.5, 2.5, 3.0, 0.0]),
        ),
        (pa.array(DAYS), pa.array(MOMENTS)),
        (pa.array(MOMENTS, pa.timestamp("us")), pa.array(MOMENTS, pa.timestamp("ms", "UTC"))),
        (pa.array([1, 2, 3, 4], pa.time32("s")), pa.array([10**9, 2 * 10**9, 3 * 10**9, 0], pa.time64("ns"))),
        (pa.array([1, 2, 3, 4], pa.duration("s")), pa.array([1000, 2000, 3000, 0], pa.duration("ms"))),
    ],
)
def test_what_is_found(named: pa.Array, shown: pa.Array) -> None:
    table = pa.table({"who": named, "what": shown})
    assert repeated(table, ["who"], ["what"]) == [("what", "who")]
    plan = shoal.Plan(shoal.Schema(identifying=["who"], sensitive=["what"]), [shoal.KAnonymity(2)])
    with pytest.raises(DataError, match="what repeats who"):
        shoal.anonymize(table, plan)


@pytest.mark.parametrize(
    ("named", "shown"),
    [
        (["a", "a", "a", "a"], ["a", "a", "a", "a"]),  # one value names nobody
        (["a", "b", "c", "d"], ["a", "b", "x", "x"]),  # half is not most
        ([1, 2, 3, 4], ["1", "2", "3", "4"]),  # numbers, and text that looks so
        ([None, None, None, "d"], [None, None, None, "x"]),
    ],
)
def test_what_is_no_repetition(named: list[object], shown: list[object]) -> None:
    assert repeated(pa.table({"who": named, "what": shown}), ["who"], ["what"]) == []


def test_a_column_of_lists_is_left_to_the_encoder() -> None:
    table = pa.table({"who": [[1], [2]], "what": [[1], [2]]})
    assert repeated(table, ["who"], ["what"]) == []
