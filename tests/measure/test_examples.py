"""Worked by hand: the formulas' plain cases, the edges, and publications of other tools."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.measure import Loss, Scores, measure
from shoal.release.manifest import PublishedColumn
from shoal.schema.hierarchy import Hierarchy
from tests.measure.tables import quasi

TREE = Hierarchy.from_nested({"north": ["oslo", "turku"], "south": ["rome", "bari", "nice"]})


def of(
    published: Mapping[str, Any],
    columns: list[PublishedColumn],
    original: Mapping[str, Any] | None,
    **how: Any,
) -> Scores:
    trees = {column.name: TREE for column in columns if column.shown == "node"}
    how = {"suppressed": 0, "k": None, "trees": trees, **how}
    return measure(pa.table(published), columns, original=None if original is None else pa.table(original), **how)


def ncp(published: list[Any], column: PublishedColumn, original: Any, **how: Any) -> float | None:
    return of({column.name: published}, [column], {column.name: original}, **how).loss.whole.ncp


def glm(published: list[Any], column: PublishedColumn, original: Any, **how: Any) -> float | None:
    return of({column.name: published}, [column], {column.name: original}, **how).loss.whole.glm


def ncp_xu(published: list[Any], column: PublishedColumn, original: Any, **how: Any) -> float | None:
    return of({column.name: published}, [column], {column.name: original}, **how).loss.whole.ncp_xu


def test_table_2_of_the_sabre_paper() -> None:
    scores = of(
        {
            "weight": ["[50-60]"] * 3 + ["[70-80]"] * 3,
            "age": ["[40-60]"] * 3 + ["[50-70]"] * 3,
        },
        [quasi("weight", "interval"), quasi("age", "interval")],
        {"weight": [60, 70, 60, 50, 80, 70], "age": [40, 50, 60, 50, 50, 70]},
        k=3,
    )
    assert scores.loss.columns["weight"] == Loss(*[pytest.approx(1 / 3)] * 3)
    assert scores.loss.columns["age"] == Loss(*[pytest.approx(2 / 3)] * 3)
    assert scores.loss.whole.glm == pytest.approx(0.5)  # AIL
    assert (scores.classes, scores.class_size, scores.c_avg, scores.discernibility) == (2, 3, 1, 18)


class TestHierarchies:
    column = quasi("city", "node")
    original = ("oslo", "turku", "rome", "bari", "nice")

    def test_all_formulas(self) -> None:
        published = ["north", "north", "south", "*", "rome"]
        assert ncp(published, self.column, self.original) == pytest.approx((1 / 4 * 2 + 2 / 4 + 1) / 5)
        assert glm(published, self.column, self.original) == pytest.approx((2 / 5 * 2 + 3 / 5 + 1) / 5)
        assert ncp_xu(published, self.column, self.original) == pytest.approx((2 / 5 * 2 + 3 / 5 + 1) / 5)

    def test_ncp_counts_what_occurs_and_glm_the_hierarchy(self) -> None:
        assert ncp(["south"], self.column, ["oslo", "rome", "bari"]) == pytest.approx(1 / 2)
        assert glm(["south"], self.column, ["oslo", "rome", "bari"]) == pytest.approx(3 / 5)
        assert ncp_xu(["south"], self.column, ["oslo", "rome", "bari"]) == pytest.approx(2 / 3)
        assert ncp(["north"], self.column, ["oslo", "rome", "bari"]) == 0
        assert ncp_xu(["north"], self.column, ["oslo", "rome", "bari"]) == 0

    def test_missing_hangs_below_the_root(self) -> None:
        assert ncp(["*", "north", None], self.column, ["oslo", "turku", None]) == pytest.approx((1 + 1 / 2) / 3)
        assert glm(["*", "north", None], self.column, ["oslo", "turku", None]) == pytest.approx((1 + 2 / 6) / 3)

    def test_missing_counts_only_where_it_occurs(self) -> None:
        assert ncp(["{north, null}"], self.column, self.original) == pytest.approx(1 / 4)
        assert ncp(["{north, null}"], self.column, [*self.original, None]) == 1

    def test_any_costs_all_even_where_the_root_has_another_name(self) -> None:
        tree = Hierarchy.from_nested({"world": {"north": ["oslo", "turku"], "south": ["rome"]}})
        for cell in ("*", "world"):
            assert ncp([cell], self.column, ["oslo", "turku", "rome", None], trees={"city": tree}) == 1


class TestSets:
    column = quasi("city", "set")

    def test_missing_is_one_more_value(self) -> None:
        original = ["oslo", "rome", "bari", None]
        published = ["{oslo, rome}", "{oslo, null}", "{oslo, rome, bari}", "*", None, "bari"]
        assert ncp(published, self.column, original) == pytest.approx((1 + 1 + 2 + 3) / 3 / 6)
        assert glm(published, self.column, original) == pytest.approx((2 + 2 + 3 + 4) / 4 / 6)


class TestRanges:
    def test_codes_clip_cells_and_domain(self) -> None:
        column = quasi("age", "interval", bottom=20, top=90)
        published = ["[20, 30]", "[80, 90]", "[90, 90]", "*"]
        assert ncp(published, column, [1, 25, 104, 60]) == pytest.approx((10 + 10 + 0 + 70) / 70 / 4)

    def test_a_rounded_end_beyond_the_domain_is_clipped(self) -> None:
        assert ncp(["[15, 20]"], quasi("age", "interval", step=5), [17, 20, 30]) == pytest.approx(3 / 13)

    def test_open_ends(self) -> None:
        assert ncp([">=25", "<=20"], quasi("age", "interval"), [10, 20, 30]) == pytest.approx((5 + 10) / 20 / 2)

    def test_missing_beside_a_number_costs_all(self) -> None:
        published = ["[5, 5] or missing", "[5, 5]", None]
        assert ncp(published, quasi("age", "interval"), [5, None, 5]) == pytest.approx(1 / 3)

    def test_dates(self) -> None:
        first, last = date(2020, 1, 1), date(2020, 1, 11)
        column = quasi("seen", "bounds", "seen_min", "seen_max")
        scores = of({"seen_min": [first], "seen_max": [date(2020, 1, 6)]}, [column], {"seen": [first, last]})
        assert scores.loss.whole.ncp == pytest.approx(0.5)

    def test_numbers_that_the_original_holds_as_text(self) -> None:
        column = quasi("age", "interval")
        assert ncp(["20-30"], column, ["20", "40", "?"], missing=("?",)) == pytest.approx(0.5)
        assert ncp(["20-30"], column, pa.array(["20", "40"]).dictionary_encode()) == pytest.approx(0.5)

    @pytest.mark.parametrize("strange", ["secret", "20-30", "*"])
    def test_an_original_that_is_no_number_is_refused_without_quoting_it(self, strange: str) -> None:
        with pytest.raises(DataError, match="age is published as ranges") as refused:
            ncp(["20-30"], quasi("age", "interval"), ["20", strange])
        assert strange not in str(refused.value)


@pytest.mark.parametrize(
    ("column", "published", "original"),
    [
        (quasi("x", "interval"), ["[1, 9]", "*", None], [5, 5, 5]),
        (quasi("x", "interval"), ["*", None, "[1, 2]"], pa.array([None, None], pa.int64())),
        (quasi("x", "node"), ["*", "north", None], ["oslo", "oslo"]),
        (quasi("x", "node"), ["*", None], pa.array([None], pa.string())),
        (quasi("x", "set"), ["*", "{oslo, null}", None], ["oslo"]),
        (quasi("x", "set"), ["*", None], pa.array([None], pa.null())),
    ],
)
def test_nothing_can_be_lost_of_a_constant(column: PublishedColumn, published: list[Any], original: list[Any]) -> None:
    assert ncp(published, column, original) == 0
    assert glm(published, column, original) == 0


class TestEdges:
    column = quasi("age", "value")

    def test_no_records(self) -> None:
        empty = {"age": pa.array([], pa.int64())}
        scores = of(empty, [self.column], empty, k=2, population=pa.table(empty))
        assert (scores.records, scores.classes, scores.discernibility, scores.suppression) == (0, 0, 0, 0)
        assert (scores.class_size, scores.c_avg, scores.loss.whole) == (0, 0, Loss(0, 0, 0))
        assert (scores.risk.prosecutor.highest, scores.risk.marketer, scores.smallest.size) == (0, 0, 0)
        assert scores.risk.journalist is not None
        assert scores.risk.journalist.highest == 0

    def test_everything_suppressed(self) -> None:
        scores = of({"age": pa.array([], pa.int64())}, [self.column], {"age": [1, 2]}, suppressed=2)
        assert (scores.loss.whole, scores.suppression, scores.discernibility) == (Loss(1, 1, 1), 1, 4)

    def test_one_record(self) -> None:
        scores = of({"age": [7]}, [self.column], {"age": [7]}, k=2)
        assert (scores.classes, scores.risk.prosecutor.highest, scores.smallest.share) == (1, 1, 1)
        assert scores.risk.prosecutor.above[1].records == 1
        assert scores.loss.whole == Loss(0, 0, 0)

    def test_no_quasi_identifiers(self) -> None:
        scores = of({"x": [1, 2, 3]}, [PublishedColumn("x", "sensitive", "value", ("x",))], {"x": [1, 2, 3]})
        assert (scores.classes, scores.smallest.size, scores.loss.whole) == (1, 3, Loss(0, 0, 0))
        assert scores.loss.columns == {}

    def test_without_an_original_the_loss_says_why_it_is_not_known(self) -> None:
        loss = of({"age": [7, 8]}, [self.column], None).loss
        assert (loss.whole, loss.columns) == (Loss(None, None, None), {"age": Loss(None, None, None)})
        assert "original" in (loss.reason or "")

    @pytest.mark.parametrize("which", ["original", "population"])
    def test_a_table_without_the_column(self, which: str) -> None:
        tables = {"original": {"age": [7]}, "population": {"age": [7]}, which: {"years": [7]}}
        with pytest.raises(DataError, match=f"{which} table has no column age"):
            of({"age": [7]}, [self.column], tables["original"], population=pa.table(tables["population"]))

    def test_more_combinations_of_cells_than_fit_an_integer(self) -> None:
        values = list(range(1 << 16))
        wide = {"x0": [*values, 1], **{f"x{number}": [*values, 0] for number in range(1, 5)}}
        scores = of(wide, [quasi(name, "value") for name in wide], None)
        assert scores.classes == len(values) + 1  # the last record differs from the first in x0 alone


class TestMissingTexts:
    column = quasi("city", "set")

    def test_they_are_missing_values_in_all_tables(self) -> None:
        tables = {"city": ["oslo", "?", "NA", "rome"]}
        scores = of(tables, [self.column], tables, missing=("?", "NA"), population=pa.table(tables))
        assert (scores.classes, scores.loss.whole.ncp) == (3, 0)
        assert scores.risk.journalist is not None
        assert scores.risk.journalist.short == 0

    def test_they_do_not_touch_the_states_of_bounds(self) -> None:
        published = {"age_min": [1, 2], "age_max": [3, 4], "age_missing": ["none", "some"]}
        column = quasi("age", "bounds", *published)
        scores = of(published, [column], {"age": [1, 2, 5]}, missing=("none", "some"))
        assert scores.loss.whole.ncp == pytest.approx(0.5)


class TestPopulation:
    def test_a_class_hides_among_all_whom_it_covers(self) -> None:
        published = {"age": ["[20, 29]"] * 2 + ["[30, 39]"] * 2, "city": ["north", "north", "rome", "rome"]}
        people = pa.table({"age": [20, 25, 29, 29, 30, 35, 39], "city": ["oslo"] * 3 + ["rome"] * 4})
        columns = [quasi("age", "interval"), quasi("city", "node")]
        risk = of(published, columns, None, population=people, k=3).risk
        assert risk.journalist is not None
        assert (risk.journalist.highest, risk.journalist.average) == (1 / 3, pytest.approx(1 / 3))
        assert (risk.prosecutor.highest, risk.prosecutor.above[1].share) == (1 / 2, 1)
        assert risk.journalist.above[1].share == 0
        assert risk.marketer == pytest.approx(1 / 3)

    def test_a_top_code_covers_the_oldest(self) -> None:
        column = quasi("age", "interval", top=90)
        risk = of({"age": ["[80, 90]"]}, [column], None, population=pa.table({"age": [79, 80, 104, 99]})).risk
        assert risk.marketer == pytest.approx(1 / 3)

    def test_people_of_unknown_values_hide_nobody(self) -> None:
        people = pa.table({"age": [20, None, None], "city": ["oslo", "oslo", "atlantis"]})
        columns = [quasi("age", "interval"), quasi("city", "node")]
        for age, city, crowd in (
            ("[10, 30]", "north", 1),
            ("[10, 30] or missing", "north", 2),
            ("*", "north", 2),
        ):
            risk = of({"age": [age], "city": [city]}, columns, None, population=people).risk
            assert risk.marketer == 1 / crowd

    def test_a_table_that_misses_people_is_said_to(self) -> None:
        people = pa.table({"age": [20, 40]})
        risk = of({"age": ["[20, 29]"] * 3}, [quasi("age", "interval")], None, population=people).risk
        assert risk.journalist is not None
        assert (risk.journalist.short, risk.journalist.highest) == (1, 1 / 3)

    def test_more_people_than_fit_a_block(self) -> None:
        people = pa.table({"age": list(range(100)) * 97, "city": ["oslo", "rome"] * 4850})
        published = {"age": ["[0, 49]", "[50, 51]", "*"], "city": ["*", "oslo", "south"]}
        columns = [quasi("age", "interval"), quasi("city", "node")]
        risk = of(published, columns, None, population=people).risk
        assert risk.journalist is not None
        assert risk.journalist.average == pytest.approx((1 / 4850 + 1 / 97 + 1 / 4850) / 3)
