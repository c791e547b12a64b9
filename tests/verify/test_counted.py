"""Releases of tools that publish each kind of record once, and how many there are of it."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError

PLAN = shoal.Plan(
    shoal.Schema(quasi_identifying=["age", "work"], sensitive=["ill"]),
    [shoal.KAnonymity(3), shoal.LDiversity(1.5, "ill")],
)
ORIGINAL = pa.table(
    {
        "age": [20, 25, 30, 30, 40, 45],
        "work": ["a", "b", "a", "c", "c", "c"],
        "ill": ["flu", "flu", "cold", "flu", "cold", "gout"],
    }
)


def published(counts: Sequence[int | float | None]) -> pa.Table:
    """As AnonyPy writes it."""
    return pa.table(
        {
            "age": ["[20-30]", "[20-30]", "[30-45]", "[30-45]", "[30-45]"],
            "work": ["[a,b]", "[a,b]", "[c]", "[c]", "[c]"],
            "ill": ["cold", "flu", "cold", "flu", "gout"],
            "count": counts,
        }
    )


def test_a_row_stands_for_as_many_records_as_it_says() -> None:
    verdict = shoal.verify(published([1, 2, 1, 1, 1]), PLAN, ORIGINAL)
    assert verdict.holds, [finding for finding in verdict.findings if not finding.holds]
    assert (verdict.records, verdict.classes) == (6, 2)
    assert [finding.reached for finding in verdict.findings if finding.asked][:2] == [3, 1.5]
    assert not shoal.verify(published([1, 2, 1, 1, 2]), PLAN, ORIGINAL).holds


def test_a_column_of_that_name_in_the_plan_is_one_like_any_other() -> None:
    plan = shoal.Plan(
        shoal.Schema(quasi_identifying=["age", "work"], sensitive=["ill"], insensitive=["count"]), [shoal.KAnonymity(3)]
    )
    assert shoal.verify(published([1, 2, 1, 1, 1]), plan).records == 5


@pytest.mark.parametrize("counts", [[1, 2, 0, 1, 1], [1, 2, None, 1, 1], [1.0, 2.0, 1.0, 1.0, 1.5]])
def test_what_is_no_number_of_records(counts: Sequence[int | float | None]) -> None:
    with pytest.raises(DataError, match="count has no role"):
        shoal.verify(published(counts), PLAN)


def test_more_records_than_anybody_can_judge() -> None:
    with pytest.raises(DataError, match="too many"):
        shoal.verify(published([2**62, 1, 1, 1, 2**62]), PLAN)
