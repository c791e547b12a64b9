"""The paper's bounds of sums, as plainly as Section 4.2 of Li and He has them."""

from __future__ import annotations

from math import ceil, floor, prod
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from benchmarks.papers.local_buckets.asking import rounded
from shoal.measure.queries.forms.buckets import Page
from shoal.measure.queries.question import questions
from shoal.measure.queries.sheets import Sheets
from shoal.release.published import Published
from shoal.verify.buckets import Bucketized

Row = dict[str, Any]

rows = st.lists(st.tuples(st.sampled_from("ab"), st.integers(20, 24), st.booleans()), min_size=16, max_size=40)


def hits(row: Row, name: str, asked: list[Any], held: dict[Any, list[Any]]) -> float:
    """How probably a row meets a condition: the share of its bucket's values, or of the values that its cell covers."""
    if row.get(f"{name}_bucket") is not None:
        values = held[row[f"{name}_bucket"]]
        return sum(value in asked for value in values) / len(values)
    if name == "age":
        covered = range(row["age_min"], row["age_max"] + 1)
        return sum(value in asked for value in covered) / len(covered)
    cell = row[name].strip("{}").split(", ")
    return sum(value in asked for value in cell) / len(cell)


@settings(max_examples=60, deadline=None)
@given(rows, st.lists(st.sampled_from("ab"), min_size=1, unique=True), st.lists(st.integers(20, 24), min_size=1))
def test_as_many_values_count_as_records_are_expected(
    people: list[tuple[str, int, bool]], towns: list[str], ages: list[int]
) -> None:
    towns_of, ages_of, ticks = zip(*people, strict=True)
    table = pa.table({"town": towns_of, "age": ages_of, "tick": ticks, "pay": range(len(people))})
    schema = shoal.Schema(quasi_identifying=["town"], semi_sensitive={"age": "tick"}, sensitive=["pay"])
    require = [shoal.KAnonymity(2), shoal.LDiversity(3, on="pay"), shoal.TCloseness(0.5, on="age")]
    plan = shoal.Plan(schema, require, shoal.LocalBuckets(), person="row")
    release = shoal.anonymize(table, plan, seed=1)
    published = Published(release.arrow, tuple(release.manifest.columns), "buckets", release.manifest.options)
    where = {"town": towns, "age": sorted(set(ages))}
    found = rounded(Page(Sheets(published, {}, own=True), Bucketized(published)), "pay", questions([where]))
    records = release.table.to_pylist()
    assume(all((row["age_bucket"], row["age_min"]) != (None, None) for row in records))  # a class that shows no age
    held: dict[Any, list[Any]] = {}
    for row in records:
        if row["age_bucket"] is not None:
            held.setdefault(row["age_bucket"], []).append(row["age"])
    low = high = 0.0
    for bucket in {row["pay_bucket"] for row in records}:
        inside = [row for row in records if row["pay_bucket"] == bucket]
        expected = sum(prod(hits(row, name, asked, held) for name, asked in where.items()) for row in inside)
        values = sorted(row["pay"] for row in inside)
        low += sum(values[: floor(expected + 1e-9)])
        high += sum(values[len(values) - ceil(expected - 1e-9) :])
    assert (found.low[0], found.high[0]) == pytest.approx((low, high))
