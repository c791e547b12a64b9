"""The oracle's records as the tables that are measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pyarrow as pa

from shoal.measure import Scores, measure
from shoal.release.manifest import PublishedColumn
from tests.measure.oracle import JOBS, Oracle, Original, Published

Ranges = Literal["bounds", "interval"]


def quasi(name: str, shown: str, *columns: str, **codes: float | None) -> PublishedColumn:
    return PublishedColumn(name, "quasi-identifying", shown, columns or (name,), **codes)  # type: ignore[arg-type]


def original_table(records: Sequence[Original]) -> pa.Table:
    ages, jobs, colours = zip(*records, strict=True) if records else ((), (), ())
    return pa.table(
        {
            "age": pa.array(ages, pa.int64()),
            "job": pa.array(jobs, pa.string()),
            "colour": pa.array(colours, pa.string()),
        }
    )


def published_table(records: Sequence[Published], ranges: Ranges) -> pa.Table:
    ages = {"age": pa.array([_interval(record) for record in records], pa.string())}
    if ranges == "bounds":
        ages = {
            "age_min": pa.array([record.age and record.age.low for record in records], pa.int32()),
            "age_max": pa.array([record.age and record.age.high for record in records], pa.int32()),
            "age_missing": pa.array([_state(record) for record in records], pa.string()),
        }
    jobs = pa.array([record.job for record in records], pa.string())
    return pa.table({**ages, "job": jobs, "colour": pa.array([_set(record) for record in records], pa.string())})


def measured(
    oracle: Oracle, ranges: Ranges, *, k: int | None = None, population: Sequence[Original] | None = None
) -> Scores:
    parts = ("age_min", "age_max", "age_missing") if ranges == "bounds" else ("age",)
    return measure(
        published_table(oracle.published, ranges),
        [
            quasi("age", ranges, *parts, bottom=oracle.bottom, top=oracle.top),
            quasi("job", "node"),
            quasi("colour", "set"),
        ],
        original=original_table(oracle.original),
        trees={"job": JOBS},
        suppressed=oracle.suppressed,
        k=k,
        population=None if population is None else original_table(population),
    )


def _interval(record: Published) -> str | None:
    if record.age is None:
        return None
    return f"[{record.age.low}, {record.age.high}]" + (" or missing" if record.age.missing else "")


def _state(record: Published) -> str:
    return "all" if record.age is None else "some" if record.age.missing else "none"


def _set(record: Published) -> str:
    known = sorted(colour for colour in record.colour if colour is not None)
    return "{" + ", ".join([*known, *["null"] * (None in record.colour)]) + "}"
