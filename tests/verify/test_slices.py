"""Both judges of the form slices: what holds, holds; and each lie that a publisher could tell is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError
from shoal.privacy.verdict import Verdict
from shoal.publish.draft import Draft
from shoal.release.manifest import Layout
from shoal.release.published import Published
from shoal.release.release import Release
from shoal.verify import judges, slices
from tests.publish.sliced import shown
from tests.verify.test_anatomy import changed, fails, original

PLAN = shoal.Plan(
    shoal.Schema(
        identifying=["name"], quasi_identifying=["age", "town"], sensitive=["ill", "pay"], insensitive=["year"]
    ),
    [shoal.LDiversity(2), shoal.Size(4)],
    form=shoal.Slices(),
)
LAYOUTS = ((("age",), ("town", "pay"), ("ill",)), (("age", "town"), ("ill", "pay")))


@pytest.fixture(scope="module")
def made() -> tuple[Draft, Release]:
    """A release in which some buckets have other slices than the others."""
    draft, release, _ = shown(original(), PLAN, LAYOUTS, layout=[0, 1, 1], seed=3)
    return draft, release


def published(made: tuple[Draft, Release]) -> Published:
    draft, release = made
    return Published(release.arrow, draft.columns, "slices", {}, draft.layouts)


def kept(draft: Draft, **how: object) -> judges.Kept:
    return judges.Kept(original(), PLAN.columns, link=draft.link, **how)  # type: ignore[arg-type]


def inside(held: Published, draft: Draft, **how: object) -> Verdict:
    return judges.inside(held, PLAN.require, {}, kept(draft, **how))


Lie = Callable[[pa.Table], pa.Table]


def an_age_changed(table: pa.Table) -> pa.Table:
    return changed(table, table.column_names[1], {5: 17})


def a_year_changed(table: pa.Table) -> pa.Table:
    return changed(table, "year", {5: 1999})


def an_illness_changed(table: pa.Table) -> pa.Table:
    return changed(table, "ill", {5: "plague"})


def a_row_dropped(table: pa.Table) -> pa.Table:
    return table.slice(1)


def a_row_twice(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table.slice(0, 1), table.slice(0, 1), table.slice(2)])


def a_bucket_that_has_no_slices(table: pa.Table) -> pa.Table:
    return changed(table, "bucket", {0: 9999})


def a_column_too_many(table: pa.Table) -> pa.Table:
    return table.append_column("note", pa.array(range(table.num_rows)))


def rows_change_buckets(table: pa.Table) -> pa.Table:
    """Of one bucket the oldest with the youngest of all."""
    bucket, age = table.column("bucket").to_pylist(), table.column(table.column_names[1]).to_pylist()
    low, high = age.index(min(age)), age.index(max(age))
    return changed(table, "bucket", {low: bucket[high], high: bucket[low]})


LIES = [
    an_age_changed,
    a_year_changed,
    an_illness_changed,
    a_row_dropped,
    a_row_twice,
    a_bucket_that_has_no_slices,
    a_column_too_many,
    rows_change_buckets,
]


def test_a_true_release_holds(made: tuple[Draft, Release]) -> None:
    held = published(made)
    assert fails(judges.outside(held, PLAN.require, {})) == []
    assert fails(inside(held, made[0])) == []
    assert fails(shoal.verify(made[1], PLAN, original())) == []


@pytest.mark.parametrize("lie", LIES)
def test_lies_are_found(made: tuple[Draft, Release], lie: Lie) -> None:
    held = replace(published(made), tables={"release": lie(made[1].arrow["release"])})
    assert fails(judges.outside(held, PLAN.require, {}).and_also(inside(held, made[0])))


@pytest.mark.parametrize("lie", [lie for lie in LIES if lie is not rows_change_buckets])
def test_lies_are_found_without_a_link(made: tuple[Draft, Release], lie: Lie) -> None:
    told = Release({"release": lie(made[1].arrow["release"])}, made[1].manifest)
    assert fails(shoal.verify(told, PLAN, original()))


@pytest.mark.parametrize(
    "layouts",
    [
        [],
        [Layout((("age",), ("town", "pay"), ("ill",)), 1, 99)],
        [Layout((("age", "year"), ("town", "pay"), ("ill", "age")), 1, 99)],
        [
            Layout((("age", "year", "town", "ill", "pay"),), 1, 5),
            Layout((("age", "year", "town", "ill", "pay"),), 5, 99),
        ],
    ],
)
def test_layouts_that_are_none_are_found(made: tuple[Draft, Release], layouts: list[Layout]) -> None:
    held = replace(published(made), layouts=layouts)
    assert fails(judges.outside(held, PLAN.require, {})) == ["every bucket has each of its columns in one slice"]


def test_slices_of_other_columns_than_said_are_found(made: tuple[Draft, Release]) -> None:
    """Whoever says that all columns belong together publishes false records."""
    one = [Layout((tuple(c.name for c in made[0].columns if c.role != "added"),), 1, 99)]
    told = Release(made[1].arrow, made[1].manifest)
    assert fails(judges.inside(replace(published((made[0], told)), layouts=one), PLAN.require, {}, kept(made[0])))


def test_a_part_that_is_not_diverse_is_seen() -> None:
    """The bucket is 2-diverse, but not those of its people who live in one town."""
    table = pa.table({"age": range(4), "town": list("aabb"), "ill": ["flu", "flu", "cold", "gout"]})
    schema = shoal.Schema(quasi_identifying=["age", "town"], sensitive=["ill"])
    plan = shoal.Plan(schema, [shoal.Size(4)], form=shoal.Slices())
    draft, release, _ = shown(table, plan, ((("age",), ("town", "ill")),), buckets=[range(4)])
    held = Published(release.arrow, draft.columns, "slices", {}, draft.layouts)
    (finding,) = [f for f in judges.outside(held, [shoal.LDiversity(2)], {}).findings if f.what == "l = 2 on ill"]
    assert (finding.holds, finding.reached, finding.classes, finding.below) == (False, 1.0, 2, 1)
    apart, alone, _ = shown(table, plan, ((("age", "town"), ("ill",)),), buckets=[range(4)])
    held = Published(alone.arrow, apart.columns, "slices", {}, apart.layouts)
    assert judges.outside(held, [shoal.LDiversity(2), shoal.TCloseness(0.5, "ill")], {}).holds


def test_slices_that_were_not_shuffled_are_found() -> None:
    """Every pair as it was; and every pair broken on purpose, which says as much."""
    table = pa.table({"age": range(120), "ill": list("ab") * 60})
    plan = shoal.Plan(shoal.Schema(quasi_identifying=["age"], sensitive=["ill"]), [shoal.Size(2)], form=shoal.Slices())
    number = np.arange(120) // 2
    layouts = (Layout((("age",), ("ill",)), 0, 59),)
    columns = shoal.anonymize(table, plan).manifest.columns
    chance = np.random.default_rng(0).permutation(60)
    for turned in (0, 1):
        other = np.arange(120) ^ turned
        held = pa.table(
            {"bucket": chance[number], "age": table.column("age"), "ill": table.column("ill").take(pa.array(other))}
        )
        order = np.argsort(chance[number], kind="stable")
        release = Published({"release": held.take(pa.array(order))}, columns, "slices", {}, layouts)
        link = np.stack([np.arange(120), other])[:, order]
        verdict = judges.inside(release, plan.require, {}, judges.Kept(table, plan.columns, link=link))
        assert fails(verdict) == ["slices of a bucket are shuffled by lot"]


def test_a_link_to_records_of_another_bucket_is_found(made: tuple[Draft, Release]) -> None:
    link = made[0].link.copy()
    link[1] = np.roll(link[1], 7)
    assert fails(inside(published(made), replace(made[0], link=link))) == ["every row is one record of the original"]


def test_k_is_counted_by_what_is_seen_of_a_row(made: tuple[Draft, Release]) -> None:
    finding = judges.outside(published(made), [shoal.KAnonymity(3)], {}).findings[-1]
    assert (finding.what, finding.holds, finding.reached) == ("k = 3", False, 1.0)


def test_what_is_left_open_is_said(made: tuple[Draft, Release]) -> None:
    notes = judges.outside(published(made), PLAN.require, {}).notes
    (note,) = [note for note in notes if note.about == "quasi-identifiers"]
    assert "is not hidden" in note.says
    knowing = {note.about: note.figures for note in notes if "knows" in note.says}
    assert set(knowing) == {"ill", "pay"}, "they share a slice in some buckets"
    assert all(figure < 2 for figures in knowing.values() for figure in figures.values())


def test_people_are_counted_where_rows_are_not_people() -> None:
    table = pa.table(
        {"who": [i // 2 for i in range(40)], "age": [i // 2 for i in range(40)], "ill": ["flu", "cold"] * 20}
    )
    schema = shoal.Schema(identifying=["who"], quasi_identifying=["age"], sensitive=["ill"])
    plan = shoal.Plan(schema, [shoal.Size(3)], form=shoal.Slices(), person="who")
    verdict = shoal.anonymize(table, plan).verdict
    assert verdict is not None
    (finding,) = [f for f in verdict.findings if "people, by who" in f.what]
    assert finding.holds


def test_a_table_that_is_none_of_this_form_is_refused(made: tuple[Draft, Release]) -> None:
    with pytest.raises(DataError, match="has no table release"):
        judges.outside(replace(published(made), tables={"qit": made[1].arrow["release"]}), PLAN.require, {})
    bare = made[1].arrow["release"].drop_columns(["bucket"])
    with pytest.raises(DataError, match="has no column bucket"):
        judges.outside(replace(published(made), tables={"release": bare}), PLAN.require, {})


def test_where_there_are_many_slices_columns_are_compared(
    made: tuple[Draft, Release], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "_MANY", 2)
    verdict = shoal.verify(made[1], PLAN, original())
    assert verdict.holds
    assert any("each was compared by itself" in note.says for note in verdict.notes)
    for lie in (an_age_changed, a_year_changed, an_illness_changed):
        assert fails(
            shoal.verify(Release({"release": lie(made[1].arrow["release"])}, made[1].manifest), PLAN, original())
        )
