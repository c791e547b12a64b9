"""Hierarchies that are built from a table, from the plan to the release and back."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import shoal
from shoal import _check, _run
from shoal.errors import DataError
from shoal.schema import building
from shoal.schema.columns import Column
from shoal.table.building import built, of_column

PLAN = shoal.Plan(
    shoal.Schema(
        quasi_identifying={"zip": shoal.prefixes(), "pay": shoal.intervals(), "born": shoal.intervals(width="year")},
        sensitive={"icd": shoal.prefixes(keep=1)},
    ),
    [shoal.KAnonymity(4), shoal.TCloseness(0.6, on="icd", distance="hierarchical")],
    person="row",
)


@pytest.fixture
def table() -> pa.Table:
    chance = np.random.default_rng(3)
    n = 300
    return pa.table(
        {
            "zip": [f"{number:05d}" for number in chance.integers(0, 3, n) * 1000 + chance.integers(0, 40, n)],
            "pay": [None if row % 50 == 0 else round(float(x), 2) for row, x in enumerate(chance.lognormal(8, 1, n))],
            "born": [date(1950, 1, 1) + timedelta(days=int(day)) for day in chance.integers(0, 20_000, n)],
            "icd": [
                f"{letter}{number}" for letter, number in zip(chance.choice(list("ABC"), n), range(n), strict=True)
            ],
        }
    )


def test_a_release_holds_and_shows_what_was_built(table: pa.Table) -> None:
    release = shoal.anonymize(table, PLAN)
    assert release.verdict is not None
    assert release.verdict.holds
    labels = set(building.prefixes(table["zip"].combine_chunks()).labels)
    assert set(release.table["zip"].drop_null().to_pylist()) <= labels
    assert any("*" in cell and cell != "*" for cell in release.table["zip"].to_pylist())
    assert shoal.verify(release, PLAN, table).holds
    assert shoal.measure(release, table, plan=PLAN).loss.whole.ncp < 1


def test_without_the_original_no_hierarchy_is_guessed(table: pa.Table) -> None:
    release = shoal.anonymize(table, PLAN)
    release.plan = None
    assert shoal.verify(release).holds  # by the manifest, which has the tree that t needs
    with pytest.raises(DataError, match="give the original"):
        shoal.verify(release, PLAN)
    assert shoal.measure(release, plan=PLAN).classes > 1


def test_codes_of_a_file_keep_their_zeros(table: pa.Table, tmp_path: Path) -> None:
    shifted = table.set_column(0, "zip", [[str(10_000 + int(code)) for code in table["zip"].to_pylist()]])
    for held, first in ((table, "0"), (shifted, "1")):
        csv.write_csv(held, tmp_path / "table.csv")
        release = shoal.anonymize(tmp_path / "table.csv", PLAN)
        assert {cell[0] for cell in release.table["zip"].drop_null().to_pylist()} <= {first, "*"}
        assert shoal.verify(release, PLAN, tmp_path / "table.csv").holds


def test_codes_of_a_file_are_compared_from_the_left(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("code,job\n21,a\n2111,b\n2112,a\n34,b\n", encoding="utf-8")
    schema = shoal.Schema(quasi_identifying={"code": shoal.prefixes()}, sensitive=["job"])
    plan = shoal.Plan(schema, [shoal.KAnonymity(2)], person="row")
    trees = built(plan, _run.read(tmp_path / "table.csv", plan).table)
    assert ["21", "21", "21**", "2***", "*"] in trees["code"].rows()


def test_intervals_of_others_are_read_as_ranges(table: pa.Table) -> None:
    plan = shoal.Plan(
        shoal.Schema(quasi_identifying={"pay": shoal.intervals()}, sensitive=["icd"]),
        [shoal.KAnonymity(2)],
        person="row",
    )
    original = pa.table({"pay": [1, 2, 14, 15], "icd": list("abcd")})
    published = pa.table({"pay": ["[0, 10[", "[0, 10[", "10-20", "10-20"], "icd": list("abcd")})
    assert shoal.verify(published, plan).holds
    assert shoal.verify(published, plan, original).holds
    wrong = published.set_column(0, "pay", [["[0, 10[", "[0, 10[", "10-14", "10-14"]])
    assert not shoal.verify(wrong, plan, original).holds


def test_check_looks_at_what_cannot_be_built(table: pa.Table) -> None:
    assert _check.check(PLAN, table).holds
    codes = table.set_column(0, "zip", [["800*", *table["zip"].to_pylist()[1:]]])
    found = _check.check(PLAN, codes)
    assert [fault.where for fault in found.faults if fault.level == "error"] == ["columns.zip"]
    with pytest.raises(DataError, match="the hierarchy of zip: codes that have") as raised:
        shoal.anonymize(codes, PLAN)
    assert "800" not in raised.value.message


def test_columns_of_all_layouts() -> None:
    codes = pa.chunked_array([["8000", None], ["8001", "8000"]])
    for values in (codes, codes.dictionary_encode(), pa.chunked_array(codes.chunks[:1] * 3 + codes.chunks[1:])):
        tree = of_column(Column("zip", "quasi-identifying"), shoal.prefixes(), values)
        assert tree.leaves == ("8000", "8001")


def test_nothing_is_built_that_was_not_asked_for(table: pa.Table) -> None:
    assert set(built(PLAN, table)) == {"zip", "pay", "born", "icd"}
    assert set(built(PLAN, table.select(["zip", "born"]))) == {"zip", "born"}


def test_no_records() -> None:
    table = pa.table({"zip": [""], "pay": [1.5], "born": [date(2000, 1, 1)], "icd": ["A"]}).slice(0, 0)
    assert shoal.anonymize(table, PLAN).table.num_rows == 0
