"""Worked by hand: codes, dates, hierarchies, centres, releases of other tools, and what cannot be answered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest

import shoal
from shoal import between
from shoal.errors import DataError, ShoalError, Unsupported
from shoal.measure.queries.answering import Answer, answers
from shoal.measure.queries.question import aggregate, questions
from shoal.measure.queries.sheets import Sheets
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy

TREE = Hierarchy.from_nested({"north": ["oslo", "turku"], "south": ["rome", "bari", "nice"]})


def quasi(name: str, shown: str, *columns: str, **codes: float | None) -> PublishedColumn:
    return PublishedColumn(name, "quasi-identifying", shown, columns or (name,), **codes)  # type: ignore[arg-type]


def ask(
    table: Mapping[str, Any],
    column: PublishedColumn,
    said: Any,
    what: str = "COUNT(*)",
    trees: Mapping[str, Hierarchy] | None = None,
    *,
    own: bool = True,
) -> tuple[float | None, float | None, float | None]:
    """The estimate, the lower and the upper bound."""
    sheets = Sheets(Published({"release": pa.table(table)}, [column]), trees or {}, own)
    (answer,) = answers(sheets, aggregate(what), questions({} if said is ... else {column.name: said}), 0)
    return answer.estimate, answer.low, answer.high


class TestNumbers:
    age = quasi("age", "bounds", "age_min", "age_max")
    cells: ClassVar = {"age_min": [20, 20, 30], "age_max": [20, 29, 30]}

    def test_a_range_counts_its_whole_numbers(self) -> None:
        assert ask(self.cells, self.age, between(25, 30)) == (0 + 0.5 + 1, 1, 2)
        assert ask(self.cells, self.age, between(24, 30, inclusive="neither")) == (0.5, 0, 1)
        assert ask(self.cells, self.age, between(24.5, 29.5)) == (0.5, 0, 1)
        assert ask(self.cells, self.age, 20) == (1.1, 1, 2)
        assert ask(self.cells, self.age, [20, 29, 30]) == (1 + 0.2 + 1, 2, 3)
        assert ask(self.cells, self.age, between(21, 22, inclusive="neither")) == (0, 0, 0)

    def test_a_set_that_is_all_of_a_range_is_sure(self) -> None:
        cells = {"age_min": [20], "age_max": [21]}
        assert ask(cells, self.age, [20, 21]) == (1, 1, 1)
        assert ask(cells, self.age, [20, 21], own=False)[1:] == (0, 1)  # others may have published 20.5 so

    def test_sums_and_means_of_ranges(self) -> None:
        assert ask(self.cells, self.age, ..., "SUM(age)") == (20 + 24.5 + 30, 70, 79)
        assert ask(self.cells, self.age, between(25, 29), "SUM(age)") == (0.5 * 27, 0, 29)
        assert ask(self.cells, self.age, between(25, 29), "AVG(age)") == (27, 25, 29)
        assert ask(self.cells, self.age, between(25, 30), "AVG(age)") == (29, 27.5, 30)
        assert ask(self.cells, self.age, 50, "AVG(age)") == (None, None, None)
        assert ask(self.cells, self.age, 50, "SUM(age)") == (0, 0, 0)

    def test_numbers_below_zero(self) -> None:
        column = PublishedColumn("pay", "sensitive", "value", ("pay",))
        assert ask({"pay": [-5, 3, 4]}, column, ..., "SUM(pay)") == (2, 2, 2)
        cells = {"age_min": [-4, 1], "age_max": [2, 3]}
        assert ask(cells, self.age, between(-4, 1), "SUM(age)") == (pytest.approx(6 / 7 * -1.5 + 1 / 3), -4, 2)

    def test_a_code_stands_for_all_beyond_it(self) -> None:
        column = quasi("age", "bounds", "age_min", "age_max", top=90)
        cells = {"age_min": [80, 90], "age_max": [90, 90]}
        assert ask(cells, column, between(90)) == (pytest.approx(1 + 1 / 11), 1, 2)
        assert ask(cells, column, between(95)) == (0, 0, 2)
        assert ask(cells, column, ..., "SUM(age)") == (85 + 90, 170, math.inf)
        assert ask(cells, column, between(high=95), "SUM(age)") == (85 + 90, 0, 190)

    def test_fractions_are_counted_as_they_are_written(self) -> None:
        column = quasi("fee", "interval")
        assert ask({"fee": ["[0.5, 0.9]"]}, column, between(0.8)) == (pytest.approx(2 / 5), 0, 1)
        assert ask({"fee": ["[0.5, 0.9]"]}, column, "0.7") == (pytest.approx(1 / 5), 0, 1)

    def test_numbers_too_wide_for_a_difference(self) -> None:
        column = quasi("x", "bounds", "x_min", "x_max")
        cells = {"x_min": [-1.7e308], "x_max": [1.7e308]}
        assert ask(cells, column, between(0), own=False) == (pytest.approx(0.5), 0, 1)

    def test_numbers_that_a_float_does_not_tell_apart_are_not_sure(self) -> None:
        column = PublishedColumn("id", "insensitive", "value", ("id",))
        assert ask({"id": [2**53 + 1]}, column, 2**53)[1:] == (0, 1)
        assert ask({"id": [2**53 - 1]}, column, 2**53 - 1)[1:] == (1, 1)

    def test_missing_values(self) -> None:
        column = quasi("age", "bounds", "age_min", "age_max", "age_missing")
        cells = {
            "age_min": [20, 20, 20, 20, None],
            "age_max": [29, 29, 29, 29, None],
            "age_missing": ["some"] * 4 + ["all"],
        }
        assert ask(cells, column, None) == (4 * 1 / 4 + 1, 1, 5)  # of a class with gaps, one is taken to be missing
        assert ask(cells, column, between(25)) == (4 * 3 / 4 / 2, 0, 4)
        assert ask(cells, column, [None, *range(20, 30)]) == (5, 5, 5)
        assert ask(cells, column, ..., "AVG(age)") == (24.5, 20, 29)


class TestMoments:
    def test_dates_are_counted_in_days(self) -> None:
        column = quasi("day", "bounds", "day_min", "day_max")
        cells = {"day_min": [date(2024, 1, 1)], "day_max": [date(2024, 1, 10)]}
        assert ask(cells, column, between(date(2024, 1, 6))) == (0.5, 0, 1)
        assert ask(cells, column, between("2024-01-01", "2024-01-31")) == (1, 1, 1)
        with pytest.raises(DataError, match="expected dates or times"):
            ask(cells, column, between(19_723))
        with pytest.raises(DataError, match="SUM and AVG take columns of numbers, which day is not"):
            ask(cells, column, ..., "SUM(day)")

    def test_dates_in_text(self) -> None:
        column = quasi("day", "interval")
        cells = {"day": ["[2024-01-01, 2024-01-10]", "*"]}
        assert ask(cells, column, between(high=date(2024, 1, 5))) == (1.0, 0, 2)
        with pytest.raises(DataError, match="SUM and AVG"):
            ask(cells, column, ..., "AVG(day)")


class TestCategories:
    def test_sets(self) -> None:
        column = quasi("job", "set")
        cells = {"job": ["{clerk, cook}", "clerk", "{cook, null}", None, "*"]}
        share = 0.5 + 1 + 0 + 0 + 0.5  # of two jobs that are named, any may be the last one's
        assert ask(cells, column, "clerk") == (share, 1, 3)
        assert ask(cells, column, ["clerk", "cook"])[1:] == (2, 4)
        assert ask(cells, column, None)[1:] == (1, 3)
        assert ask(cells, column, "baker") == (0, 0, 1)
        assert ask(cells, column, between("clerk", "cook", inclusive="low")) == (share, 1, 3)

    def test_a_label_stands_for_what_is_below_it(self) -> None:
        trees = {"town": TREE}
        cells = {"town": ["oslo", "north", "south", "*"]}
        assert ask(cells, quasi("town", "node"), "north", trees=trees) == (pytest.approx(2 + 2 / 5), 2, 3)
        assert ask(cells, quasi("town", "node"), ["rome", "oslo"], trees=trees)[1:] == (1, 4)
        assert ask(cells, quasi("town", "node"), between("turku", "bari"), trees=trees) == (
            pytest.approx(0.5 + 2 / 3 + 3 / 5),
            0,
            3,
        )
        exact = PublishedColumn("town", "sensitive", "value", ("town",))
        assert ask({"town": ["oslo", "bari", None]}, exact, "north", trees=trees) == (1, 1, 1)

    def test_what_a_hierarchy_does_not_know(self) -> None:
        cells = {"town": ["oslo", "north"]}
        with pytest.raises(DataError, match="town is asked for 1 value") as caught:
            ask(cells, quasi("town", "node"), ["oslo", "lima"], trees={"town": TREE})
        assert "lima" not in caught.value.message
        with pytest.raises(DataError, match="an end of a range of town"):
            ask(cells, quasi("town", "node"), between("lima"), trees={"town": TREE})

    def test_numbers_with_a_hierarchy(self) -> None:
        tree = Hierarchy.from_nested({"low": ["1", "2"], "high": ["8", "9", "10"]})
        column = quasi("step", "node")
        cells = {"step": ["low", "9", "high"]}
        assert ask(cells, column, between(2, 9), trees={"step": tree}) == (pytest.approx(0.5 + 1 + 2 / 3), 1, 3)
        assert ask(cells, column, ..., "SUM(step)", {"step": tree}) == (1.5 + 9 + 9, 1 + 9 + 8, 2 + 9 + 10)
        assert ask(cells, column, between(2, 9), "AVG(step)", {"step": tree})[1:] == ((2 + 9) / 2, 9)


class TestCentres:
    def test_nothing_is_sure_of_a_record(self) -> None:
        column = quasi("age", "centre")
        assert ask({"age": [30, 30, 41]}, column, between(high=35)) == (2, 0, 3)
        assert ask({"age": [30, 30, 41]}, column, ..., "SUM(age)") == (101, -math.inf, math.inf)
        assert ask({"age": [30, 30, 41]}, column, between(20, 50), "AVG(age)") == (pytest.approx(101 / 3), 20, 50)
        assert ask({"job": ["cook", "clerk", None]}, quasi("job", "centre"), "cook") == (1, 0, 3)

    def test_no_bound_is_none_in_json(self) -> None:
        found = Answer(1.0, -math.inf, math.inf, 3, 0).as_dict()
        assert found == {"estimate": 1.0, "low": None, "high": None, "records": 3, "suppressed": 0}


class TestReleases:
    table = pa.table(
        {
            "age": [31, 34, 38, 52, 55, 59],
            "town": ["oslo", "oslo", "turku", "rome", "bari", "nice"],
            "ill": ["flu", "gout", "cold", "flu", "gout", "cold"],
        }
    )

    def plan(self, form: Any, require: list[Any], town: Any = None) -> shoal.Plan:
        schema = shoal.Schema(quasi_identifying={"age": None, "town": town}, sensitive=["ill"])
        return shoal.Plan(schema, require, form=form, person="row")

    def test_anatomy(self) -> None:
        plan = self.plan(shoal.Anatomy(), [shoal.LDiversity(3), shoal.Size(3)])
        release = shoal.anonymize(self.table, plan)
        assert shoal.query(release, "COUNT(*)", {"ill": "flu"}) == Answer(2, 2, 2, 6, 0)
        assert shoal.query(release, "COUNT(*)", {"age": between(high=35)}) == Answer(2, 2, 2, 6, 0)
        both = shoal.query(release, "COUNT(*)", {"age": between(high=35), "ill": "flu"})
        assert both == Answer(pytest.approx(2 / 3), 0, 1, 6, 0)
        mean = shoal.query(release, "AVG(age)", {"ill": "flu"})
        assert mean == Answer(pytest.approx((103 / 3 + 166 / 3) / 2), (31 + 52) / 2, (38 + 59) / 2, 6, 0)

    def test_several_sensitive_columns_are_not_linked(self) -> None:
        table = self.table.append_column("pay", pa.array([1, 2, 3, 4, 5, 6]))
        schema = shoal.Schema(quasi_identifying=["age", "town"], sensitive=["ill", "pay"])
        plan = shoal.Plan(schema, [shoal.Size(3), shoal.LDiversity(3)], form=shoal.Anatomy(), person="row")
        release = shoal.anonymize(table, plan)
        answer = shoal.query(release, "SUM(pay)", {"ill": "flu"})
        assert (answer.low, answer.high) == (1 + 4, 3 + 6)
        assert answer.estimate == pytest.approx(21 / 3)

    def test_a_hierarchy_needs_the_plan(self, tmp_path: Path) -> None:
        plan = self.plan(shoal.Generalized(), [shoal.KAnonymity(3)], TREE)
        folder = shoal.anonymize(self.table, plan).write(tmp_path / "out")
        with pytest.raises(DataError, match="town is published by a hierarchy: give a plan"):
            shoal.query(folder, "COUNT(*)", {"town": "oslo"})
        assert shoal.query(folder, "COUNT(*)", {"ill": "flu"}).low == 2  # nobody asks of the town
        found = shoal.query(folder, "COUNT(*)", {"town": "north"}, plan=plan)
        assert (found.low, found.high) == (3, 3)

    def test_a_hierarchy_that_is_built_needs_the_original(self) -> None:
        schema = shoal.Schema(quasi_identifying={"age": shoal.intervals(width=10)}, sensitive=["ill"])
        plan = shoal.Plan(schema, [shoal.KAnonymity(3)], person="row")
        held = self.table.select(["age", "ill"])
        release = shoal.anonymize(held, plan)
        found = shoal.query(release, "COUNT(*)", {"age": between(30, 39)}, plan=plan, original=held)
        assert (found.low, found.high) == (3, 3)

    def test_records_that_were_left_out(self) -> None:
        table = pa.table({"age": [1, 1, 1, 90], "ill": ["flu", "flu", "gout", "flu"]})
        schema = shoal.Schema(quasi_identifying=["age"], sensitive=["ill"])
        plan = shoal.Plan(schema, [shoal.KAnonymity(3), shoal.LDiversity(1.5)], suppress=0.25, person="row")
        answer = shoal.query(shoal.anonymize(table, plan), "COUNT(*)", {"ill": "flu"})
        assert (answer.records, answer.suppressed) in ((3, 1), (4, 0))
        theirs = pa.table({"age": ["[20, 30[", "[20, 30[", "*"], "ill": ["flu", "gout", "flu"]})
        plan = shoal.Plan(schema, [shoal.KAnonymity(2)], person="row")
        answer = shoal.query(theirs, "COUNT(*)", {"age": between(25), "ill": "flu"}, plan=plan)
        assert (answer.low, answer.high, answer.records, answer.suppressed) == (0, 1, 2, 1)

    def test_what_there_is_not(self) -> None:
        release = shoal.anonymize(self.table, self.plan(shoal.Generalized(), [shoal.KAnonymity(3)]))
        with pytest.raises(DataError, match="the release has no column pay, wards; it has age, ill, town"):
            shoal.query(release, "SUM(pay)", {"wards": "x", "age": 3})
        with pytest.raises(DataError, match="SUM and AVG take columns of numbers, which ill is not"):
            shoal.query(release, "SUM(ill)")
        with pytest.raises(DataError, match="age is asked for what it cannot hold: expected numbers"):
            shoal.query(release, "COUNT(*)", {"age": "old"})

    def test_a_form_that_nobody_answers(self) -> None:
        sheets = Sheets(Published({"release": self.table}, [quasi("age", "value")], "mosaic"), {}, own=True)
        with pytest.raises(Unsupported, match="queries are not answered from the form mosaic, only from generalized"):
            answers(sheets, aggregate("COUNT(*)"), [{}], 0)

    def test_tables_that_do_not_fit_together(self) -> None:
        plan = self.plan(shoal.Anatomy(), [shoal.Size(3)])
        release = shoal.anonymize(self.table, plan)
        columns = tuple(release.manifest.columns)
        for tables in ({"qit": release.arrow["qit"].slice(1)}, {"sat_ill": release.arrow["sat_ill"].slice(1)}):
            sheets = Sheets(Published({**release.arrow, **tables}, columns, "anatomy"), {}, own=True)
            with pytest.raises(ShoalError, match="do not have a value for each record"):
                answers(sheets, aggregate("COUNT(*)"), [{}], 0)

    @pytest.mark.parametrize("form", [shoal.Generalized(), shoal.Centres(), shoal.Anatomy()])
    def test_no_records_and_no_questions(self, form: Any) -> None:
        schema = shoal.Schema(quasi_identifying=["age"], sensitive=["ill"])
        plan = shoal.Plan(schema, [shoal.Size(2)], form=form, person="row")
        release = shoal.anonymize(self.table.select(["age", "ill"]).slice(0, 0), plan)
        assert shoal.query(release, "COUNT(*)") == Answer(0, 0, 0, 0, 0)
        assert shoal.query(release, "COUNT(*)", {"age": 3, "ill": "flu"}) == Answer(0, 0, 0, 0, 0)
        assert shoal.query(release, "SUM(age)", {"ill": None}) == Answer(0, 0, 0, 0, 0)
        assert shoal.query(release, "AVG(age)") == Answer(None, None, None, 0, 0)
        assert shoal.query(release, "COUNT(*)", []) == []
