"""The slices form: what belongs together stays together within a slice, and within nothing else but the bucket."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import PlanError
from shoal.plan.plan import Plan
from shoal.release.manifest import Layout
from shoal.release.release import Release
from shoal.schema.columns import Schema, categorical, numeric
from shoal.testing import numbered, oracle
from shoal.testing.cells import Original, covers
from shoal.testing.contract import ROW, with_rows
from tests.publish.sliced import layouts_of, shown

SCHEMA = Schema(quasi_identifying=["age", "town"], sensitive=["ill"], insensitive=["year"])


def table_of(records: int, seed: int = 0) -> pa.Table:
    chance = np.random.default_rng(seed)
    return pa.table(
        {
            "age": chance.integers(20, 24, records),
            "town": pa.array(chance.choice(["a", "b", None], records), pa.string()),
            "ill": pa.array(chance.choice(["flu", "cold", "gout"], records)),
            "year": chance.integers(2000, 2003, records),
        }
    )


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_slices_keep_the_promise(data: st.DataObject) -> None:
    """Columns divided in any way, some generalized: the release holds in the eyes of the judges and of the oracle."""
    age = data.draw(st.sampled_from([None, numeric(top=23), numeric(step=2)]))
    town = data.draw(st.sampled_from([None, categorical({"*": ["a", "b"]})]))
    kind = data.draw(st.sampled_from(["frequency", "distinct", "entropy"]))
    schema = Schema(quasi_identifying={"age": age, "town": town}, sensitive=["ill", "pay"], insensitive=["year"])
    table = table_of(data.draw(st.integers(4, 60)), data.draw(st.integers(0, 99)))
    table = table.append_column("pay", pa.array([i % 5 for i in range(table.num_rows)]))
    plan = Plan(schema, [shoal.LDiversity(2, kind=kind), shoal.Size(2)], form=shoal.Slices(), suppress=1.0)
    table, plan = with_rows(table, plan)
    layouts = data.draw(layouts_of(plan))
    _, release, verdict = shown(
        table,
        plan,
        layouts,
        layout=data.draw(st.lists(st.integers(0, len(layouts) - 1), min_size=1, max_size=5)),
        generalized=np.array(data.draw(st.lists(st.booleans(), min_size=6, max_size=6))).reshape(3, 2),
    )
    assert verdict.holds, [finding.as_dict() for finding in verdict.findings if not finding.holds]
    assert not numbered.slices(release.arrow, oracle.case_of(table, release.arrow, release.manifest, plan, ROW))
    assert shoal.verify(release, plan, table).holds


def pairings(size: int, columns: int, buckets: int) -> Counter[str]:
    """What stands beside the first slice of each of so many buckets, in its order."""
    names = ["age", "town", "ill"][-columns:]
    place = np.arange(size * buckets) % size
    table = pa.table({name: pa.array(np.array(list("abcd"))[place]) for name in names})
    plan = Plan(Schema(quasi_identifying=names[:-1], sensitive=["ill"]), [shoal.Size(size)], form=shoal.Slices())
    held = np.arange(size * buckets).reshape(buckets, size).tolist()
    draft, _, verdict = shown(table, plan, (tuple((name,) for name in names),), buckets=held)
    assert verdict.holds
    rows = draft.tables["release"].to_pylist()  # in the order of the first slice
    each = (rows[at : at + size] for at in range(0, len(rows), size))
    return Counter(" ".join("".join(row[name] for row in bucket) for name in names[1:]) for bucket in each)


def test_a_bucket_of_two_keeps_its_pairing_half_of_the_time() -> None:
    """Were it never kept, every pair that is published would be known to be false."""
    found = pairings(2, 2, 1000)
    assert set(found) == {"ab", "ba"}
    assert 400 < found["ab"] < 600


def test_all_pairings_are_alike_likely() -> None:
    found = pairings(4, 2, 4800)
    assert set(found) == {"".join(way) for way in itertools.permutations("abcd")}
    assert all(120 < times < 290 for times in found.values())


def test_slices_are_shuffled_apart() -> None:
    """Of three slices any two stand in any way beside each other."""
    found = pairings(3, 3, 7200)
    assert len(found) == 36
    assert all(120 < times < 290 for times in found.values())


def test_buckets_are_numbered_by_lot() -> None:
    """Each is the first as often as any other."""
    table = pa.table({"age": range(16), "ill": ["flu", "cold"] * 8})
    plan = Plan(Schema(quasi_identifying=["age"], sensitive=["ill"]), [shoal.Size(4)], form=shoal.Slices())
    held = np.arange(16).reshape(4, 4).tolist()
    found: Counter[int] = Counter()
    for seed in range(200):
        draft, _, _ = shown(table, plan, ((("age",), ("ill",)),), buckets=held, seed=seed)
        found[draft.tables["release"].column("age")[0].as_py() // 4] += 1
    assert set(found) == {0, 1, 2, 3}
    assert all(20 < times < 85 for times in found.values())


def test_without_slices_of_a_method_the_quasi_identifiers_stay_together() -> None:
    """Insensitive columns stand beside them, and each sensitive column alone."""
    schema = Schema(quasi_identifying=["age", "town"], sensitive=["ill", "pay"], insensitive=["year"])
    table = table_of(40).append_column("pay", pa.array([i % 4 for i in range(40)]))
    release = shoal.anonymize(table, Plan(schema, [shoal.LDiversity(2)], form=shoal.Slices()))
    (layout,) = release.manifest.layouts
    assert layout.slices == (("age", "town", "year"), ("ill",), ("pay",))
    assert (layout.first, layout.last) == (1, len(set(release.table.column("bucket").to_pylist())))
    seen = Counter((row["age"], row["town"], row["year"]) for row in release.table.to_pylist())
    assert seen == Counter((row["age"], row["town"], row["year"]) for row in table.to_pylist())


def test_each_bucket_may_have_slices_of_its_own() -> None:
    table = table_of(60, 3)
    plan = Plan(SCHEMA, [shoal.Size(4)], form=shoal.Slices())
    layouts = ((("ill", "town"), ("age",)), (("town",), ("age",), ("ill",)), (("age", "town"), ("ill",)))
    _, release, verdict = shown(table, plan, layouts, layout=[0, 1, 0, 2])
    assert verdict.holds
    held = release.manifest.layouts
    assert [layout.slices for layout in held] == [
        (("age", "town", "year"), ("ill",)),
        (("age", "year"), ("town",), ("ill",)),
        (("age", "year"), ("town", "ill")),
    ]
    assert [layout.first for layout in held] == [1, held[0].last + 1, held[1].last + 1]
    assert sum(layout.last - layout.first + 1 for layout in held) == verdict.classes


def test_insensitive_columns_stand_apart_from_sensitive_ones() -> None:
    """Where all quasi-identifiers share a slice with one, they have a slice of their own."""
    _, release, _ = shown(
        table_of(30), Plan(SCHEMA, [shoal.Size(3)], form=shoal.Slices()), ((("age", "ill", "town"),),)
    )
    assert release.manifest.layouts[0].slices == (("age", "town", "ill"), ("year",))


# -- diversity beside quasi-identifiers ---------------------------------------------------------------------

JOBS = pa.table(
    {
        "age": [30, 31, 32, 33],
        "school": ["primary", "primary", "college", "college"],
        "job": ["clerk", "clerk", "nurse", "baker"],
    }
)
JOB_PLAN = Plan(
    Schema(quasi_identifying=["age", "school"], sensitive=["job"]), [shoal.LDiversity(2)], form=shoal.Slices()
)


def test_what_stands_beside_a_sensitive_value_leaves_it_diverse() -> None:
    """Who has been to primary school would be known to be a clerk: so all show what the bucket has."""
    _, release, verdict = shown(JOBS, JOB_PLAN, ((("school", "job"), ("age",)),), buckets=[[0, 1, 2, 3]])
    assert verdict.holds
    assert set(release.arrow["release"].column("school").to_pylist()) == {"{college, primary}"}
    assert next(c for c in release.manifest.columns if c.name == "school").shown == "set"


def test_only_the_buckets_that_need_it_are_coarser() -> None:
    table = pa.concat_tables([JOBS, JOBS.set_column(2, "job", pa.array(["clerk", "cook", "nurse", "baker"]))])
    _, release, verdict = shown(table, JOB_PLAN, ((("school", "job"), ("age",)),), buckets=[[0, 1, 2, 3], [4, 5, 6, 7]])
    assert verdict.holds
    held = Counter(row["school"] for row in release.arrow["release"].to_pylist())
    assert held == {"{college, primary}": 4, "primary": 2, "college": 2}


def test_columns_are_coarsened_one_by_one() -> None:
    """The one with the most values first; the other is left as it is, since it leaves the values diverse."""
    table = pa.table({"age": range(6), "sex": list("fmfmfm"), "job": ["a", "a", "b", "b", "c", "c"]})
    plan = Plan(Schema(quasi_identifying=["age", "sex"], sensitive=["job"]), [shoal.LDiversity(3)], form=shoal.Slices())
    _, release, verdict = shown(table, plan, ((("age", "sex", "job"),),), buckets=[range(6)])
    assert verdict.holds
    rows = release.arrow["release"].to_pylist()
    assert {(row["age_min"], row["age_max"]) for row in rows} == {(0, 5)}
    assert Counter(row["sex"] for row in rows) == {"f": 3, "m": 3}


def test_numbers_that_some_buckets_show_as_a_whole_are_bounds() -> None:
    table = pa.table({"age": [1, None, 3, 4, 5, 6], "job": list("ababab")})
    plan = Plan(Schema(quasi_identifying=["age"], sensitive=["job"]), [shoal.LDiversity(2)], form=shoal.Slices())
    _, release, _ = shown(
        table,
        plan,
        ((("age",), ("job",)),),
        buckets=[[0, 1], [2, 3], [4, 5]],
        generalized=np.array([[1], [0], [0]], bool),
    )
    held = sorted(tuple(row.values())[1:4] for row in release.arrow["release"].to_pylist())
    assert held == [(1, 1, "some"), (1, 1, "some"), (3, 3, "none"), (4, 4, "none"), (5, 5, "none"), (6, 6, "none")]


# -- what an adversary can make of it -----------------------------------------------------------------------


def joins(rows: Sequence[Mapping[str, Any]], layouts: Sequence[Layout]) -> Iterator[list[dict[str, Any]]]:
    """Every table that the slices may be of, all of them alike likely."""
    buckets: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        buckets[row["bucket"]].append(row)
    ways = []
    for number, held in buckets.items():
        slices = next(layout.slices for layout in layouts if layout.first <= number <= layout.last)
        orders = itertools.product(*(itertools.permutations(range(len(held))) for _ in slices[1:]))
        ways.append([(held, slices, (tuple(range(len(held))), *order)) for order in orders])
    for way in itertools.product(*ways):
        yield [
            {name: held[order[at]][name] for names, order in zip(slices, told, strict=True) for name in names}
            for held, slices, told in way
            for at in range(len(held))
        ]


def strongest(release: Release, table: pa.Table, everybody: bool) -> Fraction:
    """The strongest belief in a job, by somebody who knows the quasi-identifiers of one person, or of everybody."""
    quasi = [column for column in release.manifest.columns if column.role == "quasi-identifying"]
    people = [tuple(row[column.name] for column in quasi) for row in table.to_pylist()]
    held: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for joined in joins(release.arrow["release"].to_pylist(), release.manifest.layouts):
        if everybody and Counter(tuple(row[column.name] for column in quasi) for row in joined) != Counter(people):
            continue
        for person in set(people):
            known = [Original(value, value) for value in person]
            own = [row["job"] for row in joined if all(map(covers, quasi, itertools.repeat(row), known, _NO_TREES))]
            for job in own:
                held[person][job] += Fraction(1, len(own))
    return max(max(jobs.values()) / sum(jobs.values()) for jobs in held.values())


_NO_TREES = (None, None)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_nobody_is_believed_to_have_a_value_with_more_than_one_in_l(data: st.DataObject) -> None:
    """By all tables that the release may be of."""
    jobs = data.draw(st.permutations(data.draw(st.sampled_from(["xyxy", "xyzz", "xyyz", "xxyyz", "wxyzz"]))))
    records = len(jobs)
    buckets = [range(2), range(2, records)] if len(set(jobs[:2])) == 2 and records == 4 else [range(records)]
    table = pa.table(
        {
            "sex": data.draw(st.lists(st.sampled_from("fm"), min_size=records, max_size=records)),
            "school": data.draw(st.lists(st.sampled_from("pc"), min_size=records, max_size=records)),
            "job": jobs,
        }
    )
    plan = Plan(
        Schema(quasi_identifying=["sex", "school"], sensitive=["job"]), [shoal.LDiversity(2)], form=shoal.Slices()
    )
    layouts = ((("sex",), ("school", "job")), (("sex", "school"), ("job",)), (("school", "sex", "job"),))
    if any(2 * max(Counter(jobs[at] for at in held).values()) > len(held) for held in buckets):
        buckets = [range(records)]
    _, release, verdict = shown(table, plan, (data.draw(st.sampled_from(layouts)),), buckets=buckets)
    assert verdict.holds
    assert strongest(release, table, everybody=False) <= Fraction(1, 2)
    if all(column.shown != "set" for column in release.manifest.columns):
        assert strongest(release, table, everybody=True) <= Fraction(1, 2)


def test_without_that_condition_somebody_would_be() -> None:
    """The same search finds fault with a release of which a part is not diverse, though the bucket is."""
    table = pa.table({"sex": list("fmfm"), "school": list("ppcc"), "job": list("xxyz")})
    plan = Plan(Schema(quasi_identifying=["sex", "school"], sensitive=["job"]), [shoal.Size(4)], form=shoal.Slices())
    _, release, _ = shown(table, plan, ((("sex",), ("school", "job")),), buckets=[range(4)])
    assert strongest(release, table, everybody=False) == 1


# -- releases -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_it_is_written_and_read_back(tmp_path: Path, format: str) -> None:
    table = table_of(50)
    plan = Plan(SCHEMA, [shoal.LDiversity(1.5)], form=shoal.Slices())
    release = shoal.anonymize(table, plan)
    folder = release.write(tmp_path / "out", format=format)  # type: ignore[arg-type]
    assert {path.name for path in folder.iterdir()} == {f"release.{format}", "manifest.json", "README.txt"}
    again = Release.read(folder)
    assert again.table.to_pylist() == release.table.to_pylist()
    assert again.manifest.layouts == release.manifest.layouts
    assert shoal.verify(folder).holds
    assert shoal.verify(folder, original=table).holds
    assert shoal.verify(folder, plan, table).holds
    said = " ".join((folder / "README.txt").read_text().split())
    assert "age, town, year | ill" in said
    assert "added by the form; the number of the row's bucket." in said


@pytest.mark.parametrize("records", [0, 1, 2, 3])
def test_few_records(records: int) -> None:
    table = table_of(10).slice(0, records)
    plan = Plan(SCHEMA, [shoal.Size(2)], form=shoal.Slices(), suppress=1.0, allow_unique=["year"])
    release = shoal.anonymize(table, plan)
    assert release.manifest.records == (records if records > 1 else 0)
    assert shoal.verify(release, plan, table).holds


def test_measures() -> None:
    table = pa.table({"age": range(12), "town": ["a"] * 12, "year": [0] * 12, "ill": ["flu", "cold"] * 6})
    scores = shoal.measure(shoal.anonymize(table, Plan(SCHEMA, [shoal.Size(3)], form=shoal.Slices())), table)
    assert scores.loss.whole.ncp == 0
    assert (scores.classes, scores.class_size) == (4, 3)


def problems(**how: object) -> list[str]:
    given: dict[str, object] = {"require": [shoal.Size(2)], "form": shoal.Slices()} | how
    with pytest.raises(PlanError) as found:
        Plan(**given)  # type: ignore[arg-type]
    return [problem.key for problem in found.value.problems]


def test_what_it_cannot_do() -> None:
    assert problems(schema=SCHEMA, require=[shoal.KAnonymity(2)]) == ["publish.form"]
    assert problems(schema=SCHEMA, require=[shoal.TCloseness(0.2, "ill")]) == ["publish.form"]
    assert problems(schema=Schema(quasi_identifying=["age"])) == ["publish.form"]
    assert problems(schema=Schema(quasi_identifying=["bucket"], sensitive=["ill"])) == ["columns.bucket"]
    assert problems(schema=Schema(quasi_identifying=["age"], sensitive=["age_min"])) == ["columns.age_min"]
    Plan(Schema(quasi_identifying=["age"], sensitive=["ill", "Ill"]), [shoal.Size(2)], form=shoal.Slices())
