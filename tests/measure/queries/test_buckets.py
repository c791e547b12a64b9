"""Answers from releases with buckets: an example by hand, and the truth between the bounds whatever is ticked."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import ShoalError
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity
from shoal.release.release import Release
from shoal.schema.columns import Schema
from shoal.testing import oracle
from shoal.testing.contract import ROW, outcome, with_rows
from shoal.testing.queries import check_answer, questions
from tests.partition import personal

PEOPLE = pa.table(
    {
        "town": ["a"] * 4 + ["b"] * 4,
        "age": [20, 30, 40, 50, 21, 31, 41, 51],
        "age_private": [False] * 4 + [True] * 4,
        "pay": [1, 2, 3, 4, 5, 6, 7, 8],
    }
)


@pytest.fixture(scope="module")
def release() -> Release:
    schema = Schema(quasi_identifying=["town"], semi_sensitive={"age": "age_private"}, sensitive=["pay"])
    plan = Plan(schema, [KAnonymity(4), LDiversity(4)], shoal.LocalBuckets(), person="row")
    return shoal.anonymize(PEOPLE, plan)


def test_values_in_buckets_are_told_as_they_are(release: Release) -> None:
    assert shoal.query(release, "SUM(pay)").as_dict()["low"] == 36
    assert shoal.query(release, "COUNT(*)", {"pay": shoal.between(3, 6)}).high == 4
    assert shoal.query(release, "SUM(pay)", {"pay": shoal.between(3, 6)}).estimate == 18


def test_what_is_known_of_the_rows_of_a_bucket(release: Release) -> None:
    """Pay is in two buckets of four; each holds some records of both towns, or those of one."""
    rows = release.table.to_pylist()
    expected = {"low": 0, "high": 0, "estimate": 0.0}
    for bucket in {row["pay_bucket"] for row in rows}:
        inside = [row for row in rows if row["pay_bucket"] == bucket]
        values = sorted(row["pay"] for row in inside)
        mine = sum(row["town"] == "a" for row in inside)
        expected["low"] += sum(values[:mine])
        expected["high"] += sum(values[len(values) - mine :])
        expected["estimate"] += mine * sum(values) / len(values)
    answer = shoal.query(release, "SUM(pay)", {"town": "a"})
    assert (answer.low, answer.high) == (expected["low"], expected["high"])
    assert answer.estimate == pytest.approx(expected["estimate"])


def test_a_column_that_only_some_hide(release: Release) -> None:
    """The ages of a are 20 to 50 in one class; those of b are told one by one."""
    answer = shoal.query(release, "COUNT(*)", {"age": shoal.between(31, 41)})
    assert (answer.low, answer.high) == (2, 6)
    answer = shoal.query(release, "SUM(age)", {"town": "b"})
    assert (answer.low, answer.high) == (144, 144)


@settings(max_examples=150, deadline=None)
@given(personal.tables(max_rows=40), personal.plans(), st.data())
def test_the_truth_lies_between_the_bounds(table: pa.Table, plan: Plan, data: st.DataObject) -> None:
    table, plan = with_rows(table, plan)
    made = outcome(lambda: shoal.anonymize(table, plan))
    if isinstance(made, ShoalError):
        return
    records = oracle.records_of(table, plan.read_options.missing)
    published = [records[row] for row in made.arrow["release"].column(ROW).to_pylist()]
    kind = data.draw(st.sampled_from(["COUNT", "SUM", "AVG"]))
    column = None if kind == "COUNT" else data.draw(st.sampled_from(["age", "pay"]))
    asked = data.draw(questions(kind, column, plan, records))  # type: ignore[arg-type]
    check_answer(shoal.query(made, asked.what, asked.where, plan=plan), asked, published)
