"""Local slicing against a slow oracle, and its promise against what an adversary can make of a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import Unachievable, Unsupported
from shoal.kernels.shuffle import permutation
from shoal.partition import columns, local_slicing
from shoal.partition.associations import Associations, Vertices, associations
from shoal.plan.methods import LocalSlicing
from shoal.plan.plan import Plan
from shoal.privacy.requirements import LDiversity, Requirement, Size
from shoal.release.release import Release
from shoal.schema.columns import Categorical, Schema
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes, encode
from tests.partition import local_slicing_oracle as oracle
from tests.partition.sliced import strongest
from tests.partition.test_greedy_clusters import EVERY, TREE

rows = st.tuples(st.integers(0, 8), st.integers(0, 4), st.sampled_from([None, "a", "b"]), st.integers(0, 5))
lists = st.lists(st.tuples(rows, st.sampled_from([1, 1, 5])), max_size=12).map(
    lambda held: [row for row, times in held for _ in range(times)]
)
methods = st.builds(
    LocalSlicing, st.sampled_from([0.1, 0.2]), st.sampled_from([0.3, 0.8]), st.integers(2, 4), st.integers(1, 3)
)


def plan_of(method: LocalSlicing, *require: Requirement) -> Plan:
    schema = Schema(quasi_identifying={"a": None, "b": Categorical(TREE), "c": None}, sensitive=["s"])
    return Plan(schema, list(require), method, person="row")


def coded(rows: Sequence[tuple[object, ...]], plan: Plan) -> Codes:
    a, b, c, s = zip(*rows, strict=True)
    table = pa.table({"a": a, "b": list(map(str, b)), "c": pa.array(c, pa.string()), "s": pa.array(s, pa.int64())})
    return encode(table, plan, {"b": TREE}, permutation(Chance.seeded(1).words(len(rows))))


def distance(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Formulas 3 to 5 for the columns a, b and c: eighths, halves and whole numbers, which floats add exactly."""
    way = {0: ("low",), 1: ("low",), 2: ("high",), 3: ("high",), 4: ()}
    p, q = one[1], other[1]
    of_tree = 0.0 if p == q else 0.5 if way[p] and way[p] == way[q] else 1.0
    return abs(one[0] - other[0]) / 8 + of_tree + (one[2] != other[2])


def named(found: Associations, vertices: Vertices) -> list[dict[int, tuple[int, int]]]:
    n = found.nodes
    return [{int(n.column[i]): (int(n.first[i]), int(n.last[i]) - 1) for i in row if i >= 0} for row in vertices.nodes]


@settings(max_examples=80, deadline=None)
@given(lists, methods, st.integers(2, 6), st.sampled_from([None, 2, 3]))
def test_buckets_and_slices_are_those_of_the_oracle(
    rows: list[tuple[object, ...]], method: LocalSlicing, size: int, l: int | None
) -> None:
    rows = [*((*values[:3], i % 6) for i, values in enumerate(EVERY)), *rows]
    plan = plan_of(method, Size(size), *([] if l is None else [LDiversity(l, "s")]))
    codes = coded(rows, plan)
    if l is not None and max(Counter(row[3] for row in rows).values()) * l > len(rows):
        return
    records = [tuple(int(code) for code in line[:4]) for line in codes.matrix]
    found = associations(codes, np.arange(len(rows)), [] if l is None else [3], method)
    values = [record[3] for record in records] if l is not None else list(range(len(rows)))
    expected = oracle.buckets(
        records, values, named(found, found.with_sensitive), 3, max(size, l or 1), l or 1, distance
    )
    classes = local_slicing.group(codes, plan)
    assert buckets_of(classes) == [sorted(bucket) for bucket, _ in expected]
    phi = columns.correlations(codes, np.arange(len(rows)))[3, :3]
    for at, (bucket, lead) in enumerate(expected):
        wanted = [] if l is None else wanted_by(found, lead, phi)
        beside = allowed([records[i] for i in bucket], wanted, l)
        others = [[(c, *run) for c, run in v.items()] for v in named(found, found.others)]
        told = oracle.slices([records[i] for i in bucket], [beside], others, 3, method.widest, method.narrowest)
        assert slices_of(classes, at) == sorted(sorted("abcs"[c] for c in held) for held in [{*beside, 3}, *told])


