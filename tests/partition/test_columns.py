"""Which columns of a bucket are generalized, and how slices are named."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.partition import columns
from shoal.plan.methods import LocalSlicing
from shoal.plan.plan import Plan
from shoal.privacy.requirements import Size
from shoal.schema.columns import Schema
from shoal.table.classes import Classes
from shoal.table.codes import Codes, encode


def coded(rows: list[tuple[int, ...]]) -> Codes:
    table = pa.table({name: pa.array(c, pa.int64()) for name, c in zip("abcs", zip(*rows, strict=True), strict=True)})
    plan = Plan(Schema(quasi_identifying=["a", "b", "c"], sensitive=["s"]), [Size(2)], LocalSlicing(), person="row")
    return encode(table, plan, {}, np.arange(len(rows), dtype=np.uint32))


def classes_of(sizes: list[int]) -> Classes:
    starts = np.cumsum([0, *sizes]).astype(np.int64)
    return Classes(np.arange(starts[-1], dtype=np.uint32), starts)


buckets = st.lists(
    st.tuples(
        st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=6),
        st.lists(st.integers(0, 3), min_size=4, max_size=4),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=150)
@given(buckets, st.sampled_from([0.05, 0.2, 0.5]))
def test_slices_with_a_rare_value_are_generalized(
    drawn: list[tuple[list[tuple[int, ...]], list[int]]], rare: float
) -> None:
    rows = [row for held, _ in drawn for row in held]
    codes, classes = coded(rows), classes_of([len(held) for held, _ in drawn])
    whole = columns.generalized(codes, classes, np.array([slices for _, slices in drawn]), rare)
    seldom = [{v for v in range(4) if 0 < sum(row[j] == v for row in rows) < rare * len(rows)} for j in range(3)]
    for at, (held, slices) in enumerate(drawn):
        told = {slices[j] for j in range(3) if any(row[j] in seldom[j] for row in held)}
        expected = [slices[j] in told for j in range(3)]
        shown = [[j for j in range(4) if slices[j] == one and (j == 3 or not expected[j])] for one in set(slices)]
        if sum(len({tuple(row[j] for j in of) for row in held}) > 1 for of in shown) < 2:
            expected = [True] * 3
        assert whole is not None
        assert whole[at].tolist() == expected


def test_nothing_is_rare_unless_somebody_says_so() -> None:
    assert columns.generalized(coded([(1, 2, 3, 4)]), classes_of([1]), np.zeros((1, 4), np.int64), 0) is None


@given(buckets)
def test_slices_are_named(drawn: list[tuple[list[tuple[int, ...]], list[int]]]) -> None:
    codes = coded([row for held, _ in drawn for row in held])
    numbers = np.array([slices for _, slices in drawn])
    named = columns.laid_out(codes, numbers, None)
    for layout, row in zip(named.layout, numbers, strict=True):
        expected = {tuple("abcs"[j] for j in np.flatnonzero(row == one)) for one in set(row.tolist())}
        assert set(named.layouts[layout]) == expected
    assert len(named.layouts) == len({frozenset(map(frozenset, held)) for held in named.layouts})
