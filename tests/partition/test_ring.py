"""Rings: any l records in a row have different values; and no plan can name them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import chisquare

from shoal.errors import PlanError, Unsupported
from shoal.partition import ring
from shoal.partition.initial_partition import initial
from shoal.plan.methods import InitialPartition
from shoal.plan.plan import Plan
from shoal.privacy.requirements import LDiversity
from shoal.table.chance import Chance
from tests.partition.eligible_tables import Case, case_of, cases
from tests.partition.ring_oracle import is_ring


@settings(max_examples=200)
@given(cases())
def test_each_block_becomes_a_ring(case: Case) -> None:
    blocks = initial(case.search, InitialPartition(), Chance())
    found = ring.rings(blocks, case.search.shares, Chance())
    secret = blocks.codes[found.order, case.codes.quasi].tolist()
    for lo, hi in pairwise(found.starts.tolist()):
        assert sorted(found.order[lo:hi].tolist()) == list(range(lo, hi))
        assert is_ring(secret[lo:hi], case.l)


@settings(max_examples=100)
@given(cases())
def test_rows_cover_the_next_l_records_and_show_the_value_of_one(case: Case) -> None:
    blocks = initial(case.search, InitialPartition(), Chance())
    found = ring.rings(blocks, case.search.shares, Chance())
    low, high = ring.boxes(blocks, found, case.codes.quasi)
    secret = blocks.codes[found.order, case.codes.quasi].tolist()
    shown = found.shown().tolist()
    for number, (lo, hi) in enumerate(pairwise(found.starts.tolist())):
        shift = int(found.shift[number])
        assert 0 <= shift < case.l
        for place in range(lo, hi):
            covered = [lo + (place - lo + step) % (hi - lo) for step in range(case.l)]
            assert shown[place] == covered[shift]
            records = blocks.codes[found.order[covered], : case.codes.quasi]
            assert low[place].tolist() == records.min(axis=0).tolist()
            assert high[place].tolist() == records.max(axis=0).tolist()
        assert Counter(secret[place] for place in shown[lo:hi]) == Counter(secret[lo:hi])


def test_the_shift_is_by_lot() -> None:
    case = case_of({"a": [0] * 12, "s": [i % 4 for i in range(12)]}, InitialPartition(), LDiversity(4))
    blocks = initial(case.search, InitialPartition(), Chance())
    shift = Counter(int(ring.rings(blocks, case.search.shares, Chance.seeded(s)).shift[0]) for s in range(2000))
    assert set(shift) == {0, 1, 2, 3}
    assert chisquare(list(shift.values())).pvalue > 1e-4


def test_a_ring_needs_a_value_of_each_record() -> None:
    case = case_of({"a": [0] * 5, "s": [0, 1, 2, 3, None]}, InitialPartition(), LDiversity(2))
    blocks = initial(case.search, InitialPartition(), Chance())
    with pytest.raises(Unsupported, match="without missing values"):
        ring.rings(blocks, case.search.shares, Chance())


def test_several_sensitive_columns_make_no_ring() -> None:
    columns = {"a": [0] * 4, "s": [0, 1, 2, 3], "t": [0, 1, 2, 3]}
    case = case_of(columns, InitialPartition(), LDiversity(2), secret=("s", "t"))
    blocks = initial(case.search, InitialPartition(), Chance())
    with pytest.raises(Unsupported, match="one sensitive column"):
        ring.rings(blocks, case.search.shares, Chance())


def test_a_plan_that_names_it_is_told_why_not(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('[columns]\na = "quasi-identifying"\ns = "sensitive"\n[require]\nl = 2\n[method]\nname = "ring"\n')
    with pytest.raises(PlanError, match=r"is a comparator for measurements only.* expected one of mondrian"):
        Plan.read(plan)


def test_it_takes_as_long_as_a_sort() -> None:
    """A block of 200,000 records, half of which share two values: no step looks at all records for each."""
    secret = np.random.default_rng(1).integers(0, 50, 100_000).tolist() + [50, 51] * 50_000
    case = case_of({"a": [0] * 200_000, "s": secret}, InitialPartition(), LDiversity(4))
    blocks = initial(case.search, InitialPartition(), Chance())
    found = ring.rings(blocks, case.search.shares, Chance())
    assert is_ring(blocks.codes[found.order, 1].tolist(), 4)
