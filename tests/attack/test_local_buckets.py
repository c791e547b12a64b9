"""The adversary of Section 2.2 of Li and He: by every world that a release may be of, and as code for larger tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import factorial, prod
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.attack.local_buckets import Exposure, exposed
from shoal.errors import ShoalError
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity
from shoal.release.published import Published
from shoal.release.release import Release
from shoal.schema.columns import Schema, masked
from shoal.testing.oracle import trees_of
from tests.partition import personal

NEAR = 1e-9
K, L = 2, 2
Row = dict[str, Any]

people = st.lists(
    st.fixed_dictionaries(
        {
            "town": st.integers(1, 2),
            "age": st.integers(1, 3),
            "age_private": st.booleans(),
            "pay": st.integers(1, 2),
            "pay_private": st.booleans(),
            "ill": st.sampled_from(["x", "y", "z"]),
        }
    ),
    min_size=K,
    max_size=6,
)


def plan_of(cover: float, partition: Any, *, semi: Sequence[str] = ("age", "pay")) -> Plan:
    schema = Schema(
        quasi_identifying=["town"],
        semi_sensitive={name: masked(f"{name}_private", cover=cover) for name in semi},
        sensitive=["ill"],
    )
    return Plan(schema, [KAnonymity(K), LDiversity(L)], shoal.LocalBuckets(partition), person="row", suppress=0.0)


def published(release: Release) -> Published:
    manifest = release.manifest
    return Published(release.arrow, tuple(manifest.columns), manifest.form, manifest.options)


def adversary(release: Release, table: pa.Table, plan: Plan) -> Exposure:
    return exposed(published(release), table, plan.columns, trees_of(plan), missing=plan.read_options.missing)


# -- every world --------------------------------------------------------------------------------------------------


def fits(person: Row, row: Row, held: dict[str, dict[int, Counter[Any]]]) -> bool:
    """Whether a row may be a person's, by all that is public of the person."""
    if not row["town_min"] <= person["town"] <= row["town_max"]:
        return False
    for name in ("age", "pay"):
        bucket, low = row[f"{name}_bucket"], row[f"{name}_min"]
        if person[f"{name}_private"]:
            if low is not None:
                return False
        elif bucket is not None:
            if not held[name][bucket][person[name]]:
                return False
        elif low is not None and not low <= person[name] <= row[f"{name}_max"]:
            return False
    return True


