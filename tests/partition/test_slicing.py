"""Slicing: its clusters of columns, its buckets, and its promise."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import Unachievable
from shoal.partition.slicing import medoids
from shoal.plan.plan import Plan
from shoal.privacy.requirements import LDiversity, Size
from shoal.schema.columns import Schema
from tests.partition.sliced import strongest
from tests.partition.test_local_slicing import people


def cost(distance: np.ndarray, labels: np.ndarray) -> float:
    """The least sum of distances from a medoid, one of each cluster's own."""
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return sum(min(distance[np.ix_(held, [one])].sum() for one in held) for held in groups)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(1, 4))
def test_no_exchange_of_a_medoid_is_better(seed: int, items: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    places = chance.random((items, 2))
    distance = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
    labels = medoids(distance, count)
    found = cost(distance, labels)
    count = min(count, items)
    choices = [list(chosen) for chosen in itertools.combinations(range(items), count)]
    costs = {tuple(chosen): distance[:, chosen].min(axis=1).sum() for chosen in choices}
    near = [c for chosen, c in costs.items() if abs(c - found) < 1e-9]
    assert near, "the clusters are those of no choice of medoids"
    best = min(costs, key=lambda chosen: abs(costs[chosen] - found))
    exchanged = [c for chosen, c in costs.items() if len(set(chosen) & set(best)) >= count - 1]
    assert min(exchanged) >= found - 1e-9


def test_there_is_nothing_to_cluster_in_nothing() -> None:
    assert medoids(np.zeros((0, 0)), 0).tolist() == []


@settings(max_examples=40, deadline=None)
@given(
    people,
    st.builds(shoal.Slicing, st.integers(2, 4), st.sampled_from([0.0, 0.2])),
    st.integers(2, 5),
    st.sampled_from([1.5, 2, 3]),
)
def test_nobody_is_believed_to_have_a_value_with_more_than_one_in_l(
    rows: list[tuple[object, ...]], method: shoal.Slicing, size: int, l: float
) -> None:
    age, town, job = zip(*rows, strict=True)
    types = (pa.int64(), pa.string(), pa.string())
    table = pa.table(
        {n: pa.array(c, t) for n, c, t in zip(("age", "town", "job"), (age, town, job), types, strict=True)}
    )
    schema = Schema(quasi_identifying=["age", "town"], sensitive=["job"])
    try:
        release = shoal.anonymize(table, Plan(schema, [Size(size), LDiversity(l)], method, person="row"))
    except Unachievable:
        return
    assert strongest(release, table, "job") <= 1 / l + 1e-9


def table_of(records: int) -> pa.Table:
    """Two pairs of columns that go together, one of which goes with the job, too."""
    chance = np.random.default_rng(5)
    school, job = chance.integers(0, 4, records), chance.integers(0, 6, records)
    return pa.table(
        {
            "age": chance.integers(0, 80, records),
            "school": school,
            "years": school * 3,
            "sex": np.where(chance.random(records) < 0.9, job % 2, chance.integers(0, 2, records)),
            "married": chance.integers(0, 2, records),
            "job": job,
        }
    )


def test_columns_that_go_together_stay_together_in_the_whole_table() -> None:
    table = table_of(2_000)
    schema = Schema(quasi_identifying=["age", "school", "years", "sex", "married"], sensitive=["job"])
    release = shoal.anonymize(table, Plan(schema, [Size(5), LDiversity(2)], shoal.Slicing(widest=2), person="row"))
    slices = [set(held) for layout in release.manifest.layouts for held in layout.slices]
    assert all({"school", "years"} <= held for held in slices if "school" in held)
    beside = [held for held in slices if "job" in held]
    assert {"sex", "job"} in beside, "sex goes with the job, and stays beside it where the job is diverse for each"
    assert len(release.manifest.layouts) <= 2


@pytest.mark.parametrize("columns", [0, 1])
def test_few_columns(columns: int) -> None:
    table = table_of(50).select(["age", "job"][1 - columns :])
    plan = Plan(
        Schema(quasi_identifying=table.column_names[:columns], sensitive=["job"]),
        [Size(4)],
        shoal.Slicing(),
        person="row",
    )
    release = shoal.anonymize(table, plan)
    assert release.manifest.records == 50
    assert [held for layout in release.manifest.layouts for held in layout.slices][-1] == ("job",)
