"""A plan does not change, and tells nobody whose table it is for."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import Unsupported

LEAF = "Leaf-of-a-secret"
FOLDER = "folder-of-a-secret"


def plan(**change: Any) -> shoal.Plan:
    schema = shoal.Schema(quasi_identifying={"age": shoal.numeric(top=90)}, sensitive=["job"])
    return shoal.Plan(**{"schema": schema, "require": [shoal.KAnonymity(5)], **change})


@pytest.fixture
def filed(tmp_path: Path) -> shoal.Plan:
    """A plan that points into a folder."""
    folder = tmp_path / FOLDER
    folder.mkdir()
    (folder / "job.csv").write_text(f"{LEAF};*\n")
    schema = shoal.Schema(quasi_identifying=["age"], sensitive={"job": folder / "job.csv"})
    return plan(schema=schema, table=folder / "people.csv")


@pytest.fixture
def held() -> shoal.Plan:
    """A plan that holds the values of a column."""
    return plan(schema=shoal.Schema(quasi_identifying=["age"], sensitive={"job": {"All": [LEAF, "b"]}}))


def test_what_it_was_made_of_may_change() -> None:
    require, ages, types = [shoal.KAnonymity(5)], {"age": None}, {"age": "integer"}
    made = plan(schema=shoal.Schema(quasi_identifying=ages), require=require, read_options=shoal.Read(types=types))
    require.append(shoal.KAnonymity(2))
    ages["job"] = None
    types["job"] = "text"
    assert made.require == (shoal.KAnonymity(5),)
    assert [column.name for column in made.columns] == ["age"]
    assert made.read_options.types == {"age": "integer"}


def test_it_does_not_change() -> None:
    made = plan(read_options=shoal.Read(types={"age": "integer"}))
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.suppress = 1.0  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.schema.sensitive = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        made.read_options.types["age"] = "text"  # type: ignore[index]
    with pytest.raises(TypeError):
        made.schema.quasi_identifying["age"] = None  # type: ignore[index]


def test_its_repr_names_columns_and_files_only(filed: shoal.Plan, held: shoal.Plan) -> None:
    for made in (filed, held):
        for text in (repr(made), repr(made.schema), repr(made.columns), repr(made.schema.problems)):
            assert LEAF not in text
            assert FOLDER not in text
    assert "people.csv" in repr(filed)
    assert "job.csv" in repr(filed)
    assert "top=90" in repr(plan())


def test_its_pickle_names_columns_and_files_only(filed: shoal.Plan) -> None:
    travelled = pickle.dumps(filed)
    assert LEAF.encode() not in travelled
    assert FOLDER.encode() not in travelled
    arrived = pickle.loads(travelled)
    assert arrived.table == Path("people.csv")
    assert arrived.columns[1].hierarchy == Path("job.csv")
    assert (arrived.require, arrived.method, arrived.read_options) == (filed.require, filed.method, filed.read_options)


def test_values_do_not_travel_in_a_pickle(held: shoal.Plan) -> None:
    with pytest.raises(Unsupported, match="write it to a file"):
        pickle.dumps(held)
    with pytest.raises(Unsupported, match="write it to a file"):
        pickle.dumps(held.schema)


def test_a_pickle_is_the_same_plan() -> None:
    made = plan(read_options=shoal.Read(types={"age": "integer"}), suppress=0.1)
    assert pickle.loads(pickle.dumps(made)) == made


def test_copies_lose_nothing(filed: shoal.Plan, held: shoal.Plan) -> None:
    for made in (filed, held):
        assert copy.deepcopy(made) == copy.copy(made) == made
        assert copy.deepcopy(made.schema) == made.schema
        assert dataclasses.replace(made, suppress=0.1).suppress == 0.1
