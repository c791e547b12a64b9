"""`shoal hierarchy`: a file that can be edited, and named in the plan in place of how it was built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Shoal

PLAN = """
table = "people.csv"
person = "row"
[columns]
zip = { role = "quasi-identifying", prefixes = true }
age = { role = "quasi-identifying", intervals = { width = 10, levels = 1 } }
job = "sensitive"
[require]
k = 2
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("zip,age,job\n0123,31,a\n0124,38,b\n0999,41,a\n0998,44,b\n", encoding="utf-8")
    path = Path("plan.toml")
    path.write_text(PLAN, encoding="utf-8")
    return path


def test_built_hierarchies_are_written_edited_and_read_again(shoal: Shoal, plan: Path) -> None:
    ran = shoal("hierarchy", plan, "zip", "--out", "zip.csv", "--json")
    assert ran.status == 0
    assert ran.json == {"file": "zip.csv", "leaves": 4, "levels": 4}
    assert Path("zip.csv").read_text(encoding="utf-8").splitlines()[0] == "0123;012*;01**;0***;*"
    assert shoal("anonymize", plan, "--out", "built", "--format", "csv").status == 0
    plan.write_text(PLAN.replace("prefixes = true", 'hierarchy = "zip.csv"'), encoding="utf-8")
    assert shoal("anonymize", plan, "--out", "named", "--format", "csv").status == 0
    assert Path("built/release.csv").read_bytes() == Path("named/release.csv").read_bytes()
    Path("zip.csv").write_text(Path("zip.csv").read_text(encoding="utf-8").replace("012*", "south"), encoding="utf-8")
    assert shoal("anonymize", plan, "--out", "edited", "--format", "csv").status == 0
    assert "south" in Path("edited/release.csv").read_text(encoding="utf-8")
    assert shoal("hierarchy", plan, "zip", "--out", "again.csv").status == 0
    assert Path("again.csv").read_bytes() == Path("zip.csv").read_bytes()


def test_the_table_may_be_given(shoal: Shoal, plan: Path) -> None:
    Path("other.csv").write_text("zip,age,job\n77,50,a\n", encoding="utf-8")
    assert shoal("hierarchy", plan, "age", "other.csv", "--out", "age.csv").status == 0
    assert Path("age.csv").read_text(encoding="utf-8").splitlines() == ["50;*"]
    assert shoal("hierarchy", plan, "age", "--out", "age.csv").status == 2
    assert shoal("hierarchy", plan, "age", "--out", "age.csv", "--force").status == 0
    assert Path("age.csv").read_text(encoding="utf-8").splitlines()[0] == "31;[30, 39];*"


@pytest.mark.parametrize(("column", "says"), [("job", "no hierarchy"), ("nobody", "no hierarchy")])
def test_columns_without_one(shoal: Shoal, plan: Path, column: str, says: str) -> None:
    ran = shoal("hierarchy", plan, column, "--out", "x.csv", "--json")
    assert ran.status == 2
    assert says in ran.json["error"]["message"]
    assert not Path("x.csv").exists()


def test_a_table_without_the_column(shoal: Shoal, plan: Path) -> None:
    Path("other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    ran = shoal("hierarchy", plan, "zip", "other.csv", "--out", "x.csv", "--json")
    assert ran.status == 2
    assert json.loads(ran.out)["error"]["kind"] == "DataError"
