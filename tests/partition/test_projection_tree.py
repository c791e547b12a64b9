"""The projection tree against a slow oracle, and the exact theorem about its classes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import shoal
from shoal.errors import Unsupported
from shoal.kernels import projecting
from shoal.partition import halving, projection_tree
from shoal.plan.methods import ProjectionTree
from shoal.plan.options import options_of
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, Requirement
from shoal.schema.columns import Schema
from shoal.table.chance import Chance
from shoal.table.codes import Codes
from tests.partition.projection_tree_oracle import Oracle
from tests.partition.test_mondrian import coded, held, keeps, requirements

VARIANTS = options_of(ProjectionTree)["variant"].words

#: Both ends of every column, so that all others lie at sixteenths, which floats add exactly.
ENDS = [(0, 0, 0, 0), (16, 16, 16, 1)]

value = st.one_of(st.none(), st.integers(0, 16))
records = st.lists(st.tuples(value, st.integers(0, 16), st.sampled_from([None, 0, 8]), st.integers(0, 4)), max_size=50)


def table_of(rows: Sequence[tuple[int | None, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True))
    return pa.table({name: pa.array(list(held), pa.int64()) for name, held in zip("abcs", columns, strict=True)})


def plan_of(method: ProjectionTree, *require: Requirement) -> Plan:
    return Plan(Schema(quasi_identifying=["a", "b", "c"], sensitive=["s"]), list(require), method, person="row")


def grouped(codes: Codes, plan: Plan, seed: int = 5) -> set[frozenset[int]]:
    return held(projection_tree.group(codes, plan, Chance.seeded(seed)), codes)


def oracle_of(codes: Codes, plan: Plan, seed: int = 5) -> Oracle:
    method = plan.method
    assert isinstance(method, ProjectionTree)
    assert isinstance(method.probability, float)
    draws = {"ka-ppkt": 3, "flexible": 1}.get(method.variant, math.ceil(method.probability * 3))

    def order(lo: int, hi: int) -> list[int]:
        axes = np.empty(3, np.int64)
        projecting.draw(Chance.seeded(seed).words(1)[0], lo, hi, axes)
        return axes.tolist()

    axes = [[*domain.position()[: domain.known].tolist(), None] for domain in codes.domains[:3]]
    return Oracle(
        [[axis[code] for axis, code in zip(axes, row, strict=True)] for row in codes.matrix[:, :3].tolist()],
        projection_tree.eligible(codes, plan).numbers.least,
        draws,
        method.variant,
        method.ties == "relaxed",
        lambda node: keeps(codes, plan, list(node)),
        order,
    )


@settings(max_examples=300)
@given(records, requirements, st.sampled_from(VARIANTS), st.sampled_from([0.3, 0.6, 1.0]), st.booleans())
def test_classes_are_those_of_the_oracle(
    rows: list[tuple[int | None, ...]], require: list[Requirement], variant: Any, probability: float, relaxed: bool
) -> None:
    method = ProjectionTree(probability, "relaxed" if relaxed else "strict", variant=variant)
    plan = plan_of(method, *require)
    codes = coded(table_of([*ENDS, *rows]), plan)
    if keeps(codes, plan, list(range(len(codes)))):
        assert grouped(codes, plan) == oracle_of(codes, plan).classes()


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Few or many values, known or not, in one to six columns."""
    count, columns = draw(st.integers(1, 300)), draw(st.integers(1, 6))
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    found = {}
    for name in "abcdef"[:columns]:
        values = chance.integers(0, draw(st.sampled_from([1, 2, 5, 1000])), count)
        gone = chance.random(count) < draw(st.sampled_from([0, 0, 0.1, 0.5, 1]))
        kind = draw(st.sampled_from(["whole", "skewed", "text"]))
        numbers = pa.array(np.exp(values / 50) if kind == "skewed" else values, mask=gone)
        found[name] = numbers.cast(pa.string()) if kind == "text" else numbers
    return pa.table(found)


@settings(max_examples=300, deadline=None)
@given(tables(), st.integers(2, 20), st.sampled_from([0.2, 0.7, 1.0, "auto"]), st.booleans(), st.data())
def test_relaxed_classes_have_k_to_2k_records_and_are_as_many_as_can_be(
    table: pa.Table, k: int, probability: Any, scaled: bool, data: st.DataObject
) -> None:
    """The theorem: k <= size < 2k, and floor(n / k) classes; equilibrium cuts keep the sizes alone."""
    method = ProjectionTree(probability, "relaxed", scaled, data.draw(st.sampled_from(VARIANTS)))
    plan = Plan(Schema(quasi_identifying=table.column_names), [KAnonymity(k)], method, person="row")
    if table.num_rows < k:
        return
    classes = projection_tree.group(coded(table, plan), plan, Chance())
    assert k <= classes.sizes.min()
    assert classes.sizes.max() < 2 * k
    assert method.variant == "equilibrium" or len(classes) == table.num_rows // k
    assert sorted(classes.order.tolist()) == list(range(table.num_rows))