def buckets_of(classes: Classes) -> list[list[int]]:
    return [sorted(part.tolist()) for part in np.split(classes.order, classes.starts[1:-1])]


def slices_of(classes: Classes, at: int) -> list[list[str]]:
    assert classes.slices is not None
    return sorted(sorted(held) for held in classes.slices.layouts[classes.slices.layout[at]])


def wanted_by(found: Associations, lead: int, phi: Sequence[float]) -> list[int]:
    """The columns of the vertex that leads a bucket, or the one that goes most strongly with the sensitive one."""
    vertices = named(found, found.with_sensitive)
    if lead == len(vertices):
        return [int(np.argmax(phi))]
    return sorted((column for column in vertices[lead] if column < 3), key=lambda column: -phi[column])


def allowed(records: Sequence[tuple[int, ...]], wanted: Sequence[int], l: int | None) -> list[int]:
    """Those of the wanted columns that leave every combination of values beside the sensitive ones diverse."""
    kept: list[int] = []
    for column in wanted:
        parts: dict[tuple[int, ...], Counter[int]] = {}
        for record in records:
            parts.setdefault(tuple(record[c] for c in [*kept, column]), Counter())[record[3]] += 1
        if all(max(held.values()) * (l or 1) <= held.total() for held in parts.values()):
            kept.append(column)
    return kept


# -- promises -----------------------------------------------------------------------------------------------

people = st.lists(
    st.tuples(
        st.sampled_from([20, 30, 40, None]), st.sampled_from(["u", "v", None]), st.sampled_from(["x", "y", "z", None])
    ),
    min_size=2,
    max_size=24,
)
made = st.one_of(methods, st.just(LocalSlicing(rare=0.3)), st.just(LocalSlicing(support=0.1, confidence=0.1, rare=0.2)))


@settings(max_examples=60, deadline=None)
@given(people, made, st.integers(2, 5), st.sampled_from([1.5, 2, 3]))
def test_nobody_is_believed_to_have_a_value_with_more_than_one_in_l(
    rows: list[tuple[object, ...]], method: LocalSlicing, size: int, l: float
) -> None:
    age, town, job = zip(*rows, strict=True)
    table = pa.table(
        {"age": pa.array(age, pa.int64()), "town": pa.array(town, pa.string()), "job": pa.array(job, pa.string())}
    )
    schema = Schema(quasi_identifying=["age", "town"], sensitive=["job"])
    try:
        release = shoal.anonymize(table, Plan(schema, [Size(size), LDiversity(l)], method, person="row"))
    except Unachievable:
        return
    assert strongest(release, table, "job") <= 1 / l + 1e-9


def test_the_search_for_the_strongest_belief_sees_a_part_that_is_not_diverse() -> None:
    table = pa.table({"age": [1, 1, 2, 2], "job": list("xxyz")})
    schema = Schema(quasi_identifying=["age"], sensitive=["job"])
    release = shoal.anonymize(table, Plan(schema, [Size(4)], shoal.Slicing(), person="row"))
    together = [msgspec.structs.replace(held, slices=(("age", "job"),)) for held in release.manifest.layouts]
    manifest = msgspec.structs.replace(release.manifest, layouts=together)
    joined = table.append_column("bucket", pa.array([1] * 4))
    assert strongest(Release({"release": joined}, manifest), table, "job") == 1


@pytest.mark.parametrize("kind", ["frequency", "distinct", "entropy", "recursive"])
def test_two_sensitive_columns_stand_apart_and_are_diverse(kind: str) -> None:
    chance = np.random.default_rng(7)
    table = pa.table({name: chance.integers(0, 6, 400) for name in ("a", "b", "job", "illness")})
    requirement = LDiversity(2, None, kind, 2.0 if kind == "recursive" else None)  # type: ignore[arg-type]
    schema = Schema(quasi_identifying=["a", "b"], sensitive=["job", "illness"])
    release = shoal.anonymize(table, Plan(schema, [Size(6), requirement], LocalSlicing(), person="row"))
    slices = [held for layout in release.manifest.layouts for held in layout.slices]
    assert not any({"job", "illness"} <= set(held) for held in slices)
    assert any("job" in held and len(held) > 1 for held in slices)
    assert len(set(release.arrow["release"].column("bucket").to_pylist())) > 20


