"""What a plan may say of hierarchies that are to be built, and the mistakes that can be made there."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.errors import PlanError
from shoal.schema.columns import Column

PLAN = """
[columns]
zip = { role = "quasi-identifying", %s }
job = "sensitive"

[require]
k = 2
"""


def read(options: str, folder: Path, more: str = "") -> Column:
    path = folder / "plan.toml"
    path.write_text(PLAN % options + more, encoding="utf-8")
    return shoal.Plan.read(path).columns[0]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("prefixes = true", shoal.prefixes()),
        ("prefixes = { keep = 2 }", shoal.prefixes(keep=2)),
        ('prefixes = { fill = "x" }', shoal.prefixes(fill="x")),
        ("intervals = true", shoal.intervals()),
        ("intervals = {}", shoal.intervals()),
        ("intervals = { width = 1000, factor = 2, levels = 3 }", shoal.intervals(width=1000, factor=2, levels=3)),
        ('intervals = { width = "month" }', shoal.intervals(width="month")),
        ("intervals = false", None),
        ("prefixes = false, intervals = true", shoal.intervals()),
        ("intervals = false, top = 90", shoal.numeric(top=90)),
    ],
)
def test_a_file_says_what_python_says(options: str, expected: object, tmp_path: Path) -> None:
    assert read(options, tmp_path).coarsening == expected


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ("prefixes = 2", ["prefixes"]),
        ('intervals = "true"', ["intervals"]),
        ("prefixes = { keeps = 2 }", ["prefixes.keeps"]),
        ("prefixes = { keep = 0 }", ["prefixes.keep"]),
        ("prefixes = { keep = true }", ["prefixes.keep"]),
        ('prefixes = { keep = "2", fill = "xx" }', ["prefixes.keep", "prefixes.fill"]),
        ("intervals = { width = 0 }", ["intervals.width"]),
        ("intervals = { width = inf }", ["intervals.width"]),
        ('intervals = { width = "moth" }', ["intervals.width"]),
        ("intervals = { width = 5, factor = 1, levels = 0 }", ["intervals.factor", "intervals.levels"]),
        ('intervals = { width = "month", factor = 2 }', ["intervals.factor"]),
        ("intervals = true, top = 90", ["top"]),
        ("intervals = true, prefixes = true", [""]),
        ("intervals = true, hierarchy = { a = [1] }", [""]),
    ],
)
def test_mistakes_are_named_by_their_keys(options: str, keys: list[str], tmp_path: Path) -> None:
    with pytest.raises(PlanError) as raised:
        read(options, tmp_path)
    assert [problem.key for problem in raised.value.problems] == [f"columns.zip.{key}".rstrip(".") for key in keys]


def test_columns_that_are_not_made_coarser_have_none(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.replace("quasi-identifying", "insensitive") % "prefixes = true", encoding="utf-8")
    with pytest.raises(PlanError, match="insensitive columns are not made coarser"):
        shoal.Plan.read(path)


def test_codes_that_are_read_as_numbers_lost_their_zeros(tmp_path: Path) -> None:
    more = '[read]\ntypes = { zip = "integer" }\n'
    with pytest.raises(PlanError, match="leading zeros"):
        read("prefixes = true", tmp_path, more)
    assert read("intervals = true", tmp_path, more).coarsening == shoal.intervals()


def test_a_closeness_by_hierarchy_may_be_asked_of_one_that_is_built() -> None:
    schema = shoal.Schema(quasi_identifying=["age"], sensitive={"icd": shoal.prefixes()})
    plan = shoal.Plan(schema, [shoal.TCloseness(0.3, on="icd", distance="hierarchical")])
    assert "prefixes()" in repr(plan)


def test_names_of_bounds_stay_free_for_other_columns() -> None:
    schema = shoal.Schema(quasi_identifying={"age": shoal.intervals()}, sensitive=["age_min"])
    shoal.Plan(schema, [shoal.KAnonymity(2)])