@settings(max_examples=60)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3, st.just(0)), min_size=4, max_size=80), st.sampled_from(VARIANTS))
def test_strict_cuts_keep_equal_records_together(rows: list[tuple[int, ...]], variant: Any) -> None:
    plan = plan_of(ProjectionTree(variant=variant), KAnonymity(2))
    codes = coded(table_of(rows), plan)
    classes = grouped(codes, plan)
    for one in set(rows):
        assert len({members for members in classes for i in members if rows[codes.rows[i]] == one}) == 1


@pytest.mark.parametrize("ties", ["strict", "relaxed"])
def test_of_too_many_places_some_are_looked_at(ties: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projecting, "_PLACES", 3)
    half = [(0, i % 3, 0, 0) for i in range(100)] + [(i, 0, 0, 0) for i in range(100)]
    plan = plan_of(ProjectionTree(ties=ties), KAnonymity(4))
    codes = coded(table_of(half), plan)
    sizes = [len(members) for members in grouped(codes, plan)]
    assert min(sizes) >= 4
    assert sum(sizes) == 200
    assert len(sizes) >= 25


@settings(max_examples=50)
@given(st.lists(st.sampled_from([0.0, 0.25, 0.25, 0.75, 0.8125, -5.0, 7.0]), min_size=1, max_size=900), st.data())
def test_many_records_stand_in_order_and_equal_ones_as_they_lay(values: list[float], data: st.DataObject) -> None:
    n = data.draw(st.integers(0, len(values) - 1))
    assert projecting._nth.py_func(np.array(values), 0, len(values) - 1, n) == sorted(values)[n]
    keys, which = np.array(values), np.arange(len(values), dtype=np.int32)
    spare, spare_which = np.empty(len(values)), np.empty(len(values), np.int32)
    if data.draw(st.booleans()):
        projecting._deal.py_func(keys, which, len(values), spare, spare_which)
    projecting._sort.py_func(keys, which, len(values), spare, spare_which)
    assert which.tolist() == np.argsort(values, kind="stable").tolist()
    assert keys.tolist() == sorted(values)


def test_places_of_the_two_intervals() -> None:
    """17 records and k = 3 make five classes at most: two or three of them on the left, two records to spare."""
    places = projecting._places.py_func
    assert places(17, 3, projecting.DUAL) == (6, 8, 9, 11)
    assert places(17, 3, projecting.SINGLE) == (6, 8, 1, 0)
    assert places(17, 3, projecting.ROUNDED) == (9, 9, 1, 0)
    assert places(17, 3, projecting.MIDDLE) == (8, 8, 1, 0)
    assert places(13, 3, projecting.DUAL) == (6, 7, 9, 10)  # four classes: two on the left, or three
    assert places(8, 3, projecting.DUAL) == (3, 5, 1, 0)  # two classes: one on each side


