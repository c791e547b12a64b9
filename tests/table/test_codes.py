"""The records as one matrix, and who of them is the same person."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity
from shoal.schema.columns import Schema
from shoal.table import sources
from shoal.table.checks import check_columns, check_names
from shoal.table.codes import Codes, encode, people_of, person_column


def plan(person: str | None = None, allow_unique: tuple[str, ...] = (), **roles: Any) -> Plan:
    return Plan(Schema(**roles), [KAnonymity(2)], person=person, allow_unique=allow_unique)


def read(columns: dict[str, Any]) -> pa.Table:
    return sources.read(pa.table(columns)).table


# -- the matrix -------------------------------------------------------------------------------------------------

CELLS = st.none() | st.integers(-5, 300)


@given(st.data(), st.integers(1, 10), st.integers(0, 12))
def test_rows_are_the_records(data: st.DataObject, width: int, records: int) -> None:
    names = [f"c{i}" for i in range(width)]
    columns = {
        name: pa.array(data.draw(st.lists(CELLS, min_size=records, max_size=records)), pa.int64()) for name in names
    }
    roles = data.draw(st.lists(st.sampled_from("qsi"), min_size=width, max_size=width))
    schema = {role: [n for n, r in zip(names, roles, strict=True) if r == role] for role in "qsi"}
    made = plan(
        quasi_identifying=schema["q"], sensitive=schema["s"], insensitive=schema["i"], allow_unique=tuple(schema["i"])
    )
    rows = np.array(data.draw(st.permutations(range(records))), np.uint32)
    table = read(columns)
    codes = encode(table, made, {}, rows)
    order = [*schema["q"], *schema["s"], *schema["i"]]
    assert [domain.name for domain in codes.domains] == order
    assert (codes.quasi, codes.sensitive, len(codes)) == (len(schema["q"]), len(schema["s"]), records)
    assert codes.matrix.shape[0] == records
    assert codes.matrix.itemsize * codes.matrix.shape[1] % 8 == 0
    for name in order:
        domain = codes.domains[codes.place(name)]
        held = [*domain.values.to_pylist(), None]
        said = [held[code] for code in codes.matrix[:, codes.place(name)].tolist()]
        assert said == [columns[name][int(row)].as_py() for row in rows]
    assert not codes.matrix[:, len(order) :].any()


def test_reprs_hold_no_cells() -> None:
    codes = encode(read({"a": ["secret"]}), plan(quasi_identifying=["a"]), {}, np.zeros(1, np.uint32))
    assert repr(codes) == "<Codes: 1 records, 1 columns>"
    assert isinstance(codes, Codes)


# -- columns that are nearly names ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        ([1, 2, 3, 3], False),
        ([1, 2, 3, 4, 4], True),
        ([1, 2, 3, None], True),
        ([None, None, None], False),
        ([], False),
        ([1], True),
    ],
)
def test_insensitive_columns_that_are_unique_for_most(values: list[Any], refused: bool) -> None:
    table = read({"q": [1] * len(values), "i": pa.array(values, pa.int64())})
    rows = np.arange(len(values), dtype=np.uint32)
    if refused:
        with pytest.raises(DataError, match=r'the insensitive column i .* allow_unique = \["i"\]'):
            encode(table, plan(quasi_identifying=["q"], insensitive=["i"]), {}, rows)
    else:
        encode(table, plan(quasi_identifying=["q"], insensitive=["i"]), {}, rows)
    encode(table, plan(quasi_identifying=["q"], insensitive=["i"], allow_unique=("i",)), {}, rows)


# -- people -----------------------------------------------------------------------------------------------------

ODD = pa.array([[1], [1], [2], [3]])


@pytest.mark.parametrize(
    ("columns", "person", "expected"),
    [
        ({}, None, None),
        ({"ssn": [1, 2, 3, 4]}, None, None),
        ({"ssn": [1, 2, 3, None]}, None, None),
        ({"ssn": [1, 2, None, None]}, None, "ssn"),
        ({"ssn": [1, 1, 2, 3]}, None, "ssn"),
        ({"ssn": [1, 1, 2, 3]}, "row", None),
        ({"ssn": [1, 1, 2, 3]}, "ssn", "ssn"),
        ({"visit": [1, 2, 3, 4], "patient": ["a", "a", "b", "c"]}, None, "patient"),
        ({"visit": [1, 2, 3, 4], "patient": ["a", "a", "b", "c"]}, "visit", "visit"),
        ({"name": ["x", "x", "y", "y"], "patient": ["a", "a", "b", "c"]}, "patient", "patient"),
        ({"scan": ODD}, None, None),
        ({"scan": ODD, "patient": ["a", "a", "b", "c"]}, None, "patient"),
        ({"key": pa.array([b"a", b"a", b"b", b"c"])}, None, "key"),
    ],
)
def test_which_column_tells_people_apart(columns: dict[str, Any], person: str | None, expected: str | None) -> None:
    table = read({"q": [1, 2, 3, 4], **columns})
    made = plan(person, quasi_identifying=["q"], identifying=list(columns))
    assert person_column(table, made) == expected
    people = people_of(table, made)
    if expected is None or expected == "visit":
        assert people is None
    else:
        values = table.column(expected).to_pylist()
        assert people is not None
        same = people[:, None] == people[None, :]
        assert same.tolist() == [[one == other for other in values] for one in values]
        assert (
            encode(table, made, {}, np.array([3, 0, 1, 2], np.uint32)).people.tolist() == people[[3, 0, 1, 2]].tolist()
        )  # type: ignore[union-attr]


def test_several_columns_that_repeat() -> None:
    table = read({"q": [1, 2], "name": ["x", "x"], "patient": ["a", "a"], "visit": [1, 2]})
    with pytest.raises(DataError, match=r'name, patient all repeat values.*person = "NAME"'):
        person_column(table, plan(quasi_identifying=["q"], identifying=["name", "patient", "visit"]))


def test_a_person_that_cannot_be_compared() -> None:
    table = read({"q": [1, 2, 3, 4], "scan": ODD})
    with pytest.raises(DataError, match="the column scan cannot tell people apart"):
        people_of(table, plan("scan", quasi_identifying=["q"], identifying=["scan"]))


def test_a_dropped_column_does_not_matter() -> None:
    table = read(
        {"q": [1, 1], "a": pa.array([{"x": 1}, None]), "b": pa.array([(1, 2, 3), None], pa.month_day_nano_interval())}
    )
    codes = encode(table, plan(quasi_identifying=["q"], identifying=["a", "b"]), {}, np.arange(2, dtype=np.uint32))
    assert [domain.name for domain in codes.domains] == ["q"]


# -- the columns of table and plan ------------------------------------------------------------------------------


def test_all_differences_in_one_message() -> None:
    made = plan(quasi_identifying=["age", "zip"], insensitive=["year"])
    check_columns(["zip", "age", "year"], made)
    with pytest.raises(DataError) as caught:
        check_columns(["Age", "zip", "extra"], made)
    assert "2 column(s) of the table have no role in the plan: Age, extra" in caught.value.message
    assert "2 column(s) of the plan are not in the table: age (did you mean Age?), year" in caught.value.message


def test_names() -> None:
    check_names([])
    check_names(["a", "A", " a"])
    with pytest.raises(DataError, match=r"^2 column name\(s\) .*: b, a; 2 .* no name, counted from the left: 1, 5"):
        check_names(["", "b", "a", "b", "", "a", "a"])
