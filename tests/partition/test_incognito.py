"""Incognito against every combination of levels there is, judged by the definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, Unachievable, Unsupported
from shoal.kernels.shuffle import permutation
from shoal.partition import incognito
from shoal.partition.eligible import asked, distance_of
from shoal.partition.levels import levels_of
from shoal.plan.methods import Incognito
from shoal.plan.plan import Plan
from shoal.privacy import definitions
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.schema.columns import Categorical, Schema
from shoal.schema.hierarchy import Hierarchy
from shoal.table.chance import Chance
from shoal.table.codes import Codes, encode
from shoal.table.domain import Domain
from shoal.table.numbering import numbered
from shoal.testing.trees import hierarchies
from tests.partition import incognito_oracle

#: Uneven on purpose: two leaves hang below the root itself, and one label stands twice on a path.
TREE = Hierarchy.from_rows(
    [
        ["0", "low", "small", "*"],
        ["1", "low", "small", "*"],
        ["2", "other", "other", "*"],
        ["3", "*"],
        ["4", "*"],
        ["5", "odd", "small", "*"],
    ]
)
Row = tuple[int | None, ...]


def table_of(rows: Sequence[Row]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * 5
    texts = [None if v is None else str(v) for v in columns[1]], [None if v is None else f"w{v}" for v in columns[2]]
    return pa.table(
        {
            "n": pa.array(columns[0], pa.int64()),
            "tree": pa.array(texts[0], pa.string()),
            "word": pa.array(texts[1], pa.string()),
            "s": pa.array(columns[3], pa.int64()),
            "who": pa.array(columns[4], pa.int64()),
        }
    )


def plan_of(*require: Requirement, suppress: float = 0.0, person: str = "row") -> Plan:
    schema = Schema(
        identifying=["who"],
        quasi_identifying={"n": None, "tree": Categorical(TREE), "word": None},
        sensitive=["s"],
    )
    return Plan(schema, list(require), Incognito(), suppress=suppress, person=person)


def coded(table: pa.Table, plan: Plan, seed: int = 1) -> Codes:
    return encode(table, plan, {"tree": TREE}, permutation(Chance.seeded(seed).words(table.num_rows)))


def keeps(codes: Codes, plan: Plan) -> Callable[[Sequence[int]], bool]:
    """Whether records may share a class, by the definitions alone."""
    (domain,) = codes.sensitive_domains
    column = codes.matrix[:, codes.place("s")]
    whole = np.bincount(column, minlength=len(domain))

    def judge(records: Sequence[int]) -> bool:
        held = np.asarray(records)
        counts = np.bincount(column[held], minlength=len(domain))[None, :]
        for requirement in asked(plan, codes.sensitive_domains):
            match requirement:
                case LDiversity():
                    reached = definitions.diversity(requirement, counts, domain.known)
                case TCloseness():
                    reached = definitions.closeness(counts, whole, distance_of(requirement, domain))
                case _:
                    people = len(held) if codes.people is None else len(set(codes.people[held].tolist()))
                    reached = np.array([float(people)])
            if not definitions.keeps(requirement, reached)[0]:
                return False
        return True

    return judge


def lost(codes: Codes) -> Callable[[Sequence[int]], float]:
    """What each record of a class loses, from the values themselves: the mean over the quasi-identifiers."""

    def of_column(domain: Domain, held: set[int]) -> float:
        if len(held) == 1:
            return 0.0
        if domain.tree is None and domain.kind == "category":
            return len(held) / len(domain)
        if domain.known in held:
            return 1.0
        if domain.kind == "number":
            values = domain.values.to_pylist()
            return (values[max(held)] - values[min(held)]) / (values[-1] - values[0])
        tree = domain.tree
        assert tree is not None
        paths = [row[::-1] for row in tree.rows()]
        shared = [at for at in zip(*(paths[code] for code in held), strict=False) if len(set(at)) == 1]
        prefix = [at[0] for at in shared]
        below = [path for path in paths if path[: len(prefix)] == prefix]
        return len(below) / len(domain)

    def mean(records: Sequence[int]) -> float:
        domains = codes.domains[: codes.quasi]
        return sum(of_column(d, set(codes.matrix[records, j].tolist())) for j, d in enumerate(domains)) / len(domains)

    return mean


number = st.one_of(st.none(), st.integers(0, 4), st.integers(0, 60))
rows = st.lists(
    st.tuples(
        number,
        st.one_of(st.none(), st.integers(0, 5)),
        st.one_of(st.none(), st.integers(0, 2)),
        st.one_of(st.none(), st.integers(0, 4), st.integers(0, 3)),
        st.integers(0, 30),
    ),
    max_size=40,
)
sizes = st.one_of(st.builds(KAnonymity, st.integers(2, 6)), st.builds(Size, st.integers(2, 4)))
kinds = [
    sizes,
    st.builds(LDiversity, st.sampled_from([1.5, 2, 3]), st.just("s")),
    st.builds(LDiversity, st.sampled_from([2, 3]), st.just("s"), st.just("distinct")),
    st.builds(LDiversity, st.sampled_from([1.5, 2.2]), st.just("s"), st.just("entropy")),
    st.builds(LDiversity, st.sampled_from([2, 3]), st.just("s"), st.just("recursive"), st.sampled_from([0.8, 2.0])),
    st.builds(LDiversity, st.just(2), st.just("s"), missing_is_sensitive=st.just(True)),
    st.builds(TCloseness, st.sampled_from([0.1, 0.25, 0.5]), st.just("s"), st.sampled_from(["ordered", "equal", None])),
]
requirements = st.lists(st.one_of(kinds), min_size=1, max_size=3)


def check(held: Sequence[Row], plan: Plan) -> None:
    """The classes found are those of a combination that loses no more than any that will do."""
    codes = coded(table_of(held), plan)
    judge = keeps(codes, plan)
    if held and not judge(range(len(held))):
        with pytest.raises(Unachievable):
            incognito.group(codes, plan)
        return
    records = [tuple(row[:3]) for row in codes.matrix.tolist()]
    groups = [[g.tolist() for g in levels_of(domain).groups] for domain in codes.domains[:3]]
    spare = int(plan.suppress * len(held) + 1e-9)
    will_do = list(incognito_oracle.everything_that_will_do(records, groups, judge, lost(codes), spare))
    least = min(found.loss for found in will_do)
    found = incognito.group(codes, plan)
    parts = np.split(found.order, found.starts[1:-1]) if len(found) else []
    classes = frozenset(frozenset(part.tolist()) for part in parts)
    assert classes in {one.classes for one in will_do if one.loss <= least + 1e-9}


@settings(max_examples=200)
@given(rows, requirements)
def test_no_combination_of_levels_that_will_do_loses_less(held: list[Row], require: list[Requirement]) -> None:
    check(held, plan_of(*require))


@settings(max_examples=150)
@given(
    rows,
    st.lists(st.one_of(sizes, kinds[2]), min_size=1, max_size=2),
    st.sampled_from([0.05, 0.1, 0.3, 0.9]),
)
def test_nor_where_records_may_be_left_out(held: list[Row], require: list[Requirement], suppress: float) -> None:
    plan = plan_of(*require, suppress=suppress)
    if held and keeps(coded(table_of(held), plan), plan)(range(len(held))):
        check(held, plan)


@settings(max_examples=100)
@given(rows, sizes, st.sampled_from([0.0, 0.2]))
def test_nor_where_rows_are_not_people(held: list[Row], size: Requirement, suppress: float) -> None:
    plan = plan_of(size, suppress=suppress, person="who")
    if held and keeps(coded(table_of(held), plan), plan)(range(len(held))):
        check(held, plan)


@given(st.data(), st.lists(st.integers(0, 9).map(str), min_size=1, max_size=10, unique=True), st.booleans())
def test_levels_part_the_values_ever_more_coarsely(data: st.DataObject, values: list[str], gap: bool) -> None:
    """Each level's groups are nodes of the tree, each lies in one of the next level, and the last holds all."""
    tree = data.draw(hierarchies(values)).keep(values)
    domain = Domain("x", "category", pa.array(tree.leaves), gap, tree)
    groups = levels_of(domain).groups
    assert sorted(groups[0].tolist()) == list(range(len(domain)))
    assert set(groups[-1].tolist()) == {0}
    nodes = {frozenset(range(a, b)) for a, b in zip(tree.first.tolist(), tree.last.tolist(), strict=True)}
    for level, higher in pairwise(groups):
        held = {g: frozenset(np.flatnonzero(level == g).tolist()) for g in set(level.tolist())}
        assert len(held) > len(set(higher.tolist()))
        assert all(len(set(higher[list(one)].tolist())) == 1 for one in held.values())
        assert all(one in nodes or one == {domain.known} for one in held.values())


