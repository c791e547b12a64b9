"""ARX projects as plans: the same roles, hierarchies and requirements, and a word on everything else."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.plan.deid import Unpacked, unpack
from shoal.plan.plan import Plan
from shoal.schema import arx
from tests.schema import projects
from tests.schema.projects import column, config, hierarchy


def unpacked(folder: Path, **changed: Any) -> tuple[Unpacked, Plan]:
    """A project with these parts changed, and its plan as it is read again."""
    found = unpack(projects.write(folder / "project.deid", **changed), folder / "out" / "plan.toml")
    return found, Plan.read(found.plan)


def test_a_project_becomes_a_plan_that_works(tmp_path: Path) -> None:
    _, plan = unpacked(tmp_path)
    assert {c.name: c.role for c in plan.columns} == {
        "name": "identifying",
        "age": "quasi-identifying",
        "zip": "quasi-identifying",
        "disease": "sensitive",
    }
    assert list(plan.require) == [shoal.KAnonymity(2), shoal.LDiversity(2, "disease", "distinct")]
    assert plan.suppress == 0.05
    assert plan.read_options.types == {"age": "integer"}
    tree = plan.quasi_identifying[1].hierarchy
    assert isinstance(tree, Path)
    assert arx.read(tree).covers()["800*"] == {"8000", "8001"}
    release = shoal.anonymize(None, plan)
    assert release.verdict is not None
    assert release.verdict.holds
    assert release.table.num_rows == 4


def test_records_are_for_their_owner_only(tmp_path: Path) -> None:
    found, _ = unpacked(tmp_path)
    assert [path.name for path in found.files] == ["input.csv", "zip.csv", "disease.csv"]
    for path in found.files:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("5-anonymity", shoal.KAnonymity(5)),
        ("distinct-4-diversity for attribute 'disease'", shoal.LDiversity(4, "disease", "distinct")),
        ("shannon-entropy-4.5-diversity for attribute 'disease'", shoal.LDiversity(4.5, "disease", "entropy")),
        ("recursive-(3.0,4)-diversity for attribute 'disease'", shoal.LDiversity(4, "disease", "recursive", 3)),
        ("0.2-closeness with equal distance for attribute 'disease'", shoal.TCloseness(0.2, "disease", "equal")),
        ("0.2-closeness with ordered distance for attribute 'disease'", shoal.TCloseness(0.2, "disease", "ordered")),
        ("1.0E-2-closeness with hierarchical distance", shoal.TCloseness(0.01, "disease", "hierarchical")),
    ],
)
def test_privacy_models_are_asked_for(model: str, expected: object, tmp_path: Path) -> None:
    _, plan = unpacked(tmp_path, config=config((model,)))
    assert list(plan.require) == [expected]


@pytest.mark.parametrize(
    "model",
    [
        "(0.1,0.2)-presence",
        "distinct-4-diversity for attribute 'age'",
        "0.2-closeness with equal distance for attribute 'nobody'",
        "7-anonymity",
    ],
)
def test_what_a_plan_cannot_say_is_told(model: str, tmp_path: Path) -> None:
    found, plan = unpacked(tmp_path, config=config((*projects.MODELS, model)))
    assert len(plan.require) == 2
    assert any(model in said for said in found.left_out)
    assert model in found.toml


def test_nothing_that_can_be_asked_is_a_proposal_that_says_so(tmp_path: Path) -> None:
    found, plan = unpacked(tmp_path, config=config(("(0.1,0.2)-presence",)))
    assert list(plan.require) == [shoal.KAnonymity(5)]
    assert "not the project's" in found.toml


def test_the_rest_is_told(tmp_path: Path) -> None:
    columns = (
        column("odd", "RESPONSE")
        + column("born", "QUASI_IDENTIFYING_ATTRIBUTE", "Date/Time", "<format>dd.MM.yyyy</format>")
        + column("zip", "QUASI_IDENTIFYING_ATTRIBUTE", more=hierarchy("hierarchies/zip.csv", "1", "All"))
        + column(
            "pay", "QUASI_IDENTIFYING_ATTRIBUTE", "Decimal", "<microAggregationFunction>Mean</microAggregationFunction>"
        )
    )
    found, plan = unpacked(tmp_path, definition=f"<definition>{columns}</definition>", config=config(("3-anonymity",)))
    for word in ("column odd", "dates of born", "hierarchy of zip", "microaggregation of pay", "Loss (0.5"):
        assert any(word in said for said in found.left_out), word
    assert plan.columns[0].role == "identifying"


def test_a_hierarchy_that_is_not_there_is_told(tmp_path: Path) -> None:
    lost = column("age", "QUASI_IDENTIFYING_ATTRIBUTE", more=hierarchy("../../age.csv"))
    found, plan = unpacked(tmp_path, definition=f"<definition>{lost}</definition>", config=config(("2-anonymity",)))
    assert plan.columns[0].hierarchy is None
    assert any("hierarchy of age" in said for said in found.left_out)


@pytest.mark.parametrize("names", [["a", "a"], ["a", ""]])
def test_columns_that_cannot_be_told_apart(names: list[str], tmp_path: Path) -> None:
    columns = "".join(column(name, "INSENSITIVE_ATTRIBUTE") for name in names)
    with pytest.raises(PlanError, match="without a name"):
        unpacked(tmp_path, definition=f"<definition>{columns}</definition>")


def test_names_of_columns_are_no_paths_and_no_toml(tmp_path: Path) -> None:
    names = ["../../evil", 'a"b\nc = "x"', "a/b", "a b", "a-b", "日本"]
    parts = projects.members()
    columns = ""
    for number, name in enumerate(names):
        parts[f"input/hierarchies/{number}.csv"] = projects.ZIP
        columns += column(name, "QUASI_IDENTIFYING_ATTRIBUTE", more=hierarchy(f"hierarchies/{number}.csv"))
    parts["input/definition.xml"] = f"<definition>{columns}</definition>"
    parts["input/config.xml"] = config(("2-anonymity",))
    found = unpack(projects.write(tmp_path / "a.deid", parts), tmp_path / "out" / "plan.toml")
    assert all(path.parent in (tmp_path / "out", tmp_path / "out" / "hierarchies") for path in found.files)
    assert len(set(found.files)) == len(names) + 1
    assert [c.name for c in Plan.read(found.plan).columns] == names
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.deid", "out"]


def test_nothing_is_replaced_unless_told(tmp_path: Path) -> None:
    found, _ = unpacked(tmp_path)
    found.plan.unlink()
    with pytest.raises(PlanError, match=r"input\.csv, plan\.toml|zip\.csv"):
        unpack(tmp_path / "project.deid", found.plan)
    unpack(tmp_path / "project.deid", found.plan, force=True)
    assert found.plan.is_file()


def test_a_failure_leaves_no_file(tmp_path: Path) -> None:
    parts = projects.members() | {"input/hierarchies/disease.csv": bytes(20_000_000)}
    with pytest.raises(DataError, match="would be unpacked"):
        unpack(projects.write(tmp_path / "a.deid", parts), tmp_path / "out" / "plan.toml")
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


def test_records_in_another_encoding(tmp_path: Path) -> None:
    parts = projects.members() | {"data/input.csv": projects.RECORDS.replace("Bob", "Jörg").encode("cp1252")}
    found = unpack(projects.write(tmp_path / "a.deid", parts), tmp_path / "out" / "plan.toml")
    assert Plan.read(found.plan).read_options.encoding == "cp1252"


def test_a_project_without_a_table(tmp_path: Path) -> None:
    parts = projects.members()
    del parts["data/input.csv"]
    found = unpack(projects.write(tmp_path / "a.deid", parts), tmp_path / "out" / "plan.toml")
    assert Plan.read(found.plan).table is None
    assert any("table" in said for said in found.left_out)