def worlds(
    rows: Sequence[Row], persons: Sequence[Row]
) -> Iterator[tuple[tuple[int, ...], int, dict[Any, Counter[Any]]]]:
    """Each way of giving the rows to the people, how many ways of giving them values there are, and what is left.

    Of a bucket are left the values that nobody in it is known to have; these must be as diverse as was promised.
    """
    held: dict[str, dict[int, Counter[Any]]] = {name: defaultdict(Counter) for name in ("age", "pay", "ill")}
    for row in rows:
        for name in held:
            if row[f"{name}_bucket"] is not None:
                held[name][row[f"{name}_bucket"]][row[name]] += 1
    able = [[number for number, row in enumerate(rows) if fits(person, row, held)] for person in persons]
    for order in permutations(range(len(rows))):
        if not all(row in may for row, may in zip(order, able, strict=True)):
            continue
        left = {(name, number): values.copy() for name in held for number, values in held[name].items()}
        for person, row in zip(persons, order, strict=True):
            for name in ("age", "pay"):
                if rows[row][f"{name}_bucket"] is not None and not person[f"{name}_private"]:
                    left[name, rows[row][f"{name}_bucket"]][person[name]] -= 1
        if all(min(values.values()) >= 0 and max(values.values()) * L <= values.total() for values in left.values()):
            ways = prod(factorial(v.total()) // prod(map(factorial, v.values())) for v in left.values())
            yield order, ways, left


def beliefs(rows: Sequence[Row], persons: Sequence[Row]) -> tuple[Fraction, Fraction]:
    """The strongest belief in whose a row is, and in a sensitive value of somebody."""
    identity: list[Counter[int]] = [Counter() for _ in persons]
    values: dict[tuple[int, str], Counter[Any]] = defaultdict(Counter)
    total = 0
    for order, ways, left in worlds(rows, persons):
        total += ways
        for number, (person, row) in enumerate(zip(persons, order, strict=True)):
            identity[number][row] += ways
            for name in ("age", "pay", "ill"):
                bucket = rows[row][f"{name}_bucket"]
                if bucket is not None and person.get(f"{name}_private", True):
                    for value, times in left[name, bucket].items():
                        values[number, name][value] += Fraction(times * ways, left[name, bucket].total())  # type: ignore[assignment]
    strongest = max((max(one.values()) for one in values.values()), default=0)
    return Fraction(max(max(one.values()) for one in identity), total), Fraction(strongest) / total


@settings(max_examples=120, deadline=None)
@given(people, st.sampled_from([0.0, 0.0, 0.5, 1.0]), st.sampled_from(["mdp", "ncp"]))
def test_in_no_world_more_is_believed_than_was_promised(held: list[Row], cover: float, partition: str) -> None:
    table = pa.Table.from_pylist(held)
    plan = plan_of(cover, partition)
    try:
        release = shoal.anonymize(table, plan)
    except ShoalError:
        return
    identity, sensitive = beliefs(release.arrow["release"].to_pylist(), held)
    assert identity <= Fraction(1, K)
    assert sensitive <= Fraction(1, L)
    found = adversary(release, table, plan)
    assert found.identity.min() > 0
    assert found.identity.max() <= 1 / K + NEAR
    assert all(figures.max() <= 1 / L + NEAR for figures in found.sensitive.values())


# -- as code ------------------------------------------------------------------------------------------------------


@settings(max_examples=120, deadline=None)
@given(personal.tables(max_rows=40), personal.plans())
def test_no_release_gives_more_than_was_promised(table: pa.Table, plan: Plan) -> None:
    plan = replace(plan, suppress=0.0)  # who is left out may fit a single row that is somebody else's
    try:
        release = shoal.anonymize(table, plan)
    except ShoalError:
        return
    k = max((r.k for r in plan.require if isinstance(r, KAnonymity)), default=1)
    found = adversary(release, table, plan)
    assert found.identity.max(initial=0) <= 1 / k + NEAR
    if table.num_rows:
        assert found.identity.min() > 0
    for requirement in plan.require:
        if isinstance(requirement, LDiversity):
            assert found.sensitive[str(requirement.on)].max(initial=0) <= 1 / requirement.l + NEAR


PAPER = [  # of the specification: who treats a public age as sensitive is found by it
    {"age": 30, "town": 1, "age_private": False},
    {"age": 50, "town": 1, "age_private": True},
    {"age": 20, "town": 2, "age_private": True},
    {"age": 40, "town": 2, "age_private": True},
]


def test_a_public_value_in_a_bucket_would_give_its_owner_away() -> None:
    """Were all four ages put into buckets, only one row would have a bucket that holds the one that is known."""
    table = pa.Table.from_pylist(PAPER)
    plan = Plan(
        Schema(quasi_identifying=["town"], semi_sensitive={"age": "age_private"}),
        [KAnonymity(2), LDiversity(2)],
        shoal.LocalBuckets(),
        person="row",
    )
    wrong = pa.table(
        {
            "class": pa.array([1, 1, 2, 2], pa.int32()),
            "age_min": pa.nulls(4, pa.int8()),
            "age_max": pa.nulls(4, pa.int8()),
            "age": [20, 40, 30, 50],
            "age_bucket": pa.array([1, 2, 1, 2], pa.int32()),
            "town_min": pa.array([1, 1, 2, 2], pa.int8()),
            "town_max": pa.array([1, 1, 2, 2], pa.int8()),
        }
    )
    release = shoal.anonymize(table, plan)
    manifest = release.manifest
    naive = Published({"release": wrong}, tuple(manifest.columns), "buckets", manifest.options)
    assert exposed(naive, table, plan.columns, {}).identity.tolist() == [1.0, 0.5, 0.5, 0.5]
    found = adversary(release, table, plan)
    assert found.identity.max() == 0.5
    rows = release.table.to_pylist()
    assert sum(row["age"] is None for row in rows) == 2  # of the class of the first, age is not shown at all
    kept = shoal.verify(release, plan, table)
    assert kept.holds


def test_what_is_shown_of_an_exposure_holds_no_value() -> None:
    table = pa.Table.from_pylist(PAPER)
    plan = plan_of(0.0, "mdp", semi=[])
    table = table.append_column("ill", pa.array(["secret", "other"] * 2)).drop_columns(["age", "age_private"])
    found = adversary(shoal.anonymize(table, plan), table, plan)
    assert repr(found) == "<Exposure: 4 people, identity 0.5, ill 0.5>"
