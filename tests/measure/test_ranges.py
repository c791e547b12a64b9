"""The ranges of a publication, class by class."""

from __future__ import annotations

import math
from datetime import date

import pyarrow as pa
import pytest
from hypothesis import given

from shoal.measure import ColumnRange, ColumnRatio, Scores, measure
from shoal.release.manifest import PublishedColumn
from tests.measure.oracle import Oracle, coded
from tests.measure.tables import Ranges, measured, quasi
from tests.measure.test_measure import either, oracles


@given(oracles, either)
def test_every_class_counts_the_same(oracle: Oracle, ranges: Ranges) -> None:
    found = measured(oracle, ranges).ranges
    classes = oracle.classes()

    def end(value: int) -> int:
        return coded(value, oracle.bottom, oracle.top)

    widths = {record: 0 if record.age is None else end(record.age.high) - end(record.age.low) for record in classes}
    lower = [end(record.age.low) for record in classes if record.age is not None]
    assert list(found.columns) == ["age"]
    assert found.columns["age"].lower == (pytest.approx(sum(lower) / len(lower)) if lower else None)
    assert found.adr == found.columns["age"].mean == pytest.approx(sum(widths.values()) / max(len(classes), 1))
    weighted = sum(widths[record] * count for record, count in classes.items()) / max(classes.total(), 1)
    assert found.adsr == pytest.approx(weighted)
    assert found.dq == (pytest.approx(math.log(found.adr)) if found.adr else None)


def of(ages: list[str | None], columns: list[PublishedColumn], **more: pa.Array) -> Scores:
    return measure(pa.table({"age": ages, **more}), columns, original=None, trees={}, suppressed=0, k=None)


def test_one_publication_over_another() -> None:
    columns = [quasi("age", "interval"), quasi("seen", "bounds", "seen_min", "seen_max")]
    day = [date(2020, 1, 1)] * 3
    narrow = of(["[0, 4]", "[0, 4]", "[6, 8]"], columns, seen_min=pa.array(day), seen_max=pa.array(day)).ranges
    wide = of(["[0, 4]", "[4, 12]", "[4, 12]"], columns, seen_min=pa.array(day), seen_max=pa.array(day)).ranges
    assert narrow.columns["age"] == ColumnRange(3, pytest.approx(10 / 3), 3, 6)
    assert wide.columns["age"] == ColumnRange(6, pytest.approx(20 / 3), 2, 8)
    ratios = narrow.over(wide)
    assert ratios.whole == 0.5
    assert ratios.columns == {"age": ColumnRatio(0.5, 0.75, 1.5), "seen": ColumnRatio(None, 1, 1)}


def test_codes_end_ranges_and_ends_that_are_not_known_have_none() -> None:
    assert of(["[20, 90]", "[30, 50]"], [quasi("age", "interval", bottom=20, top=90)]).ranges.adr == 45
    assert of(["[20, 90]", "*"], [quasi("age", "interval")]).ranges.columns == {}
    assert of(["[-1e308, 1e308]", "[0, 1]"], [quasi("age", "interval")]).ranges.columns == {}


def test_centres_have_no_range() -> None:
    scores = of(["1", "2"], [quasi("age", "centre")])
    assert (scores.ranges.columns, scores.ranges.adr, scores.ranges.dq) == ({}, 0, None)


def test_no_records() -> None:
    empty = pa.table({"age": pa.array([], pa.int64())})
    found = measure(empty, [quasi("age", "value")], original=None, trees={}, suppressed=0, k=None).ranges
    assert found.columns == {"age": ColumnRange(0, 0, None, None)}
