"""Whose value is sensitive, against rules decided one record at a time with three-valued logic."""

from __future__ import annotations

import operator
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError
from shoal.schema.columns import Column, Mask
from shoal.schema.rules import All, Any, Compared, Holds, Listed, Missing, Not, Rule
from shoal.table.checks import differences
from shoal.table.masks import held_sensitive

Record = dict[str, object]
BY = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


def decided(rule: Rule, record: Record) -> bool | None:
    """The rule for one record; None where a missing value decides."""
    match rule:
        case Not(inner):
            found = decided(inner, record)
            return None if found is None else not found
        case All(rules):
            said = [decided(one, record) for one in rules]
            return False if False in said else None if None in said else True
        case Any(rules):
            said = [decided(one, record) for one in rules]
            return True if True in said else None if None in said else False
        case Missing(name):
            return record[name] is None
    value = record[rule.column]
    if value is None:
        return None
    match rule:
        case Holds():
            return bool(value)
        case Compared(by=by, value=other):
            return bool(BY[by](value, other))
        case Listed(values=listed):
            return value in listed
    raise AssertionError


atoms = st.one_of(
    st.just(Holds("tick")),
    st.sampled_from(["tick", "age", "job"]).map(Missing),
    st.builds(Compared, st.just("age"), st.sampled_from(list(BY)), st.integers(0, 6) | st.just(2.5)),
    st.builds(Compared, st.just("job"), st.sampled_from(["==", "!="]), st.sampled_from(["a", "z"])),
    st.builds(Listed, st.just("age"), st.lists(st.integers(0, 6), min_size=1, max_size=3).map(tuple)),
)
rules = st.recursive(
    atoms,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=1, max_size=3).map(tuple).map(All),
        st.lists(inner, min_size=1, max_size=3).map(tuple).map(Any),
    ),
    max_leaves=6,
)
records = st.fixed_dictionaries(
    {
        "tick": st.none() | st.booleans(),
        "age": st.none() | st.integers(0, 6),
        "job": st.none() | st.sampled_from(["a", "b"]),
    }
)
KINDS = pa.schema({"tick": pa.bool_(), "age": pa.int64(), "job": pa.string()})


class _Ruled(Mask):
    """A mask whose rule is given as what it means."""

    def rule(self, column: str) -> Rule:
        return self.who  # type: ignore[return-value]


@given(rules, st.lists(records, max_size=12))
def test_rules_are_decided_record_by_record(rule: Rule, held: list[Record]) -> None:
    table = pa.Table.from_pylist(held, KINDS)
    found = held_sensitive(table, Column("x", "semi-sensitive", None, _Ruled(rule)))  # type: ignore[arg-type]
    assert found.tolist() == [decided(rule, record) is not False for record in held]


def sensitive(who: object, **columns: object) -> list[bool]:
    table = pa.table({name: held if isinstance(held, pa.Array) else pa.array(held) for name, held in columns.items()})
    found: list[bool] = held_sensitive(table, Column("x", "semi-sensitive", None, Mask(who))).tolist()  # type: ignore[arg-type]
    return found


def test_what_is_not_known_is_sensitive() -> None:
    assert sensitive("m", m=[True, False, None]) == [True, False, True]
    assert sensitive("x < 18", x=[17, 18, None]) == [True, False, True]
    assert sensitive((1, 2), x=[1, 3, None]) == [True, False, True]
    assert sensitive("x < 18 and x is not missing", x=[17, 18, None]) == [True, False, False]


def test_values_in_other_types() -> None:
    assert sensitive("x < 18", x=["9", "18"]) == [True, False]
    assert sensitive("x < '2000-01-01'", x=[date(1999, 1, 1), date(2001, 1, 1)]) == [True, False]
    assert sensitive("x == 'a'", x=pa.array(["a", "b"]).dictionary_encode()) == [True, False]
    assert sensitive((date(1999, 1, 1),), x=[date(1999, 1, 1), date(2001, 1, 1)]) == [True, False]
    assert sensitive("x > 1.5", x=pa.array(["1.4", "1.6"]).cast(pa.decimal128(3, 1))) == [False, True]
    assert sensitive("x == 0.1 or x == 2", x=pa.array(["0.10", "2.00", "1"]).cast(pa.decimal128(9, 2))) == [
        True,
        True,
        False,
    ]
    assert sensitive("x == true", x=pa.array([], pa.bool_())) == []


@pytest.mark.parametrize(
    ("who", "held"),
    [
        ("m", ["secret"]),
        ("m", [0, 1]),
        ("m < 5", ["secret"]),
        ("m < 5", [date(1999, 1, 1)]),
        ("m == 'secret'", [5]),
        ("m < 'secret'", ["secret"]),
        ("m < 'secret'", [date(1999, 1, 1)]),
        ("m == true", ["secret"]),
        ("m in [1]", [True]),
    ],
)
def test_what_cannot_be_compared(who: str, held: list[object]) -> None:
    with pytest.raises(DataError, match="the mask of x looks at the column m") as caught:
        sensitive(who, m=held)
    assert "secret" not in caught.value.message


def test_a_mask_needs_a_column_and_no_role() -> None:
    columns = shoal.Schema(semi_sensitive={"x": "m", "y": "x < 5 or q"}).columns()
    assert differences(["x", "y", "m", "q"], columns) == []
    (said,) = differences(["x", "y", "q"], columns)
    assert "not in the table: m" in said
    (said,) = differences(["x", "y", "m", "q", "other"], columns)
    assert "no role in the plan: other" in said
    assert np.array_equal(sensitive("m", m=[True]), [True])
