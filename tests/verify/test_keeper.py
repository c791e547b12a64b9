"""The keeper believes what is true, and finds every lie that a publisher could tell."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.privacy.requirements import KAnonymity, Size, TCloseness
from shoal.release.manifest import PublishedColumn
from shoal.schema.columns import Column
from shoal.verify import kinds, unlinked
from tests.verify.releases import INSENSITIVE, QUASI, SENSITIVE, Release, example, other, quasi, the

ROW, CELL, SAME = "every row is one record", "every cell covers", "values are those of their records"
UNIQUE, NAMED, ORDER, OUT = "is not unique", "no identifying value", "order of the original", "left out"


def fails(release: Release, **how: Any) -> list[str]:
    """What does not hold."""
    return [finding.what for finding in release.kept(**how).findings if not finding.holds]


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_a_true_release_holds(seed: int, linked: bool) -> None:
    release = example(seed=seed)
    assert fails(release if linked else replace(release, link=None)) == []


def test_an_unsigned_link_is_a_link() -> None:
    release = example()
    assert release.link is not None
    assert fails(release, link=release.link.astype(np.uint32)) == []


class TestLies:
    """Each of them, with a link and without."""

    def test_two_sensitive_values_swapped(self) -> None:
        release = example()
        ill = release.table.column("ill").to_pylist()
        there = next(row for row in range(1, 60) if ill[row] != ill[0])
        lie = release.change("ill", [0, there], [ill[there], ill[0]])
        finding = the(lie.kept(), SAME)
        assert (finding.holds, finding.records) == (False, 2)
        assert finding.says == "not so: ill in 2 row(s)"

    def test_a_sensitive_value_made_missing(self) -> None:
        release = example()
        row = next(row for row, ill in enumerate(release.table.column("ill").to_pylist()) if ill is not None)
        assert the(release.change("ill", row, [None]).kept(), SAME).records == 1
        assert fails(replace(release.change("ill", row, [None]), link=None))

    def test_an_insensitive_value_changed(self) -> None:
        lie = example().change("year", 5, [1999])
        assert the(lie.kept(), SAME).says == "not so: year in 1 row(s)"
        assert fails(replace(lie, link=None))

    def test_a_record_dropped(self) -> None:
        lie = example().rows(range(1, 60))
        finding = the(lie.kept(), OUT)
        assert (finding.holds, finding.records, finding.asked) == (False, 1, 0)
        assert the(replace(lie, link=None).kept(), OUT).holds is False
        assert fails(lie, suppress=1 / 60) == []
        assert lie.kept(suppress=0.1).suppressed == 1

    def test_a_record_dropped_and_another_one_twice(self) -> None:
        lie = example().rows([0, 0, *range(2, 60)])
        assert (the(lie.kept(), ROW).holds, the(lie.kept(), ROW).records) == (False, 1)
        assert fails(replace(lie, link=None))

    def test_a_record_too_many(self) -> None:
        lie = example().rows([0, *range(60)])
        assert {finding for finding in fails(lie) if OUT in finding or ROW in finding} == set(fails(lie))
        assert the(replace(lie, link=None).kept(), OUT).says == "there are more rows than records"

    @pytest.mark.parametrize("link", [np.arange(59), np.arange(1, 61), np.arange(-1, 59), np.zeros(60, int)])
    def test_a_link_that_is_none(self, link: np.ndarray[Any, Any]) -> None:
        assert not the(example().kept(link=link), ROW).holds

    def test_a_link_to_other_records(self) -> None:
        """The table is true: what was said of its making is not, and the table can be judged without."""
        release = example()
        assert set(fails(release, link=np.roll(np.asarray(release.link), 1))) >= {
            "every cell covers the value of its record"
        }

    @pytest.mark.parametrize(
        ("name", "value"),
        [("land", "{x, y}"), ("land", "e")],
    )
    def test_a_cell_that_does_not_cover_its_record(self, name: str, value: Any) -> None:
        lie = example().change(name, 0, [value])
        assert (the(lie.kept(), CELL).holds, the(lie.kept(), CELL).records) == (False, 1)
        assert fails(replace(lie, link=None))

    @pytest.mark.parametrize("end", ["age_min", "age_max"])
    def test_a_bound_narrowed(self, end: str) -> None:
        release = example()
        age = release.original.column("age").to_numpy()[release.link]
        inside = {"age_min": lambda: age % 10 < 9, "age_max": lambda: age % 10 > 0}[end]()
        row = int(np.flatnonzero(inside)[0])
        lie = release.change(end, row, [int(age[row]) + (1 if end == "age_min" else -1)])
        assert (the(lie.kept(), CELL).records, the(lie.kept(), CELL).says) == (1, "not so: age in 1 row(s)")

    def test_a_label_that_there_is_not(self) -> None:
        lie = example().change("job", 0, ["Martian"])
        with pytest.raises(DataError, match="job has 1 different cell"):
            lie.kept()

    def test_a_range_of_nothing(self) -> None:
        lie = example().change("age_min", 0, [1000])
        with pytest.raises(DataError, match="cannot be read"):
            lie.kept()

    def test_a_wider_cell_is_no_lie(self) -> None:
        wide = example().change("land", 0, ["*"]).change("age_max", 1, [99]).change("job", 2, ["*"])
        assert fails(wide) == fails(replace(wide, link=None)) == []

    def test_a_wrong_label_of_the_right_hierarchy(self) -> None:
        release = example()
        label = {"Public": "Private", "Private": "Public"}[release.table.column("job")[0].as_py()]
        lie = release.change("job", 0, [label])
        assert the(lie.kept(), CELL).says == "not so: job in 1 row(s)"

    def test_the_order_of_the_input(self) -> None:
        release = example()
        straight = np.argsort(np.asarray(release.link))
        for order in (straight, straight[::-1]):
            finding = the(release.rows(order).kept(), ORDER)
            assert not finding.holds
            assert "sort them" in finding.says

    def test_the_order_of_the_input_within_classes(self) -> None:
        release = example(400)
        name = release.table.column("age_min").to_numpy()
        lie = release.rows(np.lexsort((np.asarray(release.link), name)))
        (note,) = [note for note in lie.kept().notes if note.about == "order"]
        assert note.figures["rank correlation"] > 0.5

    def test_an_identifying_column(self) -> None:
        release = example()
        names = release.original.column("name").take(pa.array(np.asarray(release.link)))
        lie = replace(release, table=release.table.append_column("name", names))
        assert the(lie.kept(), "no identifying column").says == "published: name"
        named = replace(lie, columns=(*lie.columns, other("name", "identifying")))
        assert the(named.kept(), "no identifying column").says == "published: name"

    def test_an_identifying_column_under_another_name(self) -> None:
        release = example()
        names = release.original.column("name")
        told = replace(
            release,
            table=release.table.append_column("nick", names.take(pa.array(np.asarray(release.link)))),
            original=release.original.append_column("nick", names),
            columns=(*release.columns, other("nick", INSENSITIVE)),
            plan=(*release.plan, Column("nick", INSENSITIVE)),
        )
        assert the(told.kept(allow_unique=["nick"]), NAMED).says == "nick repeats name"

    def test_a_column_that_is_not_published(self) -> None:
        release = example()
        lie = replace(release, columns=release.columns[:-1], table=release.table.drop_columns(["year"]))
        assert the(lie.kept(), "in its role").says == "not so: year"


def test_a_release_that_is_sorted_by_its_own_cells_may_be_in_the_order_of_a_sorted_original() -> None:
    age = np.repeat(np.arange(30), 2)
    original = pa.table({"age": age, "ill": ["flu", None] * 30})
    columns = (quasi("age"), other("ill"))
    release = Release(original, columns, original, np.arange(60), (Column("age", QUASI), Column("ill", SENSITIVE)))
    assert fails(release) == []
    assert not release.kept().notes
    assert fails(release.rows(np.arange(60)[::-1])) == ["the order of the original is not kept"]


def test_few_rows_may_stand_in_any_order_by_chance() -> None:
    table = pa.table({"age": [3, 1, 2]})
    release = Release(table, (quasi("age"),), table, np.arange(3), (Column("age", QUASI),))
    assert fails(release) == []


class TestPeople:
    """Rows of one person are one person."""

    TABLE = pa.table({"x": [1, 1, 1, 2, 2, 2]})
    WHO = pa.table({"x": [1, 1, 1, 2, 2, 2], "who": ["A", "A", "B", None, "", "C"]})
    PLAN = (Column("x", QUASI), Column("who", "identifying"))
    RELEASE = Release(TABLE, (quasi("x"),), WHO, np.array([1, 0, 2, 3, 4, 5]), PLAN, (KAnonymity(3), Size(2)))

    def test_classes_are_counted_in_people(self) -> None:
        verdict = self.RELEASE.kept(person="who")
        k = the(verdict, "k = 3 (people, by who)")
        assert (k.holds, k.reached, k.below, k.records) == (False, 2, 2, 6)
        assert the(verdict, "size = 2 (people").holds

    def test_nobody_known_is_one_person(self) -> None:
        """Missing or empty, all of these rows may be of one person."""
        release = self.RELEASE.rows([3, 4])
        assert the(release.kept(person="who", suppress=1), "k = 3 (people").reached == 1

    def test_each_row_is_a_person_if_the_steward_says_so(self) -> None:
        assert fails(self.RELEASE, person="row") == fails(self.RELEASE, person=None) == []

    def test_without_a_link_nobody_can_be_counted(self) -> None:
        notes = [note.says for note in self.RELEASE.kept(person="who", link=None).notes]
        assert any("were not counted" in says for says in notes)


def test_closeness_is_judged_against_the_original_where_records_were_left_out() -> None:
    """What is left of a value need not be far from itself."""
    original = pa.table({"x": [1, 1, 2, 2], "s": ["a", "a", "b", "b"]})
    plan = (Column("x", QUASI), Column("s", SENSITIVE))
    release = Release(
        original.slice(0, 2), (quasi("x"), other("s")), original, np.arange(2), plan, (TCloseness(0.2, "s"),)
    )
    finding = the(release.kept(suppress=0.5), "against the original")
    assert (finding.holds, finding.reached) == (False, 0.5)
    whole = replace(release, table=original, link=np.arange(4))
    assert not [f for f in whole.kept().findings if "against" in f.what]


def test_ends_that_few_records_hold_are_noted() -> None:
    age = np.array([20] * 5 + [30] * 5 + [104])
    original = pa.table({"age": age})
    table = pa.table({"age_min": [20] * 5 + [30] * 6, "age_max": [29] * 5 + [104] * 6})
    link = np.arange(11)
    release = Release(table, (quasi("age", "bounds"),), original, link, (Column("age", QUASI),), (KAnonymity(5),))
    (note,) = release.kept().notes
    assert (note.about, note.figures) == ("age", {"ends": 1})
    capped = replace(release, columns=(quasi("age", "bounds", top=90),)).change("age_max", range(5, 11), [90] * 6)
    assert fails(capped) == []
    assert not capped.kept().notes


def test_a_column_that_is_unique_for_most_names_people() -> None:
    original = pa.table({"x": [1] * 4, "n": [1, 2, 3, 3], "m": [1, 2, 3, 4]})
    columns = (quasi("x"), other("n", INSENSITIVE), other("m", INSENSITIVE))
    plan = tuple(Column(column.name, column.role) for column in columns)  # type: ignore[arg-type]
    release = Release(original, columns, original, np.arange(4), plan)
    assert fails(release) == ["m is not unique for most records"]
    assert fails(release, allow_unique=["m"]) == []


class TestWhatIsMissing:
    """The keeper finds out by itself what means that nothing is known."""

    def release(self, original: Any, published: Any) -> Release:
        return Release(
            pa.table({"x": [1, 1], "s": published}),
            (quasi("x"), other("s")),
            pa.table({"x": [1, 1], "s": original}),
            np.arange(2),
            (Column("x", QUASI), Column("s", SENSITIVE)),
        )

    @pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
    def test_words(self, kind: pa.DataType) -> None:
        original = pa.array(["a", "?"], pa.string()).cast(kind)
        assert fails(self.release(original, ["a", None]), missing=("?",)) == []
        assert fails(self.release(original, ["a", None])) != []
        assert fails(self.release(original, ["a", "?"])) == []

    def test_empty_text_is_text_unless_the_plan_says_otherwise(self) -> None:
        assert fails(self.release(["a", ""], ["a", None]), missing=("",)) == []
        assert fails(self.release(["a", ""], ["a", None]), missing=()) != []
        assert fails(self.release(["a", ""], ["a", ""]), missing=()) == []

    def test_not_a_number_is_missing_and_minus_zero_is_zero(self) -> None:
        assert fails(self.release([float("nan"), -0.0], [None, 0.0])) == []
        assert fails(self.release([0.1 + 0.2, 1.0], [0.3, 1.0])) != []

    def test_a_missing_quasi_identifier_is_covered_by_what_says_so(self) -> None:
        original = pa.table({"x": pa.array([None, 3, None, 4])})
        gaps = ["some", "some", "all", "none"]
        table = pa.table({"x_min": [3, 3, None, 4], "x_max": [3, 3, None, 4], "x_missing": gaps})
        column = PublishedColumn("x", QUASI, "bounds", ("x_min", "x_max", "x_missing"))
        release = Release(table, (column,), original, np.arange(4), (Column("x", QUASI),))
        assert fails(release) == []
        assert the(release.change("x_missing", 0, ["none"]).kept(), CELL).records == 1
        assert the(release.kept(link=np.array([0, 1, 3, 2])), CELL).records == 2


@pytest.mark.parametrize(
    ("original", "published"),
    [
        (pa.array([1, 2], pa.int8()), pa.array([1, 2], pa.int64())),
        (pa.array([1.0, 2.0]), pa.array([1, 2])),
        (pa.array(["a", "b"]), pa.array(["a", "b"]).dictionary_encode()),
        (pa.array(["1", "2"]), pa.array([1, 2])),
        (pa.array([True, False]), pa.array(["true", "false"])),
        (pa.array([dt.date(2020, 1, 1), None]), pa.array([dt.datetime(2020, 1, 1), None])),  # noqa: DTZ001
        (pa.array([2**60, 2**60 + 1]), pa.array([2**60, 2**60 + 1], pa.uint64())),
    ],
)
def test_the_same_values_in_another_type_are_the_same(original: pa.Array, published: pa.Array) -> None:
    release = TestWhatIsMissing().release(original, published)
    assert fails(release) == []
    back = original.take(pa.array([1, 0]))
    assert the(TestWhatIsMissing().release(back, published).kept(), SAME).records == 2


def test_values_that_differ_beyond_the_precision_of_floats() -> None:
    assert fails(TestWhatIsMissing().release([2**60, 2**60], [2**60, 2**60 + 1])) != []


def test_numbers_that_the_original_has_as_text_lie_in_ranges() -> None:
    table = pa.table({"x": ["[20, 30[", "[20, 30["]})
    release = Release(table, (quasi("x", "interval"),), pa.table({"x": ["20", "29"]}), None, (Column("x", QUASI),))
    assert fails(release) == []
    assert fails(replace(release, original=pa.table({"x": ["20", "30"]}))) != []


def test_suppressed_records_of_another_tool_were_left_out() -> None:
    table = pa.table({"x": ["1", "1", "*"], "s": ["a", "b", "*"]})
    original = pa.table({"x": [1, 1, 2], "s": ["a", "b", "c"]})
    plan = (Column("x", QUASI), Column("s", SENSITIVE))
    release = Release(table, (quasi("x", "interval"), other("s")), original, None, plan)
    assert fails(release, own=False) == ["at most 0 of the records left out"]
    assert fails(release, own=False, suppress=0.4) == []
    assert fails(release, suppress=0.4) != []


def test_dates_beyond_the_reach_of_nanoseconds() -> None:
    far = dt.date(9999, 12, 31)
    original, published = pa.array([far, None]), pa.array([far, None]).cast(pa.timestamp("s"))
    assert fails(TestWhatIsMissing().release(original, published)) == []


def test_an_original_without_the_columns_of_the_release() -> None:
    release = example()
    less = replace(release, original=release.original.drop_columns(["ill", "year"]))
    with pytest.raises(DataError, match="no column ill, year"):
        less.kept()


# -- without a link -------------------------------------------------------------------------------------------

BOXES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.sets(st.sampled_from("ab"), min_size=1), st.sampled_from("uv")),
    min_size=1,
    max_size=6,
)
POINTS = st.lists(
    st.tuples(st.none() | st.integers(0, 6), st.sampled_from("ab"), st.sampled_from("uv")), min_size=1, max_size=8
)


def boxed(boxes: list[Any], points: list[Any]) -> Release:
    table = pa.table(
        {
            "n": [f"[{low}, {low + wide}]" + " or missing" * (low % 2) for low, wide, _, _ in boxes],
            "c": [next(iter(held)) if len(held) == 1 else "{a, b}" for _, _, held, _ in boxes],
            "s": [s for *_, s in boxes],
        }
    )
    n, c, s = zip(*points, strict=True)
    columns = (quasi("n", "interval"), quasi("c", "set"), other("s"))
    plan = tuple(Column(column.name, column.role) for column in columns)  # type: ignore[arg-type]
    original = pa.table({"n": pa.array(n, pa.int64()), "c": c, "s": s})
    return Release(table, columns, original, None, plan)


def fits(box: Any, point: Any) -> bool:
    (low, wide, held, s), (n, c, t) = box, point
    within = low % 2 == 1 if n is None else low <= n <= low + wide
    return within and c in held and s == t


@given(BOXES, POINTS)
def test_what_is_said_without_a_link_is_what_each_pair_says(boxes: list[Any], points: list[Any]) -> None:
    uncovered = sum(not any(fits(box, point) for box in boxes) for point in points)
    excess = 0
    for like in {repr(box): box for box in boxes}.values():
        rows, room = sum(repr(box) == repr(like) for box in boxes), sum(fits(like, point) for point in points)
        excess += max(rows - room, 0)
    by_value = [sum(box[3] == s for box in boxes) - sum(point[2] == s for point in points) for s in "uv"]
    excess = max(excess, sum(max(more, 0) for more in by_value))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kinds, "by_cell", lambda quasi: [])  # more can be said where cells do not overlap
        verdict = boxed(boxes, points).kept(suppress=1)
    covered, roomy = the(verdict, "covered by rows"), the(verdict, "no rows are more")
    assert (covered.records, roomy.records) == (uncovered, excess)
    assert covered.holds == (uncovered <= max(len(points) - len(boxes), 0))
    different = {repr(box): box for box in boxes}.values()
    several = sum(sum(fits(box, point) for box in different) > 1 for point in points)
    assert [n.figures for n in verdict.notes if n.about == "link"] == ([{"records": several}] if several else [])


@given(POINTS, st.data())
def test_nothing_false_is_said_of_a_true_release(points: list[Any], data: st.DataObject) -> None:
    """However its boxes overlap, and whether its columns are compared together or one by one."""
    boxes = []
    for n, c, s in points:
        low = data.draw(st.integers(-1, 6 if n is None else n))
        low = low | 1 if n is None else low
        wide = data.draw(st.integers(0 if n is None else n - low, 7))
        boxes.append((low, wide, data.draw(st.sets(st.sampled_from("ab"))) | {c}, s))
    left_out = data.draw(st.integers(0, len(points) - 1))
    release = boxed(boxes[left_out:], points)
    assert fails(release, suppress=1) == []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unlinked, "_PAIRS", -1)
        assert fails(release, suppress=1) == []
        assert any("by itself" in note.says for note in release.kept(suppress=1).notes)


@pytest.mark.parametrize("seed", range(5))
def test_where_cells_do_not_overlap_the_release_is_known_to_be_of_these_records(seed: int) -> None:
    """Then a row whose cell was taken from another class is found, though both cells are true of somebody."""
    release = replace(example(300, seed), link=None)
    assert not [note for note in release.kept().notes if note.about == "link"]
    land = release.table.column("land").to_pylist()
    there = next(row for row in range(300) if land[row] != land[0])
    lie = release.change("land", [0, there], [land[there], land[0]])
    assert "no rows are more than the records that they cover" in fails(lie)


@given(BOXES, POINTS)
def test_covers_of_any_size_are_alike(boxes: list[Any], points: list[Any]) -> None:
    from shoal.verify import covering

    def said(release: Release) -> list[Any]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kinds, "by_cell", lambda quasi: [])
            found = [(f.what, f.holds, f.records) for f in release.kept(suppress=1).findings]
            patch.setattr(unlinked, "_PAIRS", -1)
            found += [(f.what, f.holds, f.records) for f in release.kept(suppress=1).findings]
        return found

    release = boxed(boxes, points)
    by_table = said(release)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covering, "_TABLE", -1)
        patch.setattr(kinds, "_AT_ONCE", 3)
        patch.setattr(kinds, "_KEYS", 1)
        assert said(release) == by_table
