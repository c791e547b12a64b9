"""The initial partition against a slow oracle, and what the paper says of it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.partition import initial_partition
from shoal.partition.initial_partition import by_correlation, initial
from shoal.plan.methods import InitialPartition
from shoal.privacy.requirements import KAnonymity, LDiversity
from shoal.table.chance import Chance
from shoal.table.correlation import binned
from tests.partition import initial_partition_oracle as oracle
from tests.partition.eligible_tables import Case, case_of, cases, members

METHODS = [InitialPartition(merge, merged) for merge in ("best", "random") for merged in ("continue", "final")]


@settings(max_examples=150)
@given(cases(), st.booleans())
def test_blocks_are_those_of_the_oracle(case: Case, final: bool) -> None:
    found = initial(case.search, InitialPartition(merged="final" if final else "continue"), Chance())
    expected = oracle.blocks(case.records, case.secret, case.l, found.columns.tolist(), final=final)
    assert [sorted(block) for block in members(found)] == [sorted(block) for block in expected]


@settings(max_examples=100)
@given(cases(), st.sampled_from(METHODS))
def test_blocks_are_diverse_and_hold_everybody(case: Case, method: InitialPartition) -> None:
    found = members(initial(case.search, method, Chance()))
    assert sorted(i for block in found for i in block) == list(range(len(case.records)))
    assert all(oracle.deficit(block, case.secret, case.l) == 0 for block in found)


@settings(max_examples=50)
@given(cases(most=60))
def test_columns_come_in_the_order_of_phi_squared(case: Case) -> None:
    columns = by_correlation(case.search, 16).tolist()
    strength = [oracle.phi_squared(list(zip(c, case.secret, strict=True))) for c in _groups(case, 16)]
    assert columns == sorted(range(len(strength)), key=lambda place: (-strength[place], place))


def _groups(case: Case, bins: int) -> list[list[int]]:
    """Each quasi-identifying column, numbers in intervals."""
    found = []
    for place in range(case.codes.quasi):
        codes, domain = case.codes.matrix[:, place], case.codes.domains[place]
        found.append(binned(domain, np.bincount(codes, minlength=len(domain)), bins)[codes].tolist())
    return found


def test_numbers_are_put_in_intervals_of_equal_frequency() -> None:
    """Each of the values 0..99 occurs twice: four bins take 25 values each, and a missing one has its own."""
    case = case_of({"a": [*range(100)] * 2 + [None], "s": [*range(50)] * 4 + [0]}, InitialPartition(), LDiversity(2))
    groups = Counter(binned(case.codes.domains[0], np.array([2] * 100 + [1]), 4)[case.codes.matrix[:, 0]].tolist())
    assert groups == {0: 50, 1: 50, 2: 50, 3: 50, 4: 1}


def test_large_blocks_are_shared_among_cores_without_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    columns = {name: draw.integers(0, top, 3000).tolist() for name, top in (("a", 40), ("b", 3), ("c", 900), ("s", 9))}
    for method in METHODS:
        case = case_of(columns, method, LDiversity(3))
        alone = members(initial(case.search, method, Chance.seeded(5)))
        with monkeypatch.context() as patched:
            patched.setattr(initial_partition, "LARGE", 50)
            assert members(initial(case.search, method, Chance.seeded(5))) == alone


def test_records_that_are_all_different_are_not_swallowed_by_the_first_block() -> None:
    """With a value for each record, every group is too small; the blocks stay small all the same."""
    draw = np.random.default_rng(4)
    case = case_of(
        {"a": draw.permutation(2000).tolist(), "s": draw.integers(0, 20, 2000).tolist()},
        InitialPartition(),
        LDiversity(4),
    )
    for method in METHODS:
        sizes = [len(block) for block in members(initial(case.search, method, Chance()))]
        assert len(sizes) > 100
        assert max(sizes) < 80


def test_random_neighbours_are_on_both_sides() -> None:
    """A group that is too small between two that are not goes to the left and to the right, as often."""
    case = case_of(
        {"a": [0] * 4 + [1] + [2] * 4, "s": [0, 1, 2, 3, 4, 0, 1, 2, 3]}, InitialPartition("random"), LDiversity(2)
    )
    first = Counter(len(members(initial(case.search, InitialPartition("random"), Chance()))[0]) for _ in range(400))
    assert set(first) == {4, 5}
    assert 140 < first[4] < 260


def test_blocks_may_be_told_to_be_of_a_size() -> None:
    draw = np.random.default_rng(6)
    columns = {
        "a": draw.integers(0, 60, 400).tolist(),
        "b": draw.integers(0, 4, 400).tolist(),
        "s": draw.integers(0, 9, 400).tolist(),
    }
    schema = shoal.Schema(quasi_identifying=["a", "b"], sensitive=["s"])
    plan = shoal.Plan(schema, [KAnonymity(9), LDiversity(2)], InitialPartition(), shoal.Generalized(), person="row")
    release = shoal.anonymize(pa.table(columns), plan)
    sizes = Counter(tuple(row[:-1]) for row in zip(*release.table.to_pydict().values(), strict=True))
    assert min(sizes.values()) >= 9
    assert len(sizes) > 15
