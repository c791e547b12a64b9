"""The randomized form: each record's own value with the chance that was asked for, else any of its class."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal import publish
from shoal.errors import PlanError, Unachievable, Unsupported
from shoal.plan.plan import Plan
from shoal.privacy.retention import belief, diversity, largest_retention
from shoal.publish.draft import Draft
from shoal.release.release import Release
from shoal.schema.columns import Schema
from shoal.table.chance import Chance
from tests.publish.sliced import codes_of, grouped

SCHEMA = Schema(quasi_identifying=["age"], sensitive=["ill"])
ILLNESSES = ["flu", "cold", "gout", "mumps", "acne", "croup", "tetanus", "rabies"]


def table_of(records: int, values: int = 8, seed: int = 0) -> pa.Table:
    """All values about as often in all places."""
    chance = np.random.default_rng(seed)
    ill = chance.permutation(np.resize(np.array(ILLNESSES[:values]), records))
    return pa.table({"age": np.arange(records), "ill": pa.array(ill)})


def drafted(values: list[str | None], size: int, retention: float) -> tuple[Draft, list[str | None]]:
    """A table of so many records, in groups of this size."""
    table = pa.table({"age": np.arange(len(values)), "ill": pa.array(values, pa.string())})
    plan = Plan(SCHEMA, [shoal.Size(size)], form=shoal.Randomized(retention))
    chance = Chance()
    codes = codes_of(table, plan, chance)
    classes = grouped(codes, np.arange(len(values)).reshape(-1, size).tolist())
    return publish.publish(codes, classes, plan, table, chance), values


@pytest.mark.parametrize("retention", [0.0, 0.2, 0.4])
def test_values_are_kept_or_drawn(retention: float) -> None:
    """Each of the three values of a group is drawn as often, however often the group holds it."""
    draft, values = drafted(["a", "a", "b", None] * 5000, 4, retention)
    rows = draft.tables["release"].column("ill").to_pylist()
    seen = Counter((values[record], shown) for record, shown in zip(draft.link.tolist(), rows, strict=True))
    for own, shown in itertools.product(["a", "b", None], repeat=2):
        records = values.count(own)
        chance = (1 - retention) / 3 + retention * (own == shown)
        assert abs(seen[own, shown] - records * chance) < 6 * (records * chance) ** 0.5 + 1


def test_records_are_randomized_apart() -> None:
    """Whether one record of a group of two shows its own value says nothing of the other."""
    draft, values = drafted(["a", "b"] * 4000, 2, 0.2)
    own = np.empty(len(values), bool)
    own[draft.link] = [
        values[r] == s for r, s in zip(draft.link, draft.tables["release"]["ill"].to_pylist(), strict=True)
    ]
    both = Counter(zip(own[::2].tolist(), own[1::2].tolist(), strict=True))
    for one, other in itertools.product([True, False], repeat=2):
        chance = (0.6 if one else 0.4) * (0.6 if other else 0.4)
        assert abs(both[one, other] - 4000 * chance) < 6 * (4000 * chance) ** 0.5


def test_what_is_published() -> None:
    schema = Schema(quasi_identifying=["age"], sensitive=["ill", "pay"], insensitive=["year"])
    table = table_of(200).append_column("pay", pa.array([i % 7 for i in range(200)]))
    table = table.append_column("year", pa.array([i // 50 for i in range(200)]))
    release = shoal.anonymize(table, Plan(schema, [shoal.LDiversity(2)], form=shoal.Randomized(0.1)))
    rows, ill = release.arrow["release"].to_pylist(), release.arrow["sat_ill"].to_pylist()
    assert list(release.arrow) == ["release", "sat_ill", "sat_pay"]
    assert list(rows[0]) == ["class", "age", "ill", "pay", "year"]
    assert list(ill[0]) == ["class", "ill", "count"]
    assert Counter((row["age"], row["year"]) for row in rows) == Counter((i, i // 50) for i in range(200))
    true: dict[int, Counter[Any]] = defaultdict(Counter)
    for row in rows:
        true[row["class"]][table.column("ill")[row["age"]].as_py()] += 1
    told: dict[int, Counter[Any]] = defaultdict(Counter)
    for row in ill:
        told[row["class"]][row["ill"]] += row["count"]
    assert told == true
    assert all(row["ill"] in true[row["class"]] for row in rows)
    assert len(true) > 2


def test_classes_keep_the_bound() -> None:
    """What is reached is one over the strongest belief that the published counts leave."""
    release = shoal.anonymize(table_of(400), Plan(SCHEMA, [shoal.LDiversity(2.5)], form=shoal.Randomized(0.1)))
    counts: dict[int, list[int]] = defaultdict(list)
    for row in release.arrow["sat_ill"].to_pylist():
        counts[row["class"]].append(row["count"])
    found = [1 / belief(0.1, len(held), sum(held), max(held)) for held in counts.values()]
    (promise,) = release.manifest.require
    assert promise.reached == pytest.approx(min(found), rel=1e-12)
    assert min(found) >= 2.5
    assert min(sum(held) / max(held) for held in counts.values()) > 2.5


def test_missing_is_drawn_like_any_value_and_makes_nothing_diverse() -> None:
    values = ["a", "b", None, None] * 50
    table = pa.table({"age": range(200), "ill": values})
    release = shoal.anonymize(table, Plan(SCHEMA, [shoal.LDiversity(1.4)], form=shoal.Randomized(0.1)))
    (promise,) = release.manifest.require
    assert promise.reached is not None
    assert 1.4 <= promise.reached <= diversity(0.1, 3, 2)
    shown = Counter(release.arrow["release"].column("ill").to_pylist())
    assert shown[None] > 20
    with pytest.raises(Unachievable):
        shoal.anonymize(table, Plan(SCHEMA, [shoal.LDiversity(1.9)], form=shoal.Randomized(0.1)))
    sensitive = shoal.LDiversity(1.5, missing_is_sensitive=True)
    assert shoal.anonymize(table, Plan(SCHEMA, [sensitive], form=shoal.Randomized(0.1))).verdict


@pytest.mark.parametrize("method", [shoal.Mondrian(), shoal.GreedyClusters()])
def test_what_cannot_be_kept_is_refused_with_the_largest_retention(method: Any) -> None:
    table = table_of(80, 4)
    largest = largest_retention(3, 4, 80, 20)
    assert largest is not None
    with pytest.raises(Unachievable, match=f"at most {largest:g} .the largest that keeps it") as refused:
        shoal.anonymize(table, Plan(SCHEMA, [shoal.LDiversity(3)], method, form=shoal.Randomized(0.2)))
    assert "with retention = 0.2" in str(refused.value)
    assert "of the column ill" in str(refused.value)
    release = shoal.anonymize(table, Plan(SCHEMA, [shoal.LDiversity(3)], method, form=shoal.Randomized(largest)))
    assert release.manifest.records == 80
    with pytest.raises(Unachievable, match="no retention keeps it"):
        shoal.anonymize(table, Plan(SCHEMA, [shoal.LDiversity(4.5)], method, form=shoal.Randomized(0.05)))


def test_records_may_be_left_out_for_it() -> None:
    ill = ["flu"] * 60 + [name for name in ILLNESSES[1:] for _ in range(12)]
    table = pa.table({"age": range(len(ill)), "ill": ill})
    plan = Plan(SCHEMA, [shoal.LDiversity(2.5)], form=shoal.Randomized(0.1), suppress=0.4)
    release = shoal.anonymize(table, plan)
    assert 0 < release.manifest.suppressed <= 0.4 * len(ill)


def test_rows_that_are_not_people_are_refused() -> None:
    schema = Schema(identifying=["who"], quasi_identifying=["age"], sensitive=["ill"])
    table = table_of(40).append_column("who", pa.array([i // 2 for i in range(40)]))
    with pytest.raises(Unsupported, match="a person has several rows"):
        shoal.anonymize(table, Plan(schema, [shoal.LDiversity(2)], form=shoal.Randomized(0.1)))


@pytest.mark.parametrize("records", [0, 1, 5])
def test_few_records(records: int) -> None:
    plan = Plan(SCHEMA, [shoal.LDiversity(1.5), shoal.Size(2)], form=shoal.Randomized(0.1), suppress=1.0)
    release = shoal.anonymize(table_of(records), plan)
    assert release.manifest.records == (5 if records == 5 else 0)
    assert shoal.verify(release, plan, table_of(records)).holds


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_it_is_written_and_read_back(tmp_path: Path, format: str) -> None:
    table = table_of(100)
    plan = Plan(SCHEMA, [shoal.LDiversity(2)], form=shoal.Randomized(0.1))
    release = shoal.anonymize(table, plan)
    folder = release.write(tmp_path / "out", format=format)  # type: ignore[arg-type]
    tables = {f"release.{format}", f"sat_ill.{format}"}
    assert {path.name for path in folder.iterdir()} == {*tables, "manifest.json", "README.txt"}
    again = Release.read(folder)
    assert {name: held.to_pylist() for name, held in again.tables.items()} == {
        name: held.to_pylist() for name, held in release.tables.items()
    }
    assert again.manifest.options["retention"] == 0.1
    assert shoal.verify(folder).holds
    assert shoal.verify(folder, original=table).holds
    assert shoal.verify(folder, plan, table).holds
    said = " ".join((folder / "README.txt").read_text().split())
    assert "the record's own value, or one drawn from those of its class" in said


def test_measures() -> None:
    """The rows are exact, and classes are those that are numbered."""
    plan = Plan(SCHEMA, [shoal.Size(20)], form=shoal.Randomized())
    scores = shoal.measure(shoal.anonymize(table_of(160), plan), table_of(160))
    assert scores.loss.whole.ncp == 0
    assert (scores.classes, scores.class_size) == (8, 20)


def problems(**how: object) -> list[tuple[str, str]]:
    given: dict[str, object] = {"schema": SCHEMA, "require": [shoal.Size(2)], "form": shoal.Randomized()} | how
    with pytest.raises(PlanError) as found:
        Plan(**given)  # type: ignore[arg-type]
    return [(problem.key, problem.says) for problem in found.value.problems]


def test_what_it_cannot_do() -> None:
    assert problems(require=[shoal.KAnonymity(2)])[0][0] == "publish.form"
    assert problems(require=[shoal.TCloseness(0.2, "ill")])[0][0] == "publish.form"
    assert problems(require=[shoal.LDiversity(2, kind="entropy")])[0] == (
        "publish.form",
        "the form randomized promises l by frequency alone: what its bound speaks of is the belief in one value",
    )
    assert problems(schema=Schema(quasi_identifying=["age"]))[0][0] == "publish.form"
    assert problems(schema=Schema(quasi_identifying=["class"], sensitive=["ill"]))[0][0] == "columns.class"
    assert problems(schema=Schema(quasi_identifying=["age"], sensitive=["ill", "Ill"]))[0][0] == "publish.form"
    assert problems(form=shoal.Randomized(0.5)) == [
        ("publish.retention", "expected a number of at least 0 and at most 0.4")
    ]


def test_no_table_keeps_what_the_plan_is_refused_for() -> None:
    """The limit of ever larger groups: a belief of 1/l needs a retention below 1/(l+1)."""
    (problem,) = problems(require=[shoal.LDiversity(4)], form=shoal.Randomized(0.2))
    assert problem == (
        "publish.retention",
        "no class keeps l = 4 with it, however large: expected less than 1 / (l + 1) = 0.2",
    )
    Plan(SCHEMA, [shoal.LDiversity(4)], form=shoal.Randomized(0.19))
    for values in (5, 50, 5000):
        assert max(diversity(0.2, values, values * often, often) for often in (1, 2, 7)) < 4
