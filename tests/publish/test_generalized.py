"""The generalized form, cell by cell, against what each class holds."""

from __future__ import annotations

import datetime as dt
import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.shuffle import permutation
from shoal.partition import group
from shoal.plan.forms import Generalized
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity
from shoal.publish import publish
from shoal.publish.draft import Draft
from shoal.schema.columns import Schema, categorical, numeric
from shoal.schema.hierarchy import Hierarchy
from shoal.table.chance import Chance
from shoal.table.codes import encode

JOBS = Hierarchy.from_nested({"state": ["federal", "local"], "private": ["firm", "self"], "none": None})


def drafted(table: pa.Table, plan: Plan, seed: int = 5) -> Draft:
    trees = {c.name: c.hierarchy for c in plan.columns if isinstance(c.hierarchy, Hierarchy)}
    chance = Chance.seeded(seed)
    codes = encode(table, plan, trees, permutation(chance.words(table.num_rows)))
    return publish(codes, group(codes, plan, chance), plan, table, chance)


def rows_of(draft: Draft) -> list[dict[str, object]]:
    found: list[dict[str, object]] = draft.tables["release"].to_pylist()
    return found


def by_class(draft: Draft, names: list[str]) -> dict[tuple[object, ...], list[int]]:
    """The original rows of each class, a class being what its rows show alike."""
    found: dict[tuple[object, ...], list[int]] = {}
    for row, original in zip(rows_of(draft), draft.link.tolist(), strict=True):
        found.setdefault(tuple(row[name] for name in names), []).append(original)
    return found


ages = st.one_of(st.none(), st.integers(0, 110))
jobs = st.one_of(st.none(), st.sampled_from(JOBS.leaves))
words = st.one_of(st.none(), st.sampled_from(["a", "b, c", "{x", "null", "", ' "q" ', "ü", "a}b"]))


@settings(max_examples=120)
@given(st.lists(st.tuples(ages, jobs, words), min_size=2, max_size=50), st.integers(2, 5), st.integers(0, 9))
def test_every_cell_says_what_its_class_holds(records: list[tuple[object, ...]], k: int, seed: int) -> None:
    if len(records) < k:
        return
    age, job, word = (list(column) for column in zip(*records, strict=True))
    table = pa.table(
        {"age": pa.array(age, pa.int64()), "job": pa.array(job, pa.string()), "word": pa.array(word, pa.string())}
    )
    schema = Schema(quasi_identifying={"age": None, "job": categorical(JOBS), "word": None})
    draft = drafted(table, Plan(schema, [KAnonymity(k)]), seed)
    shown = draft.tables["release"].column_names
    for cells, members in by_class(draft, shown).items():
        cell = dict(zip(shown, cells, strict=True))
        known = [age[i] for i in members if age[i] is not None]
        assert cell["age_min"] == min(known, default=None)
        assert cell["age_max"] == max(known, default=None)
        if None in age:
            gaps = len(members) - len(known)
            assert cell["age_missing"] == ("none" if not gaps else "all" if not known else "some")
        assert cell["job"] == lowest({job[i] for i in members})
        assert cell["word"] == as_set({word[i] for i in members})


def lowest(values: set[object]) -> str | None:
    """The deepest label of JOBS above all values, the root where a missing value is among known ones."""
    if values == {None}:
        return None
    if None in values:
        return "*"
    if len(values) == 1:
        return str(next(iter(values)))
    below = {"state": {"federal", "local"}, "private": {"firm", "self"}}
    return next((label for label, leaves in below.items() if values <= leaves), "*")


def as_set(values: set[object]) -> str | None:
    """A set as text, read back by the rules that the reference states."""
    if values == {None}:
        return None
    known = sorted(str(v) for v in values if v is not None)

    def member(value: str) -> str:
        odd = set(value) & set(',{}"\\') or value != value.strip() or value in ("", "null")
        return json.dumps(value, ensure_ascii=False) if odd else value

    if values == {known[0]}:
        return "{" + json.dumps(known[0], ensure_ascii=False) + "}" if known[0][:1] in ("{", '"') else known[0]
    return "{" + ", ".join([*map(member, known), *(["null"] if None in values else [])]) + "}"


@given(st.lists(st.integers(-40, 140), min_size=4, max_size=40), st.sampled_from([1, 5, 10, 0.5]))
def test_ends_are_coded_and_rounded_outward(ages: list[int], step: float) -> None:
    schema = Schema(quasi_identifying={"age": numeric(bottom=0, top=90, step=step)})
    draft = drafted(pa.table({"age": ages}), Plan(schema, [KAnonymity(2)]))
    for row, original in zip(rows_of(draft), draft.link.tolist(), strict=True):
        low, high = row["age_min"], row["age_max"]
        assert isinstance(low, int | float)
        assert isinstance(high, int | float)
        coded = min(max(ages[original], 0), 90)
        assert 0 <= low <= coded <= high <= 90
        assert low % step == 0
        assert high % step == 0


