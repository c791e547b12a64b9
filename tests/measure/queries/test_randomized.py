"""Estimates from randomized values: near to what follows from all ways of giving the values to the records."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import prod

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError
from shoal.measure.queries.answering import Answer, answers
from shoal.measure.queries.question import aggregate, questions
from shoal.measure.queries.sheets import Sheets
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published

COLUMNS = (
    PublishedColumn("class", "added", "class", ("class",)),
    PublishedColumn("age", "quasi-identifying", "value", ("age",)),
    PublishedColumn("pay", "sensitive", "randomized", ("pay",)),
    PublishedColumn("count", "added", "count", ("count",)),
)


def published(held: Sequence[tuple[int, ...]], retention: float | None) -> Published:
    """One class of records with an age and a pay, of which another of its pays is shown, chosen by the third number."""
    ages, pays, which = zip(*held, strict=True)
    values, counts = np.unique(pays, return_counts=True)
    shown = [int(values[number % len(values)]) for number in which]
    rows = pa.table({"class": [7] * len(held), "age": list(ages), "pay": shown})
    table = pa.table({"class": [7] * len(values), "pay": values, "count": counts})
    options = {} if retention is None else {"retention": retention}
    return Published({"release": rows, "sat_pay": table}, COLUMNS, "randomized", options)


def expected(release: Published, retention: float, age: int, pay: int) -> float:
    """The expected number of records with this age and pay, over all ways of giving the pays to the records."""
    rows, counts = (release.tables[name].to_pylist() for name in ("release", "sat_pay"))
    pays = [row["pay"] for row in counts for _ in range(row["count"])]
    other = (1 - retention) / len(counts)
    weights, total = 0.0, 0.0
    for given_to in set(permutations(pays)):
        weight = prod(other + retention * (row["pay"] == true) for row, true in zip(rows, given_to, strict=True))
        met = sum(row["age"] == age and true == pay for row, true in zip(rows, given_to, strict=True))
        weights, total = weights + weight, total + weight * met
    return total / weights


def ask(release: Published, age: int, pay: int) -> Answer:
    sheets = Sheets(release, {}, own=True)
    return answers(sheets, aggregate("COUNT(*)"), questions({"age": age, "pay": pay}), 0)[0]


def test_estimates_are_near_to_what_is_expected() -> None:
    """Much nearer than without the values that are shown; and the same where they say nothing."""
    chance = np.random.default_rng(5)
    off, blind = [], []
    for _ in range(150):
        held = [tuple(one) for one in chance.integers(0, (3, 4, 31), (chance.integers(1, 6), 3)).tolist()]
        age, pay, retention = int(chance.integers(3)), int(chance.integers(4)), float(chance.choice([0.1, 0.4]))
        release = published(held, retention)
        found, exact = ask(release, age, pay), expected(release, retention, age, pay)
        assert found.estimate is not None
        assert found.low is not None
        assert found.high is not None
        assert found.low - 1e-9 <= exact <= found.high + 1e-9
        without = ask(published(held, 0.0), age, pay).estimate
        assert without == pytest.approx(expected(release, 0.0, age, pay))
        off.append(abs(found.estimate - exact))
        blind.append(abs(without - exact))
    assert np.mean(off) < 0.4 * np.mean(blind)


def test_what_is_shown_brings_the_estimate_nearer_to_the_truth() -> None:
    """Pays go with ages, which anatomy hides within a class, and shown values hint at."""
    chance = np.random.default_rng(8)
    age = chance.integers(20, 60, 2000)
    pay = np.where(chance.random(2000) < 0.7, age // 5, chance.integers(4, 12, 2000))
    table = pa.table({"age": age, "pay": pay})
    schema = shoal.Schema(quasi_identifying=["age"], sensitive=["pay"])
    plan = shoal.Plan(schema, [shoal.LDiversity(1.3)], form=shoal.Randomized(retention=0.3), person="row")
    release = shoal.anonymize(table, plan, seed=1)
    asked = [{"age": int(a), "pay": int(p)} for a in range(20, 60, 3) for p in range(4, 12)]
    truth = np.array([((age == one["age"]) & (pay == one["pay"])).sum() for one in asked])
    told = shoal.query(release, "COUNT(*)", asked)
    blind = [answer.estimate for answer in _without_hints(release.manifest.columns, release.arrow, asked)]
    hinted = [answer.estimate for answer in told]
    assert np.abs(np.array(hinted) - truth).mean() < 0.95 * np.abs(np.array(blind) - truth).mean()
    assert all(answer.low <= count <= answer.high for answer, count in zip(told, truth, strict=True))  # type: ignore[operator]


def _without_hints(
    columns: Sequence[PublishedColumn], tables: dict[str, pa.Table], asked: list[dict[str, int]]
) -> list[Answer]:
    """With a retention of nothing, the values that are shown say nothing."""
    sheets = Sheets(Published(tables, tuple(columns), "randomized", {"retention": 0.0}), {}, own=True)
    return answers(sheets, aggregate("COUNT(*)"), questions(asked), 0)


def test_the_retention_must_be_known() -> None:
    with pytest.raises(DataError, match="with which retention"):
        ask(published([(1, 2, 3)], None), 1, 2)
