"""Anybody's release, and a plan that says the roles."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.schema.columns import Categorical, Column, Numeric
from shoal.verify import as_keeper, as_outsider, keeper, meaning_of, outsider

AGE = Column("age", "quasi-identifying")


def shown(cells: Any, column: Column = AGE) -> str:
    (found,) = meaning_of(pa.table({column.name: cells}), [column])
    return found.shown


def test_the_notation_is_found_by_the_looks_of_the_cells() -> None:
    assert shown([20, 30]) == "value"
    assert shown([dt.date(2020, 1, 1)]) == "value"
    assert shown([True, None]) == "value"
    assert shown(["[20, 30[", "30", "*", None]) == "interval"
    assert shown([">=90", "12"]) == "interval"
    assert shown(["*", "*"]) == "set"
    assert shown(["12345", "01234"]) == "set"
    assert shown(["{a, b}", "c"]) == "set"
    assert shown(["[20, 30[", "old"]) == "set"
    assert shown(["20", "21"], Column("age", "quasi-identifying", Numeric(top=90))) == "interval"
    assert shown(["20-39"], Column("age", "quasi-identifying", Categorical(Path("age.csv")))) == "node"


def test_bounds_are_found_by_their_names() -> None:
    column = Column("age", "quasi-identifying", Numeric(bottom=17, top=90, step=5))
    table = pa.table({"age_max": [30], "age_min": [20], "age_missing": ["none"]})
    (found,) = meaning_of(table, [column])
    assert (found.shown, found.columns) == ("bounds", ("age_min", "age_max", "age_missing"))
    assert (found.bottom, found.top, found.step) == (17, 90, 5)
    assert meaning_of(table.drop_columns(["age_missing"]), [column])[0].columns == ("age_min", "age_max")


def test_everything_that_is_absent_or_unknown_is_named_in_one_message() -> None:
    table = pa.table({"age_min": [1], "index": [0], "x": [1]})
    columns = [AGE, Column("ill", "sensitive"), Column("name", "identifying")]
    with pytest.raises(DataError) as caught:
        meaning_of(table, columns)
    assert "not published: age, ill;" in caught.value.message
    assert caught.value.message.endswith("age_min, index, x")


def test_identifying_columns_are_passed_on_to_the_judge() -> None:
    columns = [AGE, Column("name", "identifying"), Column("id", "identifying")]
    found = meaning_of(pa.table({"name": ["A"], "age": [1]}), columns)
    assert [(column.name, column.role) for column in found] == [("age", AGE.role), ("name", "identifying")]


def test_the_room_opens_on_its_judges() -> None:
    assert (as_keeper, as_outsider) == (keeper.judge, outsider.judge)
    with pytest.raises(ImportError):
        from shoal.verify import nobody  # type: ignore[attr-defined]  # noqa: F401
