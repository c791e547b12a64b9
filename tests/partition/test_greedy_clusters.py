"""Greedy clusters against a slow oracle, and their promise against the definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import Unsupported
from shoal.kernels.shuffle import permutation
from shoal.partition import greedy_clusters
from shoal.partition.growing import diversity_of, roomy
from shoal.plan.methods import GreedyClusters
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size
from shoal.schema.columns import Categorical, Schema
from shoal.schema.hierarchy import Hierarchy
from shoal.table.chance import Chance
from shoal.table.codes import Codes, encode
from tests.partition import greedy_clusters_oracle
from tests.partition.test_mondrian import held, keeps

#: Five leaves, so that what is lost is a sum of quarters, which floats add exactly.
TREE = Hierarchy.from_rows([["0", "low", "*"], ["1", "low", "*"], ["2", "high", "*"], ["3", "high", "*"], ["4", "*"]])
#: All values of each column, so that a random table has them all: eighths, quarters and halves.
EVERY = [(i % 9, i % 5, (None, "a", "b")[i % 3], 0) for i in range(9)]


def plan_of(*require: Requirement) -> Plan:
    schema = Schema(quasi_identifying={"a": None, "b": Categorical(TREE), "c": None}, sensitive=["s"])
    return Plan(schema, list(require), GreedyClusters(), person="row")


def coded(rows: Sequence[tuple[object, ...]], plan: Plan) -> Codes:
    a, b, c, s = zip(*rows, strict=True)
    table = pa.table({"a": a, "b": list(map(str, b)), "c": pa.array(c, pa.string()), "s": pa.array(s, pa.int64())})
    return encode(table, plan, {"b": TREE}, permutation(Chance.seeded(1).words(len(rows))))


def loss(records: Sequence[tuple[int, ...]]) -> float:
    """What a class loses by NCP, from its codes."""
    numbers, leaves, words = (sorted(set(column)) for column in zip(*records, strict=True))
    together = len(leaves) == 1 or (leaves[-1] < 2 or (leaves[0] > 1 and leaves[-1] < 4))
    of_tree = 0.0 if len(leaves) == 1 else 0.25 if together else 1.0
    return (numbers[-1] - numbers[0]) / 8 + of_tree + (len(words) - 1) / 2


row = st.tuples(st.integers(0, 8), st.integers(0, 4), st.sampled_from([None, "a", "b"]), st.integers(0, 5))


@settings(max_examples=60)
@given(st.lists(row, max_size=40), st.integers(2, 6), st.sampled_from([None, 2, 3]))
def test_classes_are_those_of_the_oracle(rows: list[tuple[object, ...]], k: int, l: int | None) -> None:
    rows = [*((*values[:3], i) for i, values in enumerate(EVERY)), *rows]
    plan = plan_of(KAnonymity(k), *([] if l is None else [LDiversity(l, "s")]))
    codes = coded(rows, plan)
    if l is not None and max(Counter(row[3] for row in rows).values()) * l > len(rows):
        return
    records = [tuple(int(code) for code in line) for line in codes.matrix[:, :3]]
    values = [int(code) for code in codes.matrix[:, 3]] if l is not None else list(range(len(rows)))
    least = k if l is None else roomy(max(k, l), diversity_of(codes, np.arange(len(rows)), _numbers(codes, plan)))
    expected = greedy_clusters_oracle.classes(records, values, least, l or 1, loss)
    assert held(greedy_clusters.group(codes, plan), codes) == {frozenset(one) for one in expected}


def _numbers(codes: Codes, plan: Plan) -> greedy_clusters.Numbers:
    return greedy_clusters.eligible(codes, plan).numbers


requirements = st.lists(
    st.one_of(
        st.builds(KAnonymity, st.integers(2, 6)),
        st.builds(Size, st.integers(2, 4)),
        st.builds(LDiversity, st.sampled_from([1.5, 2, 2.7, 3]), st.just("s")),
        st.builds(LDiversity, st.sampled_from([2, 3]), st.just("s"), st.just("distinct")),
        st.builds(LDiversity, st.sampled_from([1.5, 2.2]), st.just("s"), st.just("entropy")),
        st.builds(LDiversity, st.sampled_from([2, 3]), st.just("s"), st.just("recursive"), st.sampled_from([0.8, 2.0])),
        st.builds(LDiversity, st.just(2), st.just("s"), missing_is_sensitive=st.just(True)),
    ),
    min_size=1,
    max_size=3,
)
gaps = st.tuples(st.integers(0, 8), st.integers(0, 4), st.sampled_from([None, "a"]), st.sampled_from([None, 1, 2, 3]))


@settings(max_examples=100)
@given(st.lists(gaps, min_size=1, max_size=80), requirements)
def test_classes_keep_the_plan_and_every_record(rows: list[tuple[object, ...]], require: list[Requirement]) -> None:
    plan = plan_of(*require)
    codes = coded(rows, plan)
    if not keeps(codes, plan, list(range(len(rows)))):
        return
    found = held(greedy_clusters.group(codes, plan), codes)
    assert sorted(record for one in found for record in one) == list(range(len(rows)))
    assert all(keeps(codes, plan, sorted(one)) for one in found)


@given(st.lists(st.integers(0, 9), min_size=30, max_size=120), st.integers(2, 8), st.sampled_from([2, 3, 2.5]))
def test_one_value_that_is_as_common_as_can_be_spoils_no_class(few: list[int], k: int, l: float) -> None:
    """Half of the records, or a third, hold one value: a greedy choice without a course would run out of others."""
    common = int(len(few) / (l - 1))
    rows = [(i % 9, i % 5, "a", 1 + value) for i, value in enumerate(few)] + [(i % 9, 0, "a", 0) for i in range(common)]
    most = max(Counter(row[3] for row in rows).values())
    plan = plan_of(KAnonymity(k), LDiversity(l, "s"))
    if most * l > len(rows):
        return
    sizes = [len(one) for one in held(greedy_clusters.group(coded(rows, plan), plan), coded(rows, plan))]
    assert max(sizes) <= 4 * (max(k, 3) + 18)


def test_sizes_leave_the_commonest_value_its_share() -> None:
    plan = plan_of(KAnonymity(5), LDiversity(3, "s"))
    codes = coded(EVERY * 10, plan_of(KAnonymity(5)))
    diversity = diversity_of(
        codes, np.arange(90), _numbers(coded([(*r[:3], i) for i, r in enumerate(EVERY)], plan), plan)
    )
    assert roomy(5, diversity) == 6
    assert roomy(6, diversity) == 6


def test_people_with_several_rows_are_refused() -> None:
    table = pa.table({"who": [1, 1, 2, 3], "a": [1, 2, 3, 4]})
    plan = Plan(Schema(identifying=["who"], quasi_identifying=["a"]), [KAnonymity(2)], GreedyClusters(), person="who")
    with pytest.raises(Unsupported, match="one row each"):
        shoal.anonymize(table, plan)


def test_large_tables_are_refused_unless_they_may_be_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greedy_clusters, "_MOST", 50)
    table = pa.table({"a": list(range(60))})
    schema = Schema(quasi_identifying=["a"])
    with pytest.raises(Unsupported, match="slow = true"):
        shoal.anonymize(table, Plan(schema, [KAnonymity(2)], GreedyClusters(), person="row"))
    release = shoal.anonymize(table, Plan(schema, [KAnonymity(2)], GreedyClusters(slow=True), person="row"))
    assert release.manifest.records == 60
