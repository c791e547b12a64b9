"""What may be asked, as written in Python and for the command; what cannot be read is one error without values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError
from shoal.measure.queries.question import KNOWN, Aggregate, Between, Condition, aggregate, questions
from shoal.measure.queries.written import conditions
from shoal.release.cells import quoted

MISSING = Condition((), missing=True)


class TestAggregates:
    @pytest.mark.parametrize(
        ("written", "kind", "column"),
        [
            ("COUNT(*)", "COUNT", None),
            (" count ( * ) ", "COUNT", None),
            ("SUM(pay)", "SUM", "pay"),
            ("avg( hours per week )", "AVG", "hours per week"),
            ('SUM("a \\"b\\" (c)")', "SUM", 'a "b" (c)'),
            ('AVG("*")', "AVG", "*"),
            ("SUM(f(x))", "SUM", "f(x)"),
        ],
    )
    def test_they_are_read(self, written: str, kind: Any, column: str | None) -> None:
        assert aggregate(written) == Aggregate(kind, column)

    @pytest.mark.parametrize(
        "written", ["", "COUNT", "COUNT()", "COUNT(age)", "SUM(*)", "SUM()", "MAX(age)", "SUM age", 'SUM("a "")', 3]
    )
    def test_or_refused(self, written: Any) -> None:
        with pytest.raises(DataError, match="expected COUNT"):
            aggregate(written)


class TestMappings:
    def one(self, said: Any) -> Condition:
        (question,) = questions({"x": said})
        (condition,) = question["x"]
        return condition

    @pytest.mark.parametrize(
        ("said", "meant"),
        [
            ("flu", Condition(("flu",))),
            (3, Condition((3,))),
            (True, Condition((True,))),
            (np.int8(3), Condition((3,))),
            (None, MISSING),
            (math.nan, MISSING),
            ([], Condition(())),
            ([1, None], Condition((1,), missing=True)),
            (range(3), Condition((0, 1, 2))),
            (np.array([1.5, np.nan]), Condition((1.5,), missing=True)),
            (shoal.between(1), Condition(None, Between(1, None))),
            (shoal.between(high=np.int64(2), inclusive="neither"), Condition(None, Between(None, 2, "neither"))),
        ],
    )
    def test_they_are_read(self, said: Any, meant: Condition) -> None:
        assert self.one(said) == meant

    def test_one_question_or_several(self) -> None:
        assert questions(None) == [{}]
        assert questions({}) == [{}]
        assert questions([]) == []
        assert len(questions([{"x": 1}, {}])) == 2

    def test_all_mistakes_are_told_at_once(self) -> None:
        with pytest.raises(
            DataError, match=r"age: expected a value.*job: expected a value.*a name of a column is no text"
        ):
            questions([{"age": {"low": 1}, "job": [["clerk"]]}, {3: 1}])  # type: ignore[dict-item]
        with pytest.raises(DataError, match="list of such mappings"):
            questions(["age >= 30"])  # type: ignore[list-item]
        with pytest.raises(DataError, match="inclusive"):
            shoal.between(1, 2, inclusive="left")  # type: ignore[arg-type]


class TestNotation:
    @pytest.mark.parametrize(
        ("written", "column", "meant"),
        [
            ("age >= 30", "age", Condition(None, Between("30", None))),
            ("age>30", "age", Condition(None, Between("30", None, "neither"))),
            ("age <= 30", "age", Condition(None, Between(None, "30"))),
            ("age < -1.5", "age", Condition(None, Between(None, "-1.5", "neither"))),
            ("job = clerk", "job", Condition(("clerk",))),
            ("job=a = b", "job", Condition(("a = b",))),
            ("job in clerk, cook", "job", Condition(("clerk", "cook"))),
            ('job in clerk, "a, b", null', "job", Condition(("a, b", "clerk"), missing=True)),
            ("hours per week in 1, 2", "hours per week", Condition(("1", "2"))),
            ('"a >= b" = ""', "a >= b", Condition(("",))),
            ("job is missing", "job", MISSING),
            ("job is known", "job", KNOWN),
            ("job = is missing", "job", Condition(("is missing",))),
            ("job in a, b = c", "job", Condition(("a", "b = c"))),
            ("day >= 2020-01-31", "day", Condition(None, Between("2020-01-31", None))),
        ],
    )
    def test_it_is_read(self, written: str, column: str, meant: Condition) -> None:
        assert conditions([written]) == {column: (meant,)}

    def test_all_conditions_of_a_column_are_kept(self) -> None:
        found = conditions(["age >= 30", "job = clerk", "age < 40"])
        assert [len(found[name]) for name in ("age", "job")] == [2, 1]
        (question,) = questions(found)
        assert question == found

    @pytest.mark.parametrize(
        "written",
        ["", "age", "age >=", "= 3", "age ~ 3", "age in", "job = a, b", 'job = "a', "age >= null", "job in a,,b"],
    )
    def test_or_refused_without_being_quoted(self, written: str) -> None:
        with pytest.raises(DataError, match="1 of 2 condition") as caught:
            conditions(["age = 3", written])
        assert "a, b" not in caught.value.message

    @given(st.text(min_size=1), st.lists(st.one_of(st.none(), st.text()), min_size=1, unique=True))
    def test_any_name_and_any_value_can_be_written(self, column: str, values: list[str | None]) -> None:
        import json

        found = conditions([f"{json.dumps(column)} in {', '.join(map(quoted, values))}"])
        known = tuple(sorted(value for value in values if value is not None))
        assert found == {column: (Condition(known, missing=None in values),)}
