"""Schemas hold each column once, in the order of the roles, and keep what they do not understand for the plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import PlanError
from shoal.schema.columns import ROLES, Categorical, Column, Mask, Numeric, Schema, categorical, numeric
from shoal.schema.hierarchy import Hierarchy

NAMES = st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=8)


@st.composite
def columns(draw: st.DrawFn) -> list[Column]:
    """Columns with all that their role lets them say."""
    found = []
    for name in draw(NAMES):
        role = draw(st.sampled_from(ROLES))
        how = draw(st.sampled_from([None, Numeric(top=3), Categorical(), Categorical(Path("h.csv"))]))
        coarse = how if role in ("quasi-identifying", "sensitive", "semi-sensitive") else None
        who = draw(st.text(max_size=3) | st.lists(st.integers(), max_size=2).map(tuple))
        mask = draw(st.none() | st.just(Mask(who, 0.2, True))) if role == "semi-sensitive" else None
        found.append(Column(name, role, coarse, mask))
    return found


@given(columns())
def test_a_schema_holds_exactly_its_columns(given_columns: list[Column]) -> None:
    schema = Schema.of(given_columns)
    assert schema.columns() == tuple(sorted(given_columns, key=lambda column: ROLES.index(column.role)))
    assert not schema.problems
    assert Schema.of(schema.columns()) == schema


@given(st.lists(NAMES, min_size=5, max_size=5))
def test_names_that_are_said_twice(lists: list[list[str]]) -> None:
    names = [name for held in lists for name in held]
    twice = {f"columns.{name}" for name in names if names.count(name) > 1}
    assert {problem.key for problem in Schema(*lists).problems} == twice


def test_hierarchies_as_people_give_them() -> None:
    tree = Hierarchy.from_nested({"A": ["x", "y"]})
    schema = Schema(sensitive={"path": Path("a.csv"), "text": "a.csv", "tree": tree, "nested": {"A": ["x", "y"]}})
    path, text, held, nested = (column.hierarchy for column in schema.columns())
    assert path == text == Path("a.csv")
    assert held is tree
    assert isinstance(nested, Hierarchy)
    assert nested.rows() == tree.rows()
    assert [c.hierarchy for c in schema.columns()][3] is nested  # read once: one tree, however often it is asked for


@pytest.mark.parametrize("wrong", [5, ["x"], b"x", {"A": [None]}, {"A": ["x"], "B": ["x"]}, object()])
def test_what_is_no_hierarchy(wrong: Any) -> None:
    with pytest.raises(PlanError, match="hierarchy"):
        categorical(wrong)
    assert [problem.key for problem in Schema(sensitive={"job": wrong}).problems] == ["columns.job.hierarchy"]


def test_a_mapping_without_end() -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    with pytest.raises(PlanError, match="deeply"):
        categorical(endless)


def test_reprs() -> None:
    assert repr(numeric(top=90, step=5)) == "numeric(top=90, step=5)"
    assert repr(categorical("a/b.csv")) == "categorical('b.csv')"
    assert repr(categorical()) == "categorical()"
    assert repr(categorical({"A": ["secret"]})) == "categorical(Hierarchy(1 leaves, 2 nodes, height 1))"
    assert repr(shoal.Schema(identifying=["name"], sensitive=["job"])) == (
        "Schema(identifying=['name'], sensitive={'job': None})"
    )
