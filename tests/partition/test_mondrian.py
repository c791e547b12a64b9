"""Mondrian against a slow oracle that judges classes by the definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import Unachievable, Unsupported
from shoal.kernels.shuffle import permutation
from shoal.partition import halving, mondrian
from shoal.partition.eligible import asked, distance_of
from shoal.plan.methods import Mondrian
from shoal.plan.plan import Plan
from shoal.privacy import definitions
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.schema.columns import Schema
from shoal.table.chance import Chance
from shoal.table.codes import Codes, encode
from tests.partition import mondrian_oracle


def coded(table: pa.Table, plan: Plan, seed: int = 1) -> Codes:
    return encode(table, plan, {}, permutation(Chance.seeded(seed).words(table.num_rows)))


def table_of(records: list[tuple[int | None, ...]]) -> pa.Table:
    columns = list(zip(*records, strict=True)) if records else [(), (), (), ()]
    names = ["a", "b", "c", "s"]
    return pa.table({name: pa.array(list(values), pa.int64()) for name, values in zip(names, columns, strict=True)})


def plan_of(*require: Requirement, ties: str = "strict", suppress: float = 0.0) -> Plan:
    schema = Schema(quasi_identifying=["a", "b", "c"], sensitive=["s"])
    return Plan(schema, list(require), method=Mondrian(ties=ties), suppress=suppress)  # type: ignore[arg-type]


def keeps(codes: Codes, plan: Plan, records: list[int]) -> bool:
    """Whether these records may share a class, by the definitions alone."""
    (domain,) = codes.sensitive_domains
    column = codes.matrix[:, codes.place("s")]
    whole = np.bincount(column, minlength=len(domain))
    counts = np.bincount(column[records], minlength=len(domain))[None, :]
    for requirement in asked(plan, codes.sensitive_domains):
        match requirement:
            case LDiversity():
                reached = definitions.diversity(requirement, counts, domain.known)
            case TCloseness():
                reached = definitions.closeness(counts, whole, distance_of(requirement, domain))
            case _:
                reached = definitions.size(counts)
        if not definitions.keeps(requirement, reached)[0]:
            return False
    return True


def held(classes: mondrian.Classes, codes: Codes) -> set[frozenset[int]]:
    parts = np.split(classes.order, classes.starts[1:-1]) if len(classes) else []
    return {frozenset(part.tolist()) for part in parts}


value = st.one_of(st.none(), st.integers(0, 6))
sensitive = st.one_of(st.none(), st.integers(0, 4), st.integers(0, 4))
tables = st.lists(st.tuples(value, st.integers(0, 200), st.integers(0, 2), sensitive), max_size=60)
requirements = st.lists(
    st.one_of(
        st.builds(KAnonymity, st.integers(2, 6)),
        st.builds(Size, st.integers(2, 4)),
        st.builds(LDiversity, st.sampled_from([1.5, 2, 3]), st.just("s")),
        st.builds(LDiversity, st.sampled_from([2, 3]), st.just("s"), st.just("distinct")),
        st.builds(LDiversity, st.sampled_from([1.5, 2.2]), st.just("s"), st.just("entropy")),
        st.builds(LDiversity, st.sampled_from([2, 3]), st.just("s"), st.just("recursive"), st.sampled_from([0.8, 2.0])),
        st.builds(LDiversity, st.just(2), st.just("s"), missing_is_sensitive=st.just(True)),
        st.builds(
            TCloseness, st.sampled_from([0.1, 0.25, 0.5]), st.just("s"), st.sampled_from(["ordered", "equal", None])
        ),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=150)
@given(tables, requirements)
def test_strict_classes_are_those_of_the_oracle(
    records: list[tuple[int | None, ...]], require: list[Requirement]
) -> None:
    plan = plan_of(*require)
    codes = coded(table_of(records), plan)
    everybody = list(range(len(records)))
    if records and not keeps(codes, plan, everybody):
        with pytest.raises(Unachievable):
            mondrian.group(codes, plan)
        return
    rows = [tuple(int(code) for code in codes.matrix[i, :3]) for i in everybody]
    position = [domain.position() for domain in codes.domains[:3]]
    expected = mondrian_oracle.classes(rows, position, lambda node: keeps(codes, plan, list(node)))
    assert held(mondrian.group(codes, plan), codes) == expected


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), requirements)
def test_classes_are_those_of_the_oracle_where_nearly_all_values_differ(seed: int, require: list[Requirement]) -> None:
    """Sides are then judged by the values that they hold."""
    draw = np.random.default_rng(seed)
    values = [
        None if missing else int(value)
        for missing, value in zip(draw.random(150) < 0.05, draw.integers(0, 5000, 150), strict=True)
    ]
    records = [(*map(int, draw.integers(0, [7, 200, 3])), value) for value in values]
    plan = plan_of(*require)
    codes = coded(table_of(records), plan)
    everybody = list(range(len(records)))
    rows = [tuple(int(code) for code in codes.matrix[i, :3]) for i in everybody]
    position = [domain.position() for domain in codes.domains[:3]]
    expected = mondrian_oracle.classes(rows, position, lambda node: keeps(codes, plan, list(node)))
    assert held(mondrian.group(codes, plan), codes) == expected


@settings(max_examples=60)
@given(tables, requirements)
def test_relaxed_classes_keep_the_plan_and_every_record(
    records: list[tuple[int | None, ...]], require: list[Requirement]
) -> None:
    plan = plan_of(*require, ties="relaxed")
    codes = coded(table_of(records), plan)
    if records and not keeps(codes, plan, list(range(len(records)))):
        return
    found = held(mondrian.group(codes, plan), codes)
    assert sorted(record for one in found for record in one) == list(range(len(records)))
    assert all(keeps(codes, plan, sorted(one)) for one in found)


@given(st.integers(10, 300), st.integers(2, 9))
def test_relaxed_cuts_halve_whatever_the_ties(count: int, k: int) -> None:
    """One value repeated but for two records: strict cuts cannot part it, relaxed ones halve it."""
    records = [(0, 0, 0, 0)] * (count - 2) + [(1, 0, 0, 0)] * 2
    plan = plan_of(KAnonymity(k), ties="relaxed")
    sizes = [
        len(one) for one in held(mondrian.group(coded(table_of(records), plan), plan), coded(table_of(records), plan))
    ]
    assert max(sizes) < count or count < 2 * k


@given(st.permutations(range(40)), st.integers(0, 3))
def test_strict_classes_do_not_depend_on_the_order_of_the_input(order: list[int], seed: int) -> None:
    draw = np.random.default_rng(7)
    records = [tuple(int(v) for v in row) for row in draw.integers(0, 5, (40, 4))]
    plan = plan_of(KAnonymity(3))

    def boxes(rows: list[tuple[int, ...]], seed: int) -> list[list[tuple[int, ...]]]:
        codes = coded(table_of(rows), plan, seed)
        found = held(mondrian.group(codes, plan), codes)
        return sorted(sorted(rows[codes.rows[i]] for i in one) for one in found)

    assert boxes(records, 0) == boxes([records[i] for i in order], seed)


def test_which_of_two_ties_falls_on_which_side_is_drawn_evenly() -> None:
    """Six equal records and a middle that cuts through them: each goes left equally often."""
    records = [(1, 0, 0, i % 2) for i in range(6)] + [(0, 0, 0, 0), (2, 0, 0, 1)]
    plan = plan_of(KAnonymity(2), ties="relaxed")
    left = np.zeros(8)
    for seed in range(600):
        codes = coded(table_of(records), plan, seed)
        classes = held(mondrian.group(codes, plan), codes)
        (lowest,) = [one for one in classes if 6 in {int(codes.rows[i]) for i in one}]
        left[[int(codes.rows[i]) for i in lowest]] += 1
    assert left[6] == 600
    share = left[:6] / 600
    assert share.max() - share.min() < 0.12


def test_records_are_left_out_only_as_far_as_diversity_needs() -> None:
    records = [(i, i, 0, 0) for i in range(12)] + [(i, i, 0, 1 + i % 3) for i in range(6)]
    codes = coded(table_of(records), plan := plan_of(LDiversity(2, "s"), suppress=0.4))
    classes = mondrian.group(codes, plan)
    assert len(classes.order) == 12  # six of the twelve records that share a value
    with pytest.raises(Unachievable, match="largest l that the table allows is 1"):
        mondrian.group(codes, plan_of(LDiversity(2, "s"), suppress=0.3))


def test_what_one_requirement_leaves_out_is_not_taken_from_another() -> None:
    """Six are left out for b; three of them were those that made a diverse."""
    records = pa.table({"q": [0] * 20, "a": [0] * 10 + [1] * 10, "b": [0] * 4 + [1] * 4 + [2] * 2 + [2] * 10})
    schema = Schema(quasi_identifying=["q"], sensitive=["a", "b"])
    plan = Plan(schema, [LDiversity(2, "a"), LDiversity(2, "b")], suppress=0.9)
    for seed in range(20):
        codes = coded(records, plan, seed)
        classes = mondrian.group(codes, plan)
        for name in ("a", "b"):
            counts = np.bincount(codes.matrix[classes.order, codes.place(name)])
            assert counts.max() * 2 <= counts.sum()


def test_an_unachievable_k_says_the_largest_possible() -> None:
    codes = coded(table_of([(1, 1, 1, 1)] * 3), plan := plan_of(KAnonymity(4)))
    with pytest.raises(Unachievable, match="largest k that it allows is 3"):
        mondrian.group(codes, plan)


def people_plan(*require: Requirement) -> Plan:
    return Plan(Schema(identifying=["who"], quasi_identifying=["a"], sensitive=["s"]), list(require), person="who")


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9)), min_size=1, max_size=60), st.integers(2, 4))
def test_classes_count_people_not_rows(visits: list[tuple[int, int]], k: int) -> None:
    who, age = zip(*visits, strict=True)
    table = pa.table({"who": pa.array(who), "a": pa.array(age), "s": pa.array([0] * len(visits))})
    plan = people_plan(KAnonymity(k))
    codes = coded(table, plan)
    if len(set(who)) < k:
        with pytest.raises(Unachievable):
            mondrian.group(codes, plan)
        return
    for one in held(mondrian.group(codes, plan), codes):
        assert len({who[codes.rows[i]] for i in one}) >= k


def test_diversity_of_people_with_several_rows_is_refused() -> None:
    table = pa.table({"who": [1, 1, 2, 3], "a": [1, 2, 3, 4], "s": [0, 1, 0, 1]})
    with pytest.raises(Unsupported, match="one row each"):
        mondrian.group(coded(table, plan := people_plan(LDiversity(2, "s"))), plan)


def test_large_tables_are_shared_among_cores_without_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    records = [tuple(int(v) for v in row) for row in draw.integers(0, 50, (3000, 4))]
    plan = plan_of(KAnonymity(5), LDiversity(3, "s"))
    codes = coded(table_of(records), plan)
    alone = held(mondrian.group(codes, plan), codes)
    monkeypatch.setattr(halving, "LARGE", 100)
    assert held(mondrian.group(codes, plan), codes) == alone


def test_classes_of_a_part_are_compared_with_the_whole() -> None:
    """Of a window some records are published already: the others must be close to all of them, not to each other."""
    records: list[tuple[int | None, ...]] = [(i, i % 7, i % 3, i % 2) for i in range(80)]
    plan = plan_of(KAnonymity(2), TCloseness(0.2, "s"))
    part = replace(coded(table_of(records), plan), whole=(np.array([55, 45]),))
    classes = mondrian.group(part, plan)
    assert len(classes) > 1
    for members in np.split(classes.order, classes.starts[1:-1]):
        share = part.matrix[members, part.place("s")].mean()
        assert abs(share - 0.45) <= 0.2 + 1e-9
    with pytest.raises(Unachievable):
        mondrian.group(replace(part, whole=(np.array([10, 90]),)), plan)
