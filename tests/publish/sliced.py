"""Classes that are divided into slices in any way, published and judged as a release would be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal import partition, publish
from shoal._run import describe, judged
from shoal.kernels.shuffle import permutation
from shoal.plan.plan import Plan
from shoal.privacy.verdict import Verdict
from shoal.publish.draft import Draft
from shoal.release.release import Release
from shoal.table.chance import Chance
from shoal.table.classes import Classes, Slices
from shoal.table.codes import Codes, encode

Layouts = tuple[tuple[tuple[str, ...], ...], ...]


def codes_of(table: pa.Table, plan: Plan, chance: Chance) -> Codes:
    trees = {column.name: column.hierarchy for column in plan.columns if column.hierarchy is not None}
    plain = table.cast(
        pa.schema(
            [
                (f.name, pa.dictionary(pa.int32(), f.type) if pa.types.is_string(f.type) else f.type)
                for f in table.schema
            ]
        )
    )
    return encode(plain, plan, trees, permutation(chance.words(table.num_rows)))  # type: ignore[arg-type]


def grouped(codes: Codes, buckets: Sequence[Sequence[int]]) -> Classes:
    """These records of the table, bucket by bucket."""
    place = np.argsort(codes.rows)
    order = place[np.concatenate([np.array(bucket, np.int64) for bucket in buckets])]
    return Classes(order.astype(np.uint32), np.cumsum([0, *map(len, buckets)]).astype(np.int64))


def shown(
    table: pa.Table,
    plan: Plan,
    layouts: Layouts,
    *,
    buckets: Sequence[Sequence[int]] | None = None,
    layout: Sequence[int] = (0,),
    generalized: NDArray[np.bool_] | None = None,
    seed: int | None = None,
) -> tuple[Draft, Release, Verdict]:
    """A release of these buckets, by default those of the plan's method, and what the judges say."""
    chance = Chance.seeded(seed)
    codes = codes_of(table, plan, chance)
    classes = partition.group(codes, plan, chance) if buckets is None else grouped(codes, buckets)
    of_class = np.resize(np.array(layout, np.int32), len(classes))
    whole = None if generalized is None else np.resize(generalized, (len(classes), codes.quasi))
    classes = replace(classes, slices=Slices(layouts, of_class, whole))
    draft = publish.publish(codes, classes, plan, table, chance)
    trees = {column.name: column.hierarchy for column in plan.columns if column.hierarchy is not None}
    verdict = judged(draft.tables, draft, table, plan, trees)  # type: ignore[arg-type]
    return draft, Release(draft.tables, describe(draft, codes, plan), verdict=verdict, plan=plan), verdict


@st.composite
def layouts_of(draw: st.DrawFn, plan: Plan) -> Layouts:
    """Some ways to divide the columns."""
    names = [column.name for column in (*plan.quasi_identifying, *plan.sensitive)]

    def one() -> tuple[tuple[str, ...], ...]:
        places = draw(st.lists(st.integers(0, 3), min_size=len(names), max_size=len(names)))
        slices = [tuple(n for n, at in zip(names, places, strict=True) if at == s) for s in range(4)]
        return tuple(held for held in slices if held)

    return tuple(one() for _ in range(draw(st.integers(1, 3))))
