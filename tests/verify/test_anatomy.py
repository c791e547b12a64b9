"""Both judges of the form anatomy: what holds, holds; and each lie that a publisher could tell is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.privacy.verdict import Verdict
from shoal.release.published import Published
from shoal.release.release import Release
from shoal.verify import judges

Tables = dict[str, pa.Table]


def original(records: int = 120) -> pa.Table:
    chance = np.random.default_rng(3)
    return pa.table(
        {
            "name": [f"person {i}" for i in range(records)],
            "age": chance.integers(18, 90, records),
            "town": pa.array(chance.choice(["a", "b", "c"], records)),
            "ill": pa.array(chance.choice(["flu", "cold", "gout", None], records)),
            "pay": chance.integers(0, 6, records),
            "year": chance.integers(2000, 2004, records),
        }
    )


PLAN = shoal.Plan(
    shoal.Schema(
        identifying=["name"], quasi_identifying=["age", "town"], sensitive=["ill", "pay"], insensitive=["year"]
    ),
    [shoal.LDiversity(2), shoal.TCloseness(0.6, "ill"), shoal.Size(4)],
    form=shoal.Anatomy(),
)


@pytest.fixture(scope="module")
def release() -> Release:
    return shoal.anonymize(original(), PLAN, seed=1)


def fails(verdict: Verdict) -> list[str]:
    return [finding.what for finding in verdict.findings if not finding.holds]


def changed(table: pa.Table, name: str, values: Mapping[int, Any]) -> pa.Table:
    column = table.column(name)
    held = column.to_pylist()
    for row, value in values.items():
        held[row] = value
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return table.set_column(table.column_names.index(name), name, pa.array(held, kind))


def other_class(table: pa.Table) -> int:
    """The first row of another class than that of the first row."""
    number = table.column("class").to_pylist()
    return next(row for row, one in enumerate(number) if one != number[0])


def two_rows_change_classes(tables: Tables) -> Tables:
    qit = tables["qit"]
    row, number = other_class(qit), qit.column("class").to_pylist()
    return {**tables, "qit": changed(qit, "class", {0: number[row], row: number[0]})}


def two_classes_change_a_value(tables: Tables) -> Tables:
    """Of the first class one value more often and another less, of another class the other way round."""
    sat = tables["sat_ill"].to_pandas()
    first, last = sat["class"].min(), sat["class"].max()
    for number, step in ((first, 1), (last, -1)):
        sat.loc[(sat["class"] == number) & (sat["ill"] == "flu"), "count"] += step
        sat.loc[(sat["class"] == number) & (sat["ill"] == "cold"), "count"] -= step
    return {**tables, "sat_ill": pa.Table.from_pandas(sat, preserve_index=False)}


def one_value_more(tables: Tables) -> Tables:
    sat = tables["sat_ill"]
    return {**tables, "sat_ill": changed(sat, "count", {0: sat.column("count")[0].as_py() + 1})}


def an_age_changed(tables: Tables) -> Tables:
    return {**tables, "qit": changed(tables["qit"], "age", {5: 17})}


def a_year_changed(tables: Tables) -> Tables:
    return {**tables, "qit": changed(tables["qit"], "year", {5: 1999})}


def a_row_dropped(tables: Tables) -> Tables:
    return {**tables, "qit": tables["qit"].slice(1)}


def a_row_twice(tables: Tables) -> Tables:
    qit = tables["qit"]
    return {**tables, "qit": pa.concat_tables([qit.slice(0, 1), qit.slice(0, 1), qit.slice(2)])}


def a_class_that_there_is_not(tables: Tables) -> Tables:
    return {**tables, "sat_pay": changed(tables["sat_pay"], "class", {0: 9999})}


def a_column_too_many(tables: Tables) -> Tables:
    qit = tables["qit"]
    return {**tables, "qit": qit.append_column("note", pa.array(range(qit.num_rows)))}


def a_table_too_many(tables: Tables) -> Tables:
    return {**tables, "extra": tables["qit"]}


def a_name_too_many(tables: Tables) -> Tables:
    sat = tables["sat_ill"]
    return {**tables, "sat_ill": sat.append_column("name", pa.array(["person 1"] * sat.num_rows))}


def a_table_of_values_out_of_order(tables: Tables) -> Tables:
    sat = tables["sat_ill"]
    return {**tables, "sat_ill": sat.take(pa.array(np.random.default_rng(0).permutation(sat.num_rows)))}


LIES = [
    two_rows_change_classes,
    two_classes_change_a_value,
    one_value_more,
    an_age_changed,
    a_year_changed,
    a_row_dropped,
    a_row_twice,
    a_class_that_there_is_not,
    a_column_too_many,
    a_table_too_many,
    a_name_too_many,
]


def test_a_true_release_holds(release: Release) -> None:
    assert fails(release.judge(release.arrow)) == []
    assert fails(shoal.verify(release)) == []
    assert fails(shoal.verify(release, PLAN, original())) == []


@pytest.mark.parametrize("lie", [*LIES, a_table_of_values_out_of_order])
def test_lies_are_found(release: Release, lie: Callable[[Tables], Tables]) -> None:
    assert fails(release.judge(lie(dict(release.arrow))))


@pytest.mark.parametrize("lie", LIES)
def test_lies_are_found_without_a_link(release: Release, lie: Callable[[Tables], Tables]) -> None:
    told = Release(lie(dict(release.arrow)), release.manifest)
    assert fails(shoal.verify(told, PLAN, original()))


def test_a_class_that_is_not_diverse_is_seen(release: Release) -> None:
    """All have the flu, though there are as many values as records."""
    sat = release.arrow["sat_ill"].to_pandas()
    first = sat["class"].min()
    rest = sat[sat["class"] != first]
    own = sat[sat["class"] == first]
    lone = own.head(1).assign(count=own["count"].sum(), ill="flu")
    tables = {**release.arrow, "sat_ill": pa.Table.from_pandas(lone._append(rest), preserve_index=False)}
    told = shoal.verify(Release(tables, release.manifest))
    finding = next(f for f in told.findings if f.what == "l = 2 on ill")
    assert (finding.holds, finding.reached, finding.below) == (False, 1.0, 1)


def test_the_order_of_the_original_is_seen(release: Release) -> None:
    """Rows as they stood, their classes numbered as they were made."""
    table = original()
    number = pa.array(np.arange(120) // 4, pa.int32())
    tables = {"qit": table.select(["age", "town", "year"]).add_column(0, "class", number)}
    for name in ("ill", "pay"):
        held = pa.table({"class": number, name: table.column(name)}).group_by(["class", name])
        counted = held.aggregate([([], "count_all")]).rename_columns({"count_all": "count"})
        tables[f"sat_{name}"] = counted.sort_by([("class", "ascending"), (name, "ascending")])
    published = Published(tables, release.manifest.columns, "anatomy")
    kept = judges.Kept(table, PLAN.columns, link=np.arange(120), suppress=0)
    assert fails(judges.inside(published, PLAN.require, {}, kept)) == [
        "the order of the original is not kept",
        "classes are numbered by lot",
    ]


def test_k_is_counted_by_what_is_seen_of_a_row(release: Release) -> None:
    """Whoever asks for k of such a release is told that its rows are exact."""
    asked = shoal.Plan(PLAN.schema, [shoal.KAnonymity(3)])
    finding = shoal.verify(release, asked).findings[-1]
    assert (finding.what, finding.holds, finding.reached) == ("k = 3", False, 1.0)


def test_what_is_left_open_is_said(release: Release) -> None:
    assert release.verdict is not None
    (note,) = [note for note in release.verdict.notes if note.about == "quasi-identifiers"]
    assert "is not hidden" in note.says
    assert not any("knows" in note.says for note in release.verdict.notes), "values of two columns are not linked"


def test_t_is_judged_against_the_original_where_records_are_left_out() -> None:
    table = pa.table({"age": list(range(40)), "ill": ["flu"] * 24 + ["cold"] * 16})
    schema = shoal.Schema(quasi_identifying=["age"], sensitive=["ill"])
    plan = shoal.Plan(schema, [shoal.LDiversity(2), shoal.TCloseness(0.5, "ill")], form=shoal.Anatomy(), suppress=0.3)
    verdict = shoal.anonymize(table, plan).verdict
    assert verdict is not None
    assert verdict.suppressed == 8
    assert any("against the original" in finding.what for finding in verdict.findings)


def test_people_are_counted_where_rows_are_not_people() -> None:
    table = pa.table(
        {"who": [i // 2 for i in range(40)], "age": [i // 2 for i in range(40)], "ill": ["flu", "cold"] * 20}
    )
    schema = shoal.Schema(identifying=["who"], quasi_identifying=["age"], sensitive=["ill"])
    plan = shoal.Plan(schema, [shoal.Size(3)], form=shoal.Anatomy(), person="who")
    verdict = shoal.anonymize(table, plan).verdict
    assert verdict is not None
    (finding,) = [f for f in verdict.findings if "people, by who" in f.what]
    assert finding.holds
