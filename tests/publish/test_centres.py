"""Centres against means and counts taken record by record, and the keeper against centres that are not."""

from __future__ import annotations

import datetime as dt
import statistics
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.plan.forms import Centres
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity
from shoal.publish.centres import decimals
from shoal.schema.columns import Schema, numeric
from shoal.verify import keeper
from tests.publish.test_generalized import drafted, rows_of


def plan_of(k: int, **columns: object) -> Plan:
    return Plan(Schema(quasi_identifying=columns), [KAnonymity(k)], form=Centres())


@settings(max_examples=80)
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.integers(0, 99)), st.sampled_from([None, "a", "b", "c"])),
        min_size=2,
        max_size=40,
    ),
    st.integers(2, 5),
)
def test_every_class_shows_its_centre(records: list[tuple[int | None, str | None]], k: int) -> None:
    if len(records) < k:
        return
    age, word = ([record[i] for record in records] for i in range(2))
    table = pa.table({"age": pa.array(age, pa.int64()), "word": pa.array(word, pa.string())})
    draft = drafted(table, plan_of(k, age=numeric(top=80), word=None))
    classes: dict[tuple[object, ...], list[int]] = {}
    for row, original in zip(rows_of(draft), draft.link.tolist(), strict=True):
        classes.setdefault(tuple(row.values()), []).append(original)
    for cells, members in classes.items():
        shown = dict(zip(rows_of(draft)[0], cells, strict=True))
        known = [min(age[i], 80) for i in members if age[i] is not None]  # type: ignore[type-var]
        if known:
            assert abs(shown["age"] - statistics.fmean(known)) <= 0.5 + 1e-9  # type: ignore[operator, arg-type]
        else:
            assert shown["age"] is None
        times = Counter(word[i] for i in members)
        assert times[shown["word"]] == max(times.values())  # type: ignore[index]


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.25, 1.5, 7.0], 2), ([3.0, 4.0], 0), ([0.1, 0.2], 1), ([1 / 3, 2.0], 6), ([], 0)],
)
def test_the_precision_of_a_column_is_that_of_its_values(values: list[float], expected: int) -> None:
    import numpy as np

    assert decimals(np.array(values)) == expected


def test_means_are_rounded_as_the_column_is_written() -> None:
    table = pa.table(
        {"x": [1.25, 1.5, 1.5, 9.0, 9.25, 9.5], "day": [dt.date(2020, 1, d) for d in (1, 2, 4, 10, 11, 13)]}
    )
    rows = rows_of(drafted(table, plan_of(3, x=None, day=None)))
    assert {(row["x"], row["day"]) for row in rows} == {(1.42, dt.date(2020, 1, 2)), (9.25, dt.date(2020, 1, 11))}


def lied(table: pa.Table, name: str, value: object) -> pa.Table:
    place = table.column_names.index(name)
    values = [value, *table.column(name).to_pylist()[1:]]
    return table.set_column(place, name, pa.array(values, table.column(name).type))


def test_the_keeper_finds_centres_that_are_not() -> None:
    original = pa.table({"age": [20, 22, 24, 60, 64, 68], "word": ["a", "a", "b", "c", "c", "d"]})
    plan = plan_of(6, age=None, word=None)
    draft = drafted(original, plan)
    table = pa.table({"age": pa.array([43] * 6), "word": pa.array(["a"] * 6)})

    def holds(table: pa.Table) -> bool:
        verdict = keeper.judge(
            table, draft.columns, plan.require, original, plan.columns, {}, missing=(), link=draft.link, person=None,
            suppress=0,
        )  # fmt: skip
        return all(finding.holds for finding in verdict.findings if "centre" in finding.what)

    assert holds(draft.tables["release"])
    assert holds(table)
    assert not holds(table.set_column(0, "age", pa.array([45] * 6)))
    assert not holds(table.set_column(1, "word", pa.array(["b"] * 6)))


def test_centres_are_written_and_measured(tmp_path: object) -> None:
    table = pa.table({"age": [1, 2, 3, 50, 51, 52], "s": list("ababab")})
    plan = Plan(Schema(quasi_identifying=["age"], sensitive=["s"]), [KAnonymity(3)], form=Centres())
    folder = shoal.anonymize(table, plan).write(f"{tmp_path}/out")
    assert shoal.verify(folder, plan, table).holds
    scores = shoal.measure(folder, table, plan=plan)
    assert scores.loss.whole.ncp is None
    assert "extent" in scores.loss.reason
    assert scores.classes == 2