def test_a_sensitive_column_that_l_is_not_asked_of_stands_alone() -> None:
    table = pa.table({"a": [1, 2] * 20, "job": list("xyxz") * 10, "pay": [1, 2] * 20})
    schema = Schema(quasi_identifying=["a"], sensitive=["job", "pay"])
    plan = Plan(schema, [Size(4), LDiversity(2, "job")], LocalSlicing(support=0.05, confidence=0), person="row")
    release = shoal.anonymize(table, plan)
    assert all(("pay",) in layout.slices for layout in release.manifest.layouts)


# -- windows ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [4, 16])
def test_buckets_stay_small_where_no_neighbour_may_join(monkeypatch: pytest.MonkeyPatch, window: int) -> None:
    """Neighbours have the same value, and each value is held by as many as can be: all buckets need those far off."""
    monkeypatch.setattr(local_slicing, "_WINDOW", window)
    monkeypatch.setattr(local_slicing, "_LEAF", 2)
    rows = [(i * 9 // 600, i % 5, "a", i * 3 // 600) for i in range(600)]
    plan = plan_of(LocalSlicing(), Size(6), LDiversity(3, "s"))
    codes = coded(rows, plan)
    classes = local_slicing.group(codes, plan)
    assert sorted(classes.order.tolist()) == list(range(600))
    assert classes.sizes.max() <= 12
    held = [
        np.bincount(codes.matrix[part, 3]).max() / len(part) for part in np.split(classes.order, classes.starts[1:-1])
    ]
    assert max(held) <= 1 / 3


# -- tables that are hard -----------------------------------------------------------------------------------


@pytest.mark.parametrize("records", [0, 1, 2, 3])
def test_few_records(records: int) -> None:
    table = pa.table({"a": pa.array(range(records), pa.int64()), "s": pa.array(range(records), pa.int64())})
    schema = Schema(quasi_identifying=["a"], sensitive=["s"])
    plan = Plan(schema, [Size(2), LDiversity(2)], LocalSlicing(), person="row", suppress=1.0)
    release = shoal.anonymize(table, plan)
    assert release.manifest.records == (records if records > 1 else 0)


def test_columns_that_are_constant_missing_or_all_different() -> None:
    count = 60
    table = pa.table(
        {
            "one": ["x"] * count,
            "none": pa.nulls(count, pa.int64()),
            "own": list(range(count)),
            "name": [f"n{i}" for i in range(count)],
            "s": [i % 4 for i in range(count)],
        }
    )
    schema = Schema(quasi_identifying=["one", "none", "own", "name"], sensitive=["s"])
    release = shoal.anonymize(table, Plan(schema, [Size(5), LDiversity(3)], LocalSlicing(), person="row"))
    assert release.manifest.records == count
    assert {name for held in release.manifest.layouts[0].slices for name in held} == {*table.column_names}


def test_wide_tables() -> None:
    """More columns than bits in a word, and slices of the asked width."""
    chance = np.random.default_rng(3)
    columns = {f"c{i}": chance.integers(0, 3, 400) for i in range(70)}
    table = pa.table({**columns, "s": chance.integers(0, 5, 400)})
    plan = Plan(
        Schema(quasi_identifying=[*columns], sensitive=["s"]), [Size(100), LDiversity(3)], LocalSlicing(), person="row"
    )
    release = shoal.anonymize(table, plan)
    assert max(len(held) for layout in release.manifest.layouts for held in layout.slices) <= 4


def test_people_with_several_rows_are_refused() -> None:
    table = pa.table({"who": [1, 1, 2, 3], "a": [1, 2, 3, 4], "s": [1, 2, 3, 4]})
    schema = Schema(identifying=["who"], quasi_identifying=["a"], sensitive=["s"])
    with pytest.raises(Unsupported, match="one row each"):
        shoal.anonymize(table, Plan(schema, [Size(2)], LocalSlicing(), person="who"))


def test_a_table_that_cannot_be_diverse_is_refused_with_the_strongest_l() -> None:
    table = pa.table({"a": range(9), "s": list("xxxxxyzyz")})
    schema = Schema(quasi_identifying=["a"], sensitive=["s"])
    with pytest.raises(Unachievable, match=r"s, .*55\.6%.*largest l that the table allows is 1"):
        shoal.anonymize(table, Plan(schema, [LDiversity(2)], LocalSlicing(), person="row"))
