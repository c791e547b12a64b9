"""Classes that break a requirement are put together with their neighbours, as few as will do."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.partition.eligible import eligible
from shoal.partition.mending import mended
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, TCloseness
from tests.partition.test_mondrian import coded, keeps, plan_of


def plainly(sizes: list[int], keep: Callable[[list[int]], bool], least: int) -> list[list[int]]:
    """Classes of consecutive records: each broken one takes in the next, and at the end the one before.

    After one that is broken is found so, at least an eighth more is taken in, if there is so much.
    """
    starts = np.cumsum([0, *sizes]).tolist()
    made: list[list[int]] = []
    now: list[int] = []
    due = least
    for lo, hi in pairwise(starts):
        now += range(lo, hi)
        if len(now) < due and hi < starts[-1]:
            continue
        due = max(len(now) + len(now) // 8, least)
        if keep(now):
            made.append(now)
            now, due = [], least
    while now and made:
        now = made.pop() + now
        if keep(now):
            made.append(now)
            now = []
    return [*made, now] if now else made


requirements = st.lists(
    st.one_of(
        st.builds(KAnonymity, st.integers(2, 5)),
        st.builds(LDiversity, st.sampled_from([1.5, 2]), st.just("s")),
        st.builds(TCloseness, st.sampled_from([0.2, 0.4]), st.just("s"), st.sampled_from(["ordered", "equal"])),
    ),
    min_size=1,
    max_size=3,
)


few = st.lists(st.integers(0, 4), min_size=1, max_size=120)
many = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).integers(0, 5000, 130).tolist())


@given(few | many, st.data(), requirements)
def test_broken_classes_join_those_beside_them(
    values: list[int], data: st.DataObject, require: list[Requirement]
) -> None:
    table = pa.table({"a": values, "b": values, "c": values, "s": values})
    plan = plan_of(*require)
    codes = coded(table, plan)
    if not keeps(codes, plan, list(range(len(values)))):
        return
    sizes, left = [], len(values)
    while left:
        sizes.append(data.draw(st.integers(1, min(left, 6))))
        left -= sizes[-1]
    order = np.arange(len(values), dtype=np.uint32)
    starts = np.cumsum([0, *sizes]).astype(np.int64)
    found = mended(codes, order, starts, eligible(codes, plan).numbers).tolist()
    numbers = eligible(codes, plan).numbers
    expected = plainly(sizes, lambda records: keeps(codes, plan, records), numbers.least)
    assert found == [0, *(one[-1] + 1 for one in expected)]


def test_no_classes_stay_none() -> None:
    table = pa.table({name: pa.array([], pa.int64()) for name in "abcs"})
    plan = plan_of(KAnonymity(2))
    codes = coded(table, plan)
    empty = np.empty(0, np.uint32)
    assert mended(codes, empty, np.zeros(1, np.int64), eligible(codes, plan).numbers).tolist() == [0]
