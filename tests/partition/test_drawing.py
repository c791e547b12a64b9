"""Classes drawn from blocks where the paper is silent: several sensitive columns, missing values, other kinds of l."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import shoal
from shoal.errors import PlanError, Unachievable, Unsupported
from shoal.partition import group
from shoal.partition.blocks import Blocks
from shoal.partition.drawing import draw
from shoal.plan.methods import Anatomize, InitialPartition, RefiningPartition
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size
from shoal.table.chance import Chance
from tests.partition.eligible_tables import Case, case_of, keeps

METHODS = [RefiningPartition(), InitialPartition(), Anatomize()]
#: Those that draw classes.
DRAWING = [RefiningPartition(), RefiningPartition("lexicographic"), Anatomize()]
every = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.card.name)


def grouped(case: Case, seed: int | None = None) -> list[list[int]]:
    """The places of the records of each class."""
    classes = group(case.codes, case.plan, Chance.seeded(seed))
    return [part.tolist() for part in np.split(classes.order.astype(np.int64), classes.starts[1:-1])]


def values(case: Case, name: str = "s") -> list[int]:
    return [int(code) for code in case.codes.matrix[:, case.codes.place(name)]]


def table(records: int, seed: int = 1, *, illnesses: int = 9) -> dict[str, Sequence[Any]]:
    draws = np.random.default_rng(seed)
    return {
        "a": draws.integers(0, 5, records).tolist(),
        "b": draws.integers(0, 40, records).tolist(),
        "s": draws.integers(0, illnesses, records).tolist(),
    }


# -- several sensitive columns ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", DRAWING, ids=str)
def test_two_sensitive_columns_are_diverse_in_small_classes(method: Any) -> None:
    columns = {**table(3000), "job": np.random.default_rng(2).integers(0, 7, 3000).tolist()}
    case = case_of(columns, method, LDiversity(4, "s"), LDiversity(2, "job"), secret=("s", "job"))
    classes = grouped(case)
    for held in classes:
        assert max(Counter(values(case)[i] for i in held).values()) * 4 <= len(held)
        assert max(Counter(values(case, "job")[i] for i in held).values()) * 2 <= len(held)
    assert len(classes) > 700  # of four or five records


def test_columns_that_say_the_same_are_no_harder_than_one() -> None:
    columns = table(1000)
    case = case_of({**columns, "t": columns["s"]}, RefiningPartition(), LDiversity(5), secret=("s", "t"))
    assert len(grouped(case)) >= 195


def test_values_that_are_as_common_as_can_be_hardly_get_stuck() -> None:
    """Nine in twenty hold s = 0, nine others t = 0, and hardly anybody neither: greedy drawing may get stuck."""
    draws = np.random.default_rng(3)
    s = [0] * 270 + draws.integers(1, 5, 330).tolist()
    t = draws.integers(1, 5, 330).tolist() + [0] * 270
    case = case_of({"a": [0] * 600, "s": s, "t": t}, RefiningPartition(), LDiversity(2), secret=("s", "t"))
    sizes = Counter(map(len, classes := grouped(case)))
    assert sorted(i for held in classes for i in held) == list(range(600))
    assert all(keeps(case, held) for held in classes)
    assert sizes[2] > 200


requirements = st.lists(
    st.one_of(
        st.builds(LDiversity, st.sampled_from([1.5, 2, 2.5, 3]), st.sampled_from(["s", "t"])),
        st.builds(LDiversity, st.sampled_from([2, 3]), st.sampled_from(["s", "t"]), st.just("distinct")),
        st.builds(LDiversity, st.sampled_from([1.5, 2.2]), st.just("s"), st.just("entropy")),
        st.builds(LDiversity, st.just(2), st.just("t"), st.just("recursive"), st.sampled_from([0.6, 2.0])),
        st.builds(LDiversity, st.just(2), st.just("s"), missing_is_sensitive=st.just(True)),
        st.builds(Size, st.integers(2, 6)),
    ),
    min_size=1,
    max_size=3,
)
gaps = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([None, 0, 1, 2, 3]), st.sampled_from([None, 0, 0, 1, 2])),
    min_size=1,
    max_size=60,
)


@settings(max_examples=200)
@given(gaps, requirements, st.sampled_from([*METHODS, *DRAWING, RefiningPartition("mondrian")]))
def test_classes_keep_any_plan_and_every_record(
    rows: list[tuple[int | None, ...]], require: list[Requirement], method: Any
) -> None:
    a, s, t = (list(column) for column in zip(*rows, strict=True))
    columns = {"a": a, "s": pa.array(s, pa.int64()), "t": pa.array(t, pa.int64())}
    case = case_of(columns, method, *require, secret=("s", "t"))
    if not keeps(case, range(len(rows))):
        return
    classes = grouped(case)
    assert sorted(i for held in classes for i in held) == list(range(len(rows)))
    assert all(keeps(case, held) for held in classes)


# -- missing values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [RefiningPartition(), Anatomize()], ids=str)
def test_records_without_a_value_join_classes_in_turn(method: Any) -> None:
    secret = [i % 8 if i % 3 else None for i in range(240)]
    case = case_of({"a": [0] * 240, "s": secret}, method, LDiversity(4))
    classes = grouped(case)
    missing = [sum(values(case)[i] == 8 for i in held) for held in classes]
    assert all(len({values(case)[i] for i in held} - {8}) >= 4 for held in classes)
    assert len(classes) == 40
    assert set(missing) == {2}


@every
def test_without_any_known_value_nothing_is_diverse(method: Any) -> None:
    with pytest.raises(Unachievable, match="none of the records has a known value"):
        grouped(case_of({"a": [0, 1], "s": pa.array([None, None], pa.int64())}, method, LDiversity(2)))


@every
def test_missing_may_be_a_value_like_any_other(method: Any) -> None:
    case = case_of({"a": [0] * 30, "s": [None, 1] * 15}, method, LDiversity(2, missing_is_sensitive=True))
    assert all(Counter(values(case)[i] for i in held) == {0: len(held) / 2, 1: len(held) / 2} for held in grouped(case))


# -- what cannot be, and what is easy -----------------------------------------------------------------------


@every
def test_an_ineligible_table_is_refused_with_what_it_allows(method: Any) -> None:
    case = case_of({"a": [*range(10)], "s": [0] * 4 + [1, 2, 3, 4, 5, 6]}, method, LDiversity(3))
    with pytest.raises(Unachievable, match=r"the column s, .* held by 40.0% of the records.* largest l .* is 2"):
        grouped(case)


@every
def test_more_values_than_there_are_cannot_be_asked(method: Any) -> None:
    case = case_of({"a": [*range(10)], "s": [0, 1] * 5}, method, LDiversity(3))
    with pytest.raises(Unachievable, match=r"it has 2 known value\(s\).* largest l .* is 2"):
        grouped(case)


@every
def test_one_is_no_diversity(method: Any) -> None:
    with pytest.raises(PlanError, match="with l = 1 a class may tell everybody's value"):
        case_of({"a": [0, 1], "s": [0, 1]}, method, LDiversity(1))


@every
def test_columns_that_hold_one_value_each_make_one_block(method: Any) -> None:
    case = case_of({"a": [0] * 100, "b": ["x"] * 100, "s": [i % 10 for i in range(100)]}, method, LDiversity(5))
    assert len(grouped(case)) == (1 if isinstance(method, InitialPartition) else 20)


@every
def test_records_may_be_left_out_where_a_value_is_too_common(method: Any) -> None:
    schema = shoal.Schema(quasi_identifying=["a"], sensitive=["s"])
    plan = shoal.Plan(schema, [LDiversity(3)], method, shoal.Anatomy(), suppress=0.3, person="row")
    release = shoal.anonymize(pa.table({"a": [*range(11)], "s": [0] * 5 + [1, 1, 1, 2, 2, 2]}), plan)
    assert release.manifest.suppressed == 2


@every
def test_rows_of_the_same_person_are_refused(method: Any) -> None:
    schema = shoal.Schema(identifying=["who"], quasi_identifying=["a"], sensitive=["s"])
    plan = shoal.Plan(schema, [LDiversity(2)], method, shoal.Anatomy(), person="who")
    with pytest.raises(Unsupported, match="one row each"):
        shoal.anonymize(pa.table({"who": [1, 1, 2, 3], "a": [1, 2, 3, 4], "s": [0, 1, 0, 1]}), plan)


@every
def test_an_empty_table_has_no_class(method: Any) -> None:
    case = case_of({"a": pa.array([], pa.int64()), "s": pa.array([], pa.int64())}, method, LDiversity(2))
    assert len(group(case.codes, case.plan, Chance())) == 0


# -- sizes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [4, 7, 30])
def test_k_beside_l_puts_neighbours_together(k: int) -> None:
    schema = shoal.Schema(quasi_identifying=["a", "b"], sensitive=["s"])
    require = [KAnonymity(k), LDiversity(3)]
    plan = shoal.Plan(schema, require, RefiningPartition(), shoal.Generalized(), person="row")
    release = shoal.anonymize(pa.table(table(900)), plan)
    classes: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for row in release.table.to_pylist():
        classes[tuple(row.values())[:-1]].append(row["s"])
    assert all(len(held) >= k for held in classes.values())
    assert all(max(Counter(held).values()) * 3 <= len(held) for held in classes.values())
    assert len(classes) > 900 / (3 * k)


def test_classes_of_a_size_stay_within_their_block() -> None:
    """Two blocks of 30 records each, and classes of at least 7: none holds records of both."""
    case = case_of(
        {"a": [0] * 30 + [1] * 30, "s": [i % 6 for i in range(60)]}, RefiningPartition(), LDiversity(3), Size(7)
    )
    for held in grouped(case):
        assert len({int(case.codes.matrix[i, 0]) for i in held}) == 1
        assert 7 <= len(held) <= 13


# -- forms --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [RefiningPartition(), Anatomize()], ids=lambda method: method.card.name)
def test_classes_that_are_shown_randomized_hold_more_values_each_once(method: Any) -> None:
    """With p = 0.1 and l = 3 a class needs five values; see shoal/privacy/retention.py."""
    schema = shoal.Schema(quasi_identifying=["a", "b"], sensitive=["s"])
    plan = shoal.Plan(schema, [LDiversity(3)], method, shoal.Randomized(retention=0.1), person="row")
    release = shoal.anonymize(pa.table(table(900)), plan)
    counts = release.tables["sat_s"].to_pylist()
    sizes = Counter(row["class"] for row in counts)
    assert {row["count"] for row in counts} == {1}
    assert min(sizes.values()) == 5
    assert len(sizes) >= 175


@pytest.mark.parametrize("method", DRAWING, ids=str)
def test_classes_of_different_values_keep_more_than_all_records_together(method: Any) -> None:
    """Fourteen values, a seventh of the records holding the commonest: as one class they keep l = 2.9 with p = 0.1."""
    columns = {**table(1400), "s": [0] * 200 + [1 + i % 13 for i in range(1200)]}
    schema = shoal.Schema(quasi_identifying=["a", "b"], sensitive=["s"])
    for made in (method, shoal.Mondrian()):
        plan = shoal.Plan(schema, [LDiversity(3)], made, shoal.Randomized(retention=0.1), person="row")
        if made is method:
            assert shoal.anonymize(pa.table(columns), plan).manifest.require[0].reached >= 3
        else:
            with pytest.raises(Unachievable):
                shoal.anonymize(pa.table(columns), plan)


@every
def test_a_retention_that_no_class_can_bear_is_refused_with_the_largest(method: Any) -> None:
    """Five values, one held by a quarter: classes of four different values keep l = 4 only if nothing is retained."""
    schema = shoal.Schema(quasi_identifying=["a", "b"], sensitive=["s"])
    columns = {**table(200), "s": [0] * 50 + [1 + i % 7 for i in range(150)]}
    plan = shoal.Plan(schema, [LDiversity(3)], method, shoal.Randomized(retention=0.2), person="row")
    with pytest.raises(Unachievable, match=r"retention of at most 0\.\d+") as refused:
        shoal.anonymize(pa.table(columns), plan)
    if not isinstance(method, InitialPartition):
        told = float(str(refused.value).rsplit(" ", 1)[1])
        able = replace(plan, form=shoal.Randomized(retention=told))
        assert shoal.anonymize(pa.table(columns), able).verdict.holds
        with pytest.raises(Unachievable):
            shoal.anonymize(pa.table(columns), replace(plan, form=shoal.Randomized(retention=told + 0.001)))


@every
def test_classes_are_shown_in_slices(method: Any) -> None:
    schema = shoal.Schema(quasi_identifying=["a", "b"], sensitive=["s"])
    plan = shoal.Plan(schema, [LDiversity(4)], method, shoal.Slices(), person="row")
    release = shoal.anonymize(pa.table(table(400)), plan)
    assert max(Counter(release.table.column("bucket").to_pylist()).values()) <= (
        400 if "initial" in method.card.name else 9
    )


# -- chance -------------------------------------------------------------------------------------------------


def test_a_record_of_a_bucket_and_a_bucket_among_equals_are_drawn_by_lot() -> None:
    """Three values of four records each, l = 2: any two records of different values are as likely to go first."""
    case = case_of({"a": [0] * 12, "s": [i % 3 for i in range(12)]}, RefiningPartition(), LDiversity(2))
    rows = case.search.places.astype(np.uint32)
    blocks = Blocks(case.codes.matrix[rows], rows, np.array([0, 12]), np.array([0]))
    first: Counter[tuple[int, ...]] = Counter()
    for seed in range(6000):
        home = draw(blocks, case.search.shares, Chance.seeded(seed)).home
        first[tuple(np.flatnonzero(home == 0).tolist())] += 1
    assert len(first) == 3 * 4 * 4
    assert chisquare(list(first.values())).pvalue > 1e-4


@every
def test_a_seed_repeats_a_grouping_and_without_one_it_differs(method: Any) -> None:
    case = case_of(table(400), method, LDiversity(3))
    assert grouped(case, 7) == grouped(case, 7)
    if not isinstance(method, InitialPartition):
        assert grouped(case) != grouped(case)


# -- speed --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("illnesses", [20, 20_000])
@pytest.mark.parametrize("method", [RefiningPartition(), Anatomize()], ids=lambda method: method.card.name)
def test_a_block_of_the_whole_table_takes_no_quadratic_time(method: Any, illnesses: int) -> None:
    draws = np.random.default_rng(5)

    def one_block(records: int) -> Case:
        secret = [*range(illnesses), *draws.integers(0, illnesses, records).tolist()]
        return case_of({"a": [0] * len(secret), "s": secret}, method, LDiversity(6.5))

    grouped(one_block(100))  # compiles
    large = one_block(200_000)
    started = time.perf_counter()
    grouped(large)
    assert time.perf_counter() - started < 20  # a tenth of a second; were it quadratic, an hour
