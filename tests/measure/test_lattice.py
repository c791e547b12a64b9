"""Divergence on the lattice against every cell counted by itself."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, Unsupported
from shoal.measure.lattice import divergence
from shoal.release.published import Published
from shoal.release.release import Release

TREE = shoal.Hierarchy.from_rows(
    [["0", "low", "*"], ["1", "low", "*"], ["2", "high", "*"], ["3", "high", "*"], ["4", "*"]]
)
LEAVES = {**{str(i): {str(i)} for i in range(5)}, "low": {"0", "1"}, "high": {"2", "3"}}
SCHEMA = shoal.Schema(
    quasi_identifying={"a": shoal.numeric(top=7), "b": shoal.categorical(TREE), "c": None}, sensitive=["s"]
)
Row = tuple[int | None, str | None, str | None, int]
rows = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 9)),
        st.sampled_from([None, *"01234"]),
        st.sampled_from([None, "x", "y"]),
        st.integers(0, 2),
    ),
    min_size=2,
    max_size=30,
)


def table_of(held: list[Row]) -> pa.Table:
    a, b, c, s = (list(column) for column in zip(*held, strict=True))
    return pa.table(
        {"a": pa.array(a, pa.int64()), "b": pa.array(b, pa.string()), "c": pa.array(c, pa.string()), "s": s}
    )


def published(release: Release) -> Published:
    manifest = release.manifest
    return Published(release.arrow, tuple(manifest.columns), manifest.form)


def covered(row: dict[str, object], held: list[Row]) -> list[list[object]]:
    """The values that occur and that a published row may stand for, column by column."""
    numbers, leaves, words = ({record[j] for record in held} for j in range(3))
    low, high = row["a_min"], row["a_max"]
    state = row.get("a_missing", "all" if low is None else "none")
    ends = [n for n in numbers if n is not None and low is not None and low <= (min(n, 7)) <= high]  # type: ignore[operator]
    a = [*ends, *([None] if state != "none" and None in numbers else [])]
    label = row["b"]
    b: list[object] = [
        v for v in leaves if label == "*" or v == label or (v is not None and v in LEAVES.get(str(label), ()))
    ]
    if isinstance(label, str) and label.startswith("{"):
        b = _set(label, leaves)
    c = _set(str(row["c"]), words) if isinstance(row["c"], str) and row["c"].startswith("{") else [row["c"]]
    return [a, b, c]


def _set(written: str, held: set[object]) -> list[object]:
    named = {None if word == "null" else word for word in written[1:-1].split(", ")}
    below = {leaf for word in named if word is not None for leaf in LEAVES.get(str(word), {str(word)})} | named & {None}
    return [value for value in held if value in below]


def plainly(release: Release, held: list[Row], level: int) -> float:
    found = []
    for which in combinations(range(3), level):
        truth = Counter((*(record[j] for j in which), record[3]) for record in held)
        estimate: Counter[tuple[object, ...]] = Counter()
        for row in release.table.to_pylist():
            choice = [covered(row, held)[j] for j in which]
            for cell in product(*choice):
                estimate[*cell, row["s"]] += 1 / math.prod(map(len, choice))  # type: ignore[assignment]
        n, m = len(held), release.manifest.records
        found.append(sum(count / n * math.log(count / n / (estimate[cell] / m)) for cell, count in truth.items()))
    return sum(found) / len(found)


@settings(max_examples=60)
@given(rows, st.integers(1, 3), st.integers(2, 4))
def test_it_is_the_sum_over_all_cells(held: list[Row], level: int, k: int) -> None:
    if len(held) < k:
        return
    table = table_of(held)
    release = shoal.anonymize(table, shoal.Plan(SCHEMA, [shoal.KAnonymity(k)], person="row"))
    found = divergence(published(release), table, {"b": TREE}, level)
    assert found == pytest.approx(plainly(release, held, level), abs=1e-9)
    assert found >= -1e-9


def test_the_original_itself_is_0_away_and_one_class_is_far() -> None:
    chance = np.random.default_rng(3)
    table = pa.table(
        {"a": chance.integers(0, 5, 400), "b": chance.permutation(400) % 7, "s": chance.integers(0, 3, 400)}
    )
    schema = shoal.Schema(quasi_identifying=["a", "b"], sensitive=["s"])

    def of(k: int, level: int) -> float:
        release = shoal.anonymize(table, shoal.Plan(schema, [shoal.KAnonymity(k)], person="row"))
        return divergence(published(release), table, {}, level, "s")

    assert of(2, 1) == pytest.approx(0, abs=1e-12)  # every value of a column is held by more than two
    assert of(20, 2) < of(400, 2)
    assert of(400, 1) < of(400, 2)  # finer groups are harder to tell


def test_what_is_not_covered_is_infinitely_far() -> None:
    table = pa.table({"a": [1, 2, 3, 4], "s": [1, 1, 2, 2]})
    schema = shoal.Schema(quasi_identifying=["a"], sensitive=["s"])
    release = shoal.anonymize(table.slice(0, 2), shoal.Plan(schema, [shoal.KAnonymity(2)], person="row"))
    assert divergence(published(release), table, {}, 1) == np.inf


def test_mistakes_are_named() -> None:
    table = pa.table({"a": [1, 2, 3, 4], "s": [1, 1, 2, 2]})
    schema = shoal.Schema(quasi_identifying=["a"], sensitive=["s"])
    plan = shoal.Plan(schema, [shoal.Size(2)], person="row")
    held = published(shoal.anonymize(table, plan))
    with pytest.raises(DataError, match="levels 1 to 1"):
        divergence(held, table, {}, 2)
    with pytest.raises(DataError, match="x is not a sensitive column"):
        divergence(held, table, {}, 1, "x")
    with pytest.raises(Unsupported, match="generalized"):
        divergence(Published(held.tables, held.columns, "anatomy"), table, {}, 1)
