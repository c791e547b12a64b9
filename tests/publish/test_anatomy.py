"""The anatomy form: each record once, each class's values counted, and nothing that links the two but the class."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import PlanError
from shoal.plan.plan import Plan
from shoal.release.release import Release
from shoal.schema.columns import Schema, numeric

SCHEMA = Schema(quasi_identifying=["age", "town"], sensitive=["ill"], insensitive=["year"])
values = st.one_of(st.none(), st.sampled_from(["flu", "cold", "gout"]))
records = st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 90)), st.sampled_from("abc"), values), min_size=2)


@settings(max_examples=60)
@given(records, st.integers(2, 4))
def test_the_tables_say_what_the_classes_hold(held: list[tuple[object, ...]], size: int) -> None:
    if len(held) < size:
        return
    age, town, ill = (list(column) for column in zip(*held, strict=True))
    table = pa.table({"age": pa.array(age, pa.int64()), "town": town, "ill": pa.array(ill, pa.string())})
    table = table.append_column("year", pa.array([i // 2 for i in range(len(held))]))
    plan = Plan(SCHEMA, [shoal.Size(size)], form=shoal.Anatomy())
    tables = shoal.anonymize(table, plan).arrow
    rows, counts = tables["qit"].to_pylist(), tables["sat_ill"].to_pylist()
    assert tables["qit"].column_names == ["class", "age", "town", "year"]
    assert tables["sat_ill"].column_names == ["class", "ill", "count"]
    seen = Counter((row["age"], row["town"], row["year"]) for row in rows)
    assert seen == Counter(zip(age, town, (i // 2 for i in range(len(held))), strict=True))
    assert Counter(ill) == sum((Counter({row["ill"]: row["count"]}) for row in counts), Counter())
    for number in {row["class"] for row in rows}:
        own = [row for row in counts if row["class"] == number]
        assert sum(row["count"] for row in own) == sum(row["class"] == number for row in rows) >= size
        assert len({row["ill"] for row in own}) == len(own)


def test_classes_are_numbered_by_lot() -> None:
    """The youngest are in each class as often."""
    table = pa.table({"age": range(16), "town": ["a"] * 16, "year": [0] * 16, "ill": ["flu", "cold"] * 8})
    plan = Plan(SCHEMA, [shoal.Size(4)], form=shoal.Anatomy())
    found = Counter(
        next(row["class"] for row in shoal.anonymize(table, plan, seed=seed).arrow["qit"].to_pylist() if not row["age"])
        for seed in range(400)
    )
    assert set(found) == {1, 2, 3, 4}
    assert all(60 < times < 140 for times in found.values())


def test_numbers_with_a_step_are_shown_by_its_ends() -> None:
    schema = Schema(quasi_identifying={"age": numeric(top=80, step=10)}, sensitive=["ill"])
    table = pa.table({"age": [None, 7, 15, 79, 91, 40], "ill": ["flu", "cold"] * 3})
    release = shoal.anonymize(table, Plan(schema, [shoal.Size(6)], form=shoal.Anatomy()))
    shown = [tuple(row.values())[1:] for row in release.arrow["qit"].to_pylist()]
    assert shown == [
        (0, 10, "none"),
        (10, 20, "none"),
        (40, 40, "none"),
        (70, 80, "none"),
        (80, 80, "none"),
        (None, None, "all"),
    ]
    scores = shoal.measure(release, table)
    assert 0 < (scores.loss.whole.ncp or 0) < 0.2


def test_rows_stand_in_the_order_of_what_is_shown() -> None:
    """Not by what is behind a rounded cell: then the next column would tell."""
    schema = Schema(quasi_identifying={"age": numeric(step=10), "town": None}, sensitive=["ill"])
    table = pa.table({"age": [1, 2, 3, 4, 5, 6], "town": list("fedcba"), "ill": ["flu", "cold"] * 3})
    release = shoal.anonymize(table, Plan(schema, [shoal.Size(6)], form=shoal.Anatomy()))
    assert release.arrow["qit"].column("town").to_pylist() == list("abcdef")


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_it_is_written_and_read_back(tmp_path: Path, format: str) -> None:
    chance = np.random.default_rng(1)
    table = pa.table(
        {
            "age": chance.integers(0, 90, 50),
            "town": chance.choice(["a", "b"], 50),
            "what/kind: of %41?": pa.array(chance.choice(["x", "y", None], 50)),
            "year": [i // 5 for i in range(50)],
        }
    )
    schema = Schema(quasi_identifying=["age", "town"], sensitive=["what/kind: of %41?"], insensitive=["year"])
    plan = Plan(schema, [shoal.LDiversity(1.5)], form=shoal.Anatomy())
    release = shoal.anonymize(table, plan)
    folder = release.write(tmp_path / "out", format=format)  # type: ignore[arg-type]
    assert {path.name for path in folder.iterdir()} == {
        f"qit.{format}",
        f"sat_what%2Fkind%3A of %2541%3F.{format}",
        "manifest.json",
        "README.txt",
    }
    again = Release.read(folder)
    assert {name: held.to_pylist() for name, held in again.tables.items()} == {
        name: held.to_pylist() for name, held in release.tables.items()
    }
    assert shoal.verify(folder).holds
    assert shoal.verify(folder, original=table).holds
    assert shoal.verify(folder, plan, table).holds
    said = (folder / "README.txt").read_text()
    assert "who is in the table" in said
    assert "added by the form; the number of the record's class." in said


def test_measures() -> None:
    """Nothing of an exact cell is lost; classes are those that are numbered, and rows are found by their cells."""
    table = pa.table({"age": range(12), "town": ["a"] * 12, "year": [0] * 12, "ill": ["flu", "cold"] * 6})
    plan = Plan(SCHEMA, [shoal.Size(3)], form=shoal.Anatomy())
    scores = shoal.measure(shoal.anonymize(table, plan), table)
    assert scores.loss.whole.ncp == 0
    assert (scores.classes, scores.discernibility, scores.class_size) == (4, 36, 3)
    assert scores.risk.prosecutor.highest == 1


def problems(**how: object) -> list[str]:
    given: dict[str, object] = {"require": [shoal.Size(2)], "form": shoal.Anatomy()} | how
    with pytest.raises(PlanError) as found:
        Plan(**given)  # type: ignore[arg-type]
    return [problem.key for problem in found.value.problems]


def test_what_it_cannot_do() -> None:
    assert problems(schema=SCHEMA, require=[shoal.KAnonymity(2)]) == ["publish.form"]
    assert problems(schema=Schema(quasi_identifying=["age"])) == ["publish.form"]
    assert problems(schema=Schema(quasi_identifying=["class"], sensitive=["ill"])) == ["columns.class"]
    assert problems(schema=Schema(quasi_identifying=["age"], sensitive=["count"])) == ["columns.count"]
    assert problems(schema=Schema(quasi_identifying=["age"], sensitive=["ill", "Ill"])) == ["publish.form"]
    stepped = Schema(quasi_identifying={"age": numeric(step=5)}, sensitive=["ill"], insensitive=["age_min"])
    assert problems(schema=stepped) == ["columns.age_min"]
    Plan(
        Schema(identifying=["class"], quasi_identifying=["age"], sensitive=["ill"]),
        [shoal.Size(2)],
        form=shoal.Anatomy(),
    )
    Plan(Schema(quasi_identifying=["age", "age_min"], sensitive=["ill"]), [shoal.Size(2)], form=shoal.Anatomy())