@given(
    st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=2, max_size=30), st.sampled_from([0.1, 0.25, 1, 7, 1e-3])
)
def test_rounded_ends_cover_numbers_of_any_precision(values: list[float], step: float) -> None:
    schema = Schema(quasi_identifying={"x": numeric(step=step)})
    draft = drafted(pa.table({"x": values}), Plan(schema, [KAnonymity(2)]))
    for row, original in zip(rows_of(draft), draft.link.tolist(), strict=True):
        assert row["x_min"] <= values[original] <= row["x_max"]  # type: ignore[operator]
        for end in (row["x_min"], row["x_max"]):
            assert abs(end / step - round(end / step)) < 1e-6  # type: ignore[operator]


@given(st.lists(st.integers(-(2**62), 2**62), min_size=2, max_size=20))
def test_large_whole_numbers_are_rounded_exactly(values: list[int]) -> None:
    schema = Schema(quasi_identifying={"x": numeric(step=1000)})
    draft = drafted(pa.table({"x": values}), Plan(schema, [KAnonymity(2)]))
    for row, original in zip(rows_of(draft), draft.link.tolist(), strict=True):
        assert row["x_min"] <= values[original] <= row["x_max"]  # type: ignore[operator]
        assert row["x_min"] % 1000 == row["x_max"] % 1000 == 0  # type: ignore[operator]


def test_ends_have_a_type_in_which_they_can_be_added() -> None:
    draft = drafted(pa.table({"age": [3, 63, 64, 64]}), Plan(Schema(quasi_identifying=["age"]), [KAnonymity(2)]))
    table = draft.tables["release"]
    assert (table.schema.field("age_min").type, table.schema.field("age_max").type) == (pa.int16(), pa.int16())


def test_a_long_domain_of_words_is_published_as_sets_too() -> None:
    names = [f"n{i:03d}" for i in range(100)]
    plan = Plan(Schema(quasi_identifying=["name"]), [KAnonymity(3)])
    draft = drafted(pa.table({"name": names}), plan)
    for (cell,), members in by_class(draft, ["name"]).items():
        assert cell == "{" + ", ".join(sorted(names[i] for i in members)) + "}"


def test_dates_have_ranges() -> None:
    days = [dt.date(2020, 1, d) for d in (1, 2, 10, 30)]
    draft = drafted(pa.table({"day": days}), Plan(Schema(quasi_identifying=["day"]), [KAnonymity(2)]))
    assert [(r["day_min"], r["day_max"]) for r in rows_of(draft)] == [(days[0], days[1])] * 2 + [(days[2], days[3])] * 2


def test_ranges_as_text() -> None:
    plan = Plan(Schema(quasi_identifying=["age"]), [KAnonymity(2)], form=Generalized(ranges="text"))
    draft = drafted(pa.table({"age": [1, 3, 7, 7, None, None, 20, 20]}), plan)
    assert {row["age"] for row in rows_of(draft)} == {"[1, 3]", "7", None, "20"}
    mixed = Plan(Schema(quasi_identifying=["age"]), [KAnonymity(4)], form=Generalized(ranges="text"))
    assert {row["age"] for row in rows_of(drafted(pa.table({"age": [1, 3, 7, None]}), mixed))} == {"[1, 7] or missing"}


@given(st.permutations(range(30)), st.integers(0, 5))
def test_the_same_records_in_any_order_give_the_same_table(order: list[int], seed: int) -> None:
    base = pa.table(
        {"age": [i * 7 % 30 for i in range(30)], "s": [i % 4 for i in range(30)], "n": [i % 3 for i in range(30)]}
    )
    plan = Plan(Schema(quasi_identifying=["age"], sensitive=["s"], insensitive=["n"]), [KAnonymity(3)])
    one = rows_of(drafted(base, plan))
    assert rows_of(drafted(base.take(order), plan, seed)) == one
    assert one == sorted(one, key=lambda row: tuple(row.values()))  # type: ignore[arg-type]


def test_only_published_values_are_in_a_dictionary() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 0, 1, 1]), pa.array(["seen", "too", "SECRET"]))
    table = pa.table({"age": [1, 2, 3, 4], "s": column})
    draft = drafted(table, Plan(Schema(quasi_identifying=["age"], sensitive=["s"]), [KAnonymity(2)]))
    held = draft.tables["release"].column("s").combine_chunks()
    values = held.chunk(0).dictionary if isinstance(held, pa.ChunkedArray) else held.dictionary
    assert values.to_pylist() == ["seen", "too"]
    assert draft.tables["release"].schema.metadata is None


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_tiny_tables(rows: int) -> None:
    table = pa.table({"age": pa.array(range(rows), pa.int64()), "s": pa.array(["x"] * rows, pa.string())})
    plan = Plan(Schema(quasi_identifying=["age"], sensitive=["s"]), [KAnonymity(2)], suppress=1.0)
    draft = drafted(table, plan)
    assert draft.suppressed + draft.tables["release"].num_rows == rows
    assert draft.tables["release"].num_rows == (rows if rows != 1 else 0)