def test_a_record_without_a_value_goes_where_it_is_near() -> None:
    """Cut on a, which is not known of the last record; by b it belongs to those with a large a."""
    rows: list[tuple[int | None, ...]] = [(i % 4 + 100 * (i // 4), 10 * (i // 4), 0, 0) for i in range(8)]
    plan = plan_of(ProjectionTree(1.0), KAnonymity(4))
    codes = coded(table_of([*rows, (None, 9, 0, 0)]), plan)
    classes = [{int(codes.rows[i]) for i in members} for members in grouped(codes, plan)]
    assert {0, 1, 2, 3} in classes
    assert {4, 5, 6, 7, 8} in classes


def test_those_of_least_regret_change_sides() -> None:
    """Of six without a value five are nearer to the left side, which has room for three of them: the nearest."""
    known: list[tuple[int | None, ...]] = [(0, 0, 0, 0), (100, 100, 0, 0)]
    gone: list[tuple[int | None, ...]] = [(None, b, 0, 0) for b in (1, 2, 3, 48, 49, 99)]
    plan = plan_of(ProjectionTree(1.0, "relaxed", variant="ka-ppkt"), KAnonymity(4))
    codes = coded(table_of([*known, *gone]), plan)
    for members in grouped(codes, plan, 1):
        assert {int(codes.rows[i]) for i in members} in ({0, 2, 3, 4}, {1, 5, 6, 7})


def test_scaled_axes_count_alike_and_unscaled_by_their_units() -> None:
    rows = [(1000 * (i % 16), i // 16, 0, 0) for i in range(256)]
    for scaled, spread in ((True, 4), (False, 16)):
        plan = plan_of(ProjectionTree(1.0, scaled=scaled), KAnonymity(16))
        codes = coded(table_of(rows), plan)
        for members in grouped(codes, plan):
            assert len({rows[codes.rows[i]][1] for i in members}) == spread


def test_auto_draws_few_columns_where_all_are_alike_and_many_where_one_matters() -> None:
    draw = np.random.default_rng(1).integers(0, 1000, (3000, 10))
    alike = np.repeat(draw[:, :1], 10, axis=1)
    lone = draw * np.array([1000, *[1] * 9])
    found = []
    for values in (alike, lone):
        table = pa.table({f"c{j}": values[:, j] for j in range(10)})
        method = ProjectionTree("auto", scaled=False)
        plan = Plan(Schema(quasi_identifying=table.column_names), [KAnonymity(10)], method, person="row")
        codes = coded(table, plan)
        chosen = projection_tree.eligible(codes, plan)
        way = projecting.Way(10, projecting.DUAL, False, np.uint64(3))
        tree = projection_tree._Tree(projection_tree._table(codes, chosen, scaled=False), chosen.numbers, way)
        found.append(projection_tree._draws(tree, method, 10))
    assert found[0] == 1
    assert found[1] > 5


@pytest.mark.parametrize(("share", "columns", "draws"), [(0.25, 20, 5), (0.3, 10, 3), (0.01, 20, 1), (1.0, 7, 7)])
def test_the_share_of_columns_is_rounded_up(share: float, columns: int, draws: int) -> None:
    assert projection_tree._draws(None, ProjectionTree(share), columns) == draws  # type: ignore[arg-type]


def test_axes_are_drawn_evenly_and_anew_for_each_node() -> None:
    axes = np.empty(4, np.int64)
    times: Counter[tuple[int, ...]] = Counter()
    for seed in range(40):
        for lo in range(60):
            projecting.draw(np.uint64(seed), lo, lo + 100, axes)
            times[tuple(axes.tolist())] += 1
    assert len(times) == 24
    assert chisquare(list(times.values())).pvalue > 1e-4


def test_which_of_two_ties_falls_on_which_side_is_drawn_evenly() -> None:
    """Six equal records and a middle that cuts through them: each goes left equally often."""
    rows = [(1, 0, 0, 0)] * 6 + [(0, 0, 0, 0), (2, 0, 0, 1)]
    plan = plan_of(ProjectionTree(ties="relaxed"), KAnonymity(4))
    left = np.zeros(8)
    for seed in range(600):
        codes = coded(table_of(rows), plan, seed)
        (lowest,) = [one for one in grouped(codes, plan, seed) if 6 in {int(codes.rows[i]) for i in one}]
        left[[int(codes.rows[i]) for i in lowest]] += 1
    assert left[6] == 600
    assert left[:6].max() - left[:6].min() < 0.12 * 600


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_large_tables_are_shared_among_cores_without_a_difference(gaps: float, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    table = table_of([tuple(row) for row in draw.integers(0, 50, (3000, 4)).tolist()])
    known = pa.array([None if gone else 7 for gone in draw.random(3000) < gaps], pa.int64())
    table = table.set_column(2, "c", known)
    plan = plan_of(ProjectionTree(0.5, "relaxed"), KAnonymity(5))
    codes = coded(table, plan)
    alone = grouped(codes, plan)
    monkeypatch.setattr(halving, "LARGE", 100)
    assert grouped(codes, plan) == alone


def test_people_with_several_rows_are_refused() -> None:
    table = pa.table({"who": [1, 1, 2, 3], "a": [1, 2, 3, 4]})
    plan = Plan(Schema(identifying=["who"], quasi_identifying=["a"]), [KAnonymity(2)], ProjectionTree(), person="who")
    with pytest.raises(Unsupported, match="one row each"):
        shoal.anonymize(table, plan)


def test_without_quasi_identifiers_all_are_one_class() -> None:
    plan = Plan(Schema(sensitive=["s"]), [KAnonymity(2)], ProjectionTree("auto", "relaxed"), person="row")
    release = shoal.anonymize(pa.table({"s": [1, 2, 3, 4]}), plan)
    assert release.verdict is not None
    assert release.verdict.holds


def test_unknown_options_are_refused_with_what_may_be_said() -> None:
    with pytest.raises(shoal.PlanError, match="above 0 and at most 1 or auto"):
        plan_of(ProjectionTree(0.0), KAnonymity(2))
    with pytest.raises(shoal.PlanError, match="did you mean flexible"):
        plan_of(ProjectionTree(variant="flexibel"), KAnonymity(2))  # type: ignore[arg-type]
