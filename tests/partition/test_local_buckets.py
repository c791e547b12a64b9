"""Local buckets: the paper's figures, and its promise against everybody who checks it."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.plan.plan import Plan
from shoal.testing import check_release
from tests.partition.personal import plans, tables


@settings(max_examples=300, deadline=None)
@given(tables(), plans(), st.integers(0, 2**32 - 1))
def test_any_plan_is_kept(table: pa.Table, plan: Plan, seed: int) -> None:
    check_release(table, plan, seed=seed)