def test_numbers_and_dates_get_round_intervals() -> None:
    ages = pa.array(range(17, 91))
    groups = levels_of(Domain("age", "number", ages, True)).groups
    assert 4 <= len(groups) <= 7
    for level in groups[1:-1]:
        assert level[-1] not in level[:-1]  # missing stands alone below the last level
        edges = [age for age, same in zip(range(18, 91), np.diff(level[:-1]) == 0, strict=True) if not same]
        assert all(edge % 5 == 0 for edge in edges)


def test_what_no_intervals_can_be_made_of_is_refused_by_name() -> None:
    table = pa.table({"when": pa.array([1, 2, 3, 4], pa.time32("s"))})
    plan = Plan(Schema(quasi_identifying=["when"]), [KAnonymity(2)], Incognito())
    with pytest.raises(DataError, match="needs a hierarchy for when"):
        shoal.anonymize(table, plan)


def test_a_search_that_nobody_would_wait_for_is_refused() -> None:
    draw = np.random.default_rng(1)
    table = pa.table({f"q{i}": draw.integers(0, 100, 50) for i in range(9)})
    plan = Plan(Schema(quasi_identifying=table.column_names), [KAnonymity(2)], Incognito())
    with pytest.raises(Unsupported, match="combinations"):
        shoal.anonymize(table, plan)


@pytest.mark.parametrize("columns", [0, 1])
def test_few_columns_make_a_small_lattice(columns: int) -> None:
    table = pa.table({"x": list(range(20)), "s": [0, 1] * 10})
    quasi = ["x"][:columns]
    plan = Plan(
        Schema(quasi_identifying=quasi, sensitive=["s"], identifying=["x"][columns:]),
        [LDiversity(2)],
        Incognito(),
        person="row",
    )
    release = shoal.anonymize(table, plan)
    assert release.verdict is not None
    assert release.verdict.holds
    assert release.manifest.records == 20


def test_many_long_columns_are_numbered_without_overflow() -> None:
    """The combinations of five columns of 50,000 values are more than 64 bits can number."""
    draw = np.random.default_rng(3)
    columns = [draw.integers(0, 50_000, 3_000) for _ in range(5)]
    first, number = numbered(columns, [50_000] * 5, 3_000)
    rows = np.stack(columns, axis=1)
    _, expected = np.unique(rows, axis=0, return_inverse=True)
    assert number.tolist() == expected.ravel().tolist()
    assert (rows[first][number] == rows).all()
