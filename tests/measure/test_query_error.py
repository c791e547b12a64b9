"""The error of random counts: none where all is published as it is, more where less is; and the paper's queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError
from shoal.measure import Workload
from shoal.measure.query_error import QueryError, _questions
from shoal.release.manifest import PublishedColumn
from shoal.schema.hierarchy import Hierarchy

CHANCE = np.random.default_rng(3)
PEOPLE = pa.table(
    {
        "age": CHANCE.integers(20, 60, 600),
        "height": CHANCE.integers(150, 200, 600),
        "town": CHANCE.choice(["oslo", "turku", "rome", "bari"], 600),
        "ill": CHANCE.choice(["flu", "gout", "cold", "cough"], 600),
    }
)
TREE = Hierarchy.from_nested({"north": ["turku", "oslo"], "south": ["rome", "bari"]})


def measured(form: Any, require: list[Any], queries: Any, people: pa.Table = PEOPLE) -> QueryError:
    schema = shoal.Schema(quasi_identifying={"age": None, "height": None, "town": TREE}, sensitive=["ill"])
    plan = shoal.Plan(schema, require, form=form, person="row")
    found = shoal.measure(shoal.anonymize(people, plan), people, plan=plan, queries=queries).queries
    assert isinstance(found, QueryError)
    return found


def test_larger_classes_err_more() -> None:
    asked = Workload(400, seed=1)
    fine, coarse, whole = (measured(shoal.Generalized(), [shoal.KAnonymity(k)], asked) for k in (2, 20, 600))
    assert fine.dropped == coarse.dropped == whole.dropped
    assert fine.median is not None
    assert coarse.median is not None
    assert whole.median is not None
    assert 0 < fine.median < coarse.median
    assert 0 < fine.bounded < coarse.bounded < whole.bounded  # type: ignore[operator]


def test_what_is_published_as_it_is_has_no_error() -> None:
    """Where everybody has a double, classes of two have no width; in anatomy the sensitive values are shuffled."""
    doubled = pa.concat_tables([PEOPLE, PEOPLE])
    shown = measured(shoal.Generalized(), [shoal.KAnonymity(2)], Workload(200, seed=1), doubled)
    assert (shown.median, shown.mean, shown.bounded) == (0, 0, 0)
    hidden = measured(shoal.Anatomy(), [shoal.LDiversity(3)], Workload(200, seed=1))
    assert hidden.median is not None
    assert hidden.median > 0


def test_the_original_is_needed() -> None:
    schema = shoal.Schema(quasi_identifying=["age"], sensitive=["ill"])
    plan = shoal.Plan(schema, [shoal.KAnonymity(2)], person="row")
    release = shoal.anonymize(PEOPLE.select(["age", "ill"]), plan)
    with pytest.raises(DataError, match="random queries compare"):
        shoal.measure(release, queries=10)
    with pytest.raises(DataError, match="a workload has"):
        shoal.measure(release, PEOPLE.select(["age", "ill"]), queries=0)
    assert shoal.measure(release, PEOPLE.select(["age", "ill"])).queries is None


def test_a_table_that_has_none_of_the_values_leaves_nothing_to_ask() -> None:
    table = pa.table({"age": pa.array([None, None], pa.int64()), "ill": pa.array([None, None], pa.string())})
    schema = shoal.Schema(quasi_identifying=["age"], sensitive=["ill"])
    plan = shoal.Plan(schema, [shoal.KAnonymity(2)], person="row")
    found = shoal.measure(shoal.anonymize(table, plan), table, plan=plan, queries=5).queries
    assert found == QueryError(5, 0, 0.0, 0.0, 0.0)  # COUNT(*) of all


def test_each_interval_has_its_part_of_the_values() -> None:
    """Of lambda quasi-identifiers and the sensitive column, theta^(1 / (lambda + 1)) of the values that occur."""
    columns = [PublishedColumn(name, "quasi-identifying", "value", (name,)) for name in ("age", "height", "town")]
    columns.append(PublishedColumn("ill", "sensitive", "value", ("ill",)))
    asked = _questions(columns, PEOPLE, {"town": TREE}, Workload(500, columns=2, selectivity=0.1, seed=5))
    part = 0.1 ** (1 / 3)
    seen: set[str] = set()
    for question in asked:
        assert len(question) == 3
        assert "ill" in question
        seen |= set(question)
        for name, (condition,) in question.items():
            if name in ("age", "height"):
                values = PEOPLE.column(name).unique().to_pylist()
                held = sum(condition.range.low <= value <= condition.range.high for value in values)
                assert held == round(part * len(values))
            else:
                assert condition.values is not None
                assert len(condition.values) == 2  # of four
    assert seen == {"age", "height", "town", "ill"}
    towns = {question["town"][0].values for question in asked if "town" in question}
    assert towns == {("turku", "oslo"), ("oslo", "rome"), ("rome", "bari")}  # in the order of the hierarchy
    assert asked == _questions(columns, PEOPLE, {"town": TREE}, Workload(500, columns=2, selectivity=0.1, seed=5))
